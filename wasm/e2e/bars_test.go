//go:build !js

package e2e

import (
	"slices"
	"testing"

	"macroscope/model/wire"
)

// TestBars drags a bar of ẑ on the page, in a lab without dynamics and in one with them. The
// learned density must change. The button "release" must bring back ẑ of the particles.
func TestBars(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(probe)
	for _, of := range []struct {
		lab, link string
		x, y      float64 // start of the drag in the picture, as fractions of its width and height
	}{
		{"demo", "#v=1&lab=demo&drift=off", 0.82, 0.7},
		{"particles", "#lab=particles&seed=4&frame=60", 0.1, 0.9},
	} {
		p.visit(t, of.lab, s.url+of.link)
		f := p.waitFrame("a density", func(f *wire.Frame) bool { return made(f) && len(f.Numbers("p")) > 0 && !f.On("playing") })
		p.settled()
		before, z := slices.Clone(f.Numbers("p")), slices.Clone(f.Numbers("z"))
		if !eval[bool](p, `document.getElementById("c-release").checkVisibility() === false`) {
			t.Error("there is a way back before anything was moved")
		}
		p.strokes(of.x, of.y, of.x, of.y-0.04)
		p.waitFrame("another density", func(f *wire.Frame) bool {
			own := f.Numbers("zown")
			return slices.Equal(own, z) && !slices.Equal(f.Numbers("z"), z) && !slices.Equal(f.Numbers("p"), before)
		})
		p.wait("a way back", `document.getElementById("c-release").checkVisibility()`)
		p.settled()
		p.shot("bars-" + of.lab)
		p.press("release")
		p.waitFrame("ẑ of the particles", func(f *wire.Frame) bool {
			return slices.Equal(f.Numbers("z"), z) && f.Numbers("zown") == nil
		})
		p.quiet()
	}
}
