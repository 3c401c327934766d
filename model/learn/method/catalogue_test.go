package method

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/net/decoder"
	"macroscope/model/system"
)

const (
	someMethods = "[a]\ntitle A\ntext A.\nencoder deepset\ndecoder flow\npresets line browser laptop # all\n" +
		"[b]\ntitle B\ntext B.\nencoder flat\ndecoder mirrored\npresets line browser\npresets particles laptop\n"
	somePresets = "[*]\nevery=1 thin=1 views=1 seed=1\n"
)

// TestMistakes checks the errors about each kind of mistake in methods.txt and presets.txt: the file, the
// line, the wrong word, and what is allowed.
func TestMistakes(t *testing.T) {
	if _, err := parseCatalogue(someMethods, somePresets); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ text, says string }{
		{"title x", "methods.txt:1: a line stands above the first method; write its name in brackets first"},
		{"[c", `methods.txt:1: "[c" is no header; write names in brackets, and nothing after them`},
		{"[c] d", "is no header"},
		{"[]", "is no header"},
		{"[c]\n\n# comment\ntitel C", `methods.txt:4: there is no line "titel"; use title, text, encoder, decoder, presets`},
		{"[c]\nencoder deep", `methods.txt:2: encoder cannot be "deep": give one of cnn, deepset, flat,`},
		{"[c]\ndecoder wave", `methods.txt:2: decoder cannot be "wave": give one of chamfer, flow,`},
		{"[c]\npresets line", `methods.txt:2: presets cannot be "line": give a system and the names of its presets`},
		{"[c]\ntitle C\ntext C.\nencoder flat\ndecoder none", "methods.txt: the method c is incomplete; give it a title,"},
		{"[c]\ntitle C\ntext C.\nencoder tunable\ndecoder flow\npresets line laptop", "methods.txt: the method c has a tunable encoder or decoder, and these only work together"},
		{someMethods + "[a]", `methods.txt:14: the method "a" comes twice`},
	} {
		if _, err := parseCatalogue(tc.text, ""); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%q: error %v, want one that says %q", tc.text, err, tc.says)
		}
	}
	for _, tc := range []struct{ text, says string }{
		{"eps=1", "presets.txt:1: settings stand above the first header; write [SYSTEMS/METHODS] first"},
		{"[line", "presets.txt:1: \"[line\" is no header"},
		{"[lime]", `presets.txt:1: there is no system "lime"; use *, line, particles`},
		{"[line,mixing]", `there is no system "mixing"; use *, line, particles`},
		{"[line/c]", `presets.txt:1: there is no method "c"; use *, a, b, decoder=flow, decoder=mirrored, encoder=deepset, encoder=flat`},
		{"[line/!c]", `there is no method "!c"`},
		{"[line/encoder=vit]", `there is no method "encoder=vit"`},
		{"[*]\n@fast eps=1", `presets.txt:2: there is no preset "fast"; use *, browser, laptop`},
		{"[*]\n@browser,fast eps=1", `there is no preset "fast"`},
		{"[*]\neps 1", `presets.txt:2: "eps" is no setting; write NAME=VALUE`},
		{"[*]\n=1", `presets.txt:2: "=1" is no setting; write NAME=VALUE`},
		{"[*]\n\n@browser", `presets.txt:3: the line has no setting; write NAME=VALUE`},
		{"[*]\nsteps=1 rate=1 steps=2", `presets.txt:2: steps comes twice; give it one value`},
		{"[particles/a]\nsteps=1", "presets.txt:2: no preset matches this line"},
		{"[particles]\n@browser steps=1", "presets.txt:2: no preset matches this line"},
	} {
		if _, err := parseCatalogue(someMethods, tc.text); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%q: error %v, want one that says %q", tc.text, err, tc.says)
		}
	}
	// Whether a setting exists depends on the system and the method.
	for _, tc := range []struct{ text, says string }{
		{"[line]\nepps=1", `presets.txt:2: line/a@laptop: there is no setting "epps"; use particles, seed, batch,`},
		{"[line]\nhidden=5", `presets.txt:2: line/a@laptop: there is no setting "hidden"; use`},
		{"[line]\neps=2", "presets.txt:2: line/a@laptop: ε (eps), the width of a Gaussian in the units of the networks, cannot be \"2\": give a number from 1e-8 to 1"},
		{"[line]\n@laptop encoder.hidden=5 x", `encoder.hidden cannot be "5 x"`},
		{"[line]\nencoder.dim=2", `there is no setting "encoder.dim"`},
	} {
		if err := usingCatalogue(t, someMethods, tc.text, "line/a"); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%q: error %v, want one that says %q", tc.text, err, tc.says)
		}
	}
}

// usingCatalogue makes a preset from other texts.
func usingCatalogue(t *testing.T, methods, presets, spec string, check ...func(Config)) error {
	t.Helper()
	c, err := parseCatalogue(methods, presets)
	if err != nil {
		t.Fatal(err)
	}
	defer func(before func() *catalogue) { known = before }(known)
	known = func() *catalogue { return c }
	made, err := systems().Preset(spec)
	for _, each := range check {
		each(made)
	}
	return err
}

// TestRules checks which lines match a preset, that a later line overrides an earlier one, and that
// presets do not share values.
func TestRules(t *testing.T) {
	for rules, want := range map[string]int{
		"[*]\nsteps=2": 2, "[*/*]\n@* steps=2": 2, "[line]\nsteps=2": 2, "[!line]\nsteps=2": 1, "[!particles]\nsteps=2": 2, "[*,!line]\nsteps=2": 1,
		"[particles]\nsteps=2": 1, "[line,particles/a]\nsteps=2": 2, "[line/b]\nsteps=2": 1, "[line/!b]\nsteps=2": 2, "[*/encoder=deepset]\nsteps=2": 2,
		"[*/decoder=mirrored]\nsteps=2": 1, "[*/b,decoder=flow]\nsteps=2": 2, "[*/!encoder=deepset]\nsteps=2": 1,
		"[*]\n@laptop steps=2": 2, "[*]\n@browser steps=2": 1, "[*]\n@!browser steps=2": 2, "[*]\n@browser,laptop steps=2": 2,
		"[*]\n@laptop steps=3\nsteps=2 # last": 2, "[line/a]\nsteps=3\n[*]\nsteps=2": 2, "[line]\nrate=1\n\nsteps=2 # 4": 2,
	} {
		err := usingCatalogue(t, someMethods, "[*]\nsteps=1\n"+rules, "line/a@laptop", func(c Config) {
			if c.Steps != want {
				t.Errorf("%q: %d steps, want %d", rules, c.Steps, want)
			}
		})
		if err != nil {
			t.Errorf("%q: %v", rules, err)
		}
	}
	a, b := preset(t, "line/flow"), preset(t, "line/flow")
	a.Decoder.Kind.(*decoder.Flow).Bins++
	if a.Decoder.Kind.(*decoder.Flow).Bins == b.Decoder.Kind.(*decoder.Flow).Bins {
		t.Error("two configurations share a decoder")
	}
}

// both returns the systems with this name. The user's own system can move in two ways.
func both(t *testing.T, name string) []*system.System {
	sys, err := systems().Find(name)
	if err != nil {
		t.Fatal(err)
	}
	if sys.Described == nil {
		return []*system.System{sys}
	}
	noisy := *sys
	noisy.Stochastic = true
	return []*system.System{sys, &noisy}
}

// TestEverySettingCounts checks that no setting of presets.txt can be left out: without it, a preset
// differs.
func TestEverySettingCounts(t *testing.T) {
	c := *known()
	defer func(before func() *catalogue) { known = before }(known)
	known = func() *catalogue { return &c }
	rules := c.rules
	made := func(r *rule) (of []string) {
		for i := range c.methods {
			m := &c.methods[i]
			for system, presets := range m.presets {
				for _, sys := range both(t, system) {
					for _, name := range presets {
						if r.matches(m, system, sys.Motion().Name, name) {
							p, err := PresetOf(sys, Spec{system, m.Name, name})
							of = append(of, fmt.Sprintf("%s/%s@%s %v %v", system, m.Name, name, p.whole().Texts(), err))
						}
					}
				}
			}
		}
		slices.Sort(of)
		return of
	}
	for i := range rules {
		r := rules[i]
		c.rules = rules
		with := made(&r)
		for k, s := range r.settings {
			c.rules = slices.Clone(rules)
			c.rules[i].settings = slices.Delete(slices.Clone(r.settings), k, k+1)
			if slices.Equal(made(&r), with) {
				t.Errorf("presets.txt:%d: every preset has %s without this line; leave it out", r.line, s)
			}
		}
	}
}

// TestPublished checks the published figures and the errors about each kind of mistake in published.txt.
func TestPublished(t *testing.T) {
	if got, ok := PublishedFigure("particles", "flow", "diff-init"); got != 4.38e-4 || !ok {
		t.Errorf("flow, diff-init: %g, %t", got, ok)
	}
	if _, ok := PublishedFigure("mixing", "ae-aug", "diff-N"); ok {
		t.Error("the paper has no figure of AE-Aug in diff-N")
	}
	if got := PublishedRows("particles"); len(got) != 6 || got[5].Name != "paper, Set Transformer" || len(PublishedRows("mixing")) != 5 || PublishedRows("line") != nil {
		t.Errorf("the rows are %v", got)
	}
	for text, says := range map[string]string{
		"[particles]":                          `published.txt:1: "[particles]" is no row; write a system,`,
		"# none\n\nmixing flow 1 2 3":          `published.txt:3: the row "mixing flow 1 2 3" has 5 words; give it a system, a method, a figure for in-dst, diff-init, diff-N, and a name`,
		"mixing magic 1 2 3 Magic":             `published.txt:1: there is no experiment "mixing/magic"`,
		"mixing flow 1 two 3 paper":            `published.txt:1: "two" is no figure; use a number or n/a`,
		"mixing flow 1 2 3 paper\nlime flow 1": `published.txt:2`,
	} {
		if _, err := parsePublished(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one that says %q", text, err, says)
		}
	}
}

// TestWith checks that With changes settings and those that depend on them, and that it changes neither
// the original nor anything if one of the settings is wrong.
func TestWith(t *testing.T) {
	c := preset(t, "mixing/flow")
	before := c.Settings()
	got := with(t, c, "encoder.zdim=3", "eps=0.2", "law.joint=false", "law.share=false", "dynamics.params=temperature", "particles=9")
	if got.ZDim() != 3 || got.Eps() != 0.2 || got.Dynamics.Joint || got.Dynamics.Share || got.Dynamics.Params.Names() != "temperature" || got.Particles != 9 || got.equationDim() != 1+2*3+1 {
		t.Errorf("changed to %s", got.Settings())
	}
	if with(t, c, "flow.bins=7"); c.Settings() != before {
		t.Error("With has changed the original")
	}
	// The length of ẑ and ε have the same names in all configurations.
	for _, spec := range []string{"particles/ae-aug", "particles/flow-tunable", "line/flow", "polymer/vit"} {
		if c := with(t, preset(t, spec), "encoder.zdim=2", "eps=0.05"); c.Tuning().Usual() != 2 || c.Eps() != 0.05 {
			t.Errorf("%s: ẑ dim %d, ε %g", spec, c.Tuning().Usual(), c.Eps())
		}
	}
	for change, says := range map[string]string{
		"epps=1":       `the experiment mixing/flow has no field "epps"; it has particles, seed`,
		"eps=0":        `cannot be "0": give a number from 1e-8 to 1`,
		"eps":          `cannot be ""`,
		"particles=-1": `particles cannot be "-1"`,
		"law.dim=3":    "law.dim follows from",
	} {
		got, err := c.With("steps=5", change)
		if err == nil || !strings.Contains(err.Error(), says) || got.Settings() != before {
			t.Errorf("%s: error %v, want one that says %q; it has %d steps", change, err, says, got.Steps)
		}
	}
}

// TestWithIsExact checks that With sets exactly the number that fmt.Sprint has formatted.
func TestWithIsExact(t *testing.T) {
	c := preset(t, "particles/flow")
	for _, eps := range []float64{0.1, 1. / 3, math.Nextafter(0.01, 1), 1e-8, math.Pi * 1e-5} {
		if got := with(t, c, fmt.Sprint("eps=", eps)); got.Eps() != eps {
			t.Errorf("ε is %v, want %v", got.Eps(), eps)
		}
	}
}

// TestEarlierFiles checks that files without stratified and warmup get the values that all presets have,
// and that the two are written, and count in Settings, only where they differ from these.
func TestEarlierFiles(t *testing.T) {
	for pair := range pairs() {
		c := tiny(t, pair)
		for name, other := range map[string]string{"warmup": "0.3", "stratified": fmt.Sprint(!c.Decoder.Stratified)} {
			if c.Table().Find(name) == nil {
				if name == "warmup" || c.Decoder.Density() && !strings.HasSuffix(pair, "/flow-matching") {
					t.Errorf("%s has no %s", pair, name)
				}
				continue
			}
			f := make(map[string]string)
			c.Write(f, "")
			if _, ok := f[name]; ok || strings.Contains(c.Settings(), name) {
				t.Errorf("%s: %s is written", pair, name)
			}
			changed := with(t, c, name+"="+other)
			f = make(map[string]string)
			changed.Write(f, "")
			if f[name] != other || !strings.Contains(changed.Settings(), name+"="+other) {
				t.Errorf("%s: %s=%s is written as %q", pair, name, other, f[name])
			}
			m, _, err := systems().Read(c.Spec.Pair(), f, "")
			if err != nil {
				t.Errorf("%s with %s=%s: %v", pair, name, other, err)
			} else if got := m.Table().Find(name).Text(); got != other {
				t.Errorf("%s: %s is %s after reading, want %s", pair, name, got, other)
			}
		}
	}
}

// TestFilesNeedNoPresets opens files while presets.txt gives other values to all settings that a file
// contains or leaves out. The models must have the settings of the files.
func TestFilesNeedNoPresets(t *testing.T) {
	other := "\n[*]\nwarmup=0.4 optimiser=soap steps=77 rate=0.5 seed=9 every=3 warm=2 stretch=0.5 unseen=1 law.narrowest=0.5 law.early=0.3\n" +
		"[!line]\nstratified=true\n[line]\nstratified=false\n[polymer,polymer-video]\nlaw.images=2\n"
	others, err := parseCatalogue(methodsText+momentsMethod, presetsText+momentsPresets+other)
	if err != nil {
		t.Fatal(err)
	}
	defer func(before func() *catalogue) { known = before }(known)
	before := known
	for pair := range pairs() {
		known = before
		c := tiny(t, pair)
		f := make(map[string]string)
		c.Write(f, "")
		known = func() *catalogue { return others }
		m, _, err := systems().Read(c.Spec.Pair(), f, "")
		if err != nil {
			t.Errorf("%s: %v", pair, err)
		} else if got, want := m.Table().Texts(), c.Table().Texts(); !slices.Equal(got, want) {
			t.Errorf("%s: opened with %v, want %v", pair, got, want)
		}
	}
}

// TestKindsOfMethods checks that the encoder and the decoder of every method have the settings of lines
// for all systems, and that a caller can change them.
func TestKindsOfMethods(t *testing.T) {
	for _, m := range Methods() {
		m.Encoder()
		m.Decoder()
	}
	m, err := FindMethod("flow")
	if err != nil {
		t.Fatal(err)
	}
	d := m.Decoder().(*decoder.Flow)
	if d.Layers != 4 || d.Bins != 16 {
		t.Errorf("the flow is %+v", d.Config)
	}
	if d.Layers = 1; m.Decoder().(*decoder.Flow).Layers != 4 {
		t.Error("the decoder is shared")
	}
}
