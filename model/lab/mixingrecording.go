package lab

import (
	"context"
	"fmt"
	"io"
	"math"

	"macroscope/model/data"
)

// typesArray is the authors' name of the species.
const typesArray = "types"

// MixingRecording is a MixingSource that reads a NumPy archive: the arrays
// trajectories (E, T, N, 2) and types (E, N), of 1 and 2, and where there is
// one, macro (E, T, 2) with the mixing ratios, which are computed otherwise.
type MixingRecording struct {
	positions *Recording
	types     []uint8   // (E, N)
	ratios    []float64 // (E, T, 2), or nil
}

// OpenMixing reads a file's species and ratios. Positions are read and checked
// by Each, a trajectory at a time.
func OpenMixing(file io.ReaderAt, size int64) (*MixingRecording, error) {
	positions, err := OpenRecording(file, size, Extent) // an observable that costs nothing
	if err != nil {
		return nil, err
	}
	s := positions.Shape()
	switch {
	case s.Dim != 2:
		return nil, fmt.Errorf("the particles have %d coordinates, and mixing is in the plane; save two", s.Dim)
	case s.Particles < 2:
		return nil, fmt.Errorf("the trajectories have %d particle, and mixing needs one of each species at least", s.Particles)
	}
	names, err := data.Names(file, size)
	if err != nil {
		return nil, err
	}
	if names == nil {
		return nil, fmt.Errorf("an .npy holds positions alone, and mixing needs species; save an .npz with the arrays trajectories and types")
	}
	r := &MixingRecording{positions: positions}
	if r.types, err = readTypes(file, size, s); err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == macroArray {
			r.ratios, err = readRatios(file, size, s)
		}
	}
	return r, err
}

func readTypes(file io.ReaderAt, size int64, s Shape) ([]uint8, error) {
	a, err := data.ReadArray(file, size, typesArray)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[0] != s.Trajectories || a.Shape[1] != s.Particles {
		return nil, fmt.Errorf("the array types has the shape %v, and with these trajectories it needs [%d %d]", a.Shape, s.Trajectories, s.Particles)
	}
	types := make([]uint8, a.Len())
	for i, v := range a.Float64s() {
		if v != 1 && v != 2 {
			return nil, fmt.Errorf("particle %d of trajectory %d is of species %v; use 1 and 2", i%s.Particles, i/s.Particles, v)
		}
		types[i] = uint8(v)
	}
	for e := range s.Trajectories {
		if err := checkTypes(types[e*s.Particles : (e+1)*s.Particles]); err != nil {
			return nil, fmt.Errorf("trajectory %d: %w", e, err)
		}
	}
	return types, nil
}

// checkTypes refuses a species without atoms.
func checkTypes(types []uint8) error {
	var count [3]int
	for _, k := range types {
		count[k]++
	}
	for k := 1; k <= 2; k++ {
		if count[k] == 0 {
			return fmt.Errorf("no particle is of species %d; leave that trajectory out", k)
		}
	}
	return nil
}

func readRatios(file io.ReaderAt, size int64, s Shape) ([]float64, error) {
	a, err := data.ReadArray(file, size, macroArray)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 3 || a.Shape[0] != s.Trajectories || a.Shape[1] != s.Frames || a.Shape[2] != 2 {
		return nil, fmt.Errorf("the array macro has the shape %v, and with these trajectories the mixing ratios need [%d %d 2]; leave it out to have them computed",
			a.Shape, s.Trajectories, s.Frames)
	}
	v := a.Float64s()
	for i, r := range v {
		if !(r >= 0 && r <= 1) {
			return nil, fmt.Errorf("the array macro holds the mixing ratio %v for frame %d of trajectory %d; leave it out to have the ratios computed", r, i/2%s.Frames, i/2/s.Frames)
		}
	}
	return v, nil
}

// Shape implements MixingSource.
func (r *MixingRecording) Shape() Shape { return r.positions.Shape() }

// Each implements MixingSource.
func (r *MixingRecording) Each(ctx context.Context, count, workers int, each func(int, *Mixed) error) error {
	s := r.Shape()
	return r.positions.Each(ctx, count, workers, func(e int, t *Recorded) error {
		m := &Mixed{Frames: t.Frames, Types: r.types[e*s.Particles : (e+1)*s.Particles]}
		if r.ratios != nil {
			m.Ratios = r.ratios[e*s.Frames*2 : (e+1)*s.Frames*2]
		} else {
			m.Ratios = make([]float64, 2*s.Frames)
			ratios(m.Ratios, m.Frames, m.Types)
		}
		return each(e, m)
	})
}

// MixingDumps is a MixingSource of LAMMPS dump files, each a trajectory of its
// own.
type MixingDumps struct {
	shape Shape
	names []string
	open  func(name string) (io.ReadCloser, error)
}

// OpenDumps reads the first file, which says what shape all have. The others
// are opened, read and checked by Each.
func OpenDumps(names []string, open func(name string) (io.ReadCloser, error)) (*MixingDumps, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no dump file; give one at least")
	}
	d := &MixingDumps{names: names, open: open}
	first, err := d.read(0)
	if err != nil {
		return nil, err
	}
	d.shape = Shape{len(names), len(first.Ratios) / 2, len(first.Types), 2}
	return d, nil
}

// read reads the trajectory of one file.
func (d *MixingDumps) read(index int) (*Mixed, error) {
	t, err := d.dump(index)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.names[index], err)
	}
	return t, nil
}

func (d *MixingDumps) dump(index int) (*Mixed, error) {
	file, err := d.open(d.names[index])
	if err != nil {
		return nil, err
	}
	defer file.Close()
	dump, err := data.ReadDump(file)
	if err != nil {
		return nil, err
	}
	n, frames := len(dump.Types), len(dump.Steps)
	t := &Mixed{Frames: dump.Positions, Types: make([]uint8, n), Ratios: make([]float64, 2*frames)}
	for i, k := range dump.Types {
		if k != 1 && k != 2 {
			return nil, fmt.Errorf("an atom is of type %d; use 1 and 2", k)
		}
		t.Types[i] = uint8(k)
	}
	if err := checkTypes(t.Types); err != nil {
		return nil, err
	}
	switch s := d.shape; {
	case frames < 2:
		return nil, fmt.Errorf("it holds %d frame, and motion needs two at least", frames)
	case s.Frames != 0 && (s.Frames != frames || s.Particles != n):
		return nil, fmt.Errorf("it holds %d frames of %d atoms, and the first file %d of %d; choose runs of one length and size", frames, n, s.Frames, s.Particles)
	}
	for i, v := range t.Frames {
		if math.Abs(float64(v)) > 1e6 {
			return nil, fmt.Errorf("an atom is at %g in frame %d, a million sizes away; end the run before it flew off", v, i/2/n)
		}
	}
	ratios(t.Ratios, t.Frames, t.Types)
	return t, nil
}

// Shape implements MixingSource.
func (d *MixingDumps) Shape() Shape { return d.shape }

// Each implements MixingSource.
func (d *MixingDumps) Each(ctx context.Context, count, workers int, each func(int, *Mixed) error) error {
	return forEach(ctx, min(count, len(d.names)), workers, func(i int) error {
		t, err := d.read(i)
		if err != nil {
			return err
		}
		return each(i, t)
	})
}
