package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
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

// TestNothingTrainedIsLost tries everything after which the button Train begins another training. The trained
// model must become a run, the notice must offer Undo, and the run's training must continue as if it had not
// been interrupted.
func TestNothingTrainedIsLost(t *testing.T) {
	const kept = "line/flow, ẑ 8, ε 0.1, step 3"
	for name, do := range map[string][2]string{
		"another ẑ dim":           {"zdim", "2"},
		"one that none ships for": {"zdim", "3"},
		"another ε":               {"eps", "0.25"},
		"another seed":            {"seed", "77"},
		"another number":          {"n", "50"},
		"New seed":                {"newseed", ""},
		"Reset":                   {"reset", ""},
		"a link":                  {"link", small[wire.Demo] + "&seed=9&zdim=4"},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, wire.Demo, func(t *testing.T, v *visitor) {
				for range 3 {
					v.press("step")
				}
				v.settle()
				before, p, loss := v.State().Values, v.row("p"), v.row("loss")
				var n *wire.Notice
				switch {
				case do[0] == "link":
					v.apply(wire.Link, "", do[1])
				case do[1] == "":
					n = v.try(wire.Press, do[0], "")
				default:
					v.try(wire.Set, do[0], do[1])
				}
				v.fetch()
				if n == nil {
					n = v.try(wire.Press, "step", "")
				}
				if n == nil || n.Press != "undo" || !strings.Contains(n.Text, `"`+kept+`"`) || !sentence(n.Text) {
					t.Fatalf("notice %+v", n)
				}
				v.turns(2)
				i := slices.IndexFunc(v.runs(), func(r wire.Run) bool { return r.Name == kept })
				if i < 0 || !strings.Contains(v.runs()[i].Detail, "validation KL") || !strings.Contains(v.runs()[i].Detail, "from the shipped model") {
					t.Fatalf("runs %+v", v.runs())
				}
				v = v.reload()
				v.fetch()
				v.set("n", before["n"])
				v.set("runA", kept)
				v.settle()
				for _, name := range []string{"seed", "zdim", "eps"} {
					if got := v.State().Values[name]; got != before[name] {
						t.Errorf("%s is %s, was %s", name, got, before[name])
					}
				}
				if !slices.Equal(v.row("p"), p) {
					t.Error("the model is another")
				}
				v.press("step")
				w := visit(t, wire.Demo)
				for range 4 {
					w.press("step")
				}
				v.settle()
				w.settle()
				if got := v.row("loss"); v.number("step") != 4 || len(got) != 4 || !slices.Equal(got[:3], loss) || !slices.Equal(v.row("p"), w.row("p")) {
					t.Errorf("it goes on to step %g with the losses %v, or to other weights", v.number("step"), got)
				}
			})
		})
	}
}

// TestLookingAround displays other models while a training is stopped. The button Train must continue the
// training.
func TestLookingAround(t *testing.T) {
	for name, look := range map[string]func(v *visitor){
		"the shipped model": func(v *visitor) { v.press("shipped") },
		"another run":       func(v *visitor) { v.set("runA", "shipped") },
		"a checkpoint":      func(v *visitor) { v.drop("m.safetensors", asset(v.t, "models/demo-eps0.1-z8.safetensors")) },
	} {
		in(t, wire.Demo, func(t *testing.T, v *visitor) {
			for range 3 {
				v.press("step")
			}
			look(v)
			v.fetch()
			if label := v.State().Labels["train"]; label != "Go on" {
				t.Errorf("after %s the button says %q", name, label)
			}
			if v.press("step"); v.number("step") != 4 {
				t.Errorf("after %s it goes on to step %g", name, v.number("step"))
			}
		})
	}
}

// TestFinishedRunIsDone trains a model to its end, which a file has moved to the tenth step. The page must report the training
// as done, also after a reload.
func TestFinishedRunIsDone(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.press("step")
		_, b, err := v.Save(wire.Model)
		if err != nil {
			t.Fatal(err)
		}
		f := decoded(t, b)
		f.Metadata["config.steps"], f.Metadata["training.steps"] = "10", "10"
		if b, err = saved.Encoded(f); err != nil {
			t.Fatal(err)
		}
		v.drop("short.safetensors", b)
		v.press("train")
		v.reach(func() bool { return v.Status() == wire.Done })
		v.settle()
		p := v.row("p")
		done := func(when string) {
			t.Helper()
			v.settle()
			if st := v.State(); v.Status() != wire.Done || figure(st, "state") != "trained" || st.Labels["train"] != "Train" || !slices.Equal(v.row("p"), p) {
				t.Errorf("%s: %v, %s, %q is on show, the button says %s", when, v.Status(), figure(st, "state"), runsOf(st), st.Labels["train"])
			}
		}
		done("at the end")
		v = v.reload()
		done("after a reload")
	})
}

// TestUndo undoes the replacement of a trained model, and the deletion of a run.
func TestUndo(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.refuses("nothing left to undo", wire.Press, "undo", "")
		v.press("step")
		p := v.row("p")
		v.press("newseed")
		v.press("undo")
		v.settle()
		if st := v.State(); !slices.Equal(v.row("p"), p) || st.Values["seed"] != "1" || st.Labels["train"] != "Go on" {
			t.Errorf("undone: seed %s, the button says %s", st.Values["seed"], st.Labels["train"])
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
			v.press("undo") // displays the run of these settings
			v.settle()
			if v.State().Labels["train"] != "Go on" || !slices.Equal(v.row("p"), p) {
				t.Errorf("%s %s again: the button says %s, runs %q", s[0], s[2], v.State().Labels["train"], v.names())
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
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.drop("own.npz", trajectories(t, "particles", 3))
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
