package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// process is a scalar stochastic process without weights, dz = g(z) dt + s(z) dW.
type process struct{ g, s func(z float64) float64 }

func (p process) Dim() int                { return 1 }
func (p process) Another() Drift[float64] { return p }
func (p process) Forward(dst, _, z []float64, rows int) {
	for r := range rows {
		dst[r] = p.g(z[r])
	}
}
func (process) Backward(_, _, _, _, _ []float64, _ int) {}

// processNoise is the diffusion of a process.
type processNoise struct{ process }

func (processNoise) Width() int { return 1 }
func (p processNoise) Forward(dst, _, z []float64, rows int) {
	for r := range rows {
		dst[r] = p.s(z[r])
	}
}

// Both processes start at z = 1 and run from t = 0 to t = 1.
const (
	rate, volatility   = 0.3, 0.5    // geometric Brownian motion, dz = rate z dt + volatility z dW
	pull, level, noise = 0.8, 2, 0.8 // Ornstein–Uhlenbeck, dz = -pull (z - level) dt + noise dW
)

// processes contains stochastic processes. For a given Brownian path, their exact solutions are
// known.
var processes = []struct {
	name     string
	dynamics process
	strong   float64 // the strong order of Euler–Maruyama steps
	// advance returns the state at time h of a process that starts at z. dW is the path's
	// increment, and x = ∫ e^{-pull(h-s)} dW from s = 0 to h.
	advance      func(z, h, dW, x float64) float64
	mean, square float64 // exact means of z and z² at t = 1
}{
	{
		"geometric Brownian motion",
		process{func(z float64) float64 { return rate * z }, func(z float64) float64 { return volatility * z }}, 0.5,
		func(z, h, dW, _ float64) float64 {
			return z * math.Exp((rate-volatility*volatility/2)*h+volatility*dW)
		},
		math.Exp(rate), math.Exp(2*rate + volatility*volatility),
	},
	{
		"Ornstein–Uhlenbeck",
		process{func(z float64) float64 { return -pull * (z - level) }, func(float64) float64 { return noise }}, 1,
		func(z, h, _, x float64) float64 { return level + (z-level)*math.Exp(-pull*h) + noise*x },
		level + (1-level)*math.Exp(-pull),
		math.Pow(level+(1-level)*math.Exp(-pull), 2) + noise*noise*(1-math.Exp(-2*pull))/(2*pull),
	},
}

// ones returns n initial states, all of them 1.
func ones(n int) []float64 {
	z := make([]float64, n)
	for i := range z {
		z[i] = 1
	}
	return z
}

// TestStrongOrder follows the exact solution z and Euler–Maruyama steps Z along the same Brownian
// paths to t = 1, and fits E|Z - z| against dt on a logarithmic scale. The slope is the order. Over
// 60 seeds, the mean order differs from the theory by 0.006, because the lines are not quite
// straight. The standard deviations of the order are 0.005 and 0.003 for the two processes. The
// tolerance covers the difference and six standard deviations. Chance exceeds six standard
// deviations once in 10⁹ times.
func TestStrongOrder(t *testing.T) {
	const paths, finest = 8000, 256
	for _, tc := range processes {
		t.Run(tc.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(9, 10))
			const h = 1. / finest
			// The increments of W and x over h are jointly Gaussian.
			decay := math.Exp(-pull * h)
			share := (1 - decay) / pull / h // share·dW is the part of x's increment that is proportional to dW
			rest := math.Sqrt((1-decay*decay)/(2*pull) - share*share*h)
			exact, dW := ones(paths), make([]float64, finest*paths) // (finest, paths)
			for k := range finest {
				for i := range exact {
					w := math.Sqrt(h) * rng.NormFloat64()
					dW[k*paths+i] = w
					exact[i] = tc.advance(exact[i], h, w, share*w+rest*rng.NormFloat64())
				}
			}
			// The mean of the exact solutions must match theory within six standard errors.
			mean := kernel.Sum(exact) / paths
			if e := math.Sqrt((tc.square - tc.mean*tc.mean) / paths); !(math.Abs(mean-tc.mean) <= 6*e) {
				t.Fatalf("solutions of the mean %g, want %g within %g", mean, tc.mean, 6*e)
			}
			var x, y []float64
			for _, steps := range []int{16, 32, 64, 128, 256} {
				s := NewEulerMaruyama[float64](tc.dynamics, processNoise{tc.dynamics}, paths)
				z, sum, miss := ones(paths), make([]float64, paths), 0.0
				for k := range steps {
					clear(sum)
					for fine := k * finest / steps; fine < (k+1)*finest/steps; fine++ {
						kernel.Axpy(sum, 1, dW[fine*paths:(fine+1)*paths])
					}
					s.Step(z, nil, z, sum, paths, 1/float64(steps))
				}
				for i, want := range exact {
					miss += math.Abs(z[i]-want) / paths
				}
				x, y = append(x, -math.Log(float64(steps))), append(y, math.Log(miss))
			}
			if got := slope(x, y); !(math.Abs(got-tc.strong) <= 0.04) {
				t.Errorf("order %.3f, want %g within 0.04", got, tc.strong)
			}
		})
	}
}

// TestWeakOrder fits the errors of E z and E z² at t = 1 against dt on a logarithmic scale. In
// n steps of a linear SDE both moments depend on the increments only through their means and
// variances. The average over all 2ⁿ paths of increments ±√dt therefore equals the expectation
// over normal increments, without a sampling error. The next term of the error changes the fitted
// orders by a few per cent at these n.
func TestWeakOrder(t *testing.T) {
	for _, tc := range processes {
		t.Run(tc.name, func(t *testing.T) {
			var x, mean, square []float64
			for _, steps := range []int{6, 8, 11, 15} {
				paths := 1 << steps
				s := NewEulerMaruyama[float64](tc.dynamics, processNoise{tc.dynamics}, paths)
				z, dW := ones(paths), make([]float64, paths)
				for k := range steps {
					for i := range dW {
						dW[i] = math.Sqrt(1/float64(steps)) * float64(i>>k&1*2-1)
					}
					s.Step(z, nil, z, dW, paths, 1/float64(steps))
				}
				x = append(x, -math.Log(float64(steps)))
				mean = append(mean, math.Log(math.Abs(kernel.Sum(z)/float64(paths)-tc.mean)))
				square = append(square, math.Log(math.Abs(kernel.Dot(z, z)/float64(paths)-tc.square)))
			}
			for what, y := range map[string][]float64{"z": mean, "z²": square} {
				if got := slope(x, y); !(math.Abs(got-1) <= 0.08) {
					t.Errorf("order %.3f of E %s, want 1 within 0.08", got, what)
				}
			}
		})
	}
}

// TestMomentsOfAnEnsemble compares the mean and the covariance of an ensemble with the values for
// Euler–Maruyama steps of a linear SDE: m' = (1 - κdt)m and, for noise independent of z, C' = (1 -
// κdt)²C + SSᵀdt. The tolerance is six standard errors; by chance, one of the ten numbers exceeds
// it once in 5·10⁷ times.
func TestMomentsOfAnEnsemble(t *testing.T) {
	const initial, members, steps, dt, kappa = 2, 20000, 12, 0.1, 1.5
	var layout tensor.Layout
	dynamics := NewDriftNet(DriftConfig{Form: FormMLP}, 2, &layout, "g")
	sigma := NewNoise(NoiseConfig{Form: NoiseFull, Floor: 0.09}, 2, &layout, "sigma")
	params := make([]float32, layout.Size())
	copy(tensor.Of(params, layout.Params()[0]), []float32{-kappa, 0, 0, -kappa})
	copy(tensor.Of(params, layout.Params()[3]), []float32{0.4, 0, 0.6}) // S = [0.5 0; 0.6 0.3]
	z0 := []float32{1, -1, 0.5, 2}
	path := make([]float32, initial*members*(steps+1)*2)
	s := NewEulerMaruyama(NewDrift[float32](dynamics, 64), NewDiffusion[float32](sigma, 64), 64)
	s.Rollout(path, params, z0, initial, members, steps, dt, rand.New(rand.NewPCG(1, 2)))

	keep, spread := math.Pow(1-kappa*dt, steps), 0.0 // keep: factor of the initial m; spread: factor of SSᵀ in C
	for range steps {
		spread = (1-kappa*dt)*(1-kappa*dt)*spread + dt
	}
	cov := [3]float64{0.25 * spread, 0.3 * spread, 0.45 * spread}
	for e := range initial {
		var mean [2]float64
		var got [3]float64
		want := [2]float64{keep * float64(z0[2*e]), keep * float64(z0[2*e+1])}
		for m := range members {
			z := path[(e*members+m)*(steps+1)*2:]
			if z[0] != z0[2*e] || z[1] != z0[2*e+1] {
				t.Fatalf("a trajectory begins at %v, want %v", z[:2], z0[2*e:2*e+2])
			}
			x, y := float64(z[2*steps])-want[0], float64(z[2*steps+1])-want[1]
			mean[0], mean[1] = mean[0]+x/members, mean[1]+y/members
			got[0], got[1], got[2] = got[0]+x*x/members, got[1]+x*y/members, got[2]+y*y/members
		}
		for j, c := range []float64{cov[0], cov[2]} {
			if !(math.Abs(mean[j]) <= 6*math.Sqrt(c/members)) {
				t.Errorf("initial state %d: mean %d off by %g", e, j, mean[j])
			}
		}
		for j, c := range cov {
			// The product of two normal variables x and y with the covariance C has the variance
			// C_xx C_yy + C_xy².
			deviation := []float64{math.Sqrt2 * cov[0], math.Sqrt(cov[0]*cov[2] + cov[1]*cov[1]), math.Sqrt2 * cov[2]}[j]
			if !(math.Abs(got[j]-c) <= 6*deviation/math.Sqrt(members)) {
				t.Errorf("initial state %d: covariance %d is %g, want %g", e, j, got[j], c)
			}
		}
	}
}

// TestEnsembleReplays checks that a trajectory depends neither on the block size nor on the
// number of steps, and equals single Steps with the same noise. All values must be equal exactly,
// because in float64 no kernel reorders sums.
func TestEnsembleReplays(t *testing.T) {
	const initial, members, steps, dim, dt = 3, 4, 6, 3, 0.1
	p := newStochastic(DriftConfig{Form: FormMLP, Hidden: []int{6}, Act: kernel.SiLU}, dim, noises()["full"], initial*dim)
	rollout := func(rows, steps int) []float64 {
		path := make([]float64, initial*members*(steps+1)*dim)
		s := NewEulerMaruyama(NewDrift[float64](p.dynamics, rows), NewDiffusion[float64](p.noise, rows), rows)
		s.Rollout(path, p.params, p.z, initial, members, steps, dt, rand.New(rand.NewPCG(3, 4)))
		return path
	}
	whole, blocks, short := rollout(initial*members, steps), rollout(5, steps), rollout(5, 2)
	seen := map[float64]bool{}
	for i, want := range whole {
		if blocks[i] != want {
			t.Fatalf("value %d: %g in blocks, %g at once", i, blocks[i], want)
		}
		e, k, j := i/dim/(steps+1), i/dim%(steps+1), i%dim
		if k <= 2 && short[(e*3+k)*dim+j] != want {
			t.Fatalf("trajectory %d, step %d: %g in a rollout of 2 steps, %g in one of %d", e, k, short[(e*3+k)*dim+j], want, steps)
		}
		if k == 1 && j == 0 {
			if seen[want] {
				t.Errorf("two trajectories share their noise")
			}
			seen[want] = true
		}
	}

	rng := rand.New(rand.NewPCG(3, 4))
	own := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
	z, dW := append([]float64(nil), p.z[:dim]...), make([]float64, dim)
	s := NewEulerMaruyama(NewDrift[float64](p.dynamics, 1), NewDiffusion[float64](p.noise, 1), 1)
	for k := range steps {
		for j := range dW {
			dW[j] = math.Sqrt(dt) * own.NormFloat64()
		}
		s.Step(z, p.params, z, dW, 1, dt)
		for j, got := range z {
			if want := whole[(k+1)*dim+j]; got != want {
				t.Fatalf("step %d: %g by steps, %g in a rollout", k+1, got, want)
			}
		}
	}
}

func TestNoiseDoesNotAllocate(t *testing.T) {
	const rows, steps, dim, dt = 33, 3, 4, 0.01
	for name, c := range noises() {
		rng := rand.New(rand.NewPCG(1, 2))
		var layout tensor.Layout
		dynamics, noise := NewDriftNet(forms()["mlp silu"], dim, &layout, "g"), NewNoise(c, dim, &layout, "sigma")
		params, grads := make([]float32, layout.Size()), make([]float32, layout.Size())
		Init(params, dynamics, rng)
		InitNoise(params, noise, rng)
		z, dz, path := make([]float32, rows*(steps+1)*dim), make([]float32, rows*(steps+1)*dim), make([]float32, rows*(steps+1)*dim)
		drift, diffusion := NewDrift[float32](dynamics, rows*steps), NewDiffusion[float32](noise, rows*steps)
		l, s := NewLikelihood(drift, diffusion, steps, rows), NewEulerMaruyama(drift, diffusion, rows)
		if n := testing.AllocsPerRun(5, func() {
			l.Gradient(dz, params, grads, z, rows, dt)
			s.Rollout(path, params, z, 3, rows/3, steps, dt, rng)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// The example follows the same Brownian path twice: in one step of 0.5 time units, and in two steps
// of 0.25 time units.
func ExampleEulerMaruyama_Step() {
	var layout tensor.Layout
	dynamics := NewDriftNet(DriftConfig{Form: FormMLP}, 1, &layout, "g") // no hidden layer: g(z) = wz + b
	noise := NewNoise(NoiseConfig{Form: NoiseConstant, Floor: 0.75}, 1, &layout, "sigma")
	params := []float64{-1, 0, 0.5} // σ² = 0.75 + 0.5²
	s := NewEulerMaruyama(NewDrift[float64](dynamics, 1), NewDiffusion[float64](noise, 1), 1)

	once, twice := []float64{1}, []float64{1}
	s.Step(once, params, once, []float64{0.25 - 0.5}, 1, 0.5)
	s.Step(twice, params, twice, []float64{0.25}, 1, 0.25)
	s.Step(twice, params, twice, []float64{-0.5}, 1, 0.25)
	fmt.Println(once, twice)
	// Output: [0.25] [0.25]
}
