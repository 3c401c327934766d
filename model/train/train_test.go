package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/optim"
	"macroscope/sim/rng"
)

// noisy is a regression with a solution that every shard sees through noise of
// its own: loss = mean (p_i - i + noise)².
type noisy struct {
	explodeAt int
	src       *rng.Source
}

func newNoisy() Worker { return &noisy{explodeAt: -1, src: rng.New(0, "test")} }

func (n *noisy) Gradient(params, grads []float32, step, shard int) float64 {
	if step == n.explodeAt {
		return math.NaN()
	}
	n.src.Seed(1, "test", uint64(step), uint64(shard))
	loss := 0.0
	for i, p := range params {
		d := p - float32(i) + 0.1*float32(n.src.NormFloat64())
		grads[i] += 2 * d / float32(len(params))
		loss += float64(d*d) / float64(len(params))
	}
	return loss
}

func config(workers int) Config {
	return Config{
		Shards: 4, Workers: workers, Adam: optim.Default(), ClipNorm: 100,
		Schedule: optim.OneCycle{Peak: 0.2, Steps: 400, Warm: 0.3, StartDiv: 25, EndDiv: 1e4},
	}
}

func TestSameBitsWithAnyWorkers(t *testing.T) {
	run := func(workers int) []float32 {
		tr := New(config(workers), make([]float32, 5), newNoisy)
		defer tr.Close()
		if err := Run(context.Background(), tr, 400, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		return tr.Params
	}
	one := run(1)
	for i, p := range one {
		// Over 200 seeds of the noise the standard deviation is at most 0.009.
		if math.Abs(float64(p)-float64(i)) > 0.07 {
			t.Errorf("parameter %d ended at %g", i, p)
		}
	}
	for _, w := range []int{2, 3, 8} {
		if got := run(w); !slices.Equal(got, one) {
			t.Errorf("%d workers: %v, one: %v", w, got, one)
		}
	}
}

func TestResumesExactly(t *testing.T) {
	whole := New(config(1), make([]float32, 5), newNoisy)
	for range 60 {
		if err := whole.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	first := New(config(1), make([]float32, 5), newNoisy)
	for range 25 {
		if err := first.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	second := New(config(1), slices.Clone(first.Params), newNoisy)
	copy(second.Adam.M, first.Adam.M)
	copy(second.Adam.V, first.Adam.V)
	second.Resume(first.Step(), first.CycleStart, first.Schedule())
	for range 35 {
		if err := second.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(second.Params, whole.Params) {
		t.Errorf("resumed %v, uninterrupted %v", second.Params, whole.Params)
	}
}

// TestShardsComputedElsewhere takes shards out of their order, loses some of
// them, and wants the bits of a run that did nothing of the kind.
func TestShardsComputedElsewhere(t *testing.T) {
	whole := New(config(1), make([]float32, 5), newNoisy)
	tr := New(config(1), make([]float32, 5), newNoisy)
	elsewhere := newNoisy()
	for step := range 30 {
		if err := whole.Advance(); err != nil {
			t.Fatal(err)
		}
		first, _ := tr.Take()
		lost, _ := tr.Take()
		if n := tr.Waiting(); n != 2 {
			t.Fatalf("two of four shards are taken and %d wait", n)
		}
		tr.Return(lost)
		if stepped, err := tr.AdvanceShard(); stepped || err != nil {
			t.Fatalf("step %d: stepped %v, error %v", step, stepped, err)
		}
		for range 2 {
			if _, err := tr.AdvanceShard(); err != nil {
				t.Fatal(err)
			}
		}
		if stepped, err := tr.AdvanceShard(); stepped || err != nil || tr.Step() != step {
			t.Fatalf("step %d of a shard that is taken: stepped %v, error %v", step, stepped, err)
		}
		g := tr.Grads(first)
		clear(g)
		stepped, err := tr.Put(first, elsewhere.Gradient(tr.Params, g, step, first))
		if !stepped || err != nil {
			t.Fatalf("step %d: stepped %v, error %v after its last shard", step, stepped, err)
		}
	}
	if !slices.Equal(tr.Params, whole.Params) || tr.Loss() != whole.Loss() {
		t.Errorf("got %v, loss %g; want %v, loss %g", tr.Params, tr.Loss(), whole.Params, whole.Loss())
	}
}

func TestPutWantsATakenShard(t *testing.T) {
	tr := New(config(1), make([]float32, 5), newNoisy)
	if _, ok := tr.Take(); !ok {
		t.Fatal("no shard waits before the first step")
	}
	tr.Resume(0, 0, tr.Schedule()) // which forgets the one that was taken
	defer func() {
		if recover() == nil {
			t.Error("a shard that nobody has taken was put")
		}
	}()
	tr.Put(0, 1)
}

func TestDivergenceKeepsTheWeights(t *testing.T) {
	tr := New(config(1), make([]float32, 5), func() Worker { return &noisy{explodeAt: 3, src: rng.New(0, "test")} })
	for range 3 {
		if err := tr.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	before := slices.Clone(tr.Params)
	err := tr.Advance()
	var d *Diverged
	if !errors.As(err, &d) || d.Step != 3 || !strings.Contains(err.Error(), "learning rate") {
		t.Fatalf("got %v", err)
	}
	if !slices.Equal(tr.Params, before) || tr.Step() != 3 {
		t.Error("the weights changed in a step that failed")
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	for _, workers := range []int{1, 2} {
		tr := New(config(workers), make([]float32, 50), newNoisy)
		defer tr.Close()
		if n := testing.AllocsPerRun(20, func() {
			if err := tr.Advance(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%d workers: %v allocations a step", workers, n)
		}
	}
}

func TestValidate(t *testing.T) {
	for name, break_ := range map[string]func(*Config){
		"no shards": func(c *Config) { c.Shards = 0 }, "no workers": func(c *Config) { c.Workers = 0 },
		"no clip": func(c *Config) { c.ClipNorm = 0 }, "no rate": func(c *Config) { c.Schedule.Peak = 0 },
	} {
		c := config(1)
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		if break_(&c); c.Validate() == nil {
			t.Errorf("%s: passes", name)
		}
	}
}
