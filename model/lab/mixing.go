package lab

import (
	"fmt"

	"macroscope/model/flow"
	"macroscope/model/kernel"
	"macroscope/model/optim"
	"macroscope/model/sde"
	"macroscope/model/set"
	"macroscope/model/target"
	"macroscope/model/tensor"
	"macroscope/model/train"
	"macroscope/sim/rng"
)

// MixingConfig is the experiment of section 4.3: two species that mix. One
// encoder and one decoder serve both; what the encoder makes of each species is
// its closure ẑ (stage I). The variables
//
//	[R_AB, R_BA, ẑ_A, ẑ_B],
//
// the mixing ratios and both closures, then follow a stochastic law (stage II),
// in which the share of species 1 may stand beside them.
// With the model's scales it is all that a checkpoint needs to be opened.
type MixingConfig struct {
	Eps          float64 // standard deviation of q_X's kernel, on coordinates in [-1, 1]
	Particles    int     // of both species together
	Trajectories int     // that stage I draws its frames from
	Thin         int     // of the frames that the paper uses, every Thin-th is used
	Recorded     bool    // whether the trajectories are the user's rather than simulated
	Seed         uint64
	Batch        int // frames a step, each of them two sets
	Samples      int // Monte Carlo samples of q_X a species and step
	Shards       int // parts of a step
	Steps        int
	Rate         float64 // peak learning rate
	Encoder      set.Config
	Flow         flow.Config
	Law          MixingLaw
}

// MixingLaw is stage II: one law of all variables, or one for each species.
type MixingLaw struct {
	// Joint makes one law of [R_AB, R_BA, ẑ_A, ẑ_B]. Otherwise each species has
	// a law of its own ratio, its own ẑ and the other's, as published: each then
	// moves the other's ẑ for itself.
	Joint bool
	// Share adds the share of all atoms that are of species 1. It is known from
	// frame 0 and never changes, and says how the species will be mixed in the
	// end, which ratios and closures tell ever less of. The paper has it not.
	Share        bool
	Drift        sde.Config
	Noise        sde.NoiseConfig
	Dt           float64 // time between two frames
	Trajectories int     // encoded once, before training
	Batch        int     // stretches of trajectories a step
	Window       int     // frames of a stretch, but for its first
	Shards       int     // parts of a step
	Steps        int
	Rate         float64 // peak learning rate
	Decay        float64 // of the weights, decoupled from the gradient
}

// MixingPreset returns the configuration of a preset:
//
//   - browser: minutes in a tab, on trajectories that are there already;
//   - laptop: under an hour of two cores, most of it for the simulations;
//   - paper: the published networks, laws, batches, samples and steps.
func MixingPreset(name string) (MixingConfig, error) {
	c := MixingConfig{
		Eps: 0.01, Particles: 529, Trajectories: 400, Thin: 10, Seed: 1,
		Batch: 32, Samples: 64, Shards: 16, Steps: 6000, Rate: 2e-3,
		Encoder: set.Config{Dim: 2, Hidden: []int{128, 128}, Head: []int{128}, ZDim: 1, Act: kernel.SiLU},
		Flow: flow.Config{
			Dim: 2, ZDim: 1, Layers: 4, Bins: 16, Bound: 5, Hidden: []int{64, 64}, Act: kernel.SiLU, Order: flow.Alternate,
		},
		Law: MixingLaw{
			Joint: true, Share: true,
			Drift: sde.Config{
				Dim: 5, Form: sde.FormMLP, Hidden: []int{128, 128}, Act: kernel.Tanh, Onsager: sde.DefaultOnsager(),
				Confined: true, Box: sde.Box{Half: 1.5, Pull: 10},
			},
			// The published floor is above what moves ẑ from one frame to the next.
			Noise: sde.NoiseConfig{Form: sde.NoiseDiagonal, Hidden: []int{32, 32}, Act: kernel.Tanh, Floor: 1e-4},
			Dt:    0.01, Trajectories: 1500,
			Batch: 64, Window: 50, Shards: 16, Steps: 8000, Rate: 2e-3,
		},
	}
	switch name {
	case "browser":
		c.Trajectories, c.Thin, c.Batch, c.Samples, c.Steps = 40, 4, 16, 32, 2000
		c.Encoder.Hidden, c.Encoder.Head = []int{64, 64}, []int{64}
		c.Flow.Layers, c.Flow.Hidden = 3, []int{48, 48}
		c.Law.Trajectories, c.Law.Batch, c.Law.Steps = 80, 32, 8000
		c.Law.Drift.Hidden = []int{64, 64}
	case "laptop":
	case "paper":
		c.Trajectories, c.Thin = 8000, 1
		c.Batch, c.Samples, c.Shards, c.Steps, c.Rate = 512, 800, 128, 24_300, 5e-4
		c.Encoder.Act = kernel.Softplus
		c.Flow.Layers, c.Flow.Hidden, c.Flow.Blocks, c.Flow.Act, c.Flow.Order = 8, []int{128}, 2, kernel.ReLU, flow.Random
		c.Law.Drift.Confined, c.Law.Noise = false, sde.DefaultNoise()
		c.Law.Trajectories, c.Law.Batch, c.Law.Window, c.Law.Steps, c.Law.Rate = 8000, 48, 500, 83_500, 1e-3
		c = c.WithShare(false).WithJoint(false)
	default:
		return c, fmt.Errorf("there is no preset %q; use browser, laptop or paper", name)
	}
	return c, nil
}

// WithZDim returns the configuration with another latent dimension of each
// species.
func (c MixingConfig) WithZDim(d int) MixingConfig {
	c.Encoder.ZDim, c.Flow.ZDim = d, d
	return c.WithJoint(c.Law.Joint)
}

// WithJoint returns the configuration with one law, or with one a species.
func (c MixingConfig) WithJoint(joint bool) MixingConfig {
	c.Law.Joint = joint
	c.Law.Drift.Dim = c.Law.dim(c.Encoder.ZDim)
	return c
}

// WithShare returns the configuration with the share of species 1 among the
// variables, or without.
func (c MixingConfig) WithShare(share bool) MixingConfig {
	c.Law.Share = share
	return c.WithJoint(c.Law.Joint)
}

// dim returns the number of variables of a law.
func (l MixingLaw) dim(zdim int) int {
	n := 1 + 2*zdim
	if l.Joint {
		n++
	}
	if l.Share {
		n++
	}
	return n
}

// maxThin bounds how many frames of a trajectory may be left out for each that
// is used.
const maxThin = 1000

// Validate says what is wrong with the configuration in a sentence.
func (c MixingConfig) Validate() error {
	switch {
	case !(c.Eps >= target.MinEps && c.Eps <= 1):
		return fmt.Errorf("ε is %g; it is the width of a Gaussian on coordinates from -1 to 1, so use a number from %g to 1", c.Eps, float64(target.MinEps))
	case c.Particles < 2 || c.Particles > maxSetSize:
		return fmt.Errorf("%d particles of two species; use 2 to %d", c.Particles, maxSetSize)
	case c.Trajectories < 1 || c.Trajectories > maxTrajectories || c.Law.Trajectories < 1 || c.Law.Trajectories > maxTrajectories:
		return fmt.Errorf("%d trajectories for stage I and %d for stage II; use 1 to %d", c.Trajectories, c.Law.Trajectories, maxTrajectories)
	case c.Thin < 1 || c.Thin > maxThin:
		return fmt.Errorf("stage I takes one frame in %d; use 1 to %d", c.Thin, maxThin)
	case c.Encoder.Dim != 2 || c.Flow.Dim != 2:
		return fmt.Errorf("the particles have %d coordinates in the encoder and %d in the flow; mixing is in the plane, so use 2", c.Encoder.Dim, c.Flow.Dim)
	case c.Encoder.ZDim < 1 || c.Encoder.ZDim > MaxZDim || c.Encoder.ZDim != c.Flow.ZDim || c.Law.Drift.Dim != c.Law.dim(c.Encoder.ZDim):
		return fmt.Errorf("the latent dimension is %d in the encoder and %d in the flow, and the law has %d variables; use the same dimension in all, from 1 to %d",
			c.Encoder.ZDim, c.Flow.ZDim, c.Law.Drift.Dim, MaxZDim)
	case c.Batch < 1 || c.Batch > 4096 || c.Shards < 1 || c.Batch%c.Shards != 0:
		return fmt.Errorf("a batch of %d frames in %d shards; use at most 4096 frames and a number of shards that divides them", c.Batch, c.Shards)
	case c.Samples < 1 || c.Samples > 4096:
		return fmt.Errorf("%d samples a species; use 1 to 4096", c.Samples)
	}
	for _, err := range []error{
		c.fitConfig(1).Validate(), c.Encoder.Validate(), c.Flow.Validate(), c.Law.Validate(),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// Validate says what is wrong with the configuration in a sentence.
func (l MixingLaw) Validate() error {
	switch {
	case !(l.Dt > 0 && l.Dt <= 1e3):
		return fmt.Errorf("the law's time step is %g; use a number above 0 and at most 1000", l.Dt)
	case l.Batch < 1 || l.Batch > 65536 || l.Shards < 1 || l.Batch%l.Shards != 0:
		return fmt.Errorf("stage II: a batch of %d stretches in %d shards; use at most 65536 and a number of shards that divides them", l.Batch, l.Shards)
	case l.Window < 1 || l.Window > 100_000 || l.Batch/l.Shards*l.Window > 1<<20:
		return fmt.Errorf("stage II takes %d stretches of %d steps at once; use at most a million steps, or more shards", l.Batch/l.Shards, l.Window)
	case !(l.Decay >= 0 && l.Decay <= 1):
		return fmt.Errorf("the law's weights decay at %g; use a number from 0 to 1", l.Decay)
	}
	for _, err := range []error{l.Drift.Validate(), l.Noise.Validate(), l.trainConfig(1).Validate()} {
		if err != nil {
			return err
		}
	}
	return nil
}

func (c MixingConfig) fitConfig(workers int) train.Config {
	return train.Config{
		Shards: c.Shards, Workers: workers, Adam: optim.Default(), ClipNorm: 5,
		Schedule: optim.OneCycle{Peak: c.Rate, Steps: c.Steps, Warm: 0.1, StartDiv: 25, EndDiv: 1e3},
	}
}

func (l MixingLaw) trainConfig(workers int) train.Config {
	adam := optim.Default()
	adam.WeightDecay = l.Decay
	return train.Config{
		Shards: l.Shards, Workers: workers, Adam: adam, ClipNorm: 5,
		Schedule: optim.OneCycle{Peak: l.Rate, Steps: l.Steps, Warm: 0.1, StartDiv: 25, EndDiv: 1e3},
	}
}

// MixingModel is an autoencoder that two species share and the law of their
// mixing, with their parameters and the scales that bring data to the units in
// which they work.
type MixingModel struct {
	Config    MixingConfig
	Layout    tensor.Layout // of the encoder and the flow
	Params    []float32
	LawLayout tensor.Layout
	LawParams []float32
	Scale     ParticlesScale // coordinates and [R_AB, R_BA, ẑ_A, ẑ_B, share] to [-1, 1]

	encoder *set.DeepSet
	flow    *flow.Flow
	laws    []mixingLaw
}

// mixingLaw is one law of some of the variables [R_AB, R_BA, ẑ_A, ẑ_B, share].
type mixingLaw struct {
	drift  *sde.Law
	noise  *sde.Noise
	of     []int // the place of each of its variables among all
	ratios int   // how many of them are ratios, which come first
	share  bool  // whether the last of them is the share
}

// NewMixingModel builds the model of a valid configuration with the weights
// that its seed begins with. Its scales are those of data that need none.
func NewMixingModel(c MixingConfig) *MixingModel {
	zdim := c.Encoder.ZDim
	m := &MixingModel{Config: c}
	m.Scale = newParticlesScale(2, m.variables()-1)
	if c.Law.Share {
		m.Scale.Low[2+2*zdim] = 0
	}
	m.encoder = set.New(c.Encoder, &m.Layout, "encoder")
	m.flow = flow.New(c.Flow, &m.Layout, "flow")
	closure := func(species int) (of []int) {
		for i := range zdim {
			of = append(of, 2+species*zdim+i)
		}
		return of
	}
	if c.Law.Joint {
		m.addLaw("law", append(append([]int{0, 1}, closure(0)...), closure(1)...), 2)
	} else {
		m.addLaw("law.a", append(append([]int{0}, closure(0)...), closure(1)...), 1)
		m.addLaw("law.b", append(append([]int{1}, closure(1)...), closure(0)...), 1)
	}
	m.Params, m.LawParams = make([]float32, m.Layout.Size()), make([]float32, m.LawLayout.Size())
	r := rng.New(c.Seed, "mixing weights").Rand
	set.Init(m.Params, m.encoder, r)
	flow.Init(m.Params, m.flow, r)
	for _, l := range m.laws {
		sde.Init(m.LawParams, l.drift, r)
		sde.InitNoise(m.LawParams, l.noise, r)
	}
	return m
}

func (m *MixingModel) addLaw(prefix string, of []int, ratios int) {
	c := m.Config.Law
	if c.Share {
		of = append(of, m.variables()-1)
	}
	m.laws = append(m.laws, mixingLaw{
		drift: sde.New(c.Drift, &m.LawLayout, prefix+".drift"),
		noise: sde.NewNoise(c.Noise, len(of), &m.LawLayout, prefix+".noise"),
		of:    of, ratios: ratios, share: c.Share,
	})
}

// variables returns the number of variables [R_AB, R_BA, ẑ_A, ẑ_B] and, if it is
// one of them, the share.
func (m *MixingModel) variables() int {
	n := m.closures()
	if m.Config.Law.Share {
		n++
	}
	return n
}

// closures returns where the closures end among the variables, which begin at 2.
func (m *MixingModel) closures() int { return 2 + 2*m.Config.Encoder.ZDim }

// gather writes the law's variables of rows z (rows, V) to dst (rows, D).
func (l *mixingLaw) gather(dst, z []float32, rows, variables int) {
	for r := range rows {
		for j, k := range l.of {
			dst[r*len(l.of)+j] = z[r*variables+k]
		}
	}
}

// finite reports whether all weights can be used.
func (m *MixingModel) finite() bool {
	return kernel.AllFinite(m.Params) && kernel.AllFinite(m.LawParams)
}

// ForRecording returns the configuration for trajectories of the user's own:
// stage II learns from all of them, stage I from as many as the preset has.
func (c MixingConfig) ForRecording(src MixingSource) MixingConfig {
	s := src.Shape()
	c.Recorded, c.Particles = true, s.Particles
	c.Trajectories, c.Law.Trajectories = min(c.Trajectories, s.Trajectories), s.Trajectories
	c.Law.Window = min(c.Law.Window, s.Frames-1)
	return c
}
