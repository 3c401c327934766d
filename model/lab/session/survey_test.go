package session_test

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"macroscope/model/lab/session"
	"macroscope/model/lab/view"
	"macroscope/model/wire"
)

// surveyed is the panel on ε and ẑ dim as the page reads it. A number is nil if it is not
// measured yet.
type surveyed struct {
	Of, Why, Measure string
	Eps, ZDim, Here  []float64
	KL, At, Error    []*float64
}

// survey returns the present panel.
func (v *visitor) survey() (of surveyed) {
	v.t.Helper()
	text := v.State().Survey
	if err := json.Unmarshal([]byte(text), &of); err != nil {
		v.t.Fatalf("%q: %v", text, err)
	}
	return of
}

// kl returns the KL of the displayed picture, the mean over its sets.
func (v *visitor) kl() float64 {
	v.t.Helper()
	if v.lab == "mixing" {
		return (v.number("klA") + v.number("klB")) / 2
	}
	return v.number("kl")
}

func near(a *float64, b, within float64) bool {
	return a != nil && math.Abs(*a-b) <= within*math.Abs(b)+1e-9
}

// whole reports whether all numbers are measured.
func whole(v []*float64) bool { return len(v) > 0 && !slices.Contains(v, nil) }

// TestSurvey opens the panel on ε and ẑ dim. Its KL and MRE must equal the values that the page
// shows at the same ε and ẑ dim. Immediately after a change of ε, the panel must show an
// interpolated KL for every length of ẑ. Another picture must give other curves.
func TestSurvey(t *testing.T) {
	for _, lab := range names[:3] {
		in(t, lab, func(t *testing.T, v *visitor) {
			if !v.sampler() {
				v.set("all", "on")
				v.seek(8)
			}
			v.settle()
			if v.State().Survey != "" {
				t.Fatal("a panel that nobody asked for")
			}
			v.set("survey", "on")
			if first := v.survey(); whole(first.KL) {
				t.Error("all is measured at once, in the user's time")
			}
			for v.work(0) { // each call measures one number
			}
			v.settle()
			before := v.survey()
			if !whole(before.KL) || !whole(before.At) || len(before.Eps) != len(before.KL) || len(before.ZDim) != len(before.At) || before.Why != "" {
				t.Fatalf("%+v", before)
			}
			if kl := v.kl(); !near(&before.Here[2], kl, 1e-5) {
				t.Errorf("KL is %g where one stands, and %g on the page", before.Here[2], kl)
			}
			if before.Error == nil != v.sampler() {
				t.Errorf("errors %v", before.Error)
			} else if lab == "particles" && (before.Measure != "MRE" || !whole(before.Error)) {
				t.Errorf("%s of %v", before.Measure, before.Error)
			} else if lab == "mixing" && (before.Measure != "RMSE" || !whole(before.Error) || !(*before.Error[0] > 0.001 && *before.Error[0] < 0.5)) {
				t.Errorf("%s of %v", before.Measure, before.Error)
			}
			// The panel and the page must agree at each length.
			for i, zdim := range before.ZDim {
				v.set("zdim", strconv.Itoa(int(zdim)))
				v.settle()
				if kl := v.kl(); !near(before.At[i], kl, 1e-5) {
					t.Errorf("KL at ẑ dim %g is %g in the panel, and %g on the page", zdim, *before.At[i], kl)
				}
				if mre := v.number("mre"); lab == "particles" && !near(before.Error[i], mre, 1e-4) {
					t.Errorf("MRE at ẑ dim %g is %g in the panel, and %g on the page", zdim, *before.Error[i], mre)
				}
			}
			// The panel and the page must agree at two ε of the curve, and nearly agree at an ε
			// between two points of the curve.
			v.set("zdim", strconv.Itoa(int(before.Here[1])))
			for _, i := range []int{3, 8} {
				v.set("eps", strconv.FormatFloat(before.Eps[i], 'g', -1, 64))
				v.settle()
				if kl := v.kl(); !near(before.KL[i], kl, 1e-4) {
					t.Errorf("KL at ε %g is %g in the panel, and %g on the page", before.Eps[i], *before.KL[i], kl)
				}
			}
			v.set("eps", strconv.FormatFloat(math.Sqrt(before.Eps[6]*before.Eps[7]), 'g', 5, 64))
			at := v.survey()
			v.settle()
			exact := v.survey()
			for i, kl := range exact.At {
				if !near(at.At[i], *kl, 0.1) {
					t.Errorf("ẑ dim %g: at once %g, and measured %g", exact.ZDim[i], *at.At[i], *kl)
				}
			}
			for i, kl := range exact.KL {
				if *kl != *before.KL[i] {
					t.Errorf("the curve was measured again: %g, and was %g", *kl, *before.KL[i])
				}
			}
			// Another picture must give other curves.
			if v.sampler() {
				v.press("another")
			} else {
				v.seek(2)
			}
			v.settle()
			if other := v.survey(); *other.KL[0] == *before.KL[0] || !near(&other.Here[2], v.kl(), 1e-5) {
				t.Errorf("of another picture KL is %v, and on the page %g", other.Here, v.kl())
			}
			again := v.reload()
			again.settle()
			if x, y := v.survey(), again.survey(); !near(x.KL[0], *y.KL[0], 1e-9) {
				t.Errorf("after a reload KL is %g, and was %g", *y.KL[0], *x.KL[0])
			}
			v.set("survey", "off")
			if v.State().Survey != "" {
				t.Error("the panel stays")
			}
		})
	}
}

// TestSurveyRests changes ẑ dim and ε of sets that are not measured yet. For a moment after each
// change the panel must measure nothing, because the picture needs the time.
func TestSurveyRests(t *testing.T) {
	if testing.Short() {
		t.Skip("sessions are tested with SIMD")
	}
	clock := time.Unix(0, 0)
	s := session.NewAt(labOf(t, wire.Demo), func() time.Time {
		clock = clock.Add(50 * time.Microsecond) // so a few turns do not measure everything
		return clock
	})
	v := visiting(t, s, wire.Demo)
	// works waits, and reports whether the panel changes within some turns.
	works := func(d time.Duration, turns int) bool {
		was := v.State().Survey
		clock = clock.Add(d)
		for range turns {
			v.Work(2 * time.Millisecond)
			if v.draw(); v.State().Survey != was {
				return true
			}
		}
		return false
	}
	v.apply(wire.Link, "", small[wire.Demo])
	for range 20 {
		v.fetch()
		works(view.RestAfter, 1)
	}
	v.set("survey", "on")
	for _, to := range [][2]string{{"zdim", "3"}, {"eps", "0.06"}, {"zdim", "5"}} {
		v.press("another") // so everything is to be measured
		v.set(to[0], to[1])
		works(0, 1)
		if works(view.RestAfter/2, 4) {
			t.Errorf("%s = %s: the panel measures in the picture's time", to[0], to[1])
		}
		if !works(view.RestAfter, 100) {
			t.Errorf("%s = %s: the panel measures nothing at rest", to[0], to[1])
		}
	}
}

// TestSurveyPlays plays a run with the panel on: the curves must follow the frames.
func TestSurveyPlays(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.set("steps", "12")
		v.set("all", "on")
		v.set("survey", "on")
		v.press("restart")
		var kls []float64
		for v.State().Playing {
			v.turns(1)
			if kl := v.survey().KL; kl[0] != nil && (len(kls) == 0 || kls[len(kls)-1] != *kl[0]) {
				kls = append(kls, *kl[0])
			}
		}
		if len(kls) < 3 {
			t.Errorf("curves of %d frames during the run", len(kls))
		}
		v.settle()
		if of := v.survey(); !near(&of.Here[2], v.kl(), 1e-5) || !whole(of.Error) {
			t.Errorf("at the end %+v, and on the page %g", of, v.kl())
		}
	})
}

// TestSurveyNeedsTunable shows a model of one ε and one ẑ dim. The panel must say why it is
// empty.
func TestSurveyNeedsTunable(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.set("survey", "on")
		v.drop("one.safetensors", asset(t, "models/demo-eps0.1-z8.safetensors"))
		v.settle()
		if of := v.survey(); !sentence(of.Why) || of.KL != nil {
			t.Errorf("%+v", of)
		}
	})
}

// TestSurveyTrains trains a tunable model: the curves must follow its weights.
func TestSurveyTrains(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.set("survey", "on")
		v.set("method", "flow-tunable")
		v.press("train")
		v.train(2)
		first := v.survey()
		v.reach(func() bool {
			of := v.survey()
			return whole(of.KL) && (first.KL == nil || first.KL[0] == nil || *of.KL[0] != *first.KL[0])
		})
		was := v.survey()
		v.train(30)
		v.reach(func() bool { return *v.survey().KL[0] != *was.KL[0] })
	})
}
