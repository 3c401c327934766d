package lab

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/ckpt"
)

// ParticlesScale brings coordinates to zero mean and unit variance, and the
// macroscopic variables to [-1, 1], each over the training set.
type ParticlesScale struct {
	Mean, Std    []float64 // of every coordinate (Dim)
	Low, High    []float64 // of z = [z̄, ẑ] (ZDim+1)
	forward, off []float32 // x ↦ x·forward + off, what Mean and Std come to
}

func newParticlesScale(dim, zdim int) ParticlesScale {
	s := ParticlesScale{
		Mean: make([]float64, dim), Std: make([]float64, dim), Low: make([]float64, zdim+1), High: make([]float64, zdim+1),
	}
	for i := range s.Std {
		s.Std[i] = 1
	}
	for i := range s.Low {
		s.Low[i], s.High[i] = -1, 1
	}
	s.prepare()
	return s
}

func (s *ParticlesScale) prepare() {
	s.forward, s.off = make([]float32, len(s.Std)), make([]float32, len(s.Std))
	for i, std := range s.Std {
		s.forward[i], s.off[i] = float32(1/std), float32(-s.Mean[i]/std)
	}
}

// clone returns a copy that shares nothing.
func (s *ParticlesScale) clone() ParticlesScale {
	c := ParticlesScale{slices.Clone(s.Mean), slices.Clone(s.Std), slices.Clone(s.Low), slices.Clone(s.High), nil, nil}
	c.prepare()
	return c
}

// standardise writes the standardised coordinates of frames (n, Dim) to dst.
func (s *ParticlesScale) standardise(dst, frames []float32) {
	d := len(s.forward)
	for i, a := range s.forward {
		b := s.off[i]
		for j := i; j < len(frames); j += d {
			dst[j] = frames[j]*a + b
		}
	}
}

// Macro returns the macroscopic variable i in [-1, 1], or beyond where it is
// outside of what the training set held.
func (s *ParticlesScale) Macro(i int, v float64) float64 {
	return 2*(v-s.Low[i])/(s.High[i]-s.Low[i]) - 1
}

// Unscaled is the inverse of Macro.
func (s *ParticlesScale) Unscaled(i int, v float64) float64 {
	return s.Low[i] + (v+1)/2*(s.High[i]-s.Low[i])
}

// tensors lists the scales as a checkpoint carries them.
func (s *ParticlesScale) tensors() []ckpt.Tensor {
	var ts []ckpt.Tensor
	for _, v := range s.parts() {
		ts = append(ts, ckpt.Tensor{Name: v.name, Shape: []int{len(v.values)}, F64: v.values})
	}
	return ts
}

type scalePart struct {
	name   string
	values []float64
}

func (s *ParticlesScale) parts() []scalePart {
	return []scalePart{{"scale.mean", s.Mean}, {"scale.std", s.Std}, {"scale.low", s.Low}, {"scale.high", s.High}}
}

// read takes the scales from a checkpoint.
func (s *ParticlesScale) read(f *ckpt.File) error {
	for _, v := range s.parts() {
		t := f.Tensor(v.name)
		if t == nil || len(t.F64) != len(v.values) {
			return fmt.Errorf("the checkpoint has no %s of %d numbers; choose one that was saved whole", v.name, len(v.values))
		}
		copy(v.values, t.F64)
	}
	for i, std := range s.Std {
		if !(std > 0) || math.IsInf(std, 0) || math.IsNaN(s.Mean[i]-s.Mean[i]) {
			return fmt.Errorf("the checkpoint standardises coordinate %d by mean %g and deviation %g, which cannot be done", i, s.Mean[i], std)
		}
	}
	for i, low := range s.Low {
		if width := s.High[i] - low; !(width > 0) || math.IsInf(width, 0) {
			return fmt.Errorf("the checkpoint scales variable %d from the range %g to %g, which cannot be done", i, low, s.High[i])
		}
	}
	s.prepare()
	return nil
}
