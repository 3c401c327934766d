package excerpt

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"macroscope/model/system"
	"macroscope/model/work"
)

// counted is a Source of three trajectories on a line. A trajectory has four frames and two
// particles. Each number identifies its trajectory, frame and particle.
type counted struct{ err error }

func (counted) Shape() system.Shape {
	return system.Shape{Trajectories: 3, Frames: 4, Particles: 2, Dim: 1}
}

func (c counted) make(i int) *system.Trajectory {
	t := &system.Trajectory{Species: []uint8{1, uint8(1 + i)}}
	for k := range 4 {
		t.Points = append(t.Points, float32(100*i+10*k), float32(100*i+10*k+1))
		t.Macro = append(t.Macro, float64(100*i+k))
	}
	return t
}

func (c counted) Make(t *system.Trajectory, i int, _ work.Pause) error {
	if c.err != nil && i == 1 {
		return c.err
	}
	*t = *c.make(i)
	return nil
}

func TestStarts(t *testing.T) {
	s, err := Collect(work.Until(t.Context()), counted{}, 0, 7, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Shape(), (system.Shape{Trajectories: 3, Frames: 4, Particles: 2, Dim: 1}); got != want {
		t.Errorf("shape %v, want %v", got, want)
	}
	var made system.Trajectory
	for range 2 { // the second pass detects changes that reached the source
		err := system.Each(work.Until(context.Background()), s, 3, 2, func(i int, got *system.Trajectory) error {
			checkStart(t, i, got)
			got.Points[0], got.Macro[0], got.Species[0] = -1, -1, 9
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{2, 0} {
			if err := s.Make(&made, i, work.Until(t.Context())); err != nil {
				t.Fatal(err)
			}
			checkStart(t, i, &made)
			made.Points[0] = -1
		}
	}
	if err := s.Make(&made, 3, work.Until(t.Context())); err == nil {
		t.Error("there is a fourth trajectory")
	}
	if s, err := Collect(work.Until(context.Background()), counted{}, 0, 2, 1); err != nil || s.Shape().Trajectories != 2 {
		t.Errorf("%v, %v, want 2 trajectories", s.Shape(), err)
	}
	broken := errors.New("broken")
	if _, err := Collect(work.Until(context.Background()), counted{broken}, 0, 3, 1); !errors.Is(err, broken) {
		t.Errorf("error %v, want the source's", err)
	}
}

// TestStartsToAFrame checks that Starts contains only the points up to a frame, also after
// writing and reading.
func TestStartsToAFrame(t *testing.T) {
	const begin = 2
	s, err := Collect(work.Until(t.Context()), counted{}, begin, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Starts{s, again} {
		if s.Begin() != begin || s.Shape() != (system.Shape{Trajectories: 2, Frames: 4, Particles: 2, Dim: 1}) {
			t.Errorf("frames to %d of %+v", s.Begin(), s.Shape())
		}
		err := system.Each(work.Until(t.Context()), s, 2, 1, func(i int, got *system.Trajectory) error {
			if want := (counted{}).make(i); !slices.Equal(got.Points, want.Points[:6]) || !slices.Equal(got.Macro, want.Macro) {
				t.Errorf("trajectory %d: %v, want the first frames of %v", i, got, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	for _, begin := range []int{-1, 4} {
		if _, err := Collect(work.Until(t.Context()), counted{}, begin, 3, 1); err == nil {
			t.Errorf("starts to frame %d of 4", begin)
		}
	}
	shape := s.Shape()
	shape.Frames = 2
	s = newStarts(shape, s.of, begin)
	for i := range s.of {
		s.of[i].Macro = s.of[i].Macro[:2]
	}
	b.Reset()
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(bytes.NewReader(b.Bytes()), int64(b.Len())); err == nil {
		t.Error("more first frames than frames are read")
	}
}

func checkStart(t *testing.T, i int, got *system.Trajectory) {
	t.Helper()
	want := counted{}.make(i)
	if !slices.Equal(got.Points, want.Points[:2]) || !slices.Equal(got.Species, want.Species) || !slices.Equal(got.Macro, want.Macro) {
		t.Errorf("trajectory %d: got %v, want frame 0 of %v", i, got, want)
	}
}
