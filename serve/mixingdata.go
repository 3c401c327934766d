package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"macroscope/model/data"
	"macroscope/model/lab"
	"macroscope/sim/lj"
)

// openMixing opens an .npz of trajectories, a LAMMPS dump file, or a folder of
// those. What it returns beside the source is to be called in the end.
func openMixing(path string) (src lab.MixingSource, closeSource func(), err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	closeSource = func() {}
	open := func(name string) (io.ReadCloser, error) { return os.Open(name) }
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, nil, err
		}
		var names []string
		for _, e := range entries {
			if e.Type().IsRegular() {
				names = append(names, filepath.Join(path, e.Name()))
			}
		}
		if len(names) == 0 {
			return nil, nil, fmt.Errorf("%s holds no file; give a folder of LAMMPS dump files", path)
		}
		src, err = lab.OpenDumps(names, open)
		return src, closeSource, err
	}
	file, size, err := openFile(path)
	if err != nil {
		return nil, nil, err
	}
	head := make([]byte, 5)
	if _, err := file.ReadAt(head, 0); err == nil && string(head) == "ITEM:" {
		file.Close()
		src, err = lab.OpenDumps([]string{path}, open)
		return src, closeSource, err
	}
	recording, err := lab.OpenMixing(file, size)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return recording, func() { file.Close() }, nil
}

func (mixing) simulate(ctx context.Context, o *simulateOptions, stderr io.Writer) error {
	if err := refuse(o.given, "mixing", "particles", "components"); err != nil {
		return err
	}
	c, boundaries := lj.Default(), lab.TrainingBoundaries()
	if o.given["height"] {
		c.Height = o.height
	}
	if o.given["boundary"] {
		c.Boundary, boundaries = o.boundary, nil
	}
	if o.given["steps"] {
		c.Steps = o.step
	}
	if err := c.Validate(); err != nil {
		return err
	}
	src := lab.NewSimulatedMixing(c, boundaries, o.seed, o.n)
	return o.write(stderr, func(w io.Writer, done func(int)) error {
		return writeMixing(ctx, w, src, o.workers, done)
	})
}

// writeMixing writes an archive while its trajectories are simulated; those
// that are early wait in memory.
func writeMixing(ctx context.Context, w io.Writer, src lab.MixingSource, workers int, done func(int)) error {
	s := src.Shape()
	archive := data.NewArchive(w)
	rows, err := archive.Rows("trajectories", []int{s.Trajectories, s.Frames, s.Particles, s.Dim})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	macro, types := make([]float64, s.Trajectories*s.Frames*2), make([]int64, s.Trajectories*s.Particles)
	early := make(map[int][]float32)
	written := 0
	err = src.Each(ctx, s.Trajectories, workers, func(i int, t *lab.Mixed) error {
		copy(macro[i*s.Frames*2:], t.Ratios)
		for k, v := range t.Types {
			types[i*s.Particles+k] = int64(v)
		}
		mu.Lock()
		defer mu.Unlock()
		if i != written {
			early[i] = append([]float32(nil), t.Frames...)
			return nil
		}
		for frames := t.Frames; frames != nil; frames = early[written] {
			if err := rows.Write(frames); err != nil {
				return err
			}
			delete(early, written)
			written++
		}
		done(written)
		return nil
	})
	if err != nil {
		return err
	}
	if err := archive.Array("types", data.NewArray([]int{s.Trajectories, s.Particles}, types)); err != nil {
		return err
	}
	if err := archive.Array("macro", data.NewArray([]int{s.Trajectories, s.Frames, 2}, macro)); err != nil {
		return err
	}
	return archive.Close()
}
