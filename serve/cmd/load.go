package cmd

import (
	"bytes"
	"fmt"
	"io"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/model"
	"macroscope/serve/input"
)

// loaded is a model read from a file.
type loaded struct {
	model      *model.Model
	checkpoint *ckpt.File
	bundle     *bundle.Bundle // bundle that contained the model; nil: a checkpoint
}

// load opens the model of a checkpoint, or the active model of a bundle. It prints a line for
// everything that makes the model or its validation doubtful: parts of the file that no checksum covers,
// a training that was interrupted, and a validation on trajectories that trained the model.
func load(stderr io.Writer, path string) (*model.Model, error) {
	l, err := loadFile(path, false)
	if err != nil {
		return nil, err
	}
	for _, doubt := range []string{l.checkpoint.Unchecked, fit.Unfinished(l.checkpoint), fit.Doubt(l.checkpoint, l.model)} {
		if doubt != "" {
			fmt.Fprintf(stderr, "%s: %s\n", path, doubt)
		}
	}
	return l.model, nil
}

// ordinary returns the model m of a file, or an error if it is tunable.
func ordinary(path string, m *model.Model) (*model.Model, error) {
	if m.Config.Tunable() {
		return nil, fmt.Errorf("%s is a tunable model; write it at one ε and one ẑ dim with export -eps and -zdim, and use that file", path)
	}
	return m, nil
}

// loadFile opens a checkpoint, or one of a bundle's checkpoints. If goOn is set, it opens the
// checkpoint of the bundle's unfinished training, if there is one; otherwise it opens the
// active model.
func loadFile(path string, goOn bool) (*loaded, error) {
	b, err := readBundle(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the checkpoint: %w", err)
	}
	l := &loaded{bundle: b}
	if b == nil {
		l.checkpoint, err = readCheckpoint(path)
	} else {
		var file []byte
		if file, err = b.Checkpoint(goOn); err == nil {
			l.checkpoint, err = ckpt.Decode(bytes.NewReader(file))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if l.model, err = model.Open(systems, l.checkpoint); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

func readCheckpoint(path string) (*ckpt.File, error) {
	file, _, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ckpt.Decode(file)
}
