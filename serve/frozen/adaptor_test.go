package frozen

import (
	"context"
	"fmt"
	"os"
	"testing"

	"macroscope/model/ckpt"
	"macroscope/model/lab"
	"macroscope/model/train"
	"macroscope/model/wire"
)

// open returns a session of a lab on the wall clock, which testing/synctest
// replaces.
func open(t testing.TB, name string) wire.Session {
	t.Helper()
	l, ok := lab.Find(name)
	if !ok {
		t.Fatalf("there is no lab %q; there are %v", name, lab.Names())
	}
	return l.New()
}

// helper returns what does the jobs of a lab's sessions.
func helper(t *testing.T, name string) wire.Helper {
	t.Helper()
	l, _ := lab.Find(name)
	if l.Helper == nil {
		t.Fatalf("the lab %q has no helper", name)
	}
	return l.Helper()
}

// reread reads a checkpoint as its experiment does and returns what the
// experiment would write.
func reread(f *ckpt.File) (*ckpt.File, error) {
	switch name := lab.Experiment(f); name {
	case "demo":
		m, params, err := lab.DemoFromFile(f)
		if err != nil {
			return nil, err
		}
		return m.Checkpoint(params, nil), nil
	case "particles":
		m, err := lab.ParticlesFromFile(f)
		if err != nil {
			return nil, err
		}
		return m.Checkpoint(), nil
	case "ae-aug":
		m, err := lab.OrderedFromFile(f)
		if err != nil {
			return nil, err
		}
		return m.Checkpoint(), nil
	case "mixing":
		m, err := lab.MixingFromFile(f)
		if err != nil {
			return nil, err
		}
		return m.Checkpoint(), nil
	default:
		return nil, fmt.Errorf("no experiment %q", name)
	}
}

// stages is a training of one or more stages.
type stages interface {
	Prepare(ctx context.Context, done func(trajectories int)) error
	Trainer() *train.Trainer
	Next()
	Checkpoint() *ckpt.File
	Close()
}

// smallTraining opens a training of a spec on recorded trajectories, with so
// few sets a step that every preset can take some. done says whether it has
// ended.
func smallTraining(t *testing.T, system, preset, file string, workers int) (run stages, done func() bool) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	f, err := os.Open(file)
	check(err)
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	check(err)
	const steps, batch, shards, samples = 3, 4, 2, 8
	switch system {
	case "particles/deepset":
		c, err := lab.ParticlesPreset(preset)
		check(err)
		src, err := lab.OpenRecording(f, info.Size(), lab.Energy)
		check(err)
		c = c.ForRecording(src, lab.Energy)
		c.Batch, c.Shards, c.Samples, c.Steps, c.Law = batch, shards, samples, steps, c.Law.WithSteps(steps)
		c.Law.Fit.Batch, c.Law.Roll.Batch = 8, 4
		r, err := lab.NewParticlesRun(c, src, workers)
		check(err)
		return r, func() bool { return r.Stage() == lab.StageDone }
	case "particles/ae-aug":
		c, err := lab.OrderedPreset(preset)
		check(err)
		src, err := lab.OpenRecording(f, info.Size(), lab.Energy)
		check(err)
		s := src.Shape()
		c.Particles, c.Trajectories, c.Law.Trajectories = s.Particles, s.Trajectories, s.Trajectories
		c.Batch, c.Shards, c.Steps, c.Law = batch, shards, steps, c.Law.WithSteps(steps)
		c.Law.Fit.Batch, c.Law.Roll.Batch, c.Law.Roll.Window, c.Law.Roll.Stride = 8, 4, 6, 1
		r, err := lab.NewOrderedRun(c, src, workers)
		check(err)
		return r, func() bool { return r.Stage() == lab.StageDone }
	case "mixing/deepset":
		c, err := lab.MixingPreset(preset)
		check(err)
		src, err := lab.OpenMixing(f, info.Size())
		check(err)
		c = c.ForRecording(src)
		c.Batch, c.Shards, c.Samples, c.Steps = batch, shards, samples, steps
		c.Law.Batch, c.Law.Shards, c.Law.Steps = 8, 2, steps
		r, err := lab.NewMixingRun(c, src, workers)
		check(err)
		return r, func() bool { return r.Stage() == lab.StageDone }
	}
	t.Fatalf("no small training of %s", system)
	return nil, nil
}
