package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"macroscope/model/compute/kernel"
	"macroscope/model/net/attention"
	"macroscope/model/net/decoder"
	"macroscope/model/net/decoder/flow"
	"macroscope/model/net/decoder/matching"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/encoder/deepset"
	"macroscope/model/net/image"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// presetRow sets what holds for a system, a method and a preset; one that is ""
// holds for all, methods that want rows of their own aside.
type presetRow struct {
	system, method, preset string
	set                    func(c *Config)
}

// of says whether the row holds for a system and a method.
func (r *presetRow) of(system string, m Method) bool {
	all := r.method == "" && !m.Own
	return r.system == system && (all || r.method == m.Name)
}

// presets are applied in their order. A pair can be trained if it has rows with
// a preset's name; a row without a method gives them to every method.
//
//   - quick: browser's networks at half of its steps, for a lecture;
//   - browser: minutes in a tab;
//   - laptop: under an hour of two cores, simulations included (particles/flow: minutes);
//   - paper: the published networks, batches, samples and steps.
var presets = append([]presetRow{
	{"line", "flow", "", line},
	{"line", "flow", "browser", func(c *Config) { c.Steps = 4000 }},
	{"line", "flow", "laptop", func(*Config) {}},
	{"line", "flow", "paper", linePaper},
	{"line", "flow-st", "", lineSetTransformer},
	{"line", "flow-st", "browser", smallSetTransformer},
	{"line", "flow-st", "laptop", func(*Config) {}},
	{"line", "flow-st", "paper", func(c *Config) { linePaper(c); setTransformer(c) }},
	{"line", "flow-matching", "", line},
	{"line", "flow-matching", "browser", func(c *Config) { c.Steps = 4000 }},
	{"line", "flow-matching", "laptop", func(*Config) {}},
	{"line", "flow-matching", "paper", linePaper},
	{"line", "ae-aug", "", func(c *Config) { line(c); aeAug(c) }},
	{"line", "ae-aug", "browser", func(c *Config) { c.Steps = 2000 }},
	{"line", "ae-aug", "laptop", func(*Config) {}},

	{"particles", "", "", particles},
	{"particles", "", "quick", particlesQuick},
	{"particles", "", "browser", particlesBrowser},
	{"particles", "", "laptop", particlesLaptop},
	{"particles", "", "paper", particlesPaper},
	{"particles", "flow-st", "", setTransformer},
	{"particles", "flow-st", "quick", smallSetTransformer},
	{"particles", "flow-st", "browser", smallSetTransformer},
	{"particles", "ae-aug", "", particlesAEAug},
	{"particles", "ae-aug", "quick", particlesAEAugQuick},
	{"particles", "ae-aug", "browser", func(c *Config) {
		c.Steps = 2000
		particlesAdam(c, 15_000, 1500)
	}},
	{"particles", "ae-aug", "laptop", particlesAEAugLaptop},
	{"particles", "ae-aug", "paper", aeAugPaper},

	{"particles", "inve", "", predicted}, {"particles", "inve", "paper", predictedPaper},
	{"particles", "ae-inve", "", restored}, {"particles", "ae-inve", "paper", restoredPaper},
	{"particles", "ae-inve-cd", "", restored}, {"particles", "ae-inve-cd", "paper", restoredPaper},

	{"mixing", "", "", mixing},
	{"mixing", "", "browser", mixingBrowser},
	{"mixing", "", "laptop", func(*Config) {}},
	{"mixing", "", "paper", mixingPaper},
	{"mixing", "flow-st", "", setTransformer},
	{"mixing", "flow-st", "browser", smallSetTransformer},
	{"mixing", "ae-aug", "", aeAug},
	{"mixing", "ae-aug", "browser", func(c *Config) { c.Steps = 2000 }},
	{"mixing", "ae-aug", "paper", aeAugPaper},
	{"mixing", "inve", "", predicted}, {"mixing", "inve", "paper", predictedPaper},
	{"mixing", "ae-inve", "", restored}, {"mixing", "ae-inve", "paper", restoredPaper},
	{"mixing", "ae-inve-cd", "", restored}, {"mixing", "ae-inve-cd", "paper", restoredPaper},
}, polymerRows()...)

// polymerRows are the same of marked beads and from video.
func polymerRows() (rows []presetRow) {
	for _, system := range []string{"polymer", "polymer-video"} {
		add := func(method, preset string, set func(*Config)) {
			rows = append(rows, presetRow{system, method, preset, set})
		}
		for _, method := range []string{"flow", "ae-inve-cd", "cnn", "vit"} {
			add(method, "", polymer)
			add(method, "quick", polymerQuick)
			add(method, "browser", polymerBrowser)
			add(method, "laptop", func(*Config) {})
			add(method, "paper", polymerPaper)
		}
		if system == "polymer-video" {
			add("flow-memory", "", func(c *Config) { polymer(c); remembering(c) })
			add("flow-memory", "quick", polymerQuick)
			add("flow-memory", "browser", polymerBrowser)
			add("flow-memory", "laptop", func(*Config) {})
		}
		add("ae-inve-cd", "", restored)
		add("ae-inve-cd", "paper", restoredPaper)
		for _, method := range []string{"cnn", "vit"} {
			add(method, "quick", smallPictures)
			add(method, "browser", smallPictures)
			add(method, "laptop", largePictures)
			add(method, "paper", wholePictures)
		}
	}
	return rows
}

// Presets lists the presets of a pair; none where the method is not for the
// system.
func Presets(system, method string) (names []string) {
	m, err := FindMethod(method)
	if err != nil {
		return nil
	}
	for _, r := range presets {
		if r.of(system, m) && r.preset != "" && !slices.Contains(names, r.preset) {
			names = append(names, r.preset)
		}
	}
	return names
}

// MethodsFor lists the methods that a system can be learned with.
func MethodsFor(system string) (methods []Method) {
	for _, m := range Methods() {
		if len(Presets(system, m.Name)) > 0 {
			methods = append(methods, m)
		}
	}
	return methods
}

// Preset returns the configuration of an experiment, of which the system must be
// given; the method is flow if it is not, and the preset laptop or, if the pair has none
// of that name, its last.
func (s Systems) Preset(spec string) (Config, error) {
	p := ParseSpec(spec)
	if p.Method == "" {
		p.Method = "flow"
	}
	var c Config
	sys, err := s.Find(p.System)
	if err != nil {
		return c, err
	}
	m, err := FindMethod(p.Method)
	if err != nil {
		return c, err
	}
	names := Presets(p.System, p.Method)
	switch {
	case len(names) == 0:
		return c, fmt.Errorf("the method %s is not for the system %s", p.Method, p.System)
	case p.Preset != "":
	case slices.Contains(names, "laptop"):
		p.Preset = "laptop"
	default:
		p.Preset = names[len(names)-1]
	}
	if !slices.Contains(names, p.Preset) {
		return c, fmt.Errorf("there is no preset %s; use %s", setting.Quote(p.Preset), strings.Join(names, ", "))
	}
	c.Spec, c.Traits, c.Variables = p, sys.Traits(), len(sys.Variables(""))
	if f, ok := sys.(system.Forced); ok {
		c.Force = f.Force()
	}
	c.Encoder.Kind, c.Decoder.Kind = m.Encoder, m.Decoder
	c.Every, c.Thin, c.Views, c.Seed, c.WarmUp, c.Optimiser = 1, 1, 1, 1, 0.1, AdamOptimiser
	c.Dynamics.Joint, c.Dynamics.Dt = true, c.Traits.Dt
	c.Dynamics.Drift.Onsager, c.Dynamics.Drift.ResNet = dynamics.DefaultOnsager(), dynamics.DefaultResNet()
	c.Decoder.Step = decoder.Step{
		Macro: 10, Spread: 1,
		Drift: dynamics.Config{Form: dynamics.FormMLP, Hidden: []int{64, 64}, Act: kernel.Tanh, Onsager: dynamics.DefaultOnsager(), ResNet: dynamics.DefaultResNet()},
	}
	for _, r := range presets {
		if r.of(p.System, m) && (r.preset == "" || r.preset == p.Preset) {
			r.set(&c)
		}
	}
	for _, t := range []*Training{&c.Dynamics.Fit, &c.Dynamics.Roll} {
		t.Optimiser = cmp.Or(t.Optimiser, AdamOptimiser)
	}
	return c.WithParticles(c.Particles).fitted(), nil
}

// line is section 4.1: sets of points on a line.
func line(c *Config) {
	c.Particles, c.Batch, c.Shards, c.Steps, c.Rate, c.WarmUp = 200, 64, 4, 6000, 1.2e-2, 0.2
	e := deepset.Default()
	c.setDeepSet(e)
	c.Decoder.Flow, c.Decoder.Eps, c.Decoder.Samples, c.Decoder.Stratified = flow.Default(), 0.1, 64, true
	c.Decoder.Matching = velocity(64, 64)
	*c = c.WithDim(1).WithZDim(8)
	// SiLU in place of the paper's ReLU, and a rate ten times as high, halve the
	// KL that a run of one length ends at.
	c.Encoder.Act, c.Decoder.Flow.Act = kernel.SiLU, kernel.SiLU
}

func linePaper(c *Config) {
	c.Batch, c.Decoder.Samples, c.Shards, c.Steps, c.Rate = 512, 512, 16, 48000, 1e-3
	c.Encoder.Act, c.Decoder.Flow.Act = kernel.ReLU, kernel.ReLU
}

func (c *Config) setDeepSet(s deepset.Config) {
	c.Encoder.Dim, c.Encoder.Hidden, c.Encoder.Head, c.Encoder.ZDim, c.Encoder.Act = s.Dim, s.Hidden, s.Head, s.ZDim, s.Act
}

// velocity returns a velocity of flow matching of so wide layers.
func velocity(hidden ...int) matching.Config {
	return matching.Config{Hidden: hidden, Act: kernel.SiLU, Steps: 20}
}

// plane sets the networks that both systems in the plane begin with.
func plane(c *Config, zdim int) {
	c.setDeepSet(deepset.Config{Dim: 2, Hidden: []int{128, 128}, Head: []int{128}, ZDim: zdim, Act: kernel.SiLU})
	c.Decoder.Dim, c.Decoder.ZDim, c.Decoder.Eps, c.Decoder.Samples = 2, zdim, 0.01, 64
	c.Decoder.Flow = flow.Config{
		Dim: 2, ZDim: zdim, Layers: 4, Bins: 16, Bound: 5, Hidden: []int{64, 64}, Act: kernel.SiLU, Order: flow.Alternate,
	}
	c.Decoder.Matching = velocity(128, 128)
	c.Decoder = c.Decoder.WithDims(2, zdim)
}

// small sets the networks that a tab trains in minutes.
func small(c *Config) {
	c.Encoder.Hidden, c.Encoder.Head = []int{64, 64}, []int{64}
	c.Decoder.Flow.Layers, c.Decoder.Flow.Hidden, c.Decoder.Matching.Hidden = 3, []int{48, 48}, []int{64, 64}
	c.Dynamics.Drift.Hidden = []int{64, 64}
}

// published sets the published networks of stage I.
func published(c *Config) {
	c.Encoder.Act = kernel.Softplus
	f := &c.Decoder.Flow
	f.Layers, f.Hidden, f.Blocks, f.Act, f.Order = 8, []int{128}, 2, kernel.ReLU, flow.Random
}

// setTransformer replaces a DeepSet by the published Set Transformer, and keeps
// all else. Its rate is at most 1e-3; higher ones have not been tried.
func setTransformer(c *Config) {
	e := &c.Encoder
	e.Hidden, e.Head, e.Act = nil, nil, kernel.Identity
	e.Attention = attention.Default()
	e.Attention.Dim, e.Attention.ZDim = 0, 0 // those of the encoder
	c.Rate = min(c.Rate, 1e-3)
}

func lineSetTransformer(c *Config) {
	line(c)
	setTransformer(c)
}

// smallSetTransformer is for minutes in a tab.
func smallSetTransformer(c *Config) {
	a := &c.Encoder.Attention
	a.Width, a.Heads, a.Hidden = 32, 2, 64
}

// particles is section 4.2.
func particles(c *Config) {
	c.Observable, c.Particles, c.Trajectories, c.Turn, c.Views = "energy", 300, 2000, true, 16
	c.Batch, c.Shards, c.Steps, c.Rate = 64, 16, 10_000, 2e-3
	plane(c, 8)
	// A bounded drift does not run away: with SiLU, or as an OnsagerNet, it is
	// no better on trajectories like those it was trained on and two to ten
	// times worse on others. Noise on the first state makes it a sixth better
	// on others at the cost of a third on its own; stretches halve all errors.
	d := &c.Dynamics
	d.Drift.Form, d.Drift.Hidden, d.Drift.Act = dynamics.FormMLP, []int{128, 128}, kernel.Tanh
	d.Drift.Confined, d.Drift.Box = true, dynamics.Box{Half: 1.25, Pull: 5}
	d.Trajectories = 4000
	particlesAdam(c, 30_000, 3000)
}

// particlesAdam trains by Adam, the dynamics by so many steps on velocities and
// on rollouts.
func particlesAdam(c *Config, velocities, rollouts int) {
	c.Optimiser = AdamOptimiser
	c.Dynamics.Fit = Training{Batch: 512, Shards: 4, Steps: velocities, Rate: 2e-3, Window: 1, Stride: 1, Power: 1, Macro: 1}
	c.Dynamics.Roll = Training{Batch: 64, Shards: 4, Steps: rollouts, Rate: 1e-3, Window: 50, Stride: 4, Power: 0, Macro: 10, Start: 0.3, Noise: 0.02}
}

// particlesSoap replaces Adam. At a rate five times as high SOAP needs a fifth of
// the steps, a third of the velocities and half of the rollouts, which may have
// longer steps, and still ends lower. Four fifths of a prediction's error arise in
// the first fifth of the frames.
func particlesSoap(c *Config) {
	c.Optimiser, c.Rate = SoapOptimiser, 1e-2
	f, r := &c.Dynamics.Fit, &c.Dynamics.Roll
	f.Optimiser, f.Rate, f.Early = SoapOptimiser, 1e-2, 0.6
	r.Optimiser, r.Rate, r.Early = SoapOptimiser, 2e-3, 0.6
	r.Window, r.Stride = 25, 8
}

func particlesBrowser(c *Config) {
	// Trajectories are simulated while stage I trains on those that there are,
	// and memory holds half of their frames.
	particlesSoap(c)
	c.Trajectories, c.Initial, c.Every, c.Thin = 300, 24, 5, 2
	c.Batch, c.Shards, c.Decoder.Samples, c.Steps = 32, 8, 32, 2000
	small(c)
	c.Dynamics.Trajectories, c.Dynamics.Fit.Steps, c.Dynamics.Roll.Steps = 600, 8000, 700
}

func particlesQuick(c *Config) {
	particlesBrowser(c)
	c.Trajectories, c.Every, c.Steps = 200, 3, 900
	c.Dynamics.Trajectories, c.Dynamics.Fit.Steps, c.Dynamics.Roll.Steps = 300, 4000, 300
}

func particlesLaptop(c *Config) {
	particlesSoap(c)
	c.Batch, c.Shards, c.Steps, c.Rate = 32, 8, 6000, 6e-3
	c.Dynamics.Trajectories, c.Dynamics.Fit.Steps, c.Dynamics.Roll.Steps = 2000, 15_000, 1500
}

func particlesPaper(c *Config) {
	c.Trajectories, c.Turn, c.Views = 8000, false, 1
	c.Batch, c.Decoder.Samples, c.Shards, c.Steps, c.Rate = 512, 600, 64, 113_000, 5e-4
	published(c)
	c.Decoder.Flow.Bound = 8
	d := &c.Dynamics
	d.Drift.Hidden, d.Drift.Act, d.Drift.Confined = []int{64, 64}, kernel.ReLU, false
	d.Trajectories, d.Fit.Steps, d.Fit.Rate, d.Fit.Decay, d.Roll.Steps = 8000, 937_600, 1e-3, 0.01, 0
}

// aeAug sets the networks of the paper's order-dependent baseline.
func aeAug(c *Config) {
	c.Encoder.Hidden, c.Encoder.Head, c.Encoder.Act = []int{96, 96, 96}, nil, kernel.ReLU
	c.Views = 1 // turning its input would be turning what it learned by heart
	c.Batch, c.Shards, c.Steps, c.Rate = 256, 8, 6000, 1e-3
	// The number of particles of each species never changes.
	*c = c.WithShare(false)
	c.reverseHidden()
}

// reverseHidden gives a pointwise decoder the hidden layers of the encoder, from
// the last to the first.
func (c *Config) reverseHidden() {
	c.Decoder.Hidden = slices.Clone(c.Encoder.Hidden)
	slices.Reverse(c.Decoder.Hidden)
}

func particlesAEAug(c *Config) {
	aeAug(c)
	c.Thin, c.Initial, c.Every = 1, 0, 1
}

// particlesAEAugQuick keeps to Adam, as the others do: with SOAP it ends at more
// than twice the error.
func particlesAEAugQuick(c *Config) {
	c.Steps = 2000 / 3
	particlesAdam(c, 5000, 500)
	c.Trajectories, c.Dynamics.Trajectories = 300, 600
}

func particlesAEAugLaptop(c *Config) {
	particlesAdam(c, 15_000, 1000)
	// A quarter of the frames are as good, since each comes in another order
	// and turned every time; dynamics of half the width keep the file small.
	c.Trajectories /= 4
	d := &c.Dynamics
	d.Drift.Hidden = []int{64, 64}
	d.Trajectories = 2000
}

func aeAugPaper(c *Config) {
	c.Batch, c.Shards, c.Rate = 512, 64, 5e-4
	c.Encoder.Hidden = []int{256, 256, 256}
	c.reverseHidden()
}

// restored sets the decoder of the paper's baselines that restore points.
func restored(c *Config) { c.Decoder.Hidden = []int{128, 128} }

func restoredPaper(c *Config) {
	c.Encoder.Hidden, c.Encoder.Head = []int{256, 256, 256}, []int{256, 256, 256}
	c.Decoder.Hidden = []int{256, 256, 256}
}

// predicted sets the paper's baseline that restores nothing.
func predicted(c *Config) {
	// The spread of ẑ needs frames enough in a shard to be measured.
	c.Initial, c.Every, c.Batch, c.Shards, c.Decoder.Step.Weight = 0, 1, 64, 4, 1
}

// predictedPaper keeps ẑ from collapsing by nothing, as published.
func predictedPaper(c *Config) {
	c.Batch, c.Shards, c.Decoder.Step.Spread, c.Decoder.Step.Drift.Form = 512, 16, 0, dynamics.FormResNet
}

// mixing is section 4.3.
func mixing(c *Config) {
	c.Particles, c.Trajectories, c.Thin = 529, 400, 10
	c.Batch, c.Shards, c.Steps, c.Rate = 32, 16, 6000, 2e-3
	plane(c, 1)
	d := &c.Dynamics
	d.Share = true
	d.Drift.Form, d.Drift.Hidden, d.Drift.Act = dynamics.FormMLP, []int{128, 128}, kernel.Tanh
	d.Drift.Confined, d.Drift.Box = true, dynamics.Box{Half: 1.5, Pull: 10}
	// The published floor is above what moves ẑ from one frame to the next.
	d.Noise = dynamics.NoiseConfig{Form: dynamics.NoiseDiagonal, Hidden: []int{32, 32}, Act: kernel.Tanh, Floor: 1e-4}
	d.Trajectories = 1500
	d.Fit = Training{Batch: 64, Window: 50, Shards: 16, Steps: 8000, Rate: 2e-3, Stride: 1, Macro: 1}
}

func mixingBrowser(c *Config) {
	c.Trajectories, c.Thin, c.Batch, c.Decoder.Samples, c.Steps = 40, 4, 16, 32, 2000
	small(c)
	c.Dynamics.Trajectories, c.Dynamics.Fit.Batch = 80, 32
}

func mixingPaper(c *Config) {
	c.Trajectories, c.Thin = 8000, 1
	c.Batch, c.Decoder.Samples, c.Shards, c.Steps, c.Rate = 512, 800, 128, 24_300, 5e-4
	published(c)
	d := &c.Dynamics
	d.Drift.Confined, d.Noise = false, dynamics.DefaultNoise()
	d.Trajectories, d.Fit.Batch, d.Fit.Window, d.Fit.Steps, d.Fit.Rate = 8000, 48, 500, 83_500, 1e-3
	d.Share, d.Joint = false, false
}

// polymer is section 4.4, of marked beads and from video.
func polymer(c *Config) {
	c.Particles, c.Trajectories, c.Thin, c.Turn = 300, 300, 4, true
	c.Batch, c.Shards, c.Steps, c.Rate, c.Optimiser = 32, 16, 4000, 6e-3, SoapOptimiser
	// Two numbers, as published, hold the first Rouse mode and no second; of three the
	// first two modes can be told, both with R² 0.998 or more. With a fourth the
	// dynamics are no better, and worse with one seed of two.
	plane(c, 3)
	*c = c.WithDim(3)
	// What the networks make of a chain and of its mirror images differs, and with it mean
	// unfolding times, by 5 %.
	c.Views = 1 << c.Traits.Mirrors
	c.Decoder.Eps = 0.02
	d := &c.Dynamics
	// Wider layers, of 64 and in the noise of 32, learn the runs by heart.
	d.Drift.Form, d.Drift.Hidden, d.Drift.Act = dynamics.FormMLP, []int{32, 32}, kernel.Tanh
	d.Drift.Confined, d.Drift.Box = true, dynamics.Box{Half: 1.5, Pull: 10}
	// What moves a chain moves all closure variables at once: with independent noise
	// states leave those that chains have, and folds open in half of the time.
	d.Noise = dynamics.NoiseConfig{Form: dynamics.NoiseFull, Hidden: []int{16, 16}, Act: kernel.Tanh, Floor: 4e-4}
	d.Trajectories = 300
	// From frame to frame the extension is no Markov process, nor are quick modes in ẑ.
	// With Adam as many steps leave unfolding times that differ by 5 % between seeds, and
	// strides of other lengths by more; with SOAP those of 5 to 20 frames agree.
	d.Fit = Training{Batch: 512, Window: 1, Shards: 4, Steps: 12_000, Rate: 1e-2, Optimiser: SoapOptimiser, Stride: 12, Macro: 1, Early: 0.6}
}

// remembering gives the dynamics a memory. In pixels a hairpin and a strand of one length
// look alike, and grow at different rates.
func remembering(c *Config) {
	d := &c.Dynamics
	d.Memory, d.Begin, d.Fit.Stride = []int{50, 100}, 150, 6
}

// polymerBrowser is of chains that cost a fiftieth of the paper's.
func polymerBrowser(c *Config) {
	hidden := c.Dynamics.Drift.Hidden
	small(c)
	c.Dynamics.Drift.Hidden = hidden
	c.Particles, c.Trajectories, c.Dynamics.Trajectories = 100, 240, 240
	c.Decoder.Samples, c.Steps = 32, 2000
}

func polymerQuick(c *Config) {
	polymerBrowser(c)
	c.Steps, c.Dynamics.Fit.Steps = 1000, 6000
}

func polymerPaper(c *Config) {
	*c = c.WithZDim(2)
	c.Trajectories, c.Thin, c.Views, c.Optimiser = 610, 1, 1, AdamOptimiser
	c.Batch, c.Decoder.Samples, c.Shards, c.Steps, c.Rate = 512, 1000, 128, 72_000, 5e-4
	published(c)
	c.Decoder.Eps, c.Decoder.Flow.Bins = 0.005, 32
	d := &c.Dynamics
	d.Drift.Hidden, d.Drift.Act, d.Drift.Confined = []int{128, 128, 128}, kernel.SiLU, false
	d.Noise = dynamics.DefaultNoise()
	d.Noise.Act = kernel.ReLU
	d.Trajectories, d.Fit.Batch, d.Fit.Shards, d.Fit.Window, d.Fit.Steps, d.Fit.Rate = 610, 4, 4, 1000, 152_500, 1e-3
	d.Fit.Stride, d.Fit.Optimiser, d.Fit.Early = 1, AdamOptimiser, 0
}

// pictures sets an autoencoder of pictures of so many pixels of a size, from the middle
// of the film. ViTs need a picture's patches to fit.
func (c *Config) pictures(rows, cols int, pixel float64, net image.Config) {
	f, e := c.Traits.Film, &c.Encoder
	e.Hidden, e.Head, e.Act, e.Image = nil, nil, kernel.Identity, net
	e.Raster = image.Raster{
		Rows: rows, Cols: cols, Pixel: pixel, Marked: f.Marked,
		Left: f.Left + (f.Width-pixel*float64(cols))/2, Top: f.Top + (f.Height-pixel*float64(rows))/2,
	}
	if e.Kind == encoder.CNN {
		e.Image = image.Config{Widths: net.Widths}
	} else {
		e.Image.Widths = nil
	}
	c.Rate = min(c.Rate, 1e-3)
}

// smallPictures show 128 × 32 pixels of the film, in which a chain of 100 beads has
// room.
func smallPictures(c *Config) {
	c.pictures(16, 64, 2, image.Config{Widths: []int{8, 16, 32}, Patch: 4, Width: 32, Heads: 2, Hidden: 64, Blocks: 2, Restoring: 2})
}

func largePictures(c *Config) {
	c.pictures(20, 100, 5, image.Config{Widths: []int{16, 32, 64}, Patch: 5, Width: 64, Heads: 4, Hidden: 128, Blocks: 3, Restoring: 2})
}

// wholePictures are the film's own. The published networks are not known.
func wholePictures(c *Config) {
	c.pictures(100, 500, 1, image.Config{Widths: []int{16, 32, 64, 64}, Patch: 20, Width: 128, Heads: 4, Hidden: 256, Blocks: 4, Restoring: 4})
}

// Retrained returns the configuration of a training that begins with the weights
// of another model, whose networks it takes over; it is shorter and gentler.
func (c Config) Retrained(from *Config) (Config, error) {
	switch {
	case from.Encoder.Kind != c.Encoder.Kind || from.Decoder.Kind != c.Decoder.Kind:
		return c, fmt.Errorf("the weights are of another method; train from scratch")
	case from.Encoder.Dim != c.Encoder.Dim:
		return c, fmt.Errorf("the weights are for particles of %d coordinates and these have %d; train from scratch", from.Encoder.Dim, c.Encoder.Dim)
	case from.Encoder.ZDim != c.Encoder.ZDim:
		return c, fmt.Errorf("the weights are for %d closure variables and %d are asked for; train from scratch", from.Encoder.ZDim, c.Encoder.ZDim)
	case from.Encoder.Kind == encoder.Flat && !slices.Equal(from.Encoder.Sizes, c.Encoder.Sizes):
		return c, fmt.Errorf("the weights are for sets of %v particles and these have %v; train from scratch", from.Encoder.Sizes, c.Encoder.Sizes)
	case from.Dynamics.Joint != c.Dynamics.Joint || from.Dynamics.Share != c.Dynamics.Share || !slices.Equal(from.Dynamics.Params, c.Dynamics.Params) || !slices.Equal(from.Dynamics.Memory, c.Dynamics.Memory) || from.Dynamics.Drift.Form != c.Dynamics.Drift.Form:
		return c, fmt.Errorf("the dynamics to begin with have another form than those to be trained; choose their form, or train from scratch")
	}
	eps, samples := c.Decoder.Eps, c.Decoder.Samples
	c.Encoder, c.Decoder, c.Dynamics.Drift, c.Dynamics.Noise = from.Encoder, from.Decoder, from.Dynamics.Drift, from.Dynamics.Noise
	c.Decoder.Eps, c.Decoder.Samples = eps, samples
	c = c.WithParticles(c.Particles)
	const shorter, gentler = 3, 0.35
	c.Steps, c.Rate = max(1, c.Steps/shorter), c.Rate*gentler
	for _, t := range []*Training{&c.Dynamics.Fit, &c.Dynamics.Roll} {
		t.Rate *= gentler
		if t.Steps > 0 {
			t.Steps = max(1, t.Steps/shorter)
		}
	}
	if !c.Recorded && c.HasDynamics() {
		c.Trajectories = c.Available(c.Steps, c.Trajectories)
		c.Dynamics.Trajectories = max(1, c.Dynamics.Trajectories/2)
	}
	return c, nil
}
