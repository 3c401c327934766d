package system

import (
	"slices"

	"macroscope/model/setting"
)

// Shape is the shape of a Source's trajectories.
type Shape struct {
	Trajectories, Frames int
	Particles            int // number of particles in the largest frame
	Dim                  int // number of coordinates of a particle
}

// InWords returns the size as a part of a sentence: "1 trajectory of 120 particles and 301
// frames".
func (s Shape) InWords() string {
	return setting.Count(s.Trajectories, "trajectory", "trajectories") + " of " +
		setting.Count(s.Particles, "particle", "particles") + " and " + setting.Count(s.Frames, "frame", "frames")
}

// Trajectory is one run: the particles and the macroscopic variables of every frame.
type Trajectory struct {
	Points  []float32 // coordinates (T, N, Dim)
	Species []uint8   // (N), from 1; nil: all particles have one species
	Macro   []float64 // (T, M)
	Params  []float64 // (P), see Parameters; nil: all parameters have their defaults
	// Interval is the time between two frames in the user's file; 0: simulated, or not known.
	Interval float64
}

// Frames returns T, the number of frames.
func (t *Trajectory) Frames(variables int) int { return len(t.Macro) / variables }

// Clone returns a deep copy.
func (t *Trajectory) Clone() *Trajectory {
	return &Trajectory{slices.Clone(t.Points), slices.Clone(t.Species), slices.Clone(t.Macro), slices.Clone(t.Params), t.Interval}
}

// frame returns the particles (N, dim) of frame k. A trajectory without species is one frame.
func (t *Trajectory) frame(k, dim int) []float32 {
	if len(t.Species) == 0 {
		return t.Points
	}
	size := len(t.Species) * dim
	return t.Points[k*size : (k+1)*size]
}

// At returns the macroscopic variables of frame k (M).
func (t *Trajectory) At(k, variables int) []float64 {
	return t.Macro[k*variables : (k+1)*variables]
}

// Until returns the macroscopic variables of the frames up to k (k+1, M).
func (t *Trajectory) Until(k, variables int) []float64 { return t.Macro[:(k+1)*variables] }

// Frame contains the sets at one time. Each species has a set, and the sets follow one another. The
// number of particles in a set may differ between frames.
type Frame struct {
	Points []float32 // (N, Dim): particles of all sets
	Ends   []int     // (S): number of particles up to the end of each set
	Params []float64 // (P): parameters of the trajectory; nil: all parameters have their defaults
}

// Copy makes f a copy of another frame. It reuses f's memory.
func (f *Frame) Copy(from *Frame) {
	f.Points, f.Ends = append(f.Points[:0], from.Points...), append(f.Ends[:0], from.Ends...)
	f.Params = append(f.Params[:0], from.Params...)
}

// Set returns set s (n, dim).
func (f *Frame) Set(s, dim int) []float32 {
	begin := 0
	if s > 0 {
		begin = f.Ends[s-1]
	}
	return f.Points[begin*dim : f.Ends[s]*dim]
}

// After a call of One, f is a frame of a single set. The set is a copy of the particles `points`
// (n, dim).
func (f *Frame) One(points []float32, dim int) {
	f.Points = append(f.Points[:0], points...)
	f.Ends = append(f.Ends[:0], len(points)/dim)
}

// BySpecies makes f a frame of particles (n, dim), with one set for each of the species 1, …,
// `sets`. The particles of a set keep their order.
func (f *Frame) BySpecies(points []float32, species []uint8, dim, sets int) {
	f.Points, f.Ends = f.Points[:0], f.Ends[:0]
	for s := range sets {
		for i, k := range species {
			if int(k) == s+1 {
				f.Points = append(f.Points, points[i*dim:(i+1)*dim]...)
			}
		}
		f.Ends = append(f.Ends, len(f.Points)/dim)
	}
}

// Size prepares t for a trajectory of shape s with M variables. It gives all particles one species if t had
// another number of particles; otherwise it keeps the species of t.
func (t *Trajectory) Size(s Shape, variables int) {
	points, macro := s.Frames*s.Particles*s.Dim, s.Frames*variables
	t.Points, t.Macro = slices.Grow(t.Points[:0], points)[:points], slices.Grow(t.Macro[:0], macro)[:macro]
	if len(t.Species) != s.Particles {
		t.Species = oneSpecies(s.Particles)
	}
}

// alike gives all particles the same species.
func (t *Trajectory) alike() {
	for i := range t.Species {
		t.Species[i] = 1
	}
}
