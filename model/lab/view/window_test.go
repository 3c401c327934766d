package view

import (
	"math"
	"testing"

	"macroscope/sim/rng"
)

// TestRepeats draws targets of sets with 2 to 6 coordinates in a window that is one period of two of them. Whatever two, the
// whole density lies in the window, and it does not change if the window begins elsewhere and the particles are shifted
// with it by periods.
func TestRepeats(t *testing.T) {
	src := rng.New(1, "periodic target")
	for dim := 2; dim <= 6; dim++ {
		axes := [2]int{dim - 1, 0}
		set := make([]float32, 40*dim)
		for i := range set {
			set[i] = float32(3 * src.Float64())
		}
		var sigma [maxDim]float64
		for k := range sigma {
			sigma[k] = 0.2
		}
		of := NewTarget(dim, nil)
		w := Window{Hi: [2]float64{3, 3}, Axes: axes, Repeats: [2]bool{true, true}}
		of.Take(set, sigma, w)
		nx, ny := w.Grid(dim)
		sum := 0.0
		for _, q := range of.Q[:nx*ny] {
			sum += float64(q) * 9 / float64(nx*ny)
		}
		if math.Abs(sum-1) > 1e-4 {
			t.Errorf("%d coordinates: the density in one period is %g", dim, sum)
		}
		first := append([]float32(nil), of.Q...)
		for i := 0; i < len(set); i += dim {
			set[i+axes[1]] += float32(3 * (i % 3))
		}
		of.Take(set, sigma, w)
		for i, q := range of.Q {
			if math.Abs(float64(q-first[i])) > 1e-4 {
				t.Fatalf("%d coordinates: cell %d is %g, and %g with particles shifted by periods", dim, i, q, first[i])
			}
		}
	}
}
