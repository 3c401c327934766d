package particles

import (
	"context"

	"macroscope/model/setting"
	"macroscope/model/system/play"
	"macroscope/sim/particle"
)

// Limits of the settings.
const (
	MinParticles, MaxParticles = 10, 5000
	maxSteps                   = 5000
	maxComponents              = 16
	maxSet                     = 1_000_000
)

// settings describes the displayed run.
type settings struct {
	Force      force
	A, B       float64 // parameters of the force, see particle.Config
	N          int
	Dt         float64
	Steps      int
	Components int // number of Gaussians from which the first frame is drawn
	Seed       uint64
	Set        int // index in the sequence of initial positions that the seed determines
}

// defaultSettings returns the settings of the paper's system.
func defaultSettings() settings {
	c := particle.Default()
	return settings{A: c.A, B: c.B, N: c.N, Dt: c.Dt, Steps: c.Steps, Components: c.Components, Seed: 1}
}

// table lists the settings in the order of a link.
func (s *settings) table() setting.Table {
	return append(setting.Table{
		{Name: "force", What: "the force F(r)", Value: &s.Force, Absent: usualForce},
	}, append(s.ofForce(), setting.Table{
		{Name: "n", What: "the number of particles", Value: &s.N, Low: MinParticles, High: MaxParticles},
		{Name: "dt", What: "the time step Δt", Value: &s.Dt, Low: 1e-5, High: 10},
		{Name: "steps", What: "the number of steps", Value: &s.Steps, Low: 1, High: maxSteps},
		{Name: "components", What: "the number of initial clusters", Value: &s.Components, Low: 1, High: maxComponents},
		{Name: "seed", What: "the seed", Value: &s.Seed},
		{Name: "set", What: "the set", Value: &s.Set, Low: 0, High: maxSet, Absent: "0", Hidden: true},
	}...)...)
}

// ofForce lists the parameters of the force. A program without the lab uses only this table, so
// the linker drops the rest.
func (s *settings) ofForce() setting.Table {
	return setting.Table{
		{Name: "a", What: "the steepness a of the force", Value: &s.A, Low: 0.1, High: 1000},
		{Name: "b", What: "the constant force b", Value: &s.B, Low: -100, High: 100},
	}
}

// config returns the simulation that the settings describe.
func (s settings) config() (particle.Config, error) {
	c := particle.Default()
	c.A, c.B, c.N, c.Dt, c.Steps, c.Components = s.A, s.B, s.N, s.Dt, s.Steps, s.Components
	return c, s.Force.law.set(&c)
}

// check returns an error if the settings are invalid or too large, or if a short trial run with
// few particles is unstable.
func (s settings) check() error {
	c, err := s.config()
	if err == nil {
		err = plain(c.Validate())
	}
	if err != nil {
		return err
	}
	if err := play.CheckRoom(c.N, dim, c.Steps); err != nil {
		return err
	}
	const trialParticles, trialSteps = 200, 40
	c.N = min(c.N, trialParticles)
	sim, err := particle.New(context.Background(), c, particle.InitialPositions(c, s.Seed, s.Set))
	for k := 0; err == nil && k < min(trialSteps, c.Steps); k++ {
		err = sim.Step(context.Background())
	}
	return plain(err)
}

// keepsStart reports whether an edited first frame can stay after a change of the settings,
// given the old and the new settings.
func keepsStart(was, is settings) bool {
	return was.N == is.N && was.Components == is.Components && was.Seed == is.Seed && was.Set == is.Set
}
