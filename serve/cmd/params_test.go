package cmd

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macroscope/model/system"
)

// TestParametersFromTheCommandLine simulates particles with different forces, trains
// dynamics that take the force's parameters, and evaluates them at chosen parameters.
func TestParametersFromTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	file, usual, model := filepath.Join(dir, "f.npz"), filepath.Join(dir, "usual.npz"), filepath.Join(dir, "m.safetensors")
	small := []string{"simulate", "-n", "4", "-particles", "12", "-steps", "40"}
	mustRun(t, append(small, "-params", "b:0.3,a", "-out", file)...)
	mustRun(t, append(small, "-out", usual)...)
	arrays := arraysOf(t, file)
	a, b := arrays["a"], arrays["b"]
	if a == nil || b == nil || !slices.Equal(b.Float64s(), []float64{0.3, 0.3, 0.3, 0.3}) || !slices.Equal(a.Shape, []int{4}) || slices.Min(a.Float64s()) == slices.Max(a.Float64s()) {
		t.Fatalf("the parameters are %v and %v", a, b)
	}
	if arrays := arraysOf(t, usual); len(arrays) != 3 {
		t.Errorf("there are %d arrays of usual trajectories", len(arrays))
	}
	mustRun(t, "train", "-experiment", "particles@browser", "-params", "a:2:8,b", "-set", "particles=12", "-set", "trajectories=3", "-set", "warm=0", "-set", "law.trajectories=3", "-steps", "3", "-law-steps", "3", "-out", model)
	var of struct {
		MRE   float64
		Tests []struct {
			Set          string
			MRE          float64
			Trajectories int
		}
	}
	sets := func(args ...string) (names []string) {
		of.Tests = nil
		evalJSON(t, &of, append([]string{"-model", model}, args...)...)
		for _, r := range of.Tests {
			if names = append(names, r.Set); !(r.MRE > 0) || r.Trajectories != 2 {
				t.Errorf("%v: %+v", args, r)
			}
		}
		return names
	}
	if sets("-data", file); !(of.MRE > 0) {
		t.Errorf("MRE %g", of.MRE)
	}
	if got, want := sets("-grid", "2", "-trajectories", "2"), []string{"in-dst at a = 2, b = 0", "in-dst at a = 2, b = 0.5", "in-dst at a = 8, b = 0", "in-dst at a = 8, b = 0.5"}; !slices.Equal(got, want) {
		t.Errorf("a grid of %q, want %q", got, want)
	}
	usualTests := slices.Clone(of.Tests)
	if got := sets("-params", "a:6", "-trajectories", "2"); !slices.Equal(got, []string{"in-dst at a = 6", "diff-init at a = 6", "diff-N at a = 6"}) || of.Tests[0].MRE == usualTests[0].MRE {
		t.Errorf("tests %q", got)
	}
	for _, tc := range []struct {
		says string
		args []string
	}{
		{"-grid 1; use 2", []string{"-grid", "1"}}, {"-grid goes over all values", []string{"-grid", "2", "-params", "a:6"}}, {"-params means nothing", []string{"-params", "a", "-data", file}},
		{"no parameter", []string{"-params", "c:1"}}, {"-tests holds trajectories with the usual force and parameters", []string{"-params", "a:6", "-tests", dir}},
	} {
		if _, err := command(t, context.Background(), append([]string{"eval", "-model", model}, tc.args...)...); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%v: error %v, want %q", tc.args, err, tc.says)
		}
	}
	if _, err := command(t, context.Background(), "simulate", "-params", "a:6", "-test", "in-dst"); err == nil || !strings.Contains(err.Error(), "-params and -test contradict each other") {
		t.Errorf("parameters of a test: %v", err)
	}
}

// TestGrid lists the combinations of three values of two parameters.
func TestGrid(t *testing.T) {
	r := system.Ranges{{Name: "a", Low: 2, High: 10}, {Name: "e12", Low: 0, High: 1}}
	var got []string
	for _, p := range grid(r, 3) {
		got = append(got, p.String())
	}
	if want := "a:2,e12:0 a:2,e12:0.5 a:2,e12:1 a:6,e12:0 a:6,e12:0.5 a:6,e12:1 a:10,e12:0 a:10,e12:0.5 a:10,e12:1"; strings.Join(got, " ") != want {
		t.Errorf("the grid is %v", got)
	}
}
