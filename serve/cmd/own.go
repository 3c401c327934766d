package cmd

import (
	"context"
	"errors"
	"fmt"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/system"
	"macroscope/model/system/own"
	"macroscope/model/work"
)

// ownExperiment is what `train` trains on data of an unnamed system.
const ownExperiment = own.Name + "/flow@browser"

// systemOf returns the system of an experiment. The system of the user's own is described by the data.
func (s *settings) systemOf(spec method.Spec, data string) (*system.System, error) {
	sys, err := systems.Find(spec.System)
	switch {
	case err != nil || sys.Described == nil:
		return sys, err
	case data == "":
		return nil, errors.New("a system of your own is described by its trajectories; give them with -data")
	}
	return s.describe(data)
}

// describe finds out from trajectories what their system is, and prints how it moves.
func (s *settings) describe(path string) (*system.System, error) {
	names, _, err := filesAt(path)
	if err != nil {
		return nil, err
	}
	as, err := s.as()
	if err != nil {
		return nil, err
	}
	var spec own.Spec
	src, err := withFile(path, names, as, func(f system.File) (system.Recorded, error) {
		if spec, err = own.Find(f); err != nil {
			return nil, err
		}
		return spec.System().Open(f, "")
	})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	of, err := measure.MotionOf(work.Until(context.Background()), src, len(spec.Observables), s.workers)
	if err != nil {
		return nil, err
	}
	spec.Noise = of.Noise
	_, err = fmt.Fprintf(s.stderr, "%s: %s\n", path, of.InWords())
	return spec.System(), err
}
