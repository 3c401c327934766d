package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestOrderedFromTheCommandLine measures the shipped baseline and prints its
// row.
func TestOrderedFromTheCommandLine(t *testing.T) {
	models := filepath.Join("..", "assets", "models")
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
	args := []string{"eval", "-model", filepath.Join(models, "particles-ordered.safetensors"), "-trajectories", "2"}
	if err := json.Unmarshal([]byte(mustRun(t, append(args, "-json")...)), &result); err != nil {
		t.Fatal(err)
	}
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
	if out := mustRun(t, args...); !strings.Contains(out, "n/a") || !strings.Contains(out, "in-dst") {
		t.Errorf("eval prints %q", out)
	}
	out := mustRun(t, "table", "-experiment", "ae-aug", "-seeds", "1", "-trajectories", "2", "-models", models, "-figures", t.TempDir())
	if !strings.Contains(out, "| AE-Aug | 1.25e-3 | 8.04e-4 | n/a |") || !strings.Contains(out, "| Macroscope, AE-Aug, laptop |") || strings.Count(out, "n/a") != 2 {
		t.Errorf("table prints %q", out)
	}
}

func TestOrderedMistakesGetASentence(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	for _, tc := range []struct{ args, says string }{
		{"train -experiment ae-aug -data x.npz -out " + out, "-data means nothing"},
		{"train -experiment ae-aug -eps 0.1 -out " + out, "-eps means nothing"},
		{"train -experiment ae-aug -zdim 99 -out " + out, "latent dimension"},
		{"train -experiment ae-aug -preset huge -out " + out, "no preset"},
		{"simulate -experiment ae-aug", "simulate -experiment particles"},
		{"table -experiment ae-aug -seeds 0 -models " + out + " -figures " + out, "-seeds 0"},
	} {
		_, err := command(t, context.Background(), strings.Fields(tc.args)...)
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("macroscope %s: error %v, want one that says %q", tc.args, err, tc.says)
		}
	}
}
