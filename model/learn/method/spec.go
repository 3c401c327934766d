package method

import "strings"

// names maps the names in old checkpoints to pairs of system and method. Newer checkpoints
// contain system/method.
var names = map[string]Spec{
	"demo":      {System: "line", Method: "flow"},
	"particles": {System: "particles", Method: "flow"},
	"ae-aug":    {System: "particles", Method: "ae-aug"},
	"mixing":    {System: "mixing", Method: "flow"},
}

// Name returns the pair's name in checkpoints: an old name if there is one, or system/method.
func (s Spec) Name() string {
	for name, pair := range names {
		if pair.System == s.System && pair.Method == s.Method {
			return name
		}
	}
	return s.Pair()
}

// NamedSpec returns the system and the method for a name in a checkpoint, a flag or a link. The
// name is system/method or an old name.
func NamedSpec(name string) Spec {
	if s, ok := names[name]; ok {
		return s
	}
	return ParseSpec(name)
}

// Spec names an experiment.
type Spec struct{ System, Method, Preset string }

// ParseSpec reads system/method@preset. Missing parts are empty.
func ParseSpec(text string) Spec {
	var s Spec
	text, s.Preset, _ = strings.Cut(text, "@")
	s.System, s.Method, _ = strings.Cut(text, "/")
	return s
}

// Pair returns system/method.
func (s Spec) Pair() string { return s.System + "/" + s.Method }

// String is the inverse of ParseSpec.
func (s Spec) String() string {
	text := s.Pair()
	if s.Preset != "" {
		text += "@" + s.Preset
	}
	return text
}
