package session_test

import "testing"

// TestExpectationWithoutCodes checks that the announced duration of Train rises much when ε
// has no codes, since the autoencoder must then be trained too.
func TestExpectationWithoutCodes(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds, the same on every kernel")
	}
	v := visit(t, "mixing")
	v.settle()
	v.measure()
	coded := v.takes()
	v.set("eps", "0.05")
	v.fetch()
	v.settle()
	if secs := v.takes(); secs > 0 {
		t.Errorf("stage I is to take %g s, before it has been tried", secs)
	}
	v.measure()
	if whole := v.takes(); !(coded > 0 && whole > 5*coded) {
		t.Errorf("on codes it is to take %g s, and with stage I %g s", coded, whole)
	}
}
