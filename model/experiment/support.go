package experiment

import (
	"fmt"
	"math"

	"macroscope/model/ckpt"
)

// Margin is how far beyond the range of the training set, in [-1, 1], a variable
// counts as having left it: a hundredth of the range. Of 240 runs of the particles'
// test sets, with 50 to 400 particles, none came that far.
const Margin = 0.02

// Support is what the states of runs like those in training are, in [-1, 1]: their
// ranges, their Gaussian, and how far from its mean the outermost of them lies.
type Support struct {
	Low, High []float64 // (V)
	Mean      []float64 // (V)
	Factor    []float64 // (V, V): L of the covariance LLᵀ, lower-triangular
	Reach     float64   // the largest Distance of a state
}

// Distance returns the Mahalanobis distance |L⁻¹(z - Mean)| of a state (V).
func (s *Support) Distance(z []float32) float64 {
	var y [maxVariables]float64
	v, sum := len(s.Mean), 0.0
	for i := range v {
		y[i] = float64(z[i]) - s.Mean[i]
		for j := range i {
			y[i] -= s.Factor[i*v+j] * y[j]
		}
		y[i] /= s.Factor[i*v+i]
		sum += y[i] * y[i]
	}
	return math.Sqrt(sum)
}

// WholeState is the variable that Left returns where no single one has left.
const WholeState = -1

// Left says whether a state z (V) lies beyond what training covered, and which
// variable does: the first of those that move to be beyond its range by more than
// Margin or no number; or, where the model has a Support, of those that do not move
// to be beyond its range there by a hundredth of that; or WholeState where there is
// none, but the state is farther out than all of the Support.
func (m *Model) Left(z []float32) (variable int, left bool) {
	moving := m.Config.Moving()
	for i, x := range z[:moving] {
		if !(math.Abs(float64(x)) <= 1+Margin) { // also when NaN
			return i, true
		}
	}
	s := m.Support
	if s == nil {
		return WholeState, false
	}
	for i := moving; i < len(z); i++ {
		if out := math.Max(s.Low[i]-float64(z[i]), float64(z[i])-s.High[i]); !(out <= Margin/2*(s.High[i]-s.Low[i])) {
			return i, true
		}
	}
	return WholeState, !(s.Distance(z) <= s.Reach)
}

// Tensors of a Support in a checkpoint.
const (
	supportLow    = "support.low"
	supportHigh   = "support.high"
	supportMean   = "support.mean"
	supportFactor = "support.factor"
	supportReach  = "support.reach"
)

func (m *Model) supportTensors() []ckpt.Tensor {
	s := m.Support
	if s == nil {
		return nil
	}
	v := len(s.Mean)
	return []ckpt.Tensor{
		{Name: supportLow, Shape: []int{v}, F64: s.Low}, {Name: supportHigh, Shape: []int{v}, F64: s.High},
		{Name: supportMean, Shape: []int{v}, F64: s.Mean}, {Name: supportFactor, Shape: []int{v, v}, F64: s.Factor},
		{Name: supportReach, Shape: []int{1}, F64: []float64{s.Reach}},
	}
}

func (m *Model) readSupport(f *ckpt.File) error {
	if f.Tensor(supportMean) == nil {
		return nil
	}
	var s Support
	var reach []float64
	v := m.Config.States()
	for _, part := range []struct {
		name string
		to   *[]float64
		n    int
	}{{supportLow, &s.Low, v}, {supportHigh, &s.High, v}, {supportMean, &s.Mean, v}, {supportFactor, &s.Factor, v * v}, {supportReach, &reach, 1}} {
		t := f.Tensor(part.name)
		if t == nil || len(t.F64) != part.n {
			return fmt.Errorf("the checkpoint has no %s of %d numbers; choose one that was saved whole", part.name, part.n)
		}
		*part.to = t.F64
	}
	if s.Reach = reach[0]; !(s.Reach > 0) || math.IsInf(s.Reach, 1) {
		return fmt.Errorf("the checkpoint's %s is %g, and should be above 0; choose one that was saved whole", supportReach, s.Reach)
	}
	for i := range v {
		if !(s.Factor[i*v+i] > 0 && s.High[i] >= s.Low[i]) {
			return fmt.Errorf("the checkpoint's support has no spread in variable %d; choose one that was saved whole", i)
		}
	}
	m.Support = &s
	return nil
}
