package session_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macroscope/model/wire"
)

// TestDoor opens labs with wire.Door, as the page does for a user without a link. The polymers' lab
// must then show a hairpin next to a second chain. The short link of this state must open the same
// state. Without wire.Door, the link lab=polymer must open the default settings, with only one
// chain. The short link of the default settings must not be lab=polymer, because the page would
// open this link with wire.Door.
func TestDoor(t *testing.T) {
	in(t, "polymer", func(t *testing.T, v *visitor) {
		v.apply(wire.Link, "", "lab=polymer")
		if st := v.State(); st.Values["start"] == "hairpin" || st.Values["beside"] != "none" || st.Short == "lab=polymer" {
			t.Errorf("the link opens %s beside %s and becomes %s", st.Values["start"], st.Values["beside"], st.Short)
		}
		v.apply(wire.Link, wire.Door, "lab=polymer")
		st := v.State()
		if st.Values["start"] != "hairpin" || st.Values["beside"] != "second" || st.Values["film"] != "flow" {
			t.Errorf("the door opens %s beside %s", st.Values["start"], st.Values["beside"])
		}
		v.apply(wire.Link, "", st.Short)
		if again := v.State(); again.Fragment != st.Fragment {
			t.Errorf("%s opens %s, want %s", st.Short, again.Fragment, st.Fragment)
		}
	})
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.apply(wire.Link, wire.Door, "lab=particles")
		if st := v.State(); st.Values["n"] != "300" {
			t.Errorf("%s particles", st.Values["n"])
		}
	})
}

// TestLinkInPart reads links with some invalid settings. The valid settings must be used. A
// link that is invalid as a whole must open the lab with its default settings.
func TestLinkInPart(t *testing.T) {
	for _, tc := range []struct{ lab, link, says, has string }{
		{wire.Demo, "v=1&lab=demo&n=80&eps=banana", "ε cannot be", "&n=80&"},
		{wire.Demo, "v=1&lab=demo&eps=7&zdim=3", "ε cannot be", "&zdim=3"},
		{wire.Demo, "lab=demo&zdim=99", "", "&zdim=8"},
		{wire.Demo, "lab=particles&n=50", "lab called", "&n=200&"},
		{"particles", "a=banana&n=50", "a of the force cannot be", "&n=50&"},
		{"particles", "dt=9&n=50&eps=0.2", "cannot be played", "&n=300&"},
		{"particles", "n=5000&steps=5000", "room", "&n=300&"},
		{"particles", "steps=100&frame=400", "", "&steps=100&"},
		{"particles", "v=2&n=50", "version", "&n=300&"},
		{"particles", "lab=demo&n=50", "lab called", "&n=300&"},
		{"particles", "wind=3&n=50", `"wind"`, "&n=50&"},
		{"particles", "wind=3&eps=7&n=50&tide=2", `give a number from 1e-8 to 1; there is no setting called "tide"; there is no setting called "wind"`, "&n=50&"},
		{"particles", "%zz", "cannot be read", "&n=300&"},
		{"particles", strings.Repeat("a", 100_000), "longer", "&n=300&"},
		{"particles", "n=60&n=70", "", "lab=particles"},
		{"mixing", "lab=mixing&temperature=-3&height=12", "the temperature cannot be", "height=12"},
		{"mixing", "lab=mixing&boundary=31.9&height=12", "cannot be", "boundary=16"},
		{"mixing", "lab=mixing&height=12&frames=20&frame=600", "", "frames=20"},
		{"mixing", "v=1&lab=mixing&height=12&frames=12&turned=1,2", "in part: there are 0 changes", "frames=12"}, // half a change
	} {
		in(t, tc.lab, func(t *testing.T, v *visitor) {
			n := v.try(wire.Link, "", tc.link)
			if tc.says != "" && (n == nil || !n.Error || !strings.Contains(n.Text, tc.says) || !sentence(n.Text)) {
				t.Errorf("%.40q: notice %+v, want one with %q", tc.link, n, tc.says)
			}
			v.prepare()
			v.turns(3)
			if got := v.Fragment() + "&"; !strings.Contains(got, tc.has) || !finite(v.State()) {
				t.Errorf("%.40q: became %s, want %q in it", tc.link, got, tc.has)
			}
			v.whole()
		})
	}
}

// TestTrainingLink opens the link of a stopped training. The link must train the same model up
// to the same step.
func TestTrainingLink(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.press("reset")
		v.set("runto", "3")
		v.press("go")
		v.reach(func() bool { return v.Status() == wire.Paused })
		link := v.Fragment()
		if !strings.Contains(link, "model=scratch&step=3") {
			t.Fatalf("the link is %s", link)
		}
		other := newcomer(t, v.lab)
		other.apply(wire.Link, "", link)
		other.reach(func() bool { return other.Status() == wire.Paused })
		if other.Fragment() != link || !slices.Equal(v.row("p"), other.row("p")) || !slices.Equal(v.row("loss"), other.row("loss")) {
			t.Errorf("%s became %s, or another model", link, other.Fragment())
		}

		// The link does not repeat a training for other settings than the present ones.
		v.press("train")
		v.set("eps", "0.2")
		v.turns(3)
		if st := v.State(); strings.Contains(v.Fragment(), "model=scratch") || !slices.Contains(st.Leaves, "the model in training") {
			t.Errorf("the link %s leaves out %q, of a model %s", v.Fragment(), st.Leaves, st.Model)
		}
	})
	in(t, "mixing", func(t *testing.T, _ *visitor) {
		v := newcomer(t, "mixing")
		v.apply(wire.Link, "", small["mixing"]+"&model=scratch&step=1")
		v.prepare()
		v.fetch()
		v.reach(func() bool { return v.Status() == wire.Paused })
		if link := v.Fragment(); !strings.Contains(link, "model=scratch") || !strings.Contains(link, "step=1") {
			t.Errorf("the link is %s", link)
		}
	})
}

func FuzzLink(f *testing.F) {
	for _, lab := range names {
		f.Add(small[lab])
	}
	f.Add("v=1&lab=particles&model=scratch&stage=1&step=5&frame=3&dt=1e-3&n=20")
	f.Add("lab=mixing&boundary=1&dt=0.1&e11=20&height=12&seed=18446744073709551615")
	f.Add("lab=demo&drift=on&model=scratch&step=99&eps=1e-8&zdim=16")
	f.Add("lab=mixing&height=12&turned=1,0.5,0.6,0.7~3,2,0.5,0.6,0.7~7,2,0.5,0.6,1.5")
	f.Add("%zz&&==&v=1&v=2")
	f.Add("%!000000")
	f.Fuzz(func(t *testing.T, fragment string) {
		if testing.Short() {
			t.Skip()
		}
		lab := wire.Demo
		for _, name := range names {
			if strings.Contains(fragment, name) {
				lab = name
			}
		}
		synctest.Test(t, func(t *testing.T) {
			v := newcomer(t, lab)
			if n := v.try(wire.Link, "", fragment); n != nil && !sentence(n.Text) {
				t.Errorf("notice %q", n.Text)
			}
			again := newcomer(t, lab)
			if n := again.try(wire.Link, "", v.Fragment()); n != nil || again.Fragment() != v.Fragment() {
				t.Errorf("%s became %s: %+v", v.Fragment(), again.Fragment(), n)
			}
			v.picture()
			if !finite(v.State()) {
				t.Errorf("state %+v", v.State())
			}
		})
	})
}

// TestLinkRepeatsFigures stops a playing run at several frames, and opens the link to each
// frame in another session. That session must show the same figures and the same headline at
// once, to the last digit.
func TestLinkRepeatsFigures(t *testing.T) {
	timed(t, func(t *testing.T, v *visitor) {
		v.settle()
		if v.State().Labels["play"] != "Pause" {
			v.press("restart")
			v.press("play")
		}
		for k := range 4 {
			for range 3 + 2*k {
				v.work(10 * time.Millisecond)
				v.State()
				v.picture()
			}
			v.press("play")
			first := v.State() // a page may request the state before the picture
			v.settle()
			last := v.State()
			other := newcomer(t, v.lab)
			other.apply(wire.Link, "", last.Fragment)
			other.prepare()
			other.fetch()
			other.settle()
			want := other.State()
			for _, id := range []string{"kl", "above", "predicted", "mre", "coverage"} {
				if a, b, c := figure(first, id), figure(last, id), figure(want, id); a != c || b != c {
					t.Errorf("%s: %q when it stops, %q at rest, %q in another session", id, a, b, c)
				}
			}
			if last.Summary != want.Summary {
				t.Errorf("%q here, %q in another session", last.Summary, want.Summary)
			}
			v.press("play")
		}
	})
}
