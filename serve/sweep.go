package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/sweep"
	"macroscope/serve/reproduce"
)

// sweepOptions are the flags of a sweep.
type sweepOptions struct {
	experiment, preset, dir, out, from string
	of                                 sweep.Of
	seeds, jobs, workers               int
	trajectories                       int
	list, done                         bool
	given                              map[string]bool
}

func sweepCommand(stdout, stderr io.Writer) *ffcli.Command {
	fs := newFlags("macroscope sweep", stderr)
	var o sweepOptions
	experimentFlags(fs, &o.experiment, &o.preset, "line/flow", "what to train")
	fs.Func("over", "`NAME=VALUE,VALUE,…` a field of the configuration and the values that it takes, as eps=0.03,0.1 or\nencoder.zdim=1,2,4; given again, another field", func(text string) error {
		s, err := sweep.ParseSwept(text)
		o.of.Swept = append(o.of.Swept, s)
		return err
	})
	fs.Func("set", "`NAME=VALUE` sets a field of every training", func(text string) error {
		o.of.Changes = append(o.of.Changes, text)
		return nil
	})
	fs.BoolVar(&o.of.Grid, "grid", false, "train every combination of the values, not one field at a time with the others as in the preset")
	fs.IntVar(&o.seeds, "seeds", 3, "trainings of each configuration")
	fs.IntVar(&o.trajectories, "trajectories", 1000, "trajectories of each test; of stochastic dynamics a fifth of them")
	fs.IntVar(&o.jobs, "jobs", runtime.GOMAXPROCS(0), "tasks at a time")
	fs.IntVar(&o.workers, "workers", 1, "goroutines that share the work of a task; no result depends on it")
	fs.StringVar(&o.dir, "dir", "sweep", "`folder` of models and results, which may be that of a reproduction: what is done there is not done again")
	fs.StringVar(&o.from, "from", "", "another `folder`, written by reproduce -publish, whose records are taken")
	fs.StringVar(&o.out, "out", "sweep.json", "`file` to write, which the page reads; beside it a CSV of the same name")
	fs.BoolVar(&o.list, "list", false, "list the tasks, what is done and how long the rest will take, and do nothing")
	fs.BoolVar(&o.done, "done", false, "write the file of what is done, and train nothing")
	return &ffcli.Command{
		Name: "sweep", ShortUsage: "macroscope sweep -experiment NAME -over FIELD=VALUES [flags]", ShortHelp: "train models over the values of a setting, and write one file of what they reach",
		LongHelp: "Trains a model for every value and seed and measures it, as tasks that reproduce would do: it says how\n" +
			"long that will take, can be stopped at any time, and goes on with the same command. What -out holds in\n" +
			"the end the page draws; put it in assets/sweeps to ship it.",
		FlagSet: fs,
		Exec: execute(fs, &o.workers, func(ctx context.Context, given map[string]bool) error {
			o.given = given
			return o.run(ctx, stdout, stderr)
		}),
	}
}

func (o *sweepOptions) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	switch {
	case len(o.of.Swept) == 0:
		return errors.New("-over is missing: say which field takes which values")
	case o.seeds < 1 || o.seeds > 100:
		return fmt.Errorf("-seeds %d; use 1 to 100", o.seeds)
	case o.jobs < 1 || o.jobs > 1024:
		return fmt.Errorf("-jobs %d; use 1 to 1024", o.jobs)
	case o.trajectories < 5 || o.trajectories > 100_000:
		return fmt.Errorf("-trajectories %d; use 5 to 100000", o.trajectories)
	}
	if o.of.Spec, err = specOf(o.experiment, o.preset, o.given); err != nil {
		return err
	}
	size := reproduce.Size{Preset: o.of.Spec.Preset, Seeds: o.seeds, Trajectories: o.trajectories, Ensembles: o.trajectories / 5}
	t, err := reproduce.NewSweep(systems, size, o.of, o.workers)
	if err != nil {
		return err
	}
	g, err := t.SweepGraph()
	if err != nil {
		return err
	}
	if o.from != "" {
		taken, err := g.Adopt(o.dir, o.from)
		if err != nil {
			return err
		}
		fmt.Fprintf(stderr, "%d results are taken from %s\n", taken, o.from)
	}
	if o.list {
		return g.List(stdout, o.dir)
	}
	if !o.done {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		if o.dir, err = filepath.Abs(o.dir); err != nil {
			return err
		}
		err = g.Run(ctx, reproduce.Options{Dir: o.dir, Program: program, Jobs: o.jobs, Stderr: stderr})
		if err != nil {
			return err
		}
	}
	done, all, err := t.WriteSweep(o.dir, o.out, o.command())
	if err == nil {
		fmt.Fprintf(stderr, "%s: %d of %d results\n", o.out, done, all)
	}
	return err
}

// command is the command line that makes the same file.
func (o *sweepOptions) command() string {
	args := append([]string{"macroscope sweep"}, o.of.Args()...)
	return strings.Join(append(args, "-seeds", fmt.Sprint(o.seeds)), " ")
}
