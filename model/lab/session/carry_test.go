package session_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/points"
	"macroscope/model/wire"
)

// edits are a user's edits of the particles of a lab.
var edits = map[string][]wire.Command{
	wire.Demo:   {{Kind: wire.Add, Value: "0.123"}, {Kind: wire.Remove, Value: "-0.5"}, {Kind: wire.Add, Value: "1.5"}},
	"particles": {{Kind: wire.Press, Name: "clear"}, {Kind: "draw", Value: "-0.5 -0.3 0.4 0.8 0.9 -0.2"}, {Kind: "drag", Value: "3 0.77 -0.1"}, {Kind: wire.Add, Value: "0.9 0.9"}},
	"polymer":   {{Kind: "drag", Value: "3 5 2"}, {Kind: "drag", Value: "19 -6 0.5"}},
}

// TestLinkCarriesParticles draws and edits particles. The link must open with the same
// particles in the same order, up to the codec's rounding.
func TestLinkCarriesParticles(t *testing.T) {
	for lab, commands := range edits {
		in(t, lab, func(t *testing.T, v *visitor) {
			for _, c := range commands {
				if n := v.Apply(c); n != nil && n.Error {
					t.Fatal(n.Text)
				}
			}
			if !v.sampler() {
				v.seek(5)
			}
			v.settle()
			st := v.State()
			if !strings.Contains(st.Fragment, "&points=") || !strings.Contains(st.Carries, "particles on show") || len(st.Leaves) != 0 {
				t.Fatalf("the link %s carries %q and leaves %q", st.Fragment, st.Carries, st.Leaves)
			}
			other := newcomer(t, lab)
			if n := other.try(wire.Link, "", "#"+v.Fragment()); n != nil {
				t.Fatal(n.Text)
			}
			other.fetch()
			other.settle()
			if v.Fragment() != other.Fragment() {
				t.Errorf("the link became\n%s and was\n%s", other.Fragment(), v.Fragment())
			}
			if !v.sampler() {
				v.seek(0)
				other.seek(0)
			}
			a, b := v.row("x"), other.row("x")
			if len(a) != len(b) || len(a) == 0 {
				t.Fatalf("%d numbers became %d", len(a), len(b))
			}
			dim := 1
			if !v.sampler() {
				dim = 2
			}
			bound := float64(points.ErrorBound)
			if v.lab == "polymer" { // edits restore the length of every bond, which moves the beads behind the bond
				bound *= 2 * float64(len(a))
			}
			for d := range dim {
				low, high, worst := math.Inf(1), math.Inf(-1), 0.0
				for i := d; i < len(a); i += dim {
					x := float64(a[i])
					low, high, worst = min(low, x), max(high, x), max(worst, math.Abs(x-float64(b[i])))
				}
				if worst > bound*(high-low) {
					t.Errorf("a coordinate moved by %g of %g", worst, high-low)
				}
			}
			if st := other.State(); !strings.Contains(string(other.picture().Text("note"))+st.Summary, "link") {
				t.Errorf("nothing says where the particles are from: %q", st.Summary)
			}
			// A session that is saved and restored has the same link.
			again := newcomer(t, lab)
			if n := again.Apply(wire.Command{Kind: wire.Restore, Data: other.Saved()}); n != nil {
				t.Fatal(n.Text)
			}
			again.fetch()
			again.settle()
			if got, want := withoutFrame(again.Fragment()), withoutFrame(other.Fragment()); got != want {
				t.Errorf("restored, the link is\n%s and was\n%s", got, want)
			}
		})
	}
}

func withoutFrame(fragment string) string {
	before, after, _ := strings.Cut(fragment, "&frame=")
	_, after, _ = strings.Cut(after, "&")
	return before + "&" + after
}

// TestLinkWithDamagedParticles opens links with damaged particles. Each link must give an error
// and open the lab with all other settings.
func TestLinkWithDamagedParticles(t *testing.T) {
	for lab, commands := range edits {
		in(t, lab, func(t *testing.T, v *visitor) {
			for _, c := range commands {
				v.Apply(c)
			}
			link := v.Fragment()
			before, text, _ := strings.Cut(link, "&points=")
			for what, damaged := range map[string]string{
				"cut":     link[:len(link)-7],
				"changed": before + "&points=" + text[:20] + strings.ToUpper(text[20:24]) + "AAAA" + text[28:],
				"empty":   before + "&points=",
				"long":    before + "&points=" + strings.Repeat("A", points.MaxText+1),
			} {
				other := newcomer(t, lab)
				n := other.try(wire.Link, "", damaged)
				if n == nil || !n.Error || !strings.Contains(n.Text, "particles in the link are damaged") || !sentence(n.Text) {
					t.Errorf("%s: notice %+v", what, n)
				}
				other.fetch()
				if got := withoutFrame(other.Fragment()); got != withoutFrame(before) {
					t.Errorf("%s: became %s, want %s", what, got, before)
				}
			}
		})
	}
	in(t, "particles", func(t *testing.T, v *visitor) {
		for _, c := range edits["particles"] {
			v.Apply(c)
		}
		fewer := strings.Replace(v.Fragment(), "&n=", "&n=1", 1)
		other := newcomer(t, "particles")
		if n := other.try(wire.Link, "", fewer); n == nil || !strings.Contains(n.Text, "particles cannot be used") || strings.Contains(other.Fragment(), "points") {
			t.Errorf("particles that are not as many as the link says: %+v", n)
		}
	})
}

// TestLinkLeaves checks that the state lists everything that a link cannot carry.
func TestLinkLeaves(t *testing.T) {
	leaves := func(t *testing.T, v *visitor, says ...string) {
		t.Helper()
		got := v.State().Leaves
		if len(got) != len(says) {
			t.Errorf("the link leaves out %q, want %q", got, says)
			return
		}
		for i := range says {
			if !strings.Contains(got[i], says[i]) {
				t.Errorf("the link leaves out %q, want %q", got[i], says[i])
			}
		}
	}
	in(t, "particles", func(t *testing.T, v *visitor) {
		leaves(t, v)
		v.set("name", "mine")
		v.press("keep")
		leaves(t, v, "1 model that you kept or opened")
		v.set("runA", "mine")
		leaves(t, v, `on show, "mine"`)
		v.press("clear")
		v.apply(wire.Add, "", "0.5 0.5")
		leaves(t, v, "1 particle is too few", "mine")
		v.apply("draw", "", "-3 -3 3 3 -3 3 3 -3 -3 -3 3 3")
		leaves(t, v, "a link holds 2000", "mine")
		if strings.Contains(v.Fragment(), "points=") {
			t.Error("the link has too many particles")
		}
	})
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.press("reset")
		v.apply(wire.Train, "", "")
		v.train(3)
		v.apply(wire.Pause, "", "")
		v.press("reset") // reset keeps the training as a run
		if len(v.runs()) != 3 {
			t.Fatalf("runs %+v", v.runs())
		}
		leaves(t, v)
		v.set("name", "mine")
		v.press("keep")
		leaves(t, v, "1 model that you kept or opened", "1 model that was kept automatically")
	})
	in(t, "mixing", func(t *testing.T, v *visitor) {
		leaves(t, v)
		v.seek(2)
		v.settle()
		v.set("temperature", "2")
		leaves(t, v)
		if c := v.State().Carries; !strings.Contains(c, "changed in mid-run") {
			t.Errorf("the link carries %q", c)
		}
	})
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.apply(wire.Link, "", "v=1&lab=mixing&height=12&frames=150&members=39")
		v.prepare()
		for k := range 140 {
			v.seek(k + 1)
			v.settle()
			v.set("temperature", fmt.Sprint(1+float64(k)/1009))
		}
		leaves(t, v, "too much for a link")
		if len(v.Fragment()) > 500 || strings.Contains(v.Fragment(), "turned") {
			t.Errorf("the link is %s", v.Fragment())
		}
		again := v.reload()
		leaves(t, again, "too much for a link")
	})
}

// TestTurnedIsCarried changes settings while the run plays. A link, a reload and a bundle
// must each repeat the run bit for bit.
func TestTurnedIsCarried(t *testing.T) {
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.seek(3)
		v.settle()
		v.set("temperature", "2")
		v.seek(7)
		v.settle()
		v.set("e12", "1.5")
		v.seek(9)
		v.settle()
		linked := newcomer(t, v.lab)
		linked.apply(wire.Link, "", v.Fragment())
		linked.prepare()
		linked.fetch()
		_, b, err := v.Save(wire.Bundle)
		if err != nil {
			t.Fatal(err)
		}
		bundled := newcomer(t, v.lab)
		bundled.drop("all.macroscope", b)
		bundled.prepare()
		bundled.fetch()
		for _, again := range []*visitor{linked, v.reload(), bundled} {
			again.settle()
			if again.Fragment() != v.Fragment() || !slices.Equal(again.row("x"), v.row("x")) || !slices.Equal(again.row("temperature"), v.row("temperature")) {
				t.Errorf("it was\n%s and became\n%s", v.Fragment(), again.Fragment())
			}
		}
		if n := linked.try(wire.Link, "", "v=1&lab=mixing&height=12&frames=12&turned=1,2"); n == nil || !n.Error || !strings.Contains(n.Text, "in part: there are 0 changes") {
			t.Errorf("a link with half a change: %s", sentenceOf(n))
		}
	})
}
