package session

import (
	"math"
	"testing"
)

// TestWidth checks which kernels the headline calls narrow or wide. A model that fits far better than a
// smooth copy has memorised the particles, so its KL does not come from spikes.
func TestWidth(t *testing.T) {
	for _, tc := range []struct {
		kl, smooth, blur float64
		narrow, wide     bool
	}{
		{1, 1, 0.1, true, false},
		{1, 1.4, 0.1, true, false},
		{1, 1.6, 0.1, false, false}, // memorised
		{0.02, 0.04, 0.5, false, false},
		{1, 0.7, 0.1, true, false},
		{1, 0.4, 0.1, false, false},
		{0.001, 0.005, 0.1, false, false},
		{0.04, 0.005, 0.5, false, true},
		{0.06, 0.005, 0.5, false, false},
		{math.NaN(), 1, 0.5, false, false},
	} {
		got := gap{KL: tc.kl, Smooth: tc.smooth}
		if got.judge(tc.blur); got.Narrow != tc.narrow || got.Wide != tc.wide {
			t.Errorf("KL %g, smooth %g, blur %g: narrow %t, wide %t", tc.kl, tc.smooth, tc.blur, got.Narrow, got.Wide)
		}
	}
}
