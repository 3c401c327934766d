package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/peterbourgon/ff/v3/ffcli"
)

// tableOptions are the flags of a table.
type tableOptions struct {
	experiment, preset, models, figures string
	data                                string
	workers, seeds, trajectories        int
	seed                                uint64
	given                               map[string]bool
}

func tableCommand(stdout, stderr io.Writer) *ffcli.Command {
	fs := newFlags("macroscope table", stderr)
	var o tableOptions
	fs.StringVar(&o.experiment, "experiment", "demo", "whose table: "+experimentNames())
	fs.StringVar(&o.preset, "preset", "laptop", "size of the trainings: browser, laptop or paper; particles also quick")
	fs.StringVar(&o.models, "models", filepath.Join("assets", "models"), "folder of the trained models; those that it holds already are not trained again")
	fs.StringVar(&o.figures, "figures", filepath.Join("assets", "figures"), "folder to write the figures to")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that share the work")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of the trainings, the first of them where there are several")
	fs.IntVar(&o.seeds, "seeds", 3, "particles, ae-aug, mixing: trainings to average over")
	fs.IntVar(&o.trajectories, "trajectories", evalTrajectories, "particles, ae-aug, mixing: test trajectories of each kind (mixing: default 200)")
	fs.StringVar(&o.data, "data", "", "mixing: trajectories to train on, see train -h (default: they are simulated)")
	return &ffcli.Command{
		Name: "table", ShortUsage: "macroscope table [flags]", ShortHelp: "print an experiment's table and draw its figures",
		LongHelp: "Trains the models that are not there yet, measures all, prints a table in Markdown and draws the\n" +
			"figures of the paper's section. The models are written without the state of their training.\n\n" +
			"  demo       KL(q_X || p_θ) for ε 0.03, 0.1, 0.3 and ẑ dim 1, 2, 4, 8 (section 4.1)\n" +
			"  particles  MRE of the three test sets over several seeds, beside the paper's (section 4.2)\n" +
			"  ae-aug     the row of the paper's baseline in that table\n" +
			"  mixing     MMD of the three test sets likewise, and the ratios for three boundaries (section 4.3)",
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
			for _, dir := range []string{o.models, o.figures} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					return err
				}
			}
			o.given = given(fs)
			return e.table(ctx, &o, stdout, stderr)
		},
	}
}

// toTheEnd takes a training through all its stages.
func toTheEnd(ctx context.Context, t training, stderr io.Writer) error {
	for {
		s, err := t.next(ctx, stderr)
		if err != nil || s == nil {
			return err
		}
		if err := s.run(ctx, stderr, func() error { return nil }); err != nil {
			return err
		}
	}
}
