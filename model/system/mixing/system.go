package mixing

import (
	"errors"
	"fmt"
	"math"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/sim/lj"
)

// dim is the number of coordinates of an atom.
const dim = 2

var variables = []string{"R_AB", "R_BA"}

// System returns the system of binary mixing.
func System() *system.System {
	c := lj.Default()
	return &system.System{
		Traits: system.Traits{
			Name: "mixing", Title: "Binary mixing", Dim: dim, Sets: []string{"A", "B"}, Scaling: system.Span,
			// Two frames are 0.01 apart in the time of the paper's dynamics, and 0.4 in the time of
			// the molecular dynamics.
			Dt: 0.01, Interval: c.Dt * float64(c.Every), Stochastic: true, Parameters: parameters,
			Streams: system.Streams{
				Weights: "mixing weights", Sets: "mixing frames", Steps: "mixing stretches", Rollouts: "mixing rollouts",
			},
		},
		Macro: variables, Keep: system.Schedule{{Last: 299, Every: 1}, {Every: 20}}, Files: &files,
		Simulated: simulated, Flags: flags, PerSecond: func(int) float64 { return 0.8 }, Tests: tests, Pictured: pictured,
		Live: func() system.Live { return newLive() }, Use: lj.Use,
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

// simulated returns a *Simulated. A box is 32 wide and contains whole rows of 23 atoms. Its height is chosen
// so that the number of particles is as near as possible to the requested number. If c.Wide is set,
// boundaries are drawn from a wider range, which covers the boundaries of all tests.
func simulated(c system.Choice) system.Source {
	s := NewSimulated(c.Seed, c.Count)
	s.Box.Height, s.Fixed, s.first, s.Params = heightFor(c.Particles), c.Fixed, c.Purpose.First(), c.Params
	if c.Wide {
		s.Boundaries = []Interval{{otherBoundaries[0].Low, otherBoundaries[1].High}}
	}
	return s
}

// flags returns the settings of trajectories for the user. If the boundary stays NaN, it is drawn for each
// trajectory.
func flags(c *system.Choice) (table setting.Table, begin func() (system.Source, error)) {
	of, boundary := lj.Default(), math.NaN()
	table = setting.Table{
		{Name: "boundary", Value: &boundary}, {Name: "height", Value: &of.Height}, {Name: "fixed", Value: &c.Fixed}, {Name: "steps", Value: &of.Steps},
	}
	return table, func() (system.Source, error) {
		s := NewSimulated(c.Seed, c.Count)
		s.Box, s.Fixed, s.Params = of, c.Fixed, c.Params
		switch given := !math.IsNaN(boundary); {
		case given && c.Fixed:
			return nil, errors.New("-boundary and -fixed, which sets the boundary itself, contradict each other; leave one out")
		case given:
			s.Box.Boundary, s.Boundaries = boundary, nil
		}
		return s, s.Box.Validate()
	}
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

// tests returns the tests: boundaries as in training, boundaries outside the intervals of training, and a
// smaller box.
func tests(int) []system.Test {
	in := test("in-dst", trainedHeight, TrainedBoundaries()...)
	in.Fixed = true
	return []system.Test{in, test("diff-init", trainedHeight, otherBoundaries...), test("diff-N", smallHeight, TrainedBoundaries()...)}
}

// pictured returns the tests of the paper's figure. Each has one boundary.
func pictured() (tests []system.Test) {
	for _, boundary := range []float64{12, 16, 20} {
		tests = append(tests, test(fmt.Sprintf("boundary %g", boundary), trainedHeight, Interval{boundary, boundary}))
	}
	return tests
}

// test returns a test with boxes of the given height.
func test(name string, height float64, boundaries ...Interval) system.Test {
	return system.Test{Name: name, Source: func(c system.Choice) system.Source {
		s := NewSimulated(c.Seed, c.Count)
		s.Box.Height, s.Boundaries, s.Params, s.Fixed = height, boundaries, c.Params, c.Fixed
		s.first = system.FirstOfTests + int(height)<<20 + int(1000*boundaries[0].Low)<<28
		return s
	}}
}
