package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macroscope/model/data"
	"macroscope/model/lab"
)

// TestMixingFromTheCommandLine simulates short runs in the smaller box, trains
// on them, goes on from the checkpoint, and predicts what was simulated.
func TestMixingFromTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	file, model := filepath.Join(dir, "f.npz"), filepath.Join(dir, "m.safetensors")
	mustRun(t, "simulate", "-experiment", "mixing", "-boundary", "12", "-height", "26", "-n", "3", "-steps", "1000", "-seed", "5", "-out", file)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := data.ReadNPZ(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]int{"trajectories": {3, 6, 437, 2}, "types": {3, 437}, "macro": {3, 6, 2}} {
		if a := arrays[name]; a == nil || !slices.Equal(a.Shape, want) {
			t.Errorf("%s is %v, want the shape %v", name, a, want)
		}
	}
	mustRun(t, "train", "-experiment", "mixing", "-preset", "browser", "-data", file, "-steps", "2", "-law-steps", "3", "-law", "separate", "-noise", "full", "-workers", "2", "-out", model)
	mustRun(t, "train", "-resume", model, "-data", file, "-out", model)
	if _, err := command(t, context.Background(), "train", "-resume", model, "-out", model); err == nil || !strings.Contains(err.Error(), "-data") {
		t.Errorf("going on without the data: %v", err)
	}
	var result struct {
		Experiment          string
		MMD, Floor, Nominal float64
		Coverage, Seconds   *float64
		Trajectories        int
	}
	if err := json.Unmarshal([]byte(mustRun(t, "eval", "-model", model, "-data", file, "-json")), &result); err != nil {
		t.Fatal(err)
	}
	if !(result.MMD > 0 && result.Floor > 0 && result.Nominal == 0.9) || result.Experiment != "mixing" || result.Trajectories != 3 || result.Seconds == nil || result.Coverage == nil {
		t.Errorf("eval prints %+v", result)
	}
	if out := mustRun(t, "eval", "-model", model, "-data", file, "-trajectories", "2"); !strings.Contains(out, "floor") {
		t.Errorf("the table is %q", out)
	}

	f, err := os.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, _, err := lab.ReadMixing(f)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	var of [][][]mmdResult
	for i := range mixingForms {
		shift := 0.01 * float64(i)
		of = append(of, [][]mmdResult{{{"in-dst", 0.01 + shift, 0.002, 0.91, 0.9, 200}}, {{"in-dst", 0.03 + shift, 0.002, 0.89, 0.9, 200}}})
	}
	printMixing(&table, "browser", m.Config, of)
	for _, says := range []string{
		"| paper | 1.09e-2 |", "browser, one law, with the share | 2.00e-02 ± 0.01 |", "browser, two laws | 5.00e-02 ± 0.01 |",
		"bands of 90 %, one law | 0.900 ± 0.01 |", "two halves of the 200 true trajectories | 2.00e-03 |", "on 3 trajectories",
	} {
		if !strings.Contains(table.String(), says) {
			t.Errorf("the table lacks %q:\n%s", says, &table)
		}
	}
}

// TestOpenMixing reads a folder of two dumps, and one of them.
func TestOpenMixing(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := openMixing(dir); err == nil || !strings.Contains(err.Error(), "holds no file") {
		t.Errorf("an empty folder: %v", err)
	}
	for i := range 2 {
		text := ""
		for step := range 3 {
			text += fmt.Sprintf("ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS ff ff pp\n0 4\n0 4\n-1 1\nITEM: ATOMS id type x y\n1 1 1 %d\n2 2 2 1\n", step, i)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]int{dir: 2, filepath.Join(dir, "1"): 1} {
		src, release, err := openMixing(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := src.Shape(); got != (lab.Shape{Trajectories: want, Frames: 3, Particles: 2, Dim: 2}) {
			t.Errorf("%s: shape %v", path, got)
		}
		if err := src.Each(context.Background(), 2, 2, func(i int, m *lab.Mixed) error {
			if m.Ratios[0] != 1 || m.Ratios[1] != 1 {
				t.Errorf("two atoms of two species have ratios %v, want 1", m.Ratios)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		release()
	}
}
