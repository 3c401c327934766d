package method

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"macroscope/model/system"
	"macroscope/model/work"
)

// TestKeptOutOf checks how many of the user's trajectories are kept out, that they are spread over the
// file, and that the parts are as Divide says.
func TestKeptOutOf(t *testing.T) {
	for _, tc := range []struct{ trajectories, frames, begin, out, last int }{
		{2, 9, 0, 1, 0}, {14, 9, 0, 1, 0}, {15, 9, 0, 2, 0}, {59, 9, 0, 6, 0}, {60, 9, 0, 9, 0}, {94, 9, 0, 9, 0}, {95, 9, 0, 10, 0}, {160, 9, 0, 16, 0}, {100_000, 9, 0, 16, 0},
		{1, 100, 0, 0, 20}, {1, 10, 0, 0, 2}, {1, 7, 0, 0, 0}, {1, 100, 18, 0, 20}, {1, 100, 19, 0, 0}, {1, 2, 0, 0, 0},
	} {
		s := system.Shape{Trajectories: tc.trajectories, Frames: tc.frames, Particles: 4, Dim: 2}
		k := keptOutOf(s, tc.begin)
		if len(k.Trajectories) != tc.out || k.Frames != tc.last {
			t.Errorf("of %+v, %+v is kept out", s, k)
		}
		for i, e := range k.Trajectories {
			if first, end := i*tc.trajectories/tc.out, (i+1)*tc.trajectories/tc.out; e < first || e >= end {
				t.Errorf("of %+v, number %d kept out is trajectory %d, want one of [%d, %d)", s, i, e, first, end)
			}
		}
		training, out, err := k.Divide(own{shape: s})
		if err != nil {
			t.Fatal(err)
		}
		want := s
		want.Trajectories, want.Frames = s.Trajectories-tc.out, s.Frames-tc.last
		if training.Shape() != want || (out == nil) != (tc.out+tc.last == 0) {
			t.Errorf("%+v is divided into %+v and %v", s, training.Shape(), out)
		}
		seen := slices.Clone(k.Trajectories)
		for i := range want.Trajectories {
			seen = append(seen, k.Index(i))
		}
		slices.Sort(seen)
		for i, e := range seen {
			if e != i {
				t.Fatalf("of %+v, the parts together have trajectory %d in place of %d", s, e, i)
			}
		}
	}
	if k := (KeptOut{Trajectories: []int{3}}); !strings.Contains(k.InWords(), "number 4") {
		t.Errorf("it is said %q", k.InWords())
	}
}

// TestKeptOutRefuses gives a KeptOut trajectories that its training cannot have begun with, and lists
// that cannot be.
func TestKeptOutRefuses(t *testing.T) {
	for _, tc := range []struct {
		k            KeptOut
		trajectories int
	}{{KeptOut{Trajectories: []int{1, 4}}, 4}, {KeptOut{Trajectories: []int{0, 1}}, 2}, {KeptOut{Frames: 3}, 2}, {KeptOut{Frames: 9}, 1}} {
		if _, _, err := tc.k.Divide(own{shape: system.Shape{Trajectories: tc.trajectories, Frames: 9}}); err == nil {
			t.Errorf("%+v is kept out of %d trajectories of 9 frames", tc.k, tc.trajectories)
		}
	}
	for _, list := range []string{"3 2", "2 2", "-1", "some", "", strings.Repeat("1 ", 1000)} {
		var k KeptOut
		if k.table().Read(map[string]string{"validation": list}, "") == nil {
			t.Errorf("%q is read as %+v", list, k)
		}
	}
}

// numbered is a recording of five trajectories of four frames, the last of three, of two particles on a line, with
// one macroscopic variable. Every number is 100 times the trajectory plus the frame.
type numbered struct{ system.Recorded }

func (numbered) Shape() system.Shape {
	return system.Shape{Trajectories: 5, Frames: 4, Particles: 2, Dim: 1}
}

func (numbered) Raw(t *system.Trajectory, e int) error {
	*t = system.Trajectory{Species: system.Alike(2)}
	for k := range min(4, 7-e) {
		v := float32(100*e + k)
		t.Points, t.Macro = append(t.Points, v, v), append(t.Macro, float64(v))
	}
	return nil
}

func (c numbered) Make(t *system.Trajectory, e int, _ work.Pause) error { return c.Raw(t, e) }

// TestPart reads parts of trajectories in the three ways in which a recording can be read.
func TestPart(t *testing.T) {
	for _, tc := range []struct {
		part part
		want [][]float64 // macroscopic variables
	}{
		{part{numbered{}, []int{0, 2, 3}, 0, 4}, [][]float64{{0, 1, 2, 3}, {200, 201, 202, 203}, {300, 301, 302, 303}}},
		{part{numbered{}, []int{1, 4}, 1, 3}, [][]float64{{101, 102}, {401, 402}}},
		{part{numbered{}, []int{1, 4}, 1, 4}, [][]float64{{101, 102, 103}, {401, 402}}},
	} {
		check := func(how string, i int, of *system.Trajectory) {
			t.Helper()
			var points []float32
			for _, v := range tc.want[i] {
				points = append(points, float32(v), float32(v))
			}
			if !slices.Equal(of.Macro, tc.want[i]) || !slices.Equal(of.Points, points) {
				t.Errorf("%s: trajectory %d is %v, %v, want %v", how, i, of.Macro, of.Points, tc.want[i])
			}
		}
		if s := tc.part.Shape(); s != (system.Shape{Trajectories: len(tc.want), Frames: len(tc.want[0]), Particles: 2, Dim: 1}) {
			t.Errorf("the shape is %+v", s)
		}
		var made system.Trajectory
		for i := range tc.want {
			var raw system.Trajectory
			if err := tc.part.Raw(&raw, i); err != nil {
				t.Fatal(err)
			}
			check("raw", i, &raw)
			if err := tc.part.Make(&made, i, work.Until(t.Context())); err != nil {
				t.Fatal(err)
			}
			check("made", i, &made)
		}
		for count := range len(tc.want) + 2 {
			var seen sync.Map
			if err := system.Each(work.Until(t.Context()), &tc.part, count, 2, func(i int, of *system.Trajectory) error {
				check("each", i, of)
				if _, twice := seen.LoadOrStore(i, true); twice || i >= count {
					return fmt.Errorf("trajectory %d of %d is passed, twice: %v", i, count, twice)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
		for _, i := range []int{-1, len(tc.want)} {
			if tc.part.Make(&made, i, work.Until(t.Context())) == nil || tc.part.Raw(new(system.Trajectory), i) == nil {
				t.Errorf("there is a trajectory %d", i)
			}
		}
	}
}
