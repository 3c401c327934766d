package system

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/file/frames"
	"macroscope/model/work"
)

// Names of the arrays in a file of trajectories, chosen by the paper's authors.
const (
	TrajectoriesArray = "trajectories" // coordinates (E, T, N, D)
	TypesArray        = "types"        // species (E, N)
	MacroArray        = "macro"        // macroscopic variables (E, T, M)
)

// Limits of the size of a file.
const (
	MaxParticles = data.MaxParticles
	maxDim       = data.MaxDim
)

// ReadShape returns the shape of the trajectories in a NumPy file, or an error if the
// trajectories cannot be used. It reads only the file's header. An array (T, N, D) is one trajectory.
func ReadShape(f File) (Shape, error) {
	s, _, err := readShape(f, true)
	return s, err
}

// readShape also reports whether the array is one trajectory (T, N, D), if it can be.
func readShape(f File, canBe bool) (shape Shape, single bool, err error) {
	if len(f.More) > 0 {
		return shape, false, fmt.Errorf("there are %d files in the folder, and the first is NumPy's, which is read alone; put all trajectories into one array, and name its file", 1+len(f.More))
	}
	s, err := data.CheckRows(f.Bytes, f.Size, TrajectoriesArray)
	if err != nil {
		return shape, false, err
	}
	if single = len(s) == 3 && canBe; single {
		s = append([]int{1}, s...)
	}
	if len(s) != 4 {
		return shape, false, fmt.Errorf("the trajectories have %d dimensions, and four are needed: trajectories, frames, particles, coordinates", len(s))
	}
	shape = Shape{Trajectories: s[0], Frames: s[1], Particles: s[2], Dim: s[3]}
	if err = shape.check(f.As.fewest()); err == nil && single && shape.Frames > data.MaxBytes/(8*shape.Particles*shape.Dim) {
		err = fmt.Errorf("the run of %d frames of %d particles is over the limit of %d MiB for one run; divide it into runs", shape.Frames, shape.Particles, data.MaxBytes>>20)
	}
	return shape, single, err
}

// PerRun returns the shape of an array of something for each run with the number of runs, which can be missing if
// there is one run.
func (s Shape) PerRun(is []int) []int {
	if s.Trajectories == 1 && (len(is) == 0 || is[0] != 1) {
		return append([]int{1}, is...)
	}
	return is
}

// check returns an error if no system can read trajectories of this shape, which need so many frames.
func (s Shape) check(frames int) error {
	switch {
	case s.Trajectories < 1:
		return fmt.Errorf("the file holds no trajectory; record one at least")
	case s.Frames < frames:
		return fmt.Errorf("the trajectories have fewer than two frames, so nothing moves; record two at least")
	case s.Particles < 1:
		return fmt.Errorf("the trajectories have no particles; record one at least")
	case s.Particles > MaxParticles:
		return fmt.Errorf("the trajectories have %d particles, and the limit is %d; record fewer", s.Particles, MaxParticles)
	case s.Dim < 1 || s.Dim > maxDim:
		return fmt.Errorf("the particles have %d coordinates; 1 to %d can be used", s.Dim, maxDim)
	}
	return nil
}

// Array is an array of an archive.
type Array struct {
	Name  string
	Array *data.Array
}

// Recorded is a source of the user's trajectories.
type Recorded interface {
	Source
	Observable() string // "" means the system's own observable
	Facts() *Facts
	// Raw fills t with the trajectory of the given index, as it is in the file. It leaves out
	// macroscopic variables that System.Finish will compute.
	Raw(t *Trajectory, index int) error
	Close() error
}

// File contains the user's trajectories: one file, or several text files with one trajectory
// each.
type File struct {
	Name  string
	Bytes io.ReaderAt
	Size  int64
	// More are further files, opened by name.
	More []string
	Open func(name string) (io.ReadCloser, error)
	// OpenNumPy opens one of More that is a NumPy file.
	OpenNumPy func(name string) (File, io.Closer, error)
	// Beside opens the table of observables beside text files, which has this name; nil: there is none.
	Beside     func() (io.ReadCloser, error)
	BesideName string
	// Lines opens the lines that describe the system of several files in one; nil: there are none.
	Lines     func() (io.ReadCloser, error)
	LinesName string
	// Pause is called during computations that last long and do not read from the file. It may
	// be nil.
	Pause work.Pause
	As    Reading
}

// Reading says how to read a file.
type Reading struct {
	Columns  []string   // names of the columns with the coordinates, in text files; nil: by their names
	Outliers frames.Bad // what happens to a trajectory with a coordinate absurdly far from all others
	Offset   []float64  // (D) subtracted from the coordinates; of another length: where single precision would lose digits
	Interval float64    // time between two frames, whatever the file says; 0: what the file says
	Starts   bool       // whether runs can have one frame, from which a model predicts
	Empty    bool       // whether frames of ragged runs can be without particles, or without those of a species
}

// fewest returns the least number of frames of a run.
func (r Reading) fewest() int {
	if r.Starts {
		return 1
	}
	return 2
}

// leaveOut returns advice to leave out bad runs, where the user can choose it.
func (r Reading) leaveOut() string {
	if r.Outliers == frames.Refuse {
		return " with -outliers leave-out"
	}
	return ""
}

// Text reports whether the files are text. It returns an error if the first file is empty or has a
// format that cannot be read.
func (f File) Text() (bool, error) {
	head := make([]byte, data.HeadBytes)
	n, _ := f.Bytes.ReadAt(head, 0) // reading the file later returns the same error
	if data.IsPacked(head[:n]) {
		return true, nil
	}
	format, err := data.FormatOf(f.Name, head[:n])
	return format != data.NPY && format != data.NPZ, err
}

// Survey reads text files once, to find the facts about them. If no columns are named, the columns with the names of
// these axes (nil: any) have the coordinates. Axes may have other names than columns if there are as many.
func (f File) Survey(w frames.Wanted, axes []string) (*frames.Survey, error) {
	s, err := f.surveyed(w)
	if f.As.Columns != nil || axes == nil || err == nil && slices.EqualFunc(s.Axes, axes, strings.EqualFold) {
		return s, err
	}
	f.As.Columns = axes
	named, bad := f.surveyed(w)
	switch {
	case bad == nil:
		return named, nil
	case err == nil && len(s.Axes) != len(axes):
		return nil, bad
	}
	return s, err
}

func (f File) surveyed(w frames.Wanted) (*frames.Survey, error) {
	w.Options = frames.Options{Columns: f.As.Columns, Pause: f.Pause}
	w.Bad, w.Offset, w.Starts, w.Empty = f.As.Outliers, f.As.Offset, f.As.Starts, f.As.Empty
	return frames.NewSurvey(frames.Files{Names: append([]string{f.Name}, f.More...), Open: func(index int) (io.ReadCloser, error) {
		if index > 0 {
			return f.Open(f.More[index-1])
		}
		return io.NopCloser(io.NewSectionReader(f.Bytes, 0, f.Size)), nil
	}}, w)
}

// Observed reads the table of observables beside text files; nil: there is none.
func (f File) Observed() (*frames.Observed, error) {
	if f.Beside == nil {
		return nil, nil
	}
	in, err := f.Beside()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return frames.ReadObserved(f.BesideName, in)
}

// memory is a Recorded of trajectories in memory. It makes copies of them.
type memory struct {
	shape Shape
	of    []Trajectory
	facts Facts
}

var _ Recorded = (*memory)(nil)

// NewMemory returns a source of these trajectories, which all have the shape s. It does not
// copy them.
func NewMemory(s Shape, of []Trajectory, facts Facts) Recorded { return &memory{s, of, facts} }

// Observable implements Recorded.
func (m *memory) Observable() string { return "" }

// Facts implements Recorded.
func (m *memory) Facts() *Facts { return m.facts.clone() }

// Raw implements Recorded.
func (m *memory) Raw(t *Trajectory, index int) error { return m.Make(t, index, nil) }

// Close implements Recorded.
func (m *memory) Close() error { return nil }

// Shape implements Source.
func (m *memory) Shape() Shape { return m.shape }

// Make implements Source.
func (m *memory) Make(t *Trajectory, index int, _ work.Pause) error {
	if err := CheckIndex(index, len(m.of)); err != nil {
		return err
	}
	of := &m.of[index]
	*t = Trajectory{
		append(t.Points[:0], of.Points...), append(t.Species[:0], of.Species...), append(t.Macro[:0], of.Macro...),
		slices.Clone(of.Params), of.Interval,
	}
	return nil
}
