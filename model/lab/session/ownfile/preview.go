package ownfile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// preview summarises a file of trajectories that the user has not accepted yet. So far, only the
// first trajectory of the file has been read.
type preview struct {
	of     *File
	first  *system.Trajectory
	system system.System
	page   *system.Page
}

// coordinates lists the names of the coordinates, in order.
var coordinates = [...]string{"x", "y", "z"}

// facts describes the content: numbers, kinds and ranges.
func (f *preview) facts() []wire.Entry {
	s, traits := f.of.Source.Shape(), f.system.Traits()
	facts := []wire.Entry{{Term: "File", Text: fmt.Sprintf("%s, %s", setting.Quote(f.of.Name), bytesInWords(len(f.of.Bytes)))}}
	add := func(term, text string) { facts = append(facts, wire.Entry{Term: term, Text: text}) }
	_, sampler := f.system.(system.Sampler)
	if !sampler {
		add("Trajectories", fmt.Sprint(s.Trajectories))
		add("Frames", fmt.Sprintf("%d, from 0 to %d", s.Frames, s.Frames-1))
	}
	add("Particles", f.particles(s, traits))
	add("Coordinates", f.ranges(s))
	if f.page.Units != "" {
		add("Units", f.page.Units)
	}
	if f.page.Step > 0 {
		add("Time step", fmt.Sprintf("frames count as %g apart, as in training, whatever the file says", f.page.Step))
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

// ranges describes the range of every coordinate.
func (f *preview) ranges(s system.Shape) string {
	parts := make([]string, 0, s.Dim)
	for d := range min(s.Dim, len(coordinates)) {
		low, high := math.Inf(1), math.Inf(-1)
		for i := d; i < len(f.first.Points); i += s.Dim {
			v := float64(f.first.Points[i])
			low, high = min(low, v), max(high, v)
		}
		parts = append(parts, coordinates[d]+" "+span(low, high))
	}
	if more := s.Dim - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// The method `points` returns warnings, one sentence each. The user sees them before accepting the
// file.
func (f *preview) points() []string {
	var points []string
	if r, ok := f.of.Source.(interface{ Remark() string }); ok && r.Remark() != "" {
		points = append(points, r.Remark())
	}
	if p := f.system.Traits().Parameters; len(p) > 0 && f.first.Params == nil {
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
	if s.Trajectories > 1 {
		points = append(points, fmt.Sprintf("Only the first of %s has been checked; the others are when they are shown, measured or trained on.", setting.Count(s.Trajectories, "trajectory", "trajectories")))
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
