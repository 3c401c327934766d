package polymer

import (
	"context"

	"macroscope/model/system"
	"macroscope/sim/polymer"
)

// simulated is a source that simulates as it is read.
type simulated struct {
	system System
	config polymer.Config
	seed   uint64
	count  int
	first  int       // index of the first trajectory among the simulator's
	from   []float32 // where all begin (N, 3); nil: each elsewhere, see writeStart
}

var _ system.Source = (*simulated)(nil)

// Shape implements system.Source.
func (s *simulated) Shape() system.Shape {
	return system.Shape{Trajectories: s.count, Frames: s.config.Frames, Particles: s.config.N, Dim: dim}
}

// start writes where trajectory index of the simulator's begins.
func (s *simulated) start(index int, positions []float32) {
	if s.from != nil {
		copy(positions, s.from)
		return
	}
	writeStart(positions, s.config, s.seed, index)
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

// Reader implements system.Source.
func (s *simulated) Reader() (system.Reader, error) {
	if err := s.config.Validate(); err != nil {
		return nil, err
	}
	size := dim * s.config.N
	return &reader{src: s, start: make([]float32, size), t: &system.Trajectory{
		Points: make([]float32, s.config.Frames*size), Species: system.Alike(s.config.N), Macro: make([]float64, s.config.Frames),
	}}, nil
}

// stepsAPiece is how many steps of the simulation a piece of work has: some
// milliseconds in a tab.
const stepsAPiece = 200

type reader struct {
	src   *simulated
	sim   *polymer.Simulation
	start []float32
	t     *system.Trajectory
	index int
	next  int // frame
}

func (r *reader) Begin(index int) (err error) {
	if err := system.CheckIndex(index, r.src.count); err != nil {
		return err
	}
	r.index, r.next = index, 0
	at := r.src.first + index
	r.src.start(at, r.start)
	from := polymer.Chain{Key: polymer.NewKey(r.src.seed, uint64(at)), Positions: r.start}
	if r.sim == nil {
		r.sim, err = polymer.New(r.src.config, from)
	} else {
		err = r.sim.Reset(0, from)
	}
	return r.explained(err)
}

func (r *reader) Advance() (whole bool, err error) {
	c := &r.src.config
	for range stepsAPiece {
		if r.sim.Index(0) == r.next*c.Every {
			beads := r.t.Points[r.next*dim*c.N : (r.next+1)*dim*c.N]
			r.sim.Positions(0, beads)
			r.t.Macro[r.next] = r.src.system.observe(beads)
			if !r.src.system.video {
				r.t.Macro[r.next] = r.sim.Extension(0) // without the rounding of positions
			}
			if r.next++; r.next == c.Frames {
				return true, nil
			}
		}
		if err := r.sim.Step(); err != nil {
			return false, r.explained(err)
		}
	}
	return false, nil
}

func (r *reader) explained(err error) error { return system.OfTrajectory(r.index, err) }

func (r *reader) Trajectory() *system.Trajectory { return r.t }
func (r *reader) Close()                         {}
