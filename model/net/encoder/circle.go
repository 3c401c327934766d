package encoder

import (
	"slices"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
)

// New adds the parameters of an encoder to the layout. The settings must be valid. An encoder sees a
// coordinate on a circle as its cosine and its sine, so images of a particle have the same ẑ.
func New(k Kind, l *tensor.Layout, s Shape) Net {
	if s.Circles == 0 {
		return k.New(l, s)
	}
	seen := s
	seen.Dim, seen.Circles = s.Circles.Width(s.Dim), 0
	return seeingNet{k.New(l, seen), s}
}

// seeingNet passes to a net what it sees of the points of a shape.
type seeingNet struct {
	Net
	shape Shape
}

// unseeing returns the net to which n passes what it sees.
func unseeing(n Net) Net {
	if s, ok := n.(seeingNet); ok {
		return s.Net
	}
	return n
}

func (n seeingNet) Float32() Maker[float32] { return seeingMaker(n.Net.Float32(), n.shape) }
func (n seeingNet) Float64() Maker[float64] { return seeingMaker(n.Net.Float64(), n.shape) }

func seeingMaker[T tensor.Float](m Maker[T], s Shape) Maker[T] {
	return Maker[T]{
		Init: m.Init,
		Train: func(maxSets, maxPoints int) Encoder[T] {
			return &seeing[T]{of: m.Train(maxSets, maxPoints), circles: s.Circles, dim: s.Dim}
		},
		Frozen: func(maxSets int) Encoder[T] {
			return &seeing[T]{of: m.Frozen(maxSets), circles: s.Circles, dim: s.Dim}
		},
	}
}

// seeing implements Encoder. After the first batch it allocates nothing for batches of the same size.
type seeing[T tensor.Float] struct {
	of      Encoder[T]
	circles circle.Set
	dim     int
	seen    []T // what the encoder sees of the last batch
}

// Encode implements Encoder.
func (e *seeing[T]) Encode(params []T, in Batch[T]) []T {
	n := len(in.Points) / e.dim * e.circles.Width(e.dim)
	e.seen = circle.See(e.circles, slices.Grow(e.seen[:0], n)[:n], in.Points, e.dim)
	return e.of.Encode(params, Batch[T]{e.seen, in.Ends})
}

// Backward implements Encoder.
func (e *seeing[T]) Backward(params, grads []T, in Batch[T], dz []T) {
	e.of.Backward(params, grads, Batch[T]{e.seen, in.Ends}, dz)
}
