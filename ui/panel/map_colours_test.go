package panel

import (
	"math"
	"testing"

	"macroscope/ui/plot"
)

// TestScaleBeginsRight loads a lab that displays nothing at first, then a target of spikes,
// then a learned density. The learned density must have the right colours at once. Later
// changes glide.
func TestScaleBeginsRight(t *testing.T) {
	s := new(Scale)
	rect := plot.Rect{W: 100, H: 100}
	target, learned := &Map{Scale: s, Base: Base{At: rect}}, &Map{Scale: s, Base: Base{At: rect}, Fit: &Fit{}}
	ease := func() bool {
		s.Look(nil, []Panel{target, learned})
		return s.Ease(0.016, 0.12)
	}
	spiky, smooth := make([]float32, 400), make([]float32, 400)
	for i := range smooth {
		smooth[i] = 0.004
		if i%50 == 0 {
			spiky[i] = 1
		}
	}
	density := func(cells []float32) *Value {
		v := new(Value)
		v.measure(cells)
		return v
	}
	if ease() {
		t.Error("the scale of nothing moves")
	}
	target.grid = density(spiky)
	if ease(); s.top.V == 1 {
		t.Error("a target has the scale of nothing")
	}
	learned.grid = density(smooth)
	if moving := ease(); moving || s.top.V > 2*0.004 {
		t.Errorf("the scale of the first learned density is %g, moving: %v", s.top.V, moving)
	}
	for i := range smooth {
		smooth[i] = 0.04
	}
	before := s.top.V
	learned.grid = density(smooth)
	if !ease() || s.top.V <= before || math.Abs(s.top.V-10*before) < before {
		t.Errorf("the scale jumps from %g to %g", before, s.top.V)
	}
}
