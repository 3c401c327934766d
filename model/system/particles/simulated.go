package particles

import (
	"context"

	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/particle"
)

// Simulated is a source that simulates its trajectories when they are read.
type Simulated struct {
	config particle.Config
	law    *law
	seed   uint64
	count  int
	first  int // index of the first trajectory in the simulator's numbering
	params system.Ranges
	wide   bool // whether the number of clusters at the start cycles through wideClusters
}

// wideClusters has two clusters twice, because the paper's trajectories all start from two. Otherwise
// dynamics that have also seen other starts predict these less well.
var wideClusters = [...]int{1, 2, 3, 4, 2}

var _ system.Source = (*Simulated)(nil)

// NewSimulated returns trajectories with the system's force. `components` is the number of Gaussian
// clusters at the start. Parameters in `params` are drawn from their ranges. The command simulate
// writes these trajectories. Trainings and tests never use them, even with the same seed.
func (y System) NewSimulated(seed uint64, count, particles, components, steps int, params ...system.Range) (*Simulated, error) {
	c := particle.Default()
	c.N, c.Components, c.Steps = particles, components, steps
	return &Simulated{config: c, law: y.law, seed: seed, count: count, params: params}, c.Validate()
}

// Shape implements system.Source.
func (s *Simulated) Shape() system.Shape {
	return system.Shape{Trajectories: s.count, Frames: s.config.Steps + 1, Particles: s.config.N, Dim: dim}
}

// Make implements system.Source. It pauses after every step.
func (s *Simulated) Make(t *system.Trajectory, index int, pause work.Pause) error {
	return system.OfTrajectory(index, s.record(t, index, pause))
}

func (s *Simulated) record(t *system.Trajectory, index int, pause work.Pause) error {
	if err := system.CheckIndex(index, s.count); err != nil {
		return err
	}
	c := s.config
	if err := s.vary(s.first+index, &c); err != nil {
		return err
	}
	sim, err := particle.New(context.Background(), c, particle.InitialPositions(c, s.seed, s.first+index))
	if err != nil {
		return err
	}
	t.Size(s.Shape(), 1)
	t.Params = s.draw(s.first + index)
	return system.Record(t, s.Shape(), simulation{sim}, 1, 1, pause)
}

// vary sets the clusters and the force of a trajectory, given its index in the simulator's
// numbering.
func (s *Simulated) vary(index int, c *particle.Config) error {
	if s.wide {
		c.Components = wideClusters[index%len(wideClusters)]
	}
	return s.law.assign(c, s.draw(index))
}

// draw returns the parameters of a trajectory, given its index in the simulator's numbering.
func (s *Simulated) draw(index int) []float64 { return parameters.Draw(s.params, s.seed, index) }

// simulation is a system.Simulation. It steps without a context, because a step is short: even
// MaxParticles particles take only some hundredths of a second.
type simulation struct{ *particle.Simulation }

func (s simulation) Step() error { return s.Simulation.Step(context.Background()) }

func (s simulation) Frame(points []float32, macro []float64) {
	s.Positions(points)
	macro[0] = s.Energy()
}

// Use selects the form of the simulator's pair loop by name. Call the result to undo this (see
// particle.Use).
func Use(form string) (restore func(), err error) { return particle.Use(form) }
