package system

import (
	"context"
	"slices"
	"sync"

	"macroscope/model/file/data"
)

// Archive is trajectories in a NumPy file, whose array trajectories (E, T, N, D) it reads
// one trajectory at a time, which is finished frame by frame. It is not safe for
// concurrent use, apart from Each and from Readers beside one another.
type Archive struct {
	file  File
	shape Shape
	of    Contents
	raw   data.AnyRow // for Raw
}

var _ Recorded = (*Archive)(nil)

// Contents is what a system makes of the trajectories of an Archive.
type Contents struct {
	Observable string
	Variables  int // M
	// Fill sets what trajectory index has beside its positions, from neither parameters
	// nor macroscopic variables. There is room for these where it leaves them out.
	Fill func(t *Trajectory, index int) error
	// Finisher is as that of Reading. It computes macroscopic variables where Fill leaves
	// them out.
	Finisher func() func(ctx context.Context, t *Trajectory, index, k int) error
}

// NewArchive returns the trajectories of a file, which have a shape.
func NewArchive(f File, s Shape, of Contents) *Archive {
	a := &Archive{file: f, shape: s, of: of}
	a.raw = a.rows()
	return a
}

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
	s, err := ReadShape(f)
	if err != nil {
		return nil, err
	}
	return NewArchive(f, s, Contents{
		Observable: as.Observable,
		Variables:  as.Variables,
		Fill: func(t *Trajectory, _ int) (err error) {
			t.Species, err = as.Species(nil, s.Particles)
			return err
		},
		Finisher: func() func(context.Context, *Trajectory, int, int) error {
			finish := as.Finisher()
			return func(ctx context.Context, t *Trajectory, index, k int) error {
				return OfTrajectory(index, finish(ctx, t, index, k))
			}
		},
	}), as.Check(s)
}

func (a *Archive) rows() data.AnyRow {
	return data.NewAnyRow(a.file.Bytes, a.file.Size, TrajectoriesArray)
}

// Shape implements Source.
func (a *Archive) Shape() Shape { return a.shape }

// Observable implements Recorded.
func (a *Archive) Observable() string { return a.of.Observable }

// Close implements Recorded.
func (a *Archive) Close() error {
	a.raw.Close()
	return nil
}

// Raw implements Recorded.
func (a *Archive) Raw(t *Trajectory, index int) error { return a.read(t, index, &a.raw) }

// read fills t with trajectory index as it is in the file.
func (a *Archive) read(t *Trajectory, index int, in *data.AnyRow) error {
	s := a.shape
	if err := CheckIndex(index, s.Trajectories); err != nil {
		return err
	}
	size := s.Frames * s.Particles * s.Dim
	t.Points = slices.Grow(t.Points[:0], size)[:size]
	if err := in.Read(t.Points, index); err != nil {
		return err
	}
	t.Params, t.Macro = nil, t.Macro[:0]
	return a.of.Fill(t, index)
}

// Each implements Source. Whoever is free reads the next trajectory, while the others
// work on theirs.
func (a *Archive) Each(ctx context.Context, count, workers int, each func(int, *Trajectory) error) error {
	in := a.rows()
	defer in.Close()
	rooms := sync.Pool{New: func() any { return &archiveReader{src: a, finish: a.of.Finisher()} }}
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
func (a *Archive) Reader() (Reader, error) {
	return &archiveReader{src: a, in: a.rows(), finish: a.of.Finisher()}, nil
}

type archiveReader struct {
	src          *Archive
	in           data.AnyRow
	finish       func(context.Context, *Trajectory, int, int) error
	t            Trajectory
	index, frame int
}

func (r *archiveReader) Begin(index int) error { return r.begin(index, &r.in) }

func (r *archiveReader) begin(index int, in *data.AnyRow) error {
	r.index, r.frame = index, 0
	err := r.src.read(&r.t, index, in)
	if n := r.src.shape.Frames * r.src.of.Variables; len(r.t.Macro) == 0 {
		r.t.Macro = slices.Grow(r.t.Macro, n)[:n]
	}
	return err
}

func (r *archiveReader) Advance() (whole bool, err error) { return r.advance(context.Background()) }

func (r *archiveReader) advance(ctx context.Context) (whole bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if err := r.finish(ctx, &r.t, r.index, r.frame); err != nil {
		return false, err
	}
	r.frame++
	return r.frame == r.src.shape.Frames, nil
}

func (r *archiveReader) Trajectory() *Trajectory { return &r.t }
func (r *archiveReader) Close()                  { r.in.Close() }
