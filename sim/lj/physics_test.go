package lj

import (
	"context"
	"flag"
	"math"
	"sync"
	"testing"

	"github.com/sbinet/npyio/npz"
)

// go test -run LAMMPS -long ./sim/lj simulates as much as the reference holds,
// for a minute or two on two cores.
var long = flag.Bool("long", false, "compare 48 whole runs with LAMMPS, and not only the beginning of a few")

func run(t testing.TB, s *Simulation, steps int) {
	t.Helper()
	for range steps {
		if err := s.Step(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFirstStep compares the lattice with what LAMMPS prints.
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

// TestConstantEnergy follows the relaxation. As LAMMPS shows the energy it falls
// from 276.85 to about 274 as more pairs come within the cutoff, where the
// potential has a step of -0.0082 that forces know nothing of. Without that step
// there is only what the time step does, and reflections: they turn a velocity
// half a kick away from the position it belongs to, and leave the energy a
// little off.
func TestConstantEnergy(t *testing.T) {
	const seeds = 4
	var drift, energy, temperature float64
	for seed := range uint64(seeds) {
		s := start(t, Default(), seed)
		first := s.Observe()
		if e := first.Potential + first.Kinetic; math.Abs(e-276.8477) > 1e-4 {
			t.Errorf("seed %d: energy %.5f at the start, want 276.8477", seed, e)
		}
		run(t, s, 2000)
		const samples = 20
		var last float64
		for range samples {
			run(t, s, 49)
			o := s.Observe()
			last += o.Conserved / samples
			energy += (o.Potential + o.Kinetic) / samples / seeds
			temperature += o.Temperature / samples / seeds
		}
		drift += math.Abs(last-first.Conserved) / seeds
	}
	t.Logf("energy %.2f, conserved within %.3f, T = %.3f", energy, drift, temperature)
	if math.Abs(energy-274.1) > 0.5 {
		t.Errorf("energy %.2f at last, want 274.1 or so", energy)
	}
	// A tenth of what LAMMPS loses.
	if drift > 0.285 {
		t.Errorf("the conserved energy drifts by %.3f, tolerance 0.285", drift)
	}
	if math.Abs(temperature-1.045) > 0.02 {
		t.Errorf("T = %.3f at last, want 1.045 or so", temperature)
	}
}

// TestThermostat: the mean temperature of a chain is right to a few parts in
// ten thousand after a short time, since the thermostat integrates what it is
// off by; its fluctuations take longer to average. LAMMPS finds 0.9995 ± 0.0444;
// canonical is 1/√(N-1) = 0.0435.
func TestThermostat(t *testing.T) {
	s := start(t, Default(), 4)
	if err := s.Relax(); err != nil {
		t.Fatal(err)
	}
	steps := 100_000
	if testing.Short() || Implementation() == "plain" {
		steps = 25_000
	}
	run(t, s, 1000)
	first := s.Observe().Conserved
	var n, sum, squares, pressure, worst float64
	for k := range steps {
		run(t, s, 1)
		temperature := s.now.square / freedom(s.n)
		n++
		sum += temperature
		squares += temperature * temperature
		if k%200 == 0 {
			o := s.Observe()
			pressure += o.Pressure / float64(steps/200)
			worst = max(worst, math.Abs(o.Conserved-first))
		}
	}
	mean := sum / n
	sd := math.Sqrt(squares/n - mean*mean)
	t.Logf("T = %.5f ± %.5f, P = %.3f, conserved within %.3f", mean, sd, pressure, worst)
	if math.Abs(mean-1) > 0.003 {
		t.Errorf("T = %.5f, want 1 within 0.003", mean)
	}
	tol := 0.1
	if steps < 100_000 {
		tol = 0.15
	}
	if math.Abs(sd/0.0435-1) > tol {
		t.Errorf("the temperature fluctuates by %.5f, want 0.0435 within %g of itself", sd, tol)
	}
	if math.Abs(pressure-0.79) > 0.05 {
		t.Errorf("P = %.3f, want 0.79 or so", pressure)
	}
	// Of a kinetic energy of 528 and a potential one of -310.
	if worst > 1.5 {
		t.Errorf("the conserved quantity moved by %.3f", worst)
	}
}

// TestConservedQuantityIsOfSecondOrder checks that what is left of a drift is
// that of the integrator: with half the time step, over the same time, the
// quantity keeps to a quarter of its range, or a half where it is reflections
// that matter.
func TestConservedQuantityKeepsWithTheTimeStep(t *testing.T) {
	cfg := Default()
	cfg.Relaxation = 1000
	runs := 6
	if testing.Short() || Implementation() == "plain" {
		runs = 2
	}
	deviation := func(dt float64, steps int) (sd float64) {
		for seed := range uint64(runs) {
			cfg.Dt = 0.002
			s := start(t, cfg, 10+seed)
			if err := s.Relax(); err != nil {
				t.Fatal(err)
			}
			other := cfg
			other.Dt = dt
			if err := s.Retune(other); err != nil {
				t.Fatal(err)
			}
			var n, sum, squares float64
			for range 60 {
				run(t, s, steps/60)
				c := s.Observe().Conserved
				n++
				sum += c
				squares += c * c
			}
			sd += math.Sqrt(squares/n-sum*sum/n/n) / float64(runs)
		}
		return sd
	}
	coarse, fine := deviation(0.002, 1200), deviation(0.001, 2400)
	t.Logf("sd %.4f and %.4f", coarse, fine)
	if ratio := coarse / fine; ratio < 1.7 {
		t.Errorf("half the time step leaves %.4f of %.4f, want a quarter to a half", fine, coarse)
	}
}

// TestAgainstLAMMPS compares the mixing ratios with 24 runs of LAMMPS. Both
// means have standard errors; within 3 of their root sum of squares, or 4 where
// few runs make a poor estimate of it.
func TestAgainstLAMMPS(t *testing.T) {
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
	runs, sigmas := 48, 3.0
	if !*long {
		runs, sigmas, cfg.Steps = 8, 4, 40*cfg.Every
		if testing.Short() || Implementation() == "plain" {
			runs, cfg.Steps = 5, 20*cfg.Every
		}
	}
	var mu sync.Mutex
	sum, squares := make([]float64, 2*cfg.Frames()), make([]float64, 2*cfg.Frames())
	err = Generate(context.Background(), cfg, 100, 0, runs, 0, nil, func(_ int, run *Trajectory) error {
		mu.Lock()
		defer mu.Unlock()
		for k, r := range run.Ratios {
			sum[k] += r
			squares[k] += r * r
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
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
			if !(math.Abs(off) <= sigmas) {
				t.Errorf("frame %d: %s is %.4f ± %.4f, LAMMPS has %.4f ± %.4f: %+.1f standard errors, tolerance %g", frame, name, got, math.Sqrt(variance), want, their, off, sigmas)
			}
		}
	}
	t.Logf("%d runs within %.2f standard errors", runs, worst)
}
