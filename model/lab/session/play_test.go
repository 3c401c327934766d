package session_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"macroscope/model/wire"
)

// The function `timed` runs a test in each lab that has time series.
func timed(t *testing.T, test func(t *testing.T, v *visitor)) {
	for _, lab := range names[1:] {
		in(t, lab, test)
	}
}

// TestPlay plays, pauses, steps and seeks. The same frame must always look the same.
func TestPlay(t *testing.T) {
	timed(t, func(t *testing.T, v *visitor) {
		v.press("restart")
		v.set("speed", "4")
		if !v.State().Playing {
			v.press("play")
		}
		if st := v.State(); !st.Playing || st.Labels["play"] != "Pause" || st.Tasks["play"] != wire.Running {
			t.Errorf("it does not play: %+v", st)
		}
		v.turns(5)
		at := v.number("now")
		if at == 0 {
			t.Error("no time passes")
		}
		v.press("play")
		if st := v.State(); st.Playing || st.Labels["play"] != "Play" || st.Tasks["play"] != "" {
			t.Errorf("it plays on: %+v", st)
		}
		at = v.number("now")
		v.turns(5)
		if got := v.number("now"); got != at {
			t.Errorf("paused at frame %g, and at %g later", at, got)
		}
		v.press("step")
		if got := v.number("now"); got != at+1 || v.State().Values["at"] != strconv.Itoa(int(at)+1) {
			t.Errorf("a step from frame %g leads to %g", at, got)
		}
		v.whole()
		v.settle()
		x, z, p := v.row("x"), v.row("z"), v.row("p")
		v.seek(1)
		v.settle()
		if v.number("now") != 1 || v.number("known") <= 1 || slices.Equal(v.row("x"), x) {
			t.Errorf("frame %g of %g", v.number("now"), v.number("known"))
		}
		v.seek(int(at) + 1)
		v.settle()
		if !slices.Equal(v.row("x"), x) || !slices.Equal(v.row("z"), z) || !slices.Equal(v.row("p"), p) {
			t.Error("the same frame has changed")
		}
		v.press("restart")
		if v.number("now") != 0 || v.State().Playing {
			t.Error("restart of a run that stands does not lead to its beginning")
		}
		end := int(v.number("horizon"))
		v.set("at", strconv.Itoa(end))
		v.settle()
		if st := v.State(); int(v.number("now")) != end || st.Labels["play"] != "Play again" || st.Max["at"] != float64(end) || len(v.row("mean"))+len(v.row("pred")) == 0 {
			t.Errorf("at the end: frame %g, %+v", v.number("now"), st)
		}
		if v.lab == "particles" { // at frame 0 the MRE is 0, because a prediction begins with the truth
			last := v.number("mre")
			v.seek(0)
			v.settle()
			if first := v.number("mre"); !(last > 1e-9) || !(first < 1e-9) {
				t.Errorf("the MRE is %g in frame 0 and %g at the end", first, last)
			}
			v.seek(end)
			v.settle()
		}
		v.press("step") // a step pauses the run
		if int(v.number("now")) != end {
			t.Error("a step beyond the end")
		}
		v.press("play")
		if v.number("now") != 0 || !v.State().Playing {
			t.Error("it does not begin again")
		}
		v.refuses("", "seek", "", strconv.Itoa(end+1))
		v.settle()
		v.whole()
		if st := v.State(); st.Playing || st.Values["at"] != strconv.Itoa(end) {
			t.Errorf("after playing: %+v", st)
		}
	})
}

// TestSpeed counts the frames that pass in a second.
func TestSpeed(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.set("steps", "300")
		for _, speed := range []float64{0.25, 0.5, 1, 2, 4} {
			v.set("speed", strconv.FormatFloat(speed, 'g', -1, 64))
			v.press("restart")
			if !v.State().Playing {
				v.press("play")
			}
			v.turns(50)
			if got := v.number("now"); math.Abs(got-30*speed) > 2+speed {
				t.Errorf("%g frames in a second at speed %g", got, speed)
			}
		}
	})
}

// TestStages runs the stages of the model one by one.
func TestStages(t *testing.T) {
	timed(t, func(t *testing.T, v *visitor) {
		p, path := "p", "pred"
		switch v.lab {
		case "mixing":
			p, path = "pA", "mean"
		case "polymer":
			path = "mean"
		}
		v.seek(5)
		v.settle()
		v.set("all", "off")
		v.refuses("encode first", wire.Press, "decode", "")
		v.refuses("encode first", wire.Press, "rollout", "")
		for _, tc := range []struct {
			press            string
			active, revealed float64
			has, not         []string
		}{
			{"", 0, 0, nil, []string{"z", p, "kl", path, "zhat"}},
			{"encode", 1, 1, []string{"z"}, []string{p, path}},
			{"decode", 2, 3, []string{"z", p}, []string{path}},
			{"rollout", 3, 7, []string{"z", p, path}, nil},
		} {
			if tc.press != "" {
				v.press(tc.press)
				v.work(10 * time.Millisecond)
			}
			f := v.picture()
			if f.Number("active") != tc.active || f.Number("revealed") != tc.revealed {
				t.Errorf("%s: stage %g is active and %g revealed, want %g and %g", tc.press, f.Number("active"), f.Number("revealed"), tc.active, tc.revealed)
			}
			for _, row := range tc.has {
				if f.Numbers(row) == nil {
					t.Errorf("%s: no %s", tc.press, row)
				}
			}
			for _, row := range tc.not {
				if f.Numbers(row) != nil {
					t.Errorf("%s: there is a %s already", tc.press, row)
				}
			}
			v.whole()
		}
		v.settle()
		if v.number("active") != 0 {
			t.Error("the stage stays active")
		}
		v.press("step")
		if f := v.picture(); f.Number("revealed") != 4 || f.Numbers("z") != nil {
			t.Error("another frame shows what was found of the last")
		}
		v.set("all", "on")
		if f := v.picture(); f.Number("revealed") != 7 || f.Numbers("z") == nil || f.Numbers(p) == nil {
			t.Error("not every stage follows")
		}
	})
}

// TestShuffle checks the paper's main claim: ẑ of the deep set does not change when the
// particles are permuted.
func TestShuffle(t *testing.T) {
	timed(t, func(t *testing.T, v *visitor) {
		v.seek(3)
		v.settle()
		z := v.row("z")
		if v.row("shuffles") != nil || v.Wants() != "" {
			t.Error("something is shuffled already")
		}
		v.press("shuffle")
		v.settle()
		f := v.picture()
		// Summing features in another order changes the last bits.
		if dz := f.Number("dz"); !(dz >= 0 && dz < 1e-3) || f.Number("shuffles") != 1 {
			t.Errorf("ẑ changed by %g", dz)
		}
		if !slices.Equal(v.row("z"), z) || slices.IsSorted(f.Numbers("label")) || figure(v.State(), "dz") == "–" || v.State().Values["colours"] != "on" {
			t.Error("shuffling moves ẑ on show, or nothing is shuffled")
		}
		seen := map[float32]bool{}
		for _, l := range f.Numbers("label") {
			seen[l] = true
		}
		if len(seen) != len(f.Numbers("x"))/2 {
			t.Errorf("%d labels for %d particles", len(seen), len(f.Numbers("x"))/2)
		}
		v.whole()
	})
}

// TestShuffleBesideAnOrderedEncoder compares the effects of a shuffle on model A and on an
// encoder that depends on the order.
func TestShuffleBesideAnOrderedEncoder(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.set("n", "300")
		v.set("steps", "30")
		v.seek(4)
		v.settle()
		v.press("shuffle")
		if got := v.Wants(); got != "models/particles-list.safetensors" {
			t.Fatalf("wants %q", got)
		}
		v.settle()
		if v.row("dzOrdered") != nil {
			t.Error("what has not come is compared with")
		}
		v.fetch()
		v.press("shuffle")
		v.press("shuffle")
		v.settle()
		f := v.picture()
		if a, b := len(f.Numbers("orders")), len(f.Numbers("ordered")); a != 3*31 || b != 3*31 {
			t.Fatalf("predictions of %d and %d frames from three orders", a, b)
		}
		if dz, ordered := f.Number("dz"), f.Number("dzOrdered"); !(dz < 1e-5 && ordered > 1e-3 && ordered > 1000*dz) {
			t.Errorf("ẑ changed by %g, and by %g where it depends on the order", dz, ordered)
		}
		spread := func(x []float32) (most float64) {
			for k := range 31 {
				most = max(most, math.Abs(float64(x[k]-x[31+k])), math.Abs(float64(x[k]-x[62+k])))
			}
			return most
		}
		if a, b := spread(f.Numbers("orders")), spread(f.Numbers("ordered")); !(a < 1e-5 && b > 100*a) {
			t.Errorf("predictions are %g apart, and %g where they depend on the order", a, b)
		}
		v.whole()
		v.set("n", "50")
		if v.row("orders") != nil {
			t.Error("another run has the last one's orders")
		}
		v.press("shuffle")
		v.settle()
		if f := v.picture(); f.Numbers("ordered") != nil || len(f.Numbers("orders")) != 2*31 || !strings.Contains(v.State().Warning, "exactly 300") {
			t.Errorf("warning %q", v.State().Warning)
		}
	})
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.press("shuffle")
		if n := v.miss(); n == nil || !n.Error || v.Wants() != "" {
			t.Errorf("notice %+v", n)
		}
		v.press("shuffle")
		if v.Wants() != "" || v.row("dz") == nil {
			t.Error("the deep set is not shown alone")
		}
	})
}

// TestEps checks that the target follows ε at once.
func TestEps(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		if !v.sampler() {
			v.seek(0)
		}
		eps := v.number("eps")
		if v.sampler() {
			before := slices.Max(v.row("q"))
			v.set("eps", "0.5")
			if after := slices.Max(v.row("q")); !(after < 0.8*before) {
				t.Errorf("the target's peak went from %g to %g", before, after)
			}
		} else {
			before := slices.Clone(v.row("widths"))
			v.set("eps", "0.5")
			for i, after := range v.row("widths") {
				if math.Abs(float64(after)*eps/float64(before[i])/0.5-1) > 1e-5 {
					t.Errorf("along axis %d, kernels of ε %g were %g wide, and of 0.5 %g", i, eps, before[i], after)
				}
			}
		}
		if w := v.State().Warning; !v.sampler() && !strings.Contains(w, "where its range ends, not at your ε = 0.5.") && v.lab != "polymer" { // the lab of polymers warns of the short chain instead
			t.Errorf("warning %q", w)
		}
	})
}

// TestDecodePrediction decodes densities from the predicted ẑ. In frame 0 they must equal
// the densities from the particles' ẑ; later they must differ.
func TestDecodePrediction(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.seek(0)
		v.settle()
		own := v.number("kl")
		v.set("source", "prediction")
		// float32 rounds when ẑ is scaled to [-1, 1] and back.
		if got := v.number("kl"); v.number("source") != 1 || math.Abs(got-own) > 1e-4*own {
			t.Errorf("KL of frame 0 is %g by the predicted ẑ and %g by its own", got, own)
		}
		v.seek(40)
		v.settle()
		predicted := v.number("kl")
		v.set("source", "particles")
		if own := v.number("kl"); own == predicted || math.IsNaN(predicted) {
			t.Errorf("KL of frame 40 is %g both ways", own)
		}
		v.set("samples", "on")
		if got := len(v.row("samples")); got != 600 {
			t.Errorf("samples of %d coordinates", got)
		}
		v.whole()
	})
}

// TestSystems plays every named system of a lab.
func TestSystems(t *testing.T) {
	timed(t, func(t *testing.T, v *visitor) {
		for _, c := range v.controls() {
			if c.ID != "preset" {
				continue
			}
			for _, o := range c.Options {
				if o.Value == "own" {
					continue
				}
				v.set("preset", o.Value)
				v.prepare()
				v.turns(3)
				if st := v.State(); st.Values["preset"] != o.Value || !st.Playing || !finite(st) {
					t.Errorf("%s: %s, playing %v", o.Value, st.Values["preset"], st.Playing)
				}
			}
		}
		v.refuses("no system", wire.Set, "preset", "mud")
		v.set("seed", "77")
		v.prepare()
		v.turns(3)
		first := v.row("x")
		v.press("another")
		v.prepare()
		if v.turns(3); slices.Equal(v.row("x"), first) {
			t.Error("another run is the same")
		}
		if v.whole(); !strings.Contains(v.Fragment(), "&set=1") {
			t.Errorf("the link is %s", v.Fragment())
		}
	})
}

// TestEditParticles drags, adds, removes, clears and draws particles.
func TestEditParticles(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.seek(30)
		v.settle()
		was := v.row("x")
		v.apply("drag", "", "7 0.5 -0.25")
		got := v.row("x")
		if v.number("now") != 0 || v.number("known") != 0 || got[14] != 0.5 || got[15] != -0.25 || !slices.Equal(got[16:], was[16:]) {
			t.Errorf("a dragged particle is at (%g, %g) of frame %g", got[14], got[15], v.number("now"))
		}
		if v.State().Playing {
			t.Error("what is edited plays by itself")
		}
		v.apply(wire.Add, "", "1 1")
		if got := v.row("x"); len(got) != 82 || v.State().Values["n"] != "41" || len(v.row("label")) != 41 {
			t.Errorf("%d coordinates after adding one", len(got))
		}
		v.apply(wire.Remove, "", "0.98 1.01")
		if got := v.row("x"); len(got) != 80 || slices.Contains(got, 1) {
			t.Errorf("%d coordinates after removing one", len(got))
		}
		v.whole()
		v.set("a", "5") // the edits must survive a change of the force
		if got := v.row("x"); got[14] != 0.5 || v.picture().Text("note") == nil {
			t.Error("another force took the edited set away")
		}
		v.set("seed", "2")
		v.seek(0)
		if got := v.row("x"); got[14] == 0.5 || v.picture().Text("note") != nil {
			t.Error("another seed kept the edited set")
		}
		v.set("tool", "move")
		v.press("clear")
		if f := v.picture(); len(f.Numbers("x")) != 0 || len(f.Numbers("label")) != 0 || v.State().Off["play"] == "" {
			t.Errorf("cleared, and there are %d coordinates", len(f.Numbers("x")))
		}
		for _, id := range []string{"play", "step", "restart", "shuffle"} {
			v.refuses("too few particles", wire.Press, id, "")
		}
		v.refuses("", "seek", "", "3")
		for _, what := range []string{"csv", "npz"} {
			if _, _, err := v.Save(what); err == nil {
				t.Errorf("a run of nothing was saved as %s", what)
			}
		}
		v.turns(3)
		v.whole()
		v.set("a", "6")
		if len(v.row("x")) != 0 || v.State().Values["a"] != "6" {
			t.Error("another force brought particles back that had been cleared away")
		}
		v.apply("draw", "", "0 0 0.05 0")
		if len(v.row("x")) == 0 || v.State().Off["play"] == "" {
			t.Error("a short stroke is not shown, or is taken for a run")
		}
		v.apply("draw", "", "0 0 1 0 1 1")
		if n := len(v.row("x")) / 2; n < 150 || n > 190 || v.State().Playing || v.State().Off["play"] != "" {
			t.Errorf("%d particles along a stroke of length 2, playing %v", n, v.State().Playing)
		}
		v.press("play")
		v.turns(10)
		if v.number("now") == 0 {
			t.Error("what was drawn does not move")
		}
		v.whole()
		v.press("clear")
		v.set("preset", "annulus")
		if v.State().Off["play"] != "" || len(v.row("x")) == 0 {
			t.Error("choosing a system brings no particles")
		}
	})
}

// TestClearTakesTheTool checks that clearing the plane selects the tool that draws.
func TestClearTakesTheTool(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.set("tool", "look")
		v.press("clear")
		if got := v.State().Values["tool"]; got != "draw" {
			t.Errorf("the tool is %s", got)
		}
	})
}

// TestEditMixing moves the boundary, and changes the temperature while the run plays.
func TestEditMixing(t *testing.T) {
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.seek(4)
		v.settle()
		v.refuses("outside the box", "boundary", "", "33")
		v.refuses("one species would be empty", "boundary", "", "-1")
		v.refuses("leaves species 2 empty", wire.Set, "boundary", "31.9")
		before, kinds := v.row("x"), v.row("kind")
		v.set("temperature", "5")
		v.set("e12", "2")
		if v.number("now") != 4 || v.number("known") != 4 || !slices.Equal(before, v.row("x")) {
			t.Errorf("frame %g of %g after the change", v.number("now"), v.number("known"))
		}
		if w := v.State().Warning; !strings.Contains(w, "changed in mid-run") {
			t.Errorf("warning %q", w)
		}
		v.seek(8)
		v.settle()
		later := v.row("x")
		v.seek(2)
		if st := v.State(); st.Values["temperature"] != "1" || st.Values["e12"] != "0.7" || v.number("known") != 8 {
			t.Errorf("back before the change: temperature %s, ε %s, %g frames", st.Values["temperature"], st.Values["e12"], v.number("known"))
		}
		v.seek(8)
		v.settle()
		if !slices.Equal(later, v.row("x")) || v.State().Values["temperature"] != "5" {
			t.Error("what happens again is not what happened")
		}
		v.whole()
		v.apply("boundary", "", "10")
		v.prepare()
		if v.number("boundary") != 10 || slices.Equal(kinds, v.row("kind")) {
			t.Errorf("the boundary is at %g", v.number("boundary"))
		}
		v.settle()
		v.whole()
	})
}

// TestMixingExplodes chooses a time step that is too long. The displayed run must stay.
func TestMixingExplodes(t *testing.T) {
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.seek(3)
		v.settle()
		x := v.row("x")
		for _, c := range []wire.Command{{Kind: wire.Set, Name: "dt", Value: "0.1"}, {Kind: wire.Link, Value: small["mixing"] + "&dt=0.1"}} {
			v.said = nil
			if n := v.Apply(c); n != nil && n.Error {
				v.said = append(v.said, n.Text)
			}
			v.prepare()
			v.settle()
			if said := strings.Join(v.said, " "); !strings.Contains(said, "time step") && !strings.Contains(said, "shorter") {
				t.Errorf("said %q", v.said)
			}
			if got := v.State().Values["dt"]; got != "0.002" {
				t.Errorf("the time step is %s", got)
			}
			if c.Kind == wire.Set && !slices.Equal(x, v.row("x")) {
				t.Error("the run is gone")
			}
		}
	})
}

// TestLineSet draws sets, lets them drift, and adds and removes particles. It does the same
// with sets from the user's files.
func TestLineSet(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		var sum float64
		for _, y := range v.row("q") {
			sum += float64(y) * 3.6 / 511
		}
		if math.Abs(sum-1) > 0.01 {
			t.Errorf("the target integrates to %g", sum)
		}
		before := v.row("x")
		v.press("another")
		if slices.Equal(before, v.row("x")) {
			t.Error("another set is the same")
		}
		v.set("set", "0")
		if !slices.Equal(before, v.row("x")) {
			t.Error("the first set does not come back")
		}
		v.set("drift", "on")
		v.turns(50)
		moved := v.row("x")
		if slices.Equal(before, moved) || !v.State().Playing {
			t.Error("nothing moves")
		}
		for i := range moved {
			if math.Abs(float64(moved[i]-before[i])) > 0.2 {
				t.Fatalf("particle %d jumped from %g to %g", i, before[i], moved[i])
			}
		}
		v.whole()
		v.set("drift", "off")
		v.settle()
		v.drop("a.csv", []byte("x\n0.5\n-0.25\n1\n"))
		f := v.picture()
		if !f.On("ownData") || !slices.Equal(f.Numbers("x"), []float32{0.5, -0.25, 1}) || len(f.Numbers("mixture")) != 0 || len(f.Text("note")) == 0 {
			t.Errorf("the picture has %v", f.Numbers("x"))
		}
		z := v.row("z")
		v.apply(wire.Add, "", "-0.75")
		if slices.Equal(z, v.row("z")) || len(v.row("x")) != 4 {
			t.Errorf("after adding: %v, ẑ %v", v.row("x"), v.row("z"))
		}
		v.apply(wire.Remove, "", "0.9")
		if !slices.Equal(v.row("x"), []float32{0.5, -0.25, -0.75}) {
			t.Errorf("after removing the one near 0.9: %v", v.row("x"))
		}
		v.set("position", "0.125")
		v.press(wire.Add)
		if got := v.row("x"); len(got) != 4 || got[3] != 0.125 {
			t.Errorf("after adding at a position: %v", got)
		}
		for range 3 {
			v.press(wire.Remove)
		}
		v.refuses("at least one", wire.Press, wire.Remove, "")
		v.whole()
		v.press("another")
		if f := v.picture(); f.On("ownData") || len(f.Numbers("x")) != 60 {
			t.Error("another set did not bring generated particles back")
		}
		v.drop("far.csv", []byte("100 200 300"))
		f = v.picture()
		w := f.Numbers("window")
		for i, want := range []float32{100, 200, 300} {
			if x := f.Numbers("x")[i]; math.Abs(float64(x-want)) > 1e-3 || x < w[0] || x > w[1] {
				t.Errorf("particle %d at %g, want %g in %v", i, x, want, w)
			}
		}
		sum = 0
		for _, y := range f.Numbers("q") {
			sum += float64(y) * float64(w[1]-w[0]) / 511
		}
		if math.Abs(sum-1) > 0.01 {
			t.Errorf("the target integrates to %g in the visitor's unit", sum)
		}
		v.whole()
	})
}

// TestShuffleNothing presses “shuffle” and then clears the plane. The session is then still
// fetching the model that the shuffle compares with model A.
func TestShuffleNothing(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.press("shuffle")
		v.press("clear")
		v.fetch()
		v.turns(2)
		v.whole()
		v.apply("draw", "", "0 0 1 0 1 1")
		v.press("shuffle")
		v.settle()
		v.whole()
	})
}

// TestModelOfARunThatCannotBegin opens a model while the session prepares a run that cannot
// begin. The model must predict the displayed run.
func TestModelOfARunThatCannotBegin(t *testing.T) {
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.seek(3)
		v.settle()
		v.set("dt", "0.1")
		v.drop("m.safetensors", asset(t, "models/mixing-laptop.safetensors"))
		v.prepare()
		v.settle()
		if v.row("mean") == nil || v.row("zpast") == nil {
			t.Errorf("nothing is predicted, said %q", v.said)
		}
		v.whole()
	})
}

// TestSetPlaying sets whether the run plays. A tour uses this to pause a run that a link has
// restarted. The button Play would toggle the run, and a tour does not know whether the run
// plays.
func TestSetPlaying(t *testing.T) {
	for _, lab := range []string{"particles", "mixing", "polymer"} {
		in(t, lab, func(t *testing.T, v *visitor) {
			v.prepare()
			plays := func(want bool) {
				t.Helper()
				v.prepare()
				if says := v.State().Labels["play"]; (says == "Pause") != want {
					t.Errorf("the button says %q, plays: %v", says, want)
				}
			}
			for range 2 {
				v.set("play", "off")
				plays(false)
			}
			for range 2 {
				v.set("play", "on")
				plays(true)
			}
			v.apply(wire.Link, "", "lab="+lab+"&seed=5") // a link keeps the run playing
			plays(true)
			v.apply(wire.Link, "", "lab="+lab+"&seed=6")
			v.set("play", "off")
			plays(false)
			v.apply(wire.Link, "", "lab="+lab+"&seed=7")
			v.set("play", "on")
			plays(true)
			v.apply(wire.Link, "", "lab="+lab+"&seed=8&frame=1")
			v.set("play", "off")
			plays(false)
		})
	}
}

// TestStagesOfComingFrame opens a link to a frame that is not simulated yet, and at once
// encodes and decodes. Both stages must run when the frame arrives. If another frame is chosen
// in the meantime, they must not run.
func TestStagesOfComingFrame(t *testing.T) {
	for _, lab := range []string{"particles", "mixing", "polymer"} {
		in(t, lab, func(t *testing.T, v *visitor) {
			v.apply(wire.Link, "", "frame=20&all=off")
			v.refuses("encode first", wire.Press, "decode", "")
			v.press("encode")
			v.press("decode")
			v.settle()
			if st := v.State(); st.Values["at"] != "20" || st.Playing || st.Off["rollout"] != "" || v.picture().Number("revealed") != 3 {
				t.Errorf("%s: frame %s, playing %v, %g revealed, %q", lab, st.Values["at"], st.Playing, v.picture().Number("revealed"), st.Off["rollout"])
			}
			v.seek(3)
			if v.settle(); v.picture().Number("revealed") != 0 {
				t.Errorf("%s: %g revealed of another frame", lab, v.picture().Number("revealed"))
			}
			v.apply(wire.Link, "", "frame=20&all=off")
			v.press("encode")
			v.apply(wire.Link, "", "frame=10&all=off")
			if v.settle(); v.picture().Number("revealed") != 0 {
				t.Errorf("%s: %g revealed, which the link before asked for", lab, v.picture().Number("revealed"))
			}
			v.seek(30)
			v.press("encode")
			v.seek(5)
			if v.settle(); v.picture().Number("revealed") != 0 {
				t.Errorf("%s: %g revealed, which was asked for of another frame", lab, v.picture().Number("revealed"))
			}
			v.whole()
		})
	}
}
