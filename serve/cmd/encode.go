package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/serve/output"
)

// encodeOptions are the flags of encode.
type encodeOptions struct {
	subcommand
	reading
	model, data, out string
	n, validation    int
	seed             uint64
}

func encodeCommand(stderr io.Writer) *ffcli.Command {
	var o encodeOptions
	fs := o.flags("encode", stderr, runtime.GOMAXPROCS(0))
	fs.StringVar(&o.model, modelName, "assets/models/mixing-laptop.safetensors", "checkpoint of a model with dynamics; MODEL without a flag is the same")
	fs.StringVar(&o.data, "data", "", "trajectories to encode, as in train -data, instead of simulated ones")
	o.reading.register(fs)
	fs.StringVar(&o.out, "out", "assets/models/mixing-z.npz", "`file` to write once all are encoded; an existing file is kept as FILE.bak")
	o.count(fs, &o.n, "n", 240, 2, 10_000, "trajectories")
	fs.IntVar(&o.validation, "validation", 40, "how many of them, the last ones, are for validation")
	fs.IntVar(&o.validation, "held", 40, "older name of -validation")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of the simulations")
	return o.command(fs, o.run)
}

func (o *encodeOptions) run(ctx context.Context) error {
	switch {
	case o.given["held"] && o.given["validation"]:
		return errors.New("-held is the older name of -validation; give one of them")
	case o.given["seed"] && o.data != "":
		return errors.New("-seed is for simulations, and -data gives trajectories; leave one of them out")
	}
	m, err := load(o.stderr, o.model)
	if err != nil {
		return err
	}
	c := &m.Config
	if !c.HasDynamics() {
		return fmt.Errorf("%s has no dynamics to be trained on what it encodes; choose a model that predicts", o.model)
	}
	out, err := o.output("-out", o.out, output.Input{Flag: "-model", Path: o.model}, output.Input{Flag: "-data", Path: o.data})
	if err != nil {
		return err
	}
	var src system.Source
	if o.data != "" {
		own, err := o.openFor(o.stderr, m, m.System, o.data, c.Data.Observable)
		if err != nil {
			return err
		}
		defer own.Close()
		if _, err := sayTrained(ctx, o.stderr, m, own, o.data, "; calibrate needs runs that did not"); err != nil {
			return err
		}
		src = own
	} else {
		if err := needsData(c); err != nil {
			return err
		}
		src = m.System.Simulated(c.Choice(system.Encode, o.seed, o.n))
	}
	began := time.Now()
	bar := newProgress(o.stderr, "encoding", "trajectory", 0, o.n)
	codes, err := m.Codes(bar.pause(ctx), src, o.n, o.validation, o.workers)
	bar.finish()
	if err != nil {
		return err
	}
	if err := out.Write(codes.Write); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.stderr, "encoded %s in %.0f s; wrote %s\n", setting.Count(codes.Trajectories, "trajectory", "trajectories"), time.Since(began).Seconds(), o.out)
	return err
}
