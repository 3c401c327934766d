package target

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestFloat32Positions compares log-densities of the same particles in float32 and float64.
// Rounding changes distances by at most 6e-8 along each axis, which is far less than ε.
func TestFloat32Positions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for _, d := range []int{1, 2, 3} {
		x, particles := make([]float32, 20*d), make([]float32, 30*d)
		x64, particles64 := make([]float64, len(x)), make([]float64, len(particles))
		for i := range x {
			x64[i] = rng.Float64()
			x[i] = float32(x64[i])
		}
		for i := range particles {
			particles64[i] = rng.Float64()
			particles[i] = float32(particles64[i])
		}
		got, want := make([]float32, 20), make([]float64, 20)
		LogDensity(got, x, particles, d, 0.02)
		LogDensity(want, x64, particles64, d, 0.02)
		for i, w := range want {
			if g := float64(got[i]); !(math.Abs(g-w) <= 1e-4*max(1, math.Abs(w))) {
				t.Errorf("%d dimensions: log-density %d: got %.9g, want %.9g", d, i, g, w)
			}
		}
	}
}

// TestImages compares the density in a box that repeats along y with the sum over images, which are written out as
// particles, for a narrow and a wide kernel.
func TestImages(t *testing.T) {
	const period = 2.0
	particles, x := []float64{0.1, 0.9, -0.3, -0.95}, []float64{0, -0.99, 0.4, 0.3, -2, 7.1}
	for _, eps := range []float64{0.05, 0.6, 3} {
		var all []float64
		for i := 0; i < len(particles); i += 2 {
			for k := -40; k <= 40; k++ {
				all = append(all, particles[i], particles[i+1]+float64(k)*period)
			}
		}
		got, want := make([]float64, 3), make([]float64, 3)
		LogDensityIn(got, x, particles, 2, eps, []float64{0, period})
		LogDensity(want, x, all, 2, eps)
		for i := range want {
			if w := want[i] + math.Log(81); math.Abs(got[i]-w) > 1e-9*math.Abs(w) {
				t.Errorf("ε = %g, point %d: %g, want %g", eps, i, got[i], w)
			}
		}
	}
}

// TestFarAway computes densities far from all particles: all exponentials underflow, and at one
// position the logarithm also overflows.
func TestFarAway(t *testing.T) {
	particles := []float64{0, 1}
	for _, tc := range []struct{ x, eps float64 }{{50, 0.1}, {-3, 1e-4}, {1 + 1e-3, 1e-8}} {
		nearest := min(math.Abs(tc.x), math.Abs(tc.x-1)) / tc.eps
		want := -0.5*nearest*nearest - math.Log(2*tc.eps*math.Sqrt(2*math.Pi))
		var got [1]float64
		LogDensity(got[:], []float64{tc.x}, particles, 1, tc.eps)
		if !(math.Abs(got[0]/want-1) <= 1e-12) {
			t.Errorf("x = %g, ε = %g: got %g, want %g", tc.x, tc.eps, got[0], want)
		}
	}
	var got [1]float32
	LogDensity(got[:], []float64{1e13}, particles, 1, 1e-8)
	if !math.IsInf(float64(got[0]), -1) {
		t.Errorf("beyond all float32 exponents: got %g, want -Inf", got[0])
	}
}

// TestIntegral sums the density over a grid of spacing ε/4, at which the
// trapezoidal rule is exact to 1e-16 for a Gaussian.
func TestIntegral(t *testing.T) {
	const eps = 0.3
	for _, tc := range []struct {
		d, side int
	}{{1, 200}, {2, 100}, {3, 48}} {
		rng := rand.New(rand.NewPCG(1, uint64(tc.d)))
		particles := make([]float64, 5*tc.d)
		for i := range particles {
			particles[i] = 0.1 * rng.NormFloat64()
		}
		h := eps / 4
		if tc.d == 3 {
			h = eps / 2 // still exact to 1e-15, with an eighth of the points
		}
		points := int(math.Pow(float64(tc.side), float64(tc.d)))
		x, q := make([]float64, points*tc.d), make([]float64, points)
		for i := range points {
			for j, rest := 0, i; j < tc.d; j++ {
				x[i*tc.d+j] = h * (float64(rest%tc.side) - float64(tc.side-1)/2)
				rest /= tc.side
			}
		}
		Density(q, x, particles, tc.d, eps)
		sum := 0.0
		for _, v := range q {
			sum += v
		}
		if got := sum * math.Pow(h, float64(tc.d)); !(math.Abs(got-1) <= 1e-9) {
			t.Errorf("dimension %d: integral %.12g, want 1", tc.d, got)
		}
	}
}

// TestCells checks that the cells contain the mass within [lo, hi]. Cells much finer than ε
// must equal the density at their centres.
func TestCells(t *testing.T) {
	particles := []float64{-0.5, 0.25, 0.3, 4}
	for _, tc := range []struct {
		eps  float64
		n    int
		mass float64
	}{
		{1e-8, 300, 0.75}, {0.01, 7, 0.75}, {0.1, 400, 0.75}, {2, 50, 0},
	} {
		cells := make([]float64, tc.n)
		Cells(cells, particles, tc.eps, -2, 2)
		mass, want := 0.0, 0.0
		for _, v := range cells {
			mass += v * 4 / float64(tc.n)
		}
		for _, p := range particles {
			want += 0.125 * (math.Erf((2-p)/(tc.eps*math.Sqrt2)) - math.Erf((-2-p)/(tc.eps*math.Sqrt2)))
		}
		if math.Abs(mass-want) > 1e-12 || tc.mass != 0 && math.Abs(mass-tc.mass) > 1e-12 {
			t.Errorf("ε = %g, %d cells: mass %.15g, want %.15g", tc.eps, tc.n, mass, want)
		}
	}
	const n = 4000
	cells, centres, q := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range centres {
		centres[i] = -2 + 4*(float64(i)+0.5)/n
	}
	Cells(cells, particles, 0.1, -2, 2)
	Density(q, centres, particles, 1, 0.1)
	for i := range q { // the mean of a cell differs from the density at its centre by h²q''/24, here 4e-6 of q
		if !(math.Abs(cells[i]-q[i]) <= 2e-5) {
			t.Fatalf("cell %d: mean %g, density at its centre %g", i, cells[i], q[i])
		}
	}
}

// TestSampleMoments compares mean and covariance of 200 000 draws with the moments of q_X, within
// six standard errors. By chance, the test fails once in 10⁸ times.
func TestSampleMoments(t *testing.T) {
	const n, eps = 200_000, 0.5
	particles := []float64{-1, 0, 2, 1, 0, 3}
	x := make([]float64, 2*n)
	Sample(x, particles, 2, eps, rand.New(rand.NewPCG(1, 2)))
	moments := func(x []float64) (m [5]float64) {
		for i := 0; i < len(x); i += 2 {
			a, b := x[i], x[i+1]
			for j, v := range [...]float64{a, b, a * a, b * b, a * b} {
				m[j] += v / float64(len(x)/2)
			}
		}
		return m
	}
	got, want := moments(x), moments(particles)
	want[2] += eps * eps
	want[3] += eps * eps
	for j := range want {
		if tolerance := 6 * 4.5 / math.Sqrt(n); math.Abs(got[j]-want[j]) > tolerance { // of the five, y² has the largest standard deviation, 4.5
			t.Errorf("moment %d: got %g, want %g to %g", j, got[j], want[j], tolerance)
		}
	}
}

// TestSampleStratified checks that means over many stratified samples match q_X, and that the
// mean of one stratified sample varies less than the mean of independent draws.
func TestSampleStratified(t *testing.T) {
	particles := []float64{-2, -1.9, -1, 0.5, 0.6, 2, 2.5}
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float64, 3) // fewer samples than particles, and 3 does not divide 7
	const rounds, eps = 40_000, 0.1
	var want, second float64
	for _, p := range particles {
		want += p / float64(len(particles))
		second += p * p / float64(len(particles))
	}
	variance := second - want*want + eps*eps
	var mean, spread float64
	for range rounds {
		SampleStratified(x, particles, 1, eps, rng)
		m := (x[0] + x[1] + x[2]) / 3
		mean += m / rounds
		spread += (m - want) * (m - want) / rounds
	}
	if tolerance := 5 * math.Sqrt(variance/3/rounds); !(math.Abs(mean-want) <= tolerance) {
		t.Errorf("mean %g, want %g to %g", mean, want, tolerance)
	}
	if free := variance / 3; spread > free/4 {
		t.Errorf("the mean of a sample has variance %g, free draws have %g", spread, free)
	}
}

func TestNothingAllocates(t *testing.T) {
	particles, x, q := make([]float32, 200), make([]float32, 64), make([]float32, 64)
	rng := rand.New(rand.NewPCG(1, 2))
	step := func() {
		Sample(x, particles, 1, 0.1, rng)
		Density(q, x, particles, 1, 0.1)
		Cells(q, particles, 0.1, -1, 1)
	}
	step()
	if n := testing.AllocsPerRun(5, step); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// TestSamplesOfANarrowTarget draws float64 samples from float32 particles at ε = 1e-8. The
// particles are far apart, so only one Gaussian contributes to q_X at a sample. The mean of
// log q_X is therefore -log(m·ε·√(2π)) - ½.
func TestSamplesOfANarrowTarget(t *testing.T) {
	const m, n, eps = 10, 20_000, 1e-8
	particles, x, q := make([]float32, m), make([]float64, n), make([]float32, n)
	for i := range particles {
		particles[i] = float32(i) / 3
	}
	Sample(x, particles, 1, eps, rand.New(rand.NewPCG(3, 4)))
	LogDensity(q, x, particles, 1, eps)
	mean := 0.0
	for _, v := range q {
		mean += float64(v) / n
	}
	// log q is a constant minus half a chi-squared variable. The variance of log q is therefore ½.
	// The tolerance is six standard errors of the mean.
	if want, tolerance := -math.Log(m*eps*math.Sqrt(2*math.Pi))-0.5, 6*0.71/math.Sqrt(n); !(math.Abs(mean-want) <= tolerance) {
		t.Errorf("mean log-density %g, want %g to %g", mean, want, tolerance)
	}
}

// The density of one particle, at its position and one standard deviation away.
func ExampleDensity() {
	q := make([]float64, 2)
	Density(q, []float64{3, 3.5}, []float64{3}, 1, 0.5)
	fmt.Printf("%.4f\n", q)
	// Output: [0.7979 0.4839]
}

func BenchmarkLogDensity(b *testing.B) {
	particles, x, q := make([]float32, 200), make([]float32, 512), make([]float32, 512)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range particles {
		particles[i] = float32(rng.NormFloat64())
	}
	Sample(x, particles, 1, 0.1, rng)
	for b.Loop() {
		LogDensity(q, x, particles, 1, 0.1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)*len(particles)), "ns/pair")
}

func BenchmarkSample(b *testing.B) {
	particles, x := make([]float32, 200), make([]float32, 4096)
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		Sample(x, particles, 1, 0.1, rng)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/sample")
}

// most is a random source that always returns the largest Float64 below 1.
type most struct{}

func (most) Uint64() uint64 { return math.MaxUint64 }

// TestSampleStratifiedStaysInTheSet draws with the largest random number below 1, for which the
// position in the set rounds up to the end of the set.
func TestSampleStratifiedStaysInTheSet(t *testing.T) {
	x := make([]float64, 4)
	SampleStratified(x, []float64{1, 2, 3}, 1, 1e-8, rand.New(most{}))
	if !(math.Abs(x[3]-3) <= 1e-6) {
		t.Errorf("the last value is %g, want the last particle, 3", x[3])
	}
}
