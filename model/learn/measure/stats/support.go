package stats

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/learn/model"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Constants of FitSupport. FalseAlarms is the share of similar runs that leave the support by chance.
const (
	FalseAlarms = 0.02
	mostPeriods = 40
	fewest      = 10 // smallest number of states per variable in a period
	// blur² is added to the variances. Without it, rounding errors would put a variable that is
	// a function of other variables outside the support.
	blur = model.Margin / 10
)

// periodsOf divides runs into periods and returns the first frame of each period. Periods grow
// in length by a constant factor; none has fewer frames than `shortest`.
func periodsOf(frames, shortest int) (from []int) {
	from = []int{0}
	for k := 1; k < mostPeriods; k++ {
		f := int(math.Pow(float64(frames), float64(k)/mostPeriods))
		if f-from[len(from)-1] >= shortest && frames-f >= shortest {
			from = append(from, f)
		}
	}
	return from
}

// FitSupport fits a Gaussian to the states of each period, and determines the Reach of each period
// by split conformal prediction. A similar run leaves the support with probability FalseAlarms.
//
// A run's distance in a period is its largest Distance from the Gaussian. The period's unit is the
// distance that a tenth of the runs exceed. A run's score is its largest distance over all periods,
// each in its period's unit. The limit is chosen so that about 2 % of the runs (FalseAlarms) have
// a higher score. The Reach of a period is the limit times the period's unit. If runs have different lengths,
// the last period ends where half of them do.
func FitSupport(codes *model.Codes) (*model.Support, error) {
	s, v, runs := new(model.Support), codes.Variables, codes.Trajectories
	lengths := make([]int, runs)
	for e := range lengths {
		lengths[e] = codes.Length(e)
	}
	slices.Sort(lengths)
	frames := lengths[runs/2]
	all := statesOf(codes, 0, codes.Frames)
	for i := range v {
		values := mat.Col(nil, i, all)
		s.Low, s.High = append(s.Low, floats.Min(values)), append(s.High, floats.Max(values))
	}
	from := periodsOf(frames, (fewest*v+runs-1)/runs)
	scores := make([]float64, runs)
	for i, first := range from {
		end := frames
		if i+1 < len(from) {
			end = from[i+1]
		}
		p, err := periodOf(statesOf(codes, first, end))
		if err != nil {
			return nil, err
		}
		p.From = first
		out := make([]float64, runs)
		var there []float64
		for e := range out {
			for t := first; t < min(end, codes.Length(e)); t++ {
				out[e] = max(out[e], p.Distance(codes.Of(e)[t*v:(t+1)*v]))
			}
			if first < codes.Length(e) {
				there = append(there, out[e])
			}
		}
		slices.Sort(there)
		p.Reach = stat.Quantile(0.9, stat.Empirical, there, nil)
		if !(p.Reach > 0) {
			return nil, fmt.Errorf("from frame %d to frame %d, the encoded runs are all in one state; encode runs that differ", first, end-1)
		}
		for e, d := range out {
			scores[e] = max(scores[e], d/p.Reach)
		}
		s.Periods = append(s.Periods, *p)
	}
	slices.Sort(scores)
	rank := int(math.Ceil(float64(runs+1) * (1 - FalseAlarms)))
	for i := range s.Periods {
		s.Periods[i].Reach *= scores[min(rank, runs)-1]
	}
	return s, nil
}

// statesOf returns the states of all runs in the frames [first, end), one state per row.
func statesOf(codes *model.Codes, first, end int) *mat.Dense {
	v := codes.Variables
	var all []float64
	for e := range codes.Trajectories {
		for t := first; t < min(end, codes.Length(e)); t++ {
			for _, z := range codes.Of(e)[t*v : (t+1)*v] {
				all = append(all, float64(z))
			}
		}
	}
	return mat.NewDense(len(all)/v, v, all)
}

// periodOf returns a period with the mean and covariance of states (rows, V).
func periodOf(x *mat.Dense) (*model.Period, error) {
	_, v := x.Dims()
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, x, nil)
	p := &model.Period{Mean: make([]float64, v), Factor: make([]float64, v*v)}
	for i := range v {
		p.Mean[i] = stat.Mean(mat.Col(nil, i, x), nil)
		cov.SetSym(i, i, cov.At(i, i)+blur*blur)
	}
	var chol mat.Cholesky
	if !chol.Factorize(&cov) {
		return nil, fmt.Errorf("the states of the encoded runs have no covariance that can be used; encode more of them")
	}
	var l mat.TriDense
	chol.LTo(&l)
	for i := range v {
		for j := range i + 1 {
			p.Factor[i*v+j] = l.At(i, j)
		}
	}
	return p, nil
}
