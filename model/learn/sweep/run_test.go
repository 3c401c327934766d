package sweep_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/learn/fit"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/sweep"
	training "macroscope/model/learn/train"
	"macroscope/model/system/line"
	"macroscope/model/system/mixing"
	"macroscope/model/system/particles"
	"macroscope/model/work"
)

var systems = method.Systems{line.System(), particles.System()}

// small returns a sweep of two trainings of a few steps.
func small(t *testing.T) *sweep.Run {
	t.Helper()
	of := sweep.Of{
		Spec: method.ParseSpec("line/flow@browser"), Changes: []string{"steps=4", "batch=4", "shards=2", "samples=8", "encoder.hidden=8", "encoder.head=8", "flow.hidden=8", "flow.layers=1"},
		Swept: []sweep.Swept{{Field: "eps", Values: []string{"0.3"}}, {Field: "encoder.zdim", Values: []string{"2"}}}, Grid: true,
	}
	r, err := sweep.NewRun(of, 2, systems, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// train calls Work until a sweep is done, but at most the given number of times.
func train(t *testing.T, r *sweep.Run, most int) {
	t.Helper()
	for k := 0; !r.Done() && k < most; k++ {
		if err := r.Work(time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRoom checks that sweeps too large for a tab are rejected before they begin.
func TestRoom(t *testing.T) {
	values := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint(0.1+float64(i)/1000))
		}
		return list
	}
	for _, tc := range []struct {
		spec, says string
		change     string
		values     int
	}{
		{"particles/flow@quick", "300 steps of 100000 particles", "particles=100000", 1},
		{"line/flow@browser", "take fewer particles", "particles=60000", 1},
		{"line/flow@browser", "48 models", "particles=20, encoder.hidden=4096 4096", 48},
		{"line/flow@browser", "the page cannot answer", "encoder.hidden=2048 2048 2048", 1},
	} {
		of := sweep.Of{Spec: method.ParseSpec(tc.spec), Changes: strings.Split(tc.change, ", "), Swept: []sweep.Swept{{Field: "eps", Values: values(tc.values)}}}
		if _, err := sweep.NewRun(of, 1, systems, time.Now); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s of %s: error %v", tc.change, tc.spec, err)
		}
	}
}

// TestRun compares the figures of a sweep with the figures of single trainings with the same
// seeds. A sweep that is saved during a training, or during a measurement, must end with the
// same figures.
func TestRun(t *testing.T) {
	whole := small(t)
	defer whole.Close()
	train(t, whole, 1<<20)
	got := whole.File().Points
	if len(got) != 1 || len(got[0].Values) != 2 || got[0].At["eps"] != 0.3 || got[0].At["encoder.zdim"] != 2 || got[0].Missing != 0 {
		t.Fatalf("the points are %+v", got)
	}
	c, _, err := sweep.Config(systems, method.ParseSpec("line/flow@browser"), append([]string{"eps=0.3", "encoder.zdim=2"}, "steps=4", "batch=4", "shards=2", "samples=8", "encoder.hidden=8", "encoder.head=8", "flow.hidden=8", "flow.layers=1"))
	if err != nil {
		t.Fatal(err)
	}
	c.Seed = 2
	live, err := fit.NewLive(c, line.System(), nil, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	for live.Stage() != fit.Done {
		if err := live.Work(time.Second); err != nil {
			t.Fatal(err)
		}
	}
	want, err := measure.KL(work.Until(t.Context()), live.Model, 0.3, measure.TestSets, measure.TestSamples, measure.TestSeed)
	if err != nil || got[0].Values[1] != want {
		t.Errorf("%v: the sweep has %v for ε = 0.3 and seed 2, and a training by itself %v", err, got[0].Values[1], want)
	}
	for _, pieces := range []int{3, 7} { // after 3 pieces a training runs, after 7 a measurement
		if testing.Short() && pieces > 3 {
			break
		}
		r := small(t)
		train(t, r, pieces)
		state, models, err := r.Saved(nil)
		r.Close()
		if err == nil {
			r, err = sweep.Restore(state, models, nil, systems, time.Now)
		}
		if err != nil {
			t.Fatalf("after %d pieces: %v", pieces, err)
		}
		train(t, r, 1<<20)
		for i, p := range r.File().Points {
			if !slices.Equal(p.Values, got[i].Values) {
				t.Errorf("saved after %d pieces: %v, want %v", pieces, p.Values, got[i].Values)
			}
			if r.Model(i) == nil {
				t.Errorf("saved after %d pieces: no model at %v", pieces, p.At)
			}
		}
		r.Close()
	}
}

// TestMissing checks that trainings which diverged or have not been measured count as missing, and have no
// value.
func TestMissing(t *testing.T) {
	r := small(t)
	defer r.Close()
	for range 3 { // after two trainings that diverged, none is left
		if p := r.File().Points[0]; p.Missing != 2 || len(p.Values) != 0 {
			t.Errorf("%d missing, values %v", p.Missing, p.Values)
		}
		if err := r.Answered(new(training.Diverged)); err != nil {
			t.Fatal(err)
		}
	}
	if !r.Done() {
		t.Error("a training that diverged is repeated")
	}
}

// TestProgress checks that the share of work done grows from 0 to 1, and that seconds are left in between.
func TestProgress(t *testing.T) {
	r := small(t)
	defer r.Close()
	if p := r.Progress(); p.Share != 0 || p.All != 2 || !math.IsNaN(p.SecsLeft) {
		t.Errorf("before it begins: %+v", p)
	}
	for k := 0; k < 50 && !strings.Contains(r.Progress().Doing, "step 1 of 4"); k++ {
		train(t, r, 1)
	}
	if doing := r.Progress().Doing; !strings.Contains(doing, "training 1 of 2, ") || !strings.Contains(doing, ": the autoencoder learns the density, step 1 of 4") {
		t.Errorf("a training is on its way: %q", doing)
	}
	for last := 0.0; !r.Done(); last = r.Progress().Share {
		if p := r.Progress(); p.Share < last || p.Share > 1 {
			t.Fatalf("the share is %v after %v", p.Share, last)
		} else if p.Done > 0 && !(p.SecsLeft >= 0 && p.SecsLeft < 60) { // a few steps of small networks take far less
			t.Fatalf("%v s are left", p.SecsLeft)
		}
		train(t, r, 1)
	}
	if p := r.Progress(); p.Share != 1 || p.Done != 2 || p.SecsLeft != 0 {
		t.Errorf("in the end: %+v", p)
	}
}

// TestSame checks that sweeps with different numbers of seeds, or with different values,
// are not the same.
func TestSame(t *testing.T) {
	sweepOf := func(seeds int, values ...string) *sweep.Run {
		r, err := sweep.NewRun(sweep.Of{Spec: method.ParseSpec("line/flow@browser"), Swept: []sweep.Swept{{Field: "eps", Values: values}}}, seeds, systems, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := sweepOf(1, "0.1", "0.3")
	if !r.Same(sweepOf(1, "0.1", "0.3")) || r.Same(sweepOf(2, "0.1", "0.3")) || r.Same(sweepOf(1, "0.1")) {
		t.Error("seeds and values do not decide what is the same sweep")
	}
}

// TestRefused checks that impossible sweeps are rejected before any training.
func TestRefused(t *testing.T) {
	for over, says := range map[string]string{"wings=1": "no field", "encoder.act=relu": "no number", "eps=7": "eps", "eps=0.1,0.2,0.3": "at most 48 trainings", "flow.orderseed=1,2": "without flow.order=random", "seed=1,2": "leave seed out"} {
		s, err := sweep.ParseSwept(over)
		if err == nil {
			_, err = sweep.NewRun(sweep.Of{Spec: method.ParseSpec("line/flow@browser"), Swept: []sweep.Swept{s}}, 17, systems, time.Now)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", over, err, says)
		}
	}
	twice := []sweep.Swept{{Field: "eps", Values: []string{"0.1", "0.2"}}, {Field: "eps", Values: []string{"0.3"}}}
	for _, grid := range []bool{true, false} {
		_, err := sweep.NewRun(sweep.Of{Spec: method.ParseSpec("line/flow@browser"), Swept: twice, Grid: grid}, 1, systems, time.Now)
		if (err != nil) != grid || grid && !strings.Contains(err.Error(), "comes twice") {
			t.Errorf("a field twice, in a grid %v: %v", grid, err)
		}
	}
	for _, text := range []string{"", "eps", "eps=", "=1", "eps=1,,2"} {
		if s, err := sweep.ParseSwept(text); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
	r, err := sweep.NewRun(sweep.Of{Spec: method.ParseSpec("particles/flow@quick"), Swept: []sweep.Swept{{Field: "eps", Values: []string{"0.1", "1e-3"}}}}, 1, systems, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.File(); f.Points[1].Published != 5e-5 || f.Points[0].Set != "in-dst" || f.Command != "macroscope sweep -experiment particles/flow@quick -over eps=0.1,1e-3 -seeds 1 -trajectories 100" {
		t.Errorf("%+v", f)
	}
	// The command shares its trajectories among the tests, and the page has only the first test.
	r, err = sweep.NewRun(sweep.Of{Spec: method.ParseSpec("mixing/flow@browser"), Swept: []sweep.Swept{{Field: "eps", Values: []string{"0.1"}}}}, 1, method.Systems{mixing.System()}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.File(); !strings.HasSuffix(f.Command, " -trajectories 500") {
		t.Errorf("the command is %s", f.Command)
	}
}

func Example() {
	s, _ := sweep.ParseSwept("eps = 0.03, 0.1")
	of := sweep.Of{Spec: method.ParseSpec("line/flow@browser"), Swept: []sweep.Swept{s}, Changes: []string{"steps=400"}}
	list, _ := of.Configurations(systems)
	for _, k := range list {
		fmt.Println(k.Name, k.At, k.Steps)
	}
	fmt.Println(of.Args())
	// Output:
	// ε = 0.03 map[encoder.zdim:8 eps:0.03] 400
	// ε = 0.1 map[encoder.zdim:8 eps:0.1] 400
	// [-experiment line/flow@browser -over eps=0.03,0.1 -set steps=400]
}
