package excerpt

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"macroscope/model/system"
	"macroscope/model/work"
)

// numbered is a recording of five trajectories of four frames, the last of three, of two particles on a line, with
// one macroscopic variable. Every number is 100 times the trajectory plus the frame.
type numbered struct{ system.Recorded }

func (numbered) Shape() system.Shape {
	return system.Shape{Trajectories: 5, Frames: 4, Particles: 2, Dim: 1}
}

func (numbered) Raw(t *system.Trajectory, e int) error {
	*t = system.Trajectory{Species: []uint8{1, 1}}
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
		part Part
		want [][]float64 // macroscopic variables
	}{
		{Part{numbered{}, []int{0, 2, 3}, 0, 4}, [][]float64{{0, 1, 2, 3}, {200, 201, 202, 203}, {300, 301, 302, 303}}},
		{Part{numbered{}, []int{1, 4}, 1, 3}, [][]float64{{101, 102}, {401, 402}}},
		{Part{numbered{}, []int{1, 4}, 1, 4}, [][]float64{{101, 102, 103}, {401, 402}}},
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
