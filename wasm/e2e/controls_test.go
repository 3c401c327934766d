//go:build !js

package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestControls checks that of everything few controls are open, among them the button Train. All hidden
// controls are in folded groups, and can be found by name. A group that the user unfolds is still
// unfolded after a reload.
func TestControls(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	const open = `[...document.querySelectorAll("#groups .group:not([hidden]) :is(input[type=text], select, [role=radiogroup], button, [role=switch])")].filter((e) => e.checkVisibility() && !e.closest("[role=radiogroup] *")).length`
	for lab, still := range map[string]string{"demo": "drift=off", "particles": "frame=20", "mixing": "frame=1"} {
		t.Run(lab, func(t *testing.T) {
			p.do(chromedp.EmulateViewport(1280, 800))
			p.visit(t, lab, s.url+"#lab="+lab+"&"+still)
			p.wait("about ten controls", open+` <= 11`)
			if n := eval[int](p, open); n < 4 {
				t.Errorf("%d controls are open", n)
			}
			p.wait("Train, in sight", `document.getElementById("c-train").checkVisibility()`)
			seek := func(words string) {
				eval[bool](p, `(() => { const seek = document.getElementById("seek"); seek.value = "`+words+`"; seek.dispatchEvent(new Event("input")); return true; })()`)
			}
			visible := func(id string) string { return `document.getElementById("c-` + id + `").checkVisibility()` }
			p.wait("the files folded away", `!`+visible("bundle"))
			seek("save everything")
			p.wait("what was looked for", visible("bundle")+` && !`+visible("shuffle"))
			p.shot("controls-" + lab + "-found")
			seek("xyzzy")
			p.wait("word that there is none", `!document.getElementById("seek-none").hidden`)
			seek("")
			p.wait("all as before", `!`+visible("bundle")+` && `+visible("shuffle")+` && document.getElementById("seek-none").hidden`)
			eval[bool](p, `(document.querySelector("#g-files summary").click(), true)`)
			p.wait("the files unfolded", visible("bundle"))
			if lab == "mixing" { // TestAccessible looks at the other labs
				p.accessibleInThemes(axe(t), lab)
			}
			if lab != "demo" && !*long && !*shots { // the same code remembers groups and folds the panel in every lab
				p.quiet()
				return
			}
			p.do(chromedp.Reload())
			p.wait("the files, as they were left", `document.getElementById("c-bundle")?.checkVisibility()`)
			for _, screen := range [...][2]int64{{360, 740}, {820, 1180}, {1280, 800}, {1920, 1080}} {
				p.do(chromedp.EmulateViewport(screen[0], screen[1]))
				if screen[0] == 360 {
					p.click("sheet")
				}
				p.settled()
				p.narrow(screen[0])
				p.shot("controls-" + lab + "-" + itoa(int(screen[0])))
				if screen[0] == 360 {
					p.click("sheet")
				}
			}
			p.quiet()
			eval[bool](p, `(localStorage.clear(), true)`)
		})
	}
}
