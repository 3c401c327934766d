package catalogue

import (
	"macroscope/model/lab"
	"macroscope/model/learn/measure"
	"macroscope/model/system"
	"macroscope/model/system/own"
	"macroscope/model/work"
)

// Own returns the lab of a system of the user's own. A file or a checkpoint says what the system is.
func Own() lab.Lab { return lab.Lab{System: own.Placeholder(), Describe: describe} }

// describe implements lab.Describe.
func describe(f system.File, is *system.System, pause work.Pause) (of *system.System, src system.Recorded, says string, err error) {
	spec, err := own.Find(f)
	if err != nil {
		return nil, nil, "", err
	}
	if src, err = spec.System().Open(f, ""); err != nil {
		return nil, nil, "", err
	}
	moves, err := measure.MotionOf(pause, src, len(spec.Observables), 1)
	if err != nil {
		src.Close()
		return nil, nil, "", err
	}
	spec.Noise = moves.Noise
	if of = spec.System(); of.Alike(is) {
		of = is
	}
	return of, src, moves.InWords(), nil
}
