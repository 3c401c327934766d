package method_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system/mixing"
	"macroscope/model/system/particles"
	"macroscope/model/work"
)

// TestMethodIsOneFile uses a method that only moments_test.go defines. On two systems it trains a
// model of the method, saves it, opens it and evaluates it.
func TestMethodIsOneFile(t *testing.T) {
	box := mixing.NewSimulated(1, 2)
	box.Box.Height, box.Box.Steps, box.Box.Every, box.Box.Relaxation = 8, 1200, 20, 200
	for spec, settings := range map[string]string{
		"particles/moments@quick": "particles=20 warm=0 trajectories=4 law.trajectories=4 steps=3 moments.hidden=6 law.fit.steps=20 law.roll.steps=2",
		"mixing/moments@browser":  "trajectories=2 law.trajectories=2 steps=3 batch=4 shards=2 law.steps=2 law.batch=4 law.shards=2 law.window=10",
	} {
		systems := method.Systems{particles.System(), mixing.System()}
		c, err := systems.Preset(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range strings.Fields(settings) {
			name, value, _ := strings.Cut(s, "=")
			if err := c.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		sys, err := systems.Find(c.Spec.System)
		if err != nil {
			t.Fatal(err)
		}
		src := fit.Source(&c, sys)
		if c.Traits.Stochastic {
			src, c.Particles = box, box.Box.N()
		}
		run, err := fit.New(c, sys, src, 1)
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(run.Model.Weights.Params)
		for run.Stage() != fit.Done {
			if err := run.Prepare(work.Until(t.Context())); err != nil {
				t.Fatal(err)
			}
			if err := run.Train(work.Until(t.Context()), nil); err != nil {
				t.Fatal(err)
			}
			run.Next()
		}
		if slices.Equal(run.Model.Weights.Params, before) {
			t.Errorf("%s: nothing is learned", spec)
		}
		var b bytes.Buffer
		if err := ckpt.Encode(&b, run.Model.Checkpoint()); err != nil {
			t.Fatal(err)
		}
		file, err := ckpt.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Open(systems, file)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Weights.Params, run.Model.Weights.Params) || !strings.HasPrefix(m.Detail(), "moments and flow, ε = 0.01") {
			t.Errorf("%s: %s", spec, m.Detail())
		}
		p, err := measure.Task{Model: m, Source: src, Count: 1, Members: 2, Seed: 1, Workers: 1}.Run(work.Until(context.Background()))
		if err != nil || p.Frames < 2 || p.Trajectories() != 1 {
			t.Errorf("%s: %+v, %v", spec, p, err)
		}
	}
}
