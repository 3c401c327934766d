package particle

import (
	"context"
	"fmt"

	"macroscope/sim/rng"
	"macroscope/sim/spread"
)

// Trajectory is a recorded run.
type Trajectory struct {
	Frames []float32 // (Steps+1, N, 2)
	Energy []float64 // (Steps+1), per pair
}

// NewTrajectory allocates a trajectory with the shape that cfg says.
func NewTrajectory(cfg Config) *Trajectory {
	return &Trajectory{
		Frames: make([]float32, (cfg.Steps+1)*cfg.N*2),
		Energy: make([]float64, cfg.Steps+1),
	}
}

// Record runs the simulation from step 0 to step Steps and writes every frame and energy to t. It
// allocates nothing. If Step fails or ctx ends, Record returns the error and does not write the
// frames from Index()+1 on.
func (s *Simulation) Record(ctx context.Context, t *Trajectory) error {
	size := 2 * s.cfg.N
	if s.step != 0 || len(t.Frames) != (s.cfg.Steps+1)*size || len(t.Energy) != s.cfg.Steps+1 {
		panic("particle: Record wants a simulation at step 0 and a trajectory of its Config's shape")
	}
	for k := 0; ; k++ {
		s.Positions(t.Frames[k*size : (k+1)*size])
		t.Energy[k] = s.Energy()
		if k == s.cfg.Steps {
			return nil
		}
		if err := s.Step(ctx); err != nil {
			return err
		}
	}
}

// InitialPositions returns the initial positions (N, 2) of the trajectory that Generate makes
// with this index.
func InitialPositions(cfg Config, seed uint64, index int) []float32 {
	xy := make([]float32, 2*cfg.N)
	cfg.Initial(xy, rng.New(seed, stream, uint64(index)).Rand)
	return xy
}

// stream is the name of the random stream of initial positions.
const stream = "particles"

// Generate simulates `count` trajectories, with the indices `first`, `first`+1, …, on the given
// number of workers (0: one per core). It calls `each` with every trajectory, in any order and
// concurrently from several goroutines. A trajectory is valid until its call of `each` returns.
//
// Unless `vary` is nil, Generate calls it before each trajectory with a copy of cfg. `vary` may
// change the force and the time step, but not the number of particles or steps. A trajectory
// depends only on cfg, `seed`, its index and `vary`. The first error of ctx, of a simulation, of
// `vary` or of `each` stops all workers and is returned.
func Generate(ctx context.Context, cfg Config, seed uint64, first, count, workers int, vary func(index int, cfg *Config) error, each func(index int, t *Trajectory) error) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if first < 0 || count < 0 {
		return fmt.Errorf("particle: cannot simulate %d trajectories from number %d on; neither may be negative", count, first)
	}
	return spread.Each(ctx, count, 1, workers, func() func(context.Context, int, int) error {
		var (
			source    = rng.New(seed, stream)
			positions = make([]float32, 2*cfg.N)
			t         = NewTrajectory(cfg)
			sim       *Simulation
		)
		return func(ctx context.Context, k, _ int) error {
			index := first + k
			source.Seed(seed, stream, uint64(index))
			own := cfg
			var err error
			if vary != nil {
				err = vary(index, &own)
			}
			own.Initial(positions, source.Rand)
			if err != nil {
				return fmt.Errorf("trajectory %d: %w", index, err)
			}
			if sim == nil || own != sim.Config() {
				sim, err = New(ctx, own, positions)
			} else {
				err = sim.Reset(ctx, positions)
			}
			if err == nil {
				err = sim.Record(ctx, t)
			}
			if err != nil {
				return fmt.Errorf("trajectory %d: %w", index, err)
			}
			return each(index, t)
		}
	})
}
