package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"macroscope/model/learn/measure"
)

// passages returns one frame for each trajectory of x (…, frames, variables): the first frame in
// which the first variable exceeds the level. If there is no such frame, it is the last frame. The
// result is sorted.
func passages(x []float32, frames, variables int, level float64) (at []float64) {
	for row := range slices.Chunk(x, frames*variables) {
		k := 0
		for k < frames-1 && !(float64(row[k*variables]) > level) {
			k++
		}
		at = append(at, float64(k))
	}
	slices.Sort(at)
	return at
}

// distance returns the Kolmogorov–Smirnov distance of two samples in ascending order.
func distance(a, b []float64) float64 { return stat.KolmogorovSmirnov(a, nil, b, nil) }

// Passage compares the predictions with the simulations: by their first passages, and by the
// mean and the standard deviation of the first variable over time. The figures are in method.Figures.
func Passage(p *measure.Prediction, level float64) map[string]float64 {
	size := p.Frames * p.Variables
	var halves [2][]float32
	for e := range p.Trajectories() {
		halves[e%2] = append(halves[e%2], p.Truth[e*size:(e+1)*size]...)
	}
	of := func(x []float32) []float64 { return passages(x, p.Frames, p.Variables, level) }
	truth, pred, even, odd := of(p.Truth), of(p.Pred), of(halves[0]), of(halves[1])
	mean, sd := stat.MeanStdDev(truth, nil)
	size -= p.Begin * p.Variables
	v := map[string]float64{
		"passage": mean, "passage_se": stat.StdErr(sd, float64(len(truth))),
		"passage_error": stat.Mean(pred, nil) - mean, "passage_share": stat.Mean(pred, nil)/mean - 1,
		"ks": distance(truth, pred), "ks_floor": distance(even, odd),
	}
	v["mean_rms"], v["sd_rms"] = curves(p.Since(p.Pred), p.Since(p.Truth), size)
	v["mean_floor"], v["sd_floor"] = curves(p.Since(halves[0]), p.Since(halves[1]), size)
	if p.Begin > 0 {
		told, _ := slices.BinarySearch(truth, float64(p.Begin+1)) // number of trajectories that have passed before the predictions begin
		v["begin"], v["passed"] = float64(p.Begin), float64(told)
	}
	return v
}

// curves compares two ensembles whose members have `row` numbers each. It compares the mean over
// the members as a function of time, and returns the root mean square difference. It does the same
// with the standard deviation.
func curves(a, b []float32, row int) (mean, sd float64) {
	meanA, sdA := measure.Band(a, row)
	meanB, sdB := measure.Band(b, row)
	return rms(meanA, meanB), rms(sdA, sdB)
}

func rms(a, b []float64) float64 {
	if len(a) != len(b) {
		panic(fmt.Sprintf("stats: curves of %d and %d values", len(a), len(b)))
	}
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum / float64(len(a)))
}
