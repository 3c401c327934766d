package cmd

import (
	"errors"
	"path/filepath"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/sim/lj"
	"macroscope/sim/particle"
)

// TestPlain trains with and without the flag -plain, and checks the arithmetic in use.
func TestPlain(t *testing.T) {
	was, pairs, atoms := kernel.Name(), particle.Implementation(), lj.Implementation()
	defer func() { // other tests need the usual arithmetic
		_, err := kernel.Use(was)
		_, errPairs := particle.Use(pairs)
		if _, errAtoms := lj.Use(atoms); errors.Join(err, errPairs, errAtoms) != nil {
			t.Fatal(err, errPairs, errAtoms)
		}
	}()
	for _, args := range []string{"-plain=false", "-plain"} {
		path := filepath.Join(t.TempDir(), "m.safetensors")
		mustRun(t, "train", args, "-preset", "browser", "-steps", "1", "-out", path)
		want := was
		if args == "-plain" {
			want = "plain"
		}
		if got := kernel.Name(); got != want || want == "plain" && (particle.Implementation() != want || lj.Implementation() != want) {
			t.Errorf("%s: kernels are %s, want %s", args, got, want)
		}
	}
}
