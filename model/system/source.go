package system

import (
	"runtime"

	"macroscope/model/work"
)

// Source provides trajectories of one shape. Those of files may have fewer particles and frames than it.
type Source interface {
	Shape() Shape
	// Make writes the trajectory of the given index to t, and reuses the memory of t. Equal indices give
	// equal bits. Several goroutines may call Make.
	Make(t *Trajectory, index int, pause work.Pause) error
}

// Joint is a Source that makes several trajectories together in less time than one after another.
type Joint interface {
	Source
	// Together returns the largest number of trajectories that are made together.
	Together() int
	// MakeTogether is Make for the trajectories of the indices `first`, `first`+1, …
	MakeTogether(of []*Trajectory, first int, pause work.Pause) error
}

// Each passes the first `count` trajectories of a source to a function, from several goroutines (workers;
// 0: one per core) and in any order. A trajectory is valid until the function returns, and the function
// may change it. The first error stops all goroutines and is returned.
func Each(pause work.Pause, s Source, count, workers int, each func(index int, t *Trajectory) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	count = min(count, s.Shape().Trajectories)
	joint, _ := s.(Joint)
	side := 1
	if joint != nil {
		side = max(1, min(joint.Together(), (count+workers-1)/workers))
	}
	return work.Each(pause, count, side, workers, func() func(work.Pause, int, int) error {
		of := make([]*Trajectory, side)
		for k := range of {
			of[k] = new(Trajectory)
		}
		return func(pause work.Pause, from, to int) (err error) {
			if joint == nil {
				err = s.Make(of[0], from, pause)
			} else {
				err = joint.MakeTogether(of[:to-from], from, pause)
			}
			for index := from; index < to && err == nil; index++ {
				err = each(index, of[index-from])
			}
			return err
		}
	})
}

// Simulation makes the frames of one trajectory in order. Both a Source and a Core use it.
type Simulation interface {
	// Index returns the number of steps since frame 0. It is negative before frame 0.
	Index() int
	Step() error
	// Frame writes the positions (N, Dim) of the particles and the macroscopic variables (M) of
	// the present frame.
	Frame(points []float32, macro []float64)
}

// Rhythm is the rhythm of a simulation.
type Rhythm struct {
	Every int // number of steps from one frame to the next
	Piece int // number of steps between two pauses
}

// Record writes a trajectory of a simulation to t, given its index among trajectories of shape s with M variables.
// The function `begin` begins the simulation, at frame 0 or before. When Record calls it, t already has its
// size (see Size), so `begin` can use t.Species and set t.Params.
func Record(t *Trajectory, index int, s Shape, variables int, of Rhythm, pause work.Pause, begin func() (Simulation, error)) error {
	if err := CheckIndex(index, s.Trajectories); err != nil {
		return err
	}
	t.Size(s, variables)
	sim, err := begin()
	if err == nil {
		err = of.record(t, s, sim, pause)
	}
	return OfTrajectory(index, err)
}

// record writes the frames of a simulation to t.
func (r Rhythm) record(t *Trajectory, s Shape, sim Simulation, pause work.Pause) error {
	size, m := s.Particles*s.Dim, len(t.Macro)/s.Frames
	for k, since := 0, 0; ; {
		if sim.Index() == k*r.Every {
			sim.Frame(t.Points[k*size:(k+1)*size], t.Macro[k*m:(k+1)*m])
			if k++; k == s.Frames {
				return nil
			}
		}
		if err := sim.Step(); err != nil {
			return err
		}
		if since++; since == r.Piece {
			since = 0
			if err := pause(float64(k) / float64(s.Frames)); err != nil {
				return err
			}
		}
	}
}
