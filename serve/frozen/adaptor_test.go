package frozen

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/train"
	sysmod "macroscope/model/system"
	"macroscope/model/wire"
)

// open returns a session of a lab. The session reads the system clock, which testing/synctest
// replaces by a fake clock.
func open(t testing.TB, name string) wire.Session {
	t.Helper()
	s := catalogue.All().Open(name)
	if s == nil {
		t.Fatalf("there is no lab %q", name)
	}
	return s
}

// helper returns a helper that does jobs of a lab's sessions.
func helper(t *testing.T, name string) wire.Helper {
	t.Helper()
	return catalogue.All().Helper(name)
}

var systems = catalogue.Systems()

func reread(f *ckpt.File) (*ckpt.File, error) {
	m, err := systems.Open(f)
	if err != nil {
		return nil, err
	}
	g := m.Checkpoint()
	if m.Config.Spec.Name() == "" {
		return nil, fmt.Errorf("no name")
	}
	return g, nil
}

// stages is a training, which consists of several stages. Next begins the next stage.
type stages interface {
	Prepare(ctx context.Context, done func(trajectories int)) error
	Trainer() *train.Trainer
	Next()
	Checkpoint() *ckpt.File
	Close()
}

// beginning returns the checkpoint of a training that has not begun.
func beginning(t *testing.T, spec string) *ckpt.File {
	t.Helper()
	c, err := systems.Preset(spec)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := systems.Find(c.Spec.System)
	if err != nil {
		t.Fatal(err)
	}
	run, err := fit.New(c, sys, fit.Source(&c, sys), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	return run.Checkpoint()
}

// smallTraining opens a training of a preset on recorded trajectories, with so few sets per
// step that every preset can take some steps. The function `done` reports whether the training
// has ended.
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
	spec := system
	name, method, _ := strings.Cut(system, "/")
	if method == "deepset" {
		spec = name + "/flow"
	}
	c, err := systems.Preset(spec + "@" + preset)
	check(err)
	sys, err := systems.Find(name)
	check(err)
	src, err := sys.Open(sysmod.File{Name: file, Bytes: f, Size: info.Size()}, c.Observable)
	check(err)
	if method != "ae-aug" {
		c = c.ForData(src, len(sys.Variables(c.Observable)))
		c.Decoder.Samples = samples
	} else {
		sh := src.Shape()
		c = c.WithParticles(sh.Particles)
		c.Trajectories, c.Dynamics.Trajectories = sh.Trajectories, sh.Trajectories
		c.Dynamics.Roll.Window, c.Dynamics.Roll.Stride = 6, 1
	}
	c.Batch, c.Shards, c.Steps, c.Dynamics = batch, shards, steps, c.Dynamics.WithSteps(steps)
	c.Dynamics.Fit.Batch = 8
	if name == "mixing" {
		c.Dynamics.Fit.Shards = 2
	} else {
		c.Dynamics.Roll.Batch = 4
	}
	r, err := fit.New(c, sys, src, workers)
	check(err)
	return r, func() bool { return r.Phase() == fit.Done }
}
