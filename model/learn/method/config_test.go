package method

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/optim"
	"macroscope/model/net/decoder"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/system"
)

func TestSpec(t *testing.T) {
	for text, want := range map[string]Spec{
		"particles/flow@laptop": {"particles", "flow", "laptop"},
		"mixing":                {System: "mixing"},
		"mixing@quick":          {System: "mixing", Preset: "quick"},
		"mixing/ae-aug":         {System: "mixing", Method: "ae-aug"},
		"":                      {},
	} {
		got := ParseSpec(text)
		if got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
		if again := ParseSpec(got.String()); again != got {
			t.Errorf("%q: %q became %+v", text, got.String(), again)
		}
	}
	for name, want := range map[string]string{
		"demo": "line/flow", "particles": "particles/flow", "ae-aug": "particles/ae-aug", "mixing": "mixing/flow", "mixing/ae-aug": "mixing/ae-aug", "mixing/flow": "mixing/flow",
	} {
		s := NamedSpec(name)
		if s.String() != want {
			t.Errorf("%s names %s, want %s", name, s, want)
		}
		if again := NamedSpec(s.Name()); again != s {
			t.Errorf("%s is written as %s, which names %s", s, s.Name(), again)
		}
	}
}

// TestPresets checks that presets exist for all meaningful pairs and no others, and that every
// preset can be trained.
func TestPresets(t *testing.T) {
	for _, sys := range systems() {
		if got := Presets(sys.Traits.Name, "magic"); got != nil {
			t.Errorf("%s/magic has the presets %v", sys.Traits.Name, got)
		}
	}
	for pair, names := range pairs() {
		for _, name := range names {
			c := preset(t, pair+"@"+name)
			if c.Spec.String() != pair+"@"+name {
				t.Errorf("%s@%s is %s", pair, name, c.Spec)
			}
			sys, _ := systems().Find(c.Spec.System)
			eps := 0.5
			if _, high, _ := c.Tuning().Range(); c.Tunable() {
				eps = high
			}
			all := []Config{c, with(t, c, "encoder.zdim=3"), with(t, c, fmt.Sprint("particles=", c.Particles+1)), with(t, c, fmt.Sprint("eps=", eps))}
			if c.Traits.Stochastic {
				all = append(all, with(t, c, fmt.Sprint("law.share=", !c.Dynamics.Share)))
			}
			if c.Traits.Stochastic && c.Variables == c.Sets() { // there can be an equation for each set
				all = append(all, with(t, c, fmt.Sprint("law.joint=", !c.Dynamics.Joint)), with(t, c, fmt.Sprint("law.share=", !c.Dynamics.Share), fmt.Sprint("law.joint=", !c.Dynamics.Joint)))
			}
			if c.HasDynamics() {
				all = append(all, c.withDim(3))
			}
			for i, c := range all {
				if err := c.Validate(); err != nil {
					t.Errorf("%s, form %d: %v", c.Spec, i, err)
				}
				if c.Variables != len(sys.Variables("")) || !reflect.DeepEqual(c.Traits, sys.Traits) {
					t.Errorf("%s: %d variables, %+v", c.Spec, c.Variables, c.Traits)
				}
			}
		}
	}
	// A specification without method and preset selects the defaults.
	if c := preset(t, "mixing"); c.Spec.String() != "mixing/flow@laptop" {
		t.Errorf("mixing is %s", c.Spec)
	}
	for spec, says := range map[string]string{
		"lattice":                `no system "lattice"; use line, particles, mixing, polymer, polymer-video`,
		"particles/magic":        `no method "magic"; use flow or flow-st or flow-matching`,
		"line/inve":              "the method inve is not for the system line",
		"particles@enormous":     `no preset "enormous"; use quick, browser, laptop, wide, paper`,
		"mixing/ae-aug@quick":    `no preset "quick"; use browser, laptop, paper`,
		"particles/flow@laptop@": "no preset",
	} {
		if _, err := systems().Preset(spec); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want one that says %q", spec, err, says)
		}
	}
}

// TestOnePresetIsEnough adds a method with one preset, which is not called laptop. A
// specification without a preset, as in checkpoints, must select this preset.
func TestOnePresetIsEnough(t *testing.T) {
	defer func(before func() *catalogue) { known = before }(known)
	one, err := parseCatalogue(methodsText+"[one]\ntitle One\ntext One.\nencoder deepset\ndecoder pointwise\npresets line browser\n", presetsText)
	if err != nil {
		t.Fatal(err)
	}
	known = func() *catalogue { return one }
	c := with(t, preset(t, "line/one"), "encoder.zdim=2", "particles=9")
	if got := c.Spec.String(); got != "line/one@browser" {
		t.Errorf("what is left out is %s", got)
	}
	f := make(map[string]string)
	c.Write(f, "")
	if _, _, err := systems().Read("line/one", f, ""); err != nil {
		t.Error(err)
	}
}

// TestPresetsAreTheirs checks the preset values on which checkpoints, figures and pages
// depend.
func TestPresetsAreTheirs(t *testing.T) {
	for spec, want := range map[string]struct{ states, batch, steps, fit, roll, views int }{
		"line/flow@laptop":        {0, 64, 6000, 0, 0, 1},
		"particles/flow@laptop":   {9, 32, 6000, 15_000, 1500, 16},
		"particles/flow@quick":    {9, 32, 900, 4000, 300, 16},
		"particles/flow@paper":    {9, 512, 113_000, 937_600, 0, 1},
		"particles/ae-aug@laptop": {9, 256, 6000, 15_000, 1000, 1},
		"particles/ae-aug@quick":  {9, 256, 666, 5000, 500, 1},
		"particles/flow-st@paper": {9, 512, 113_000, 937_600, 0, 1},
		"mixing/flow@laptop":      {5, 32, 6000, 8000, 0, 1},
		"mixing/flow@browser":     {5, 16, 2000, 8000, 0, 1},
		"mixing/flow@paper":       {4, 512, 24_300, 83_500, 0, 1},
		"mixing/ae-aug@laptop":    {4, 256, 6000, 8000, 0, 1},
	} {
		c := preset(t, spec)
		states := 0
		if c.HasDynamics() {
			states = c.States()
		}
		if states != want.states || c.Batch != want.batch || c.Steps != want.steps || c.Dynamics.Velocity.Steps != want.fit || c.Dynamics.Rollout.Steps != want.roll || c.Data.Views != want.views {
			t.Errorf("%s: %d states, batch %d, steps %d, %d, %d, %d views; want %+v", spec, states, c.Batch, c.Steps, c.Dynamics.Velocity.Steps, c.Dynamics.Rollout.Steps, c.Data.Views, want)
		}
	}
}

// TestRoomIsLimited checks that a configuration or a checkpoint too large for memory is
// rejected because of its size. This must happen before memory is allocated.
func TestRoomIsLimited(t *testing.T) {
	for pair := range pairs() {
		c := tiny(t, pair)
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		c.Batch, c.Shards, c.Decoder.Samples = 4096, 1, 4096
		if _, deep := c.Encoder.(*encoder.DeepSet); deep {
			c.Particles = MaxParticles
			if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "bytes of memory") {
				if points, ok := c.Decoder.Kind.(*decoder.Pointwise); !ok || points.Validate(c.Autoencoder().Input) == nil {
					t.Errorf("%s: error %v", pair, err)
				}
			}
			f, small := make(map[string]string), tiny(t, pair)
			small.Write(f, "")
			for key, value := range map[string]string{"particles": "10000", "batch": "4096", "shards": "1"} {
				f[key] = value
			}
			if _, _, err := systems().Read(c.Spec.Pair(), f, ""); err == nil || !strings.Contains(err.Error(), "bytes of memory") {
				t.Errorf("%s: a checkpoint of it is opened: %v", pair, err)
			}
		}
		if c = tiny(t, pair); c.HasDynamics() {
			c.Dynamics.Velocity.Batch, c.Dynamics.Velocity.Shards, c.Dynamics.Velocity.Window, c.Dynamics.Velocity.Substeps = 1<<16, 1, 16, min(1, c.Dynamics.Velocity.Substeps)
			c.Dynamics.Drift.Hidden = []int{4096}
			if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "bytes of memory") {
				t.Errorf("%s: stage II: error %v", pair, err)
			}
		}
	}
}

// TestRoomOfRotations checks that the predicted memory includes SOAP's rotations.
func TestRoomOfRotations(t *testing.T) {
	c := tiny(t, "line/flow")
	_, adam := c.Room()
	c.Optimiser = SoapOptimiser
	m := c.Networks()
	if _, got := c.Room(); got != adam+4*optim.RotationLayout(m.Matrices(true)).Size() || got == adam {
		t.Errorf("%d bytes for all, and %d without rotations", got, adam)
	}
}

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		pair   string
		change func(*Config)
		says   string
	}{
		{"line/flow", func(c *Config) { c.Decoder.Eps = 0 }, `ε (eps), the width of a Gaussian in the units of the networks, cannot be "0": give a number from 1e-8 to 1`},
		{"line/flow", func(c *Config) { c.Decoder.Eps = -0.1 }, `cannot be "-0.1"`},
		{"line/flow", func(c *Config) { c.Decoder.Eps = 1e300 }, `cannot be "1e+300"`},
		{"line/flow", func(c *Config) { c.Decoder.Eps = math.NaN() }, `cannot be "NaN"`},
		{"line/flow", func(c *Config) { c.Shape.ZDim = 0 }, `the latent dimension cannot be "0": give a whole number from 1 to 16`},
		{"line/flow", func(c *Config) { c.Shape.ZDim = 99 }, `the latent dimension cannot be "99"`},
		{"line/flow", func(c *Config) { c.Particles = 0 }, `particles cannot be "0": give a whole number from 1 to 100000`},
		{"line/flow", func(c *Config) { c.Particles = MaxParticles + 1 }, `particles cannot be "100001"`},
		{"line/flow", func(c *Config) { c.Shards = 3 }, "in 3 shards"},
		{"line/flow", func(c *Config) { c.Batch = 8192 }, `batch cannot be "8192": give a whole number from 1 to 4096`},
		{"line/flow", func(c *Config) { c.Steps = 0 }, `steps cannot be "0"`},
		{"line/flow", func(c *Config) { c.Rate = math.Inf(1) }, "rate"},
		{"line/flow", func(c *Config) { c.Decoder.Samples = 0 }, `samples cannot be "0"`},
		{"particles/ae-aug", func(c *Config) { c.Encoder = &encoder.Flat{} }, `hidden cannot be "": give 1 to 8 whole numbers from 1 to 1024, with spaces between`},
		{"particles/flow", func(c *Config) { c.Data.Trajectories = 0 }, `trajectories cannot be "0"`},
		{"particles/flow", func(c *Config) { c.Dynamics.Trajectories = MaxTrajectories + 1 }, `law.trajectories cannot be "1000001"`},
		{"particles/flow", func(c *Config) { c.Data.Initial = -1 }, `warm cannot be "-1"`},
		{"particles/flow", func(c *Config) { c.Data.Every = 0 }, `every cannot be "0"`},
		{"particles/flow", func(c *Config) { c.Data.Thin = 0 }, `thin cannot be "0"`},
		{"particles/flow", func(c *Config) { c.Data.Thin = MaxThin + 1 }, `thin cannot be "1001"`},
		{"particles/flow", func(c *Config) { c.Data.Views = 0 }, `views cannot be "0"`},
		{"particles/flow", func(c *Config) { c.Data.Observable = strings.Repeat("x", 201) }, "201 letters"},
		{"particles/flow", func(c *Config) { c.Data.Observable = "\xe9nergie" }, "not UTF-8"},
		{"particles/flow", func(c *Config) { c.Shape.Dim = 3 }, "can be turned"},
		{"mixing/flow", func(c *Config) { c.Data.Turn = true }, "can be turned"},
		{"mixing/flow", func(c *Config) { c.Data.Views = 4 }, "can be turned"},
		{"particles/flow", func(c *Config) { c.Variables = 63 }, "an equation has 65 variables; use 64 at most"},
		{"particles/flow", func(c *Config) { *c = with(t, *c, "law.joint=false"); c.Variables = 2 }, "2 macroscopic variables for 1 sets"},
		{"particles/flow", func(c *Config) { c.Dynamics.Dt = 0 }, `law.dt cannot be "0"`},
		{"particles/flow", func(c *Config) { c.Dynamics.Dt = math.NaN() }, `law.dt cannot be "NaN"`},
		{"particles/flow", func(c *Config) { c.Dynamics.Drift.Hidden = []int{0} }, `law.hidden cannot be "0"`},
		{"particles/flow", func(c *Config) { c.Dynamics.Rollout.Window = 0 }, `law.roll.window cannot be "0"`},
		{"particles/flow", func(c *Config) { c.Dynamics.Rollout.Window = 1001 }, `law.roll.window cannot be "1001": give a whole number from 1 to 1000`},
		{"particles/flow", func(c *Config) { c.Dynamics.Rollout.Stride = 101 }, `law.roll.stride cannot be "101"`},
		{"particles/flow", func(c *Config) { c.Dynamics.Rollout.Noise = 2 }, `law.roll.noise cannot be "2": give a number from 0 to 1`},
		{"particles/flow", func(c *Config) { c.Dynamics.Rollout.Shards = 7 }, "in 7 shards"},
		{"particles/flow", func(c *Config) { c.Dynamics.Rollout.Decay = -1 }, `law.roll.decay cannot be "-1"`},
		{"particles/flow", func(c *Config) { c.Dynamics.Velocity.Macro = 0 }, `law.fit.macro cannot be "0"`},
		{"particles/flow", func(c *Config) { c.Dynamics.Velocity.Start = 2 }, `law.fit.start cannot be "2"`},
		{"particles/flow", func(c *Config) { c.Dynamics.Velocity.Early = -0.1 }, `law.fit.early cannot be "-0.1"`},
		{"particles/flow", func(c *Config) { c.Dynamics.Rollout.Power = math.NaN() }, `law.roll.power cannot be "NaN"`},
		{"line/flow", func(c *Config) { c.Optimiser = "sgd" }, `optimiser cannot be "sgd": give one of adam, soap`},
		{"mixing/flow", func(c *Config) { c.Dynamics.Velocity.Optimiser = "" }, "give one of adam, soap"},
		{"particles/flow", func(c *Config) { c.Dynamics.Velocity.Steps = 0 }, `law.fit.steps cannot be "0"`},
		{"mixing/flow", func(c *Config) {
			c.Dynamics.Velocity.Batch, c.Dynamics.Velocity.Window, c.Dynamics.Velocity.Shards = 65536, 100_000, 1
		}, "a million steps"},
		{"mixing/flow", func(c *Config) { c.Dynamics.Velocity.Batch = 70_000 }, `law.batch cannot be "70000": give a whole number from 1 to 65536`},
		{"mixing/flow", func(c *Config) { c.Dynamics.Noise.Floor = 0 }, "floor"},
		{"mixing/flow", func(c *Config) { c.Dynamics.Rollout.Steps = 5 }, "no second part of 5 steps"},
		{"particles/flow", func(c *Config) { c.Dynamics.Dt = 1.5 }, `law.dt cannot be "1.5"`},
		{"particles/flow", func(c *Config) { c.Dynamics.Drift.Confined, c.Dynamics.Drift.Box.Pull = true, 1e12 }, "beyond 2 they fly off"},
		{"polymer/cnn", func(c *Config) { c.Encoder.(*encoder.Picture).Raster.Left = 1e6 }, "less than a hundredth of the film"},
		{"polymer/cnn", func(c *Config) { c.Encoder.(*encoder.Picture).Raster.Top = -1e6 }, "less than a hundredth of the film"},
		{"polymer/cnn", func(c *Config) { c.Encoder.(*encoder.Picture).Raster.Pixel = 1e-6 }, "less than a hundredth of the film"},
		{"polymer/cnn", func(c *Config) { c.Encoder.(*encoder.Picture).Raster.Pixel = 101 }, "larger than the film"},
	} {
		c := tiny(t, tc.pair)
		tc.change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: error %v, want one that says %q", tc.pair, err, tc.says)
		}
	}
	// Without dynamics, the settings of dynamics and trajectories are not checked.
	c := tiny(t, "line/flow")
	c.Data.Trajectories, c.Data.Thin, c.Dynamics.Dt = -1, 0, math.NaN()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

// TestUsed sets settings that have no effect. The error must say what would give them an effect.
func TestUsed(t *testing.T) {
	for _, tc := range []struct{ pair, name, without, with, needs string }{
		{"particles/flow", "law.onsager.alpha", "law.form=mlp", "law.form=onsager", "law.form=onsager"},
		{"particles/flow", "law.resnet.beta", "law.form=onsager", "law.form=onsager-resnet", "law.form=onsager-resnet"},
		{"particles/flow", "law.hidden", "law.form=onsager", "law.form=mlp", "law.form=mlp"},
		{"particles/flow", "law.box.half", "law.confined=false", "law.confined=true", "law.confined=true"},
		{"particles/flow", "law.roll.window", "law.roll.steps=0", "law.roll.steps=1", "law.roll.steps above 0"},
		{"particles/flow", "every", "warm=0", "warm=1", "warm above 0"},
		{"particles/flow", "step.macro", "step.weight=0", "step.weight=1", "step.weight above 0"},
		{"particles/flow", "step.hidden", "step.weight=0", "step.weight=1", "step.weight above 0"},
		{"line/flow", "flow.orderseed", "flow.order=alternate", "flow.order=random", "flow.order=random"},
		{"line/flow", "flow.basehidden", "flow.condbase=false", "flow.condbase=true", "flow.condbase=true"},
		{"mixing/flow", "law.noise.act", "law.noise.form=constant", "law.noise.form=full", "law.noise.form=diagonal or full"},
	} {
		c := tiny(t, tc.pair)
		for change, want := range map[string]string{tc.without: tc.name + " has no effect without " + tc.needs + "; set both, or leave it out", tc.with: "<nil>"} {
			name, value, _ := strings.Cut(change, "=")
			if err := c.Set(name, value); err != nil {
				t.Fatal(err)
			}
			if err := c.Table().Used("rate", name, tc.name); fmt.Sprint(err) != want {
				t.Errorf("%s with %s: error %v, want %s", tc.name, change, err, want)
			}
		}
	}
}

// TestTableRoundTrip gives every field of every table another value and writes it. Reading
// must return the same value.
func TestTableRoundTrip(t *testing.T) {
	for pair := range pairs() {
		c := tiny(t, pair)
		table := c.Table()
		seen := map[string]bool{}
		for i, f := range table {
			if seen[f.Name] {
				t.Errorf("%s: two fields are called %s", pair, f.Name)
			}
			seen[f.Name] = true
			text := ""
			switch v := f.Value.(type) {
			case *int:
				text = fmt.Sprint(*v + 1)
			case *uint64:
				text = fmt.Sprint(*v + 1)
			case *float64:
				text = fmt.Sprint(*v*0.7 + 0.1)
			case *bool:
				text = fmt.Sprint(!*v)
			case *[]int:
				text = fmt.Sprint(3+i, " ", 2)
			case *kernel.Activation:
				text = kernel.ReLU.String()
			case *string:
				text = "gyration"
				if len(f.Options) > 0 {
					text = f.Options[len(f.Options)-1].Value
				}
			default:
				text = table[i].Text()
			}
			if err := table.Set(f.Name, text); err != nil {
				t.Errorf("%s: %v", pair, err)
			}
		}
		file := map[string]string{}
		table.Write(file, "config.")
		again := tiny(t, pair)
		if err := again.Table().Read(file, "config."); err != nil {
			t.Fatalf("%s: %v", pair, err)
		}
		if !slices.Equal(again.Table().Texts(), table.Texts()) {
			t.Errorf("%s: got %v, want %v", pair, again.Table().Texts(), table.Texts())
		}
		// If a setting is absent, it is read as its Absent value. Without law.memory, law.dim is another.
		for i, f := range table {
			if f.Absent == "" {
				continue
			}
			less := maps.Clone(file)
			delete(less, "config."+f.Name)
			err := again.Table().Read(less, "config.")
			if f.Name == "law.memory" && err != nil && strings.Contains(err.Error(), "law.dim") {
				err = nil
			}
			if err != nil || again.Table()[i].Text() != f.Absent {
				t.Errorf("%s without %s: %s, %v", pair, f.Name, again.Table()[i].Text(), err)
			}
		}
	}
}

// TestSet changes fields by name. Settings that depend on a field must change with the field,
// and setting them by name must be an error.
func TestSet(t *testing.T) {
	for _, tc := range []struct {
		pair, name, text string
		check            func(*Config) bool
	}{
		{"particles/flow", "encoder.zdim", "5", func(c *Config) bool { return c.ZDim() == 5 && c.equationDim() == 6 }},
		{"mixing/flow", "encoder.zdim", "3", func(c *Config) bool { return c.equationDim() == 2+2*3+1 }},
		{"particles/ae-aug", "zdim", "5", func(c *Config) bool { return c.ZDim() == 5 && c.equationDim() == 6 }},
		{"particles/ae-aug", "hidden", "8 4", func(c *Config) bool { return slices.Equal(c.Encoder.(*encoder.Flat).Mirrored(), []int{4, 8}) }},
		{"particles/ae-aug", "particles", "11", func(c *Config) bool { return slices.Equal(c.Shape.SetSizes(), []int{11}) }},
		{"mixing/ae-aug", "particles", "11", func(c *Config) bool { return slices.Equal(c.Shape.SetSizes(), []int{6, 5}) }},
		{"mixing/flow", "law.joint", "false", func(c *Config) bool { return c.equationDim() == 6 }},
		{"mixing/flow", "dynamics.params", "temperature,e12:0.5:1", func(c *Config) bool {
			return c.equationDim() == 9 && c.States() == 9 && c.Dynamics.Params.String() == "temperature:0.7:1.5,e12:0.5:1"
		}},
		{"particles/ae-aug", "dynamics.params", "b", func(c *Config) bool { return c.equationDim() == 4 && c.Moving() == 3 }},
		{"mixing/flow", "law.share", "false", func(c *Config) bool { return c.equationDim() == 6 && c.States() == 6 }},
		{"line/flow", "eps", "0.3", func(c *Config) bool { return c.Eps() == 0.3 }},
		{"line/flow", "steps", "7", func(c *Config) bool { return c.Steps == 7 }},
		{"particles/flow", "law.roll.noise", "0", func(c *Config) bool { return c.Dynamics.Rollout.Noise == 0 }},
		{"particles/flow", "encoder.act", "relu", func(c *Config) bool { return c.Encoder.(*encoder.DeepSet).Act == kernel.ReLU }},
		{"mixing/flow", "law.noise.form", "full", func(c *Config) bool { return c.Dynamics.Noise.Form == dynamics.NoiseFull }},
	} {
		c := tiny(t, tc.pair)
		if err := c.Set(tc.name, tc.text); err != nil || !tc.check(&c) {
			t.Errorf("%s, %s=%s: %v, %+v", tc.pair, tc.name, tc.text, err, c)
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%s, %s=%s: %v", tc.pair, tc.name, tc.text, err)
		}
	}
	for _, tc := range []struct{ pair, name, text, says string }{
		{"line/flow", "law.dt", "1", `the experiment line/flow has no field "law.dt"; it has particles, seed`},
		{"line/flow", "steps", "many", `steps cannot be "many"`},
		{"particles/flow", "dynamics.params", "a,c", `no parameter "c"; use a, b`},
		{"particles/flow", "law.dim", "4", "law.dim follows from"},
		{"particles/flow", "flow.zdim", "4", "follows from"},
		{"particles/flow", "flow.dim", "3", "follows from"},
		{"particles/flow", "encoder.dim", "3", "follows from"},
		{"particles/flow", "recorded", "true", "follows from"},
		{"particles/ae-aug", "dim", "3", "follows from"},
		{"particles/ae-aug", "eps", "0.1", "no field"},
		{"mixing/ae-aug", "sizes", "4 5", "follows from"},
		{"mixing/flow", "encoder.act", "sigmoid", "encoder.act cannot be"},
	} {
		c := tiny(t, tc.pair)
		before := c.Table().Texts()
		if err := c.Set(tc.name, tc.text); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s, %s=%s: error %v, want one that says %q", tc.pair, tc.name, tc.text, err, tc.says)
		}
		if !slices.Equal(c.Table().Texts(), before) {
			t.Errorf("%s, %s=%s was refused and changed the configuration", tc.pair, tc.name, tc.text)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, tc := range []struct {
		n, sets int
		want    []int
	}{{9, 1, []int{9}}, {9, 2, []int{5, 4}}, {8, 2, []int{4, 4}}, {8, 3, []int{3, 3, 2}}} {
		if got := (encoder.Shape{Particles: tc.n, Sets: tc.sets}).SetSizes(); !slices.Equal(got, tc.want) {
			t.Errorf("%d particles in %d sets: %v, want %v", tc.n, tc.sets, got, tc.want)
		}
	}
}

func TestAvailable(t *testing.T) {
	c := Config{Data: Data{Initial: 4, Every: 3}}
	for step, want := range map[int]int{0: 4, 2: 4, 3: 5, 23: 11, 24: 12, 100: 12} {
		if got := c.Data.Available(step, 12); got != want {
			t.Errorf("step %d draws from %d trajectories, want %d", step, got, want)
		}
	}
	c.Data.Initial = 0
	if got := c.Data.Available(0, 12); got != 12 {
		t.Errorf("%d trajectories from the beginning, want all 12", got)
	}
}

// TestFrames checks which frames of a mixing run stage I keeps. The system selects all early
// frames and fewer later frames; stage I keeps every Thin-th of the selected frames.
func TestFrames(t *testing.T) {
	c := preset(t, "mixing/flow@paper")
	sys, _ := systems().Find("mixing")
	all := c.Data.Frames(sys, 501)
	if len(all) != 311 || all[0] != 0 || all[1] != 1 || !slices.IsSorted(all) {
		t.Errorf("%d frames %v are used, want 311", len(all), all)
	}
	c.Data.Thin = 5
	thin := c.Data.Frames(sys, 501)
	if len(thin) != 63 || thin[0] != 0 || thin[1] != all[5] || thin[62] != all[310] {
		t.Errorf("%d frames %v, want every fifth", len(thin), thin)
	}
	c.Data.Thin = 2
	if got, want := c.Data.Frames(sys, 5), []int{0, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("frames %v, want %v", got, want)
	}
}

// own is a user's recording that has a shape and no content.
type own struct {
	system.Recorded
	shape      system.Shape
	observable string
}

func (o own) Shape() system.Shape { return o.shape }

func (o own) Observable() string { return o.observable }

func (o own) Facts() *system.Facts { return new(system.Facts) }

func TestForData(t *testing.T) {
	c := preset(t, "particles/flow@browser")
	d := c.ForData(own{shape: system.Shape{Trajectories: 40, Frames: 30, Particles: 12, Dim: 3}, observable: "gyration"}, 1)
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
	if d.Data.Turn || d.Data.Views != 1 || !d.Data.Recorded || d.Data.Initial != 0 || d.Data.Trajectories != 36 || d.Dynamics.Trajectories != 36 || d.Particles != 12 || d.Dim() != 3 || d.Data.Observable != "gyration" {
		t.Errorf("trains on %+v", d)
	}
	if roll := d.Dynamics.Rollout; roll.Window*roll.Stride > 14 || roll.Window < 1 || roll.Stride < 1 {
		t.Errorf("stretches of %d steps of %d frames, of 30", roll.Window, roll.Stride)
	}
	if got := c.ForData(own{shape: system.Shape{Trajectories: 4, Frames: 2, Particles: 12, Dim: 2}}, 1); got.Dynamics.Rollout.Window != 1 || got.Validate() != nil || got.Data.Observable != "energy" {
		t.Errorf("two frames: %+v, %v", got.Dynamics.Rollout, got.Validate())
	}
	long := c.ForData(own{shape: system.Shape{Trajectories: 4, Frames: 1000, Particles: 12, Dim: 2}}, 1)
	if long.Dynamics.Rollout.Window != c.Dynamics.Rollout.Window || long.Dynamics.Rollout.Stride != c.Dynamics.Rollout.Stride {
		t.Errorf("stretches of %+v where there is room for %+v", long.Dynamics.Rollout, c.Dynamics.Rollout)
	}
	m := preset(t, "mixing/ae-aug@laptop").ForData(own{shape: system.Shape{Trajectories: 900, Frames: 20, Particles: 11, Dim: 2}}, 2)
	if f := m.Dynamics.Velocity; f.Window != 5 || f.Stride != 3 || f.Substeps != 3 || m.Data.Trajectories != 400 || m.Dynamics.Trajectories != 884 || !slices.Equal(m.Shape.SetSizes(), []int{6, 5}) || m.Validate() != nil {
		t.Errorf("trains on %+v: %v", m, m.Validate())
	}
	short := preset(t, "mixing/flow@laptop").ForData(own{shape: system.Shape{Trajectories: 900, Frames: 20, Particles: 11, Dim: 2}}, 2)
	if f := short.Dynamics.Velocity; f.Window != 19 || f.Stride != 1 || f.Substeps != 1 {
		t.Errorf("stretches of %+v, of 20 frames", f)
	}
}

// TestRetrained checks the result of Retrained: the physics of the configuration, the networks of
// the model `from`, a third of the steps, and lower rates.
func TestRetrained(t *testing.T) {
	c := with(t, preset(t, "particles/flow@browser"), "eps=0.05")
	from := preset(t, "particles/flow@laptop")
	got, err := c.Retrained(&from)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Encoder, from.Encoder) || !reflect.DeepEqual(got.Decoder.Kind, from.Decoder.Kind) || !slices.Equal(got.Dynamics.Drift.Hidden, from.Dynamics.Drift.Hidden) {
		t.Error("it has other networks than the model that it begins with")
	}
	if got.Eps() != 0.05 || got.Decoder.Samples != c.Decoder.Samples || got.Steps != 666 || got.Rate != c.Rate*0.03 || got.Dynamics.Velocity.Steps != 2666 || got.Dynamics.Rollout.Steps != 233 || got.Dynamics.Velocity.Rate != c.Dynamics.Velocity.Rate*0.1 || got.Dynamics.Rollout.Rate != c.Dynamics.Rollout.Rate*0.03 {
		t.Errorf("ε %g, %d steps at %g, %d and %d", got.Eps(), got.Steps, got.Rate, got.Dynamics.Velocity.Steps, got.Dynamics.Rollout.Steps)
	}
	if got.Data.Trajectories != c.Data.Trajectories/2 || got.Dynamics.Trajectories != c.Dynamics.Trajectories/2 || got.Validate() != nil {
		t.Errorf("%d and %d trajectories, %v", got.Data.Trajectories, got.Dynamics.Trajectories, got.Validate())
	}
	// A tab simulates only a few trajectories of mixing or of polymers per minute, so a retraining
	// must not need many.
	for system, most := range map[string][2]int{"mixing": {20, 40}, "polymer": {120, 120}} {
		c, from := preset(t, system+"/flow@browser"), preset(t, system+"/flow@laptop")
		from.Particles = c.Particles
		got, err := c.Retrained(&from)
		if err != nil || got.Data.Trajectories > most[0] || got.Dynamics.Trajectories > most[1] {
			t.Errorf("%s: %d and %d trajectories, %v", system, got.Data.Trajectories, got.Dynamics.Trajectories, err)
		}
	}
	for says, from := range map[string]Config{
		"another method":      preset(t, "particles/ae-aug@browser"),
		"3 coordinates":       from.withDim(3),
		"4 closure variables": with(t, from, "encoder.zdim=4"),
	} {
		if _, err := c.Retrained(&from); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
	mix := preset(t, "mixing/flow@browser")
	onsager := mix
	onsager.Dynamics.Drift.Form = dynamics.FormOnsager
	for _, other := range []Config{with(t, mix, "law.joint=false"), with(t, mix, "law.share=false"), onsager} {
		if _, err := mix.Retrained(&other); err == nil || !strings.Contains(err.Error(), "another form") {
			t.Errorf("error %v", err)
		}
	}
	tunable := preset(t, "line/flow-tunable@browser")
	older := preset(t, "line/flow-tunable@browser") // like a file that is older than the setting encoder.nodes
	set(t, &older, map[string]string{"encoder.nodes": "0"})
	if got, err := tunable.Retrained(&older); err != nil || got.Encoder.(*encoder.Tunable).Nodes != 256 || older.Encoder.(*encoder.Tunable).Nodes != 0 {
		t.Errorf("retrained with %d nodes: %v", got.Encoder.(*encoder.Tunable).Nodes, err)
	}
	flat := preset(t, "particles/ae-aug@browser")
	other := with(t, flat, "particles=12")
	if _, err := flat.Retrained(&other); err == nil || !strings.Contains(err.Error(), "sets of [12]") {
		t.Errorf("error %v", err)
	}
}

// TestMethods checks that every method has a title and a text for the page.
func TestMethods(t *testing.T) {
	for _, m := range Methods() {
		got, err := FindMethod(m.Name)
		if err != nil || got.Name != m.Name || m.Title == "" || !strings.HasSuffix(m.Text, ".") {
			t.Errorf("%+v: %v", got, err)
		}
	}
}

// TestSmaller compares configurations with the preset laptop.
func TestSmaller(t *testing.T) {
	change := func(spec, name, value string) Config {
		c := preset(t, spec)
		if err := c.Set(name, value); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, tc := range []struct {
		name string
		c    Config
		want bool
	}{
		{"the preset", preset(t, "particles/flow@laptop"), false},
		{"a smaller preset", preset(t, "particles/flow@browser"), true},
		{"a larger preset", preset(t, "particles/flow@paper"), false},
		{"smaller networks", change("line/flow@laptop", "encoder.hidden", "8 8"), true},
		{"fewer steps", change("line/flow@laptop", "steps", "10"), true},
		{"fewer trajectories", change("mixing/flow@laptop", "law.trajectories", "10"), true},
		{"dynamics without the share", change("mixing/flow@laptop", "law.share", "false"), false},
		{"another number of particles", change("polymer/flow@browser", "steps", "10"), false},
		{"other inputs", change("particles/flow@browser", "dynamics.params", "a"), false},
	} {
		if got := systems().Smaller(&tc.c, "laptop"); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}
