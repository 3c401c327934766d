package catalogue_test

import (
	"flag"
	"os"
	"slices"
	"testing"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
)

// BenchmarkParticlesRefit continues the training of the shipped model of the particles, as the
// button Train does. It reports the validation MRE of the shipped model, the largest and the last
// MRE during the training.
func BenchmarkParticlesRefit(b *testing.B) {
	l := catalogue.Particles()
	m, err := shipped(b, &l, l.Shipped[0]).At(0.02, 8)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c, err := l.Systems().Preset("particles/flow@browser")
		if err != nil {
			b.Fatal(err)
		}
		c.Decoder.Eps = 0.02
		live, err := fit.NewLive(c, l.System, nil, m, time.Now)
		if err != nil {
			b.Fatal(err)
		}
		for live.Stage() != fit.Done {
			if err := live.Work(0); err != nil {
				b.Fatal(err)
			}
		}
		mre := live.Curves.MRE
		b.ReportMetric(1e6*live.Before, "shipped-ppm")
		b.ReportMetric(1e6*float64(slices.Max(mre.Value)), "worst-ppm")
		b.ReportMetric(1e6*mre.Last(), "end-ppm")
		live.Close()
	}
}

var long = flag.Bool("long", false, "measure the bands of shipped models on runs that are simulated")

// TestLineRefitGetsNoWorse continues the training of the line's shipped models at the ε at which they were
// trained. The validation KL must never exceed its first value by more than a tenth.
func TestLineRefitGetsNoWorse(t *testing.T) {
	if testing.Short() {
		t.Skip("its arithmetic is tested on every kernel")
	}
	l := catalogue.Line()
	c, err := l.Systems().Preset("line/flow@browser")
	if err != nil {
		t.Fatal(err)
	}
	m, err := shipped(t, &l, l.Shipped[0]).At(c.Eps(), c.ZDim())
	if err != nil {
		t.Fatal(err)
	}
	first := measure.ValidationKL(m, c.Eps(), c.Seed)
	c.Steps = 600
	live, err := fit.NewLive(c, l.System, nil, m, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	for live.Stage() != fit.Done {
		if err := live.Work(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	worst := float64(slices.Max(live.Curves.KL.Value)) / first
	if t.Logf("%.4f nats, at most %.2f times as many", first, worst); worst > 1.1 {
		t.Errorf("the validation KL rises to %.2f times its first value", worst)
	}
}

// TestDynamicsRefitGetsNoWorse continues the training of the shipped model of the particles at
// another ε, with few data. The validation MRE must never exceed the MRE of the shipped model by
// more than a tenth.
func TestDynamicsRefitGetsNoWorse(t *testing.T) {
	if testing.Short() {
		t.Skip("its arithmetic is tested on every kernel")
	}
	l := catalogue.Particles()
	m, err := shipped(t, &l, l.Shipped[0]).At(0.02, 8)
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Systems().Preset("particles/flow@browser")
	if err != nil {
		t.Fatal(err)
	}
	c.Steps, c.Data.Trajectories, c.Dynamics.Trajectories = 600, 48, 160
	c.Decoder.Eps = 0.02
	live, err := fit.NewLive(c, l.System, nil, m, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	for live.Stage() != fit.Done {
		if err := live.Work(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	for i, mre := range live.Curves.MRE.Value {
		share := float64(mre) / live.Before
		if t.Logf("step %.0f: %.2f times the MRE of the shipped model", live.Curves.MRE.Step[i], share); share > 1.1 {
			t.Errorf("at step %.0f of stage II the validation MRE is %.2f times that of the shipped model", live.Curves.MRE.Step[i], share)
		}
	}
}

// TestStageOneGetsNoWorse begins stage I with the weights of a shipped model of the particles. This
// model is not tunable. The loss is averaged over every 25 steps, and compared with the loss of the
// unchanged weights on the same batches. The loss may be higher by at most 0.025 nats, a tenth of
// the model's KL.
func TestStageOneGetsNoWorse(t *testing.T) {
	if testing.Short() {
		t.Skip("its arithmetic is tested on every kernel")
	}
	l := catalogue.Particles()
	m := shipped(t, &l, l.Shipped[1])
	losses := func(rate float64) []float32 {
		c, err := l.Systems().Preset("particles/flow@quick")
		if err != nil {
			t.Fatal(err)
		}
		c.Data.Trajectories, c.Rate = c.Data.Initial, c.Rate*rate
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
		return live.Curves.Loss[fit.Autoencoder].Value
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
func shipped(t testing.TB, l *lab.Lab, of lab.Model) *model.Model {
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
	m, err := model.Open(l.Systems(), f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
