package catalogue

import (
	"macroscope/model/lab"
	"macroscope/model/learn/describe"
	"macroscope/model/system"
	"macroscope/model/system/own"
	"macroscope/model/work"
)

// Own returns the lab of a system of the user's own. A file or a checkpoint says what the system is.
func Own() lab.Lab { return lab.Lab{System: own.Placeholder(), Describe: described} }

// described implements lab.Describe.
func described(f system.File, is *system.System, pause work.Pause) (of *system.System, src system.Recorded, says string, err error) {
	d, src, err := describe.File(pause, f, nil, func(s *own.Spec) { likeThose(s, is.Parameters) }, 1)
	if err != nil {
		return nil, nil, "", err
	}
	if of = d.System(); of.Alike(is) {
		of = is
	}
	return of, src, d.Moves, nil
}

// likeThose leaves out all parameters except those of another system. The page trains dynamics without parameters, and
// shows models that have some.
func likeThose(s *own.Spec, those system.Parameters) {
	var names []string
	for _, p := range those {
		names = append(names, p.Name)
	}
	if s.Only(names); len(s.Parameters) != len(names) {
		s.Parameters = nil
	}
}
