package lab

import (
	"context"
	"fmt"
	"math"
	"sync"

	"macroscope/model/sde"
	"macroscope/model/set"
	"macroscope/model/train"
	"macroscope/sim/rng"
)

// mixingEncoder makes the variables [R_AB, R_BA, ẑ_A, ẑ_B, share] of frames of one
// number of atoms. It serves one goroutine at a time.
type mixingEncoder struct {
	model         *MixingModel
	frame, scaled []float32 // (N, 2), species 1 first
	ends          [2]int
	ws            *set.Workspace[float32]
}

func (m *MixingModel) newEncoder(atoms int) *mixingEncoder {
	return &mixingEncoder{
		model: m, frame: make([]float32, 2*atoms), scaled: make([]float32, 2*atoms),
		ws: set.NewWorkspace[float32](m.encoder, 2, min(atoms, encodeBlock)),
	}
}

// encode writes the variables of frames (T, N, 2) to dst (T, V): the ratios and
// the share in [-1, 1], the closures as the encoder has them.
func (e *mixingEncoder) encode(dst, frames []float32, types []uint8, ratios []float64) {
	m, size := e.model, len(e.frame)
	v := m.variables()
	for f := 0; f*size < len(frames); f++ {
		first := bySpecies(e.frame, frames[f*size:(f+1)*size], types)
		m.Scale.standardise(e.scaled, e.frame)
		e.ends = [2]int{first, size / 2}
		z := dst[f*v : (f+1)*v]
		for i := range 2 {
			z[i] = float32(m.Scale.Macro(i, ratios[2*f+i]))
		}
		if m.Config.Law.Share {
			z[v-1] = float32(m.Scale.Macro(v-1, float64(2*first)/float64(size)))
		}
		copy(z[2:], set.EncodeOnly(m.encoder, e.ws, m.Params, e.scaled, e.ends[:]))
	}
}

// encode passes whole trajectories through the encoder once, and finds ẑ's
// scales.
func (m *MixingModel) encode(ctx context.Context, src MixingSource, workers int, done func(trajectories int)) (*lawData, error) {
	s, c := src.Shape(), &m.Config.Law
	count := min(c.Trajectories, s.Trajectories)
	d := &lawData{trajectories: count, frames: s.Frames, dim: m.variables()}
	if c.Window >= s.Frames {
		return nil, fmt.Errorf("stage II takes stretches of %d frames, and the trajectories have %d", c.Window+1, s.Frames)
	}
	row := s.Frames * d.dim
	d.z = make([]float32, count*row)
	encoders := sync.Pool{New: func() any { return m.newEncoder(s.Particles) }}
	seen := counter(done)
	err := src.Each(ctx, count, workers, func(e int, t *Mixed) error {
		enc := encoders.Get().(*mixingEncoder)
		enc.encode(d.z[e*row:(e+1)*row], t.Frames, t.Types, t.Ratios)
		encoders.Put(enc)
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := 2; i < m.closures(); i++ {
		all := Range{math.Inf(1), math.Inf(-1)}
		for j := i; j < len(d.z); j += d.dim {
			all.extend(float64(d.z[j]))
		}
		if !(all.High > all.Low) || math.IsInf(all.High-all.Low, 0) {
			return nil, fmt.Errorf("closure variable %d goes from %g to %g over the training set, which cannot be scaled; train stage I again with another seed or a lower rate", i-2, all.Low, all.High)
		}
		m.Scale.Low[i], m.Scale.High[i] = all.Low, all.High
		for j := i; j < len(d.z); j += d.dim {
			d.z[j] = float32(m.Scale.Macro(i, float64(d.z[j])))
		}
	}
	return d, nil
}

// mixingLawWorker draws a shard's stretches and computes the gradient of their
// negative log-likelihood in nats a transition, which is the sum over the laws.
type mixingLawWorker struct {
	model      *MixingModel
	data       *lawData
	src        *rng.Source
	z, own     []float32 // (B, K+1, V) of all variables and of one law's
	likelihood []*sde.Likelihood[float32]
}

var _ train.Worker = (*mixingLawWorker)(nil)

func (m *MixingModel) newLawWorker(d *lawData) *mixingLawWorker {
	c := m.Config.Law
	rows := c.Batch / c.Shards
	room := rows * (c.Window + 1) * d.dim
	w := &mixingLawWorker{
		model: m, data: d, src: rng.New(m.Config.Seed, "mixing stretches"),
		z: make([]float32, room), own: make([]float32, room),
	}
	for _, l := range m.laws {
		drift, noise := l.parts(rows*c.Window, unnoticed(c.Dt))
		w.likelihood = append(w.likelihood, sde.NewLikelihood(drift, noise, c.Window, rows))
	}
	return w
}

// Gradient implements train.Worker.
func (w *mixingLawWorker) Gradient(params, grads []float32, step, shard int) float64 {
	m, d, c := w.model, w.data, &w.model.Config.Law
	rows, length := c.Batch/c.Shards, (c.Window+1)*d.dim
	w.src.Seed(m.Config.Seed, "mixing stretches", uint64(step), uint64(shard))
	for b := range rows {
		e, t := w.src.IntN(d.trajectories), w.src.IntN(d.frames-c.Window)
		copy(w.z[b*length:(b+1)*length], d.z[(e*d.frames+t)*d.dim:])
	}
	loss := 0.0
	for i, l := range m.laws {
		l.gather(w.own, w.z, rows*(c.Window+1), d.dim)
		loss += w.likelihood[i].Gradient(nil, params, grads, w.own, rows, c.Dt)
	}
	return loss
}
