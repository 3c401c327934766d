//go:build !first

package fit

import (
	"context"
	"fmt"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/work"
)

// judged is the largest number of trajectories that tell tries apart.
const judged = 200

// missed is what an observable adds to the result of unlike for bands that contain no truth at all.
const missed = 10

// unlike returns how far predictions of the trajectories for training are from the truth. It adds up two figures of every
// macroscopic variable: its MMD relative to a perfect model, and how far its coverage falls below the nominal one.
// One MMD of all variables together would hardly depend on variables with a small spread.
func (r *Run) unlike(pause work.Pause) (float64, error) {
	d, ok := r.data.(*states)
	if !ok {
		return 0, fmt.Errorf("a try ended without the trajectories that it was trained on")
	}
	k := &model.Codes{Trajectories: d.trajectories, Frames: d.frames, Variables: d.dim, Lengths: d.lengths, Z: d.z}
	n := min(d.trajectories, judged)
	p, err := measure.GivenCodes(r.Model, k, 0, n).Predict(pause, r.Model.Weights.DynamicsParams, measure.TestMembers, method.PredictedTogether, r.Model.Config.Seed, r.workers)
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
