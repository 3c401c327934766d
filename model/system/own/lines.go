package own

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/setting"
)

// Line is a line that describes a system: NAME = VALUE.
type Line struct {
	Name, Value string
	Where       string // file and line, for errors
}

// ParseLines reads a description: a line each, in which # begins a comment. The name of the file is for
// errors.
func ParseLines(text, file string) (lines []Line, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		where := fmt.Sprintf("%s:%d", file, number)
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("%s: %s is not NAME = VALUE", where, setting.Quote(line))
		}
		lines = append(lines, Line{strings.TrimSpace(name), strings.TrimSpace(value), where})
	}
	return lines, nil
}

// ReadLines reads a description from a file with this name, see ParseLines.
func ReadLines(r io.Reader, file string) ([]Line, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostLines+1))
	if err == nil && len(text) > mostLines {
		err = fmt.Errorf("%s has over %d bytes; use fewer", file, mostLines)
	}
	if err != nil {
		return nil, err
	}
	return ParseLines(string(text), file)
}

// Says reports whether a line has the given name.
func Says(lines []Line, name string) bool {
	return slices.ContainsFunc(lines, func(l Line) bool { return l.Name == name })
}

// Apply changes what was found in the data to what lines say. Later lines count more. The data decide how many
// axes and species there are, and how long a run is.
func (s *Spec) Apply(lines []Line) error {
	found := *s
	for _, l := range lines {
		fail := func(err error) error { return fmt.Errorf("%s: %w", l.Where, err) }
		if l.Name == "frames" {
			n, err := strconv.Atoi(l.Value)
			if err != nil || n < 2 || n > mostFrames {
				return fail(fmt.Errorf("frames = %s; give a number from 2 to %d, to which all runs are cut", setting.Quote(l.Value), mostFrames))
			}
			s.cut = n
			continue
		}
		if err := s.table().Set(l.Name, l.Value); err != nil {
			return fail(err)
		}
		switch {
		case len(s.Axes) != len(found.Axes):
			return fail(fmt.Errorf("there are %d axes, and the particles have %s; name each", len(s.Axes), setting.Count(len(found.Axes), "coordinate", "coordinates")))
		case len(s.Species) != len(found.Species):
			return fail(fmt.Errorf("there are %d species, and the file has %d; name each", len(s.Species), len(found.Species)))
		}
	}
	for i, o := range s.Observables {
		if o.Of == "" && !slices.Contains(found.variables(), o.Name) {
			return fmt.Errorf("the file has no observable %s; it has %s, and others can be computed, such as size = gyration", setting.Quote(o.Name), listed(found.variables()))
		}
		if o.Of == "" {
			continue
		}
		if _, err := s.compute(i); err != nil {
			return err
		}
	}
	for i := range s.Species { // the data number the species
		s.Species[i].Number = found.Species[i].Number
	}
	for i := range s.Parameters { // the data have their ranges, unless it is the same for all of their runs
		p := &s.Parameters[i]
		k := slices.Index(found.parameterNames(), p.Name)
		if k < 0 && p.Low < p.High && slices.Contains(found.still, p.Name) {
			continue
		}
		if k < 0 {
			return fmt.Errorf("the file has no parameter %s that differs between runs; it has %s", setting.Quote(p.Name), listed(found.parameterNames()))
		}
		p.Low, p.High = found.Parameters[k].Low, found.Parameters[k].High
	}
	return s.check()
}

// listed lists names in a sentence.
func listed(names []string) string {
	if names == nil {
		return "none"
	}
	return strings.Join(names, separator)
}

// Text returns the description as lines, which ParseLines reads.
func (s *Spec) Text() string {
	var b strings.Builder
	for _, f := range s.table() {
		if text := f.Text(); (f.Name != "frames" || s.cut > 0) && (text != f.Absent || f.Name == "turns" || f.Name == "shifts") {
			fmt.Fprintf(&b, "%s = %s\n", f.Name, text)
		}
	}
	return b.String()
}
