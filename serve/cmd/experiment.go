package cmd

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"slices"
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
	return either(names)
}

// simulatedNames lists the systems that have simulations.
func simulatedNames() string {
	var names []string
	for _, s := range systems {
		if s.Simulated != nil {
			names = append(names, s.Name)
		}
	}
	return either(names)
}

// either joins two or more names: "a, b or c".
func either(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// testCounts says how many trajectories a test of each system has: "particles 1000; mixing, polymer 200".
func testCounts() string {
	var counts []int
	names := make(map[int][]string)
	for _, s := range systems {
		if s.Tests == nil {
			continue
		}
		n := s.Motion().Trajectories(testCount)
		if names[n] == nil {
			counts = append(counts, n)
		}
		names[n] = append(names[n], s.Name)
	}
	var parts []string
	for _, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", strings.Join(names[n], ", "), n))
	}
	return strings.Join(parts, "; ")
}

// presetNames lists the presets that all experiments have, and then the others. Each of these has the systems that
// have it for a method.
func presetNames() string {
	var names []string // in the order in which the methods name them
	pairs, of := 0, make(map[string][]string)
	for _, s := range systems {
		for _, m := range method.MethodsFor(s.Traits.Name) {
			pairs++
			for _, name := range method.Presets(s.Traits.Name, m.Name) {
				if of[name] == nil {
					names = append(names, name)
				}
				of[name] = append(of[name], s.Traits.Name)
			}
		}
	}
	var all, some []string
	for _, name := range names {
		if len(of[name]) == pairs {
			all = append(all, name)
		} else {
			some = append(some, name+" ("+strings.Join(slices.Compact(of[name]), ", ")+")")
		}
	}
	return strings.Join(all, " or ") + "; with some methods also " + strings.Join(some, ", ")
}

// experimentFlags adds the flags -experiment and -preset.
func experimentFlags(fs *flag.FlagSet, name, preset *string) {
	fs.StringVar(name, "experiment", "line/flow", "what to train: "+experimentNames()+", and perhaps @ and a preset; older names are "+oldNames)
	fs.StringVar(preset, "preset", "laptop", "size of model and training: "+presetNames())
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

// systemOf returns the system of an experiment. The system of the user's own is described by the data, and may
// choose the preset of the specification, unless that has one.
func (s *settings) systemOf(spec *method.Spec, data string) (*system.System, error) {
	sys, err := systems.Find(spec.System)
	switch {
	case err != nil:
		return nil, err
	case sys.Described == nil && s.lines != nil:
		return nil, fmt.Errorf("-set %s… describes a system of your own, and the experiment %s has one; leave it out", ownSystem, spec.Pair())
	case sys.Described == nil:
		return sys, nil
	case data == "":
		return nil, errors.New("a system of your own is described by its trajectories; give them with -data")
	}
	d, err := s.describe(data)
	if err != nil {
		return nil, err
	}
	if !s.given["preset"] && !strings.Contains(s.experiment, "@") {
		spec.Preset = cmp.Or(d.Preset, spec.Preset)
	}
	for _, text := range d.Reasons {
		fmt.Fprintf(s.stderr, "%s: %s\n", data, text)
	}
	return d.System(), nil
}
