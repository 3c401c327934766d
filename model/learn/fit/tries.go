package fit

import (
	"context"
	"fmt"
	"slices"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/work"
)

// A likelihood compares single steps. Dynamics that are equally likely can lead predictions to different places, by
// chance. So a phase with several tries trains its dynamics several times from new weights, on other batches, and
// keeps the dynamics whose predictions of the trajectories for training are nearest to these. Predictions of the few
// trajectories that are kept out do not say which dynamics are best.

// judged is the largest number of trajectories that tell tries apart.
const judged = 200

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
	m := r.Model
	if r.best == nil || fits < r.fits {
		r.best, r.fits = slices.Clone(m.DynamicsParams), fits
	}
	if r.Step() >= r.Steps() {
		copy(m.DynamicsParams, r.best)
		r.best = nil
		return false, nil
	}
	m.Redraw(r.Step() / r.trainer.Schedule().Steps)
	r.trainer.Renew()
	return true, nil
}

// missed is what an observable adds to the result of unlike for bands that contain no truth at all.
const missed = 10

// unlike returns how far predictions of the trajectories for training are from these. It adds up two figures of every
// macroscopic variable: its MMD, divided by that of a perfect model, and the share of the truth that its bands miss too much.
// One MMD of all variables together would hardly see those that spread little.
func (r *Run) unlike(pause work.Pause) (float64, error) {
	d, ok := r.data.(*states)
	if !ok {
		return 0, fmt.Errorf("a try ended without the trajectories that it was trained on")
	}
	k := &model.Codes{Trajectories: d.trajectories, Frames: d.frames, Variables: d.dim, Lengths: d.lengths, Z: d.z}
	n := min(d.trajectories, judged)
	p, err := measure.GivenCodes(r.Model, k, 0, n).Predict(pause, r.Model.DynamicsParams, measure.TestMembers, method.PredictedTogether, r.Model.Config.Seed, r.workers)
	if err != nil {
		return 0, err
	}
	if n == 1 { // an MMD compares sets of trajectories
		return p.RMSE(), nil
	}
	fits := 0.0
	for k := range p.Variables {
		of := p.Of(k)
		// The only possible error is a cancelled context. A variable that is the same in all trajectories tells nothing.
		if perfect, _, _ := of.PerfectMMD(context.Background()); perfect > 0 {
			share, _, nominal := of.Coverage()
			fits += of.Value()/perfect + missed*max(0, nominal-share)
		}
	}
	return fits, nil
}
