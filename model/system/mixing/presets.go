package mixing

import (
	"sync"

	"macroscope/model/system"
)

// presets are systems that mix fast, slowly, in part or not at all, the paper's
// first. Where the well between the species is the deepest, unlike atoms seek each
// other; where it is shallow, like atoms do. What a preset does not name is the
// paper's.
var presets = sync.OnceValue(func() []system.Preset {
	own := defaults()
	return system.Presets(own.table(), []string{"boundary", "height", "temperature", "e11", "e22", "e12", "dt"}, []system.Preset{
		{Name: "paper", Label: "Half and half (paper)"},
		{Name: "left", Label: "Boundary at 12", Values: map[string]string{"boundary": "12"}},
		{Name: "right", Label: "Boundary at 20", Values: map[string]string{"boundary": "20"}},
		{Name: "thin", Label: "Thin layer", Values: map[string]string{"boundary": "4"}},
		{Name: "small", Label: "Smaller box", Values: map[string]string{"height": "26"}},
		{Name: "hot", Label: "Hot: mixes fast", Values: map[string]string{"temperature": "4"}},
		{Name: "cold", Label: "Cold: mixes slowly", Values: map[string]string{"temperature": "0.3"}},
		{Name: "apart", Label: "Oil and water", Values: map[string]string{"temperature": "0.8", "e11": "1.5", "e22": "1.5", "e12": "0.1"}},
		{Name: "attract", Label: "Unlike attract", Values: map[string]string{"temperature": "0.8", "e11": "0.2", "e22": "0.2", "e12": "2"}},
	})
})
