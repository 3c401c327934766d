package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"macroscope/model/file/bundle"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/measure/stats"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/work"
)

// training is a fit.Run together with its data and files.
type training struct {
	run     *fit.Run
	own     system.Recorded   // trajectories of -data, or nil
	digest  model.Digest      // digest of these trajectories; "" if there are none
	unlike  *measure.Mismatch // how they move, if the dynamics cannot move so; otherwise nil
	from    *bundle.Bundle    // bundle from which the training resumes, or nil
	workers int
	start   time.Time
}

// use takes the trajectories of -data.
func (t *training) use(ctx context.Context, own system.Recorded) (err error) {
	t.own = own
	t.digest, err = model.DigestOf(work.Until(ctx), own)
	return err
}

// began sets the model's digest of the data. It returns an error if a resumed training began with other
// data.
func (t *training) began(path string) error {
	if t.own == nil {
		return nil
	}
	if err := t.run.Model.Data.BeganWith(t.own, t.digest); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	t.run.Model.Data = t.digest
	return nil
}

// opened returns the training. If err is not nil, it closes the training and returns the error.
func (t *training) opened(err error) (*training, error) {
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *training) close() {
	if t.run != nil {
		t.run.Close()
	}
	if t.own != nil {
		t.own.Close()
	}
}

// toTheEnd runs all phases of the training. During a phase it saves checkpoints at intervals of
// saveEvery. It also saves a checkpoint when a phase ends or stops with an error.
func (t *training) toTheEnd(ctx context.Context, stderr io.Writer, save func() error) error {
	fmt.Fprintf(stderr, "training %s: %s\n", t.run.Model.Config.Spec.Pair(), t.run.Model.Detail())
	if t.own != nil {
		fmt.Fprintln(stderr, t.run.Model.Config.Data.KeptOut.InWords())
		var err error
		if t.unlike, err = measure.WrongMotion(work.Until(ctx), t.run.Model.System, t.own, t.workers); err != nil {
			return err
		}
		if t.unlike != nil {
			fmt.Fprintln(stderr, t.unlike.InWords())
		}
	}
	for ; t.run.Stage() != fit.Done; t.run.Next() {
		if t.run.Trainer() == nil {
			if err := t.prepare(ctx, stderr); err != nil {
				return err
			}
		}
		if err := t.phase(ctx, stderr, save); err != nil {
			return err
		}
		if t.run.Stage() == fit.Autoencoder {
			if err := t.sayProbed(ctx, stderr); err != nil {
				return err
			}
		}
	}
	if t.own == nil {
		return nil
	}
	if err := t.run.Calibrate(work.Until(ctx), t.own); err != nil {
		return err
	}
	if m := t.run.Model; m.Calibration.Stretch != 1 {
		fmt.Fprintf(stderr, "bands are stretched by %.2f, for the values of what is kept out\n", m.Calibration.Stretch)
	}
	return nil
}

// prepare reads the data of the present phase and displays its progress.
func (t *training) prepare(ctx context.Context, stderr io.Writer) error {
	what, count, began := "collecting trajectories", t.run.Trajectories(), time.Now()
	if t.run.Stage() != fit.Autoencoder {
		what = "collecting and encoding trajectories"
	}
	bar := newProgress(stderr, what, "trajectory", 0, count)
	err := t.run.Prepare(bar.pause(ctx))
	bar.finish()
	if err == nil && count > 0 {
		seconds := time.Since(began).Seconds()
		fmt.Fprintf(stderr, "%s: %d in %.1f s (%.3g/s)\n", what, count, seconds, float64(count)/seconds)
	}
	return err
}

// saveEvery is the time between two checkpoints of a running training.
const saveEvery = 30 * time.Second

// The method `phase` trains until the present phase ends.
func (t *training) phase(ctx context.Context, stderr io.Writer, save func() error) error {
	trainer := t.run.Trainer()
	p := t.run.Phase()
	name, batch, what, unit := p.Name, p.Batch, p.What, p.Unit
	if unit != "" {
		unit = " " + unit
	}
	began, saved, first := time.Now(), time.Now(), trainer.Step()
	bar := newProgress(stderr, name, "step", first, t.run.Steps())
	bar.note = func() string { return fmt.Sprintf("loss %.4g%s%s", trainer.Loss(), unit, t.run.Try()) }
	err := t.run.Train(work.Until(ctx), func() error {
		bar.at(trainer.Step())
		if time.Since(saved) < saveEvery {
			return nil
		}
		saved = time.Now()
		return save()
	})
	bar.finish()
	if trainer.Step() == first {
		return err // there is nothing to save
	}
	done, seconds := (trainer.Step()-first)*batch, time.Since(began).Seconds()
	fmt.Fprintf(stderr, "%s: %d %s in %.1f s (%.0f %s/s)\n", name, done, what, seconds, float64(done)/seconds, what)
	return errors.Join(err, save())
}

// report prints the model's figures on a few trajectories of the tests, unless the training
// was on the user's own trajectories.
func (t *training) report(ctx context.Context, stderr io.Writer) error {
	fmt.Fprintf(stderr, "trained in %.0f s altogether\n", time.Since(t.start).Seconds())
	if t.own != nil {
		return nil
	}
	e := evaluation{model: t.run.Model.Usual(), seed: measure.TestSeed, workers: t.workers, stderr: stderr}
	if e.model.System.Tests == nil {
		if needsDensity(e.model) != nil {
			return nil
		}
		r, err := measure.KLResult(work.Until(ctx), e.model, measure.TestSets, measure.TestSamples, e.seed)
		if err != nil {
			return err
		}
		kl := e.model.Config.Measure()
		text, _ := kl.InWords(r.Number(kl.Name))
		_, err = fmt.Fprintf(stderr, "%s = %s over %d validation sets\n", kl.Title, text, measure.TestSets)
		return err
	}
	of, tests := e.model.Config.Motion(), e.model.System.Tests(e.model.Config.Particles)
	r, err := e.tests(ctx, tests[:max(1, len(tests)/of.Share)], of.Trajectories(100))
	if err != nil {
		return err
	}
	return r.print(stderr)
}

// sayProbed prints how well the closure variables determine the system's quantities, if the
// system has any.
func (t *training) sayProbed(ctx context.Context, stderr io.Writer) error {
	sys := t.run.Model.System
	if sys.Quantify == nil {
		return nil
	}
	c := &t.run.Model.Config
	src := system.Source(t.own)
	if t.own == nil {
		src = sys.Simulated(c.Choice(system.Validate, c.Seed, fit.ValidationCount))
	}
	shares, err := stats.Probe(work.Until(ctx), t.run.Model.Usual(), sys, src, fit.ValidationCount, t.workers)
	if err != nil {
		return err
	}
	var parts []string
	for i, name := range sys.Quantities {
		parts = append(parts, fmt.Sprintf("%s with R² %.3f", name, shares[i]))
	}
	_, err = fmt.Fprintf(stderr, "ẑ tells %s\n", strings.Join(parts, ", "))
	return err
}
