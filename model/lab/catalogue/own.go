package catalogue

import (
	"macroscope/model/lab"
	"macroscope/model/learn/describe"
	"macroscope/model/system"
	"macroscope/model/system/own"
	"macroscope/model/work"
)

// Own returns the lab of a system of the user's own. A file or a checkpoint says what the system is.
func Own() lab.Lab {
	return lab.Lab{System: own.Placeholder(), Describe: described}
}

// described implements lab.Describe. A file with more parameters than a described system can be of it; otherwise its
// parameters are those that differ between its runs.
func described(f system.File, is *system.System, pause work.Pause) (of *system.System, src system.Recorded, says string, err error) {
	d, src, err := describe.File(pause, f, nil, func(*own.Spec) {}, 1)
	if err != nil {
		return nil, nil, "", err
	}
	if of = d.System(); len(of.Parameters) > len(is.Parameters) && is.Description != nil {
		fewer := d.Spec
		if fewer.Only(names(is.Parameters)); fewer.System().Alike(is) {
			src.Close()
			if d, src, err = describe.File(pause, f, nil, func(s *own.Spec) { s.Only(names(is.Parameters)) }, 1); err != nil {
				return nil, nil, "", err
			}
			of = d.System()
		}
	}
	if of.Alike(is) {
		of = is
	}
	return of, src, d.Moves, nil
}

// names lists the names of parameters.
func names(of system.Parameters) (names []string) {
	for _, p := range of {
		names = append(names, p.Name)
	}
	return names
}
