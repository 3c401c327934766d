package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"macroscope/model/fit"
)

// asProgram makes this test program macroscope, with these arguments or, if they
// are itsOwn, with those that it is given.
const (
	asProgram = "MACROSCOPE_TEST_ARGUMENTS"
	itsOwn    = "-"
)

func TestMain(m *testing.M) {
	if args := os.Getenv(asProgram); args != "" {
		if args != itsOwn {
			os.Args = append(os.Args[:1], strings.Fields(args)...)
		}
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestStops stops commands that would go on for minutes, or hours.
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
		"eval -sets 1000000 -model ../assets/models/demo-eps0.1-z8.safetensors",
		"eval -trajectories 1000000 -model ../assets/models/particles-laptop.safetensors",
		"eval -trajectories 10000 -model ../assets/models/mixing-laptop.safetensors",
		"bench",
		"simulate -n 1 -particles 100000 -steps 200" + out,
		"simulate -n 1000000 -particles 100" + out,
		"simulate -experiment mixing -n 1 -steps 4000000" + out,
		"figure -trajectories 10000 -model ../assets/models/mixing-laptop.safetensors -out " + filepath.Join(dir, "f.png"),
		"encode -n 10000 -model ../assets/models/mixing-laptop.safetensors" + out,
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

// TestSignals sends every signal that ends a training in good order: its
// checkpoint is there, and can be gone on from.
func TestSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.safetensors")
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), asProgram+"=train -experiment line@browser -set steps=1000000 -out "+path)
			stderr, err := cmd.StderrPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			said := bufio.NewScanner(stderr)
			if !said.Scan() || !strings.HasPrefix(said.Text(), "training demo") {
				t.Fatalf("it begins with %q", said.Text())
			}
			time.Sleep(500 * time.Millisecond) // for some steps
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			last := ""
			for said.Scan() {
				last = said.Text()
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(last, "stopped; go on with -resume "+path) {
				t.Errorf("%v, and the last word is %q", err, last)
			}
			_, f, err := load(path)
			if err != nil {
				t.Fatal(err)
			}
			r, err := fit.Resume(systems, f, nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if err := r.Prepare(t.Context(), func(int) {}); err != nil {
				t.Fatal(err)
			}
			if r.Trainer().Step() == 0 {
				t.Error("no step was saved")
			}
		})
	}
}
