package method

import (
	"slices"
	"strings"
	"testing"

	"macroscope/model/system"
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
