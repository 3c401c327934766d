package main

import (
	"context"
	"io"
	"runtime"

	"github.com/peterbourgon/ff/v3/ffcli"
)

// simulateOptions are the flags of a simulation.
type simulateOptions struct {
	experiment                     string
	n, particles, components, step int
	seed                           uint64
	workers                        int
	out                            string
}

func simulateCommand(stderr io.Writer) *ffcli.Command {
	fs := newFlags("macroscope simulate", stderr)
	var o simulateOptions
	fs.StringVar(&o.experiment, "experiment", "particles", "what to simulate: particles")
	fs.IntVar(&o.n, "n", 100, "trajectories")
	fs.IntVar(&o.particles, "particles", 300, "particles of a trajectory")
	fs.IntVar(&o.components, "components", 2, "Gaussian clusters that the particles start from")
	fs.IntVar(&o.step, "steps", 300, "steps of a trajectory, which has a frame more")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of the initial positions")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "trajectories simulated at once; the result does not depend on it")
	fs.StringVar(&o.out, "out", "particles.npz", "file to write")
	return &ffcli.Command{
		Name: "simulate", ShortUsage: "macroscope simulate [flags]", ShortHelp: "simulate trajectories and write them to a NumPy file",
		LongHelp: "Writes an .npz with the arrays trajectories (n, steps+1, particles, 2), the positions; types\n" +
			"(n, particles), all 0; and macro (n, steps+1, 1), the energy per pair.",
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
			return e.simulate(ctx, &o, stderr)
		},
	}
}
