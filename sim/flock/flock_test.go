package flock

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// start returns a flock of the default parameters after changes.
func start(t testing.TB, seed uint64, index int, change func(*Config)) *Simulation {
	t.Helper()
	c := Default()
	if change != nil {
		change(&c)
	}
	s, err := New(c, seed, index)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// walk takes steps and returns the mean polarisation of the last half of them.
func walk(s *Simulation, steps int) (mean float64) {
	for k := range steps {
		s.Step()
		if k >= steps/2 {
			mean += s.Polarisation() / float64(steps-steps/2)
		}
	}
	return mean
}

// disorder makes uniform first headings.
func disorder(c *Config) { c.Narrow = math.Pi }

// TestPhases measures the polarisation from first headings without order: near 1 without noise, 1/√N with full noise,
// where the mean of n random unit vectors has a length of √(π/4n) on average, and less with more noise in between.
func TestPhases(t *testing.T) {
	var seen []float64
	for _, eta := range []float64{0, 0.2, 0.4, 0.6, 1} {
		s := start(t, 3, 0, func(c *Config) { disorder(c); c.Noise = eta })
		seen = append(seen, walk(s, 1000))
	}
	t.Logf("polarisations %.3f", seen)
	if seen[0] < 0.999 {
		t.Errorf("without noise the polarisation is %g", seen[0])
	}
	if last, want := seen[len(seen)-1], math.Sqrt(math.Pi/4/300); math.Abs(last/want-1) > 0.15 {
		t.Errorf("with full noise the polarisation is %g, want %g", last, want)
	}
	if !slices.IsSortedFunc(seen, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
		t.Errorf("more noise, more order: %.3f", seen)
	}
	// Birds that all hear the same neighbours have headings uniform in ±πη about the mean: a polarisation of sin πη/πη.
	if want := math.Sin(0.2*math.Pi) / (0.2 * math.Pi); math.Abs(seen[1]-want) > 0.03 {
		t.Errorf("at η = 0.2 the polarisation is %.3f, and in a dense flock it is %.3f", seen[1], want)
	}
}

// TestDefinition compares the sums over neighbours, and a step without noise, with sums over all pairs in the order of
// the definition. Squares of several sides have cells of several widths.
func TestDefinition(t *testing.T) {
	for _, side := range []float64{3, 3.7, 10} {
		s := start(t, 5, 2, func(c *Config) { disorder(c); c.Noise, c.Side = 0, side })
		for step := range 20 {
			was, n, near := slices.Clone(s.birds), s.cfg.N, 0.0
			s.Step()
			for i := range n {
				var vx, vy float64
				for j := range n {
					if apart(was, i, j, side) <= 1 {
						vx, vy, near = vx+float64(was[Dim*j+2]), vy+float64(was[Dim*j+3]), near+1
					}
				}
				v := s.cfg.Speed / math.Hypot(vx, vy)
				for k, want := range []float64{float64(was[Dim*i]) + float64(was[Dim*i+2]), float64(was[Dim*i+1]) + float64(was[Dim*i+3]), v * vx, v * vy} {
					off := float64(s.birds[Dim*i+k]) - want
					if k < 2 {
						off = math.Remainder(off, side)
					}
					if math.Abs(off) > 2e-6 {
						t.Fatalf("side %g, step %d: coordinate %d of bird %d is off by %g", side, step, k, i, off)
					}
				}
			}
			if got, want := Neighbours(was, side), near/float64(n)-1; math.Abs(got-want) > 1e-9 {
				t.Fatalf("side %g: %g neighbours, want %g", side, got, want)
			}
			if got, want := s.Neighbours(), Neighbours(s.birds, side); math.Abs(got-want) > 1e-2 { // a distance of 1 can round
				t.Fatalf("side %g: the grid counts %g neighbours, all pairs %g", side, got, want)
			}
		}
	}
}

// TestSpeed checks that every bird flies the speed in every step, and stays in the square.
func TestSpeed(t *testing.T) {
	s := start(t, 1, 0, func(c *Config) { c.Noise = 0.5 })
	for range 300 {
		was := slices.Clone(s.birds)
		s.Step()
		for i := range s.cfg.N {
			b := s.birds[Dim*i:]
			if v := math.Hypot(float64(b[2]), float64(b[3])); math.Abs(v-s.cfg.Speed) > 1e-7 {
				t.Fatalf("bird %d flies at %g", i, v)
			}
			if d := math.Sqrt(apart([]float32{was[Dim*i], was[Dim*i+1], 0, 0, b[0], b[1], 0, 0}, 0, 1, s.cfg.Side)); math.Abs(d-s.cfg.Speed) > 2e-6 {
				t.Fatalf("bird %d has moved by %g", i, d)
			}
			if b[0] < 0 || b[1] < 0 || b[0] >= 10 || b[1] >= 10 {
				t.Fatalf("bird %d is at %g, %g", i, b[0], b[1])
			}
		}
	}
}

// TestMeanHeading checks that noise turns no flock to the left or right: the mean direction of an ordered flock diffuses,
// and its mean turn in a step is 0.
func TestMeanHeading(t *testing.T) {
	s := start(t, 2, 0, func(c *Config) { c.Noise, c.Wide = 0.1, 0.5 })
	heading := func() float64 {
		var x, y float64
		for i := range s.cfg.N {
			x, y = x+float64(s.birds[Dim*i+2]), y+float64(s.birds[Dim*i+3])
		}
		return math.Atan2(y, x)
	}
	walk(s, 100)
	turned, squares, was, steps := 0.0, 0.0, heading(), 1000
	for range steps {
		s.Step()
		is := heading()
		d := math.Remainder(is-was, 2*math.Pi)
		turned, squares, was = turned+d, squares+d*d, is
	}
	if off := turned / math.Sqrt(squares); math.Abs(off) > 3 {
		t.Errorf("the flock turned by %g in %d steps, %.1f standard deviations", turned, steps, off)
	}
}

// TestStarts checks the spread of first headings.
func TestStarts(t *testing.T) {
	for index := range 20 {
		s := start(t, 1, index, func(c *Config) { c.Narrow, c.Wide = 0.5, 1 })
		if p := s.Polarisation(); p < math.Sin(1)/1-0.1 || p > math.Sin(0.5)/0.5+0.1 {
			t.Errorf("trajectory %d starts with a polarisation of %.3f", index, p)
		}
	}
	if s := start(t, 1, 0, disorder); s.Polarisation() > 4/math.Sqrt(300) {
		t.Errorf("uniform headings have a polarisation of %g", s.Polarisation())
	}
}

// golden is the hash of a trajectory's bits, on every architecture without fused operations.
const golden uint64 = 0x918e428a6674157a

// TestEqualBits checks that equal seeds give equal bits, that other indices and seeds give others, and that a run
// continues from any frame with the same bits.
func TestEqualBits(t *testing.T) {
	hash := func(s *Simulation) uint64 {
		h := fnv.New64a()
		for s.Index() < 60 {
			s.Step()
			binary.Write(h, binary.LittleEndian, s.Birds())
		}
		return h.Sum64()
	}
	first := hash(start(t, 1, 0, nil))
	if runtime.GOARCH != "arm64" && first != golden {
		t.Errorf("the trajectory hashes to %#x, want %#x", first, golden)
	}
	if again := hash(start(t, 1, 0, nil)); again != first {
		t.Error("the same seed gives other bits")
	}
	if hash(start(t, 1, 1, nil)) == first || hash(start(t, 2, 0, nil)) == first {
		t.Error("another run has the same bits")
	}
	whole := start(t, 1, 0, nil)
	walk(whole, 40)
	part, err := Resume(whole.Config(), 1, 0, 40, whole.Birds())
	if err != nil {
		t.Fatal(err)
	}
	if hash(part) != hash(whole) || part.Polarisation() != whole.Polarisation() || part.Neighbours() != whole.Neighbours() {
		t.Error("a run that is resumed has other bits")
	}
}

// TestNoiseChanges changes η while a flock flies. The order goes and returns.
func TestNoiseChanges(t *testing.T) {
	s := start(t, 4, 0, nil)
	for _, tc := range []struct{ eta, low, high float64 }{{0.1, 0.9, 1}, {0.9, 0, 0.2}, {0.1, 0.9, 1}} {
		if err := s.SetNoise(tc.eta); err != nil {
			t.Fatal(err)
		}
		if p := walk(s, 1000); p < tc.low || p > tc.high {
			t.Errorf("at η = %g the polarisation is %g", tc.eta, p)
		}
	}
	if err := s.SetNoise(1.1); err == nil || s.Config().Noise != 0.1 {
		t.Errorf("noise 1.1: %v, then %g", err, s.Config().Noise)
	}
}

// TestRejected checks the errors.
func TestRejected(t *testing.T) {
	for says, change := range map[string]func(*Config){
		"number of birds": func(c *Config) { c.N = 0 }, "side": func(c *Config) { c.Side = 2.9 }, "speed": func(c *Config) { c.Speed = 2 },
		"noise": func(c *Config) { c.Noise = math.NaN() }, "number of steps": func(c *Config) { c.Steps = 0 }, "widest": func(c *Config) { c.Wide = 0.1 },
	} {
		c := Default()
		change(&c)
		if _, err := New(c, 1, 0); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	c := Default()
	for _, birds := range [][]float32{nil, make([]float32, 3), slices.Repeat([]float32{10}, Dim*c.N), slices.Repeat([]float32{float32(math.NaN())}, Dim*c.N)} {
		if _, err := Resume(c, 1, 0, 0, birds); err == nil {
			t.Errorf("%d numbers are birds", len(birds))
		}
	}
}

// TestNoAllocations checks that a step allocates nothing.
func TestNoAllocations(t *testing.T) {
	s := start(t, 1, 0, nil)
	if n := testing.AllocsPerRun(20, s.Step); n != 0 {
		t.Errorf("a step allocates %g times", n)
	}
}

// BenchmarkStep times a step of 1000 birds. The page takes 30 a second.
func BenchmarkStep(b *testing.B) {
	s := start(b, 1, 0, func(c *Config) { c.N = 1000 })
	for b.Loop() {
		s.Step()
	}
}
