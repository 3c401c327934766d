package polymer

import (
	"context"
	"fmt"
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
