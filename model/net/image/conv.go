package image

import (
	"math"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// conv connects a large picture (in, rows, cols) with a small picture (out, small rows, small cols)
// of half the size, by a kernel of 3 × 3 pixels with stride 2 and padding 1. The function `down` is
// the convolution. It makes the small picture. The function `up` is the transposed convolution. It
// makes the large picture.
type conv struct {
	in, out              int // channels of the large and of the small picture
	rows, cols           int
	smallRows, smallCols int
	w                    tensor.Param // the kernel (out, in, 3, 3)
	b                    tensor.Param // bias of the output: (out) for down, (in) for up
}

const taps = 9 // pixels of a kernel

func half(n int) int { return (n-1)/2 + 1 }

// newConv adds the kernel and a bias to the layout. The bias belongs to the large picture if `up`
// is true, otherwise to the small picture.
func newConv(l *tensor.Layout, name string, in, out, rows, cols int, up bool) *conv {
	bias := out
	if up {
		bias = in
	}
	return &conv{
		in: in, out: out, rows: rows, cols: cols, smallRows: half(rows), smallCols: half(cols),
		w: l.Add(name+".weight", out, in, 3, 3), b: l.Add(name+".bias", bias),
	}
}

func (c *conv) large() int   { return c.in * c.rows * c.cols }
func (c *conv) small() int   { return c.out * c.places() }
func (c *conv) places() int  { return c.smallRows * c.smallCols }
func (c *conv) columns() int { return c.in * taps * c.places() }

// initConv draws weights and bias uniformly from [-1/√n, 1/√n], where n is the number of inputs
// of a pixel, as PyTorch does.
func initConv[T tensor.Float](params []T, c *conv, channels int, r *rand.Rand) {
	bound := 1 / math.Sqrt(float64(channels*taps))
	for _, p := range [...]tensor.Param{c.w, c.b} {
		w := tensor.Of(params, p)
		for i := range w {
			w[i] = T((2*r.Float64() - 1) * bound)
		}
	}
}

// gather copies the pixels of the large picture x (in, rows, cols) that the kernel covers. For
// every pixel of the small picture, these are 9 pixels of each channel. gather writes them to cols
// (in·9, number of small pixels). Pixels beyond the edge count as 0.
func gather[T tensor.Float](c *conv, cols, x []T) {
	for channel := range c.in {
		from := x[channel*c.rows*c.cols:][:c.rows*c.cols]
		for tap := range taps {
			to := cols[(channel*taps+tap)*c.places():][:c.places()]
			c.meet(tap, func(place, pixel, count int) {
				for i := range count {
					to[place+i] = from[pixel+2*i]
				}
			}, func(place, count int) { clear(to[place : place+count]) })
		}
	}
}

// scatter is the transpose of gather: it computes x from cols.
func scatter[T tensor.Float](c *conv, x, cols []T) {
	clear(x[:c.large()])
	for channel := range c.in {
		to := x[channel*c.rows*c.cols:][:c.rows*c.cols]
		for tap := range taps {
			from := cols[(channel*taps+tap)*c.places():][:c.places()]
			c.meet(tap, func(place, pixel, count int) {
				for i := range count {
					to[pixel+2*i] += from[place+i]
				}
			}, func(int, int) {})
		}
	}
}

// meet finds the pixels of the large picture that one pixel of the kernel covers. This pixel of the
// kernel is called the tap, and `tap` is its index, from 0 to 8. The kernel has one place for each
// pixel of the small picture. meet calls one of two functions for several consecutive places:
//
//	inside(place, pixel, count)  At `count` places from `place` on, the tap covers the pixels
//	                             with the indices `pixel`, `pixel` + 2, `pixel` + 4, …
//	outside(place, count)        At `count` places from `place` on, the tap lies beyond the edge.
func (c *conv) meet(tap int, inside func(place, pixel, count int), outside func(place, count int)) {
	dy, dx := tap/3-1, tap%3-1
	first, last := 0, c.smallCols // range of places at which the tap lies inside the picture
	if dx < 0 {
		first = 1
	}
	if 2*(c.smallCols-1)+dx >= c.cols {
		last--
	}
	for y := range c.smallRows {
		place, row := y*c.smallCols, 2*y+dy
		if row < 0 || row >= c.rows {
			outside(place, c.smallCols)
			continue
		}
		outside(place, first)
		if last > first {
			inside(place+first, row*c.cols+2*first+dx, last-first)
		}
		outside(place+last, c.smallCols-last)
	}
}

// down convolves x, adds the bias, applies ReLU, and writes the result to y. The slice
// cols is scratch memory.
func down[T tensor.Float](s *kernel.Scratch, c *conv, params, y, cols, x []T) {
	gather(c, cols, x)
	kernel.GemmNN(s, y, tensor.Of(params, c.w), cols, c.out, c.places(), c.in*taps, false)
	addBias(y, tensor.Of(params, c.b), c.places(), true)
}

// downBackward computes the gradients of the function down. dy is the gradient of the result y, and
// is overwritten. downBackward adds the gradients of the parameters to grads. It writes the
// gradient of x to dx, unless dx is nil.
func downBackward[T tensor.Float](s *kernel.Scratch, c *conv, params, grads, dx, dy, y, cols, x []T) {
	kernel.ActivationGrad(dy[:c.small()], dy, y, nil, kernel.ReLU)
	biasGrad(tensor.Of(grads, c.b), dy, c.places())
	gather(c, cols, x)
	kernel.GemmNT(s, tensor.Of(grads, c.w), dy, cols, c.out, c.in*taps, c.places(), true)
	if dx != nil {
		kernel.GemmTN(s, cols, tensor.Of(params, c.w), dy, c.in*taps, c.places(), c.out, false)
		scatter(c, dx, cols)
	}
}

// The function `up` computes the transposed convolution of x (out, small rows, small cols), and
// adds the bias. It writes the sum to y (in, rows, cols). If relu is set, it also applies ReLU.
func up[T tensor.Float](s *kernel.Scratch, c *conv, params, y, cols, x []T, relu bool) {
	kernel.GemmTN(s, cols, tensor.Of(params, c.w), x, c.in*taps, c.places(), c.out, false)
	scatter(c, y, cols)
	addBias(y, tensor.Of(params, c.b), c.rows*c.cols, relu)
}

// upBackward computes the gradients of up, given the gradient dy of up's result before its
// activation. It adds the gradients of the parameters to grads and writes the gradient of x to
// dx.
func upBackward[T tensor.Float](s *kernel.Scratch, c *conv, params, grads, dx, dy, cols, x []T) {
	biasGrad(tensor.Of(grads, c.b), dy, c.rows*c.cols)
	gather(c, cols, dy)
	kernel.GemmNT(s, tensor.Of(grads, c.w), x, cols, c.out, c.in*taps, c.places(), true)
	kernel.GemmNN(s, dx, tensor.Of(params, c.w), cols, c.out, c.places(), c.in*taps, false)
}

// addBias adds a channel's bias to all pixels of the channel, and applies ReLU if relu is set.
func addBias[T tensor.Float](y, bias []T, pixels int, relu bool) {
	for channel, b := range bias {
		of := y[channel*pixels:][:pixels]
		for i, v := range of {
			v += b
			if relu && v < 0 {
				v = 0
			}
			of[i] = v
		}
	}
}

func biasGrad[T tensor.Float](grad, dy []T, pixels int) {
	for channel := range grad {
		grad[channel] += kernel.Sum(dy[channel*pixels:][:pixels])
	}
}
