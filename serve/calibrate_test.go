package main

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCalibrate fits the support of the shipped model of the particles to short
// runs, which leaves its weights as they are.
func TestCalibrate(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const shipped = "../assets/models/particles-laptop.safetensors"
	var said bytes.Buffer
	do := func(args ...string) error { return run(context.Background(), args, &said, &said) }
	for _, args := range [][]string{
		{"simulate", "-experiment", "particles", "-n", "3", "-steps", "20", "-out", at("runs.npz")},
		{"encode", "-model", shipped, "-data", at("runs.npz"), "-n", "3", "-validation", "1", "-out", at("z.npz")},
		{"calibrate", "-model", shipped, "-codes", at("z.npz"), "-out", at("m.safetensors")},
		{"eval", "-model", at("m.safetensors"), "-data", at("runs.npz")},
	} {
		if err := do(args...); err != nil {
			t.Fatal(args, err)
		}
	}
	was, err := load(shipped)
	if err != nil {
		t.Fatal(err)
	}
	m, err := load(at("m.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Params, was.Params) || !slices.Equal(m.DynamicsParams, was.DynamicsParams) || m.Stretch != 1 {
		t.Errorf("other weights, or bands stretched by %g", m.Stretch)
	}
	if s := m.Support; s == nil || len(s.Mean) != m.Config.States() || !(s.Reach > 1 && s.Reach < 10) {
		t.Errorf("support %+v", s)
	}
	if !strings.Contains(said.String(), "frames left") {
		t.Errorf("said %q", said.String())
	}
	for says, args := range map[string][]string{
		"needs -model": {"calibrate"},
		"no dynamics":  {"calibrate", "-model", "../assets/models/demo-eps0.1-z1.safetensors", "-codes", at("z.npz"), "-out", at("x")},
		"variables":    {"calibrate", "-model", "../assets/models/mixing-laptop.safetensors", "-codes", at("z.npz"), "-out", at("x")},
	} {
		if err := do(args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want an error that says %q", args, err, says)
		}
	}
}
