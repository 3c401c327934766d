package particles

import (
	"cmp"
	"strconv"

	"macroscope/model/system"
)

// presets are systems whose patterns differ, the paper's first. Where b is below
// -1 every pair attracts and all fall into one point; above 1 every pair repels;
// in between, steeper forces make thinner rings and then clumps.
var presets = [...]struct {
	name, label       string // what comes of it
	force             string // "" is the usual
	a, b              float64
	n                 int
	dt                float64
	steps, components int
}{
	{"annulus", "Annulus (paper)", "", 4, 0.1, 300, 0.02, 300, 2},
	{"ring", "Thin ring", "", 6, -0.3, 300, 0.04, 400, 2},
	{"disk", "Disk", "", 2, 0.2, 300, 0.04, 300, 3},
	{"loop", "Pinched loop", "", 10, 0, 300, 0.04, 500, 2},
	{"eye", "Core in a ring", "", 8, 0.3, 400, 0.04, 500, 3},
	{"clumps", "Clumps", "", 20, 0.7, 400, 0.04, 500, 4},
	{"islands", "Islands", "", 10, 0.7, 500, 0.04, 500, 4},
	{"collapse", "Collapse to a point", "", 4, -1.2, 300, 0.02, 300, 3},
	{"expansion", "Expansion for ever", "", 4, 1.1, 300, 0.02, 300, 2},
	{"charges", "Even disk, F = 1/r − r", "1/r-r", 4, 0.1, 300, 0.02, 300, 2},
	{"crowd", "Annulus of 2000", "", 4, 0.1, 2000, 0.02, 300, 3},
}

// systems returns the presets as the page lists them.
func systems() []system.Preset {
	real := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	var list []system.Preset
	for _, p := range presets {
		list = append(list, system.Preset{Name: p.name, Label: p.label, Values: map[string]string{
			"force": cmp.Or(p.force, usualForce), "a": real(p.a), "b": real(p.b), "n": strconv.Itoa(p.n), "dt": real(p.dt),
			"steps": strconv.Itoa(p.steps), "components": strconv.Itoa(p.components),
		}})
	}
	return list
}
