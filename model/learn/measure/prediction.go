package measure

import (
	"context"
	"math"
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/learn/model"
	"macroscope/model/net/metric"
	"macroscope/sim/rng"
)

// Constants of the measurement of trained models, on the command line and on the page. A
// density is measured on TestSets sets with TestSamples samples each. Stochastic dynamics
// predict every trajectory TestMembers times. With 19 members, the range of the members
// contains another value of the same distribution with probability 0.9. TestSeed differs from
// the seeds of trainings.
const (
	TestSets    = 300
	TestSamples = 512
	TestMembers = 19
	TestSeed    = 20_260
)

// Prediction is a model's prediction of trajectories, with their true values. Predictions
// begin at frame Begin. Up to this frame all members equal the truth. For a stochastic
// system, variables are in their own units. Otherwise they are scaled to [-1, 1], as in the
// definition of the MRE.
type Prediction struct {
	Frames, Members, Variables int
	Begin                      int
	Lengths                    []int     // frames of each trajectory (E), which has no more in the T of Truth; nil: T
	Ensemble                   bool      // whether the members are an ensemble
	Pred                       []float32 // (E, Members, T, M)
	Truth                      []float32 // (E, T, M)
	Stretch                    float64   // stretch of the bands, see Bounds
	Unit                       float64   // unit of the variables in the MMD, see system.Traits.Ranged
	Left                       []bool    // (E, T): whether the mean of the members' states is outside the training range
	Horizon                    int       // frames of every trajectory that are predicted at least, see Task.Frames
	Closures                   []float32 // (E, T, S·ZDim): ẑ of the true frames in [-1, 1], NaN where there is none; nil: not wanted
	Predicted                  []float32 // (E, T, S·ZDim): the mean of the members' ẑ, NaN before Begin; nil: not wanted
}

// length returns the number of frames of trajectory e.
func (p *Prediction) length(e int) int {
	if p.Lengths == nil {
		return p.Frames
	}
	return p.Lengths[e]
}

// lengths returns the number of frames of each trajectory (E).
func (p *Prediction) lengths() []int {
	if p.Lengths != nil {
		return p.Lengths
	}
	return slices.Repeat([]int{p.Frames}, p.Trajectories())
}

// tell sets all members to the true values in the frames before Begin.
func (p *Prediction) tell() {
	row, given := p.Frames*p.Variables, p.Begin*p.Variables
	for i := range p.Trajectories() * p.Members {
		copy(p.Pred[i*row:i*row+given], p.Truth[i/p.Members*row:])
	}
}

// Since returns the trajectories x (…, T, M) without the frames before Begin.
func (p *Prediction) Since(x []float32) []float32 {
	if p.Begin == 0 {
		return x
	}
	var rest []float32
	for row := range slices.Chunk(x, p.Frames*p.Variables) {
		rest = append(rest, row[p.Begin*p.Variables:]...)
	}
	return rest
}

// read gets the macroscopic variables at frame t from a forecast of n states. It writes them to dst
// (n, Members, T, M). values has room for the members.
func (p *Prediction) read(dst, values []float32, f *model.Forecast, n, t int) {
	for e := range n {
		for k := range p.Variables {
			f.Members(values, e, k)
			for j, r := range values {
				dst[((e*p.Members+j)*p.Frames+t)*p.Variables+k] = r
			}
		}
	}
}

// Trajectories returns E, the number of trajectories.
func (p *Prediction) Trajectories() int { return len(p.Truth) / (p.Frames * p.Variables) }

// Of returns the prediction of macroscopic variable k alone.
func (p *Prediction) Of(k int) *Prediction {
	of := *p
	of.Variables = 1
	column := func(x []float32) (only []float32) {
		for i := k; i < len(x); i += p.Variables {
			only = append(only, x[i])
		}
		return only
	}
	of.Pred, of.Truth = column(p.Pred), column(p.Truth)
	return &of
}

// MRE returns the mean relative error of each trajectory (E), see metric.MRE. It is only for
// deterministic predictions.
func (p *Prediction) MRE() []float64 {
	of, row := make([]float64, p.Trajectories()), p.Frames*p.Variables
	for e := range of {
		from, to := e*row, e*row+p.length(e)*p.Variables
		metric.MRE(of[e:e+1], p.Pred[from:to], p.Truth[from:to])
	}
	return of
}

// Summary returns the mean, the median and the largest of the errors. If a rollout has
// diverged, all three are infinite.
func Summary(errors []float64) (mean, median, largest float64) {
	e := slices.Clone(errors)
	for i, v := range e {
		if math.IsNaN(v) {
			e[i] = math.Inf(1)
		}
		mean += e[i] / float64(len(e))
	}
	slices.Sort(e)
	n := len(e)
	return mean, (e[(n-1)/2] + e[n/2]) / 2, e[n-1]
}

// MMD returns the MMD of the paper's section 4.3 (see metric.MMD) between the true trajectories
// and the first member of each prediction. It is infinite if a rollout has diverged. The error is
// the error of ctx.
func (p *Prediction) MMD(ctx context.Context) (float64, error) {
	mean := 0.0
	err := p.spans(func(share float64, frames int, pred, truth []float32) error {
		mmd, err := metric.MMD(ctx, make([]float64, frames), pred, truth, p.Variables)
		mean += share * mmd
		return err
	})
	if math.IsNaN(mean) {
		return math.Inf(1), nil
	}
	return mean, err
}

// spans calls a function for every span of frames after which a trajectory ends, with the span's share of the frames
// that are compared, its number of frames, and the first members of the predictions and the true trajectories that
// have these frames (E, T, M), in units of an MMD. Spans with one trajectory are not compared.
func (p *Prediction) spans(each func(share float64, frames int, pred, truth []float32) error) error {
	lengths := p.lengths()
	ends := slices.Sorted(slices.Values(lengths))
	last, from := ends[len(ends)-2], p.Begin // the frames from `last` on are of one trajectory
	for _, to := range slices.Compact(ends) {
		if to <= from || to > last {
			continue
		}
		var pred, truth []float32
		for e, n := range lengths {
			if row := p.Frames * p.Variables; n >= to {
				first, end := from*p.Variables, to*p.Variables
				pred, truth = append(pred, p.Pred[e*p.Members*row:][first:end]...), append(truth, p.Truth[e*row:][first:end]...)
			}
		}
		if p.Unit != 1 {
			kernel.Scale(pred, float32(1/p.Unit))
			kernel.Scale(truth, float32(1/p.Unit))
		}
		if err := each(float64(to-from)/float64(last-p.Begin), to-from, pred, truth); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// PerfectMMD returns the expectation and the standard deviation of MMD for a perfect model, whose
// predictions have the distribution of the true trajectories, see metric.PerfectMMD. They consist only of
// sampling noise. If trajectories end at different times, the standard deviation is an upper bound, as if the MMDs
// of all spans rose and fell together. PerfectMMD panics if there are fewer than two trajectories. The error is the
// error of ctx.
func (p *Prediction) PerfectMMD(ctx context.Context) (mean, sd float64, err error) {
	err = p.spans(func(share float64, frames int, _, truth []float32) error {
		n := len(truth) / (frames * p.Variables)
		m, s, err := metric.PerfectMMD(ctx, frames, truth, p.Variables, n, n, rng.New(TestSeed, "splits of true trajectories").Rand)
		mean, sd = mean+share*m, sd+share*s
		return err
	})
	return mean, sd, err
}

// Coverage returns the share of true values after frame Begin that lie inside their bands. se is
// the standard error of this share, from the spread among trajectories. nominal is the expected
// share if truth and members have the same distribution.
func (p *Prediction) Coverage() (share, se, nominal float64) {
	inside := make([]float64, p.Trajectories())
	p.each(func(e int, weight float64, values []float32, truth float32) {
		if low, high := Bounds(values, p.Stretch); low <= truth && truth <= high {
			inside[e] += weight
		}
	})
	for _, s := range inside {
		share += s / float64(len(inside))
	}
	square := 0.0
	for _, s := range inside {
		square += (s - share) * (s - share)
	}
	return share, math.Sqrt(square) / float64(len(inside)), BandNominal(p.Members)
}

// RMSE returns the root of the mean square of the error of the members' mean, over the frames after Begin,
// in the prediction's units.
func (p *Prediction) RMSE() float64 {
	row, square, count := p.Variables*p.Frames, 0.0, 0
	for at := (p.Begin + 1) * p.Variables; at < row; at++ {
		for e := range p.Trajectories() {
			if at < p.length(e)*p.Variables {
				d := p.mean(e, at) - float64(p.Truth[e*row+at])
				square += d * d
				count++
			}
		}
	}
	return math.Sqrt(square / float64(count))
}

// mean returns the mean over the members at a place in a trajectory's row (T, M).
func (p *Prediction) mean(e, at int) float64 {
	row, sum := p.Variables*p.Frames, 0.0
	for j := range p.Members {
		sum += float64(p.Pred[(e*p.Members+j)*row+at])
	}
	return sum / float64(p.Members)
}

// Leaving compares the prediction errors inside and outside the training range. The error on each
// side is the RMSE of the members' mean, in the prediction's units. It is NaN if no predicted state
// is on this side.
type Leaving struct {
	Trajectories, Frames float64 // shares of trajectories and frames with a predicted state outside the training range
	Inside, Outside      float64 // RMSE inside and outside the training range
}

// The method Leaving compares the errors inside and outside the training range, over the frames
// after Begin.
func (p *Prediction) Leaving() (l Leaving) {
	var square, count [2]float64
	row, trajectories := p.Variables*p.Frames, p.Trajectories()
	for e := range trajectories {
		any := false
		for t := p.Begin + 1; t < p.length(e); t++ {
			where := 0
			if p.Left[e*p.Frames+t] {
				where, any = 1, true
			}
			for k := range p.Variables {
				mean := 0.0
				for j := range p.Members {
					mean += float64(p.Pred[(e*p.Members+j)*row+t*p.Variables+k]) / float64(p.Members)
				}
				d := mean - float64(p.Truth[e*row+t*p.Variables+k])
				square[where] += d * d
				count[where]++
			}
		}
		if any {
			l.Trajectories += 1 / float64(trajectories)
		}
	}
	l.Frames = count[1] / (count[0] + count[1])
	l.Inside, l.Outside = math.Sqrt(square[0]/count[0]), math.Sqrt(square[1]/count[1])
	return l
}

// Band returns the mean and the standard deviation over the trajectories x (N, row), for each
// position in a row.
func Band(x []float32, row int) (mean, sd []float64) {
	n := float64(len(x) / row)
	mean, sd = make([]float64, row), make([]float64, row)
	for i, v := range x {
		mean[i%row] += float64(v) / n
	}
	for i, v := range x {
		d := float64(v) - mean[i%row]
		sd[i%row] += d * d / n
	}
	for i, v := range sd {
		sd[i] = math.Sqrt(v)
	}
	return mean, sd
}

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
