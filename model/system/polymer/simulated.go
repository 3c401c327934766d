package polymer

import (
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/polymer"
)

// simulated is a source that simulates its trajectories when they are read.
type simulated struct {
	kind
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

// Together implements system.Joint. Chains are simulated side by side.
func (s *simulated) Together() int { return polymer.Side() }

// Make implements system.Source.
func (s *simulated) Make(t *system.Trajectory, index int, pause work.Pause) error {
	return s.MakeTogether([]*system.Trajectory{t}, index, pause)
}

// MakeTogether implements system.Joint. It pauses after every `stepsAPiece` steps.
func (s *simulated) MakeTogether(of []*system.Trajectory, first int, pause work.Pause) error {
	if err := system.CheckIndex(first+len(of)-1, s.count); err != nil {
		return err
	}
	chains := make([]polymer.Chain, len(of))
	for k := range chains {
		index := s.first + first + k
		chains[k] = polymer.Chain{Key: polymer.NewKey(s.seed, uint64(index)), Positions: make([]float32, dim*s.config.N)}
		s.start(index, chains[k].Positions)
	}
	sim, err := polymer.New(s.config, chains...)
	if err == nil {
		err = s.record(of, sim, pause)
	}
	return system.OfTrajectory(first, err)
}

// record writes the frames of chains to trajectories.
func (s *simulated) record(of []*system.Trajectory, sim *polymer.Simulation, pause work.Pause) error {
	for _, t := range of {
		t.Size(s.Shape(), variables)
	}
	size := dim * s.config.N
	for frame := 0; ; frame++ {
		for k, t := range of {
			simulation{sim, s.kind, k, false}.Frame(t.Points[frame*size:(frame+1)*size], t.Macro[frame:frame+1])
		}
		if frame == s.config.Frames-1 {
			return nil
		}
		for step := range s.config.Every {
			if step%stepsAPiece == 0 {
				if err := pause(float64(frame) / float64(s.config.Frames)); err != nil {
					return err
				}
			}
			if err := sim.Step(); err != nil {
				return err
			}
		}
	}
}

// stepsAPiece is the number of simulation steps in a piece of work, which takes some
// milliseconds in a tab.
const stepsAPiece = 200

// simulation is a system.Simulation of one chain among those that are simulated side by side.
type simulation struct {
	*polymer.Simulation
	kind
	chain   int
	rounded bool // whether the extension is computed from positions rounded to float32, as in a file
}

func (s simulation) Index() int { return s.Simulation.Index(s.chain) }

func (s simulation) Frame(beads []float32, macro []float64) {
	s.Positions(s.chain, beads)
	if s.video || s.rounded {
		macro[0] = s.observe(beads)
	} else {
		macro[0] = s.Extension(s.chain)
	}
}
