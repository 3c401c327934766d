package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOrderedFromTheCommandLine measures the shipped baseline and checks the printed row.
func TestOrderedFromTheCommandLine(t *testing.T) {
	models := filepath.Join("..", "..", "assets", "models")
	var result struct {
		Experiment string
		Tests      []struct {
			Set          string
			MRE          float64
			Trajectories int
		}
		Impossible []struct{ Set, Why string }
		Seconds    float64
	}
	args := []string{"-model", filepath.Join(models, "particles-ae-aug.safetensors"), "-trajectories", "2"}
	evalJSON(t, &result, args...)
	if result.Experiment != "ae-aug" || len(result.Tests) != 2 || len(result.Impossible) != 1 || !(result.Seconds > 0) {
		t.Fatalf("eval -json prints %+v", result)
	}
	for i, set := range []string{"in-dst", "diff-init"} {
		if r := result.Tests[i]; r.Set != set || !(r.MRE > 0) || r.Trajectories != 2 {
			t.Errorf("eval -json prints %+v for %s", r, set)
		}
	}
	if i := result.Impossible[0]; i.Set != "diff-N" || !strings.Contains(i.Why, "exactly 300") {
		t.Errorf("eval -json prints %+v for diff-N", i)
	}
	if out := mustRun(t, append([]string{"eval"}, args...)...); !strings.Contains(out, "n/a") || !strings.Contains(out, "in-dst") {
		t.Errorf("eval prints %q", out)
	}
	picture := filepath.Join(t.TempDir(), "f.png")
	mustRun(t, "figure", "-model", args[1], "-out", picture)
	if info, err := os.Stat(picture); err != nil || info.Size() < 10_000 {
		t.Errorf("the figure: %v", err)
	}
}

// TestOrderedData trains and measures the baseline on a file. Every set of the file has the same
// number of particles.
func TestOrderedData(t *testing.T) {
	dir := t.TempDir()
	file, model := filepath.Join(dir, "f.npz"), filepath.Join(dir, "m")
	mustRun(t, "simulate", "-n", "3", "-particles", "12", "-steps", "40", "-out", file)
	mustRun(t, "train", "-experiment", "ae-aug@browser", "-data", file, "-set", "batch=8", "-steps", "3", "-law-steps", "3", "-out", model)
	var result struct {
		Experiment string
		MRE        float64
	}
	evalJSON(t, &result, "-model", model, "-data", file)
	if result.Experiment != "ae-aug" || !(result.MRE > 0) {
		t.Errorf("eval prints %+v", result)
	}
}
