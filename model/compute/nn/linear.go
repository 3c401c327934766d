package nn

import (
	"math"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// Linear is y = act(x·Wᵀ + b) for x (rows, In), y (rows, Out).
type Linear struct {
	In, Out int
	Act     kernel.Activation
	W, B    tensor.Param // (Out, In), (Out)
}

// NewLinear adds name.weight and name.bias to the layout.
func NewLinear(l *tensor.Layout, name string, in, out int, act kernel.Activation) *Linear {
	return &Linear{
		In: in, Out: out, Act: act,
		W: l.Add(name+".weight", out, in),
		B: l.Add(name+".bias", out),
	}
}

// InitLinear draws weights and biases uniformly from [-1/√In, 1/√In], PyTorch's default.
func InitLinear[T tensor.Float](params []T, l *Linear, rng *rand.Rand) {
	bound := 1 / math.Sqrt(float64(l.In))
	for _, p := range [...]tensor.Param{l.W, l.B} {
		w := tensor.Of(params, p)
		for i := range w {
			w[i] = T((2*rng.Float64() - 1) * bound)
		}
	}
}

// LinearForward writes act(x·Wᵀ + b) to y (rows, Out). SiLU also writes its slopes to slope
// (rows, Out), for LinearBackward; for other activations slope may be nil.
func LinearForward[T tensor.Float](s *kernel.Scratch, l *Linear, params, y, slope, x []T, rows int) {
	kernel.Affine(s, y, slope, x, tensor.Of(params, l.W), tensor.Of(params, l.B), rows, l.In, l.Out, l.Act)
}

// LinearBackward overwrites dy (rows, Out), the gradient of y, with the gradient of the
// pre-activations. It adds the gradients of W and b to grads. It writes the gradient of x to dx
// (rows, In), unless dx is nil.
func LinearBackward[T tensor.Float](s *kernel.Scratch, l *Linear, params, grads, dx, dy, y, slope, x []T, rows int) {
	dy = dy[:rows*l.Out]
	kernel.ActivationGrad(dy, dy, y, slope, l.Act)
	kernel.GemmTN(s, tensor.Of(grads, l.W), dy, x, l.Out, l.In, rows, true)
	kernel.ColSum(tensor.Of(grads, l.B), dy, rows, l.Out)
	if dx != nil {
		kernel.GemmNN(s, dx, dy, tensor.Of(params, l.W), rows, l.In, l.Out, false)
	}
}
