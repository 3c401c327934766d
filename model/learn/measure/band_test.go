package measure

import (
	"math"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/learn/model"
	"macroscope/sim/rng"
)

// TestCalibrate calibrates bands on some runs. The bands are too narrow before the calibration.
// After the calibration they must contain the nominal share of the true values in other runs. The
// stretch must be the ratio of the standard deviations.
func TestCalibrate(t *testing.T) {
	src := rng.New(1, "test of calibration")
	m := build(t, tiny(t, "mixing/flow"))
	before, other := narrow(400, src), narrow(400, src)
	if share, _, _ := other.Coverage(); share > 0.75 {
		t.Fatalf("the bands hold %g already", share)
	}
	if err := Calibrate(m, before); err != nil {
		t.Fatal(err)
	}
	other.Stretch = m.Calibration.Stretch
	share, se, nominal := other.Coverage()
	// In one run the share has a standard deviation of 0.09. The 400 measured runs and the 400
	// runs of the calibration both contribute to the error, hence √2. The share differs by more
	// than five standard errors once in a million tests.
	if math.Abs(share-nominal) > 5*math.Sqrt2*0.09/20 || !(se > 0.002 && se < 0.01) {
		t.Errorf("bands stretched by %g hold %g ± %g, want %g", m.Calibration.Stretch, share, se, nominal)
	}
	if math.Abs(m.Calibration.Stretch-1.5) > 0.2 {
		t.Errorf("stretched by %g, want 1.5", m.Calibration.Stretch)
	}
}

// TestCalibrator checks the stretch for scores with a known quantile.
func TestCalibrator(t *testing.T) {
	var c calibrator
	for i := range 100 {
		// Every ensemble has the median 1 and the band from -1 to 3. The truths go from 1 to
		// 1 + 2·1.98.
		c.Add([]float32{3, -1, 1}, 1+2*float32(i)/50, 25./100)
	}
	// The scores are 0, 0.02, …, 1.98. For 25 runs, the stretch is the quantile of the scores at
	// the level BandShare·26/25 = 0.936.
	if s, err := c.Stretch(25); err != nil || math.Abs(s-93./50) > 1e-6 {
		t.Errorf("stretched by %g, %v", s, err)
	}
	if s, err := c.quantile(BandShare, 25); err != nil || math.Abs(s-89./50) > 1e-6 {
		t.Errorf("the quantile is %g, %v", s, err)
	}
	for _, runs := range []int{0, 1, 8} {
		if s, err := c.Stretch(runs); err == nil || s != 1 {
			t.Errorf("%d runs: %g, %v", runs, s, err)
		}
	}
	c = calibrator{}
	for range 10 {
		c.Add([]float32{1, 1, 1}, 2, 1) // a band of width zero
	}
	if s, err := c.Stretch(10); err == nil || s != 1 {
		t.Errorf("bands of no width are stretched by %g", s)
	}
	if low, high := Bounds([]float32{3, -1, 1}, 2); low != -3 || high != 5 {
		t.Errorf("from %g to %g, want -3 to 5", low, high)
	}
}

// TestLeaving compares Leaving with shares and errors computed by hand.
func TestLeaving(t *testing.T) {
	p := &Prediction{
		Frames: 3, Members: 2, Variables: 1,
		Truth: []float32{0, 0, 0, 0, 0, 0}, Left: []bool{true, false, false, false, false, true},
		Pred: []float32{9, 1, 1, 9, 3, 3, 9, 2, 4, 9, 2, 4},
	}
	if l, want := p.Leaving(), (Leaving{0.5, 0.25, 2, 4}); l != want {
		t.Errorf("%+v, want %+v", l, want)
	}
	p.Left[5] = false
	if l := p.Leaving(); l.Trajectories != 0 || l.Frames != 0 || !math.IsNaN(l.Outside) {
		t.Errorf("%+v", l)
	}
}

// narrow returns predictions by ensembles that are too narrow. The truth has 1.5 times the standard
// deviation of the members. Half of the truth's variance is common to all frames of a run.
func narrow(runs int, src *rng.Source) *Prediction {
	p := &Prediction{Frames: 21, Members: 39, Variables: 2, Stretch: 1, Left: make([]bool, runs*21)}
	row := p.Frames * p.Variables
	for range runs {
		common := src.NormFloat64()
		for range row {
			p.Truth = append(p.Truth, float32(1.5*(common+src.NormFloat64())/math.Sqrt2))
		}
		for range p.Members * row {
			p.Pred = append(p.Pred, float32(src.NormFloat64()))
		}
	}
	return p
}

// TestStretchBands checks that narrow bands then hold nine in ten values of a few runs, and that wide ones stay.
func TestStretchBands(t *testing.T) {
	src := rng.New(1, "test of bands")
	for _, tc := range []struct {
		runs   int
		spread float32
		keeps  bool
	}{{3, 1, false}, {8, 0.2, true}, {30, 0.2, true}} {
		m, p := &model.Model{Calibration: model.Calibration{Stretch: 1}}, narrow(tc.runs, src)
		kernel.Scale(p.Truth, tc.spread)
		if err := StretchBands(m, p); err != nil {
			t.Fatal(err)
		}
		p.Stretch = m.Calibration.Stretch
		share, _, _ := p.Coverage()
		if (m.Calibration.Stretch == 1) != tc.keeps || !tc.keeps && math.Abs(share-BandShare) > 0.01 {
			t.Errorf("%d runs stretch bands by %g, which then hold %g", tc.runs, m.Calibration.Stretch, share)
		}
	}
}
