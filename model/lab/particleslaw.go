package lab

import (
	"context"
	"fmt"
	"math"
	"sync"

	"macroscope/model/kernel"
	"macroscope/model/sde"
	"macroscope/model/set"
	"macroscope/model/train"
	"macroscope/sim/rng"
)

// lawData holds the macroscopic variables of whole trajectories, in [-1, 1].
type lawData struct {
	trajectories, frames, dim int
	z                         []float32 // (E, T, D)
}

// encodeBlock is the number of sets that are encoded together, few enough for
// their activations to stay in the cache.
const encodeBlock = 2

// frameEncoder encodes frames of one shape. It serves one goroutine at a time.
type frameEncoder struct {
	model  *ParticlesModel
	size   int
	points []float32
	ends   []int
	ws     *set.Workspace[float32]
}

func (m *ParticlesModel) newFrameEncoder(particles int) *frameEncoder {
	dim := m.Config.Encoder.Dim
	e := &frameEncoder{
		model: m, size: particles * dim, points: make([]float32, encodeBlock*particles*dim),
		ws: set.NewWorkspace[float32](m.encoder, encodeBlock, encodeBlock*particles),
	}
	for b := range encodeBlock {
		e.ends = append(e.ends, (b+1)*particles)
	}
	return e
}

// encode writes ẑ of frames (T, N, Dim) to dst, a row of stride values each.
func (e *frameEncoder) encode(dst []float32, stride int, frames []float32) {
	m := e.model
	zdim := m.Config.Encoder.ZDim
	count := len(frames) / e.size
	for f := 0; f < count; f += encodeBlock {
		sets := min(encodeBlock, count-f)
		points := e.points[:sets*e.size]
		m.Scale.standardise(points, frames[f*e.size:(f+sets)*e.size])
		z := set.Encode(m.encoder, e.ws, m.Params, points, e.ends[:sets])
		for b := range sets {
			copy(dst[(f+b)*stride:][:zdim], z[b*zdim:])
		}
	}
}

// encode passes whole trajectories through the encoder once, and finds ẑ's
// scales.
func (m *ParticlesModel) encode(ctx context.Context, src Source, workers int, done func(trajectories int)) (*lawData, error) {
	s, c := src.Shape(), &m.Config
	count := min(c.Law.Trajectories, s.Trajectories)
	d := &lawData{trajectories: count, frames: s.Frames, dim: c.Law.Drift.Dim}
	if most := (s.Frames - 1) / c.Law.Stride; c.Law.Window > most {
		return nil, fmt.Errorf("stage II compares stretches of %d frames, and the trajectories have %d", c.Law.Window*c.Law.Stride+1, s.Frames)
	}
	d.z = make([]float32, count*s.Frames*d.dim)
	encoders := sync.Pool{New: func() any { return m.newFrameEncoder(s.Particles) }}
	seen := counter(done)
	err := src.Each(ctx, count, workers, func(e int, t *Recorded) error {
		if c.Rotate {
			source := rng.New(c.Seed, "particles turns", uint64(e))
			turn(t.Frames, t.Frames, source)
		}
		z := d.z[e*s.Frames*d.dim : (e+1)*s.Frames*d.dim]
		for f, v := range t.Macro {
			z[f*d.dim] = float32(m.Scale.Macro(0, v))
		}
		enc := encoders.Get().(*frameEncoder)
		enc.encode(z[1:], d.dim, t.Frames)
		encoders.Put(enc)
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := 1; i < d.dim; i++ {
		low, high := math.Inf(1), math.Inf(-1)
		for j := i; j < len(d.z); j += d.dim {
			low, high = min(low, float64(d.z[j])), max(high, float64(d.z[j]))
		}
		if !(high > low) || math.IsInf(high-low, 0) {
			return nil, fmt.Errorf("closure variable %d goes from %g to %g over the training set, which cannot be scaled; train stage I again with another seed or a lower rate", i-1, low, high)
		}
		m.Scale.Low[i], m.Scale.High[i] = low, high
		for j := i; j < len(d.z); j += d.dim {
			d.z[j] = float32(m.Scale.Macro(i, float64(d.z[j])))
		}
	}
	return d, nil
}

// counter returns a function that several goroutines may call and that tells
// done how often they have.
func counter(done func(int)) func() {
	var mu sync.Mutex
	n := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		n++
		done(n)
	}
}

// lawWorker draws a shard's stretches and computes the gradient of their loss.
type lawWorker struct {
	model *ParticlesModel
	data  *lawData
	src   *rng.Source
	z     []float32 // (B, K+1, D)
	loss  *sde.Loss[float32]
}

var _ train.Worker = (*lawWorker)(nil)

func (m *ParticlesModel) newLawWorker(d *lawData) *lawWorker {
	c := m.Config.Law
	rows := c.Batch / c.Shards
	loss := sde.NewLoss(sde.NewDrift[float32](m.law, rows), c.method(), c.Window, rows)
	loss.Power = c.Power
	return &lawWorker{
		model: m, data: d, src: rng.New(m.Config.Seed, "particles stretches"),
		z: make([]float32, rows*(c.Window+1)*d.dim), loss: loss,
	}
}

// method is the integrator of training: one step of it is the paper's squared
// error of the velocity, for several the rollout's own.
func (c LawConfig) method() sde.Method {
	if c.Window == 1 {
		return sde.Euler
	}
	return sde.RK4
}

// Gradient implements train.Worker.
func (w *lawWorker) Gradient(params, grads []float32, step, shard int) float64 {
	m, c, d := w.model, &w.model.Config.Law, w.data
	rows, length := c.Batch/c.Shards, (c.Window+1)*d.dim
	w.src.Seed(m.Config.Seed, "particles stretches", uint64(step), uint64(shard))
	for b := range rows {
		e, t := w.src.IntN(d.trajectories), w.src.IntN(d.frames-c.Window*c.Stride)
		to := w.z[b*length : (b+1)*length]
		for k := range c.Window + 1 {
			copy(to[k*d.dim:(k+1)*d.dim], d.z[(e*d.frames+t+k*c.Stride)*d.dim:])
		}
		if c.Noise > 0 {
			for i := range to[:d.dim] {
				to[i] += float32(c.Noise * w.src.NormFloat64())
			}
		}
	}
	return w.loss.Gradient(params, grads, w.z, rows, c.Dt*float64(c.Stride))
}

// finite reports whether all weights can be used.
func (m *ParticlesModel) finite() bool {
	return kernel.AllFinite(m.Params) && kernel.AllFinite(m.LawParams)
}
