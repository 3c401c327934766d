package flock

import (
	"cmp"
	"fmt"
	"math"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/work"
	"macroscope/sim/flock"
)

// variables are the length of the birds' mean direction, and a tenth of the mean number of neighbours.
var variables = []string{"polarisation", "clustering"}

// System returns the system of flocks.
func System() *system.System {
	c := flock.Default()
	stream := func(of string) string { return "flock " + of }
	return &system.System{
		Traits: system.Traits{
			Name: "flock", Title: "The flock", Dim: flock.Dim, Sets: []string{""}, Scaling: system.Standardise,
			Periods: []float64{c.Side, c.Side, 0, 0}, Positions: []int{0, 1}, Velocities: []int{2, 3}, Vectors: [][]int{{0, 1}, {2, 3}},
			// Forty frames are a unit of time in the learned dynamics.
			Dt: 0.025, Interval: 1, Stochastic: true, Parameters: parameters,
			Streams: system.Streams{
				Weights: stream("weights"), Sets: stream("sets"), Steps: stream("steps"), Turns: stream("turns"), Rollouts: stream("rollouts"),
			},
		},
		Macro: variables, Keep: system.Schedule{{Last: 100, Every: 1}, {Every: 5}}, Files: &files,
		Simulated: simulated, Flags: flags, PerSecond: func(birds int) float64 { return 17 * float64(c.N) / float64(cmp.Or(birds, c.N)) }, Tests: tests,
		Live: func() system.Live { return newLive() },
	}
}

// parameters is the noise.
var parameters = system.ParametersOf(ownTable(), system.Parameter{Name: "eta", Symbol: "η", From: 0, To: 1})

func ownTable() setting.Table {
	s := defaults()
	return s.ofNoise()
}

// files describes the files of trajectories. The macroscopic variables may be the array macro (E, T, 2); otherwise
// they are computed.
var files = system.Contents{
	Read: system.ReadRecordings, Own: "a flock is always described by its polarisation and its clustering", Particle: "bird", Array: system.MacroArray,
	Check: func(s system.Shape) error {
		if s.Dim != flock.Dim {
			return fmt.Errorf("the birds have %s, and a bird of a flock has x, y, vx and vy; save these four", setting.Count(s.Dim, "coordinate", "coordinates"))
		}
		return nil
	},
	Observer: func(string, string, int) (system.Observer, error) {
		return func(macro []float64, frame []float32, _ *system.Trajectory) error {
			macro[0], macro[1] = flock.Polarisation(frame), flock.Neighbours(frame, flock.Default().Side)/10
			return nil
		}, nil
	},
}

// Simulated is a source that simulates its trajectories when they are read.
type Simulated struct {
	config flock.Config
	seed   uint64
	count  int
	first  int // index of the first trajectory in the simulator's numbering
	params system.Ranges
}

var _ system.Source = (*Simulated)(nil)

// Shape implements system.Source.
func (s *Simulated) Shape() system.Shape {
	return system.Shape{Trajectories: s.count, Frames: s.config.Steps + 1, Particles: s.config.N, Dim: flock.Dim}
}

// Make implements system.Source.
func (s *Simulated) Make(t *system.Trajectory, index int, pause work.Pause) error {
	return system.Record(t, index, s.Shape(), len(variables), system.Rhythm{Every: 1, Piece: 10}, pause, func() (system.Simulation, error) {
		c, at := s.config, s.first+index
		if t.Params = parameters.Draw(s.params, s.seed, at); t.Params != nil {
			c.Noise = t.Params[0]
		}
		sim, err := flock.New(c, s.seed, at)
		return flight{sim, nil}, err
	})
}

// source returns the simulation of a choice. If c.Wide is set, the first headings may also be aligned.
func source(c system.Choice) *Simulated {
	s := &Simulated{config: flock.Default(), seed: c.Seed, count: c.Count, params: c.Params}
	if s.config.N = cmp.Or(c.Particles, s.config.N); c.Wide {
		s.config.Narrow = 0
	}
	return s
}

func simulated(c system.Choice) system.Source {
	s := source(c)
	s.first = c.Purpose.First()
	return s
}

// flags returns the settings of trajectories for the user. Trainings and tests never use them, even with the
// same seed.
func flags(c *system.Choice) (table setting.Table, begin func() (system.Source, error)) {
	of := flock.Default()
	c.Particles = of.N
	return setting.Table{{Name: "particles", Value: &c.Particles}, {Name: "steps", Value: &of.Steps}}, func() (system.Source, error) {
		s := source(*c)
		s.config.Steps = of.Steps
		return s, core.Plain(s.config.Validate(), simulator)
	}
}

// tests returns the tests: starts as in training, starts without any order, and more birds in the same square.
func tests(int) []system.Test {
	usual := flock.Default()
	test := func(name string, birds int, narrow float64) system.Test {
		return system.Test{Name: name, Fixed: birds == usual.N, Source: func(c system.Choice) system.Source {
			c.Particles = birds
			s := source(c)
			s.config.Narrow, s.first = narrow, system.FirstOfTests+birds<<8+int(narrow)<<20
			return s
		}}
	}
	return []system.Test{test("in-dst", usual.N, usual.Narrow), test("diff-init", usual.N, math.Pi), test("diff-N", 400, usual.Narrow)}
}

// simulator is the name of the simulator's package.
const simulator = "flock"
