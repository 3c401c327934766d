package catalogue_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
)

// BenchmarkWarmStart compares three ways to follow a change of ε to a value between the
// shipped ones, in the line's lab: the nearest model unchanged, the same model trained for
// some more steps, and a model trained from scratch by the preset browser. It reports the
// KL in nats on validation sets.
func BenchmarkWarmStart(b *testing.B) {
	l := catalogue.Line()
	kl := func(b *testing.B, m *experiment.Model, eps float64) float64 {
		v, err := m.KL(b.Context(), eps, 300, 512, 99)
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
	trained := func(b *testing.B, c experiment.Config, from *experiment.Model, steps int) (float64, time.Duration) {
		live, err := fit.NewLive(c, l.System, nil, nil, time.Now)
		if err != nil {
			b.Fatal(err)
		}
		defer live.Close()
		if from != nil { // as on the page
			live.Model().Take(from)
			live.Model().SetEps(c.Eps())
			live.Refit(steps, from.Config.Eps())
		}
		began := time.Now()
		for !live.Finished() {
			if err := live.Work(time.Minute); err != nil {
				b.Fatal(err)
			}
		}
		return kl(b, live.Model(), c.Eps()), time.Since(began)
	}
	for _, eps := range []float64{0.05, 0.17} {
		for _, zdim := range []int{1, 2, 4, 8} {
			b.Run(fmt.Sprintf("eps=%g/zdim=%d", eps, zdim), func(b *testing.B) {
				near, _ := l.Nearest(lab.Model{Method: "flow", Eps: eps, ZDim: zdim})
				m := shipped(b, &l, near)
				c, err := l.Systems().Preset("line/flow@browser")
				if err != nil {
					b.Fatal(err)
				}
				c = c.WithZDim(zdim).WithEps(eps)
				for b.Loop() {
					b.ReportMetric(kl(b, m, eps), "shipped-nats")
					same := c
					same.Encoder, same.Decoder.Kind = m.Config.Encoder, m.Config.Decoder.Kind
					for _, steps := range []int{300, 1500} {
						v, took := trained(b, same, m, steps)
						b.ReportMetric(v, fmt.Sprintf("warm%d-nats", steps))
						b.ReportMetric(took.Seconds(), fmt.Sprintf("warm%d-s", steps))
					}
					v, took := trained(b, c, nil, 0)
					b.ReportMetric(v, "scratch-nats")
					b.ReportMetric(took.Seconds(), "scratch-s")
				}
			})
		}
	}
}

// BenchmarkParticlesRefit trains the shipped particles further, as Train does, at their own ε
// and at twice that ε. It reports the validation MRE of the shipped model, the largest and the
// last MRE of the training, and the step of stage II from which the training predicts as well.
func BenchmarkParticlesRefit(b *testing.B) {
	l := catalogue.Particles()
	m := shipped(b, &l, l.Shipped[0])
	for _, eps := range []float64{0.01, 0.02} {
		b.Run(fmt.Sprintf("eps=%g", eps), func(b *testing.B) {
			for b.Loop() {
				c, err := l.Systems().Preset("particles/flow@browser")
				if err != nil {
					b.Fatal(err)
				}
				live, err := fit.NewLive(c.WithEps(eps), l.System, nil, m, time.Now)
				if err != nil {
					b.Fatal(err)
				}
				improved := -1.0
				for !live.Finished() {
					if err := live.Work(0); err != nil {
						b.Fatal(err)
					}
					if improved < 0 && live.Improved() && !live.Finished() {
						improved = float64(live.Curves().MRE.At())
					}
				}
				mre := live.Curves().MRE
				b.ReportMetric(1e6*live.Before(), "shipped-ppm")
				b.ReportMetric(1e6*float64(slices.Max(mre.Value)), "worst-ppm")
				b.ReportMetric(1e6*mre.Last(), "end-ppm")
				b.ReportMetric(improved, "improved-step")
				live.Close()
			}
		})
	}
}

// TestRefitsGetNoWorse refits shipped models of the line to another ε. On the way the
// validation KL must never exceed its first value by more than a tenth. At the end it must be
// as low as with the best constant share of the peak rate.
func TestRefitsGetNoWorse(t *testing.T) {
	if testing.Short() {
		t.Skip("its arithmetic is tested on every kernel")
	}
	l := catalogue.Line()
	for _, tc := range []struct {
		from, to float64
		zdim     int
		end      float64 // in nats: the KL after 300 steps at the best of the shares 0.05, 0.1, 0.2 and 0.35, and a twentieth
	}{{0.1, 0.2, 8, 0.00143}, {0.03, 0.05, 8, 0.0210}, {0.1, 0.05, 2, 0.1128}} {
		near, _ := l.Nearest(lab.Model{Method: "flow", Eps: tc.from, ZDim: tc.zdim})
		m := shipped(t, &l, near)
		c, err := l.Systems().Preset("line/flow@browser")
		if err != nil {
			t.Fatal(err)
		}
		c = c.WithZDim(tc.zdim).WithEps(tc.to)
		c.Encoder, c.Decoder.Kind = m.Config.Encoder, m.Config.Decoder.Kind
		live, err := fit.NewLive(c, l.System, nil, nil, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer live.Close()
		live.Model().Take(m)
		refit := func(to float64) {
			was, n := live.Model().Config.Eps(), len(live.Curves().KL.Value)
			if n == 0 {
				was = tc.from
			}
			live.Model().SetEps(to)
			first := fit.ValidationKL(live.Model(), to, c.Seed)
			live.Refit(300, was)
			for !live.Finished() {
				if err := live.Work(time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			worst := float64(slices.Max(live.Curves().KL.Value[n:])) / first
			t.Logf("ẑ dim %d, ε %g → %g: %.4f nats, at most %.2f times as many, then %.5f", tc.zdim, was, to, first, worst, live.Curves().KL.Last())
			if worst > 1.1 {
				t.Errorf("ẑ dim %d, ε %g → %g: the validation KL rises to %.2f times its first value", tc.zdim, was, to, worst)
			}
		}
		refit(tc.to)
		if end := live.Curves().KL.Last(); end > tc.end {
			t.Errorf("ε %g → %g ends at %.5f nats, want at most %g", tc.from, tc.to, end, tc.end)
		}
		if tc.to == 0.05 {
			refit(tc.from)
		}
	}
}

// TestStageOneGetsNoWorse begins stage I with the shipped particles' weights. On the same
// batches the loss must never exceed the loss of the shipped weights by more than a tenth
// of their KL, 0.25 nats.
func TestStageOneGetsNoWorse(t *testing.T) {
	if testing.Short() {
		t.Skip("its arithmetic is tested on every kernel")
	}
	l := catalogue.Particles()
	m := shipped(t, &l, l.Shipped[0])
	losses := func(rate float64) []float32 {
		c, err := l.Systems().Preset("particles/flow@quick")
		if err != nil {
			t.Fatal(err)
		}
		c.Trajectories, c.Rate = c.Initial, c.Rate*rate
		live, err := fit.NewLive(c, l.System, nil, m, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer live.Close()
		for live.Step() < 100 {
			if err := live.Work(0); err != nil {
				t.Fatal(err)
			}
		}
		return live.Curves().Loss[fit.Autoencoder].Value
	}
	trained, untrained := losses(1), losses(1e-6)
	for at := 0; at < len(trained); at += 25 {
		var worse float32
		for i := at; i < at+25; i++ {
			worse += (trained[i] - untrained[i]) / 25
		}
		if t.Logf("steps %d to %d: %+.3f nats", at, at+25, worse); worse > 0.025 {
			t.Errorf("from step %d the loss is %g nats higher", at, worse)
		}
	}
}

// shipped opens a model that comes with a lab.
func shipped(t testing.TB, l *lab.Lab, of lab.Model) *experiment.Model {
	t.Helper()
	file, err := os.Open("../../../assets/" + of.File)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f, err := ckpt.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := l.Systems().Open(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
