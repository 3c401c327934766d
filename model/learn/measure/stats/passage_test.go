package stats

import (
	"math"
	"slices"
	"testing"

	"macroscope/model/learn/measure"
)

// TestPassages compares first passages with values found by hand.
func TestPassages(t *testing.T) {
	nan := float32(math.NaN())
	x := []float32{
		0, 9, 3, 0, 1, 0, // the first of two variables exceeds the level in frame 1
		5, 0, 0, 0, 0, 0, // the first variable exceeds the level in frame 0
		1, 9, 2, 9, 2, 9, // the first variable never exceeds the level; the result is the last frame
		nan, 0, nan, 0, nan, 0, // NaN also does not exceed the level
	}
	if got := passages(x, 3, 2, 2); !slices.Equal(got, []float64{0, 1, 2, 2}) {
		t.Errorf("passages in %v", got)
	}
	if got := passages(x, 3, 2, 0.5); !slices.Equal(got, []float64{0, 0, 1, 2}) {
		t.Errorf("passages of a lower level in %v", got)
	}
}

// TestPassage measures predictions that equal the truth, and predictions that are ten
// frames late.
func TestPassage(t *testing.T) {
	if mean, sd := curves([]float32{1, 1, 3, 5}, make([]float32, 4), 2); math.Abs(mean-math.Sqrt(6.5)) > 1e-6 || math.Abs(sd-math.Sqrt(2.5)) > 1e-6 {
		t.Errorf("means of 2 and 3 and deviations of 1 and 2 are %g and %g off 0", mean, sd)
	}
	const frames, runs = 100, 8
	late := func(by int) (x []float32) {
		for e := range runs {
			for k := range frames {
				v := float32(0)
				if k >= 20+e+by {
					v = 3
				}
				x = append(x, v)
			}
		}
		return x
	}
	p := &measure.Prediction{Frames: frames, Members: 1, Variables: 1, Truth: late(0), Pred: late(0)}
	r := Passage(p, 2)
	for name, want := range map[string]float64{"passage": 23.5, "passage_error": 0, "ks": 0, "mean_rms": 0, "sd_rms": 0, "ks_floor": 0.25} {
		if got := r[name]; math.Abs(got-want) > 1e-12 {
			t.Errorf("of the truth itself, %s is %g, want %g", name, got, want)
		}
	}
	p.Begin = 22
	if r = Passage(p, 2); r["passed"] != 3 || r["begin"] != 22 { // the predictions begin after frame 22. Three simulated chains have unfolded in frames up to 22
		t.Errorf("told to frame 22: %v", r)
	}
	p.Begin, p.Pred = 0, late(10)
	r = Passage(p, 2)
	if _, ok := r["passed"]; ok {
		t.Errorf("told nothing: %v", r)
	}
	if r["passage_error"] != 10 || math.Abs(r["passage_share"]-10/23.5) > 1e-12 || r["ks"] != 1 || !(r["mean_rms"] > 0.1) || !(r["sd_rms"] > 0.1) {
		t.Errorf("ten frames late: %v", r)
	}
}
