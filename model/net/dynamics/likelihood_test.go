package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// noises returns the diffusions for all gradient tests.
func noises() map[string]NoiseConfig {
	return map[string]NoiseConfig{
		"constant":    {Form: NoiseConstant, Floor: 0.04},
		"diagonal":    {Form: NoiseDiagonal, Hidden: []int{5, 4}, Act: kernel.Tanh, Floor: 0.04},
		"full":        {Form: NoiseFull, Hidden: []int{5, 4}, Act: kernel.SiLU, Floor: 0.04},
		"full linear": {Form: NoiseFull, Floor: 0.04},
	}
}

// stochastic contains a drift and a diffusion, both with random weights, and a batch of states.
type stochastic struct {
	problem
	layout tensor.Layout
	noise  *Noise
}

func newStochastic(c DriftConfig, dim int, n NoiseConfig, values int) *stochastic {
	rng := rand.New(rand.NewPCG(5, 6))
	p := new(stochastic)
	p.dynamics, p.noise = NewDriftNet(c, dim, &p.layout, "g"), NewNoise(n, dim, &p.layout, "sigma")
	p.params, p.grads = make([]float64, p.layout.Size()), make([]float64, p.layout.Size())
	Init(p.params, p.dynamics, rng)
	InitNoise(p.params, p.noise, rng)
	p.z = make([]float64, values)
	for i := range p.z {
		p.z[i] = 0.5 * rng.NormFloat64()
	}
	return p
}

func TestLikelihoodGradients(t *testing.T) {
	const rows, dim, dt = 5, 3, 0.3
	drifts := forms()
	for _, drift := range []string{"mlp tanh", "onsager confined"} {
		for name, n := range noises() {
			for _, steps := range []int{1, 3} {
				t.Run(fmt.Sprintf("%s, %s, %d", drift, name, steps), func(t *testing.T) {
					p := newStochastic(drifts[drift], dim, n, rows*(steps+1)*dim)
					l := NewLikelihood(NewDrift[float64](p.dynamics, rows*steps), NewDiffusion[float64](p.noise, rows*steps), steps, rows)
					value := func() float64 { return l.Value(p.params, p.z, rows, dt) }
					dz := make([]float64, len(p.z))
					got := l.Gradient(dz, p.params, p.grads, p.z, rows, dt)
					if again := value(); got != again {
						t.Errorf("Gradient returns the value %g, Value %g", got, again)
					}
					checkGradient(t, "parameter", value, p.params, p.grads)
					checkGradient(t, "state", value, p.z, dz)
					checkReached(t, &p.problem, p.layout)
				})
			}
		}
	}
}

// TestLikelihoodIsGaussian computes the density of a step in the plane from the
// step's covariance, with the inverse and the determinant written out.
func TestLikelihoodIsGaussian(t *testing.T) {
	const dim, dt = 2, 0.2
	p := newStochastic(DriftConfig{Form: FormMLP, Hidden: []int{5}, Act: kernel.Tanh}, dim, noises()["full"], 2*dim)
	drift, diffusion := NewDrift[float64](p.dynamics, 1), NewDiffusion[float64](p.noise, 1)
	g, s := make([]float64, dim), make([]float64, diffusion.Width())
	drift.Forward(g, p.params, p.z, 1)
	diffusion.Forward(s, p.params, p.z, 1)
	a, b, c := dt*s[0]*s[0], dt*s[0]*s[2], dt*(s[2]*s[2]+s[1]*s[1]) // ΣΣᵀdt = [a b; b c]
	x, y := p.z[2]-p.z[0]-g[0]*dt, p.z[3]-p.z[1]-g[1]*dt
	det := a*c - b*b
	want := (c*x*x-2*b*x*y+a*y*y)/det/2 + math.Log(det)/2 + math.Log(2*math.Pi)
	if got := NewLikelihood(drift, diffusion, 1, 1).Value(p.params, p.z, 1, dt); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
		t.Errorf("got %g, want %g", got, want)
	}
}

// TestLikelihoodFindsTheProcess draws a path of an Ornstein–Uhlenbeck process in
// the plane, dz = -A(z - m) dt + S dW, by its Euler–Maruyama step. The
// maximum-likelihood estimates of a linear drift and a constant covariance have a
// closed form: regression, and the covariance of the residuals. The gradient must
// vanish there, the likelihood must fall in all directions, and the estimates must
// match the process within sampling errors.
func TestLikelihoodFindsTheProcess(t *testing.T) {
	const n, dt = 45000, 0.05
	a, m, s := [4]float64{1, 0.5, -0.3, 0.8}, [2]float64{0.4, -0.2}, [3]float64{0.6, 0.5, 0.3} // S in the order of a Diffusion
	rng := rand.New(rand.NewPCG(7, 8))
	z := make([]float64, 2*(n+1))
	for i := range n {
		x, y := z[2*i]-m[0], z[2*i+1]-m[1]
		u, v := math.Sqrt(dt)*rng.NormFloat64(), math.Sqrt(dt)*rng.NormFloat64()
		z[2*i+2] = z[2*i] - (a[0]*x+a[1]*y)*dt + s[0]*u
		z[2*i+3] = z[2*i+1] - (a[2]*x+a[3]*y)*dt + s[2]*u + s[1]*v
	}

	var layout tensor.Layout
	dynamics := NewDriftNet(DriftConfig{Form: FormMLP}, 2, &layout, "g")
	noise := NewNoise(NoiseConfig{Form: NoiseFull, Floor: 0.01}, 2, &layout, "sigma")
	params, grads := make([]float64, layout.Size()), make([]float64, layout.Size())
	weight, bias, o := tensor.Of(params, layout.Params()[0]), tensor.Of(params, layout.Params()[1]), tensor.Of(params, layout.Params()[3])

	// Regression of (z' - z)/dt on (z, 1), centred at the means.
	var mean, slope [2]float64
	var zz, zv [4]float64
	for i := range n {
		for j := range 2 {
			mean[j] += z[2*i+j] / n
			slope[j] += (z[2*i+2+j] - z[2*i+j]) / dt / n
		}
	}
	for i := range n {
		for j := range 2 {
			for k := range 2 {
				zz[2*j+k] += (z[2*i+j] - mean[j]) * (z[2*i+k] - mean[k])
				zv[2*j+k] += ((z[2*i+2+j]-z[2*i+j])/dt - slope[j]) * (z[2*i+k] - mean[k])
			}
		}
	}
	det := zz[0]*zz[3] - zz[1]*zz[2]
	for j := range 2 {
		weight[2*j] = (zv[2*j]*zz[3] - zv[2*j+1]*zz[2]) / det
		weight[2*j+1] = (zv[2*j+1]*zz[0] - zv[2*j]*zz[1]) / det
		bias[j] = slope[j] - weight[2*j]*mean[0] - weight[2*j+1]*mean[1]
	}
	var cov [3]float64
	for i := range n {
		var r [2]float64
		for j := range 2 {
			r[j] = z[2*i+2+j] - z[2*i+j] - dt*(weight[2*j]*z[2*i]+weight[2*j+1]*z[2*i+1]+bias[j])
		}
		cov[0] += r[0] * r[0] / (n * dt)
		cov[1] += r[0] * r[1] / (n * dt)
		cov[2] += r[1] * r[1] / (n * dt)
	}
	sigma := [3]float64{math.Sqrt(cov[0]), math.Sqrt(cov[2] - cov[1]*cov[1]/cov[0]), cov[1] / math.Sqrt(cov[0])}
	o[0], o[1], o[2] = math.Sqrt(sigma[0]*sigma[0]-0.01), math.Sqrt(sigma[1]*sigma[1]-0.01), sigma[2]

	l := NewLikelihood(NewDrift[float64](dynamics, n), NewDiffusion[float64](noise, n), n, 1)
	best := l.Gradient(nil, params, grads, z, 1, dt)
	for _, p := range []tensor.Param{layout.Params()[0], layout.Params()[1], layout.Params()[3]} {
		for i, g := range tensor.Of(grads, p) {
			if math.Abs(g) > 1e-11 { // rounding errors; g is a mean of 45 000 terms of size 1
				t.Errorf("%s %d: gradient %g where the likelihood is largest, want 0", p.Name, i, g)
			}
		}
		for i, keep := range tensor.Of(params, p) {
			for _, h := range []float64{-0.02, 0.02} {
				params[p.Offset+i] = keep + h
				if worse := l.Value(params, z, 1, dt); worse <= best {
					t.Errorf("%s %d moved by %g: %g, not above the least %g", p.Name, i, h, worse, best)
				}
			}
			params[p.Offset+i] = keep
		}
	}

	// The tolerances are six standard errors. The path has the duration T = 2250. An estimated
	// slope has a standard error near sqrt(1/T) σ/sd(z) ≤ 0.04. An estimated deviation has a
	// standard error near σ/sqrt(2n) = 0.002. By chance, one of the seven estimates exceeds its
	// tolerance once in 10⁸ times.
	for i := range a {
		if !(math.Abs(weight[i]+a[i]) <= 0.24) {
			t.Errorf("slope %d: got %g, want %g within 0.24", i, weight[i], -a[i])
		}
	}
	for i := range s {
		if !(math.Abs(sigma[i]-s[i]) <= 0.012) {
			t.Errorf("Σ %d: got %g, want %g within 0.012", i, sigma[i], s[i])
		}
	}
}

func TestNoiseValidate(t *testing.T) {
	if err := DefaultNoise().Validate(); err != nil {
		t.Error(err)
	}
	if err := (NoiseConfig{Form: NoiseConstant, Floor: 1e-4, Act: 99}).Validate(); err != nil {
		t.Errorf("a constant has no activation, but: %v", err)
	}
	for name, change := range map[string]func(*NoiseConfig){
		"no floor":           func(c *NoiseConfig) { c.Floor = 0 },
		"floor not a number": func(c *NoiseConfig) { c.Floor = math.NaN() },
		"an infinite floor":  func(c *NoiseConfig) { c.Floor = math.Inf(1) },
		"an unknown form":    func(c *NoiseConfig) { c.Form = "white" },
		"no form":            func(c *NoiseConfig) { c.Form = "" },
		"an empty layer":     func(c *NoiseConfig) { c.Hidden = []int{0} },
		"too many layers":    func(c *NoiseConfig) { c.Hidden = make([]int, 17) },
		"an unknown act":     func(c *NoiseConfig) { c.Act = 99 },
	} {
		c := DefaultNoise()
		if change(&c); c.Validate() == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// TestConstantNoiseBegins checks that an untrained constant diffusion has twice the smallest
// variance (Floor). At the smallest variance, the gradient of the parameters would be 0.
func TestConstantNoiseBegins(t *testing.T) {
	const floor = 0.04
	var layout tensor.Layout
	n := NewNoise(NoiseConfig{Form: NoiseConstant, Floor: floor}, 2, &layout, "sigma")
	params, sigma := make([]float64, layout.Size()), make([]float64, 2)
	InitNoise(params, n, rand.New(rand.NewPCG(1, 1)))
	NewDiffusion[float64](n, 1).Forward(sigma, params, []float64{0.3, -0.2}, 1)
	for _, s := range sigma {
		if math.Abs(s*s-2*floor) > 1e-12 {
			t.Errorf("the variance begins at %g, want %g", s*s, 2*floor)
		}
	}
}
