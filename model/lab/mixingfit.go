package lab

import (
	"context"
	"fmt"
	"math"

	"macroscope/model/flow"
	"macroscope/model/set"
	"macroscope/model/target"
	"macroscope/model/train"
	"macroscope/sim/rng"
)

// mixingFrames lists the frames of which stage I uses every thin-th: the first
// 300 and then every 20th.
func mixingFrames(frames, thin int) (used []int) {
	n := 0
	for t := range frames {
		if t < 300 || t%20 == 0 {
			if n%thin == 0 {
				used = append(used, t)
			}
			n++
		}
	}
	return used
}

// mixingData is what stage I draws from.
type mixingData struct {
	perTrajectory int       // F, frames
	size          int       // 2N
	x             []float32 // (E, F, N, 2), species 1 first
	first         []int     // (E): how many atoms are of species 1
}

func (d *mixingData) frame(i int) []float32 { return d.x[i*d.size : (i+1)*d.size] }

// collect reads the frames of stage I and finds the scales of positions, over
// those, and of the ratios, over all frames of the trajectories.
func (m *MixingModel) collect(ctx context.Context, src MixingSource, workers int, done func(trajectories int)) (*mixingData, error) {
	s, c := src.Shape(), &m.Config
	used := mixingFrames(s.Frames, c.Thin)
	count := min(c.Trajectories, s.Trajectories)
	d := &mixingData{perTrajectory: len(used), size: 2 * s.Particles, first: make([]int, count)}
	d.x = make([]float32, count*len(used)*d.size)
	of := make([][4]Range, count) // x, y, R_AB, R_BA of each trajectory
	seen := counter(done)
	err := src.Each(ctx, count, workers, func(e int, t *Mixed) error {
		q := &of[e]
		for i := range q {
			q[i] = Range{math.Inf(1), math.Inf(-1)}
		}
		for k, f := range used {
			to := d.frame(e*len(used) + k)
			d.first[e] = bySpecies(to, t.Frames[f*d.size:(f+1)*d.size], t.Types)
			for i, v := range to {
				q[i%2].extend(float64(v))
			}
		}
		for i, v := range t.Ratios {
			q[2+i%2].extend(v)
		}
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := of[0]
	for _, q := range of {
		for i := range all {
			all[i].extend(q[i].Low)
			all[i].extend(q[i].High)
		}
	}
	for i, r := range all {
		if !(r.High > r.Low) {
			return nil, fmt.Errorf("the %s is %g in every frame, which cannot be scaled; choose trajectories that mix",
				[...]string{"first coordinate", "second coordinate", "ratio R_AB", "ratio R_BA"}[i], r.Low)
		}
		if i < 2 {
			m.Scale.Mean[i], m.Scale.Std[i] = (r.Low+r.High)/2, (r.High-r.Low)/2
		} else {
			m.Scale.Low[i-2], m.Scale.High[i-2] = r.Low, r.High
		}
	}
	m.Scale.prepare()
	return d, nil
}

// extend makes the range hold v.
func (r *Range) extend(v float64) { r.Low, r.High = min(r.Low, v), max(r.High, v) }

// mixingFitWorker draws a shard's frames and samples and computes the gradient
// of the mean cross-entropy of both species' densities, which is that of
// KL(q_X || p_θ).
type mixingFitWorker struct {
	model  *MixingModel
	data   *mixingData
	src    *rng.Source
	points []float32 // (B, N, 2), scaled
	ends   []int     // (2B): species 1 and 2 of each frame
	x      []float32 // (2B·S, 2) samples of q_X
	logp   []float32 // (2B·S)
	weight []float32 // (2B·S)
	dz     []float32 // (2B, ZDim)
	enc    *set.Workspace[float32]
	dec    *flow.Workspace[float32]
}

var _ train.Worker = (*mixingFitWorker)(nil)

func (m *MixingModel) newFitWorker(d *mixingData) *mixingFitWorker {
	c := m.Config
	frames := c.Batch / c.Shards
	sets, samples := 2*frames, 2*frames*c.Samples
	w := &mixingFitWorker{
		model: m, data: d, src: rng.New(c.Seed, "mixing frames"),
		points: make([]float32, frames*d.size), ends: make([]int, sets),
		x: make([]float32, 2*samples), logp: make([]float32, samples), weight: make([]float32, samples),
		dz:  make([]float32, sets*c.Encoder.ZDim),
		enc: set.NewWorkspace[float32](m.encoder, sets, frames*d.size/2),
		dec: flow.NewWorkspace[float32](m.flow, sets, c.Samples),
	}
	for i := range w.weight {
		w.weight[i] = -1 / float32(len(w.weight))
	}
	return w
}

// Gradient implements train.Worker.
func (w *mixingFitWorker) Gradient(params, grads []float32, step, shard int) float64 {
	m, c, d := w.model, &w.model.Config, w.data
	w.src.Seed(c.Seed, "mixing frames", uint64(step), uint64(shard))
	samples := 2 * c.Samples
	for b := range len(w.ends) / 2 {
		i := w.src.IntN(len(d.first) * d.perTrajectory)
		atoms := w.points[b*d.size : (b+1)*d.size]
		m.Scale.standardise(atoms, d.frame(i))
		first := d.first[i/d.perTrajectory]
		w.ends[2*b], w.ends[2*b+1] = b*d.size/2+first, (b+1)*d.size/2
		x := w.x[2*b*samples : 2*(b+1)*samples]
		target.Sample(x[:samples], atoms[:2*first], 2, c.Eps, w.src.Rand)
		target.Sample(x[samples:], atoms[2*first:], 2, c.Eps, w.src.Rand)
	}
	z := set.Encode(m.encoder, w.enc, params, w.points, w.ends)
	flow.LogProb(m.flow, w.dec, params, w.logp, w.x, z, len(w.ends), c.Samples)
	loss := 0.0
	for _, l := range w.logp {
		loss -= float64(l)
	}
	clear(w.dz)
	flow.Backward(m.flow, w.dec, params, grads, w.dz, w.weight, z, len(w.ends), c.Samples)
	set.Backward(m.encoder, w.enc, params, grads, w.points, w.ends, w.dz)
	return loss / float64(len(w.logp))
}
