package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"
)

// simulateOptions are the flags of a simulation.
type simulateOptions struct {
	experiment                     string
	n, particles, components, step int
	boundary, height               float64
	seed                           uint64
	workers                        int
	out                            string
	given                          map[string]bool
}

func simulateCommand(stderr io.Writer) *ffcli.Command {
	fs := newFlags("macroscope simulate", stderr)
	var o simulateOptions
	fs.StringVar(&o.experiment, "experiment", "particles", "what to simulate: particles or mixing")
	fs.IntVar(&o.n, "n", 100, "trajectories")
	fs.IntVar(&o.particles, "particles", 300, "particles: how many are in a trajectory")
	fs.IntVar(&o.components, "components", 2, "particles: Gaussian clusters that they start from")
	fs.IntVar(&o.step, "steps", 300, "steps of a trajectory, which has a frame more (mixing: default 100000, a frame every 200)")
	fs.Float64Var(&o.boundary, "boundary", 0, "mixing: atoms left of it become species 1 (default: drawn from 10 to 22 for each trajectory)")
	fs.Float64Var(&o.height, "height", 32, "mixing: height of the box, whose width is 32")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of the initial positions, or of the velocities and boundaries")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "trajectories simulated at once; the result does not depend on it")
	fs.StringVar(&o.out, "out", "", "file to write (default: the experiment's name and .npz)")
	return &ffcli.Command{
		Name: "simulate", ShortUsage: "macroscope simulate [flags]", ShortHelp: "simulate trajectories and write them to a NumPy file",
		LongHelp: "Writes an .npz with the arrays trajectories (n, steps+1, particles, 2), the positions; types\n" +
			"(n, particles), all 0; and macro (n, steps+1, 1), the energy per pair. For mixing, trajectories are\n" +
			"(n, 501, 529, 2), types 1 and 2, and macro (n, 501, 2) the ratios R_AB and R_BA.",
		FlagSet: fs,
		Exec: func(ctx context.Context, args []string) error {
			if err := noArgs(args); err != nil {
				return err
			}
			if err := checkWorkers(o.workers); err != nil {
				return err
			}
			e, err := findExperiment(o.experiment)
			if err != nil {
				return err
			}
			o.given = given(fs)
			if o.out == "" {
				o.out = e.name() + ".npz"
			}
			if o.n < 1 || o.n > 1_000_000 {
				return fmt.Errorf("-n %d; use 1 to 1000000 trajectories", o.n)
			}
			return e.simulate(ctx, &o, stderr)
		},
	}
}

// write writes -out while it is simulated; done is told how many trajectories
// are there.
func (o *simulateOptions) write(stderr io.Writer, simulate func(w io.Writer, done func(int)) error) error {
	// Beside the place first, so that what is there is whole at any time.
	temp := fmt.Sprintf("%s.%d.tmp", o.out, os.Getpid())
	file, err := os.Create(temp)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	began := time.Now()
	bar := newProgress(stderr, "simulating", "trajectory", 0, o.n)
	out := bufio.NewWriterSize(file, 1<<20)
	err = simulate(out, func(n int) { bar.at(n, noNote) })
	bar.finish()
	if err = errors.Join(err, out.Flush(), file.Close()); err != nil {
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("stopped; %s was not written", o.out)
		}
		return err
	}
	if err := os.Rename(temp, o.out); err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	_, err = fmt.Fprintf(stderr, "simulated %d trajectories in %.1f s (%.3g/s); wrote %s\n", o.n, seconds, float64(o.n)/seconds, o.out)
	return err
}
