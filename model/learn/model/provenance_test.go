package model

import (
	"reflect"
	"strings"
	"testing"
)

// trained gives a tiny model of particles a provenance.
func trained(t *testing.T) (*Model, *Provenance) {
	t.Helper()
	m := build(t, tiny(t, "particles/flow"))
	p := &Provenance{Row: "particles/flow@laptop eps=0.01", Seconds: 310.25, Count: 1000, Tests: []Tested{
		{"in-dst", 5.5e-6, Spread{3, 6e-6, 1e-6}}, {"diff-N", 1e-5, Spread{3, 1.1e-5, 1e-6}},
	}}
	if err := m.SetProvenance(p); err != nil {
		t.Fatal(err)
	}
	return m, p
}

// TestProvenance checks that a file keeps the provenance of its model, and that a model loses it by
// any change.
func TestProvenance(t *testing.T) {
	m, want := trained(t)
	f, _ := through(t, m.Checkpoint())
	again, err := Open(systems(), f)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Provenance(); !reflect.DeepEqual(got, want) || got.Preset() != "laptop" || got.Changes()[0] != "eps=0.01" || got.Test("diff-N").Value != 1e-5 || got.Test("diff-init") != nil {
		t.Errorf("read %+v, want %+v", got, want)
	}
	if got := again.Clone().Provenance(); !reflect.DeepEqual(got, want) {
		t.Errorf("a copy has %+v", got)
	}
	if again.SetEps(0.5); again.Provenance() != nil {
		t.Error("a model with another setting keeps its figures")
	}
	for name, change := range map[string]func(m *Model){
		"the encoder": func(m *Model) { m.Weights.Params[0]++ }, "the dynamics": func(m *Model) { m.Weights.DynamicsParams[0]++ },
		"a scale": func(m *Model) { m.Scale.High[0]++ }, "the seed": func(m *Model) { m.Config.Seed++ },
	} {
		of := m.Clone()
		change(of)
		f, _ := through(t, of.Checkpoint())
		if of.Provenance() != nil || f.Metadata["trained.row"] != "" {
			t.Errorf("a model keeps its figures after a change of %s", name)
		}
	}
	f, _ = through(t, m.Checkpoint())
	f.Halve()
	f, _ = through(t, f) // a file of rounded weights
	if half, err := Open(systems(), f); err != nil || half.Provenance() != nil {
		t.Errorf("rounded weights keep the figures of the others, %v", err)
	}
	other := New(m.Config, m.System)
	if other.Take(m); other.Provenance() != nil {
		t.Error("a training that begins with the weights has their figures")
	}
}

// TestProvenanceMistakes reads provenances that no training has.
func TestProvenanceMistakes(t *testing.T) {
	m, _ := trained(t)
	for change, says := range map[string]string{
		"row=mixing/flow@laptop": "not of the experiment", "row=particles/flow@none": "not of the experiment", "row= ": "has 0 bytes",
		"row=particles/flow@laptop depth=3": "does not have", "row=particles/flow@laptop " + strings.Repeat("x", maxRow): "bytes",
		"seconds=-1": "seconds", "seconds=NaN": "seconds", "count=0": "count", "count=1e9": "count", "measure=kl": "measure", "sum=-1": "sum",
		"in-dst=NaN": "in-dst", "in-dst=+Inf": "in-dst", "in-dst=-1": "in-dst", "in-dst.mean=": "mean", "diff-N.sd=1e300": "sd", "diff-N.trainings=0": "trainings",
	} {
		f, _ := through(t, m.Checkpoint())
		name, value, _ := strings.Cut(change, "=")
		f.Metadata["trained."+name] = value
		if _, err := Open(systems(), f); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", change, err, says)
		}
	}
	for _, p := range []Provenance{
		{Row: "particles/flow@laptop", Count: 1},
		{Row: "particles/flow@laptop", Count: 1, Tests: []Tested{{Set: "fast", Spread: Spread{Trainings: 1}}}},
		{Row: "particles/flow@laptop", Count: 1, Tests: []Tested{{Set: "in-dst", Spread: Spread{Trainings: 1}}, {Set: "in-dst", Spread: Spread{Trainings: 1}}}},
	} {
		if err := m.SetProvenance(&p); err == nil {
			t.Errorf("%+v was accepted", p)
		}
	}
}
