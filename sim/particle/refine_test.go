package particle

import (
	"math"
	"slices"
	"testing"
)

// accurate integrates the equations in float64 from positions (N, 2), by the midpoint method with steps
// in which no particle moves by more than `way` times the distance of the closest pair. It returns the
// positions at the end.
func accurate(f func(r float64) float64, positions []float32, time, way float64) []float64 {
	n := len(positions) / 2
	at, mid := make([]float64, 2*n), make([]float64, 2*n)
	v, w := make([]float64, 2*n), make([]float64, 2*n)
	for i, x := range positions {
		at[i] = float64(x)
	}
	velocities := func(v, x []float64) (closest, fastest float64) {
		clear(v)
		closest = math.Inf(1)
		for i := range n {
			for j := range i {
				dx, dy := x[2*i]-x[2*j], x[2*i+1]-x[2*j+1]
				r := math.Hypot(dx, dy)
				closest = min(closest, r)
				k := f(r) / r / float64(n)
				v[2*i] += k * dx
				v[2*i+1] += k * dy
				v[2*j] -= k * dx
				v[2*j+1] -= k * dy
			}
		}
		for i := range n {
			fastest = max(fastest, math.Hypot(v[2*i], v[2*i+1]))
		}
		return closest, fastest
	}
	for left := time; left > 0; {
		closest, fastest := velocities(v, at)
		h := min(left, 1e-3, way*closest/fastest)
		for i := range mid {
			mid[i] = at[i] + v[i]*h/2
		}
		velocities(w, mid)
		for i := range at {
			at[i] += w[i] * h
		}
		left -= h
	}
	return at
}

// TestForcesAgainstAccurateIntegration compares the end of simulations with an accurate integration,
// for forces with and without a core. The error is the RMS distance of the particles from the right places,
// relative to the RMS distance from the origin.
func TestForcesAgainstAccurateIntegration(t *testing.T) {
	const tol = 0.015 // errors of a step of at most `coarse`
	for _, c := range []struct {
		name string
		f    func(r float64) float64
	}{
		{"1/r^3", func(r float64) float64 { r = max(r, hardCore); return 1 / (r * r * r) }},
		{"1/r^2", func(r float64) float64 { r = max(r, hardCore); return 1 / (r * r) }},
		{"1/r", func(r float64) float64 { return 1 / max(r, hardCore) }},
		{"tanh", func(r float64) float64 { return refForce(4, 0.1, r) }},
		{"spring", func(r float64) float64 { return -r }},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Default()
			cfg.N, cfg.Steps, cfg.Force = 40, 50, tabulated(t, c.f)
			for seed := range uint64(2) {
				begin := InitialPositions(cfg, seed, 0)
				s, err := New(t.Context(), cfg, begin)
				if err != nil {
					t.Fatal(err)
				}
				for range cfg.Steps {
					if err := s.Step(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				got, want := make([]float32, 2*cfg.N), accurate(c.f, begin, float64(cfg.Steps)*cfg.Dt, 0.02)
				s.Positions(got)
				off, size := 0.0, 0.0
				for i := range got {
					off, size = off+math.Pow(float64(got[i])-want[i], 2), size+want[i]*want[i]
				}
				t.Logf("seed %d: error %.4f of %.3f", seed, math.Sqrt(off/size), math.Sqrt(size/float64(cfg.N)))
				if !(off <= tol*tol*size) {
					t.Errorf("seed %d: the error is %.3f, want at most %.3f", seed, math.Sqrt(off/size), tol)
				}
			}
		})
	}
}

// TestSmoothForcesTakeEulerSteps checks the bits of steps with forces that change little within a step.
func TestSmoothForcesTakeEulerSteps(t *testing.T) {
	for name, f := range map[string]func(r float64) float64{
		"tanh":   func(r float64) float64 { return refForce(4, 0.1, r) },
		"spring": func(r float64) float64 { return -r },
		"jump":   func(r float64) float64 { return math.Copysign(1, 1-r) },
	} {
		cfg := Default()
		cfg.N, cfg.Force = 60, tabulated(t, f)
		s, err := New(t.Context(), cfg, InitialPositions(cfg, 1, 0))
		if err != nil {
			t.Fatal(err)
		}
		x, v, got := make([]float32, 2*cfg.N), make([]float32, 2*cfg.N), make([]float32, 2*cfg.N)
		for k := range 100 {
			s.Positions(x)
			s.Velocities(v)
			advance(x, x, v, float32(cfg.Dt))
			if err := s.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
			if s.Positions(got); !slices.Equal(got, x) {
				t.Fatalf("%s: step %d is no Euler step", name, k)
			}
		}
	}
}
