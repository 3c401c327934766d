package fit

import (
	"math"

	"macroscope/model/learn/model"
)

// validator measures a run's model and keeps the curves.
type validator struct {
	run        *Run
	validation *validation // nil for a system of single sets
	start      *validation // measures the model that provided the initial weights; nil if there is none, and after the measurement
	before     float64     // MRE of the model that provided the initial weights; NaN if it was not measured
	curves     Curves
	looked     bool // whether `work` has checked if a resumed training must begin with a measurement
	frames     int  // number of frames predicted so far, in all measurements of the present phase of training
}

// measurements is the number of measurements in a phase of stage II. The KL of a sampler is
// measured every klEvery steps, on KLSets sets with KLSamples samples each.
const (
	measurements = 6
	klEvery      = 50
	KLSets       = 32
	KLSamples    = 128
)

// The method `stepped` adds the loss of the latest step to the curve. After some steps a
// measurement is due. In stage II, the method then begins a measurement of the dynamics, but does
// not finish this measurement. In stage I, it measures the whole KL.
func (v *validator) stepped() {
	tr, p := v.run.trainer, v.run.Current()
	step := tr.Step()
	v.curves.Loss[p.Stage].Add(step, tr.Loss())
	switch {
	case p.Stage != Autoencoder:
		if v.due(step) && !v.validation.busy() && v.validation.whole() {
			v.validation.begin(step)
		}
	case v.run.src == nil && (step == 1 || step%klEvery == 0):
		v.measureKL(step)
	}
}

// measureKL measures the validation KL of a sampler after a step, and returns it. It is NaN for a
// method without a density.
func (v *validator) measureKL(step int) float64 {
	m := v.run.Model
	kl := ValidationKL(m.Usual(), m.Config.Eps(), m.Config.Seed)
	if !math.IsNaN(kl) {
		v.curves.KL.Add(step, kl)
	}
	return kl
}

// due reports whether the dynamics are measured after this step of a phase of stage II. Every
// phase has the same number of measurements. The measurements of all phases form one curve.
func (v *validator) due(step int) bool {
	steps := v.run.trainer.Steps()
	return step > 0 && step < steps && step%max(1, steps/measurements) == 0
}

// offset returns the step in the curves that corresponds to the beginning of the present phase.
func (v *validator) offset() (steps int) {
	r := v.run
	for i := range r.phases[:r.at] {
		if p := &r.phases[i]; p.Stage != Autoencoder && r.at < len(r.phases) {
			steps += p.Training.Schedule.Steps
		}
	}
	return steps
}

// work does a piece of a measurement in stage II, if the training has to wait for this
// measurement.
func (v *validator) work() (worked bool) {
	if v.run.Current().Stage == Autoencoder {
		return false
	}
	tr, of := v.run.trainer, v.validation
	switch {
	case v.start != nil:
		v.measureStart()
	case of.code():
	case of.busy():
		v.measure()
	case tr.Step() >= tr.Steps() && of.at != tr.Step():
		of.begin(tr.Step())
	case !v.looked && of.whole():
		v.looked = true
		if !v.due(tr.Step()) || of.at == tr.Step() {
			return false
		}
		of.begin(tr.Step())
	default:
		return false
	}
	return true
}

// compareWith makes the validator measure the model that provided the initial weights, before the
// dynamics are trained.
func (v *validator) compareWith(from *model.Model) {
	of, d := v.validation, &from.Config.Dynamics
	if of == nil || from.Config.Traits.Stochastic || d.Begin != of.model.Config.Dynamics.Begin {
		return
	}
	v.start = newValidation(from, len(of.first), of.frames)
	v.start.first, v.start.macro = of.first, of.macro // the intake fills these slices for both validations
}

// measureStart does a piece of the measurement of the model that provided the initial weights.
func (v *validator) measureStart() {
	switch of := v.start; {
	case of.code():
	case !of.busy():
		of.begin(1)
	default:
		if m, whole := of.advance(); whole {
			v.start, v.before = nil, m.mre
			v.run.ease(m.mre)
		}
	}
}

func (v *validator) measure() {
	m, whole := v.validation.advance()
	if v.frames++; !whole {
		return
	}
	step, c := v.validation.at+v.offset(), &v.run.Model.Config
	if c.Traits.Stochastic {
		v.curves.Coverage.Add(step, m.coverage)
		v.curves.RMSE.Add(step, m.rmse)
		return
	}
	v.curves.MRE.Add(step, m.mre)
}

// close gives up the present measurements.
func (v *validator) close() {
	for _, of := range []*validation{v.validation, v.start} {
		if of != nil {
			of.close()
		}
	}
}

// measuring reports whether the dynamics are being measured, and on how many trajectories.
func (v *validator) measuring() (trajectories int, ok bool) {
	if v.validation == nil || !v.validation.busy() {
		return 0, false
	}
	return len(v.validation.first), true
}

// last returns the latest measure of the dynamics: the coverage for a stochastic system,
// otherwise the MRE. It is NaN before the first measurement.
func (v *validator) last() float64 {
	if v.run.Model.Config.Traits.Stochastic {
		return v.curves.Coverage.Last()
	}
	return v.curves.MRE.Last()
}

// restore replaces the curves by the curves of a saved session.
func (v *validator) restore(c Curves) {
	v.curves = c
	for _, measured := range []*Curve{&c.MRE, &c.Coverage} {
		if n := len(measured.Step); v.validation != nil && n > 0 {
			v.validation.at = max(0, int(measured.Step[n-1])-v.offset())
		}
	}
}

// opened is called when a phase begins or is resumed. It marks the phase as not measured yet. For a
// saved session, the method `restore` later sets the step of the last measurement.
func (v *validator) opened() {
	if v.validation != nil {
		step, of := v.run.position()
		v.validation.at, v.frames = 0, measurements*v.validation.frames*step/of
	}
}
