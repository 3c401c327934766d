package encoder

import (
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/encoder/deepset"
	"macroscope/model/setting"
)

// DeepSet is ẑ = ρ(mean φ(x)) (package deepset). Its Dim and ZDim come from a Shape.
type DeepSet struct {
	pooled
	deepset.Config
}

var _ Kind = (*DeepSet)(nil)

// Name implements Kind.
func (*DeepSet) Name() string { return "DeepSet" }

// Table implements Kind.
func (k *DeepSet) Table(s *Shape) setting.Table {
	return append(s.Table("encoder."), k.Config.Table()...)
}

// Validate implements Kind.
func (k *DeepSet) Validate(s Shape) error { return k.at(s).Validate() }

// at returns the settings of a DeepSet for sets of this shape.
func (k *DeepSet) at(s Shape) *deepset.Config {
	c := k.Config
	c.Dim, c.ZDim = s.Dim, s.ZDim
	return &c
}

// Room implements Kind. If φ is interpolated between nodes, the networks have an input row for each
// node, and every set stores one weight per node.
func (k *DeepSet) Room(s Shape, frames, row int) int {
	if k.Nodes > 0 {
		return k.Nodes * (row + frames*s.Sets)
	}
	return k.Unordered.Room(s, frames, row)
}

// New implements Kind.
func (k *DeepSet) New(l *tensor.Layout, s Shape) Net {
	return deepSetNet{deepset.New(*k.at(s), l, prefix)}
}

type deepSetNet struct{ of *deepset.DeepSet }

func (n deepSetNet) Float32() Maker[float32] { return deepSetMaker[float32](n.of) }
func (n deepSetNet) Float64() Maker[float64] { return deepSetMaker[float64](n.of) }

func deepSetMaker[T tensor.Float](net *deepset.DeepSet) Maker[T] {
	return Maker[T]{
		Init: func(params []T, r *rand.Rand) { deepset.Init(params, net, r) },
		Train: func(maxSets, maxPoints int) Encoder[T] {
			ws := deepset.NewWorkspace[T](net, maxSets, maxPoints)
			return &function[T]{
				func(params []T, in Batch[T]) []T { return deepset.Encode(net, ws, params, in.Points, in.Ends) },
				func(params, grads []T, in Batch[T], dz []T) {
					deepset.Backward(net, ws, params, grads, in.Points, in.Ends, dz)
				},
			}
		},
		Frozen: func(maxSets int) Encoder[T] {
			ws := deepset.NewWorkspace[T](net, maxSets, block)
			return &function[T]{encode: func(params []T, in Batch[T]) []T {
				return deepset.EncodeOnly(net, ws, params, in.Points, in.Ends)
			}}
		},
	}
}
