package method

import (
	"fmt"

	"macroscope/model/compute/optim"
	"macroscope/model/learn/train"
	"macroscope/model/net/decoder"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/image"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Config is an experiment: the data, the autoencoder that finds the closure variables ẑ (stage
// I), and the dynamics of z = [z̄, ẑ] (stage II). A Config and a model's scales are all that a
// checkpoint must contain in addition to weights.
type Config struct {
	Spec   Spec
	Traits system.Traits
	// Shape holds the sizes of frames and of ẑ. Its field Particles counts simulated particles;
	// a frame may contain other points, such as the pixels of a film.
	encoder.Shape

	Force     string // force on the particles, see system.Forces; "" if there is no choice
	Variables int    // M, the number of macroscopic variables; 0 without dynamics
	Data      Data   // the trajectories that train the model
	Seed      uint64

	Batch  int // frames per step
	Shards int // number of shards of a batch
	Steps  int
	Rate   float64 // largest learning rate
	WarmUp float64 // share of the steps during which the learning rate rises to Rate
	// Optimiser is adamOptimiser or SoapOptimiser.
	Optimiser string

	Encoder  encoder.Kind
	Decoder  decoder.Config
	Dynamics Dynamics
}

// Dynamics is stage II: dz = g(z) dt, or dz = g(z) dt + Σ(z) dW if the system
// is stochastic.
type Dynamics struct {
	// Joint selects one equation for all variables. Otherwise each set of a frame has its own
	// equation, as published for mixing. The equation of a set advances the macroscopic variable
	// and ẑ of this set. It also advances a private copy of ẑ of the other sets.
	Joint bool
	// Share adds an input to the dynamics: the share of the first species among all particles,
	// which never changes within a trajectory. The paper has no such input.
	Share bool
	// Params are the parameters of the physics that are inputs of the dynamics. For every
	// training trajectory their values are drawn from these ranges. The paper has no such
	// inputs.
	Params system.Ranges
	// Memory lists lengths in frames. For each length and each macroscopic variable, the
	// dynamics have one more input: the difference between the variable and its fading average
	// of this length. The paper has no memory.
	Memory []int
	// Narrowest is the least width of a range of ẑ that is scaled to [-1, 1], as a share of the widest
	// range's width. Narrower ranges are widened. 0: none is. The reason is that a code can have a
	// number that the decoder hardly uses. Otherwise its noise is an input of the dynamics as large as
	// the other numbers.
	Narrowest float64
	// Begin is the frame at which predictions begin. Dynamics without a memory use no earlier
	// frame. Dynamics with a memory use the macroscopic variables of the earlier frames, but not
	// the particles.
	Begin        int
	Drift        dynamics.DriftConfig
	Noise        dynamics.NoiseConfig // diffusion Σ, for stochastic systems
	Dt           float64              // time between two frames
	Trajectories int                  // number of trajectories; they are encoded once, before training
	// Images is the number of mirror images of each trajectory on which the dynamics are trained, the
	// trajectory included. It is 1 for systems that cannot be mirrored. A training on model.Codes uses them
	// as they are. With more images, the dynamics need fewer trajectories to learn that mirror images
	// move alike.
	Images   int
	Tries    int              // number of trainings of stochastic dynamics, of which the best is kept
	Velocity DynamicsTraining // first part of the training, on pairs of neighbouring frames. Stochastic systems use the likelihood of stretches instead
	Rollout  DynamicsTraining // second part of the training: on long stretches; skipped if its Steps is 0
}

// DynamicsTraining is one part of stage II. A sample is a stretch of a trajectory. The dynamics start
// from its first state, to which noise can be added, and are compared with the states after it.
type DynamicsTraining struct {
	Batch  int // stretches per step
	Shards int // number of shards of a batch
	Steps  int
	Rate   float64 // largest learning rate
	// Optimiser is adamOptimiser or SoapOptimiser.
	Optimiser string
	Decay     float64 // weight decay, decoupled from the gradient
	Noise     float64 // standard deviation of the noise added to the first state
	Window    int     // integration steps in a stretch: one Euler step, or several RK4 steps
	Stride    int     // frames per integration step
	Substeps  int     // Euler steps in which training by likelihood takes an integration step, see dynamics.Substeps; unused for deterministic systems
	Power     float64 // exponent p of the loss, see dynamics.Loss
	Macro     float64 // weight of the squared errors of z̄; each closure variable has weight 1
	Start     float64 // probability that a stretch begins at frame Dynamics.Begin, where predictions begin; unused for stochastic systems
	Early     float64 // probability that the beginning of any other stretch is drawn from the first quarter of the frames, where most changes happen
}

// substeps returns Substeps, or 1 if the system is deterministic.
func (t *DynamicsTraining) substeps() int { return max(1, t.Substeps) }

// Evaluations returns how often the drift is evaluated for a stretch in training by likelihood.
func (t *DynamicsTraining) Evaluations() int { return t.Window * t.substeps() }

// Stages returns how often the drift is evaluated in one of several steps of a stretch of a system that moves as `of`
// says: four times by RK4, and once in training by likelihood.
func (t *DynamicsTraining) Stages(of *system.Motion) int {
	if t.Window > 1 && of == system.ODE {
		return 4
	}
	return 1
}

// The optimisers (see package optim).
const (
	adamOptimiser = "adam"
	SoapOptimiser = "soap" // SOAP: Adam on matrices in rotated coordinates
)

// adam returns the constants of Adam for an optimiser.
func adam(optimiser string) optim.Config {
	if optimiser == SoapOptimiser {
		return optim.Soap()
	}
	return optim.Default()
}

// Bounds of settings in checkpoints, files and flags.
const (
	MaxTrajectories = 1_000_000
	MaxParticles    = system.MaxParticles
	MaxStep         = 10_000_000
	MaxThin         = 1000
)

// Sets returns how many sets a frame has.
func (c *Config) Sets() int { return c.Shape.Sets }

// Motion returns how z moves.
func (c *Config) Motion() *system.Motion { return c.Traits.Motion(c.Variables) }

// HasDynamics reports whether there is a stage II.
func (c *Config) HasDynamics() bool { return c.Variables > 0 }

// ZDim returns the number of closure variables of one set. For a tunable model it returns the
// number of the encoder's outputs. They contain a code for every length of ẑ.
func (c *Config) ZDim() int { return c.Tuning().width() }

// States returns V, the number of variables of z.
func (c *Config) States() int { return c.Moving() + c.Frozen().Len() }

// Moving returns how many variables of z have dynamics: the macroscopic and the closure
// variables. The frozen variables come after them.
func (c *Config) Moving() int { return c.Variables + c.Sets()*c.ZDim() }

// Dim returns the number of coordinates of a particle.
func (c *Config) Dim() int { return c.Shape.Dim }

// MaxParticles returns the largest number of points in a frame. This is the system's bound, for
// example on the pixels of a film. Without such a bound it is the number of simulated
// particles.
func (c *Config) MaxParticles() int {
	if c.Traits.MaxParticles > 0 {
		return c.Traits.MaxParticles
	}
	return c.Particles
}

// Scaling returns how coordinates are scaled for the networks. An encoder of pictures gets them
// unscaled.
func (c *Config) Scaling() system.Scaling {
	if c.Encoder.Pictures() {
		return system.AsIs
	}
	return c.Traits.Scaling
}

// OwnForce returns the user's own force, or "" if the force is the system's.
func (c *Config) OwnForce() string {
	if f := c.Traits.Forces; f != nil && f.Usual() != c.Force {
		return c.Force
	}
	return ""
}

// System returns sys with the force of the configuration.
func (c *Config) System(sys *system.System) *system.System {
	if sys.Force != c.Force {
		with, err := sys.Forces.With(c.Force)
		if err != nil {
			panic("method: " + err.Error()) // Set and ForData have already checked the force
		}
		return with
	}
	return sys
}

// Choice selects the trajectories to simulate for a purpose of the training.
func (c *Config) Choice(purpose system.Purpose, seed uint64, count int) system.Choice {
	return system.Choice{
		Purpose: purpose, Seed: seed, Count: count, Particles: c.Particles,
		Fixed: c.Encoder.Ordered(), Wide: c.Data.Wide, Params: c.Dynamics.Params,
	}
}

// Eps returns the standard deviation of q_X's kernel.
func (c *Config) Eps() float64 { return c.Decoder.Eps }

// withDim returns the configuration for particles with d coordinates. Sets are not turned if the system's
// particles have others; they are still mirrored if the system mirrors sets.
func (c Config) withDim(d int) Config {
	c.Shape.Dim = d
	if d != c.Traits.Dim {
		c.Data.unturn(c.Traits.Mirrors)
	}
	return c
}

// equationDim returns the number of variables of one equation of the usual length of ẑ.
func (c *Config) equationDim() int {
	macros := 1
	if c.Dynamics.Joint {
		macros = c.Variables
	}
	return macros + c.Sets()*c.Tuning().Usual() + c.Frozen().Len()
}

// The method `own` replaces the settings of the encoder and the decoder by copies. Later changes
// then do not affect other configurations.
func (c *Config) own() {
	c.Encoder, c.Decoder.Kind = setting.Clone(c.Encoder), setting.Clone(c.Decoder.Kind)
}

// ForData returns the configuration for the user's trajectories, with their shape and observable.
// It switches off the random turns of frames, because the motion in these trajectories may depend
// on the direction. A part of the trajectories is kept out of training, for validation.
func (c Config) ForData(src system.Recorded, variables int) Config {
	s := src.Shape()
	c.Data.KeptOut = keptOutOf(s, c.Dynamics.Begin)
	s.Trajectories, s.Frames = s.Trajectories-len(c.Data.KeptOut.Trajectories), s.Frames-c.Data.KeptOut.Frames
	c = c.withDim(s.Dim)
	c.Particles = s.Particles
	if o := src.Observable(); o != "" { // "" keeps the system's default from the preset
		c.Data.Observable = o
	}
	if f := src.Facts().Force; f != "" {
		c.Force = f
	}
	c.Variables, c.Data.Origin = variables, originOf(src)
	if c.Traits.Description == nil { // a described system says whether it prefers a direction
		c.Data.unturn(c.Traits.Mirrors)
	}
	c.Data.Recorded, c.Data.Wide = true, false
	c.Data.Initial = 0 // training begins with all trajectories, because the first trajectories alone may be too similar to one another
	if !c.Traits.Stochastic {
		c.Data.Trajectories = s.Trajectories
	}
	c.Data.Trajectories = min(c.Data.Trajectories, s.Trajectories)
	c.Dynamics.Trajectories = s.Trajectories
	most := max(1, s.Frames-1-c.Dynamics.Begin) // length of the longest possible stretch
	if !c.Traits.Stochastic {
		most = max(1, most/2)
	}
	for _, t := range []*DynamicsTraining{&c.Dynamics.Velocity, &c.Dynamics.Rollout} {
		if t.Window*t.Stride > most {
			t.Stride = max(1, most/t.Window)
			t.Window, t.Substeps = min(t.Window, most), min(t.Substeps, t.Stride)
		}
	}
	return c
}

// Validate returns an error that says in a sentence what is wrong with the configuration. It
// first reports a value that its Field in the Table rejects, then values that do not fit
// together.
func (c Config) Validate() error {
	c.own() // Check writes every value again, so the settings must be copies
	for _, check := range []func() error{
		c.Table().Check, c.checkStageOne, func() error { return c.Tuning().check(&c.Decoder, c.HasDynamics()) },
		func() error { return c.Autoencoder().check() }, c.checkStageTwo, func() error { return checkRoom(c.Room()) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) checkStageOne() error {
	switch {
	case c.Batch%c.Shards != 0:
		return fmt.Errorf("a batch of %d frames in %d shards; use a number of shards that divides them", c.Batch, c.Shards)
	case c.Decoder.Step.On() && (c.Variables == 0 || c.Data.Initial != 0 || c.Batch/c.Shards%2 != 0):
		return fmt.Errorf("the one-step loss takes pairs of frames of trajectories that are all there; use an even number of frames in each shard, of a system with dynamics, and warm=0")
	case !c.HasDynamics() && c.Dim() != c.Traits.Dim:
		return fmt.Errorf("the encoder is for particles with %d coordinates, and the system's have %d", c.Dim(), c.Traits.Dim)
	}
	if p, ok := c.Encoder.(*encoder.Picture); ok {
		return checkPicture(&p.Raster, &c.Traits.Film)
	}
	return nil
}

// checkPicture rejects pictures that show almost nothing of the film, or that show all of it in
// one row of pixels.
func checkPicture(r *image.Raster, f *system.Film) error {
	width := min(r.Left+r.Pixel*float64(r.Cols), f.Left+f.Width) - max(r.Left, f.Left)
	height := min(r.Top+r.Pixel*float64(r.Rows), f.Top+f.Height) - max(r.Top, f.Top)
	switch {
	case width <= 0 || height <= 0 || width*height < f.Width*f.Height/100:
		return fmt.Errorf("pictures of %d × %d pixels of size %g from the corner %g, %g show less than a hundredth of the film, which is %g × %g from %g, %g; move them, or use more or larger pixels",
			r.Cols, r.Rows, r.Pixel, r.Left, r.Top, f.Width, f.Height, f.Left, f.Top)
	case r.Pixel > f.Height:
		return fmt.Errorf("pixels of size %g are larger than the film, which is %g × %g; use smaller ones", r.Pixel, f.Width, f.Height)
	}
	return nil
}

func (c *Config) checkStageTwo() error {
	if !c.HasDynamics() {
		return nil
	}
	if err := c.Data.check(&c.Traits, c.Dim()); err != nil {
		return err
	}
	if n := c.equationDim(); n > dynamics.MaxDim {
		return fmt.Errorf("an equation has %d variables; use %d at most, with a lower latent dimension or fewer parameters", n, dynamics.MaxDim)
	}
	if err := c.Dynamics.check(&c.Traits, c.Variables, c.Sets()); err != nil {
		return err
	}
	if f := c.Traits.Forces; f != nil {
		if _, _, err := f.PutIn(c.Force, c.Dynamics.Params); err != nil {
			return fmt.Errorf("the dynamics cannot be given this: %w", err)
		}
	}
	return nil
}

// check returns an error if a system with this number of macroscopic variables, and of sets of a frame, cannot have the
// dynamics.
func (d *Dynamics) check(of *system.Traits, variables, sets int) error {
	switch {
	case d.Images < 1 || d.Images > 1<<of.Mirrors:
		return fmt.Errorf("the dynamics learn from %d mirror images of each trajectory, and there are %d; use from 1 to %d", d.Images, 1<<of.Mirrors, 1<<of.Mirrors)
	case !d.Joint && variables != sets:
		return fmt.Errorf("there are %d macroscopic variables for %d sets, so there cannot be an equation for each set; use one for all", variables, sets)
	case of.Stochastic && d.Rollout.Steps != 0:
		return fmt.Errorf("stochastic dynamics are trained by their likelihood alone, so there is no second part of %d steps", d.Rollout.Steps)
	}
	for _, r := range d.Params {
		if !(r.High > r.Low) {
			return fmt.Errorf("the parameter %s is drawn from %g to %g, so there is nothing to learn of it; use a range, or leave it out", r.Name, r.Low, r.High)
		}
	}
	if err := d.checkMemory(of.Stochastic, sets); err != nil {
		return err
	}
	if err := d.checkPull(of.Motion(variables)); err != nil {
		return err
	}
	for _, t := range []*DynamicsTraining{&d.Velocity, &d.Rollout} {
		if err := t.check(); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if the part takes no steps of this size.
func (t *DynamicsTraining) check() error {
	switch {
	case t.Steps == 0:
		return nil
	case t.Batch%t.Shards != 0:
		return fmt.Errorf("stage II: a batch of %d stretches in %d shards; use a number of shards that divides them", t.Batch, t.Shards)
	case t.Batch/t.Shards*t.Evaluations() > 1<<20:
		return fmt.Errorf("stage II takes %d stretches of %d steps at once; use at most a million steps, or more shards", t.Batch/t.Shards, t.Evaluations())
	}
	return nil
}

// mostPull bounds how far one step may move a state towards the box (see dynamics.Box), relative to
// the state's distance from the box. Above this bound, an Euler step increases the distance.
const mostPull = 2

// checkPull returns an error if the pull of the box is so strong that a step exceeds mostPull.
func (d *Dynamics) checkPull(of *system.Motion) error {
	stride := 1.0
	for _, t := range []*DynamicsTraining{&d.Velocity, &d.Rollout} {
		// Training by likelihood compares every step with an observed state, unless it has substeps.
		if t.Steps > 0 && (t.Substeps > 1 || t.Stages(of) > 1) {
			stride = max(stride, float64(t.Stride)/float64(t.substeps()))
		}
	}
	if pull := d.Drift.Box.Pull * d.Dt * stride; d.Drift.Confined && pull > mostPull {
		return fmt.Errorf("a step takes states law.box.pull × law.dt × stride = %g of their way back to the box, and beyond %d they fly off; lower one of the three", pull, mostPull)
	}
	return nil
}

// StageOneConfig returns the settings for the training of stage I.
func (c Config) StageOneConfig(workers int) train.Config {
	return train.Config{
		Shards: c.Shards, Workers: workers, Adam: adam(c.Optimiser), ClipNorm: 5,
		Schedule: optim.OneCycle{Peak: c.Rate, Steps: c.Steps, WarmUp: c.WarmUp, StartDiv: 25, EndDiv: 1e3},
	}
}

// TrainConfig returns the settings for the training of a part of stage II.
func (t DynamicsTraining) TrainConfig(workers int, of *system.Motion) train.Config {
	constants := adam(t.Optimiser)
	constants.WeightDecay = t.Decay
	return train.Config{
		Shards: t.Shards, Workers: workers, Adam: constants, ClipNorm: of.Clip,
		Schedule: optim.OneCycle{Peak: t.Rate, Steps: t.Steps, WarmUp: 0.1, StartDiv: 25, EndDiv: 1e3},
	}
}
