package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/panel"
)

// The row "density" says which maps of the particles there are.
const (
	densityBoth = iota
	densityLearned
	densityTarget
	densityDifference
)

// newPlane is the plane of one set of points of a name, with its density and those that
// a model and the other one have learned.
func newPlane(point, other string) *panel.Plane {
	return &panel.Plane{
		Points: "x", Label: "label", Colored: true, Names: [2]string{point},
		Values: []panel.Value{
			{Row: "q", Name: "q_X", Color: panel.Target},
			{Row: "p", Name: "p_θ", Color: panel.Learned, Needs: panel.Density},
			{Row: "pB", Name: "p_θ of " + other, Color: panel.Other, Needs: panel.Density},
		},
	}
}

// aspectOf is the height of a map of a plane for its width.
func aspectOf(p *panel.Plane) float32 { return min(max(p.Aspect(0), 0.15), 1) }

// planeMaps are those of one set in the plane, of which one or two are shown at a time: its
// density and the learned one, or what two models have learned.
type planeMaps struct{ target, learned, difference, runA, runB *panel.Map }

func newPlaneMaps(plane *panel.Plane, tool panel.Tool, clock *panel.Clock, scale *panel.Scale) *planeMaps {
	density := func(row string, learned bool) panel.Heat {
		return panel.Heat{Scale: scale, Grid: row, Learned: learned}
	}
	return &planeMaps{
		target:     &panel.Map{Plane: plane, Tool: tool, Clock: clock, Heat: density("q", false), Word: "target", Sign: "q_X", Color: panel.Target, KL: "kl", Over: "p", Kernel: "sigma"},
		learned:    &panel.Map{Plane: plane, Tool: tool, Clock: clock, Heat: density("p", true), Word: "learned", Sign: "p_θ(x | ẑ)", Source: "p_θ of the predicted ẑ", Short: "p_θ", Color: panel.Learned, KL: "kl", Samples: "samples", Points: "restored", Decoded: "points from ẑ"},
		difference: &panel.Map{Plane: plane, Tool: tool, Clock: clock, Heat: panel.Heat{Scale: scale, Grid: "p", Less: "q"}, Sign: "difference p_θ − q_X", Color: panel.Ink, KL: "kl", Points: "restored", Decoded: "points from ẑ"},
		runA:       &panel.Map{Plane: plane, Tool: tool, Clock: clock, Heat: density("p", true), Model: panel.ModelA, Color: panel.Learned, KL: "kl", Samples: "samples", Points: "restored", Strong: true},
		runB:       &panel.Map{Plane: plane, Tool: tool, Clock: clock, Heat: density("pB", true), Model: panel.ModelB, Color: panel.Other, KL: "klB", Points: "restoredB", Strong: true},
	}
}

// chosen returns those that a frame asks for, but one where there is room for one alone;
// second is nil where one is to be shown.
func (m *planeMaps) chosen(f *wire.Frame, one bool) (first, second *panel.Map) {
	first, second = m.asked(f)
	if one {
		second = nil
	}
	first.First, first.Alone = true, second == nil
	if second != nil {
		second.First, second.Alone = false, false
	}
	return first, second
}

func (m *planeMaps) asked(f *wire.Frame) (first, second *panel.Map) {
	if len(f.Numbers("predB")) > 0 || f.Numbers("pB") != nil || len(f.Text("nameB")) > 0 {
		return m.runA, m.runB
	}
	switch panel.Count(f, "density", densityBoth) {
	case densityLearned:
		return m.learned, nil
	case densityTarget:
		return m.target, nil
	case densityDifference:
		return m.difference, nil
	}
	return m.target, m.learned
}

// all returns every one.
func (m *planeMaps) all() []*panel.Map {
	return []*panel.Map{m.target, m.learned, m.difference, m.runA, m.runB}
}
