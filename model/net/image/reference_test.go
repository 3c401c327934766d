package image_test

import (
	"testing"

	"macroscope/serve/verify"
)

// TestReference recomputes the cases in testdata, which were computed by other programs.
func TestReference(t *testing.T) {
	if err := verify.Dir(t.Context(), "testdata", t.Output()); err != nil {
		t.Error(err)
	}
}
