package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/peterbourgon/ff/v3/ffcli"
)

// The held-out data that figures are measured on, as in the paper's
// validation; their seed is not the training's.
const (
	evalSets         = 300
	evalSamples      = 512
	evalTrajectories = 1000
	evalSeed         = 20_260
)

// evalOptions are the flags of an evaluation.
type evalOptions struct {
	sets, samples         int
	data, macro           string
	trajectories, workers int
	seed                  uint64
	given                 map[string]bool
}

func evalCommand(stdout, stderr io.Writer) *ffcli.Command {
	fs := newFlags("macroscope eval", stderr)
	var o evalOptions
	path := fs.String("model", "", "checkpoint to evaluate")
	asJSON := fs.Bool("json", false, "print one JSON object")
	fs.IntVar(&o.sets, "sets", evalSets, "demo: held-out sets")
	fs.IntVar(&o.samples, "samples", evalSamples, "demo: Monte Carlo samples a set")
	fs.StringVar(&o.data, "data", "", "particles, mixing: file of trajectories to predict, see train -h (default: the paper's three test sets)")
	fs.StringVar(&o.macro, "macro", "", "particles: what to compare with, see train -h (default: what the model predicts)")
	fs.IntVar(&o.trajectories, "trajectories", evalTrajectories, "particles, ae-aug, mixing: trajectories at most, of each kind (mixing: default 200)")
	fs.Uint64Var(&o.seed, "seed", evalSeed, "seed of what is held out")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that share the work")
	return &ffcli.Command{
		Name: "eval", ShortUsage: "macroscope eval -model FILE [flags]", ShortHelp: "measure a model on held-out data",
		LongHelp: "For a model of the demo, KL(q_X || p_θ) over held-out sets.\n" +
			"For a model of particles, the mean relative error (MRE) of predicted trajectories: frame 0 is encoded,\n" +
			"the law is advanced from there, and what it predicts is compared in every frame.\n" +
			"For one of ae-aug the same, but for diff-N, whose sets its encoder cannot take.\n" +
			"For a model of mixing, the maximum mean discrepancy (MMD) of predicted and true mixing ratios over\n" +
			"time; the floor, which is that of two halves of the true ones; and the share of the truth that lies\n" +
			"within ensembles of 19, which is nominally 0.9.",
		FlagSet: fs,
		Exec: func(ctx context.Context, args []string) error {
			if err := noArgs(args); err != nil {
				return err
			}
			if *path == "" {
				return fmt.Errorf("eval needs -model, the checkpoint to evaluate")
			}
			if err := checkWorkers(o.workers); err != nil {
				return err
			}
			o.given = given(fs)
			e, f, err := load(*path)
			if err != nil {
				return err
			}
			r, err := e.eval(ctx, &o, f, stderr)
			if err != nil {
				return err
			}
			if *asJSON {
				return json.NewEncoder(stdout).Encode(r)
			}
			return r.print(stdout)
		},
	}
}
