package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/work"
)

// TestCalibrate fits the support of the particles' shipped model to short runs. The weights
// must not change.
func TestCalibrate(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const shipped = "../../assets/models/particles-laptop.safetensors"
	var said bytes.Buffer
	do := func(args ...string) error { return run(context.Background(), args, &said, &said) }
	for _, args := range [][]string{
		{"simulate", "-experiment", "particles", "-n", "3", "-steps", "20", "-out", at("runs.npz")},
		{"encode", "-model", shipped, "-data", at("runs.npz"), "-n", "3", "-validation", "1", "-out", at("z.npz")},
		{"calibrate", "-model", shipped, "-codes", at("z.npz"), "-out", at("m.safetensors")},
		{"eval", "-model", at("m.safetensors"), "-data", at("runs.npz")},
		{"eval", "-model", at("m.safetensors"), "-data", at("runs.npz"), "-trajectories", "2", "-json"},
	} {
		if err := do(args...); err != nil {
			t.Fatal(args, err)
		}
	}
	was, err := load(io.Discard, shipped)
	if err != nil {
		t.Fatal(err)
	}
	m, err := load(io.Discard, at("m.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Weights.Params, was.Weights.Params) || !slices.Equal(m.Weights.DynamicsParams, was.Weights.DynamicsParams) || m.Calibration.Stretch != 1 {
		t.Errorf("other weights, or bands stretched by %g", m.Calibration.Stretch)
	}
	if s := m.Calibration.Support; s == nil || len(s.Periods) < 1 || len(s.Periods[0].Mean) != m.Config.States() || !(s.Periods[0].Reach > 1 && s.Periods[0].Reach < 10) {
		t.Errorf("support %+v", s)
	}
	if !strings.Contains(said.String(), "frames left") || !strings.Contains(said.String(), `"trajectories":2,`) {
		t.Errorf("said %q", said.String())
	}
	for says, args := range map[string][]string{
		"needs -model": {"calibrate"},
		"no dynamics":  {"calibrate", "-model", "../../assets/models/demo-eps0.1-z8.safetensors", "-codes", at("z.npz"), "-out", at("x")},
		"variables":    {"calibrate", "-model", "../../assets/models/mixing-laptop.safetensors", "-codes", at("z.npz"), "-out", at("x")},
	} {
		if err := do(args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want an error that says %q", args, err, says)
		}
	}
}

// TestCalibrateTunable calibrates the bands of a tunable model on short chains. Each ẑ dim must get a
// factor of its own, which a file of the model has, as do the ordinary models that it is at each ẑ dim. The
// bands must then hold nine tenths of the truth of these same chains.
func TestCalibrateTunable(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const shipped = "../../assets/models/polymer-flow-tunable.safetensors"
	mustRun(t, "simulate", "-experiment", "polymer", "-n", "12", "-particles", "20", "-out", at("runs.npz"))
	mustRun(t, "encode", "-model", shipped, "-data", at("runs.npz"), "-n", "12", "-validation", "1", "-out", at("z.npz"))
	mustRun(t, "calibrate", "-model", shipped, "-codes", at("z.npz"), "-out", at("m.safetensors"))
	was, err := load(io.Discard, shipped)
	if err != nil {
		t.Fatal(err)
	}
	m, err := load(io.Discard, at("m.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, zdims := m.Config.Tuning().Range()
	if len(m.Calibration.Stretches) != len(zdims) || m.Calibration.Stretch != 1 || slices.Equal(m.Calibration.Stretches, was.Calibration.Stretches) || len(slices.Compact(slices.Sorted(slices.Values(m.Calibration.Stretches)))) != len(zdims) {
		t.Fatalf("bands of ẑ dim %v are stretched by %v, and by %v before", zdims, m.Calibration.Stretches, was.Calibration.Stretches)
	}
	codes, err := model.ReadCodes([]byte(bytesOf(t, at("z.npz"))))
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range zdims {
		one := at("one.safetensors")
		mustRun(t, "export", "-model", at("m.safetensors"), "-zdim", fmt.Sprint(d), "-out", one)
		ordinary, err := load(io.Discard, one)
		if err != nil {
			t.Fatal(err)
		}
		if ordinary.Calibration.Stretch != m.Calibration.Stretches[i] {
			t.Errorf("ẑ dim %d: bands are stretched by %g, want %g", d, ordinary.Calibration.Stretch, m.Calibration.Stretches[i])
		}
		p, err := measure.GivenCodes(ordinary, m.CodesAt(codes, ordinary), 0, codes.Trajectories).Predict(work.Until(t.Context()), ordinary.Weights.DynamicsParams, calibrationMembers, method.PredictedTogether, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if share, _, _ := p.Coverage(); share < measure.BandShare {
			t.Errorf("ẑ dim %d: calibrated bands hold %.3f of the truth that calibrated them", d, share)
		}
	}
	f := m.Checkpoint()
	f.Tensor("band.stretch").F64 = []float64{1.1}
	if _, err := model.Open(systems, f); err == nil || !strings.Contains(err.Error(), "4 numbers") {
		t.Errorf("a tunable model with one factor: %v", err)
	}
	if err := run(context.Background(), []string{"calibrate", "-model", "../../assets/models/particles-flow-tunable.safetensors", "-codes", at("z.npz"), "-out", at("x")}, io.Discard, io.Discard); err == nil {
		t.Error("bands of a model without bands are calibrated")
	}
}
