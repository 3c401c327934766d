package session_test

import "testing"

// TestExpectationWithoutCodes checks that Train announces a much longer duration once there
// are no codes for ε, so that the autoencoder must be trained as well.
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
