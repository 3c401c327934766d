package cmd

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExport writes a shipped model with 16-bit numbers. The new file must have about half the
// size. Each weight must be within half a unit of its eleventh bit. A second export must change
// nothing.
func TestExport(t *testing.T) {
	const model = "../../assets/models/particles-laptop.safetensors"
	half, again := filepath.Join(t.TempDir(), "half.safetensors"), filepath.Join(t.TempDir(), "again.safetensors")
	var said bytes.Buffer
	do := func(args ...string) error { return run(context.Background(), args, &said, &said) }
	if err := do("export", "-model", model, "-out", half, "-half"); err != nil {
		t.Fatal(err)
	}
	if err := do("export", "-model", half, "-out", again, "-half"); err != nil {
		t.Fatal(err)
	}
	size := func(name string) int64 {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	one, err := os.ReadFile(half)
	two, err2 := os.ReadFile(again)
	if err != nil || err2 != nil || !bytes.Equal(one, two) {
		t.Errorf("exported again it is another file; %v, %v", err, err2)
	}
	was, err := load(model)
	is, err2 := load(half)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	const header = 512 // tolerance in bytes: the offsets in the header may have more or fewer digits
	if saved, weights := size(model)-size(half), len(was.Params)+len(was.DynamicsParams); saved < int64(2*weights-header) || saved > int64(2*weights+header) {
		t.Errorf("%d bytes less of %d, with %d weights", saved, size(model), weights)
	}
	for i, v := range was.Params {
		if off := math.Abs(float64(is.Params[i] - v)); off > max(math.Abs(float64(v))/2048, 0x1p-25) {
			t.Fatalf("weight %d is %v, exported %v", i, v, is.Params[i])
		}
	}
	for says, args := range map[string][]string{
		"needs -model": {"export", "-model", model},
		"-out":         {"export", "-model", half, "-out", half},
	} {
		if err := do(args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", args, err, says)
		}
	}
}
