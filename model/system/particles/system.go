package particles

import (
	"cmp"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/sim/particle"
)

// System returns the system of interacting particles with the default force.
func System() *system.System { return force{}.system() }

// dim is the number of coordinates of a simulated particle.
const dim = 2

var variables = []string{Energy}

// system returns the system with this force.
func (f force) system() *system.System {
	c := particle.Default()
	return &system.System{
		Traits: system.Traits{
			Name: "particles", Title: "Interacting particles", Dim: dim, Sets: []string{""}, Scaling: system.Standardise,
			Parameters: parameters, Forces: forces{}, Vectors: [][]int{{0, 1}}, Dt: c.Dt, Interval: c.Dt,
			Streams: system.Streams{
				Weights: "particles weights", Sets: "particles sets", Steps: "particles steps",
				Stretches: "particles stretches", Turns: "particles turns", Rollouts: "particles rollouts",
			},
		},
		Macro: variables, Observables: observables,
		Keep:  system.Schedule{{Last: 100, Every: 1}, {Last: 150, Every: 2}, {Last: 200, Every: 5}, {Every: 10}},
		Force: f.String(), Files: &system.Contents{Read: system.ReadRecordings, Particle: "particle", Observer: newObserver},
		Simulated: f.simulated, Flags: f.flags, PerSecond: func(int) float64 { return 90 }, Tests: f.tests,
		Live: func() system.Live { return newLive() }, Use: particle.Use,
	}
}

// parameters are the parameters of the force.
var parameters = system.ParametersOf(ownTable(),
	system.Parameter{Name: "a", Symbol: "a", From: 2, To: 10},
	system.Parameter{Name: "b", Symbol: "b", From: 0, To: 0.5},
)

func ownTable() setting.Table {
	s := defaultSettings()
	return s.ofForce()
}

// assign sets the force in the configuration c. If a trajectory has its own parameters `params`
// (P), assign sets them in c, too.
func (l *law) assign(c *particle.Config, params []float64) error {
	if len(params) > 0 {
		c.A, c.B = params[0], params[1]
	}
	return l.set(c)
}

// first contains the index of each purpose's first trajectory. Compared with firstOf of package
// system, the indices of Validate and Encode are swapped. They must stay swapped, because a seed
// must give the same runs as in earlier versions.
var first = [...]int{system.Show: 0, system.Train: 1 << 32, system.Validate: 3 << 32, system.Encode: 5 << 32}

// simulated returns trajectories that start from the paper's first frames or, if c.Wide is set, from 1 to 4
// Gaussians.
func (f force) simulated(c system.Choice) system.Source {
	s := f.source(c)
	s.first, s.wide = first[c.Purpose], c.Wide
	return s
}

// source returns the simulation of a choice.
func (f force) source(c system.Choice) *Simulated {
	s := &Simulated{config: particle.Default(), law: f.law, seed: c.Seed, count: c.Count, params: c.Params}
	s.config.N = cmp.Or(c.Particles, s.config.N)
	return s
}

// flags returns the settings of trajectories for the user. Trainings and tests never use them, even with the
// same seed. `components` is the number of Gaussian clusters at the start.
func (f force) flags(c *system.Choice) (table setting.Table, begin func() (system.Source, error)) {
	of := particle.Default()
	c.Particles = of.N
	table = setting.Table{{Name: "particles", Value: &c.Particles}, {Name: "components", Value: &of.Components}, {Name: "steps", Value: &of.Steps}}
	return table, func() (system.Source, error) {
		s := f.source(*c)
		s.config.Components, s.config.Steps, s.config.N = of.Components, of.Steps, c.Particles
		return s, s.config.Validate()
	}
}

// tests returns the tests of section 4.2. Training has 300 particles from two Gaussians.
func (f force) tests(int) []system.Test {
	test := func(name string, particles, components int) system.Test {
		return system.Test{Name: name, Fixed: particles == 300, Source: func(c system.Choice) system.Source {
			c.Particles = particles
			s := f.source(c)
			s.config.Components, s.first = components, system.FirstOfTests+particles<<8+components<<20
			return s
		}}
	}
	return []system.Test{test("in-dst", 300, 2), test("diff-init", 300, 3), test("diff-N", 400, 2)}
}
