package train

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"macroscope/model/compute/optim"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// noisy is a regression with loss = mean (p_i - i + noise)². Every shard has its own noise.
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
		Schedule: optim.OneCycle{Peak: 0.2, Steps: 400, WarmUp: 0.3, StartDiv: 25, EndDiv: 1e4},
	}
}

func newTrainer(workers int) *Trainer { return New(config(workers), make([]float32, 5), newNoisy) }

func advance(t *testing.T, tr *Trainer, steps int) {
	t.Helper()
	for range steps {
		if err := tr.Advance(work.Until(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
}

// wantSameState compares the loss and all values on which a later step depends.
func wantSameState(t *testing.T, what string, got, want *Trainer) {
	t.Helper()
	if got.Step() != want.Step() || got.Steps() != want.Steps() || got.Loss() != want.Loss() {
		t.Errorf("%s: step %d of %d, loss %g; want step %d of %d, loss %g",
			what, got.Step(), got.Steps(), got.Loss(), want.Step(), want.Steps(), want.Loss())
	}
	for _, pair := range [][2][]float32{{got.Params, want.Params}, {got.Adam.M, want.Adam.M}, {got.Adam.V, want.Adam.V}} {
		if !slices.Equal(pair[0], pair[1]) {
			t.Errorf("%s: parameters or moments %v, want %v", what, pair[0], pair[1])
		}
	}
}

func TestSameBitsWithAnyWorkers(t *testing.T) {
	run := func(workers int) *Trainer {
		tr := newTrainer(workers)
		defer tr.Close()
		advance(t, tr, 400)
		return tr
	}
	one := run(1)
	for i, p := range one.Params {
		// Over 200 seeds of the noise, the standard deviation of a parameter is at most
		// 0.009.
		if !(math.Abs(float64(p)-float64(i)) <= 0.07) {
			t.Errorf("parameter %d ended at %g", i, p)
		}
	}
	for _, w := range []int{2, 3, 8} {
		wantSameState(t, "several workers", run(w), one)
	}
}

// TestStepIsItsDefinition repeats every step in float64. The mean of the shards' gradients is
// clipped and given to Adam, which takes a step at the schedule's rate. Adam's epsilon is
// large, so that the scale of the gradient matters. Only the first steps are clipped. The
// trainer itself rounds to float32.
func TestStepIsItsDefinition(t *testing.T) {
	c := config(2)
	c.ClipNorm = 1
	c.Adam = optim.Config{Beta1: 0.8, Beta2: 0.99, Epsilon: 0.1, WeightDecay: 0.01}
	tr := New(c, make([]float32, 5), newNoisy)
	defer tr.Close()
	if !math.IsNaN(tr.Loss()) {
		t.Errorf("the loss before the first step is %g, want NaN", tr.Loss())
	}
	worker := newNoisy()
	params, m, v := make([]float64, 5), make([]float64, 5), make([]float64, 5)
	schedule, start, clipped := c.Schedule, 0, 0
	for step := range 200 {
		if step == 60 {
			schedule.Peak, schedule.Steps, start = 0.1, 90, step
			tr.Restart(schedule)
		}
		mean, loss := make([]float64, 5), 0.0
		for shard := range c.Shards {
			grads := make([]float32, 5)
			loss += worker.Gradient(tr.Params, grads, step, shard) / float64(c.Shards)
			for i, g := range grads {
				mean[i] += float64(g) / float64(c.Shards)
			}
		}
		norm := 0.0
		for _, g := range mean {
			norm = math.Hypot(norm, g)
		}
		scale := 1.0
		if norm > c.ClipNorm {
			scale = c.ClipNorm / norm
			clipped++
		}
		rate := schedule.Rate(step - start)
		advance(t, tr, 1)
		for i, g := range mean {
			g *= scale
			m[i] += (1 - c.Adam.Beta1) * (g - m[i])
			v[i] += (1 - c.Adam.Beta2) * (g*g - v[i])
			mHat, vHat := m[i]/(1-math.Pow(c.Adam.Beta1, float64(step+1))), v[i]/(1-math.Pow(c.Adam.Beta2, float64(step+1)))
			params[i] -= rate * (mHat/(math.Sqrt(vHat)+c.Adam.Epsilon) + c.Adam.WeightDecay*params[i])
			if got := float64(tr.Params[i]); !(math.Abs(got-params[i]) <= 2e-6*(1+math.Abs(params[i]))) {
				t.Fatalf("step %d, parameter %d: got %g, want %g", step, i, got, params[i])
			}
			params[i] = float64(tr.Params[i]) // keeps rounding errors from adding up
		}
		if !(math.Abs(tr.Loss()-loss) <= 1e-12*loss) {
			t.Fatalf("step %d: loss %g, want %g", step, tr.Loss(), loss)
		}
		if tr.Step() != step+1 || tr.Steps() != start+schedule.Steps || tr.CycleStart != start || tr.Schedule() != schedule {
			t.Fatalf("after step %d: step %d, schedule %+v from %d to %d", step, tr.Step(), tr.Schedule(), tr.CycleStart, tr.Steps())
		}
	}
	if clipped < 5 || clipped > 100 {
		t.Errorf("%d of 200 steps were clipped: the test covers one case alone", clipped)
	}
}

func TestResumesExactly(t *testing.T) {
	other := optim.OneCycle{Peak: 0.1, Steps: 70, WarmUp: 0.5, StartDiv: 10, EndDiv: 100}
	for name, change := range map[string]func(*Trainer){"Restart": func(tr *Trainer) { tr.Restart(other) }, "Renew": (*Trainer).Renew} {
		t.Run(name, func(t *testing.T) { resumesExactly(t, change) })
	}
}

// resumesExactly checks that a run resumes exactly that is changed after ten steps.
func resumesExactly(t *testing.T, change func(*Trainer)) {
	run := func(steps int) *Trainer {
		tr := newTrainer(1)
		advance(t, tr, 10)
		change(tr)
		advance(t, tr, steps-10)
		return tr
	}
	first := run(25)
	second := New(config(1), slices.Clone(first.Params), newNoisy)
	copy(second.Adam.M, first.Adam.M)
	copy(second.Adam.V, first.Adam.V)
	second.Resume(first.Step(), first.CycleStart, first.Renewed(), first.Schedule())
	advance(t, second, 35)
	wantSameState(t, "resumed", second, run(60))
}

// TestShardsComputedElsewhere takes two shards in each step. It computes one of them elsewhere and
// returns the other uncomputed. The bits must equal the bits of a plain run.
func TestShardsComputedElsewhere(t *testing.T) {
	whole, tr := newTrainer(1), newTrainer(1)
	elsewhere := newNoisy()
	for step := range 30 {
		advance(t, whole, 1)
		first, _ := tr.Take()
		lost, _ := tr.Take()
		if n := tr.Waiting(); n != 2 {
			t.Fatalf("two of four shards are taken and %d wait", n)
		}
		tr.Return(lost)
		pauses := 0
		if err := tr.Advance(func(share float64) error {
			if want := float64(min(pauses, 3)) / 4; share != want {
				t.Errorf("step %d, pause %d: the share %g is done, want %g", step, pauses, share, want)
			}
			if pauses++; pauses == 5 { // the other shards are done, and Advance has waited twice
				if tr.Whole() || tr.Waiting() != 0 || tr.Step() != step {
					t.Errorf("step %d: a shard is not done, and the step is whole", tr.Step())
				}
				g := tr.Grads(first)
				clear(g)
				tr.Put(first, elsewhere.Gradient(tr.Params, g, step, first))
				if !tr.Whole() {
					t.Errorf("step %d is not whole after its last shard", step)
				}
			}
			return nil
		}); err != nil || tr.Step() != step+1 || tr.Waiting() != 4 {
			t.Fatalf("step %d: error %v, %d shards wait", step, err, tr.Waiting())
		}
	}
	wantSameState(t, "computed elsewhere", tr, whole)
}

// TestOnlyATakenShard tests the methods that need a taken shard. Resume restarts the step, so
// that the shard is no longer taken. The methods must then panic.
func TestOnlyATakenShard(t *testing.T) {
	for name, use := range map[string]func(*Trainer){
		"Put":    func(tr *Trainer) { tr.Put(0, 1) },
		"Return": func(tr *Trainer) { tr.Return(0) },
		"Grads":  func(tr *Trainer) { tr.Grads(0) },
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTrainer(1)
			if _, ok := tr.Take(); !ok {
				t.Fatal("no shard waits before the first step")
			}
			use(tr)
			tr.Resume(0, 0, 0, tr.Schedule())
			defer func() {
				if msg, ok := recover().(string); !ok || !strings.Contains(msg, "not taken") {
					t.Errorf("no panic, or another one: %q", msg)
				}
			}()
			use(tr)
		})
	}
}

// failing is a worker that changes the loss or the gradient of shard 2 in step 3.
type failing struct {
	Worker
	loss     float64
	gradient float32
}

func (f *failing) Gradient(params, grads []float32, step, shard int) float64 {
	loss := f.Worker.Gradient(params, grads, step, shard)
	if step != 3 || shard != 2 {
		return loss
	}
	grads[4] += f.gradient
	return loss + f.loss
}

func TestDivergenceKeepsTheWeights(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tc := range []struct {
		name     string
		loss     float64
		gradient float32
	}{
		{"loss is NaN", nan, 0}, {"loss is infinite", inf, 0}, {"loss is minus infinite", -inf, 0},
		{"gradient is NaN", 0, float32(nan)}, {"gradient is infinite", 0, float32(inf)},
		{"square of the gradient overflows", 0, 1e30},
	} {
		for _, workers := range []int{1, 3} {
			t.Run(tc.name, func(t *testing.T) {
				bad := failing{newNoisy(), tc.loss, tc.gradient}
				tr := New(config(workers), make([]float32, 5), func() Worker { return &failing{newNoisy(), tc.loss, tc.gradient} })
				defer tr.Close()
				before := newTrainer(1)
				advance(t, tr, 3)
				advance(t, before, 3)
				err := tr.Advance(work.Until(t.Context()))
				want := 0.0
				for shard := range 4 {
					want += bad.Gradient(before.Params, make([]float32, 5), 3, shard) / 4
				}
				d, ok := errors.AsType[*Diverged](err)
				if !ok || d.Step != 3 || d.Rate != tr.Schedule().Rate(3) || !strings.Contains(err.Error(), "diverged at step 3") || strings.Contains(err.Error(), "NaN") || strings.Contains(err.Error(), "Inf") {
					t.Fatalf("got %v", err)
				}
				if !(d.Loss == want || math.Abs(d.Loss-want) < 1e-12 || math.IsNaN(d.Loss) && math.IsNaN(want)) || math.IsNaN(tr.Loss()) != math.IsNaN(want) {
					t.Errorf("the error has the loss %g, want %g", d.Loss, want)
				}
				before.loss = tr.Loss() // the failed step sets the loss, so the losses may differ
				if math.IsNaN(tr.loss) {
					before.loss, tr.loss = 0, 0 // because wantSameState treats two NaN as different
				}
				wantSameState(t, "after the failed step", tr, before)
				if tr.Waiting() != 4 {
					t.Errorf("%d shards wait after the failed step, want all 4", tr.Waiting())
				}
			})
		}
	}
}

// TestPause gives up a step in the middle and takes it again. The bits must not change.
func TestPause(t *testing.T) {
	stop := errors.New("stop")
	for _, workers := range []int{1, 3} {
		whole, tr := newTrainer(workers), newTrainer(workers)
		defer whole.Close()
		defer tr.Close()
		for at := range 4 {
			pauses := 0
			if err := tr.Advance(func(float64) error {
				if pauses++; pauses > at {
					return stop
				}
				return nil
			}); err != stop || tr.Step() != at || tr.Waiting() != 4 {
				t.Errorf("%d workers, stopped after %d shards: error %v, step %d, %d shards wait", workers, at, err, tr.Step(), tr.Waiting())
			}
			advance(t, tr, 1)
			advance(t, whole, 1)
		}
		wantSameState(t, "stopped", tr, whole)
	}
}

// TestWorkers counts the workers, and checks that Close ends their goroutines: the synctest
// bubble fails if a goroutine remains.
func TestWorkers(t *testing.T) {
	for workers, want := range map[int]int{1: 1, 3: 3, 4: 4, 9: 4} {
		synctest.Test(t, func(t *testing.T) {
			made := 0
			tr := New(config(workers), make([]float32, 5), func() Worker { made++; return newNoisy() })
			advance(t, tr, 2)
			tr.Close()
			tr.Close() // a second call does nothing
			if made != want {
				t.Errorf("%d workers for 4 shards: %d were made, want %d", workers, made, want)
			}
		})
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	for _, workers := range []int{1, 2} {
		tr := New(config(workers), make([]float32, 50), newNoisy)
		defer tr.Close()
		if n := testing.AllocsPerRun(20, func() {
			if err := tr.Advance(work.Until(t.Context())); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%d workers: %v allocations a step", workers, n)
		}
	}
}

func TestValidate(t *testing.T) {
	for name, break_ := range map[string]func(*Config){
		"no shards":        func(c *Config) { c.Shards = 0 },
		"no workers":       func(c *Config) { c.Workers = 0 },
		"too many shards":  func(c *Config) { c.Shards = 1025 },
		"too many workers": func(c *Config) { c.Workers = 1025 },
		"no clip":          func(c *Config) { c.ClipNorm = 0 },
		"clip is NaN":      func(c *Config) { c.ClipNorm = math.NaN() },
		"no rate":          func(c *Config) { c.Schedule.Peak = 0 },
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
