package lab

import (
	"fmt"
	"math"
	"time"

	"macroscope/model/train"
)

// mixingLawTraining trains a law on codes in short pieces of work, between which
// a page can be answered. The encoder and the flow are another model's and stay.
// It serves one goroutine at a time.
type mixingLawTraining struct {
	model   *MixingModel
	codes   *MixingCodes
	trainer *train.Trainer
	held    *mixingHeld
	now     func() time.Time

	loss     curve // nats a transition, against the step
	coverage curve // share of the truth in the bands of runs held out
	fault    curve // root mean square of the mean's error there

	from  time.Time
	steps int // since from
	rate  float64
}

// lawMeasurements is how often the law is measured in the course of a training.
const lawMeasurements = 6

// tabLaw returns the configuration of a law that a tab trains in a minute or
// two on codes of a model, joint or one a species.
func (m *MixingModel) tabLaw(joint bool, seed uint64, codes *MixingCodes) MixingConfig {
	small, err := MixingPreset("browser")
	if err != nil {
		panic(err)
	}
	c := m.Config
	zdim, share, dt := c.Encoder.ZDim, c.Law.Share, c.Law.Dt
	c.Law = small.Law
	// Found on runs held out: as many steps as the preset has learn the few
	// trajectories by heart, and bands become too narrow.
	c.Law.Steps, c.Law.Decay = 3000, 0.1
	c.Law.Dt, c.Law.Share, c.Seed = dt, share, seed
	c.Law.Trajectories = codes.Trajectories - codes.Held
	c.Law.Window = min(c.Law.Window, codes.Frames-1)
	c.Encoder.ZDim = zdim
	return c.WithJoint(joint)
}

// newMixingLawTraining returns a training of a configuration's law from the start
// or, if from is not nil, from the law of that model, whose form the
// configuration must have. m is whose encoder made the codes.
func newMixingLawTraining(c MixingConfig, m, from *MixingModel, codes *MixingCodes, now func() time.Time) (*mixingLawTraining, error) {
	if err := codes.check(m); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	t := &mixingLawTraining{model: NewMixingModel(c), codes: codes, now: now}
	copy(t.model.Params, m.Params)
	t.model.Scale = m.Scale.clone()
	if from != nil {
		if len(from.LawParams) != len(t.model.LawParams) {
			return nil, fmt.Errorf("the law to begin with has %d weights and not %d; begin from scratch", len(from.LawParams), len(t.model.LawParams))
		}
		copy(t.model.LawParams, from.LawParams)
	}
	w := t.model.newLawWorker(codes.training())
	t.trainer = train.New(c.Law.trainConfig(1), t.model.LawParams, func() train.Worker { return w })
	t.held = newMixingHeld(t.model, codes)
	return t, nil
}

// finished says whether the training has ended.
func (t *mixingLawTraining) finished() bool {
	return t.trainer.Step() >= t.trainer.Steps() && t.held.at == t.trainer.Step() && !t.held.busy()
}

// usable says whether the law has been trained enough to foretell.
func (t *mixingLawTraining) usable() bool { return !math.IsNaN(t.coverage.last()) }

// Work trains for about budget, and for one piece of work at least. Its error is
// a *train.Diverged.
func (t *mixingLawTraining) Work(budget time.Duration) (err error) {
	for began := t.now(); err == nil && !t.finished(); {
		if err = t.advance(); t.now().Sub(began) >= budget {
			break
		}
	}
	t.look()
	return err
}

// advance does a piece of work: a shard of a step, or a frame of a measurement.
func (t *mixingLawTraining) advance() error {
	step, steps := t.trainer.Step(), t.trainer.Steps()
	switch {
	case t.held.busy():
		t.measure()
		return nil
	case step*lawMeasurements/steps > t.held.at*lawMeasurements/steps:
		t.held.begin(step)
		return nil
	}
	stepped, err := t.trainer.AdvanceShard()
	if stepped {
		t.loss.add(t.trainer.Step(), t.trainer.Loss())
		t.steps++
	}
	return err
}

func (t *mixingLawTraining) measure() {
	if t.held.advance() {
		t.coverage.add(t.held.at, t.held.coverage)
		t.fault.add(t.held.at, t.held.fault)
	}
}

// look brings the rate up to date, about once a second.
func (t *mixingLawTraining) look() {
	now := t.now()
	secs := now.Sub(t.from).Seconds()
	if secs < rateWindow.Seconds() {
		return
	}
	if secs < 2*rateWindow.Seconds() && t.steps > 0 { // not after a pause, nor while it measures
		t.rate = float64(t.steps) / secs
	}
	t.from, t.steps = now, 0
}

// secsLeft is how long the training will take, 0 while nothing is known of it.
func (t *mixingLawTraining) secsLeft() float64 {
	if t.rate == 0 {
		return 0
	}
	return float64(t.trainer.Steps()-t.trainer.Step()) / t.rate
}

// mixingHeld measures a law on trajectories that do not train it, in short
// pieces of work.
type mixingHeld struct {
	codes    *MixingCodes
	model    *MixingModel
	ensemble *mixingEnsemble
	params   []float32 // the law that is measured
	z0       []float32 // (Held, V)
	values   []float32 // (heldMembers)

	frame  int // that comes next; 0 while nothing is being measured
	at     int // step of the law that is, or was last, measured
	inside int
	square float64

	coverage, fault float64 // the last results
}

// heldMembers is how often every trajectory that is held out is predicted.
const heldMembers = 39

func newMixingHeld(m *MixingModel, codes *MixingCodes) *mixingHeld {
	h := &mixingHeld{
		codes: codes, model: m, ensemble: m.newEnsemble(codes.Held, heldMembers),
		params: make([]float32, len(m.LawParams)), values: make([]float32, heldMembers),
	}
	for e := range codes.Held {
		h.z0 = append(h.z0, codes.held(e)[:codes.Variables]...)
	}
	return h
}

// begin measures the law as it is now, after so many steps.
func (h *mixingHeld) begin(step int) {
	h.at, h.frame, h.inside, h.square = step, 1, 0, 0
	copy(h.params, h.model.LawParams)
	h.ensemble.begin(h.z0, 1, 0)
}

func (h *mixingHeld) busy() bool { return h.frame > 0 }

// advance goes on by a frame, and reports whether it was the last.
func (h *mixingHeld) advance() (whole bool) {
	h.ensemble.step(h.params)
	v := h.codes.Variables
	for e := range h.codes.Held {
		for k := range 2 {
			truth := h.model.Scale.Unscaled(k, float64(h.codes.held(e)[h.frame*v+k]))
			h.ensemble.ratio(h.values, e, k)
			sum := 0.0
			for _, r := range h.values {
				sum += float64(r)
			}
			d := sum/heldMembers - truth
			h.square += d * d
			low, high := quantiles(h.values)
			if float64(low) <= truth && truth <= float64(high) {
				h.inside++
			}
		}
	}
	if h.frame++; h.frame < h.codes.Frames {
		return false
	}
	n := float64(2 * h.codes.Held * (h.codes.Frames - 1))
	h.coverage, h.fault = float64(h.inside)/n, math.Sqrt(h.square/n)
	h.frame = 0
	return true
}
