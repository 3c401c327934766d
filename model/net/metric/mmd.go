package metric

import (
	"context"
	"fmt"
	"math"

	"macroscope/model/compute/tensor"
)

// The widths of MMD's kernels are 0.01, 0.05, 0.25 and 1.25. Each is five times the one before,
// so each exponential is the 25th power of the exponential of the next larger width.
const (
	widest  = 1.25
	kernels = 4
)

// MMD returns the squared maximum mean discrepancy between an ensemble of predicted
// trajectories and an ensemble of true trajectories, averaged over time. It writes the value at
// each time to perStep (T). For pred (N, T, D) and truth (M, T, D) this value is
//
//	mean over σ of [ mean_ij k_σ(p_i, p_j) + mean_ij k_σ(q_i, q_j) - 2 mean_ij k_σ(p_i, q_j) ]
//
// with k_σ(a, b) = exp(-|a-b|²/2σ²) and σ of 0.01, 0.05, 0.25 and 1.25 (the paper's appendix on
// metrics). The means include i = j, so the estimate is too large: for ensembles of one
// distribution its expectation is (1 - E k)(1/N + 1/M) instead of 0, see PerfectMMD. Compare only
// ensembles of the same sizes. If a state is not finite, the result is NaN. If ctx ends, MMD returns the error of
// ctx.
func MMD[T tensor.Float](ctx context.Context, perStep []float64, pred, truth []T, dim int) (float64, error) {
	row := len(perStep) * dim
	if row < 1 || len(pred) == 0 || len(truth) == 0 || len(pred)%row != 0 || len(truth)%row != 0 {
		panic(fmt.Sprintf("metric: MMD of %d and %d values over %d times of %d variables", len(pred), len(truth), len(perStep), dim))
	}
	p, q := make([]float64, len(pred)/row*dim), make([]float64, len(truth)/row*dim)
	n, m := float64(len(pred)/row), float64(len(truth)/row)
	mean := 0.0
	for t := range perStep {
		atTime(p, pred, t, row)
		atTime(q, truth, t, row)
		perStep[t] = within(ctx, p, dim)/(n*n) + within(ctx, q, dim)/(m*m) - 2*across(ctx, p, q, dim)/(n*m)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		mean += perStep[t] / float64(len(perStep))
	}
	return mean, nil
}

// atTime copies the states of all trajectories at time t to dst (N, D). `row` is the count of
// numbers in a trajectory.
func atTime[T tensor.Float](dst []float64, x []T, t, row int) {
	dim := len(dst) / (len(x) / row)
	for i := range dst {
		v := float64(x[i/dim*row+t*dim+i%dim])
		dst[i] = v + (v - v) // turns an infinity into NaN, because an infinity would count as a distant state
	}
}

// within returns Σ_ij k(a_i, a_j), where k is the mean of the kernels. The result is undefined
// once ctx has ended.
func within(ctx context.Context, a []float64, dim int) float64 {
	sum := 0.0
	for i := dim; i < len(a) && ctx.Err() == nil; i += dim {
		sum += across(ctx, a[i:i+dim], a[:i], dim)
	}
	return 2*sum + float64(len(a)/dim)
}

// The function `across` returns Σ_ij k(a_i, b_j), where k is the mean of the kernels. The result is
// undefined once ctx has ended.
func across(ctx context.Context, a, b []float64, dim int) float64 {
	sum := 0.0
	for i := 0; i < len(a) && ctx.Err() == nil; i += dim {
		ai := a[i : i+dim]
		for j := 0; j < len(b); j += dim {
			square := 0.0
			for c, v := range b[j : j+dim] {
				d := ai[c] - v
				square += d * d
			}
			sum += kernelsOf(square)
		}
	}
	return sum / kernels
}

// kernelsOf returns the sum of the kernels at a distance with the given square.
func kernelsOf(square float64) float64 {
	k := math.Exp(-square / (2 * widest * widest))
	all := k
	for range kernels - 1 {
		k2 := k * k
		k4 := k2 * k2
		k8 := k4 * k4
		k = k8 * k8 * (k8 * k)
		all += k
	}
	return all
}
