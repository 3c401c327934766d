package measure

import (
	"slices"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
)

// TestGivenCodes checks that predictions of encoded trajectories begin with those that are asked for.
func TestGivenCodes(t *testing.T) {
	forEachDynamic(t, func(t *testing.T, c method.Config) {
		m := build(t, c)
		codes := &model.Codes{Trajectories: 5, Frames: 3 + c.Dynamics.Begin, Variables: c.States(), Validation: 2}
		for e := range codes.Trajectories {
			codes.Z = append(codes.Z, slices.Repeat([]float32{float32(e)}, codes.Frames*codes.Variables)...)
		}
		g := GivenCodes(m, codes, 3, 2)
		each := func(values []float32, e int) []float32 { return values[e*len(values)/2 : (e+1)*len(values)/2] }
		for e, want := range []float32{3, 4} {
			truth := want
			if c.Traits.Stochastic {
				truth = float32(m.Scale.Value(0, float64(want)))
			}
			if z := each(g.z0, e); len(z) != c.Views*c.States() || slices.Min(z) != want || slices.Max(z) != want {
				t.Errorf("trajectory %d begins with %v, want %g", e, z, want)
			}
			if x := each(g.truth, e); len(x) != codes.Frames*c.Variables || x[0] != truth {
				t.Errorf("the truth of trajectory %d is %v, want %g", e, x, truth)
			}
		}
	})
}
