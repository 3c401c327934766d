package attention

import (
	"math/rand/v2"

	"macroscope/model/kernel"
	"macroscope/model/nn"
	"macroscope/model/tensor"
)

// gather lets learned queries attend to a set: norm(queries + attention(queries;
// h)).
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

// gatherSpace evaluates a gather. All queries of all heads meet the set as one
// matrix, the absorbed queries.
type gatherSpace[T tensor.Float] struct {
	*gather
	s        *kernel.Scratch
	q        []T // (m, width)
	split    []T // (heads, m, each), q a head
	absorbed []T // (heads·m, width): scale·q_h·K_h
	share    []T // (Σn, heads·m): how much each query takes of each particle
	taken    []T // (B, heads·m, width): what that is
	few      []T // (heads, m, each)
	found    []T // (B·m, width): the values of what was taken, before the projection o
	att      []T // (B·m, width): after it
	norm     *normSpace[T]

	dabsorbed, dq []T // as absorbed and q
	dshare        []T // (n, heads·m)
	dtaken        []T // (heads·m, width)
	dfound        []T // (B·m, width)
}

func newGatherSpace[T tensor.Float](g *gather, s *kernel.Scratch, sets, points int, learns bool) *gatherSpace[T] {
	one, all := g.count*g.width, g.heads.heads*g.count
	w := &gatherSpace[T]{
		gather: g, s: s, q: make([]T, one), split: make([]T, one), absorbed: make([]T, all*g.width),
		share: make([]T, points*all), taken: make([]T, sets*all*g.width), few: make([]T, one),
		found: make([]T, sets*one), att: make([]T, sets*one), norm: newNormSpace[T](g.norm, g.width, sets*g.count),
	}
	if learns {
		w.dabsorbed, w.dq, w.dshare = make([]T, all*g.width), make([]T, one), make([]T, points*all)
		w.dtaken, w.dfound = make([]T, all*g.width), make([]T, sets*one)
	}
	return w
}

// forward returns (B·m, width) of the sets h (Σn, width).
func (w *gatherSpace[T]) forward(params, h []T, ends []int) []T {
	m, all, queries := w.count, w.heads.heads*w.count, tensor.Of(params, w.queries)
	nn.LinearForward(w.s, w.heads.q, params, w.q, nil, queries, m)
	split(&w.heads, w.split, w.q, m)
	absorb(w.s, &w.heads, w.absorbed, w.split, tensor.Of(params, w.k), m)
	kernel.Scale(w.absorbed, T(w.scale()))

	v, bias := tensor.Of(params, w.v.W), tensor.Of(params, w.v.B)
	begin := 0
	for b, end := range ends {
		n := end - begin
		x, share, taken := h[begin*w.width:end*w.width], w.share[begin*all:end*all], w.taken[b*all*w.width:][:all*w.width]
		kernel.GemmNT(w.s, share, x, w.absorbed, n, all, w.width, false)
		kernel.SoftmaxCols(share, share, n, all)
		kernel.GemmTN(w.s, taken, share, x, all, w.width, n, false)
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

// backward takes the gradient d (B·m, width) of forward's result, which it
// overwrites, and adds that of h to dh.
func (w *gatherSpace[T]) backward(params, grads, dh, d, h []T, ends []int) {
	m, all := w.count, w.heads.heads*w.count
	w.norm.backward(params, grads, d, d, 0, len(ends)*m)
	dqueries := tensor.Of(grads, w.queries)
	for b := range ends {
		kernel.Axpy(dqueries, 1, d[b*m*w.width:][:m*w.width])
	}
	nn.LinearBackward(w.s, w.o, params, grads, w.dfound, d, w.att, nil, w.found, len(ends)*m)
	v, dv, dbias := tensor.Of(params, w.v.W), tensor.Of(grads, w.v.W), tensor.Of(grads, w.v.B)
	clear(w.dabsorbed)
	begin := 0
	for b, end := range ends {
		n := end - begin
		x, dx := h[begin*w.width:end*w.width], dh[begin*w.width:end*w.width]
		share, taken, dshare := w.share[begin*all:end*all], w.taken[b*all*w.width:][:all*w.width], w.dshare[:n*all]
		split(&w.heads, w.few, w.dfound[b*m*w.width:], m)
		for head := range w.heads.heads {
			part, of := m*w.width, head*w.each*w.width
			dfew := w.few[head*m*w.each:][:m*w.each]
			kernel.GemmTN(w.s, dv[of:][:w.each*w.width], dfew, taken[head*part:][:part], w.each, w.width, m, true)
			kernel.ColSum(dbias[head*w.each:][:w.each], dfew, m, w.each)
			kernel.GemmNN(w.s, w.dtaken[head*part:][:part], dfew, v[of:][:w.each*w.width], m, w.width, w.each, false)
		}
		kernel.GemmNT(w.s, dshare, x, w.dtaken, n, all, w.width, false)
		kernel.SoftmaxColsGrad(dshare, dshare, share, n, all)
		kernel.GemmNN(w.s, dx, share, w.dtaken, n, w.width, all, true)
		kernel.GemmNN(w.s, dx, dshare, w.absorbed, n, w.width, all, true)
		kernel.GemmTN(w.s, w.dabsorbed, dshare, x, all, w.width, n, true)
		begin = end
	}
	kernel.Scale(w.dabsorbed, T(w.scale()))
	absorbBackward(w.s, &w.heads, w.few, tensor.Of(grads, w.k), w.dabsorbed, w.split, tensor.Of(params, w.k), m)
	merge(&w.heads, w.dq, w.few, m)
	nn.LinearBackward(w.s, w.heads.q, params, grads, w.few, w.dq, w.q, nil, tensor.Of(params, w.queries), m)
	kernel.Axpy(dqueries, 1, w.few)
}
