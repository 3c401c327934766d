package view

import (
	"math"
	"testing"

	"macroscope/model/learn/experiment"
)

// TestJudge checks that a prediction fails if it errs by more than a twentieth of the
// training range, and an ensemble only if the error also exceeds the width of its band.
// Frame 0 must not count.
func TestJudge(t *testing.T) {
	nan := float32(math.NaN())
	for _, tc := range []struct {
		name      string
		low, mean []float32
		high      []float32 // upper end of an ensemble's band
		truth     []float64
		last      int
		want      Verdict
	}{
		{"frame 0", nil, []float32{9, 9}, nil, []float64{0, 0}, 0, Verdict{}},
		{"exact", nil, []float32{9, 1, 2}, nil, []float64{0, 1, 2}, 2, Verdict{Judged: true, Holds: true}},
		{"near", nil, []float32{0, 1, 2}, nil, []float64{0, 1.04, 2}, 2, Verdict{Judged: true, Holds: true, Off: 0.01, Frame: 1}},
		{"in between", nil, []float32{0, 1, 2}, nil, []float64{0, 1, 1.84}, 2, Verdict{Judged: true, Off: 0.04, Frame: 2}},
		{"far", nil, []float32{0, 1, 2}, nil, []float64{0, 1.4, 2}, 2, Verdict{Judged: true, Fails: true, Off: 0.1, Frame: 1}},
		{"far, not yet", nil, []float32{0, 1, 2}, nil, []float64{0, 1, 9}, 1, Verdict{Judged: true, Holds: true}},
		{"within its band", []float32{0, 0}, []float32{0, 1}, []float32{0, 2}, []float64{0, 1.9}, 1, Verdict{Judged: true, Holds: true}},
		{"outside of a wide band", []float32{0, 0}, []float32{0, 1}, []float32{0, 2}, []float64{0, 3.6}, 1, Verdict{Judged: true, Off: 0.4, Frame: 1}},
		{"outside of a narrow band", []float32{0, 0.9}, []float32{0, 1}, []float32{0, 1.1}, []float64{0, 1.5}, 1, Verdict{Judged: true, Fails: true, Off: 0.1, Frame: 1}},
		{"no number", nil, []float32{0, nan}, nil, []float64{0, 1}, 1, Verdict{Judged: true, Fails: true, Off: math.NaN(), Frame: 1}},
	} {
		m := &experiment.Model{Scale: experiment.NewScale(1, 1)}
		m.Config.Variables = 1
		m.Config.Traits.Stochastic = tc.high != nil
		m.Scale.Low[0], m.Scale.High[0] = 0, 4
		p := &Prediction{model: m, Mean: tc.mean, Low: tc.low, High: tc.high, Done: len(tc.mean) - 1}
		got := p.Judge(tc.last, func(k int) []float64 { return tc.truth[k : k+1] })
		same := got.Judged == tc.want.Judged && got.Holds == tc.want.Holds && got.Fails == tc.want.Fails && got.Frame == tc.want.Frame
		if !same || math.Abs(got.Off-tc.want.Off) > 1e-6 || math.IsNaN(got.Off) != math.IsNaN(tc.want.Off) {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
	}
}
