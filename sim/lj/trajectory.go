package lj

import (
	"context"
	"fmt"

	"macroscope/sim/rng"
	"macroscope/sim/spread"
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

// Generate simulates `count` trajectories, with the indices `first`, `first`+1, …, on the given
// number of workers (0: one per core). It calls `each` with every trajectory, in any order and
// concurrently from several goroutines. A trajectory is valid until its call of `each` returns.
//
// Unless `vary` is nil, Generate calls it before each trajectory with a copy of cfg. `vary` may
// change the boundary and the pair table, but not the number of atoms or frames. A trajectory
// depends only on cfg, `seed`, its index and `vary`. The first error of ctx, of a simulation or of
// `each` stops all workers and is returned.
func Generate(ctx context.Context, cfg Config, seed uint64, first, count, workers int, vary func(index int, cfg *Config), each func(index int, t *Trajectory) error) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if first < 0 || count < 0 {
		return fmt.Errorf("lj: cannot simulate %d trajectories from number %d on; neither may be negative", count, first)
	}
	return spread.Each(ctx, count, 1, workers, func() func(context.Context, int, int) error {
		t := NewTrajectory(cfg)
		return func(ctx context.Context, k, _ int) error {
			return generate(ctx, cfg, seed, first+k, t, vary, each)
		}
	})
}

// generate simulates one trajectory.
func generate(ctx context.Context, cfg Config, seed uint64, index int, t *Trajectory, vary func(int, *Config), each func(int, *Trajectory) error) error {
	n, frames := cfg.N(), cfg.Frames()
	if vary != nil {
		vary(index, &cfg)
	}
	s, err := Start(cfg, seed, index)
	if err == nil && (s.n != n || cfg.Frames() != frames) {
		err = fmt.Errorf("lj: %d frames of %d atoms do not fit in among %d of %d; vary what leaves their numbers alone", cfg.Frames(), s.n, frames, n)
	}
	if err == nil {
		err = s.Record(ctx, t)
	}
	if err != nil {
		return fmt.Errorf("trajectory %d: %w", index, err)
	}
	return each(index, t)
}
