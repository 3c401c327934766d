package ownfile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"macroscope/model/lab/session/effect"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// preview summarises a file of trajectories that the user has not accepted yet. Opening the file has
// checked all trajectories, and the first of them has been read.
type preview struct {
	of     *File
	first  *system.Trajectory
	system *system.System
	page   *system.Page
}

// coordinates lists the names of the coordinates, in order. If there are more, they have numbers.
var coordinates = [...]string{"x", "y", "z"}

// mostNamed is the largest number of coordinates that are described one by one.
const mostNamed = 6

// facts describes the content: numbers, kinds and ranges.
func (f *preview) facts() []wire.Entry {
	s, traits := f.of.Source.Shape(), f.system.Traits
	facts := []wire.Entry{{Term: "File", Text: fmt.Sprintf("%s, %s", setting.Quote(f.of.Name), bytesInWords(len(f.of.Bytes)))}}
	add := func(term, text string) { facts = append(facts, wire.Entry{Term: term, Text: text}) }
	if f.system.Draw == nil {
		add("Trajectories", fmt.Sprint(s.Trajectories))
		add("Frames", fmt.Sprintf("%d, from 0 to %d", s.Frames, s.Frames-1))
	}
	add("Particles", f.particles(s, traits))
	add("Coordinates", f.ranges(s))
	if f.page.Units != "" {
		add("Units", f.page.Units)
	}
	if text := f.time(); text != "" {
		add("Time", text)
	}
	for i, p := range traits.Parameters {
		if f.first.Params != nil {
			add(p.Symbol, fmt.Sprintf("%g in the first trajectory", f.first.Params[i]))
		}
	}
	names := f.system.Variables(f.of.Source.Observable())
	for k, name := range names {
		low, high := math.Inf(1), math.Inf(-1)
		for i := k; i < len(f.first.Macro); i += len(names) {
			low, high = min(low, f.first.Macro[i]), max(high, f.first.Macro[i])
		}
		add(name, span(low, high))
	}
	return facts
}

// time describes the time between two frames, or returns "" if there is one frame.
func (f *preview) time() string {
	of, usual := f.of.Source.Facts(), ""
	if interval := f.system.Traits.Interval; interval > 0 && of.Time() == 0 {
		usual = fmt.Sprintf("; frames count as %g apart, as in training", interval)
	}
	switch {
	case f.of.Source.Shape().Frames < 2:
		return ""
	case of.Apart() != "":
		return "frames are " + of.Apart() + usual
	}
	return "not in the file" + usual
}

// particles describes the number of particles, in total and of each species.
func (f *preview) particles(s system.Shape, traits system.Traits) string {
	text := fmt.Sprint(s.Particles)
	if len(traits.Sets) < 2 {
		return text
	}
	of := make([]int, len(traits.Sets))
	for _, k := range f.first.Species {
		if k >= 1 && int(k) <= len(of) {
			of[k-1]++
		}
	}
	var parts []string
	for k, name := range traits.Sets {
		parts = append(parts, fmt.Sprintf("%d of species %s", of[k], name))
	}
	return text + ": " + strings.Join(parts, ", ")
}

// mostDots is the largest number of particles in the picture of a question.
const mostDots = 300

// dots returns particles of the first frame (n, 3): the first two coordinates, and the species.
func (f *preview) dots() (dots []float64) {
	s := f.of.Source.Shape()
	for k := range min(s.Particles, mostDots) {
		i := k * s.Particles / min(s.Particles, mostDots)
		x, y, species := float64(f.first.Points[i*s.Dim]), 0.0, 1
		if x != x { // the particle is not there
			continue
		}
		if s.Dim > 1 {
			y = float64(f.first.Points[i*s.Dim+1])
		}
		if i < len(f.first.Species) {
			species = int(f.first.Species[i])
		}
		dots = append(dots, x, y, float64(species))
	}
	return dots
}

// ranges describes the range of every coordinate.
func (f *preview) ranges(s system.Shape) string {
	parts := make([]string, s.Dim)
	for d := range parts[:min(s.Dim, mostNamed)] {
		low, high := math.Inf(1), math.Inf(-1)
		for i := d; i < len(f.first.Points); i += s.Dim {
			if v := float64(f.first.Points[i]); v == v { // NaN: the particle is not there
				low, high = min(low, v), max(high, v)
			}
		}
		name := fmt.Sprint("x", d+1)
		if of := f.system.Files.Axes; of != nil {
			name = of[d]
		} else if s.Dim <= len(coordinates) {
			name = coordinates[d]
		}
		parts[d] = name + " " + span(low, high)
	}
	return setting.First(mostNamed, ", ", parts)
}

// The method `points` returns warnings, one sentence each. The user sees them before accepting the
// file.
func (f *preview) points() []string {
	var points []string
	for _, text := range f.of.more() {
		points = append(points, effect.Sentence(text))
	}
	if p := f.system.Traits.Parameters; len(p) > 0 && f.first.Params == nil {
		points = append(points, p.Assumed())
	}
	s := f.of.Source.Shape()
	if size := len(f.first.Points) / s.Frames; s.Frames > 1 {
		still := true
		for k := 1; k < s.Frames && still; k++ {
			still = slices.Equal(f.first.Points[:size], f.first.Points[k*size:(k+1)*size])
		}
		if still {
			points = append(points, "Nothing moves: all frames of the first trajectory are the same.")
		}
	}
	if text := f.of.Unlike.InWords(); text != "" {
		points = append(points, text)
	}
	return points
}

func span(low, high float64) string {
	if low == high {
		return fmt.Sprintf("is %.4g throughout", low)
	}
	return fmt.Sprintf("from %.4g to %.4g", low, high)
}

func bytesInWords(n int) string {
	switch {
	case n < 1000:
		return setting.Count(n, "byte", "bytes")
	case n < 1e6:
		return fmt.Sprintf("%.3g kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.3g MB", float64(n)/1e6)
}
