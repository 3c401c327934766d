package method

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Table lists the settings that the system and the method use, by their names in checkpoints,
// in the flag -set and in sweeps. The names must not change, because published files contain them.
// In the names, `law` stands for the dynamics.
func (c *Config) Table() setting.Table {
	t := slices.Concat(setting.Table{
		{Name: "particles", Value: &c.Particles, Low: 1, High: MaxParticles}, {Name: "seed", Value: &c.Seed},
		{Name: "batch", Value: &c.Batch, Low: 1, High: 4096}, {Name: "shards", Value: &c.Shards, Low: 1, High: 1024},
		{Name: "steps", Value: &c.Steps, Low: 1, High: MaxStep}, {Name: "rate", What: "the learning rate", Value: &c.Rate, Low: setting.Tiny, High: 1},
		optimiser("optimiser", &c.Optimiser), {Name: "warmup", Value: &c.WarmUp, Low: 0.001, High: 0.999, Hidden: true},
	}, c.Encoder.Table(&c.Shape), c.Decoder.Table(&c.Shape))
	if c.HasDynamics() {
		t = append(t, c.movingTable()...)
	}
	giveAbsent(t, c.Motion(), c.Encoder.Ordered())
	return t
}

// movingTable lists the settings of a system that moves.
func (c *Config) movingTable() setting.Table {
	t := slices.Concat(c.Data.table(&c.Traits, &c.Near), c.Decoder.Step.Table(), c.Dynamics.table(c.Motion()))
	if f := c.Traits.Forces; f != nil {
		t = append(t, setting.Field{Name: "force", What: "the force F(r)", Value: force(f, &c.Force), Absent: f.Usual()})
	}
	if p := c.Traits.Parameters; len(p) > 0 {
		t = append(t, setting.Field{Name: "dynamics.params", What: "what the dynamics are given", Value: given(p, &c.Dynamics.Params), Absent: system.Ranges(nil).String()})
	}
	// A file that is read must contain the number that follows from the fields before it.
	return append(t, setting.Derived("law.dim", func() string { return strconv.Itoa(c.equationDim()) }))
}

// absent are the values of settings that early files do not contain, by the motion of their systems. Files with
// these values of stratified and warmup do not contain them either. A file needs no preset to be read with
// them. All presets have them, so they are neither in Settings nor in the keys of tasks.
var absent = map[*system.Motion]map[string]string{
	system.Still: {"stratified": "true", "warmup": "0.2", "flow.blocks": "0"},
	system.ODE:   {"stratified": "false", "warmup": "0.1", "thin": "1"},
	system.SDE:   {"stratified": "false", "warmup": "0.1", "rotate": "false", "views": "1"},
}

// absentOrdered adds the values for methods with an order of particles.
var absentOrdered = map[*system.Motion]map[string]string{
	system.ODE: {"recorded": "false", "views": "1", "macro": "energy"},
}

// giveAbsent gives the settings of a table the values that early files have.
func giveAbsent(t setting.Table, of *system.Motion, ordered bool) {
	texts := maps.Clone(absent[of])
	if ordered {
		maps.Copy(texts, absentOrdered[of])
	}
	for name, text := range texts {
		if f := t.Find(name); f != nil {
			f.Absent = text
		}
	}
}

// whole lists all settings of presets.txt and With, including those that the system or the method does
// not use. One line can then stand for several methods, and the length of ẑ and ε have the same names
// for all.
func (c *Config) whole() setting.Table {
	t := c.Table()
	d := &c.Dynamics
	for _, f := range slices.Concat(
		c.Shape.Table("encoder."), c.Decoder.Target.Table(), setting.Table{{Name: "macro", Value: &c.Data.Observable}}, c.Data.table(&c.Traits, &c.Near), c.Decoder.Step.Table(),
		d.table(system.ODE), d.table(system.SDE), setting.Table{{Name: "dynamics.params", Value: given(c.Traits.Parameters, &d.Params)}},
	) {
		if t.Find(f.Name) == nil {
			t = append(t, f)
		}
	}
	return t
}

// force returns the text form of a configuration's force.
func force(of system.Forces, text *string) setting.Text {
	return setting.Text{
		Get: func() string { return *text },
		Put: func(force string) error {
			with, err := of.With(force)
			if err == nil {
				*text = with.Force
			}
			return err
		},
	}
}

// noMemory is the text for a memory without averages.
const noMemory = "none"

// memory returns the text form of Dynamics.Memory.
func memory(frames *[]int) setting.Text {
	list := setting.Field{Name: "law.memory", Value: frames, Low: 1, High: maxBegin, Least: 1, Most: maxMemory}
	return setting.Text{
		Get: func() string { return cmp.Or(list.Text(), noMemory) },
		Put: func(text string) error {
			if text == noMemory {
				*frames = nil
				return nil
			}
			return list.Set(text)
		},
	}
}

// given returns the text form of Dynamics.Params.
func given(offered system.Parameters, ranges *system.Ranges) setting.Text {
	return setting.Text{
		Get: func() string { return ranges.String() },
		Put: func(text string) error {
			chosen, err := offered.Parse(text)
			if err == nil {
				*ranges = chosen
			}
			return err
		},
	}
}

func (d *Dynamics) table(of *system.Motion) setting.Table {
	t := append(d.Drift.Table("law."), setting.Table{
		{Name: "law.dt", Value: &d.Dt, Low: setting.Tiny, High: 1}, {Name: "law.trajectories", Value: &d.Trajectories, Low: 1, High: MaxTrajectories},
	}...)
	if !of.Ensemble {
		roll := d.Rollout.table("law.roll.", 0, 1000)
		for i := range roll {
			if f := &roll[i]; d.Rollout.Steps == 0 && f.Name != "law.roll.steps" {
				f.Needs = "law.roll.steps above 0"
			}
		}
		return slices.Concat(t, d.Velocity.table("law.fit.", 1, 1000), roll)
	}
	fit := d.Velocity.table("law.", 1, 100_000)
	fit.Find("law.stride").Absent = "1"
	fit = slices.DeleteFunc(fit, func(f setting.Field) bool { // training by likelihood does not use these settings
		return slices.Contains([]string{"law.noise", "law.power", "law.macro", "law.start"}, f.Name)
	})
	return slices.Concat(t, setting.Table{
		{Name: "law.joint", Value: &d.Joint}, {Name: "law.share", Value: &d.Share}, {Name: "law.narrowest", Value: &d.Narrowest, High: 1, Absent: "0"},
		{Name: "law.substeps", Value: &d.Velocity.Substeps, Low: 1, High: 100, Absent: "1"}, {Name: "law.images", Value: &d.Images, Low: 1, High: 8, Absent: "1"},
		{Name: "law.memory", Value: memory(&d.Memory), Absent: noMemory}, {Name: "law.begin", Value: &d.Begin, High: maxBegin, Absent: "0"}, {Name: "law.tries", Value: &d.Tries, Low: 1, High: 100, Absent: "1"},
	}, fit, d.Noise.Table("law.noise."))
}

// table lists the settings of a part of stage II. The number of steps must be at least `least`, and
// the Window at most `longest`.
func (t *DynamicsTraining) table(prefix string, least, longest float64) setting.Table {
	return setting.Table{
		{Name: prefix + "batch", Value: &t.Batch, Low: 1, High: 65536}, {Name: prefix + "shards", Value: &t.Shards, Low: 1, High: 1024},
		{Name: prefix + "steps", Value: &t.Steps, Low: least, High: MaxStep}, {Name: prefix + "rate", Value: &t.Rate, Low: setting.Tiny, High: 1},
		{Name: prefix + "decay", Value: &t.Decay, High: 1}, {Name: prefix + "noise", Value: &t.Noise, High: 1},
		{Name: prefix + "window", Value: &t.Window, Low: 1, High: longest}, {Name: prefix + "stride", Value: &t.Stride, Low: 1, High: 100},
		{Name: prefix + "power", Value: &t.Power, High: 1}, {Name: prefix + "macro", Value: &t.Macro, Low: setting.Tiny, High: 1e6},
		{Name: prefix + "start", Value: &t.Start, High: 1}, {Name: prefix + "early", Value: &t.Early, High: 1, Absent: "0"},
		optimiser(prefix+"optimiser", &t.Optimiser),
	}
}

// optimiser returns the field for an optimiser. Early files do not contain this field.
func optimiser(name string, value *string) setting.Field {
	return setting.Field{Name: name, Value: value, Options: setting.Choices(adamOptimiser, SoapOptimiser), Absent: adamOptimiser}
}

// Set changes the named field of the configuration, and the settings that depend on it. The
// error names the field. If there is no such field, it lists all fields.
func (c *Config) Set(name, text string) error {
	c.own()
	return setField(c.Table(), c.Spec, name, text)
}

// With returns the configuration with changes, each NAME=VALUE, and with the settings that depend on
// them. The names are as in the Table. In addition, every configuration has encoder.zdim, eps and all
// settings of dynamics, whether they have an effect or not. A number has to be formatted so that reading
// it returns the same number, as fmt.Sprint does. On an error, With returns c unchanged.
func (c Config) With(settings ...string) (Config, error) {
	with := c
	with.own()
	for _, s := range settings {
		name, text, _ := strings.Cut(s, "=")
		if err := setField(with.whole(), with.Spec, name, text); err != nil {
			return c, err
		}
	}
	return with, nil
}

// namesOf lists the names of a table's fields, without those for which `leave` returns true.
func namesOf(t setting.Table, leave func(setting.Field) bool) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(t), leave).Names(), ", ")
}

// setField changes the named field of the table of an experiment.
func setField(table setting.Table, of Spec, name, text string) error {
	f := table.Find(name)
	switch {
	case f == nil:
		return fmt.Errorf("the experiment %s has no field %s; it has %s", of.Pair(), setting.Quote(name), namesOf(table, func(f setting.Field) bool { return f.Hidden }))
	case f.Follows:
		return fmt.Errorf("%s follows from the data and the other settings; leave it out", name)
	}
	return f.Set(text)
}

// Settings returns all fields that have an effect, except the seed, as lines NAME=VALUE. Together
// they describe the preset with all changes.
func (c *Config) Settings() string {
	values := make(map[string]string)
	table := c.Table()
	table.Write(values, "")
	for _, f := range table {
		if f.Needs != "" || f.Name == "seed" {
			delete(values, f.Name)
		}
	}
	var lines []string
	for name, value := range values {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Read reads the configuration of an experiment, which has a name as for NamedSpec, from the metadata of a
// checkpoint. There the names of settings have a prefix. Read also returns the configuration's system.
func (s Systems) Read(name string, metadata map[string]string, prefix string) (c Config, sys *system.System, err error) {
	spec := NamedSpec(name)
	if sys, err = s.Find(spec.System); err == nil && sys.Described != nil {
		if sys, err = sys.Described(metadata); err != nil {
			return c, nil, err
		}
	}
	if err == nil {
		c, err = PresetOf(sys, spec)
	}
	if err != nil {
		return c, nil, fmt.Errorf("the checkpoint is of the experiment %s: %w", setting.Quote(name), err)
	}
	c.Spec.Preset = ""
	named := c.Data.Observable != ""
	if err := c.Table().Read(metadata, prefix); err != nil {
		return c, nil, fmt.Errorf("the checkpoint's configuration cannot be read: %w", err)
	}
	if err := c.Data.Origin.read(metadata, c.Dim()); err != nil {
		return c, nil, fmt.Errorf("the checkpoint's configuration cannot be read: %w", err)
	}
	if named && c.Data.Observable == "" {
		return c, nil, errors.New("the checkpoint's configuration names no observable; choose one that was saved whole")
	}
	c.Variables = len(sys.Variables(c.Data.Observable))
	if err := c.Validate(); err != nil {
		return c, nil, fmt.Errorf("the checkpoint's configuration cannot be used: %w", err)
	}
	return c, sys, nil
}

// Write adds the configuration to the metadata of a checkpoint. Read is its inverse.
func (c *Config) Write(metadata map[string]string, prefix string) {
	c.Table().Write(metadata, prefix)
	c.Data.Origin.write(metadata)
	maps.Copy(metadata, c.Traits.Description)
}
