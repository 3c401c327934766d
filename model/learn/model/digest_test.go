package model

import (
	"strings"
	"testing"

	"macroscope/model/system"
	"macroscope/model/work"
)

// rawOwn has the user's trajectories in memory.
type rawOwn struct {
	own
	of []system.Trajectory
}

func (o rawOwn) Raw(t *system.Trajectory, i int) error {
	*t = *o.of[i].Clone()
	return nil
}

// TestDigestOf changes trajectories in one way at a time. The digest must change: its first part if the
// particles or the parameters have changed, its second part if the macroscopic variables have.
func TestDigestOf(t *testing.T) {
	c := tiny(t, "mixing/flow")
	digest := func(change func(of []system.Trajectory)) (points, macro string) {
		r := record(&c, 1, 3, 4, 5)
		change(r.of)
		d, err := DigestOf(work.Until(t.Context()), rawOwn{own{shape: r.shape}, r.of})
		if err != nil {
			t.Fatal(err)
		}
		points, macro, _ = strings.Cut(string(d), ".")
		return points, macro
	}
	points, macro := digest(func([]system.Trajectory) {})
	for _, tc := range []struct {
		name          string
		points, macro bool
		change        func(of []system.Trajectory)
	}{
		{"nothing", false, false, func([]system.Trajectory) {}},
		{"the order of trajectories", true, true, func(of []system.Trajectory) { of[0], of[2] = of[2], of[0] }},
		{"the order of coordinates", true, false, func(of []system.Trajectory) { p := of[1].Points; p[0], p[1] = p[1], p[0] }},
		{"the last coordinate", true, false, func(of []system.Trajectory) { p := of[2].Points; p[len(p)-1]++ }},
		{"a species", true, false, func(of []system.Trajectory) { s := of[1].Species; s[4] = 3 - s[4] }},
		{"a parameter", true, false, func(of []system.Trajectory) { of[2].Params = []float64{1} }},
		{"the last macroscopic variable", false, true, func(of []system.Trajectory) { m := of[2].Macro; m[len(m)-1]++ }},
	} {
		if p, m := digest(tc.change); (p != points) != tc.points || (m != macro) != tc.macro {
			t.Errorf("a change of %s: first part changed %t, want %t; second part changed %t, want %t", tc.name, p != points, tc.points, m != macro, tc.macro)
		}
	}
}
