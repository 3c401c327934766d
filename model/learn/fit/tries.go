package fit

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/work"
)

// A likelihood compares single steps. Dynamics that are equally likely can lead predictions to different places, by
// chance. So a phase with several tries trains its dynamics several times from new weights, on other batches, and
// keeps the dynamics that predict the trajectories for training best. The few trajectories that are kept out cannot
// tell good dynamics from bad ones.

// Try says which of several tries of the present phase is under way, as the end of a sentence. It returns "" if there is
// only one.
func (r *Run) Try() string {
	n := r.tries()
	if n == 1 || r.trainer == nil {
		return ""
	}
	return fmt.Sprintf(", try %d of %d", min(n, 1+r.Step()/r.trainer.Schedule().Steps), n)
}

// choose is called at the end of a try. It keeps the dynamics if they are the best so far, and begins the next try.
// After the last try, it restores the best dynamics, and `more` is false.
func (r *Run) choose(pause work.Pause) (more bool, err error) {
	if r.tries() == 1 || r.best == nil && r.Step() >= r.Steps() {
		return false, nil
	}
	fits, err := r.unlike(pause)
	if err != nil {
		return false, err
	}
	if math.IsNaN(fits) { // a prediction has diverged
		fits = math.Inf(1)
	}
	m := r.Model
	if r.best == nil || fits < r.fits {
		r.best, r.fits = slices.Clone(m.Weights.DynamicsParams), fits
	}
	if r.Step() >= r.Steps() {
		copy(m.Weights.DynamicsParams, r.best)
		r.best = nil
		return false, nil
	}
	m.Weights.Redraw(&m.Config, r.Step()/r.trainer.Schedule().Steps)
	r.trainer.Renew()
	return true, nil
}
