package polymer

import (
	"context"

	"macroscope/model/system"
	"macroscope/sim/polymer"
)

// simulated is a source that simulates its trajectories when they are read.
type simulated struct {
	system System
	config polymer.Config
	seed   uint64
	count  int
	first  int       // index of the first trajectory in the simulator's numbering
	wide   bool      // whether hairpins are more frequent, see writeStart
	from   []float32 // common start (N, 3) of all trajectories; if nil, each trajectory has its own (see writeStart)
}

var _ system.Source = (*simulated)(nil)

// Shape implements system.Source.
func (s *simulated) Shape() system.Shape {
	return system.Shape{Trajectories: s.count, Frames: s.config.Frames, Particles: s.config.N, Dim: dim}
}

// start writes the first positions (N, 3) of a trajectory, given its index in the simulator's
// numbering.
func (s *simulated) start(index int, positions []float32) {
	if s.from != nil {
		copy(positions, s.from)
		return
	}
	writeStart(positions, s.config, s.wide, s.seed, index)
}

// Each implements system.Source.
func (s *simulated) Each(ctx context.Context, count, workers int, each func(int, *system.Trajectory) error) error {
	return polymer.Generate(ctx, s.config, s.seed, s.first, min(count, s.count), workers, s.start, func(index int, t *polymer.Trajectory) error {
		if s.system.video {
			for k := range t.Extension {
				t.Extension[k] = s.system.observe(t.Frames[k*dim*s.config.N : (k+1)*dim*s.config.N])
			}
		}
		return each(index-s.first, &system.Trajectory{Points: t.Frames, Species: system.Alike(s.config.N), Macro: t.Extension})
	})
}

// stepsAPiece is the number of simulation steps in a piece of work, which takes some
// milliseconds in a tab.
const stepsAPiece = 200

// Reader implements system.Source.
func (s *simulated) Reader() (system.Reader, error) {
	if err := s.config.Validate(); err != nil {
		return nil, err
	}
	start := make([]float32, dim*s.config.N)
	var sim *polymer.Simulation
	return system.NewSimulatedReader(s.Shape(), variables, s.config.Every, stepsAPiece, func(index int, _ *system.Trajectory) (_ system.Simulation, err error) {
		at := s.first + index
		s.start(at, start)
		from := polymer.Chain{Key: polymer.NewKey(s.seed, uint64(at)), Positions: start}
		if sim == nil {
			sim, err = polymer.New(s.config, from)
		} else {
			err = sim.Reset(0, from)
		}
		return simulation{sim, s.system, false}, err
	}), nil
}

// simulation is a system.Simulation of one chain.
type simulation struct {
	*polymer.Simulation
	of      System
	rounded bool // whether the extension is computed from positions rounded to float32, as in a file
}

func (s simulation) Index() int { return s.Simulation.Index(0) }

func (s simulation) Frame(beads []float32, macro []float64) {
	s.Positions(0, beads)
	if s.of.video || s.rounded {
		macro[0] = s.of.observe(beads)
	} else {
		macro[0] = s.Extension(0)
	}
}
