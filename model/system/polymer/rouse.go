package polymer

import (
	"fmt"
	"math"

	"macroscope/model/system"
)

// rouseModes is the number of measured Rouse modes. They are the slowest modes along the flow.
const rouseModes = 2

var _ system.Probed = System{}

// Quantities implements system.Probed: the first Rouse modes along the flow,
//
//	X_p = 1/N Σ_i x_i cos(pπ(i+½)/N).
//
// X_1 measures the distance between the two ends. X_2 measures the distance of the middle from
// the ends, which is large in a hairpin.
func (System) Quantities() (names []string) {
	for p := range rouseModes {
		names = append(names, fmt.Sprint("X_", p+1))
	}
	return names
}

// Quantify implements system.Probed.
func (System) Quantify(dst []float64, t *system.Trajectory, k int) {
	beads := beadsOf(t, k)
	n := float64(len(beads) / dim)
	for p := range dst {
		dst[p] = 0
		for i := 0; i < len(beads); i += dim {
			dst[p] += float64(beads[i]) * math.Cos(float64(p+1)*math.Pi*(float64(i/dim)+0.5)/n) / n
		}
	}
}
