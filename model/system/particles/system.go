package particles

import (
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/sim/particle"
)

// System is the system of interacting particles. The zero System has the default force;
// WithForce returns a System with another force.
type System struct{ law *law }

var _ system.Forced = System{}

// dim is the number of coordinates of a simulated particle.
const dim = 2

// Traits implements system.System.
func (System) Traits() system.Traits {
	return system.Traits{
		Name: "particles", Title: "Interacting particles", Dim: dim, Sets: []string{""}, Scaling: system.Standardise,
		Parameters: parameters, Forces: System{}, Turns: true, Dt: particle.Default().Dt, Interval: particle.Default().Dt,
		Streams: system.Streams{
			Weights: "particles weights", Sets: "particles sets", Steps: "particles steps",
			Stretches: "particles stretches", Turns: "particles turns", Rollouts: "particles rollouts",
		},
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

// Variables implements system.System. An observable is one variable.
func (System) Variables(observable string) []string {
	if observable == "" {
		observable = Energy
	}
	return []string{observable}
}

// KeepFrame implements system.System. It keeps all frames up to 100, every 2nd up to 150, every
// 5th up to 200 and every 10th after that.
func (System) KeepFrame(k int) bool {
	switch {
	case k <= 100:
		return true
	case k <= 150:
		return k%2 == 0
	case k <= 200:
		return k%5 == 0
	}
	return k%10 == 0
}

// Frame implements system.System. All particles form one set.
func (System) Frame(dst *system.Frame, t *system.Trajectory, k, dim int) {
	size := len(t.Species) * dim
	dst.One(t.Points[k*size:(k+1)*size], dim)
	dst.Params = append(dst.Params[:0], t.Params...)
}

// first contains the index of each purpose's first trajectory. Compared with firstOf of package
// system, the indices of Validate and Encode are swapped. They must stay swapped, because a seed
// must give the same runs as in earlier versions.
var first = [...]int{system.Show: 0, system.Train: 1 << 32, system.Validate: 3 << 32, system.Encode: 5 << 32}

// Simulated implements system.System. The trajectories have the system's force. They start from
// the paper's first frames or, if c.Wide is set, from 1 to 4 Gaussians.
func (y System) Simulated(c system.Choice) system.Source {
	s := &Simulated{config: particle.Default(), law: y.law, seed: c.Seed, count: c.Count, first: first[c.Purpose], params: c.Params, wide: c.Wide}
	if c.Particles != 0 {
		s.config.N = c.Particles
	}
	return s
}

// Tests implements system.System. It returns the tests of section 4.2. Training has 300
// particles from two Gaussians.
func (y System) Tests(int) []system.Test {
	test := func(name string, particles, components int) system.Test {
		source := func(seed uint64, count int, params ...system.Range) system.Source {
			s := &Simulated{config: particle.Default(), law: y.law, seed: seed, count: count, params: params}
			s.config.N, s.config.Components, s.first = particles, components, system.FirstOfTests+particles<<8+components<<20
			return s
		}
		return system.Test{Name: name, Source: source, Fixed: source}
	}
	number := test("diff-N", 400, 2)
	number.Fixed = nil
	return []system.Test{test("in-dst", 300, 2), test("diff-init", 300, 3), number}
}

// Finish implements system.System. It rejects coordinates that are not finite, and computes a
// missing observable.
func (y System) Finish(t *system.Trajectory, dim int, observable string) error {
	as := y.contents(observable)
	return as.Finish(t, dim)
}

// Live implements system.System and returns a *Live.
func (System) Live() system.Live { return newLive() }
