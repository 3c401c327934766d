package system

import (
	"context"
	"fmt"
	"slices"
)

// Starts is a Source of what predictions are measured on: frame 0 of every
// trajectory, its species and all of its macroscopic variables. Several models
// are measured on the same ones, and to simulate them takes far longer than to
// predict. Points holds frame 0 alone, (1, N, Dim), though Shape counts all
// frames.
type Starts struct {
	shape Shape
	of    []Trajectory
}

// CollectStarts reads the first count trajectories of a source and tells done
// how many have been read.
func CollectStarts(ctx context.Context, src Source, count, workers int, done func(trajectories int)) (*Starts, error) {
	s := &Starts{shape: src.Shape()}
	s.shape.Trajectories = min(count, s.shape.Trajectories)
	s.of = make([]Trajectory, s.shape.Trajectories)
	seen := Counter(done)
	err := src.Each(ctx, s.shape.Trajectories, workers, func(i int, t *Trajectory) error {
		s.of[i] = t.start(len(t.Points) / s.shape.Frames)
		seen()
		return nil
	})
	return s, err
}

// start returns a copy of the trajectory with its first points alone.
func (t *Trajectory) start(points int) Trajectory {
	c := *t
	c.Points, c.Species, c.Macro = slices.Clone(t.Points[:points]), slices.Clone(t.Species), slices.Clone(t.Macro)
	return c
}

// Shape implements Source.
func (s *Starts) Shape() Shape { return s.shape }

// Each implements Source.
func (s *Starts) Each(ctx context.Context, count, workers int, each func(index int, t *Trajectory) error) error {
	return ForEach(ctx, min(count, len(s.of)), workers, func(i int) error {
		t := s.of[i].start(len(s.of[i].Points))
		return each(i, &t)
	})
}

// Reader implements Source.
func (s *Starts) Reader() (Reader, error) { return &startsReader{src: s}, nil }

type startsReader struct {
	src *Starts
	t   Trajectory
}

func (r *startsReader) Begin(index int) error {
	if index < 0 || index >= len(r.src.of) {
		return fmt.Errorf("there is no trajectory %d of %d", index, len(r.src.of))
	}
	r.t = r.src.of[index].start(len(r.src.of[index].Points))
	return nil
}

func (r *startsReader) Advance() (whole bool, err error) { return true, nil }
func (r *startsReader) Trajectory() *Trajectory          { return &r.t }
func (r *startsReader) Close()                           {}
