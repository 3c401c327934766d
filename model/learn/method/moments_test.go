package method

import (
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/encoder"
	"macroscope/model/setting"
)

// This file is a complete method, except for the line in methods_test.go that lists its encoder. The
// texts would be in methods.txt and presets.txt.

// momentsMethod learns ẑ from the means and variances of the coordinates.
const momentsMethod = `

[moments]
title    moments and flow
text     An MLP of the means and variances of the coordinates, and a normalizing flow.
encoder  moments
decoder  flow
presets  line       browser laptop paper
presets  particles  quick browser laptop paper
presets  mixing     browser laptop paper
`

const momentsPresets = `

[*/moments]
moments.hidden=7
`

// moments contains the encoder's settings.
type moments struct {
	encoder.Unordered
	Hidden []int
}

func (*moments) Name() string { return "moments" }

func (k *moments) Table(s *encoder.Shape) setting.Table {
	return append(s.Table("encoder."), setting.Field{Name: "moments.hidden", Value: &k.Hidden, Low: 1, High: 256, Least: 1, Most: 4})
}

func (*moments) Room(s encoder.Shape, frames, row int) int { return frames * s.Sets * row }

func (k *moments) New(l *tensor.Layout, s encoder.Shape) encoder.Net {
	widths := append(append([]int{2 * s.Dim}, k.Hidden...), s.ZDim)
	return momentsNet{s.Dim, nn.NewMLP(l, "encoder", widths, kernel.Tanh, kernel.Identity)}
}

type momentsNet struct {
	dim int
	mlp *nn.MLP
}

func (n momentsNet) Float32() encoder.Maker[float32] { return momentsMaker[float32](n.dim, n.mlp) }

func (n momentsNet) Float64() encoder.Maker[float64] { return momentsMaker[float64](n.dim, n.mlp) }

func momentsMaker[T tensor.Float](dim int, mlp *nn.MLP) encoder.Maker[T] {
	train := func(maxSets, _ int) encoder.Encoder[T] {
		return &momentsEncoder[T]{dim, mlp, nn.NewMLPWorkspace[T](mlp, maxSets), make([]T, maxSets*2*dim)}
	}
	return encoder.Maker[T]{
		Init:   func(params []T, r *rand.Rand) { nn.InitMLP(params, mlp, r) },
		Train:  train,
		Frozen: func(maxSets int) encoder.Encoder[T] { return encoder.Frozen(train(maxSets, 0)) },
	}
}

type momentsEncoder[T tensor.Float] struct {
	dim int
	mlp *nn.MLP
	ws  *nn.MLPWorkspace[T]
	x   []T // means and variances (sets, 2, Dim)
}

func (e *momentsEncoder[T]) Encode(params []T, in encoder.Batch[T]) []T {
	begin := 0
	for s, end := range in.Ends {
		n := T(end - begin)
		for d := range e.dim {
			var mean, square T
			for i := begin; i < end; i++ {
				v := in.Points[i*e.dim+d]
				mean += v / n
				square += v * v / n
			}
			e.x[2*s*e.dim+d], e.x[(2*s+1)*e.dim+d] = mean, square-mean*mean
		}
		begin = end
	}
	return nn.Forward(e.mlp, e.ws, params, e.x[:len(in.Ends)*2*e.dim], len(in.Ends))
}

func (e *momentsEncoder[T]) Backward(params, grads []T, in encoder.Batch[T], dz []T) {
	nn.Backward(e.mlp, e.ws, params, grads, e.x[:len(in.Ends)*2*e.dim], nil, dz, len(in.Ends))
}
