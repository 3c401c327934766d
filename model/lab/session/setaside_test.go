package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macroscope/model/lab/session/runs"
	"macroscope/model/wire"
)

// runs returns the runs that are loaded.
func (v *visitor) runs() []wire.Run { return runsHere(v.State()) }

// runsHere returns a state's runs, except shipped runs that have not been fetched.
func runsHere(st wire.State) []wire.Run {
	return slices.DeleteFunc(slices.Clone(st.Runs), func(r wire.Run) bool { return strings.HasSuffix(r.Detail, "loaded when chosen") })
}

func (v *visitor) names() (names []string) {
	for _, r := range v.runs() {
		names = append(names, r.Name)
	}
	return names
}

// TestNothingTrainedIsLost tries everything that replaces a trained model by another. The
// trained model must become a run, the notice must offer Undo, and the run's training must
// continue as if it had not been interrupted.
func TestNothingTrainedIsLost(t *testing.T) {
	const kept = "line/flow, ẑ 8, ε 0.1, step 3"
	for _, tc := range []struct {
		name string
		do   func(v *visitor) *wire.Notice
	}{
		{"another ẑ dim", func(v *visitor) *wire.Notice { return v.try(wire.Set, "zdim", "2") }},
		{"one that none ships for", func(v *visitor) *wire.Notice { return v.try(wire.Set, "zdim", "3") }},
		{"another ε", func(v *visitor) *wire.Notice { return v.try(wire.Set, "eps", "0.25") }},
		{"New seed", func(v *visitor) *wire.Notice { return v.try(wire.Press, "newseed", "") }},
		{"another seed", func(v *visitor) *wire.Notice { return v.try(wire.Set, "seed", "77") }},
		{"Reset", func(v *visitor) *wire.Notice { return v.try(wire.Press, "reset", "") }},
		{"the shipped model", func(v *visitor) *wire.Notice { return v.try(wire.Press, "shipped", "") }},
		{"a link", func(v *visitor) *wire.Notice { return v.try(wire.Link, "", small[wire.Demo]+"&seed=9&zdim=4") }},
		{"a checkpoint", func(v *visitor) *wire.Notice {
			v.Apply(wire.Command{Kind: wire.File, Name: "m.safetensors", Data: asset(v.t, "models/demo-eps0.1-z8.safetensors")})
			v.work(0)
			return &wire.Notice{Text: v.said[len(v.said)-1], Press: "undo"}
		}},
		{"another run", func(v *visitor) *wire.Notice {
			if n := v.try(wire.Set, "runA", "shipped"); n != nil {
				v.t.Errorf("to look at a run: %+v", n)
			}
			return v.try(wire.Press, "step", "")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in(t, wire.Demo, func(t *testing.T, v *visitor) {
				for range 3 {
					v.press("step")
				}
				seed, p, loss := v.State().Values["seed"], v.row("p"), v.row("loss")
				n := tc.do(v)
				if n == nil || n.Press != "undo" || !strings.Contains(n.Text, `"`+kept+`"`) || !sentence(n.Text) {
					t.Fatalf("notice %+v", n)
				}
				v.fetch()
				if v.Status() == wire.Training {
					v.press("train")
				}
				v.turns(2)
				i := slices.IndexFunc(v.runs(), func(r wire.Run) bool { return r.Name == kept })
				if i < 0 || !strings.Contains(v.runs()[i].Detail, "validation KL") || !strings.Contains(v.runs()[i].Detail, "from the shipped model") {
					t.Fatalf("runs %+v", v.runs())
				}
				v = v.reload()
				v.fetch()
				v.set("runA", kept)
				v.turns(2)
				if st := v.State(); st.Values["seed"] != seed || st.Values["zdim"] != "8" || st.Values["eps"] != "0.1" || v.number("step") != 3 || v.Status() != wire.Paused {
					t.Errorf("seed %s, ẑ of %s, ε = %s, step %g, %v", st.Values["seed"], st.Values["zdim"], st.Values["eps"], v.number("step"), v.Status())
				}
				if !slices.Equal(v.row("p"), p) || !slices.Equal(v.row("loss"), loss) {
					t.Error("the model or its curve is another")
				}
				v.press("step")
				x := v.row("p")
				w := visit(t, wire.Demo)
				for range 4 {
					w.press("step")
				}
				if !slices.Equal(x, w.row("p")) {
					t.Error("it goes on to other weights")
				}
			})
		})
	}
}

// TestFinishedRunIsDone displays a run that was fully trained. The page must report the training as
// done. The run's KL curve must begin with the KL of the shipped model, because the training began
// with this model.
func TestFinishedRunIsDone(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.set("n", "200") // the shipped model was measured on 200 particles
		v.press("step")
		v.set("eps", "0.11") // displays the shipped model again
		v.settle()
		shipped := figure(v.State(), "kl")
		v.press("train")
		v.reach(func() bool { return v.Status() == wire.Done })
		if x, y := v.row("klStep"), v.row("klVal"); len(x) < 3 || x[0] != 0 || fmt.Sprintf("%.4f", y[0]) != shipped {
			t.Errorf("the KL is %v at %v, and %s of the shipped model", y, x, shipped)
		}
		p := v.row("p")
		v.press("newseed")
		v.press("undo")
		if v.turns(2); v.Status() != wire.Done || !slices.Equal(v.row("p"), p) || figure(v.State(), "state") != "trained" {
			t.Errorf("%v, %s", v.Status(), figure(v.State(), "state"))
		}
		v = v.reload()
		if v.turns(2); v.Status() != wire.Done || figure(v.State(), "state") != "trained" {
			t.Errorf("after a reload: %v, %s", v.Status(), figure(v.State(), "state"))
		}
	})
}

// TestUndo undoes the replacement of a trained model, and the deletion of a run.
func TestUndo(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.refuses("nothing left to undo", wire.Press, "undo", "")
		v.press("step")
		before, p := v.is(), v.row("p")
		v.press("newseed")
		v.press("undo")
		if v.turns(2); v.is() != before || !slices.Equal(v.row("p"), p) {
			t.Errorf("undone:\n%s\nwant\n%s", v.is(), before)
		}
		v.press("train")
		v.train(3)
		p = v.row("p")
		v.set("eps", "0.11") // the running training follows
		v.press("undo")
		if v.turns(2); v.Status() != wire.Paused || v.State().Values["eps"] != "0.1" || !slices.Equal(v.row("p"), p) {
			t.Errorf("undone while it trains: %v, ε = %s", v.Status(), v.State().Values["eps"])
		}
	})
	each(t, func(t *testing.T, v *visitor) {
		v.settle()
		for _, name := range []string{"a", "b", "c"} {
			v.set("name", name)
			v.press("keep")
		}
		v.set("runB", "b")
		before := v.names()
		if n := v.try(wire.Set, "dropRun", "b"); n == nil || n.Action != "Undo" || n.Press != "undo" || !strings.Contains(n.Text, `"b"`) {
			t.Errorf("notice %+v", n)
		}
		if slices.Contains(v.names(), "b") {
			t.Error("it is still there")
		}
		v.press("undo")
		if !slices.Equal(v.names(), before) {
			t.Errorf("runs %q, want %q", v.names(), before)
		}
		v.set("runA", "b")
		v.settle()
	})
}

// TestGoBackToFormerSettings changes the settings of a training and changes them back. The
// continued training must reach the same weights as a training without the change.
func TestGoBackToFormerSettings(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		for range 2 {
			v.press("step")
		}
		p := v.row("p")
		for _, s := range [][3]string{{"zdim", "4", "8"}, {"eps", "0.3", "0.1"}, {"seed", "5", "1"}} {
			v.set(s[0], s[1])
			v.fetch()
			if v.press("step"); slices.Equal(v.row("p"), p) {
				t.Errorf("%s %s: the model is the same", s[0], s[1])
			}
			v.set(s[0], s[2])
			v.turns(2)
			if v.number("step") != 2 || !slices.Equal(v.row("p"), p) {
				t.Errorf("%s %s again: step %g, runs %q", s[0], s[2], v.number("step"), v.names())
			}
		}
	})
	for _, tc := range []struct{ lab, name, set, away, back string }{
		{"particles", "particles/flow, ẑ 8, ε 0.01, stage I step 3", "zdim", "3", "8"},
		{"mixing", "mixing/flow, ẑ 1, ε 0.01, joint dynamics, step 3", "law", "separate", "joint"},
	} {
		in(t, tc.lab, func(t *testing.T, v *visitor) {
			begin := func() {
				if v.lab == "particles" {
					v.set("size", "quick")
				}
				v.press("train")
				v.fetch()
				v.set("runto", "3")
				v.press("go")
				v.reach(func() bool { return v.Status() == wire.Paused })
			}
			begin()
			v.set(tc.set, tc.away)
			if n := v.try(wire.Press, "train", ""); n == nil || !strings.Contains(n.Text, `"`+tc.name+`"`) {
				t.Errorf("notice %+v", n)
			}
			v.work(0)
			v.press("train")
			v = v.reload()
			v.fetch()
			n := v.try(wire.Set, tc.set, tc.back)
			if n == nil || !strings.Contains(n.Text, "goes on") || !strings.Contains(n.Text, tc.name) || v.State().Labels["train"] != "Go on" {
				t.Fatalf("notice %+v, label %s, runs %q", n, v.State().Labels["train"], v.names())
			}
			v.press("undo") // Undo displays the run
			if got := v.State(); !strings.Contains(runsOf(got), tc.name+" a") || got.Labels["train"] != "Go on" {
				t.Errorf("runs %s, label %s", runsOf(got), got.Labels["train"])
			}
			v.press("train")
			v.fetch()
			v.train(1)
			loss := v.row("loss")
			if slices.Contains(v.names(), tc.name) {
				t.Errorf("it is in training, and in the list: %q", v.names())
			}
			v = visit(t, tc.lab)
			begin()
			v.press("train")
			v.train(1)
			if whole := v.row("loss"); len(loss) < 4 || !slices.Equal(loss[:4], whole[:4]) {
				t.Errorf("losses %v, want %v", loss, whole)
			}
		})
	}
}

// TestRunsAreBounded trains more runs than the list can contain. The oldest runs must be
// removed, with a notice, except runs that the user has named.
func TestRunsAreBounded(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.press("step")
		v.set("name", "mine")
		v.press("keep")
		var says string
		for k := range runs.MaxAuto + 1 {
			v.set("seed", fmt.Sprint(100+k))
			v.press("step")
			if n := v.try(wire.Press, "newseed", ""); n != nil {
				says = n.Text
			}
		}
		auto := 0
		for _, r := range v.runs() {
			if strings.Contains(r.Detail, "kept automatically") {
				auto++
			}
		}
		if auto != runs.MaxAuto || !strings.Contains(says, "The oldest") || !slices.Contains(v.names(), "mine") {
			t.Errorf("%d runs were kept automatically, said %q, runs %q", auto, says, v.names())
		}
		last := v.runs()[len(v.runs())-2].Name
		v.set("runA", last)
		v.set("name", "best")
		v.press("keep")
		again := v.reload()
		if !slices.Contains(again.names(), "best") || !slices.Equal(again.names(), v.names()[1:]) { // the shipped model is fetched only when requested
			t.Errorf("runs %q, and after a reload %q", v.names(), again.names())
		}
	})
}

// TestGoOnWithTheRunOnShow continues the training of a displayed run that was kept automatically.
// The training replaces the run. The next run that is kept can then get the name of the replaced
// run. A run that gets this name must not count as displayed.
func TestGoOnWithTheRunOnShow(t *testing.T) {
	in(t, "polymer", func(t *testing.T, v *visitor) {
		v.drop("own.npz", trajectories(t, "polymer", 3))
		v.set("size", "quick")
		for _, seed := range []string{"1", "7"} {
			v.set("tseed", seed)
			v.press("train")
			v.train(2)
			v.press("train")
		}
		kept := v.State().Runs
		name := kept[slices.IndexFunc(kept, func(r wire.Run) bool { return strings.Contains(r.Detail, "kept automatically") })].Name
		v.set("runA", name)
		if l := v.State().Labels["train"]; l != "Go on" {
			t.Errorf("the button says %q", l)
		}
		v.press("train")
		v.press("train")
		for _, r := range v.State().Runs {
			if (r.Shown == "a") != (r.Name == "in training") {
				t.Errorf("%s is %q", r.Name, r.Shown)
			}
		}
	})
}
