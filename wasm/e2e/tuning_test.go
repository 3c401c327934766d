//go:build !js

package e2e

import (
	"testing"
)

// TestTuning opens a run within the training range and a run outside of it, and chooses models in the drawing of a sweep.
func TestTuning(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(probe)
	p.open(s.url + "#lab=particles&frame=60")
	p.wait("the particles", `document.getElementById("summary").textContent.includes("The prediction holds, within")`)
	if n := eval[int](p, `document.querySelectorAll("#summary .ink-wrong").length`); n != 0 {
		t.Error("what holds has the colour of errors")
	}
	p.wait("a KL that is large, and hardly above a smooth copy's", `(([kl, above]) => kl > 0.5 && Math.abs(above) < 0.5)(["f-kl", "f-above"].map((id) => Number.parseFloat(document.getElementById(id).textContent.replace("−", "-"))))`)
	p.shot("tuning-log-1280x800")
	p.wait("the axis of what relaxes", `document.getElementById("c-axis-log").checked`)
	p.failsLoudly()

	p.open(s.url + "#lab=demo")
	p.wait("the line", `document.documentElement.dataset.lab === "demo" && document.querySelector(".runs li")`)
	p.click("c-sweep")
	p.wait("the sweep", `document.querySelectorAll("#sweep .point").length > 2`)
	point := `[...document.querySelectorAll("#sweep .point")].find((e) => e.getAttribute("aria-label").startsWith("ε 0.03, ẑ dim 2"))`
	eval[bool](p, `(`+point+`.dispatchEvent(new MouseEvent("click")), true)`)
	p.wait("the model of the point", `location.hash.includes("eps=0.03") && location.hash.includes("zdim=2") && !document.getElementById("warning").textContent`)
	p.wait("its mark", point+`.classList.contains("here")`)
	p.choose("sweep-over", "encoder.zdim")
	p.wait("the other field", `document.querySelector("#sweep svg").getAttribute("aria-label").endsWith("ẑ dim")`)
	p.shot("tuning-sweep-1280x800")
	p.narrow(1280)
	p.click("c-sweep")
	p.wait("the sweep put away", `document.getElementById("sweep").hidden`)
	p.quiet()
}

// watched makes a page check twice a second whether its worker is alive. It also keeps the
// worker in self.session.
const watched = `(() => {
	self.watchTick = 500;
	const post = Worker.prototype.postMessage;
	Worker.prototype.postMessage = function (...of) { post.apply(self.session = this, of); };
})()`

// TestOwnSweep changes a setting after the worker has become silent. It then runs a sweep in the
// page. Points appear in the drawing. The sweep continues after a reload and after its worker has become silent. A click on a point displays the point's
// model.
func TestOwnSweep(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(watched)
	p.open(s.url + "#lab=demo&drift=off")
	p.settled()

	// An idle worker becomes silent. The page notices at the next request, and the next worker answers
	// this request.
	p.set("c-eps", "0.2")
	p.wait("the setting", `location.hash.includes("eps=0.2")`)
	p.saves()
	eval[bool](p, `(self.session.onmessage = null, true)`)
	p.set("c-eps", "0.3")
	p.wait("a word on that", said("did not answer any more"))
	p.wait("the setting that was not answered", `location.hash.includes("eps=0.3")`)
	p.set("c-eps", "0.05")
	p.wait("another setting", `location.hash.includes("eps=0.05")`)

	for id, value := range map[string]string{"c-sweepeps": "0.2", "c-sweepzdim": "2, 4, 8", "c-sweepsteps": "25"} {
		p.set(id, value)
	}
	p.shot("tuning-own-before-1280x800")
	p.noting("task")
	p.click("c-sweeprun")
	own := `[...document.querySelectorAll("#sweep .point.own")]`
	p.wait("its first point", own+`.length > 0`)
	p.noted("task", "training 2 of 3")
	p.shot("tuning-own-1280x800")
	p.saves()
	p.reload()
	p.wait("another point, after which nothing is heard of the worker", own+`.length === 2 && (self.session.onmessage = null, true)`)
	p.wait("a word on that", said("did not answer any more"))
	p.wait("its last point", own+`.length === 3`)
	eval[bool](p, `(`+own+`[1].dispatchEvent(new MouseEvent("click")), true)`)
	p.wait("the model of the point", `location.hash.includes("zdim=4") && `+own+`[1].classList.contains("here")`)
	if n := eval[int](p, `[...document.querySelectorAll(".runs li")].filter((e) => e.textContent.includes("kept automatically")).length`); n != 1 {
		t.Errorf("%d runs are kept automatically, want that of the point", n)
	}
	p.shot("tuning-own-done-1280x800")
	p.narrow(1280)
	p.quiet()
}
