package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/lab"
)

// encodeOptions are the flags of encode.
type encodeOptions struct {
	model, data, out string
	n, held          int
	seed             uint64
	workers          int
}

func encodeCommand(stderr io.Writer) *ffcli.Command {
	fs := newFlags("macroscope encode", stderr)
	var o encodeOptions
	fs.StringVar(&o.model, "model", "assets/models/mixing-laptop.safetensors", "checkpoint of a model of mixing")
	fs.StringVar(&o.data, "data", "", "trajectories to encode, an .npz or a folder of dumps, instead of simulated ones")
	fs.StringVar(&o.out, "out", "assets/models/mixing-z.npz", "file to write")
	fs.IntVar(&o.n, "n", 240, "trajectories")
	fs.IntVar(&o.held, "held", 40, "how many of them are for testing, the last ones")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of the velocities and boundaries")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "trajectories simulated at once; the result does not depend on it")
	return &ffcli.Command{
		Name: "encode", ShortUsage: "macroscope encode [flags]", ShortHelp: "simulate mixing and write what a model's encoder makes of it",
		LongHelp: "Writes an .npz with the mixing ratios and closure variables of every frame, on which the page\n" +
			"trains laws: z (n, 501, variables), as whole numbers to be multiplied by steps (variables), in the\n" +
			"units of the law; low and high (variables), the range that -1 to 1 stands for; and held.",
		FlagSet: fs,
		Exec: func(ctx context.Context, args []string) error {
			if err := noArgs(args); err != nil {
				return err
			}
			if err := checkWorkers(o.workers); err != nil {
				return err
			}
			if o.n < 2 || o.n > 10_000 {
				return fmt.Errorf("-n %d; use 2 to 10000 trajectories", o.n)
			}
			return o.run(ctx, stderr)
		},
	}
}

func (o *encodeOptions) run(ctx context.Context, stderr io.Writer) error {
	f, err := os.Open(o.model)
	if err != nil {
		return err
	}
	defer f.Close()
	m, _, err := lab.ReadMixing(f)
	if err != nil {
		return fmt.Errorf("%s: %w", o.model, err)
	}
	src, release := lab.MixingSource(m.Config.CodesSource(o.seed, o.n)), func() {}
	if o.data != "" {
		if src, release, err = openMixing(o.data); err != nil {
			return err
		}
	}
	defer release()
	began := time.Now()
	bar := newProgress(stderr, "encoding", "trajectory", 0, o.n)
	codes, err := m.Codes(ctx, src, o.n, o.held, o.workers, func(n int) { bar.at(n, noNote) })
	bar.finish()
	if err != nil {
		return err
	}
	out, err := os.Create(o.out)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	if err := errors.Join(codes.Write(buffered), buffered.Flush(), out.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stderr, "encoded %d trajectories in %.0f s; wrote %s\n", codes.Trajectories, time.Since(began).Seconds(), o.out)
	return err
}
