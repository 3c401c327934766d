package measure

import (
	"math"
	"testing"
)

// TestErrors compares the errors of two variables with those by hand. The second trajectory has two frames.
func TestErrors(t *testing.T) {
	p := &Prediction{
		Frames: 3, Members: 2, Variables: 2, Lengths: []int{3, 2},
		Truth: []float32{0, 1, 2, 1, 4, 1 /**/, 0, 3, 4, 5, 9, 9},
		Pred: []float32{
			0, 1, 3, 1, 4, 1 /**/, 0, 1, 5, 1, 4, 3,
			0, 3, 4, 4, 9, 9 /**/, 0, 3, 4, 4, 9, 9,
		},
	}
	for k, want := range []Errors{
		{math.Sqrt(4.0 / 3), math.Sqrt((4.0 + 16 + 16) / 3), math.Sqrt((1.0 + 1) / 3)},
		{math.Sqrt((1.0 + 1) / 3), math.Sqrt(4.0 / 3), math.Sqrt((4.0 + 4) / 3)},
	} {
		got := p.Errors(k)
		for i, v := range []float64{got.Model - want.Model, got.First - want.First, got.Mean - want.Mean} {
			if math.Abs(v) > 1e-12 {
				t.Errorf("variable %d: %+v, want %+v (%d)", k, got, want, i)
			}
		}
	}
}
