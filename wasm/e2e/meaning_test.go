//go:build !js

package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// written finds numbers in program notation: with a hyphen as minus, or with an e before the
// exponent. It checks fields but not sliders.
const written = `(() => {
	const texts = [];
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
		node.parentElement.closest("script, style, kbd, #provenance, #spoken") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
	while (walk.nextNode()) texts.push(walk.currentNode.data);
	for (const input of document.querySelectorAll("input[type=text], input[type=number]")) texts.push(input.value);
	return texts.filter((text) => /(^|[\s(=])-\d|\de[+-]\d/.test(text));
})()`

// failsLoudly checks in the particles lab that the headline warns in words and in the error colour if
// a run is outside the training range.
func (p *tab) failsLoudly() {
	p.t.Helper()
	p.set("c-preset", "loop")
	p.wait("the loop", `location.hash.includes("a=10")`)
	p.wait("a warning", `document.getElementById("summary").textContent.includes("No verdict: outside of training, off by up to")`)
	p.wait("why", `document.getElementById("warning").textContent.includes("this run has a = 10, b = 0")`)
	if got := eval[bool](p, `(([wrong, error]) => wrong === error)([document.querySelector("#summary .ink-wrong"), document.body].map((e, i) => { if (i) e.style.outlineColor = "var(--error)"; return getComputedStyle(e)[i ? "outlineColor" : "color"]; }))`); !got {
		p.t.Error("what fails has not the colour of errors")
	}
	for _, screen := range []struct{ width, height, most int64 }{{1024, 768, 2}, {600, 960, 3}, {390, 844, 3}, {360, 740, 3}, {1280, 800, 2}} {
		p.do(chromedp.EmulateViewport(screen.width, screen.height))
		p.wait("the screen", fmt.Sprintf(`innerWidth === %d`, screen.width))
		if n := eval[int64](p, `((words) => (words.selectNodeContents(document.getElementById("summary")), new Set([...words.getClientRects()].map((r) => Math.round(r.bottom / 8))).size))(document.createRange())`); n > screen.most {
			p.t.Errorf("%d wide, the headline takes %d lines, want %d at most", screen.width, n, screen.most)
		}
		p.shot(fmt.Sprintf("fails-%d", screen.width))
	}
}

// TestNumbersOnThePage checks that every number on the page has a true minus sign and a true
// power of ten, and that symbols in the help keep their letter case.
func TestNumbersOnThePage(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	for _, link := range []string{"#v=1&lab=demo&eps=1e-8&zdim=8&set=3", "#lab=particles&a=4&b=-1.2&dt=0.02&frame=20", "#lab=mixing&height=12&frames=20&dt=0.001&frame=10"} {
		p.open(s.url + link)
		p.wait("the lab", `document.documentElement.dataset.lab === new URLSearchParams("`+link[1:]+`").get("lab") && document.querySelector(".runs li") && !document.getElementById("groups").disabled`)
		p.click("help")
		p.wait("the help", `document.getElementById("help-dialog").open`)
		for _, text := range eval[[]string](p, written) {
			t.Errorf("%s: the page writes %q", link, text)
		}
		for _, term := range eval[[]string](p, `[...document.querySelectorAll(".help dt")].filter((e) => getComputedStyle(e, "::first-letter").textTransform !== "none" || getComputedStyle(e).textTransform !== "none").map((e) => e.textContent)`) {
			t.Errorf("%s: the help changes the case of %s", link, term)
		}
		p.click("help-close")
	}
}
