//go:build linux

package e2e

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"macroscope/model/wire"
)

// BenchmarkTunableInTab trains the tunable model, preset `browser`, from scratch in the tab, with
// the number of workers that the page usually takes. Every few seconds it moves ε. It reports the
// minutes of the training and the milliseconds from an input to its picture. It also reports the
// CPU seconds of the browser's processes, which depend less on other programs on the machine. A
// training that takes longer than MACROSCOPE_LIMIT (20m) is given up.
//
//	go test -run '^$' -bench TunableInTab -benchtime 1x ./wasm/e2e
func BenchmarkTunableInTab(b *testing.B) {
	limit, err := time.ParseDuration(getenv("MACROSCOPE_LIMIT", "20m"))
	if err != nil {
		b.Fatal(err)
	}
	for _, lab := range []struct{ name, row string }{{"demo", "eps"}, {"particles", "widths"}} {
		b.Run(lab.name, func(b *testing.B) {
			for range b.N {
				p := newTab(b, newBrowser(b), 1280, 800, 1)
				p.addScript(traced)
				p.addScript(probe)
				p.open(serveTraced(b) + "#lab=" + lab.name)
				p.waitFrame("the shipped model", made)
				p.choose("method", "flow-tunable")
				if lab.name == "demo" {
					p.press("reset") // the line's training otherwise begins with the shipped weights
				} else {
					p.choose("from", "scratch")
					p.choose("size", "browser")
				}
				trainMeasured(b, p, lab.row, limit)
			}
		})
	}
}

// trainMeasured trains to the end and moves ε meanwhile.
func trainMeasured(b *testing.B, p *tab, row string, limit time.Duration) {
	b.Helper()
	before, began := threadTimes(), time.Now()
	cpu := func() float64 {
		_, ms := busiest(before, 1)
		return ms / 1000
	}
	p.press("train")
	p.waitFrame("a training under way", func(f *wire.Frame) bool { _, step := trained(f); return step > 0 })
	var waits []float64
	last := ""
	for i := 0; ; i++ {
		if stage, step := trained(p.frame()); stage != last {
			b.Logf("%v, %.0f CPU seconds: %s, step %g", time.Since(began).Round(time.Second), cpu(), stage, step)
			last = stage
		}
		status := eval[string](p, `document.documentElement.dataset.status`)
		if status == "done" {
			break
		}
		if status != "training" || time.Since(began) > limit {
			stage, step := trained(p.frame())
			b.Fatalf("after %v and %.0f CPU seconds, load %s: %s, %s at step %g of %g; inputs took %.0f ms",
				time.Since(began).Round(time.Second), cpu(), machineLoad(), status, stage, step, p.frame().Number("total"), waits)
		}
		share := strconv.FormatFloat(0.5+0.2*float64(i%2)+0.002*float64(i%50), 'g', -1, 64)
		passed := evalLater[struct {
			At []float64 `json:"at"`
		}](p, `answer("c-eps-slider", `+share+`, "`+row+`")`)
		waits = append(waits, passed.At[len(passed.At)-1]-passed.At[0])
		time.Sleep(time.Duration(2000+137*(i%7)) * time.Millisecond)
	}
	minutes := time.Since(began).Minutes()
	threads, ms := busiest(before, 1)
	slices.Sort(waits)
	b.Logf("load %s, %d inputs, figures: %s", machineLoad(), len(waits), eval[string](p, `[...document.querySelectorAll(".figures > *")].map((e) => e.innerText.replace(/\s+/g, " ")).join("; ")`))
	b.Logf("CPU time:%s", threads)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(minutes, "min")
	b.ReportMetric(ms/1000, "cpu-s")
	b.ReportMetric(waits[len(waits)/2], "ms-median")
	b.ReportMetric(waits[len(waits)-1], "ms-worst")
}
