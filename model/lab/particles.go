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
	"macroscope/sim/particle"
	"macroscope/sim/rng"
)

// ParticlesConfig is the experiment of section 4.2: trajectories of
// interacting particles, an autoencoder that finds the closure ẑ of their
// energy (stage I), and the law dz/dt = g(z) of z = [energy, ẑ] (stage II).
// With the model's scales it is all that a checkpoint needs to be opened.
type ParticlesConfig struct {
	Eps          float64 // standard deviation of q_X's kernel, on standardised coordinates
	Macro        string  // the observable z̄, a name that ParseObservable or the data knows
	Particles    int     // in a simulated set
	Trajectories int     // that stage I draws its sets from
	Warm         int     // trajectories that are there before stage I begins; 0: all of them
	Every        int     // steps of stage I after which one more joins the first Warm
	Thin         int     // stage I keeps every Thin-th of the frames that fitFrame chooses
	Rotate       bool    // whether a set is turned and mirrored at random as it is drawn
	Recorded     bool    // whether the trajectories are a recording, not simulated
	Views        int     // of frame 0, turned and mirrored, that a prediction is averaged over
	Seed         uint64
	Batch        int // sets a step
	Samples      int // Monte Carlo samples of q_X a set and step
	Shards       int // parts of a step
	Steps        int
	Rate         float64 // peak learning rate
	Encoder      set.Config
	Flow         flow.Config
	Law          LawConfig
}

// LawConfig is stage II: the law, and the two parts of its training. The first
// fits the velocity between neighbouring frames, which is quick and leaves
// errors that add up; the second goes through long stretches, which mends that.
type LawConfig struct {
	Drift        sde.Config
	Dt           float64 // time between two frames; the published code says 0.002, which rescales g alone
	Trajectories int     // encoded once, before training
	Fit          LawTraining
	Roll         LawTraining // none if it has no steps
}

// LawTraining is one part of stage II. A sample is a stretch of a trajectory:
// the law starts from its first state, which noise may disturb, and is compared
// with those that follow.
type LawTraining struct {
	Batch  int // stretches a step
	Shards int // parts of a step
	Steps  int
	Rate   float64 // peak learning rate
	Decay  float64 // of the weights, decoupled from the gradient
	Noise  float64 // standard deviation of what is added to the first state
	Window int     // integration steps of a stretch: one by Euler, several by RK4
	Stride int     // frames an integration step
	Power  float64 // see sde.Loss.Power
	Macro  float64 // weight of the observable's squared errors, beside 1 of each closure variable's
	Start  float64 // share of the stretches that begin with frame 0, as predictions do
}

// ParticlesPreset returns the configuration of a preset:
//
//   - quick: browser's networks at a third of its steps, for a lecture;
//   - browser: minutes in a tab;
//   - laptop: under half an hour of two cores;
//   - paper: the published networks, batch, samples and steps.
func ParticlesPreset(name string) (ParticlesConfig, error) {
	c := ParticlesConfig{
		Eps: 0.01, Macro: Energy, Particles: 300, Trajectories: 2000, Every: 1, Thin: 1, Rotate: true, Views: 16, Seed: 1,
		Batch: 64, Samples: 64, Shards: 16, Steps: 10_000, Rate: 2e-3,
		Encoder: set.Config{Dim: 2, Hidden: []int{128, 128}, Head: []int{128}, ZDim: 8, Act: kernel.SiLU},
		Flow: flow.Config{
			Dim: 2, ZDim: 8, Layers: 4, Bins: 16, Bound: 5, Hidden: []int{64, 64}, Act: kernel.SiLU, Order: flow.Alternate,
		},
		// A bounded drift does not run away: with SiLU, or as an OnsagerNet, it is
		// no better on trajectories like those it was trained on and two to ten
		// times worse on others. Noise on the first state makes it a sixth better
		// on others at the cost of a third on its own; stretches halve all errors.
		Law: LawConfig{
			Drift: sde.Config{
				Dim: 9, Form: sde.FormMLP, Hidden: []int{128, 128}, Act: kernel.Tanh, Onsager: sde.DefaultOnsager(),
				Confined: true, Box: sde.Box{Half: 1.25, Pull: 5},
			},
			Dt: 0.02, Trajectories: 4000,
			Fit:  LawTraining{Batch: 512, Shards: 4, Steps: 30_000, Rate: 2e-3, Window: 1, Stride: 1, Power: 1, Macro: 1},
			Roll: LawTraining{Batch: 64, Shards: 4, Steps: 3000, Rate: 1e-3, Window: 50, Stride: 4, Power: 0, Macro: 10, Start: 0.3, Noise: 0.02},
		},
	}
	switch name {
	case "quick", "browser":
		// Trajectories are simulated while stage I trains on those that there are,
		// and memory holds half of their frames.
		c.Trajectories, c.Warm, c.Every, c.Thin = 300, 24, 10, 2
		c.Batch, c.Shards, c.Samples, c.Steps = 32, 8, 32, 9000
		c.Encoder.Hidden, c.Encoder.Head = []int{64, 64}, []int{64}
		c.Flow.Layers, c.Flow.Hidden = 3, []int{48, 48}
		c.Law.Trajectories, c.Law.Fit.Steps, c.Law.Roll.Steps = 600, 15_000, 1500
		c.Law.Drift.Hidden = []int{64, 64}
		if name == "quick" {
			c.Steps /= 3
			c.Law = c.Law.WithSteps(c.Law.Fit.Steps / 3)
		}
	case "laptop":
	case "paper":
		c.Trajectories, c.Rotate, c.Views = 8000, false, 1
		c.Batch, c.Samples, c.Shards, c.Steps, c.Rate = 512, 600, 64, 113_000, 5e-4
		c.Encoder.Act = kernel.Softplus
		c.Flow.Layers, c.Flow.Bound, c.Flow.Hidden, c.Flow.Blocks, c.Flow.Act, c.Flow.Order = 8, 8, []int{128}, 2, kernel.ReLU, flow.Random
		c.Law.Drift.Hidden, c.Law.Drift.Act, c.Law.Drift.Confined = []int{64, 64}, kernel.ReLU, false
		c.Law.Trajectories, c.Law.Fit.Steps, c.Law.Fit.Rate, c.Law.Fit.Decay = 8000, 937_600, 1e-3, 0.01
		c.Law.Roll.Steps = 0
	default:
		return c, fmt.Errorf("there is no preset %q; use quick, browser, laptop or paper", name)
	}
	return c, nil
}

// WithSteps returns the configuration with another number of steps, of which
// the first part of the training takes n and the second no more than its share.
func (c LawConfig) WithSteps(n int) LawConfig {
	c.Roll.Steps = min(c.Roll.Steps, max(1, c.Roll.Steps*n/c.Fit.Steps))
	c.Fit.Steps = n
	return c
}

// WithZDim returns the configuration with another latent dimension.
func (c ParticlesConfig) WithZDim(d int) ParticlesConfig {
	c.Encoder.ZDim, c.Flow.ZDim, c.Law.Drift.Dim = d, d, d+1
	return c
}

// WithDim returns the configuration for particles of d coordinates. Only in
// the plane are they turned.
func (c ParticlesConfig) WithDim(d int) ParticlesConfig {
	c.Encoder.Dim, c.Flow.Dim = d, d
	if d != 2 {
		c.Rotate, c.Views = false, 1
	}
	return c
}

// available returns how many of count trajectories a step of stage I draws its
// sets from.
func (c *ParticlesConfig) available(step, count int) int {
	if c.Warm == 0 {
		return count
	}
	return min(count, c.Warm+step/c.Every)
}

// maxTrajectories and maxSetSize bound what a checkpoint or a file may ask for.
const (
	maxTrajectories = 1_000_000
	maxSetSize      = 100_000
)

// Validate says what is wrong with the configuration in a sentence.
func (c ParticlesConfig) Validate() error {
	switch {
	case !(c.Eps >= target.MinEps && c.Eps <= 1):
		return fmt.Errorf("ε is %g; it is the width of a Gaussian on coordinates of unit variance, so use a number from %g to 1", c.Eps, float64(target.MinEps))
	case c.Macro == "" || len(c.Macro) > 200:
		return fmt.Errorf("the observable's name has %d letters; use %s or the name of an array in the data", len(c.Macro), observableNames())
	case c.Particles < 2 || c.Particles > maxSetSize:
		return fmt.Errorf("%d particles a set; use 2 to %d", c.Particles, maxSetSize)
	case c.Trajectories < 1 || c.Trajectories > maxTrajectories || c.Law.Trajectories < 1 || c.Law.Trajectories > maxTrajectories:
		return fmt.Errorf("%d trajectories for stage I and %d for stage II; use 1 to %d", c.Trajectories, c.Law.Trajectories, maxTrajectories)
	case c.Warm < 0 || c.Warm > maxTrajectories || c.Every < 1 || c.Every > maxStep:
		return fmt.Errorf("stage I begins with %d trajectories and takes one more after %d steps; use at most %d, and 1 step or more", c.Warm, c.Every, maxTrajectories)
	case c.Thin < 1 || c.Thin > 1000:
		return fmt.Errorf("stage I keeps one of %d frames; use 1 to 1000", c.Thin)
	case c.Encoder.Dim != c.Flow.Dim:
		return fmt.Errorf("the encoder's particles have %d coordinates and the flow's %d; use the same number in both", c.Encoder.Dim, c.Flow.Dim)
	case c.Views < 1 || c.Views > 1000:
		return fmt.Errorf("predictions from %d views; use 1 to 1000", c.Views)
	case (c.Rotate || c.Views > 1) && c.Encoder.Dim != 2:
		return fmt.Errorf("only particles in the plane can be turned, and these have %d coordinates", c.Encoder.Dim)
	case c.Encoder.ZDim < 1 || c.Encoder.ZDim > MaxZDim || c.Encoder.ZDim != c.Flow.ZDim || c.Law.Drift.Dim != c.Encoder.ZDim+1:
		return fmt.Errorf("the latent dimension is %d in the encoder, %d in the flow and %d in the law; use the same number in all, from 1 to %d",
			c.Encoder.ZDim, c.Flow.ZDim, c.Law.Drift.Dim-1, MaxZDim)
	case c.Batch < 1 || c.Batch > 4096 || c.Shards < 1 || c.Batch%c.Shards != 0:
		return fmt.Errorf("a batch of %d sets in %d shards; use at most 4096 sets and a number of shards that divides them", c.Batch, c.Shards)
	case c.Samples < 1 || c.Samples > 4096:
		return fmt.Errorf("%d samples a set; use 1 to 4096", c.Samples)
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
func (c LawConfig) Validate() error {
	if !(c.Dt > 0 && c.Dt <= 1e3) {
		return fmt.Errorf("the law's time step is %g; use a number above 0 and at most 1000", c.Dt)
	}
	if err := c.Drift.Validate(); err != nil {
		return err
	}
	if err := c.Fit.Validate(); err != nil || c.Roll.Steps == 0 {
		return err
	}
	return c.Roll.Validate()
}

// Validate says what is wrong with the configuration in a sentence.
func (c LawTraining) Validate() error {
	switch {
	case c.Batch < 1 || c.Batch > 65536 || c.Shards < 1 || c.Batch%c.Shards != 0:
		return fmt.Errorf("stage II: a batch of %d stretches in %d shards; use at most 65536 and a number of shards that divides them", c.Batch, c.Shards)
	case !(c.Decay >= 0 && c.Decay <= 1):
		return fmt.Errorf("the law's weights decay at %g; use a number from 0 to 1", c.Decay)
	case !(c.Noise >= 0 && c.Noise <= 1):
		return fmt.Errorf("stage II adds noise of %g to states between -1 and 1; use a number from 0 to 1", c.Noise)
	case c.Window < 1 || c.Window > 1000 || c.Stride < 1 || c.Stride > 100:
		return fmt.Errorf("stage II compares %d steps of %d frames; use 1 to 1000 steps of 1 to 100", c.Window, c.Stride)
	case !(c.Power >= 0 && c.Power <= 1):
		return fmt.Errorf("stage II divides errors by the time to the power %g; use a number from 0 to 1", c.Power)
	case !(c.Macro > 0 && c.Macro <= 1e6):
		return fmt.Errorf("stage II weighs the observable's errors with %g; use a number above 0 and at most a million", c.Macro)
	case !(c.Start >= 0 && c.Start <= 1):
		return fmt.Errorf("stage II begins a share of %g of its stretches with frame 0; use a number from 0 to 1", c.Start)
	}
	return c.trainConfig(1).Validate()
}

func (c ParticlesConfig) fitConfig(workers int) train.Config {
	return train.Config{
		Shards: c.Shards, Workers: workers, Adam: optim.Default(), ClipNorm: 5,
		Schedule: optim.OneCycle{Peak: c.Rate, Steps: c.Steps, Warm: 0.1, StartDiv: 25, EndDiv: 1e3},
	}
}

func (c LawTraining) trainConfig(workers int) train.Config {
	adam := optim.Default()
	adam.WeightDecay = c.Decay
	return train.Config{
		Shards: c.Shards, Workers: workers, Adam: adam, ClipNorm: 1,
		Schedule: optim.OneCycle{Peak: c.Rate, Steps: c.Steps, Warm: 0.1, StartDiv: 25, EndDiv: 1e3},
	}
}

// system returns the simulation that the configuration's data come from.
func (c ParticlesConfig) system() particle.Config {
	p := particle.Default()
	p.N = c.Particles
	return p
}

// ParticlesModel is an autoencoder and a law, with their parameters and the
// scales that bring data to the units in which they work.
type ParticlesModel struct {
	Config    ParticlesConfig
	Layout    tensor.Layout // of the encoder and the flow
	Params    []float32
	LawLayout tensor.Layout
	LawParams []float32
	Scale     ParticlesScale

	encoder *set.DeepSet
	flow    *flow.Flow
	law     *sde.Law
}

// NewParticlesModel builds the model of a valid configuration with the weights
// that its seed begins with. Its scales are those of data that need none.
func NewParticlesModel(c ParticlesConfig) *ParticlesModel {
	m := &ParticlesModel{Config: c, Scale: newParticlesScale(c.Encoder.Dim, c.Encoder.ZDim)}
	m.encoder = set.New(c.Encoder, &m.Layout, "encoder")
	m.flow = flow.New(c.Flow, &m.Layout, "flow")
	m.law = sde.New(c.Law.Drift, &m.LawLayout, "law")
	m.Params, m.LawParams = make([]float32, m.Layout.Size()), make([]float32, m.LawLayout.Size())
	r := rng.New(c.Seed, "particles weights").Rand
	set.Init(m.Params, m.encoder, r)
	flow.Init(m.Params, m.flow, r)
	sde.Init(m.LawParams, m.law, r)
	return m
}

// ForRecording returns the configuration for trajectories of the user's own:
// their shape, an observable, and no turning, since their motion need not be
// the same in all directions.
func (c ParticlesConfig) ForRecording(src Source, observable string) ParticlesConfig {
	s := src.Shape()
	c = c.WithDim(s.Dim)
	c.Macro, c.Particles, c.Rotate, c.Views = observable, s.Particles, false, 1
	c.Recorded = true
	c.Trajectories, c.Law.Trajectories = s.Trajectories, s.Trajectories
	c.Warm = 0 // the first of a recording may all be of one kind
	for _, t := range []*LawTraining{&c.Law.Fit, &c.Law.Roll} {
		if most := max(1, (s.Frames-1)/2); t.Window*t.Stride > most {
			t.Stride = max(1, most/t.Window)
			t.Window = min(t.Window, most)
		}
	}
	return c
}
