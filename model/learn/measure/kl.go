package measure

import (
	"math"

	"macroscope/model/learn/model"
	"macroscope/model/net/metric"
	"macroscope/model/net/target"
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// KL returns KL(q_X ‖ p_θ) in nats for a kernel width ε, averaged over validation sets, with
// the given number of samples per set. The sets depend only on the seed. Their random stream is
// never used in training. The system must have single sets. If the method learns no density,
// KL is NaN. It pauses after each set.
func KL(pause work.Pause, m *model.Model, eps float64, sets, samples int, seed uint64) (float64, error) {
	if !m.Config.Decoder.Density() {
		return math.NaN(), nil
	}
	d := NewDivergence(m, eps, samples, seed)
	for d.Sets() < sets {
		d.Add()
		if err := pause(float64(d.Sets()) / float64(sets)); err != nil {
			return 0, err
		}
	}
	return d.Mean(), nil
}

// KLResult returns the figures of a model without dynamics at its own ε, see KL.
func KLResult(pause work.Pause, m *model.Model, sets, samples int, seed uint64) (*Result, error) {
	c := &m.Config
	kl, err := KL(pause, m, c.Eps(), sets, samples, seed)
	return &Result{Values: map[string]float64{"kl": kl, "eps": c.Eps(), "zdim": float64(c.ZDim()), "sets": float64(sets), "samples": float64(samples)}}, err
}

// Divergence computes KL set by set.
type Divergence struct {
	model *model.Model
	of    *comparison
	coder *model.Coder
	eps   float64
	seed  uint64
	src   *rng.Source
	frame system.Frame
	z     []float32
	total float64
	sets  int
}

// NewDivergence begins the computation of KL, for a method that learns a density.
func NewDivergence(m *model.Model, eps float64, samples int, seed uint64) *Divergence {
	n := m.Config.Particles
	d := &Divergence{
		model: m, of: newComparison(m, samples), coder: m.NewCoder(),
		eps: eps, seed: seed, src: rng.New(seed, m.Config.Traits.Streams.Sets), z: make([]float32, m.Config.Sets()*m.Config.ZDim()),
	}
	d.frame.Points, d.frame.Ends = make([]float32, n*m.Config.Dim()), []int{n}
	return d
}

// Add draws the next validation set and adds its KL.
func (d *Divergence) Add() {
	d.model.System.Validation(d.frame.Points, d.src, d.seed, d.sets)
	d.coder.Encode(d.z, &d.frame)
	d.total += d.of.KL(d.frame.Points, d.z, d.eps, d.src)
	d.sets++
}

// Sets returns the number of sets so far.
func (d *Divergence) Sets() int { return d.sets }

// Mean returns the mean over the sets so far, in nats.
func (d *Divergence) Mean() float64 { return d.total / float64(d.sets) }

// comparison compares the learned density of a set with its target q_X.
type comparison struct {
	model      *model.Model
	density    densityOf
	x64        []float64 // samples of q_X; float32 would round away a small ε
	x          []float32 // the same samples for the model
	logq, logp []float32
}

type densityOf interface {
	LogProb(dst, params, x, z []float32)
}

// newComparison makes a comparison that draws the given number of samples of q_X.
func newComparison(m *model.Model, samples int) *comparison {
	d := m.Config.Dim()
	return &comparison{
		model: m, density: m.Density(samples), x64: make([]float64, samples*d), x: make([]float32, samples*d),
		logq: make([]float32, samples), logp: make([]float32, samples),
	}
}

// KL returns KL(q_X ‖ p_θ(· | z)) in nats for a set (n, Dim), in the units of the networks. It
// uses samples of q_X drawn from src.
func (c *comparison) KL(set, z []float32, eps float64, src *rng.Source) float64 {
	d := c.model.Config.Dim()
	target.Sample(c.x64, set, d, eps, src.Rand)
	target.LogDensity(c.logq, c.x64, set, d, eps)
	for i, x := range c.x64 {
		c.x[i] = float32(x)
	}
	_, dec := c.model.Weights.Split(c.model.Weights.Params)
	c.density.LogProb(c.logp, dec, c.x, z)
	return metric.KL(c.logq, c.logp)
}

// Every training measures its density on ValidationSets sets with ValidationSamples samples each.
const (
	ValidationSets    = 32
	ValidationSamples = 128
)

// ValidationKL returns the KL of a model for a kernel width ε on the validation sets of a seed, in nats, or NaN
// for a method without a density.
func ValidationKL(m *model.Model, eps float64, seed uint64) float64 {
	kl, _ := KL(func(float64) error { return nil }, m, eps, ValidationSets, ValidationSamples, seed) // only a pause can fail
	return kl
}
