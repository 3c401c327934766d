package system

import (
	"errors"
	"io"
	"slices"
	"sync"

	"macroscope/model/file/data"
	"macroscope/model/file/frames"
	"macroscope/model/work"
)

// recording is a source of trajectories in files. A NumPy file contains them in TrajectoriesArray,
// which is read one trajectory at a time. Text files (see package frames) are read frame by frame.
// Opening a recording reads all trajectories once, so that its Facts hold for all. Every frame is
// checked, and its macroscopic variables are computed if the file lacks them. Several goroutines may read
// trajectories at once.
type recording struct {
	file  File
	shape Shape
	of    *reader

	facts Facts

	survey  *frames.Survey // of text files; nil for a NumPy file
	archive *archive       // the NumPy file, or nil for text files
	species [][]uint8      // (E, N); nil: all particles have one species
	macro   []float64      // (E, T, M); nil: macroscopic variables are computed
	rows    *data.AnyRow   // rows of the NumPy file; nil for text files

	observers sync.Pool // of Observer
}

var _ Recorded = (*recording)(nil)

// Open opens the user's trajectories for predictions of an observable ("": the system's own). The files are a
// NumPy file, or text files with one trajectory each. The caller closes the result. A NumPy archive contains:
//   - the array trajectories (E, T, N, D)
//   - the array types (E, N), if the system has species
//   - an array (E) for every parameter that differs from its default
//   - the force, unless it is the default force
//   - optionally the macroscopic variables as an array, see Contents.Array
func (s *System) Open(f File, observable string) (Recorded, error) {
	if _, err := s.reader(observable); err != nil {
		return nil, err
	}
	return s.Files.Read(s, f, observable)
}

// ReadRecordings is the Contents.Read of systems whose files have trajectories, see System.Open. A program
// without such systems does not contain the readers of files.
func ReadRecordings(s *System, f File, observable string) (Recorded, error) {
	c, err := s.reader(observable)
	if err != nil {
		return nil, err
	}
	text, err := f.Text()
	if err != nil {
		return nil, err
	}
	if text {
		return openTexts(f, c)
	}
	return openArchive(f, c)
}

// openTexts opens text files. It reads all of them once, to find the facts about them.
func openTexts(f File, as *reader) (Recorded, error) {
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
	r := &recording{file: f, of: as, survey: survey, facts: Facts{
		Axes: survey.Axes, Species: survey.Species, Interval: survey.Interval, Clock: survey.Clock, Unused: survey.Unused,
		Repeats: survey.Repeats, Wrapped: survey.Wrapped && as.of.Periods == nil, Offset: survey.Offset, Remarks: survey.Remarks,
	}}
	if f.As.Interval > 0 {
		r.facts.Interval, r.facts.Clock = f.As.Interval, frames.Times
	}
	if as.Species == nil && len(survey.Species) > 1 {
		r.facts.Unused = append(r.facts.Unused, "species")
	}
	r.shape = Shape{Trajectories: len(survey.Runs), Frames: survey.Frames, Particles: survey.Particles, Dim: len(survey.Axes)}
	if err := r.shape.check(); err != nil {
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

// observer returns an Observer, or nil if the file contains the macroscopic variables.
func (r *recording) observer() (Observer, error) {
	if r.macro != nil && !slices.Contains(r.of.Columns, "") {
		return nil, nil
	}
	if observe, ok := r.observers.Get().(Observer); ok {
		return observe, nil
	}
	return r.of.observer(r.shape.Dim)
}

// Shape implements Source.
func (r *recording) Shape() Shape { return r.shape }

// Observable implements Recorded.
func (r *recording) Observable() string { return r.of.observable }

// Facts implements Recorded.
func (r *recording) Facts() *Facts {
	f := r.facts.clone()
	f.Force = r.of.of.Force
	return f
}

// Close implements Recorded.
func (r *recording) Close() error {
	if r.rows != nil {
		r.rows.Close()
	}
	return nil
}

// Raw implements Recorded.
func (r *recording) Raw(t *Trajectory, index int) error {
	err := r.read(t, index, func(int) error { return nil })
	if r.macro == nil {
		t.Macro = nil
	}
	return err
}

// Make implements Source. It pauses between frames.
func (r *recording) Make(t *Trajectory, index int, pause work.Pause) error {
	observe, err := r.observer()
	if err != nil {
		return err
	}
	if observe != nil {
		defer r.observers.Put(observe)
	}
	return r.read(t, index, func(frame int) error {
		if err := r.of.finish(t, frame, r.shape.Particles*r.shape.Dim, r.shape.Dim, observe, r.inFile(index)); err != nil {
			return err
		}
		if frame+1 == r.shape.Frames {
			return nil
		}
		return pause(float64(frame+1) / float64(r.shape.Frames))
	})
}

// inFile returns the index of a trajectory in the file, which may have others that are left out.
func (r *recording) inFile(index int) int {
	if r.archive != nil && r.archive.runs != nil {
		return r.archive.runs[index]
	}
	return index
}

// read reads a trajectory, and calls a function after each frame. Macroscopic variables that the file
// lacks are 0.
func (r *recording) read(t *Trajectory, index int, each func(frame int) error) error {
	s := r.shape
	if err := CheckIndex(index, s.Trajectories); err != nil {
		return err
	}
	t.Size(s, r.of.variables)
	t.Params, t.Interval = nil, r.facts.Time()
	source, m := r.inFile(index), len(t.Macro)
	if clear(t.Macro); r.macro != nil {
		copy(t.Macro, r.macro[source*m:(source+1)*m])
	}
	if r.survey != nil {
		return r.readTexts(t, index, each)
	}
	if err := r.rows.Read(t.Points, source); err != nil {
		return err
	}
	if of := r.species; of != nil {
		copy(t.Species, of[source])
	} else {
		t.alike()
	}
	if of := r.archive.params; of != nil {
		t.Params = of[source]
	}
	for frame := range s.Frames {
		if err := each(frame); err != nil {
			return err
		}
	}
	return nil
}

// readTexts reads a trajectory from text files.
func (r *recording) readTexts(t *Trajectory, index int, each func(frame int) error) error {
	in, size := r.survey.Run(index), r.shape.Particles*r.shape.Dim
	defer in.Close()
	for frame := range r.shape.Frames {
		points, types, err := in.Next()
		if err == io.EOF {
			return errors.New("the file has become shorter while it was read; give it again when it is complete")
		}
		if err != nil {
			return err
		}
		if frame == 0 {
			if t.Species, err = r.of.species(types, r.shape.Particles); err != nil {
				return err
			}
		}
		copy(t.Points[frame*size:(frame+1)*size], points)
		if err := each(frame); err != nil {
			return err
		}
	}
	return nil
}
