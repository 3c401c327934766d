package catalogue_test

import (
	"fmt"
	"os"
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
		if from != nil { // training further uses a lower rate, as on the page
			live.Model().Take(from)
			live.Model().SetEps(c.Eps())
			live.Restart(steps, 0.1)
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
