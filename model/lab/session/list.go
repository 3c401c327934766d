package session

import (
	"strings"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/extras"
	"macroscope/model/learn/fit"
	"macroscope/model/wire"
)

// List is the list of a program's labs, in the order of the page. A program contains the code
// of only these labs.
type List []lab.Lab

func (l List) find(name string) *lab.Lab {
	for i := range l {
		if l[i].Link() == name {
			return &l[i]
		}
	}
	return nil
}

// Open returns a session of the lab with this name, with default settings, or nil if there is
// no such lab.
func (l List) Open(name string) wire.Session {
	lab := l.find(name)
	if lab == nil {
		return nil
	}
	s := New(*lab)
	s.arrivals.others = l
	return s
}

// The method `of` returns the name that a system's lab has in links. If the program does not
// contain the system, the method returns the system's own name.
func (l List) of(system string) string {
	for i := range l {
		if l[i].System.Traits.Name == system {
			return l[i].Link()
		}
	}
	return system
}

// Helper returns the helper that does jobs of a lab's sessions, or nil if there is no such lab.
func (l List) Helper(name string) wire.Helper {
	lab := l.find(name)
	switch {
	case lab == nil:
		return nil
	case lab.Does != nil:
		return &extras.Helper{Trainings: fit.NewHelper(lab.Systems()), Parts: lab.Does()}
	}
	return fit.NewHelper(lab.Systems())
}

// Linked returns the lab named by a URL fragment. A fragment without a name means the first lab
// of the page, wire.Demo.
func (l List) Linked(fragment string) string {
	for part := range strings.SplitSeq(strings.TrimPrefix(fragment, "#"), "&") {
		if name, ok := strings.CutPrefix(part, "lab="); ok {
			return name
		}
	}
	return wire.Demo
}

// New returns a session with the lab's default settings. The session plays, and waits for the
// shipped model.
func New(lab lab.Lab) *Session { return newSession(lab, time.Now) }
