//go:build !js

package e2e

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"macroscope/model/lab/catalogue"
	"macroscope/model/wire"
)

// These benchmarks measure the whole lab in a browser. Run them one at a time, on an idle
// machine:
//
//	go test -run '^$' -bench ParticlesFrames -benchtime 1x ./wasm/e2e

// newMeasured opens the particles lab and waits until it plays.
func newMeasured(b *testing.B) *tab {
	b.Helper()
	p := newTab(b, newBrowser(b), 1280, 800, 1)
	p.addScript(traced)
	p.addScript(probe)
	p.open(serve(b, distDir).url + "#lab=particles")
	p.waitFrame("the shipped model", drawn)
	return p
}

func (p *tab) train(workers int) {
	p.t.Helper()
	p.set("c-workers", strconv.Itoa(workers))
	p.choose("from", "scratch")
	p.choose("size", "browser")
	p.press("train")
	p.waitFrame("a training under way", func(f *wire.Frame) bool { _, step := trained(f); return step >= 20 })
}

// perSecond measures how fast a number in the page grows.
func (p *tab) perSecond(watch time.Duration, count func() float64) float64 {
	p.t.Helper()
	from, began := count(), time.Now()
	time.Sleep(watch)
	return (count() - from) / time.Since(began).Seconds()
}

// BenchmarkParticlesFrames measures the frame rate of a playing run in three cases: without
// training, during training with one worker, and during training with two workers. It alternates
// between the three cases.
func BenchmarkParticlesFrames(b *testing.B) {
	const watch = 8 * time.Second // shorter than a run, which takes ten seconds
	var rates [3][]float64
	p := newMeasured(b)
	p.train(1)
	p.press("train")
	for range 3 * b.N {
		for workers := range rates {
			if workers > 0 {
				p.set("c-workers", strconv.Itoa(workers))
				p.press("train")
			}
			p.waitFrame("the end of the run", func(f *wire.Frame) bool { return !f.On("playing") })
			p.press("play") // plays again from the start
			p.waitFrame("a run that plays", func(f *wire.Frame) bool { return f.On("playing") })
			rates[workers] = append(rates[workers], p.perSecond(watch, func() float64 {
				return eval[float64](p, `document.getElementById("canvas").contentWindow.answers`)
			}))
			if workers > 0 {
				p.press("train") // stops the training
			}
		}
	}
	for workers, rate := range rates {
		b.ReportMetric(median(rate), "frames/s-"+strconv.Itoa(workers))
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// BenchmarkParticlesWorkers measures the steps per second of stage I with one worker and with two
// workers. The two measurements alternate.
func BenchmarkParticlesWorkers(b *testing.B) {
	const settle, watch = 5 * time.Second, 10 * time.Second
	var rates [2][]float64
	p := newMeasured(b)
	p.press("play") // stops all other computation
	p.train(1)
	for range 3 * b.N {
		for i := range rates {
			p.set("c-workers", strconv.Itoa(i+1))
			time.Sleep(settle)
			rates[i] = append(rates[i], p.perSecond(watch, func() float64 { _, step := trained(p.frame()); return step }))
		}
	}
	one, two := median(rates[0]), median(rates[1])
	b.ReportMetric(one, "steps/s-1")
	b.ReportMetric(two, "steps/s-2")
	b.ReportMetric(two/one, "speed-up")
}

// BenchmarkParticlesTraining trains from scratch to the end in the tab. The native program then
// measures the model on the paper's three test sets. MACROSCOPE_WORKERS sets the number of workers.
// MACROSCOPE_SIZE sets the preset.
func BenchmarkParticlesTraining(b *testing.B) {
	workers, err := strconv.Atoi(getenv("MACROSCOPE_WORKERS", "2"))
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		p := newMeasured(b)
		dir := b.TempDir()
		p.downloads(dir)
		p.set("c-workers", strconv.Itoa(workers))
		p.choose("from", "scratch")
		p.choose("size", getenv("MACROSCOPE_SIZE", "browser"))
		began := time.Now()
		p.press("train")
		p.wait("training", `document.documentElement.dataset.status === "training"`)
		for status := ""; status != "done"; time.Sleep(500 * time.Millisecond) {
			if status = eval[string](p, `document.documentElement.dataset.status`); status == "diverged" {
				b.Fatal("training diverged")
			}
		}
		b.ReportMetric(time.Since(began).Minutes(), "min")
		p.press("save")
		var result evaluation
		if err := json.Unmarshal(macroscope(b, "eval", "-json", "-model", downloaded(b, dir)), &result); err != nil {
			b.Fatal(err)
		}
		for _, test := range result.Tests {
			b.ReportMetric(test.MRE, "MRE-"+test.Set)
		}
	}
}

func getenv(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// timeLeft matches the remaining time of a training on the page.
var timeLeft = regexp.MustCompile(`(?:(\d+):)?(\d+)[\s\x{202f}](s|min|h) left`)

// BenchmarkTimeLeft compares the page's estimates of the remaining training time with the
// truth. It trains the whole model of the mixing lab in the tab at ε = 0.05, with the defaults
// of the page (two workers on a machine of two cores). MACROSCOPE_LAB=polymer trains in the polymer
// lab instead. The benchmark reports the duration of the training, the time of the first
// estimate, and the least and the largest ratio of an estimate to the truth. With SHORT=1 it
// trains untrained weights of the mixing lab, with a twentieth of the steps and a tenth of the
// trajectories.
func BenchmarkTimeLeft(b *testing.B) {
	lab, ready := getenv("MACROSCOPE_LAB", "mixing"), predicted
	if lab == "polymer" {
		ready = unfolding
	}
	p := newProbed(b, newBrowser(b), lab, serve(b, distDir).url+"#lab="+lab, 1280, 800, 1)
	p.waitFrame("a whole prediction", ready)
	if os.Getenv("SHORT") != "" {
		name, systems := filepath.Join(b.TempDir(), "untrained.safetensors"), catalogue.Systems()
		c, err := systems.Preset("mixing/flow@browser")
		if err != nil {
			b.Fatal(err)
		}
		c.Decoder.Eps = 0.05
		c.Steps, c.Data.Trajectories, c.Dynamics.Trajectories, c.Dynamics.Velocity.Steps = c.Steps/20, c.Data.Trajectories/10, c.Dynamics.Trajectories/10, c.Dynamics.Velocity.Steps/20
		writeCheckpoint(b, name, systems, c)
		p.opens(name)
	} else {
		if lab == "mixing" {
			p.choose("scope", "all")
		}
		p.set("c-eps", "0.05")
	}
	for range b.N {
		type estimate struct{ at, left float64 }
		var estimates []estimate
		began := time.Now()
		p.press("train")
		p.wait("training", `document.documentElement.dataset.status === "training"`)
		for eval[string](p, `document.documentElement.dataset.status`) == "training" {
			if m := timeLeft.FindStringSubmatch(eval[string](p, `document.getElementById("task").textContent`)); m != nil {
				high, _ := strconv.ParseFloat(m[1], 64)
				low, _ := strconv.ParseFloat(m[2], 64)
				if left := 60*high + low; m[3] == "h" {
					estimates = append(estimates, estimate{time.Since(began).Seconds(), 60 * left})
				} else {
					estimates = append(estimates, estimate{time.Since(began).Seconds(), left})
				}
			}
			time.Sleep(time.Second)
		}
		whole := time.Since(began).Seconds()
		least, most := math.Inf(1), 0.0
		for _, e := range estimates {
			if truth := whole - e.at; truth > 0.1*whole { // close to the end, an estimate in whole seconds is too coarse
				least, most = min(least, e.left/truth), max(most, e.left/truth)
			}
		}
		if len(estimates) == 0 {
			b.Fatal("the page has never said how long it takes")
		}
		b.Logf("%.0f", estimates)
		b.ReportMetric(whole, "s")
		b.ReportMetric(estimates[0].at, "first-s")
		b.ReportMetric(least, "least")
		b.ReportMetric(most, "most")
	}
}
