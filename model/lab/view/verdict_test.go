package view

import (
	"math"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/particles"
	"macroscope/sim/rng"
)

// TestJudge checks when a prediction fails. Without a band, a prediction fails if it errs by more
// than a twentieth of the training range. With a band, the error must also exceed the width of the
// band. Frame 0 must not count.
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
		m := &model.Model{Scale: model.NewScale(1, 1)}
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

// TestAtMost compares the probability with a sum over all outcomes of six trials.
func TestAtMost(t *testing.T) {
	choose := []float64{1, 6, 15, 20, 15, 6, 1}
	want := 0.0
	for k := range 7 {
		want += choose[k] * math.Pow(0.9, float64(k)) * math.Pow(0.1, float64(6-k))
		if got := atMost(k, 6, 0.9); math.Abs(got-want) > 1e-12 {
			t.Errorf("at most %d of 6: %g, want %g", k, got, want)
		}
	}
}

// TestBandAgainstChance judges many runs of correlated noise with bands of 90 % and of 60 %. In
// runs with enough independent frames, the test must reject nearly every 60 % band. It must reject
// a 90 % band about as often as the false alarm rate says. In runs with few independent frames, a
// band with too low a share must not be reported as good.
func TestBandAgainstChance(t *testing.T) {
	const frames, runs = 600, 400
	p := &Prediction{model: &model.Model{Scale: model.NewScale(1, 1)}, Done: frames}
	p.model.Config.Variables, p.model.Config.Traits.Stochastic = 1, true
	p.model.Scale.Low[0], p.model.Scale.High[0] = -100, 100 // a large range, so that only the test against chance decides
	p.Mean, p.Low, p.High = make([]float32, frames+1), make([]float32, frames+1), make([]float32, frames+1)
	r := rng.New(1, "bands")
	for _, tc := range []struct {
		name               string
		memory, half       float64 // memory: correlation of the noise from frame to frame; half: half width of the band in σ
		fewLeast, fewMost  float64 // bounds of the share of runs with too few values inside the band
		holdLeast, holdMax float64 // bounds of the share of runs with a good band
		independent        [2]int  // bounds of the mean number of independent frames
	}{
		{"white, right", 0, 1.645, 0, 0.08, 0.9, 1, [2]int{450, 600}},
		{"white, narrow", 0, 0.842, 1, 1, 0, 0, [2]int{450, 600}},
		{"correlated, right", 0.9, 1.645, 0, 0.08, 0.9, 1, [2]int{25, 60}},
		{"correlated, narrow", 0.9, 0.842, 0.9, 1, 0, 0.1, [2]int{25, 60}},
		{"nearly one value, right", 0.999, 1.645, 0, 0.2, 0, 1, [2]int{1, 9}},
		{"nearly one value, narrow", 0.999, 0.842, 0, 1, 0, 0.45, [2]int{1, 9}},
	} {
		few, holds, counted := 0, 0, 0
		for range runs {
			x := make([]float64, frames+1)
			x[0] = r.NormFloat64()
			for k := 1; k <= frames; k++ {
				x[k] = tc.memory*x[k-1] + math.Sqrt(1-tc.memory*tc.memory)*r.NormFloat64()
				p.Low[k], p.High[k] = float32(-tc.half), float32(tc.half)
			}
			v := p.Judge(frames, func(k int) []float64 { return x[k : k+1] })
			counted += v.Independent
			if v.TooFew {
				few++
			}
			if v.Holds {
				holds++
			}
			if v.TooFew && v.Holds {
				t.Fatalf("%s: it holds with too few inside: %+v", tc.name, v)
			}
		}
		f, h, n := float64(few)/runs, float64(holds)/runs, counted/runs
		t.Logf("%s: too few in %.3f of the runs, holds in %.3f, %d independent frames", tc.name, f, h, n)
		if f < tc.fewLeast || f > tc.fewMost || h < tc.holdLeast || h > tc.holdMax || n < tc.independent[0] || n > tc.independent[1] {
			t.Errorf("%s: too few in %.3f of the runs, holds in %.3f, %d independent frames", tc.name, f, h, n)
		}
	}
}

// TestLeft begins a prediction above the trained range, by a quarter of the range. The prediction
// must count as outside from its first frame on.
func TestLeft(t *testing.T) {
	c, err := method.Systems{particles.System()}.Preset("particles/flow@browser")
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.With("encoder.zdim=12"); err != nil {
		t.Fatal(err)
	}
	m := model.New(c, particles.System())
	clear(m.Weights.DynamicsParams)
	p := NewPrediction(m, 1)
	var f system.Frame
	f.One(make([]float32, 2*10), 2)
	p.Begin(&f, []float64{m.Scale.Value(0, 1.5)}, 3, 1, false)
	for p.Step() {
	}
	if !p.Complete() || p.Left() != 0 || p.LeftWhat() != "the predicted energy is above its trained range, by 25 % of the range" {
		t.Errorf("complete: %v; from frame %d on %s", p.Complete(), p.Left(), p.LeftWhat())
	}
	n := m.Config.Variables
	for variable, want := range map[int]string{0: "", n: "ẑ_1", n + 11: "ẑ_1_2", n + 12: "", model.WholeState: ""} {
		if p.left.variable = variable; p.LeftSign() != want {
			t.Errorf("variable %d: %q, want %q", variable, p.LeftSign(), want)
		}
	}
}
