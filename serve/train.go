package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/ckpt"
	"macroscope/model/train"
)

// trainOptions are the flags of a training. What stays at its default is for
// the experiment's preset to say, which is why given is asked.
type trainOptions struct {
	experiment, preset, out, resume string
	eps                             float64
	zdim, steps, lawSteps, workers  int
	seed                            uint64
	data, macro                     string
	law, noise, drift               string
	share                           bool
	given                           map[string]bool
}

func (o *trainOptions) register(fs *flag.FlagSet) {
	fs.StringVar(&o.experiment, "experiment", "demo", "what to train: "+experimentNames())
	fs.StringVar(&o.preset, "preset", "laptop", "size of model and training: browser, laptop or paper; particles also quick")
	fs.Float64Var(&o.eps, "eps", 0, "standard deviation ε of the target's kernel (default: demo 0.1, others 0.01)")
	fs.IntVar(&o.zdim, "zdim", 0, "latent dimension (default 8, mixing 1 a species)")
	fs.IntVar(&o.steps, "steps", 0, "training steps, of stage I where there are two (default: the preset's)")
	fs.IntVar(&o.lawSteps, "law-steps", 0, "training steps of stage II (default: the preset's)")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of everything random")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that share a step; the result does not depend on it")
	fs.StringVar(&o.out, "out", "macroscope.safetensors", "checkpoint to write")
	fs.StringVar(&o.resume, "resume", "", "checkpoint to go on from; the other flags on the model then do not count")
	fs.StringVar(&o.data, "data", "", "particles, mixing: file of trajectories to train on, see below (default: they are simulated)")
	fs.StringVar(&o.macro, "macro", "energy", "particles: what to predict: energy, gyration, extent or the name of an array in -data")
	fs.StringVar(&o.law, "law", "", "mixing: one law of all variables, joint, or one a species, separate (default: the preset's)")
	fs.BoolVar(&o.share, "share", true, "mixing: whether the share of species 1 is among the variables (default: the preset's)")
	fs.StringVar(&o.noise, "noise", "", "mixing: the law's diffusion, constant, diagonal or full (default: the preset's)")
	fs.StringVar(&o.drift, "drift", "", "mixing: the law's drift, mlp or onsager (default: the preset's)")
}

func trainCommand(stderr io.Writer) *ffcli.Command {
	fs := newFlags("macroscope train", stderr)
	var o trainOptions
	o.register(fs)
	return &ffcli.Command{
		Name: "train", ShortUsage: "macroscope train [flags]", ShortHelp: "train a model and write a checkpoint",
		LongHelp: "Trains from scratch, or goes on from -resume. Ctrl-C saves a checkpoint that -resume goes on from\n" +
			"with the same result as if there had been no interruption.\n\n" +
			"  demo       sets of 200 points on a line: an autoencoder of their density\n" +
			"  particles  interacting particles in the plane: an autoencoder of their density (stage I), then\n" +
			"             the law by which their energy and the latent variables move (stage II)\n" +
			"  ae-aug     the same with the paper's baseline, an autoencoder to which the order of particles matters\n" +
			"  mixing     two species of Lennard-Jones atoms: an autoencoder that both share, then the stochastic\n" +
			"             law by which the mixing ratios and the latent variables move. Simulations take a second\n" +
			"             or two each and are made for either stage: those of simulate can be used again with -data\n\n" +
			"-data takes an .npz with an array trajectories (E, T, N, D): E trajectories of T frames of N particles\n" +
			"with D coordinates, as float32 or float64; or an .npy with that array alone. The energy is read from\n" +
			"an array macro (E, T) or (E, T, 1) if there is one, and computed if not. For mixing it takes an .npz\n" +
			"with another array types (E, N), of 1 and 2, and perhaps the ratios macro (E, T, 2); or a LAMMPS dump\n" +
			"file, or a folder of them, each a run.",
		FlagSet: fs,
		Exec: func(ctx context.Context, args []string) error {
			if err := noArgs(args); err != nil {
				return err
			}
			o.given = given(fs)
			return o.run(ctx, stderr)
		},
	}
}

// saveEvery is the time between two checkpoints of a running training.
const saveEvery = 30 * time.Second

func (o *trainOptions) run(ctx context.Context, stderr io.Writer) error {
	if err := checkWorkers(o.workers); err != nil {
		return err
	}
	t, err := o.open()
	if err != nil {
		return err
	}
	defer t.close()
	save := func() error { return ckpt.Save(o.out, t.checkpoint()) }
	if err := save(); err != nil { // before the work, not after it
		return err
	}
	fmt.Fprintln(stderr, t.title())
	for {
		s, err := t.next(ctx, stderr)
		if err == nil && s == nil {
			break
		}
		if err == nil {
			err = s.run(ctx, stderr, save)
		}
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("stopped; go on with -resume %s -out %s", o.out, o.out)
		}
		if err != nil {
			return err
		}
	}
	if err := save(); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "wrote %s\n", o.out)
	return t.report(ctx, stderr)
}

// open returns the training at its start, or where -resume left it.
func (o *trainOptions) open() (training, error) {
	if o.resume != "" {
		e, f, err := load(o.resume)
		if err != nil {
			return nil, err
		}
		if o.given["experiment"] && o.experiment != e.name() {
			return nil, fmt.Errorf("%s is of the experiment %s, not %s", o.resume, e.name(), o.experiment)
		}
		t, err := e.train(o, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.resume, err)
		}
		return t, nil
	}
	e, err := findExperiment(o.experiment)
	if err != nil {
		return nil, err
	}
	return e.train(o, nil)
}

// run trains to the stage's end and saves now and then and when it stops, for
// whatever reason.
func (s *stage) run(ctx context.Context, stderr io.Writer, save func() error) error {
	t := s.trainer
	began, saved, first := time.Now(), time.Now(), t.Step()
	bar := newProgress(stderr, s.name, "step", t.Step(), t.Steps())
	err := train.Run(ctx, t, t.Steps(), func() error {
		bar.at(t.Step(), func() string { return fmt.Sprintf("loss %.4g %s", t.Loss(), s.unit) })
		if time.Since(saved) < saveEvery {
			return nil
		}
		saved = time.Now()
		return save()
	})
	bar.finish()
	done, seconds := (t.Step()-first)*s.batch, time.Since(began).Seconds()
	fmt.Fprintf(stderr, "%s: %d %s in %.1f s (%.0f %s/s)\n", s.name, done, s.what, seconds, float64(done)/seconds, s.what)
	return errors.Join(err, save())
}
