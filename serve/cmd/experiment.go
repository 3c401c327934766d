package cmd

import (
	"flag"
	"fmt"
	"strings"

	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/method"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/own"
)

// systems lists the systems of the command line. The code of the command line asks a system.System for its
// facts and functions, and not for its name.
var systems = append(catalogue.Systems(), own.Placeholder())

// oldNames lists names of experiments that are older than the names of systems and methods (see
// method.NamedSpec).
const oldNames = "demo, particles, ae-aug, mixing"

// experimentNames lists all pairs of a system and a method.
func experimentNames() string {
	var names []string
	for _, s := range systems {
		for _, m := range method.MethodsFor(s.Traits.Name) {
			names = append(names, method.Spec{System: s.Traits.Name, Method: m.Name}.String())
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// experimentFlags adds the flags -experiment and -preset.
func experimentFlags(fs *flag.FlagSet, name, preset *string) {
	fs.StringVar(name, "experiment", "line/flow", "what to train: "+experimentNames()+", and perhaps @ and a preset; older names are "+oldNames)
	fs.StringVar(preset, "preset", "laptop", "size of model and training: browser, laptop or paper; particles and polymers also quick")
}

// specOf returns the experiment selected by -experiment and -preset.
func specOf(name, preset string, given map[string]bool) (method.Spec, error) {
	pair, at, found := strings.Cut(name, "@")
	spec := method.NamedSpec(pair)
	if spec.Method == "" {
		spec.Method = "flow"
	}
	if len(method.Presets(spec.System, spec.Method)) == 0 {
		return spec, fmt.Errorf("there is no experiment %q; use %s", pair, experimentNames())
	}
	if spec.Preset = preset; found {
		if spec.Preset = at; given["preset"] && preset != at {
			return spec, fmt.Errorf("-experiment %s and -preset %s contradict each other; leave one of the presets out", name, preset)
		}
	}
	return spec, nil
}

// withForce returns a system with the force of a formula, or the system itself if the
// formula is "".
func withForce(sys *system.System, formula string) (*system.System, error) {
	if formula == "" {
		return sys, nil
	}
	if sys.Forces == nil {
		return nil, meansNothing("force", sys.Name)
	}
	with, err := sys.Forces.With(formula)
	if err != nil {
		return nil, fmt.Errorf("-force: the force cannot be %s: %w", setting.Quote(formula), err)
	}
	return with, nil
}

// checkParams returns an error if a system's force does not have all of these parameters.
func checkParams(sys *system.System, params system.Ranges) error {
	if sys.Forces == nil {
		return nil
	}
	if _, _, err := sys.Forces.PutIn(sys.Force, params); err != nil {
		return fmt.Errorf("-params: %w", err)
	}
	return nil
}
