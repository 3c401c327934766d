package experiment

import (
	"fmt"
	"slices"
	"strings"

	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Table lists the configuration by the names that checkpoints, -set on the
// command line and sweeps have for it. What a pair has no use for is left out.
// The names of files that are out there stay: law is what the dynamics were
// called when they were written.
func (c *Config) Table() setting.Table {
	t := setting.Table{
		{Name: "particles", Value: &c.Particles}, {Name: "seed", Value: &c.Seed},
		{Name: "batch", Value: &c.Batch}, {Name: "shards", Value: &c.Shards}, {Name: "steps", Value: &c.Steps}, {Name: "rate", Value: &c.Rate},
		optimiser("optimiser", &c.Optimiser),
	}
	t = append(t, c.Encoder.Table()...)
	if c.Encoder.Kind != encoder.Flat || c.Decoder.Density() { // else its layers are those of the encoder
		t = append(t, c.Decoder.Table()...)
	}
	if f := t.Find("flow.blocks"); f != nil && !c.HasDynamics() {
		f.Absent = "0"
	}
	if !c.HasDynamics() {
		return t
	}
	t = slices.Concat(t, c.dataTable(), c.stepTable(), c.Dynamics.table(c.Traits.Stochastic))
	if f := c.Traits.Forces; f != nil {
		t = append(t, setting.Field{Name: "force", What: "the force F(r)", Value: force{f, &c.Force}, Absent: f.Force()})
	}
	if p := c.Traits.Parameters; len(p) > 0 {
		t = append(t, setting.Field{Name: "dynamics.params", What: "what the dynamics are given", Value: given{p, &c.Dynamics.Params}, Absent: system.Ranges(nil).String()})
	}
	return t
}

// force is the force of a configuration as text.
type force struct {
	of   system.Forced
	text *string
}

// MarshalText implements encoding.TextMarshaler.
func (f force) MarshalText() ([]byte, error) { return []byte(*f.text), nil }

// UnmarshalText implements encoding.TextUnmarshaler. On an error nothing changes.
func (f force) UnmarshalText(text []byte) error {
	with, err := f.of.WithForce(string(text))
	if err == nil {
		*f.text = with.Force()
	}
	return err
}

// memory is the frames of a memory as text.
type memory struct{ frames *[]int }

// noMemory is the text of none.
const noMemory = "none"

// MarshalText implements encoding.TextMarshaler.
func (m memory) MarshalText() ([]byte, error) {
	if len(*m.frames) == 0 {
		return []byte(noMemory), nil
	}
	return []byte((&setting.Field{Value: m.frames}).Text()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler. On an error nothing changes.
func (m memory) UnmarshalText(text []byte) error {
	if string(text) == noMemory {
		*m.frames = nil
		return nil
	}
	return (&setting.Field{Name: "law.memory", Value: m.frames}).Set(string(text))
}

// given is the parameters of a configuration as text.
type given struct {
	offered system.Parameters
	ranges  *system.Ranges
}

// MarshalText implements encoding.TextMarshaler.
func (g given) MarshalText() ([]byte, error) { return []byte(g.ranges.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. On an error nothing changes.
func (g given) UnmarshalText(text []byte) error {
	ranges, err := g.offered.Parse(string(text))
	if err == nil {
		*g.ranges = ranges
	}
	return err
}

// stepTable lists the one-step loss of stage I. What the presets begin with is
// left out of files.
func (c *Config) stepTable() setting.Table {
	s := &c.Decoder.Step
	return setting.Table{
		{Name: "step.weight", Value: &s.Weight, Absent: "0"}, {Name: "step.macro", Value: &s.Macro, Absent: "10"}, {Name: "step.spread", Value: &s.Spread, Absent: "1"},
		{Name: "step.form", Value: (*string)(&s.Drift.Form), Options: setting.Choices(dynamics.Forms()...), Absent: string(dynamics.FormMLP)},
		{Name: "step.hidden", Value: &s.Drift.Hidden, Absent: "64 64"}, {Name: "step.act", Value: &s.Drift.Act, Absent: "tanh"},
	}
}

// dataTable lists what trajectories are trained on, and how.
func (c *Config) dataTable() setting.Table {
	t := setting.Table{
		{Name: "trajectories", Value: &c.Trajectories},
		{Name: "warm", Value: &c.Initial, Absent: "0"}, {Name: "every", Value: &c.Every, Absent: "1"},
		{Name: "thin", Value: &c.Thin}, {Name: "recorded", Value: &c.Recorded}, {Name: "wide", Value: &c.Wide, Absent: "false"},
		{Name: "rotate", Value: &c.Turn}, {Name: "views", Value: &c.Views},
	}
	if c.Observable != "" { // there are others than the system's own
		t = append(t, setting.Field{Name: "macro", Value: &c.Observable})
	}
	// What the first files of a pair did not have.
	absent := map[string]string{}
	switch {
	case c.Traits.Stochastic:
		absent["rotate"], absent["views"] = "false", "1"
	case c.Encoder.Kind == encoder.Flat:
		absent["thin"], absent["recorded"], absent["views"], absent["macro"] = "1", "false", "1", "energy"
	default:
		absent["thin"] = "1"
	}
	for i := range t {
		if text, ok := absent[t[i].Name]; ok {
			t[i].Absent = text
		}
	}
	return t
}

func (d *Dynamics) table(stochastic bool) setting.Table {
	o, r := &d.Drift.Onsager, &d.Drift.ResNet
	t := setting.Table{
		{Name: "law.dim", Value: &d.Drift.Dim}, {Name: "law.form", Value: (*string)(&d.Drift.Form), Options: setting.Choices(dynamics.Forms()...)}, {Name: "law.hidden", Value: &d.Drift.Hidden}, {Name: "law.act", Value: &d.Drift.Act},
		{Name: "law.onsager.hidden", Value: &o.Hidden}, {Name: "law.onsager.features", Value: &o.Features},
		{Name: "law.onsager.dissipative", Value: &o.Dissipative}, {Name: "law.onsager.conservative", Value: &o.Conservative},
		{Name: "law.onsager.alpha", Value: &o.Alpha},
		{Name: "law.resnet.width", Value: &r.Width, Absent: "64"}, {Name: "law.resnet.blocks", Value: &r.Blocks, Absent: "2"}, {Name: "law.resnet.features", Value: &r.Features, Absent: "9"},
		{Name: "law.resnet.beta", Value: &r.Beta, Absent: "0.1"}, {Name: "law.resnet.least", Value: &r.Least, Absent: "0.1"},
		{Name: "law.confined", Value: &d.Drift.Confined}, {Name: "law.box.half", Value: &d.Drift.Box.Half}, {Name: "law.box.pull", Value: &d.Drift.Box.Pull},
		{Name: "law.dt", Value: &d.Dt}, {Name: "law.trajectories", Value: &d.Trajectories},
	}
	if !stochastic {
		return append(append(t, d.Fit.table("law.fit.")...), d.Roll.table("law.roll.")...)
	}
	n := &d.Noise
	return append(t, setting.Table{
		{Name: "law.joint", Value: &d.Joint}, {Name: "law.share", Value: &d.Share},
		{Name: "law.memory", Value: memory{&d.Memory}, Absent: noMemory}, {Name: "law.begin", Value: &d.Begin, Absent: "0"},
		{Name: "law.batch", Value: &d.Fit.Batch}, {Name: "law.window", Value: &d.Fit.Window}, {Name: "law.stride", Value: &d.Fit.Stride, Absent: "1"}, {Name: "law.shards", Value: &d.Fit.Shards},
		{Name: "law.steps", Value: &d.Fit.Steps}, {Name: "law.rate", Value: &d.Fit.Rate}, {Name: "law.decay", Value: &d.Fit.Decay},
		{Name: "law.early", Value: &d.Fit.Early, Absent: "0"}, optimiser("law.optimiser", &d.Fit.Optimiser),
		{Name: "law.noise.form", Value: (*string)(&n.Form), Options: setting.Choices(string(dynamics.NoiseConstant), string(dynamics.NoiseDiagonal), string(dynamics.NoiseFull))}, {Name: "law.noise.hidden", Value: &n.Hidden}, {Name: "law.noise.act", Value: &n.Act}, {Name: "law.noise.floor", Value: &n.Floor},
	}...)
}

func (t *Training) table(prefix string) setting.Table {
	return setting.Table{
		{Name: prefix + "batch", Value: &t.Batch}, {Name: prefix + "shards", Value: &t.Shards}, {Name: prefix + "steps", Value: &t.Steps}, {Name: prefix + "rate", Value: &t.Rate},
		{Name: prefix + "decay", Value: &t.Decay}, {Name: prefix + "noise", Value: &t.Noise}, {Name: prefix + "window", Value: &t.Window}, {Name: prefix + "stride", Value: &t.Stride},
		{Name: prefix + "power", Value: &t.Power}, {Name: prefix + "macro", Value: &t.Macro}, {Name: prefix + "start", Value: &t.Start},
		{Name: prefix + "early", Value: &t.Early, Absent: "0"}, optimiser(prefix+"optimiser", &t.Optimiser),
	}
}

// optimiser is the field of an optimiser, which the first files did not name.
func optimiser(name string, value *string) setting.Field {
	return setting.Field{Name: name, Value: value, Options: setting.Choices(AdamOptimiser, SoapOptimiser), Absent: AdamOptimiser}
}

// Set changes one field of the configuration by its name, and what follows from
// it: sizes that are given in one place alone. Its error names the field, or lists
// those that there are.
func (c *Config) Set(name, text string) error {
	switch name {
	case "law.dim", "flow.zdim", "flow.dim", "encoder.dim", "dim", "sizes", "recorded":
		return fmt.Errorf("%s follows from the data and the other settings; leave it out", name)
	}
	table := c.Table()
	if table.Find(name) == nil {
		return fmt.Errorf("the experiment %s has no field %s; it has %s", c.Spec.Pair(), setting.Quote(name), strings.Join(table.Names(), ", "))
	}
	if err := table.Set(name, text); err != nil {
		return err
	}
	if c.Encoder.Draws() {
		*c = c.WithParticles(c.Particles) // the decoder has the encoder's pictures
	}
	switch name {
	case "encoder.zdim", "zdim":
		*c = c.WithZDim(c.Encoder.ZDim)
	case "particles":
		*c = c.WithParticles(c.Particles)
	case "hidden":
		c.reverseHidden()
	case "law.joint", "law.share", "law.memory", "dynamics.params":
		*c = c.fitted()
	}
	return nil
}

// Settings returns all fields but the seed as lines NAME=VALUE: what a preset says, with
// what was changed.
func (c *Config) Settings() string {
	values := make(map[string]string)
	c.Table().Write(values, "")
	delete(values, "seed")
	var lines []string
	for name, value := range values {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
