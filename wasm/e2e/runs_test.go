//go:build !js

package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// said returns an expression that is true if a notice contains this text.
func said(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#notices .notice")].some(e => e.textContent.includes(%q))`, text)
}

// listed returns an expression that is true if the list contains a run with this name.
func listed(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#c-runs li b")].some(e => e.textContent === %q)`, name)
}

// TestRunsAreKept trains, leaves the lab and returns. The training is then in the list of runs,
// also after a reload. Undo restores a deleted run.
func TestRunsAreKept(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.open(serve(t, distDir).url)
	p.wait("the shipped model", `document.documentElement.dataset.status === "done"`)
	p.set("c-runto", "30")
	p.click("c-go")
	p.wait("30 steps", `(`+stepExpression+`) === 30 && document.documentElement.dataset.status === "paused"`)

	const first = "line/flow, ẑ 8, ε 0.1, step 30"
	p.click("c-newseed")
	p.wait("a word about the run", said(first))
	p.wait("the run", listed(first))
	p.shot("run-kept-1280x800")
	eval[bool](p, `([...document.querySelectorAll("#notices button")].find(e => e.textContent === "Undo").click(), true)`)
	goesOn := func(what string) {
		p.wait(what+", with which Train goes on", `document.getElementById("c-train").textContent.startsWith("Go on") && `+listed(first))
	}
	goesOn("the run")

	p.set("c-zdim", "2")
	p.wait("another latent dimension", `location.hash.includes("zdim=2")`)
	p.wait("a save", `document.documentElement.dataset.saved?.includes("zdim=2")`)
	p.do(chromedp.Reload())
	p.playing()
	p.wait("the run after a reload", listed(first))
	p.set("c-zdim", "8")
	goesOn("the run of these settings")

	p.click("c-reset")
	p.wait("the run", listed(first))
	eval[bool](p, `(document.querySelector('[aria-label="Delete `+first+`"]').click(), true)`)
	p.wait("the run to be gone", `!`+listed(first)+` && `+said("Deleted"))
	eval[bool](p, `([...document.querySelectorAll("#notices button")].find(e => e.textContent === "Undo").click(), true)`)
	p.wait("the run to be back in the list", listed(first))
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)))
	p.click("sheet")
	p.wait("all controls", `document.getElementById("sheet").getAttribute("aria-expanded") === "true"`)
	eval[bool](p, `(document.getElementById("c-runs").scrollIntoView({block: "center"}), true)`)
	p.settled()
	p.shot("runs-390x844")
	p.narrow(390)
	p.quiet()
}
