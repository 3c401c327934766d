package lab

import (
	"context"
	"slices"
)

// MixingStarts is a MixingSource of what Evaluate needs of trajectories: frame 0
// and all ratios. Several models are measured on one set of them, which takes
// far longer to simulate than to predict.
type MixingStarts struct {
	shape Shape
	of    []Mixed // Frames holds frame 0 alone
}

// CollectMixingStarts reads the first count trajectories of a source.
func CollectMixingStarts(ctx context.Context, src MixingSource, count, workers int, done func(trajectories int)) (*MixingStarts, error) {
	s := &MixingStarts{shape: src.Shape()}
	s.shape.Trajectories = min(count, s.shape.Trajectories)
	s.of = make([]Mixed, s.shape.Trajectories)
	size := s.shape.Particles * s.shape.Dim
	seen := counter(done)
	err := src.Each(ctx, s.shape.Trajectories, workers, func(i int, t *Mixed) error {
		s.of[i] = Mixed{slices.Clone(t.Frames[:size]), slices.Clone(t.Types), slices.Clone(t.Ratios)}
		seen()
		return nil
	})
	return s, err
}

// Shape implements MixingSource.
func (s *MixingStarts) Shape() Shape { return s.shape }

// Each implements MixingSource.
func (s *MixingStarts) Each(ctx context.Context, count, workers int, each func(int, *Mixed) error) error {
	return forEach(ctx, min(count, len(s.of)), workers, func(i int) error { return each(i, &s.of[i]) })
}
