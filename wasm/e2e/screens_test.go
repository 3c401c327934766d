//go:build !js

package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"macroscope/model/wire"
)

// screened are the labs, each at a picture that stands still.
var screened = []struct {
	lab, link string
	ready     func(f *wire.Frame) bool
}{
	{"demo", "#v=1&lab=demo&set=3", func(f *wire.Frame) bool { return len(f.Numbers("p")) > 0 && len(f.Numbers("z")) > 0 }},
	{"particles", "#lab=particles&seed=4&frame=120", func(f *wire.Frame) bool { return f.Number("now") == 120 && drawn(f) }},
	{"mixing", "#lab=mixing&frame=60", func(f *wire.Frame) bool { return f.Number("now") == 60 && !f.On("playing") && predicted(f) }},
	{"polymer", "#lab=polymer&frame=200", func(f *wire.Frame) bool { return f.Number("now") == 200 && !f.On("playing") && unfolding(f) }},
}

// TestScreens takes the pictures to look at of every lab, on several screens.
func TestScreens(t *testing.T) {
	browser := newBrowser(t)
	s := serve(t, distDir)
	for _, lab := range screened {
		for _, screen := range []struct {
			name          string
			width, height int64
			scale         float64
			prepare       func(p *tab)
		}{
			{"1280x800", 1280, 800, 2, nil},
			{"1280x800-dark", 1280, 800, 1, func(p *tab) { p.click("theme") }},
			{"390x844-phone", 390, 844, 2, nil},
			{"390x844-phone-sheet", 390, 844, 2, func(p *tab) { p.click("sheet") }},
			{"1920x1080-projector", 1920, 1080, 1, func(p *tab) {
				p.do(chromedp.KeyEvent("p"))
				p.wait("projector mode", `document.documentElement.classList.contains("projector")`)
			}},
		} {
			name := lab.lab + "-" + screen.name
			t.Run(name, func(t *testing.T) {
				p := newProbed(t, browser, lab.lab, s.url+lab.link, screen.width, screen.height, screen.scale)
				p.waitFrame("a whole picture", lab.ready)
				if screen.prepare != nil {
					before := p.picture()
					screen.prepare(p)
					p.changes(name, before)
				}
				p.settled()
				p.narrow(screen.width)
				p.shot(name)
				if n := p.colours(); n < 50 {
					t.Errorf("the picture has %d colours: there is nothing on it", n)
				}
				p.quiet()
				eval[bool](p, `(localStorage.clear(), true)`) // the theme
			})
		}
	}
}
