package lab

import (
	"context"
	"fmt"
	"math"
	"sync"

	"macroscope/model/nn"
	"macroscope/model/tensor"
	"macroscope/model/train"
	"macroscope/sim/rng"
)

// OrderedRun trains an OrderedModel in the stages of a ParticlesRun, and is
// used in the same way.
type OrderedRun struct {
	Model *OrderedModel

	src     Source
	workers int
	stage   int
	trainer *train.Trainer
	resume  *resumption
	encoded *lawData // kept from one part of stage II to the next
}

// NewOrderedRun returns a training from the start. The data must have the
// configuration's number of particles, in the plane.
func NewOrderedRun(c OrderedConfig, src Source, workers int) (*OrderedRun, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := &OrderedRun{Model: NewOrderedModel(c), src: src, workers: workers, stage: StageFit}
	return r, r.checkShape()
}

func (r *OrderedRun) checkShape() error {
	if s, c := r.src.Shape(), r.Model.Config; s.Particles != c.Particles || s.Dim != 2 {
		return fmt.Errorf("the sets are of %d particles with %d coordinates, and this model takes exactly %d with 2", s.Particles, s.Dim, c.Particles)
	}
	return nil
}

// Stage returns the stage under way.
func (r *OrderedRun) Stage() int { return r.stage }

// Trainer returns the present stage's training, nil before Prepare.
func (r *OrderedRun) Trainer() *train.Trainer { return r.trainer }

// Trajectories returns how many Prepare will read for the present stage.
func (r *OrderedRun) Trajectories() int {
	n := r.Model.Config.Trajectories
	if r.stage != StageFit {
		n = r.Model.Config.Law.Trajectories
	}
	return min(n, r.src.Shape().Trajectories)
}

// Prepare gets the present stage's data ready and starts its training, or goes
// on where a checkpoint left it. done is told how many trajectories have been
// read, from one goroutine at a time.
func (r *OrderedRun) Prepare(ctx context.Context, done func(trajectories int)) error {
	m := r.Model
	switch r.stage {
	case StageFit:
		sets, err := r.collect(ctx, done)
		if err != nil {
			return err
		}
		r.trainer = train.New(m.Config.fitConfig(r.workers), m.Params, func() train.Worker { return m.newFitWorker(sets) })
	case StageLaw, StageRoll:
		if r.encoded == nil {
			d, err := r.encode(ctx, done)
			if err != nil {
				return err
			}
			r.encoded = d
		}
		c, stream := m.Config.Law.Fit, "ordered steps"
		if r.stage == StageRoll {
			c, stream = m.Config.Law.Roll, "ordered stretches"
		}
		r.trainer = train.New(c.trainConfig(r.workers), m.law.LawParams, func() train.Worker { return m.law.newLawWorker(c, stream, r.encoded) })
	default:
		return fmt.Errorf("the training has ended; begin another")
	}
	if r.resume != nil {
		r.resume.apply(r.trainer)
		r.resume = nil
	}
	return nil
}

// Next goes to the next stage.
func (r *OrderedRun) Next() {
	r.Close()
	r.stage++
	if r.stage == StageRoll && r.Model.Config.Law.Roll.Steps == 0 {
		r.stage++
	}
}

// Close ends the present training's goroutines.
func (r *OrderedRun) Close() {
	if r.trainer != nil {
		r.trainer.Close()
		r.trainer = nil
	}
}

// collect reads the sets of stage I (sets, 2·Particles), finds the scales of
// positions and of the observable, and standardises the sets.
func (r *OrderedRun) collect(ctx context.Context, done func(int)) ([]float32, error) {
	s, scale := r.src.Shape(), r.Model.Scale()
	var frames []int
	for t := range s.Frames {
		if fitFrame(t) {
			frames = append(frames, t)
		}
	}
	count, size := r.Trajectories(), 2*s.Particles
	sets := make([]float32, count*len(frames)*size)
	ranges := make([][2]float64, count) // of the observable
	seen := counter(done)
	err := r.src.Each(ctx, count, r.workers, func(e int, t *Recorded) error {
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range t.Macro {
			low, high = min(low, v), max(high, v)
		}
		ranges[e] = [2]float64{low, high}
		for k, f := range frames {
			copy(sets[(e*len(frames)+k)*size:], t.Frames[f*size:(f+1)*size])
		}
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	scale.Low[0], scale.High[0] = math.Inf(1), math.Inf(-1)
	for _, v := range ranges {
		scale.Low[0], scale.High[0] = min(scale.Low[0], v[0]), max(scale.High[0], v[1])
	}
	if !(scale.High[0] > scale.Low[0]) {
		return nil, fmt.Errorf("the energy is %g in every frame, so there is nothing to learn", scale.Low[0])
	}
	// About the origin, and in both directions alike, so that sets may be turned.
	squares := 0.0
	for _, v := range sets {
		squares += float64(v) * float64(v)
	}
	std := math.Sqrt(squares / float64(len(sets)))
	if !(std > 0) {
		return nil, fmt.Errorf("all particles are at the origin in every frame, so there is nothing to learn")
	}
	for i := range scale.Std {
		scale.Mean[i], scale.Std[i] = 0, std
	}
	scale.prepare()
	scale.standardise(sets, sets)
	return sets, nil
}

// encode passes whole trajectories through the encoder once, each in an order
// of its own that all of its frames share.
func (r *OrderedRun) encode(ctx context.Context, done func(int)) (*lawData, error) {
	m := r.Model
	d, err := m.law.newLawData(r.src.Shape())
	if err != nil {
		return nil, err
	}
	encoders := sync.Pool{New: func() any { return m.newEncoder() }}
	seen := counter(done)
	size := m.encoder.In()
	err = r.src.Each(ctx, d.trajectories, r.workers, func(e int, t *Recorded) error {
		m.law.turnForLaw(d.of(e), e, t)
		enc, order := encoders.Get().(*orderedEncoder), rng.New(m.Config.Seed, "ordered orders", uint64(e))
		for f := range d.frames {
			frame := t.Frames[f*size : (f+1)*size]
			order.Seed(m.Config.Seed, "ordered orders", uint64(e)) // the same for every frame
			reorder(frame, order)
			enc.encode(d.of(e)[f*d.dim+1:(f+1)*d.dim], frame)
		}
		encoders.Put(enc)
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, d.scale(&m.law.Scale)
}

// orderedFitWorker draws a shard's sets, each in a random order, and computes
// the gradient of the mean squared error of every coordinate.
type orderedFitWorker struct {
	model *OrderedModel
	sets  []float32 // (sets, 2·Particles), standardised
	src   *rng.Source
	x     []float32 // (B, 2·Particles)
	loss  *orderedLoss[float32]
}

var _ train.Worker = (*orderedFitWorker)(nil)

func (m *OrderedModel) newFitWorker(sets []float32) *orderedFitWorker {
	rows := m.Config.Batch / m.Config.Shards
	return &orderedFitWorker{
		model: m, sets: sets, src: rng.New(m.Config.Seed, "ordered sets"),
		x: make([]float32, rows*m.encoder.In()), loss: newOrderedLoss[float32](m, rows),
	}
}

// Gradient implements train.Worker.
func (w *orderedFitWorker) Gradient(params, grads []float32, step, shard int) float64 {
	c, size := &w.model.Config, w.model.encoder.In()
	w.src.Seed(c.Seed, "ordered sets", uint64(step), uint64(shard))
	for b := range c.Batch / c.Shards {
		from := w.src.IntN(len(w.sets) / size)
		x := w.x[b*size : (b+1)*size]
		copy(x, w.sets[from*size:(from+1)*size])
		if c.Rotate {
			turnAtRandom(x, x, w.src)
		}
		reorder(x, w.src)
	}
	return w.loss.gradient(params, grads, w.x)
}

// orderedLoss is the mean squared error of what the autoencoder makes of sets.
type orderedLoss[T tensor.Float] struct {
	model    *OrderedModel
	rows     int
	enc, dec *nn.MLPWorkspace[T]
	dx       []T // (B, 2·Particles)
	dz       []T // (B, ZDim)
}

func newOrderedLoss[T tensor.Float](m *OrderedModel, rows int) *orderedLoss[T] {
	return &orderedLoss[T]{
		model: m, rows: rows, enc: nn.NewMLPWorkspace[T](m.encoder, rows), dec: nn.NewMLPWorkspace[T](m.decoder, rows),
		dx: make([]T, rows*m.encoder.In()), dz: make([]T, rows*m.Config.ZDim),
	}
}

// gradient adds the gradient of the loss of sets x (B, 2·Particles) to grads,
// which like params holds the encoder's part and then the decoder's, and
// returns the loss.
func (l *orderedLoss[T]) gradient(params, grads, x []T) float64 {
	m, n := l.model, l.model.Layout.Size()
	z := nn.Forward(m.encoder, l.enc, params[:n], x, l.rows)
	sum, scale := 0.0, 2/T(len(x))
	for i, y := range nn.Forward(m.decoder, l.dec, params[n:], z, l.rows) {
		d := y - x[i]
		sum += float64(d) * float64(d)
		l.dx[i] = d * scale
	}
	nn.Backward(m.decoder, l.dec, params[n:], grads[n:], z, l.dz, l.dx, l.rows)
	nn.Backward(m.encoder, l.enc, params[:n], grads[:n], x, nil, l.dz, l.rows)
	return sum / float64(len(x))
}
