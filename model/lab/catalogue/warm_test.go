package catalogue_test

import (
	"os"
	"testing"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
)

// TestStageOneGetsNoWorse begins stage I with the weights of the particles' separate model. On the same
// batches the loss must never exceed the loss of the shipped weights by more than a tenth
// of their KL, 0.25 nats.
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
