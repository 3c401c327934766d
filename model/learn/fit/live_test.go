package fit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/learn/estimate"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/learn/train"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
)

// testHelpers are helpers in the training's own goroutine. An answer waits until the training
// takes it, as in a browser.
type testHelpers struct {
	t       testing.TB
	helpers []*Helper
	answers [][]answer
	given   map[uint32]int                            // number of jobs that the helpers have got, by kind
	change  func(k int, kind uint32, a answer) answer // may change an answer before the training gets it
}

type answer struct {
	kind   uint32
	result []byte
	err    error
}

func newTestHelpers(t testing.TB, n int) *testHelpers {
	p := &testHelpers{t: t, given: map[uint32]int{}, answers: make([][]answer, n)}
	for range n {
		p.helpers = append(p.helpers, NewHelper(toys()))
	}
	return p
}

// turn does what a worker does in one turn: it gives jobs, works, and takes answers.
func (p *testHelpers) turn(l *Live) error {
	for k, h := range p.helpers {
		for len(p.answers[k]) < 2 {
			job := l.Pool.Job(k)
			if job == nil {
				break
			}
			kind := kindOf(job)
			p.given[kind]++
			words := 0
			result, err := h.Do(job, func() { words++ })
			if err != nil {
				p.t.Errorf("helper %d: %v", k, err)
			}
			if words == 0 && kind != jobModel {
				p.t.Errorf("helper %d says nothing while it does a job of kind %d", k, kind)
			}
			a := answer{kind, slices.Clone(result), err}
			if p.change != nil {
				a = p.change(k, kind, a)
			}
			p.answers[k] = append(p.answers[k], a)
		}
	}
	if err := l.Work(0); err != nil {
		return err
	}
	for k := range p.helpers {
		if len(p.answers[k]) > 0 {
			a := p.answers[k][0]
			p.answers[k] = p.answers[k][1:]
			if err := l.Pool.Done(k, a.result, a.err); err != nil {
				return err
			}
		}
	}
	return nil
}

// lose removes helper k and adds a new helper in its place.
func (p *testHelpers) lose(l *Live, k int) {
	l.Pool.Lost(k)
	p.helpers[k], p.answers[k] = NewHelper(toys()), nil
}

func kindOf(job []byte) (kind uint32) {
	reading(job).numbers(&kind)
	return kind
}

func newLive(t testing.TB, c method.Config, sys *system.System, own system.Recorded, helpers int) *Live {
	t.Helper()
	l, err := NewLive(c, sys, own, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	prepare(t, l, helpers)
	return l
}

// prepare makes the training share all its steps with helpers. Otherwise the training would not
// share short steps.
func prepare(t testing.TB, l *Live, helpers int) {
	l.Pool.worth = -1
	l.Pool.SetHelpers(helpers)
	t.Cleanup(l.Close)
}

func finish(t testing.TB, l *Live) {
	t.Helper()
	for range 1_000_000 {
		if l.Stage() == Done {
			return
		}
		if err := l.Work(time.Second); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("no end")
}

// steps returns the number of steps taken in all phases.
func (l *Live) steps() int {
	c := l.Model.Config
	n := 0
	for p, steps := range []int{Autoencoder: c.Steps, Velocity: c.Dynamics.Velocity.Steps, Rollout: c.Dynamics.Rollout.Steps} {
		if Stage(p) < l.Stage() && (l.Stage() < Done || c.HasDynamics()) {
			n += steps
		}
	}
	return n + l.Step()
}

// trainTo trains until all phases together have taken the given number of steps.
func trainTo(t testing.TB, l *Live, steps int) {
	t.Helper()
	for range 1_000_000 {
		if l.steps() >= steps || l.Stage() == Done {
			return
		}
		if err := l.Work(0); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("training never gets to step %d", steps)
}

// TestLiveIsARun trains in short pieces, as a page does. It trains without helpers, and with
// helpers that are sometimes lost. The file must equal the file of a training on the command line.
func TestLiveIsARun(t *testing.T) {
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		r := newRun(t, c, sys, nil, 2)
		drive(t, r, 0)
		want := fileOf(t, r.Checkpoint())
		for helpers := range 4 {
			l := newLive(t, c, sys, nil, helpers)
			pool := newTestHelpers(t, helpers)
			for turn := 0; l.Stage() != Done; turn++ {
				if err := pool.turn(l); err != nil {
					t.Fatal(err)
				}
				if helpers > 1 && turn%17 == 11 {
					pool.lose(l, turn%helpers)
				}
				if turn > 100_000 {
					t.Fatalf("%d helpers: no end", helpers)
				}
			}
			sameModel(t, fmt.Sprint(helpers, " helpers"), l.Model, r.Model)
			if !bytes.Equal(fileOf(t, l.Checkpoint()), want) {
				t.Errorf("%d helpers: another file", helpers)
			}
			for _, kind := range []uint32{jobModel, jobTrajectory, jobShards} {
				if (pool.given[kind] > 0) != (helpers > 0 && c.HasDynamics()) {
					t.Errorf("%d helpers: jobs by kind %v", helpers, pool.given)
				}
			}
			if l.Pool.Helpers() != 0 || helpers > 0 && l.Pool.Job(0) != nil {
				t.Error("a training that has ended has work for helpers")
			}
		}
	})
}

// TestHelpersThatFail has a helper that answers with errors or nonsense from a certain job
// on. The training must do that work itself and give the helper no more jobs.
func TestHelpersThatFail(t *testing.T) {
	for _, pair := range []string{"particles/flow", "particles/ae-aug", "mixing/flow"} {
		c, sys := tiny(pair)
		want := newLive(t, c, sys, nil, 0)
		finish(t, want)
		for name, bad := range map[string]answer{
			"an error": {err: errors.New("out of memory")}, "nothing": {}, "nonsense": {result: make([]byte, 9)}, "too much": {result: make([]byte, 1<<16)},
		} {
			for _, fine := range []int{0, 1, 2, 4, 9, 14} {
				jobs := 0
				l := newLive(t, c, sys, nil, 2)
				pool := newTestHelpers(t, 2)
				pool.change = func(k int, kind uint32, a answer) answer {
					if k == 0 {
						if jobs++; jobs > fine && (name != "nothing" || kind != jobModel) {
							return bad
						}
					}
					return a
				}
				for l.Stage() != Done {
					if err := pool.turn(l); err != nil {
						t.Fatalf("%s, %s after %d jobs: %v", pair, name, fine, err)
					}
				}
				sameModel(t, fmt.Sprintf("%s, %s after %d jobs", pair, name, fine), l.Model, want.Model)
				// A job or two may have been given before the bad answer was read.
				if jobs > fine+3 {
					t.Errorf("%s: %d jobs, the last good one was number %d", name, jobs, fine)
				}
			}
		}
	}
}

// TestAnswersOfOtherSets answers with well-formed frames that the encoder cannot take. The
// training must reject the helper and must not panic.
func TestAnswersOfOtherSets(t *testing.T) {
	for _, pair := range []string{"particles/flow", "particles/ae-aug", "mixing/flow", "mixing/ae-aug"} {
		c, sys := tiny(pair)
		want := newLive(t, c, sys, nil, 0)
		finish(t, want)
		particles := 9
		if pair == "mixing/ae-aug" {
			particles = 7 // the number of particles is as expected, but the sets have other sizes
		}
		other := sys.Simulated(system.Choice{Purpose: system.Train, Seed: 5, Count: 20, Particles: particles}).(*toySource)
		var foreign *system.Trajectory
		for i := 0; foreign == nil || c.Encoder.Ordered() && particles == 7 && foreign.Species[3] == 1 && foreign.Species[4] == 2; i++ {
			foreign = other.toy.make(other.choice, i)
		}
		wrong := 0
		l := newLive(t, c, sys, nil, 1)
		pool := newTestHelpers(t, 1)
		pool.change = func(_ int, kind uint32, a answer) answer {
			if kind != jobTrajectory || wrong > 0 {
				return a
			}
			wrong++
			k := newFrames(l.Model, l.src.Shape()).item().(*framesItem)
			k.keptFrames = keptFrames{at: []int{0}, moments: newMoments(c.Variables)}
			var f system.Frame
			for _, i := range k.kept {
				sys.Frame(&f, foreign, i, 2)
				k.points = append(k.points, f.Points...)
				k.at, k.ends = append(k.at, len(k.points)), append(k.ends, f.Ends...)
			}
			k.moments.addMacro([]float64{1, 2, 3, 4})
			var m message
			k.pass(&m)
			return answer{result: m.b}
		}
		for l.Stage() != Done {
			if err := pool.turn(l); err != nil {
				t.Fatal(err)
			}
		}
		if wrong != 1 {
			t.Errorf("%s: %d wrong answers", pair, wrong)
		}
		sameModel(t, pair, l.Model, want.Model)
	}
}

// TestLiveResumes interrupts a training in the middle of every phase, between two phases
// and while data are being read. It continues the training in a page and on the command
// line. The bits must be the same as without the interruption.
func TestLiveResumes(t *testing.T) {
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		whole := newLive(t, c, sys, nil, 0)
		finish(t, whole)
		first, second := c.Steps, c.Steps+c.Dynamics.Velocity.Steps
		at := []struct{ steps, pieces int }{{0, 0}, {0, 5}, {1, 0}, {4, 1}, {first - 1, 0}}
		if c.HasDynamics() {
			at = append(at, []struct{ steps, pieces int }{{first, 0}, {first, 40}, {first + 3, 0}, {second - 1, 3}}...)
		}
		if c.Dynamics.Rollout.Steps > 0 {
			at = append(at, []struct{ steps, pieces int }{{second, 0}, {second + 2, 1}, {second + c.Dynamics.Rollout.Steps, 0}}...)
		}
		for _, at := range at {
			l := newLive(t, c, sys, nil, 0)
			trainTo(t, l, at.steps)
			for range at.pieces {
				if err := l.Work(0); err != nil {
					t.Fatal(err)
				}
			}
			saved := fileOf(t, l.Checkpoint())
			again, err := ResumeLive(toys(), read(t, saved), nil, nil, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(fileOf(t, again.Checkpoint()), saved) && at.steps > 0 {
				t.Errorf("after %+v, the file changes by being read", at)
			}
			if err := again.Work(0); err != nil { // work for a short time and resume once more
				t.Fatal(err)
			}
			if again, err = ResumeLive(toys(), read(t, fileOf(t, again.Checkpoint())), nil, nil, time.Now); err != nil {
				t.Fatal(err)
			}
			prepare(t, again, 1)
			pool := newTestHelpers(t, 1)
			for again.Stage() != Done {
				if err := pool.turn(again); err != nil {
					t.Fatal(err)
				}
			}
			sameModel(t, fmt.Sprintf("resumed after %+v", at), again.Model, whole.Model)
			run, err := Resume(toys(), read(t, saved), Source(&c, sys), 2)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(run.Close)
			drive(t, run, 0)
			sameModel(t, fmt.Sprintf("resumed by the command line after %+v", at), run.Model, whole.Model)
		}
	})
}

// TestItemsResume interrupts a training in every phase and while data are being read. With the
// saved items it continues at once, without reading a trajectory a second time.
func TestItemsResume(t *testing.T) {
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		if !c.HasDynamics() || c.Spec.Method != "flow" {
			return
		}
		whole := newLive(t, c, sys, nil, 0)
		finish(t, whole)
		first, second := c.Steps, c.Steps+c.Dynamics.Velocity.Steps
		for _, at := range []struct{ steps, pieces int }{{0, 40}, {4, 0}, {first, 40}, {first + 1, 0}, {second, 1}} {
			if at.steps >= second && c.Dynamics.Rollout.Steps == 0 {
				continue
			}
			l := newLive(t, c, sys, nil, 0)
			trainTo(t, l, at.steps)
			for range at.pieces {
				if err := l.Work(0); err != nil {
					t.Fatal(err)
				}
			}
			var items [][]byte
			for _, part := range l.Items() {
				items = append(items, part.Bytes())
				if got := wire.Key(items[len(items)-1], nil); got != part.Key {
					t.Errorf("after %+v, an item's key is %s, and %s later", at, part.Key, got)
				}
			}
			again, err := ResumeLive(toys(), read(t, fileOf(t, l.Checkpoint())), nil, nil, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			prepare(t, again, 0)
			broken := slices.Clone(items[0])
			copy(broken[len(broken)-8:], bytes.Repeat([]byte{0xff}, 8)) // the bytes of a NaN
			again.Restore(nil, [][]byte{nil, broken, items[0][:len(items[0])-1], append(slices.Clone(items[0]), 0)})
			if n := len(again.Items()); n > 0 {
				t.Errorf("after %+v, %d malformed items were accepted", at, n)
			}
			again.Restore(nil, append(items, items[0]))
			if n := len(again.Items()); n != len(items) || n == 0 {
				t.Errorf("after %+v, %d of %d items were restored", at, n, len(items))
			}
			if !again.intake.behind() {
				supplies := again.intake.supplies
				sources := slices.Clone(supplies)
				for i := range supplies {
					supplies[i].src = nil // the next step needs no trajectory
				}
				trainTo(t, again, l.steps()+1)
				for i := range supplies {
					supplies[i].src = sources[i].src
				}
			}
			finish(t, again)
			if n := len(again.Items()); n > 0 {
				t.Errorf("%d items are left at the end", n)
			}
			sameModel(t, fmt.Sprintf("resumed after %+v", at), again.Model, whole.Model)
		}
	})
}

// TestLiveOfARun continues a training from the command line in a page.
func TestLiveOfARun(t *testing.T) {
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		whole := newRun(t, c, sys, nil, 1)
		drive(t, whole, 0)
		for _, steps := range []int{3, c.Steps + 2} {
			if steps > total(&c) {
				continue
			}
			r := newRun(t, c, sys, nil, 1)
			drive(t, r, steps)
			l, err := ResumeLive(toys(), read(t, fileOf(t, r.Checkpoint())), nil, nil, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			finish(t, l)
			sameModel(t, fmt.Sprint("after ", steps), l.Model, whole.Model)
		}
	})
}

// TestLiveOnOwnData trains on a user's trajectories. The macroscopic variables come from the file
// or are computed. The training runs alone and with helpers. One helper is lost now and then.
func TestLiveOnOwnData(t *testing.T) {
	for _, tc := range []struct {
		pair         string
		fixed, macro bool
		observable   string
	}{
		{"particles/flow", true, true, "energy"}, {"particles/flow", true, false, "energy"}, {"particles/flow", true, true, "gyration"},
		{"particles/ae-aug", true, false, "gyration"}, {"mixing/flow", false, true, ""}, {"mixing/flow", false, false, ""}, {"mixing/ae-aug", true, false, ""},
	} {
		t.Run(fmt.Sprintf("%s, %s, macro %v", tc.pair, tc.observable, tc.macro), func(t *testing.T) {
			c, sys := tiny(tc.pair)
			own := toyOf(sys).record(9, 8, tc.fixed, tc.macro, tc.observable)
			c = c.ForData(own, len(sys.Variables(tc.observable)))
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
			r := newRun(t, c, sys, own, 2)
			drive(t, r, 0)
			if r.Model.Config.Data.Observable != tc.observable {
				t.Errorf("learns %q", r.Model.Config.Data.Observable)
			}
			for helpers := range 3 {
				l := newLive(t, c, sys, own, helpers)
				pool := newTestHelpers(t, helpers)
				for turn := 0; l.Stage() != Done; turn++ {
					if err := pool.turn(l); err != nil {
						t.Fatal(err)
					}
					if helpers > 0 && turn%19 == 13 {
						pool.lose(l, 0)
					}
				}
				sameModel(t, fmt.Sprint(helpers, " helpers"), l.Model, r.Model)
				if l.intake.own == nil {
					t.Error("own data are forgotten")
				}
			}
			half := newLive(t, c, sys, own, 0)
			trainTo(t, half, c.Steps+2)
			if items := half.Items(); items != nil {
				t.Errorf("%d items of own data are saved", len(items))
			}
			saved := fileOf(t, half.Checkpoint())
			if _, err := ResumeLive(toys(), read(t, saved), nil, nil, time.Now); err == nil || !strings.Contains(err.Error(), "open them again") {
				t.Errorf("own data that are missing: error %v", err)
			}
			again, err := ResumeLive(toys(), read(t, saved), own, nil, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			finish(t, again)
			sameModel(t, "resumed", again.Model, r.Model)
		})
	}
	c, sys := tiny("particles/flow")
	c.Data.Recorded = true
	if _, err := NewLive(c, sys, nil, nil, time.Now); err == nil || !strings.Contains(err.Error(), "open them again") {
		t.Errorf("own data that are missing: error %v", err)
	}
}

// TestLiveDiverges makes a step diverge, with and without a helper. The model must keep the
// weights from before the step, and the training must stop.
func TestLiveDiverges(t *testing.T) {
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		for helpers := range 3 {
			l := newLive(t, c, sys, nil, helpers)
			pool := newTestHelpers(t, helpers)
			for l.Step() < 3 {
				if err := pool.turn(l); err != nil {
					t.Fatal(err)
				}
			}
			at := l.Step()
			l.trainer.Adam.M[0] = float32(math.Inf(1)) // an infinite first moment of Adam spoils the weights in the next step
			var err error
			for err == nil {
				err = pool.turn(l)
			}
			var d *train.Diverged
			if !errors.As(err, &d) || d.Step != at+1 {
				t.Fatalf("%d helpers: error %v, want divergence in step %d", helpers, err, at+1)
			}
			before := fileOf(t, l.Checkpoint())
			if l.Work(time.Second) != err || l.Pool.Helpers() != 0 || l.Pool.Job(0) != nil || l.Step() != at+1 {
				t.Errorf("%d helpers: work goes on after a divergence", helpers)
			}
			for k := range helpers {
				if got := l.Pool.Done(k, nil, nil); got != err {
					t.Errorf("%d helpers: a late answer gives %v", helpers, got)
				}
				l.Pool.Lost(k)
			}
			if !bytes.Equal(fileOf(t, l.Checkpoint()), before) {
				t.Error("the state changes after a divergence")
			}
			if _, err := readRun(toys(), read(t, before)); err == nil {
				t.Error("weights that are not finite can be opened")
			}
		}
	})
}

// TestLiveMeasuresAsATask compares the last error on the validation trajectories with the
// result of a measure.Task. A Task computes with another number of rows, so the results may differ
// by rounding.
func TestLiveMeasuresAsATask(t *testing.T) {
	for _, pair := range []string{"particles/flow", "particles/ae-aug", "particles/flow-tunable"} {
		c, sys := tiny(pair)
		l := newLive(t, c, sys, nil, 0)
		if l.Usable() {
			t.Error("dynamics that have not been trained count as usable")
		}
		finish(t, l)
		m := l.Model.Usual()
		p, err := measure.Task{Model: m, Source: validationSource(m), Count: ValidationCount, Members: 1, Seed: 1, Workers: 2}.Run(work.Until(context.Background()))
		if err != nil {
			t.Fatal(err)
		}
		want, _, _ := measure.Summary(p.MRE())
		curve := &l.Curves.MRE
		if got := curve.Last(); !(math.Abs(got-want) <= 1e-4*want) {
			t.Errorf("%s: MRE %g, want %g", pair, got, want)
		}
		if at := curve.Step; len(at) < 2*measurements || at[len(at)-1] != float32(c.Dynamics.Velocity.Steps+c.Dynamics.Rollout.Steps) || !slices.IsSorted(at) {
			t.Errorf("%s: measured at the steps %v, want %d of them to the end", pair, at, 2*measurements)
		}
		if !l.Usable() {
			t.Error("dynamics that have been trained are not usable")
		}
	}
}

// TestEveryPhaseIsMeasured checks that a phase is measured at its end even if it is too short
// for other measurements.
func TestEveryPhaseIsMeasured(t *testing.T) {
	c, sys := tiny("particles/flow")
	c.Dynamics.Velocity.Steps, c.Dynamics.Rollout.Steps = 1, 1
	l := newLive(t, c, sys, nil, 0)
	finish(t, l)
	if got, want := l.Curves.MRE.Step, []float32{1, 2}; !slices.Equal(got, want) {
		t.Errorf("measured at the steps %v, want %v", got, want)
	}
}

// TestLiveMeasuresEnsembles compares coverage and RMSE with their definitions on the
// same ensembles.
func TestLiveMeasuresEnsembles(t *testing.T) {
	for _, pair := range []string{"mixing/flow", "mixing/flow by species", "mixing/ae-aug"} {
		c, sys := tiny(pair)
		l := newLive(t, c, sys, nil, 0)
		finish(t, l)
		m := l.Model
		const e, members = ValidationCount, validationMembers
		src := validationSource(m).(*toySource)
		frames := src.Shape().Frames
		z0 := make([]float32, e*c.States())
		coder := m.NewCoder()
		var truth [e][]float64
		for i := range e {
			x := src.toy.make(src.choice, i)
			var f system.Frame
			sys.Frame(&f, x, 0, 2)
			coder.States(z0[i*c.States():(i+1)*c.States()], &f, x.At(0, 2))
			truth[i] = x.Macro
		}
		ahead := m.NewForecast(e, members)
		ahead.Begin(z0, 1, 0)
		inside, square, n := 0, 0.0, 0
		for k := 1; k < frames; k++ {
			ahead.Step(m.Weights.DynamicsParams)
			for i := range e {
				for v := range 2 {
					values := make([]float32, members)
					ahead.Macro(values, i, v)
					sum := 0.0
					for _, x := range values {
						sum += float64(x)
					}
					want := float64(float32(truth[i][2*k+v]))
					square += (sum/members - want) * (sum/members - want)
					slices.Sort(values)
					// The 2nd and the 38th of 39 sorted members are the quantiles 2/40 and
					// 38/40.
					if float64(values[1]) <= want && want <= float64(values[members-2]) {
						inside++
					}
					n++
				}
			}
		}
		coverage, rmse := float64(inside)/float64(n), math.Sqrt(square/float64(n))
		if got := l.Curves.Coverage.Last(); math.Abs(got-coverage) > 1e-12 {
			t.Errorf("%s: coverage %g, want %g", pair, got, coverage)
		}
		if got := l.Curves.RMSE.Last(); math.Abs(got-rmse) > 1e-12 {
			t.Errorf("%s: RMSE %g, want %g", pair, got, rmse)
		}
		if at := l.Curves.Coverage.Step; len(at) < measurements || at[len(at)-1] != float32(c.Dynamics.Velocity.Steps) || len(l.Curves.RMSE.Step) != len(at) {
			t.Errorf("%s: measured at the steps %v", pair, at)
		}
	}
}

// TestKLIsMeasured checks that the KL of a sampler's sets is measured at the first step
// and then regularly.
func TestKLIsMeasured(t *testing.T) {
	c, sys := tiny("line/flow")
	c.Steps = 150
	l := newLive(t, c, sys, nil, 0)
	finish(t, l)
	curve := &l.Curves.KL
	if want := []float32{1, 50, 100, 150}; !slices.Equal(curve.Step, want) || slices.ContainsFunc(curve.Value, func(v float32) bool { return infinite(float64(v)) }) {
		t.Errorf("measured %v at %v, want %v", curve.Value, curve.Step, want)
	}
	if got, want := curve.Last(), value(measure.KL(work.Until(t.Context()), l.Model, c.Eps(), measure.ValidationSets, measure.ValidationSamples, c.Seed)); got != want {
		t.Errorf("KL %g, want %g", got, want)
	}
}

// TestProgress checks that the share of work done grows to 1, and that all work has a
// description. The time left must be known once the trial has measured it.
func TestProgress(t *testing.T) {
	words := map[string][]string{
		"line/flow":        {"the autoencoder learns the density"},
		"particles/flow":   {"simulating the first trajectories, 1 of 3", "stage I: the autoencoder learns the density", "simulating and encoding trajectories for the dynamics", "measuring the dynamics on 16", "the dynamics learn the velocity of z", "the dynamics learn long stretches"},
		"particles/ae-aug": {"stage I: the autoencoder learns to restore the sets", "the dynamics learn the velocity of z"},
		"particles/inve":   {"stage I: the encoder learns what makes the next moment predictable"},
		"mixing/flow":      {"stage II: the dynamics learn how z moves", "measuring the dynamics on 16"},
	}
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		clock := time.Unix(0, 0)
		l, err := NewLive(c, sys, nil, nil, func() time.Time {
			clock = clock.Add(time.Millisecond)
			return clock
		})
		if err != nil {
			t.Fatal(err)
		}
		share, said := 0.0, map[string]bool{}
		stage := Autoencoder
		for l.Stage() != Done {
			if err := l.Work(3 * time.Millisecond); err != nil {
				t.Fatal(err)
			}
			p := l.Progress()
			if !(p.Share >= share-1e-9 && p.Share <= 1) || p.Stage < stage {
				t.Fatalf("share %g after %g, %+v", p.Share, share, p)
			}
			share, stage = p.Share, p.Stage
			said[p.Doing] = true
			if p.Staged != strings.HasPrefix(p.Doing, "stage ") {
				t.Errorf("%q begins with a stage: %t", p.Doing, p.Staged)
			}
			if clock.Unix() > 5 && !(p.SecsLeft >= 0) {
				t.Fatalf("%g seconds left: %+v", p.SecsLeft, p)
			}
			if l.Stage() != Done && (p.Step > p.Steps || p.Unit == "" || p.Steps != l.Steps()) {
				t.Fatalf("%+v", p)
			}
		}
		p := l.Progress()
		if p.Share != 1 || p.Stage != Done || p.Doing != "trained" {
			t.Errorf("at the end: %+v", p)
		}
		all := strings.Join(slices.Collect(maps.Keys(said)), "\n")
		expected := words[c.Spec.System+"/"+c.Spec.Method]
		if c.Decoder.Step.On() && c.Decoder.Density() {
			expected = []string{"the autoencoder learns the density and to predict"}
		}
		for _, want := range expected {
			if !strings.Contains(all, want) {
				t.Errorf("never said %q, but\n%s", want, all)
			}
		}
		for _, p := range Phases(&c) {
			if curve := &l.Curves.Loss[p.Stage]; len(curve.Step) == 0 || infinite(curve.Last()) {
				t.Errorf("phase %d left the curve %+v", p.Stage, curve)
			}
		}
	})
}

// TestTimeLeft trains on a machine that is about four times as slow as in the trial. Once the
// training's speed has been measured, the estimated time left must be about right. In the second
// case a run plays at first, and the training gets only a seventh of the worker's time. In the
// third case only the steps are slow, and most of the time is for reading.
func TestTimeLeft(t *testing.T) {
	t.Run("alone", func(t *testing.T) {
		timeLeft(t, 0, map[int]float64{reads: 0.5, steps: 0.02, checks: 0.03}, func(w int, _ int) float64 { return []float64{3, 4, 5}[w%3] })
	})
	t.Run("while a run plays", func(t *testing.T) {
		timeLeft(t, 40, map[int]float64{reads: 0.5, steps: 0.02, checks: 0.03}, func(w int, _ int) float64 { return []float64{3, 4, 5}[w%3] })
	})
	t.Run("slow steps", func(t *testing.T) {
		timeLeft(t, 0, map[int]float64{reads: 8, steps: 0.03, checks: 0.001}, func(_ int, k int) float64 { return map[int]float64{reads: 1, steps: 8, checks: 1}[k] })
	})
}

// timeLeft trains and checks the estimates of the time left. After 10 s there must be an estimate,
// and it must be right within a factor of two. A run plays in the first `plays` seconds. Training
// then gets only one seventh of the time. `secs` contains the true seconds per unit for each kind
// of work. The trial measures shorter times. To get the measured time of a work, timeLeft divides
// the true time by the result of `slower`.
func timeLeft(t *testing.T, plays float64, secs map[int]float64, slower func(work, kind int) float64) {
	c, sys := tiny("particles/flow")
	c.Steps, c.Dynamics.Velocity.Steps, c.Dynamics.Rollout.Steps = 300, 500, 200
	clock, last := 0.0, 0.0
	var truth []estimate.Work // with the true seconds per unit
	expected := func() (done, left float64) {
		for i := range truth {
			w := &truth[i]
			n, all := w.Amount()
			done, left = done+n*w.Wall(w.Secs), left+(all-n)*w.Wall(w.Secs)
		}
		return done, left
	}
	l, err := NewLive(c, sys, nil, nil, func() time.Time {
		done, _ := expected()
		clock, last = clock+done-last, done
		return time.Unix(0, int64(clock*1e9))
	})
	if err != nil {
		t.Fatal(err)
	}
	type look struct{ at, left float64 }
	var looks []look
	for i := range l.estimate.Works {
		w := &l.estimate.Works[i]
		w.Pieces, w.Continues, w.Try = 0, false, func(work.Pause) error {
			clock += secs[w.Kind] / slower(i, w.Kind)
			return nil
		}
	}
	for l.estimate.Try() {
	}
	clock = 0
	truth = slices.Clone(l.estimate.Works)
	for i := range truth {
		truth[i].Secs = secs[truth[i].Kind]
	}
	_, all := expected()
	for l.Stage() != Done {
		began := clock
		l.Shared = clock < plays
		if err := l.Work(0); err != nil {
			t.Fatal(err)
		}
		if l.Stage() == Done {
			break
		}
		if clock < plays {
			clock += 6 * (clock - began)
		}
		if p := l.Progress(); p.Measured {
			looks = append(looks, look{clock, p.SecsLeft})
		} else if clock > 10 {
			t.Fatalf("nothing is measured after %g s", clock)
		}
	}
	if clock < 20 || clock > all+plays {
		t.Fatalf("all of %g s is over after %g s", all, clock)
	}
	for _, at := range looks {
		if left := clock - at.at; at.at > 10 && left > clock/10 && !(at.left > left/2 && at.left < left*2) {
			t.Fatalf("after %g of %g s, %g are left", at.at, clock, at.left)
		}
	}
}

// TestHelpersSaveTime simulates trainings with helpers on a simulated clock. Shards and messages
// take the times measured in a tab; a message has 160 kB. The cases with 8 shards of 4.3 ms are
// like stage I. The cases with 4 shards of 20 ms are like stage II on long stretches. Each training
// must be faster than without helpers by the factor `least`. This factor is below the number of
// workers, because every step waits for its messages.
func TestHelpersSaveTime(t *testing.T) {
	const send, travel, take = 0.1, 0.3, 0.1 // times of a message in ms: at the sender, on its way, and at the receiver
	for _, tc := range []struct {
		shards, helpers int
		shard           float64 // time of a shard in ms
		least           float64 // least speed, relative to a training without helpers
	}{{8, 1, 4.3, 1.8}, {8, 2, 4.3, 2.3}, {8, 3, 4.3, 3.3}, {8, 7, 4.3, 5.6}, {4, 1, 20, 1.85}, {4, 3, 20, 3.6}} {
		c, sys := tiny("particles/flow")
		c.Data.Initial, c.Shards, c.Steps = 0, tc.shards, 1000
		clock := 0.0
		l, err := NewLive(c, sys, nil, nil, func() time.Time { return time.Unix(0, int64(clock*1e6)) })
		if err != nil {
			t.Fatal(err)
		}
		l.Pool.worth = -1
		trainTo(t, l, 1)
		l.Pool.SetHelpers(tc.helpers)
		type message struct {
			at     float64
			result []byte
		}
		helpers, free, answers := make([]*Helper, tc.helpers), make([]float64, tc.helpers), make([][]message, tc.helpers)
		give := func(k int) {
			for len(answers[k]) < 2 {
				job := l.Pool.Job(k)
				if job == nil {
					return
				}
				clock += send
				result, err := helpers[k].Do(job, func() {})
				if err != nil {
					t.Fatal(err)
				}
				open := l.Pool.helpers[k].open
				free[k] = max(free[k], clock+travel) + float64(open[len(open)-1].count)*tc.shard
				answers[k] = append(answers[k], message{free[k] + travel, slices.Clone(result)})
			}
		}
		for k := range helpers {
			helpers[k] = NewHelper(toys())
			give(k)
		}
		const steps = 40
		for clock = 0; l.steps() < 1+steps; {
			next := math.Inf(1)
			for k := range helpers {
				for len(answers[k]) > 0 && answers[k][0].at <= clock {
					m := answers[k][0]
					answers[k] = answers[k][1:]
					clock += take
					if err := l.Pool.Done(k, m.result, nil); err != nil {
						t.Fatal(err)
					}
					give(k)
				}
			}
			for k := range helpers {
				give(k)
				if len(answers[k]) > 0 {
					next = min(next, answers[k][0].at)
				}
			}
			step, waiting := l.steps(), l.trainer.Waiting()
			if err := l.Work(0); err != nil {
				t.Fatal(err)
			}
			if l.steps() != step || l.trainer.Waiting() != waiting {
				clock += tc.shard
			} else {
				clock = max(clock, next)
			}
		}
		alone := float64(tc.shards) * tc.shard
		got := alone * steps / clock
		t.Logf("%d shards of %g ms with %d helpers: %.2f times as fast as alone", tc.shards, tc.shard, tc.helpers, got)
		if !(got >= tc.least) {
			t.Errorf("%d shards of %g ms with %d helpers: %.2f times as fast as alone, want %g", tc.shards, tc.shard, tc.helpers, got, tc.least)
		}
	}
}

// TestShortStepsAreNotShared checks that the training computes a step itself if the step
// takes less time than messages.
func TestShortStepsAreNotShared(t *testing.T) {
	c, sys := tiny("particles/flow")
	for per, shared := range map[time.Duration]bool{worthSharing / 8: false, worthSharing: true} {
		clock := time.Unix(0, 0)
		l, err := NewLive(c, sys, nil, nil, func() time.Time {
			clock = clock.Add(per)
			return clock
		})
		if err != nil {
			t.Fatal(err)
		}
		l.Pool.SetHelpers(1)
		pool := newTestHelpers(t, 1)
		most := 0 // largest number of steps in one call of Work; 1 if steps are shared, because Work returns after a shared step
		for l.Stage() != Done {
			if err := pool.turn(l); err != nil {
				t.Fatal(err)
			}
			from := l.steps()
			if err := l.Work(time.Second); err != nil {
				t.Fatal(err)
			}
			most = max(most, l.steps()-from)
		}
		if (most == 1) != shared {
			t.Errorf("a shard takes %v: %d steps are taken at once", per, most)
		}
		if (pool.given[jobShards] > 0) != shared || pool.given[jobTrajectory] == 0 {
			t.Errorf("a shard takes %v: jobs by kind %v", per, pool.given)
		}
	}
}

// TestSharedStepDoesNotAllocate takes steps with a helper. The test does not count copies
// that a browser makes.
func TestSharedStepDoesNotAllocate(t *testing.T) {
	for _, pair := range []string{"particles/flow", "particles/ae-aug", "mixing/flow"} {
		c, sys := tiny(pair)
		c.Data.Initial, c.Steps = 0, 1000
		l := newLive(t, c, sys, nil, 1)
		helper := NewHelper(toys())
		step := func() {
			for at := l.Step(); l.Step() == at; {
				if job := l.Pool.Job(0); job != nil {
					result, err := helper.Do(job, func() {})
					if err := l.Pool.Done(0, result, err); err != nil {
						t.Fatal(err)
					}
				}
				if l.Step() == at {
					if err := l.Work(0); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for l.Measure() { // complete the trial before the first call of step
		}
		for range 20 {
			step()
		}
		// AllocsPerRun rounds down, so the loss curve's slice may grow once in 50 steps.
		if n := testing.AllocsPerRun(50, step); n > 0 {
			t.Errorf("%s: %v allocations a step", pair, n)
		}
	}
}

// TestAnswerEndsStep lets a helper compute all shards of some steps. Its last answer must end the step, so that
// there are jobs for the next step at once. While only the helper has work, Work must return early.
func TestAnswerEndsStep(t *testing.T) {
	c, sys := tiny("particles/flow")
	c.Data.Initial = 0
	l := newLive(t, c, sys, nil, 0)
	trainTo(t, l, 1)
	l.Pool.SetHelpers(1)
	helper := NewHelper(toys())
	for step := 1; step < 4; step++ {
		if l.Step() != step || l.trainer.Waiting() != c.Shards {
			t.Fatalf("step %d, %d shards wait", l.Step(), l.trainer.Waiting())
		}
		for l.Step() == step {
			job := slices.Clone(l.Pool.Job(0))
			if job == nil {
				t.Fatalf("step %d: no job, and %d shards wait", step, l.trainer.Waiting())
			}
			if l.trainer.Waiting() == 0 {
				for range 3 {
					if err := l.Work(time.Hour); err != nil || l.Step() != step {
						t.Fatalf("error %v, step %d", err, l.Step())
					}
				}
			}
			result, err := helper.Do(job, func() {})
			if err := l.Pool.Done(0, result, err); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCurvesDoNotDependOnHelpers checks that the same measurements are made with and without helpers.
func TestCurvesDoNotDependOnHelpers(t *testing.T) {
	for _, pair := range []string{"particles/flow", "mixing/flow"} {
		c, sys := tiny(pair)
		want := newLive(t, c, sys, nil, 0)
		finish(t, want)
		l := newLive(t, c, sys, nil, 2)
		pool := newTestHelpers(t, 2)
		for l.Stage() != Done {
			if err := pool.turn(l); err != nil {
				t.Fatal(err)
			}
		}
		for name, want := range want.Curves.Named() {
			got := l.Curves.Named()[name]
			if !slices.Equal(got.Step, want.Step) || !slices.Equal(got.Value, want.Value) {
				t.Errorf("%s, %s: %v at %v, want %v at %v", pair, name, got.Value, got.Step, want.Value, want.Step)
			}
		}
	}
}

// TestBeginsWithWeights begins with the weights of a training at another ε. It checks the
// initial weights and the shorter schedule with its lower rate. A resumed training must end
// like an uninterrupted one, and weights of other networks must give an error.
func TestBeginsWithWeights(t *testing.T) {
	for _, pair := range []string{"particles/flow", "particles/ae-aug", "mixing/flow"} {
		c, sys := tiny(pair)
		first := newLive(t, c, sys, nil, 0)
		finish(t, first)
		c.Decoder.Eps = 0.05
		// The networks must keep the scales of their own training.
		first.Model.Scale.Std[0] *= 1.125
		first.Model.Scale.Prepare()
		l, err := NewLive(c, sys, nil, first.Model, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		m := l.Model
		if !slices.Equal(m.Weights.Params, first.Model.Weights.Params) || !slices.Equal(m.Weights.DynamicsParams, first.Model.Weights.DynamicsParams) || !slices.Equal(m.Scale.Std, first.Model.Scale.Std) {
			t.Errorf("%s: it begins with other weights", pair)
		}
		if m.Config.Eps() != 0.05 || m.Config.Steps != 3 || m.Config.Rate >= c.Rate || m.Config.Dynamics.Velocity.Steps != 2 {
			t.Errorf("%s: ε %g, %d steps at %g, then %d", pair, m.Config.Eps(), m.Config.Steps, m.Config.Rate, m.Config.Dynamics.Velocity.Steps)
		}
		trainTo(t, l, 2)
		again, err := ResumeLive(toys(), read(t, fileOf(t, l.Checkpoint())), nil, nil, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		run, err := Resume(toys(), read(t, fileOf(t, l.Checkpoint())), Source(&m.Config, sys), 1)
		if err != nil {
			t.Fatal(err)
		}
		finish(t, l)
		finish(t, again)
		drive(t, run, 0)
		sameModel(t, pair+", resumed", again.Model, m)
		sameModel(t, pair+", resumed by the command line", run.Model, m)
		if m.Scale.Std[0] != first.Model.Scale.Std[0] {
			t.Errorf("%s: the scale of positions changes under a network that trains", pair)
		}
		if slices.Equal(m.Weights.Params, first.Model.Weights.Params) || slices.Equal(m.Weights.DynamicsParams, first.Model.Weights.DynamicsParams) {
			t.Errorf("%s: the weights did not move", pair)
		}
		if _, err := NewLive(with(c, "encoder.zdim=3"), sys, nil, m, time.Now); err == nil || !strings.Contains(err.Error(), "closure variables") {
			t.Errorf("%s: weights of another latent dimension: error %v", pair, err)
		}
	}
	flow, sys := tiny("particles/flow")
	augmented, _ := tiny("particles/ae-aug")
	if _, err := NewLive(augmented, sys, nil, model.New(flow, sys), time.Now); err == nil || !strings.Contains(err.Error(), "another method") {
		t.Errorf("weights of another method: error %v", err)
	}
	if _, err := NewLive(augmented, sys, nil, model.New(with(augmented, "particles=5"), sys), time.Now); err == nil || !strings.Contains(err.Error(), "sets of [5]") {
		t.Errorf("weights for other sets: error %v", err)
	}
	mixing, mix := tiny("mixing/flow")
	if _, err := NewLive(with(mixing, "law.joint=false"), mix, nil, model.New(mixing, mix), time.Now); err == nil || !strings.Contains(err.Error(), "another form") {
		t.Errorf("dynamics of another form: error %v", err)
	}
}

// TestDynamicsOnCodes trains dynamics on an encoder's codes. The result must have the same bits
// as a plain training on the codes, even if the training is resumed in the middle. Training
// another form of dynamics must also be possible.
func TestDynamicsOnCodes(t *testing.T) {
	for _, pair := range []string{"mixing/flow", "particles/flow"} {
		c, sys := tiny(pair)
		r := newRun(t, c, sys, nil, 1)
		drive(t, r, 0)
		m := r.Model
		src := sys.Simulated(system.Choice{Purpose: system.Encode, Seed: 1, Count: 8, Particles: c.Particles})
		codes, err := m.Codes(work.Until(context.Background()), src, 8, 3, 2)
		if err != nil {
			t.Fatal(err)
		}
		c.Seed, c.Dynamics.Trajectories = 5, 5
		c.Dynamics.Velocity.Steps = 12
		l, err := NewLiveDynamics(c, m, nil, codes, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if l.Usable() || l.Stage() != Velocity || l.Pool.Helpers() != 0 {
			t.Errorf("usable %v in phase %d", l.Usable(), l.Stage())
		}
		plain := model.New(c, sys)
		copy(plain.Weights.Params, m.Weights.Params)
		plain.Scale = m.Scale.Clone()
		own := &Run{Model: plain, workers: 2, phases: Phases(&c), at: 1, keeps: forStates, data: &states{model: plain, trajectories: 5, frames: codes.Frames, dim: codes.Variables, z: codes.Z}}
		trainTo(t, l, c.Steps+5)
		saved := fileOf(t, l.Checkpoint())
		share := 0.0
		for l.Stage() != Done {
			if err := l.Work(0); err != nil {
				t.Fatal(err)
			}
			p := l.Progress()
			if !(p.Share >= share-1e-9 && p.Share <= 1) {
				t.Fatalf("share %g after %g", p.Share, share)
			}
			share = p.Share
		}
		drive(t, own, 0)
		sameModel(t, pair+" on codes", l.Model, own.Model)
		if slices.Equal(l.Model.Weights.DynamicsParams, m.Weights.DynamicsParams) || !slices.Equal(l.Model.Weights.Params, m.Weights.Params) {
			t.Error("the dynamics did not move, or the encoder did")
		}
		measured := &l.Curves.MRE
		if c.Traits.Stochastic {
			measured = &l.Curves.Coverage
		}
		if len(measured.Step) < measurements || infinite(measured.Last()) || !l.Usable() {
			t.Errorf("%s: measured %v", pair, measured)
		}
		again, err := ResumeLive(toys(), read(t, saved), nil, codes, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		finish(t, again)
		sameModel(t, pair+" on codes, resumed", again.Model, own.Model)

		// A training can begin with the dynamics of another model.
		from, err := NewLiveDynamics(c, m, m, codes, time.Now)
		if err != nil || !slices.Equal(from.Model.Weights.DynamicsParams, m.Weights.DynamicsParams) {
			t.Errorf("other dynamics to begin with: %v", err)
		}
		if c.Traits.Stochastic {
			if _, err := NewLiveDynamics(with(c, "law.joint=false"), m, m, codes, time.Now); err == nil || !strings.Contains(err.Error(), "weights and not") {
				t.Errorf("dynamics of another form to begin with: %v", err)
			}
			apart, err := NewLiveDynamics(with(c, "law.joint=false"), m, nil, codes, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			finish(t, apart)
		}
		m.Scale.High[1]++
		if _, err := NewLiveDynamics(c, m, nil, codes, time.Now); err == nil || !strings.Contains(err.Error(), "another encoder") {
			t.Errorf("codes of another encoder: %v", err)
		}
		m.Scale.High[1]--
		c.Dynamics.Velocity.Window = codes.Frames
		if _, err := NewLiveDynamics(c, m, nil, codes, time.Now); err == nil || !strings.Contains(err.Error(), "stretches of") {
			t.Errorf("stretches longer than the codes: %v", err)
		}
		stageOne := newLive(t, r.Model.Config, sys, nil, 0)
		trainTo(t, stageOne, 2)
		stageOne.Model.Scale = m.Scale.Clone()
		if _, err := ResumeLive(toys(), stageOne.Checkpoint(), nil, codes, time.Now); err == nil || !strings.Contains(err.Error(), "stage I") {
			t.Errorf("stage I on codes: %v", err)
		}
	}
}

// TestLastOf checks which of the user's trajectories are for validation if none is kept out of training,
// as in older checkpoints. Validation uses the first trajectories after the training trajectories. If too few are left, it uses the last
// trajectories of the file, although some of them are also for training.
func TestLastOf(t *testing.T) {
	for _, tc := range []struct{ one, two, all, first, count int }{{5, 3, 40, 5, 16}, {3, 5, 40, 5, 16}, {40, 40, 40, 24, 16}, {30, 2, 40, 24, 16}, {3, 3, 3, 0, 3}, {1, 1, 3, 0, 3}} {
		c := &method.Config{Data: method.Data{Trajectories: tc.one}, Dynamics: method.Dynamics{Trajectories: tc.two}}
		if first, count := lastOf(c, tc.all); first != tc.first || count != tc.count {
			t.Errorf("%+v: %d from %d on", tc, count, first)
		}
	}
}

// TestRestoredCurves continues with the curves of a saved session, and with a measurement that
// was unfinished when the session was saved.
func TestRestoredCurves(t *testing.T) {
	c, sys := tiny("mixing/flow")
	l := newLive(t, c, sys, nil, 0)
	trainTo(t, l, c.Steps+1)
	for !l.Measuring() {
		if err := l.Work(0); err != nil || l.Stage() == Done {
			t.Fatal(err)
		}
	}
	saved, curves := fileOf(t, l.Checkpoint()), l.Curves
	for _, curve := range curves.Named() {
		curve.Restore(slices.Clone(curve.Step), slices.Clone(curve.Value), curve.Every)
	}
	again, err := ResumeLive(toys(), read(t, saved), nil, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	again.Restore(&curves, nil)
	finish(t, l)
	finish(t, again)
	for name, want := range l.Curves.Named() {
		got := again.Curves.Named()[name]
		if !slices.Equal(got.Step, want.Step) || !slices.Equal(got.Value, want.Value) {
			t.Errorf("%s: %v at %v, want %v at %v", name, got.Value, got.Step, want.Value, want.Step)
		}
	}
	if n := len(l.Curves.Named()); n != 7 {
		t.Errorf("%d curves", n)
	}
}

// TestResumeOfASimulationReadsNoFile checks that a training on simulations continues on
// simulations, even if the user's trajectories are displayed.
func TestResumeOfASimulationReadsNoFile(t *testing.T) {
	c, sys := tiny("mixing/flow")
	own := toyOf(sys).record(6, 7, true, true, "energy")
	live, err := NewLive(c, sys, nil, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	f := live.Checkpoint()
	live.Close()
	again, err := ResumeLive(toys(), f, own, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.src == system.Source(own) || again.intake.own != nil {
		t.Error("the file on show is read")
	}
}
