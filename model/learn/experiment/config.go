package experiment

import (
	"fmt"
	"strings"

	"macroscope/model/compute/optim"
	"macroscope/model/learn/train"
	"macroscope/model/net/decoder"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/target"
	"macroscope/model/system"
)

// Spec names an experiment.
type Spec struct{ System, Method, Preset string }

// ParseSpec reads system/method@preset. What is left out is empty.
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

// Config is an experiment: the data, the autoencoder that finds the closure ẑ
// (stage I), and the dynamics of z = [z̄, ẑ] (stage II). With the model's scales
// it is all that a checkpoint needs to be opened.
type Config struct {
	Spec   Spec
	Traits system.Traits

	Observable string // that z̄ stands for; "" is the system's own
	Force      string // that particles have, see system.Forced; "" where there is none to choose
	Variables  int    // M, how many macroscopic variables it has; 0 without dynamics

	Particles    int  // that are simulated; in a frame, unless the system makes others of them
	Trajectories int  // that stage I draws its frames from
	Initial      int  // trajectories that are there before stage I begins; 0: all of them
	Every        int  // steps of stage I after which one more joins the first Initial
	Thin         int  // stage I keeps every Thin-th of the frames that the system chooses
	Turn         bool // whether a frame is turned and mirrored at random, as far as the system can be, as it is drawn
	Recorded     bool // whether the trajectories are the user's, not simulated
	Wide         bool // whether they are simulated from a wider range of first frames, see system.Choice
	Views        int  // of frame 0, turned and mirrored, that a prediction is averaged over, or an ensemble's members begin with
	Seed         uint64

	Batch  int // frames a step
	Shards int // parts of a step
	Steps  int
	Rate   float64 // peak learning rate
	WarmUp float64 // share of the steps before the peak
	// Optimiser is AdamOptimiser or SoapOptimiser.
	Optimiser string

	Encoder  encoder.Config
	Decoder  decoder.Config
	Dynamics Dynamics
}

// Dynamics is stage II: dz = g(z) dt, or dz = g(z) dt + Σ(z) dW where the system
// is stochastic.
type Dynamics struct {
	// Joint makes one equation of all variables. Otherwise each set of a frame has
	// an equation of its own macroscopic variable, its own ẑ and the others', as
	// published for mixing: each then moves the others' ẑ for itself.
	Joint bool
	// Share adds the share of all particles that are of the first species. It is
	// known from frame 0 and never changes. The paper has it not.
	Share bool
	// Params are the parameters of the physics that the dynamics are given, which
	// are drawn from these ranges for every trajectory of the training. The paper
	// has none.
	Params system.Ranges
	// Memory gives the dynamics the distances of the macroscopic variables from their fading
	// averages over so many frames each. The paper has none.
	Memory []int
	// Begin is the frame that predictions begin at. Of those before it they know the
	// macroscopic variables, as far as the dynamics remember them.
	Begin        int
	Drift        dynamics.Config
	Noise        dynamics.NoiseConfig // where the system is stochastic
	Dt           float64              // time between two frames
	Trajectories int                  // encoded once, before training
	Fit          Training             // from neighbouring frames, or by the likelihood of stretches
	Roll         Training             // through long stretches; none if it has no steps
}

// Training is one part of stage II. A sample is a stretch of a trajectory: the
// dynamics start from its first state, which noise may disturb, and are compared
// with those that follow.
type Training struct {
	Batch  int // stretches a step
	Shards int // parts of a step
	Steps  int
	Rate   float64 // peak learning rate
	// Optimiser is AdamOptimiser or SoapOptimiser.
	Optimiser string
	Decay     float64 // of the weights, decoupled from the gradient
	Noise     float64 // standard deviation of what is added to the first state
	Window    int     // integration steps of a stretch: one by Euler, several by RK4
	Stride    int     // frames an integration step
	Power     float64 // see dynamics.Loss.Power
	Macro     float64 // weight of z̄'s squared errors, beside 1 of each closure variable's
	Start     float64 // share of the stretches that begin with frame 0, as predictions do
	Early     float64 // share of the others that begin in the first quarter of the frames, where most happens
}

// The optimisers, see optim.
const (
	AdamOptimiser = "adam"
	SoapOptimiser = "soap" // Adam on matrices in rotated coordinates
)

// adam returns an optimiser's constants.
func adam(optimiser string) optim.Config {
	if optimiser == SoapOptimiser {
		return optim.Soap()
	}
	return optim.Default()
}

func checkOptimiser(name string) error {
	if name != AdamOptimiser && name != SoapOptimiser {
		return fmt.Errorf("there is no optimiser %q; use %s or %s", name, AdamOptimiser, SoapOptimiser)
	}
	return nil
}

// Limits of what a checkpoint, a file or a flag may ask for.
const (
	MaxTrajectories = 1_000_000
	MaxParticles    = 100_000
	MaxStep         = 10_000_000
	MaxThin         = 1000
)

// Sets returns how many sets a frame has.
func (c *Config) Sets() int { return max(1, len(c.Traits.Sets)) }

// HasDynamics says whether there is a stage II.
func (c *Config) HasDynamics() bool { return c.Variables > 0 }

// ZDim returns the closure variables of one set.
func (c *Config) ZDim() int { return c.Encoder.ZDim }

// States returns V, the number of variables of z.
func (c *Config) States() int { return c.Moving() + c.still() }

// Moving returns how many variables of z have dynamics: the macroscopic ones and
// the closures. The frozen ones come after them.
func (c *Config) Moving() int { return c.Variables + c.Sets()*c.Encoder.ZDim }

// Dim returns the coordinates of a particle.
func (c *Config) Dim() int { return c.Encoder.Dim }

// Most returns how many particles a frame may have: as many as are simulated, unless
// the system makes others of these.
func (c *Config) Most() int {
	if c.Traits.MaxParticles > 0 {
		return c.Traits.MaxParticles
	}
	return c.Particles
}

// Scaling returns how coordinates are brought to the units of the networks. Pictures
// are drawn of them as they are.
func (c *Config) Scaling() system.Scaling {
	if c.Encoder.Draws() {
		return system.AsIs
	}
	return c.Traits.Scaling
}

// OwnForce returns the force of the user's own; "" if it is the system's.
func (c *Config) OwnForce() string {
	if f := c.Traits.Forces; f != nil && f.Force() != c.Force {
		return c.Force
	}
	return ""
}

// System returns a system with the force of the configuration.
func (c *Config) System(sys system.System) system.System {
	if f, ok := sys.(system.Forced); ok && f.Force() != c.Force {
		with, err := f.WithForce(c.Force)
		if err != nil {
			panic("experiment: " + err.Error()) // which Set and ForData have seen
		}
		return with
	}
	return sys
}

// Choice returns which simulated trajectories a training or what belongs to it
// wants.
func (c *Config) Choice(purpose system.Purpose, seed uint64, count int) system.Choice {
	return system.Choice{
		Purpose: purpose, Seed: seed, Count: count, Particles: c.Particles,
		Fixed: c.Encoder.Ordered(), Wide: c.Wide, Params: c.Dynamics.Params,
	}
}

// Available returns how many of count trajectories a step of stage I draws its
// frames from.
func (c *Config) Available(step, count int) int {
	if c.Initial == 0 {
		return count
	}
	return min(count, c.Initial+step/c.Every)
}

// Frames lists which of so many frames of a trajectory stage I uses.
func (c *Config) Frames(sys system.System, frames int) (chosen []int) {
	k := 0
	for t := range frames {
		if !sys.KeepFrame(t) {
			continue
		}
		if k%c.Thin == 0 {
			chosen = append(chosen, t)
		}
		k++
	}
	return chosen
}

// WithZDim returns the configuration with another latent dimension of each set.
func (c Config) WithZDim(d int) Config {
	dim, _ := c.Decoder.Dims()
	c.Encoder.ZDim, c.Decoder = d, c.Decoder.WithDims(dim, d)
	return c.fitted()
}

// WithEps returns the configuration with another kernel width.
func (c Config) WithEps(eps float64) Config {
	c.Decoder.Eps = eps
	return c
}

// Eps returns the standard deviation of q_X's kernel.
func (c *Config) Eps() float64 { return c.Decoder.Eps }

// WithJoint returns the configuration with one equation, or with one a set.
func (c Config) WithJoint(joint bool) Config {
	c.Dynamics.Joint = joint
	return c.fitted()
}

// WithDrift returns the configuration with another form of the drift, one of
// dynamics.Forms.
func (c Config) WithDrift(form string) Config {
	c.Dynamics.Drift.Form = dynamics.Form(form)
	return c
}

// WithShare returns the configuration with the share of the first species among
// the variables, or without.
func (c Config) WithShare(share bool) Config {
	c.Dynamics.Share = share
	return c.fitted()
}

// WithParams returns the configuration with dynamics that are given parameters, as
// system.Parameters.Parse reads them.
func (c Config) WithParams(text string) (Config, error) {
	ranges, err := c.Traits.Parameters.Parse(text)
	if err != nil {
		return c, err
	}
	c.Dynamics.Params = ranges
	return c.fitted(), nil
}

// WithDim returns the configuration for particles of d coordinates. Only in the
// plane are they turned, unless the system is mirrored instead.
func (c Config) WithDim(d int) Config {
	_, zdim := c.Decoder.Dims()
	c.Encoder.Dim, c.Decoder = d, c.Decoder.WithDims(d, zdim)
	if d != 2 {
		c = c.unturned()
	}
	return c
}

// unturned returns the configuration for sets that are not turned; a system that is
// mirrored stays so.
func (c Config) unturned() Config {
	if c.Traits.Mirrors == 0 {
		c.Turn, c.Views = false, 1
	}
	return c
}

// WithSteps returns the dynamics with another number of steps, of which the
// first part of the training takes n and the second no more than its share.
func (d Dynamics) WithSteps(n int) Dynamics {
	if d.Roll.Steps > 0 {
		d.Roll.Steps = min(d.Roll.Steps, max(1, d.Roll.Steps*n/d.Fit.Steps))
	}
	d.Fit.Steps = n
	return d
}

// fitted returns the configuration with dynamics, and a one-step loss of stage I,
// of as many variables as there are.
func (c Config) fitted() Config {
	c.Dynamics.Drift.Dim = c.driftDim()
	c.fitStep()
	return c
}

func (c *Config) fitStep() {
	s := &c.Decoder.Step
	s.Macros, s.Sets, s.Drift.Dim = c.Variables, c.Sets(), c.Moving()
}

// driftDim returns the number of variables of one equation.
func (c *Config) driftDim() int {
	if c.Dynamics.Joint {
		return c.States()
	}
	return 1 + c.Sets()*c.Encoder.ZDim + c.still()
}

// WithParticles returns the configuration for frames of so many particles. An
// encoder that takes a fixed number has them shared equally by its sets; a
// decoder that restores points, of what any encoder made, restores all of a
// frame together, since its sets may have different sizes in every trajectory. One
// that restores pictures has those of the encoder.
func (c Config) WithParticles(n int) Config {
	c.Particles = n
	switch {
	case c.Encoder.Kind == encoder.Flat:
		c.Encoder.Sizes = Sizes(n, c.Sets())
		c.Decoder.Sizes, c.Decoder.Join = c.Encoder.Sizes, 0
	case c.Encoder.Draws():
		c.Decoder.Raster, c.Decoder.Image = c.Encoder.Raster, c.Encoder.Picture()
	case !c.Decoder.Density():
		c.Decoder.Sizes, c.Decoder.Join = []int{n}, c.Sets()
	}
	return c
}

// Trains says why stage I cannot be trained on a frame whose sets end there.
func (c *Config) Trains(ends []int) error {
	if err := c.Encoder.Takes(ends); err != nil {
		return err
	}
	return c.Decoder.Takes(ends)
}

// Sizes shares n particles equally by so many sets, the first of which have one
// more where that does not come out even.
func Sizes(n, sets int) []int {
	sizes := make([]int, sets)
	for i := range sizes {
		sizes[i] = (n + sets - 1 - i) / sets
	}
	return sizes
}

// ForData returns the configuration for trajectories of the user's own: their
// shape, their observable, and no turning, since their motion need not be the
// same in all directions.
func (c Config) ForData(src system.Recorded, variables int) Config {
	s := src.Shape()
	c = c.WithDim(s.Dim).WithParticles(s.Particles)
	if o := src.Observable(); o != "" { // else the system's own, which presets have
		c.Observable = o
	}
	if f := system.ForceOf(src); f != "" {
		c.Force = f
	}
	c.Variables = variables
	c = c.unturned()
	c.Recorded, c.Wide = true, false
	c.Initial = 0 // the first of a recording may all be of one kind
	if !c.Traits.Stochastic {
		c.Trajectories = s.Trajectories
	}
	c.Trajectories = min(c.Trajectories, s.Trajectories)
	c.Dynamics.Trajectories = s.Trajectories
	most := max(1, s.Frames-1-c.Dynamics.Begin) // the longest stretch
	if !c.Traits.Stochastic {
		most = max(1, most/2)
	}
	for _, t := range []*Training{&c.Dynamics.Fit, &c.Dynamics.Roll} {
		if t.Window*t.Stride > most {
			t.Stride = max(1, most/t.Window)
			t.Window = min(t.Window, most)
		}
	}
	return c.fitted()
}

// Validate says what is wrong with the configuration in a sentence.
func (c Config) Validate() error {
	dim, zdim := c.Decoder.Dims()
	switch {
	case c.Particles < 1 || c.Particles > MaxParticles:
		return fmt.Errorf("%d particles in a frame; use 1 to %d", c.Particles, MaxParticles)
	case c.Batch < 1 || c.Batch > 4096 || c.Shards < 1 || c.Batch%c.Shards != 0:
		return fmt.Errorf("a batch of %d frames in %d shards; use at most 4096 frames and a number of shards that divides them", c.Batch, c.Shards)
	case c.Decoder.Density() && !(c.Decoder.Eps >= target.MinEps && c.Decoder.Eps <= 1):
		return fmt.Errorf("ε is %g; it is the width of a Gaussian in the units of the networks, so use a number from %g to 1", c.Decoder.Eps, float64(target.MinEps))
	case c.Encoder.Dim != dim || c.Encoder.ZDim != zdim:
		return fmt.Errorf("the encoder makes %d numbers of particles with %d coordinates, and the decoder takes %d for %d; use the same in both", c.Encoder.ZDim, c.Encoder.Dim, zdim, dim)
	case c.Decoder.Step.On() && (!c.HasDynamics() || c.Initial != 0 || c.Batch/c.Shards%2 != 0):
		return fmt.Errorf("the one-step loss takes pairs of frames of trajectories that are all there; use an even number of frames in each shard, of a system with dynamics, and warm=0")
	case c.Encoder.Draws() != (c.Decoder.Kind == decoder.Picture):
		return fmt.Errorf("the encoder is %q and the decoder %q; pictures take both halves of their autoencoder", c.Encoder.Kind, c.Decoder.Kind)
	case c.Encoder.Kind == encoder.Flat && len(c.Encoder.Sizes) != c.Sets():
		return fmt.Errorf("the encoder is for %d sets a frame, and there are %d", len(c.Encoder.Sizes), c.Sets())
	}
	for _, err := range []error{c.FitConfig(1).Validate(), checkOptimiser(c.Optimiser), c.Encoder.Validate(), c.Decoder.Validate()} {
		if err != nil {
			return err
		}
	}
	if !c.HasDynamics() {
		if c.Encoder.Dim != c.Traits.Dim {
			return fmt.Errorf("the encoder is for particles with %d coordinates, and the system's have %d", c.Encoder.Dim, c.Traits.Dim)
		}
		return c.checkRoom()
	}
	switch {
	case len(c.Observable) > 200:
		return fmt.Errorf("the observable's name has %d letters; use 200 at most", len(c.Observable))
	case c.Trajectories < 1 || c.Trajectories > MaxTrajectories || c.Dynamics.Trajectories < 1 || c.Dynamics.Trajectories > MaxTrajectories:
		return fmt.Errorf("%d trajectories for stage I and %d for stage II; use 1 to %d", c.Trajectories, c.Dynamics.Trajectories, MaxTrajectories)
	case c.Initial < 0 || c.Initial > MaxTrajectories || c.Every < 1 || c.Every > MaxStep:
		return fmt.Errorf("stage I begins with %d trajectories and takes one more after %d steps; use at most %d, and 1 step or more", c.Initial, c.Every, MaxTrajectories)
	case c.Thin < 1 || c.Thin > MaxThin:
		return fmt.Errorf("stage I keeps one of %d frames; use 1 to %d", c.Thin, MaxThin)
	case c.Views < 1 || c.Views > 1000:
		return fmt.Errorf("predictions from %d views; use 1 to 1000", c.Views)
	case c.Traits.Mirrors > 0 && c.Views > 1<<c.Traits.Mirrors:
		return fmt.Errorf("predictions from %d views, and sets can be mirrored in %d ways; use at most as many", c.Views, 1<<c.Traits.Mirrors)
	case (c.Turn || c.Views > 1) && c.Traits.Mirrors == 0 && (c.Encoder.Dim != 2 || !c.Traits.Turns):
		return fmt.Errorf("only particles in the plane whose dynamics know no direction can be turned, and these are not")
	case c.Dynamics.Drift.Dim != c.driftDim():
		return fmt.Errorf("the dynamics have %d variables, and z has %d for them; use the same latent dimension in all", c.Dynamics.Drift.Dim, c.driftDim())
	case !c.Dynamics.Joint && c.Variables != c.Sets():
		return fmt.Errorf("there are %d macroscopic variables for %d sets, so there cannot be an equation for each set; use one for all", c.Variables, c.Sets())
	}
	for _, r := range c.Dynamics.Params {
		if !(r.High > r.Low) {
			return fmt.Errorf("the parameter %s is drawn from %g to %g, so there is nothing to learn of it; use a range, or leave it out", r.Name, r.Low, r.High)
		}
	}
	if f := c.Traits.Forces; f != nil {
		if _, _, err := f.PutIn(c.Force, c.Dynamics.Params); err != nil {
			return fmt.Errorf("the dynamics cannot be given this: %w", err)
		}
	}
	if err := c.checkMemory(); err != nil {
		return err
	}
	if err := c.Dynamics.validate(c.Traits.Stochastic); err != nil {
		return err
	}
	return c.checkRoom()
}

func (d Dynamics) validate(stochastic bool) error {
	if !(d.Dt > 0 && d.Dt <= 1e3) {
		return fmt.Errorf("the dynamics' time step is %g; use a number above 0 and at most 1000", d.Dt)
	}
	if err := d.Drift.Validate(); err != nil {
		return err
	}
	if stochastic {
		if err := d.Noise.Validate(); err != nil {
			return err
		}
		if d.Roll.Steps != 0 {
			return fmt.Errorf("stochastic dynamics are trained by their likelihood alone, so there is no second part of %d steps", d.Roll.Steps)
		}
	}
	if err := d.Fit.validate(stochastic); err != nil || d.Roll.Steps == 0 {
		return err
	}
	return d.Roll.validate(stochastic)
}

func (t Training) validate(stochastic bool) error {
	longest := 1000
	if stochastic {
		longest = 100_000
	}
	switch {
	case t.Batch < 1 || t.Batch > 65536 || t.Shards < 1 || t.Batch%t.Shards != 0:
		return fmt.Errorf("stage II: a batch of %d stretches in %d shards; use at most 65536 and a number of shards that divides them", t.Batch, t.Shards)
	case !(t.Decay >= 0 && t.Decay <= 1):
		return fmt.Errorf("the weights of the dynamics decay at %g; use a number from 0 to 1", t.Decay)
	case !(t.Noise >= 0 && t.Noise <= 1):
		return fmt.Errorf("stage II adds noise of %g to states between -1 and 1; use a number from 0 to 1", t.Noise)
	case t.Window < 1 || t.Window > longest || t.Stride < 1 || t.Stride > 100:
		return fmt.Errorf("stage II compares %d steps of %d frames; use 1 to %d steps of 1 to 100", t.Window, t.Stride, longest)
	case t.Batch/t.Shards*t.Window > 1<<20:
		return fmt.Errorf("stage II takes %d stretches of %d steps at once; use at most a million steps, or more shards", t.Batch/t.Shards, t.Window)
	case !(t.Power >= 0 && t.Power <= 1):
		return fmt.Errorf("stage II divides errors by the time to the power %g; use a number from 0 to 1", t.Power)
	case !(t.Macro > 0 && t.Macro <= 1e6):
		return fmt.Errorf("stage II weighs the macroscopic variables' errors with %g; use a number above 0 and at most a million", t.Macro)
	case !(t.Start >= 0 && t.Start <= 1):
		return fmt.Errorf("stage II begins a share of %g of its stretches with frame 0; use a number from 0 to 1", t.Start)
	case !(t.Early >= 0 && t.Early <= 1):
		return fmt.Errorf("stage II begins a share of %g of its stretches in the first quarter of the frames; use a number from 0 to 1", t.Early)
	}
	if err := checkOptimiser(t.Optimiser); err != nil {
		return err
	}
	return t.TrainConfig(1, stochastic).Validate()
}

// FitConfig returns how stage I is trained.
func (c Config) FitConfig(workers int) train.Config {
	return train.Config{
		Shards: c.Shards, Workers: workers, Adam: adam(c.Optimiser), ClipNorm: 5,
		Schedule: optim.OneCycle{Peak: c.Rate, Steps: c.Steps, WarmUp: c.WarmUp, StartDiv: 25, EndDiv: 1e3},
	}
}

// TrainConfig returns how a part of stage II is trained.
func (t Training) TrainConfig(workers int, stochastic bool) train.Config {
	constants := adam(t.Optimiser)
	constants.WeightDecay = t.Decay
	clip := 1.0
	if stochastic {
		clip = 5
	}
	return train.Config{
		Shards: t.Shards, Workers: workers, Adam: constants, ClipNorm: clip,
		Schedule: optim.OneCycle{Peak: t.Rate, Steps: t.Steps, WarmUp: 0.1, StartDiv: 25, EndDiv: 1e3},
	}
}
