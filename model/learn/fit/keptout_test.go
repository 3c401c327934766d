package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/work"
)

// enlarged returns a copy of a recording whose trajectory e is larger from frame `from` on.
func enlarged(own *toyRecorded, e, from int) *toyRecorded {
	other := *own
	other.of = slices.Clone(own.of)
	t := own.of[e].Clone()
	n, m := len(t.Points)/own.toy.frames, len(t.Macro)/own.toy.frames
	for i := from * n; i < len(t.Points); i++ {
		t.Points[i] *= 3
	}
	for i := from * m; i < len(t.Macro); i++ {
		t.Macro[i] *= 2
	}
	other.of[e] = *t
	return &other
}

// TestKeptOutNeverTrains changes what is kept out of the user's trajectories. The trained model,
// including its scales, must not change by a bit, on the command line and on a page with a helper. The
// validation must change. The model must change if any other trajectory does.
func TestKeptOutNeverTrains(t *testing.T) {
	for _, tc := range []struct {
		pair  string
		count int
		macro bool
	}{{"particles/flow", 23, true}, {"particles/ae-aug", 2, false}, {"mixing/flow", 9, false}, {"particles/flow", 1, true}, {"mixing/flow", 1, false}} {
		t.Run(fmt.Sprintf("%s, %d trajectories", tc.pair, tc.count), func(t *testing.T) {
			c, sys := tiny(tc.pair)
			own := toyOf(sys).record(tc.count, 8, true, tc.macro, c.Data.Observable)
			c = c.ForData(own, c.Variables)
			train := func(own *toyRecorded, helpers int) *Live {
				t.Helper()
				r := newRun(t, c, sys, own, 2)
				drive(t, r, 0)
				l := newLive(t, c, sys, own, helpers)
				pool := newTestHelpers(t, helpers)
				for l.Stage() != Done {
					if err := pool.turn(l); err != nil {
						t.Fatal(err)
					}
				}
				sameModel(t, "on a page", l.Model, r.Model)
				return l
			}
			measure := func(l *Live) float64 {
				if c.Traits.Stochastic {
					return l.Curves.RMSE.Last()
				}
				return l.Curves.MRE.Last()
			}
			whole, frames := train(own, 0), own.toy.frames
			if out := c.Data.KeptOut; tc.count == 1 && (out.Frames < 2 || out.Trajectories != nil) || tc.count > 1 && len(out.Trajectories) != max(1, (tc.count+5)/10) {
				t.Fatalf("of %d trajectories of %d frames, %+v is kept out", tc.count, frames, out)
			}
			for e := range tc.count {
				from := 0
				if tc.count == 1 {
					from = frames - c.Data.KeptOut.Frames
				} else if !slices.Contains(c.Data.KeptOut.Trajectories, e) {
					continue
				}
				other := train(enlarged(own, e, from), 1)
				if other.Model.Data == whole.Model.Data {
					t.Errorf("other frames in trajectory %d have the same digest", e)
				}
				other.Model.Data = whole.Model.Data
				sameModel(t, fmt.Sprintf("with other frames in trajectory %d, from %d on", e, from), other.Model, whole.Model)
				if a, b := measure(whole), measure(other); !(a > 0) || !(b > 0) || a == b {
					t.Errorf("the validation measures %g, and %g on other trajectories", a, b)
				}
			}
			for e := range min(tc.count, 3) {
				if slices.Contains(c.Data.KeptOut.Trajectories, e) {
					continue
				}
				if other := train(enlarged(own, e, 0), 0); slices.Equal(other.Model.Weights.Params, whole.Model.Weights.Params) {
					t.Errorf("trajectory %d trains nothing", e)
				}
			}
		})
	}
}

// TestKeptOutIsKeptOut resumes a training on the user's trajectories from a checkpoint. It must keep the
// same trajectories out. A checkpoint that does not say which, as older ones do not, must continue as it
// began, and say so.
func TestKeptOutIsKeptOut(t *testing.T) {
	c, sys := tiny("particles/flow")
	own := toyOf(sys).record(12, 8, true, true, "energy")
	c = c.ForData(own, 1)
	l := newLive(t, c, sys, own, 0)
	trainTo(t, l, 2)
	saved := fileOf(t, l.Checkpoint())
	f := read(t, saved)
	if got, want := f.Metadata["config.validation"], fmt.Sprint(c.Data.KeptOut.Trajectories[0]); got != want {
		t.Errorf("the checkpoint lists %q, want %q", got, want)
	}
	again, err := ResumeLive(toys(), f, own, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	finish(t, again)
	if other, err := ResumeLive(toys(), read(t, saved), enlarged(own, 5, 3), nil, time.Now); err == nil {
		for range 1000 {
			if err = other.Work(0); err != nil || other.Stage() == Done {
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), "not the data on which the training began") {
			t.Errorf("with another trajectory 5, a resumed training says %v", err)
		}
	}
	if out := again.Model.Config.Data.KeptOut; !slices.Equal(out.Trajectories, c.Data.KeptOut.Trajectories) || again.Model.Config.Data.Doubt() != "" {
		t.Errorf("a resumed training keeps %+v out, and says %q", out, again.Model.Config.Data.Doubt())
	}
	if _, err := ResumeLive(toys(), read(t, saved), toyOf(sys).record(max(1, c.Data.KeptOut.Trajectories[0]), 8, true, true, "energy"), nil, time.Now); err == nil {
		t.Error("a training resumes without the trajectory that it keeps out")
	}

	old := read(t, saved)
	delete(old.Metadata, "config.validation")
	older, err := ResumeLive(toys(), old, own, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	finish(t, older)
	if older.Model.Config.Data.Doubt() == "" || older.Curves.MRE.Last() == again.Curves.MRE.Last() {
		t.Errorf("an older checkpoint says %q, and its validation is the same", older.Model.Config.Data.Doubt())
	}
}

// TestLengths trains on the user's trajectories of different lengths, on the command line and on a page with a helper.
// Both give the same bits, and stage II draws nothing behind the end of a trajectory.
func TestLengths(t *testing.T) {
	for _, pair := range []string{"particles/flow", "mixing/flow"} {
		c, sys := tiny(pair)
		own := toyOf(sys).record(12, 8, true, true, c.Data.Observable)
		for e := range own.of {
			run := &own.of[e]
			frames := own.toy.frames
			there := frames - e%3
			run.Points, run.Macro = run.Points[:there*len(run.Points)/frames], run.Macro[:there*len(run.Macro)/frames]
		}
		c = c.ForData(own, c.Variables)
		r := newRun(t, c, sys, own, 2)
		drive(t, r, 0)
		l := newLive(t, c, sys, own, 1)
		pool := newTestHelpers(t, 1)
		for l.Stage() != Done {
			if err := pool.turn(l); err != nil {
				t.Fatalf("%s: %v", pair, err)
			}
		}
		sameModel(t, pair+" on a page", l.Model, r.Model)
		d, ok := r.data.(*states)
		if !ok {
			t.Fatalf("%s: the last phase has the data %T", pair, r.data)
		}
		for e := range d.trajectories {
			for i := e*d.frames*d.dim + len(d.of(d.z, e)); i < (e+1)*d.frames*d.dim; i++ {
				d.z[i] = float32(math.NaN())
			}
		}
		w := newStretches(r.Model, c.Dynamics.Velocity, "steps", d)
		for step := range 50 {
			w.draw(step, 0)
			if slices.ContainsFunc(w.z, func(v float32) bool { return v != v }) {
				t.Fatalf("%s: step %d trains on frames that are not there", pair, step)
			}
		}
	}
}

// TestCalibrated trains a described system with noise. At the end its bands are stretched by the trajectories that were
// kept out, on the command line and on a page alike.
func TestCalibrated(t *testing.T) {
	c, sys := tiny("mixing/flow")
	own := toyOf(sys).record(12, 8, true, true, c.Data.Observable)
	c = c.ForData(own, c.Variables)
	for _, described := range []bool{true, false} {
		r, l := newRun(t, c, sys, own, 2), newLive(t, c, sys, own, 0)
		if described {
			r.Model.Config.Traits.Description, l.Model.Config.Traits.Description = map[string]string{}, map[string]string{}
		}
		drive(t, r, 0)
		if err := r.Calibrate(work.Until(t.Context()), own); err != nil {
			t.Fatal(err)
		}
		finish(t, l)
		if a, b := r.Model.Calibration.Stretch, l.Model.Calibration.Stretch; a != b || (a > 1) != described {
			t.Errorf("described %t: bands are stretched by %g, on a page by %g", described, a, b)
		}
	}
}
