package cmd

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// swarm writes two runs of ten particles as tables, and returns the folder. The frames are dt apart in
// time, the particles move in dim coordinates around a point, and the run begins with a phase.
func swarm(t *testing.T, dim int, dt, around, phase float64) string {
	t.Helper()
	dir := t.TempDir()
	for e := range 2 {
		text := "time,id," + strings.Join([]string{"x", "y", "z"}[:dim], ",") + "\n"
		for k := range 24 {
			for i := range 10 {
				text += fmt.Sprintf("%g,%d", dt*float64(k), i)
				for d := range dim {
					text += fmt.Sprintf(",%.12g", around+math.Sin(float64(i*(d+1)+e)+phase)*(1+0.05*float64(k)))
				}
				text += "\n"
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("run%d.csv", e)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDoor applies a model of own data to other data. All commands must refuse what does not fit the
// model, with the same sentence, and predict what fits.
func TestDoor(t *testing.T) {
	const far = 2e6
	out := func(name string) string { return filepath.Join(t.TempDir(), name) }
	model, data := out("m.safetensors"), swarm(t, 2, 0.5, far, 0)
	mustRun(t, "train", "-experiment", "particles/flow@quick", "-macro", "gyration", "-steps", "3", "-law-steps", "3", "-workers", "1", "-data", data, "-out", model)
	commands := map[string][]string{
		"eval": {"eval"}, "encode": {"encode", "-n", "2", "-validation", "1", "-out", out("z.npz")}, "figure": {"figure", "-out", out("f.svg")},
	}
	for name, args := range commands {
		for _, tc := range []struct {
			what, data, dt, says string // says is "" if the data fit
		}{
			{"no data", "", "", "give trajectories to predict with -data"},
			{"the same data", data, "", ""},
			{"other data of the kind", swarm(t, 2, 0.5, far, 0.3), "", ""},
			{"three coordinates", swarm(t, 3, 0.5, far, 0), "", "and the model’s have 2"},
			{"other times", swarm(t, 2, 0.25, far, 0), "", "the frames are 0.25 apart in time, and the model has learned steps of 0.5"},
			{"other times, which a flag overrides", swarm(t, 2, 0.25, far, 0), "0.5", ""},
			{"data elsewhere, counted from where the model's data were", swarm(t, 2, 0.5, -30*far, 0), "", "single precision keeps"},
		} {
			args := append(args[:len(args):len(args)], "-model", model)
			if tc.data != "" {
				args = append(args, "-data", tc.data)
			}
			if tc.dt != "" {
				args = append(args, "-dt", tc.dt)
			}
			err := run(t.Context(), args, new(bytes.Buffer), new(bytes.Buffer))
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s, %s: error %v, want %q", name, tc.what, err, tc.says)
			}
		}
	}
}
