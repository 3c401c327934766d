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

// fitFrame reports whether stage I uses a frame: all to 100, to 150 every 2nd,
// to 200 every 5th, then every 10th. What happens late in a trajectory is
// slow, and without thinning most sets would be near the steady pattern.
func fitFrame(t int) bool {
	switch {
	case t <= 100:
		return true
	case t <= 150:
		return t%2 == 0
	case t <= 200:
		return t%5 == 0
	}
	return t%10 == 0
}

// fitData is what stage I draws from.
type fitData struct {
	sets int       // E·F
	size int       // N·Dim
	x    []float32 // (E, F, N, Dim)
}

func (d *fitData) set(i int) []float32 { return d.x[i*d.size : (i+1)*d.size] }

// collect reads the sets of stage I and finds the scales of positions and of
// the observable.
func (m *ParticlesModel) collect(ctx context.Context, src Source, workers int, done func(trajectories int)) (*fitData, error) {
	s, c := src.Shape(), &m.Config
	var frames []int
	for t := range s.Frames {
		if fitFrame(t) {
			frames = append(frames, t)
		}
	}
	count := min(c.Trajectories, s.Trajectories)
	d := &fitData{sets: count * len(frames), size: s.Particles * s.Dim}
	d.x = make([]float32, d.sets*d.size)
	type moments struct {
		sum, squares [16]float64
		low, high    float64
	}
	of := make([]moments, count) // of each trajectory, to be added in order
	seen := counter(done)
	err := src.Each(ctx, count, workers, func(e int, t *Recorded) error {
		q := &of[e]
		q.low, q.high = math.Inf(1), math.Inf(-1)
		for _, v := range t.Macro {
			q.low, q.high = min(q.low, v), max(q.high, v)
		}
		for k, f := range frames {
			to := d.set(e*len(frames) + k)
			copy(to, t.Frames[f*d.size:(f+1)*d.size])
			for i, v := range to {
				q.sum[i%s.Dim] += float64(v)
				q.squares[i%s.Dim] += float64(v) * float64(v)
			}
		}
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all moments
	all.low, all.high = math.Inf(1), math.Inf(-1)
	for _, q := range of {
		all.low, all.high = min(all.low, q.low), max(all.high, q.high)
		for i := range s.Dim {
			all.sum[i] += q.sum[i]
			all.squares[i] += q.squares[i]
		}
	}
	if !(all.high > all.low) {
		return nil, fmt.Errorf("the observable is %g in every frame, so there is nothing to learn; choose another", all.low)
	}
	m.Scale.Low[0], m.Scale.High[0] = all.low, all.high
	if c.Rotate { // about the origin, which makes the coordinates alike
		all.sum[0], all.sum[1] = 0, 0
		all.squares[0] = (all.squares[0] + all.squares[1]) / 2
		all.squares[1] = all.squares[0]
	}
	n := float64(d.sets * s.Particles)
	for i := range s.Dim {
		mean := all.sum[i] / n
		m.Scale.Mean[i], m.Scale.Std[i] = mean, math.Sqrt(max(all.squares[i]/n-mean*mean, 0))
		if m.Scale.Std[i] == 0 {
			return nil, fmt.Errorf("coordinate %d of all particles is %g in every frame; leave it out", i, mean)
		}
	}
	m.Scale.prepare()
	return d, nil
}

// fitWorker draws a shard's sets and samples and computes the gradient of
// their mean cross-entropy, which is that of KL(q_X || p_θ).
type fitWorker struct {
	model  *ParticlesModel
	data   *fitData
	src    *rng.Source
	points []float32 // (B·n, Dim), standardised
	ends   []int     // (B)
	x      []float32 // (B·S, Dim) samples of q_X
	logp   []float32 // (B·S)
	weight []float32 // (B·S)
	dz     []float32 // (B, ZDim)
	enc    *set.Workspace[float32]
	dec    *flow.Workspace[float32]
}

var _ train.Worker = (*fitWorker)(nil)

func (m *ParticlesModel) newFitWorker(d *fitData) *fitWorker {
	c := m.Config
	sets, dim := c.Batch/c.Shards, c.Encoder.Dim
	n := d.size / dim
	w := &fitWorker{
		model: m, data: d, src: rng.New(c.Seed, "particles sets"),
		points: make([]float32, sets*d.size), ends: make([]int, sets),
		x: make([]float32, sets*c.Samples*dim), logp: make([]float32, sets*c.Samples), weight: make([]float32, sets*c.Samples),
		dz:  make([]float32, sets*c.Encoder.ZDim),
		enc: set.NewWorkspace[float32](m.encoder, sets, sets*n),
		dec: flow.NewWorkspace[float32](m.flow, sets, c.Samples),
	}
	for b := range w.ends {
		w.ends[b] = (b + 1) * n
	}
	for i := range w.weight {
		w.weight[i] = -1 / float32(len(w.weight))
	}
	return w
}

// Gradient implements train.Worker.
func (w *fitWorker) Gradient(params, grads []float32, step, shard int) float64 {
	m, c := w.model, &w.model.Config
	sets, dim := len(w.ends), c.Encoder.Dim
	w.src.Seed(c.Seed, "particles sets", uint64(step), uint64(shard))
	for b := range sets {
		particles := w.points[b*w.data.size : (b+1)*w.data.size]
		from := w.data.set(w.src.IntN(w.data.sets))
		if c.Rotate {
			turnAtRandom(particles, from, w.src)
			from = particles
		}
		m.Scale.standardise(particles, from)
		target.Sample(w.x[b*c.Samples*dim:(b+1)*c.Samples*dim], particles, dim, c.Eps, w.src.Rand)
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

// turn writes frames (n, 2), mirrored if that is asked for and then turned about
// the origin by an angle, to dst.
func turn(dst, frames []float32, angle float64, mirrored bool) {
	sin, cos := math.Sincos(angle)
	a, b, mirror := float32(cos), float32(sin), float32(1)
	if mirrored {
		mirror = -1
	}
	for i := 0; i+1 < len(frames); i += 2 {
		x, y := frames[i], frames[i+1]*mirror
		dst[i], dst[i+1] = a*x-b*y, b*x+a*y
	}
}

// turnAtRandom is turn by any angle, mirrored half of the times.
func turnAtRandom(dst, frames []float32, src *rng.Source) {
	angle := 2 * math.Pi * src.Float64()
	turn(dst, frames, angle, src.IntN(2) == 1)
}
