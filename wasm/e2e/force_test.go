//go:build !js

package e2e

import (
	"fmt"
	"testing"

	"macroscope/model/wire"
)

// TestForce types a force of the visitor's own: it plays, a bad one is refused with a
// sentence and changes nothing, and the address brings it back.
func TestForce(t *testing.T) {
	s := serve(t, distDir)
	p := newParticles(t, newBrowser(t), s.url+"#v=1&lab=particles&n=60&steps=60&frame=0", 1280, 800, 1)
	p.waitFrame("the usual force", func(f *wire.Frame) bool { return f.Number("now") == 0 && drawn(f) })
	p.set("c-force", "exp(−r) − r/4")
	p.wait("the force in its one form", `document.getElementById("c-force").value === "exp(-r)-r/4"`)
	p.waitFrame("the run of it", func(f *wire.Frame) bool { return f.Number("now") > 3 })
	p.wait("the headline", `document.body.innerText.includes("F(r) = exp(-r)-r/4") && location.hash.includes("force=exp%28-r%29-r%2F4")`)
	for bad, says := range map[string]string{"2r": "an operator is missing", "sqrt(1-r)": "not a number", "1e5*(1-r)": "choose a time step below"} {
		p.set("c-force", bad)
		p.wait("a sentence on "+bad, fmt.Sprintf(`[...document.querySelectorAll("#notices *")].some(e => e.textContent.includes(%q))`, says))
		p.wait("the former force", `document.getElementById("c-force").value === "exp(-r)-r/4"`)
	}
	p.waitFrame("the end of the run", func(f *wire.Frame) bool { return f.Number("now") == 60 })
	p.reload()
	p.wait("the force of the address", `document.getElementById("c-force")?.value === "exp(-r)-r/4"`)
	x := p.waitFrame("the run of it", func(f *wire.Frame) bool { return f.Number("now") > 0 && len(f.Numbers("x")) == 120 })
	if len(x.Numbers("energy")) == 0 {
		t.Error("there is no energy")
	}
	p.quiet()
}
