package session_test

import "testing"

// mostAsked is the largest allowed number of allocations for a state. A value of the panel takes
// one or two allocations. Building a table for every value would take far more than mostAsked.
const mostAsked = 800

// TestStateAsksNothingTwice counts the allocations for the state of a lab that does no work.
// The number is the same on every machine.
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
