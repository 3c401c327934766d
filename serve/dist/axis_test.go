package main

import (
	"fmt"
	"testing"
)

// TestAxes checks the axes of a sweep with values that have no logarithm: a field with the
// value 0, or a KL with an estimate below 0.
func TestAxes(t *testing.T) {
	var tests []nodeTest
	for _, tc := range []struct{ values, rest, want string }{
		{"[0.01, 0.1, 1]", "0, 100, true", "0.01 0.03 0.1 0.3 1; 5 95"},
		{"[0, 0.02, 0.2]", "0, 100, true", "0.02 0.05 0.1 0.2; 5 95"},
		{"[-0.001, 0.1]", "100, 0, true", "0.1 0.2; 50 50"},
		{"[0, -1]", "0, 100, true", "; 95 5"},
		{"[0, 0.02, 0.2]", "0, 100, false", "; 5 95"},
		{"[]", "0, 100, true", "; NaN NaN"},
	} {
		tests = append(tests, nodeTest{tc.values + ", " + tc.rest, fmt.Sprintf(`
const { axis } = await import("./shell/axis.js");
const v = %s;
const { at, ticks } = axis(v, %s);
return [ticks.join(" "), [v[0], v.at(-1)].map((x) => Math.round(at(x))).join(" ")].join("; ");`, tc.values, tc.rest), tc.want})
	}
	checkInNode(t, tests)
}
