package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macroscope/model/learn/model"

	"gonum.org/v1/gonum/mat"
)

// TestPeriodsOf checks at which frames the periods of short runs begin. It also checks the
// number of periods of a long run, and the length of the last.
func TestPeriodsOf(t *testing.T) {
	for _, tc := range []struct {
		frames, shortest int
		want             []int
	}{
		{1, 1, []int{0}}, {21, 30, []int{0}}, {21, 5, []int{0, 5, 10, 15}}, {9, 1, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		if got := periodsOf(tc.frames, tc.shortest); !slices.Equal(got, tc.want) {
			t.Errorf("%d frames: %d, want %d", tc.frames, got, tc.want)
		}
	}
	long := periodsOf(1001, 1)
	if n := len(long); n < 25 || n > mostPeriods || 1001-long[n-1] < 100 {
		t.Errorf("of 1001 frames: %d", long)
	}
}

// TestPeriodOf checks a period's covariance. It must be the covariance of the sample, plus blur² on
// the diagonal. Because of blur², the support has a nonzero width even if two variables are equal.
func TestPeriodOf(t *testing.T) {
	x := mat.NewDense(5, 2, []float64{1, 1, 2, 2, 4, 4, 0, 0, 3, 3})
	p, err := periodOf(x)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Factor // the sample has mean 2 and variance 2.5
	for i, want := range [][2]float64{{p.Mean[0], 2}, {p.Mean[1], 2}, {f[0]*f[0] - 2.5, blur * blur}, {f[2] * f[0], 2.5}, {f[2]*f[2] + f[3]*f[3] - 2.5, blur * blur}} {
		if math.Abs(want[0]-want[1]) > 1e-12 {
			t.Errorf("value %d is %g, want %g", i, want[0], want[1])
		}
	}
}

// TestFitSupportStill checks that runs in one and the same state are rejected.
func TestFitSupportStill(t *testing.T) {
	still := &model.Codes{Trajectories: 3, Frames: 40, Variables: 2, Z: make([]float32, 3*40*2)}
	if s, err := FitSupport(still); err == nil || !strings.Contains(err.Error(), "all in one state") {
		t.Errorf("the support is %v, %v", s, err)
	}
}

// TestFitSupport draws runs that move away from 0. The share of similar runs that leave the support
// must be about the nominal share. Most runs that start at 0.2 must leave the support.
//
// The support is fitted to 400 runs. The probability that a run leaves has the distribution Beta(8,
// 393), so the probability that more than 50 of 500 runs leave is below 1e-6.
func TestFitSupport(t *testing.T) {
	const runs, frames, v = 400, 50, 2
	r := rand.New(rand.NewPCG(1, 2))
	walk := func(n int, from float64) *model.Codes {
		c := &model.Codes{Trajectories: n, Frames: frames, Variables: v}
		for range n {
			z := [v]float64{from, from}
			for range frames {
				for i := range z {
					z[i] += 0.02 * r.NormFloat64()
					c.Z = append(c.Z, float32(z[i]))
				}
			}
		}
		return c
	}
	own := walk(runs, 0)
	s, err := FitSupport(own)
	if err != nil {
		t.Fatal(err)
	}
	left := func(c *model.Codes) (n int) {
		for e := range c.Trajectories {
			for t := range c.Frames {
				if p := s.At(t); p.Distance(c.Of(e)[t*v:(t+1)*v]) > p.Reach {
					n++
					break
				}
			}
		}
		return n
	}
	const rank = 393 // number of the runs inside the support: ⌈(runs + 1) · 0.98⌉, as in FitSupport
	for i := range s.Periods {
		s.Periods[i].Reach *= 1 + 1e-9 // run 393 lies on the limit; rounding must not put it outside
	}
	if n := left(own); n != runs-rank {
		t.Errorf("%d of its own %d runs have left, want %d", n, runs, runs-rank)
	}
	if n := left(walk(500, 0)); n > 50 {
		t.Errorf("%d of 500 runs like them have left", n)
	}
	if n := left(walk(500, 0.2)); n < 450 {
		t.Errorf("%d of 500 runs that start elsewhere have left", n)
	}
}
