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

// fitFrames lists the frames of a trajectory that stage I uses.
func (c *ParticlesConfig) fitFrames(frames int) []int {
	var chosen []int
	for t, k := 0, 0; t < frames; t++ {
		if !fitFrame(t) {
			continue
		}
		if k%c.Thin == 0 {
			chosen = append(chosen, t)
		}
		k++
	}
	return chosen
}

// fitData is what stage I draws from. Trajectories may come while it trains.
type fitData struct {
	frames []int        // kept of every trajectory
	size   int          // N·Dim
	x      [][]float32  // of every trajectory (F, N, Dim), nil until it is there
	of     []fitMoments // of every trajectory, to be added in order
}

// fitMoments are what the scales need of a trajectory.
type fitMoments struct {
	sum, squares [16]float64 // of every coordinate, over the frames that are kept
	low, high    float64     // of the observable, over all frames
}

// newFitData makes room for the trajectories of a source, without any of them.
func (m *ParticlesModel) newFitData(s Shape) *fitData {
	count := min(m.Config.Trajectories, s.Trajectories)
	return &fitData{
		frames: m.Config.fitFrames(s.Frames), size: s.Particles * s.Dim,
		x: make([][]float32, count), of: make([]fitMoments, count),
	}
}

func (d *fitData) set(i int) []float32 {
	k := i % len(d.frames)
	return d.x[i/len(d.frames)][k*d.size : (k+1)*d.size]
}

// thin copies the frames that are kept (F, N, Dim) out of all (T, N, Dim).
func (d *fitData) thin(dst, frames []float32) {
	for k, f := range d.frames {
		copy(dst[k*d.size:(k+1)*d.size], frames[f*d.size:])
	}
}

// put adds trajectory e: the frames that are kept, which stay here, and the
// observable of all.
func (d *fitData) put(e int, kept []float32, macro []float64, dim int) {
	q := &d.of[e]
	*q = fitMoments{low: math.Inf(1), high: math.Inf(-1)}
	for _, v := range macro {
		q.low, q.high = min(q.low, v), max(q.high, v)
	}
	for k := range d.frames {
		for i, v := range kept[k*d.size : (k+1)*d.size] {
			q.sum[i%dim] += float64(v)
			q.squares[i%dim] += float64(v) * float64(v)
		}
	}
	d.x[e] = kept
}

// collect reads the sets of stage I and finds the scales of the observable and,
// unless a training goes on that has them, of positions.
func (m *ParticlesModel) collect(ctx context.Context, src Source, workers int, goesOn bool, done func(trajectories int)) (*fitData, error) {
	s := src.Shape()
	d := m.newFitData(s)
	seen := counter(done)
	err := src.Each(ctx, len(d.x), workers, func(e int, t *Recorded) error {
		kept := make([]float32, len(d.frames)*d.size)
		d.thin(kept, t.Frames)
		d.put(e, kept, t.Macro, s.Dim)
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := m.scaleObservable(d); err != nil || goesOn {
		return d, err
	}
	return d, m.scalePositions(d)
}

// scaleObservable finds the observable's range, over all trajectories of stage I.
func (m *ParticlesModel) scaleObservable(d *fitData) error {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range d.of {
		low, high = min(low, d.of[i].low), max(high, d.of[i].high)
	}
	if !(high > low) {
		return fmt.Errorf("the observable is %g in every frame, so there is nothing to learn; choose another", low)
	}
	m.Scale.Low[0], m.Scale.High[0] = low, high
	return nil
}

// scalePositions finds the scales of positions, over the trajectories that stage
// I begins with: they cannot change under a network that trains.
func (m *ParticlesModel) scalePositions(d *fitData) error {
	dim := m.Config.Encoder.Dim
	first := d.of[:m.Config.available(0, len(d.of))]
	var sum, squares [16]float64
	for i := range first {
		for k := range dim {
			sum[k] += first[i].sum[k]
			squares[k] += first[i].squares[k]
		}
	}
	if m.Config.Rotate { // about the origin, which makes the coordinates alike
		sum[0], sum[1] = 0, 0
		squares[0] = (squares[0] + squares[1]) / 2
		squares[1] = squares[0]
	}
	n := float64(len(first) * len(d.frames) * d.size / dim)
	for i := range dim {
		mean := sum[i] / n
		m.Scale.Mean[i], m.Scale.Std[i] = mean, math.Sqrt(max(squares[i]/n-mean*mean, 0))
		if m.Scale.Std[i] == 0 {
			return fmt.Errorf("coordinate %d of all particles is %g in every frame; leave it out", i, mean)
		}
	}
	m.Scale.prepare()
	return nil
}

// shardWorker is a train.Worker whose work falls into two parts. The first is
// short and needs the data; the second is long and needs no more than the first
// has made, so that others can do it.
type shardWorker interface {
	train.Worker
	draw(step, shard int)
	drawn() [2][]float32 // filled by draw; other values of the same length will do
	gradient(params, grads []float32) float64
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

var _ shardWorker = (*fitWorker)(nil)

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
	w.draw(step, shard)
	return w.gradient(params, grads)
}

// draw makes a shard's sets and the samples of their densities. The sets are
// among the trajectories that the step draws from, which must be there.
func (w *fitWorker) draw(step, shard int) {
	m, c := w.model, &w.model.Config
	dim := c.Encoder.Dim
	choice := c.available(step, len(w.data.x)) * len(w.data.frames)
	w.src.Seed(c.Seed, "particles sets", uint64(step), uint64(shard))
	for b := range w.ends {
		particles := w.points[b*w.data.size : (b+1)*w.data.size]
		from := w.data.set(w.src.IntN(choice))
		if c.Rotate {
			turnAtRandom(particles, from, w.src)
			from = particles
		}
		m.Scale.standardise(particles, from)
		target.Sample(w.x[b*c.Samples*dim:(b+1)*c.Samples*dim], particles, dim, c.Eps, w.src.Rand)
	}
}

// drawn is what draw makes, and all that gradient needs beside the parameters.
func (w *fitWorker) drawn() [2][]float32 { return [2][]float32{w.points, w.x} }

// gradient is Gradient of what was drawn last.
func (w *fitWorker) gradient(params, grads []float32) float64 {
	m, c := w.model, &w.model.Config
	sets := len(w.ends)
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
