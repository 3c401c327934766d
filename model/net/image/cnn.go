package image

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// convolutions calls `enter` once for each convolution, from the largest picture to the smallest.
// It returns the results.
func (c Config) convolutions(enter func(i, in, out, rows, cols int) *conv) (convs []*conv) {
	in, rows, cols := c.Channels, c.Rows, c.Cols
	for i, out := range c.Widths {
		convs = append(convs, enter(i, in, out, rows, cols))
		in, rows, cols = out, half(rows), half(cols)
	}
	return convs
}

// shapes returns the encoder's convolutions without weights.
func (c Config) shapes() []*conv {
	return c.convolutions(func(_, in, out, rows, cols int) *conv {
		return &conv{in: in, out: out, rows: rows, cols: cols, smallRows: half(rows), smallCols: half(cols)}
	})
}

// cnnEncoder is a series of convolutions and an affine map.
type cnnEncoder struct {
	convs []*conv
	head  *nn.Linear
}

func newCNNEncoder(c Config, l *tensor.Layout, prefix string) *cnnEncoder {
	e := &cnnEncoder{convs: c.convolutions(func(i, in, out, rows, cols int) *conv {
		return newConv(l, fmt.Sprintf("%s.conv.%d", prefix, i), in, out, rows, cols, false)
	})}
	e.head = nn.NewLinear(l, prefix+".head", e.convs[len(e.convs)-1].small(), c.ZDim, kernel.Identity)
	return e
}

func initCNNEncoder[T tensor.Float](params []T, e *cnnEncoder, r *rand.Rand) {
	for _, c := range e.convs {
		initConv(params, c, c.in, r)
	}
	nn.InitLinear(params, e.head, r)
}

// cnnEncoding is the workspace of a cnnEncoder.
type cnnEncoding[T tensor.Float] struct {
	*cnnEncoder
	s    *kernel.Scratch
	x    []T   // the input of Encode
	y    [][]T // output of each convolution (count, small)
	d    [][]T // gradients of y; only the last element holds more than one picture
	cols []T
	z    []T
}

func newCNNEncoding[T tensor.Float](e *cnnEncoder, count int) *cnnEncoding[T] {
	w := &cnnEncoding[T]{cnnEncoder: e, s: new(kernel.Scratch), z: make([]T, count*e.head.Out)}
	room := 0
	for i, c := range e.convs {
		w.y = append(w.y, make([]T, count*c.small()))
		rows := 1
		if i == len(e.convs)-1 {
			rows = count
		}
		w.d = append(w.d, make([]T, rows*c.small()))
		room = max(room, c.columns())
	}
	w.cols = make([]T, room)
	return w
}

// Encode implements Encoder.
func (w *cnnEncoding[T]) Encode(params, x []T, count int) []T {
	w.x = x
	for i, c := range w.convs {
		for k := range count {
			down(w.s, c, params, w.y[i][k*c.small():][:c.small()], w.cols[:c.columns()], x[k*c.large():][:c.large()])
		}
		x = w.y[i]
	}
	nn.LinearForward(w.s, w.head, params, w.z, nil, x, count)
	return w.z[:count*w.head.Out]
}

// Backward implements Encoder.
func (w *cnnEncoding[T]) Backward(params, grads, dx, dz []T, count int) {
	last := len(w.convs) - 1
	nn.LinearBackward(w.s, w.head, params, grads, w.d[last], dz, w.z, nil, w.y[last], count)
	for k := range count {
		d := w.d[last][k*w.convs[last].small():]
		for i := last; i >= 0; i-- {
			c, x := w.convs[i], w.x
			var to []T
			if i > 0 {
				x, to = w.y[i-1], w.d[i-1]
			} else if dx != nil {
				to = dx[k*c.large():][:c.large()]
			}
			downBackward(w.s, c, params, grads, to, d[:c.small()], w.y[i][k*c.small():][:c.small()], w.cols[:c.columns()], x[k*c.large():][:c.large()])
			d = to
		}
	}
}

// cnnDecoder is an affine map and a series of transposed convolutions. It has the encoder's
// shapes in reverse order.
type cnnDecoder struct {
	head  *nn.Linear
	convs []*conv // in the order of application
}

func newCNNDecoder(c Config, l *tensor.Layout, prefix string) *cnnDecoder {
	shapes := c.shapes() // the encoder's convolutions define the shapes to restore
	d := &cnnDecoder{head: nn.NewLinear(l, prefix+".head", c.ZDim, shapes[len(shapes)-1].small(), kernel.ReLU)}
	for i := range shapes {
		s := shapes[len(shapes)-1-i]
		d.convs = append(d.convs, newConv(l, fmt.Sprintf("%s.conv.%d", prefix, i), s.in, s.out, s.rows, s.cols, true))
	}
	return d
}

func initCNNDecoder[T tensor.Float](params []T, d *cnnDecoder, r *rand.Rand) {
	nn.InitLinear(params, d.head, r)
	for _, c := range d.convs {
		initConv(params, c, c.in, r)
	}
}

// cnnDecoding is the workspace of a cnnDecoder.
type cnnDecoding[T tensor.Float] struct {
	*cnnDecoder
	s    *kernel.Scratch
	z    []T   // the input of Decode
	x    []T   // (count, small), the input of the first convolution
	y    [][]T // output of each convolution (count, large)
	dx   []T   // shaped like x
	d    [][]T // gradients of y, each for one picture at a time
	cols []T
}

func newCNNDecoding[T tensor.Float](d *cnnDecoder, count int) *cnnDecoding[T] {
	w := &cnnDecoding[T]{cnnDecoder: d, s: new(kernel.Scratch), x: make([]T, count*d.head.Out), dx: make([]T, count*d.head.Out)}
	room := 0
	for _, c := range d.convs {
		w.y = append(w.y, make([]T, count*c.large()))
		w.d = append(w.d, make([]T, c.large()))
		room = max(room, c.columns())
	}
	w.cols = make([]T, room)
	return w
}

// Decode implements Decoder.
func (w *cnnDecoding[T]) Decode(params, z []T, count int) []T {
	w.z = z
	nn.LinearForward(w.s, w.head, params, w.x, nil, z, count)
	x, last := w.x, len(w.convs)-1
	for i, c := range w.convs {
		for k := range count {
			up(w.s, c, params, w.y[i][k*c.large():][:c.large()], w.cols[:c.columns()], x[k*c.small():][:c.small()], i < last)
		}
		x = w.y[i]
	}
	x = x[:count*w.convs[last].large()]
	kernel.SigmoidTo(x, x)
	return x
}

// Backward implements Decoder.
func (w *cnnDecoding[T]) Backward(params, grads, dz, dy []T, count int) {
	last := len(w.convs) - 1
	for i, y := range w.y[last][:count*w.convs[last].large()] {
		dy[i] *= y * (1 - y)
	}
	for k := range count {
		d := dy[k*w.convs[last].large():]
		for i := last; i >= 0; i-- {
			c := w.convs[i]
			if i < last {
				kernel.ActivationGrad(d[:c.large()], d, w.y[i][k*c.large():], nil, kernel.ReLU)
			}
			x, to := w.x, w.dx
			if i > 0 {
				x, to = w.y[i-1], w.d[i-1]
			} else {
				to = to[k*c.small():]
			}
			upBackward(w.s, c, params, grads, to[:c.small()], d[:c.large()], w.cols[:c.columns()], x[k*c.small():][:c.small()])
			d = to
		}
	}
	nn.LinearBackward(w.s, w.head, params, grads, dz, w.dx, w.x, nil, w.z, count)
}
