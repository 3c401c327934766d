package metric

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// TestPerfectMMD draws many pairs of ensembles of one distribution. The mean and the standard deviation
// of their MMD must be those that PerfectMMD estimates from one of the two. The states at different times
// are correlated. For a right program, the means differ by more than four standard errors in 6 of 100 000
// seeds. The standard deviation has a standard error of about 5 %, and its estimate a bias of the order
// of 1/m, so 20 % are allowed. The MMD between two halves of the truth is twice as large; it must be
// told from the expectation.
func TestPerfectMMD(t *testing.T) {
	const pairs, times, dim = 400, 3, 2
	for _, tc := range []struct {
		n, m int
		sd   float64
	}{{40, 40, 1}, {25, 50, 0.05}} {
		src := rand.New(rand.NewPCG(3, 4))
		draw := func(n int) []float64 {
			x := ensemble(src, n, times, dim, 0, tc.sd)
			for i := range x {
				if i%(times*dim) >= dim {
					x[i] = 0.8*x[i-dim] + 0.6*x[i]
				}
			}
			return x
		}
		var of, expected, deviations, halves []float64
		for range pairs {
			truth := draw(tc.m)
			mean, sd, err := PerfectMMD(t.Context(), times, truth, dim, tc.n, tc.m, src)
			if err != nil {
				t.Fatal(err)
			}
			half := tc.m / 2 * times * dim
			of = append(of, mmd(make([]float64, times), draw(tc.n), truth, dim))
			halves = append(halves, mmd(make([]float64, times), truth[:half], truth[half:], dim))
			expected, deviations = append(expected, mean), append(deviations, sd)
		}
		mean, sd := moments(of)
		want, spread := moments(expected)
		se := math.Hypot(sd, spread) / math.Sqrt(pairs)
		if math.Abs(mean-want) > 4*se {
			t.Errorf("%+v: the mean MMD is %.4g, and is estimated to be %.4g, with a standard error of %.2g", tc, mean, want, se)
		}
		if got, _ := moments(deviations); math.Abs(got/sd-1) > 0.2 {
			t.Errorf("%+v: the standard deviation of the MMD is %.4g, and is estimated to be %.4g", tc, sd, got)
		}
		if floor, sd := moments(halves); math.Abs(floor-mean) < 6*math.Hypot(se, sd/math.Sqrt(pairs)) {
			t.Errorf("%+v: between halves the mean MMD is %.4g, and otherwise %.4g", tc, floor, mean)
		}
	}
}

func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(sd)
}

// TestPerfectMMDOfExtremes gives PerfectMMD two trajectories, equal ones, and a state that is not finite.
// It must stop when its context ends.
func TestPerfectMMDOfExtremes(t *testing.T) {
	src := rand.New(rand.NewPCG(5, 6))
	if mean, sd, err := PerfectMMD(t.Context(), 1, []float64{0, 100}, 1, 2, 2, src); err != nil || math.Abs(mean-1) > 1e-12 || sd > 1e-12 {
		t.Errorf("of two distant trajectories, %g ± %g, %v", mean, sd, err)
	}
	if mean, sd, _ := PerfectMMD(t.Context(), 2, []float32{3, 4, 3, 4, 3, 4}, 1, 5, 7, src); math.Abs(mean) > 1e-12 || sd > 1e-12 {
		t.Errorf("of equal trajectories, %g ± %g", mean, sd)
	}
	if mean, _, _ := PerfectMMD(t.Context(), 1, []float64{0, math.Inf(1), 2}, 1, 2, 2, src); !math.IsNaN(mean) {
		t.Errorf("of a trajectory that has diverged, %g", mean)
	}
	if _, _, err := PerfectMMD(&ends{left: 3}, 1, make([]float64, 100), 1, 2, 2, src); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context has ended: %v", err)
	}
}
