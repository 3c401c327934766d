package system

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"

	"macroscope/model/work"
)

// archives is a source of the trajectories in several NumPy files, one file after another.
type archives struct {
	of    []*recording
	names []string
	open  []io.Closer
	shape Shape
	facts Facts
}

var _ Recorded = (*archives)(nil)

// mostArchives bounds the number of files that are open at once.
const mostArchives = 500

// openArchives opens several NumPy files.
func openArchives(s *System, f File, observable string) (_ Recorded, err error) {
	if n := 1 + len(f.More); n > mostArchives {
		return nil, fmt.Errorf("there are %d NumPy files, and the limit is %d; put several runs into each", n, mostArchives)
	}
	a := new(archives)
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	for i, name := range append([]string{f.Name}, f.More...) {
		one := f
		if one.More = nil; i > 0 {
			var file io.Closer
			if one, file, err = f.OpenNumPy(name); err != nil {
				return nil, err
			}
			a.open = append(a.open, file)
			one.As, one.Pause = f.As, f.Pause
			if first := a.of[0]; len(one.As.Offset) != first.shape.Dim { // the same for all
				one.As.Offset = slices.Concat(first.facts.Offset, make([]float64, first.shape.Dim-len(first.facts.Offset)))
			}
		}
		if err := a.add(s, one, observable); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := lengths(a.of[0].of.Frames, a.of...); err != nil {
		return nil, err
	}
	a.finish()
	return a, nil
}

// add opens one of the files.
func (a *archives) add(s *System, f File, observable string) error {
	c, err := s.reader(observable)
	if err != nil {
		return err
	}
	text, err := f.Text()
	if err == nil && text {
		err = errors.New("it is text among NumPy files; give a folder with files of one kind")
	}
	if err != nil {
		return err
	}
	r, err := openArchive(f, c)
	if err != nil {
		return err
	}
	if a.of != nil {
		first := a.of[0]
		switch x, y := &r.facts, &first.facts; {
		case r.shape.Dim != first.shape.Dim:
			return fmt.Errorf("its particles have %d coordinates, and those of the first file %d; give runs of one kind", r.shape.Dim, first.shape.Dim)
		case math.Abs(x.Interval-y.Interval) > 0.01*y.Interval:
			return fmt.Errorf("it has a frame every %.4g, and the first file every %.4g; give runs with one interval", x.Interval, y.Interval)
		case !slices.Equal(r.archive.sides, first.archive.sides):
			return fmt.Errorf("its box is %v, and that of the first file %v; give runs in one box", r.archive.sides, first.archive.sides)
		}
	}
	a.of, a.names = append(a.of, r), append(a.names, path.Base(f.Name))
	return nil
}

// finish completes the shape and the facts.
func (a *archives) finish() {
	a.facts, a.shape = a.of[0].facts, a.of[0].shape
	remarks := a.facts.Remarks
	a.shape.Trajectories = 0
	for i, r := range a.of {
		a.shape.Trajectories += r.shape.Trajectories
		a.shape.Particles = max(a.shape.Particles, r.shape.Particles)
		a.facts.Fewest = min(a.facts.Fewest, r.facts.Fewest)
		for _, name := range r.facts.Species {
			if !slices.Contains(a.facts.Species, name) {
				a.facts.Species = append(slices.Clone(a.facts.Species), name)
			}
		}
		for _, text := range r.facts.Remarks {
			if i > 0 {
				remarks = append(remarks, a.names[i]+": "+text)
			}
		}
	}
	a.facts.Remarks = remarks
}

// part returns the file with a trajectory, and its index there.
func (a *archives) part(index int) (file, at int) {
	for index >= a.of[file].shape.Trajectories {
		index -= a.of[file].shape.Trajectories
		file++
	}
	return file, index
}

// Shape implements Source.
func (a *archives) Shape() Shape { return a.shape }

// Observable implements Recorded.
func (a *archives) Observable() string { return a.of[0].Observable() }

// Facts implements Recorded.
func (a *archives) Facts() *Facts {
	f := a.facts.clone()
	f.Force = a.of[0].of.of.Force
	return f
}

// Make implements Source.
func (a *archives) Make(t *Trajectory, index int, pause work.Pause) error {
	return a.do(index, func(r *recording, at int) error { return r.Make(t, at, pause) })
}

// Raw implements Recorded.
func (a *archives) Raw(t *Trajectory, index int) error {
	return a.do(index, func(r *recording, at int) error { return r.Raw(t, at) })
}

// do calls a function with the file of a trajectory and its index there.
func (a *archives) do(index int, do func(r *recording, at int) error) error {
	if err := CheckIndex(index, a.shape.Trajectories); err != nil {
		return err
	}
	file, at := a.part(index)
	if err := do(a.of[file], at); err != nil {
		return fmt.Errorf("%s: %w", a.names[file], err)
	}
	return nil
}

// Close implements Recorded.
func (a *archives) Close() (err error) {
	for _, r := range a.of {
		err = errors.Join(err, r.Close())
	}
	for _, file := range a.open {
		err = errors.Join(err, file.Close())
	}
	return err
}
