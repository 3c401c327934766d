package method

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"macroscope/model/net/circle"
	"macroscope/model/net/decoder"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// names maps short names in checkpoints to pairs of system and method. The first checkpoints had only these names. All
// other pairs are written as system/method.
var names = map[string]Spec{
	"demo":      {System: "line", Method: "flow"},
	"particles": {System: "particles", Method: "flow"},
	"ae-aug":    {System: "particles", Method: "ae-aug"},
	"mixing":    {System: "mixing", Method: "flow"},
}

// Name returns the pair's name in checkpoints: a short name if there is one, or system/method.
func (s Spec) Name() string {
	for name, pair := range names {
		if pair.System == s.System && pair.Method == s.Method {
			return name
		}
	}
	return s.Pair()
}

// NamedSpec returns the system and the method for a name in a checkpoint, a flag or a link. The
// name is system/method or an old name.
func NamedSpec(name string) Spec {
	if s, ok := names[name]; ok {
		return s
	}
	return ParseSpec(name)
}

// Spec names an experiment.
type Spec struct{ System, Method, Preset string }

// ParseSpec reads system/method@preset. Missing parts are empty.
func ParseSpec(text string) Spec {
	var s Spec
	text, s.Preset, _ = strings.Cut(text, "@")
	s.System, s.Method, _ = strings.Cut(text, "/")
	return s
}

// Pair returns system/method.
func (s Spec) Pair() string { return s.System + "/" + s.Method }

// String is the inverse of ParseSpec.
func (s Spec) String() string {
	text := s.Pair()
	if s.Preset != "" {
		text += "@" + s.Preset
	}
	return text
}

// Method is a way to find the closure variables: an encoder and a decoder, and the presets with which
// both are trained for each system.
type Method struct {
	Name             string              // name in specifications
	Title            string              // name on the page
	Text             string              // one sentence that describes the method
	encoder, decoder string              // keys of encoders and decoders
	presets          map[string][]string // names of the presets for each system
	terms            []string            // the names by which headers of presets.txt match the method
}

// List is the name of the method whose encoder reads particles in the order of a file (see Data.Listed).
const List = "list"

// Encoder returns the method's encoder. It has the settings from those lines of presets.txt that are for all
// systems and presets.
func (m *Method) Encoder() encoder.Kind {
	k := setting.Clone(encoders[m.encoder])
	m.configure(k.Table(new(encoder.Shape)))
	return k
}

// Decoder returns the method's decoder. It has the settings from the same lines as Encoder.
func (m *Method) Decoder() decoder.Kind {
	k := setting.Clone(decoders[m.decoder])
	m.configure(k.Table(new(encoder.Shape)))
	return k
}

// configure sets the settings of a table from the lines that are for all systems and presets.
func (m *Method) configure(table setting.Table) {
	if err := known().configure(table, false, m, "*", "*", "*"); err != nil {
		panic("method: " + err.Error()) // a test calls this for all methods
	}
}

// Ordered reports whether the closure variables depend on the order of the particles.
func (m *Method) Ordered() bool { return encoders[m.encoder].Ordered() }

// Methods lists all methods. Callers must not change the list.
func Methods() []Method { return known().methods }

// MethodsFor lists the methods for a system. Callers must not change the list.
func MethodsFor(system string) []Method { return known().systems[system] }

// Presets lists the presets of a pair. There are none if the method does not support the
// system. The caller may change the list.
func Presets(system, method string) []string {
	m, _ := FindMethod(method)
	return slices.Clone(m.presets[system])
}

// FindMethod returns the method with this name.
func FindMethod(name string) (Method, error) {
	c := known()
	names := c.names()
	if i := slices.Index(names, name); i >= 0 {
		return c.methods[i], nil
	}
	return Method{}, fmt.Errorf("there is no method %s; use %s", setting.Quote(name), strings.Join(names, " or "))
}

// Systems lists the systems that a program contains.
type Systems []*system.System

// Find returns the system with this name.
func (s Systems) Find(name string) (*system.System, error) {
	var names []string
	for _, sys := range s {
		if sys.Traits.Name == name {
			return sys, nil
		}
		names = append(names, sys.Traits.Name)
	}
	return nil, unlisted("system", name, names)
}

// usualPreset is the default preset of pairs that have it.
const usualPreset = "laptop"

// Preset returns the configuration of an experiment. The specification must name the system.
// The default method is flow. The default preset is laptop or, if the pair has no laptop
// preset, the pair's last preset.
func (s Systems) Preset(spec string) (Config, error) {
	p := ParseSpec(spec)
	sys, err := s.Find(p.System)
	if err != nil {
		return Config{}, err
	}
	return PresetOf(sys, p)
}

// Smaller reports whether a configuration has smaller networks than a preset of the same pair, fewer
// steps or fewer trajectories. Dynamics without the share of the first species do not count as smaller.
// Smaller returns false if there is no such preset, or if the preset is for another number of particles
// or other parameters of the physics.
func (s Systems) Smaller(c *Config, preset string) bool {
	spec := c.Spec
	if spec.Preset = preset; !slices.Contains(Presets(spec.System, spec.Method), preset) {
		return false
	}
	of, err := s.Preset(spec.String())
	if err != nil || c.Particles != of.Particles || c.Dynamics.Params.Names() != of.Dynamics.Params.Names() {
		return false
	}
	of.Dynamics.Share = c.Dynamics.Share
	return c.Networks().Weights() < of.Networks().Weights() || c.Steps < of.Steps || c.Data.Trajectories < of.Data.Trajectories || c.Dynamics.Trajectories < of.Dynamics.Trajectories || c.Dynamics.Velocity.Steps < of.Dynamics.Velocity.Steps
}

// PresetOf is Systems.Preset for a system that need not be in a list.
func PresetOf(sys *system.System, p Spec) (Config, error) {
	p.Method = cmp.Or(p.Method, Untuned)
	m, err := FindMethod(p.Method)
	if err != nil {
		return Config{}, err
	}
	names := m.presets[p.System]
	switch {
	case len(names) == 0:
		return Config{}, fmt.Errorf("the method %s is not for the system %s", p.Method, p.System)
	case p.Preset != "":
	case slices.Contains(names, usualPreset):
		p.Preset = usualPreset
	default:
		p.Preset = names[len(names)-1]
	}
	if !slices.Contains(names, p.Preset) {
		return Config{}, unlisted("preset", p.Preset, names)
	}
	c := first(sys)
	c.Spec, c.Encoder, c.Decoder.Kind = p, setting.Clone(encoders[m.encoder]), setting.Clone(decoders[m.decoder])
	if err := known().configure(c.whole(), true, &m, p.System, sys.Motion().Name, p.Preset); err != nil {
		return Config{}, err
	}
	if c.Traits.Vectors == nil {
		c.Data.unturn(c.Traits.Mirrors)
	}
	c.Data.Centred = c.Data.Centred || c.Traits.Shifts
	if s := c.Traits.Stride; s > 0 && c.Traits.Stochastic {
		c.Dynamics.Velocity.Stride, c.Dynamics.Velocity.Substeps = s, min(s, mostSubsteps)
	}
	return c, nil
}

// mostSubsteps is the largest number of Euler steps for a Traits.Stride.
const mostSubsteps = 4

// first returns what a configuration takes from its system, and what no preset changes.
func first(sys *system.System) (c Config) {
	c.Traits, c.Force, c.Variables = sys.Traits, sys.Force, len(sys.Macro)
	c.Shape.Dim, c.Shape.Sets, c.Shape.Circles = c.Traits.Dim, max(1, len(c.Traits.Sets)), circle.Of(c.Traits.Periods)
	c.Shape.Empty = c.Traits.Empty
	for k := range c.Traits.Dim {
		if c.Traits.Positions == nil || slices.Contains(c.Traits.Positions, k) {
			c.Shape.Places |= 1 << k
		}
	}
	for _, k := range c.Traits.Velocities {
		c.Shape.Speeds |= 1 << k
	}
	c.Dynamics.Dt = c.Traits.Dt
	for _, d := range []*dynamics.DriftConfig{&c.Dynamics.Drift, &c.Decoder.Step.Drift} {
		d.Onsager, d.ResNet = dynamics.DefaultOnsager(), dynamics.DefaultResNet()
	}
	return c
}
