package system

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"macroscope/model/file/data"
	"macroscope/model/file/frames"
	"macroscope/model/setting"
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
	macro   [][]float64    // (E) of (T, M), with all frames of the file; nil: macroscopic variables are computed
	runs    []int          // indices in the files of the runs that are read; nil: all
	lengths []int          // frames that are read of each of these runs
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
	switch {
	case text:
		return openTexts(f, c)
	case len(f.More) > 0 && c.Ragged:
		return openArchives(s, f, observable)
	}
	r, err := openArchive(f, c)
	if err != nil {
		return nil, err
	}
	return r, lengths(c.Frames, r)
}

// openTexts opens text files. It reads all of them once, to find the facts about them.
func openTexts(f File, as *reader) (Recorded, error) {
	survey, err := f.Survey(frames.Wanted{
		Walls: as.Walls, Ragged: as.Ragged, Usable: func(axes int) bool { return as.Check == nil || as.Check(Shape{1, 2, 2, axes}) == nil },
	}, as.Axes)
	if err != nil {
		return nil, err
	}
	as.empty = f.As.Empty
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
	if err := r.shape.check(f.As.fewest()); err != nil {
		return nil, err
	}
	if err := as.checkShape(r.shape); err != nil {
		return nil, err
	}
	if as.Species != nil && survey.Species == nil {
		_, err := as.species(nil, survey.Particles)
		return nil, err
	}
	if survey.Named() {
		as.names = survey.Species
	}
	if as.Parameters && len(as.of.Parameters) > 0 {
		return nil, fmt.Errorf("the dynamics take %s as inputs, and text files do not have these; give an .npz with an array of a number for each run", as.of.Parameters.names(", "))
	}
	if err := r.observed(); err != nil {
		return nil, err
	}
	r.facts.Fewest = survey.Particles
	for _, run := range survey.Of {
		r.lengths, r.facts.Fewest = append(r.lengths, run.Frames), min(r.facts.Fewest, run.Fewest)
	}
	if err := lengths(as.Frames, r); err != nil {
		return nil, err
	}
	_, err = r.observer()
	return r, err
}

// observed reads the observables of text files from the table beside them.
func (r *recording) observed() error {
	if !r.of.reads() {
		return nil
	}
	table, err := r.file.Observed()
	if err != nil {
		return err
	}
	if table == nil {
		return fmt.Errorf("there is no table of %s beside the files; write one with the columns run, frame and one for each: observables.csv in a folder, NAME.observables.csv beside a file", strings.Join(r.of.of.Macro, ", "))
	}
	var runs []frames.RunFrames
	for _, run := range r.survey.Of {
		runs = append(runs, run.RunFrames)
	}
	values, said, err := table.Match(runs)
	if err != nil {
		return err
	}
	r.facts.Observed, r.macro = said, make([][]float64, len(runs))
	m := len(table.Names)
	for i, name := range r.of.Columns {
		k := slices.Index(table.Names, name)
		if name != "" && k < 0 {
			return fmt.Errorf("%s has no column %s; it has %s", r.file.BesideName, setting.Quote(name), strings.Join(table.Names, ", "))
		}
		for e, of := range values {
			if r.macro[e] == nil {
				r.macro[e] = make([]float64, len(of)/m*r.of.variables)
			}
			for t := range len(of) / m {
				if name != "" {
					r.macro[e][t*r.of.variables+i] = of[t*m+k]
				}
			}
		}
	}
	for _, name := range table.Names {
		if !slices.Contains(r.of.Columns, name) {
			r.facts.Unused = append(r.facts.Unused, name)
		}
	}
	return nil
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
		if err := r.of.finish(t, frame, len(t.Species)*r.shape.Dim, r.shape.Dim, observe, r.inFile(index)); err != nil {
			return err
		}
		if frame+1 == r.lengths[index] {
			return nil
		}
		return pause(float64(frame+1) / float64(r.lengths[index]))
	})
}

// inFile returns the index of a trajectory in the file, which may have others that are left out.
func (r *recording) inFile(index int) int {
	if r.runs != nil {
		return r.runs[index]
	}
	return index
}

// read reads a trajectory, and calls a function after each frame. Macroscopic variables that the file
// lacks are 0.
func (r *recording) read(t *Trajectory, index int, each func(frame int) error) error {
	if err := CheckIndex(index, r.shape.Trajectories); err != nil {
		return err
	}
	source := r.inFile(index)
	s := r.shapeOf(source)
	s.Frames = r.lengths[index]
	t.Size(s, r.of.variables)
	t.Params, t.Interval = nil, r.facts.Time()
	if clear(t.Macro); r.macro != nil {
		copy(t.Macro, r.macro[source])
	}
	if r.survey != nil {
		return r.readTexts(t, source, s, each)
	}
	if err := r.readRun(t, source, s.Frames); err != nil {
		return err
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

// shapeOf returns the shape of a run of the files, which may have fewer particles than others, with the frames of the
// longest.
func (r *recording) shapeOf(source int) Shape {
	s := r.shape
	switch {
	case r.survey != nil:
		s.Particles = r.survey.Of[source].Particles
	case r.archive.particles[source] != nil:
		s.Particles = len(r.archive.particles[source])
	default:
		s.Particles = r.archive.shape.Particles
	}
	return s
}

// readRun reads the particles of a run of the NumPy file in its first frames.
func (r *recording) readRun(t *Trajectory, source, frames int) error {
	of := r.archive
	file, dim, n := of.shape, of.shape.Dim, len(t.Points)
	row := file.Frames * file.Particles * dim
	t.Points = slices.Grow(t.Points[:0], row)[:row]
	if err := r.rows.Read(t.Points, source); err != nil {
		return err
	}
	if particles := of.particles[source]; particles != nil {
		to := 0
		for k := range frames {
			for _, i := range particles {
				to += copy(t.Points[to:], t.Points[(k*file.Particles+i)*dim:][:dim])
			}
		}
	}
	if t.Points = t.Points[:n]; r.species != nil {
		copy(t.Species, r.species[source])
	} else {
		t.alike()
	}
	return nil
}

// readTexts reads a trajectory of shape s from text files.
func (r *recording) readTexts(t *Trajectory, source int, s Shape, each func(frame int) error) error {
	in, size := r.survey.Run(source), s.Particles*s.Dim
	defer in.Close()
	for frame := range s.Frames {
		points, types, err := in.Next()
		if err == io.EOF {
			return errors.New("the file has become shorter while it was read; give it again when it is complete")
		}
		if err != nil {
			return err
		}
		if frame == 0 {
			if t.Species, err = r.of.species(types, s.Particles); err != nil {
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
