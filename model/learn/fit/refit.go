package fit

import (
	"math"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
)

// Shares of the configured peak learning rate, for weights that are already trained.
const (
	mostRefit  = 0.1  // largest share computed from the KL
	leastRefit = 0.01 // smallest share computed from the KL
	farRefit   = 0.35 // share if ε has grown and the KL has more than doubled
)

// Refit begins a new schedule of the given number of steps after ε has changed from the value
// `was`. It chooses the peak learning rate so that the validation KL of the trained weights does
// not rise by more than a tenth during the refit.
func (l *Live) Refit(steps int, was float64) {
	l.Restart(steps, refitShare(l.Model, was, l.validator.measureKL(l.Step())))
}

// Aim changes the ε of the target. During the first training, the schedule stays unchanged. After
// the first training, a refit of the given number of steps begins. The KL of the present weights is
// measured for the new target.
func (l *Live) Aim(eps float64, steps int) {
	m := l.Model
	was := m.Config.Eps()
	if m.SetEps(eps); l.FirstCycle() {
		l.validator.measureKL(l.Step())
		return
	}
	l.Refit(steps, was)
}

// refitShare returns the share of the peak learning rate for a refit of m. `now` is the validation
// KL of m.
//
// Training steps are noisy. With the share s, the noise raises the KL of the line's networks by up
// to 0.065·s nats. The KL may rise by a tenth. The share could therefore be 1.5 times the KL in
// nats. To be safe, the share is only equal to the KL, within bounds.
//
// If ε has grown and the KL has more than doubled, the share is farRefit. A larger ε is easier to
// fit, so the refit can bring the KL down to the value at the old ε. With the share farRefit, the
// KL comes closer to this value.
func refitShare(m *model.Model, was, now float64) float64 {
	if m.Config.Eps() > was && now > 2*measure.ValidationKL(m.Usual(), was, m.Config.Seed) {
		return farRefit
	}
	if math.IsNaN(now) { // the method has no density
		return mostRefit
	}
	return min(max(now, leastRefit), mostRefit)
}

// worthVelocity is an MRE. Trained dynamics with this MRE or a larger one get the whole velocity
// phase.
const worthVelocity = 1e-2

// ease shortens the velocity phase and lowers its rate, if rollouts follow and the validation MRE
// of the dynamics (mre) is already small. The velocity phase makes good dynamics worse: it raises
// the particles' MRE from 1.1e-5 to 2e-5.
func (r *Run) ease(mre float64) {
	share := mre / worthVelocity
	if r.Stage() != Velocity || r.at == len(r.phases)-1 || r.Step() > 0 || !(share < 1) {
		return
	}
	s := r.Phase().Config.Schedule
	s.Peak, s.Steps = s.Peak*share, max(1, int(share*float64(s.Steps)))
	r.trainer.Restart(s)
}
