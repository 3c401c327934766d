package lab

import (
	"context"
	"fmt"
	"math"
	"sync"

	"macroscope/model/kernel"
	"macroscope/model/sde"
	"macroscope/model/set"
	"macroscope/sim/rng"
)

// lawData holds the macroscopic variables of whole trajectories, in [-1, 1].
type lawData struct {
	trajectories, frames, dim int
	z                         []float32 // (E, T, D)
}

// without returns the data with one of the variables left out.
func (d *lawData) without(variable int) *lawData {
	o := &lawData{trajectories: d.trajectories, frames: d.frames, dim: d.dim - 1}
	for i, v := range d.z {
		if i%d.dim != variable {
			o.z = append(o.z, v)
		}
	}
	return o
}

// encodeBlock is the number of particles that are encoded together, few enough
// for their activations to stay in the cache.
const encodeBlock = 300

// frameEncoder encodes frames of one shape. It serves one goroutine at a time.
type frameEncoder struct {
	model  *ParticlesModel
	size   int
	points []float32
	turned []float32 // the present view, if there are several
	ends   [1]int
	ws     *set.Workspace[float32]
}

func (m *ParticlesModel) newFrameEncoder(particles int) *frameEncoder {
	size := particles * m.Config.Encoder.Dim
	return &frameEncoder{
		model: m, size: size, points: make([]float32, size), ends: [1]int{particles},
		ws: set.NewWorkspace[float32](m.encoder, 1, min(particles, encodeBlock)),
	}
}

// encode writes ẑ of frames (T, N, Dim) to dst, a row of stride values each.
func (e *frameEncoder) encode(dst []float32, stride int, frames []float32) {
	m := e.model
	for f := 0; f*e.size < len(frames); f++ {
		m.Scale.standardise(e.points, frames[f*e.size:(f+1)*e.size])
		copy(dst[f*stride:], set.EncodeOnly(m.encoder, e.ws, m.Params, e.points, e.ends[:]))
	}
}

// newLawData makes room for the trajectories of a source that stage II trains
// on, without any of them.
func (m *ParticlesModel) newLawData(s Shape) (*lawData, error) {
	c := &m.Config.Law
	for _, t := range []LawTraining{c.Fit, c.Roll} {
		if t.Steps > 0 && t.Window*t.Stride >= s.Frames {
			return nil, fmt.Errorf("stage II compares stretches of %d frames, and the trajectories have %d", t.Window*t.Stride+1, s.Frames)
		}
	}
	count := min(c.Trajectories, s.Trajectories)
	return &lawData{
		trajectories: count, frames: s.Frames, dim: c.Drift.Dim, z: make([]float32, count*s.Frames*c.Drift.Dim),
	}, nil
}

// of returns the variables of trajectory e (T, D).
func (d *lawData) of(e int) []float32 { return d.z[e*d.frames*d.dim : (e+1)*d.frames*d.dim] }

// turnForLaw turns trajectory e as stage II wants it, and writes its scaled
// observable to z (T, D).
func (m *ParticlesModel) turnForLaw(z []float32, e int, t *Recorded) {
	if m.Config.Rotate {
		turnAtRandom(t.Frames, t.Frames, rng.New(m.Config.Seed, "particles turns", uint64(e)))
	}
	for f, v := range t.Macro {
		z[f*m.Config.Law.Drift.Dim] = float32(m.Scale.Macro(0, v))
	}
}

// encode passes whole trajectories through the encoder once, and finds ẑ's
// scales.
func (m *ParticlesModel) encode(ctx context.Context, src Source, workers int, done func(trajectories int)) (*lawData, error) {
	d, err := m.newLawData(src.Shape())
	if err != nil {
		return nil, err
	}
	encoders := sync.Pool{New: func() any { return m.newFrameEncoder(src.Shape().Particles) }}
	seen := counter(done)
	err = src.Each(ctx, d.trajectories, workers, func(e int, t *Recorded) error {
		m.turnForLaw(d.of(e), e, t)
		enc := encoders.Get().(*frameEncoder)
		enc.encode(d.of(e)[1:], d.dim, t.Frames)
		encoders.Put(enc)
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, d.scale(&m.Scale)
}

// scale finds the ranges of the closure variables, enters them into s and
// brings the variables to [-1, 1].
func (d *lawData) scale(s *ParticlesScale) error {
	for i := 1; i < d.dim; i++ {
		low, high := math.Inf(1), math.Inf(-1)
		for j := i; j < len(d.z); j += d.dim {
			low, high = min(low, float64(d.z[j])), max(high, float64(d.z[j]))
		}
		if !(high > low) || math.IsInf(high-low, 0) {
			return fmt.Errorf("closure variable %d goes from %g to %g over the training set, which cannot be scaled; train stage I again with another seed or a lower rate", i-1, low, high)
		}
		s.Low[i], s.High[i] = low, high
		for j := i; j < len(d.z); j += d.dim {
			d.z[j] = float32(s.Macro(i, float64(d.z[j])))
		}
	}
	return nil
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
	cfg    LawTraining
	seed   uint64
	stream string
	dt     float64
	data   *lawData
	src    *rng.Source
	z      []float32 // (B, K+1, D)
	loss   *sde.Loss[float32]
}

var _ shardWorker = (*lawWorker)(nil)

func (m *ParticlesModel) newLawWorker(c LawTraining, stream string, d *lawData) *lawWorker {
	rows, method := c.Batch/c.Shards, sde.RK4
	if c.Window == 1 {
		method = sde.Euler // the paper's error of the velocity
	}
	loss := sde.NewLoss(sde.NewDrift[float32](m.law, rows), method, c.Window, rows)
	loss.Power, loss.First = c.Power, c.Macro
	return &lawWorker{
		cfg: c, seed: m.Config.Seed, stream: stream, dt: m.Config.Law.Dt, data: d, src: rng.New(m.Config.Seed, stream),
		z: make([]float32, rows*(c.Window+1)*d.dim), loss: loss,
	}
}

// Gradient implements train.Worker.
func (w *lawWorker) Gradient(params, grads []float32, step, shard int) float64 {
	w.draw(step, shard)
	return w.gradient(params, grads)
}

// draw takes a shard's stretches.
func (w *lawWorker) draw(step, shard int) {
	c, d := &w.cfg, w.data
	rows, length := c.Batch/c.Shards, (c.Window+1)*d.dim
	w.src.Seed(w.seed, w.stream, uint64(step), uint64(shard))
	for b := range rows {
		e, t := w.src.IntN(d.trajectories), w.src.IntN(d.frames-c.Window*c.Stride)
		if w.src.Float64() < c.Start {
			t = 0
		}
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
}

func (w *lawWorker) drawn() [2][]float32 { return [2][]float32{w.z} }

// gradient is Gradient of what was drawn last.
func (w *lawWorker) gradient(params, grads []float32) float64 {
	return w.loss.Gradient(params, grads, w.z, w.cfg.Batch/w.cfg.Shards, w.dt*float64(w.cfg.Stride))
}

// finite reports whether all weights can be used.
func (m *ParticlesModel) finite() bool {
	return kernel.AllFinite(m.Params) && kernel.AllFinite(m.LawParams)
}
