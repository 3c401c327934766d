package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestSpreadOf compares spreads with those of package stat. The spread of equal values must be exactly 0,
// although the mean of three of them is rounded.
func TestSpreadOf(t *testing.T) {
	for n, want := range map[int]Spread{0: {}, 1: {1, 471.64, 0}, 3: {3, 471.64, 0}} {
		got := SpreadOf([]float64{471.64, 471.64, 471.64}[:n])
		if math.Abs(got.Mean-want.Mean) > 1e-12 || got.SD != 0 || got.Trainings != n {
			t.Errorf("%d equal values: %+v, want %+v", n, got, want)
		}
	}
	src := rand.New(rand.NewPCG(1, 1))
	for n := 2; n < 30; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Exp(src.NormFloat64())
		}
		mean, sd := stat.MeanStdDev(values, nil)
		if got := SpreadOf(values); math.Abs(got.Mean-mean) > 1e-14*mean || math.Abs(got.SD-sd) > 1e-13*mean {
			t.Errorf("%d values: %+v, want %g ± %g", n, got, mean, sd)
		}
	}
}

func TestAgainst(t *testing.T) {
	a := Spread{3, 10, 3}
	for _, tc := range []struct {
		name string
		b    Spread
		want Order
	}{
		{"equal, within √(3² + 4²)", Spread{3, 14.9, 4}, Equal},
		{"better", Spread{3, 15, 4}, Better},
		{"worse", Spread{2, 5, 4}, Worse},
		{"unknown, a single training", Spread{1, 100, 0}, Unknown},
		{"unknown, no training", Spread{}, Unknown},
	} {
		opposite := map[Order]Order{Equal: Equal, Better: Worse, Worse: Better, Unknown: Unknown}
		if got, back := a.Against(tc.b), tc.b.Against(a); got != tc.want || back != opposite[tc.want] {
			t.Errorf("%s: %d, and %d the other way round, want %d", tc.name, got, back, tc.want)
		}
	}
}
