package reproduce

import "testing"

// TestTimes checks that a factor near 1 is printed so that one can see whether it is above or
// below 1.
func TestTimes(t *testing.T) {
	for v, want := range map[float64]string{1.018: "1.02", 0.964: "0.964", 0.25: "0.25", 3.81: "3.8", 12.6: "13"} {
		if got := times(v); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
}
