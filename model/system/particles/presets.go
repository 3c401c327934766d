package particles

import (
	"sync"

	"macroscope/model/system"
)

// presets are systems whose patterns differ, the paper's first. Where b is below
// -1 every pair attracts and all fall into one point; above 1 every pair repels;
// in between, steeper forces make thinner rings and then clumps.
var presets = sync.OnceValue(func() []system.Preset {
	own := defaultSettings()
	return system.Presets(own.table(), []string{"force", "a", "b", "n", "dt", "steps", "components"}, []system.Preset{
		{Name: "annulus", Label: "Annulus (paper)"},
		{Name: "ring", Label: "Thin ring", Values: map[string]string{"a": "6", "b": "-0.3", "dt": "0.04", "steps": "400"}},
		{Name: "disk", Label: "Disk", Values: map[string]string{"a": "2", "b": "0.2", "dt": "0.04", "components": "3"}},
		{Name: "loop", Label: "Pinched loop", Values: map[string]string{"a": "10", "b": "0", "dt": "0.04", "steps": "500"}},
		{Name: "eye", Label: "Core in a ring", Values: map[string]string{"a": "8", "b": "0.3", "n": "400", "dt": "0.04", "steps": "500", "components": "3"}},
		{Name: "clumps", Label: "Clumps", Values: map[string]string{"a": "20", "b": "0.7", "n": "400", "dt": "0.04", "steps": "500", "components": "4"}},
		{Name: "islands", Label: "Islands", Values: map[string]string{"a": "10", "b": "0.7", "n": "500", "dt": "0.04", "steps": "500", "components": "4"}},
		{Name: "collapse", Label: "Collapse to a point", Values: map[string]string{"b": "-1.2", "components": "3"}},
		{Name: "expansion", Label: "Expansion for ever", Values: map[string]string{"b": "1.1"}},
		{Name: "charges", Label: "Even disk, F = 1/r − r", Values: map[string]string{"force": "1/r-r"}},
		{Name: "crowd", Label: "Annulus of 2000", Values: map[string]string{"n": "2000", "components": "3"}},
	})
})
