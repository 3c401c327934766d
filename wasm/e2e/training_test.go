//go:build !js

package e2e

import (
	"math"
	"testing"
	"time"

	"macroscope/model/wire"
)

// mostLost is how much training an accident may cost.
const mostLost = 5 * time.Second

// trained is how far a training has got: its stage and the step of its loss.
func trained(f *wire.Frame) (stage string, step float64) {
	return string(f.Text("trainStage")), last(f.Numbers("lossStep"))
}

// TestParticlesTraining trains from scratch in the tab. On the way its worker
// is killed, its WebGL context lost and its page reloaded.
func TestParticlesTraining(t *testing.T) {
	s := serve(t, distDir)
	p := newParticles(t, newBrowser(t), s.url+"#lab=particles", 1280, 800, 1)
	p.waitFrame("the shipped model", drawn)
	p.choose("size", "browser")
	p.choose("from", "scratch")
	p.press("train")
	p.wait("training", `document.documentElement.dataset.status === "training"`)
	f := p.waitFrame("a falling loss", func(f *wire.Frame) bool { return len(f.Numbers("loss")) > 20 })
	if loss := f.Numbers("loss"); !(last(loss) < float64(loss[0])) {
		t.Errorf("the loss went from %g to %g", loss[0], last(loss))
	}
	p.shot("particles-training-1280x800")
	p.wait("a save", `document.documentElement.dataset.saved`)

	p.loses("losing the WebGL context", func() {
		eval[bool](p, `(document.getElementById("canvas").contentDocument.querySelector("canvas").getContext("webgl2").getExtension("WEBGL_lose_context").loseContext(), true)`)
		p.wait("another canvas", `(() => { const c = document.getElementById("canvas").contentDocument?.querySelector("canvas"); return c && !c.getContext("webgl2")?.isContextLost(); })()`)
	})
	p.loses("a reload", func() {
		eval[bool](p, `(self.beforeReload = true, setTimeout(() => location.reload()), true)`)
		p.wait("another page", `!self.beforeReload && document.readyState === "complete"`)
		p.playing()
	})
	// Terminated from outside, a worker says nothing any more, and the page has
	// to find that out.
	p.loses("the death of the worker", func() {
		eval[bool](p, `(workers.at(-1).terminate(), self.before = workers.length, true)`)
		p.wait("a successor", `workers.length > before`)
	})
	p.quiet()

	// All the way to the law: its validation MRE falls below the bar.
	began := time.Now()
	f = p.waitFrameFor(trainingPatience, "a validation MRE below the bar", func(f *wire.Frame) bool { return last(f.Numbers("mreVal")) < mreBar })
	t.Logf("validation MRE %.3g after %.0f s more", last(f.Numbers("mreVal")), time.Since(began).Seconds())
	p.shot("particles-trained-1280x800")
	p.press("train")
	p.wait("a pause", `document.documentElement.dataset.status !== "training"`)
	p.quiet()
}

const (
	trainingPatience = 150 * time.Second
	mreBar           = 0.05
)

// loses measures how much training an accident costs, in seconds at the speed
// that training had before it.
func (p *tab) loses(what string, accident func()) {
	p.t.Helper()
	const watch = 3 * time.Second
	f := p.waitFrame("training", func(f *wire.Frame) bool { _, step := trained(f); return step > 0 })
	_, from := trained(f)
	began := time.Now()
	time.Sleep(watch)
	stage, before := trained(p.frame())
	rate := (before - from) / time.Since(began).Seconds()

	eval[bool](p, `(document.getElementById("canvas").contentWindow.lastFrame = undefined, true)`)
	accident()
	p.wait("training to go on", `document.documentElement.dataset.status === "training"`)
	f = p.waitFrame("training after "+what, func(f *wire.Frame) bool { _, step := trained(f); return step > 0 })
	now, after := trained(f)
	if now != stage {
		p.t.Errorf("%s: training is at %q, before it was at %q", what, now, stage)
	}
	lost := (before - after) / rate
	p.t.Logf("%s: at step %g before, %g after; %.1f s of %.0f steps/s lost", what, before, after, max(0, lost), rate)
	if !(lost <= mostLost.Seconds()) || math.IsInf(rate, 0) {
		p.t.Errorf("%s costs %.1f s of training, from step %g back to %g; at most %v may be lost", what, lost, before, after, mostLost)
	}
	p.waitFrame("training to pass where it was before "+what, func(f *wire.Frame) bool {
		stage, step := trained(f)
		return step > before || stage != now
	})
}
