package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/lab"
	"macroscope/model/train"
)

// demo is the one-dimensional demo of section 4.1.
type demo struct{}

func (demo) name() string { return "demo" }

func (demo) simulate(context.Context, *simulateOptions, io.Writer) error {
	return fmt.Errorf("the demo's sets are drawn as they are needed; simulate writes trajectories of particles")
}

// demoTraining implements training.
type demoTraining struct {
	model   *lab.DemoModel
	trainer *train.Trainer
}

func (demo) train(o *trainOptions, resume *ckpt.File) (training, error) {
	if err := refuse(o.given, "demo", "data", "macro", "law-steps", "law", "share", "noise", "drift"); err != nil {
		return nil, err
	}
	if resume != nil {
		model, params, err := lab.DemoFromFile(resume)
		if err != nil {
			return nil, err
		}
		t, err := model.Resume(resume, params, o.workers)
		return &demoTraining{model, t}, err
	}
	c, err := lab.DemoPreset(o.preset)
	if err != nil {
		return nil, err
	}
	c.Seed = o.seed
	if o.given["eps"] {
		c.Eps = o.eps
	}
	if o.given["zdim"] {
		c = c.WithZDim(o.zdim)
	}
	if o.steps != 0 {
		c.Steps = o.steps
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	model := lab.NewDemoModel(c)
	return &demoTraining{model, model.NewTrainer(model.InitialParams(), o.workers)}, nil
}

func (t *demoTraining) title() string {
	c := t.model.Config
	return fmt.Sprintf("training the demo: ε = %g, ẑ dim %d, %d parameters, steps %d to %d of %d sets",
		c.Eps, c.Encoder.ZDim, len(t.trainer.Params), t.trainer.Step(), t.trainer.Steps(), c.Batch)
}

func (t *demoTraining) next(context.Context, io.Writer) (*stage, error) {
	if t.trainer.Step() >= t.trainer.Steps() {
		return nil, nil
	}
	return &stage{"training", t.trainer, t.model.Config.Batch, "sets", "nats a sample"}, nil
}

func (t *demoTraining) checkpoint() *ckpt.File {
	return t.model.Checkpoint(t.trainer.Params, t.trainer)
}

func (t *demoTraining) close() { t.trainer.Close() }

func (t *demoTraining) report(_ context.Context, stderr io.Writer) error {
	kl := t.model.Evaluate(t.trainer.Params, t.model.Config.Eps, evalSets, evalSamples, evalSeed)
	_, err := fmt.Fprintf(stderr, "KL(q_X || p_θ) = %.5f nats over %d held-out sets\n", kl, evalSets)
	return err
}

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

func (demo) eval(_ context.Context, o *evalOptions, f *ckpt.File, _ io.Writer) (result, error) {
	if err := refuse(o.given, "demo", "data", "macro", "trajectories"); err != nil {
		return nil, err
	}
	if o.sets < 1 || o.sets > 1_000_000 || o.samples < 1 || o.samples > 1_000_000 {
		return nil, fmt.Errorf("-sets %d and -samples %d; use numbers from 1 to 1000000", o.sets, o.samples)
	}
	model, params, err := lab.DemoFromFile(f)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	r := demoResult{
		Experiment: "demo", Eps: model.Config.Eps, ZDim: model.Config.Encoder.ZDim, Sets: o.sets, Samples: o.samples,
		KL: model.Evaluate(params, model.Config.Eps, o.sets, o.samples, o.seed),
	}
	r.Seconds = time.Since(began).Seconds()
	return r, nil
}

func (r demoResult) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "KL(q_X || p_θ)  %.5f nats\nε               %g\nẑ dim           %d\nheld-out sets   %d, %d samples each\nseconds         %.2f\n",
		r.KL, r.Eps, r.ZDim, r.Sets, r.Samples, r.Seconds)
	return err
}
