package fit

import (
	"math"

	"macroscope/model/learn/curve"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/work"
)

// validator measures the model of a training.
type validator struct {
	live       *Live
	validation *validation // nil for a system of single sets
	start      *validation // measures the model that provided the initial weights; nil if there is none, and after the measurement
	at         int         // step of the present phase at which the dynamics were measured last; 0 before the first measurement
	busy       bool        // whether the dynamics are being measured
	frames     int         // number of frames predicted so far, in all measurements of the present phase of training
}

// measurements is the number of measurements in a phase of stage II. The KL of a sampler is
// measured every klEvery steps.
const (
	measurements = 6
	klEvery      = 50
)

// The method `stepped` adds the loss of the latest step to the curve. In a training on single sets it
// measures the KL after some steps.
func (v *validator) stepped() {
	l := v.live
	step := l.Step()
	v.live.Curves.Loss[l.Stage()].Add(step, l.trainer.Loss())
	if l.src == nil && l.Stage() == Autoencoder && (step == 1 || step%klEvery == 0) {
		v.measureKL(step)
	}
}

// measureKL measures the validation KL of a sampler after a step. A method without a density has none.
func (v *validator) measureKL(step int) {
	m := v.live.Model
	kl := measure.ValidationKL(m.Usual(), m.Config.Eps(), m.Config.Seed)
	if !math.IsNaN(kl) {
		v.live.Curves.KL.Add(step, kl)
	}
}

// due reports whether the dynamics are measured after this step of a phase of stage II. Every
// phase has the same number of measurements, and one more at its end. The measurements of all phases form
// one curve.
func (v *validator) due(step int) bool {
	steps := v.live.Steps()
	return step >= steps || step > 0 && step%max(1, steps/measurements) == 0
}

// offset returns the step in the curves that corresponds to the beginning of the present phase.
func (v *validator) offset() (steps int) {
	r := v.live
	for i := range r.phases[:r.at] {
		if p := &r.phases[i]; p.Stage != Autoencoder && r.at < len(r.phases) {
			steps += p.Tries * p.Config.Schedule.Steps
		}
	}
	return steps
}

// measure measures the dynamics in stage II, if they have not been measured at the present step and a
// measurement is due. It first measures the model that provided the initial weights, if there is one.
func (v *validator) measure(pause work.Pause) error {
	l := v.live
	if l.Stage() == Autoencoder {
		return nil
	}
	if v.start != nil {
		m, err := v.start.measure(pause)
		if err != nil {
			return err
		}
		v.start, l.Before = nil, m.mre
		l.ease(m.mre)
	}
	if err := v.validation.encode(pause); err != nil {
		return err
	}
	step := l.Step()
	if step == v.at || !v.due(step) {
		return nil
	}
	v.at, v.busy = step, true
	m, err := v.validation.measure(func(share float64) error {
		v.frames++
		return pause(share)
	})
	v.busy = false
	if err != nil {
		return err
	}
	if at := step + v.offset(); l.Model.Config.Traits.Stochastic {
		v.live.Curves.Coverage.Add(at, m.coverage)
		v.live.Curves.RMSE.Add(at, m.rmse)
	} else {
		v.live.Curves.MRE.Add(at, m.mre)
	}
	return nil
}

// compareWith makes the validator measure the model that provided the initial weights, before the
// dynamics are trained.
func (v *validator) compareWith(from *model.Model) {
	of, d := v.validation, &from.Config.Dynamics
	if of == nil || from.Config.Traits.Stochastic || d.Begin != of.model.Config.Dynamics.Begin {
		return
	}
	v.start = newValidation(from, len(of.first), of.frames)
	// The intake fills these slices for both validations.
	v.start.first, v.start.macro, v.start.codes = of.first, of.macro, of.codes
}

// last returns the latest measure of the dynamics: the coverage for a stochastic system,
// otherwise the MRE. It is NaN before the first measurement.
func (v *validator) last() float64 {
	if v.live.Model.Config.Traits.Stochastic {
		return v.live.Curves.Coverage.Last()
	}
	return v.live.Curves.MRE.Last()
}

// restored is called when the curves have been restored from a saved session.
func (v *validator) restored() {
	c := &v.live.Curves
	for _, measured := range []*curve.Curve{&c.MRE, &c.Coverage} {
		if at := measured.At(); v.validation != nil && at >= 0 {
			v.at = max(0, at-v.offset())
		}
	}
}

// opened is called when a phase begins or is resumed. It marks the phase as not measured yet. For a
// saved session, the method `restored` later sets the step of the last measurement.
func (v *validator) opened() {
	if v.validation != nil {
		step, of := v.live.position()
		v.at, v.frames = 0, measurements*v.validation.frames*step/of
	}
}
