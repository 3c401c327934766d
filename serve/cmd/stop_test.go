package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The environment variable asProgram makes this test program run macroscope. The variable contains
// the arguments of macroscope. If it contains itsOwn, the arguments come from the command line of
// the test program.
const (
	asProgram = "MACROSCOPE_TEST_ARGUMENTS"
	itsOwn    = "-"
)

func TestMain(m *testing.M) {
	if args := os.Getenv(asProgram); args != "" {
		if args != itsOwn {
			os.Args = append(os.Args[:1], strings.Fields(args)...)
		}
		Main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestStops stops commands that would otherwise run for minutes or hours.
func TestStops(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates and trains for seconds")
	}
	dir := t.TempDir()
	out := " -out " + filepath.Join(dir, "out")
	reference := filepath.Join(dir, "reference")
	if err := os.MkdirAll(reference, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(reference, "a.npz"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"eval -sets 1000000 -model ../../assets/models/demo-eps0.1-z8.safetensors",
		"eval -trajectories 1000000 -model ../../assets/models/particles-laptop.safetensors",
		"eval -trajectories 10000 -model ../../assets/models/mixing-laptop.safetensors",
		"bench",
		"simulate -n 1 -particles 30000 -steps 200" + out,
		"simulate -n 1000000 -particles 100" + out,
		"simulate -experiment mixing -n 1 -steps 4000000" + out,
		"figure -trajectories 10000 -model ../../assets/models/mixing-laptop.safetensors -out " + filepath.Join(dir, "f.png"),
		"encode -n 10000 -model ../../assets/models/mixing-laptop.safetensors" + out,
		"train -experiment line@paper" + out,
		"train -experiment particles@paper" + out,
		"verify " + reference,
	} {
		t.Run(args, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if strings.HasPrefix(args, "verify") {
				cancel()
			}
			err := run(ctx, strings.Fields(args), io.Discard, io.Discard)
			if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) && (err == nil || !strings.Contains(err.Error(), "stopped")) {
				t.Errorf("error %v, want that of a stop", err)
			}
		})
	}
}
