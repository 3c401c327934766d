// Package optim holds an optimiser and its learning rate schedule. Adam has decoupled weight
// decay (Kingma and Ba, 2015; Loshchilov and Hutter, 2019). It can update matrices in rotated
// coordinates (SOAP: Vyas et al., 2024). The schedule is the one-cycle policy (Smith and Topin,
// 2019).
package optim

import (
	"fmt"
	"math"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// Config holds Adam's constants.
type Config struct {
	Beta1, Beta2, Epsilon, WeightDecay float64
}

// Default returns the constants of PyTorch's Adam.
func Default() Config { return Config{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8} }

// Adam is the optimiser's state: the number of steps taken, two moments for every parameter,
// and the coordinate systems in which SOAP updates matrices. It is not safe for concurrent use.
type Adam[T tensor.Float] struct {
	Config
	M, V      []T
	Rotations []T // the bases of all rotated matrices, laid out by RotationLayout
	Step      int

	rotated *rotations[T]
}

// NewAdam returns the state before the first step for n parameters. Updates of the given
// matrices are made in rotated coordinates. The matrices must be in the order of their offsets.
func NewAdam[T tensor.Float](c Config, n int, matrices ...tensor.Param) *Adam[T] {
	a := &Adam[T]{Config: c, M: make([]T, n), V: make([]T, n), Rotations: make([]T, RotationLayout(matrices).Size())}
	a.rotated = newRotations(matrices, a.Rotations)
	return a
}

// Update changes params by one step, given their gradients and the learning rate.
func (a *Adam[T]) Update(params, grads []T, rate float64) {
	a.Step++
	h := kernel.AdamStep{
		Rate: rate, Beta1: a.Beta1, Beta2: a.Beta2, Epsilon: a.Epsilon, WeightDecay: a.WeightDecay, Step: a.Step,
	}
	begin := 0
	for i := range a.rotated.each {
		r := &a.rotated.each[i]
		p := r.of
		kernel.Adam(params[begin:p.Offset], grads[begin:p.Offset], a.M[begin:p.Offset], a.V[begin:p.Offset], h)
		a.rotated.update(r, tensor.Of(params, p), tensor.Of(grads, p), tensor.Of(a.M, p), tensor.Of(a.V, p), h)
		begin = p.Offset + p.Len()
	}
	kernel.Adam(params[begin:], grads[begin:], a.M[begin:], a.V[begin:], h)
}

// OneCycle is a learning rate schedule. The rate rises along a half cosine from Peak/StartDiv
// to Peak over the first WarmUp·Steps steps. It then falls along another half cosine to
// Peak/EndDiv.
type OneCycle struct {
	Peak             float64
	Steps            int
	WarmUp           float64 // share of all steps, in (0, 1)
	StartDiv, EndDiv float64
}

// Validate returns an error that says why the schedule is invalid.
func (c OneCycle) Validate() error {
	switch {
	case !(c.Peak > 0 && c.Peak <= 1):
		return fmt.Errorf("optim: peak learning rate %g; use a number above 0 and at most 1", c.Peak)
	case c.Steps < 1:
		return fmt.Errorf("optim: %d steps; use at least 1", c.Steps)
	case !(c.WarmUp > 0 && c.WarmUp < 1):
		return fmt.Errorf("optim: warm-up share %g; use a number between 0 and 1", c.WarmUp)
	case !(c.StartDiv >= 1 && c.EndDiv >= 1):
		return fmt.Errorf("optim: divisors %g and %g; use numbers of at least 1", c.StartDiv, c.EndDiv)
	}
	return nil
}

// Rate returns the learning rate of a step, counted from 0. After the last step it
// stays constant.
func (c OneCycle) Rate(step int) float64 {
	low, end := c.Peak/c.StartDiv, c.Peak/c.EndDiv
	x := float64(step) / float64(max(c.Steps-1, 1))
	if x < c.WarmUp {
		return halfCosine(low, c.Peak, x/c.WarmUp)
	}
	return halfCosine(c.Peak, end, min(1, (x-c.WarmUp)/(1-c.WarmUp)))
}

// halfCosine goes from a at x = 0 to b at x = 1.
func halfCosine(a, b, x float64) float64 { return b + (a-b)*(1+math.Cos(math.Pi*x))/2 }
