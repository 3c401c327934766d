package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/ckpt"
	"macroscope/model/lab"
	"macroscope/model/train"
)

// trainFlags are the flags of a training of the demo.
type trainFlags struct {
	experiment, preset, out, resume string
	eps                             float64
	zdim, steps, workers            int
	seed                            uint64
}

func (f *trainFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&f.experiment, "experiment", "demo", "what to train: demo")
	fs.StringVar(&f.preset, "preset", "laptop", "size of model and training: browser, laptop or paper")
	fs.Float64Var(&f.eps, "eps", 0.1, "standard deviation ε of the target's kernel")
	fs.IntVar(&f.zdim, "zdim", 8, "latent dimension")
	fs.IntVar(&f.steps, "steps", 0, "training steps (default: the preset's)")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of everything random")
	fs.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that share a step; the result does not depend on it")
	fs.StringVar(&f.out, "out", "macroscope.safetensors", "checkpoint to write")
	fs.StringVar(&f.resume, "resume", "", "checkpoint to go on from; the other flags on the model then do not count")
}

func trainCommand(stderr io.Writer) *ffcli.Command {
	fs := newFlags("macroscope train", stderr)
	var f trainFlags
	f.register(fs)
	return &ffcli.Command{
		Name: "train", ShortUsage: "macroscope train [flags]", ShortHelp: "train a model and write a checkpoint",
		LongHelp: "Trains from scratch, or goes on from -resume. Ctrl-C saves a checkpoint that -resume goes on from\n" +
			"with the same result as if there had been no interruption.",
		FlagSet: fs,
		Exec: func(ctx context.Context, args []string) error {
			if err := noArgs(args); err != nil {
				return err
			}
			return f.run(ctx, stderr)
		},
	}
}

// saveEvery is the time between two checkpoints of a running training.
const saveEvery = 30 * time.Second

func (f *trainFlags) run(ctx context.Context, stderr io.Writer) error {
	if f.workers < 1 || f.workers > 1024 {
		return fmt.Errorf("-workers %d; use 1 to 1024", f.workers)
	}
	model, trainer, err := f.open()
	if err != nil {
		return err
	}
	defer trainer.Close()
	save := func() error { return ckpt.Save(f.out, model.Checkpoint(trainer.Params, trainer)) }
	if err := save(); err != nil { // before the work, not after it
		return err
	}

	c := model.Config
	fmt.Fprintf(stderr, "training the demo: ε = %g, ẑ dim %d, %d parameters, steps %d to %d of %d sets\n",
		c.Eps, c.Encoder.ZDim, len(trainer.Params), trainer.Step(), trainer.Steps(), c.Batch)
	began, saved, first := time.Now(), time.Now(), trainer.Step()
	bar := newProgress(stderr, "training", trainer.Step(), trainer.Steps())
	err = train.Run(ctx, trainer, trainer.Steps(), func() error {
		bar.at(trainer.Step(), func() string { return fmt.Sprintf("loss %.4f nats a sample", trainer.Loss()) })
		if time.Since(saved) < saveEvery {
			return nil
		}
		saved = time.Now()
		return save()
	})
	bar.finish()
	seconds := time.Since(began).Seconds()
	if saving := save(); saving != nil {
		return errors.Join(err, saving)
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped at step %d; go on with -resume %s -out %s", trainer.Step(), f.out, f.out)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "trained %d sets in %.1f s (%.0f sets/s, %d workers); wrote %s\n",
		(trainer.Step()-first)*c.Batch, seconds, float64((trainer.Step()-first)*c.Batch)/seconds, f.workers, f.out)
	kl := model.Evaluate(trainer.Params, c.Eps, evalSets, evalSamples, evalSeed)
	fmt.Fprintf(stderr, "KL(q_X || p_θ) = %.5f nats over %d held-out sets\n", kl, evalSets)
	return nil
}

// open returns the model to train and its run, at its start or where -resume
// left it.
func (f *trainFlags) open() (*lab.DemoModel, *train.Trainer, error) {
	if f.resume != "" {
		file, err := os.Open(f.resume)
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		model, params, content, err := lab.ReadDemo(file)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.resume, err)
		}
		trainer, err := model.Resume(content, params, f.workers)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.resume, err)
		}
		return model, trainer, nil
	}
	c, err := f.config()
	if err != nil {
		return nil, nil, err
	}
	model := lab.NewDemoModel(c)
	return model, model.NewTrainer(model.InitialParams(), f.workers), nil
}

func (f *trainFlags) config() (lab.DemoConfig, error) {
	if f.experiment != "demo" {
		return lab.DemoConfig{}, fmt.Errorf("there is no experiment %q; use demo", f.experiment)
	}
	c, err := lab.DemoPreset(f.preset)
	if err != nil {
		return c, err
	}
	c.Eps, c.Seed = f.eps, f.seed
	if f.steps != 0 {
		c.Steps = f.steps
	}
	c = c.WithZDim(f.zdim)
	return c, c.Validate()
}
