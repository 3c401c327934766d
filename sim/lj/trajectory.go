package lj

import (
	"context"

	"macroscope/sim/rng"
)

// Trajectory is a recorded run.
type Trajectory struct {
	Frames  []float32 // (Config.Frames(), N, 2): positions
	Species []uint8   // (N): 1 or 2
	Ratios  []float64 // (Config.Frames(), 2): R_AB, R_BA
}

// NewTrajectory allocates a trajectory with the shape that cfg says.
func NewTrajectory(cfg Config) *Trajectory {
	return &Trajectory{
		Frames:  make([]float32, cfg.Frames()*cfg.N()*2),
		Species: make([]uint8, cfg.N()),
		Ratios:  make([]float64, cfg.Frames()*2),
	}
}

// Record runs the simulation to step Steps and writes every frame from step 0 on to t. Only Step
// allocates. If Step fails or ctx ends, Record returns the error and does not write the later
// frames.
func (s *Simulation) Record(ctx context.Context, t *Trajectory) error {
	size, frames := 2*s.n, s.cfg.Frames()
	if s.step > 0 || len(t.Frames) != frames*size || len(t.Ratios) != 2*frames || len(t.Species) != s.n {
		panic("lj: Record wants a simulation up to step 0 and a trajectory of its Config's shape")
	}
	for k := range frames {
		for s.step < k*s.cfg.Every {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.Step(); err != nil {
				return err
			}
		}
		s.Positions(t.Frames[k*size : (k+1)*size])
		ratios := s.Observe().Ratios
		copy(t.Ratios[2*k:], ratios[:])
	}
	s.Species(t.Species)
	return nil
}

// stream is the name of the random stream of initial velocities.
const stream = "mixing"

// Start returns a simulation at the start of the trajectory with this index.
func Start(cfg Config, seed uint64, index int) (*Simulation, error) {
	return New(cfg, rng.New(seed, stream, uint64(index)).Rand)
}
