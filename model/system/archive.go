package system

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"macroscope/model/data"
)

// archive is trajectories in a NumPy file, whose array trajectories (E, T, N, D) is
// all that is read of it. A trajectory is read at once and checked frame by frame.
type archive struct {
	file  File
	shape Shape
	as    Reading
	raw   data.AnyRow // for Raw
}

var _ Recorded = (*archive)(nil)

// OpenRecorded opens trajectories of which nothing but positions is read: a NumPy
// file, or text files, each of which is one trajectory.
func OpenRecorded(f File, as Reading) (Recorded, error) {
	if f.Text() {
		x, err := OpenTexts(f, as)
		if err != nil {
			return nil, err
		}
		return x, nil
	}
	if len(f.More) > 0 {
		return nil, fmt.Errorf("there are %d files, and NumPy's are read one at a time; put their trajectories into one array", 1+len(f.More))
	}
	s, err := ReadShape(f)
	if err != nil {
		return nil, err
	}
	a := &archive{file: f, shape: s, as: as}
	a.raw = a.rows()
	return a, as.Check(a.shape)
}

func (a *archive) rows() data.AnyRow {
	return data.NewAnyRow(a.file.Bytes, a.file.Size, TrajectoriesArray)
}

// Shape implements Source.
func (a *archive) Shape() Shape { return a.shape }

// Observable implements Recorded.
func (a *archive) Observable() string { return a.as.Observable }

// Close implements Recorded.
func (a *archive) Close() error {
	a.raw.Close()
	return nil
}

// Raw implements Recorded.
func (a *archive) Raw(t *Trajectory, index int) error { return a.read(t, index, &a.raw) }

// read fills t with trajectory index, without its macroscopic variables.
func (a *archive) read(t *Trajectory, index int, in *data.AnyRow) (err error) {
	s := a.shape
	if err := CheckIndex(index, s.Trajectories); err != nil {
		return err
	}
	size := s.Frames * s.Particles * s.Dim
	t.Points = slices.Grow(t.Points[:0], size)[:size]
	if err := in.Read(t.Points, index); err != nil {
		return err
	}
	t.Species, err = a.as.Species(nil, s.Particles)
	t.Macro = t.Macro[:0]
	return err
}

// Each implements Source. Whoever is free reads the next trajectory, while the others
// work on theirs.
func (a *archive) Each(ctx context.Context, count, workers int, each func(int, *Trajectory) error) error {
	in := a.rows()
	defer in.Close()
	rooms := sync.Pool{New: func() any { return &archiveReader{src: a, finish: a.as.Finisher()} }}
	var reading sync.Mutex
	next := 0
	return ForEach(ctx, min(count, a.shape.Trajectories), workers, func(int) error {
		r := rooms.Get().(*archiveReader)
		defer rooms.Put(r)
		reading.Lock()
		index := next
		next++
		err := r.begin(index, &in)
		reading.Unlock()
		for whole := false; err == nil && !whole; {
			whole, err = r.advance(ctx)
		}
		if err != nil {
			return err
		}
		return each(index, &r.t)
	})
}

// Reader implements Source. A piece of work is a frame.
func (a *archive) Reader() (Reader, error) {
	return &archiveReader{src: a, in: a.rows(), finish: a.as.Finisher()}, nil
}

type archiveReader struct {
	src          *archive
	in           data.AnyRow
	finish       func(context.Context, *Trajectory, int, int) error
	t            Trajectory
	index, frame int
}

func (r *archiveReader) Begin(index int) error { return r.begin(index, &r.in) }

func (r *archiveReader) begin(index int, in *data.AnyRow) error {
	r.index, r.frame = index, 0
	err := r.src.read(&r.t, index, in)
	n := r.src.shape.Frames * r.src.as.Variables
	r.t.Macro = slices.Grow(r.t.Macro[:0], n)[:n]
	return err
}

func (r *archiveReader) Advance() (whole bool, err error) { return r.advance(context.Background()) }

func (r *archiveReader) advance(ctx context.Context) (whole bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if err := r.finish(ctx, &r.t, r.index, r.frame); err != nil {
		return false, fmt.Errorf("trajectory %d: %w", r.index, err)
	}
	r.frame++
	return r.frame == r.src.shape.Frames, nil
}

func (r *archiveReader) Trajectory() *Trajectory { return &r.t }
func (r *archiveReader) Close()                  { r.in.Close() }
