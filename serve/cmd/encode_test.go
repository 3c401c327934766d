package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macroscope/model/learn/model"
)

// TestEncode encodes short runs from a file with the shipped model.
func TestEncode(t *testing.T) {
	dir := t.TempDir()
	runs, out := filepath.Join(dir, "runs.npz"), filepath.Join(dir, "z.npz")
	var said bytes.Buffer
	do := func(args ...string) error { return run(context.Background(), args, &said, &said) }
	if err := do("simulate", "-experiment", "mixing", "-n", "3", "-steps", "1000", "-out", runs); err != nil {
		t.Fatal(err)
	}
	encode := []string{"encode", "-model", "../../assets/models/mixing-laptop.safetensors", "-data", runs, "-n", "3", "-out", out}
	if err := do(append(encode, "-validation", "1")...); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	c, err := model.ReadCodes(b)
	if err != nil || c.Trajectories != 3 || c.Frames != 6 || c.Validation != 1 {
		t.Errorf("read %+v, %v", c, err)
	}
	for says, args := range map[string][]string{
		"for validation": append(encode, "-held", "3"),
		"use 2 to":       with(encode, "-n", "1"),
		"no such file":   {"encode", "-model", filepath.Join(dir, "none")},
		"-workers":       append(encode, "-workers", "0"),
		"is not a flag":  append(encode, "leftover"),
	} {
		if err := do(args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want an error that says %q", args, err, says)
		}
	}
}
