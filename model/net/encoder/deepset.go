package encoder

import (
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/encoder/deepset"
	"macroscope/model/setting"
)

// DeepSet is ẑ = ρ(mean φ(x)), see package deepset. Its Dim and ZDim are those of a Shape.
type DeepSet struct {
	Unordered
	deepset.Config
}

var _ Kind = (*DeepSet)(nil)

// Name implements Kind.
func (*DeepSet) Name() string { return "DeepSet" }

// Table implements Kind.
func (k *DeepSet) Table(s *Shape) setting.Table {
	return append(s.Table("encoder."), k.Config.Table()...)
}

// New implements Kind.
func (k *DeepSet) New(l *tensor.Layout, s Shape) Makers {
	c := k.Config
	c.Dim, c.ZDim = s.Dim, s.ZDim
	net := deepset.New(c, l, prefix)
	return Makers{deepSetMaker[float32](net), deepSetMaker[float64](net)}
}

func deepSetMaker[T tensor.Float](net *deepset.DeepSet) Maker[T] {
	return Maker[T]{
		Init: func(params []T, r *rand.Rand) { deepset.Init(params, net, r) },
		Train: func(maxSets, maxPoints int) Encoder[T] {
			return &deepSet[T]{net, deepset.NewWorkspace[T](net, maxSets, maxPoints)}
		},
		Frozen: func(maxSets int) Encoder[T] {
			return Frozen(&deepSetOnly[T]{deepSet[T]{net, deepset.NewWorkspace[T](net, maxSets, block)}})
		},
	}
}

type deepSet[T tensor.Float] struct {
	net *deepset.DeepSet
	ws  *deepset.Workspace[T]
}

func (e *deepSet[T]) Encode(params []T, in Batch[T]) []T {
	return deepset.Encode(e.net, e.ws, params, in.Points, in.Ends)
}

func (e *deepSet[T]) Backward(params, grads []T, in Batch[T], dz []T) {
	deepset.Backward(e.net, e.ws, params, grads, in.Points, in.Ends, dz)
}

// deepSetOnly keeps no activations.
type deepSetOnly[T tensor.Float] struct{ deepSet[T] }

func (e *deepSetOnly[T]) Encode(params []T, in Batch[T]) []T {
	return deepset.EncodeOnly(e.net, e.ws, params, in.Points, in.Ends)
}
