package polymer

import (
	"math"

	"macroscope/model/system"
)

// quantities names the first Rouse modes along the flow, which are the slowest ones:
//
//	X_p = 1/N Σ_i x_i cos(pπ(i+½)/N).
//
// X_1 measures the distance between the two ends. X_2 measures the distance of the middle from
// the ends, which is large in a hairpin.
var quantities = []string{"X_1", "X_2"}

// quantify writes the quantities of frame k.
func quantify(dst []float64, t *system.Trajectory, k int) {
	beads := beadsOf(t, k)
	n := float64(len(beads) / dim)
	for p := range dst {
		dst[p] = 0
		for i := 0; i < len(beads); i += dim {
			dst[p] += float64(beads[i]) * math.Cos(float64(p+1)*math.Pi*(float64(i/dim)+0.5)/n) / n
		}
	}
}
