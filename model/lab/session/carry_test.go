package session_test

import (
	"fmt"
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

func withoutFrame(fragment string) string {
	before, after, _ := strings.Cut(fragment, "&frame=")
	_, after, _ = strings.Cut(after, "&")
	return strings.TrimSuffix(before+"&"+after, "&")
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
