package view

import (
	"math"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system/polymer"
)

// TestThrown compares a density that is projected by random draws with its integral over the
// third coordinate. The share of the density that lies in the left half of the plane must be the
// same in both, and so must the share in the right half.
func TestThrown(t *testing.T) {
	c, err := method.Systems{polymer.System()}.Preset("polymer/flow@browser")
	if err != nil {
		t.Fatal(err)
	}
	m := model.New(c, polymer.System())
	v := NewDensity(m)
	w := Window{Lo: [2]float64{-6, -6}, Hi: [2]float64{6, 6}}
	z := make([]float32, c.ZDim())
	z[0], z[1] = 0.3, -0.2
	v.Aim(w, z)
	if v.Sketch(0); v.Blank || v.Whole {
		t.Fatalf("a sketch is blank: %v, the finest: %v", v.Blank, v.Whole)
	}
	for !v.Evaluate() {
	}
	nx, ny := w.Grid(3)
	cell := 12.0 / float64(nx) * 12 / float64(ny)
	const side = 24 // number of points of the quadrature along each axis
	step := 12.0 / side
	x := make([]float32, 3*side)
	logp := make([]float32, side)
	density := m.Density(side)
	var drawn, exact [2]float64 // shares of the left and the right half
	for i := range side {
		for j := range side {
			for k := range side {
				at := func(n int) float32 { return float32(-6 + (float64(n)+0.5)*step) }
				x[3*k], x[3*k+1], x[3*k+2] = at(i), at(j), at(k)
			}
			density.LogProb(logp, v.params(), x, z)
			for _, l := range logp {
				exact[2*i/side] += math.Exp(float64(l)) * step * step * step
			}
		}
	}
	for i, p := range v.P {
		drawn[2*(i%nx)/nx] += float64(p) * cell
	}
	for half := range drawn {
		// With 7168 draws the share of a half has a standard deviation of at most 0.006. The
		// tolerance is six standard deviations, plus 1 % for the quadrature and for the blur
		// across the middle.
		if math.Abs(drawn[half]-exact[half]) > 0.046 {
			t.Errorf("half %d: %g of the draws, %g of the density", half, drawn[half], exact[half])
		}
	}
	if n := testing.AllocsPerRun(5, func() { v.Stale = true; v.Aim(w, z); v.Sketch(1); v.Evaluate() }); n != 0 {
		t.Errorf("%v allocations a part", n)
	}
}
