package view_test

import (
	"math"
	"testing"

	"macroscope/model/lab/view"
	"macroscope/model/net/target"
	"macroscope/model/system"
	"macroscope/sim/rng"
)

// TestKLOnALine compares the KL of a density on a line with the sum over a fine grid. A KL of 0.002
// nats is visible in the picture. Random points missed it, and then the page called it 0.
func TestKLOnALine(t *testing.T) {
	const grid, low, high = 8192, -16.0, 16.0
	m := shipped(t, "line-flow-st")
	d, of := view.NewDensity(m), view.NewTarget(1, nil)
	coder := m.NewCoder()
	set, z := make([]float32, m.Config.Particles), make([]float32, m.Config.ZDim())
	fine := m.Density(grid)
	x, x32 := make([]float64, grid), make([]float32, grid)
	for i := range x {
		x[i] = low + (high-low)*(float64(i)+0.5)/grid
		x32[i] = float32(x[i])
	}
	logq, logp := make([]float64, grid), make([]float32, grid)
	_, dec := m.Weights.Split(m.Weights.Params)
	worst := 0.0
	for i := range 20 {
		m.System.Validation(set, rng.New(1, m.Config.Traits.Streams.Sets), 1, i)
		coder.Encode(z, &system.Frame{Points: set, Ends: []int{len(set)}})
		of.Take(set, view.Sigma(m, m.Config.Eps()), view.Window{Lo: [2]float64{-1, -1}, Hi: [2]float64{1, 1}})
		target.LogDensity(logq, x, set, 1, m.Config.Eps())
		fine.LogProb(logp, dec, x32, z)
		want := 0.0
		for k, q := range logq {
			if p := math.Exp(q); p > 0 {
				want += p * (q - float64(logp[k])) * (high - low) / grid
			}
		}
		worst = max(worst, math.Abs(d.KL(of, z)-want))
	}
	if !(worst < 2e-5) {
		t.Errorf("the KL is off by up to %.2g nats", worst)
	}
}
