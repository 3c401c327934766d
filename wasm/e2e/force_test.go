//go:build !js

package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"macroscope/model/wire"
)

// TestForce enters a force and checks that a run with this force plays. An invalid force must be
// rejected with a sentence and change nothing. After a reload, the page must take the valid force
// from the address.
func TestForce(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newParticles(t, newBrowser(t), s.url+"#v=1&lab=particles&n=60&steps=60&frame=0", 1280, 800, 1)
	p.waitFrame("the usual force", func(f *wire.Frame) bool { return f.Number("now") == 0 && drawn(f) })
	p.set("c-force", "exp(−r) − r/4")
	p.wait("the force in its one form", `document.getElementById("c-force").value === "exp(-r)-r/4"`)
	p.waitFrame("the run of it", func(f *wire.Frame) bool { return f.Number("now") > 3 })
	p.wait("the headline", `document.body.innerText.includes("F(r) = exp(-r)-r/4") && location.hash.includes("force=exp%28-r%29-r%2F4")`)
	p.waitFrame("the end of the run", func(f *wire.Frame) bool { return f.Number("now") == 60 })
	p.reload()
	p.wait("the force of the address", `document.getElementById("c-force")?.value === "exp(-r)-r/4"`)
	x := p.waitFrame("the run of it", func(f *wire.Frame) bool { return f.Number("now") > 0 && len(f.Numbers("x")) == 120 })
	if len(x.Numbers("energy")) == 0 {
		t.Error("there is no energy")
	}

	// The user can also draw the force: with the keys, and with the pointer.
	eval[bool](p, `(document.querySelector("#g-system details").open = true)`)
	p.click("c-curve")
	p.wait("the drawing", `document.querySelectorAll(".curve .knot").length === 17 && document.querySelector(".curve svg").clientWidth > 250 && document.getElementById("c-curve").getAttribute("aria-expanded") === "true"`)
	eval[bool](p, `(document.querySelector(".curve").scrollIntoView({ block: "center" }), true)`)
	p.settled()
	p.shot("curve-1280")
	p.accessible(axe(t), "curve")
	eval[bool](p, `(document.querySelector(".curve .knot[tabindex='0']").focus(), true)`)
	p.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowUp))
	const drawn = `document.getElementById("c-force").value.match(/^curve\(r,2(,-?\d\.?\d*){17}\)$/)`
	p.wait("its formula", drawn)
	before := eval[string](p, `document.getElementById("c-force").value`)
	eval[bool](p, `(() => {
		const svg = document.querySelector(".curve svg"), r = svg.getBoundingClientRect();
		svg.setPointerCapture = () => {};
		for (const [type, x, y] of [["pointerdown", 0.3, 0.3], ["pointermove", 0.9, 0.7], ["pointerup", 0.9, 0.7]]) {
			svg.dispatchEvent(new PointerEvent(type, { pointerId: 1, bubbles: true, clientX: r.left + x * r.width, clientY: r.top + y * r.height }));
		}
		return true;
	})()`)
	p.wait("another formula", drawn+` && document.getElementById("c-force").value !== "`+before+`" && location.hash.includes("force=curve%28")`)
	p.waitFrame("the run of it", func(f *wire.Frame) bool { return f.Number("now") > 3 })
	p.do(chromedp.EmulateViewport(360, 740))
	eval[bool](p, `(document.getElementById("sheet").click(), document.querySelector(".curve").scrollIntoView({ block: "center" }), true)`)
	p.settled()
	p.narrow(360)
	p.shot("curve-360")
	p.click("c-curve")
	p.wait("no drawing", `!document.querySelector(".curve")`)
	p.quiet()
}
