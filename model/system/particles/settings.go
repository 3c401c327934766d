package particles

import (
	"context"
	"strings"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/formula"
	"macroscope/model/wire"
	"macroscope/sim/particle"
)

// Limits of the settings.
const (
	MinParticles, MaxParticles = 10, 5000
	maxSteps                   = 5000
	maxComponents              = 16
	maxSet                     = 1_000_000
)

// settings are what is played.
type settings struct {
	Force      System  // with the force that is played
	A, B       float64 // of the force, see particle.Config
	N          int
	Dt         float64
	Steps      int
	Components int // Gaussians that the first frame is drawn from
	Seed       uint64
	Set        int // index of the first frame among those of the seed
}

// defaultSettings is the paper's system.
func defaultSettings() settings {
	c := particle.Default()
	return settings{A: c.A, B: c.B, N: c.N, Dt: c.Dt, Steps: c.Steps, Components: c.Components, Seed: 1}
}

// table lists the settings in the order of a link.
func (s *settings) table() setting.Table {
	return append(setting.Table{
		{Name: "force", What: "the force F(r)", Value: &s.Force, Absent: usualForce, Control: setting.Control{
			Kind: wire.Field, Label: "force F(r)",
			Hint: "Between two particles at the distance r, repulsion where positive: a formula of r, a and b with + − * / ^, comparisons as in (r < 1), and " + strings.Join(formula.Functions(), ", ") + ". Empty it for the paper’s. Try 1/r - r.",
		}},
	}, append(s.ofForce(), setting.Table{
		{Name: "n", What: "the number of particles", Value: &s.N, Low: MinParticles, High: MaxParticles, Control: setting.Control{
			Kind: wire.Slider, Label: "number of particles N", Min: MinParticles, Max: MaxParticles, Step: 1,
			Stops: []float64{10, 20, 50, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000}, Ticks: []float64{10, 50, 300, 1000, 5000},
			Hint: "How many particles there are. The model takes any number; the time of a step grows with the square.",
		}},
		{Name: "dt", What: "the time step Δt", Value: &s.Dt, Low: 1e-5, High: 10, Control: setting.Control{
			Kind: wire.Slider, Label: "time step Δt", Min: 0.001, Max: 1, Step: 0.001, Log: true, Ticks: []float64{0.001, 0.01, 0.1, 1},
			Hint: "Time between two frames. Too long a step is unstable and is refused. The model knows 0.02 alone.",
		}},
		{Name: "steps", What: "the number of steps", Value: &s.Steps, Low: 1, High: maxSteps, Control: setting.Control{
			Kind: wire.Slider, Label: "steps", Min: 1, Max: maxSteps, Step: 1,
			Stops: []float64{50, 100, 200, 300, 500, 1000, 2000, 3000, 5000}, Ticks: []float64{50, 300, 1000, 5000},
			Hint: "Length of the run, and the horizon of the prediction.",
		}},
		{Name: "components", What: "the number of initial clusters", Value: &s.Components, Low: 1, High: maxComponents, Control: setting.Control{
			Kind: wire.Slider, Label: "clusters", Min: 1, Max: maxComponents, Step: 1, Ticks: []float64{1, 2, 3, 4, 8, 16},
			Hint: "Gaussians of standard deviation 0.1 that frame 0 is drawn from. Training has two.",
		}},
		{Name: "seed", What: "the seed", Value: &s.Seed, Control: setting.Control{
			Kind: wire.Field, Label: "seed",
			Hint: "All randomness of frame 0 comes from this number and the set’s: the same seed gives the same run, on processors with vectors of the same width.",
		}},
		{Name: "set", What: "the set", Value: &s.Set, Low: 0, High: maxSet, Absent: "0"},
	}...)...)
}

// ofForce lists the parameters of the force. What a program is made of that has no lab
// of particles refers to them, and to no more.
func (s *settings) ofForce() setting.Table {
	return setting.Table{
		{Name: "a", What: "the steepness a of the force", Value: &s.A, Low: 0.1, High: 1000, Control: setting.Control{
			Kind: wire.Slider, Label: "steepness a", Min: 0.1, Max: 1000, Step: 0.1,
			Stops: []float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50}, Ticks: []float64{1, 2, 4, 8, 20, 50},
			Hint: "How abruptly the paper’s force F(r) = tanh(a(1 − r)) + b turns from repulsion to attraction at r = 1; in a force of your own, whatever a does there.",
		}},
		{Name: "b", What: "the constant force b", Value: &s.B, Low: -100, High: 100, Control: setting.Control{
			Kind: wire.Slider, Label: "constant force b", Min: -1.5, Max: 1.5, Step: 0.05, Ticks: []float64{-1, 0, 1},
			Hint: "Added to the paper’s force at every distance: above 1 all repel, below −1 all attract. In a force of your own, whatever b does there.",
		}},
	}
}

// config returns the simulation that the settings describe.
func (s settings) config() (particle.Config, error) {
	c := particle.Default()
	c.A, c.B, c.N, c.Dt, c.Steps, c.Components = s.A, s.B, s.N, s.Dt, s.Steps, s.Components
	return c, s.Force.law.set(&c)
}

// check says why the settings' simulation cannot be played, if it cannot:
// settings that are no system, that do not fit, or under which the first steps
// of a few particles are unstable.
func (s settings) check() error {
	c, err := s.config()
	if err == nil {
		err = plain(c.Validate())
	}
	if err != nil {
		return err
	}
	if err := system.CheckPlayed(c.N, dim, c.Steps); err != nil {
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

// keepsStart says whether a change of settings leaves a first frame as it is that
// was edited.
func keepsStart(was, is settings) bool {
	return was.N == is.N && was.Components == is.Components && was.Seed == is.Seed && was.Set == is.Set
}
