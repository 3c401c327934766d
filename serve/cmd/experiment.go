package cmd

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/experiment"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/serve/input"
)

// systems lists the systems of the command line. The code of the command line depends only on
// their traits.
var systems = catalogue.Systems()

// oldNames lists names of experiments that are older than the names of systems and methods (see
// experiment.NamedSpec).
const oldNames = "demo, particles, ae-aug, mixing"

// experimentNames lists all pairs of a system and a method.
func experimentNames() string {
	var names []string
	for _, s := range systems {
		for _, m := range experiment.MethodsFor(s.Traits().Name) {
			names = append(names, experiment.Spec{System: s.Traits().Name, Method: m.Name}.String())
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// experimentFlags adds the flags -experiment and -preset.
func experimentFlags(fs *flag.FlagSet, name, preset *string, standard, what string) {
	fs.StringVar(name, "experiment", standard, what+": "+experimentNames()+", and perhaps @ and a preset; older names are "+oldNames)
	fs.StringVar(preset, "preset", "laptop", "size of model and training: browser, laptop or paper; particles and polymers also quick")
}

// specOf returns the experiment selected by -experiment and -preset.
func specOf(name, preset string, given map[string]bool) (experiment.Spec, error) {
	pair, at, found := strings.Cut(name, "@")
	spec := experiment.NamedSpec(pair)
	if spec.Method == "" {
		spec.Method = "flow"
	}
	if len(experiment.Presets(spec.System, spec.Method)) == 0 {
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
func withForce(sys system.System, formula string) (system.System, error) {
	if formula == "" {
		return sys, nil
	}
	f, ok := sys.(system.Forced)
	if !ok {
		return nil, meansNothing("force", sys.Traits().Name)
	}
	with, err := f.WithForce(formula)
	if err != nil {
		return nil, fmt.Errorf("-force: the force cannot be %s: %w", setting.Quote(formula), err)
	}
	return with, nil
}

// checkParams returns an error if a system's force does not have all of these parameters.
func checkParams(sys system.System, params system.Ranges) error {
	f, ok := sys.(system.Forced)
	if !ok {
		return nil
	}
	if _, _, err := f.PutIn(f.Force(), params); err != nil {
		return fmt.Errorf("-params: %w", err)
	}
	return nil
}

// recorded contains the user's own trajectories and their open file.
type recorded struct {
	system.Recorded
	file io.Closer
}

// Force returns the force of the trajectories, see system.ForceOf.
func (r recorded) Force() string { return system.ForceOf(r.Recorded) }

// Close closes the file and the trajectories.
func (r recorded) Close() error {
	defer r.file.Close()
	return r.Recorded.Close()
}

// openData opens the user's own trajectories: a file, a folder of files with one trajectory
// each, or the trajectories in a bundle.
func openData(sys system.System, path, observable string) (system.Recorded, error) {
	names, err := filesAt(path)
	if err != nil {
		return nil, err
	}
	if b, err := readBundle(names[0]); err != nil || b != nil {
		if err != nil {
			return nil, err
		}
		return openBundled(b, sys, path, observable)
	}
	file, size, err := input.Open(names[0])
	if err != nil {
		return nil, err
	}
	src, err := sys.Open(system.File{
		Name: names[0], Bytes: file, Size: size, More: names[1:],
		Open: func(name string) (io.ReadCloser, error) {
			file, _, err := input.Open(name)
			return file, err
		},
	}, observable)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", names[0], err)
	}
	return recorded{src, file}, nil
}

// sayAssumed prints the values that are assumed for parameters. The dynamics need these
// parameters, and the user's trajectories do not contain them.
func sayAssumed(stderr io.Writer, c *experiment.Config, own system.Recorded) error {
	if len(c.Dynamics.Params) == 0 {
		return nil
	}
	has, err := saysParams(own)
	if err == nil && !has {
		fmt.Fprintln(stderr, c.Traits.Parameters.Assumed())
	}
	return err
}

// sayUnknown prints a note if the trajectories have parameters that differ from the usual ones, and
// the model's dynamics do not get them.
func sayUnknown(stderr io.Writer, path string, c *experiment.Config, own system.Recorded) error {
	var t system.Trajectory
	if err := own.Raw(&t, 0); err != nil {
		return err
	}
	for k, p := range c.Traits.Parameters {
		known := slices.ContainsFunc(c.Dynamics.Params, func(r system.Range) bool { return r.Name == p.Name })
		if !known && k < len(t.Params) && t.Params[k] != p.Usual {
			fmt.Fprintf(stderr, "%s has %s = %g in its first trajectory, and the model was trained at %g\n", path, p.Name, t.Params[k], p.Usual)
		}
	}
	return nil
}

// saysParams reports whether trajectories have values of their parameters.
func saysParams(own system.Recorded) (bool, error) {
	var t system.Trajectory
	err := own.Raw(&t, 0)
	return t.Params != nil, err
}

// filesAt returns the path itself if the path is a file. For a folder, it returns the paths of all
// files in the folder, including links to files, but no hidden files.
func filesAt(path string) (names []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the trajectories: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") { // a hidden file, such as macOS makes in every folder
			continue
		}
		name := filepath.Join(path, e.Name())
		info, err := os.Stat(name) // follows a link
		switch {
		case err != nil:
			return nil, fmt.Errorf("cannot open the trajectories: %w", err)
		case info.Mode().IsRegular():
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("the folder %s holds no file; give one with trajectories", path)
	}
	return names, nil
}
