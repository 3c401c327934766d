//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"macroscope/model/wire"
)

// TestPortrait displays the latent portrait in two labs. It drags z in the portrait, releases
// z, and checks the portrait on several screens.
func TestPortrait(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.sees()
	p.addScript(probe)
	for name, link := range map[string]string{
		"particles": "#lab=particles&seed=4&frame=60&portrait=on", "mixing": "#lab=mixing&frame=60&portrait=on",
	} {
		t.Run(name, func(t *testing.T) {
			p.do(chromedp.EmulateViewport(1280, 800))
			p.visit(t, name, s.url+link)
			p.standing(60)
			f := p.waitFrame("a portrait with paths of training", func(f *wire.Frame) bool {
				return len(f.Numbers("portraitArrows")) > 0 && len(f.Numbers("portraitPaths")) > 0 && len(f.Numbers("portraitRun")) > 2
			})
			if noise := len(f.Numbers("portraitNoise")) > 0; noise != (name == "mixing") || len(f.Text("portraitNote")) == 0 {
				t.Errorf("noise %v, %q", noise, f.Text("portraitNote"))
			}
			if fixed := f.Numbers("portraitFixed"); name == "particles" && len(fixed) == 0 {
				t.Error("the dynamics of the particles, which come to rest, have no fixed point")
			}
			before, z := slices.Clone(append(f.Numbers("p"), f.Numbers("pA")...)), slices.Clone(f.Numbers("z"))
			p.strokes(0.75, 0.75, 0.9, 0.85) // in the portrait, at the lower right of the picture
			p.waitFrame("another density, of the z that is held, and samples", func(f *wire.Frame) bool {
				return len(f.Numbers("portraitHeld")) == 2 && len(f.Numbers("portraitFlow")) > 2 && !slices.Equal(append(f.Numbers("p"), f.Numbers("pA")...), before) &&
					(name == "mixing" || len(f.Numbers("samples")) > 0)
			})
			p.settled()
			p.shot("portrait-" + name + "-1280x800-held")
			p.press("release")
			p.waitFrame("z of the particles again", func(f *wire.Frame) bool {
				return f.Numbers("portraitHeld") == nil && slices.Equal(f.Numbers("z"), z)
			})
			p.choose("axisy", "m1")
			p.waitFrame("another axis", func(f *wire.Frame) bool {
				y := string(f.Text("portraitY"))
				return y == "energy" || y == "R_AB"
			})
			p.settled()
			if name != "particles" && !*long && !*shots { // the portrait is drawn and labelled by the same code
				p.quiet()
				return
			}
			p.accessibleInThemes(axe(t), name)
			screens := [][2]int64{{360, 740}, {820, 1180}, {1920, 1080}}
			for _, screen := range screens {
				before := p.picture()
				p.do(chromedp.EmulateViewport(screen[0], screen[1]))
				p.changes("another size", before)
				p.settled()
				p.narrow(screen[0])
				p.shot("portrait-" + name + "-" + itoa(int(screen[0])))
			}
			p.quiet()
		})
	}
}
