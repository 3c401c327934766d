package experiment

import (
	"math"
	"reflect"
	"testing"

	"macroscope/sim/rng"
)

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
	if err := m.Calibrate(before); err != nil {
		t.Fatal(err)
	}
	other.Stretch = m.Stretch
	share, se, nominal := other.Coverage()
	// In one run the share has a standard deviation of 0.09. The 400 measured runs and the 400
	// runs of the calibration both contribute to the error, hence √2. The share differs by more
	// than five standard errors once in a million tests.
	if math.Abs(share-nominal) > 5*math.Sqrt2*0.09/20 || !(se > 0.002 && se < 0.01) {
		t.Errorf("bands stretched by %g hold %g ± %g, want %g", m.Stretch, share, se, nominal)
	}
	if math.Abs(m.Stretch-1.5) > 0.2 {
		t.Errorf("stretched by %g, want 1.5", m.Stretch)
	}
}

// TestCalibrator checks the stretch for scores with a known quantile.
func TestCalibrator(t *testing.T) {
	var c Calibrator
	for i := range 100 {
		// Every ensemble has the median 1 and the band from -1 to 3. The truths go from 1 to
		// 1 + 2·1.98.
		c.Add([]float32{3, -1, 1}, 1+2*float32(i)/50)
	}
	// The scores are 0, 0.02, …, 1.98. For 25 runs, the stretch is the quantile of the scores at
	// the level BandShare·26/25 = 0.936.
	if s, err := c.Stretch(25); err != nil || math.Abs(s-93./50) > 1e-6 {
		t.Errorf("stretched by %g, %v", s, err)
	}
	for _, runs := range []int{0, 1, 8} {
		if s, err := c.Stretch(runs); err == nil || s != 1 {
			t.Errorf("%d runs: %g, %v", runs, s, err)
		}
	}
	c = Calibrator{}
	for range 10 {
		c.Add([]float32{1, 1, 1}, 2) // a band of width zero
	}
	if s, err := c.Stretch(10); err == nil || s != 1 {
		t.Errorf("bands of no width are stretched by %g", s)
	}
	if low, high := Bounds([]float32{3, -1, 1}, 2); low != -3 || high != 5 {
		t.Errorf("from %g to %g, want -3 to 5", low, high)
	}
}

// supportAt returns a period with the given first frame. Its states are a standard Gaussian of v
// variables, with Reach 3.
func supportAt(from, v int) *Period {
	p := &Period{From: from, Mean: make([]float64, v), Factor: make([]float64, v*v), Reach: 3}
	for i := range v {
		p.Factor[i*v+i] = 1
	}
	return p
}

// supportOf returns a support of one period.
func supportOf(v int) *Support {
	return &Support{Low: make([]float64, v), High: make([]float64, v), Periods: []Period{*supportAt(0, v)}}
}

// TestSupport checks the method Left. It must find a state with a variable outside the variable's
// range. It must also find a state farther from a period's mean than the period's Reach.
func TestSupport(t *testing.T) {
	m := build(t, tiny(t, "particles/flow"))
	z := make([]float32, m.Config.States())
	left := func(want bool, variable int) {
		t.Helper()
		if v, got := m.Left(z, 3); got != want || v != variable {
			t.Errorf("%v: left %v, variable %d", z, got, v)
		}
	}
	left(false, WholeState)
	z[1] = 1.01
	left(false, WholeState)
	z[1] = -1.03
	left(true, 1)
	z[0] = float32(math.NaN())
	left(true, 0)

	// Two correlated variables with the covariance LLᵀ: L has the columns (0.5, 0.5) and (0, 0.1).
	v := m.Config.States()
	m.Support = supportOf(v)
	at := &m.Support.Periods[0]
	at.Factor[0], at.Factor[v], at.Factor[v+1] = 0.5, 0.5, 0.1
	clear(z)
	z[0], z[1] = 0.9, 0.9
	if d := at.Distance(z); math.Abs(d-1.8) > 1e-6 {
		t.Errorf("distance %g, want 1.8", d)
	}
	left(false, WholeState)
	z[1] = 0.5 // L⁻¹z is (1.8, -4), so the distance 4.4 exceeds the Reach 3
	left(true, WholeState)
	// The periods begin at frames 0, 3 and 5. Only the second one contains this state.
	m.Support.Periods = append(m.Support.Periods, *supportAt(3, v), *supportAt(5, v))
	m.Support.Periods[2].Reach = 1
	for frame, want := range []bool{true, true, true, false, false, true, true} {
		if _, got := m.Left(z, frame); got != want {
			t.Errorf("frame %d: left %v", frame, got)
		}
	}

	mix := build(t, with(t, tiny(t, "mixing/flow"), "law.share=true"))
	z, v = make([]float32, mix.Config.States()), mix.Config.States()
	mix.Support = supportOf(v)
	mix.Support.Low[v-1], mix.Support.High[v-1] = -0.4, 0.4
	for share, out := range map[float32]bool{0: false, 0.407: false, 0.409: true, -0.5: true} {
		z[v-1] = share
		if i, left := mix.Left(z, 0); left != out || left && (i != v-1 || mix.Config.StillName(i) != "share") {
			t.Errorf("share at %g: left %v, variable %d", share, left, i)
		}
	}
	if n := testing.AllocsPerRun(10, func() { mix.Left(z, 1) }); n != 0 {
		t.Errorf("%v allocations", n)
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

// TestCalibratedCheckpoint saves and opens a calibrated model. It also checks that an
// uncalibrated file opens without a calibration.
func TestCalibratedCheckpoint(t *testing.T) {
	m := build(t, tiny(t, "mixing/flow"))
	v := m.Config.States()
	if f, _ := through(t, m.Checkpoint()); f.Tensor(stretchTensor) != nil || f.Tensor(supportMean) != nil {
		t.Error("a model that is not calibrated says that it is")
	}
	m.Stretch = 1.25
	m.Support = supportOf(v)
	var again *Model
	for _, from := range []int{0, 7} { // a support of one period, and a support of two
		p := supportAt(from, v)
		for i := range v {
			p.Mean[i], p.Factor[i*v+i] = float64(i), 0.5
		}
		if from == 0 {
			m.Support.Periods[0] = *p
		} else {
			m.Support.Periods = append(m.Support.Periods, *p)
		}
		f, _ := through(t, m.Clone().Checkpoint())
		var err error
		if again, err = systems().Open(f); err != nil {
			t.Fatal(err)
		}
		if again.Stretch != 1.25 || !reflect.DeepEqual(again.Support, m.Support) {
			t.Errorf("stretch %g, support %+v", again.Stretch, again.Support)
		}
	}
	for name, value := range map[string]float64{stretchTensor: -1, supportFrom: 7, supportFactor: 0, supportReach: math.NaN()} {
		f, _ := through(t, m.Checkpoint())
		f.Tensor(name).F64[0] = value
		if _, err := systems().Open(f); err == nil {
			t.Errorf("%s of %g is read", name, value)
		}
	}
	if again.Uncalibrate(); again.Stretch != 1 || again.Support != nil {
		t.Error("it is calibrated still")
	}
}
