package model

import (
	"math"
	"reflect"
	"testing"
)

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
	m.Calibration.Support = supportOf(v)
	at := &m.Calibration.Support.Periods[0]
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
	m.Calibration.Support.Periods = append(m.Calibration.Support.Periods, *supportAt(3, v), *supportAt(5, v))
	m.Calibration.Support.Periods[2].Reach = 1
	for frame, want := range []bool{true, true, true, false, false, true, true} {
		if _, got := m.Left(z, frame); got != want {
			t.Errorf("frame %d: left %v", frame, got)
		}
	}

	mix := build(t, with(t, tiny(t, "mixing/flow"), "law.share=true"))
	z, v = make([]float32, mix.Config.States()), mix.Config.States()
	mix.Calibration.Support = supportOf(v)
	mix.Calibration.Support.Low[v-1], mix.Calibration.Support.High[v-1] = -0.4, 0.4
	for share, out := range map[float32]bool{0: false, 0.407: false, 0.409: true, -0.5: true} {
		z[v-1] = share
		if i, left := mix.Left(z, 0); left != out || left && (i != v-1 || mix.Config.Frozen().Ranges()[i-mix.Config.Moving()].Name != "share") {
			t.Errorf("share at %g: left %v, variable %d", share, left, i)
		}
	}
	if n := testing.AllocsPerRun(10, func() { mix.Left(z, 1) }); n != 0 {
		t.Errorf("%v allocations", n)
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
	m.Calibration.Stretch = 1.25
	m.Calibration.Support = supportOf(v)
	var again *Model
	for _, from := range []int{0, 7} { // a support of one period, and a support of two
		p := supportAt(from, v)
		for i := range v {
			p.Mean[i], p.Factor[i*v+i] = float64(i), 0.5
		}
		if from == 0 {
			m.Calibration.Support.Periods[0] = *p
		} else {
			m.Calibration.Support.Periods = append(m.Calibration.Support.Periods, *p)
		}
		f, _ := through(t, m.Clone().Checkpoint())
		var err error
		if again, err = Open(systems(), f); err != nil {
			t.Fatal(err)
		}
		if again.Calibration.Stretch != 1.25 || !reflect.DeepEqual(again.Calibration.Support, m.Calibration.Support) {
			t.Errorf("stretch %g, support %+v", again.Calibration.Stretch, again.Calibration.Support)
		}
	}
	for name, value := range map[string]float64{stretchTensor: -1, supportFrom: 7, supportFactor: 0, supportReach: math.NaN()} {
		f, _ := through(t, m.Checkpoint())
		f.Tensor(name).F64[0] = value
		if _, err := Open(systems(), f); err == nil {
			t.Errorf("%s of %g is read", name, value)
		}
	}
	if again.Calibration.Clear(); again.Calibration.Stretch != 1 || again.Calibration.Support != nil {
		t.Error("it is calibrated still")
	}
}
