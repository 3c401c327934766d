package session_test

import (
	"math"
	"strings"
	"testing"

	"macroscope/model/lab/session"
)

// TestWidthWords checks what the headline says about narrow and wide kernels. A model that fits
// far better than a smooth copy has memorised the particles, so its KL does not come from spikes.
func TestWidthWords(t *testing.T) {
	for _, tc := range []struct {
		kl, smooth, blur float64
		want             string
	}{
		{1, 1, 0.1, "nearly all of the KL"},
		{1, 1.4, 0.1, "nearly all of the KL"},
		{1, 1.6, 0.1, ""}, // memorised
		{0.02, 0.04, 0.5, ""},
		{1, 0.7, 0.1, "more than half of the KL"},
		{1, 0.4, 0.1, ""},
		{0.001, 0.005, 0.1, ""},
		{0.04, 0.005, 0.5, "ε is wide"},
		{0.06, 0.005, 0.5, ""},
		{math.NaN(), 1, 0.5, ""},
	} {
		if got := session.WidthWords(tc.kl, tc.smooth, tc.blur); !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("KL %g, smooth %g, blur %g: %q, want %q", tc.kl, tc.smooth, tc.blur, got, tc.want)
		}
	}
}
