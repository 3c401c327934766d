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
	law    *law // nil is the default force
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

// Shape implements system.Source.
func (s *Simulated) Shape() system.Shape {
	return system.Shape{Trajectories: s.count, Frames: s.config.Steps + 1, Particles: s.config.N, Dim: dim}
}

// Make implements system.Source. It pauses after every step.
func (s *Simulated) Make(t *system.Trajectory, index int, pause work.Pause) error {
	return system.Record(t, index, s.Shape(), len(variables), system.Rhythm{Every: 1, Piece: 1}, pause, func() (system.Simulation, error) {
		c := s.config
		if err := s.vary(s.first+index, &c); err != nil {
			return nil, err
		}
		t.Params = s.draw(s.first + index)
		sim, err := particle.New(context.Background(), c, particle.InitialPositions(c, s.seed, s.first+index))
		return simulation{sim}, err
	})
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
