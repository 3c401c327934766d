// Package own is a system of the user's own: any set of points that moves, with any observables. What the
// program knows of it is a Spec. It is found in the user's file and in lines of text beside it, and it is a
// part of every checkpoint.
package own

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/core"
)

// Name is the system's name in specifications.
const Name = "own"

// Spec says what a system of the user's own is.
type Spec struct {
	Title       string       // "": it has none
	Axes        []Axis       // the coordinates of a particle (D)
	Species     []Species    // one set each; one at least
	Observables []Observable // the macroscopic variables z̄ (M), see system.Contents.Columns
	Parameters  []Parameter  // numbers that are constant along a run and inputs of the dynamics (P)
	Frames      int          // number of frames of a run; the dynamics take the time 1 for all of them, or less for few
	Dt          float64      // time between two frames, in the unit Time; 0: not known
	Time        string       // unit of time; "": not known
	Noise       bool         // whether a frame does not determine the future
	Turns       bool         // whether the motion prefers no direction
	Shifts      bool         // whether the motion prefers no place
	Preset      string       // how to train a model; "": as usual
	Keep        []Kept       // frames of a run that stage I uses; nil: all
	Stride      int          // see system.Traits.Stride

	text    bool     // whether the files are text
	runs    int      // number of runs in the files
	cut     int      // see system.Contents.Frames
	still   []string // arrays (runs) with one number for all runs
	others  []string // arrays of the file that are nothing of the above, with their shapes
	remarks []string // what else Find says
}

const (
	mostSpecies     = 8
	mostObservables = 16
	mostParameters  = 16
	mostFrames      = 1 << 20
	separator       = ", "
)

// table lists the lines that describe a system.
func (s *Spec) table() setting.Table {
	return setting.Table{
		{Name: "title", Value: &s.Title},
		{Name: "axes", Value: list(&s.Axes, parseAxis)}, {Name: "species", Value: list(&s.Species, parseSpecies)},
		{Name: "observables", Value: list(&s.Observables, parseObservable)}, {Name: "parameters", Value: list(&s.Parameters, parseParameter)},
		{Name: "frames", Value: &s.Frames, Low: 2, High: mostFrames},
		{Name: "dt", Value: &s.Dt, High: 1e30, Absent: "0"}, {Name: "time", Value: &s.Time},
		{Name: "noise", Value: &s.Noise}, {Name: "turns", Value: &s.Turns, Absent: "false"}, {Name: "shifts", Value: &s.Shifts, Absent: "false"},
		{Name: "preset", Value: &s.Preset}, {Name: "keep", Value: list(&s.Keep, parseKept)},
		{Name: "stride", Value: &s.Stride, High: 1000, Absent: "0"},
	}
}

// list returns the text form of a list, given the inverse of an item's text form.
func list[T any](items *[]T, parse func(string) (T, error)) setting.Text {
	return setting.Text{
		Get: func() string {
			var texts []string
			for _, item := range *items {
				texts = append(texts, fmt.Sprint(item))
			}
			return strings.Join(texts, separator)
		},
		Put: func(text string) error {
			if *items = nil; text == "" {
				return nil
			}
			for part := range strings.SplitSeq(text, strings.TrimSpace(separator)) {
				item, err := parse(strings.TrimSpace(part))
				if err != nil {
					return err
				}
				*items = append(*items, item)
			}
			return nil
		},
	}
}

// description returns the lines as metadata of a checkpoint. Read is its inverse.
func (s *Spec) description() map[string]string {
	lines := make(map[string]string)
	s.table().Write(lines, prefix)
	maps.DeleteFunc(lines, func(_, text string) bool { return text == "" })
	return lines
}

// prefix begins the names of a description's lines in the metadata of a checkpoint.
const prefix = "system."

// Read returns the system that the metadata of a checkpoint describe.
func Read(metadata map[string]string) (*system.System, error) {
	var s Spec
	lines := make(map[string]string)
	for _, f := range s.table() {
		lines[prefix+f.Name] = cmp.Or(metadata[prefix+f.Name], f.Absent)
	}
	err := s.table().Read(lines, prefix)
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
	case s.Observables == nil:
		also := ""
		if s.others != nil {
			also = "; it has " + strings.Join(s.others, separator)
		}
		if s.text {
			return fmt.Errorf("there is no observable to predict; write a table with the columns run, frame and one for each observable (observables.csv in a folder, NAME.observables.csv beside a file), or let one be computed with a line such as observables = size = gyration%s", also)
		}
		return fmt.Errorf("the file has no observable to predict: an array of the shape [%d %d], a number for each frame of each run; add one, or let one be computed with a line such as observables = size = gyration%s", s.runs, s.Frames, also)
	case len(s.Axes) > data.MaxDim:
		return fmt.Errorf("it has %d axes, and the limit is %d", len(s.Axes), data.MaxDim)
	case len(s.Species) > mostSpecies:
		return fmt.Errorf("it has %d species; use %d at most", len(s.Species), mostSpecies)
	case len(s.Observables) > mostObservables:
		return fmt.Errorf("it has %d observables; use %d at most", len(s.Observables), mostObservables)
	case len(s.Parameters) > mostParameters:
		return fmt.Errorf("it has %d parameters; name %d at most with -params or in the line parameters", len(s.Parameters), mostParameters)
	}
	for _, p := range s.Parameters {
		if err := p.check(); err != nil {
			return err
		}
	}
	for _, names := range [][]string{s.axisNames(), s.speciesNames(), s.variables(), s.parameterNames()} {
		for i, name := range names {
			switch {
			case name == "" || len(name) > 60 || slices.Contains(names[:i], name):
				return fmt.Errorf("the name %s is empty, too long or there twice; rename it", setting.Quote(name))
			case strings.ContainsAny(name, ",[]=\n"):
				return fmt.Errorf("the name %s has a comma, a bracket or an equals sign; rename it", setting.Quote(name))
			}
		}
	}
	for i, k := range s.Keep {
		if last := i == len(s.Keep)-1; last != (k.Last == 0) || !last && i > 0 && k.Last <= s.Keep[i-1].Last {
			return fmt.Errorf("the frames to keep are %v; give EVERY to LAST for growing frames, and EVERY alone at the end", s.Keep)
		}
	}
	if s.Turns && s.vectors() == nil {
		return errors.New("it turns, and it has no two or three positions that could; give turns = false")
	}
	return s.table().Check()
}

// axisNames returns the names of the axes.
func (s *Spec) axisNames() (names []string) {
	for _, a := range s.Axes {
		names = append(names, a.Name)
	}
	return names
}

// speciesNames returns the names of the species.
func (s *Spec) speciesNames() (names []string) {
	for _, kind := range s.Species {
		names = append(names, kind.Name)
	}
	return names
}

// variables returns the names of the observables.
func (s *Spec) variables() (names []string) {
	for _, o := range s.Observables {
		names = append(names, o.Name)
	}
	return names
}

// units returns the units of the observables, "" where it is not known.
func (s *Spec) units() (units []string) {
	for _, o := range s.Observables {
		units = append(units, o.Unit)
	}
	return units
}

// periods returns the periods of the axes, or nil if none repeats.
func (s *Spec) periods() (periods []float64) {
	for i, a := range s.Axes {
		if a.Period > 0 && periods == nil {
			periods = make([]float64, len(s.Axes))
		}
		if a.Period > 0 {
			periods[i] = a.Period
		}
	}
	return periods
}

// System returns the system.
func (s Spec) System() *system.System { return s.system(true) }

// system returns the system. The argument `known` says whether a file or a checkpoint describes it.
func (s Spec) system(known bool) *system.System {
	sets := []string{""}
	if len(s.Species) > 1 {
		sets = s.speciesNames()
	}
	files := &system.Contents{
		Own: "a file of your own has " + strings.Join(s.variables(), separator), Particle: "particle", Axes: s.axisNames(), Columns: s.columns(), Read: system.ReadRecordings, Parameters: true, Ragged: true, Frames: s.cut,
		Check: func(shape system.Shape) error {
			if shape.Dim != len(s.Axes) {
				return fmt.Errorf("the particles have %s, and the system has the axes %s; give these, in text files with -columns", setting.Count(shape.Dim, "coordinate", "coordinates"), strings.Join(s.axisNames(), separator))
			}
			return nil
		},
		Observer: func(_, _ string, _ int) (system.Observer, error) { return s.observer() },
	}
	if len(s.Species) > 1 {
		for _, kind := range s.Species {
			files.Kinds = append(files.Kinds, kind.Number)
		}
		files.Species = func(of []uint8) error {
			for i, name := range s.speciesNames() {
				if !slices.Contains(of, uint8(i+1)) {
					return fmt.Errorf("there is no particle of the species %s; every frame needs one of each species", name)
				}
			}
			return nil
		}
	}
	var vectors [][]int
	var centre []float64
	if s.Turns {
		vectors = s.vectors()
		for _, a := range s.Axes {
			centre = append(centre, a.Centre)
		}
	}
	stream := func(of string) string { return Name + " " + of }
	of := &system.System{
		Traits: system.Traits{
			Name: Name, Title: "Your system", Dim: len(s.Axes), Sets: sets, Scaling: system.Standardise, Empty: true, Periods: s.periods(), Vectors: vectors, Centre: centre, Positions: s.ofKind(Position), Velocities: s.ofKind(Velocity), Interval: s.Dt, Parameters: s.parameters(),
			Dt: 1 / float64(max(s.Frames-1, leastSteps)), Stochastic: s.Noise, Stride: s.Stride, Shifts: s.Shifts, Description: s.description(),
			Streams: system.Streams{
				Weights: stream("weights"), Sets: stream("sets"), Steps: stream("steps"),
				Stretches: stream("stretches"), Turns: stream("turns"), Rollouts: stream("rollouts"),
			},
		},
		Macro: s.variables(), Units: s.units(), Keep: s.keep(), Files: files, Described: Read,
	}
	if !known {
		of.Description = nil
	}
	var page core.OncePage
	of.Live = func() system.Live {
		return newLive(s, of, known, func() *system.Page { return page.Get(func() *system.Page { return newPage(&s, known) }) })
	}
	return of
}

// leastSteps bounds the time between two frames from above, so that a step is short in the time in which the dynamics
// bring states back that leave the training range (law.box.pull).
const leastSteps = 25

// one returns the species of particles that are all alike.
func one() []Species { return []Species{{"1", "1"}} }

// Placeholder is the system before there is a file or a checkpoint that describes it. It has no Description.
func Placeholder() *system.System {
	return Spec{Axes: axes(2), Species: one(), Observables: []Observable{{Name: "observable"}}, Frames: 2, Turns: true}.system(false)
}
