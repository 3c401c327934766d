package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"macroscope/model/learn/model"
)

// TestTunable trains a tunable model briefly and measures it at several ε and ẑ dims. A model
// exported at one of these settings must give the same figure.
func TestTunable(t *testing.T) {
	dir := t.TempDir()
	path, one := filepath.Join(dir, "m.safetensors"), filepath.Join(dir, "one.safetensors")
	var said bytes.Buffer
	do := func(args ...string) error {
		said.Reset()
		return run(context.Background(), args, &said, &bytes.Buffer{})
	}
	must := func(args ...string) {
		t.Helper()
		if err := do(args...); err != nil {
			t.Fatal(err)
		}
	}
	must("train", "-experiment", "line/flow-tunable@quick", "-set", "steps=2", "-set", "batch=4", "-report=false", "-out", path)
	type figures struct{ KL, Eps, ZDim float64 }
	read := func() (r struct {
		figures
		Tests []figures
	}) {
		if err := json.Unmarshal(said.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	few := []string{"-json", "-sets", "3", "-samples", "20"}
	must(append([]string{"eval", "-model", path}, few...)...)
	if r := read(); r.Eps != 0.1 || r.ZDim != 8 || len(r.Tests) != 0 {
		t.Errorf("measured at %+v", r)
	}
	must(append([]string{"eval", "-model", path, "-eps", "0.03,0.2", "-zdim", "1,4"}, few...)...)
	all := read().Tests
	if len(all) != 4 || all[3].Eps != 0.2 || all[3].ZDim != 4 {
		t.Fatalf("measured at %+v", all)
	}
	must(append([]string{"eval", "-model", path, "-grid", "2"}, few...)...)
	if r := read().Tests; len(r) != 16 || r[0].Eps != 0.01 || r[15].Eps != 0.5 || r[15].ZDim != 8 {
		t.Errorf("a grid of %+v", r)
	}
	must("export", "-model", path, "-out", one, "-eps", "0.2", "-zdim", "4")
	must(append([]string{"eval", "-model", one}, few...)...)
	if r := read(); r.figures != all[3] {
		t.Errorf("an exported path has %+v, and before %+v", r.figures, all[3])
	}
	whole, err := load(io.Discard, path)
	if err != nil {
		t.Fatal(err)
	}
	ordinary, err := load(io.Discard, one)
	if err != nil {
		t.Fatal(err)
	}
	o := figureOptions{subcommand: subcommand{workers: 2}, sets: 1}
	draw, err := o.places(context.Background(), []*model.Model{whole, ordinary}, "svg")
	if err != nil {
		t.Fatal(err)
	}
	var picture bytes.Buffer
	if err := draw(&picture); err != nil || !strings.Contains(picture.String(), "</svg>") {
		t.Errorf("no map: %v", err)
	}
	for says, args := range map[string][]string{
		"for ε from 0.01 to 0.5, and not for 0.7": {"eval", "-model", path, "-eps", "0.7"},
		"and not for 9":          {"export", "-model", path, "-out", one, "-zdim", "9"},
		"-eps means nothing":     {"eval", "-model", one, "-eps", "0.2"},
		"-grid 1; use 2 to 100":  {"eval", "-model", path, "-grid", "1"},
		"export -eps and -zdim":  {"figure", "-model", one + "," + path, "-out", filepath.Join(dir, "f.png")},
		"-eps 0.1,x":             {"eval", "-model", path, "-eps", "0.1,x"},
		"and not for 0.3; train": {"export", "-model", one, "-out", path, "-eps", "0.3"},
	} {
		if err := do(args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", args, err, says)
		}
	}
}
