package session_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/method"
	"macroscope/model/wire"
)

// TestMethods chooses every method of every lab. The method's shipped model must be fetched,
// displayed with its decoder's output, and compared with the paper's own method. The button Train
// must train a model of the method.
func TestMethods(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		if v.sampler() {
			v.set("n", "200") // the AE-Aug model needs 200 particles
		} else if v.lab == "particles" {
			v.set("n", "300")
			v.seek(3)
		}
		v.settle()
		l := labOf(t, v.lab)
		for _, of := range method.MethodsFor(l.System.Traits.Name) {
			m, ok := l.Find(lab.Model{Method: of.Name})
			name := runs.ShippedAs(&l, lab.Model{Method: of.Name})
			if !ok || name == runs.Shipped || of.Name == method.Untuned {
				continue
			}
			if list := v.State().Runs; !slices.ContainsFunc(list, func(r wire.Run) bool { return r.Name == name && r.Fixed && strings.HasPrefix(r.Detail, of.Title) }) {
				t.Errorf("%s is not offered: %+v", name, list)
			}
			v.set("method", of.Name)
			if v.Wants() != m.File {
				t.Fatalf("%s: %q is wanted", of.Name, v.Wants())
			}
			v.fetch()
			v.settle()
			st := v.State()
			if c := v.shown(); c.Spec.Method != of.Name || st.Values["method"] != of.Name || !strings.HasPrefix(st.Model, "shipped with the lab. ") {
				t.Fatalf("%s: %s is on show, %s", of.Name, c.Spec, st.Model)
			}
			if strings.Contains(st.Warning, "cannot take") {
				if of.Name != "ae-aug" {
					t.Errorf("%s: %s", of.Name, st.Warning)
				}
				v.set("runA", runs.Shipped)
				v.fetch()
				v.set("runB", name)
				v.settle()
				if w, f := v.State().Warning, v.picture(); !strings.HasPrefix(w, "Model 2 cannot take this run: ") || !f.On("cannotB") || f.On("cannot") {
					t.Errorf("%s as model 2: %q", of.Name, w)
				}
				v.set("runB", "")
				continue
			}
			f := v.picture()
			density := len(f.Numbers("p"))+len(f.Numbers("pA")) > 0
			points := len(f.Numbers("restored"))+len(f.Numbers("restoredA")) > 0
			kind := of.Decoder()
			if want := kind.Density(); density != want || points != (!want && kind.Restores()) {
				t.Errorf("%s: density %t, points %t", of.Name, density, points)
			}
			st = v.State() // painting the picture has changed the state
			if points && (!strings.Contains(st.Summary, "points**") || f.Numbers("restores") == nil) || !kind.Restores() && !strings.Contains(st.Summary, "Nothing is decoded") {
				t.Errorf("%s: %s", of.Name, st.Summary)
			}
			v.whole()
			v.set("runB", runs.Shipped)
			v.settle()
			a, b := name, runs.Shipped
			if of.Ordered() { // the two are named by what their encoders read
				a, b = map[string]string{"ae-aug": "autoencoder, many orders", "list": "list encoder"}[of.Name], "set encoder"
			}
			if f := v.picture(); string(f.Text("nameA")) != a || string(f.Text("nameB")) != b {
				t.Errorf("%s is compared with %s", f.Text("nameA"), f.Text("nameB"))
			}
			v.whole()
			v.set("runB", "")
			v.press("train")
			v.fetch()
			if c := v.shown(); c.Spec.Method != of.Name || v.State().Status != "training" {
				t.Errorf("%s: Train makes %s, %s", of.Name, c.Spec, v.State().Status)
			}
			v.apply(wire.Pause, "", "")
		}
		// The model that was displayed first is still in the list, so it must be displayed without
		// another fetch. The setting Method must become the method of this model.
		v.set("runA", runs.Shipped)
		if m := v.State().Values["method"]; v.Wants() != "" || m != "flow" && v.lab != "polymer" {
			t.Errorf("%q is wanted, method %s", v.Wants(), v.State().Values["method"])
		}
	})
}

// shown returns the configuration of the displayed model.
func (v *visitor) shown() *method.Config { v.t.Helper(); return &v.model().Config }

// TestCompareWithAnother compares A with a shipped model that has not arrived yet.
func TestCompareWithAnother(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.seek(3)
		v.set("runB", "shipped ae-inve-cd")
		if v.Wants() != "models/particles-ae-inve-cd.safetensors" || v.picture().Text("nameB") != nil {
			t.Errorf("%q is wanted", v.Wants())
		}
		v.fetch()
		v.settle()
		if f := v.picture(); string(f.Text("nameB")) != "shipped ae-inve-cd" || len(f.Numbers("restoredB")) != 600 || len(f.Numbers("p")) == 0 {
			t.Errorf("%s is beside A, %d numbers of its points", f.Text("nameB"), len(f.Numbers("restoredB")))
		}
		v.set("runB", "")
		v.set("runB", "shipped inve")
		if n := v.miss(); n == nil || !n.Error || v.Wants() != "" {
			t.Errorf("notice %+v, %q is wanted", n, v.Wants())
		}
	})
}

// TestShuffleIsShown checks that the headline begins with the effect of a shuffle, in the labs
// of the line and the particles, for both kinds of encoder.
func TestShuffleIsShown(t *testing.T) {
	for _, tc := range []struct{ lab, n string }{{wire.Demo, "200"}, {"particles", "300"}} {
		in(t, tc.lab, func(t *testing.T, v *visitor) {
			v.set("n", tc.n)
			v.settle()
			for _, method := range []string{"flow", "ae-aug"} {
				v.set("method", method)
				v.fetch()
				v.settle()
				v.press("shuffle")
				v.fetch()
				v.settle()
				f, says := v.picture(), v.State().Summary
				if !(f.Number("dz") < 1e-5 && f.Number("dzOrdered") > 1e-2) || !strings.HasPrefix(says, "Same particles, new numbers. Set encoder: ẑ [unchanged|stays].") || !strings.Contains(says, "ẑ jumped by") {
					t.Errorf("%s: ẑ moved by %g and %g: %s", method, f.Number("dz"), f.Number("dzOrdered"), says)
				}
				if !v.sampler() && !strings.Contains(says, "predictions moved by **0 %** and") {
					t.Errorf("%s: %s", method, says)
				}
				v.whole()
			}
		})
	}
}

// TestListEncoder shuffles the particles of the labs with a list encoder. It becomes model B, stays still, and its ẑ and its
// prediction follow the labels. Nothing of the set encoder may change. The list encoder takes no other number of particles.
func TestListEncoder(t *testing.T) {
	for lab, n := range map[string]string{wire.Demo: "200", "particles": "300"} {
		in(t, lab, func(t *testing.T, v *visitor) {
			v.set("n", n)
			v.rest()
			if v.sampler() {
				v.set("drift", "on")
			}
			v.press("shuffle")
			v.rest()
			names := func() string { return string(v.picture().Text("nameA")) + ", " + string(v.picture().Text("nameB")) }
			if got := names(); got != "set encoder, list encoder" || v.State().Playing {
				t.Fatalf("after a shuffle: %s on show, playing %v", got, v.State().Playing)
			}
			z, second, pred, predB := v.row("z"), v.row("zB"), v.row("pred"), v.row("predB")
			v.press("shuffle")
			v.rest()
			moved := func(a, b []float32) (most float64) {
				for i := range a {
					most = max(most, math.Abs(float64(a[i])-float64(b[i])))
				}
				return most
			}
			if still, jumps := moved(z, v.row("z")), moved(second, v.row("zB")); still > 1e-6 || jumps < 0.1 {
				t.Errorf("ẑ of the set moves by %g, ẑ of the list by %g", still, jumps)
			}
			if !v.sampler() && (moved(pred, v.row("pred")) > 0 || moved(predB, v.row("predB")) < 1e-4) {
				t.Errorf("the predictions move by %g and %g", moved(pred, v.row("pred")), moved(predB, v.row("predB")))
			}
			v.set("runB", "")
			v.set("n", "100")
			v.settle()
			if v.press("shuffle"); v.State().Leaves != nil || names() != ", " {
				t.Errorf("with 100 particles: %s", names())
			}
		})
	}
}
