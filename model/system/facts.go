package system

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/frames"
	"macroscope/model/setting"
)

// Facts say what a file of trajectories has told about itself, and what of it is not used.
type Facts struct {
	Axes     []string     // names of the coordinates (D); nil: the file names none
	Species  []string     // names of the species; nil: the file tells none, or one
	Fewest   int          // particles of the smallest frame; 0: all frames have the same number
	Shortest int          // frames of the shortest run; 0: all runs have the same number
	Interval float64      // between two frames, by the clock; 0: not known
	Clock    frames.Clock // Times if the file tells times
	Observed string       // which array has the observables, in words; "": they are computed
	Unused   []string     // columns and arrays that are not used
	Repeats  []string     // names of the coordinates along which the box repeats
	Wrapped  bool         // whether positions may be wrapped into that box
	Offset   []float64    // subtracted from the coordinates (D); nil: nothing
	Force    string       // force between the particles, see Forces; "" if the system has no choice of forces
	Remarks  []string     // what the user should know besides; parts of sentences

	described []string // names of the coordinates in the description of the system, where the file names none
}

// InWords describes trajectories of a shape in one line.
func (f *Facts) InWords(s Shape) string {
	parts := []string{setting.Count(s.Trajectories, "run", "runs") + " of " + fromTo(f.Shortest, s.Frames, "frame", "frames")}
	if apart := f.Apart(); apart != "" {
		parts = append(parts, apart)
	}
	particles := fromTo(f.Fewest, s.Particles, "particle", "particles")
	if n := len(f.Species); n > 1 {
		particles += fmt.Sprintf(" of %d species", n)
		if _, err := strconv.Atoi(f.Species[0]); err != nil {
			particles += " (" + strings.Join(f.Species, ", ") + ")"
		}
	}
	parts = append(parts, particles)
	if f.Axes != nil {
		parts = append(parts, strings.Join(f.Axes, " "))
	} else {
		parts = append(parts, setting.Count(s.Dim, "coordinate", "coordinates"))
	}
	return strings.Join(append([]string{strings.Join(parts, ", ")}, f.More()...), "; ")
}

// fromTo says a number of things, or the smallest and the largest number. A smallest number of 0 is the largest.
func fromTo(least, most int, one, many string) string {
	all := setting.Count(most, one, many)
	if least > 0 && least < most {
		return fmt.Sprintf("%d to %s", least, all)
	}
	return all
}

// Time returns the time between two frames, or 0 if it is not known.
func (f *Facts) Time() float64 {
	if f.Clock != frames.Times {
		return 0
	}
	return f.Interval
}

// Apart describes the interval: "0.02 apart"; "": it is not known.
func (f *Facts) Apart() string {
	switch {
	case f.Interval == 0:
		return ""
	case f.Clock == frames.Steps:
		return fmt.Sprintf("%g steps apart", f.Interval)
	case f.Clock == frames.Times:
		return fmt.Sprintf("%.4g apart", f.Interval)
	}
	return ""
}

// More lists all facts except numbers and names, as parts of sentences.
func (f *Facts) More() (parts []string) {
	if f.Observed != "" {
		parts = append(parts, f.Observed)
	}
	if f.Unused != nil {
		parts = append(parts, "not used: "+strings.Join(f.Unused, ", "))
	}
	if f.Repeats != nil {
		parts = append(parts, "the box repeats in "+frames.And(f.Repeats))
	}
	if f.Wrapped {
		parts = append(parts, "positions are wrapped into it: a particle that leaves on one side comes back on the other, which counts as a jump")
	}
	for d, v := range f.Offset {
		if v != 0 {
			parts = append(parts, fmt.Sprintf("%g is subtracted from %s", v, f.Axis(d)))
		}
	}
	return append(parts, f.Remarks...)
}

// Axis names coordinate d.
func (f *Facts) Axis(d int) string {
	if d < len(f.Axes) {
		return f.Axes[d]
	}
	return axis(f.described, d)
}

// Axis names coordinate d.
func (s *System) Axis(d int) string {
	if s.Files == nil {
		return axis(nil, d)
	}
	return axis(s.Files.Axes, d)
}

func axis(names []string, d int) string {
	if d < len(names) {
		return names[d]
	}
	return fmt.Sprintf("coordinate %d", d)
}

// clone returns a copy that does not share memory with f.
func (f Facts) clone() *Facts {
	f.Remarks, f.Unused = slices.Clone(f.Remarks), slices.Clone(f.Unused)
	return &f
}
