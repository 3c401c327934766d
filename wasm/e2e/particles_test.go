//go:build !js

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
)

const shippedParticles = "../../assets/models/particles-laptop.safetensors"

// newParticles opens the particles lab in a tab with the probe.
func newParticles(t testing.TB, browser context.Context, url string, width, height int64, scale float64) *tab {
	t.Helper()
	return newProbed(t, browser, "particles", url, width, height, scale)
}

// drawn reports whether a frame has all results of the shipped model.
func drawn(f *wire.Frame) bool {
	return len(f.Numbers("p")) > 0 && len(f.Numbers("z")) > 0 && len(f.Numbers("pred")) == int(f.Number("horizon"))+1 && f.Number("kl") > 0
}

// choose selects an option of a choice, a list or a row of buttons.
func (p *tab) choose(id, value string) {
	p.t.Helper()
	p.wait("the answer "+value+" of the control "+id, fmt.Sprintf(`(() => {
		const e = document.getElementById("c-" + %[1]q);
		const list = e?.matches("select") ? e : e?.querySelector("select");
		const one = [...(list?.options ?? document.getElementsByName("c-" + %[1]q))].find((one) => one.value === %[2]q);
		if (!one || (list ?? one).matches(":disabled, [aria-disabled=true]")) return false;
		if (list) {
			list.value = %[2]q;
			list.dispatchEvent(new Event("change", {bubbles: true}));
		} else one.click();
		return true;
	})()`, id, value))
}

func (p *tab) press(id string) {
	p.t.Helper()
	p.click("c-" + id)
}

// TestParticles plays the paper's system, shows each density, and plays with many particles.
func TestParticles(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	browser := newBrowser(t)
	began := time.Now()
	p := newParticles(t, browser, s.url+"#lab=particles", 1280, 800, 1)

	// The lab plays without a click: first the particles move, then the shipped model's results
	// appear.
	p.waitFrame("particles that move", func(f *wire.Frame) bool { return len(f.Numbers("x")) == 2*300 && f.Number("now") > 0 })
	f := p.waitFrame("densities and predictions", drawn)
	t.Logf("plays with the shipped model after %.1f s", time.Since(began).Seconds())
	p.fetched("models/particles-flow-tunable.safetensors")
	if f.Number("horizon") != 300 || len(f.Numbers("label")) != 300 {
		t.Errorf("horizon %g, %d labels", f.Number("horizon"), len(f.Numbers("label")))
	}
	// The learned density is sampled at the cells' centres, so its sum is not exact.
	if mass := mass(f, "p"); math.Abs(mass-1) > 0.1 {
		t.Errorf("the learned density integrates to %g over the window, want 1 to 0.1", mass)
	}
	if w := f.Numbers("widths"); len(w) != 2 || !(w[0] > 0 && w[1] > 0) {
		t.Errorf("kernels are %v wide", w)
	}
	if kl := f.Number("kl"); !(kl > 0 && kl < 5) {
		t.Errorf("KL(q_X || p_θ) is %g nats; kernels of 0.01 around 300 particles are some 2 nats from any smooth density", kl)
	}
	p.shot("particles-open-1280x800")
	p.quiet()

	p.views()
	p.offers()
	p.many()
	p.quiet()
}

// The method `offers` moves ε out of the range of the shipped model. The slider shows that, and a link in the warning trains
// a model for this ε.
func (p *tab) offers() {
	p.t.Helper()
	p.set("c-eps", "0.001")
	p.wait("the range of the model, and a thumb outside", `(() => {
		const eps = document.getElementById("c-eps-slider"), from = Number(eps.style.getPropertyValue("--from"));
		return eps.matches(".knows.outside") && Number(eps.style.getPropertyValue("--share")) < from && from < Number(eps.style.getPropertyValue("--to"))
			&& document.getElementById("c-zdim-slider").matches(".knows:not(.outside)");
	})()`)
	p.use("warning", `const link = e.querySelector("[data-press=train]"); if (!link) return false; link.click()`)
	p.wait("a training", `document.documentElement.dataset.status === "training"`)
	p.click("c-train")
	p.wait("its end", `document.documentElement.dataset.status !== "training"`)
	p.set("c-eps", "0.01")
	p.waitFrame("the shipped model", drawn)
}

// mass integrates a density over the window of its picture.
func mass(f *wire.Frame, name string) (m float64) {
	w, p := f.Numbers("window"), f.Numbers(name)
	if len(w) != 4 {
		return math.NaN()
	}
	for _, v := range p {
		m += float64(v) * float64((w[1]-w[0])*(w[3]-w[2])) / float64(len(p))
	}
	return m
}

// slide sets a slider and sends the event that dragging sends.
func (p *tab) slide(id string, value float64) {
	p.t.Helper()
	p.use("c-"+id, fmt.Sprintf(`e.value = %g; e.dispatchEvent(new Event("input", {bubbles: true}))`, value))
}

// The method `views` displays several results of the model in turn. They are the densities, the
// samples, and the density of the predicted ẑ.
func (p *tab) views() {
	p.t.Helper()
	p.looks(true)
	for _, density := range []string{"target", "learned", "difference", "target", "both"} {
		before := p.picture()
		p.choose("density", density)
		p.changes("the density "+density, before)
		p.shot("particles-density-" + density + "-1280x800")
	}
	p.looks(false)
	p.click("c-samples")
	p.waitFrame("samples of the flow", func(f *wire.Frame) bool { return len(f.Numbers("samples")) >= 2*100 })
	p.shot("particles-samples-1280x800")
	p.click("c-samples")
	p.waitFrame("no samples", func(f *wire.Frame) bool { return len(f.Numbers("samples")) == 0 })

	p.choose("source", "prediction")
	p.waitFrame("the density of the predicted ẑ", func(f *wire.Frame) bool { return f.Number("source") == 1 && len(f.Numbers("zhat")) > 0 })
	p.shot("particles-source-prediction-1280x800")
	p.choose("source", "particles")

}

// The method `many` plays with the largest number of particles.
func (p *tab) many() {
	p.t.Helper()
	p.set("c-n", "5000")
	f := p.waitFrame("5000 particles", func(f *wire.Frame) bool { return len(f.Numbers("x")) == 2*5000 && drawn(f) })
	if !f.On("playing") {
		p.press("play")
	}
	p.waitFrame("5000 particles that move", func(g *wire.Frame) bool { return g.Number("now") != f.Number("now") }) // compared with !=, because the run may have restarted
	p.shot("particles-5000-1280x800")
}

// evaluation is a part of the output of `macroscope eval -json`.
type evaluation struct {
	Tests []struct {
		Set string  `json:"set"`
		MRE float64 `json:"mre"`
	} `json:"tests"`
}

// macroscope runs the native program and returns its output.
func macroscope(t testing.TB, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("../../bin/macroscope", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("macroscope %v: %v\n%s", args, err, stderr.Bytes())
	}
	return out
}

// TestParticlesFile drops a file of the native program, and compares the tab's results with
// the native program's.
func TestParticlesFile(t *testing.T) {
	t.Parallel()
	const trajectories = 3
	name := filepath.Join(t.TempDir(), "three.npz")
	macroscope(t, "simulate", "-experiment", "particles", "-n", strconv.Itoa(trajectories), "-seed", "77", "-out", name)
	var native evaluation
	if err := json.Unmarshal(macroscope(t, "eval", "-json", "-model", shippedParticles, "-data", name), &native); err != nil {
		t.Fatal(err)
	}
	predicted, z := nativePrediction(t, name, trajectories)
	mre := predicted.MRE()

	p := newParticles(t, newBrowser(t), serve(t, distDir).url+"#lab=particles", 1280, 800, 1)
	p.waitFrame("the shipped model", drawn)
	p.opens(shippedParticles)
	p.drop("#canvas", name)
	p.take()
	p.waitFrame("the first recorded trajectory", func(f *wire.Frame) bool {
		return string(f.Text("note")) != "" && f.Number("horizon") == 300 && drawn(f)
	})
	for e := range trajectories {
		if e > 0 {
			p.set("c-trajectory", strconv.Itoa(e+1))
		}
		// The predicted ẑ of frame 0 is the encoded ẑ. The MRE is over the frames up to the
		// displayed frame.
		p.waitFrame(fmt.Sprintf("trajectory %d predicted", e+1), func(f *wire.Frame) bool {
			future := f.Numbers("zfuture")
			return f.Number("known") == 300 && len(future) == 301*len(z[e]) && math.Abs(float64(future[0]-z[e][0])) < 1e-3
		})
		p.slide("at", 300)
		f := p.waitFrame("its last frame", func(f *wire.Frame) bool { return f.Number("now") == 300 && f.Number("mre") > 0 })
		// The kernels of WebAssembly, and of some processors, do not fuse multiplications with
		// additions. Sums of a few hundred float32 then differ by some 1e-6, and 300 steps of
		// the dynamics amplify this.
		for i, want := range z[e] {
			if got := f.Numbers("zfuture")[i]; math.Abs(float64(got-want)) > 1e-4 {
				t.Errorf("trajectory %d: ẑ[%d] is %g in the tab, %g natively", e+1, i, got, want)
			}
		}
		if got, want := f.Number("mre"), mre[e]; math.Abs(got-want) > 1e-3*want {
			t.Errorf("trajectory %d: MRE %.6g in the tab, %.6g natively", e+1, got, want)
		}
	}
	p.shot("particles-file-1280x800")
	p.quiet()
}

// nativePrediction returns the shipped model's predictions for the trajectories in a file, and
// ẑ of their first frames.
func nativePrediction(t testing.TB, name string, count int) (p *measure.Prediction, z [][]float32) {
	t.Helper()
	m := openModel(t, shippedParticles)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	recording, err := m.System.Open(system.File{Name: name, Bytes: bytes.NewReader(b), Size: int64(len(b))}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close()
	if p, err = (measure.Task{Model: m, Source: recording, Count: count, Members: 1, Seed: 1, Workers: 2}).Run(work.Until(t.Context())); err != nil {
		t.Fatal(err)
	}
	z = make([][]float32, count)
	err = system.Each(work.Until(t.Context()), recording, count, 1, func(e int, trajectory *system.Trajectory) error {
		var f system.Frame
		m.System.Frame(&f, trajectory, 0, m.Config.Dim())
		c := m.NewCoder()
		z[e] = make([]float32, m.Config.ZDim())
		c.Encode(z[e], c.Canonical(&f))
		m.Scaled(z[e], z[e])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, z
}

// openModel opens a checkpoint of any lab.
func openModel(t testing.TB, name string) *model.Model {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f, err := ckpt.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(catalogue.Systems(), f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestParticlesKeyboard reaches every control by Tab, and plays and steps by
// the keyboard.
func TestParticlesKeyboard(t *testing.T) {
	t.Parallel()
	p := newParticles(t, newBrowser(t), serve(t, distDir).url+"#lab=particles&frame=20&speed=0.25", 1280, 800, 1)
	p.standing(20) // the run must stand still, because some controls are disabled when a playing run ends
	// Tab reaches all enabled controls. In a row of radio buttons, Tab reaches the selected
	// button, and the arrow keys reach the other buttons. Closed groups are opened first.
	want := eval[[]string](p, `[...document.querySelectorAll("details")].forEach(e => e.open = true) ||
		[...document.querySelectorAll("button, input, select, textarea, a[href], summary, iframe")]
			.filter(e => e.checkVisibility() && e.offsetWidth > 1 && !e.disabled && !e.closest("fieldset:disabled") && e.tabIndex >= 0 && !(e.type === "radio" && !e.checked))
			.map((e, i) => (e.dataset.reach = i, e.id || e.name || e.textContent.trim() || e.tagName))`)
	if len(want) < 30 {
		t.Errorf("the page has only %d controls that can be used: %q", len(want), want)
	}
	eval[bool](p, `(document.activeElement.blur(), true)`)
	reached := map[string]bool{}
	for range len(want) + 20 {
		p.do(chromedp.KeyEvent("\t"))
		reached[eval[string](p, `document.activeElement.dataset.reach ?? ""`)] = true
		if visible := eval[bool](p, `document.activeElement === document.body || document.activeElement.matches("iframe") || getComputedStyle(document.activeElement).outlineStyle !== "none" || getComputedStyle(document.activeElement).boxShadow !== "none"`); !visible {
			t.Errorf("the focus on %s cannot be seen", eval[string](p, `document.activeElement.id`))
		}
	}
	for i, name := range want {
		if !reached[strconv.Itoa(i)] {
			t.Errorf("Tab does not reach %s", name)
		}
	}

	eval[bool](p, `(document.activeElement.blur(), true)`)
	p.do(chromedp.KeyEvent(" "))
	p.waitFrame("a run that plays by the space bar", func(f *wire.Frame) bool { return f.Number("now") > 20 })
	p.do(chromedp.KeyEvent(" "))
	f := p.waitFrame("a pause by the space bar", func(f *wire.Frame) bool { return !f.On("playing") })
	p.do(chromedp.KeyEvent("s"))
	p.waitFrame("a step by s", func(g *wire.Frame) bool { return g.Number("now") == f.Number("now")+1 })
	p.quiet()
}
