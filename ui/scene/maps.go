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

// newPlaneMaps returns them, of free points if there is no chain.
func newPlaneMaps(plane *panel.Plane, tool panel.Tool, clock *panel.Clock, scale *panel.Scale, chain *panel.Chain) *planeMaps {
	fit := &panel.Fit{Density: "p", Points: "restored", Samples: "samples", KL: "kl"}
	other := &panel.Fit{Density: "pB", Points: "restoredB", KL: "klB"}
	shown := func(m panel.Map) *panel.Map {
		m.Plane, m.Tool, m.Clock, m.Scale, m.Chain = plane, tool, clock, scale, chain
		return &m
	}
	const decoded = "points from ẑ"
	return &planeMaps{
		target:     shown(panel.Map{Target: "q", Over: fit, Name: panel.Name{Word: "target", Sign: "q_X"}, Color: panel.Target}),
		learned:    shown(panel.Map{Fit: fit, Name: panel.Name{Word: "learned", Sign: "p_θ(x | ẑ)", Short: "p_θ", Source: "p_θ of the predicted ẑ", Points: decoded}, Color: panel.Learned}),
		difference: shown(panel.Map{Fit: fit, Target: "q", Name: panel.Name{Sign: "difference p_θ − q_X", Points: decoded}, Color: panel.Ink}),
		runA:       shown(panel.Map{Fit: fit, Model: panel.ModelA, Color: panel.Learned, Strong: true}),
		runB:       shown(panel.Map{Fit: other, Model: panel.ModelB, Color: panel.Other, Strong: true}),
	}
}

// chosen returns those that a frame asks for, but one where there is room for one alone;
// second is nil where one is to be shown.
func (m *planeMaps) chosen(f *wire.Frame, one bool) (first, second *panel.Map) {
	switch density := panel.Count(f, "density", densityBoth); {
	case len(f.Numbers("predB")) > 0 || f.Numbers("pB") != nil || len(f.Text("nameB")) > 0:
		first, second = m.runA, m.runB
	case density == densityLearned:
		first = m.learned
	case density == densityTarget:
		first = m.target
	case density == densityDifference:
		first = m.difference
	default:
		first, second = m.target, m.learned
	}
	if one {
		second = nil
	}
	first.First, first.Alone = true, second == nil
	if second != nil {
		second.First, second.Alone = false, false
	}
	return first, second
}
