package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"macroscope/model/compute/kernel"
	"macroscope/model/net/decoder"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/image"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Size is the size of stage I's networks.
type Size int

// The sizes.
const (
	Line          Size = iota // points on a line
	LinePublished             // points on a line, as published
	Small                     // training takes minutes in a tab
	Medium                    // training takes an hour on two cores
	Published                 // particles, mixtures and polymers, as published
)

// Step is a change of a configuration, made by a preset.
type Step func(c *Config)

// Recipe describes a preset of a pair: the size of its networks, and steps that are applied in
// order. A Recipe without steps stands for a preset that does not exist.
type Recipe struct {
	size  Size
	steps []Step
}

// With returns the recipe with further steps appended.
func (r Recipe) With(steps ...Step) Recipe {
	return Recipe{r.size, append(slices.Clip(r.steps), steps...)}
}

// ByPreset contains the recipes of a pair, one for each preset.
type ByPreset [len(presetNames)]Recipe

// The presets.
const (
	Quick   = iota // the networks of Browser with a third to a half of the steps, for a lecture
	Browser        // training takes minutes in a tab
	Laptop         // training and simulating take less than an hour on two cores (particles/flow: minutes)
	Wide           // Laptop on a wider range of first frames, with a longer training of the dynamics
	Paper          // has the published networks, batches, samples and steps
)

var presetNames = [...]string{Quick: "quick", Browser: "browser", Laptop: "laptop", Wide: "wide", Paper: "paper"}

// With returns the recipes with further steps appended to each existing one.
func (p ByPreset) With(steps ...Step) ByPreset {
	for i, r := range p {
		if r.steps != nil {
			p[i] = r.With(steps...)
		}
	}
	return p
}

// The method Also appends steps to the recipe of one preset. It returns all recipes.
func (p ByPreset) Also(preset int, steps ...Step) ByPreset {
	p[preset] = p[preset].With(steps...)
	return p
}

// Preset returns the configuration of an experiment. The specification must name the system.
// The default method is flow. The default preset is laptop or, if the pair has no laptop
// preset, the pair's last preset.
func (s Systems) Preset(spec string) (Config, error) {
	p := ParseSpec(spec)
	if p.Method == "" {
		p.Method = "flow"
	}
	sys, err := s.Find(p.System)
	if err != nil {
		return Config{}, err
	}
	m, err := FindMethod(p.Method)
	if err != nil {
		return Config{}, err
	}
	names := Presets(p.System, p.Method)
	switch {
	case len(names) == 0:
		return Config{}, fmt.Errorf("the method %s is not for the system %s", p.Method, p.System)
	case p.Preset != "":
	case slices.Contains(names, presetNames[Laptop]):
		p.Preset = presetNames[Laptop]
	default:
		p.Preset = names[len(names)-1]
	}
	if !slices.Contains(names, p.Preset) {
		return Config{}, fmt.Errorf("there is no preset %s; use %s", setting.Quote(p.Preset), strings.Join(names, ", "))
	}
	r := m.Systems[p.System][slices.Index(presetNames[:], p.Preset)]
	c := first(sys)
	c.Spec, c.Encoder, c.Decoder.Kind = p, m.Encoder(r.size), m.Decoder(r.size)
	for _, step := range r.steps {
		step(&c)
	}
	for _, t := range []*Training{&c.Dynamics.Fit, &c.Dynamics.Roll} {
		t.Optimiser = cmp.Or(t.Optimiser, AdamOptimiser)
	}
	return c.fitted(), nil
}

// first returns the configuration with which a system's recipes begin.
func first(sys system.System) (c Config) {
	c.Traits, c.Variables = sys.Traits(), len(sys.Variables(""))
	c.Shape.Sets = max(1, len(c.Traits.Sets))
	if f, ok := sys.(system.Forced); ok {
		c.Force = f.Force()
	}
	c.Every, c.Thin, c.Views, c.Seed, c.WarmUp, c.Optimiser = 1, 1, 1, 1, 0.1, AdamOptimiser
	c.Dynamics.Joint, c.Dynamics.Dt, c.Dynamics.Images = true, c.Traits.Dt, 1
	c.Dynamics.Drift.Onsager, c.Dynamics.Drift.ResNet = dynamics.DefaultOnsager(), dynamics.DefaultResNet()
	c.Decoder.Step = decoder.Step{
		Macro: 10, Spread: 1,
		Drift: dynamics.Config{Form: dynamics.FormMLP, Hidden: []int{64, 64}, Act: kernel.Tanh, Onsager: dynamics.DefaultOnsager(), ResNet: dynamics.DefaultResNet()},
	}
	return c
}

// steps returns the Step that trains stage I for n steps.
func steps(n int) Step { return func(c *Config) { c.Steps = n } }

// linePresets are for sets of points on a line (section 4.1 of the paper).
var linePresets = ByPreset{
	Browser: {Line, []Step{line, steps(4000)}},
	Laptop:  {Line, []Step{line}},
	Paper:   {LinePublished, []Step{line, linePaper}},
}

func line(c *Config) {
	c.Particles, c.Batch, c.Shards, c.Steps, c.Rate, c.WarmUp = 200, 64, 4, 6000, 1.2e-2, 0.2
	c.Shape.Dim, c.Shape.ZDim = 1, 8
	c.Decoder.Target = decoder.Target{Eps: 0.1, Samples: 64, Stratified: true}
}

func linePaper(c *Config) {
	c.Batch, c.Decoder.Samples, c.Shards, c.Steps, c.Rate = 512, 512, 16, 48000, 1e-3
}

// plane sets the common values of presets for systems in the plane.
func plane(c *Config, zdim int) {
	c.Shape.Dim, c.Shape.ZDim, c.Decoder.Eps, c.Decoder.Samples = 2, zdim, 0.01, 64
}

// gentle limits the learning rate to 1e-3, because higher rates are untested with attention and
// images.
func gentle(c *Config) { c.Rate = min(c.Rate, 1e-3) }

// particlesPresets are for interacting particles (section 4.2 of the paper).
var particlesPresets = ByPreset{
	Quick:   {Small, []Step{particles, particlesSoap, particlesBrowser, particlesQuick}},
	Browser: {Small, []Step{particles, particlesSoap, particlesBrowser}},
	Laptop:  {Medium, []Step{particles, particlesSoap, particlesLaptop}},
	Paper:   {Published, []Step{particles, particlesPaper}},
}

func particles(c *Config) {
	c.Observable, c.Particles, c.Trajectories, c.Turn, c.Views = "energy", 300, 2000, true, 16
	c.Batch, c.Shards, c.Steps, c.Rate = 64, 16, 10_000, 2e-3
	plane(c, 8)
	// Dynamics confined to a box do not diverge. With SiLU instead of tanh, the error on the test
	// in-dst is not lower, and the errors on the other tests are two to ten times as large. Noise on the first state raises the error on in-dst by a third, and lowers
	// the errors on the other tests by a sixth. The final steps on long stretches (rollouts) halve
	// all errors.
	d := &c.Dynamics
	d.Drift.Form, d.Drift.Hidden, d.Drift.Act = dynamics.FormMLP, []int{128, 128}, kernel.Tanh
	d.Drift.Confined, d.Drift.Box = true, dynamics.Box{Half: 1.25, Pull: 5}
	// With α = 0.01, the potential of an OnsagerNet has wells where there are no data for training. The
	// predictions of some starts with three clusters end in such a well, far from the true energy.
	d.Drift.Onsager.Alpha = 1
	d.Trajectories = 4000
	particlesAdam(30_000, 3000)(c)
}

// particlesAdam trains with Adam. The arguments are the numbers of steps in the two parts of the
// dynamics' training.
func particlesAdam(velocities, rollouts int) Step {
	return func(c *Config) {
		c.Optimiser = AdamOptimiser
		c.Dynamics.Fit = Training{Batch: 512, Shards: 4, Steps: velocities, Rate: 2e-3, Window: 1, Stride: 1, Power: 1, Macro: 1}
		c.Dynamics.Roll = Training{Batch: 64, Shards: 4, Steps: rollouts, Rate: 1e-3, Window: 50, Stride: 4, Power: 0, Macro: 10, Start: 0.3, Noise: 0.02}
	}
}

// particlesSoap replaces Adam by SOAP. The learning rate for rollouts is twice as large. All other
// learning rates are five times as large. SOAP reaches lower errors in fewer steps. It needs a
// fifth of the steps in stage I, a third of the steps for velocities, and half of the steps for
// rollouts. SOAP also allows longer integration steps.
//
// Four fifths of a prediction's error arise in the first fifth of the frames. Stretches therefore
// begin more often in early frames (see Training.Early).
func particlesSoap(c *Config) {
	c.Optimiser, c.Rate = SoapOptimiser, 1e-2
	f, r := &c.Dynamics.Fit, &c.Dynamics.Roll
	f.Optimiser, f.Rate, f.Early = SoapOptimiser, 1e-2, 0.6
	r.Optimiser, r.Rate, r.Early = SoapOptimiser, 2e-3, 0.6
	r.Window, r.Stride = 25, 8
}

func particlesBrowser(c *Config) {
	// Stage I trains on the available trajectories while others are being simulated. Thin is 2
	// because the memory suffices only for half of the frames.
	c.Trajectories, c.Initial, c.Every, c.Thin = 300, 24, 5, 2
	c.Batch, c.Shards, c.Decoder.Samples, c.Steps = 32, 8, 32, 2000
	c.Dynamics.Drift.Hidden = []int{64, 64}
	c.Dynamics.Trajectories, c.Dynamics.Fit.Steps, c.Dynamics.Roll.Steps = 600, 8000, 700
}

func particlesQuick(c *Config) {
	c.Trajectories, c.Every, c.Steps = 200, 3, 900
	c.Dynamics.Trajectories, c.Dynamics.Fit.Steps, c.Dynamics.Roll.Steps = 300, 4000, 300
}

func particlesLaptop(c *Config) {
	c.Batch, c.Shards, c.Steps, c.Rate = 32, 8, 6000, 6e-3
	c.Dynamics.Trajectories, c.Dynamics.Fit.Steps, c.Dynamics.Roll.Steps = 2000, 15_000, 1500
}

// particlesWide trains on 1 to 4 initial clusters, where the paper has two. The dynamics then have more
// to learn. With half of these trajectories and steps, the error on in-dst is more than twice that of
// Laptop.
func particlesWide(c *Config) {
	c.Wide = true
	c.Dynamics.Trajectories, c.Dynamics.Fit.Steps, c.Dynamics.Roll.Steps = 4000, 30_000, 3000
}

func particlesPaper(c *Config) {
	c.Trajectories, c.Turn, c.Views = 8000, false, 1
	c.Batch, c.Decoder.Samples, c.Shards, c.Steps, c.Rate = 512, 600, 64, 113_000, 5e-4
	if f, ok := c.Decoder.Kind.(*decoder.Flow); ok {
		f.Bound = 8
	}
	d := &c.Dynamics
	d.Drift.Hidden, d.Drift.Act, d.Drift.Confined = []int{64, 64}, kernel.ReLU, false
	d.Trajectories, d.Fit.Steps, d.Fit.Rate, d.Fit.Decay, d.Roll.Steps = 8000, 937_600, 1e-3, 0.01, 0
}

// aeAug changes a preset to the paper's baseline AE-Aug, in which the encoder depends on the order
// of particles.
func aeAug(c *Config) {
	c.Views = 1 // predictions start from the frame itself, as published
	c.Batch, c.Shards, c.Steps, c.Rate = 256, 8, 6000, 1e-3
	// This encoder takes a fixed number of particles of each species, so their share is constant.
	c.Dynamics.Share = false
}

// byAdam makes stage I use Adam, as in all presets of ae-aug.
func byAdam(c *Config) { c.Optimiser = AdamOptimiser }

func particlesAEAug(c *Config) {
	c.Thin, c.Initial, c.Every = 1, 0, 1
}

// particlesAEAugQuick uses Adam, as all presets of ae-aug do. With SOAP the final error is
// more than twice as large.
func particlesAEAugQuick(c *Config) {
	c.Steps = 2000 / 3
	particlesAdam(5000, 500)(c)
	c.Trajectories, c.Dynamics.Trajectories = 300, 600
}

func particlesAEAugLaptop(c *Config) {
	particlesAdam(15_000, 1000)(c)
	// A quarter of the trajectories suffices, because a frame is reordered and turned anew each
	// time it is drawn. Dynamics of half the width keep the file small.
	c.Trajectories /= 4
	d := &c.Dynamics
	d.Drift.Hidden = []int{64, 64}
	d.Trajectories = 2000
}

func aeAugPaper(c *Config) {
	c.Batch, c.Shards, c.Rate = 512, 64, 5e-4
}

// The Step `predicted` changes a preset to the paper's baseline without a decoder. In this
// baseline, stage I predicts the variables of the next frame.
func predicted(c *Config) {
	// Each shard has 16 frames, enough to measure the spread of ẑ.
	c.Initial, c.Every, c.Batch, c.Shards, c.Decoder.Step.Weight = 0, 1, 64, 4, 1
}

// predictedPaper sets published values. With these values, nothing prevents the collapse of ẑ.
func predictedPaper(c *Config) {
	c.Batch, c.Shards, c.Decoder.Step.Spread, c.Decoder.Step.Drift.Form = 512, 16, 0, dynamics.FormResNet
}

// strided lets the dynamics learn from states 10 frames apart. From frame to frame the ratios also
// fluctuate around their course, and a likelihood of single frames takes this for noise that accumulates.
// Presumably the ẑ of other methods holds a prediction near its course. The ẑ of AE-Aug depends too much on
// the order of the atoms.
func strided(c *Config) {
	f := &c.Dynamics.Fit
	f.Window, f.Stride, f.Substeps = 5, 10, 10
}

// mixingPresets are for two species that mix (section 4.3 of the paper).
var mixingPresets = ByPreset{
	Browser: {Small, []Step{mixing, mixingBrowser}},
	Laptop:  {Medium, []Step{mixing}},
	Paper:   {Published, []Step{mixing, mixingPaper}},
}

func mixing(c *Config) {
	c.Particles, c.Trajectories, c.Thin = 529, 400, 10
	c.Batch, c.Shards, c.Steps, c.Rate = 32, 16, 6000, 2e-3
	plane(c, 1)
	d := &c.Dynamics
	d.Share = true
	d.Drift.Form, d.Drift.Hidden, d.Drift.Act = dynamics.FormMLP, []int{128, 128}, kernel.Tanh
	d.Drift.Confined, d.Drift.Box = true, dynamics.Box{Half: 1.5, Pull: 10}
	// The floor of the noise is lower than the published one, which exceeds the motion of ẑ between
	// two frames.
	d.Noise = dynamics.NoiseConfig{Form: dynamics.NoiseDiagonal, Hidden: []int{32, 32}, Act: kernel.Tanh, Floor: 1e-4}
	d.Trajectories = 1500
	d.Fit = Training{Batch: 64, Window: 50, Shards: 16, Steps: 8000, Rate: 2e-3, Stride: 1, Substeps: 1, Macro: 1}
}

func mixingBrowser(c *Config) {
	c.Trajectories, c.Thin, c.Batch, c.Decoder.Samples, c.Steps = 40, 4, 16, 32, 2000
	c.Dynamics.Drift.Hidden = []int{64, 64}
	c.Dynamics.Trajectories, c.Dynamics.Fit.Batch = 80, 32
}

func mixingPaper(c *Config) {
	c.Trajectories, c.Thin = 8000, 1
	c.Batch, c.Decoder.Samples, c.Shards, c.Steps, c.Rate = 512, 800, 128, 24_300, 5e-4
	d := &c.Dynamics
	d.Drift.Confined, d.Noise = false, dynamics.DefaultNoise()
	d.Trajectories, d.Fit.Batch, d.Fit.Window, d.Fit.Steps, d.Fit.Rate = 8000, 48, 500, 83_500, 1e-3
	d.Share, d.Joint = false, false
}

// polymerPresets are for polymers, as labelled beads and as a film (section 4.4 of the paper).
var polymerPresets = ByPreset{
	Quick:   {Small, []Step{polymer, polymerBrowser, polymerQuick}},
	Browser: {Small, []Step{polymer, polymerBrowser}},
	Laptop:  {Medium, []Step{polymer}},
	Paper:   {Published, []Step{polymer, polymerPaper}},
}

func polymer(c *Config) {
	c.Particles, c.Trajectories, c.Thin, c.Turn = 300, 300, 4, true
	c.Batch, c.Shards, c.Steps, c.Rate, c.Optimiser = 32, 16, 4000, 6e-3, SoapOptimiser
	// The published ẑ of two numbers encodes the first Rouse mode but not the second. Three numbers
	// encode both modes with R² of at least 0.998. With four numbers, the dynamics are no better
	// for one seed, and worse for another.
	plane(c, 3)
	*c = c.WithDim(3)
	// The networks treat a chain and its mirror images differently: the mean unfolding times
	// differ by 5 %. Predictions therefore start from all mirror images.
	c.Views = 1 << c.Traits.Mirrors
	c.Decoder.Eps = 0.02
	d := &c.Dynamics
	// Networks with hidden layers of width 64 in the drift, or of width 32 in the noise, overfit
	// the runs.
	d.Drift.Form, d.Drift.Hidden, d.Drift.Act = dynamics.FormMLP, []int{32, 32}, kernel.Tanh
	d.Drift.Confined, d.Drift.Box = true, dynamics.Box{Half: 1.5, Pull: 10}
	// The forces that move a chain change all closure variables together, so the noise of
	// the variables is correlated. With independent noise, states leave the range of real
	// chains, and folds open in half the time.
	d.Noise = dynamics.NoiseConfig{Form: dynamics.NoiseFull, Hidden: []int{16, 16}, Act: kernel.Tanh, Floor: 4e-4}
	d.Trajectories = 300
	// From frame to frame, neither the extension nor the fast modes in ẑ are Markov processes, so
	// stretches need a stride. With Adam, after the same number of steps, unfolding times differ by
	// 5 % between seeds, and by more between strides. With SOAP, unfolding times agree for strides
	// of 5 to 20 frames.
	d.Fit = Training{Batch: 512, Window: 1, Shards: 4, Steps: 12_000, Rate: 1e-2, Optimiser: SoapOptimiser, Stride: 12, Substeps: 1, Macro: 1, Early: 0.6}
}

// beadPresets are for labelled beads that a deep set encodes. The encoder does not see y. Otherwise the
// third number of ẑ encodes how the beads lie in y, which does not matter for the unfolding. The third
// Rouse mode in x does, and without it fast folds unfold 4 % too late instead of 1 %.
var beadPresets = polymerPresets.Also(Laptop, framewise, func(c *Config) { c.Unseen = 2 })

// framewise gives the dynamics of long chains an Euler step for every frame. A single step for 12
// frames smooths the end of the unfolding, and chains that unfold early are late by 9 frames instead
// of 3. With mirror images, the dynamics know from fewer chains that a chain and its images move alike.
func framewise(c *Config) {
	d := &c.Dynamics
	d.Images, d.Fit.Stride, d.Fit.Substeps = 2, 6, 6
}

// The function remembering gives the dynamics a memory. In pixels, a hairpin and a strand of equal
// length look alike, but they grow at different rates; only earlier frames tell them apart.
func remembering(c *Config) {
	d := &c.Dynamics
	d.Memory, d.Begin, d.Fit.Stride = []int{50, 100}, 150, 6
}

// polymerBrowser reduces the cost of simulating chains to a fiftieth of the cost of the paper's
// chains.
func polymerBrowser(c *Config) {
	c.Particles, c.Trajectories, c.Dynamics.Trajectories = 100, 240, 240
	c.Decoder.Samples, c.Steps = 32, 2000
}

func polymerQuick(c *Config) {
	c.Steps, c.Dynamics.Fit.Steps = 1000, 6000
}

func polymerPaper(c *Config) {
	c.Shape.ZDim = 2
	c.Trajectories, c.Thin, c.Views, c.Optimiser = 610, 1, 1, AdamOptimiser
	c.Batch, c.Decoder.Samples, c.Shards, c.Steps, c.Rate = 512, 1000, 128, 72_000, 5e-4
	c.Decoder.Eps = 0.005
	if f, ok := c.Decoder.Kind.(*decoder.Flow); ok {
		f.Bins = 32
	}
	d := &c.Dynamics
	d.Drift.Hidden, d.Drift.Act, d.Drift.Confined = []int{128, 128, 128}, kernel.SiLU, false
	d.Noise = dynamics.DefaultNoise()
	d.Noise.Act = kernel.ReLU
	d.Trajectories, d.Fit.Batch, d.Fit.Shards, d.Fit.Window, d.Fit.Steps, d.Fit.Rate = 610, 4, 4, 1000, 152_500, 1e-3
	d.Fit.Stride, d.Fit.Optimiser, d.Fit.Early = 1, AdamOptimiser, 0
}

// tunable sets the range of ε and the lengths of ẑ. The default ε and ẑ dim stay the same.
func tunable(low, high float64, lengths ...int) Step {
	return func(c *Config) {
		e, d := c.Encoder.(*encoder.Tunable), c.Decoder.Kind.(*decoder.Tunable)
		e.Lengths, e.Usual = lengths, c.Shape.ZDim
		d.Low, d.High = low, high
		c.Optimiser = SoapOptimiser
	}
}

// The presets of tunable models: the presets of each system, changed for a range of ε and several
// lengths of ẑ. Most take more steps.
var (
	tunableLine = ByPreset{
		Quick:   {Line, []Step{line, steps(2500), lineTunable, nodes}},
		Browser: {Line, []Step{line, steps(4500), lineTunable, nodes}},
		Laptop:  {Line, []Step{line, steps(9000), lineTunable}},
	}
	tunableParticles = published(particlesPresets).With(particlesTunable).Also(Browser, particlesTunableBrowser)
	tunableMixing    = published(mixingPresets).With(mixingTunable).Also(Laptop, mixingTunableLaptop)
	tunablePolymer   = published(beadPresets).With(polymerTunable)
)

// wider adds the preset Wide, which changes Laptop by further steps, to the recipes.
func wider(p ByPreset, steps ...Step) ByPreset {
	p[Wide] = p[Laptop].With(steps...)
	return p
}

// published returns the recipes without the preset Paper, because the paper does not contain
// this method.
func published(p ByPreset) ByPreset {
	p[Paper] = Recipe{}
	return p
}

// lineTunable lets short codes depend on ε. At ε = 0.3, a code of four numbers that does not depend
// on ε has three times the KL of a model trained only for this ε.
func lineTunable(c *Config) {
	tunable(0.01, 0.5, 1, 2, 3, 4, 5, 6, 7, 8)(c)
	c.Decoder.Kind.(*decoder.Tunable).LengthPower = 0.35
	e := c.Encoder.(*encoder.Tunable)
	e.Orders, e.Bent = 4, 5
}

// nodes lets a training interpolate the encoder's φ between 256 nodes instead of computing it at
// every particle. φ is then computed a twelfth as often, the training takes half of the time, and
// KL is the same.
func nodes(c *Config) { c.Encoder.(*encoder.Tunable).Nodes = 256 }

// particlesTunable gives all ε the same weight, and draws nearly every code for nearly every set. Where
// wide kernels had more weight, the errors of codes of four numbers were sometimes five times as large,
// presumably because these codes kept what wide kernels show.
func particlesTunable(c *Config) {
	tunable(0.003, 0.3, 1, 2, 3, 4, 5, 6, 7, 8)(c)
	c.Steps *= 3
	k := c.Decoder.Kind.(*decoder.Tunable)
	k.Pairs, k.EpsPower = 8, 0
}

// particlesTunableBrowser shortens the training in a tab. The errors depend on the number of steps more
// than on the size of the batches.
func particlesTunableBrowser(c *Config) {
	d := &c.Dynamics
	c.Batch, c.Steps = 16, 5000
	d.Fit.Batch, d.Fit.Steps, d.Roll.Batch, d.Roll.Steps = 256, 4000, 32, 350
}

// stretched keeps ẑ from encoding how the atoms lie in the direction of the height, which hardly varies in
// training. Otherwise predictions fail in a box of another height.
func stretched(by float64) Step { return func(c *Config) { c.Stretch = by } }

// mixingTunable uses Adam, few steps in stage I, Stretch and Narrowest. Otherwise codes of two and four
// numbers sometimes keep how the atoms lie in the direction of the height. Longer codes have more weight
// in the loss. With equal weights, the error of codes of four numbers differs between seeds by a factor of
// two.
func mixingTunable(c *Config) {
	tunable(0.003, 0.3, 1, 2, 3, 4)(c)
	stretched(0.25)(c)
	c.Optimiser, c.Steps = AdamOptimiser, 2000
	k := c.Decoder.Kind.(*decoder.Tunable)
	k.Pairs, k.EpsPower, k.LengthPower = 8, 0, -1
	c.Dynamics.Narrowest = 1
}

// mixingTunableLaptop uses a residual OnsagerNet. With an MLP, the error of codes of four numbers in a box
// of another height is larger by a half.
func mixingTunableLaptop(c *Config) { c.Dynamics.Drift.Form = dynamics.FormResNet }

// polymerTunable draws codes of three numbers more often than all other lengths together, and gives
// longer codes more weight. The reason is that three numbers must encode the second Rouse mode. In
// one test, all lengths were drawn equally often, and the training had three times the steps of a
// model for one ε. The second mode had an R² of only 0.83, and folds opened 6 % too soon.
func polymerTunable(c *Config) {
	tunable(0.005, 0.1, 1, 2, 3, 4)(c)
	c.Decoder.Samples, c.Steps = 64, c.Steps*4
	d := c.Decoder.Kind.(*decoder.Tunable)
	d.Usual, d.LengthPower = 8, -1
}

// pictures selects images of rows × cols pixels from the middle of the film. `pixel` is the side of
// a pixel. The patches of a ViT must fit in the images.
func pictures(rows, cols int, pixel float64) Step {
	return func(c *Config) {
		f := c.Traits.Film
		c.Encoder.(*encoder.Picture).Raster = image.Raster{
			Rows: rows, Cols: cols, Pixel: pixel, Marked: f.Marked,
			Left: f.Left + (f.Width-pixel*float64(cols))/2, Top: f.Top + (f.Height-pixel*float64(rows))/2,
		}
		gentle(c)
	}
}

// picturePresets are the presets of the methods cnn and vit, which encode pictures of chains. The
// presets Quick and Browser show 128 × 32 pixels of the film, enough for a chain of 100 beads. The
// presets Laptop and Paper show the whole film.
var picturePresets = polymerPresets.Also(Quick, pictures(16, 64, 2)).Also(Browser, pictures(16, 64, 2)).
	Also(Laptop, pictures(20, 100, 5)).Also(Paper, pictures(100, 500, 1))

// Retrained returns c, changed for a training that starts from the weights of another model. The
// other model has the configuration `from`. The result has the networks of `from`. It has fewer
// steps and lower learning rates than c.
func (c Config) Retrained(from *Config) (Config, error) {
	switch {
	case from.Encoder.Name() != c.Encoder.Name() || from.Decoder.Name() != c.Decoder.Name():
		return c, fmt.Errorf("the weights are of another method; train from scratch")
	case from.Dim() != c.Dim():
		return c, fmt.Errorf("the weights are for particles of %d coordinates and these have %d; train from scratch", from.Dim(), c.Dim())
	case from.ZDim() != c.ZDim():
		return c, fmt.Errorf("the weights are for %d closure variables and %d are asked for; train from scratch", from.ZDim(), c.ZDim())
	case c.Encoder.Ordered() && from.Particles != c.Particles:
		return c, fmt.Errorf("the weights are for sets of %v particles and these have %v; train from scratch", from.Shape.Sizes(), c.Shape.Sizes())
	case from.Dynamics.Joint != c.Dynamics.Joint || from.Dynamics.Share != c.Dynamics.Share || !slices.Equal(from.Dynamics.Params, c.Dynamics.Params) || !slices.Equal(from.Dynamics.Memory, c.Dynamics.Memory) || from.Dynamics.Drift.Form != c.Dynamics.Drift.Form:
		return c, fmt.Errorf("the dynamics to begin with have another form than those to be trained; choose their form, or train from scratch")
	}
	eps, samples, preset := c.Decoder.Eps, c.Decoder.Samples, c.Encoder
	c.Encoder, c.Decoder, c.Dynamics.Drift, c.Dynamics.Noise = from.Encoder, from.Decoder, from.Dynamics.Drift, from.Dynamics.Noise
	if e, ok := preset.(*encoder.Tunable); ok { // the number of nodes changes the time of a step, and not the networks
		to := *from.Encoder.(*encoder.Tunable)
		to.Nodes, c.Encoder = e.Nodes, &to
	}
	c.Decoder.Eps, c.Decoder.Samples = eps, samples
	// These values were chosen with the shipped particles model. If `gentler` is 0.35, the
	// retrained model is worse than the shipped one for half of stage I. If `gentler` is 0.05, ẑ
	// changes so much that the MRE rises by an eighth. If `rolloutGentler` is 0.1, the rollouts
	// first raise the MRE by half. At 0.03 they do not raise the MRE.
	const shorter, gentler, velocityGentler, rolloutGentler = 3, 0.03, 0.1, 0.03
	c.Steps, c.Rate = max(1, c.Steps/shorter), c.Rate*gentler
	fit, roll := &c.Dynamics.Fit, &c.Dynamics.Roll
	fit.Rate, roll.Rate = fit.Rate*velocityGentler, roll.Rate*rolloutGentler
	for _, t := range []*Training{fit, roll} {
		if t.Steps > 0 {
			t.Steps = max(1, t.Steps/shorter)
		}
	}
	if !c.Recorded && c.HasDynamics() { // in a tab, simulations take most of the time
		c.Trajectories = max(1, c.Initial, min(c.Available(c.Steps, c.Trajectories), c.Trajectories/2))
		c.Dynamics.Trajectories = max(1, c.Dynamics.Trajectories/2)
	}
	return c, nil
}
