package mixing

import (
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/lj"
	"macroscope/sim/rng"
)

// Interval is a range from which boundaries are drawn.
type Interval struct{ Low, High float64 }

// Simulated is a source that simulates its trajectories when they are read.
type Simulated struct {
	Box lj.Config // must be valid (see lj.Config.Validate)
	// Boundaries are the intervals from which boundaries are drawn. Each interval is chosen
	// with a probability proportional to its length. If there is no interval, all trajectories
	// have Box.Boundary.
	Boundaries []Interval
	// Fixed makes the leftmost half of the atoms species 1 and ignores the boundaries. If the
	// number of atoms is odd, species 1 gets one atom more.
	Fixed bool
	// Params are the ranges of parameters that differ between trajectories. Other parameters
	// have their values in Box.
	Params system.Ranges
	Seed   uint64
	Count  int
	first  int
}

var _ system.Source = (*Simulated)(nil)

// NewSimulated returns trajectories of the paper's box, with boundaries from the intervals of
// training. The command simulate writes these trajectories. Trainings and tests never use them,
// even with the same seed.
func NewSimulated(seed uint64, count int) *Simulated {
	return &Simulated{Box: lj.Default(), Boundaries: TrainedBoundaries(), Seed: seed, Count: count}
}

// Shape implements system.Source.
func (s *Simulated) Shape() system.Shape {
	return system.Shape{Trajectories: s.Count, Frames: s.Box.Frames(), Particles: s.Box.N(), Dim: dim}
}

// Boundary returns the x of a trajectory's boundary. It has no meaning if Fixed is set.
func (s *Simulated) Boundary(index int) float64 {
	if len(s.Boundaries) == 0 {
		return s.Box.Boundary
	}
	total := 0.0
	for _, b := range s.Boundaries {
		total += b.High - b.Low
	}
	at := total * rng.New(s.Seed, "mixing boundary", uint64(s.first+index)).Float64()
	for _, b := range s.Boundaries {
		width := b.High - b.Low
		if at < width {
			return b.Low + at
		}
		at -= width
	}
	return s.Boundaries[len(s.Boundaries)-1].High // reached by rounding, or if all intervals have length 0
}

// draw returns the parameters of a trajectory.
func (s *Simulated) draw(index int) []float64 {
	return parameters.Draw(s.Params, s.Seed, s.first+index)
}

// vary sets the parameters of a trajectory in the configuration of its box.
func (s *Simulated) vary(index int, c *lj.Config) {
	assign(c, s.draw(index))
	if s.Fixed {
		c.Left = half(*c)
		return
	}
	c.Boundary = s.Boundary(index)
}

// half returns half the number of atoms in a box, rounded up.
func half(c lj.Config) int { return (c.N() + 1) / 2 }

// Make implements system.Source. It pauses after every `stepsAPiece` steps.
func (s *Simulated) Make(t *system.Trajectory, index int, pause work.Pause) error {
	return system.Record(t, index, s.Shape(), len(variables), system.Rhythm{Every: s.Box.Every, Piece: stepsAPiece}, pause, func() (system.Simulation, error) {
		c := s.Box
		s.vary(index, &c)
		t.Params = s.draw(index)
		sim, err := lj.Start(c, s.Seed, s.first+index)
		return simulation{sim, t.Species}, err
	})
}

// stepsAPiece is the number of steps of molecular dynamics in a piece of work.
const stepsAPiece = 10

// simulation is an lj.Simulation. Its method Frame also copies the species of the atoms, because
// the simulator assigns them only when it reaches frame 0.
type simulation struct {
	*lj.Simulation
	species []uint8 // the trajectory's Species (N)
}

func (s simulation) Frame(points []float32, macro []float64) {
	s.Positions(points)
	s.Species(s.species)
	ratios := s.Observe().Ratios
	copy(macro, ratios[:])
}
