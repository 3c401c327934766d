package lab

import (
	"fmt"
	"slices"

	"macroscope/model/flow"
	"macroscope/model/kernel"
	"macroscope/model/metric"
	"macroscope/model/optim"
	"macroscope/model/set"
	"macroscope/model/target"
	"macroscope/model/tensor"
	"macroscope/model/train"
	"macroscope/sim/gauss"
	"macroscope/sim/rng"
)

// DemoConfig is the one-dimensional demo of section 4.1: sets of particles on
// a line, a DeepSet that sums each up in ẑ, and a flow that turns ẑ into the
// density q_X. It is all that a checkpoint needs to be opened.
type DemoConfig struct {
	Eps       float64 // standard deviation of q_X's kernel
	Particles int     // in a set
	Seed      uint64
	Batch     int // sets a step
	Samples   int // Monte Carlo samples of q_X a set and step
	Shards    int // parts of a step
	Steps     int
	Rate      float64 // peak learning rate
	Encoder   set.Config
	Flow      flow.Config
}

// DemoPreset returns the configuration of a preset:
//
//   - browser: minutes in a tab;
//   - laptop: a minute of one core;
//   - paper: the published batch, samples and steps (fresh sets instead of
//     3000 fixed ones).
func DemoPreset(name string) (DemoConfig, error) {
	c := DemoConfig{
		Eps: 0.1, Particles: 200, Seed: 1, Batch: 64, Samples: 64, Shards: 4, Steps: 6000, Rate: 1.2e-2,
		Encoder: set.Default(), Flow: flow.Default(),
	}
	c = c.WithZDim(8)
	// SiLU in place of the paper's ReLU, and a rate ten times as high, halve the
	// KL that a run of one length ends at.
	c.Encoder.Act, c.Flow.Act = kernel.SiLU, kernel.SiLU
	switch name {
	case "browser":
		c.Steps = 4000
	case "laptop":
	case "paper":
		c.Batch, c.Samples, c.Shards, c.Steps, c.Rate = 512, 512, 16, 48000, 1e-3
		c.Encoder.Act, c.Flow.Act = kernel.ReLU, kernel.ReLU
	default:
		return c, fmt.Errorf("there is no preset %q; use browser, laptop or paper", name)
	}
	return c, nil
}

// WithZDim returns the configuration with another latent dimension.
func (c DemoConfig) WithZDim(d int) DemoConfig {
	c.Encoder.ZDim, c.Flow.ZDim = d, d
	return c
}

// Limits of the demo's settings. An ε above 1 would blur the whole line.
const (
	MinEps, MaxEps             = target.MinEps, 1.0
	MaxZDim                    = 16
	MinParticles, MaxParticles = 10, 5000
)

// Validate says what is wrong with the configuration in a sentence.
func (c DemoConfig) Validate() error {
	switch {
	case !(c.Eps >= MinEps && c.Eps <= MaxEps):
		return fmt.Errorf("ε is %g; it is the width of a Gaussian, so use a number from %g to %g", c.Eps, MinEps, MaxEps)
	case c.Particles < MinParticles || c.Particles > MaxParticles:
		return fmt.Errorf("%d particles a set; use %d to %d", c.Particles, MinParticles, MaxParticles)
	case c.Encoder.ZDim < 1 || c.Encoder.ZDim > MaxZDim || c.Encoder.ZDim != c.Flow.ZDim:
		return fmt.Errorf("the latent dimension is %d in the encoder and %d in the flow; use the same number in both, from 1 to %d", c.Encoder.ZDim, c.Flow.ZDim, MaxZDim)
	case c.Encoder.Dim != 1 || c.Flow.Dim != 1:
		return fmt.Errorf("the demo's particles have one coordinate, not %d and %d", c.Encoder.Dim, c.Flow.Dim)
	case c.Batch < 1 || c.Batch > 4096 || c.Shards < 1 || c.Batch%c.Shards != 0:
		return fmt.Errorf("a batch of %d sets in %d shards; use at most 4096 sets and a number of shards that divides them", c.Batch, c.Shards)
	case c.Samples < 1 || c.Samples > 4096:
		return fmt.Errorf("%d samples a set; use 1 to 4096", c.Samples)
	}
	if err := c.trainConfig(1).Validate(); err != nil {
		return err
	}
	if err := c.Encoder.Validate(); err != nil {
		return err
	}
	return c.Flow.Validate()
}

func (c DemoConfig) trainConfig(workers int) train.Config {
	return train.Config{
		Shards: c.Shards, Workers: workers, Adam: optim.Default(), ClipNorm: 5,
		Schedule: optim.OneCycle{Peak: c.Rate, Steps: c.Steps, Warm: 0.2, StartDiv: 25, EndDiv: 1e3},
	}
}

// DemoModel is the demo's encoder and flow over one layout of parameters.
type DemoModel struct {
	Config DemoConfig
	Layout tensor.Layout

	encoder *set.DeepSet
	flow    *flow.Flow
}

// NewDemoModel builds the model of a valid configuration.
func NewDemoModel(c DemoConfig) *DemoModel {
	m := &DemoModel{Config: c}
	m.encoder = set.New(c.Encoder, &m.Layout, "encoder")
	m.flow = flow.New(c.Flow, &m.Layout, "flow")
	return m
}

// InitialParams draws the weights that the configuration's seed begins with.
func (m *DemoModel) InitialParams() []float32 {
	params := make([]float32, m.Layout.Size())
	r := rng.New(m.Config.Seed, "demo weights").Rand
	set.Init(params, m.encoder, r)
	flow.Init(params, m.flow, r)
	return params
}

// NewTrainer returns a run that starts from params.
func (m *DemoModel) NewTrainer(params []float32, workers int) *train.Trainer {
	return train.New(m.Config.trainConfig(workers), params, func() train.Worker { return m.newWorker() })
}

// demoWorker draws a shard's sets and samples and computes the gradient of
// their mean cross-entropy, which is that of KL(q_X || p_θ).
type demoWorker struct {
	model  *DemoModel
	src    *rng.Source
	points []float32 // (B·n, 1)
	ends   []int     // (B)
	x      []float32 // (B·S, 1) samples of q_X
	logp   []float32 // (B·S)
	weight []float32 // (B·S)
	dz     []float32 // (B, ZDim)
	enc    *set.Workspace[float32]
	dec    *flow.Workspace[float32]
}

func (m *DemoModel) newWorker() *demoWorker {
	c := m.Config
	sets := c.Batch / c.Shards
	w := &demoWorker{
		model: m, src: rng.New(c.Seed, "demo sets"),
		points: make([]float32, sets*c.Particles), ends: make([]int, sets),
		x: make([]float32, sets*c.Samples), logp: make([]float32, sets*c.Samples), weight: make([]float32, sets*c.Samples),
		dz:  make([]float32, sets*c.Encoder.ZDim),
		enc: set.NewWorkspace[float32](m.encoder, sets, sets*c.Particles),
		dec: flow.NewWorkspace[float32](m.flow, sets, c.Samples),
	}
	for b := range w.ends {
		w.ends[b] = (b + 1) * c.Particles
	}
	for i := range w.weight {
		w.weight[i] = -1 / float32(len(w.weight))
	}
	return w
}

// Gradient implements train.Worker.
func (w *demoWorker) Gradient(params, grads []float32, step, shard int) float64 {
	m, c := w.model, &w.model.Config
	sets := len(w.ends)
	w.src.Seed(c.Seed, "demo sets", uint64(step), uint64(shard))
	for b := range sets {
		particles := w.points[b*c.Particles : (b+1)*c.Particles]
		gauss.Draw(w.src.Rand).Sample(particles, w.src.Rand)
		slices.Sort(particles) // neighbours in the set are neighbours on the line
		target.SampleStratified(w.x[b*c.Samples:(b+1)*c.Samples], particles, 1, c.Eps, w.src.Rand)
	}
	z := set.Encode(m.encoder, w.enc, params, w.points, w.ends)
	flow.LogProb(m.flow, w.dec, params, w.logp, w.x, z, sets, c.Samples)
	loss := 0.0
	for _, l := range w.logp {
		loss -= float64(l)
	}
	clear(w.dz)
	flow.Backward(m.flow, w.dec, params, grads, w.dz, w.weight, z, sets, c.Samples)
	set.Backward(m.encoder, w.enc, params, grads, w.points, w.ends, w.dz)
	return loss / float64(len(w.logp))
}

// Evaluate returns the mean over held-out sets of KL(q_X || p_θ) in nats, by
// the given number of samples a set. The sets depend on the seed alone and
// come from a stream that training never draws from.
func (m *DemoModel) Evaluate(params []float32, eps float64, sets, samples int, seed uint64) float64 {
	n := m.Config.Particles
	v := newDemoView(m, n, samples, 1)
	src := rng.New(seed, "demo held-out sets")
	particles := make([]float32, n)
	total := 0.0
	for b := range sets {
		src.Seed(seed, "demo held-out sets", uint64(b))
		gauss.Draw(src.Rand).Sample(particles, src.Rand)
		v.sample(particles, eps, src)
		total += v.kl(params, v.encode(params, particles))
	}
	return total / float64(sets)
}

// demoView evaluates the model on one set at a time.
type demoView struct {
	model      *DemoModel
	enc        *set.Workspace[float32]
	dec        *flow.Workspace[float32]
	room       int // particles that enc has room for
	ends       [1]int
	z          []float32
	x64        []float64 // samples of q_X: float32 would lose a small ε
	x          []float32 // the same for the flow
	logq, logp []float32
}

func newDemoView(m *DemoModel, particles, samples, points int) *demoView {
	return &demoView{
		model: m, room: particles,
		enc: set.NewWorkspace[float32](m.encoder, 1, particles),
		dec: flow.NewWorkspace[float32](m.flow, 1, max(samples, points)),
		z:   make([]float32, m.Config.Encoder.ZDim),
		x64: make([]float64, samples), x: make([]float32, samples),
		logq: make([]float32, samples), logp: make([]float32, samples),
	}
}

// encode returns ẑ of a set; it holds until the next call.
func (v *demoView) encode(params, particles []float32) []float32 {
	if len(particles) > v.room {
		v.room = len(particles) * 3 / 2
		v.enc = set.NewWorkspace[float32](v.model.encoder, 1, v.room)
	}
	v.ends[0] = len(particles)
	copy(v.z, set.Encode(v.model.encoder, v.enc, params, particles, v.ends[:]))
	return v.z
}

// density writes p_θ(x | ẑ) to dst.
func (v *demoView) density(dst, params, x, z []float32) {
	flow.LogProb(v.model.flow, v.dec, params, dst, x, z, 1, len(x))
	kernel.ExpTo(dst, dst)
}

// sample draws the points at which kl compares the densities of a set.
func (v *demoView) sample(particles []float32, eps float64, src *rng.Source) {
	target.Sample(v.x64, particles, 1, eps, src.Rand)
	target.LogDensity(v.logq, v.x64, particles, 1, eps)
	for i, x := range v.x64 {
		v.x[i] = float32(x)
	}
}

// kl returns KL(q_X || p_θ(·|ẑ)) in nats from the points that sample drew.
func (v *demoView) kl(params, z []float32) float64 {
	flow.LogProb(v.model.flow, v.dec, params, v.logp, v.x, z, 1, len(v.x))
	return metric.KL(v.logq, v.logp)
}
