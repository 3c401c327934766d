package attention

import (
	"math"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// heads are the projections of a multihead attention.
type heads struct {
	width, heads, each int // width = heads·each
	q, v, o            *nn.Linear
	k                  tensor.Param // (width, width), without a bias
}

func newHeads(c Config, l *tensor.Layout, name string) heads {
	linear := func(of string) *nn.Linear { return nn.NewLinear(l, name+of, c.Width, c.Width, kernel.Identity) }
	return heads{
		width: c.Width, heads: c.Heads, each: c.Width / c.Heads,
		q: linear(".q"), k: l.Add(name+".k.weight", c.Width, c.Width), v: linear(".v"), o: linear(".o"),
	}
}

func initHeads[T tensor.Float](params []T, h *heads, r *rand.Rand) {
	for _, l := range []*nn.Linear{h.q, h.v, h.o} {
		nn.InitLinear(params, l, r)
	}
	bound := 1 / math.Sqrt(float64(h.width))
	k := tensor.Of(params, h.k)
	for i := range k {
		k[i] = T((2*r.Float64() - 1) * bound)
	}
}

// scale returns 1/√each, the factor of the attention scores.
func (h *heads) scale() float64 { return 1 / math.Sqrt(float64(h.each)) }

// split writes x (rows, width) to dst (heads, rows, each), one matrix per head.
func split[T tensor.Float](h *heads, dst, x []T, rows int) {
	for r := range rows {
		for head := range h.heads {
			copy(dst[(head*rows+r)*h.each:][:h.each], x[r*h.width+head*h.each:])
		}
	}
}

// merge is the inverse of split.
func merge[T tensor.Float](h *heads, dst, x []T, rows int) {
	for r := range rows {
		for head := range h.heads {
			copy(dst[r*h.width+head*h.each:][:h.each], x[(head*rows+r)*h.each:])
		}
	}
}

// absorb multiplies each head's part of x (heads, rows, each) by the head's rows of a projection w
// (width, width). It writes the products to dst (heads, rows, width).
func absorb[T tensor.Float](s *kernel.Scratch, h *heads, dst, x, w []T, rows int) {
	for head := range h.heads {
		in, out, part := rows*h.each, rows*h.width, h.each*h.width
		kernel.GemmNN(s, dst[head*out:][:out], x[head*in:][:in], w[head*part:][:part], rows, h.width, h.each, false)
	}
}

// absorbBackward computes the gradients of absorb from d, the gradient of its result. It writes
// the gradient of x to dx and adds the gradient of w to dw.
func absorbBackward[T tensor.Float](s *kernel.Scratch, h *heads, dx, dw, d, x, w []T, rows int) {
	for head := range h.heads {
		in, out, part := rows*h.each, rows*h.width, h.each*h.width
		kernel.GemmNT(s, dx[head*in:][:in], d[head*out:][:out], w[head*part:][:part], rows, h.each, h.width, false)
		kernel.GemmTN(s, dw[head*part:][:part], x[head*in:][:in], d[head*out:][:out], h.each, h.width, rows, true)
	}
}

// norm is a layer norm of a sum.
type norm struct{ gain, shift tensor.Param } // (width)

func newNorm(width int, l *tensor.Layout, name string) norm {
	return norm{gain: l.Add(name+".weight", width), shift: l.Add(name+".bias", width)}
}

func initNorm[T tensor.Float](params []T, n norm) {
	gain := tensor.Of(params, n.gain)
	for i := range gain {
		gain[i] = 1
	}
	clear(tensor.Of(params, n.shift))
}

// normSpace keeps the results of a layer norm for its backward pass.
type normSpace[T tensor.Float] struct {
	norm
	width   int
	y, unit []T // (rows, width): the norm, and the norm before gain and shift
	inv     []T // (rows): inverse standard deviations
}

func newNormSpace[T tensor.Float](n norm, width, rows int) *normSpace[T] {
	return &normSpace[T]{norm: n, width: width, y: make([]T, rows*width), unit: make([]T, rows*width), inv: make([]T, rows)}
}

// The method `of` returns a workspace for another norm. The workspace uses the memory of n.
func (n normSpace[T]) of(other norm) *normSpace[T] {
	n.norm = other
	return &n
}

// forward writes the norm of x + `add` to the rows of y from `begin` to `end`. The slices x and
// `add` contain only these rows.
func (n *normSpace[T]) forward(params, x, add []T, begin, end int) {
	at, to := begin*n.width, end*n.width
	kernel.NormRows(n.y[at:to], n.unit[at:to], n.inv[begin:end], x, add,
		tensor.Of(params, n.gain), tensor.Of(params, n.shift), end-begin, n.width)
}

// backward writes the gradient of x to dx. The slices dx and dy may be the same. The gradient of
// `add` equals the gradient of x, because forward takes the norm of x + `add`.
func (n *normSpace[T]) backward(params, grads, dx, dy []T, begin, end int) {
	kernel.NormRowsGrad(dx, tensor.Of(grads, n.gain), tensor.Of(grads, n.shift), dy,
		n.unit[begin*n.width:end*n.width], n.inv[begin:end], tensor.Of(params, n.gain), end-begin, n.width)
}
