//go:build !js

package e2e

import (
	"testing"

	"macroscope/model/wire"
)

// unfolding is a frame of the polymer's lab in which the shipped model has done all it
// does.
func unfolding(f *wire.Frame) bool {
	mean := f.Numbers("mean")
	return len(mean) == int(f.Number("horizon"))+1 && last(mean) == last(mean) && len(f.Numbers("p")) > 0 && len(f.Numbers("kl")) > 0
}

// TestPolymer lets a chain unfold, takes a strand in place of it, shuffles its beads
// and looks at the page on several screens, in light and dark.
func TestPolymer(t *testing.T) {
	t.Parallel()
	source := axe(t)
	browser, url := newBrowser(t), serve(t, distDir).url
	p := newProbed(t, browser, "polymer", url+"#lab=polymer", 1280, 800, 1)
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
	for range 2 {
		p.accessible(source, eval[string](p, `document.documentElement.dataset.theme ?? "theme of the system"`))
		p.click("theme")
	}
	p.quiet()
}
