package line

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/gauss"
	"macroscope/sim/rng"
)

// A set drawn for training.
func ExampleSystem() {
	points := make([]float32, 200)
	System().Draw(points, rng.New(1, System().Traits.Streams.Sets, 0, 0))
	fmt.Println(slices.IsSorted(points), points[0] > -2, points[199] < 2)
	// Output: true true true
}

// TestDrawsAsBefore checks that the sets are still the sets on which the shipped models were
// trained. The test draws them again by explicit calls, from the same random streams.
func TestDrawsAsBefore(t *testing.T) {
	const n = 50
	got, want := make([]float32, n), make([]float32, n)
	src, ref := rng.New(3, "demo sets", 7, 2), rng.New(3, "demo sets", 7, 2)
	for range 3 {
		System().Draw(got, src)
		gauss.Draw(ref.Rand).Sample(want, ref.Rand)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatal("another set is drawn for training")
		}
	}
	for index := range 3 {
		System().Validation(got, src, 9, index)
		ref.Seed(9, "demo held-out sets", uint64(index))
		m := gauss.Draw(ref.Rand)
		m.Sample(want, ref.Rand)
		if !slices.Equal(got, want) || src.Uint64() != ref.Uint64() {
			t.Fatal("another set is drawn for validation, or the source is left elsewhere")
		}
		x, p := []float32{-0.5, 0.3}, make([]float32, 2)
		System().Density(p, x, 9, index)
		if p[0] != float32(m.Density(-0.5)) || p[1] != float32(m.Density(float64(x[1]))) {
			t.Errorf("density %v", p)
		}
	}
	if v := testing.AllocsPerRun(10, func() {
		System().Draw(got, src)
		System().Validation(got, src, 9, 1)
	}); v != 0 {
		t.Errorf("%v allocations a set", v)
	}
}

// file makes a File of bytes.
func file(name, content string) system.File {
	return system.File{Name: name, Bytes: strings.NewReader(content), Size: int64(len(content))}
}

func TestOpen(t *testing.T) {
	rec, err := System().Open(file("a.csv", "x\n0.5\n-0.25\n1\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	if got := rec.Facts().Remarks; got != nil {
		t.Errorf("notice %q", got)
	}
	if s := rec.Shape(); s != (system.Shape{Trajectories: 1, Frames: 1, Particles: 3, Dim: 1}) || rec.Observable() != "" {
		t.Errorf("shape %+v", s)
	}
	want := []float32{0.5, -0.25, 1}
	var raw system.Trajectory
	if err := rec.Raw(&raw, 0); err != nil || !slices.Equal(raw.Points, want) || System().Finish(&raw, 1, "") != nil {
		t.Errorf("raw %v, error %v", raw.Points, err)
	}
	if rec.Raw(&raw, 1) == nil {
		t.Error("there is a second set")
	}
	err = system.Each(work.Until(context.Background()), rec, 5, 2, func(i int, tr *system.Trajectory) error {
		var f system.Frame
		System().Frame(&f, tr, 0, 1)
		if i != 0 || !slices.Equal(f.Points, want) || !slices.Equal(f.Ends, []int{3}) {
			t.Errorf("set %d is %v", i, f)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	var made system.Trajectory
	if err := rec.Make(&made, 0, work.Until(t.Context())); err != nil || !slices.Equal(made.Points, want) {
		t.Errorf("%v is read alone, error %v", made.Points, err)
	}
	if rec.Make(&made, 1, work.Until(t.Context())) == nil {
		t.Error("a second set is read alone")
	}
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	many := bytes.Repeat([]byte("1 "), MaxParticles+1)
	for _, tc := range []struct {
		name, content, observable, says string
	}{
		{"a.csv", "one\nthree\n", "", "line 2: \"three\" is not a number"},
		{"a.npy", "\x93NUMPY\x01\x00\xff\xff", "", "the array is cut short"},
		{"empty.csv", "", "", "the file is empty"},
		{"many.txt", string(many), "", `"many.txt" holds 5001 numbers and the lab shows at most 5000`},
		{"nan.csv", "1 NaN", "", "not a finite number"},
		{"a.csv", "1 2", "energy", "no observable"},
	} {
		if _, err := System().Open(file(tc.name, tc.content), tc.observable); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: error %v, want one that says %q", tc.name, err, tc.says)
		}
	}
	two := file("a.csv", "1")
	two.More = []string{"b.csv"}
	if _, err := System().Open(two, ""); err == nil {
		t.Error("two files are opened as one")
	}
	if err := System().Finish(&system.Trajectory{Points: []float32{1, float32(math.Inf(1))}}, 1, ""); err == nil || !strings.Contains(err.Error(), "point 1 in frame 0 is +Inf") {
		t.Errorf("error %v", err)
	}
}

func TestTraits(t *testing.T) {
	s := System()
	if s.Simulated != nil || s.Tests != nil || s.Variables("") != nil || !s.Keep.Has(7) {
		t.Error("a set has trajectories, tests or variables")
	}
}
