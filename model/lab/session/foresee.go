package session

import (
	"macroscope/model/lab"
	"macroscope/model/learn/experiment"
	"macroscope/model/wire"
)

var _ wire.Foreseeing = (*Session)(nil)

// foreseen are models that come with the lab and have been opened, by their files, so
// that they come on show at once when a slider is turned; nil for one that could not be.
type foreseen map[string]*experiment.Model

// mostForeseen bounds how many there are; a model is half a megabyte.
const mostForeseen = 24

func (f foreseen) keep(file string, m *experiment.Model) {
	if len(f) < mostForeseen {
		f[file] = m
	}
}

// Foresees implements wire.Foreseeing: the models of the method and the parameters that
// are asked for, the nearest first.
func (s *Session) Foresees() string {
	if s.display.a == nil || s.trainer.status == wire.Training || s.Wants() != "" {
		return ""
	}
	m, _ := opening{s}.next()
	return m.File
}

// next returns the model that is to be foreseen next.
func (s opening) next() (next lab.Model, ok bool) {
	asked := s.settings.Asked()
	for _, m := range s.lab.Shipped {
		_, known := s.foreseen[m.File]
		if known || m.Method != asked.Method || m.Params != asked.Params || len(s.foreseen) >= mostForeseen {
			continue
		}
		if !ok || m.Nearer(next, asked) {
			next, ok = m, true
		}
	}
	return next, ok
}

// Foreseen implements wire.Foreseeing. One that cannot be opened says so when it is asked
// for.
func (s *Session) Foreseen(name string, b []byte, err error) {
	if m, ok := (opening{s}).next(); ok && m.File == name {
		var of *experiment.Model
		if err == nil {
			of, _ = opening{s}.opened(m, b)
		}
		s.foreseen.keep(name, of)
	}
}
