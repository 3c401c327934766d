package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"

	"macroscope/model/learn/fit"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/system"
	"macroscope/model/work"
)

// runsOver is the field of -over for a learning curve.
const runsOver = "data.runs"

// learningCurve trains on more and more of the user's runs, and prints the error on the runs that no training sees.
type learningCurve struct {
	settings
	data  string
	seeds int
	runs  []int // numbers of runs, ascending
}

// curve returns the learning curve that the flags of a sweep ask for.
func (o *sweepOptions) curve() (*learningCurve, error) {
	if len(o.of.Swept) != 1 || o.of.Swept[0].Field != runsOver {
		return nil, fmt.Errorf("-data is for a learning curve, -over %s=20,50,100; leave it out otherwise", runsOver)
	}
	l := &learningCurve{settings: settings{subcommand: o.subcommand, experiment: o.experiment, preset: o.preset, reading: reading{outliers: "refuse"}}, data: o.data, seeds: o.seeds}
	for _, text := range o.of.Swept[0].Values {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || len(l.runs) > 0 && n <= l.runs[len(l.runs)-1] {
			return nil, fmt.Errorf("-over %s=%s: give growing numbers of runs", runsOver, strings.Join(o.of.Swept[0].Values, ","))
		}
		l.runs = append(l.runs, n)
	}
	for _, change := range o.of.Changes {
		if err := l.set(change); err != nil {
			return nil, fmt.Errorf("-set: %w", err)
		}
	}
	return l, nil
}

// run trains and measures, and prints a row for each number of runs.
func (l *learningCurve) run(ctx context.Context, stdout io.Writer) error {
	c, own, err := l.config(l.data)
	if err != nil {
		return err
	}
	defer own.Close()
	if len(c.Data.KeptOut.Trajectories) == 0 {
		return errors.New("a single run has no learning curve; record more")
	}
	_, heldOut, err := c.Data.KeptOut.Divide(own)
	if err != nil {
		return err
	}
	if most := c.Dynamics.Trajectories; l.runs[len(l.runs)-1] > most {
		return fmt.Errorf("-over %s=%d: %d runs can train, and %d are held out", runsOver, l.runs[len(l.runs)-1], most, len(c.Data.KeptOut.Trajectories))
	}
	fmt.Fprintf(l.stderr, "the error is that on %d runs held out, after trainings from %d seeds\n", heldOut.Shape().Trajectories, l.seeds)
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "runs\t%s\t±\n", c.Measure().Title)
	var last, before [2]float64 // mean and its standard error
	for _, n := range l.runs {
		var errs []float64
		for seed := range l.seeds {
			v, err := l.train(ctx, c, own, heldOut, n, seed)
			if err != nil {
				return err
			}
			errs = append(errs, v)
		}
		mean, sd := stat.MeanStdDev(errs, nil)
		before, last = last, [2]float64{mean, sd / math.Sqrt(float64(len(errs)))}
		spread := "–"
		if len(errs) > 1 {
			spread = fmt.Sprintf("%.2g", last[1])
		}
		fmt.Fprintf(w, "%d\t%.3g\t%s\n", n, mean, spread)
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return l.advise(stdout, before, last)
}

// advise says whether more runs would help: the last step of the curve is compared with twice its standard error.
func (l *learningCurve) advise(stdout io.Writer, before, last [2]float64) error {
	var err error
	switch fall := before[0] - last[0]; {
	case len(l.runs) < 2 || l.seeds < 2:
	case fall > 2*math.Hypot(before[1], last[1]) && fall > 0.1*before[0]:
		_, err = fmt.Fprintf(stdout, "The error still falls: from %d to %d runs by %.0f %%. More runs would help.\n", l.runs[len(l.runs)-2], l.runs[len(l.runs)-1], 100*fall/before[0])
	default:
		_, err = fmt.Fprintf(stdout, "From %d to %d runs, the error does not fall by more than chance. More runs would hardly help.\n", l.runs[len(l.runs)-2], l.runs[len(l.runs)-1])
	}
	return err
}

// train trains on n runs and returns the error on the runs held out.
func (l *learningCurve) train(ctx context.Context, c method.Config, own, heldOut system.Recorded, n, seed int) (float64, error) {
	c.Data.Trajectories, c.Dynamics.Trajectories = min(n, c.Data.Trajectories), n
	c.Seed += uint64(seed)
	src, err := fit.SourceOr(&c, l.sys, own)
	if err != nil {
		return 0, err
	}
	if err := enoughRoom(&c, l.sys, src, l.workers); err != nil {
		return 0, err
	}
	r, err := fit.New(c, l.sys, src, l.workers)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	pause := work.Until(ctx)
	for ; r.Stage() != fit.Done; r.Next() {
		if err := r.Prepare(pause); err != nil {
			return 0, err
		}
		bar := newProgress(l.stderr, fmt.Sprintf("%d runs, seed %d, stage %d", n, seed+1, r.Stage()), "step", 0, r.Steps())
		err := r.Train(pause, func() error { bar.at(r.Step()); return nil })
		if bar.finish(); err != nil {
			return 0, err
		}
	}
	of := c.Motion()
	p, err := measure.Task{
		Model: r.Model.Usual(), Source: heldOut, Count: heldOut.Shape().Trajectories,
		Members: of.Members(measure.TestMembers), Seed: measure.TestSeed, Workers: l.workers,
	}.Run(pause)
	if err != nil {
		return 0, err
	}
	return p.Value(), nil
}
