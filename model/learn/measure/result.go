package measure

import (
	"context"
	"math"

	"macroscope/model/learn/model"
	"macroscope/model/work"
)

// Result contains the figures of a model on a set of trajectories, or on validation sets.
type Result struct {
	Set    string             // name of the set of trajectories; "" for validation sets
	Values map[string]float64 // by the names in method.Figures; with ε and ẑ dim if they tell results of a model apart
}

// Number returns the figure with this name, or NaN if there is none.
func (r *Result) Number(name string) float64 {
	if v, ok := r.Values[name]; ok {
		return v
	}
	return math.NaN()
}

// Result returns the figures of the predictions of a set. A single trajectory has no MMD, because an MMD
// compares sets of trajectories. The error is the error of ctx.
func (p *Prediction) Result(ctx context.Context, set string) (r *Result, err error) {
	n, leaving := p.Trajectories(), p.Leaving()
	v := map[string]float64{
		"left": leaving.Trajectories, "left_frames": leaving.Frames, "rmse_inside": leaving.Inside, "rmse_outside": leaving.Outside, "trajectories": float64(n),
	}
	if !p.Ensemble {
		v["mre"], v["median"], v["max"] = Summary(p.MRE())
		return &Result{set, v}, nil
	}
	if v["coverage"], v["coverage_se"], v["nominal"] = p.Coverage(); p.Stretch != 1 {
		v["stretch"] = p.Stretch
	}
	if n > 1 {
		v["mmd"], err = p.MMD(ctx)
	}
	if n > 1 && err == nil {
		v["perfect"], v["perfect_sd"], err = p.PerfectMMD(ctx)
	}
	return &Result{set, v}, err
}

// KLResult returns the figures of a model without dynamics at its own ε, see KL.
func KLResult(pause work.Pause, m *model.Model, sets, samples int, seed uint64) (*Result, error) {
	c := &m.Config
	kl, err := KL(pause, m, c.Eps(), sets, samples, seed)
	return &Result{Values: map[string]float64{"kl": kl, "eps": c.Eps(), "zdim": float64(c.ZDim()), "sets": float64(sets), "samples": float64(samples)}}, err
}
