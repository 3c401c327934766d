package session_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"macroscope/model/file/data"
	"macroscope/model/wire"
)

// TestOpen opens each lab, and checks the state and the picture before and after the model
// arrives.
func TestOpen(t *testing.T) {
	for _, tc := range []struct {
		lab, wants string
		rows       map[string]int // numbers of values in rows after the model has arrived
	}{
		{wire.Demo, "models/line-flow-tunable.safetensors", map[string]int{"x": 200, "mixture": 512, "q": 512, "p": 512, "z": 8, "kl": 1}},
		{"particles", "models/particles-flow-tunable.safetensors", map[string]int{
			"x": 600, "label": 300, "widths": 2, "q": 0, "p": 112 * 112, "z": 8, "zhat": 8, "pred": 301, "zfuture": 301 * 8, "samples": 0, "predB": 0, "shuffles": 0}},
		{"mixing", "models/mixing-flow-tunable.safetensors", map[string]int{
			"x": 2 * 529, "kind": 529, "label": 529, "window": 4, "widths": 2, "qA": 0, "pB": 224 * 224, "z": 2, "names": 0,
			"mean": 2 * 501, "low": 2 * 501, "high": 2 * 501, "paths": 6 * 2 * 501, "coverage": 1, "nominal": 1, "boundary": 1}},
		{"polymer", "models/polymer-flow-tunable.safetensors", map[string]int{
			"x": 200, "label": 100, "window": 4, "grid": 2, "widths": 2, "q": 0, "p": 112 * 28, "z": 3, "names": 0,
			"mean": 1001, "low": 1001, "high": 1001, "paths": 6 * 1001, "coverage": 1, "nominal": 1, "rate": 1}},
	} {
		in(t, tc.lab, func(t *testing.T, _ *visitor) {
			v := newcomer(t, tc.lab)
			if got := v.Wants(); got != tc.wants {
				t.Fatalf("wants %q, not %q", got, tc.wants)
			}
			if v.Lab() != tc.lab || v.Panel().Lab != tc.lab || v.State().Lab != tc.lab {
				t.Errorf("the lab is %s, %s in its panel, %s in its state", v.Lab(), v.Panel().Lab, v.State().Lab)
			}
			v.prepare()
			v.turns(10)
			st := v.State()
			if st.Summary == "" || !finite(st) || st.Status != "idle" || st.Kernel == "" {
				t.Errorf("before the model is there: state %+v", st)
			}
			if !v.sampler() && (!st.Playing || v.number("now") < 1 || st.Off["encode"] == "" || st.Model != "") {
				t.Errorf("before the model is there it stands at frame %g: %+v", v.number("now"), st)
			}
			v.fetch()
			if v.Wants() != "" {
				t.Errorf("it still wants %s", v.Wants())
			}
			v.turns(40)
			if !v.sampler() {
				v.press("play")
			}
			v.settle()
			f := v.picture()
			for row, want := range tc.rows {
				if got := len(f.Numbers(row)); got != want {
					t.Errorf("row %s has %d numbers, want %d", row, got, want)
				}
			}
			st = v.State()
			if !finite(st) || !strings.HasPrefix(st.Model, "shipped with the lab. ") || len(runsHere(st)) != 1 || runsHere(st)[0].Shown != "a" || st.Warning != "" {
				t.Errorf("state %+v", st)
			}
			low, mean, high := f.Numbers("low"), f.Numbers("mean"), f.Numbers("high")
			for i := range mean {
				if !(low[i] <= mean[i] && mean[i] <= high[i]) {
					t.Fatalf("at %d the band goes from %g to %g and the mean is %g", i, low[i], high[i], mean[i])
				}
			}
			v.whole()
		})
	}
}

// TestWithoutTheShippedModel opens labs with a shipped model that cannot be fetched.
func TestWithoutTheShippedModel(t *testing.T) {
	for _, lab := range names {
		in(t, lab, func(t *testing.T, _ *visitor) {
			v := newcomer(t, lab)
			v.apply(wire.Link, "", small[lab])
			if n := v.miss(); n == nil || !n.Error || !sentence(n.Text) || v.Wants() != "" {
				t.Errorf("notice %+v, wants %q", n, v.Wants())
			}
			if v.sampler() {
				if v.Status() != wire.Idle || v.State().Labels["train"] != "Train" {
					t.Errorf("status %v, the button says %s", v.Status(), v.State().Labels["train"])
				}
				return
			}
			v.prepare()
			v.turns(10)
			st := v.State()
			if v.number("now") == 0 && !st.Playing || !strings.Contains(st.Warning, "no model") || !strings.Contains(st.Off["encode"], "no model") {
				t.Errorf("state %+v", st)
			}
			for _, id := range []string{"encode", "keep"} {
				v.refuses("no model", wire.Press, id, "")
			}
			if _, _, err := v.Save(wire.Model); err == nil {
				t.Error("a model that is not there was saved")
			}
		})
	}
}

// TestBrokenModels fetches files that contain no model, or a model of another lab.
func TestBrokenModels(t *testing.T) {
	for _, lab := range names {
		other := "models/particles-laptop.safetensors"
		if lab == "particles" {
			other = "models/mixing-laptop.safetensors"
		}
		for name, b := range map[string][]byte{"nothing": nil, "garbage": []byte("12345678{"), "another lab's": asset(t, other)} {
			in(t, lab, func(t *testing.T, _ *visitor) {
				v := newcomer(t, lab)
				v.apply(wire.Link, "", small[lab])
				if n := v.Fetched(v.Wants(), b, nil); n == nil || !n.Error || !sentence(n.Text) {
					t.Errorf("%s: notice %+v", name, n)
				}
				v.prepare()
				v.turns(2)
				v.picture()
			})
		}
	}
}

// TestFetchedTooLate gives files to a session that has not requested them. The files must change
// nothing.
func TestFetchedTooLate(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		before := v.is()
		for _, name := range []string{"", "models/other.safetensors", "models/particles-laptop.safetensors"} {
			if n := v.Fetched(name, []byte("anything"), nil); n != nil || v.is() != before {
				t.Errorf("%q was taken: %+v", name, n)
			}
		}
	})
}

// TestOneNumber checks that the page shows the same number for the same quantity: the control of ε
// must show the ε of the picture, and the control of n the number of drawn particles. Before a
// prediction exists, the page must show no MRE.
func TestOneNumber(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		if eps := v.number("eps"); strconv.FormatFloat(eps, 'g', 6, 64) != v.State().Values["eps"] {
			t.Errorf("ε is %g in the picture and %s in its field", eps, v.State().Values["eps"])
		}
		if v.lab == "mixing" || v.lab == "polymer" { // in these labs the user cannot add particles
			return
		}
		v.apply(wire.Add, "", map[bool]string{true: "0.4", false: "0.1 0.2"}[v.sampler()])
		v.settle()
		per := 2
		if v.sampler() {
			per = 1
		}
		if got, want := v.State().Values["n"], strconv.Itoa(len(v.row("x"))/per); got != want {
			t.Errorf("n is %s and there are %s", got, want)
		}
		if v.sampler() {
			v.drop("own.csv", []byte("0.1,0.2,5,-4"))
			if eps, sigma := v.number("eps"), v.number("sigma"); v.State().Values["eps"] != strconv.FormatFloat(eps, 'g', 6, 64) || sigma <= eps {
				t.Errorf("of wide particles ε is %g, drawn as %g", eps, sigma)
			}
			return
		}
		mre := func() string {
			for _, f := range v.State().Figures {
				if f.ID == "mre" {
					return f.Text
				}
			}
			return ""
		}
		v.apply(wire.Link, "", small[v.lab]+"&frame=0")
		v.settle()
		if v.number("known") != 0 || mre() != "–" {
			t.Errorf("at frame %g of %g MRE is %q", v.number("now"), v.number("known"), mre())
		}
		v.press("step")
		v.settle()
		if mre() == "–" {
			t.Errorf("at frame %g there is no MRE", v.number("now"))
		}
	})
}

// TestVerdict checks that the headline says when a prediction is good, when it fails, and why
// it fails.
func TestVerdict(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		for _, tc := range []struct{ system, says, not string }{
			{"loop", "No verdict: [outside of training|wrong], off by up to **1", "fails"},
			{"annulus", "The prediction **holds**, within **0.", "fails"},
		} {
			v.apply(wire.Link, "", "v=1&lab=particles&frame=0")
			v.fetch()
			v.settle()
			if s := v.State().Summary; strings.Contains(s, "fails") || strings.Contains(s, "holds") {
				t.Errorf("at frame 0 it says %q", s)
			}
			v.set("preset", tc.system)
			v.settle()
			s := v.State().Summary
			if !strings.Contains(s, tc.says) || strings.Contains(s, tc.not) {
				t.Errorf("%s: %q", tc.system, s)
			}
			if strings.Contains(s, "holds") != (tc.system == "annulus") {
				t.Errorf("%s: %q", tc.system, s)
			}
			if why := "trained with a = 4, b = 0.1, and this run has a = 10, b = 0."; strings.Contains(v.State().Warning, why) != (tc.system == "loop") {
				t.Errorf("%s: the warning is %q", tc.system, v.State().Warning)
			}
		}
	})
}

// TestHeadlines checks that the headline explains its number, and that it changes with the
// frame and after a shuffle.
func TestHeadlines(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		first := newcomer(t, v.lab)
		first.apply(wire.Link, "", small[v.lab])
		first.prepare()
		if got := figure(first.State(), "state"); got != "loading" {
			t.Errorf("before the model is here, the state is %s", got)
		}
		for link, says := range map[string]string{
			"eps=0.1&n=1000": "the numbers remember", "eps=0.1&n=1000&zdim=1": "more numbers ẑ", "eps=0.03&n=200": "(a smooth copy of the target has 0.020): more numbers ẑ", "eps=0.01": "They are 0.175 nats apart. ε is narrow: more than half of the KL comes from spikes at single particles, which a few numbers cannot encode. A smooth copy of the target has 0.131 nats.", "eps=0.015&n=40": "more than half of the KL", "eps=0.03&n=60": "nearly all of the KL", "eps=0.3&n=1000": "ε is wide: the target shows where the particles are",
		} {
			v.apply(wire.Link, "", "v=1&lab=demo&seed=1&"+link)
			v.fetch()
			v.whole()
			if s := status(v); !strings.Contains(s, says) {
				t.Errorf("%s: %q, want %q", link, s, says)
			}
		}
	})
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.apply(wire.Link, "", small["particles"]+"&frame=0")
		v.fetch()
		v.settle()
		for frame, says := range []string{0: "The **40 frames** still to be simulated are predicted from this one.", 39: ", with **1 frame** still to be simulated.", 40: ", to the last frame, from **9 numbers** at frame 0."} {
			if says == "" {
				continue
			}
			v.seek(frame)
			v.settle()
			if s := status(v); !strings.Contains(s, says) && !(frame > 0 && !strings.Contains(s, "holds")) {
				t.Errorf("frame %d: %q, want %q", frame, s, says)
			}
		}
	})
	each(t, func(t *testing.T, v *visitor) {
		if v.settle(); v.State().Off["shuffle"] != "" {
			return
		}
		v.press("shuffle")
		v.fetch()
		v.settle()
		if s := status(v); !strings.Contains(s, "Same particles, new numbers.") {
			t.Errorf("after a shuffle: %q", s)
		}
	})
}

// status returns the headline.
func status(v *visitor) string { return v.State().Summary }

// TestParametersInRange changes a parameter of the force. If the parameter is an input of the
// dynamics, the dynamics must continue to predict, and the headline must say that the parameter
// is in range. If it is no input, or its value lies outside the training range, the headline must
// give no verdict.
func TestParametersInRange(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		headline := func(params, a string) string {
			v.apply(wire.Link, "", "v=1&lab=particles&frame=0")
			v.fetch()
			v.set("params", params)
			v.fetch()
			v.set("a", a)
			v.settle()
			return v.State().Summary
		}
		for _, tc := range []struct{ params, a, says, not string }{
			{"a,b", "6", "The prediction **holds**", "outside"}, {"a,b", "6", "inside the trained range of a 2…10, b 0…0.5", "fails"},
			{"a,b", "2.5", "inside the trained range", "fails"}, {"a,b", "12", "No verdict: [outside of training|wrong]", "inside"},
			{"none", "6", "No verdict: [outside of training|wrong]", "inside"},
		} {
			if s := headline(tc.params, tc.a); !strings.Contains(s, tc.says) || strings.Contains(s, tc.not) {
				t.Errorf("%s at a = %s: %q, want %q", tc.params, tc.a, s, tc.says)
			}
		}
		if st := v.State(); !strings.Contains(st.Warning, "trained with a = 4, and this run has a = 6") || st.Values["params"] != "none" {
			t.Errorf("warning %q, parameters %q", st.Warning, st.Values["params"])
		}
		_, file, err := v.Save("npz")
		if err != nil {
			t.Fatal(err)
		}
		if arrays, err := data.ReadNPZ(bytes.NewReader(file), int64(len(file))); err != nil || arrays["a"] == nil || arrays["a"].Float64s()[0] != 6 {
			t.Errorf("the run is saved with a = %v, %v", arrays["a"], err)
		}
		v.set("params", "a,b")
		link := v.Fragment()
		if v.Wants() != "" || len(v.shown().Dynamics.Params) != 2 || !strings.Contains(link, "&params=a,b") {
			t.Errorf("%q is wanted for the link %s, though the model has been here", v.Wants(), link)
		}
		other := newcomer(t, v.lab)
		other.apply(wire.Link, "", link)
		other.fetch()
		if st := other.State(); !strings.Contains(runsHere(st)[0].Detail, "given a 2…10, b 0…0.5") || st.Values["params"] != "a,b" {
			t.Errorf("the link opens %+v", st.Runs)
		}
	})
}

// TestPanel checks that every control has a description and a value that it accepts, and
// that every figure has a description.
func TestPanel(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		panel, st := v.Panel(), v.State()
		if panel.Title == "" || panel.Tagline == "" || panel.Picture == "" || len(panel.Help) == 0 || panel.Accepts == "" || panel.Drop == "" {
			t.Errorf("panel %+v", panel)
		}
		described := map[string]bool{}
		for _, f := range panel.Figures {
			described[f.ID] = f.Label != "" && f.Hint != ""
		}
		for _, f := range st.Figures {
			if !described[f.ID] {
				t.Errorf("figure %s is not described", f.ID)
			}
		}
		ids, keys := map[string]bool{}, map[string]string{}
		for _, c := range v.controls() {
			if c.ID == "" || c.Label == "" || c.Hint == "" || ids[c.ID] {
				t.Errorf("control %+v", c)
			}
			if c.Key != "" && keys[c.Key] != "" {
				t.Errorf("the key %q is of %s and of %s", c.Key, keys[c.Key], c.ID)
			}
			ids[c.ID], keys[c.Key] = true, c.ID
			if c.Kind == wire.Choice && len(c.Options) < 2 {
				t.Errorf("control %s has no choice", c.ID)
			}
			if !valued(c) {
				continue
			}
			value, ok := st.Values[c.ID]
			if !ok {
				t.Errorf("control %s has no value", c.ID)
			}
			if c.Kind == wire.Choice && !slices.ContainsFunc(c.Options, func(o wire.Option) bool { return o.Value == value }) {
				t.Errorf("control %s has the value %q, which is none of its options", c.ID, value)
			}
			if st.Off[c.ID] != "" || value == "own" && c.ID == "preset" {
				continue
			}
			before := v.Fragment()
			if n := v.try(wire.Set, c.ID, value); n != nil && n.Error {
				t.Errorf("control %s does not take its own value %q: %s", c.ID, value, n.Text)
			}
			if after := v.Fragment(); after != before && c.ID != "at" {
				t.Errorf("control %s took its own value %q and the link went from %s to %s", c.ID, value, before, after)
			}
		}
		for id := range st.Labels {
			if !ids[id] && !v.sampler() {
				t.Errorf("a label of %s, which is no control", id)
			}
		}
	})
}

func valued(c wire.Control) bool {
	switch c.Kind {
	case wire.Slider, wire.Range, wire.Number, wire.Field, wire.Choice, wire.Switch:
		return true
	}
	return false
}

// TestControlsRefuse checks that every control rejects invalid values.
func TestControlsRefuse(t *testing.T) {
	bad := []string{"", "NaN", "-Inf", "1e300", "-1e300", "banana", "0x1p4000", "1;2", "\x00", strings.Repeat("9", 400), "1e-400x", "٣"}
	each(t, func(t *testing.T, v *visitor) {
		if !v.sampler() {
			v.seek(5)
		}
		v.settle()
		for _, c := range v.controls() {
			if !valued(c) || c.ID == "name" { // a name may be anything
				continue
			}
			for _, value := range bad {
				if value == "" && (strings.HasPrefix(c.ID, "sweep") && c.Kind == wire.Field || c.ID == "force") { // an empty text selects the preset's values, or the default force
					continue
				}
				v.refuses("", wire.Set, c.ID, value)
			}
			if c.Min < c.Max && (c.Kind == wire.Slider || c.Kind == wire.Range || c.Kind == wire.Number) {
				for _, x := range []float64{c.Min - 1e6, c.Max*1e3 + 1e9} {
					if n := v.try(wire.Set, c.ID, strconv.FormatFloat(x, 'f', -1, 64)); n == nil || !n.Error {
						t.Errorf("%s took %g, its bounds are %g to %g", c.ID, x, c.Min, c.Max)
					}
				}
			}
		}
		for _, c := range []wire.Command{
			{Kind: wire.Set, Name: "colour", Value: "1"}, {Kind: wire.Set}, {Kind: wire.Set, Name: "runA", Value: "nobody"}, {Kind: wire.Set, Name: "runB", Value: "nobody"},
			{Kind: wire.Set, Name: "dropRun", Value: "nobody"}, {Kind: wire.Set, Name: "dropRun", Value: "shipped"}, {Kind: wire.Press, Name: "explode"}, {Kind: wire.Press}, {Kind: "dance"}, {},
			{Kind: wire.Add, Value: "NaN 1"}, {Kind: wire.Add, Value: "1e9 1"}, {Kind: wire.Add, Value: ""}, {Kind: wire.Remove, Value: "x"}, {Kind: "drag", Value: "-1 0 0"}, {Kind: "drag", Value: "0.5 0 0"},
			{Kind: "draw"}, {Kind: "draw", Value: "1 2 3"}, {Kind: "boundary", Value: "1e9"}, {Kind: "boundary", Value: "NaN"}, {Kind: "seek", Value: "-1"}, {Kind: "seek", Value: "1000000"}, {Kind: "seek", Value: "x"},
			{Kind: wire.Restore}, {Kind: wire.Restore, Data: []byte("nonsense")}, {Kind: wire.Save, Name: "x"},
		} {
			if v.sampler() && c.Kind == "seek" && c.Value != "x" {
				continue
			}
			v.refusesAll("", c)
		}
		v.whole()
	})
}

// TestButtons presses every button in a new session, and again during a training. Each button
// must have an effect, or give the reason why it has no effect.
func TestButtons(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		for _, training := range []bool{false, true} {
			if training && (v.lab == "mixing" || v.lab == "polymer") {
				continue // too slow: the clock stands still during Work, so one call of Work would simulate whole trajectories
			}
			for _, c := range v.controls() {
				if c.Kind != wire.Button {
					continue
				}
				w := visit(t, v.lab)
				if training {
					w.press("train")
					w.turns(3)
				}
				w.picture()
				before := w.is()
				off := w.State().Off[c.ID]
				n := w.try(wire.Press, c.ID, "")
				if strings.Contains(off, "Every stage follows") {
					off = "" // the page disables the buttons of single stages, but a press is accepted
				}
				if n != nil && n.Error && !sentence(n.Text) || off != "" && (n == nil || !n.Error) {
					t.Errorf("%s: notice %+v; it is off since %q", c.ID, n, off)
				}
				w.fetch()
				w.turns(2)
				if n == nil && w.is() == before && len(w.AppendFrame(nil)) == 0 {
					t.Errorf("%s does nothing (training %v)", c.ID, training)
				}
				if st := w.State(); !finite(st) {
					t.Errorf("%s: state %+v", c.ID, st)
				}
			}
		}
	})
}

// TestStateChanged checks that StateChanged reports a change of the state, and reports none
// just after the state was read.
func TestStateChanged(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		v.settle()
		v.State()
		if v.StateChanged() {
			t.Error("the state has changed just after it was read")
		}
		v.set("eps", "0.2")
		if !v.StateChanged() {
			t.Error("another ε changes nothing")
		}
		v.State()
		for range 20 {
			v.work(time.Millisecond * 0)
		}
	})
}

// TestFigures checks the figures that the page of mixing shows before the user unfolds more. The
// page must show at least four of five given figures, and no others.
func TestFigures(t *testing.T) {
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.picture()
		folded := map[string]bool{}
		for _, f := range v.Panel().Figures {
			folded[f.ID] = f.Fold
		}
		var shown []string
		for _, f := range v.State().Figures {
			if !f.None && !folded[f.ID] {
				shown = append(shown, f.ID)
			}
		}
		if five := []string{"ab", "ba", "coverage", "frame", "kl"}; len(shown) < 4 || slices.ContainsFunc(shown, func(id string) bool { return !slices.Contains(five, id) }) {
			t.Errorf("figures %v, want some of %v", shown, five)
		}
	})
}
