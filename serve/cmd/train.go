package cmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/learn/train"
	"macroscope/serve/output"
)

// trainOptions are the flags of a training.
type trainOptions struct {
	settings
	out, resume, data string
	measure           bool
}

func (o *trainOptions) register(fs *flag.FlagSet) {
	o.settings.register(fs)
	o.reading.register(fs)
	fs.StringVar(&o.out, "out", "macroscope.safetensors", "checkpoint to write, or with the ending .macroscope a bundle, which the page opens as well; an existing `file` is kept as FILE.bak")
	fs.StringVar(&o.resume, "resume", "", "checkpoint or bundle to continue from; of the flags for the model only -set of a learning rate then has an effect")
	fs.BoolVar(&o.measure, "report", true, "measure the model on a few trajectories at the end")
	fs.StringVar(&o.data, "data", "", "trajectories to train on, see above (default: they are simulated)")
}

func trainCommand(stderr io.Writer) *ffcli.Command {
	var o trainOptions
	fs := o.flags("train", stderr, runtime.GOMAXPROCS(0))
	o.register(fs)
	return o.command(fs, o.run)
}

func (o *trainOptions) run(ctx context.Context) error {
	out, err := o.output("-out", o.out, output.Input{Flag: "-data", Path: o.data})
	if err != nil {
		return err
	}
	out.GoesOnFrom(o.resume)
	t, err := o.open(ctx)
	if err != nil {
		return o.inWords(err, nil, out, false)
	}
	defer t.close()
	if params := t.run.Model.Config.Dynamics.Params; t.own != nil && len(params) > 0 {
		has, err := hasParams(t.own)
		if err != nil {
			return err
		}
		if !has {
			return fmt.Errorf("the data have no values of %s to learn from; save an array with one value for each trajectory, or leave -params out", params.Names())
		}
	}
	if t.from != nil && !isBundle(o.out) { // o.out may be the bundle t.from. The bundle is kept, because it contains more than a checkpoint
		out.GoesOnFrom("")
	}
	write := func(w io.Writer) error { return ckpt.Encode(w, t.run.Checkpoint()) }
	if isBundle(o.out) {
		b, err := newBundle(t.from, o.data)
		if err != nil {
			return err
		}
		write = func(w io.Writer) error { return writeBundled(w, b, t.run.Checkpoint()) }
	}
	saved := false // whether a checkpoint with steps of this training has been written
	save := func() error {
		saved = true
		return out.Write(write)
	}
	inBetween := save
	if out.Direct() { // a pipe or device can take only one checkpoint
		inBetween = func() error {
			saved = true
			return nil
		}
	}
	err = t.toTheEnd(ctx, o.stderr, inBetween)
	if err == nil || saved && out.Direct() {
		err = errors.Join(err, save())
	}
	if err != nil {
		return o.inWords(err, t, out, saved)
	}
	fmt.Fprintf(o.stderr, "wrote %s\n", o.out)
	if !o.measure {
		return nil
	}
	return t.report(ctx, o.stderr)
}

// inWords returns the error of a training that ended early, with instructions to resume the
// training.
func (o *trainOptions) inWords(err error, t *training, out *output.File, saved bool) error {
	from, goOn := o.resume, ""
	if saved && !out.Direct() {
		from = o.out
	}
	if from != "" {
		goOn = fmt.Sprintf("-resume %s -out %s", from, o.out)
		if o.given["data"] {
			goOn += " -data " + o.data
		}
	}
	var diverged *train.Diverged
	switch {
	case errors.As(err, &diverged):
		return o.remedy(err, diverged, t, goOn)
	case !errors.Is(err, context.Canceled):
		return err
	case goOn != "":
		return fmt.Errorf("stopped; go on with %s", goOn)
	case saved:
		return fmt.Errorf("stopped; what had been trained was written to %s", o.out)
	}
	return fmt.Errorf("stopped before a step was taken; %s was not written", o.out)
}

// remedy adds advice for the user to the error of a diverged training.
func (o *trainOptions) remedy(err error, d *train.Diverged, t *training, goOn string) error {
	c, phase := &t.run.Model.Config, t.run.Phase()
	rate := phase.Config.Schedule.Peak
	slower := fmt.Sprintf("-set %s=%.1g", phase.RateName, rate/3)
	if goOn != "" {
		slower = fmt.Sprintf("%s %s goes on from there at a lower learning rate (it was %.2g, at most %.2g)", goOn, slower, d.Rate, rate)
	} else {
		slower = fmt.Sprintf("begin again at a lower learning rate, with %s (it was %.2g, at most %.2g)", slower, d.Rate, rate)
	}
	more := "or another -seed"
	if phase.Stage == fit.Autoencoder && c.Decoder.Density() {
		more = "a larger -eps, or another -seed"
	}
	if cause := t.unlike.Cause(); cause != "" {
		err = fmt.Errorf("%w; %s", err, cause)
	}
	return fmt.Errorf("%w; %s; or begin with %s", err, slower, more)
}

// open returns a new training, or the training that -resume continues.
func (o *trainOptions) open(ctx context.Context) (*training, error) {
	if o.resume != "" {
		return o.goOn(ctx)
	}
	c, own, err := o.config(o.data)
	if err != nil {
		return nil, err
	}
	sys := o.sys
	t := &training{workers: o.workers, start: time.Now()}
	if own != nil {
		if err := t.use(ctx, own); err != nil {
			return t.opened(err)
		}
	}
	src, err := fit.SourceOr(&c, sys, t.own)
	if err != nil {
		return t.opened(err)
	}
	if err = enoughRoom(&c, sys, src, o.workers); err == nil {
		t.run, err = fit.New(c, sys, src, o.workers)
	}
	if err == nil {
		err = t.began(o.data)
	}
	return t.opened(err)
}

// goOn returns the training that -resume continues.
func (o *trainOptions) goOn(ctx context.Context) (*training, error) {
	l, err := loadFile(o.resume, true)
	if err != nil {
		return nil, err
	}
	m, c := l.model, &l.model.Config
	if o.given["experiment"] {
		spec, err := specOf(o.experiment, o.preset, o.given)
		if err != nil {
			return nil, err
		}
		if spec.System != c.Spec.System || spec.Method != c.Spec.Method {
			return nil, fmt.Errorf("%s is of the experiment %s, not %s", o.resume, c.Spec.Pair(), spec.Pair())
		}
	}
	t := &training{workers: o.workers, start: time.Now(), from: l.bundle}
	if o.data == "" && c.Data.Recorded && l.bundle != nil && l.bundle.Data != nil {
		o.data = o.resume
	}
	switch {
	case o.data == "" && c.Data.Recorded:
		return nil, fmt.Errorf("%s: the training uses data of your own; give them again with -data", o.resume)
	case o.data != "" && !c.HasDynamics():
		return nil, meansNothing("data", c.Spec.Pair())
	case o.data != "" && !c.Data.Recorded:
		return nil, fmt.Errorf("%s: the training uses simulated data; leave -data out, or begin a new training with it", o.resume)
	case o.data != "":
		own, err := o.openFor(o.stderr, m, m.System, o.data, c.Data.Observable)
		if err != nil {
			return nil, err
		}
		if err := t.use(ctx, own); err != nil {
			return t.opened(err)
		}
	}
	src, err := fit.SourceOr(c, m.System, t.own)
	if err == nil {
		err = enoughRoom(c, m.System, src, o.workers)
	}
	if err == nil {
		t.run, err = fit.Resume(systems, l.checkpoint, src, o.workers)
	}
	if err != nil {
		return t.opened(fmt.Errorf("%s: %w", o.resume, err))
	}
	if err := t.began(o.data); err != nil {
		return t.opened(err)
	}
	if err := o.once(c); err != nil {
		return t.opened(err)
	}
	for _, v := range o.changes {
		if err = t.run.SetRate(v.fields[0], v.value); err != nil {
			err = fmt.Errorf("-%s with -resume: %w", v.flag, err)
			break
		}
		if t.run.Stage() == fit.Done {
			err = fmt.Errorf("%s: the training has ended, and another learning rate would change nothing; leave -%s out, or begin a new training", o.resume, v.flag)
			break
		}
	}
	return t.opened(err)
}

// methodsHelp returns the list of methods, with a paragraph for each method.
func methodsHelp() string {
	var b strings.Builder
	for _, m := range method.Methods() {
		fmt.Fprintf(&b, "  %-13s  %s\n", m.Name, wrapped(m.Text, 17))
	}
	return b.String()
}
