package fit_test

import (
	"math"
	"testing"
	"time"

	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/system/flock"
	"macroscope/model/system/line"
	"macroscope/model/system/mixing"
	"macroscope/model/system/particles"
	"macroscope/model/system/polymer"
)

var allSystems = method.Systems{line.System(), particles.System(), mixing.System(), polymer.System(), polymer.FromVideo(), flock.System()}

// TestEstimate checks that the estimated time is the time per piece times the number of
// pieces.
func TestEstimate(t *testing.T) {
	const piece = 10 * time.Millisecond
	var at time.Duration
	clock := func() time.Time { // the clock advances by one piece between two calls
		at += piece
		return time.Unix(0, 0).Add(at)
	}
	specs := []string{"line/flow@browser", "particles/flow@quick", "mixing/inve@browser", "polymer-video/vit@quick"}
	if testing.Short() {
		specs = specs[:2]
	}
	for _, spec := range specs {
		c, err := allSystems.Preset(spec)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := allSystems.Find(c.Spec.System)
		if err != nil {
			t.Fatal(err)
		}
		e, err := fit.NewLive(c, sys, nil, nil, clock)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		pieces := 0
		for more := true; more; pieces++ {
			if !math.IsNaN(e.Left(1)) {
				t.Fatalf("%s: %g s, before all is measured", spec, e.Left(1))
			}
			if more = e.Measure(); pieces > 20000 {
				t.Fatalf("%s: %d pieces, and more to come", spec, pieces)
			}
		}
		least := (time.Duration(c.Steps*c.Shards) * piece).Seconds()
		if got := e.Left(1); !(got >= least) || c.Spec.System == "line" && math.Abs(got-least/0.8) > 1e-6*least {
			t.Errorf("%s: %g s left, of which stage I is %g", spec, got, least)
		}
		if alone, many := e.Left(1), e.Left(4); c.HasDynamics() == (many == alone) || many > alone || many < alone/4 {
			t.Errorf("%s: %g s alone and %g s with three helpers", spec, alone, many)
		}
	}
}

// TestEstimateOfTheRest checks that the estimate for a resumed training is less than the
// estimate for the whole training.
func TestEstimateOfTheRest(t *testing.T) {
	at := time.Unix(0, 0)
	clock := func() time.Time { at = at.Add(time.Millisecond); return at }
	c, err := allSystems.Preset("line/flow@browser")
	if err != nil {
		t.Fatal(err)
	}
	c.Steps = 12
	sys, err := allSystems.Find("line")
	if err != nil {
		t.Fatal(err)
	}
	live, err := fit.NewLive(c, sys, nil, nil, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	for live.Step() < 9 {
		if err := live.Work(0); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := fit.NewLive(c, sys, nil, nil, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	rest, err := fit.ResumeLive(allSystems, live.Checkpoint(), nil, nil, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer rest.Close()
	for _, e := range []*fit.Live{whole, rest} {
		for e.Measure() {
		}
	}
	if all, left := whole.Left(1), rest.Left(1); math.Abs(left-all/4) > 1e-6*all {
		t.Errorf("%g s of %g s are left after 9 of 12 steps", left, all)
	}
}
