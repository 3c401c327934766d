package lab

import (
	"math"
	"testing"
)

// TestDiffusionSpreadsAsTheory measures the mean square displacement of one
// time. Each particle's is exponentially distributed, so that the mean of N
// scatters by 1/√N; five of those, that is 0.25, are never seen.
func TestDiffusionSpreadsAsTheory(t *testing.T) {
	for _, d := range []float64{0.01, 1, 10} {
		s := newDiffusion(d)
		for range 300 {
			s.advance()
		}
		got, want := float64(s.msd[300]), 4*d*diffusionDt*300
		if math.Abs(got/want-1) > 5/math.Sqrt(diffusionCount) {
			t.Errorf("D = %g: mean square displacement %g, want %g", d, got, want)
		}
	}
}
