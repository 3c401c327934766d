package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/panel"
)

// Values of the row "density", which selects the maps to display.
const (
	densityBoth = iota
	densityLearned
	densityTarget
	densityDifference
)

// newPlane returns a plane of points. In its tips, `point` is the word for a point, and `other` is
// the name of a second model. The tips show the target density and both models' densities.
func newPlane(point, other string) *panel.Plane {
	return &panel.Plane{
		Points: "x", Label: "label", Colored: true, Names: [2]string{point},
		Values: []panel.Value{
			{Row: "q", Name: "q_X", Wide: "q_X, kernels a pixel wide", Color: panel.Target},
			{Row: "p", Name: "p_θ", Color: panel.Learned, Needs: panel.Density},
			{Row: "pB", Name: "p_θ of " + other, Color: panel.Other, Needs: panel.Density},
		},
	}
}

// aspectOf returns the ratio of height to width for a map of a plane, within limits.
func aspectOf(p *panel.Plane) float32 { return min(max(p.Aspect(0), 0.15), 1) }

// planeMaps contains the maps of a set in the plane. One or two of them are displayed: the
// target and the learned density, their difference, or the learned densities of two models.
type planeMaps struct{ target, learned, difference, runA, runB *panel.Map }

// newPlaneMaps returns the maps of a plane. If chain is nil, the points are free particles.
func newPlaneMaps(plane *panel.Plane, tool panel.Tool, scale *panel.Scale, chain *panel.Chain) *planeMaps {
	fit := &panel.Fit{Density: "p", Points: "restored", Samples: "samples", KL: "kl"}
	other := &panel.Fit{Density: "pB", Points: "restoredB", KL: "klB"}
	shown := func(m panel.Map) *panel.Map {
		m.Plane, m.Tool, m.Scale, m.Chain = plane, tool, scale, chain
		return &m
	}
	const decoded = "points from ẑ"
	return &planeMaps{
		target:     shown(panel.Map{Target: "q", Over: fit, Name: panel.Name{Word: "target", Sign: "q_X", Wide: []string{"q_X, kernels a pixel wide", "q_X, a pixel wide", "q_X, 1 px"}}, Color: panel.Target}),
		learned:    shown(panel.Map{Fit: fit, Name: panel.Name{Word: "learned", Sign: "p_θ(x | ẑ)", Short: "p_θ", Source: "p_θ of the predicted ẑ", Points: decoded}, Color: panel.Learned}),
		difference: shown(panel.Map{Fit: fit, Target: "q", Name: panel.Name{Sign: "difference p_θ − q_X", Points: decoded}, Color: panel.Ink}),
		runA:       shown(panel.Map{Fit: fit, Model: panel.ModelA, Color: panel.Learned, Strong: true}),
		runB:       shown(panel.Map{Fit: other, Model: panel.ModelB, Color: panel.Other, Strong: true}),
	}
}

// chosen returns the maps that a frame requests. If it requests only one map, or if `one` is
// true, `second` is nil.
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
