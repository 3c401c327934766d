package flock

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/data"
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/flock"
)

// read returns a trajectory of a source.
func read(t *testing.T, src system.Source, index int) *system.Trajectory {
	t.Helper()
	tr := new(system.Trajectory)
	if err := src.Make(tr, index, work.Until(t.Context())); err != nil {
		t.Fatal(err)
	}
	return tr
}

// last returns the mean polarisation of the last half of a trajectory.
func last(tr *system.Trajectory) (mean float64) {
	frames := tr.Frames(len(variables))
	for k := frames / 2; k < frames; k++ {
		mean += tr.At(k, len(variables))[0] / float64(frames-frames/2)
	}
	return mean
}

// TestSimulated checks the shape of trajectories, that equal indices give equal bits, and that every purpose has other
// trajectories.
func TestSimulated(t *testing.T) {
	var first [][]float32
	for _, purpose := range []system.Purpose{system.Show, system.Train, system.Validate, system.Encode} {
		src := System().Simulated(system.Choice{Purpose: purpose, Seed: 1, Count: 2})
		if got, want := src.Shape(), (system.Shape{Trajectories: 2, Frames: 201, Particles: 300, Dim: 4}); got != want {
			t.Fatalf("shape %+v, want %+v", got, want)
		}
		tr := read(t, src, 1)
		if again := read(t, src, 1); !slices.Equal(again.Points, tr.Points) || !slices.Equal(again.Macro, tr.Macro) {
			t.Errorf("purpose %d: the same index gives other bits", purpose)
		}
		for _, other := range first {
			if slices.Equal(other, tr.Points) {
				t.Errorf("purpose %d has the trajectory of another", purpose)
			}
		}
		first = append(first, slices.Clone(tr.Points))
	}
	if err := System().Simulated(system.Choice{Count: 1}).Make(new(system.Trajectory), 1, work.Until(t.Context())); err == nil {
		t.Error("there is a second trajectory of one")
	}
}

// TestTransition draws η for every trajectory. The parameter decides whether the flock orders.
func TestTransition(t *testing.T) {
	for _, tc := range []struct{ eta, low, high float64 }{{0, 0.9, 1}, {0.3, 0.6, 0.95}, {0.9, 0, 0.15}} {
		src := System().Simulated(system.Choice{Seed: 2, Count: 1, Params: system.Ranges{{Name: "eta", Low: tc.eta, High: tc.eta}}})
		tr := read(t, src, 0)
		if p := last(tr); p < tc.low || p > tc.high || len(tr.Params) != 1 || tr.Params[0] != tc.eta {
			t.Errorf("η = %g: polarisation %.3f, parameters %v", tc.eta, p, tr.Params)
		}
	}
	src := System().Simulated(system.Choice{Seed: 2, Count: 20, Params: system.Ranges{{Name: "eta", Low: 0.05, High: 0.85}}})
	low, high := 1.0, 0.0
	for i := range 20 {
		eta := read(t, src, i).Params[0]
		low, high = min(low, eta), max(high, eta)
	}
	if low < 0.05 || high > 0.85 || high-low < 0.5 {
		t.Errorf("η is from %g to %g", low, high)
	}
}

// TestTests checks the first frames of the tests.
func TestTests(t *testing.T) {
	for _, test := range System().Tests(0) {
		src := test.Source(system.Choice{Seed: 1, Count: 4})
		birds := map[string]int{"in-dst": 300, "diff-init": 300, "diff-N": 400}[test.Name]
		if n := src.Shape().Particles; n != birds || test.Fixed != (n == 300) {
			t.Errorf("%s has %d birds", test.Name, n)
		}
		for i := range 4 {
			if p := read(t, src, i).Macro[0]; test.Name == "diff-init" && p > 0.2 {
				t.Errorf("%s: trajectory %d starts with a polarisation of %g", test.Name, i, p)
			}
		}
	}
	if p := read(t, System().Simulated(system.Choice{Seed: 1, Count: 9, Wide: true}), 3).Macro[0]; !(p > 0 && p < 1) {
		t.Errorf("a wide start has a polarisation of %g", p)
	}
}

// TestFile writes a trajectory without its variables and reads it again: the variables are computed, and the noise is
// that of the file.
func TestFile(t *testing.T) {
	tr := read(t, System().Simulated(system.Choice{Seed: 1, Count: 1}), 0)
	const frames = 5
	size := 300 * flock.Dim
	var b bytes.Buffer
	a := data.NewArchive(&b)
	if err := cmp.Or(a.Array(system.TrajectoriesArray, data.NewArray([]int{1, frames, 300, flock.Dim}, tr.Points[:frames*size])), a.Array("eta", data.NewArray([]int{1}, []float64{0.4}))); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	own, err := System().Open(system.File{Name: "f.npz", Bytes: bytes.NewReader(b.Bytes()), Size: int64(b.Len())}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	got := read(t, own, 0)
	if len(got.Params) != 1 || got.Params[0] != 0.4 {
		t.Errorf("parameters %v", got.Params)
	}
	for i, v := range got.Macro {
		if d := math.Abs(v - tr.Macro[i]); d > 1e-3 {
			t.Errorf("variable %d is %g, want %g", i, v, tr.Macro[i])
		}
	}
	if err := files.Check(system.Shape{Dim: 2}); err == nil || !strings.Contains(err.Error(), "x, y, vx and vy") {
		t.Errorf("birds with 2 coordinates: %v", err)
	}
}

// TestFlags checks the settings of the command simulate.
func TestFlags(t *testing.T) {
	c := system.Choice{Seed: 1, Count: 1}
	table, begin := System().Flags(&c)
	for name, value := range map[string]string{"particles": "50", "steps": "7"} {
		if err := table.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	src, err := begin()
	if err != nil || src.Shape() != (system.Shape{Trajectories: 1, Frames: 8, Particles: 50, Dim: 4}) {
		t.Errorf("%v, %v", src, err)
	}
	c.Particles = -1
	if _, err := begin(); err == nil || !strings.Contains(err.Error(), "number of birds") {
		t.Errorf("-1 birds: %v", err)
	}
}
