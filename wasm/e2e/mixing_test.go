//go:build !js

package e2e

import (
	"context"
	"math"
	"testing"
	"time"

	"macroscope/model/wire"
)

// box is a tab that shows the mixing lab.
type box struct{ *tab }

func newBox(t testing.TB, browser context.Context, url string) box {
	t.Helper()
	return box{newProbed(t, browser, "mixing", url+"#lab=mixing", 1280, 800, 1)}
}

// predicted reports whether a frame has an ensemble up to the horizon, and a density for each
// species.
func predicted(f *wire.Frame) bool {
	mean := f.Numbers("mean")
	return len(mean) == 2*(int(f.Number("horizon"))+1) && !math.IsNaN(last(mean)) && len(f.Numbers("pB")) > 0
}

// BenchmarkMixingInTab measures steps of molecular dynamics per second at two playback speeds,
// including the page's analysis.
func BenchmarkMixingInTab(b *testing.B) {
	p := newBox(b, newBrowser(b), serve(b, distDir).url)
	p.waitFrame("a whole prediction", predicted)
	for _, speed := range []string{"1", "4"} {
		b.Run("speed"+speed, func(b *testing.B) {
			p.choose("speed", speed)
			from, began := p.waitFrame("mixing", predicted).Number("time"), time.Now()
			for range b.N {
				time.Sleep(3 * time.Second)
			}
			const dt = 0.002
			b.ReportMetric((p.frame().Number("time")-from)/dt/time.Since(began).Seconds(), "steps/s")
		})
	}
}

// BenchmarkMixingTrainsInTab trains the dynamics to the end while the atoms mix.
func BenchmarkMixingTrainsInTab(b *testing.B) {
	p := newBox(b, newBrowser(b), serve(b, distDir).url)
	p.waitFrame("a whole prediction", predicted)
	for range b.N {
		p.press("train")
		p.waitFrame("the first step", func(f *wire.Frame) bool { return len(f.Numbers("loss")) > 0 })
		for p.shown("train") != "Train" {
			time.Sleep(200 * time.Millisecond)
		}
	}
	b.Logf("%s of the validation runs are in the bands, RMSE %s", p.figure("val"), p.figure("rmse"))
}

// shown returns the text of a control.
func (b box) shown(id string) string {
	b.t.Helper()
	return eval[string](b.tab, `document.getElementById("c-`+id+`").textContent.trim()`)
}

// figure returns a number next to the playback controls.
func (b box) figure(id string) string {
	b.t.Helper()
	return eval[string](b.tab, `document.getElementById("f-`+id+`")?.textContent ?? "nothing"`)
}

// TestFigureWithPicture opens the lab with two device pixels per CSS pixel. A frame with the KL
// of a learned density must also contain the density.
func TestFigureWithPicture(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 2)
	p.addScript(probe)
	p.addScript(`if (self !== top) {
		self.alone = [];
		self.onFrame = (f) => {
			const has = (name) => f?.rows.some((row) => row.name === name);
			for (const set of ["A", "B"]) if (has("kl" + set) && !has("p" + set)) alone.push(set);
		};
	}`)
	p.open(serve(t, distDir).url + "#lab=mixing")
	p.waitFrame("both densities", func(f *wire.Frame) bool { return len(f.Numbers("klA")) > 0 && len(f.Numbers("klB")) > 0 })
	if alone := eval[string](p, `document.getElementById("canvas").contentWindow.alone.join(" ")`); alone != "" {
		t.Errorf("these had a figure and no picture: %s", alone)
	}
	p.quiet()
}
