package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"macroscope/model/data"
)

// command runs a command line and returns its standard output.
func command(t *testing.T, ctx context.Context, args ...string) (string, error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	err := run(ctx, args, &stdout, &stderr)
	return stdout.String(), err
}

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	out, err := command(t, context.Background(), args...)
	if err != nil {
		t.Fatalf("macroscope %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// TestParticlesFromTheCommandLine simulates, trains on what was simulated, and
// predicts it.
func TestParticlesFromTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	file, model := filepath.Join(dir, "f.npz"), filepath.Join(dir, "m.safetensors")
	mustRun(t, "simulate", "-experiment", "particles", "-n", "4", "-particles", "12", "-components", "2", "-steps", "40", "-seed", "1", "-out", file)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := data.ReadNPZ(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]int{"trajectories": {4, 41, 12, 2}, "types": {4, 12}, "macro": {4, 41, 1}} {
		a := arrays[name]
		if a == nil {
			t.Errorf("no array %s", name)
			continue
		}
		for i, s := range want {
			if len(a.Shape) != len(want) || a.Shape[i] != s {
				t.Errorf("%s has the shape %v, want %v", name, a.Shape, want)
				break
			}
		}
	}
	mustRun(t, "train", "-experiment", "particles", "-preset", "browser", "-data", file, "-steps", "3", "-law-steps", "3", "-seed", "1", "-workers", "2", "-out", model)
	var result struct {
		MRE, Median, Max float64
		Trajectories     int
		Seconds          *float64
	}
	if err := json.Unmarshal([]byte(mustRun(t, "eval", "-model", model, "-data", file, "-json")), &result); err != nil {
		t.Fatal(err)
	}
	if !(result.MRE > 0 && result.Median > 0 && result.Max >= result.MRE) || result.Trajectories != 4 || result.Seconds == nil {
		t.Errorf("eval prints %+v", result)
	}
	if out := mustRun(t, "eval", "-model", model, "-data", file); !strings.Contains(out, "median") {
		t.Errorf("the table is %q", out)
	}
}

// TestInterruptAndResume stops a training after a moment and goes on from what
// it saved: the file must be that of a training without interruption.
func TestInterruptAndResume(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f.npz")
	mustRun(t, "simulate", "-n", "3", "-particles", "12", "-steps", "40", "-out", file)
	args := func(out string) []string {
		return []string{"train", "-experiment", "particles", "-preset", "browser", "-data", file, "-steps", "30", "-law-steps", "4", "-workers", "1", "-out", filepath.Join(dir, out)}
	}
	mustRun(t, args("whole")...)
	// A machine may have finished before it is interrupted: then earlier.
	interrupt := func(after time.Duration) error {
		canceled, stop := context.WithCancel(context.Background())
		defer stop()
		defer time.AfterFunc(after, stop).Stop()
		_, err := command(t, canceled, args("part")...)
		return err
	}
	var err error
	for after := 150 * time.Millisecond; err == nil; after /= 2 {
		if after < time.Millisecond {
			t.Fatal("the training could not be interrupted")
		}
		err = interrupt(after)
	}
	if !strings.Contains(err.Error(), "-resume") {
		t.Fatal(err)
	}
	part := filepath.Join(dir, "part")
	mustRun(t, "train", "-resume", part, "-data", file, "-workers", "2", "-out", part)
	whole, err := os.ReadFile(filepath.Join(dir, "whole"))
	if err != nil {
		t.Fatal(err)
	}
	resumed, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(whole, resumed) {
		t.Error("the resumed training ended with another file")
	}
}

// TestPresetsOpen wants every preset of every experiment to begin.
func TestPresetsOpen(t *testing.T) {
	for _, e := range experiments {
		for _, preset := range []string{"browser", "laptop", "paper"} {
			run, err := e.train(&trainOptions{preset: preset, macro: "energy", seed: 1, workers: 1}, nil)
			if err != nil {
				t.Errorf("%s, %s: %v", e.name(), preset, err)
				continue
			}
			run.close()
		}
	}
}

func TestDemoFromTheCommandLine(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.safetensors")
	mustRun(t, "train", "-experiment", "demo", "-preset", "browser", "-steps", "2", "-seed", "1", "-out", model)
	mustRun(t, "train", "-resume", model, "-out", model)
	var result map[string]any
	if err := json.Unmarshal([]byte(mustRun(t, "eval", "-model", model, "-sets", "2", "-json")), &result); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"kl", "eps", "zdim", "seconds"} {
		if _, ok := result[key]; !ok {
			t.Errorf("eval -json prints no %s: %v", key, result)
		}
	}
}

func TestMistakesGetASentence(t *testing.T) {
	dir := t.TempDir()
	demoModel, empty := filepath.Join(dir, "demo"), filepath.Join(dir, "empty.npz")
	mustRun(t, "train", "-preset", "browser", "-steps", "1", "-out", demoModel)
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	for _, tc := range []struct {
		args string
		says string
	}{
		{"train -experiment mixture", "no experiment"},
		{"train -experiment demo -data x.npz", "-data means nothing"},
		{"train -experiment particles -macro colour -out " + out, "-data"},
		{"train -experiment particles -data " + empty + " -out " + out, "empty"},
		{"train -experiment particles -data " + dir + " -out " + out, "folder"},
		{"train -experiment particles -data missing.npz -out " + out, "missing.npz"},
		{"train -experiment particles -preset huge -out " + out, "no preset"},
		{"train -experiment particles -zdim 99 -out " + out, "latent dimension"},
		{"train -experiment particles -resume " + demoModel + " -out " + out, "is of the experiment demo"},
		{"train -workers 0", "-workers 0"},
		{"train extra", "not a flag"},
		{"eval", "needs -model"},
		{"eval -model " + empty, "empty"},
		{"eval -model " + demoModel + " -data x", "-data means nothing"},
		{"simulate -n 0", "-n 0"},
		{"simulate -particles 1", "number of particles is 1"},
		{"simulate -experiment demo", "as they are needed"},
		{"simulate -experiment mixing -boundary 40", "outside the box"},
		{"simulate -experiment mixing -boundary 31.9", "species 2 empty"},
		{"simulate -experiment mixing -particles 100", "-particles means nothing"},
		{"simulate -boundary 12", "-boundary means nothing"},
		{"train -experiment mixing -law both -out " + out, "joint or separate"},
		{"train -experiment mixing -noise loud -out " + out, "loud"},
		{"train -experiment mixing -macro energy -out " + out, "-macro means nothing"},
		{"train -experiment mixing -data " + empty + " -out " + out, "empty"},
		{"train -experiment mixing -data missing -out " + out, "missing"},
		{"train -experiment particles -law joint -out " + out, "-law means nothing"},
		{"table -experiment mixing -trajectories 1 -models " + dir + " -figures " + dir, "-trajectories 1"},
		{"table -experiment particles -seeds 0 -models " + dir + " -figures " + dir, "-seeds 0"},
	} {
		_, err := command(t, context.Background(), strings.Fields(tc.args)...)
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("macroscope %s: error %v, want one that says %q", tc.args, err, tc.says)
		}
	}
}
