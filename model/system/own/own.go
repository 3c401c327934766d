// Package own is a system of the user's own: any set of points that moves, with any observables. What the
// program knows of it is a Spec, which is found in the user's file and is a part of every checkpoint.
package own

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Name is the system's name in specifications.
const Name = "own"

// Spec says what a system of the user's own is.
type Spec struct {
	Axes        []string // names of the coordinates (D)
	Species     []string // names of the species, one set each; one at least
	Observables []string // names of the macroscopic variables z̄ (M), see system.Contents.Columns
	Frames      int      // number of frames of a run; the dynamics take the time 1 for all of them, or less for few
	Noise       bool     // whether a frame does not determine the future
}

const (
	mostSpecies     = 8
	mostObservables = 16
	mostFrames      = 1 << 20
	separator       = ", "
)

// table lists the lines that describe a system.
func (s *Spec) table() setting.Table {
	return setting.Table{
		{Name: "axes", Value: list(&s.Axes)}, {Name: "species", Value: list(&s.Species)},
		{Name: "observables", Value: list(&s.Observables)}, {Name: "frames", Value: &s.Frames, Low: 2, High: mostFrames},
		{Name: "noise", Value: &s.Noise},
	}
}

// list returns the text form of a list of names.
func list(names *[]string) setting.Text {
	return setting.Text{
		Get: func() string { return strings.Join(*names, separator) },
		Put: func(text string) error {
			*names = strings.Split(text, separator)
			return nil
		},
	}
}

// description returns the lines as metadata of a checkpoint. Read is its inverse.
func (s *Spec) description() map[string]string {
	lines := make(map[string]string)
	s.table().Write(lines, prefix)
	return lines
}

// prefix begins the names of a description's lines in the metadata of a checkpoint.
const prefix = "system."

// Read returns the system that the metadata of a checkpoint describe.
func Read(metadata map[string]string) (*system.System, error) {
	var s Spec
	err := s.table().Read(metadata, prefix)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, fmt.Errorf("the checkpoint does not describe its system: %w", err)
	}
	return s.System(), nil
}

// check returns an error if no program can have made the description.
func (s *Spec) check() error {
	switch {
	case len(s.Axes) > data.MaxDim:
		return fmt.Errorf("it has %d axes, and the limit is %d", len(s.Axes), data.MaxDim)
	case len(s.Species) > mostSpecies:
		return fmt.Errorf("it has %d species; use %d at most", len(s.Species), mostSpecies)
	case len(s.Observables) > mostObservables:
		return fmt.Errorf("it has %d observables; use %d at most", len(s.Observables), mostObservables)
	}
	for _, names := range [][]string{s.Axes, s.Species, s.Observables} {
		for i, name := range names {
			if name == "" || len(name) > 60 || slices.Contains(names[:i], name) {
				return fmt.Errorf("the name %s is empty, too long or there twice; rename it", setting.Quote(name))
			}
		}
	}
	return s.table().Check()
}

// System returns the system.
func (s Spec) System() *system.System {
	sets := []string{""}
	if len(s.Species) > 1 {
		sets = s.Species
	}
	files := &system.Contents{
		Own: "a file of your own has " + strings.Join(s.Observables, separator), Particle: "particle", Columns: s.Observables, Read: system.ReadRecordings,
		Check: func(shape system.Shape) error {
			if shape.Dim != len(s.Axes) {
				return fmt.Errorf("the particles have %s, and the system has the axes %s", setting.Count(shape.Dim, "coordinate", "coordinates"), strings.Join(s.Axes, separator))
			}
			return nil
		},
		Observer: func(_, _ string, _ int) (system.Observer, error) {
			return nil, errors.New("observables are read from the file; save a NumPy archive with an array (runs, frames) for each")
		},
	}
	if len(s.Species) > 1 {
		files.Kinds, files.Species = s.Species, func([]uint8) error { return nil }
	}
	stream := func(of string) string { return Name + " " + of }
	return &system.System{
		Traits: system.Traits{
			Name: Name, Title: "Your system", Dim: len(s.Axes), Sets: sets, Scaling: system.Standardise,
			Dt: 1 / float64(max(s.Frames-1, leastSteps)), Stochastic: s.Noise, Description: s.description(),
			Streams: system.Streams{
				Weights: stream("weights"), Sets: stream("sets"), Steps: stream("steps"),
				Stretches: stream("stretches"), Turns: stream("turns"), Rollouts: stream("rollouts"),
			},
		},
		Macro: s.Observables, Keep: system.Schedule{{Every: max(1, s.Frames/mostKept)}}, Files: files, Described: Read,
	}
}

// leastSteps bounds the time between two frames from above, so that a step is short in the time in which the dynamics
// bring states back that leave the training range (law.box.pull).
const leastSteps = 25

// mostKept is about how many frames of a run stage I uses.
const mostKept = 60

// Placeholder is the system before there is a file or a checkpoint that describes it.
func Placeholder() *system.System {
	return Spec{Axes: []string{"x", "y"}, Species: []string{"1"}, Observables: []string{"observable"}, Frames: 2}.System()
}
