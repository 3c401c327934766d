package mixing

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"macroscope/model/data"
	"macroscope/model/system"
)

// Open implements system.System: a NumPy archive, or text files, each of which is
// one trajectory.
func (System) Open(f system.File, observable string) (system.Recorded, error) {
	if err := checkObservable(observable); err != nil {
		return nil, err
	}
	if f.Text() {
		return openTexts(f)
	}
	if len(f.More) > 0 {
		return nil, fmt.Errorf("%d files cannot be opened together with a NumPy archive; give the archive alone, or text files", len(f.More))
	}
	return openRecording(f)
}

// texts is trajectories in text files.
type texts struct{ *system.Texts }

func openTexts(f system.File) (*texts, error) {
	x, err := system.OpenTexts(f, system.Reading{
		Variables: variables,
		Check:     checkShape,
		Species:   speciesOf,
		Finisher: func() func(context.Context, *system.Trajectory, int, int) error {
			return func(_ context.Context, t *system.Trajectory, index, k int) error { return finishFrame(t, k, true, "") }
		},
	})
	if err != nil {
		return nil, err
	}
	return &texts{x}, nil
}

// speciesOf makes species of a text's types.
func speciesOf(types []int64, particles int) ([]uint8, error) {
	if types == nil {
		return nil, fmt.Errorf("the file says nothing of the particles' types, and mixing needs two species; add a column type of 1 and 2")
	}
	species := make([]uint8, particles)
	for i, k := range types {
		if k != 1 && k != 2 {
			return nil, fmt.Errorf("an atom is of type %d; use 1 and 2", k)
		}
		species[i] = uint8(k)
	}
	return species, checkSpecies(species)
}

// recording reads a NumPy archive: the arrays trajectories (E, T, N, 2) and types
// (E, N), of 1 and 2, and where there is one, macro (E, T, 2) with the mixing
// ratios, which are computed otherwise; and one (E) of every parameter that is not
// the usual. Positions are read a trajectory at a
// time.
type recording struct {
	name   string
	file   io.ReaderAt
	size   int64
	shape  system.Shape
	types  []uint8     // (E, N)
	ratios []float64   // (E, T, 2), or nil
	params [][]float64 // (E, P), or nil
	raw    data.AnyRow // for Raw
}

// openRecording reads a file's species and ratios.
func openRecording(f system.File) (*recording, error) {
	r := &recording{name: f.Name, file: f.Bytes, size: f.Size}
	r.raw = r.positions()
	var err error
	if r.shape, err = system.ReadShape(f); err != nil {
		return nil, err
	}
	if err := checkShape(r.shape); err != nil {
		return nil, err
	}
	names, err := data.Names(r.file, r.size)
	if err != nil {
		return nil, err
	}
	if names == nil {
		return nil, fmt.Errorf("an .npy holds positions alone, and mixing needs species; save an .npz with the arrays trajectories and types")
	}
	if err := r.readTypes(); err != nil {
		return nil, err
	}
	if r.params, _, err = parameters.Read(r.file, r.size, names, r.shape.Trajectories); err != nil {
		return nil, err
	}
	if slices.Contains(names, system.MacroArray) {
		return r, r.readRatios()
	}
	return r, nil
}

// checkShape says why trajectories of a shape, which Shape.Check lets pass, are none
// of mixing.
func checkShape(s system.Shape) error {
	if s.Particles < 2 {
		return fmt.Errorf("the trajectories have %d particle, and mixing needs one of each species at least", s.Particles)
	}
	return checkDim(s.Dim)
}

func (r *recording) readTypes() error {
	s := r.shape
	a, err := data.ReadArray(r.file, r.size, system.TypesArray, func(shape []int) error {
		if !slices.Equal(shape, []int{s.Trajectories, s.Particles}) {
			return fmt.Errorf("it has the shape %v, and with these trajectories it needs [%d %d]", shape, s.Trajectories, s.Particles)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.types = make([]uint8, a.Len())
	for i, v := range a.Float64s() {
		if v != 1 && v != 2 {
			return fmt.Errorf("particle %d of trajectory %d is of species %v; use 1 and 2", i%s.Particles, i/s.Particles, v)
		}
		r.types[i] = uint8(v)
	}
	for e := range s.Trajectories {
		if err := checkSpecies(r.types[e*s.Particles : (e+1)*s.Particles]); err != nil {
			return fmt.Errorf("trajectory %d: %w", e, err)
		}
	}
	return nil
}

func (r *recording) readRatios() error {
	s := r.shape
	a, err := data.ReadArray(r.file, r.size, system.MacroArray, func(shape []int) error {
		if !slices.Equal(shape, []int{s.Trajectories, s.Frames, variables}) {
			return fmt.Errorf("it has the shape %v, and with these trajectories the mixing ratios need [%d %d 2]; leave it out to have them computed",
				shape, s.Trajectories, s.Frames)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.ratios = a.Float64s()
	for i, v := range r.ratios {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("the array macro holds the mixing ratio %v for frame %d of trajectory %d; leave it out to have the ratios computed",
				v, i/variables%s.Frames, i/variables/s.Frames)
		}
	}
	return nil
}

// Observable implements system.Recorded.
func (r *recording) Observable() string { return "" }

// Shape implements system.Source.
func (r *recording) Shape() system.Shape { return r.shape }

// Close implements system.Recorded.
func (r *recording) Close() error {
	r.raw.Close()
	return nil
}

// positions returns a reader of the file's trajectories.
func (r *recording) positions() data.AnyRow {
	return data.NewAnyRow(r.file, r.size, system.TrajectoriesArray)
}

// Raw implements system.Recorded.
func (r *recording) Raw(t *system.Trajectory, index int) error { return r.read(t, index, &r.raw) }

// read fills t with trajectory index as it is in the file.
func (r *recording) read(t *system.Trajectory, index int, in *data.AnyRow) error {
	s := r.shape
	if err := system.CheckIndex(index, s.Trajectories); err != nil {
		return err
	}
	size := s.Frames * s.Particles * dim
	t.Points = slices.Grow(t.Points[:0], size)[:size]
	if err := in.Read(t.Points, index); err != nil {
		return err
	}
	t.Species = append(t.Species[:0], r.types[index*s.Particles:(index+1)*s.Particles]...)
	if t.Params = nil; r.params != nil {
		t.Params = r.params[index]
	}
	if t.Macro = t.Macro[:0]; r.ratios != nil {
		t.Macro = append(t.Macro, r.ratios[index*variables*s.Frames:(index+1)*variables*s.Frames]...)
	}
	return nil
}

// finishFrame is finishFrame of trajectory index.
func (r *recording) finishFrame(t *system.Trajectory, index, k int, compute bool) error {
	return finishFrame(t, k, compute, fmt.Sprintf(" of trajectory %d", index))
}

// Each implements system.Source. Whoever is free reads the next trajectory, while
// the others work on theirs.
func (r *recording) Each(ctx context.Context, count, workers int, each func(int, *system.Trajectory) error) error {
	in := r.positions()
	defer in.Close()
	room := sync.Pool{New: func() any { return new(system.Trajectory) }}
	var reading sync.Mutex
	next := 0
	return system.ForEach(ctx, min(count, r.shape.Trajectories), workers, func(int) error {
		t := room.Get().(*system.Trajectory)
		defer room.Put(t)
		reading.Lock()
		index := next
		next++
		err := r.read(t, index, &in)
		reading.Unlock()
		if err != nil {
			return err
		}
		compute := makeRatios(t, r.shape.Frames)
		for k := range r.shape.Frames {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.finishFrame(t, index, k, compute); err != nil {
				return err
			}
		}
		return each(index, t)
	})
}

// Reader implements system.Source. It reads a trajectory at once, and checks it
// and computes its ratios frame by frame.
func (r *recording) Reader() (system.Reader, error) {
	return &recordingReader{src: r, in: r.positions()}, nil
}

type recordingReader struct {
	src     *recording
	in      data.AnyRow
	t       system.Trajectory
	index   int
	frame   int
	compute bool
}

func (r *recordingReader) Begin(index int) error {
	r.index, r.frame = index, 0
	err := r.src.read(&r.t, index, &r.in)
	r.compute = makeRatios(&r.t, r.src.shape.Frames)
	return err
}

func (r *recordingReader) Advance() (whole bool, err error) {
	err = r.src.finishFrame(&r.t, r.index, r.frame, r.compute)
	r.frame++
	return err == nil && r.frame == r.src.shape.Frames, err
}

func (r *recordingReader) Trajectory() *system.Trajectory { return &r.t }
func (r *recordingReader) Close()                         { r.in.Close() }
