package cmd

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"macroscope/model/learn/method"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/own"
)

// shorthand is a flag that sets one field of a configuration.
type shorthand struct {
	flag, usage string
	// possible names of the field; an experiment has at most one of them
	fields []string
}

var shorthands = []shorthand{
	{"eps", "standard deviation `ε` of the target's kernel (default: line 0.1, others 0.01)", []string{"eps"}},
	{"zdim", "`number` of closure variables ẑ of each set of particles (default: the preset's)", []string{"encoder.zdim", "zdim"}},
	{"steps", "training `steps`, of stage I where there are two (default: the preset's)", []string{"steps"}},
	{"law-steps", "training `steps` of stage II, whose second part gets its share (default: the preset's)", []string{"law.fit.steps", "law.steps"}},
	{"seed", "`seed` of everything random (default 1)", []string{"seed"}},
	{"macro", "`observable` to predict: energy, gyration, extent or the name of an array in -data (default: the system's own)", []string{"macro"}},
	{"dynamics", "`form` of the dynamics: one equation of all variables, joint, or one a set, separate (default: the preset's)", []string{"law.joint"}},
	{"law", "older name of -dynamics", []string{"law.joint"}},
	{"share", "whether the share of particles in the first set is among the variables (default: the preset's)", []string{"law.share"}},
	{"params", "what the dynamics are given of the physics, drawn for every trajectory: `NAMES` with commas between, each perhaps with a range, as a:2:10,b (default: nothing)", []string{"dynamics.params"}},
	{"force", "particles: a `formula` instead of the force, see simulate -h (default: the paper's)", []string{"force"}},
	{"noise", "`form` of the dynamics' diffusion: constant, diagonal or full (default: the preset's)", []string{"law.noise.form"}},
	{"drift", "`form` of the dynamics' drift: mlp, onsager or onsager-resnet (default: the preset's)", []string{"law.form"}},
}

// settings holds the flags that select what to train.
type settings struct {
	subcommand
	reading
	experiment, preset string
	changes            []change       // in the order of the command line
	lines              []own.Line     // what the command line says of a system of the user's own
	sys                *system.System // the system that config has found
}

// change is a field with its new value.
type change struct {
	flag   string // the flag that makes the change
	fields []string
	value  string
}

func (s *settings) register(fs *flag.FlagSet) {
	experimentFlags(fs, &s.experiment, &s.preset)
	fs.Func("set", "`NAME=VALUE` sets any field of the configuration; repeat it for other fields; a wrong name lists all fields", s.set)
	for _, h := range shorthands {
		add := func(value string) error {
			s.changes = append(s.changes, change{h.flag, h.fields, value})
			return nil
		}
		if h.flag == "share" {
			fs.BoolFunc(h.flag, h.usage, add)
		} else {
			fs.Func(h.flag, h.usage, add)
		}
	}
}

// set handles -set NAME=VALUE.
func (s *settings) set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("give NAME=VALUE")
	}
	if of, ok := strings.CutPrefix(name, ownSystem); ok {
		s.lines = append(s.lines, own.Line{Name: of, Value: value, Where: "-set " + name})
		return nil
	}
	s.changes = append(s.changes, change{"set", []string{name}, value})
	return nil
}

// config returns the configuration selected by the flags, and the trajectories at the path
// `data` to train on. The trajectories are nil if the path is ""; otherwise the caller closes
// them.
func (s *settings) config(data string) (c method.Config, src system.Recorded, err error) {
	if data != "" && !s.given["experiment"] {
		s.experiment = ownName
	}
	if s.experiment == ownName && !s.given["preset"] {
		s.preset = ownPreset
	}
	spec, err := specOf(s.experiment, s.preset, s.given)
	if err != nil {
		return c, nil, err
	}
	if s.sys, err = s.systemOf(&spec, data); err != nil {
		return c, nil, err
	}
	if c, err = method.PresetOf(s.sys, spec); err != nil {
		return c, nil, err
	}
	if err := s.check(&c); err != nil {
		return c, nil, err
	}
	if err := s.putIn(&c); err != nil {
		return c, nil, err
	}
	simulated := c.Data.Observable
	if data != "" {
		if src, c, err = s.record(data, c); err != nil {
			return c, nil, err
		}
	}
	for _, v := range s.changes {
		if src != nil && (v.field(&c).Name == "macro" || v.field(&c).Name == "force") {
			continue // the data determine this setting
		}
		if err = v.apply(&c); err != nil {
			break
		}
	}
	for _, v := range s.changes {
		if err == nil {
			err = c.Table().Used(v.field(&c).Name)
		}
	}
	if err == nil {
		err = c.Validate()
	}
	if err == nil && src == nil && c.Data.Observable != simulated {
		err = fmt.Errorf("only the %s of simulated trajectories can be learned without -data; give data, or leave -macro out", simulated)
	}
	if err != nil && src != nil {
		src.Close()
		src = nil
	}
	return c, src, err
}

// putIn writes the values of parameters into the formula of the force, if the command line contains
// the force and these values. A parameter with a range of values stays a parameter.
func (s *settings) putIn(c *method.Config) error {
	force := s.change("force")
	params := s.change("dynamics.params")
	if force == nil || params == nil || c.Traits.Forces == nil {
		return nil
	}
	ranges, err := c.Traits.Parameters.Parse(params.value)
	if err != nil {
		return nil // apply reports this error
	}
	if _, _, err := c.Traits.Forces.PutIn(force.value, nil); err != nil {
		return nil
	}
	text, others, err := c.Traits.Forces.PutIn(force.value, ranges)
	if err != nil {
		return fmt.Errorf("-%s: %w", params.flag, err)
	}
	force.value, params.value = text, others.String()
	return nil
}

// change returns the change of a field, or nil if there is none.
func (s *settings) change(field string) *change {
	for i := range s.changes {
		if slices.Contains(s.changes[i].fields, field) {
			return &s.changes[i]
		}
	}
	return nil
}

// The method `once` returns an error if the command line changes the same field of the
// configuration twice.
func (s *settings) once(c *method.Config) error {
	made := make(map[string]*change)
	for i := range s.changes {
		v := &s.changes[i]
		f := v.field(c)
		if f == nil {
			continue
		}
		if before := made[f.Name]; before != nil {
			return fmt.Errorf("%s and %s change the same setting, %s; give one of them", before, v, f.Name)
		}
		made[f.Name] = v
	}
	return nil
}

// check returns an error if a flag has no effect on the experiment, or if two flags contradict
// each other.
func (s *settings) check(c *method.Config) error {
	if !c.HasDynamics() {
		if err := s.refuse(c.Spec.Pair(), "data"); err != nil {
			return err
		}
	}
	for _, v := range s.changes {
		if v.field(c) != nil {
			continue
		}
		if v.flag != "set" {
			return meansNothing(v.flag, c.Spec.Pair())
		}
		return fmt.Errorf("-set: %w", c.Set(v.fields[0], v.value))
	}
	return s.once(c)
}

// record opens the user's own trajectories and returns the configuration for them.
func (s *settings) record(data string, c method.Config) (system.Recorded, method.Config, error) {
	sys, observable := s.sys, c.Data.Observable
	var err error
	for _, v := range s.changes {
		switch {
		case slices.Contains(v.fields, "macro"):
			observable = v.value
		case slices.Contains(v.fields, "force"):
			if sys, err = withForce(sys, v.value); err != nil {
				return nil, c, err
			}
		}
	}
	src, err := s.reading.open(s.stderr, sys, data, observable, nil)
	if err != nil {
		return nil, c, err
	}
	return src, c.ForData(src, len(sys.Variables(src.Observable()))), nil
}

// String returns the change as the command line has it.
func (v *change) String() string {
	if v.flag == "set" {
		return fmt.Sprintf("-set %s=%s", v.fields[0], v.value)
	}
	return fmt.Sprintf("-%s %s", v.flag, v.value)
}

// field returns the configuration's field that the change v sets. It returns nil if the
// configuration has no such field.
func (v *change) field(c *method.Config) *setting.Field {
	table := c.Table()
	for _, name := range v.fields {
		if f := table.Find(name); f != nil {
			return f
		}
	}
	return nil
}

// shorten shortens the second part of the training of dynamics in proportion to the first part, which had
// `was` steps and now has n. It does not lengthen it.
func shorten(roll *method.DynamicsTraining, was, n int) {
	if roll.Steps > 0 {
		roll.Steps = min(roll.Steps, max(1, roll.Steps*n/was))
	}
}

// apply makes the change in a configuration that has the field.
func (v *change) apply(c *method.Config) error {
	value, was := v.value, c.Dynamics
	switch v.flag {
	case "law", "dynamics":
		if value != "joint" && value != "separate" {
			return fmt.Errorf("-%s %s; use joint or separate", v.flag, value)
		}
		value = fmt.Sprint(value == "joint")
	}
	name := v.field(c).Name
	if err := c.Set(name, value); err != nil {
		return fmt.Errorf("-%s: %w", v.flag, err)
	}
	if v.flag == "law-steps" {
		shorten(&c.Dynamics.Rollout, was.Velocity.Steps, c.Dynamics.Velocity.Steps)
	}
	return nil
}
