package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/model"
	"macroscope/serve/input"
)

// readBundle reads a bundle from a file. It returns nil if the file is not a bundle.
func readBundle(path string) (*bundle.Bundle, error) {
	file, _, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, bundle.HeadSize)
	n, _ := io.ReadFull(file, head) // a file shorter than `head` is not a bundle
	if !bundle.Is(head[:n]) {
		return nil, nil
	}
	content, err := io.ReadAll(io.MultiReader(bytes.NewReader(head), io.LimitReader(file, data.MaxBytes)))
	if err != nil {
		return nil, err
	}
	b, err := bundle.Decode(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

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

// loadOrdinary calls `load` to open a model, but rejects tunable models. The calling commands need
// one ε and one ẑ dim.
func loadOrdinary(stderr io.Writer, path string) (*model.Model, error) {
	m, err := load(stderr, path)
	if err != nil {
		return nil, err
	}
	return ordinary(path, m)
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

// maxBundled is the size of the largest file of trajectories in a bundle, in bytes.
const maxBundled = data.MaxBytes / 2

// newBundle returns a bundle for the results of a training. If the training resumes from a bundle,
// the result is a copy of this bundle, `from`. newBundle adds the trajectories at the given path if
// they are in one file of at most maxBundled bytes.
func newBundle(from *bundle.Bundle, path string) (*bundle.Bundle, error) {
	b := new(bundle.Bundle)
	if from != nil {
		*b = *from
	}
	info, err := os.Stat(path)
	if path == "" || err != nil || !info.Mode().IsRegular() || info.Size() > maxBundled {
		return b, nil
	}
	if other, err := readBundle(path); err != nil || other != nil {
		if other != nil {
			b.Data, b.DataName = other.Data, other.DataName
		}
		return b, err
	}
	b.Data, err = input.Read(path, maxBundled)
	b.DataName = filepath.Base(path)
	return b, err
}

// isBundle reports whether an output file has the name of a bundle.
func isBundle(path string) bool { return strings.HasSuffix(path, bundle.Ending) }

// writeBundled writes a training as a bundle.
func writeBundled(w io.Writer, b *bundle.Bundle, f *ckpt.File) error {
	var file bytes.Buffer
	if err := ckpt.Encode(&file, f); err != nil {
		return err
	}
	b.Trained(file.Bytes())
	return b.Encode(w)
}
