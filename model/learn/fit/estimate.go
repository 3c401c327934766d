package fit

import (
	"math"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/experiment"
	"macroscope/model/system"
)

// Estimate finds out how long a training takes on this machine before it begins: it
// does a few pieces of the training's work, of which nothing is kept, and reads from
// them how fast the machine does work of that kind. It is not safe for concurrent use.
type Estimate struct {
	meter  meter
	pool   *Pool // as the training would have it, to share its work
	now    func() time.Time
	probes []probe       // still to be done
	tries  int           // of the first of them so far
	secs   float64       // that it took, or the fastest of its pieces
	last   time.Duration // that a call of Work took
}

// probe is one kind of work, in pieces.
type probe struct {
	rate *float64                           // that it measures
	do   func(k int) (more bool, err error) // piece k
	work float64                            // of all pieces, or of each where the fastest counts
	each bool                               // it does
}

const (
	// shardTries is how often a shard is computed: the first ones are slower, until the
	// code for it is compiled and its memory is there.
	shardTries = 6
	// pieceTime is how long Work goes on with pieces that are short.
	pieceTime = 5 * time.Millisecond
	// usualShare is the share of its time that a worker trains for while its lab is on
	// show and stands still: the rest is for the picture.
	usualShare = 0.8
)

// NewEstimate returns the estimate of what NewLive would begin.
func NewEstimate(c experiment.Config, sys system.System, own system.Recorded, from *experiment.Model, now func() time.Time) (*Estimate, error) {
	run, err := begin(c, sys, own, from)
	if err != nil {
		return nil, err
	}
	return newEstimate(run, now)
}

// NewDynamicsEstimate returns the estimate of what NewLiveDynamics would begin.
func NewDynamicsEstimate(c experiment.Config, sys system.System, now func() time.Time) (*Estimate, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return newEstimate(&Run{Model: experiment.New(c, sys), phase: Velocity}, now)
}

// ResumeEstimate returns the estimate of what remains where ResumeLive would go on;
// coded says whether it would on codes.
func ResumeEstimate(systems experiment.Systems, f *ckpt.File, own system.Recorded, coded bool, now func() time.Time) (*Estimate, error) {
	run, err := Read(systems, f)
	if err == nil && !coded {
		if _, err = run.resumeOn(own); err == nil {
			_, err = tabRoom(&run.Model.Config, run.Model.System, run.src)
		}
	}
	if err != nil {
		return nil, err
	}
	return newEstimate(run, now)
}

// Like returns the estimate of another training of the same system, from scratch on what
// it simulates, by the speeds that this one has measured.
func (e *Estimate) Like(c experiment.Config, sys system.System) (*Estimate, error) {
	run, err := begin(c, sys, nil, nil)
	if err != nil {
		return nil, err
	}
	other := unmeasured(run, e.now)
	other.meter.rates, other.probes = e.meter.rates, e.probes
	return other, nil
}

func newEstimate(run *Run, now func() time.Time) (*Estimate, error) {
	e := unmeasured(run, now)
	return e, e.plan()
}

// unmeasured returns an estimate by the usual speeds.
func unmeasured(run *Run, now func() time.Time) *Estimate {
	m, e := run.Model, &Estimate{now: now}
	e.pool = newPool(run, new(failure))
	g := &gauge{run: run}
	if m.Config.HasDynamics() {
		src := run.src
		if src == nil { // the codes are of as many frames
			src = Source(&m.Config, m.System)
		}
		g.validation = newValidation(m, ValidationCount, src.Shape().Frames)
	}
	e.meter = meter{run: run, intake: &intake{run: run}, gauge: g, pool: e.pool, rates: usualRates}
	return e
}

// plan lists what is to be measured.
func (e *Estimate) plan() error {
	run := e.meter.run
	c, r := &run.Model.Config, &e.meter.rates
	if run.src != nil {
		reader, err := run.src.Reader()
		if err != nil {
			return err
		}
		e.probes = append(e.probes, probe{rate: &r.pair, work: e.meter.pairs(), do: func(k int) (more bool, err error) {
			if k == 0 {
				err = reader.Begin(0)
			}
			whole := false
			if err == nil {
				whole, err = reader.Advance()
			}
			if whole || err != nil {
				reader.Close()
			}
			return !whole, err
		}})
	}
	if run.phase == Autoencoder {
		w := newAutoencoder(run.Model, nil)
		if w.sampler == nil {
			w.invent()
		} else {
			w.draw(0, 0)
		}
		e.shard(&r.wide, w, run.Model.Params, e.meter.wideStep()/float64(c.Shards))
	}
	if !c.HasDynamics() {
		return nil
	}
	// One rate serves both phases: that of the longer one.
	p := Velocity
	if e.meter.narrowSteps(Rollout) > e.meter.narrowSteps(Velocity) {
		p = Rollout
	}
	t := p.Training(c)
	w := newDynamics(run.Model, p, nil)
	for i := range w.z {
		w.z[i] = float32(0.3 * w.src.NormFloat64())
	}
	e.shard(&r.narrow, w, run.Model.DynamicsParams, e.meter.narrowSteps(p)/float64(t.Steps*t.Shards))
	return nil
}

// shard adds a probe of the gradient of a shard that has been drawn.
func (e *Estimate) shard(rate *float64, w shardWorker, params []float32, work float64) {
	grads := make([]float32, len(params))
	e.probes = append(e.probes, probe{rate: rate, work: work, each: true, do: func(k int) (more bool, err error) {
		w.gradient(params, grads)
		return k+1 < shardTries, nil
	}})
}

// Work does a piece of the measurement and says whether there is more to do. A piece
// that is known to take longer than most is put off.
func (e *Estimate) Work(most time.Duration) (more bool) {
	if len(e.probes) == 0 {
		return false
	}
	if e.last > most {
		return true
	}
	p, began := &e.probes[0], e.now()
	again, err := p.do(e.tries)
	for e.tries++; again && err == nil && !p.each && e.now().Sub(began) < pieceTime; e.tries++ {
		again, err = p.do(e.tries)
	}
	e.last = e.now().Sub(began)
	switch secs := e.last.Seconds(); {
	case err != nil:
		*p.rate, e.probes = math.NaN(), nil
		return false
	case p.each && e.tries > 1:
		e.secs = min(e.secs, secs)
	default:
		e.secs += secs
	}
	if again {
		return true
	}
	*p.rate = p.work / e.secs // infinite on a clock that stands still
	e.probes, e.tries, e.secs, e.last = e.probes[1:], 0, 0, 0
	return len(e.probes) > 0
}

// Left returns how many seconds the training takes that many workers, or what remains
// of it: NaN before all is measured, or if that could not be.
func (e *Estimate) Left(workers int) float64 {
	e.pool.SetHelpers(workers - 1)
	done, all := e.meter.effort()
	if left := all - done; len(e.probes) == 0 && left > 0 && !math.IsInf(left, 0) {
		return left / usualShare
	}
	return math.NaN()
}

// invent fills the shard with frames as a source has them, without one.
func (w *autoencoder) invent() {
	c := &w.model.Config
	w.batch.Points, w.batch.Ends = w.batch.Points[:0], w.batch.Ends[:0]
	f := &w.frame
	f.Points, f.Ends = make([]float32, c.Particles*c.Dim()), f.Ends[:0]
	end := 0
	for s := range c.Sets() {
		end += c.Shape.Size(s)
		f.Ends = append(f.Ends, end)
	}
	for b := range w.frames {
		for i := range f.Points {
			f.Points[i] = float32(w.src.NormFloat64())
		}
		w.take(b)
	}
}
