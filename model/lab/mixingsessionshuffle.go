package lab

import (
	"errors"
	"math"
)

// shuffle permutes the labels of the atoms and measures by how much ẑ changes:
// sums are taken in another order, so rounding is left.
func (s *MixingSession) shuffle() error {
	if !s.play.begun() {
		return errors.New("the atoms are still relaxing")
	}
	before := s.encodeByLabel()
	s.labels.shuffle(s.settings.Seed)
	s.settings.Colours = true
	s.dz = 0
	for i, z := range s.encodeByLabel() {
		s.dz = max(s.dz, math.Abs(float64(z-before[i])))
	}
	s.changed()
	return nil
}

// encodeByLabel returns ẑ of both species (2 ZDim) in [-1, 1] of the picture on
// show, with the atoms in the order of their labels; nil without a model.
func (s *MixingSession) encodeByLabel() (z []float32) {
	if s.a == nil {
		return nil
	}
	p := &s.play
	kinds := make([]uint8, len(p.kinds))
	for i, l := range s.labels.of {
		kinds[l] = p.kinds[i]
	}
	s.split.set(s.labels.arranged(p.x, s.labels.of), kinds)
	d := s.a.model.Config.Encoder.ZDim
	code := make([]float32, d)
	z = make([]float32, 2*d)
	for k, v := range s.a.species {
		v.encode(code, s.split.of(k))
		s.a.scaled(z[k*d:(k+1)*d], k, code)
	}
	return z
}
