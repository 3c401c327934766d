package model

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/file/ckpt"
)

// Scale maps coordinates and the variables of z to the units of the networks.
type Scale struct {
	Mean, Std    []float64 // mean and standard deviation of every coordinate (Dim)
	Low, High    []float64 // for every variable of z (V), the values that the scale maps to -1 and 1
	forward, off []float32 // x ↦ x·forward + off, computed from Mean and Std
}

// NewScale returns the scale that leaves data unchanged.
func NewScale(dim, states int) Scale {
	s := Scale{
		Mean: make([]float64, dim), Std: make([]float64, dim), Low: make([]float64, states), High: make([]float64, states),
	}
	for i := range s.Std {
		s.Std[i] = 1
	}
	for i := range s.Low {
		s.Low[i], s.High[i] = -1, 1
	}
	s.Prepare()
	return s
}

// Prepare computes the values that depend on Mean and Std. It must be called after a change of
// either.
func (s *Scale) Prepare() {
	s.forward, s.off = make([]float32, len(s.Std)), make([]float32, len(s.Std))
	for i, std := range s.Std {
		s.forward[i], s.off[i] = float32(1/std), float32(-s.Mean[i]/std)
	}
}

// Clone returns a copy that shares no memory with the original.
func (s *Scale) Clone() Scale {
	c := Scale{slices.Clone(s.Mean), slices.Clone(s.Std), slices.Clone(s.Low), slices.Clone(s.High), nil, nil}
	c.Prepare()
	return c
}

// Points writes the scaled coordinates of points (n, Dim) to dst, which may be the same
// slice.
func (s *Scale) Points(dst, points []float32) {
	d := len(s.forward)
	for i, a := range s.forward {
		b := s.off[i]
		for j := i; j < len(points); j += d {
			dst[j] = points[j]*a + b
		}
	}
}

// Stretch multiplies a coordinate of scaled points by a factor.
func (s *Scale) Stretch(points []float32, coordinate int, by float32) {
	off := s.off[coordinate]
	for j := coordinate; j < len(points); j += len(s.off) {
		points[j] = (points[j]-off)*by + off
	}
}

// State scales v, a value of variable i of z. The range in the training set becomes [-1, 1].
func (s *Scale) State(i int, v float64) float64 {
	return 2*(v-s.Low[i])/(s.High[i]-s.Low[i]) - 1
}

// Value is the inverse of State.
func (s *Scale) Value(i int, v float64) float64 {
	return s.Low[i] + (v+1)/2*(s.High[i]-s.Low[i])
}

// SetRange makes [low, high] the range of variable i of z in the training set. A variable that
// already has a similar range keeps the old range. Similar means: the new range is at least half as
// wide, and extends beyond each old end by at most an eighth of the old width. Trained dynamics
// need the range of their training: a slightly different range would multiply the error of the
// particles' dynamics by three.
func (s *Scale) SetRange(i int, low, high float64) {
	const most, least = 1.25, 1
	if s.Low[i] != -1 || s.High[i] != 1 { // the variable already has a range; initially Low is -1 and High 1
		if a, b := s.State(i, low), s.State(i, high); a >= -most && b <= most && b-a >= least {
			return
		}
	}
	s.Low[i], s.High[i] = low, high
}

type scalePart struct {
	name   string
	values []float64
}

func (s *Scale) parts() []scalePart {
	return []scalePart{{"scale.mean", s.Mean}, {"scale.std", s.Std}, {"scale.low", s.Low}, {"scale.high", s.High}}
}

// tensors lists the scales as tensors of a checkpoint.
func (s *Scale) tensors() []ckpt.Tensor {
	var ts []ckpt.Tensor
	for _, v := range s.parts() {
		ts = append(ts, ckpt.Tensor{Name: v.name, Shape: []int{len(v.values)}, F64: v.values})
	}
	return ts
}

// read reads the scales from a checkpoint.
func (s *Scale) read(f *ckpt.File) error {
	for _, v := range s.parts() {
		t := f.Tensor(v.name)
		if t == nil || len(t.F64) != len(v.values) {
			return fmt.Errorf("the checkpoint has no %s of %d numbers; choose one that was saved whole", v.name, len(v.values))
		}
		copy(v.values, t.F64)
	}
	for i, std := range s.Std {
		if !(std > 0) || math.IsInf(std, 0) || math.IsNaN(s.Mean[i]-s.Mean[i]) {
			return fmt.Errorf("the checkpoint scales coordinate %d by mean %g and deviation %g, which cannot be done", i, s.Mean[i], std)
		}
	}
	for i, low := range s.Low {
		if width := s.High[i] - low; !(width > 0) || math.IsInf(width, 0) {
			return fmt.Errorf("the checkpoint scales variable %d from the range %g to %g, which cannot be done", i, low, s.High[i])
		}
	}
	s.Prepare()
	return nil
}

// Unit returns the value of measure.Prediction.Unit: half the range of the first macroscopic
// variable in training, or 1.
func (m *Model) Unit() float64 {
	if m.Config.Traits.Ranged {
		return (m.Scale.High[0] - m.Scale.Low[0]) / 2
	}
	return 1
}

// TruthOf writes macroscopic variables (T, M) to dst in the units of a measure.Prediction.
func (m *Model) TruthOf(dst []float32, macro []float64) {
	n := m.Config.Variables
	for i, v := range macro {
		if !m.Config.Traits.Stochastic {
			v = m.Scale.State(i%n, v)
		}
		dst[i] = float32(v)
	}
}
