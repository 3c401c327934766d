package fit

import (
	"slices"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/net/decoder"
	"macroscope/model/net/encoder"
	"macroscope/model/system"
	"macroscope/sim/rng"
)

// shardWorker does the work of a train.Worker in two parts. The method `draw` is short and needs
// the data. The method `gradient` is long and needs only what `draw` has drawn, so helpers can do
// it.
type shardWorker interface {
	draw(step, shard int)
	gradient(params, grads []float32) float64 // returns the loss of the last draw, and adds its gradient to grads
	pass(m *message) (ok bool)                // writes the last draw to m, or reads a draw from m; ok is false if the draw that was read is invalid
	invent()                                  // draws without data, to measure how long `gradient` takes
}

// bothParts makes a train.Worker from a shardWorker.
type bothParts struct{ shardWorker }

// Gradient implements train.Worker.
func (w bothParts) Gradient(params, grads []float32, step, shard int) float64 {
	w.draw(step, shard)
	return w.gradient(params, grads)
}

// autoencoder draws a shard's frames and the decoder's targets, and computes the gradient
// of the loss.
type autoencoder struct {
	model  *model.Model
	data   *frames   // nil for a system of single sets
	packed []float32 // scratch memory: a frame before mirroring
	src    *rng.Source
	frames int                    // number of frames per shard
	batch  encoder.Batch[float32] // what the encoder sees
	truth  []float32              // points that the decoder learns to restore, as many as in batch; nil if they are the batch's. See method.Data.Disguises
	frame  system.Frame           // scratch memory: one frame
	x      []float32              // the decoder's targets
	states []float32              // (frames, M+1): scaled macroscopic variables and times, for a one-step loss
	dz     []float32              // gradient of ẑ (sets, ZDim)
	enc    encoder.Encoder[float32]
	dec    decoder.Decoder[float32]
}

var _ shardWorker = (*autoencoder)(nil)

func newAutoencoder(m *model.Model, d *frames) *autoencoder {
	c := &m.Config
	n := c.Batch / c.Shards
	w := &autoencoder{
		model: m, data: d, src: rng.New(c.Seed, c.Traits.Streams.Sets), frames: n,
		enc: m.NewEncoder(n, n*c.MaxParticles()), dec: m.NewDecoder(n), dz: make([]float32, n*c.Sets()*c.ZDim()),
	}
	w.batch.Points = make([]float32, 0, n*c.MaxParticles()*c.Dim())
	w.batch.Ends = make([]int, 0, n*c.Sets())
	if c.Data.Disguises() {
		w.truth = make([]float32, 0, cap(w.batch.Points))
	}
	w.x = make([]float32, w.dec.Size(n*c.Sets()))
	if c.Decoder.Step.On() {
		w.states = make([]float32, n*(c.Variables+1))
	}
	if m.System.Draw != nil {
		w.frame.Points, w.frame.Ends = make([]float32, c.Particles*c.Dim()), []int{c.Particles}
	}
	return w
}

// draw implements shardWorker. It draws from the trajectories that are available at this step;
// they must be in the store.
func (w *autoencoder) draw(step, shard int) {
	c := &w.model.Config
	w.src.Seed(c.Seed, c.Traits.Streams.Sets, uint64(step), uint64(shard))
	w.clear()
	var of sample
	for b := range w.frames {
		if w.model.System.Draw == nil {
			of = w.choose(step, b, of)
		}
		w.drawFrame(of)
		w.take(b)
	}
}

// clear removes all frames from the shard.
func (w *autoencoder) clear() {
	w.batch.Points, w.batch.Ends, w.truth = w.batch.Points[:0], w.batch.Ends[:0], w.truth[:0]
}

// take adds w.frame to the shard as its frame b, and draws the decoder's targets for it.
func (w *autoencoder) take(b int) {
	size, begin := len(w.x)/w.frames, len(w.batch.Points)/w.model.Config.Dim()
	w.dec.Draw(w.x[b*size:(b+1)*size], encoder.Batch[float32]{Points: w.frame.Points, Ends: w.frame.Ends}, w.src.Rand)
	m, c := w.model, &w.model.Config
	if c.Data.Disguises() {
		w.truth = append(w.truth, w.frame.Points...)
	}
	if s := c.Data.Stretch; s > 0 {
		m.Scale.Stretch(w.frame.Points, c.Dim()-1, float32(1+s*(2*w.src.Float64()-1)))
	}
	m.Hide(w.frame.Points)
	w.batch.Points = append(w.batch.Points, w.frame.Points...)
	for _, end := range w.frame.Ends {
		w.batch.Ends = append(w.batch.Ends, begin+end)
	}
}

// sample is the index of a frame, with the random turn and mirroring of this frame.
type sample struct {
	index int
	turn  model.Turn
	ways  uint
}

// choose draws frame b of the shard. For a one-step loss, frames come in pairs: the second
// frame follows the first in time and has the same turn.
func (w *autoencoder) choose(step, b int, before sample) (s sample) {
	c, kept := &w.model.Config, len(w.data.kept)
	trajectories := c.Data.Available(step, len(w.data.of))
	switch {
	case w.states == nil:
		for s.index = -1; s.index < 0 || !w.data.has(s.index); {
			s.index = w.src.IntN(trajectories * kept)
		}
	case b%2 == 1:
		s = before
		s.index++
	default:
		for s.index = -1; s.index < 0 || !w.data.has(s.index) || !w.data.has(s.index+1); {
			s.index = w.src.IntN(trajectories * (kept - 1))
			s.index += s.index / (kept - 1)
		}
	}
	if c.Data.Turn && (w.states == nil || b%2 == 0) {
		if n := c.Traits.Mirrors; n > 0 {
			s.ways = model.RandomWays(w.src, n)
		} else {
			s.turn = model.RandomTurn(&c.Traits, w.src)
		}
	}
	if w.states != nil {
		row := w.states[b*(c.Variables+1) : (b+1)*(c.Variables+1)]
		for i, v := range w.data.macros(s.index) {
			row[i] = float32(w.model.Scale.State(i, v))
		}
		row[c.Variables] = float32(float64(w.data.kept[s.index%kept]) * c.Dynamics.Dt)
	}
	return s
}

// drawFrame draws one frame, in the units of the networks.
func (w *autoencoder) drawFrame(of sample) {
	m, c, f := w.model, &w.model.Config, &w.frame
	if w.model.System.Draw != nil {
		w.model.System.Draw(f.Points, w.src)
		slices.Sort(f.Points) // neighbours on the line become neighbours in the slice
		return
	}
	from, ends := w.data.frame(of.index, c.Sets())
	if w.model.System.Unpack != nil {
		if of.ways != 0 {
			w.packed = append(w.packed[:0], from...)
			from = w.packed
			w.model.System.Mirror(from, len(from)/c.Dim(), of.ways)
		}
		w.model.System.Unpack(f, from)
		from, ends = f.Points, f.Ends
	}
	f.Points, f.Ends = slices.Grow(f.Points[:0], len(from))[:len(from)], append(f.Ends[:0], ends...)
	if c.Data.Turn && c.Traits.Mirrors == 0 {
		of.turn.Apply(f.Points, from, &c.Traits)
		from = f.Points
	}
	m.Scale.Points(f.Points, from)
	m.Centre(f.Points, f.Ends)
	if c.Encoder.Ordered() && !c.Data.Listed {
		model.Shuffle(f, c.Dim(), w.src)
	}
}

// gradient implements shardWorker.
func (w *autoencoder) gradient(params, grads []float32) float64 {
	encParams, decParams := w.model.Weights.Split(params)
	encGrads, decGrads := w.model.Weights.Split(grads)
	z := w.enc.Encode(encParams, w.batch)
	truth := decoder.Truth[float32]{Sets: w.batch, Drawn: w.x, States: w.states}
	if w.truth != nil {
		truth.Sets.Points = w.truth
	}
	loss := w.dec.Loss(decParams, decGrads, w.dz, z, truth)
	w.enc.Backward(encParams, encGrads, w.batch, w.dz)
	return loss
}

// pass implements shardWorker.
func (w *autoencoder) pass(m *message) (ok bool) {
	if m.reads {
		w.batch.Ends = w.batch.Ends[:w.frames*w.model.Config.Sets()]
	}
	if values(m, w.batch.Ends); m.reads {
		if m.short || !w.fits() {
			return false
		}
		w.batch.Points = w.batch.Points[:w.batch.Ends[len(w.batch.Ends)-1]*w.model.Config.Dim()]
		if w.truth != nil {
			w.truth = w.truth[:len(w.batch.Points)]
		}
	}
	values(m, w.batch.Points)
	values(m, w.truth)
	values(m, w.x)
	values(m, w.states)
	return !m.short
}

// fits reports whether the networks accept sets of the sizes in the batch.
func (w *autoencoder) fits() bool {
	c := &w.model.Config
	last, frame := 0, 0 // where the previous set and the previous frame end
	for i, end := range w.batch.Ends {
		if i%c.Sets() == 0 {
			frame = last
		}
		if end <= last || end-frame > c.MaxParticles() {
			return false
		}
		last = end
	}
	return c.Autoencoder().Trains(w.batch.Ends) == nil
}

// invent implements shardWorker.
func (w *autoencoder) invent() {
	if w.model.System.Draw != nil {
		w.draw(0, 0)
		return
	}
	c, f := &w.model.Config, &w.frame
	w.clear()
	f.Points, f.Ends = make([]float32, c.Particles*c.Dim()), f.Ends[:0]
	end := 0
	for s := range c.Sets() {
		end += c.Shape.SetSize(s)
		f.Ends = append(f.Ends, end)
	}
	for b := range w.frames {
		for i := range f.Points {
			f.Points[i] = float32(w.src.NormFloat64())
		}
		w.take(b)
	}
}

// stretches draws a shard's stretches and computes the gradient of their loss.
type stretches struct {
	model     *model.Model
	cfg       method.DynamicsTraining
	stream    string
	data      *states
	src       *rng.Source
	rows      int
	z         []float32 // states of a shard's stretches (B, K+1, V)
	objective *model.Objective
}

var _ shardWorker = (*stretches)(nil)

// newStretches returns the worker that computes the gradients of a phase of stage II.
func newStretches(m *model.Model, t method.DynamicsTraining, stream string, d *states) *stretches {
	rows := t.Batch / t.Shards
	return &stretches{
		model: m, cfg: t, stream: stream, data: d, src: rng.New(m.Config.Seed, stream), rows: rows,
		z: make([]float32, rows*(t.Window+1)*m.Config.States()), objective: m.NewObjective(t, rows),
	}
}

// draw implements shardWorker.
func (w *stretches) draw(step, shard int) {
	c, d, begin := &w.cfg, w.data, w.model.Config.Dynamics.Begin
	length := (c.Window + 1) * d.dim
	w.src.Seed(w.model.Config.Seed, w.stream, uint64(step), uint64(shard))
	for b := range w.rows {
		e, starts := 0, 0
		for starts < 1 {
			e = w.src.IntN(d.trajectories)
			starts = d.length(e) - begin - c.Window*c.Stride // number of frames at which a stretch can begin
		}
		t := w.src.IntN(starts)
		if c.Early > 0 && w.src.Float64() < c.Early {
			t = w.src.IntN(min((d.frames-begin+3)/4, starts))
		}
		if !w.model.Config.Traits.Stochastic && w.src.Float64() < c.Start {
			t = 0
		}
		t += begin
		to := w.z[b*length : (b+1)*length]
		for k := range c.Window + 1 {
			copy(to[k*d.dim:(k+1)*d.dim], d.z[(e*d.frames+t+k*c.Stride)*d.dim:])
		}
		if c.Noise > 0 {
			for i := range to[:w.model.Config.Moving()] {
				to[i] += float32(c.Noise * w.src.NormFloat64())
			}
		}
	}
}

// gradient implements shardWorker.
func (w *stretches) gradient(params, grads []float32) float64 {
	return w.objective.Gradient(params, grads, w.z, w.rows)
}

// pass implements shardWorker.
func (w *stretches) pass(m *message) (ok bool) {
	values(m, w.z)
	return !m.short
}

// invent implements shardWorker.
func (w *stretches) invent() {
	for i := range w.z {
		w.z[i] = float32(0.3 * w.src.NormFloat64())
	}
}
