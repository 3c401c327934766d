package training

import "testing"

// TestSpan checks that the session writes durations like the page (span in assets/shell/format.js).
func TestSpan(t *testing.T) {
	for secs, want := range map[float64]string{0.2: "1 s", 59: "59 s", 59.5: "1:00 min", 73: "1:13 min", 3599.5: "1:00 h", 5 * 3600: "5:00 h"} {
		if got := span(secs); got != want {
			t.Errorf("%g seconds: %q, want %q", secs, got, want)
		}
	}
}
