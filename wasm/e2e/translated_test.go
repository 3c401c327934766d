//go:build !js

package e2e

import (
	"math"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// translator translates the page as a browser does: it replaces each text that may be translated by an
// element with other words, again after every change, and counts the texts in self.translated.
const translator = `(() => {
	self.translated = [];
	const done = new WeakSet();
	function translate(root) {
		const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
		const found = [];
		while (walker.nextNode()) found.push(walker.currentNode);
		for (const text of found) {
			const box = text.parentElement;
			if (!box || done.has(box) || !text.data.trim() || box.closest("[translate=no], script, style, svg, textarea, noscript, .hints, #hints, [hidden]")) continue;
			const font = document.createElement("font");
			font.textContent = text.data.replace(/[a-z]{3,}/g, (word) => [...word].reverse().join(""));
			done.add(font);
			translated.push(text.data);
			text.replaceWith(font);
		}
	}
	translate(document.body);
	new MutationObserver((all) => { for (const { target } of all) translate(target.nodeType === Node.TEXT_NODE ? target.parentElement ?? document.body : target); })
		.observe(document.body, { childList: true, characterData: true, subtree: true });
	return true;
})()`

// TestTranslated plays a run in a page that is translated into a language from right to left. Numbers
// change without their words, and sliders and axes keep their direction.
func TestTranslated(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.open(serve(t, distDir).url + "#lab=particles&frame=0")
	p.wait("a prediction", `/\d/.test(document.getElementById("f-kl").textContent)`)
	eval[bool](p, `(document.documentElement.dir = "rtl", `+translator+`)`)
	p.click("c-play")
	p.wait("some frames", `document.documentElement.dataset.playing === "true" && Number(document.getElementById("c-at").value) > 20`)
	frame := eval[float64](p, `(self.translated = [], Number(document.getElementById("c-at").value))`)
	p.wait("more frames", `Number(document.getElementById("c-at").value) > `+itoa(int(frame))+` + 100`)
	if n := eval[int](p, `translated.length`); n > 10 {
		t.Errorf("%d texts were translated while the run played: %s", n, eval[string](p, `JSON.stringify(translated.slice(0, 20))`))
	}
	if text := eval[string](p, `document.getElementById("summary").textContent`); len(text) < 20 {
		t.Errorf("the sentence is %q", text)
	}
	p.click("c-play")
	p.wait("a pause", `document.documentElement.dataset.playing === "false"`)

	type place struct{ X, Y float64 }
	at := func(script string) {
		t.Helper()
		to := eval[place](p, script)
		for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			p.do(command(input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: to.X, Y: to.Y, Button: input.MouseButtonLeft, ClickCount: 1}))
		}
	}
	at(`((e) => { e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect(), [tick] = [...e.parentElement.querySelectorAll(".ticks span")].filter((s) => s.textContent === "10⁻⁴").map((s) => s.getBoundingClientRect()); return { X: tick.x + tick.width / 2, Y: r.y + r.height / 2 }; })(document.getElementById("c-eps-slider"))`)
	p.wait("ε at the label", `Math.abs(Math.log10(Number(document.getElementById("c-eps").value.replace("×10⁻⁴", "e-4").replace("×10⁻⁵", "e-5").replace(/^10⁻⁴$/, "1e-4"))) + 4) < 0.3`)
	at(`((e) => { const r = e.getBoundingClientRect(); return { X: r.x + r.width / 4, Y: r.y + r.height / 2 }; })(document.getElementById("c-at"))`)
	share := `Number(document.getElementById("c-at").value) / Number(document.getElementById("c-at").max)`
	p.wait("a quarter of the time", `Math.abs(`+share+` - 0.25) < 0.02`)
	if share := eval[float64](p, share); math.Abs(share-0.25) > 0.02 {
		t.Errorf("a click at a quarter went to %g", share)
	}
	p.shot("translated-1280x800")
	p.do(chromedp.EmulateViewport(390, 844))
	p.settled()
	p.narrow(390)
	p.shot("translated-390x844")
	p.quiet()
}
