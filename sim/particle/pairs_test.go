package particle

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// definition evaluates refPairs in float64 at float32 positions. It returns the velocities times N,
// and the energy E.
func definition(a, b float64, x, y []float32) (vx, vy []float64, energy float64) {
	wide := func(s []float32) []float64 {
		w := make([]float64, len(s))
		for i, v := range s {
			w[i] = float64(v)
		}
		return w
	}
	vx, vy = make([]float64, len(x)), make([]float64, len(x))
	return vx, vy, refPairs(law{a: a, b: b}, wide(x), wide(y), vx, vy)
}

// scatter fills a pass with positions of the given spread.
func scatter(p *pass, spread float64, r *rand.Rand) {
	for i := range p.n {
		p.x[i] = float32(spread * r.NormFloat64())
		p.y[i] = float32(spread * r.NormFloat64())
	}
}

// checkPass compares a pass with the definition, within two tolerances. The force of a pair is at
// most 1+|b|. Rounding and summation in float32 cause an error of at most 1e-6 times this bound.
//
// The energy of a pair has terms of the sizes |1-r|, |log ½(1+e^{-2a|1-r|})|/a and |b(1-r)|.
// Rounding and softening cause an error of at most 2e-6 of the sum of all sizes. The vectors also
// compute up to 15 padding pairs at distance zero in each row of the last block. The energy of the
// padding is subtracted again, with an error of 2e-8 of this energy.
func checkPass(t *testing.T, im impl, p *pass, a, b float64) {
	t.Helper()
	n := p.n
	clear(p.vx)
	clear(p.vy)
	got := must(im.pairs(context.Background(), p))
	wantX, wantY, want := definition(a, b, p.x[:n], p.y[:n])
	tol := 1e-6 * (1 + math.Abs(b)) * float64(n)
	for i := range n {
		if math.Abs(float64(p.vx[i])-wantX[i]) > tol || math.Abs(float64(p.vy[i])-wantY[i]) > tol {
			t.Fatalf("a=%g b=%g n=%d: N v[%d] = (%g, %g), want (%g, %g), tolerance %g",
				a, b, n, i, p.vx[i], p.vy[i], wantX[i], wantY[i], tol)
		}
	}
	var size float64
	for i := range n {
		for j := range i {
			r := math.Hypot(float64(p.x[i]-p.x[j]), float64(p.y[i]-p.y[j]))
			gap := math.Abs(1 - r)
			size += gap*(1+math.Abs(b)) + math.Abs(refEnergy(a, 0, r)-gap)
		}
	}
	if tol := 2e-6*size + 3e-7*float64(min(n, maxWidth))*(1+math.Abs(b)+1/a); math.Abs(got-want) > tol {
		t.Fatalf("a=%g b=%g n=%d: E = %.9g, want %.9g, tolerance %.2g", a, b, n, got, want, tol)
	}
}

func TestPairsAgainstDefinition(t *testing.T) {
	sizes := []int{100, 300, 529, 1031}
	for n := 1; n <= 67; n++ {
		sizes = append(sizes, n)
	}
	for _, im := range implementations() {
		t.Run(im.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for _, n := range sizes {
				p := newPass(4, 0.1, n)
				scatter(p, 0.5, r)
				checkPass(t, im, p, 4, 0.1)
			}
		})
	}
}

func TestPairsForOtherForces(t *testing.T) {
	for _, im := range implementations() {
		t.Run(im.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			for _, c := range []struct{ a, b, spread float64 }{
				{6, 0.5, 0.5}, {4, 0, 0.5}, {5, 0.2, 1}, {10, 0.1, 0.1},
				{0.1, 0, 1}, {0.5, -3, 0.3}, {50, 0.3, 3}, {1000, 100, 2},
				{4, 0.1, 100}, {1000, 0, 3000},
			} {
				for _, n := range []int{2, 5, 23, 70} {
					p := newPass(c.a, c.b, n)
					scatter(p, c.spread, r)
					// The definition uses a and b after rounding to float32.
					checkPass(t, im, p, float64(p.a), float64(p.b))
				}
			}
		})
	}
}

// TestLaw measures the errors of tanh and log cosh for two particles at distances r from far below
// to far above 1. The argument of tanh has an error of 1.2e-7·a·r, because r is rounded twice.
func TestLaw(t *testing.T) {
	for _, im := range implementations() {
		t.Run(im.name, func(t *testing.T) {
			for _, a := range []float64{0.25, 4, 32} {
				var worstF, worstE float64
				p := newPass(a, 0, 2)
				for r := 1e-7; r < 50; r *= 1.01 {
					clear(p.vx)
					clear(p.vy)
					p.x[0], p.y[0], p.x[1], p.y[1] = 0, 0, float32(0.6*r), float32(-0.8*r)
					energy := must(im.pairs(context.Background(), p))
					wantX, wantY, wantE := definition(a, 0, p.x[:2], p.y[:2])
					scale := 1 + a*min(r, 1)
					worstF = max(worstF, math.Hypot(float64(p.vx[0])-wantX[0], float64(p.vy[0])-wantY[0])/scale)
					worstE = max(worstE, math.Abs(energy-wantE)/max(1, r))
				}
				t.Logf("a=%g: F within %.2g·(1+a), E within %.2g", a, worstF, worstE)
				if worstF > 4e-7 {
					t.Errorf("a=%g: F is off by %.3g·(1+a), tolerance 4e-7", a, worstF)
				}
				// Softening changes the energy of coincident particles by 1e-6. The rest of the
				// tolerance is for about 30 padding pairs in the same tile as the only real
				// pair.
				if tol := 1.3e-6 + 1.2e-6/a; worstE > tol {
					t.Errorf("a=%g: E is off by %.3g, tolerance %.2g", a, worstE, tol)
				}
			}
		})
	}
}

func TestCoincidentParticles(t *testing.T) {
	for _, im := range implementations() {
		t.Run(im.name, func(t *testing.T) {
			for _, n := range []int{2, 9, 33, 40} {
				p := newPass(4, 0.1, n)
				scatter(p, 0.5, rand.New(rand.NewPCG(5, uint64(n))))
				p.x[n-1], p.y[n-1] = p.x[0], p.y[0]
				checkPass(t, im, p, 4, 0.1)
				for i := range n {
					p.x[i], p.y[i] = 0.3, -0.7
				}
				checkPass(t, im, p, 4, 0.1)
				for i := range n {
					if p.vx[i] != 0 || p.vy[i] != 0 {
						t.Fatalf("n=%d, all in one place: N v[%d] = (%g, %g), want 0", n, i, p.vx[i], p.vy[i])
					}
				}
			}
		})
	}
}

// TestVelocityIsGradient compares v with -∇E/N, computed by central differences of the definition.
// The error of the differences is at most 5e-10.
func TestVelocityIsGradient(t *testing.T) {
	const a, b, h = 4, 0.1, 1e-5
	x := []float64{0, 0.3, -0.2, 0.9, -0.7, 0.15}
	y := []float64{0, 0.1, 0.8, -0.5, -0.4, 0.25}
	n := len(x)
	vx, vy := make([]float64, n), make([]float64, n)
	refPairs(law{a: a, b: b}, x, y, vx, vy)
	energy := func() float64 {
		return refPairs(law{a: a, b: b}, x, y, make([]float64, n), make([]float64, n))
	}
	for _, c := range []struct {
		name string
		x, v []float64
	}{{"x", x, vx}, {"y", y, vy}} {
		for i, at := range c.x {
			c.x[i] = at + h
			up := energy()
			c.x[i] = at - h
			down := energy()
			c.x[i] = at
			if want := -(up - down) / (2 * h); math.Abs(c.v[i]-want) > 1e-8 {
				t.Errorf("N v%s[%d] = %.10g, want -∂E/∂%s = %.10g", c.name, i, c.v[i], c.name, want)
			}
		}
	}
}

// BenchmarkPairs measures one pass, which is nearly all of a step's time.
func BenchmarkPairs(b *testing.B) {
	const n = 300
	for _, im := range implementations() {
		b.Run(im.name, func(b *testing.B) {
			p := newPass(4, 0.1, n)
			scatter(p, 0.5, rand.New(rand.NewPCG(1, 2)))
			for b.Loop() {
				clear(p.vx)
				clear(p.vy)
				must(im.pairs(context.Background(), p))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*(n-1)/2), "ns/pair")
		})
	}
}

func must(energy float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return energy
}
