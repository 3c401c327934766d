package main

import (
	"context"
	"flag"
	"fmt"
	"io"
)

// subcommand is what the subcommands that compute have in common: their options embed it.
type subcommand struct {
	workers int
	given   map[string]bool // the flags that stood on the command line
	stderr  io.Writer
}

// flags returns the flag set of a subcommand of a name, with -workers.
func (o *subcommand) flags(name string, stderr io.Writer, workers int) *flag.FlagSet {
	o.stderr = stderr
	fs := newFlags("macroscope " + name)
	fs.IntVar(&o.workers, "workers", workers, "goroutines that share the work; no result depends on it")
	return fs
}

// execute returns what a subcommand does once its flags have been read.
func (o *subcommand) execute(fs *flag.FlagSet, run func(context.Context) error) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		if err := noArgs(args); err != nil {
			return err
		}
		if err := within("workers", o.workers, 1, 1024); err != nil {
			return err
		}
		o.given = make(map[string]bool)
		fs.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
		return run(ctx)
	}
}

// refuse returns an error if one of the flags was given, which the experiment
// has no use for.
func (o *subcommand) refuse(experiment string, flags ...string) error {
	for _, f := range flags {
		if o.given[f] {
			return meansNothing(f, experiment)
		}
	}
	return nil
}

func meansNothing(flag, experiment string) error {
	return fmt.Errorf("-%s means nothing to the experiment %s; leave it out", flag, experiment)
}

// within refuses a number that a flag must not have.
func within(flag string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("-%s %d; use %d to %d", flag, n, least, most)
	}
	return nil
}
