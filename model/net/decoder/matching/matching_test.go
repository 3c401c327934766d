package matching

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// model is a velocity with weights.
type model[T tensor.Float] struct {
	v      *Velocity
	params []T
}

func newModel[T tensor.Float](c Config, seed uint64) model[T] {
	var l tensor.Layout
	m := model[T]{v: New(c, &l, "v")}
	m.params = make([]T, l.Size())
	r := rand.New(rand.NewPCG(seed, 0))
	Init(m.params, m.v, r)
	for i := range m.params {
		m.params[i] += T(0.4 * r.NormFloat64())
	}
	return m
}

// TestDensityIntegratesToOne integrates exp(LogProb) over the line: the change of volume along the
// paths must be exact for any weights. The quadrature (400 points from -14 to 14) and RK4 leave an
// error below 1e-6.
func TestDensityIntegratesToOne(t *testing.T) {
	m := newModel[float64](Config{Dim: 1, ZDim: 2, Hidden: []int{8, 8}, Act: kernel.SiLU, Steps: 40}, 1)
	d := NewDensity[float64](m.v, 1)
	z, logp := []float64{0.3, -0.7}, make([]float64, 1)
	total := quad.Fixed(func(x float64) float64 {
		d.LogProb(logp, m.params, []float64{x}, z)
		return math.Exp(logp[0])
	}, -14, 14, 400, nil, 0)
	if math.Abs(total-1) > 1e-6 {
		t.Errorf("the density integrates to %.9g", total)
	}
}

// TestInverse moves points to noise and back. With many steps, the points must return to where
// they started, and the integrals of the divergence on both ways must cancel.
func TestInverse(t *testing.T) {
	c := Config{Dim: 2, ZDim: 3, Hidden: []int{9, 7}, Act: kernel.Tanh, Steps: 200}
	m := newModel[float64](c, 2)
	d := NewDensity[float64](m.v, 5)
	z := []float64{0.5, -1, 2}
	r := rand.New(rand.NewPCG(2, 1))
	x := make([]float64, 10)
	d.Sample(x, m.params, z, r)
	copy(d.x, x)
	back, forth := make([]float64, 5), make([]float64, 5)
	d.integrate(back, m.params, z, 5, 1, 0)
	d.integrate(forth, m.params, z, 5, 0, 1)
	for i, v := range x {
		if math.Abs(d.x[i]-v) > 1e-8*(1+math.Abs(v)) {
			t.Errorf("a point at %g comes back at %g", v, d.x[i])
		}
	}
	for i := range back {
		if math.Abs(back[i]+forth[i]) > 1e-8 {
			t.Errorf("the divergence is %g on the way and %g on the way back", forth[i], back[i])
		}
	}
}

// TestTarget checks the loss of a velocity that is 0 everywhere: it is the mean squared velocity of
// the paths. The end of each path differs from the particle by σ times the path's noise.
func TestTarget(t *testing.T) {
	const sigma = 0.25
	m := newModel[float64](Config{Dim: 2, ZDim: 1, Hidden: []int{3}, Act: kernel.Tanh, Sigma: sigma, Steps: 1}, 4)
	clear(m.params)
	p := Paths[float64]{From: []float64{1, -2, 0.5, 3}, To: []float64{4, 1, -1, 2}, At: []float64{0.2, 0.9}}
	want := 0.0
	for i, from := range p.From {
		end := sigma*from + p.To[i]
		want += (end - from) * (end - from) / 2
	}
	if got := NewTrainer[float64](m.v, 2).Loss(m.params, make([]float64, len(m.params)), make([]float64, 1), []float64{0}, p); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %g, want %g", got, want)
	}
}

// TestDivergence compares the divergence with central differences of the velocity.
func TestDivergence(t *testing.T) {
	for _, act := range []kernel.Activation{kernel.SiLU, kernel.Tanh, kernel.Softplus} {
		m := newModel[float64](Config{Dim: 3, ZDim: 1, Hidden: []int{5, 6}, Act: act, Steps: 1}, 3)
		d := NewDensity[float64](m.v, 2)
		d.gather(m.params)
		x, z := []float64{0.1, -0.4, 0.9, 1.2, 0.3, -2}, []float64{0.7}
		d.velocity(m.params, x, z, 0.4, 2, true)
		got := []float64{d.div[0], d.div[1]}
		for p := range 2 {
			want := 0.0
			for k := range 3 {
				const h = 1e-5
				at := p*3 + k
				keep := x[at]
				x[at] = keep + h
				up := d.velocity(m.params, x, z, 0.4, 2, false)[at]
				x[at] = keep - h
				down := d.velocity(m.params, x, z, 0.4, 2, false)[at]
				x[at] = keep
				want += (up - down) / (2 * h)
			}
			if math.Abs(got[p]-want) > 1e-8 {
				t.Errorf("%s: divergence %g, by differences %g", act, got[p], want)
			}
		}
	}
}

// TestLearns trains a velocity on a normal distribution with mean ẑ and checks that the learned
// density matches. The seed is fixed; the tolerance is three times the error of this run.
func TestLearns(t *testing.T) {
	c := Config{Dim: 1, ZDim: 1, Hidden: []int{16}, Act: kernel.SiLU, Steps: 10}
	m := newModel[float64](c, 4)
	const rows = 64
	w := NewTrainer[float64](m.v, rows)
	r := rand.New(rand.NewPCG(4, 1))
	p := Paths[float64]{From: make([]float64, rows), To: make([]float64, rows), At: make([]float64, rows)}
	z, dz := make([]float64, rows), make([]float64, rows)
	grads := make([]float64, len(m.params))
	for step := range 4000 {
		for i := range rows {
			z[i] = 2*r.Float64() - 1
			p.From[i], p.To[i], p.At[i] = r.NormFloat64(), z[i]+0.5*r.NormFloat64(), r.Float64()
		}
		clear(grads)
		w.Loss(m.params, grads, dz, z, p)
		kernel.Axpy(m.params, -0.05/(1+float64(step)/500), grads)
	}
	d := NewDensity[float64](m.v, 3)
	for _, mean := range []float64{-0.8, 0, 0.8} {
		x, logp := []float64{mean - 0.5, mean, mean + 0.5}, make([]float64, 3)
		d.LogProb(logp, m.params, x, []float64{mean})
		for i, v := range x {
			want := -math.Pow((v-mean)/0.5, 2)/2 - math.Log(0.5*math.Sqrt(2*math.Pi))
			if math.Abs(logp[i]-want) > 0.3 {
				t.Errorf("ln p(%g | %g) is %.3f, want %.3f", v, mean, logp[i], want)
			}
		}
	}
}

func TestDoesNotAllocate(t *testing.T) {
	c := Config{Dim: 2, ZDim: 3, Hidden: []int{16, 16}, Act: kernel.SiLU, Steps: 3}
	m := newModel[float32](c, 5)
	d, w := NewDensity[float32](m.v, 20), NewTrainer[float32](m.v, 20)
	r := rand.New(rand.NewPCG(5, 1))
	x, logp, z := make([]float32, 40), make([]float32, 20), make([]float32, 6)
	p := Paths[float32]{From: make([]float32, 40), To: make([]float32, 40), At: make([]float32, 20)}
	grads, dz := make([]float32, len(m.params)), make([]float32, 6)
	if n := testing.AllocsPerRun(10, func() {
		d.Sample(x, m.params, z[:3], r)
		d.LogProb(logp, m.params, x, z[:3])
		w.Loss(m.params, grads, dz, z, p)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestValidate(t *testing.T) {
	good := Config{Dim: 2, ZDim: 8, Hidden: []int{64}, Act: kernel.SiLU, Steps: 20}
	if err := good.Table().Check(); err != nil {
		t.Error(err)
	}
	for _, tc := range []struct {
		change func(*Config)
		says   string
	}{
		{func(c *Config) { c.Hidden = nil }, "give 1 to 8 whole numbers"}, {func(c *Config) { c.Hidden = []int{0} }, "from 1 to 1024"},
		{func(c *Config) { c.Sigma = 1 }, `matching.sigma cannot be "1"`}, {func(c *Config) { c.Sigma = math.NaN() }, `matching.sigma cannot be "NaN"`},
		{func(c *Config) { c.Steps = 0 }, `matching.steps cannot be "0"`},
	} {
		c := good
		if tc.change(&c); c.Table().Check() == nil || !strings.Contains(c.Table().Check().Error(), tc.says) {
			t.Errorf("error %v, want one that says %q", c.Table().Check(), tc.says)
		}
	}
}

func BenchmarkLogProb(b *testing.B) {
	c := Config{Dim: 2, ZDim: 8, Hidden: []int{64, 64}, Act: kernel.SiLU, Steps: 20}
	m := newModel[float32](c, 6)
	const n = 1000
	d, x, logp := NewDensity[float32](m.v, n), make([]float32, 2*n), make([]float32, n)
	z := make([]float32, 8)
	for b.Loop() {
		d.LogProb(logp, m.params, x, z)
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "points/s")
}
