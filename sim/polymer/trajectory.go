package polymer

import (
	"context"
	"fmt"
	"runtime"

	"macroscope/sim/spread"
)

// Trajectory is a recorded run.
type Trajectory struct {
	Frames    []float32 // (Frames, N, 3), each relative to its centre of mass
	Extension []float64 // (Frames): max x - min x
}

// NewTrajectory allocates a trajectory with the shape that cfg says.
func NewTrajectory(cfg Config) *Trajectory {
	return &Trajectory{
		Frames:    make([]float32, cfg.Frames*cfg.N*3),
		Extension: make([]float64, cfg.Frames),
	}
}

// Record runs all chains from step 0 to the last frame and writes each to its trajectory. Only
// Step allocates. After an error of Step or ctx the trajectories are incomplete.
func (s *Simulation) Record(ctx context.Context, trajectories ...*Trajectory) error {
	size := 3 * s.cfg.N
	if len(trajectories) != s.chains {
		panic(fmt.Sprintf("polymer: %d trajectories of %d chains", len(trajectories), s.chains))
	}
	for k, t := range trajectories {
		if s.steps[k] != 0 || len(t.Frames) != s.cfg.Frames*size || len(t.Extension) != s.cfg.Frames {
			panic("polymer: Record wants chains at step 0 and trajectories of its Config's shape")
		}
	}
	for frame := 0; ; frame++ {
		for k, t := range trajectories {
			s.Positions(k, t.Frames[frame*size:(frame+1)*size])
			t.Extension[frame] = s.Extension(k)
		}
		if frame == s.cfg.Frames-1 {
			return nil
		}
		if err := s.Advance(ctx, s.cfg.Every); err != nil {
			return err
		}
	}
}

// Advance takes the given number of steps. It checks ctx every few milliseconds. It returns the
// error of Step or of ctx.
func (s *Simulation) Advance(ctx context.Context, steps int) error {
	for k := range steps {
		if k%64 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := s.Step(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Generate simulates `count` trajectories, with the indices `first`, `first`+1, …, on the given
// number of workers (0: one per core). It calls `each` with every trajectory, in any order and
// concurrently from several goroutines. A trajectory is valid until its call of `each` returns.
//
// `start` writes the initial positions (N, 3) of a trajectory; if it is nil, Generate takes
// InitialPositions. A trajectory depends only on cfg, `seed`, its index and its initial positions.
// The first error of ctx, of a simulation or of `each` stops all workers and is returned.
func Generate(ctx context.Context, cfg Config, seed uint64, first, count, workers int,
	start func(index int, positions []float32), each func(index int, t *Trajectory) error) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if first < 0 || count < 0 {
		return fmt.Errorf("polymer: cannot simulate %d trajectories from number %d on; neither may be negative", count, first)
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if start == nil {
		start = func(index int, positions []float32) { copy(positions, InitialPositions(cfg, seed, index)) }
	}
	side := min(active().width, (count+workers-1)/workers)
	return spread.Each(ctx, count, max(side, 1), workers, func() func(context.Context, int, int) error {
		trajectories := make([]*Trajectory, side)
		chains := make([]Chain, side)
		for k := range chains {
			trajectories[k] = NewTrajectory(cfg)
			chains[k].Positions = make([]float32, 3*cfg.N)
		}
		return func(ctx context.Context, from, to int) error {
			n := to - from
			for k := range n {
				index := first + from + k
				chains[k].Key = NewKey(seed, uint64(index))
				start(index, chains[k].Positions)
			}
			s, err := New(cfg, chains[:n]...)
			if err == nil {
				err = s.Record(ctx, trajectories[:n]...)
			}
			if err != nil {
				return fmt.Errorf("trajectories %d to %d: %w", first+from, first+to-1, err)
			}
			for k := range n {
				if err := each(first+from+k, trajectories[k]); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

// Unfold simulates several runs from the same start. Run k has the noise of the key NewKey(seed,
// k). For each run Unfold returns the first frame with an extension above the threshold, or -1 if
// there is none. The mean over many runs measures how fast a chain unfolds from this start. Unfold
// returns the error of ctx or of a simulation.
func Unfold(ctx context.Context, cfg Config, seed uint64, positions []float32, runs int, threshold float64) ([]int, error) {
	frames := make([]int, 0, runs)
	for len(frames) < runs {
		chains := make([]Chain, min(active().width, runs-len(frames)))
		for k := range chains {
			chains[k] = Chain{NewKey(seed, uint64(len(frames)+k)), positions}
		}
		s, err := New(cfg, chains...)
		if err != nil {
			return nil, err
		}
		first, err := s.unfold(ctx, threshold)
		if err != nil {
			return nil, err
		}
		frames = append(frames, first...)
	}
	return frames, nil
}

// unfold returns, for each chain, the first frame with an extension above the threshold, or -1 if
// there is none.
func (s *Simulation) unfold(ctx context.Context, threshold float64) ([]int, error) {
	first, left := make([]int, s.chains), s.chains
	for k := range first {
		first[k] = -1
	}
	for frame := 0; ; frame++ {
		for k := range first {
			if first[k] < 0 && s.Extension(k) > threshold {
				first[k] = frame
				left--
			}
		}
		if left == 0 || frame == s.cfg.Frames-1 {
			return first, nil
		}
		if err := s.Advance(ctx, s.cfg.Every); err != nil {
			return nil, err
		}
	}
}
