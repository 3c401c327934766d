package metric

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"macroscope/model/compute/tensor"
)

const (
	mostCompared = 1000 // number of true trajectories from which PerfectMMD estimates, at most
	splits       = 400  // number of random splits of these trajectories
)

// PerfectMMD estimates the expectation and the standard deviation of MMD between n predicted and m true
// trajectories, if the predictions have the distribution of the true ones and are independent of them. It
// estimates them from true trajectories (M, T, D), where times is T. It draws splits from src.
//
// With k averaged over σ, and with the mean over all times, the expectation is
//
//	(1/n + 1/m) (1 - E k(q, q')) for independent trajectories q and q'.
//
// The estimate replaces E k by the mean of k(q_i, q_j) over all i ≠ j, and so it has no bias. It equals
// the mean of MMD over all splits of the true trajectories into halves, scaled from the sizes of the
// halves to n and m. The estimate of the standard deviation is that of MMD over random splits, with the
// same scale: if the distributions are equal, MMD is a weighted sum of squares of normal variables with
// variances proportional to 1/n + 1/m, apart from terms of higher order.
//
// If each prediction begins where a true trajectory begins, the two are alike, and the expectation is
// somewhat smaller than the estimate.
//
// If a state is not finite, both results are NaN. If ctx ends, PerfectMMD returns the error of ctx.
func PerfectMMD[T tensor.Float](ctx context.Context, times int, truth []T, dim, n, m int, src *rand.Rand) (mean, sd float64, err error) {
	row := times * dim
	if row < 1 || len(truth)%row != 0 || len(truth) < 2*row || n < 1 || m < 1 {
		panic(fmt.Sprintf("metric: %d values over %d times of %d variables, for an MMD of %d and %d trajectories", len(truth), times, dim, n, m))
	}
	of := min(len(truth)/row, mostCompared)
	k, err := similarity(ctx, times, truth[:of*row], dim)
	if err != nil {
		return 0, 0, err
	}
	sum := 0.0
	for i := range of {
		for j := range i {
			sum += 2 * k[i*of+j]
		}
	}
	scale := 1/float64(n) + 1/float64(m)
	mean = scale * (1 - sum/float64(of*(of-1)))

	first := of / 2
	a, b := 1/float64(first), -1/float64(of-first)
	within := scale / (a - b)
	weights, squares := make([]float64, of), 0.0
	for range splits {
		for i, p := range src.Perm(of) {
			if weights[p] = b; i < first {
				weights[p] = a
			}
		}
		mmd := 0.0
		for i, w := range weights {
			of := k[i*of : i*of+i+1]
			for j, v := range of[:i] {
				mmd += 2 * w * weights[j] * v
			}
			mmd += w * w * of[i]
		}
		d := within*mmd - mean
		squares += d * d
	}
	return mean, math.Sqrt(squares / splits), nil
}

// similarity returns k between trajectories (M, T, D), as the lower triangle of a matrix (M, M).
func similarity[T tensor.Float](ctx context.Context, times int, x []T, dim int) ([]float64, error) {
	row := times * dim
	m := len(x) / row
	k, at := make([]float64, m*m), make([]float64, m*dim)
	for t := range times {
		atTime(at, x, t, row)
		for i := range m {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for j := range i + 1 {
				square := 0.0
				for c, v := range at[j*dim : (j+1)*dim] {
					d := at[i*dim+c] - v
					square += d * d
				}
				k[i*m+j] += kernelsOf(square) / float64(kernels*times)
			}
		}
	}
	return k, nil
}
