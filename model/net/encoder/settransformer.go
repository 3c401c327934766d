package encoder

import (
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/attention"
	"macroscope/model/setting"
)

// SetTransformer is attention among particles (package attention). Its Dim and ZDim come from a
// Shape.
type SetTransformer struct {
	Unordered
	attention.Config
}

var _ Kind = (*SetTransformer)(nil)

// Name implements Kind.
func (*SetTransformer) Name() string { return "Set Transformer" }

// Table implements Kind.
func (k *SetTransformer) Table(s *Shape) setting.Table {
	return append(s.Table("encoder."), k.Config.Table()...)
}

// Validate implements Kind.
func (k *SetTransformer) Validate(s Shape) error { return k.at(s).Validate() }

func (k *SetTransformer) at(s Shape) attention.Config {
	c := k.Config
	c.Dim, c.ZDim = s.Dim, s.ZDim
	return c
}

// New implements Kind.
func (k *SetTransformer) New(l *tensor.Layout, s Shape) Net {
	net := attention.New(k.at(s), l, prefix)
	return setTransformerNet{net}
}

type setTransformerNet struct{ of *attention.SetTransformer }

func (n setTransformerNet) Float32() Maker[float32] { return setTransformerMaker[float32](n.of) }
func (n setTransformerNet) Float64() Maker[float64] { return setTransformerMaker[float64](n.of) }

func setTransformerMaker[T tensor.Float](net *attention.SetTransformer) Maker[T] {
	return Maker[T]{
		Init: func(params []T, r *rand.Rand) { attention.Init(params, net, r) },
		Train: func(maxSets, maxPoints int) Encoder[T] {
			ws := attention.NewWorkspace[T](net, maxSets, maxPoints)
			return &function[T]{
				func(params []T, in Batch[T]) []T { return attention.Encode(ws, params, in.Points, in.Ends) },
				func(params, grads []T, in Batch[T], dz []T) {
					attention.Backward(ws, params, grads, nil, in.Points, in.Ends, dz)
				},
			}
		},
		Frozen: func(maxSets int) Encoder[T] {
			ws := attention.NewFrozen[T](net, maxSets, block)
			return &function[T]{encode: func(params []T, in Batch[T]) []T {
				return attention.EncodeOnly(ws, params, in.Points, in.Ends)
			}}
		},
	}
}
