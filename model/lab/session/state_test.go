package session_test

import "testing"

// mostAsked bounds what is allocated for a state. Each value of a panel is a text or two, so
// that a table made anew for each of them, as they once were, is many times that.
const mostAsked = 800

// TestStateAsksNothingTwice counts what a state of a lab at rest allocates, which is the same
// on every machine.
func TestStateAsksNothingTwice(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		v.settle()
		n := testing.AllocsPerRun(10, func() { v.State() })
		t.Logf("%g allocations", n)
		if n > mostAsked {
			t.Errorf("a state allocates %g times, want at most %d", n, mostAsked)
		}
	})
}
