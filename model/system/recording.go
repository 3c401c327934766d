package system

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"macroscope/model/file/data"
	"macroscope/model/file/frames"
)

// Recording is a source of trajectories in files. A NumPy file contains them in TrajectoriesArray,
// which is read one trajectory at a time. Text files (see package frames) are read frame by frame.
// Opening a Recording reads all trajectories once, so that its Facts hold for all. Every frame is
// checked, and its macroscopic variables are computed if the file lacks them. A Recording is not safe for
// concurrent use, but Each and several Readers may run at once.
type Recording struct {
	file  File
	shape Shape
	of    Contents

	facts Facts

	survey  *frames.Survey // of text files; nil for a NumPy file
	archive *Archive       // the NumPy file, or nil for text files
	species [][]uint8      // (E, N); nil: all particles have one species
	macro   []float64      // (E, T, M); nil: macroscopic variables are computed
	rows    data.AnyRow    // rows of the NumPy file, for Raw
}

var _ Recorded = (*Recording)(nil)

// OpenRecorded opens a NumPy file, or text files.
func OpenRecorded(f File, as Contents) (Recorded, error) {
	if err := as.observed(); err != nil {
		return nil, err
	}
	text, err := f.Text()
	if err != nil {
		return nil, err
	}
	if text {
		return openTexts(f, as)
	}
	a, err := ReadArchive(f, as.Parameters, nil)
	if err != nil {
		return nil, err
	}
	return a.Open(as)
}

// openTexts opens text files. It reads all of them once, to find the facts about them.
func openTexts(f File, as Contents) (Recorded, error) {
	files := frames.Files{Names: append([]string{f.Name}, f.More...), Open: func(index int) (io.ReadCloser, error) {
		if index > 0 {
			return f.Open(f.More[index-1])
		}
		return io.NopCloser(io.NewSectionReader(f.Bytes, 0, f.Size)), nil
	}}
	survey, err := frames.NewSurvey(files, frames.Wanted{
		Options: frames.Options{Columns: f.As.Columns, Pause: f.Pause}, Walls: as.Walls, Bad: f.As.Outliers, Offset: f.As.Offset,
		Usable: func(axes int) bool { return as.Check == nil || as.Check(Shape{1, 2, 2, axes}) == nil },
	})
	if err != nil {
		return nil, err
	}
	r := &Recording{file: f, of: as, survey: survey, facts: Facts{
		Axes: survey.Axes, Species: survey.Species, Interval: survey.Interval, Clock: survey.Clock, Unused: survey.Unused,
		Repeats: survey.Repeats, Wrapped: survey.Wrapped, Offset: survey.Offset, Remarks: survey.Remarks,
	}}
	if f.As.Interval > 0 {
		r.facts.Interval, r.facts.Clock = f.As.Interval, frames.Times
	}
	if as.Species == nil && len(survey.Species) > 1 {
		r.facts.Unused = append(r.facts.Unused, "species")
	}
	r.shape = Shape{Trajectories: len(survey.Runs), Frames: survey.Frames, Particles: survey.Particles, Dim: len(survey.Axes)}
	if err := r.shape.Check(); err != nil {
		return nil, err
	}
	if err := as.checkShape(r.shape); err != nil {
		return nil, err
	}
	if as.Species != nil && survey.Species == nil {
		_, err := as.species(nil, survey.Particles)
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
	return data.NewAnyRow(r.file.Bytes, r.file.Size, TrajectoriesArray, r.facts.Offset)
}

// Shape implements Source.
func (r *Recording) Shape() Shape { return r.shape }

// Observable implements Recorded.
func (r *Recording) Observable() string { return r.of.Observable }

// Facts implements Recorded.
func (r *Recording) Facts() *Facts { return r.facts.clone() }

// Force returns the force of the trajectories' particles, see ForceOf.
func (r *Recording) Force() string { return r.of.Force }

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
	raw     bool              // whether frames are left unchecked and their variables are not computed
	rows    data.AnyRow       // rows of the NumPy file
	in      *frames.RunReader // the run that is being read from text files; nil before its first frame
	observe Observer          // computes macroscopic variables; nil if the file contains them
	t       Trajectory
	index   int
	source  int // index of the trajectory in the file, which may have others that are left out
	frame   int
}

func (r *recordingReader) Begin(index int) error { return r.begin(index, &r.rows) }

func (r *recordingReader) begin(index int, rows *data.AnyRow) (err error) {
	s := r.src.shape
	if err := CheckIndex(index, s.Trajectories); err != nil {
		return err
	}
	r.closeText()
	r.index, r.frame, r.source = index, 0, index
	if a := r.src.archive; a != nil && a.runs != nil {
		r.source = a.runs[index]
	}
	r.t.Points, r.t.Params, r.t.Macro, r.t.Interval = r.t.Points[:0], nil, r.t.Macro[:0], r.src.facts.Time()
	if r.observe == nil && !r.raw {
		if r.observe, err = r.src.observer(); err != nil {
			return err
		}
	}
	m := s.Frames * r.src.of.Variables
	if r.src.macro != nil {
		r.t.Macro = append(r.t.Macro, r.src.macro[r.source*m:(r.source+1)*m]...)
	} else {
		r.t.Macro = slices.Grow(r.t.Macro, m)[:m]
	}
	if r.src.survey != nil {
		return nil
	}
	size := s.Frames * s.Particles * s.Dim
	r.t.Points = slices.Grow(r.t.Points, size)[:size]
	if err := rows.Read(r.t.Points, r.source); err != nil {
		return err
	}
	if of := r.src.species; of != nil {
		r.t.Species = append(r.t.Species[:0], of[r.source]...)
	} else if len(r.t.Species) != s.Particles {
		r.t.Species = Alike(s.Particles)
	}
	if of := r.src.archive.params; of != nil {
		r.t.Params = of[r.source]
	}
	return nil
}

func (r *recordingReader) Advance() (whole bool, err error) { return r.advance(context.Background()) }

// advance reads a frame of text files. The frames of a NumPy file have already been read by Begin.
// If r is not raw, advance also finishes the frame (see Contents.finish).
func (r *recordingReader) advance(ctx context.Context) (whole bool, err error) {
	s := r.src.shape
	if r.src.survey != nil {
		if err := r.readText(); err != nil {
			return false, err
		}
	}
	if !r.raw {
		if err := r.src.of.finish(ctx, &r.t, r.frame, s.Particles*s.Dim, s.Dim, r.observe, r.source); err != nil {
			return false, err
		}
	}
	r.frame++
	return r.frame == s.Frames, nil
}

// readText reads the next frame of text files.
func (r *recordingReader) readText() (err error) {
	if r.in == nil {
		r.in = r.src.survey.Run(r.index)
	}
	points, types, err := r.in.Next()
	if err == io.EOF {
		return errors.New("the file has become shorter while it was read; give it again when it is complete")
	}
	if err != nil {
		return err
	}
	if r.frame == 0 {
		if r.t.Species, err = r.src.of.species(types, r.src.shape.Particles); err != nil {
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
