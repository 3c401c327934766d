package main

import (
	"fmt"
	"testing"
)

// TestKnown places the values for which a model was trained on a slider, and says whether the slider's value is outside.
func TestKnown(t *testing.T) {
	var tests []nodeTest
	for _, tc := range []struct{ scale, rest, want string }{
		{"even(0, 10, 1)", "[2, 8], 5", "0.20 0.80 false"},
		{"even(0, 10, 1)", "[2, 8], 9", "0.20 0.80 true"},
		{"even(0, 10, 1)", "[2, 8], 1", "0.20 0.80 true"},
		{"powers(0.001, 1)", "[0.01, 0.1], 0.1", "0.33 0.67 false"},
		{"powers(0.001, 1)", "[0.01, 0.01], 0.0100000001", "0.33 0.33 false"},
		{"powers(0.001, 1)", "[0.01, 0.01], 0.011", "0.33 0.33 true"},
		{"among([1, 2, 4, 8])", "[1, 8], 2", "0.00 1.00 false"},
		{"among([1, 2, 4, 8, 16])", "[1, 8], 16", "0.00 0.75 true"},
	} {
		tests = append(tests, nodeTest{tc.scale + ", " + tc.rest, fmt.Sprintf(`
globalThis.matchMedia = () => ({ matches: false });
const { among, even, powers } = await import("./shell/scale.js");
const { known } = await import("./shell/slider.js");
const { from, to, outside } = known(%s, %s);
return [from.toFixed(2), to.toFixed(2), outside].join(" ");`, tc.scale, tc.rest), tc.want})
	}
	checkInNode(t, tests)
}
