package particle

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// start returns a simulation from the initial positions of a trajectory.
func start(t testing.TB, cfg Config, seed uint64, index int) *Simulation {
	t.Helper()
	s, err := New(t.Context(), cfg, InitialPositions(cfg, seed, index))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConservedAndMonotone(t *testing.T) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		cfg := Default()
		cfg.Components = 2 + int(seed)%2
		s := start(t, cfg, seed, 0)
		run := NewTrajectory(cfg)
		if err := s.Record(t.Context(), run); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		centre := func(frame int) (x, y float64) {
			at := run.Frames[frame*2*cfg.N : (frame+1)*2*cfg.N]
			for i := range cfg.N {
				x += float64(at[2*i])
				y += float64(at[2*i+1])
			}
			return x / float64(cfg.N), y / float64(cfg.N)
		}
		x0, y0 := centre(0)
		x1, y1 := centre(cfg.Steps)
		// Each of 300 steps rounds 300 coordinates by up to 6e-8. If these errors are independent,
		// they move the centre of mass by some 5e-8.
		if d := math.Hypot(x1-x0, y1-y0); d > 1e-6 {
			t.Errorf("seed %d: the centre of mass moved by %.2g, tolerance 1e-6", seed, d)
		}
		for k := 1; k <= cfg.Steps; k++ {
			// 1e-7 allows for rounding.
			if run.Energy[k] > run.Energy[k-1]*(1+1e-7) {
				t.Fatalf("seed %d: the energy rose from %.9g to %.9g at step %d", seed, run.Energy[k-1], run.Energy[k], k)
			}
		}
		// For two clusters, other programs end at energies of 0.22855 to 0.22863. Over 200
		// seeds our energy is 0.22858 ± 0.00007 and at most 0.22887. It is always above 0.22828,
		// the energy of the steady pattern.
		if e := run.Energy[cfg.Steps]; cfg.Components == 2 && (e < 0.2282 || e > 0.2295) {
			t.Errorf("seed %d: energy %g at step 300, want 0.2286", seed, e)
		}
	}
}

// TestSteadyAnnulus compares the pattern after 3000 steps with the results of other programs:
// smallest radius 0.466 to 0.469, largest radius 0.757 to 0.758, mean radius 0.6375.
//
// Over 30 seeds, our smallest radius has the mean 0.4676 for 300 particles and 0.4660 for 400
// particles. Our largest radius has the mean 0.7584 for 300 and 0.7595 for 400. All these radii
// have a standard deviation of 0.0011. The test averages 4 runs, and expects values between the
// means for 300 and 400. The tolerance of 0.005 leaves room for 7 standard errors. Chance exceeds
// this once in 10¹¹ times. The mean radius and the energy vary by 1e-6.
func TestSteadyAnnulus(t *testing.T) {
	if testing.Short() {
		t.Skip("3000 steps")
	}
	if Implementation() == "plain" {
		t.Skip("half a minute without vectors")
	}
	const seeds = 4
	for _, c := range []struct {
		n      int
		energy float64
	}{{300, 0.22828}, {400, 0.228845}} {
		cfg := Default()
		cfg.N, cfg.Steps = c.n, 3000
		run := NewTrajectory(cfg)
		var inner, mean, outer, energy float64
		for seed := range uint64(seeds) {
			if err := start(t, cfg, seed, 0).Record(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			last := run.Frames[cfg.Steps*2*c.n:]
			var x, y float64
			for i := range c.n {
				x += float64(last[2*i]) / float64(c.n)
				y += float64(last[2*i+1]) / float64(c.n)
			}
			low, high := math.Inf(1), 0.0
			for i := range c.n {
				r := math.Hypot(float64(last[2*i])-x, float64(last[2*i+1])-y)
				low, high = min(low, r), max(high, r)
				mean += r / float64(c.n) / seeds
			}
			inner, outer = inner+low/seeds, outer+high/seeds
			energy += run.Energy[cfg.Steps] / seeds
		}
		for _, v := range []struct {
			name           string
			got, want, tol float64
		}{
			{"inner radius", inner, 0.4668, 0.005},
			{"mean radius", mean, 0.6375, 0.001},
			{"outer radius", outer, 0.759, 0.005},
			{"energy", energy, c.energy, 1e-5},
		} {
			if math.Abs(v.got-v.want) > v.tol {
				t.Errorf("n=%d: %s %.5f, want %.5f within %g", c.n, v.name, v.got, v.want, v.tol)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   string // "" if Validate accepts the change
	}{
		{"default", func(*Config) {}, ""},
		{"paper's step", func(c *Config) { c.Dt = 0.002 }, ""},
		{"two particles", func(c *Config) { c.N = 2 }, ""},
		{"negative b", func(c *Config) { c.B = -0.5 }, ""},
		{"one particle", func(c *Config) { c.N = 1 }, "number of particles is 1"},
		{"no particles", func(c *Config) { c.N = 0 }, "number of particles is 0"},
		{"too many particles", func(c *Config) { c.N = 1 << 40 }, "at most"},
		{"a zero", func(c *Config) { c.A = 0 }, "steepness a is 0"},
		{"a NaN", func(c *Config) { c.A = nan }, "steepness a is NaN"},
		{"a huge", func(c *Config) { c.A = 1e30 }, "steepness a is 1e+30"},
		{"b NaN", func(c *Config) { c.B = nan }, "constant force b is NaN"},
		{"b infinite", func(c *Config) { c.B = math.Inf(-1) }, "constant force b is -Inf"},
		{"dt zero", func(c *Config) { c.Dt = 0 }, "time step dt is 0"},
		{"dt negative", func(c *Config) { c.Dt = -1 }, "time step dt is -1"},
		{"dt NaN", func(c *Config) { c.Dt = nan }, "time step dt is NaN"},
		{"dt huge", func(c *Config) { c.Dt = 1e9 }, "time step dt is 1e+09"},
		{"std zero", func(c *Config) { c.Std = 0 }, "standard deviation"},
		{"std NaN", func(c *Config) { c.Std = nan }, "standard deviation"},
		{"no steps", func(c *Config) { c.Steps = 0 }, "number of steps is 0"},
		{"too many steps", func(c *Config) { c.Steps = 1 << 28 }, "would not fit into memory"},
		{"no clusters", func(c *Config) { c.Components = 0 }, "number of initial clusters is 0"},
		{"many clusters", func(c *Config) { c.Components = 99 }, "number of initial clusters is 99"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Default()
			c.change(&cfg)
			err := cfg.Validate()
			if c.want == "" {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			if c.name == "too many particles" {
				c.want = "number of particles is 1099511627776"
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v, want a sentence with %q", err, c.want)
			}
			if _, err := New(t.Context(), cfg, nil); err == nil {
				t.Error("New accepts it")
			}
		})
	}
}

func TestPositionsRefused(t *testing.T) {
	cfg := Default()
	cfg.N = 3
	for _, c := range []struct {
		name string
		xy   []float32
	}{
		{"too few", make([]float32, 5)},
		{"too many", make([]float32, 8)},
		{"NaN", []float32{0, 0, 1, 1, 2, float32(math.NaN())}},
		{"infinite", []float32{0, 0, 1, 1, float32(math.Inf(1)), 2}},
		{"far away", []float32{0, 0, 1, 1, 1e9, 2}},
	} {
		if _, err := New(t.Context(), cfg, c.xy); err == nil {
			t.Errorf("%s: accepted", c.name)
		}
	}
}

func TestUnstableStepKeepsTheLastState(t *testing.T) {
	for _, c := range []struct {
		name     string
		a, b, dt float64
		index    int // number of steps that may succeed before the error
	}{
		{"stiff", 400, 0.1, 5, 5},
		{"flung out", 4, 100, 10, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Default()
			cfg.A, cfg.B, cfg.Dt = c.a, c.b, c.dt
			s := start(t, cfg, 3, 0)
			var before, after State
			for range c.index {
				s.Save(&before)
				energy := s.Energy()
				err := s.Step(t.Context())
				if err == nil {
					continue
				}
				if !errors.Is(err, ErrUnstable) || !strings.Contains(err.Error(), "time step below") {
					t.Fatalf("got %q", err)
				}
				s.Save(&after)
				if after.Step != before.Step || !slices.Equal(after.X, before.X) || !slices.Equal(after.Y, before.Y) || s.Energy() != energy {
					t.Error("the state before the step is not kept")
				}
				if err := s.Step(t.Context()); !errors.Is(err, ErrUnstable) {
					t.Errorf("the same step again: %v", err)
				}
				return
			}
			t.Errorf("no error in %d steps", c.index)
		})
	}
}

// TestStableStepsPass checks that Step never reports usual time steps as unstable, even with forces
// that pull particles together.
func TestStableStepsPass(t *testing.T) {
	for _, c := range []struct{ a, b, dt float64 }{
		{4, 0.1, 0.002}, {4, 0.1, 0.2}, {6, 0.5, 0.05}, {10, 0.1, 0.05}, {4, -1.5, 0.02}, {4, 1.2, 0.05},
	} {
		for _, n := range []int{2, 3, 40, 300} {
			if n == 300 && testing.Short() {
				continue // TestEqualBitsOnEveryMachine runs 301 particles, in every form of the loop
			}
			cfg := Default()
			cfg.A, cfg.B, cfg.Dt, cfg.N, cfg.Steps = c.a, c.b, c.dt, n, 100
			if err := start(t, cfg, 9, n).Record(t.Context(), NewTrajectory(cfg)); err != nil {
				t.Errorf("n=%d: %v", n, err)
			}
		}
	}
}

func TestRestoreIsExact(t *testing.T) {
	for _, n := range []int{5, 67, 300} {
		cfg := Default()
		cfg.N = n
		s := start(t, cfg, 7, 1)
		advance := func(s *Simulation, steps int) {
			for range steps {
				if err := s.Step(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		advance(s, 20)
		var saved State
		s.Save(&saved)
		advance(s, 30)

		resumed := start(t, cfg, 8, 2)
		advance(resumed, 3)
		if err := resumed.Restore(t.Context(), saved); err != nil {
			t.Fatal(err)
		}
		advance(resumed, 30)
		var got, want State
		resumed.Save(&got)
		s.Save(&want)
		if got.Step != 50 || want.Step != 50 || !slices.Equal(got.X, want.X) || !slices.Equal(got.Y, want.Y) || resumed.Energy() != s.Energy() {
			t.Errorf("n=%d: a resumed run differs from an uninterrupted one", n)
		}

		for name, bad := range map[string]State{
			"size":     {Step: 1, X: make([]float32, n+1), Y: make([]float32, n+1)},
			"rows":     {Step: 1, X: make([]float32, n), Y: make([]float32, n-1)},
			"negative": {Step: -1, X: make([]float32, n), Y: make([]float32, n)},
			"NaN":      {X: slices.Repeat([]float32{float32(math.NaN())}, n), Y: make([]float32, n)},
		} {
			if err := resumed.Restore(t.Context(), bad); err == nil {
				t.Errorf("n=%d: a state with bad %s is accepted", n, name)
			}
		}
		if resumed.Index() != 50 || resumed.Energy() != s.Energy() {
			t.Errorf("n=%d: a refused state changed the simulation", n)
		}
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	cfg := Default()
	s := start(t, cfg, 1, 0)
	frame := make([]float32, 2*cfg.N)
	var state State
	s.Save(&state)
	if n := testing.AllocsPerRun(10, func() {
		if err := s.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Positions(frame)
		s.Velocities(frame)
		s.Save(&state)
	}); n != 0 {
		t.Errorf("%g allocations a step, want 0", n)
	}
	cfg.Steps = 3
	s = start(t, cfg, 1, 0)
	run, first := NewTrajectory(cfg), InitialPositions(cfg, 1, 0)
	if n := testing.AllocsPerRun(3, func() {
		if err := errors.Join(s.Reset(t.Context(), first), s.Record(t.Context(), run)); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%g allocations a trajectory, want 0", n)
	}
}
