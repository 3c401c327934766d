package own

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"macroscope/model/system"
)

// flock is a system with all kinds of facts.
func flock() Spec {
	return Spec{
		Title: "A flock",
		Axes: []Axis{
			{Name: "x", Unit: "m", Period: 5}, {Name: "y", Unit: "m", Period: 5},
			{Name: "vx", Unit: "m/s", Kind: Velocity}, {Name: "vy", Unit: "m/s", Kind: Velocity, Centre: -0.5}, {Name: "body mass", Kind: Mark},
		},
		Species:     []Species{{"birds", "4"}, {"2", "2"}},
		Observables: []Observable{{Name: "order", Of: "polarisation"}, {Name: "noise level", Unit: "dB"}},
		Frames:      12, Dt: 0.2, Time: "s", Noise: true, Turns: true, Preset: "quick", Keep: []Kept{{4, 1}, {0, 2}}, Stride: 3,
	}
}

// TestDescription writes a system to the metadata of a checkpoint and reads it again, and writes it as lines.
func TestDescription(t *testing.T) {
	s := flock()
	read, err := Read(s.description())
	if err != nil {
		t.Fatal(err)
	}
	want := s.System()
	if !reflect.DeepEqual(read.Traits, want.Traits) || !reflect.DeepEqual(read.Macro, want.Macro) {
		t.Errorf("read %+v, written %+v", read.Traits, want.Traits)
	}
	lines, err := ParseLines("# a comment\n"+s.Text(), "flock.system")
	if err != nil {
		t.Fatal(err)
	}
	found := Spec{Axes: axes(5), Species: []Species{{"2", "2"}, {"4", "4"}}, Observables: []Observable{{Name: "noise level"}, {Name: "other"}}, Frames: 12}
	if err := found.Apply(lines); err != nil {
		t.Fatal(err)
	}
	s.Species = []Species{{"birds", "2"}, {"2", "4"}} // the file numbers them
	if !reflect.DeepEqual(found, s) {
		t.Errorf("from lines %+v, want %+v", found, s)
	}
	if tr := want.Traits; !reflect.DeepEqual(tr.Vectors, [][]int{{0, 1}, {2, 3}}) || !reflect.DeepEqual(tr.Periods, []float64{5, 5, 0, 0, 0}) || tr.Centre[3] != -0.5 {
		t.Errorf("vectors %v, periods %v, centre %v", tr.Vectors, tr.Periods, tr.Centre)
	}
}

// TestWrongLines checks the sentences about wrong lines.
func TestWrongLines(t *testing.T) {
	for text, says := range map[string]string{
		"axes = x, y\nspeed":                               `a.system:2: "speed" is not NAME = VALUE`,
		"colour = red":                                     "colour",
		"axes = x":                                         "there are 1 axes, and the particles have 2 coordinates",
		"species = A, B":                                   "there are 2 species, and the file has 1",
		"axes = x period -2, y":                            `a.system:1: axes cannot be "x period -2, y": the period "-2" of "x" is not a number from 0`,
		"axes = x, x":                                      "there twice",
		"frames = 3":                                       "the number of frames is that of the data",
		"observables = pressure":                           `the file has no observable "pressure"; it has energy`,
		"observables = p = 7":                              `the observable "p" cannot be "7": use gyration`,
		"observables = p = extent z":                       `there is no axis "z"`,
		"observables = p = speed":                          "no axis is a velocity",
		"observables = p = unlike B within 1":              "name one of the species 1",
		"observables = p = pair r^":                        `the observable "p" cannot be "pair r^"`,
		"observables = p =":                                "nothing stands after",
		"noise = perhaps":                                  "give true or false",
		"turns = yes\naxes = x, y velocity":                "turns cannot be",
		"turns = true\naxes = x, y velocity":               "no two or three positions",
		"axes = x [m, y [m]":                               "a comma, a bracket",
		"title = a\ndt = -1":                               "dt cannot be",
		"axes = x period 3, y\nobservables = g = gyration": "it needs positions that do not repeat",
	} {
		s := Spec{Axes: axes(2), Species: one(), Observables: []Observable{{Name: "energy"}}, Frames: 5, runs: 1}
		lines, err := ParseLines(text, "a.system")
		if err == nil {
			err = s.Apply(lines)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one that says %q", text, err, says)
		}
	}
}

// TestComputed compares computed observables of three particles with their values by hand. The box has the side 10
// along y, so the particles at y = 1 and y = 9 are 2 apart.
func TestComputed(t *testing.T) {
	s := Spec{
		Axes:    []Axis{{Name: "x"}, {Name: "y", Period: 10}, {Name: "vx", Kind: Velocity}, {Name: "vy", Kind: Velocity}},
		Species: []Species{{"A", "1"}, {"B", "2"}}, Frames: 2, runs: 1,
	}
	points := []float32{0, 1, 3, 4, 0, 9, 0, 5, 6, 1, -3, -4}
	species := []uint8{1, 2, 1}
	for of, want := range map[string]float64{
		"extent x": 6, "mean x": 2, "speed": 5, "polarisation": 5.0 / 15, "neighbours 3": 2.0 / 3, "neighbours 7": 2,
		"unlike A within 3": 1, "unlike B within 3": 1, "unlike A within 7": 0.5, "pair r": (2 + 6 + math.Sqrt(40)) / 3,
	} {
		s.Observables = []Observable{{Name: "it", Of: of}}
		observe, err := s.System().Files.Observer("", "", 4)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 1)
		if err := observe(got, points, &system.Trajectory{Species: species}); err != nil || math.Abs(got[0]-want) > 1e-6 {
			t.Errorf("%s is %g, want %g; %v", of, got[0], want, err)
		}
	}
	s.Axes[1].Period = 0
	s.Observables = []Observable{{Name: "size", Of: "gyration"}}
	observe, err := s.System().Files.Observer("", "", 4)
	got := []float64{0}
	if err == nil {
		err = observe(got, points, &system.Trajectory{Species: species})
	}
	if want := math.Sqrt(8 + 128.0/9); err != nil || math.Abs(got[0]-want) > 1e-6 { // variances of x and y
		t.Errorf("gyration %g, want %g; %v", got[0], want, err)
	}
}
