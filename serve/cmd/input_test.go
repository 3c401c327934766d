//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestInputsAreFiles checks that a command rejects an input that is a pipe or a device, and does
// not read a file that does not fit into memory.
func TestInputsAreFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, sparse, folder := filepath.Join(dir, "pipe"), filepath.Join(dir, "sparse"), filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, filepath.Join(folder, "case.npz"), filepath.Join(folder, testFile("in-dst", false))} {
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(sparse, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, 100<<30); err != nil {
		t.Fatal(err)
	}
	model, out := filepath.Join("..", "..", "assets", "models", "particles-laptop.safetensors"), filepath.Join(dir, "out")
	for path, says := range map[string]string{pipe: "is a pipe", os.DevNull: "is a device", "/dev/zero": "is a device"} {
		fails(t, says, "eval", "-model", path)
		fails(t, says, "export", "-model", path, "-out", out)
		fails(t, says, "figure", "-model", path, "-out", out+".png")
		fails(t, says, "encode", "-model", path, "-out", out)
		fails(t, says, "calibrate", "-model", model, "-codes", path, "-out", out)
		fails(t, says, "train", "-resume", path, "-out", out)
		fails(t, says, "train", "-experiment", "particles@browser", "-data", path, "-out", out)
		fails(t, says, "eval", "-model", model, "-data", path)
	}
	fails(t, "larger than the limit", "calibrate", "-model", model, "-codes", sparse, "-out", out)
	fails(t, "a checkpoint has 2 to", "eval", "-model", sparse)
	fails(t, "", "train", "-experiment", "particles@browser", "-data", sparse, "-out", out)
	fails(t, "is a pipe", "eval", "-model", model, "-tests", folder)
	fails(t, "comparisons in", "verify", folder)
}
