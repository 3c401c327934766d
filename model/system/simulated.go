package system

import (
	"slices"

	"macroscope/model/work"
)

// Simulation makes the frames of one trajectory in order. Both a Source and a Core use it.
type Simulation interface {
	// Index returns the number of steps since frame 0. It is negative before frame 0.
	Index() int
	Step() error
	// Frame writes the positions (N, Dim) of the particles and the macroscopic variables (M) of
	// the present frame.
	Frame(points []float32, macro []float64)
}

// Size prepares t for a trajectory of shape s with M variables, whose particles have one species.
func (t *Trajectory) Size(s Shape, variables int) {
	points, macro := s.Frames*s.Particles*s.Dim, s.Frames*variables
	t.Points, t.Macro = slices.Grow(t.Points[:0], points)[:points], slices.Grow(t.Macro[:0], macro)[:macro]
	if len(t.Species) != s.Particles {
		t.Species = Alike(s.Particles)
	}
}

// alike gives all particles the same species.
func (t *Trajectory) alike() {
	for i := range t.Species {
		t.Species[i] = 1
	}
}

// Record writes the frames of a simulation to t, which has the size of the frames (see Size). Two frames
// are `every` steps apart. Record pauses after `piece` steps.
func Record(t *Trajectory, s Shape, sim Simulation, every, piece int, pause work.Pause) error {
	size, m := s.Particles*s.Dim, len(t.Macro)/s.Frames
	for k, since := 0, 0; ; {
		if sim.Index() == k*every {
			sim.Frame(t.Points[k*size:(k+1)*size], t.Macro[k*m:(k+1)*m])
			if k++; k == s.Frames {
				return nil
			}
		}
		if err := sim.Step(); err != nil {
			return err
		}
		if since++; since == piece {
			since = 0
			if err := pause(float64(k) / float64(s.Frames)); err != nil {
				return err
			}
		}
	}
}
