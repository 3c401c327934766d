package system

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"macroscope/model/file/data"
)

// Recording is a source of trajectories in files. A NumPy file contains them in TrajectoriesArray,
// which is read one trajectory at a time. A text file (a LAMMPS dump or a table of particles, see
// data.ReadTrack) contains one trajectory, which is read frame by frame. Every frame is checked,
// and its macroscopic variables are computed if the file lacks them. A Recording is not safe for
// concurrent use, but Each and several Readers may run at once.
type Recording struct {
	file  File
	shape Shape
	of    Contents

	text  bool
	first *data.Track // the first text file if it is a table, otherwise nil

	archive *Archive    // the NumPy file, or nil for text files
	species [][]uint8   // (E, N); nil: all particles have one species
	macro   []float64   // (E, T, M); nil: macroscopic variables are computed
	rows    data.AnyRow // rows of the NumPy file, for Raw
}

var _ Recorded = (*Recording)(nil)

// OpenRecorded opens a NumPy file, or text files.
func OpenRecorded(f File, as Contents) (Recorded, error) {
	if err := as.observed(); err != nil {
		return nil, err
	}
	if f.Text() {
		return openTexts(f, as)
	}
	a, err := ReadArchive(f, as.Parameters, nil)
	if err != nil {
		return nil, err
	}
	return a.Open(as)
}

// Open opens the trajectories in the archive.
func (a *Archive) Open(as Contents) (_ Recorded, err error) {
	r := &Recording{file: a.file, shape: a.Shape, of: as, archive: a}
	r.rows = r.newRows()
	if err := as.checkShape(a.Shape); err != nil {
		return nil, err
	}
	if r.species, err = a.types(&as); err != nil {
		return nil, err
	}
	if r.macro, err = a.macro(&as); err != nil {
		return nil, err
	}
	_, err = r.observer()
	return r, err
}

// openTexts opens text files, which must all have the shape of the first file. If the first file is
// a dump, openTexts reads only its first frame and counts the other frames. Further files are
// opened, read and checked when they are needed.
func openTexts(f File, as Contents) (Recorded, error) {
	r := &Recording{file: f, of: as, text: true}
	in, err := r.open(0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	first, types, err := in.next()
	if err != nil {
		return nil, err
	}
	r.shape = Shape{Trajectories: 1 + len(f.More), Frames: 1, Particles: len(first) / in.dim, Dim: in.dim}
	if in.track != nil {
		r.first, r.shape.Frames = in.track, in.track.Frames
	} else if r.shape.Frames, err = data.CountFrames(f.Bytes, f.Size, r.shape.Particles); err != nil {
		return nil, err
	}
	if err := r.shape.Check(); err != nil {
		return nil, err
	}
	if err := as.checkShape(r.shape); err != nil {
		return nil, err
	}
	if _, err := as.species(types, r.shape.Particles); err != nil {
		return nil, err
	}
	_, err = r.observer()
	return r, err
}

// observer makes an Observer, or returns nil if the file contains the macroscopic variables.
func (r *Recording) observer() (Observer, error) {
	if r.macro != nil {
		return nil, nil
	}
	return r.of.Observer(r.shape.Dim)
}

func (r *Recording) newRows() data.AnyRow {
	return data.NewAnyRow(r.file.Bytes, r.file.Size, TrajectoriesArray)
}

// Shape implements Source.
func (r *Recording) Shape() Shape { return r.shape }

// Observable implements Recorded.
func (r *Recording) Observable() string { return r.of.Observable }

// Force returns the force of the trajectories' particles, see ForceOf.
func (r *Recording) Force() string { return r.of.Force }

// Remark returns a sentence that tells the user of another observable in the file, or "".
func (r *Recording) Remark() string { return r.of.Remark }

// Close implements Recorded.
func (r *Recording) Close() error {
	r.rows.Close()
	return nil
}

// Raw implements Recorded.
func (r *Recording) Raw(t *Trajectory, index int) error {
	in := recordingReader{src: r, t: *t, raw: true}
	defer in.Close()
	err := in.begin(index, &r.rows)
	for whole := false; err == nil && !whole; {
		whole, err = in.Advance()
	}
	*t = in.t
	if r.macro == nil {
		t.Macro = nil
	}
	return err
}

// Each implements Source. Trajectories are started in their order, one at a time, so a NumPy
// file is read once from beginning to end.
func (r *Recording) Each(ctx context.Context, count, workers int, each func(int, *Trajectory) error) error {
	rows := r.newRows()
	defer rows.Close()
	var begin sync.Mutex
	next := 0
	rooms := sync.Pool{New: func() any { return &recordingReader{src: r} }}
	return ForEach(ctx, min(count, r.shape.Trajectories), workers, func(int) error {
		in := rooms.Get().(*recordingReader)
		defer rooms.Put(in)
		defer in.closeText()
		begin.Lock()
		index := next
		next++
		err := in.begin(index, &rows)
		begin.Unlock()
		for whole := false; err == nil && !whole; {
			if err = ctx.Err(); err == nil {
				whole, err = in.advance(ctx)
			}
		}
		if err != nil {
			return err
		}
		return each(index, &in.t)
	})
}

// Reader implements Source. Each piece of work is a frame.
func (r *Recording) Reader() (Reader, error) {
	return &recordingReader{src: r, rows: r.newRows()}, nil
}

type recordingReader struct {
	src     *Recording
	raw     bool        // whether frames are left unchecked and their variables are not computed
	rows    data.AnyRow // rows of the NumPy file
	in      *textFrames // the open text file; nil before its first frame
	observe Observer    // computes macroscopic variables; nil if the file contains them
	t       Trajectory
	index   int
	frame   int
}

func (r *recordingReader) Begin(index int) error { return r.begin(index, &r.rows) }

func (r *recordingReader) begin(index int, rows *data.AnyRow) (err error) {
	s := r.src.shape
	if err := CheckIndex(index, s.Trajectories); err != nil {
		return err
	}
	r.closeText()
	r.index, r.frame = index, 0
	r.t.Points, r.t.Params, r.t.Macro = r.t.Points[:0], nil, r.t.Macro[:0]
	if r.observe == nil && !r.raw {
		if r.observe, err = r.src.observer(); err != nil {
			return err
		}
	}
	m := s.Frames * r.src.of.Variables
	if r.src.macro != nil {
		r.t.Macro = append(r.t.Macro, r.src.macro[index*m:(index+1)*m]...)
	} else {
		r.t.Macro = slices.Grow(r.t.Macro, m)[:m]
	}
	if r.src.text {
		return nil
	}
	size := s.Frames * s.Particles * s.Dim
	r.t.Points = slices.Grow(r.t.Points, size)[:size]
	if err := rows.Read(r.t.Points, index); err != nil {
		return err
	}
	if of := r.src.species; of != nil {
		r.t.Species = append(r.t.Species[:0], of[index]...)
	} else if len(r.t.Species) != s.Particles {
		r.t.Species = Alike(s.Particles)
	}
	if of := r.src.archive.params; of != nil {
		r.t.Params = of[index]
	}
	return nil
}

func (r *recordingReader) Advance() (whole bool, err error) { return r.advance(context.Background()) }

func (r *recordingReader) advance(ctx context.Context) (whole bool, err error) {
	whole, err = r.next(ctx)
	if err != nil && r.src.text && r.index > 0 {
		err = fmt.Errorf("%s: %w", r.src.name(r.index), err)
	}
	return whole, err
}

// The method `next` reads a frame of a text file. The frames of a NumPy file have already been read
// by Begin. If r is not raw, the method also finishes the frame (see Contents.finish).
func (r *recordingReader) next(ctx context.Context) (whole bool, err error) {
	s := r.src.shape
	if r.src.text {
		if err := r.readText(); err != nil {
			return false, err
		}
	}
	if !r.raw {
		if err := r.src.of.finish(ctx, &r.t, r.frame, s.Particles*s.Dim, s.Dim, r.observe, r.index); err != nil {
			return false, err
		}
	}
	if r.frame++; r.frame < s.Frames {
		return false, nil
	}
	if r.in == nil {
		return true, nil
	}
	if _, _, err := r.in.next(); err == nil {
		return false, fmt.Errorf("it holds more than the %d frames of the first file; choose runs of one length and size", s.Frames)
	} else if err != io.EOF {
		return false, err
	}
	return true, nil
}

// furthest is the largest allowed coordinate. A larger one means that a particle has flown off.
const furthest = 1e6

// readText reads the next frame of a text file.
func (r *recordingReader) readText() (err error) {
	s := r.src.shape
	if r.in == nil {
		if r.in, err = r.src.open(r.index); err != nil {
			return err
		}
	}
	points, types, err := r.in.next()
	if err == io.EOF {
		return fmt.Errorf("it holds %d frames of %d particles, and the first file %d of %d; choose runs of one length and size", r.frame, len(r.t.Points)/max(1, r.frame*s.Dim), s.Frames, s.Particles)
	}
	if err != nil {
		return err
	}
	if n := len(points) / r.in.dim; n != s.Particles || r.in.dim != s.Dim {
		return fmt.Errorf("it holds %d particles of %d coordinates, and the first file %d of %d; choose runs of one length and size", n, r.in.dim, s.Particles, s.Dim)
	}
	for _, v := range points {
		if math.Abs(float64(v)) > furthest {
			return fmt.Errorf("a particle is at %g in frame %d, a million sizes away; end the run before it flew off", v, r.frame)
		}
	}
	if r.frame == 0 {
		if r.t.Species, err = r.src.of.species(types, s.Particles); err != nil {
			return err
		}
	}
	r.t.Points = append(r.t.Points, points...)
	return nil
}

func (r *recordingReader) Trajectory() *Trajectory { return &r.t }

func (r *recordingReader) Close() {
	r.closeText()
	r.rows.Close()
}

func (r *recordingReader) closeText() {
	if r.in != nil {
		r.in.Close()
		r.in = nil
	}
}
