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
