package lj

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macroscope/sim/rng"
)

// start returns a simulation at the beginning of a run.
func start(t testing.TB, cfg Config, seed uint64) *Simulation {
	t.Helper()
	s, err := New(cfg, rng.New(seed, "test").Rand)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// small returns a configuration of 81 atoms that relax for a short time.
func small() Config {
	cfg := Default()
	cfg.Width, cfg.Height, cfg.Boundary = 12, 12, 6
	cfg.Relaxation, cfg.Steps, cfg.Every = 40, 60, 20
	return cfg
}

func save(s *Simulation) (state State) {
	s.Save(&state)
	return state
}

// TestMotionAgainstPlain compares drifts and kicks with the plain form, for atoms that stay
// inside and atoms that a wall reflects. The vector forms differ in rounding, because their
// fused operations round only once.
func TestMotionAgainstPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	with(t, func(t *testing.T) {
		for _, n := range []int{2, 3, 7, 8, 9, 33, 100} {
			size := padded(2 * n)
			array := func(low, high float64) []float64 {
				x := alignedOf[float64](size)
				for k := range 2 * n {
					x[k] = low + (high-low)*r.Float64()
				}
				return x
			}
			x, v, f := array(0, 5), array(-400, 400), alignedOf[float32](size)
			for k := range 2 * n {
				f[k] = float32(1e4 * r.NormFloat64())
			}
			x[0], v[0], f[0] = 0, 0, 0 // at rest on a wall
			make := func() *motion {
				return &motion{
					x: x, v: v, f: f, toX: array(0, 0), toV: array(0, 0), place: x,
					imageX: alignedOf[float32](size), imageY: alignedOf[float32](size),
					scale: 0.9, half: 0.001, dt: 0.002, width: 5, height: 5, limit: 1e9,
				}
			}
			got, want := make(), make()
			if !active().drift(got) || !refDrift(want) {
				t.Fatalf("n=%d: atoms are out of an infinite limit", n)
			}
			near := func(what string, got, want []float64, tol float64) {
				t.Helper()
				for k := range 2 * n {
					if math.Abs(got[k]-want[k]) > tol {
						t.Fatalf("n=%d: %s[%d] = %.17g, want %.17g", n, what, k, got[k], want[k])
					}
				}
			}
			near("x", got.toX, want.toX, 1e-14)
			near("v", got.toV, want.toV, 1e-12)
			for i := range n {
				if got.imageX[i] != float32(got.toX[2*i]) || got.imageY[i] != float32(got.toX[2*i+1]) {
					t.Fatalf("n=%d: the image of atom %d is at (%g, %g), want (%g, %g)", n, i, got.imageX[i], got.imageY[i], got.toX[2*i], got.toX[2*i+1])
				}
			}
			sum, other := active().kick(got.toV, f, 0.001), refKick(want.toV, f, 0.001)
			near("kicked v", got.toV, want.toV, 1e-12)
			if math.Abs(sum-other) > 1e-13*other {
				t.Errorf("n=%d: Σv² = %.17g after a kick, want %.17g", n, sum, other)
			}
			sum, other = active().scale(got.toV, 0.7), refScale(want.toV, 0.7)
			near("scaled v", got.toV, want.toV, 1e-12)
			if math.Abs(sum-other) > 1e-13*other {
				t.Errorf("n=%d: Σv² = %.17g after scaling, want %.17g", n, sum, other)
			}

			for _, k := range []int{0, 1, 2*n - 1} {
				m := make()
				m.limit = 1e4
				m.place = slices.Clone(x)
				m.place[k] -= 200
				if active().drift(m) {
					t.Errorf("n=%d: coordinate %d moved by 200, and is within 100", n, k)
				}
				m.place[k] = math.NaN()
				if active().drift(m) {
					t.Errorf("n=%d: coordinate %d is not a number, and is within 100", n, k)
				}
			}
		}
	})
}

// TestReflection follows two atoms: one meets two walls, the other is at rest on a wall. They are
// too far apart to interact.
func TestReflection(t *testing.T) {
	with(t, func(t *testing.T) {
		cfg := Default()
		cfg.Width, cfg.Height, cfg.Boundary, cfg.Relaxation = 20, 20, 10, 10
		s := resume(t, cfg, State{
			Step: -10, Species: []uint8{1, 1}, X: []float64{0.003, 12}, Y: []float64{19.9965, 0}, VX: []float64{-1, 0}, VY: []float64{1.5, 0},
		})
		run(t, s, 3)
		got := save(s)
		// In three steps x becomes .001, .001 (reflected from -.001) and .003. y becomes
		// 19.9995, 19.9975 (reflected from 20.0025) and 19.9945.
		want := State{X: []float64{0.003, 12}, Y: []float64{19.9945, 0}, VX: []float64{1, 0}, VY: []float64{-1.5, 0}}
		for i := range 2 {
			if math.Hypot(got.X[i]-want.X[i], got.Y[i]-want.Y[i]) > 1e-13 || got.VX[i] != want.VX[i] || got.VY[i] != want.VY[i] {
				t.Errorf("atom %d is at (%g, %g) with velocity (%g, %g), want (%g, %g) and (%g, %g)", i,
					got.X[i], got.Y[i], got.VX[i], got.VY[i], want.X[i], want.Y[i], want.VX[i], want.VY[i])
			}
		}
	})
}

func TestRelabelling(t *testing.T) {
	cfg := small()
	cfg.Boundary = 4
	s := start(t, cfg, 1)
	species := make([]uint8, s.N())
	run(t, s, cfg.Relaxation-1)
	if s.Species(species); s.Index() != -1 || slices.Max(species) != 1 {
		t.Fatalf("step %d: species up to %d, want step -1 and one species", s.Index(), slices.Max(species))
	}
	if r := s.Observe().Ratios; r != [2]float64{} {
		t.Errorf("ratios %v before the relabelling, want 0", r)
	}
	run(t, s, 1)
	s.Species(species)
	now := save(s)
	for i, k := range species {
		if want := now.X[i] < 4; (k == 1) != want || k < 1 || k > 2 {
			t.Errorf("atom %d at x = %g is of species %d", i, now.X[i], k)
		}
	}
	checkForces(t, s)

	run(t, s, 25)
	if err := s.Relabel(8); err != nil {
		t.Fatal(err)
	}
	checkForces(t, s)
	s.Species(species)
	now = save(s)
	if now.Step != 0 || now.Rate != [links]float64{} || s.Config().Boundary != 8 {
		t.Errorf("after another relabelling: step %d, thermostats %v, boundary %g, want 0, 0, 8", now.Step, now.Rate, s.Config().Boundary)
	}
	for i, k := range species {
		if (k == 1) != (now.X[i] < 8) {
			t.Errorf("atom %d at x = %g is of species %d", i, now.X[i], k)
		}
	}
	for _, boundary := range []float64{-1, 0, 12, 40, math.NaN(), 1e-9} {
		if err := s.Relabel(boundary); err == nil {
			t.Errorf("a boundary at %g is accepted", boundary)
		}
	}
	if !reflect.DeepEqual(save(s), now) || s.Config().Boundary != 8 {
		t.Error("a refused boundary changed the simulation")
	}
}

// TestRetune changes every parameter that can change while atoms move.
func TestRetune(t *testing.T) {
	s := start(t, small(), 1)
	if err := s.Relax(); err != nil {
		t.Fatal(err)
	}
	run(t, s, 30)
	before := save(s)
	cfg := s.Config()
	cfg.Temperature, cfg.AB, cfg.Cutoff, cfg.Dt = 2, Pair{1.5, 1}, 2, 0.001
	if err := s.Retune(cfg); err != nil {
		t.Fatal(err)
	}
	if s.Config() != cfg || s.Index() != 30 {
		t.Errorf("step %d with %+v, want 30 with %+v", s.Index(), s.Config(), cfg)
	}
	after := save(s)
	if !slices.Equal(before.X, after.X) || !slices.Equal(before.VY, after.VY) || before.Rate != after.Rate {
		t.Error("other parameters moved atoms")
	}
	checkForces(t, s)
	run(t, s, 8000)
	var mean float64
	for range 4000 {
		run(t, s, 1)
		mean += s.Observe().Temperature / 4000
	}
	if math.Abs(mean-2) > 0.15 { // after four units of time, T has made 97 % of the change from 1 to 2
		t.Errorf("T = %.3f, want 2", mean)
	}

	now := save(s)
	for name, change := range map[string]func(*Config){
		"box":         func(c *Config) { c.Width = 13 },
		"boundary":    func(c *Config) { c.Boundary = 5 },
		"relaxation":  func(c *Config) { c.Relaxation = -1 },
		"density":     func(c *Config) { c.Density = 0.4 },
		"temperature": func(c *Config) { c.Temperature = 1e9 },
	} {
		bad := s.Config()
		change(&bad)
		if err := s.Retune(bad); err == nil {
			t.Errorf("another %s is accepted", name)
		}
		if s.Config() != cfg || !reflect.DeepEqual(save(s), now) {
			t.Errorf("a refused %s changed the simulation", name)
		}
	}
}

func TestResumeIsExact(t *testing.T) {
	with(t, func(t *testing.T) {
		for _, at := range []int{0, 17, 40, 41, 333} {
			s := start(t, small(), 7)
			run(t, s, at)
			saved := save(s)
			run(t, s, 300)
			resumed := resume(t, small(), saved)
			if got := save(resumed); !reflect.DeepEqual(got, saved) {
				t.Fatalf("after %d steps: a state changes as it is restored and saved", at)
			}
			run(t, resumed, 300)
			if !reflect.DeepEqual(save(resumed), save(s)) || resumed.Observe() != s.Observe() {
				t.Errorf("after %d steps: a resumed run differs from an uninterrupted one", at)
			}
			// s has advanced since it was saved.
			if err := s.Restore(saved); err != nil {
				t.Fatal(err)
			}
			run(t, s, 300)
			if !reflect.DeepEqual(save(resumed), save(s)) {
				t.Errorf("after %d steps: a run that was taken back differs", at)
			}
		}
	})
}

// TestSaveChangesNothing compares a run that is saved at every step with a run that is not
// saved.
func TestSaveChangesNothing(t *testing.T) {
	a, b := start(t, small(), 8), start(t, small(), 8)
	var state State
	for range 200 {
		run(t, a, 1)
		a.Save(&state)
		a.Observe()
	}
	run(t, b, 200)
	if !reflect.DeepEqual(save(a), save(b)) {
		t.Error("saving changes a run")
	}
}

func TestReset(t *testing.T) {
	s := start(t, small(), 9)
	run(t, s, 150)
	if err := s.Reset(rng.New(10, "test").Rand); err != nil {
		t.Fatal(err)
	}
	fresh := start(t, small(), 10)
	run(t, s, 150)
	run(t, fresh, 150)
	if !reflect.DeepEqual(save(s), save(fresh)) {
		t.Error("a run after another differs from a first one")
	}
}

func TestStatesRefused(t *testing.T) {
	s := start(t, small(), 1)
	if err := s.Relax(); err != nil {
		t.Fatal(err)
	}
	run(t, s, 20)
	good := save(s)
	nan := math.NaN()
	for _, c := range []struct {
		name, want string
		change     func(*State)
	}{
		{"overlapping atoms", "overlap", func(s *State) { s.X[3], s.Y[3], s.PlaceX, s.PlaceY = s.X[4]+0.1, s.Y[4], nil, nil }},
		{"coinciding atoms", "overlap", func(s *State) { s.X[3], s.Y[3], s.PlaceX, s.PlaceY = s.X[70], s.Y[70], nil, nil }},
		{"an atom outside", "outside the box", func(s *State) { s.X[3] = 12.5 }},
		{"an atom below", "outside the box", func(s *State) { s.Y[3] = -1e-9 }},
		{"no position", "outside the box", func(s *State) { s.X[3] = nan }},
		{"no velocity", "finite velocities", func(s *State) { s.VX[3] = nan }},
		{"a bullet", "finite velocities", func(s *State) { s.VY[3] = 1e6 }},
		{"a third species", "species 3", func(s *State) { s.Species[3] = 3 }},
		{"one species", "one species", func(s *State) { s.Species = slices.Repeat([]uint8{2}, len(s.X)) }},
		{"no species", "species 0", func(s *State) { clear(s.Species) }},
		{"fewer atoms", "80 positions", func(s *State) { s.X = s.X[1:] }},
		{"fewer velocities", "80 velocities", func(s *State) { s.VX = s.VX[1:] }},
		{"before the beginning", "step -41", func(s *State) { s.Step = -41 }},
		{"a broken thermostat", "thermostat 1", func(s *State) { s.Rate[1] = nan }},
		{"half a list", "places of its list", func(s *State) { s.PlaceY = nil }},
		{"another list", "from its place", func(s *State) { s.PlaceX[5]++ }},
		{"a list of nothing", "from its place", func(s *State) { s.PlaceX[5] = nan }},
	} {
		var bad State
		s.Save(&bad)
		c.change(&bad)
		err := s.Restore(bad)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want a sentence with %q", c.name, err, c.want)
		}
		if !reflect.DeepEqual(save(s), good) {
			t.Errorf("%s: a refused state changed the simulation", c.name)
		}
	}
	if _, err := Resume(small(), State{}); err == nil {
		t.Error("no atoms at all are accepted")
	}
}

func TestUnstableStepKeepsTheLastState(t *testing.T) {
	with(t, func(t *testing.T) {
		for _, c := range []struct {
			name   string
			change func(*Config)
		}{
			{"long step", func(c *Config) { c.Dt, c.Damping = 0.1, 1 }},
			{"long step, mixing", func(c *Config) { c.Dt, c.Damping, c.Relaxation = 0.08, 1, 0 }},
			{"hot", func(c *Config) { c.Temperature, c.Dt, c.Damping = 100, 0.03, 0.3 }},
		} {
			cfg := small()
			c.change(&cfg)
			s := start(t, cfg, 1)
			var err error
			var before State
			for range 2000 {
				before = save(s)
				if err = s.Step(); err != nil {
					break
				}
			}
			if !errors.Is(err, ErrUnstable) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "step -") || strings.Contains(err.Error(), "before the mixing") != (s.Index() < 0) {
				t.Errorf("%s: got %v after %d steps, want ErrUnstable in a sentence", c.name, err, s.Index()+cfg.Relaxation)
				continue
			}
			if !reflect.DeepEqual(save(s), before) {
				t.Errorf("%s: the last state is not kept", c.name)
			}
			o := s.Observe()
			if math.IsNaN(o.Conserved) || math.IsInf(o.Conserved, 0) {
				t.Errorf("%s: the state that is kept has the energy %g", c.name, o.Conserved)
			}
			if again := s.Step(); again == nil || again.Error() != err.Error() {
				t.Errorf("%s: a second attempt gives %v, want %v", c.name, again, err)
			}
			// A shorter step from the same state succeeds.
			cfg.Dt = 1e-5
			if err := s.Retune(cfg); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			run(t, s, 20)
		}
	})
}

func TestEmptySpeciesKeepsTheLastState(t *testing.T) {
	cfg := small()
	cfg.Boundary = 1
	state := State{Step: -1}
	for i := range 20 {
		state.X, state.Y = append(state.X, 2+float64(i%5)*1.5), append(state.Y, 1+float64(i/5)*1.5)
		state.VX, state.VY, state.Species = append(state.VX, 0), append(state.VY, 0), append(state.Species, 1)
	}
	s := resume(t, cfg, state)
	before := save(s)
	err := s.Step()
	if !errors.Is(err, ErrEmpty) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("got %v, want ErrEmpty", err)
	}
	if !reflect.DeepEqual(save(s), before) {
		t.Error("the last state is not kept")
	}
	cfg.Boundary = 4
	if err := s.Retune(cfg); err != nil {
		t.Fatal(err)
	}
	run(t, s, 5)
	if s.Index() != 4 {
		t.Errorf("step %d with another boundary, want 4", s.Index())
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	s := start(t, small(), 1)
	frame := make([]float32, 2*s.N())
	species := make([]uint8, s.N())
	state := save(s)
	var o Observables
	before := s.now.list
	lists := 0
	steps := func() {
		for range 400 {
			run(t, s, 1)
			s.Positions(frame)
			s.Velocities(frame)
			s.Species(species)
			s.Save(&state)
			o = s.Observe()
			if s.now.list != before {
				before = s.now.list
				lists++
			}
		}
	}
	// AllocsPerRun counts the allocations of the whole process, and the runtime allocates now and
	// then. If steps and lists do not allocate, at least one attempt has no allocations.
	fewest := math.Inf(1)
	for range 3 {
		fewest = min(fewest, testing.AllocsPerRun(1, steps))
	}
	if fewest != 0 {
		t.Errorf("%g allocations in 400 steps, want 0", fewest)
	}
	if s.Index() < 0 || lists < 10 || o.Kinetic == 0 {
		t.Errorf("step %d, %d lists, kinetic energy %g; the test wants more of each", s.Index(), lists, o.Kinetic)
	}
	first, err := Start(small(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	recorded, source := NewTrajectory(small()), rng.New(1, "test")
	if n := testing.AllocsPerRun(2, func() {
		source.Seed(1, "test")
		if err := errors.Join(first.Reset(source.Rand), first.Record(t.Context(), recorded)); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%g allocations a trajectory, want 0", n)
	}
}

func TestValidate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name, want string // want is "" if Validate accepts the change
		change     func(*Config)
	}{
		{"default", "", func(*Config) {}},
		{"smaller box", "", func(c *Config) { c.Height = 26 }},
		{"boundaries of the paper", "", func(c *Config) { c.Boundary = 24 }},
		{"no relaxation", "", func(c *Config) { c.Relaxation = 0 }},
		{"boundary on the wall", "outside the box", func(c *Config) { c.Boundary = 0 }},
		{"boundary outside", "outside the box", func(c *Config) { c.Boundary = 40 }},
		{"boundary negative", "outside the box", func(c *Config) { c.Boundary = -3 }},
		{"boundary NaN", "outside the box", func(c *Config) { c.Boundary = nan }},
		{"species 2 empty", "leaves species 2 empty", func(c *Config) { c.Boundary = 31.9 }},
		{"cold", "temperature is 0;", func(c *Config) { c.Temperature = 0 }},
		{"hot", "temperature is 1e+09;", func(c *Config) { c.Temperature = 1e9 }},
		{"temperature NaN", "temperature is NaN;", func(c *Config) { c.Temperature = nan }},
		{"dt zero", "time step dt is 0;", func(c *Config) { c.Dt = 0 }},
		{"dt huge", "time step dt is 1;", func(c *Config) { c.Dt = 1 }},
		{"damping short", "too short for a time step", func(c *Config) { c.Damping = 0.01 }},
		{"damping zero", "damping time is 0;", func(c *Config) { c.Damping = 0 }},
		{"overlapping lattice", "overlap", func(c *Config) { c.Density = 1.5 }},
		{"vacuum", "density is 0;", func(c *Config) { c.Density = 0 }},
		{"width infinite", "width of the box is +Inf", func(c *Config) { c.Width = math.Inf(1) }},
		{"height small", "height of the box is 1;", func(c *Config) { c.Height = 1 }},
		{"cutoff zero", "cutoff is 0;", func(c *Config) { c.Cutoff = 0 }},
		{"ε negative", "depth ε between the species is -1", func(c *Config) { c.AB.Epsilon = -1 }},
		{"ε NaN", "depth ε of species 2 is NaN", func(c *Config) { c.BB.Epsilon = nan }},
		{"σ zero", "size σ of species 1 is 0", func(c *Config) { c.AA.Sigma = 0 }},
		{"σ huge", "size σ of the single species is 9", func(c *Config) { c.Single.Sigma = 9 }},
		{"relaxation negative", "relaxation steps is -1", func(c *Config) { c.Relaxation = -1 }},
		{"no steps", "number of steps is 0", func(c *Config) { c.Steps = 0 }},
		{"never recorded", "between frames is 0", func(c *Config) { c.Every = 0 }},
		{"odd frames", "every 300; choose a multiple, for example 100200 steps", func(c *Config) { c.Every = 300 }},
		{"much memory", "would not fit into memory", func(c *Config) { c.Steps, c.Every = 1<<30, 1 }},
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
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v, want a sentence with %q", err, c.want)
			}
			if _, err := New(cfg, rng.New(1, "test").Rand); err == nil {
				t.Error("New accepts it")
			}
			if _, err := Resume(cfg, State{}); err == nil {
				t.Error("Resume accepts it")
			}
		})
	}
}

// BenchmarkStep measures a step of 529 mixing atoms on one core. "macroscope bench" reports the
// same measurement as lj_native, or as lj_wasm in WebAssembly.
func BenchmarkStep(b *testing.B) {
	choice.Each(func(im *impl) {
		b.Run(im.name, func(b *testing.B) {
			s := start(b, Default(), 1)
			if err := s.Relax(); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for b.Loop() {
				if err := s.Step(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(s.N())/b.Elapsed().Seconds(), "atom-steps/s")
		})
	})
}
