package optim

import (
	"fmt"
	"math"
	"testing"
)

// TestAdamMinimises compares every step on a quadratic bowl with the textbook recurrences.
func TestAdamMinimises(t *testing.T) {
	c := Default()
	c.WeightDecay = 0.01
	a := NewAdam[float64](c, 1)
	p, m, v := []float64{3}, 0.0, 0.0
	want := 3.0
	for step := 1; step <= 300; step++ {
		g := 2 * (p[0] - 1)
		a.Update(p, []float64{g}, 0.05)
		m, v = 0.9*m+0.1*g, 0.999*v+0.001*g*g
		want -= 0.05*0.01*want + 0.05*(m/(1-math.Pow(0.9, float64(step))))/(math.Sqrt(v/(1-math.Pow(0.999, float64(step))))+1e-8)
		if !(math.Abs(p[0]-want) <= 1e-12) || a.Step != step {
			t.Fatalf("step %d: got %g, want %g", step, p[0], want)
		}
	}
	if !(math.Abs(p[0]-1) <= 0.05) {
		t.Errorf("ended at %g, the minimum is at 1", p[0])
	}
}

func TestOneCycle(t *testing.T) {
	c := OneCycle{Peak: 1e-2, Steps: 101, WarmUp: 0.25, StartDiv: 25, EndDiv: 1e4}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		step int
		want float64
	}{{0, 4e-4}, {25, 1e-2}, {100, 1e-6}, {101, 1e-6}, {150, 1e-6}, {1000, 1e-6}} {
		if got := c.Rate(tc.step); !(math.Abs(got-tc.want) <= 1e-12) {
			t.Errorf("step %d: rate %g, want %g", tc.step, got, tc.want)
		}
	}
	for s := 1; s <= 100; s++ {
		if up := c.Rate(s) > c.Rate(s-1); up != (s <= 25) {
			t.Errorf("step %d: rising is %v", s, up)
		}
	}
	for _, bad := range []OneCycle{{}, {Peak: math.NaN(), Steps: 1, WarmUp: 0.5, StartDiv: 1, EndDiv: 1}, {Peak: 1e-3, Steps: 0, WarmUp: 0.5, StartDiv: 1, EndDiv: 1}, {Peak: 1e-3, Steps: 10, WarmUp: 1, StartDiv: 1, EndDiv: 1},
		{Peak: 1.1, Steps: 10, WarmUp: 0.5, StartDiv: 1, EndDiv: 1}, {Peak: 1e-3, Steps: 10, WarmUp: 0, StartDiv: 1, EndDiv: 1},
		{Peak: 1e-3, Steps: 10, WarmUp: 0.5, StartDiv: 0.9, EndDiv: 1}, {Peak: 1e-3, Steps: 10, WarmUp: 0.5, StartDiv: 1, EndDiv: 0.9}} {
		if bad.Validate() == nil {
			t.Errorf("%+v passes", bad)
		}
	}
}

func ExampleOneCycle() {
	c := OneCycle{Peak: 0.01, Steps: 5, WarmUp: 0.5, StartDiv: 10, EndDiv: 100}
	for s := range 5 {
		fmt.Printf("%.5f ", c.Rate(s))
	}
	// Output: 0.00100 0.00550 0.01000 0.00505 0.00010
}
