package flow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
)

// cases returns small flows that together cover every option of Config.
func cases() []Config {
	one := Default()
	one.ZDim, one.Layers, one.Bins, one.Hidden, one.BaseHidden, one.Act = 2, 2, 5, []int{6, 5}, 4, kernel.Softplus
	two := Config{Dim: 2, ZDim: 3, Layers: 3, Bins: 4, Bound: 3, Hidden: []int{7}, Act: kernel.Tanh, Order: Alternate}
	three := Config{
		Dim: 3, ZDim: 2, Layers: 2, Bins: 3, Bound: 3, Hidden: []int{6, 5}, Act: kernel.SiLU,
		CondBase: true, BaseHidden: 5, Order: Random, OrderSeed: 3,
	}
	residual := two
	residual.Layers, residual.Hidden, residual.Blocks, residual.Act = 2, []int{6}, 2, kernel.SiLU
	round := three
	round.Circles = 0b101
	ring := two
	ring.Circles, ring.CondBase, ring.BaseHidden = 0b11, true, 4
	return []Config{one, two, three, residual, round, ring}
}

// bent returns a flow with one piecewise linear conditioner per layer. The conditioner's linear
// pieces are evaluated one after another if a set has 32 or more samples.
func bent() Config {
	return Config{Dim: 3, ZDim: 3, Layers: 2, Bins: 4, Bound: 3, Hidden: []int{16}, Blocks: 2, Act: kernel.ReLU, Order: Alternate}
}

func name(c Config) string {
	if c.Circles != 0 {
		return fmt.Sprintf("%dD, circles %b", c.Dim, c.Circles)
	}
	if c.bends() {
		return fmt.Sprintf("%dD, pieces", c.Dim)
	}
	if c.Blocks > 0 {
		return fmt.Sprintf("%dD, blocks", c.Dim)
	}
	return fmt.Sprintf("%dD", c.Dim)
}

// model is a flow with random weights, and sets on which to evaluate the flow. The weights are
// far enough from their initial values for every spline to bend.
type model[T tensor.Float] struct {
	*Flow
	layout  tensor.Layout
	params  []T
	z, x    []T
	sets, n int // n is the number of samples per set
}

func newModel[T tensor.Float](c Config, sets, samples int) *model[T] {
	m := &model[T]{sets: sets, n: samples}
	m.Flow = New(c, &m.layout)
	m.params = make([]T, m.layout.Size())
	rng := rand.New(rand.NewPCG(uint64(c.Dim), 9))
	Init(m.params, m.Flow, rng)
	for i := range m.params {
		m.params[i] += T(0.1 * rng.NormFloat64())
	}
	for range sets * c.ZDim {
		m.z = append(m.z, T(rng.NormFloat64()))
	}
	for range sets * samples * c.Dim {
		m.x = append(m.x, T(rng.NormFloat64()))
	}
	circle.WrapPoints(c.Circles, m.x, c.Dim)
	return m
}

// TestGradients compares the gradients of Σ w·log p with respect to every parameter and ẑ with
// central differences in float64. A step of 1e-5 leaves relative errors near 1e-8.
func TestGradients(t *testing.T) {
	for _, c := range cases() {
		t.Run(name(c), func(t *testing.T) {
			const sets, samples = 3, 16
			m := newModel[float64](c, sets, samples)
			ws := NewWorkspace[float64](m.Flow, sets, samples)
			logp, weight := make([]float64, sets*samples), make([]float64, sets*samples)
			for i := range weight {
				weight[i] = math.Sin(float64(i))
			}
			loss := func() float64 {
				LogProb(m.Flow, ws, m.params, logp, m.x, m.z, sets, samples)
				return kernel.Dot(weight, logp)
			}
			loss()
			grads, dz := make([]float64, len(m.params)), make([]float64, len(m.z))
			Backward(m.Flow, ws, m.params, grads, dz, weight, m.z, sets, samples)
			check := func(what string, at, grad []float64) {
				for i := range at {
					const h = 1e-5
					keep := at[i]
					at[i] = keep + h
					up := loss()
					at[i] = keep - h
					down := loss()
					at[i] = keep
					want := (up - down) / (2 * h)
					if !(math.Abs(grad[i]-want) <= 1e-5*(1+math.Abs(want))) {
						t.Errorf("%s %d: gradient %g, by differences %g", what, i, grad[i], want)
					}
					if grad[i] == 0 {
						t.Errorf("%s %d has no gradient", what, i)
					}
				}
			}
			for _, p := range m.layout.Params() {
				check(p.Name, tensor.Of(m.params, p), tensor.Of(grads, p))
			}
			check("ẑ", m.z, dz)
		})
	}
}

// TestGradientsAccumulate runs Backward twice and checks that the gradient doubles.
func TestGradientsAccumulate(t *testing.T) {
	for _, c := range cases() {
		const sets, samples = 2, 8
		m := newModel[float64](c, sets, samples)
		ws := NewWorkspace[float64](m.Flow, sets, samples)
		logp, weight := make([]float64, sets*samples), make([]float64, sets*samples)
		for i := range weight {
			weight[i] = 1
		}
		run := func(grads, dz []float64) {
			LogProb(m.Flow, ws, m.params, logp, m.x, m.z, sets, samples)
			Backward(m.Flow, ws, m.params, grads, dz, weight, m.z, sets, samples)
		}
		once, dzOnce := make([]float64, len(m.params)), make([]float64, len(m.z))
		twice, dzTwice := make([]float64, len(m.params)), make([]float64, len(m.z))
		run(once, dzOnce)
		run(twice, dzTwice)
		run(twice, dzTwice)
		for _, pair := range [][2][]float64{{once, twice}, {dzOnce, dzTwice}} {
			for i, g := range pair[0] {
				if got := pair[1][i]; !(math.Abs(got-2*g) <= 1e-12*(1+math.Abs(g))) {
					t.Fatalf("%s: element %d is %g after two passes, %g after one", name(c), i, got, g)
				}
			}
		}
	}
}

// TestDensityIntegratesToOne sums p over a grid. The second derivatives of the splines jump at
// the knots, which leaves an error of the order of the grid spacing squared.
func TestDensityIntegratesToOne(t *testing.T) {
	for _, tc := range []struct {
		c         Config
		side      int
		tolerance float64
	}{{cases()[0], 5000, 1e-5}, {cases()[1], 250, 2e-3}, {cases()[5], 250, 1e-4}} {
		t.Run(name(tc.c), func(t *testing.T) {
			const sets = 2
			d := tc.c.Dim
			points := int(math.Pow(float64(tc.side), float64(d)))
			m := newModel[float64](tc.c, sets, points)
			reach := 12.0
			if tc.c.Circles != 0 {
				reach = 1 // both coordinates of this case lie on circles
			}
			h := 2 * reach / float64(tc.side)
			for i := range sets * points {
				for j, rest := 0, i%points; j < d; j++ {
					m.x[i*d+j] = -reach + h*(float64(rest%tc.side)+0.5)
					rest /= tc.side
				}
			}
			logp := make([]float64, sets*points)
			LogProb(m.Flow, NewWorkspace[float64](m.Flow, sets, points), m.params, logp, m.x, m.z, sets, points)
			for b := range sets {
				sum := 0.0
				for _, v := range logp[b*points : (b+1)*points] {
					sum += math.Exp(v) * math.Pow(h, float64(d))
				}
				if !(math.Abs(sum-1) <= tc.tolerance) {
					t.Errorf("set %d: integral %.8f, want 1 to %g", b, sum, tc.tolerance)
				}
			}
		})
	}
}

// TestSamples draws from a flow and checks that the mean of a function over samples equals its
// integral under the density. The function is p itself; the integral is a sum over a grid.
func TestSamples(t *testing.T) {
	for _, c := range []Config{cases()[0], cases()[1], cases()[5]} {
		t.Run(name(c), func(t *testing.T) {
			const n, side = 20_000, 200
			reach := 8.0
			if c.Circles != 0 {
				reach = 1
			}
			d := c.Dim
			points := int(math.Pow(side, float64(d)))
			m := newModel[float64](c, 1, max(n, points))
			ws := NewWorkspace[float64](m.Flow, 1, max(n, points))
			logp := make([]float64, max(n, points))
			for i := range points {
				for j, rest := 0, i; j < d; j++ {
					m.x[i*d+j] = -reach + 2*reach/side*(float64(rest%side)+0.5)
					rest /= side
				}
			}
			LogProb(m.Flow, ws, m.params, logp, m.x[:points*d], m.z, 1, points)
			want := 0.0
			for _, v := range logp[:points] {
				want += math.Exp(2*v) * math.Pow(2*reach/side, float64(d))
			}
			Sample(m.Flow, ws, m.params, m.x[:n*d], m.z, 1, n, rand.New(rand.NewPCG(1, 1)))
			LogProb(m.Flow, ws, m.params, logp, m.x[:n*d], m.z, 1, n)
			mean, square := 0.0, 0.0
			for _, v := range logp[:n] {
				mean += math.Exp(v) / n
				square += math.Exp(2*v) / n
			}
			if tolerance := 6*math.Sqrt((square-mean*mean)/n) + 2e-3*want; !(math.Abs(mean-want) <= tolerance) {
				t.Errorf("mean density of samples %g, want %g to %g", mean, want, tolerance)
			}
		})
	}
}

// TestNoSeam compares densities on both sides of the end of a circle's interval.
func TestNoSeam(t *testing.T) {
	for _, c := range cases()[4:] {
		t.Run(name(c), func(t *testing.T) {
			const h = 1e-9
			m := newModel[float64](c, 1, 2)
			for k := range c.Dim {
				if !c.Circles.Has(k) {
					continue
				}
				copy(m.x[c.Dim:], m.x[:c.Dim])
				m.x[k], m.x[c.Dim+k] = -1+h, 1-h
				logp := make([]float64, 2)
				LogProb(m.Flow, NewWorkspace[float64](m.Flow, 1, 2), m.params, logp, m.x, m.z, 1, 2)
				if math.Abs(logp[0]-logp[1]) > 1e-6 {
					t.Errorf("coordinate %d: log-densities %g and %g at the two ends", k, logp[0], logp[1])
				}
			}
		})
	}
}

// TestInverse maps samples back to the base: the transform in LogProb must give the deviates
// that Sample has drawn.
func TestInverse(t *testing.T) {
	for _, c := range cases() {
		t.Run(name(c), func(t *testing.T) {
			const sets, samples = 3, 50
			m := newModel[float64](c, sets, samples)
			ws := NewWorkspace[float64](m.Flow, sets, samples)
			Sample(m.Flow, ws, m.params, m.x, m.z, sets, samples, rand.New(rand.NewPCG(5, 6)))
			LogProb(m.Flow, ws, m.params, make([]float64, sets*samples), m.x, m.z, sets, samples)
			rng := rand.New(rand.NewPCG(5, 6))
			for r := range sets * samples {
				for i, y := range ws.x {
					if c.Circles.Has(i) {
						want := circle.Round * (rng.Float64() - 0.5)
						if math.Abs(circle.Wrap(y[r]-want)) > 1e-9 {
							t.Fatalf("sample %d, coordinate %d: %g on the circle, drawn was %g", r, i, y[r], want)
						}
						continue
					}
					at := r/samples*ws.base.open + ws.base.place(i)
					want := rng.NormFloat64()
					if got := (y[r] - ws.base.mu[at]) * ws.base.invSigma[at]; !(math.Abs(got-want) <= 1e-9) {
						t.Fatalf("sample %d, coordinate %d: base deviate %g, drawn was %g", r, i, got, want)
					}
				}
			}
		})
	}
}

// TestConditioning checks that a set's log-density depends only on its own ẑ.
func TestConditioning(t *testing.T) {
	for _, c := range cases() {
		t.Run(name(c), func(t *testing.T) {
			const sets, samples = 3, 20
			m := newModel[float64](c, sets, samples)
			ws := NewWorkspace[float64](m.Flow, sets, samples)
			before, after := make([]float64, sets*samples), make([]float64, sets*samples)
			LogProb(m.Flow, ws, m.params, before, m.x, m.z, sets, samples)
			for i := range c.ZDim {
				m.z[c.ZDim+i] += 0.7
			}
			LogProb(m.Flow, ws, m.params, after, m.x, m.z, sets, samples)
			for i := range before {
				if mine := i/samples == 1; mine == (before[i] == after[i]) {
					t.Fatalf("sample %d of set %d: log-density %g, then %g", i%samples, i/samples, before[i], after[i])
				}
			}
			// A set evaluated alone has the same result as together with other sets.
			alone := make([]float64, samples)
			LogProb(m.Flow, ws, m.params, alone, m.x[2*samples*c.Dim:], m.z[2*c.ZDim:], 1, samples)
			for i, v := range alone {
				if !(math.Abs(v-after[2*samples+i]) <= 1e-12) {
					t.Fatalf("sample %d alone has log-density %g, among others %g", i, v, after[2*samples+i])
				}
			}
		})
	}
}

// TestInitialFlow checks that the untrained flow is near N(0, I), and uniform on circles, because the initial weights
// of its output layers are a hundredth of the usual size.
func TestInitialFlow(t *testing.T) {
	for _, c := range append(cases(), Default()) {
		const sets, samples = 2, 50
		m := newModel[float64](c, sets, samples)
		Init(m.params, m.Flow, rand.New(rand.NewPCG(1, 2)))
		logp := make([]float64, sets*samples)
		LogProb(m.Flow, NewWorkspace[float64](m.Flow, sets, samples), m.params, logp, m.x, m.z, sets, samples)
		for r, got := range logp {
			want := 0.0
			for k, v := range m.x[r*c.Dim : (r+1)*c.Dim] {
				if c.Circles.Has(k) {
					want -= math.Log(circle.Round)
					continue
				}
				want -= 0.5 * (v*v + math.Log(2*math.Pi))
			}
			if !(math.Abs(got-want) <= 0.3) {
				t.Errorf("%s: log-density %g, that of the base is %g", name(c), got, want)
			}
		}
	}
}

// TestInitInput checks that the first layer of a conditioner is drawn as if its two inputs, ẑ and
// the preceding coordinates, were a single input.
func TestInitInput(t *testing.T) {
	c := Config{Dim: 3, ZDim: 2, Layers: 1, Bins: 3, Bound: 3, Hidden: []int{400}, Act: kernel.ReLU, Order: Alternate}
	var layout tensor.Layout
	f := New(c, &layout)
	params := make([]float64, layout.Size())
	Init(params, f, rand.New(rand.NewPCG(1, 2)))
	for i, to := range f.layers[0].rest {
		bound := 1 / math.Sqrt(float64(c.ZDim+i+1))
		for _, p := range []tensor.Param{to.z.W, to.z.B, to.x} {
			w := tensor.Of(params, p)
			if low, high := slices.Min(w), slices.Max(w); low < -bound || low > -0.9*bound || high > bound || high < 0.9*bound {
				t.Errorf("%s lies in [%g, %g], want nearly all of ±%g", p.Name, low, high, bound)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	c := Config{Dim: 8, Order: Alternate}
	for i, want := range [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0}, {0, 1, 2, 3, 4, 5, 6, 7}} {
		if got := c.order(i); !slices.Equal(got, want) {
			t.Errorf("alternate, layer %d: order %v, want %v", i, got, want)
		}
	}
	// A checkpoint contains only the seed, so the permutations must never change.
	c.Order, c.OrderSeed = Random, 5
	for i, want := range [][]int{{6, 5, 4, 1, 0, 2, 7, 3}, {2, 0, 5, 1, 6, 4, 7, 3}} {
		if got := c.order(i); !slices.Equal(got, want) {
			t.Errorf("random, layer %d: order %v, want %v", i, got, want)
		}
	}
}

func TestTooMuchForAWorkspace(t *testing.T) {
	c := cases()[0]
	m := newModel[float64](c, 3, 2)
	for _, n := range [][2]int{{3, 1}, {1, 5}} { // sets, and samples per set; there is memory for 2 sets and 4 samples in total
		func() {
			defer func() {
				if _, ok := recover().(string); !ok {
					t.Errorf("%d sets of %d samples in a workspace for 2 of 2: no panic that says so", n[0], n[1])
				}
			}()
			LogProb(m.Flow, NewWorkspace[float64](m.Flow, 2, 2), m.params, make([]float64, 6), m.x, m.z, n[0], n[1])
		}()
	}
}

// TestBaseIsClamped moves log σ past both bounds. The density and the gradient must stop
// changing there.
func TestBaseIsClamped(t *testing.T) {
	c := cases()[0]
	for _, bias := range []float64{40, -40} {
		m := newModel[float64](c, 1, 1)
		out := m.base.Layers[1]
		tensor.Of(m.params, out.B)[1] = bias
		ws := NewWorkspace[float64](m.Flow, 1, 1)
		logp := make([]float64, 1)
		LogProb(m.Flow, ws, m.params, logp, m.x, m.z, 1, 1)
		if got, want := ws.base.logSigma[0], math.Copysign(5, bias); got != want {
			t.Errorf("bias %g: log σ is %g, want %g", bias, got, want)
		}
		grads, dz := make([]float64, len(m.params)), make([]float64, c.ZDim)
		Backward(m.Flow, ws, m.params, grads, dz, []float64{1}, m.z, 1, 1)
		if g := tensor.Of(grads, out.B); g[1] != 0 || g[0] == 0 {
			t.Errorf("bias %g: gradients of μ and log σ are %v", bias, g)
		}
	}
}

// TestFloat32 computes log-densities and gradients in float32 and in float64, and compares the
// results. Errors are relative to the largest value.
func TestFloat32(t *testing.T) {
	demo := Default()
	plane := Config{Dim: 2, ZDim: 8, Layers: 4, Bins: 16, Bound: 5, Hidden: []int{64, 64}, Act: kernel.SiLU, Order: Alternate}
	for _, c := range append(cases(), demo, plane, bent()) {
		t.Run(name(c), func(t *testing.T) {
			const sets, samples = 4, 64
			wide := newModel[float64](c, sets, samples)
			// For wide networks, weights from Init are closer to trained weights than weights from
			// newModel are.
			if c.Hidden[0] == 64 {
				Init(wide.params, wide.Flow, rand.New(rand.NewPCG(1, 2)))
				rng := rand.New(rand.NewPCG(3, 4))
				for i := range wide.params {
					wide.params[i] += 0.05 * rng.NormFloat64()
				}
			}
			for _, v := range [][]float64{wide.params, wide.x, wide.z} { // rounded to float32
				for i := range v {
					v[i] = float64(float32(v[i]))
				}
			}
			logp, grads, dz := evaluate(wide.Flow, wide.params, wide.x, wide.z, sets, samples)
			logp32, grads32, dz32 := evaluate(wide.Flow, narrow(wide.params), narrow(wide.x), narrow(wide.z), sets, samples)
			compare(t, "log-density", logp32, logp)
			compare(t, "gradient", grads32, grads)
			compare(t, "gradient of ẑ", dz32, dz)
		})
	}
}

func evaluate[T tensor.Float](f *Flow, params, x, z []T, sets, samples int) (logp, grads, dz []T) {
	ws := NewWorkspace[T](f, sets, samples)
	logp, grads, dz = make([]T, sets*samples), make([]T, len(params)), make([]T, len(z))
	LogProb(f, ws, params, logp, x, z, sets, samples)
	weight := make([]T, sets*samples)
	for i := range weight {
		weight[i] = 1
	}
	Backward(f, ws, params, grads, dz, weight, z, sets, samples)
	return logp, grads, dz
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func compare(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	worst, at, scale := 0.0, 0, 0.0
	for i, w := range want {
		scale = max(scale, math.Abs(w))
		if d := math.Abs(float64(got[i]) - w); !(d <= worst) {
			worst, at = d, i
		}
	}
	if !(worst <= 1e-4*scale) {
		t.Errorf("%s %d: float32 gives %g, float64 %g, the largest is %g", what, at, got[at], want[at], scale)
	}
}

// TestFewSamplesLikeMany checks that one call with many samples gives the same densities and
// gradients as several calls with few samples each. Only the call with many samples uses the linear
// pieces of a conditioner.
func TestFewSamplesLikeMany(t *testing.T) {
	const parts, few = 3, 31
	m := newModel[float64](bent(), 1, parts*few)
	if c := &m.layers[0].rest[0]; !c.lined(parts*few) || c.lined(few) {
		t.Fatalf("not %d samples are enough for pieces, or %d are", parts*few, few)
	}
	run := func(size int) (logp, grads, dz []float64) {
		ws := NewWorkspace[float64](m.Flow, 1, size)
		logp, grads, dz = make([]float64, parts*few), make([]float64, len(m.params)), make([]float64, len(m.z))
		weight := make([]float64, parts*few)
		for i := range weight {
			weight[i] = math.Sin(float64(i))
		}
		for from := 0; from < len(logp); from += size {
			LogProb(m.Flow, ws, m.params, logp[from:from+size], m.x[3*from:3*(from+size)], m.z, 1, size)
			Backward(m.Flow, ws, m.params, grads, dz, weight[from:from+size], m.z, 1, size)
		}
		return logp, grads, dz
	}
	logp, grads, dz := run(parts * few)
	wantLogp, wantGrads, wantZ := run(few)
	for i, pair := range [][2][]float64{{logp, wantLogp}, {grads, wantGrads}, {dz, wantZ}} {
		for j, want := range pair[1] {
			if got := pair[0][j]; !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
				t.Errorf("%s %d is %g, want %g", [...]string{"log-density", "gradient", "gradient of ẑ"}[i], j, got, want)
			}
		}
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	for _, c := range append(cases(), Default(), bent()) {
		const sets, samples = 5, 33
		m := newModel[float32](c, sets, samples)
		ws := NewWorkspace[float32](m.Flow, sets, samples)
		logp, grads, dz := make([]float32, sets*samples), make([]float32, len(m.params)), make([]float32, len(m.z))
		rng := rand.New(rand.NewPCG(1, 1))
		step := func() {
			LogProb(m.Flow, ws, m.params, logp, m.x, m.z, sets, samples)
			Backward(m.Flow, ws, m.params, grads, dz, logp, m.z, sets, samples)
			Sample(m.Flow, ws, m.params, m.x, m.z, sets, samples, rng)
		}
		step() // lets the Scratch grow to its final size
		if n := testing.AllocsPerRun(5, step); n != 0 {
			t.Errorf("%s: %v allocations a step", name(c), n)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		change func(*Config)
		want   string // the error must contain this; empty: no error
	}{
		{func(c *Config) {}, ""},
		{func(c *Config) { c.Dim, c.CondBase, c.Order = 3, false, Random }, ""},
		{func(c *Config) { c.Dim = 0 }, `dim cannot be "0": give a whole number from 1 to 16`},
		{func(c *Config) { c.ZDim = 0 }, `zdim cannot be "0"`},
		{func(c *Config) { c.Layers = 1000 }, `flow.layers cannot be "1000": give a whole number from 1 to 64`},
		{func(c *Config) { c.Bins = 1 }, `flow.bins cannot be "1"`},
		{func(c *Config) { c.Bound = math.Inf(1) }, `flow.bound cannot be "+Inf"`},
		{func(c *Config) { c.Hidden = nil }, "give 1 to 16 whole numbers"},
		{func(c *Config) { c.Hidden = []int{64, 0} }, "whole numbers from 1 to 4096"},
		{func(c *Config) { c.BaseHidden = -1 }, `flow.basehidden cannot be "-1"`},
		{func(c *Config) { c.Act = 200 }, "activation"},
		{func(c *Config) { c.Order = "sideways" }, `"sideways": give one of alternate, random`},
	} {
		c := Default()
		tc.change(&c)
		got := ""
		if err := c.Validate(); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tc.want) || (tc.want == "") != (got == "") {
			t.Errorf("got error %q, want %q", got, tc.want)
		}
	}
	for _, c := range cases() {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// An untrained flow is nearly the standard normal density; its logarithm at 0 is
// -0.92.
func ExampleLogProb() {
	var layout tensor.Layout
	f := New(Default(), &layout)
	params := make([]float64, layout.Size())
	Init(params, f, rand.New(rand.NewPCG(1, 2)))
	logp, z := make([]float64, 2), make([]float64, 8)
	LogProb(f, NewWorkspace[float64](f, 1, 2), params, logp, []float64{0, 1}, z, 1, 2)
	fmt.Printf("%.1f\n", logp)
	// Output: [-0.9 -1.4]
}

// BenchmarkStep times log-densities and gradients of 64 sets of 64 samples.
func BenchmarkStep(b *testing.B) {
	demo := Default()
	plane := Config{Dim: 2, ZDim: 8, Layers: 4, Bins: 16, Bound: 5, Hidden: []int{64, 64}, Act: kernel.ReLU, Order: Alternate}
	for _, tc := range []struct {
		name string
		c    Config
	}{{"demo", demo}, {"plane", plane}} {
		b.Run(tc.name, func(b *testing.B) {
			const sets, samples = 64, 64
			m := newModel[float32](tc.c, sets, samples)
			Init(m.params, m.Flow, rand.New(rand.NewPCG(1, 2)))
			ws := NewWorkspace[float32](m.Flow, sets, samples)
			logp, grads, dz := make([]float32, sets*samples), make([]float32, len(m.params)), make([]float32, len(m.z))
			weight := make([]float32, sets*samples)
			for b.Loop() {
				LogProb(m.Flow, ws, m.params, logp, m.x, m.z, sets, samples)
				Backward(m.Flow, ws, m.params, grads, dz, weight, m.z, sets, samples)
			}
			b.ReportMetric(float64(b.N*sets)/b.Elapsed().Seconds(), "sets/s")
		})
	}
}
