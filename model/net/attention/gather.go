package attention

import (
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// gather lets learned queries attend to a set h: norm(queries + attention(queries; h)).
type gather struct {
	heads
	count   int          // m, the number of queries
	queries tensor.Param // (m, width)
	norm    norm
}

func newGather(c Config, l *tensor.Layout, name string, count int) *gather {
	return &gather{
		count: count, queries: l.Add(name+".queries", count, c.Width),
		heads: newHeads(c, l, name), norm: newNorm(c.Width, l, name+".norm"),
	}
}

func initGather[T tensor.Float](params []T, g *gather, r *rand.Rand) {
	queries := tensor.Of(params, g.queries)
	for i := range queries {
		queries[i] = T(r.NormFloat64())
	}
	initHeads(params, &g.heads, r)
	initNorm(params, g.norm)
}

// gatherSpace is the workspace of a gather. The queries of all heads form one matrix (`absorbed`),
// which multiplies the set.
type gatherSpace[T tensor.Float] struct {
	*gather
	s        *kernel.Scratch
	q        []T       // (m, width): the projected queries
	split    []T       // (heads, m, each): q, one matrix per head
	absorbed folded[T] // (heads·m, width): scale·q_h·K_h
	share    []T       // (Σn, heads·m): the weight of each particle for each query
	got      []T       // (B, heads·m, rank): weighted sums of the set's coordinates
	taken    []T       // (B, heads·m, width): the sums in `got` after the affine map `in`. If `in` is nil, `taken` and `got` are the same slice
	few      []T       // (heads, m, each): sums of the values of one set, weighted by `share`
	found    []T       // (B·m, width): the sums in `few` for all sets, with the heads merged. They are the input of the projection o
	att      []T       // (B·m, width): the attention's result, after the projection o
	norm     *normSpace[T]

	// dq is the gradient of q; the other names are formed likewise. dshare, dgot and dtaken hold
	// the gradients of one set.
	dq           []T // shaped like q
	dshare       []T // (n, heads·m)
	dgot, dtaken []T // (heads·m, rank), (heads·m, width)
	dfound       []T // (B·m, width)
}

// newGatherSpace makes a workspace. For the first block, `in` is the affine map that computes the
// set from coordinates. For other blocks, `in` is nil (see folded).
func newGatherSpace[T tensor.Float](g *gather, in *nn.Linear, s *kernel.Scratch, sets, points int, learns bool) *gatherSpace[T] {
	one, all := g.count*g.width, g.heads.heads*g.count
	w := &gatherSpace[T]{
		gather: g, s: s, q: make([]T, one), split: make([]T, one), absorbed: newFolded[T](in, s, all, g.width, learns),
		share: make([]T, points*all), taken: make([]T, sets*all*g.width), few: make([]T, one),
		found: make([]T, sets*one), att: make([]T, sets*one), norm: newNormSpace[T](g.norm, g.width, sets*g.count),
	}
	w.got = w.taken
	if in != nil {
		w.got = make([]T, sets*all*in.In)
	}
	if learns {
		w.dq, w.dshare, w.dtaken, w.dfound = make([]T, one), make([]T, points*all), make([]T, all*g.width), make([]T, sets*one)
		if w.dgot = w.dtaken; in != nil {
			w.dgot = make([]T, all*in.In)
		}
	}
	return w
}

// forward returns the result (B·m, width) for the sets x (Σn, rank).
func (w *gatherSpace[T]) forward(params, x []T, ends []int) []T {
	m, all, queries := w.count, w.heads.heads*w.count, tensor.Of(params, w.queries)
	nn.LinearForward(w.s, w.heads.q, params, w.q, nil, queries, m)
	split(&w.heads, w.split, w.q, m)
	absorb(w.s, &w.heads, w.absorbed.whole, w.split, tensor.Of(params, w.k), m)
	kernel.Scale(w.absorbed.whole, T(w.scale()))
	w.absorbed.fold(params)

	rank := w.absorbed.rank
	v, bias := tensor.Of(params, w.v.W), tensor.Of(params, w.v.B)
	begin := 0
	for b, end := range ends {
		n := end - begin
		of, share := x[begin*rank:end*rank], w.share[begin*all:end*all]
		got, taken := w.got[b*all*rank:][:all*rank], w.taken[b*all*w.width:][:all*w.width]
		kernel.GemmNT(w.s, share, of, w.absorbed.thin, n, all, rank, false)
		kernel.SoftmaxCols(share, share, n, all)
		kernel.GemmTN(w.s, got, share, of, all, rank, n, false)
		if in := w.absorbed.in; in != nil { // Σ share (W x + b) = W Σ share x + b, because shares sum to 1
			nn.LinearForward(w.s, in, params, taken, nil, got, all)
		}
		for head := range w.heads.heads {
			part, out := m*w.width, m*w.each
			kernel.Affine(w.s, w.few[head*out:][:out], nil, taken[head*part:][:part], v[head*w.each*w.width:][:w.each*w.width],
				bias[head*w.each:][:w.each], m, w.width, w.each, kernel.Identity)
		}
		merge(&w.heads, w.found[b*m*w.width:], w.few, m)
		begin = end
	}
	nn.LinearForward(w.s, w.o, params, w.att, nil, w.found, len(ends)*m)
	for b := range ends {
		w.norm.forward(params, w.att[b*m*w.width:], queries, b*m, (b+1)*m)
	}
	return w.norm.y[:len(ends)*m*w.width]
}

// backward overwrites d (B·m, width), the gradient of forward's result. It adds the gradient of
// x to dx, unless dx is nil.
func (w *gatherSpace[T]) backward(params, grads, dx, d, x []T, ends []int) {
	m, all := w.count, w.heads.heads*w.count
	w.norm.backward(params, grads, d, d, 0, len(ends)*m)
	dqueries := tensor.Of(grads, w.queries)
	for b := range ends {
		kernel.Axpy(dqueries, 1, d[b*m*w.width:][:m*w.width])
	}
	nn.LinearBackward(w.s, w.o, params, grads, w.dfound, d, w.att, nil, w.found, len(ends)*m)
	v, dv, dbias := tensor.Of(params, w.v.W), tensor.Of(grads, w.v.W), tensor.Of(grads, w.v.B)
	rank, dabsorbed := w.absorbed.rank, w.absorbed.dthin
	clear(dabsorbed)
	begin := 0
	for b, end := range ends {
		n := end - begin
		of, share, dshare := x[begin*rank:end*rank], w.share[begin*all:end*all], w.dshare[:n*all]
		got, taken := w.got[b*all*rank:][:all*rank], w.taken[b*all*w.width:][:all*w.width]
		split(&w.heads, w.few, w.dfound[b*m*w.width:], m)
		for head := range w.heads.heads {
			part, at := m*w.width, head*w.each*w.width
			dfew := w.few[head*m*w.each:][:m*w.each]
			kernel.GemmTN(w.s, dv[at:][:w.each*w.width], dfew, taken[head*part:][:part], w.each, w.width, m, true)
			kernel.ColSum(dbias[head*w.each:][:w.each], dfew, m, w.each)
			kernel.GemmNN(w.s, w.dtaken[head*part:][:part], dfew, v[at:][:w.each*w.width], m, w.width, w.each, false)
		}
		if in := w.absorbed.in; in != nil {
			nn.LinearBackward(w.s, in, params, grads, w.dgot, w.dtaken, taken, nil, got, all)
		}
		kernel.GemmNT(w.s, dshare, of, w.dgot, n, all, rank, false)
		kernel.SoftmaxColsGrad(dshare, dshare, share, n, all)
		if dx != nil {
			kernel.GemmNN(w.s, dx[begin*rank:end*rank], share, w.dgot, n, rank, all, true)
			kernel.GemmNN(w.s, dx[begin*rank:end*rank], dshare, w.absorbed.thin, n, rank, all, true)
		}
		kernel.GemmTN(w.s, dabsorbed, dshare, of, all, rank, n, true)
		begin = end
	}
	w.absorbed.unfold(params, grads)
	kernel.Scale(w.absorbed.dwhole, T(w.scale()))
	absorbBackward(w.s, &w.heads, w.few, tensor.Of(grads, w.k), w.absorbed.dwhole, w.split, tensor.Of(params, w.k), m)
	merge(&w.heads, w.dq, w.few, m)
	nn.LinearBackward(w.s, w.heads.q, params, grads, w.few, w.dq, w.q, nil, tensor.Of(params, w.queries), m)
	kernel.Axpy(dqueries, 1, w.few)
}
