package lab

import (
	"slices"
	"strings"

	"macroscope/model/wire"
)

// Lab is an experiment as the page offers it.
type Lab struct {
	// New returns a session with the lab's own settings.
	New func() wire.Session
	// Helper returns what does the jobs of a wire.Crewed session; nil if there
	// are none.
	Helper func() wire.Helper
}

var labs = map[string]Lab{}

// Register makes a lab known by its name in links. It is for init functions: a
// lab's file is all that adds it.
func Register(name string, l Lab) {
	if _, twice := labs[name]; twice {
		panic("lab: there are two labs called " + name)
	}
	labs[name] = l
}

// Find returns the lab of a name.
func Find(name string) (l Lab, ok bool) {
	l, ok = labs[name]
	return l, ok
}

// Names returns the names of all labs in alphabetical order.
func Names() []string {
	var names []string
	for name := range labs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// LinkedLab returns the lab that a URL fragment names; one that names none is
// the demo's.
func LinkedLab(fragment string) string {
	for part := range strings.SplitSeq(strings.TrimPrefix(fragment, "#"), "&") {
		if name, ok := strings.CutPrefix(part, "lab="); ok {
			return name
		}
	}
	return wire.Demo
}
