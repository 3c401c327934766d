package particle

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
)

// forces lists user-defined forces. The field `fourth` holds the largest |F⁗| at distances from 0.2
// to 5.
var forces = []struct {
	name   string
	f      func(r float64) float64
	fourth float64
}{
	{"own", func(r float64) float64 { return refForce(4, 0.1, r) }, 4.09 * 256},
	{"steep", func(r float64) float64 { return refForce(20, 0.7, r) }, 4.09 * 160_000},
	{"linear", func(r float64) float64 { return 1 - r }, 0},
	{"core", func(r float64) float64 { return 1/r - r }, 24 / 0.2 / 0.2 / 0.2 / 0.2 / 0.2},
	{"Morse", func(r float64) float64 { return 2*math.Exp(-3*r) - 0.5*math.Exp(-r) }, 2 * 81},
	{"waves", func(r float64) float64 { return math.Sin(8*r) / (1 + r) }, 6000},
}

func tabulated(t testing.TB, f func(float64) float64) *Force {
	t.Helper()
	table, err := Tabulate(f)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestTable compares F from a table with the formula at many distances, within the table's error
// bounds. It compares U from the table with a numerical integral of the formula.
func TestTable(t *testing.T) {
	for _, c := range forces {
		t.Run(c.name, func(t *testing.T) {
			table := tabulated(t, c.f)
			var worst, worstU float64
			by := 1.00037
			if testing.Short() {
				by = 1.0037
			}
			for r := 0.2; r < 5; r *= by {
				force, energy := table.At(r)
				h := (r + offset) / 256
				tol := math.Pow(h, 4)*c.fourth/1920 + 3e-7*(1+math.Abs(c.f(r)))
				off := math.Abs(force - c.f(r))
				if worst = max(worst, off); off > tol {
					t.Fatalf("F(%g) = %.9g, want %.9g, tolerance %.2g", r, force, c.f(r), tol)
				}
				want := quad.Fixed(c.f, min(r, 1), max(r, 1), 60, quad.Legendre{}, 0)
				if r > 1 {
					want = -want
				}
				offU := math.Abs(energy - want)
				if worstU = max(worstU, offU); offU > 4e-7*(1+math.Abs(want)+math.Abs(r-1)) {
					t.Fatalf("U(%g) = %.9g, want %.9g", r, energy, want)
				}
			}
			t.Logf("F within %.2g, U within %.2g", worst, worstU)
		})
	}
}

// TestEnergyIsIntegral checks that U at the start of a bin, minus the integral of F over the
// bin, is U at the start of the next bin. U has float32 precision.
func TestEnergyIsIntegral(t *testing.T) {
	for _, c := range forces {
		table := tabulated(t, c.f)
		for i := range binCount - 1 {
			low, high := binBegin(i)-offset, binBegin(i+1)-offset
			_, u := table.At(low)
			before := u - table.bins[i].integral(high-low)
			if _, after := table.At(high); math.Abs(after-before) > 1.3e-7*(math.Abs(u)+math.Abs(after)) {
				t.Fatalf("%s: U is %.9g before r = %g and %.9g from there on", c.name, before, high, after)
			}
		}
	}
}

// TestTablePairs checks passes that use a table, for many numbers of particles. The expected values
// are computed from the table in float64.
func TestTablePairs(t *testing.T) {
	for _, im := range implementations() {
		t.Run(im.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 8))
			for _, c := range forces {
				table := tabulated(t, c.f)
				for _, n := range []int{2, 3, 8, 9, 31, 33, 64, 67, 300} {
					p := newPass(1, 0, n)
					p.use(table)
					scatter(p, 0.5, r)
					if n == 33 {
						p.x[32], p.y[32] = p.x[0], p.y[0] // two coincident particles
					}
					checkTable(t, im, p, c.name)
				}
			}
		})
	}
}

// checkTable compares a pass with values computed from the table in float64. The slope of a
// force amplifies the rounding of distances (1e-7).
func checkTable(t *testing.T, im impl, p *pass, name string) {
	t.Helper()
	n := p.n
	clear(p.vx)
	clear(p.vy)
	got := must(im.pairs(t.Context(), p))
	wide := func(s []float32) []float64 {
		w := make([]float64, n)
		for i := range w {
			w[i] = float64(s[i])
		}
		return w
	}
	vx, vy := make([]float64, n), make([]float64, n)
	want := refPairs(p.law(), wide(p.x), wide(p.y), vx, vy)
	var size, sizeU float64
	for i := range n {
		for j := range i {
			r := math.Hypot(float64(p.x[i]-p.x[j]), float64(p.y[i]-p.y[j]))
			force, energy := p.table.At(r)
			next, _ := p.table.At(r * 1.001)
			size += math.Abs(force) + math.Abs(next-force)*1000
			sizeU += math.Abs(energy) + 0.2*math.Abs(force)
		}
	}
	tol := 2e-6*size/float64(n) + 1e-6*float64(n)
	for i := range n {
		if math.Abs(float64(p.vx[i])-vx[i]) > tol || math.Abs(float64(p.vy[i])-vy[i]) > tol {
			t.Fatalf("%s, n=%d: N v[%d] = (%g, %g), want (%g, %g), tolerance %.2g", name, n, i, p.vx[i], p.vy[i], vx[i], vy[i], tol)
		}
	}
	if tol := 1e-6 * (sizeU + 1); math.Abs(got-want) > tol {
		t.Fatalf("%s, n=%d: E = %.9g, want %.9g, tolerance %.2g", name, n, got, want, tol)
	}
}

// TestOwnForceAsTable lets particles move under tanh(a(1-r)) + b and under a table of the same
// force. The two runs may differ only by rounding errors.
func TestOwnForceAsTable(t *testing.T) {
	with(t, func(t *testing.T) {
		cfg := Default()
		cfg.Steps = 20
		want, got := NewTrajectory(cfg), NewTrajectory(cfg)
		if err := start(t, cfg, 1, 0).Record(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		cfg.Force = tabulated(t, func(r float64) float64 { return refForce(cfg.A, cfg.B, r) })
		if err := start(t, cfg, 1, 0).Record(t.Context(), got); err != nil {
			t.Fatal(err)
		}
		for i, x := range got.Frames {
			tol := 1e-6 + 2e-7*float64(i/(2*cfg.N))
			if d := math.Abs(float64(x) - float64(want.Frames[i])); !(d <= tol) {
				t.Fatalf("step %d: a particle is %.2g from where the formula has it, tolerance %.2g", i/(2*cfg.N), d, tol)
			}
		}
		for k, e := range got.Energy {
			if d := math.Abs(e/want.Energy[k] - 1); !(d <= 3e-7) {
				t.Fatalf("step %d: the energy differs by %.2g of itself", k, d)
			}
		}
	})
}

// TestTablePhysics lets particles move under other forces. E must fall at every step, the centre
// of mass must stay, and nothing may be allocated.
func TestTablePhysics(t *testing.T) {
	with(t, func(t *testing.T) {
		for _, c := range forces {
			cfg := Default()
			cfg.Force, cfg.Dt = tabulated(t, c.f), 0.01
			s := start(t, cfg, 3, 0)
			var begin, end State
			s.Save(&begin)
			for range 10 {
				before := s.Energy()
				if err := s.Step(t.Context()); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				if s.Energy() > before+1e-7*(1+math.Abs(before)) {
					t.Errorf("%s: step %d raises the energy from %.9g to %.9g", c.name, s.Index(), before, s.Energy())
				}
			}
			s.Save(&end)
			for _, of := range [][2][]float32{{begin.X, end.X}, {begin.Y, end.Y}} {
				var drift float64
				for i := range of[0] {
					drift += float64(of[1][i]) - float64(of[0][i])
				}
				if math.Abs(drift)/float64(cfg.N) > 1e-6 {
					t.Errorf("%s: the centre of mass moved by %.2g", c.name, drift/float64(cfg.N))
				}
			}
			if n := testing.AllocsPerRun(5, func() { must(0, s.Step(t.Context())) }); n != 0 {
				t.Errorf("%s: a step allocates %v times", c.name, n)
			}
		}
	})
}

// TestEvenDisk checks that many particles spread evenly over the unit disk under 1/r - r, which is
// the repulsion of charges in the plane plus a harmonic well.
func TestEvenDisk(t *testing.T) {
	cfg := Default()
	cfg.Force, cfg.Dt = tabulated(t, func(r float64) float64 { return 1/r - r }), 0.05
	s := start(t, cfg, 2, 0)
	for range 200 {
		must(0, s.Step(t.Context()))
	}
	xy := make([]float32, 2*cfg.N)
	s.Positions(xy)
	var cx, cy, inner, most float64
	for i := 0; i < len(xy); i += 2 {
		cx, cy = cx+float64(xy[i])/float64(cfg.N), cy+float64(xy[i+1])/float64(cfg.N)
	}
	for i := 0; i < len(xy); i += 2 {
		r := math.Hypot(float64(xy[i])-cx, float64(xy[i+1])-cy)
		if most = max(most, r); r < math.Sqrt(0.5) {
			inner++
		}
	}
	if inner /= float64(cfg.N); math.Abs(inner-0.5) > 0.05 || math.Abs(most-1) > 0.06 {
		t.Errorf("%.3f of the particles are in the inner half of a disk of radius %.3f; want half of the unit disk", inner, most)
	}
}

// TestUnusableForces checks that the error names the distance and a remedy.
func TestUnusableForces(t *testing.T) {
	for _, c := range []struct {
		f    func(float64) float64
		says string
	}{
		{func(r float64) float64 { return math.Sqrt(1 - r) }, "not a number"},
		{math.Exp, "e+24"},
		{func(r float64) float64 { return 1 / (r - 1) }, "r = 1 "},
		{func(r float64) float64 { return 1e30 }, "1e+30"},
		{func(r float64) float64 { return math.NaN() }, "r = 0 "},
	} {
		if _, err := Tabulate(c.f); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "bound") {
			t.Errorf("%q is not in: %v", c.says, err)
		}
	}
	for _, f := range []func(float64) float64{func(r float64) float64 { return 1 / r }, func(r float64) float64 { return math.Log(r) }, func(r float64) float64 { return math.Sin(r) / r }} {
		table := tabulated(t, f)
		if at, _ := table.At(0); math.Abs(at-f(hardCore)) > 1e-6*math.Abs(at) {
			t.Errorf("F(0) is %g, want F(0.01) = %g", at, f(hardCore))
		}
	}
	cfg := Default()
	cfg.Dt, cfg.Force = 1, tabulated(t, func(r float64) float64 { return 1e6 * (1 - r) })
	if err := start(t, cfg, 1, 0).Step(t.Context()); !errors.Is(err, ErrUnstable) {
		t.Errorf("a wild force: %v", err)
	}
}

// BenchmarkTable times a pass with a table, for comparison with BenchmarkPairs.
func BenchmarkTable(b *testing.B) {
	const n = 300
	table := tabulated(b, forces[0].f)
	for _, im := range implementations() {
		b.Run(im.name, func(b *testing.B) {
			p := newPass(4, 0.1, n)
			p.use(table)
			scatter(p, 0.5, rand.New(rand.NewPCG(1, 2)))
			for b.Loop() {
				clear(p.vx)
				clear(p.vy)
				must(im.pairs(b.Context(), p))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*(n-1)/2), "ns/pair")
		})
	}
}

func BenchmarkTabulate(b *testing.B) {
	for b.Loop() {
		if _, err := Tabulate(forces[0].f); err != nil {
			b.Fatal(fmt.Sprint(err))
		}
	}
}
