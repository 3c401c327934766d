package measure_test

import (
	"math"
	"strings"
	"testing"

	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/measure"
	"macroscope/sim/rng"
)

// TestMismatch judges motions whose kind is known, for a system without noise and for one with noise. All
// random numbers have fixed seeds. With 300 frames, the correlation of independent changes has a standard
// deviation of 0.08, so a seed gives another result with a probability below 1e-8.
func TestMismatch(t *testing.T) {
	const frames = 300
	src := rng.New(3, "motions")
	walk := func(keeps float64) []float64 {
		x := make([]float64, frames)
		for k := 1; k < frames; k++ {
			x[k] = keeps*x[k-1] + src.NormFloat64()
		}
		return x
	}
	with := func(f func(k float64) float64) []float64 {
		x := make([]float64, frames)
		for k := range x {
			x[k] = f(float64(k))
		}
		return x
	}
	relax := func(k float64) float64 { return math.Exp(-k / 20) }
	for name, tc := range map[string]struct {
		x     []float64
		noise bool // whether a system without noise cannot move so
		still bool // whether a system with noise cannot move so
	}{
		"a diffusion":                           {x: walk(1), noise: true},
		"a diffusion on a small scale":          {x: with(func(float64) float64 { return 5e-210 * src.NormFloat64() }), noise: true},
		"an Ornstein-Uhlenbeck process":         {x: walk(0.9), noise: true},
		"errors of measurement":                 {x: walk(0), noise: true},
		"0 but for rounding errors":             {x: with(func(float64) float64 { return 1e-9 * (src.Float64() - 0.5) }), noise: true},
		"an oscillation":                        {x: with(func(k float64) float64 { return math.Sin(0.2 * k) }), still: true},
		"a coarse oscillation":                  {x: with(func(k float64) float64 { return math.Sin(0.9 * k) })},
		"a relaxation":                          {x: with(relax), still: true},
		"a relaxation in a few frames":          {x: with(func(k float64) float64 { return math.Exp(-k) })},
		"a relaxation to a state with 3 digits": {x: with(func(k float64) float64 { return math.Round(1000*relax(k)) / 1000 })},
		"a drift with little noise":             {x: with(func(k float64) float64 { return k + src.NormFloat64()/10 })},
		"nothing":                               {x: make([]float64, frames)},
		"too little":                            {x: walk(1)[:33]},
		"no frame":                              {},
	} {
		t.Run(name, func(t *testing.T) {
			for system, want := range map[string]bool{"particles": tc.noise, "polymer": tc.still} {
				sys, err := catalogue.Systems().Find(system)
				if err != nil {
					t.Fatal(err)
				}
				m := measure.NewMismatch(sys, "", tc.x)
				if (m != nil) != want || (m.InWords() != "") != want || (m.Cause() != "") != want {
					t.Errorf("%s: %+v: %q, %q", system, m, m.InWords(), m.Cause())
				}
			}
		})
	}
}

// TestMismatchOfTwo judges runs of two variables. Dynamics with noise suit both if one moves by noise. The
// changes of different runs must not be compared.
func TestMismatchOfTwo(t *testing.T) {
	mixing, err := catalogue.Systems().Find("mixing")
	if err != nil {
		t.Fatal(err)
	}
	src := rng.New(4, "motions")
	var both, one [][]float64
	for e := range 50 {
		var b, o []float64
		for k := range 20 {
			smooth := math.Sin(0.1*float64(k) + float64(e))
			b, o = append(b, smooth, -2*smooth), append(o, smooth, src.NormFloat64())
		}
		both, one = append(both, b), append(one, o)
	}
	if m := measure.NewMismatch(mixing, "", both...); m == nil || !strings.HasPrefix(m.InWords(), "The R_AB and the R_BA move smoothly") {
		t.Errorf("two smooth variables: %q", m.InWords())
	}
	if m := measure.NewMismatch(mixing, "", one...); m != nil {
		t.Errorf("a variable with noise and one without: %q", m.InWords())
	}
}
