//go:build !js

package e2e

import (
	"testing"
	"time"

	"macroscope/model/wire"
)

// unfolding reports whether a frame of the polymer lab has all results of the shipped model.
func unfolding(f *wire.Frame) bool {
	mean := f.Numbers("mean")
	return len(mean) == int(f.Number("horizon"))+1 && last(mean) == last(mean) && len(f.Numbers("p")) > 0 && len(f.Numbers("kl")) > 0
}

// TestPolymer lets a chain unfold, replaces it by a strand and shuffles its beads. It also checks
// the page on several screens, in light and dark.
func TestPolymer(t *testing.T) {
	t.Parallel()
	source := axe(t)
	browser, url := newBrowser(t), serve(t, distDir).url
	p := newProbed(t, browser, "polymer", url+"#v=1&lab=polymer", 1280, 800, 1)
	p.waitFrame("a whole prediction", unfolding)
	f := p.waitFrame("a chain that unfolds", func(f *wire.Frame) bool { return f.Number("known") >= 10 })
	if n := len(f.Numbers("x")); n != 200 {
		t.Errorf("%d numbers of beads", n)
	}
	p.press("play")
	p.waitFrame("a run that stands", func(f *wire.Frame) bool { return !f.On("playing") })
	p.choose("start", "strand")
	f = p.waitFrame("a strand", func(f *wire.Frame) bool {
		return unfolding(f) && f.Number("known") < 10 && len(f.Numbers("extension")) > 0
	})
	if e := f.Numbers("extension")[0]; e < 26 || e > 28 {
		t.Errorf("a strand begins %g long", e)
	}
	p.press("shuffle")
	f = p.waitFrame("shuffled labels", func(f *wire.Frame) bool { return f.Number("shuffles") == 1 })
	if dz := f.Number("dz"); !(dz < 1e-4) {
		t.Errorf("a shuffle changes ẑ by %g", dz)
	}

	p.realises()
	p.pulls()
	p.accessibleInThemes(source, "polymer")
	p.quiet()
}

// The method `realises` simulates a hundred realisations of a short chain. It uses helper workers
// if there are any.
func (p *tab) realises() {
	p.t.Helper()
	p.choose("beside", "many")
	p.set("c-n", "15")
	f := p.waitFrame("a hundred runs that have ended", func(f *wire.Frame) bool { return f.Number("crowdDone") == 100 })
	if n := len(f.Numbers("crowd")); n != 100*25*2 {
		p.t.Errorf("%d numbers of outlines", n)
	}
	p.settled()
	p.shot("polymer-many-1280x800")
	p.choose("beside", "none")
	p.set("c-n", "100")
	p.waitFrame("one run", func(f *wire.Frame) bool {
		return f.Numbers("crowd") == nil && len(f.Numbers("x")) == 200 && unfolding(f)
	})
}

// The method `pulls` drags the middle of the chain, by mouse and by finger. Each drag starts
// another run.
func (p *tab) pulls() {
	p.t.Helper()
	for name, stroke := range map[string]func(at ...float64){"the mouse": p.strokes, "a finger": p.touches} {
		p.choose("start", "coil")
		p.choose("start", "strand") // the change of the start removes an earlier pull
		p.choose("tool", "move")
		p.waitFrame("the tool that pulls", func(f *wire.Frame) bool {
			return f.Number("tool") == 1 && !f.On("playing") && string(f.Text("note")) == ""
		})
		for _, y := range []float64{0.22, 0.25, 0.28} { // the map is at the upper left, with a bead near its middle
			stroke(0.26, y, 0.26, 0.33)
			if p.soon(func(f *wire.Frame) bool { return string(f.Text("note")) == "pulled by hand" }) {
				break // another stroke may miss the chain, and a stroke that misses is a click
			}
		}
		p.waitFrame("a chain that "+name+" has pulled, with what is predicted of it", func(f *wire.Frame) bool {
			return string(f.Text("note")) == "pulled by hand" && f.Number("now") == 0 && unfolding(f)
		})
		p.choose("tool", "look")
	}
}

// soon reports whether a frame for which `ok` returns true comes within five seconds.
func (p *tab) soon(ok func(f *wire.Frame) bool) bool {
	p.t.Helper()
	for until := time.Now().Add(5 * time.Second); time.Now().Before(until); {
		came := eval[int](p, cameFrames)
		if f := p.frame(); f != nil && ok(f) {
			return true
		}
		p.anotherFrame(came)
	}
	return false
}
