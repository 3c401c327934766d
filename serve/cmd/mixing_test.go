package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/file/data"
	"macroscope/model/learn/measure"
	"macroscope/model/system"
	"macroscope/model/system/mixing"
	"macroscope/model/work"
)

// mmdRow is a row that eval -json prints for a set of a stochastic system.
type mmdRow struct {
	Set                   string
	MMD, Perfect, Nominal float64
	Coverage              *float64
	Trajectories          int
}

func evalJSON(t *testing.T, to any, args ...string) {
	t.Helper()
	if err := json.Unmarshal([]byte(mustRun(t, append([]string{"eval", "-json"}, args...)...)), to); err != nil {
		t.Fatal(err)
	}
}

func arraysOf(t *testing.T, path string) map[string]*data.Array {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := data.ReadNPZ(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return arrays
}

// TestMixingFromTheCommandLine simulates short runs in a box of height 26, trains on them, resumes
// from the checkpoint, and predicts the runs.
func TestMixingFromTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	file, model := filepath.Join(dir, "f.npz"), filepath.Join(dir, "m.safetensors")
	mustRun(t, "simulate", "-experiment", "mixing", "-boundary", "12", "-height", "26", "-n", "3", "-steps", "1000", "-seed", "5", "-out", file)
	arrays := arraysOf(t, file)
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
	var of struct {
		Experiment string
		mmdRow
		Seconds *float64
	}
	evalJSON(t, &of, "-model", model, "-data", file)
	if !(of.MMD > 0 && of.Perfect > 0 && of.Nominal == 0.9) || of.Experiment != "mixing" || of.Trajectories != 3 || of.Seconds == nil || of.Coverage == nil {
		t.Errorf("eval prints %+v", of)
	}
	if out := mustRun(t, "eval", "-model", model, "-data", file, "-trajectories", "2"); !strings.Contains(out, "if perfect") {
		t.Errorf("the table is %q", out)
	}
	picture := filepath.Join(dir, "f.svg")
	for _, boundary := range []string{"boundary 12", "boundary 16", "boundary 20"} {
		mustRun(t, "simulate", "-experiment", "mixing", "-test", boundary, "-n", "2", "-out", filepath.Join(dir, boundary+".npz"))
	}
	mustRun(t, "figure", "-model", model, "-tests", dir, "-trajectories", "2", "-out", picture)
	if text := bytesOf(t, picture); !strings.Contains(text, "boundary 20") {
		t.Errorf("the figure does not show the third boundary: %.300s", text)
	}
}

// TestMixingOrdered trains the baseline on mixing. The baseline's encoder needs a fixed number of
// atoms of each species. Only the first of the system's tests has these numbers. TestMixingOrdered
// interrupts and resumes the training, and measures the model on the training data.
func TestMixingOrdered(t *testing.T) {
	dir := t.TempDir()
	file, other, model := filepath.Join(dir, "f.npz"), filepath.Join(dir, "o.npz"), filepath.Join(dir, "m")
	mustRun(t, "simulate", "-experiment", "mixing", "-fixed", "-n", "3", "-steps", "1000", "-out", file)
	types := arraysOf(t, file)["types"].Float64s()
	for e := range 3 {
		var count [3]int
		for _, k := range types[e*529 : (e+1)*529] {
			count[int(k)]++
		}
		if count != [3]int{0, 265, 264} {
			t.Errorf("trajectory %d has %d atoms of species 1 and %d of species 2", e, count[1], count[2])
		}
	}
	args := func(out string) []string {
		return []string{
			"train", "-experiment", "mixing/ae-aug@browser", "-data", file, "-set", "batch=8", "-set", "hidden=16 8", "-set", "thin=2", "-steps", "400", "-law-steps", "3",
			"-workers", "1", "-out", filepath.Join(dir, out),
		}
	}
	mustRun(t, args("whole")...)
	interruptAndResume(t, 100*time.Millisecond, args("m"), model, file)
	whole, err := os.ReadFile(filepath.Join(dir, "whole"))
	if err != nil {
		t.Fatal(err)
	}
	resumed, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(whole, resumed) {
		t.Error("the resumed training ended with another file")
	}
	var of mmdRow
	evalJSON(t, &of, "-model", model, "-data", file)
	if !(of.MMD > 0) || of.Trajectories != 3 {
		t.Errorf("eval prints %+v", of)
	}
	mustRun(t, "simulate", "-experiment", "mixing", "-boundary", "12", "-n", "2", "-steps", "400", "-out", other)
	if _, err := command(t, context.Background(), "eval", "-model", model, "-data", other); err == nil || !strings.Contains(err.Error(), "takes exactly 265") {
		t.Errorf("other numbers of atoms: %v", err)
	}
	m, err := load(io.Discard, model)
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range mixing.System().Tests(0) {
		src, why := testSource(&m.Config, test, 1, 2)
		if says := []string{"", "265 and 264 particles", "frames are of 437"}[i]; says == "" != (src != nil) || !strings.Contains(why, says) {
			t.Errorf("%s: %v", test.Name, why)
		}
	}
}

// readData opens trajectories with the default flags.
func readData(sys *system.System, path, observable string) (system.Recorded, error) {
	r := reading{outliers: "refuse"}
	return r.open(io.Discard, sys, path, observable, nil)
}

// TestOpenData reads a folder with two dumps and a link to a third, and then one dump alone. A
// link without a target must be an error.
func TestOpenData(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	if _, err := readData(mixing.System(), dir, ""); err == nil || !strings.Contains(err.Error(), "holds no file of trajectories") {
		t.Errorf("an empty folder: %v", err)
	}
	for i, dir := range []string{dir, dir, elsewhere} {
		text := ""
		for step := range 3 {
			text += fmt.Sprintf("ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS ff ff pp\n0 4\n0 4\n-1 1\nITEM: ATOMS id type x y\n1 1 1 %d\n2 2 2 1\n", step, i)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(elsewhere, "2"), filepath.Join(dir, "2")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{dir: 3, filepath.Join(dir, "1"): 1} {
		src, err := readData(mixing.System(), path, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := src.Shape(); got != (system.Shape{Trajectories: want, Frames: 3, Particles: 2, Dim: 2}) {
			t.Errorf("%s: shape %v", path, got)
		}
		if err := system.Each(work.Until(context.Background()), src, 2, 2, func(i int, m *system.Trajectory) error {
			if m.Macro[0] != 1 || m.Macro[1] != 1 {
				t.Errorf("two atoms of two species have ratios %v, want 1", m.Macro)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "3")); err != nil {
		t.Fatal(err)
	}
	if _, err := readData(mixing.System(), dir, ""); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "3")) {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}

// TestTestsFromFiles measures models on tests in files from the subcommand simulate. The figures
// must be the same for tests that the subcommand eval simulates. Other files must be rejected.
func TestTestsFromFiles(t *testing.T) {
	dir := t.TempDir()
	models := filepath.Join("..", "..", "assets", "models")
	for _, test := range []string{"in-dst", "diff-init", "diff-N"} {
		mustRun(t, "simulate", "-experiment", "particles", "-test", test, "-n", "2", "-out", filepath.Join(dir, test+".npz"))
	}
	var read, simulated struct{ Tests []map[string]any }
	args := []string{"-model", filepath.Join(models, "particles-laptop.safetensors"), "-trajectories", "2"}
	evalJSON(t, &simulated, args...)
	evalJSON(t, &read, append(args, "-tests", dir)...)
	if len(read.Tests) != 3 || !reflect.DeepEqual(read, simulated) {
		t.Errorf("particles: %v from files, %v simulated", read, simulated)
	}
	_, err := command(t, context.Background(), append([]string{"eval", "-tests", dir}, with(args, "-trajectories", "4")...)...)
	if err == nil || !strings.Contains(err.Error(), "the test has 4") {
		t.Errorf("too few trajectories: %v", err)
	}

	// A trajectory of mixing takes a second, so only one of its tests is compared.
	atoms := t.TempDir()
	mustRun(t, "simulate", "-experiment", "mixing", "-test", "diff-N", "-n", "2", "-out", filepath.Join(atoms, "diff-N.npz"))
	m, err := load(io.Discard, filepath.Join(models, "mixing-laptop.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	diffN := mixing.System().Tests(0)[2:3]
	var results [2]*result
	for i, folder := range []string{"", atoms} {
		e := evaluation{model: m, seed: measure.TestSeed, workers: 1, stderr: io.Discard, folder: folder}
		if results[i], err = e.tests(t.Context(), diffN, 2); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := results[0].tests, results[1].tests; len(a) != 1 || fmt.Sprint(*b[0]) != fmt.Sprint(*a[0]) { // the text, because a NaN is not equal to itself
		t.Errorf("mixing: %v from a file, %v simulated", *b[0], *a[0])
	}
	for _, tc := range []struct{ args, says string }{
		{"-experiment particles -test x", "has no test"}, {"-experiment particles -test in-dst -steps 3", "-steps and -test contradict each other"},
		{"-experiment mixing -test diff-N -fixed", "leave -fixed out"},
	} {
		args := append([]string{"simulate", "-out", filepath.Join(dir, "x.npz")}, strings.Fields(tc.args)...)
		if _, err := command(t, context.Background(), args...); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.args, err, tc.says)
		}
	}
}
