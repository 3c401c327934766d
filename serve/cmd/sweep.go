package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/learn/sweep"
	"macroscope/serve/output"
	"macroscope/serve/reproduce"
)

// sweepOptions are the flags of a sweep.
type sweepOptions struct {
	graphOptions
	experiment, preset, out, from string
	data                          string // trajectories for a learning curve; "": none
	of                            sweep.Of
	trajectories                  int
	done                          bool
}

func sweepCommand(stdout, stderr io.Writer) *ffcli.Command {
	var o sweepOptions
	fs := o.flags("sweep", stderr)
	experimentFlags(fs, &o.experiment, &o.preset)
	fs.Func("over", "`NAME=VALUE,VALUE,…` a field of the configuration and its values, as eps=0.03,0.1 or encoder.zdim=1,2,4; repeat it for another field", func(text string) error {
		s, err := sweep.ParseSwept(text)
		o.of.Swept = append(o.of.Swept, s)
		return err
	})
	fs.Func("set", "`NAME=VALUE` sets a field of every training", func(text string) error {
		name, _, _ := strings.Cut(text, "=")
		for _, before := range o.of.Changes {
			if strings.HasPrefix(before, name+"=") {
				return fmt.Errorf("%s changes the same setting; give one of them", before)
			}
		}
		o.of.Changes = append(o.of.Changes, text)
		return nil
	})
	fs.BoolVar(&o.of.Grid, "grid", false, "train every combination of the values, not one field at a time with the others as in the preset")
	o.count(fs, &o.seeds, "seeds", 3, 1, 100, "trainings of each configuration")
	o.count(fs, &o.trajectories, "trajectories", 1000, 5, 100_000, "trajectories of each test; of stochastic dynamics a fifth of them")
	fs.StringVar(&o.dir, "dir", "sweep", "`folder` of models and results; the folder of a reproduction of the preset works too, and its finished tasks are not repeated")
	fs.StringVar(&o.from, "from", "", "another `folder`, written by reproduce -publish, to take records from")
	fs.StringVar(&o.out, "out", "sweep.json", "`file` to write, which the page reads; a CSV of the same name is written next to it; existing files of another command are kept as FILE.bak")
	fs.StringVar(&o.data, "data", "", "trajectories of your own for a learning curve, see above")
	fs.BoolVar(&o.done, "done", false, "write the file of the finished trainings, and train nothing")
	return o.command(fs, func(ctx context.Context) error { return o.run(ctx, stdout) })
}

func (o *sweepOptions) run(ctx context.Context, stdout io.Writer) (err error) {
	if len(o.of.Swept) == 0 {
		return errors.New("-over is missing: say which field takes which values")
	}
	if o.data != "" {
		l, err := o.curve()
		if err != nil {
			return err
		}
		return l.run(ctx, stdout)
	}
	if o.from != "" {
		if _, err := os.Stat(o.from); err != nil {
			return fmt.Errorf("cannot open the records: %w", err)
		}
	}
	for _, s := range o.of.Swept {
		for _, change := range o.of.Changes {
			if strings.HasPrefix(change, s.Field+"=") {
				return fmt.Errorf("-over %s and -set %s change the same setting; give one of them", s.Field, change)
			}
		}
	}
	if o.of.Spec, err = specOf(o.experiment, o.preset, o.given); err != nil {
		return err
	}
	if c, err := systems.Preset(o.of.Spec.String()); err == nil && c.Tunable() && !c.HasDynamics() {
		return fmt.Errorf("one model of %s has a KL for each ε and ẑ dim, and a sweep has one figure for each training; sweep over line/flow, or train the model and use eval -grid", o.of.Spec.Pair())
	}
	size := reproduce.Size{Preset: o.of.Spec.Preset, Seeds: o.seeds, Trajectories: o.trajectories}
	t, err := reproduce.NewSweep(systems, size, o.of, o.common()...)
	if err != nil {
		return err
	}
	g, err := t.SweepGraph()
	if err != nil {
		return err
	}
	if err := o.adopt(g, o.from); err != nil {
		return err
	}
	again := slices.Concat([]string{"sweep"}, o.of.Args(), []string{"-seeds", fmt.Sprint(o.seeds), "-trajectories", fmt.Sprint(o.trajectories)}, o.common())
	if !o.here() {
		return o.work(ctx, stdout, g, again)
	}
	if reproduce.TableOf(o.out) == o.out {
		return fmt.Errorf("-out %s is the name of the CSV, which is written next to the page's file; give that one another ending, such as .json", o.out)
	}
	var outs [2]*output.File // a path that cannot be written is reported before the work instead of after it
	for i, path := range []string{o.out, reproduce.TableOf(o.out)} {
		if outs[i], err = o.output("-out", path); err != nil {
			return err
		}
	}
	if !o.done {
		if err := o.work(ctx, stdout, g, again); err != nil {
			return err
		}
	}
	written, err := t.WriteSweep(g, o.dir, outs[0], outs[1], o.line())
	if err == nil {
		fmt.Fprintf(o.stderr, "%s: %s\n", o.out, written)
	}
	return err
}

// line returns a command line that makes the sweep's file again.
func (o *sweepOptions) line() string {
	args := append([]string{"macroscope sweep"}, o.of.Args()...)
	args = append(args, "-seeds", fmt.Sprint(o.seeds))
	if o.plain {
		args = append(args, "-plain")
	}
	return strings.Join(args, " ")
}
