package fit

import "context"

// gauge measures what a run has learned, and keeps the curves.
type gauge struct {
	run        *Run
	validation *validation // nil for a system of single sets
	curves     Curves
	looked     bool // whether a measurement was under way when the training was saved
}

// measurements is how often a phase of stage II is measured, and klEvery after
// how many steps the sets of a sampler are: KLSets of them, by KLSamples samples
// each.
const (
	measurements = 6
	klEvery      = 50
	KLSets       = 32
	KLSamples    = 128
)

// stepped follows every step.
func (g *gauge) stepped() {
	tr := g.run.trainer
	step := tr.Step()
	g.curves.Loss[g.run.phase].Add(step, tr.Loss())
	if g.run.phase == Autoencoder {
		if g.run.src == nil && g.run.Model.Config.Decoder.Density() && (step == 1 || step%klEvery == 0) {
			c := &g.run.Model.Config
			kl, _ := g.run.Model.KL(context.Background(), c.Eps(), KLSets, KLSamples, c.Seed) // whose only error is the context's
			g.curves.KL.Add(step, kl)
		}
		return
	}
	if g.due(step) && !g.validation.busy() && g.validation.whole() {
		g.validation.begin(step)
	}
}

// due says whether the dynamics are measured at a step of a phase of stage II, as
// often in either, for the curve to be one.
func (g *gauge) due(step int) bool {
	steps := g.run.trainer.Steps()
	return step > 0 && step < steps && step%max(1, steps/measurements) == 0
}

// offset is what the steps of the present phase begin after in the curves.
func (g *gauge) offset() int {
	if g.run.phase == Rollout {
		return g.run.Model.Config.Dynamics.Fit.Steps
	}
	return 0
}

// work does a part of a measurement in stage II, if there is one to be done before
// the training goes on.
func (g *gauge) work() (worked bool) {
	if g.run.phase == Autoencoder {
		return false
	}
	tr, v := g.run.trainer, g.validation
	switch {
	case v.code():
	case v.busy():
		g.measure()
	case tr.Step() >= tr.Steps() && v.at != tr.Step():
		v.begin(tr.Step())
	case !g.looked && v.whole():
		g.looked = true
		if !g.due(tr.Step()) || v.at == tr.Step() {
			return false
		}
		v.begin(tr.Step())
	default:
		return false
	}
	return true
}

func (g *gauge) measure() {
	m, whole := g.validation.advance()
	if !whole {
		return
	}
	step, c := g.validation.at+g.offset(), &g.run.Model.Config
	if c.Traits.Stochastic {
		g.curves.Coverage.Add(step, m.coverage)
		g.curves.RMSE.Add(step, m.rmse)
		return
	}
	g.curves.MRE.Add(step, m.mre)
}

// measuring says whether the dynamics are being measured, and on how many
// trajectories.
func (g *gauge) measuring() (trajectories int, ok bool) {
	if g.validation == nil || !g.validation.busy() {
		return 0, false
	}
	return len(g.validation.first), true
}

// last returns the latest measure of the dynamics, NaN before the first.
func (g *gauge) last() float64 {
	if g.run.Model.Config.Traits.Stochastic {
		return g.curves.Coverage.Last()
	}
	return g.curves.MRE.Last()
}

// restore makes the curves those of a saved session.
func (g *gauge) restore(c Curves) {
	g.curves = c
	for _, measured := range []*Curve{&c.MRE, &c.Coverage} {
		if n := len(measured.Step); g.validation != nil && n > 0 {
			g.validation.at = max(0, int(measured.Step[n-1])-g.offset())
		}
	}
}

// nextPhase forgets at which step the last phase was measured.
func (g *gauge) nextPhase() {
	if g.validation != nil {
		g.validation.at = 0
	}
}
