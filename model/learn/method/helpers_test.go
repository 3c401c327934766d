package method

import (
	"testing"

	"macroscope/model/system"
	flocksystem "macroscope/model/system/flock"
	linesystem "macroscope/model/system/line"
	mixingsystem "macroscope/model/system/mixing"
	ownsystem "macroscope/model/system/own"
	particlessystem "macroscope/model/system/particles"
	polymersystem "macroscope/model/system/polymer"
)

func systems() Systems {
	return Systems{linesystem.System(), particlessystem.System(), mixingsystem.System(), polymersystem.System(), polymersystem.FromVideo(), flocksystem.System(), plane()}
}

// plane returns a system of a user's own that turns in the plane.
func plane() *system.System {
	return ownsystem.Spec{
		Axes: []ownsystem.Axis{{Name: "x"}, {Name: "y"}}, Species: []ownsystem.Species{{Name: "1", Number: "1"}},
		Observables: []ownsystem.Observable{{Name: "size"}}, Frames: 20, Turns: true,
	}.System()
}

// pairs lists the presets of every pair of system and
func pairs() map[string][]string {
	all := make(map[string][]string)
	for _, m := range Methods() {
		for system, presets := range m.presets {
			all[Spec{System: system, Method: m.Name}.Pair()] = presets
		}
	}
	return all
}

func preset(t testing.TB, spec string) Config {
	t.Helper()
	c, err := systems().Preset(spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// with returns the configuration with changes, each NAME=VALUE.
func with(t testing.TB, c Config, settings ...string) Config {
	t.Helper()
	c, err := c.With(settings...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// small contains the settings of the smallest networks.
var small = map[string]string{
	"encoder.hidden": "7 6", "encoder.head": "5", "hidden": "7 6", "decoder.hidden": "6 7", "law.hidden": "6", "law.noise.hidden": "5",
	"encoder.width": "8", "encoder.heads": "2", "encoder.inducing": "3", "encoder.blocks": "2", "encoder.seeds": "1", "encoder.feed": "6",
	"picture.rows": "4", "picture.cols": "20", "picture.pixel": "25", "cnn.widths": "2 3",
	"vit.patch": "4", "vit.width": "4", "vit.heads": "2", "vit.hidden": "5", "vit.blocks": "1", "vit.restoring": "1",
	"flow.layers": "2", "flow.bins": "4", "flow.hidden": "5", "flow.basehidden": "4",
}

// set changes the settings that the configuration has and skips all others.
func set(t testing.TB, c *Config, values map[string]string) {
	t.Helper()
	for name, text := range values {
		if c.Table().Find(name) == nil {
			continue
		}
		if err := c.Set(name, text); err != nil {
			t.Fatal(err)
		}
	}
}

// tiny returns the configuration of a pair with the smallest networks.
func tiny(t testing.TB, pair string) Config {
	t.Helper()
	c := with(t, preset(t, pair), "encoder.zdim=2", "particles=9")
	set(t, &c, small)
	c.Data.Views = min(c.Data.Views, 4)
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}
