//go:build !js

package e2e

import (
	"math"
	"path/filepath"
	"testing"

	"macroscope/model/lab/catalogue"
	"macroscope/model/wire"
)

// orderedParticles is a shipped model with an encoder that depends on the order of the
// particles.
const orderedParticles = "../../assets/models/particles-ae-aug.safetensors"

// opens(name) drops a checkpoint on the page. It then waits for the notice that the model is open.
func (p *tab) opens(name string) {
	p.t.Helper()
	name, err := filepath.Abs(name)
	if err != nil {
		p.t.Fatal(err)
	}
	p.drop("#panel", name)
	p.wait("the model of "+name, `[...document.querySelectorAll("#notices *")].some(e => e.textContent.includes("Opened the model") && e.textContent.includes("`+filepath.Base(name)[:16]+`"))`) // the notice shortens a long name
}

// stageOne waits for the first steps of stage I of an autoencoder without a density.
func (p *tab) stageOne() {
	p.t.Helper()
	p.wait("training", `document.documentElement.dataset.status === "training"`)
	p.waitFrameFor(trainingPatience, "stage I", func(f *wire.Frame) bool {
		stage, step := trained(f)
		return stage == "stage I: autoencoder" && step >= 3
	})
}

// TestParticlesAEAug opens an AE-Aug model, with an encoder of 300 ordered particles and
// without a density. It then trains another such model.
func TestParticlesAEAug(t *testing.T) {
	t.Parallel()
	p := newParticles(t, newBrowser(t), serve(t, distDir).url+"#lab=particles&frame=0", 1280, 800, 1)
	p.waitFrame("the shipped model", drawn)
	p.opens(orderedParticles)
	f := p.waitFrame("its prediction without a density", func(f *wire.Frame) bool {
		return len(f.Numbers("pred")) == 301 && len(f.Numbers("p")) == 0 && len(f.Numbers("z")) > 0
	})
	if len(f.Numbers("widths")) != 2 {
		t.Error("the target is not shown")
	}
	p.shot("particles-ae-aug-1280x800")
	p.choose("method", "flow")
	p.wait("another method", `!location.hash.includes("method=")`)
	p.choose("method", "ae-aug")
	p.wait("the method", `location.hash.includes("method=ae-aug")`)

	// Few trajectories, so that the training begins soon.
	name, systems := filepath.Join(t.TempDir(), "untrained.safetensors"), catalogue.Systems()
	c, err := systems.Preset("particles/ae-aug@quick")
	if err != nil {
		t.Fatal(err)
	}
	c.Data.Trajectories, c.Dynamics.Trajectories = 4, 4
	writeCheckpoint(t, name, systems, c)
	p.opens(name)
	p.press("train")
	p.stageOne()
	p.shot("particles-ae-aug-training-1280x800")
	p.quiet()
}

// TestMixingAEAug opens an AE-Aug model, then trajectories with the numbers of atoms that this
// model needs. The lab draws the predicted band and continues the model's training.
func TestMixingAEAug(t *testing.T) {
	if !*long {
		t.Skip("TestParticlesAEAug uses such a model in the page, and the session's tests use this one")
	}
	t.Parallel()
	dir := t.TempDir()
	data, model := filepath.Join(dir, "fixed.npz"), filepath.Join(dir, "untrained.safetensors")
	macroscope(t, "simulate", "-experiment", "mixing", "-fixed", "-n", "1", "-steps", "4000", "-out", data)
	systems := catalogue.Systems()
	c, err := systems.Preset("mixing/ae-aug@browser")
	if err != nil {
		t.Fatal(err)
	}
	c.Data.Trajectories, c.Dynamics.Trajectories = 2, 2
	writeCheckpoint(t, model, systems, c)

	b := newBox(t, newBrowser(t), serve(t, distDir).url)
	b.waitFrame("a whole prediction", predicted)
	b.opens(model)
	b.wait("a sentence about the atoms", `document.body.innerText.includes("takes exactly 265")`)
	b.shot("mixing-ae-aug-other-1280x800")

	b.drop("#canvas", data)
	b.take()
	f := b.waitFrame("the band over the recorded trajectory", func(f *wire.Frame) bool {
		return len(f.Text("note")) > 0 && f.Number("horizon") == 20 && len(f.Numbers("mean")) == 2*21 && !math.IsNaN(last(f.Numbers("high")))
	})
	low, high := f.Numbers("low"), f.Numbers("high")
	for i := 2; i < len(low); i++ { // the values of frame 0, low[0] and low[1], are known, so the band has no width there
		if !(low[i] < high[i]) {
			t.Fatalf("the band of frame %d goes from %g to %g", i/2, low[i], high[i])
		}
	}
	if n := len(f.Numbers("z")); n != 2 {
		t.Errorf("%d closures, want one of each species", n)
	}
	for _, row := range []string{"pA", "pB"} {
		if len(f.Numbers(row)) > 0 {
			t.Errorf("the row %s holds a density, which the model has not learned", row)
		}
	}
	b.shot("mixing-ae-aug-1280x800")
	b.press("train") // continues the file's training
	b.stageOne()
	b.shot("mixing-ae-aug-training-1280x800")
	b.quiet()
}
