package fit

import (
	"bytes"
	"context"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/line"
	"macroscope/model/system/mixing"
	"macroscope/model/system/particles"
	"macroscope/model/system/polymer"
	"macroscope/model/work"
)

// real returns all systems of the paper except mixing.
func real() method.Systems {
	return method.Systems{line.System(), particles.System(), polymer.System(), polymer.FromVideo()}
}

func preset(t testing.TB, spec string) (method.Config, *system.System) {
	t.Helper()
	c, err := real().Preset(spec)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := real().Find(c.Spec.System)
	if err != nil {
		t.Fatal(err)
	}
	return c, sys
}

// TestReal trains tiny networks on simulations. The weights must have the same bits with a helper,
// with other numbers of workers, and after resuming. Stage II has the settings of the tiny pair
// `small`.
func TestReal(t *testing.T) {
	pairs := []struct{ pair, params, small string }{
		{"particles/flow", "none", "particles/flow"}, {"particles/ae-aug", "none", "particles/ae-aug"}, {"particles/flow", "b,a:2:10", "particles/flow"},
		{"polymer/flow", "none", "mixing/flow"}, {"polymer-video/flow", "none", "mixing/flow"}, {"polymer-video/flow-memory", "none", "mixing/flow"},
		{"polymer-video/cnn", "none", "mixing/flow"}, {"polymer/vit", "none", "mixing/flow"},
	}
	if testing.Short() {
		pairs = pairs[2:4] // without films, which take long to simulate
	}
	for _, what := range pairs {
		c, sys := preset(t, what.pair+"@laptop")
		like, _ := tiny(what.small)
		c = with(c, "encoder.zdim=2", "particles=12", "dynamics.params="+what.params)
		c.Data.Trajectories, c.Data.Initial, c.Data.Every, c.Data.Thin, c.Batch, c.Shards, c.Steps, c.Data.Views = 7, 3, 2, 7, 8, 4, 9, min(c.Data.Views, 4)
		c.Decoder.Samples = 4
		change(&c, small)
		c.Dynamics.Trajectories, c.Dynamics.Drift.Hidden, c.Dynamics.Noise.Hidden = 5, []int{6}, []int{4}
		c.Dynamics.Velocity, c.Dynamics.Rollout = like.Dynamics.Velocity, like.Dynamics.Rollout

		r := newRun(t, c, sys, nil, 2)
		drive(t, r, 0)
		half := newRun(t, c, sys, nil, 1)
		drive(t, half, c.Steps+3)
		again, err := Resume(real(), read(t, fileOf(t, half.Checkpoint())), Source(&c, sys), 2)
		if err != nil {
			t.Fatal(err)
		}
		drive(t, again, 0)
		for i, p := range c.Dynamics.Params {
			if low, high := r.Model.Scale.Low[c.Moving()+i], r.Model.Scale.High[c.Moving()+i]; low != p.Low || high != p.High {
				t.Errorf("%s is scaled from %g to %g, want %g to %g", p.Name, low, high, p.Low, p.High)
			}
		}
		sameModel(t, what.pair+", resumed", again.Model, r.Model)
		l := newLive(t, c, sys, nil, 1)
		pool := newTestHelpers(t, 1)
		pool.helpers[0] = NewHelper(real())
		for l.Stage() != Done {
			if err := pool.turn(l); err != nil {
				t.Fatal(err)
			}
		}
		sameModel(t, what.pair+", in pieces", l.Model, r.Model)
		if pool.given[jobTrajectory] == 0 || pool.given[jobShards] == 0 {
			t.Errorf("%s: jobs by kind %v", what.pair, pool.given)
		}
	}
}

// smallLine returns a training of sets on a line that takes very little time.
func smallLine(t testing.TB) (method.Config, *system.System) {
	c, sys := preset(t, "line/flow@browser")
	c = with(c, "encoder.zdim=4", "particles=60")
	c.Batch, c.Shards, c.Decoder.Samples, c.Steps = 16, 2, 32, 200
	change(&c, map[string]string{
		"encoder.hidden": "32 32", "encoder.head": "32", "flow.layers": "2", "flow.bins": "16", "flow.hidden": "32", "flow.basehidden": "16",
	})
	return c, sys
}

// TestSameRunEverywhere trains for a few steps and compares the loss with its value under AVX-512.
// Other processors sum in another order, and every step magnifies the difference. After 30 steps,
// the losses of plain kernels and of WebAssembly differ from this value by at most 3e-7.
func TestSameRunEverywhere(t *testing.T) {
	c, sys := smallLine(t)
	r := newRun(t, c, sys, nil, 1)
	losses := drive(t, r, 30)[Autoencoder]
	const want, tolerance = 0.8346555, 1e-5
	if got := losses[29]; math.Abs(got-want) > tolerance*want {
		t.Errorf("loss %.7f after 30 steps, want %.7f to %g of it", got, want, tolerance)
	}
}

func TestTrainingLowersTheKL(t *testing.T) {
	if testing.Short() {
		t.Skip("a second without SIMD")
	}
	c, sys := smallLine(t)
	r := newRun(t, c, sys, nil, 2)
	before := value(measure.KL(work.Until(t.Context()), r.Model, 0.1, 20, 256, 7))
	drive(t, r, 0)
	if after := value(measure.KL(work.Until(t.Context()), r.Model, 0.1, 20, 256, 7)); !(after < before/2) {
		t.Errorf("KL %g before, %g after %d steps", before, after, c.Steps)
	}
}

// TestPaperPreset takes the first steps of the published networks, with smaller batches and
// a shorter schedule.
func TestPaperPreset(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds natively, a minute in WebAssembly")
	}
	c, sys := preset(t, "particles/flow@paper")
	c.Particles = 20
	c.Data.Trajectories, c.Dynamics.Trajectories = 10, 10
	c.Batch, c.Shards, c.Decoder.Samples, c.Steps = 4, 2, 16, 80
	r := newRun(t, c, sys, nil, 2)
	losses := drive(t, r, 80)[Autoencoder]
	if first, last := mean(losses[:10]), mean(losses[70:]); !(last < first-0.1) {
		t.Errorf("the loss went from %g to %g in 80 steps", first, last)
	}
}

// TestShippedMixing measures the shipped mixing model on encoded validation runs. The share of the
// true values inside the bands must be close to the nominal share.
func TestShippedMixing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds without SIMD")
	}
	b, err := os.ReadFile("../../../assets/models/mixing-laptop.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(method.Systems{mixing.System()}, read(t, b))
	if err != nil {
		t.Fatal(err)
	}
	if b, err = os.ReadFile("../../../assets/models/mixing-z.npz"); err != nil {
		t.Fatal(err)
	}
	codes, err := model.ReadCodes(b)
	if err != nil {
		t.Fatal(err)
	}
	v := newValidation(m, codes.Validation, codes.Frames)
	v.codes = codes
	got, err := v.measure(work.Until(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f %% of %d runs in bands of %.0f %%, mean off by %.4f", 100*got.coverage, codes.Validation, 100*measure.BandNominal(validationMembers), got.rmse)
	// The bands were calibrated on these runs and 200 others. Values of one run are correlated,
	// so the share over 40 runs has a standard error of about 2 %. The tolerance is three
	// standard errors.
	if got.coverage < 0.84 || got.coverage > 0.96 {
		t.Errorf("%.3f of the truth lies in bands of %.2f", got.coverage, measure.BandNominal(validationMembers))
	}
	// Wide bands always contain the truth, so the means must also be accurate. The predicted mixing
	// ratios range from 0 to 0.5.
	if got.rmse > 0.03 {
		t.Errorf("the means are off by %.4f", got.rmse)
	}
}

// TestDataFitIntoATab checks that the data kept for training fit into the memory of a tab. It tests
// presets and large recordings. Data that already fit must not be reduced.
func TestDataFitIntoATab(t *testing.T) {
	for _, tc := range []struct {
		preset string
		s      system.Shape
		same   bool
	}{
		{"quick", system.Shape{Trajectories: 600, Frames: 301, Particles: 300, Dim: 2}, true},
		{"browser", system.Shape{Trajectories: 600, Frames: 301, Particles: 300, Dim: 2}, true},
		{"laptop", system.Shape{Trajectories: 4000, Frames: 301, Particles: 300, Dim: 2}, false},
		{"paper", system.Shape{Trajectories: 8000, Frames: 301, Particles: 300, Dim: 2}, false},
		{"laptop", system.Shape{Trajectories: 200, Frames: 1000, Particles: 20_000, Dim: 3}, false},
	} {
		before, sys := preset(t, "particles/flow@"+tc.preset)
		c := fitting(before, sys, tc.s)
		size := frameBytes(&c, sys, tc.s)
		if err := c.Validate(); err != nil || size > 160<<20 || len(c.Data.Frames(sys, tc.s.Frames)) < 8 || c.Data.Trajectories < 1 {
			t.Errorf("%s of %v: %d MB of %d trajectories, every %d frames; error %v", tc.preset, tc.s, size>>20, c.Data.Trajectories, c.Data.Thin, err)
		}
		if same := c.Data.Thin == before.Data.Thin && c.Data.Trajectories == before.Data.Trajectories && c.Data.Initial == before.Data.Initial; same != tc.same {
			t.Errorf("%s of %v: as it was is %v, want %v", tc.preset, tc.s, same, tc.same)
		}
		if !tc.same && size < 80<<20 {
			t.Errorf("%s of %v: keeps %d MB, and there is room for twice as many", tc.preset, tc.s, size>>20)
		}
		if !tc.same && c.Data.Available(c.Steps, c.Data.Trajectories) < c.Data.Trajectories {
			t.Errorf("%s of %v: not all of %d trajectories join", tc.preset, tc.s, c.Data.Trajectories)
		}
	}
	big, sys := tiny("particles/flow")
	big.Particles = 3000
	big.Data.Trajectories, big.Data.Thin = 8000, 1
	var b bytes.Buffer
	b.Write(fileOf(t, (&Run{Model: model.New(big, sys), phases: Phases(&big)}).Checkpoint()))
	if _, err := ResumeLive(toys(), read(t, b.Bytes()), nil, nil, time.Now); err == nil || !strings.Contains(err.Error(), "command line") {
		t.Errorf("data of gigabytes: error %v", err)
	}
}

// BenchmarkSharedTraining times stage I of preset browser, alone and with helpers. Each helper
// is a goroutine that answers like a browser's worker.
func BenchmarkSharedTraining(b *testing.B) {
	for name, helpers := range map[string]int{"alone": 0, "one helper": 1, "three helpers": 3} {
		b.Run(name, func(b *testing.B) {
			c, sys := preset(b, "particles/flow@browser")
			c.Data.Initial, c.Data.Trajectories, c.Steps = 4, 4, 1_000_000
			l, err := NewLive(c, sys, nil, nil, time.Now)
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			l.Pool.SetHelpers(helpers)
			type message struct {
				helper int
				b      []byte
			}
			answers, jobs, open := make(chan message, 2*helpers), make([]chan []byte, helpers), make([]int, helpers)
			for k := range helpers {
				jobs[k] = make(chan []byte, 2)
				defer close(jobs[k])
				go func() {
					h := NewHelper(real())
					for job := range jobs[k] {
						result, err := h.Do(job, func() {})
						if err != nil {
							b.Error(err)
						}
						answers <- message{k, bytes.Clone(result)}
					}
				}()
			}
			give := func(k int) {
				for open[k] < 2 {
					job := l.Pool.Job(k)
					if job == nil {
						return
					}
					open[k]++
					jobs[k] <- bytes.Clone(job)
				}
			}
			take := func(m message) {
				open[m.helper]--
				if err := l.Pool.Done(m.helper, m.b, nil); err != nil {
					b.Fatal(err)
				}
				give(m.helper)
			}
			turn := func() {
				for k := range helpers {
					give(k)
				}
				before, began := l.steps(), time.Now()
				if err := l.Work(10 * time.Millisecond); err != nil {
					b.Fatal(err)
				}
				if l.steps() == before && time.Since(began) < time.Millisecond && helpers > 0 {
					take(<-answers) // the training has nothing to do, so it waits
				}
				for len(answers) > 0 {
					take(<-answers)
				}
			}
			for l.steps() < 5 {
				turn()
			}
			b.ResetTimer()
			for first := l.steps(); l.steps() < first+b.N; {
				turn()
			}
			b.ReportMetric(float64(b.N*c.Batch)/b.Elapsed().Seconds(), "sets/s")
		})
	}
}

// BenchmarkStep times a step of every phase of preset browser.
func BenchmarkStep(b *testing.B) {
	for _, spec := range []string{"line/flow@browser", "particles/flow@browser", "particles/ae-aug@browser", "line/flow-tunable@browser", "particles/flow-tunable@browser"} {
		c, sys := preset(b, spec)
		c.Data.Trajectories, c.Data.Initial, c.Dynamics.Trajectories = 4, 0, 4
		r := newRun(b, c, sys, nil, 1)
		for r.Stage() != Done {
			if err := r.Prepare(work.Until(context.Background())); err != nil {
				b.Fatal(err)
			}
			b.Run(spec+" "+r.Phase().Name, func(b *testing.B) {
				for b.Loop() {
					if err := r.Trainer().Advance(work.Until(context.Background())); err != nil {
						b.Fatal(err)
					}
				}
			})
			r.Next()
		}
	}
}
