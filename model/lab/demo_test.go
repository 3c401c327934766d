package lab

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/ckpt"
	"macroscope/model/train"
)

// small is a demo that trains in a moment.
func small() DemoConfig {
	c, err := DemoPreset("browser")
	if err != nil {
		panic(err)
	}
	c = c.WithZDim(4)
	c.Batch, c.Shards, c.Samples, c.Particles, c.Steps = 16, 2, 32, 60, 200
	c.Encoder.Hidden, c.Encoder.Head = []int{32, 32}, []int{32}
	c.Flow.Layers, c.Flow.Bins, c.Flow.Hidden, c.Flow.BaseHidden = 2, 16, []int{32}, 16
	return c
}

func trainSteps(t *testing.T, tr *train.Trainer, steps int) {
	t.Helper()
	if err := train.Run(context.Background(), tr, tr.Step()+steps, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestTrainingLowersTheKL(t *testing.T) {
	m := NewDemoModel(small())
	params := m.InitialParams()
	before := m.Evaluate(params, 0.1, 20, 256, 7)
	tr := m.NewTrainer(params, 2)
	defer tr.Close()
	trainSteps(t, tr, m.Config.Steps)
	after := m.Evaluate(params, 0.1, 20, 256, 7)
	// Over 30 seeds it falls to 0.27 ± 0.014 of what it was.
	if !(after < before/2) {
		t.Errorf("KL %g before, %g after %d steps", before, after, m.Config.Steps)
	}
}

func TestEveryParameterLearns(t *testing.T) {
	m := NewDemoModel(small())
	params := m.InitialParams()
	start := slices.Clone(params)
	tr := m.NewTrainer(params, 1)
	defer tr.Close()
	trainSteps(t, tr, 20)
	for _, p := range m.Layout.Params() {
		moved := 0
		for i := p.Offset; i < p.Offset+p.Len(); i++ {
			if params[i] != start[i] {
				moved++
			}
		}
		if moved == 0 {
			t.Errorf("%s did not move", p.Name)
		}
	}
}

func TestTrainingStepDoesNotAllocate(t *testing.T) {
	m := NewDemoModel(small())
	tr := m.NewTrainer(m.InitialParams(), 1)
	defer tr.Close()
	trainSteps(t, tr, 2)
	if n := testing.AllocsPerRun(5, func() {
		if err := tr.Advance(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// TestCheckpointResumesExactly goes through the bytes of a file in the middle
// of a run and wants the bits of a run without interruption.
func TestCheckpointResumesExactly(t *testing.T) {
	c := small()
	whole := NewDemoModel(c)
	wholeRun := whole.NewTrainer(whole.InitialParams(), 1)
	defer wholeRun.Close()
	trainSteps(t, wholeRun, 30)

	first := NewDemoModel(c)
	firstRun := first.NewTrainer(first.InitialParams(), 2)
	defer firstRun.Close()
	trainSteps(t, firstRun, 13)
	var file bytes.Buffer
	if err := ckpt.Encode(&file, first.Checkpoint(firstRun.Params, firstRun)); err != nil {
		t.Fatal(err)
	}
	second, params, content, err := ReadDemo(&file)
	if err != nil {
		t.Fatal(err)
	}
	secondRun, err := second.Resume(content, params, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer secondRun.Close()
	trainSteps(t, secondRun, 17)
	if !slices.Equal(secondRun.Params, wholeRun.Params) {
		t.Error("the resumed run ended with other weights")
	}
	if secondRun.Loss() != wholeRun.Loss() {
		t.Errorf("resumed loss %v, uninterrupted %v", secondRun.Loss(), wholeRun.Loss())
	}
}

func TestReadDemoRefuses(t *testing.T) {
	m := NewDemoModel(small())
	params := m.InitialParams()
	for _, tc := range []struct {
		name   string
		change func(*ckpt.File)
		says   string
	}{
		{"another's file", func(f *ckpt.File) { f.Metadata = nil }, "not one of Macroscope's"},
		{"another experiment", func(f *ckpt.File) { f.Metadata[metaExperiment] = "mixing" }, "mixing"},
		{"a later version", func(f *ckpt.File) { f.Metadata[metaFormat] = "9" }, "version"},
		{"a missing setting", func(f *ckpt.File) { delete(f.Metadata, "config.eps") }, "config.eps"},
		{"an absurd setting", func(f *ckpt.File) { f.Metadata["config.eps"] = "-1" }, "ε is -1"},
		{"a huge network", func(f *ckpt.File) { f.Metadata["config.encoder.hidden"] = "64 99999999" }, "width"},
		{"text for a number", func(f *ckpt.File) { f.Metadata["config.batch"] = "many" }, "many"},
		{"a missing tensor", func(f *ckpt.File) { f.Tensors = f.Tensors[1:] }, "missing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := m.Checkpoint(params, nil)
			tc.change(f)
			var b bytes.Buffer
			if err := ckpt.Encode(&b, f); err != nil {
				t.Fatal(err)
			}
			_, _, _, err := ReadDemo(&b)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want one that says %q", err, tc.says)
			}
		})
	}
	t.Run("a weight that is not a number", func(t *testing.T) {
		bad := slices.Clone(params)
		bad[7] = float32(math.NaN())
		var b bytes.Buffer
		if err := ckpt.Encode(&b, m.Checkpoint(bad, nil)); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := ReadDemo(&b); err == nil || !strings.Contains(err.Error(), "not a finite number") {
			t.Errorf("error %v", err)
		}
	})
}

func TestDemoConfigValidate(t *testing.T) {
	for _, preset := range []string{"browser", "laptop", "paper"} {
		c, err := DemoPreset(preset)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", preset, err)
		}
	}
	if _, err := DemoPreset("enormous"); err == nil {
		t.Error("there is a preset enormous")
	}
	for name, change := range map[string]func(*DemoConfig){
		"ε 0": func(c *DemoConfig) { c.Eps = 0 }, "ε negative": func(c *DemoConfig) { c.Eps = -0.1 },
		"ε 1e300": func(c *DemoConfig) { c.Eps = 1e300 }, "ε NaN": func(c *DemoConfig) { c.Eps = math.NaN() },
		"ẑ dim 0": func(c *DemoConfig) { *c = c.WithZDim(0) }, "no particles": func(c *DemoConfig) { c.Particles = 0 },
		"uneven shards": func(c *DemoConfig) { c.Shards = 3 }, "no steps": func(c *DemoConfig) { c.Steps = 0 },
		"two dimensions": func(c *DemoConfig) { c.Flow.Dim = 2 }, "no samples": func(c *DemoConfig) { c.Samples = 0 },
	} {
		c := small()
		if change(&c); c.Validate() == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// Training the demo for a few steps, as the command line does for thousands.
func ExampleDemoModel() {
	c := small()
	c.Steps = 50
	m := NewDemoModel(c)
	t := m.NewTrainer(m.InitialParams(), 1)
	defer t.Close()
	if err := train.Run(context.Background(), t, c.Steps, func() error { return nil }); err != nil {
		fmt.Println(err)
	}
	fmt.Println(t.Step(), t.Loss() < 2)
	// Output: 50 true
}

// TestSameRunEverywhere trains for a few steps and compares the loss with that
// of AVX-512. Other processors add in another order, and training magnifies the
// last bits with every step: after 30 of them, plain kernels and WebAssembly
// are within 3e-7 of each other.
func TestSameRunEverywhere(t *testing.T) {
	m := NewDemoModel(small())
	tr := m.NewTrainer(m.InitialParams(), 1)
	defer tr.Close()
	trainSteps(t, tr, 30)
	const want, tolerance = 0.8346555, 1e-5
	if got := tr.Loss(); math.Abs(got-want) > tolerance*want {
		t.Errorf("loss %.7f after 30 steps, want %.7f to %g of it", got, want, tolerance)
	}
}
