package measure

import (
	"slices"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
)

// TestGivenCodes checks that predictions of encoded trajectories begin with the trajectories and the frame that
// are asked for.
func TestGivenCodes(t *testing.T) {
	forEachDynamic(t, func(t *testing.T, c method.Config) { givenCodes(t, build(t, c)) })
	m, _ := withMemory(t, 4, 12)
	givenCodes(t, m)
}

func givenCodes(t *testing.T, m *model.Model) {
	c := &m.Config
	codes := &model.Codes{Trajectories: 5, Frames: 3 + c.Dynamics.Begin, Variables: c.States(), Validation: 2}
	for e := range codes.Trajectories {
		for k := range codes.Frames {
			codes.Z = append(codes.Z, slices.Repeat([]float32{float32(100*e + k)}, codes.Variables)...)
		}
	}
	g := GivenCodes(m, codes, 3, 2)
	each := func(values []float32, e int) []float32 { return values[e*len(values)/2 : (e+1)*len(values)/2] }
	for e, want := range []float32{300, 400} {
		truth, begin := want, want+float32(c.Dynamics.Begin)
		if c.Traits.Stochastic {
			truth = float32(m.Scale.Value(0, float64(want)))
		}
		if z := each(g.z0, e); len(z) != c.Data.Views*c.States() || slices.Min(z) != begin || slices.Max(z) != begin {
			t.Errorf("trajectory %d begins with %v, want %g", e, z, begin)
		}
		if x := each(g.truth, e); len(x) != codes.Frames*c.Variables || x[0] != truth {
			t.Errorf("the truth of trajectory %d is %v, want %g", e, x, truth)
		}
	}
}
