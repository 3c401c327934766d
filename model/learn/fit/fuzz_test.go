package fit

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
)

// FuzzRead changes the metadata of checkpoints that contain a training. A line NAME=VALUE sets an
// entry; a name alone removes the entry. If a run can be read, its checkpoint must be readable too,
// and must keep every byte when it is read and written again.
func FuzzRead(f *testing.F) {
	var files []*ckpt.File
	for _, pair := range pairs {
		c, sys := tiny(pair)
		for _, steps := range []int{1, c.Steps + 2} { // stage I in progress, and stage II
			r := newRun(f, c, sys, nil, 1)
			drive(f, r, steps)
			files = append(files, r.Checkpoint())
		}
	}
	var names []string
	for _, file := range files {
		for name := range file.Metadata {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, name := range slices.Compact(names) {
		for _, value := range []string{"=1", "=", "=-7", "=4096", "", "=1 2 3", "=NaN"} {
			f.Add(uint8(i), name+value)
		}
	}
	f.Add(uint8(0), "config.batch=4096\nconfig.shards=1\nconfig.samples=4096\nconfig.particles=100000")
	f.Fuzz(func(t *testing.T, which uint8, lines string) {
		of := files[int(which)%len(files)]
		file := &ckpt.File{Tensors: of.Tensors, Metadata: make(map[string]string, len(of.Metadata))}
		for name, value := range of.Metadata {
			file.Metadata[name] = value
		}
		for line := range strings.SplitSeq(lines, "\n") {
			if name, value, ok := strings.Cut(line, "="); ok {
				file.Metadata[name] = value
			} else {
				delete(file.Metadata, name)
			}
		}
		r, err := readRun(toys(), file)
		if err != nil {
			if s := err.Error(); len(s) > 2000 {
				t.Fatalf("not a sentence: %q", s)
			}
			return
		}
		if worker, shared := r.Model.Config.Room(); worker+shared > 2<<30 {
			t.Fatalf("a training of %d and %d bytes is accepted", worker, shared)
		}
		once := encoded(t, r.Checkpoint())
		if r, err = readRun(toys(), read(t, once)); err != nil {
			t.Fatalf("what was read cannot be written and read: %v", err)
		}
		if !bytes.Equal(encoded(t, r.Checkpoint()), once) {
			t.Error("the file changes by being read")
		}
	})
}

// encoded returns a checkpoint's bytes. If the checkpoint cannot be written, this input of the test
// is skipped.
func encoded(t *testing.T, f *ckpt.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := ckpt.Encode(&b, f); err != nil {
		t.Skip(err) // the checkpoint has a name that is not UTF-8
	}
	return b.Bytes()
}
