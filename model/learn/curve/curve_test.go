package curve

import (
	"math"
	"slices"
	"testing"
)

func TestCurve(t *testing.T) {
	var c Curve
	if !math.IsNaN(c.Last()) {
		t.Errorf("a curve of nothing ends with %g", c.Last())
	}
	const n = 5*MaxPoints + 3
	for i := 1; i <= n; i++ {
		c.Add(i, float64(i))
		if c.Last() != float64(i) {
			t.Fatalf("the latest value is %g, want %d", c.Last(), i)
		}
		if i == MaxPoints-1 && (len(c.Step) != i || c.Every != 1) {
			t.Errorf("%d points of %d values, thinned without need", len(c.Step), c.Every)
		}
	}
	if len(c.Step) != len(c.Value) || len(c.Step) >= MaxPoints || len(c.Step) < MaxPoints/2 || c.Every != 8 {
		t.Errorf("%d points of %d values", len(c.Step), c.Every)
	}
	for i, step := range c.Step {
		// A point has the step of the last of its 8 values, and the mean of the values.
		if want := float32(8 * (i + 1)); step != want || c.Value[i] != want-3.5 {
			t.Fatalf("point %d is %g at %g, want %g at %g", i, c.Value[i], step, want-3.5, want)
		}
	}
	var again Curve
	again.Restore(slices.Clone(c.Step), slices.Clone(c.Value), c.Every)
	if again.Last() != float64(c.Value[len(c.Value)-1]) {
		t.Errorf("the latest value is %g", again.Last())
	}
	again.Restore(nil, nil, 0)
	if !math.IsNaN(again.Last()) {
		t.Error("a curve of nothing has a latest value")
	}
	again.Add(1, 2)
	if again.Every != 1 || len(again.Step) != 1 {
		t.Errorf("%+v", again)
	}
}

// TestReaches checks the extrapolation of a power law.
func TestReaches(t *testing.T) {
	var c Curve
	for _, step := range []int{1, 10, 20, 40, 60, 80, 100} {
		if got := c.Reaches(1e-3); len(c.Step) < 4 && got == got {
			t.Errorf("%d points reach it at %g", len(c.Step), got)
		}
		c.Add(step, 5*math.Pow(float64(step), -1.5))
	}
	// float32 rounds the values by a relative 1e-7.
	if got, want := c.Reaches(5e-4), math.Pow(1e4, 1/1.5); math.Abs(got/want-1) > 1e-4 {
		t.Errorf("it is reached at %g, want %g", got, want)
	}
	if got := c.Reaches(1); got != 100 {
		t.Errorf("what is below already is reached at %g", got)
	}
	c.Add(120, 1)
	c.Add(140, 2)
	if got := c.Reaches(1e-3); got == got {
		t.Errorf("what rises is reached at %g", got)
	}
}
