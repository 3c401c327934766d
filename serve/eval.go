package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/lab"
)

// The held-out sets that figures are measured on, as in the paper's
// validation; their seed is not the training's.
const (
	evalSets    = 300
	evalSamples = 512
	evalSeed    = 20_260
)

// demoResult is what eval -json prints for the demo.
type demoResult struct {
	Experiment string  `json:"experiment"`
	KL         float64 `json:"kl"` // nats, mean over the held-out sets
	Eps        float64 `json:"eps"`
	ZDim       int     `json:"zdim"`
	Sets       int     `json:"sets"`
	Samples    int     `json:"samples"` // a set
	Seconds    float64 `json:"seconds"`
}

func evalCommand(stdout, stderr io.Writer) *ffcli.Command {
	fs := newFlags("macroscope eval", stderr)
	path := fs.String("model", "", "checkpoint to evaluate")
	asJSON := fs.Bool("json", false, "print one JSON object")
	sets := fs.Int("sets", evalSets, "held-out sets")
	samples := fs.Int("samples", evalSamples, "Monte Carlo samples a set")
	seed := fs.Uint64("seed", evalSeed, "seed of the held-out sets")
	return &ffcli.Command{
		Name: "eval", ShortUsage: "macroscope eval -model FILE [flags]", ShortHelp: "measure a model on held-out data",
		FlagSet: fs,
		Exec: func(_ context.Context, args []string) error {
			if err := noArgs(args); err != nil {
				return err
			}
			if *path == "" {
				return fmt.Errorf("eval needs -model, the checkpoint to evaluate")
			}
			if *sets < 1 || *sets > 1_000_000 || *samples < 1 || *samples > 1_000_000 {
				return fmt.Errorf("-sets %d and -samples %d; use numbers from 1 to 1000000", *sets, *samples)
			}
			file, err := os.Open(*path)
			if err != nil {
				return err
			}
			defer file.Close()
			model, params, _, err := lab.ReadDemo(file)
			if err != nil {
				return fmt.Errorf("%s: %w", *path, err)
			}
			began := time.Now()
			r := demoResult{
				Experiment: "demo", Eps: model.Config.Eps, ZDim: model.Config.Encoder.ZDim, Sets: *sets, Samples: *samples,
				KL: model.Evaluate(params, model.Config.Eps, *sets, *samples, *seed),
			}
			r.Seconds = time.Since(began).Seconds()
			if *asJSON {
				return json.NewEncoder(stdout).Encode(r)
			}
			_, err = fmt.Fprintf(stdout, "KL(q_X || p_θ)  %.5f nats\nε               %g\nẑ dim           %d\nheld-out sets   %d, %d samples each\nseconds         %.2f\n",
				r.KL, r.Eps, r.ZDim, r.Sets, r.Samples, r.Seconds)
			return err
		},
	}
}
