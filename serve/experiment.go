package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"macroscope/model/ckpt"
	"macroscope/model/lab"
	"macroscope/model/train"
)

// experiment is one of the lab's experiments as the command line knows it. A
// file an experiment implements it; experiments lists them.
type experiment interface {
	// name is what -experiment takes and what a checkpoint carries.
	name() string
	// train opens a training: at its start, or where the checkpoint resume
	// left it unless that is nil.
	train(o *trainOptions, resume *ckpt.File) (training, error)
	// eval measures the model of a checkpoint.
	eval(ctx context.Context, o *evalOptions, f *ckpt.File, stderr io.Writer) (result, error)
	// simulate writes trajectories to -out.
	simulate(ctx context.Context, o *simulateOptions, stderr io.Writer) error
	// table trains what -models lacks, measures it, prints the experiment's
	// table in Markdown and draws its figures.
	table(ctx context.Context, o *tableOptions, stdout, stderr io.Writer) error
}

// training is a training of one or more stages.
type training interface {
	// title says in a line what is trained.
	title() string
	// next prepares the stage under way, or the next where that has ended, and
	// returns its name, its trainer and the unit of its batches. The trainer is
	// nil after the last.
	next(ctx context.Context, stderr io.Writer) (*stage, error)
	// checkpoint returns the model with all that a resumption needs.
	checkpoint() *ckpt.File
	// report says what the trained model reaches.
	report(ctx context.Context, stderr io.Writer) error
	close()
}

// stage is a part of a training.
type stage struct {
	name    string
	trainer *train.Trainer
	batch   int    // a step
	what    string // that a batch is made of
	unit    string // of the loss
}

// result prints itself as a table for reading, and as one JSON object.
type result interface{ print(w io.Writer) error }

var experiments = []experiment{demo{}, particles{}, ordered{}, mixing{}}

func experimentNames() string {
	var names []string
	for _, e := range experiments {
		names = append(names, e.name())
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func findExperiment(name string) (experiment, error) {
	for _, e := range experiments {
		if e.name() == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("there is no experiment %q; use %s", name, experimentNames())
}

// load opens a checkpoint and finds the experiment that it belongs to.
func load(path string) (experiment, *ckpt.File, error) {
	f, err := ckpt.Load(path)
	if err != nil {
		return nil, nil, err
	}
	name := lab.Experiment(f)
	if name == "" {
		return nil, nil, fmt.Errorf("%s is a safetensors file but not one of Macroscope's: its metadata names no experiment", path)
	}
	e, err := findExperiment(name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return e, f, nil
}

// given lists the flags that stood on the command line.
func given(fs *flag.FlagSet) map[string]bool {
	set := make(map[string]bool)
	fs.Visit(func(f *flag.Flag) { set[f.Name] = true })
	return set
}

// refuse returns an error if one of the flags was given, which the experiment
// has no use for.
func refuse(given map[string]bool, experiment string, flags ...string) error {
	for _, f := range flags {
		if given[f] {
			return fmt.Errorf("-%s means nothing to the experiment %s; leave it out", f, experiment)
		}
	}
	return nil
}

func checkWorkers(n int) error {
	if n < 1 || n > 1024 {
		return fmt.Errorf("-workers %d; use 1 to 1024", n)
	}
	return nil
}

// openFile opens a file and returns its size.
func openFile(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder; choose a file", path)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
