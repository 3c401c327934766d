package mixing

import (
	"context"
	"fmt"
	"io"
	"math"

	"macroscope/model/data"
	"macroscope/model/system"
)

// dumps reads LAMMPS dump files, each a trajectory of its own. Ratios are
// computed.
type dumps struct {
	file  system.File
	shape system.Shape
}

// openDumps reads the first file, which says what shape all have. The others are
// opened, read and checked as they are asked for.
func openDumps(f system.File) (*dumps, error) {
	d := &dumps{file: f}
	var first system.Trajectory
	if err := d.read(&first, 0); err != nil {
		return nil, err
	}
	n := len(first.Species)
	d.shape = system.Shape{Trajectories: 1 + len(f.More), Frames: len(first.Points) / (dim * n), Particles: n, Dim: dim}
	return d, nil
}

// Observable implements system.Recorded.
func (d *dumps) Observable() string { return "" }

// Notice says what has been opened.
func (d *dumps) Notice() string { return readNotice(d.file.Name, d.shape) }

// Shape implements system.Source.
func (d *dumps) Shape() system.Shape { return d.shape }

// Close implements system.Recorded.
func (d *dumps) Close() error { return nil }

// Raw implements system.Recorded.
func (d *dumps) Raw(t *system.Trajectory, index int) error {
	if err := checkIndex(index, d.shape.Trajectories); err != nil {
		return err
	}
	if err := d.read(t, index); err != nil {
		return fmt.Errorf("%s: %w", d.name(index), err)
	}
	return nil
}

func (d *dumps) name(index int) string {
	if index == 0 {
		return d.file.Name
	}
	return d.file.More[index-1]
}

func (d *dumps) open(index int) (io.ReadCloser, error) {
	if index == 0 {
		return io.NopCloser(io.NewSectionReader(d.file.Bytes, 0, d.file.Size)), nil
	}
	return d.file.Open(d.name(index))
}

// read fills t with the trajectory of one file, without its ratios.
func (d *dumps) read(t *system.Trajectory, index int) error {
	file, err := d.open(index)
	if err != nil {
		return err
	}
	defer file.Close()
	dump, err := data.ReadDump(file)
	if err != nil {
		return err
	}
	n, frames := len(dump.Types), len(dump.Steps)
	*t = system.Trajectory{Points: dump.Positions, Species: make([]uint8, n)}
	for i, k := range dump.Types {
		if k != 1 && k != 2 {
			return fmt.Errorf("an atom is of type %d; use 1 and 2", k)
		}
		t.Species[i] = uint8(k)
	}
	if err := checkSpecies(t.Species); err != nil {
		return err
	}
	switch s := d.shape; {
	case frames < 2:
		return fmt.Errorf("it holds %d frame, and motion needs two at least", frames)
	case s.Frames != 0 && (s.Frames != frames || s.Particles != n):
		return fmt.Errorf("it holds %d frames of %d atoms, and the first file %d of %d; choose runs of one length and size", frames, n, s.Frames, s.Particles)
	}
	for i, v := range t.Points {
		if math.Abs(float64(v)) > 1e6 {
			return fmt.Errorf("an atom is at %g in frame %d, a million sizes away; end the run before it flew off", v, i/dim/n)
		}
	}
	return nil
}

// whole fills t with a trajectory and its ratios.
func (d *dumps) whole(t *system.Trajectory, index int) error {
	if err := d.Raw(t, index); err != nil {
		return err
	}
	return System{}.Finish(t, dim, "")
}

// Each implements system.Source.
func (d *dumps) Each(ctx context.Context, count, workers int, each func(int, *system.Trajectory) error) error {
	return system.ForEach(ctx, min(count, d.shape.Trajectories), workers, func(i int) error {
		t := new(system.Trajectory)
		if err := d.whole(t, i); err != nil {
			return err
		}
		return each(i, t)
	})
}

// Reader implements system.Source. A whole file is one piece.
func (d *dumps) Reader() (system.Reader, error) { return &dumpsReader{src: d}, nil }

type dumpsReader struct {
	src   *dumps
	t     system.Trajectory
	index int
}

func (r *dumpsReader) Begin(index int) error {
	r.index = index
	return checkIndex(index, r.src.shape.Trajectories)
}

func (r *dumpsReader) Advance() (whole bool, err error) {
	err = r.src.whole(&r.t, r.index)
	return err == nil, err
}

func (r *dumpsReader) Trajectory() *system.Trajectory { return &r.t }
func (r *dumpsReader) Close()                         {}
