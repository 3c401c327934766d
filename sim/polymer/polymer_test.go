package polymer

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/sim/rng"
)

// with runs a test for every implementation.
func with(t *testing.T, test func(*testing.T)) {
	t.Helper()
	choice.Each(func(im *impl) { t.Run(im.name, test) })
}

// kinds returns configurations that together cover every branch of a step.
func kinds() []Config {
	var all []Config
	for _, bonds := range []Bonds{StiffRods, Rods, Springs} {
		for _, repulsion := range []float64{0, 200} {
			cfg := Default()
			cfg.Bonds, cfg.Repulsion = bonds, repulsion
			if bonds == Springs {
				cfg.Dt = 5e-5
			}
			all = append(all, cfg)
		}
	}
	return all
}

func newChains(t testing.TB, cfg Config, seed uint64, count int) *Simulation {
	t.Helper()
	var side []Chain
	for k := range count {
		side = append(side, Chain{NewKey(seed, uint64(k)), crowd(cfg, k)})
	}
	s, err := New(cfg, side...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func advance(t testing.TB, s *Simulation, steps int) {
	t.Helper()
	if err := s.Advance(context.Background(), steps); err != nil {
		t.Fatal(err)
	}
}

// TestThreefry compares threefry with the known answers of Random123.
func TestThreefry(t *testing.T) {
	const all = ^uint32(0)
	for _, c := range []struct {
		key      Key
		in, want [4]uint32
	}{
		{Key{}, [4]uint32{}, [4]uint32{0x531c7e4f, 0x39491ee5, 0x2c855a92, 0x3d6abf9a}},
		{Key{all, all, all, all}, [4]uint32{all, all, all, all}, [4]uint32{0xc4189358, 0x1c9cc83a, 0xd5881c67, 0x6a0a89e0}},
		{Key{0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89}, [4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
			[4]uint32{0x4aa71d8f, 0x734738c2, 0x431fc6a8, 0xae6debf1}},
	} {
		if got := threefry(&c.key, c.in); got != c.want {
			t.Errorf("key %x, counter %x: got %x, want %x", c.key, c.in, got, c.want)
		}
	}
}

// TestNoise checks that displacements have mean 0, no correlation and the requested variance. For
// 10⁶ displacements, a correct mean is off by more than 5.5 standard errors once in 2·10⁷ times.
func TestNoise(t *testing.T) {
	cfg := Default()
	g := newGroup(cfg, 1)
	g.setKey(0, NewKey(1, 2))
	const steps = 1200
	n := 0.0
	var sum, square, fourth, axes, beads, times float64
	was := make([]float64, cfg.N)
	for step := range uint64(steps) {
		g.setStep(0, 1<<40+step)
		g.noise(noiseScale(1), 0)
		for i := range cfg.N {
			x, y := float64(g.s[0][g.at(i, 0)]), float64(g.s[1][g.at(i, 0)])
			sum, square, fourth = sum+x, square+x*x, fourth+x*x*x*x
			axes += x * y
			times += x * was[i]
			if i > 0 {
				beads += x * was[i-1]
			}
			was[i] = x
			n++
		}
	}
	for _, c := range []struct {
		what          string
		got, want, sd float64
	}{
		{"mean", sum / n, 0, 1},
		{"variance", square / n, 1, math.Sqrt(0.8)},
		{"fourth moment", fourth / n, 1.8, math.Sqrt(9 - 1.8*1.8)},
		{"correlation of axes", axes / n, 0, 1},
		{"correlation of steps", times / n, 0, 1},
		{"correlation of beads", beads / n, 0, 1},
	} {
		if math.Abs(c.got-c.want) > 5.5*c.sd/math.Sqrt(n) {
			t.Errorf("%s %g, want %g ± %.2g", c.what, c.got, c.want, c.sd/math.Sqrt(n))
		}
	}
}

// TestEqualBits expects the same bits from all forms, for one chain and for chains
// side by side.
func TestEqualBits(t *testing.T) {
	for _, cfg := range kinds() {
		for _, n := range []int{2, 3, 4, 20, 67, 300} {
			cfg.N = n
			steps := 150
			if testing.Short() {
				steps = min(50, 3000/n)
			}
			cfg.Rate = 0.01
			want := make([]State, maxWidth)
			restore, err := Use("plain")
			if err != nil {
				t.Fatal(err)
			}
			for k := range want {
				s, err := New(cfg, Chain{NewKey(1, uint64(k)), crowd(cfg, k)})
				if err != nil {
					t.Fatal(err)
				}
				if k > 3 && n == 300 {
					break
				}
				advance(t, s, steps)
				s.Save(0, &want[k])
			}
			restore()
			with(t, func(t *testing.T) {
				for _, count := range []int{1, Side()} {
					s := newChains(t, cfg, 1, count)
					advance(t, s, steps)
					var got State
					for k := range count {
						if want[k].Step == 0 {
							break
						}
						s.Save(k, &got)
						if !slices.Equal(got.Bonds, want[k].Bonds) {
							t.Fatalf("N %d, bonds %d, repulsion %g: chain %d of %d differs from the plain form", n, cfg.Bonds, cfg.Repulsion, k, count)
						}
					}
				}
			})
		}
	}
}

// golden contains hashes of the bits of bonds after 200 steps. They are the same for every
// processor.
var golden = map[string]uint64{
	"bonds 0, repulsion 0":   0x22879cf4b7f1aa93,
	"bonds 0, repulsion 200": 0x8febc8cbe91b0a54,
	"bonds 1, repulsion 0":   0x2789f44897e15351,
	"bonds 1, repulsion 200": 0xca69348c6623047,
	"bonds 2, repulsion 0":   0x1e7c54713732b800,
	"bonds 2, repulsion 200": 0x5b4a1ff39a2be4e6,
}

func TestEqualBitsOnEveryMachine(t *testing.T) {
	for _, cfg := range kinds() {
		s := newChains(t, cfg, 1, 1)
		advance(t, s, 200)
		var state State
		s.Save(0, &state)
		h := fnv.New64a()
		binary.Write(h, binary.LittleEndian, state.Bonds)
		key := fmt.Sprintf("bonds %d, repulsion %g", cfg.Bonds, cfg.Repulsion)
		if got := h.Sum64(); got != golden[key] {
			t.Errorf("%q: %#x,", key, got)
		}
	}
}

// TestTouching compares the pairs that `search` finds with a loop over all pairs.
func TestTouching(t *testing.T) {
	with(t, func(t *testing.T) {
		for _, n := range []int{4, 17, 64, 65, 300} {
			cfg := Default()
			cfg.N = n
			for _, count := range []int{1, Side()} {
				s := newChains(t, cfg, uint64(n), count)
				for _, least := range []int{2, 3} {
					g := s.g
					g.search(least, true)
					got := map[pair]bool{}
					for _, p := range g.touching {
						got[p] = true
					}
					want := 0
					for l := range g.width {
						for i := range n {
							for j := i + least; j < n; j++ {
								if p := (pair{int32(g.at(i, l)), int32(g.at(j, l))}); g.square(int(p.a), int(p.b)) < 1 {
									want++
									if !got[p] {
										t.Fatalf("N %d, %d chains: beads %d and %d of chain %d touch and are not found", n, count, i, j, l)
									}
								}
							}
						}
					}
					if len(g.touching) != want || len(got) != want {
						t.Errorf("N %d, %d chains: %d pairs, %d of them different, want %d", n, count, len(g.touching), len(got), want)
					}
				}
			}
		}
	})
}

// TestBondsKeepTheirLength checks every bond after every step, including many
// halved steps.
func TestBondsKeepTheirLength(t *testing.T) {
	for _, c := range []struct {
		dt, rate float64
		halved   bool
	}{{0.002, 1.155e-3, false}, {0.002, 1, true}, {0.02, 0.4, true}} {
		for _, bonds := range []Bonds{StiffRods, Rods} {
			cfg := Default()
			cfg.N, cfg.Bonds, cfg.Repulsion, cfg.Dt, cfg.Rate = 60, bonds, 20, c.dt, c.rate
			s := newChains(t, cfg, 2, Side())
			worst := 0.0
			for range 400 {
				advance(t, s, 1)
				for k := range s.Chains() {
					for i := range s.g.bonds {
						e := s.g.at(i, k)
						x, y, z := float64(s.g.u[0][e]), float64(s.g.u[1][e]), float64(s.g.u[2][e])
						worst = max(worst, math.Abs(math.Sqrt(x*x+y*y+z*z)-1))
					}
				}
			}
			if worst > 1.1*tolerance { // allows for float32 rounding
				t.Errorf("dt %g, rate %g: a bond is off by %.2g, want at most %g", c.dt, c.rate, worst, tolerance)
			}
			if c.dt == 0.02 && s.halver == nil {
				t.Errorf("no step of %g was halved", c.dt)
			}
		}
	}
}

// TestHalvesFollowThePath checks that the noise of two halves adds up to the noise of the step.
// Springs of negligible stiffness are moved only by noise, so a chain that takes its step in
// halves must end where the whole step ends.
func TestHalvesFollowThePath(t *testing.T) {
	cfg := Default()
	cfg.N, cfg.Bonds, cfg.Repulsion, cfg.Flow = 10, Springs, 0, None
	s := newChains(t, cfg.soft(), 3, 1)
	whole := newChains(t, cfg.soft(), 3, 1)
	advance(t, whole, 1)
	s.halver = newHalver(s.cfg)
	s.g.setStep(0, 0)
	if err := s.halver.step(s.g, 0); err != nil {
		t.Fatal(err)
	}
	for axis := range 3 {
		for i := range s.g.bonds {
			e := s.g.at(i, 0)
			if d := math.Abs(float64(s.g.next[axis][e] - whole.g.u[axis][e])); d > 1e-3 {
				t.Errorf("bond %d: halves end %.2g from where the step does", i, d)
			}
		}
	}
}

// soft returns the Config with springs that barely pull.
func (c Config) soft() Config {
	c.Stiffness, c.Dt = 10, 2e-5
	return c
}

func TestRestoreIsExact(t *testing.T) {
	with(t, func(t *testing.T) {
		for _, cfg := range kinds() {
			cfg.N = 67
			s := newChains(t, cfg, 4, Side())
			advance(t, s, 20)
			var saved, got, want State
			last := Side() - 1
			s.Save(last, &saved)
			advance(t, s, 30)
			other := newChains(t, cfg, 5, 1)
			advance(t, other, 3)
			if err := other.Restore(0, saved); err != nil {
				t.Fatal(err)
			}
			advance(t, other, 30)
			other.Save(0, &got)
			s.Save(last, &want)
			if got.Step != 50 || got.Step != want.Step || got.Key != want.Key || !slices.Equal(got.Bonds, want.Bonds) {
				t.Errorf("bonds %d: a resumed run differs from an uninterrupted one", cfg.Bonds)
			}
			for name, bad := range map[string]State{
				"size": {Bonds: make([]float32, 3)},
				"NaN":  {Bonds: slices.Repeat([]float32{float32(math.NaN())}, 3*66)},
				"zero": {Bonds: make([]float32, 3*66)},
			} {
				if err := other.Restore(0, bad); err == nil {
					t.Errorf("a state with bad %s is accepted", name)
				}
			}
			if other.Save(0, &saved); !slices.Equal(saved.Bonds, got.Bonds) {
				t.Error("a refused state changed the simulation")
			}
		}
	})
}

// TestUnstableStepKeepsTheLastState drives bonds apart faster than any step can
// follow.
func TestUnstableStepKeepsTheLastState(t *testing.T) {
	cfg := Default()
	cfg.N, cfg.Bonds, cfg.Stiffness, cfg.Rate, cfg.Dt, cfg.Repulsion = 20, Springs, 10, 100, 0.004, 0
	s := newChains(t, cfg, 6, 1)
	var before, after State
	for range 1000 {
		s.Save(0, &before)
		err := s.Step()
		if err == nil {
			continue
		}
		if !errors.Is(err, ErrUnstable) || !strings.Contains(err.Error(), "choose a smaller time step") {
			t.Fatalf("got %q", err)
		}
		if s.Save(0, &after); after.Step != before.Step || !slices.Equal(after.Bonds, before.Bonds) {
			t.Error("the state before the step is not kept")
		}
		return
	}
	t.Error("no error")
}

// recordSome records trajectories with the given indices side by side, Side() at a time. Each starts from a
// copy of `from`, or from its InitialPositions if `from` is nil.
func recordSome(t *testing.T, cfg Config, seed uint64, first, count int, from []float32) (all []*Trajectory) {
	t.Helper()
	for len(all) < count {
		var chains []Chain
		for k := first + len(all); len(chains) < Side() && len(all)+len(chains) < count; k++ {
			positions := from
			if from == nil {
				positions = InitialPositions(cfg, seed, k)
			}
			chains = append(chains, Chain{NewKey(seed, uint64(k)), positions})
		}
		of := make([]*Trajectory, len(chains))
		for k := range of {
			of[k] = NewTrajectory(cfg)
		}
		s, err := New(cfg, chains...)
		if err == nil {
			err = s.Record(t.Context(), of...)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, of...)
	}
	return all
}

// TestRecord checks that a trajectory does not depend on the chains beside it.
func TestRecord(t *testing.T) {
	cfg := Default()
	cfg.N, cfg.Every, cfg.Frames = 12, 5, 4
	want := recordSome(t, cfg, 7, 0, 20, nil)
	for i, tr := range want {
		low, high := tr.Frames[0], tr.Frames[0]
		for k := 0; k < 3*cfg.N; k += 3 {
			low, high = min(low, tr.Frames[k]), max(high, tr.Frames[k])
		}
		if d := math.Abs(float64(high-low) - tr.Extension[0]); d > 1e-5 {
			t.Errorf("extension %d is off by %g", i, d)
		}
	}
	for _, c := range []struct{ first, count int }{{7, 6}, {19, 1}} {
		for i, tr := range recordSome(t, cfg, 7, c.first, c.count, nil) {
			if !slices.Equal(tr.Frames, want[c.first+i].Frames) {
				t.Errorf("trajectory %d is another one from %d on", i, c.first)
			}
		}
	}
	if slices.Equal(want[0].Frames, want[1].Frames) {
		t.Error("two trajectories are one")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := New(cfg, Chain{NewKey(7, 0), InitialPositions(cfg, 7, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Record(ctx, NewTrajectory(cfg)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that of ctx", err)
	}
}

// TestUnfold compares Unfold with recorded trajectories of the same keys. Only some of the
// chains unfold before the last frame.
func TestUnfold(t *testing.T) {
	cfg := Default()
	cfg.N, cfg.Repulsion, cfg.Rate, cfg.Every, cfg.Frames = 12, 0, 1, 80, 30
	start := InitialPositions(cfg, 8, 0)
	const runs, threshold = 18, 8
	got, err := Unfold(t.Context(), cfg, 8, start, runs, threshold)
	if err != nil || len(got) != runs {
		t.Fatalf("%d frames of %d (%v)", len(got), runs, err)
	}
	kinds := map[bool]int{}
	for i, tr := range recordSome(t, cfg, 8, 0, runs, start) {
		want := slices.IndexFunc(tr.Extension, func(e float64) bool { return e > threshold })
		if got[i] != want {
			t.Errorf("run %d unfolds at frame %d, want %d", i, got[i], want)
		}
		kinds[want < 0]++
	}
	if len(kinds) != 2 {
		t.Errorf("all runs are of one kind: %v", kinds)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Unfold(ctx, cfg, 8, start, 2, threshold); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that of ctx", err)
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	for _, cfg := range kinds() {
		cfg.N = 67
		s := newChains(t, cfg, 1, Side())
		s.halver = newHalver(cfg)
		frame := make([]float32, 3*cfg.N)
		var state State
		s.Save(0, &state)
		advance(t, s, 5)
		if n := testing.AllocsPerRun(5, func() {
			advance(t, s, 1)
			s.Positions(0, frame)
			s.Extension(0)
			s.Save(0, &state)
		}); n != 0 {
			t.Errorf("bonds %d, repulsion %g: %g allocations a step, want 0", cfg.Bonds, cfg.Repulsion, n)
		}
	}
}

func TestFolded(t *testing.T) {
	cfg := Default()
	cfg.Repulsion = 0
	x := make([]float32, 3*cfg.N)
	for strands, want := range map[int]float64{1: 280, 2: 140} { // a chain with more strands would extend by less than `want`
		cfg.Folded(x, strands, 30, rng.New(1, "test").Rand)
		low, high := x[0], x[0]
		for i := 0; i < len(x); i += 3 {
			low, high = min(low, x[i]), max(high, x[i])
		}
		if d := float64(high - low); d < want || d > 300 {
			t.Errorf("%d strands extend by %g, want at least %g", strands, d, want)
		}
	}
}

func TestValidate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   string // "" if the change is allowed
	}{
		{"default", func(*Config) {}, ""},
		{"two beads", func(c *Config) { c.N = 2 }, ""},
		{"a thousand", func(c *Config) { c.N = 1000 }, ""},
		{"no flow", func(c *Config) { c.Flow = None }, ""},
		{"cold", func(c *Config) { c.Temperature = 0 }, ""},
		{"springs", func(c *Config) { c.Bonds, c.Dt = Springs, 1e-4 }, ""},
		{"one bead", func(c *Config) { c.N = 1 }, "number of beads is 1"},
		{"many beads", func(c *Config) { c.N = 1 << 40 }, "number of beads"},
		{"bonds", func(c *Config) { c.Bonds = 3 }, "kind of bonds"},
		{"flow", func(c *Config) { c.Flow = -1 }, "kind of flow"},
		{"stiffness", func(c *Config) { c.Stiffness = nan }, "stiffness of the springs is NaN"},
		{"repulsion", func(c *Config) { c.Repulsion = -1 }, "stiffness of the repulsion is -1"},
		{"stiff repulsion", func(c *Config) { c.Repulsion = 2000 }, "choose at most 0.00025"},
		{"stiff springs", func(c *Config) { c.Bonds = Springs }, "choose at most 0.000125"},
		{"rate", func(c *Config) { c.Rate = math.Inf(1) }, "rate of the flow"},
		{"temperature", func(c *Config) { c.Temperature = -1 }, "temperature is -1"},
		{"hot", func(c *Config) { c.Temperature = 50 }, "choose at most 0.0004"},
		{"friction", func(c *Config) { c.Friction = 0 }, "friction"},
		{"no time step", func(c *Config) { c.Dt = 0 }, "time step dt is 0"},
		{"long step", func(c *Config) { c.Dt, c.Repulsion = 0.05, 0 }, "choose at most 0.02"},
		{"every", func(c *Config) { c.Every = 0 }, "steps between frames is 0"},
		{"frames", func(c *Config) { c.Frames = 0 }, "number of frames is 0"},
		{"memory", func(c *Config) { c.Frames = 1 << 28 }, "would not fit into memory"},
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
			if _, err := New(cfg, Chain{}); err == nil {
				t.Error("New accepts it")
			}
		})
	}
}

func TestChainsRefused(t *testing.T) {
	cfg := Default()
	cfg.N = 3
	good := []float32{0, 0, 0, 1, 0, 0, 2, 0, 0}
	for name, all := range map[string][]Chain{
		"none":     nil,
		"too many": slices.Repeat([]Chain{{Positions: good}}, maxWidth+1),
		"too few":  {{Positions: good[:6]}},
		"NaN":      {{Positions: []float32{0, 0, 0, 1, 0, 0, 2, 0, float32(math.NaN())}}},
		"far":      {{Positions: []float32{0, 0, 0, 1, 0, 0, 9, 0, 0}}},
		"one spot": {{Positions: make([]float32, 9)}},
	} {
		if _, err := New(cfg, all...); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := Use("abacus"); err == nil {
		t.Error("an implementation that there is not is used")
	}
}
