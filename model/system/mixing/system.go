package mixing

import (
	"fmt"
	"math"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/sim/lj"
)

// System is the system of binary mixing.
type System struct{}

var _ system.System = System{}

// dim is the number of coordinates of an atom, variables the number of macroscopic variables.
const dim, variables = 2, 2

// Traits implements system.System.
func (System) Traits() system.Traits {
	return system.Traits{
		Name: "mixing", Title: "Binary mixing", Dim: dim, Sets: []string{"A", "B"}, Scaling: system.Span,
		// Two frames are 0.01 apart in the time of the paper's dynamics, and 0.4 in the time of
		// the molecular dynamics.
		Dt: 0.01, Interval: lj.Default().Dt * float64(lj.Default().Every), Stochastic: true, Parameters: parameters,
		Streams: system.Streams{
			Weights: "mixing weights", Sets: "mixing frames", Steps: "mixing stretches", Rollouts: "mixing rollouts",
		},
	}
}

// parameters are the temperature and the well depths of the pair table.
var parameters = system.ParametersOf(ownTable(),
	system.Parameter{Name: "temperature", Symbol: "T", From: 0.7, To: 1.5},
	system.Parameter{Name: "e12", Symbol: "ε_LJ of A with B", From: 0.3, To: 1},
	system.Parameter{Name: "e11", Symbol: "ε_LJ of A with A", From: 0.3, To: 0.8},
	system.Parameter{Name: "e22", Symbol: "ε_LJ of B with B", From: 0.4, To: 0.9},
)

func ownTable() setting.Table {
	s := defaults()
	return s.table()
}

// assign sets the parameters (P) of a trajectory in a simulation's configuration. If params is
// empty, it changes nothing.
func assign(c *lj.Config, params []float64) {
	if len(params) > 0 {
		c.Temperature, c.AB.Epsilon, c.AA.Epsilon, c.BB.Epsilon = params[0], params[1], params[2], params[3]
	}
}

// assigned returns the parameters (P) in a simulation's configuration.
func assigned(c *lj.Config) []float64 {
	return []float64{c.Temperature, c.AB.Epsilon, c.AA.Epsilon, c.BB.Epsilon}
}

// Variables implements system.System. The mixing ratios are the only observable.
func (System) Variables(observable string) []string {
	if observable != "" {
		return nil
	}
	return variableNames
}

var variableNames = []string{"R_AB", "R_BA"}

// KeepFrame implements system.System.
func (System) KeepFrame(k int) bool { return k < 300 || k%20 == 0 }

// Frame implements system.System. Atoms are ordered by species, and within a species by index.
func (System) Frame(dst *system.Frame, t *system.Trajectory, k, dim int) {
	size := len(t.Species) * dim
	dst.BySpecies(t.Points[k*size:(k+1)*size], t.Species, dim, 2)
	dst.Params = append(dst.Params[:0], t.Params...)
}

// Simulated implements system.System and returns a *Simulated. A box is 32 wide and contains
// whole rows of 23 atoms. Its height is chosen so that the number of particles is as near as
// possible to the requested number. If c.Wide is set, boundaries are drawn from a wider range,
// which covers the boundaries of all tests.
func (System) Simulated(c system.Choice) system.Source {
	s := NewSimulated(c.Seed, c.Count)
	s.Box.Height, s.Fixed, s.first, s.Params = heightFor(c.Particles), c.Fixed, c.Purpose.First(), c.Params
	if c.Wide {
		s.Boundaries = []Interval{{otherBoundaries[0].Low, otherBoundaries[1].High}}
	}
	return s
}

// heightFor returns the height of a box for n atoms, or for n = 0 the height in training.
func heightFor(n int) float64 {
	c := lj.Default()
	for _, height := range []float64{trainedHeight, smallHeight} {
		if c.Height = height; n == 0 || c.N() == n {
			return height
		}
	}
	half := 1 / math.Sqrt(c.Density) / 2 // half of the lattice spacing
	c.Height = half
	row := c.N()
	return half * float64(2*max(1, (n+row/2)/row)-1)
}

const (
	trainedHeight = 32 // 529 atoms
	smallHeight   = 26 // 437 atoms
)

// TrainedBoundaries returns the intervals from which training draws boundaries.
func TrainedBoundaries() []Interval { return []Interval{{10, 22}} }

// otherBoundaries are intervals on both sides of the intervals of training.
var otherBoundaries = []Interval{{8, 10}, {22, 24}}

// Tests implements system.System. The tests are: boundaries as in training, boundaries outside the
// intervals of training, and a smaller box.
func (System) Tests(int) []system.Test {
	in := test("in-dst", trainedHeight, TrainedBoundaries()...)
	in.Fixed = func(seed uint64, count int, params ...system.Range) system.Source {
		s := in.Source(seed, count, params...).(*Simulated)
		s.Fixed = true
		return s
	}
	return []system.Test{in, test("diff-init", trainedHeight, otherBoundaries...), test("diff-N", smallHeight, TrainedBoundaries()...)}
}

// Pictured implements system.Pictured. Each test has one boundary, as in the paper's figure.
func (System) Pictured() (tests []system.Test) {
	for _, boundary := range []float64{12, 16, 20} {
		tests = append(tests, test(fmt.Sprintf("boundary %g", boundary), trainedHeight, Interval{boundary, boundary}))
	}
	return tests
}

// test returns a test with boxes of the given height.
func test(name string, height float64, boundaries ...Interval) system.Test {
	return system.Test{Name: name, Source: func(seed uint64, count int, params ...system.Range) system.Source {
		s := NewSimulated(seed, count)
		s.Box.Height, s.Boundaries, s.Params = height, boundaries, params
		s.first = system.FirstOfTests + int(height)<<20 + int(1000*boundaries[0].Low)<<28
		return s
	}}
}
