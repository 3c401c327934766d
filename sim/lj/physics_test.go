package lj

import (
	"flag"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sbinet/npyio/npz"

	"macroscope/sim/rng"
)

// go test -run LAMMPS ./sim/lj -long simulates as many runs as the reference contains. It takes
// a minute or two on two cores.
var long = flag.Bool("long", false, "compare 48 whole runs with LAMMPS, and not only the beginning of a few")

func run(t testing.TB, s *Simulation, steps int) {
	t.Helper()
	for range steps {
		if err := s.Step(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFirstStep compares the energies and the pressure of the initial lattice with the values that
// LAMMPS prints.
func TestFirstStep(t *testing.T) {
	for _, c := range []struct {
		height             float64
		n                  int
		potential, kinetic float64
	}{
		{32, 529, -251.15234, 528},
		{26, 437, -206.36328, 436},
	} {
		cfg := Default()
		cfg.Height = c.height
		s := start(t, cfg, 1)
		o := s.Observe()
		if s.N() != c.n || cfg.N() != c.n {
			t.Errorf("height %g: %d atoms, want %d", c.height, s.N(), c.n)
		}
		if math.Abs(o.Potential-c.potential) > 1e-5 || math.Abs(o.Kinetic-c.kinetic) > 1e-9 || math.Abs(o.Temperature-1) > 1e-12 {
			t.Errorf("height %g: U = %.6f, K = %.9f, T = %.12f, want %.5f, %g, 1", c.height, o.Potential, o.Kinetic, o.Temperature, c.potential, c.kinetic)
		}
		if want := -0.12613678; c.n == 529 && math.Abs(o.Pressure-want) > 1e-8 {
			t.Errorf("pressure %.9f, want %.8f", o.Pressure, want)
		}
		var sum [2]float64
		for k, v := range s.now.v {
			sum[k%2] += v
		}
		if math.Hypot(sum[0], sum[1]) > 1e-10 {
			t.Errorf("momentum %v, want 0", sum)
		}
	}
}

// sample contains the values of a quantity in several runs with different seeds.
type sample []float64

func (x sample) mean() (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}

// sigmas is the largest allowed error of a mean over runs, in standard errors. Motion is chaotic,
// so runs with another seed or another rounding are independent. The standard deviations in the
// tests (sd) come from 1200 runs at constant energy and 200 runs with the thermostat. The expected
// values come from the same runs if there is no theory for them.
//
// The measured quantities have a kurtosis of 2.6 to 4, so means of 8 runs are nearly normal. A mean
// is then off by more than 6.5 standard errors once in 10¹⁰ times, or once in 5·10⁸ times if the
// expected value is wrong by half a standard error.
const sigmas = 6.5

func (x sample) check(t *testing.T, what string, want, sd float64) {
	t.Helper()
	tol := sigmas * sd / math.Sqrt(float64(len(x)))
	t.Logf("%s: mean %.5f of %d runs, want %.5g within %.2g", what, x.mean(), len(x), want, tol)
	if !(math.Abs(x.mean()-want) <= tol) {
		t.Errorf("%s: mean %.5f of %d runs, want %.5g within %.2g", what, x.mean(), len(x), want, tol)
	}
}

// checkWalk checks the root mean square of x, the results of 8 runs. If results are normal with
// mean 0 and standard deviation sd, then Σx²/sd² has a χ² distribution with 8 degrees of freedom.
// By chance, Σx²/sd² exceeds 70 once in 10¹¹ times.
func (x sample) checkWalk(t *testing.T, what string, sd float64) {
	t.Helper()
	var square float64
	for _, v := range x {
		square += v * v / float64(len(x))
	}
	if tol := sd * math.Sqrt(70.0/8); !(math.Sqrt(square) <= tol) {
		t.Errorf("%s: RMS %.4f of %d runs, want at most %.3f", what, math.Sqrt(square), len(x), tol)
	}
}

// seeds is the number of runs over which measured quantities are averaged.
const seeds = 8

// TestConstantEnergy follows the relaxation. In LAMMPS the energy falls from 276.85 to about 274,
// because the number of pairs within the cutoff grows. At the cutoff the potential has a jump of
// -0.0082, which the forces ignore. Apart from these jumps, only the finite time step and
// reflections change the energy. A wall reflects the velocity in the middle of a step, before the
// second half of the kick. This changes the energy a little, mostly downwards.
func TestConstantEnergy(t *testing.T) {
	var drift, energy, temperature sample
	for seed := range uint64(seeds) {
		s := start(t, Default(), seed)
		first := s.Observe()
		if e := first.Potential + first.Kinetic; math.Abs(e-276.8477) > 1e-4 {
			t.Errorf("seed %d: energy %.5f at the start, want 276.8477", seed, e)
		}
		run(t, s, 2000)
		const samples = 20
		var last, e, temp float64
		for range samples {
			run(t, s, 49)
			o := s.Observe()
			last += o.Conserved / samples
			e += (o.Potential + o.Kinetic) / samples
			temp += o.Temperature / samples
		}
		drift, energy, temperature = append(drift, last-first.Conserved), append(energy, e), append(temperature, temp)
	}
	energy.check(t, "energy", 274.37, 0.205)
	temperature.check(t, "T", 1.0477, 0.0055)
	drift.check(t, "drift of the conserved energy", -0.037, 0.15)
	drift.checkWalk(t, "drift of the conserved energy", 0.155)
}

// TestThermostat compares means over 8 runs with expected values.
//
//   - The mean of the temperature is 1. LAMMPS has 0.9995, with a fluctuation of 0.0444.
//   - The fluctuation of the temperature is 1/√(N-1) = 0.0435, as in the canonical ensemble.
//   - The expected pressure depends on the number of steps, because the pressure falls to 0.79 as
//     the species mix.
//   - Reflections make the conserved quantity walk at random: its standard deviation after n steps
//     is 0.0029 √n.
func TestThermostat(t *testing.T) {
	steps, pressure := 10_000, 0.822
	sd := struct{ mean, fluctuation, pressure, walk float64 }{0.0022, 0.0015, 0.0118, 0.29}
	if testing.Short() || Implementation() == "plain" {
		steps, pressure = 2000, 0.833
		sd.mean, sd.fluctuation, sd.pressure, sd.walk = 0.0047, 0.0034, 0.026, 0.13
	}
	var means, fluctuations, pressures, walks sample
	for seed := range uint64(seeds) {
		cfg := Default()
		cfg.Relaxation = 1000
		s := start(t, cfg, seed)
		if err := s.Relax(); err != nil {
			t.Fatal(err)
		}
		run(t, s, 1000)
		first := s.Observe().Conserved
		var sum, squares, p float64
		for k := range steps {
			run(t, s, 1)
			temperature := s.now.square / freedom(s.n)
			sum += temperature
			squares += temperature * temperature
			if k%200 == 199 {
				p += s.Observe().Pressure / float64(steps/200)
			}
		}
		mean := sum / float64(steps)
		means = append(means, mean)
		fluctuations = append(fluctuations, math.Sqrt(squares/float64(steps)-mean*mean))
		pressures = append(pressures, p)
		walks = append(walks, s.Observe().Conserved-first)
	}
	means.check(t, "T", 1, sd.mean)
	fluctuations.check(t, "fluctuation of T", 1/math.Sqrt(528), sd.fluctuation)
	pressures.check(t, "P", pressure, sd.pressure)
	walks.check(t, "drift of the conserved quantity", 0, sd.walk)
	walks.checkWalk(t, "drift of the conserved quantity", sd.walk)
}

// TestConservedQuantityIsOfSecondOrder checks that the drift of the conserved quantity is of second
// order in the time step. With half the time step, the drift over the same time must be a quarter.
// The atoms are a droplet of 37 in the middle of the box. No atom meets a wall, and no pair is near
// the cutoff, because walls and the cutoff cause a drift of first order. The time is too short for
// chaos. For 240 initial velocities the drifts had ratios of 3.79 to 4.14.
func TestConservedQuantityIsOfSecondOrder(t *testing.T) {
	with(t, func(t *testing.T) {
		cfg := Default()
		cfg.Cutoff, cfg.Temperature = 9, 0.1
		deviation := func(seed uint64, dt float64, steps int) float64 {
			cfg.Dt = dt
			s := resume(t, cfg, droplet(cfg, seed))
			first := s.Observe().Conserved
			var squares float64
			for range steps {
				run(t, s, 1)
				off := s.Observe().Conserved - first
				squares += off * off
			}
			return math.Sqrt(squares / float64(steps))
		}
		for seed := range uint64(4) {
			coarse, fine := deviation(seed, 0.004, 250), deviation(seed, 0.002, 500)
			if ratio := coarse / fine; math.Abs(ratio-4) > 0.6 {
				t.Errorf("seed %d: half the time step leaves %.3g of %.3g, want a quarter", seed, fine, coarse)
			}
		}
	})
}

// droplet returns a hexagon of 37 atoms of both species in the middle of the
// box, at the temperature of cfg.
func droplet(cfg Config, seed uint64) (s State) {
	const spacing = 1.1
	r := rng.New(seed, "droplet")
	for row := -3; row <= 3; row++ {
		for column := range 7 - max(row, -row) {
			x := float64(column) - float64(6-max(row, -row))/2
			s.X = append(s.X, cfg.Width/2+spacing*x)
			s.Y = append(s.Y, cfg.Height/2+spacing*math.Sqrt(3)/2*float64(row))
			s.VX = append(s.VX, math.Sqrt(cfg.Temperature)*r.NormFloat64())
			s.VY = append(s.VY, math.Sqrt(cfg.Temperature)*r.NormFloat64())
			s.Species = append(s.Species, uint8(1+(row+column)&1))
		}
	}
	return s
}

// TestAgainstLAMMPS compares mean mixing ratios of our runs with means of 24 runs of LAMMPS, at up
// to 51 frames. Two means may differ by 7 standard errors of their difference. Without -long we
// simulate at most 8 runs. If our standard deviation is smaller than the standard deviation of
// LAMMPS, the test uses the larger one for both programs.
//
// A true standard deviation exceeds its estimate by at most a fifth. A tolerance of 7 estimated
// standard errors is therefore at least 7/1.2 = 5.8 true standard errors. By chance a test with 102
// comparisons fails once in 10⁶ times, and a test with 10 comparisons once in 10⁷ times.
func TestAgainstLAMMPS(t *testing.T) {
	if testing.Short() {
		t.Skip("TestEqualBitsOnEveryMachine compares every form's bits")
	}
	file, err := npz.Open("testdata/lammps_mixing.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var frames []int64
	var mean, sd []float64
	for name, dst := range map[string]any{"frame": &frames, "mean": &mean, "sd": &sd} {
		if err := file.Read(name+".npy", dst); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	cfg := Default()
	const tolerance = 7
	runs := 48
	if !*long {
		runs, cfg.Steps = 8, 40*cfg.Every
		if Implementation() == "plain" {
			runs, cfg.Steps = 5, 20*cfg.Every
		}
	}
	var mu sync.Mutex
	sum, squares := make([]float64, 2*cfg.Frames()), make([]float64, 2*cfg.Frames())
	var wg sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			run := NewTrajectory(cfg)
			for index := next.Add(1) - 1; index < int64(runs); index = next.Add(1) - 1 {
				s, err := Start(cfg, 100, int(index))
				if err == nil {
					err = s.Record(t.Context(), run)
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for k, r := range run.Ratios {
					sum[k] += r
					squares[k] += r * r
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	n := float64(runs)
	worst := 0.0
	for i, frame := range frames {
		if int(frame) >= cfg.Frames() {
			break
		}
		for d, name := range [2]string{"R_AB", "R_BA"} {
			k := 2*int(frame) + d
			got := sum[k] / n
			variance := (squares[k] - n*got*got) / (n - 1)
			want, their := mean[2*i+d], sd[2*i+d]
			if !*long {
				variance = max(variance, their*their)
			}
			off := (got - want) / math.Sqrt(variance/n+their*their/24)
			worst = max(worst, math.Abs(off))
			if *long {
				t.Logf("frame %d: %s %.4f ± %.4f, LAMMPS %.4f ± %.4f: %+.1f", frame, name, got, math.Sqrt(variance), want, their, off)
			}
			if !(math.Abs(off) <= tolerance) {
				t.Errorf("frame %d: %s is %.4f ± %.4f, LAMMPS has %.4f ± %.4f: %+.1f standard errors, tolerance %d", frame, name, got, math.Sqrt(variance), want, their, off, tolerance)
			}
		}
	}
	t.Logf("%d runs within %.2f standard errors", runs, worst)
}
