package attention

import (
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// spread is a block of attention. The particles of a set are the rows of the matrix h. They attend
// to m points, the rows of the matrix `few`. The result is norm(h + attention(h; few)).
type spread struct {
	heads
	count int // m, the number of points
	norm  norm
}

func newSpread(c Config, l *tensor.Layout, name string) *spread {
	return &spread{count: c.Inducing, heads: newHeads(c, l, name), norm: newNorm(c.Width, l, name+".norm")}
}

func initSpread[T tensor.Float](params []T, p *spread, r *rand.Rand) {
	initHeads(params, &p.heads, r)
	initNorm(params, p.norm)
}

// spreadSpace is the workspace of a spread. The keys of all heads form the matrix `toward`. The
// values of all heads form the matrix `given`. The scores are the product of the set and `toward`.
// The matrix `share` is the softmax of the scores. The result is the product of `share` and
// `given`.
type spreadSpace[T tensor.Float] struct {
	*spread
	s      *kernel.Scratch
	whole  []T       // (B·m, width), keys or values before the split
	keys   []T       // (B, heads, m, each)
	values []T       // shaped like keys
	toward folded[T] // (B, heads·m, width): scale·k_h·Q_h
	level  []T       // (B, heads·m): scale·k_h·(bias of q)_h, plus the contribution of the bias of `in`
	given  []T       // (B, heads·m, width): v_h·O_hᵀ, plus the bias of o in the first head
	out    []T       // (width, width), the transpose of O
	share  []T       // (Σn, heads·m): the weight of each point for each particle
	att    []T       // (n, width): output of the attention for the particles of one set
	norm   *normSpace[T]

	// dshare is the gradient of `share`; the other names are formed likewise. dkeys and dvalues
	// hold the gradients of all sets. dshare, dgiven, dlevel and dsplit hold gradients of one set.
	dshare         []T // (n, heads·m)
	dgiven         []T // (heads·m, width)
	dlevel         []T // (heads·m)
	dsplit         []T // (heads, m, each): gradient of keys or of values
	dkeys, dvalues []T // (B·m, width)
	dout           []T // (width, width)
}

// newSpreadSpace makes a workspace. For the first block, `in` is the affine map that computes the
// set from coordinates. For other blocks, `in` is nil (see folded).
func newSpreadSpace[T tensor.Float](p *spread, in *nn.Linear, s *kernel.Scratch, sets, points int, learns bool) *spreadSpace[T] {
	one, all, square := p.count*p.width, p.heads.heads*p.count, p.width*p.width
	w := &spreadSpace[T]{
		spread: p, s: s, whole: make([]T, sets*one), keys: make([]T, sets*one), values: make([]T, sets*one),
		toward: newFolded[T](in, s, sets*all, p.width, learns), level: make([]T, sets*all), given: make([]T, sets*all*p.width),
		out: make([]T, square), share: make([]T, points*all), att: make([]T, points*p.width),
		norm: newNormSpace[T](p.norm, p.width, points),
	}
	if learns {
		w.dshare, w.dgiven, w.dlevel = make([]T, points*all), make([]T, all*p.width), make([]T, all)
		w.dsplit, w.dkeys, w.dvalues, w.dout = make([]T, one), make([]T, sets*one), make([]T, sets*one), make([]T, square)
	}
	return w
}

// prepare computes the keys and values of a few points (B·m, width). B is the number of sets.
func (w *spreadSpace[T]) prepare(params, few []T, sets int) {
	m, all, one := w.count, w.heads.heads*w.count, w.count*w.width
	kernel.Transpose(w.out, tensor.Of(params, w.o.W), w.width)
	kernel.GemmNT(w.s, w.whole, few, tensor.Of(params, w.k), sets*m, w.width, w.width, false)
	for b := range sets {
		split(&w.heads, w.keys[b*one:], w.whole[b*one:], m)
	}
	nn.LinearForward(w.s, w.v, params, w.whole, nil, few, sets*m)
	q, bias := tensor.Of(params, w.q.W), tensor.Of(params, w.q.B)
	for b := range sets {
		keys, values := w.keys[b*one:][:one], w.values[b*one:][:one]
		toward, level, given := w.toward.part(b, all), w.level[b*all:][:all], w.given[b*all*w.width:][:all*w.width]
		split(&w.heads, values, w.whole[b*one:], m)
		absorb(w.s, &w.heads, toward.whole, keys, q, m)
		kernel.Scale(toward.whole, T(w.scale()))
		toward.fold(params)
		for i := range level {
			level[i] = kernel.Dot(keys[i*w.each:][:w.each], bias[i/m*w.each:])
		}
		kernel.Scale(level, T(w.scale()))
		if toward.in != nil {
			kernel.GemmNN(w.s, level, toward.whole, tensor.Of(params, toward.in.B), all, 1, w.width, true)
		}
		absorb(w.s, &w.heads, given, values, w.out, m)
		for i := range m { // the shares of a head sum to 1, so the bias of o is added to the first head only
			kernel.Axpy(given[i*w.width:][:w.width], 1, tensor.Of(params, w.o.B))
		}
	}
}

// forward returns the result for set b, with the particles from begin to end. It must be called
// after prepare. The set is h (n, width), with x (n, rank) as its coordinates.
func (w *spreadSpace[T]) forward(params, x, h []T, b, begin, end int) []T {
	n, m, all := end-begin, w.count, w.heads.heads*w.count
	share, att := w.share[begin*all:end*all], w.att[:n*w.width]
	kernel.Affine(w.s, share, nil, x, w.toward.part(b, all).thin, w.level[b*all:], n, w.toward.rank, all, kernel.Identity)
	kernel.SoftmaxRows(share, share, n*w.heads.heads, m)
	kernel.GemmNN(w.s, att, share, w.given[b*all*w.width:], n, w.width, all, false)
	w.norm.forward(params, att, h, begin, end)
	return w.norm.y[begin*w.width : end*w.width]
}

// backward replaces d (n, width), the gradient of forward's result, with the gradient of h. It adds
// the gradient of x to dx, unless dx is nil; dx may be d. It also collects the gradients of the
// points, for a later call of finish.
func (w *spreadSpace[T]) backward(params, grads, d, dx, x []T, b, begin, end int) {
	n, m, all, one := end-begin, w.count, w.heads.heads*w.count, w.count*w.width
	w.norm.backward(params, grads, d, d, begin, end)
	share, dshare := w.share[begin*all:end*all], w.dshare[:n*all]
	keys, values := w.keys[b*one:][:one], w.values[b*one:][:one]
	kernel.GemmTN(w.s, w.dgiven, share, d, all, w.width, n, false)
	kernel.GemmNT(w.s, dshare, d, w.given[b*all*w.width:], n, all, w.width, false)
	kernel.SoftmaxRowsGrad(dshare, dshare, share, n*w.heads.heads, m)
	toward := w.toward.part(b, all)
	kernel.GemmTN(w.s, toward.dthin, dshare, x, all, toward.rank, n, false)
	clear(w.dlevel)
	kernel.ColSum(w.dlevel, dshare, n, all)
	if dx != nil {
		kernel.GemmNN(w.s, dx, dshare, toward.thin, n, toward.rank, all, true)
	}
	toward.unfold(params, grads)
	if in := toward.in; in != nil {
		kernel.GemmNN(w.s, toward.dwhole, w.dlevel, tensor.Of(params, in.B), all, w.width, 1, true)
		kernel.GemmTN(w.s, tensor.Of(grads, in.B), toward.whole, w.dlevel, w.width, 1, all, true)
	}

	kernel.ColSum(tensor.Of(grads, w.o.B), w.dgiven, m, w.width)
	absorbBackward(w.s, &w.heads, w.dsplit, w.dout, w.dgiven, values, w.out, m)
	merge(&w.heads, w.dvalues[b*one:], w.dsplit, m)
	kernel.Scale(toward.dwhole, T(w.scale()))
	kernel.Scale(w.dlevel, T(w.scale()))
	absorbBackward(w.s, &w.heads, w.dsplit, tensor.Of(grads, w.q.W), toward.dwhole, keys, tensor.Of(params, w.q.W), m)
	bias, dbias := tensor.Of(params, w.q.B), tensor.Of(grads, w.q.B)
	for i, v := range w.dlevel {
		of := i / m * w.each
		kernel.Axpy(w.dsplit[i*w.each:][:w.each], v, bias[of:of+w.each])
		kernel.Axpy(dbias[of:of+w.each], v, keys[i*w.each:][:w.each])
	}
	merge(&w.heads, w.dkeys[b*one:], w.dsplit, m)
}

// finish completes the backward pass. The method `backward` must have been called for all sets.
// finish writes the gradient of the points to dfew (B·m, width).
func (w *spreadSpace[T]) finish(params, grads, dfew, few []T, sets int) {
	rows := sets * w.count
	nn.LinearBackward(w.s, w.v, params, grads, dfew, w.dvalues, w.whole, nil, few, rows)
	kernel.GemmNN(w.s, dfew, w.dkeys, tensor.Of(params, w.k), rows, w.width, w.width, true)
	kernel.GemmTN(w.s, tensor.Of(grads, w.k), w.dkeys, few, w.width, w.width, rows, true)
	dout := tensor.Of(grads, w.o.W)
	for i := range w.width {
		for j := range w.width {
			dout[i*w.width+j] += w.dout[j*w.width+i]
		}
	}
	clear(w.dout)
}
