package lab

import (
	"context"
	"fmt"
	"sync"

	"macroscope/model/kernel"
	"macroscope/model/metric"
	"macroscope/model/nn"
	"macroscope/model/optim"
	"macroscope/model/sde"
	"macroscope/model/tensor"
	"macroscope/model/train"
	"macroscope/sim/particle"
	"macroscope/sim/rng"
)

// OrderedConfig is the paper's baseline AE-Aug: an autoencoder that takes the
// coordinates of a fixed number of particles in the plane as one long vector,
// so that their order matters to it. Training shuffles every set, which is the
// only hint that it should not. Stage II is that of ParticlesConfig.
type OrderedConfig struct {
	Particles    int  // in every set that can be encoded
	Trajectories int  // that stage I draws its sets from
	Rotate       bool // whether a set is turned and mirrored at random as it is drawn
	Seed         uint64
	Batch        int // sets a step
	Shards       int // parts of a step
	Steps        int
	Rate         float64 // peak learning rate
	Hidden       []int   // widths of the encoder's hidden layers, and from its end those of the decoder's
	ZDim         int
	Law          LawConfig
}

// OrderedPreset returns the configuration of a preset, which has the name, the
// data and the law's training of the ParticlesPreset that it is compared with:
// browser, laptop or paper.
func OrderedPreset(name string) (OrderedConfig, error) {
	p, err := ParticlesPreset(name)
	if err != nil {
		return OrderedConfig{}, err
	}
	c := OrderedConfig{
		Particles: p.Particles, Trajectories: p.Trajectories, Rotate: p.Rotate, Seed: p.Seed,
		Batch: 256, Shards: 8, Steps: 6000, Rate: 1e-3, Hidden: []int{96, 96, 96}, ZDim: p.Encoder.ZDim, Law: p.Law,
	}
	switch name {
	case "browser":
		c.Steps = 2000
	case "laptop":
		// A quarter of the sets are as good, since each comes in another order
		// and turned every time; a law of half the width keeps the file small.
		c.Trajectories /= 4
		c.Law.Drift.Hidden = []int{64, 64}
		c.Law.Trajectories, c.Law.Fit.Steps, c.Law.Roll.Steps = 2000, 15_000, 1000
	case "paper":
		c.Batch, c.Shards, c.Steps, c.Rate = p.Batch, p.Shards, p.Steps, p.Rate
		c.Hidden = []int{256, 256, 256}
	}
	return c, nil
}

// Validate says what is wrong with the configuration in a sentence.
func (c OrderedConfig) Validate() error {
	switch {
	case c.Particles < 2 || c.Particles > 10_000:
		return fmt.Errorf("%d particles in a set; use 2 to 10000", c.Particles)
	case c.Trajectories < 1 || c.Trajectories > maxTrajectories || c.Law.Trajectories < 1 || c.Law.Trajectories > maxTrajectories:
		return fmt.Errorf("%d trajectories for stage I and %d for stage II; use 1 to %d", c.Trajectories, c.Law.Trajectories, maxTrajectories)
	case c.Batch < 1 || c.Batch > 4096 || c.Shards < 1 || c.Batch%c.Shards != 0:
		return fmt.Errorf("a batch of %d sets in %d shards; use at most 4096 sets and a number of shards that divides them", c.Batch, c.Shards)
	case len(c.Hidden) < 1 || len(c.Hidden) > 8:
		return fmt.Errorf("%d hidden layers; use 1 to 8", len(c.Hidden))
	case c.ZDim < 1 || c.ZDim > MaxZDim || c.Law.Drift.Dim != c.ZDim+1:
		return fmt.Errorf("the latent dimension is %d in the encoder and %d in the law; use the same number in both, from 1 to %d", c.ZDim, c.Law.Drift.Dim-1, MaxZDim)
	}
	for _, h := range c.Hidden {
		if h < 1 || h > 1024 {
			return fmt.Errorf("a hidden layer of width %d; use 1 to 1024", h)
		}
	}
	if err := c.fitConfig(1).Validate(); err != nil {
		return err
	}
	return c.Law.Validate()
}

// WithZDim returns the configuration with another latent dimension.
func (c OrderedConfig) WithZDim(d int) OrderedConfig {
	c.ZDim, c.Law.Drift.Dim = d, d+1
	return c
}

func (c OrderedConfig) fitConfig(workers int) train.Config {
	return train.Config{
		Shards: c.Shards, Workers: workers, Adam: optim.Default(), ClipNorm: 5,
		Schedule: optim.OneCycle{Peak: c.Rate, Steps: c.Steps, Warm: 0.1, StartDiv: 25, EndDiv: 1e3},
	}
}

// TrainingSource returns the trajectories that the configuration is trained
// on: those of a ParticlesConfig with the same seed.
func (c OrderedConfig) TrainingSource() *Simulated {
	p := particle.Default()
	p.N = c.Particles
	return &Simulated{System: p, Seed: c.Seed, Count: max(c.Trajectories, c.Law.Trajectories), first: trainFirst}
}

// OrderedModel is a trained AE-Aug: an encoder of particles in the order given,
// and a law. Encode and Predict serve one goroutine at a time.
type OrderedModel struct {
	Config OrderedConfig
	Layout tensor.Layout // of the encoder
	Params []float32     // of the encoder, then of the decoder, which serves stage I alone

	decoderLayout    tensor.Layout
	encoder, decoder *nn.MLP
	law              *ParticlesModel // without an autoencoder: a law, its scales and rollouts serve any encoder
	own              *orderedEncoder // of Encode and Predict
}

// NewOrderedModel builds the model of a valid configuration with the weights
// that its seed begins with. Its scales are those of data that need none.
func NewOrderedModel(c OrderedConfig) *OrderedModel {
	m := &OrderedModel{Config: c}
	widths := []int{2 * c.Particles}
	widths = append(append(widths, c.Hidden...), c.ZDim)
	m.encoder = nn.NewMLP(&m.Layout, "encoder", widths, kernel.ReLU, kernel.Identity)
	back := make([]int, len(widths))
	for i, w := range widths {
		back[len(widths)-1-i] = w
	}
	m.decoder = nn.NewMLP(&m.decoderLayout, "decoder", back, kernel.ReLU, kernel.Identity)
	m.law = &ParticlesModel{
		Config: ParticlesConfig{Seed: c.Seed, Rotate: c.Rotate, Views: 1, Law: c.Law},
		Scale:  newParticlesScale(2, c.ZDim),
	}
	m.law.law = sde.New(c.Law.Drift, &m.law.LawLayout, "law")
	m.law.LawParams = make([]float32, m.law.LawLayout.Size())
	m.Params = make([]float32, m.Layout.Size()+m.decoderLayout.Size())
	r := rng.New(c.Seed, "ordered weights").Rand
	enc, dec := m.split(m.Params)
	nn.InitMLP(enc, m.encoder, r)
	nn.InitMLP(dec, m.decoder, r)
	sde.Init(m.law.LawParams, m.law.law, r)
	m.own = m.newEncoder()
	return m
}

// split returns the encoder's part of an arena like Params and the decoder's.
func (m *OrderedModel) split(arena []float32) (encoder, decoder []float32) {
	n := m.Layout.Size()
	return arena[:n:n], arena[n:]
}

// Particles returns how many there must be in a frame.
func (m *OrderedModel) Particles() int { return m.Config.Particles }

// LawParams returns the weights of stage II's law.
func (m *OrderedModel) LawParams() []float32 { return m.law.LawParams }

// Scale returns the scales of coordinates and of z = [z̄, ẑ].
func (m *OrderedModel) Scale() *ParticlesScale { return &m.law.Scale }

// Encode writes ẑ of a frame (Particles, 2) to dst (ZDim), scaled so that what
// the training set held lies in [-1, 1]. Another order of the same particles
// gives another ẑ. It panics if the frame has another number of particles.
func (m *OrderedModel) Encode(dst, frame []float32) {
	m.own.encode(dst, frame)
	for i, v := range dst {
		dst[i] = float32(m.law.Scale.Macro(i+1, float64(v)))
	}
}

// Predict rolls out a trajectory from its first frame (Particles, 2), in the
// order given, and the observable there, and writes z̄ in [-1, 1] to dst (T).
func (m *OrderedModel) Predict(dst []float32, frame []float32, macro float64) {
	z := make([]float32, 1+m.Config.ZDim)
	z[0] = float32(m.law.Scale.Macro(0, macro))
	m.Encode(z[1:], frame)
	m.law.roll(dst, z, 1, len(dst), 1)
}

// Evaluate predicts the first count trajectories of a source as Predict does,
// particles in the order of the source. done is told how many have been read.
func (m *OrderedModel) Evaluate(ctx context.Context, src Source, count, workers int, done func(int)) (*Rollouts, error) {
	s, d := src.Shape(), 1+m.Config.ZDim
	if s.Particles != m.Config.Particles || s.Dim != 2 {
		return nil, fmt.Errorf("the sets are of %d particles with %d coordinates, and this model takes exactly %d with 2", s.Particles, s.Dim, m.Config.Particles)
	}
	count = min(count, s.Trajectories)
	z0 := make([]float32, count*d)
	r := &Rollouts{Frames: s.Frames, Pred: make([]float32, count*s.Frames), Truth: make([]float32, count*s.Frames), MRE: make([]float64, count)}
	encoders := sync.Pool{New: func() any { return m.newEncoder() }}
	seen := counter(done)
	err := src.Each(ctx, count, workers, func(e int, t *Recorded) error {
		for f, v := range t.Macro {
			r.Truth[e*s.Frames+f] = float32(m.law.Scale.Macro(0, v))
		}
		z := z0[e*d : (e+1)*d]
		z[0] = r.Truth[e*s.Frames]
		enc := encoders.Get().(*orderedEncoder)
		enc.encode(z[1:], t.Frames[:s.Particles*2])
		encoders.Put(enc)
		for i := 1; i < d; i++ {
			z[i] = float32(m.law.Scale.Macro(i, float64(z[i])))
		}
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	m.law.roll(r.Pred, z0, count, s.Frames, workers)
	metric.MRE(r.MRE, r.Pred, r.Truth)
	return r, nil
}

// orderedEncoder encodes frames. It serves one goroutine at a time.
type orderedEncoder struct {
	model  *OrderedModel
	points []float32 // (1, 2·Particles), standardised
	ws     *nn.MLPWorkspace[float32]
}

func (m *OrderedModel) newEncoder() *orderedEncoder {
	return &orderedEncoder{m, make([]float32, m.encoder.In()), nn.NewMLPWorkspace[float32](m.encoder, 1)}
}

// encode writes ẑ of a frame, not yet scaled, to dst.
func (e *orderedEncoder) encode(dst, frame []float32) {
	if len(frame) != len(e.points) || len(dst) != e.model.Config.ZDim {
		panic(fmt.Sprintf("lab: %d coordinates into %d variables by an encoder of %d into %d", len(frame), len(dst), len(e.points), e.model.Config.ZDim))
	}
	e.model.law.Scale.standardise(e.points, frame)
	params, _ := e.model.split(e.model.Params)
	copy(dst, nn.Forward(e.model.encoder, e.ws, params, e.points, 1))
}

// reorder shuffles particles (n, 2) in place, every order as likely as another.
func reorder(particles []float32, src *rng.Source) {
	for i := len(particles)/2 - 1; i > 0; i-- {
		j := src.IntN(i + 1)
		particles[2*i], particles[2*j] = particles[2*j], particles[2*i]
		particles[2*i+1], particles[2*j+1] = particles[2*j+1], particles[2*i+1]
	}
}

// finite reports whether all weights can be used.
func (m *OrderedModel) finite() bool {
	return kernel.AllFinite(m.Params) && kernel.AllFinite(m.law.LawParams)
}
