package polymer

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"macroscope/sim/rng"
)

// Statistical tests compare means over independent chains with the results of another program
// (testdata/README.md). They pass if the difference is at most `alarm` combined standard errors
// plus the bias of the scheme. A test has 64 chains. By chance, the mean of 64 values is off by
// more than 6.5 standard errors once in 7·10⁷ times. There are fewer than 50 comparisons, so a
// false alarm happens at most once in 10⁶ times. (Seeds are fixed and all forms give the same bits,
// so a test that passes keeps passing until the arithmetic changes.)
const (
	alarm  = 6.5
	chains = 64
)

// The time step causes errors of extensions. bias returns the largest relative error: 0.4 % at dt =
// 0.002, and proportional to dt.
func bias(dt float64) float64 { return 0.004 * dt / 0.002 }

// table returns a table of the reference.
func table(t *testing.T, name string, columns int) [][]float64 {
	t.Helper()
	file, err := npz.Open("testdata/polymer_bd.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var v []float64
	if err := file.Read(name+".npy", &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var rows [][]float64
	for ; len(v) > 0; v = v[columns:] {
		rows = append(rows, v[:columns])
	}
	return rows
}

// models lists the kinds of bonds, indexed by their number in the reference.
var models = [...]Bonds{Rods, StiffRods, Springs}

var thorough = flag.Bool("long", false, "simulate three times as many steps, for smaller standard errors, and chains that open slowly")

// The function `fewer` returns the number of steps of a long test. The number is long(steps) with
// the flag -long, and long(steps/3) without the flag.
func fewer(steps int) int {
	if !*thorough {
		steps /= 3
	}
	return long(steps)
}

// long returns the number of steps of a test. It divides `steps` by ten with -short. For the plain
// form, which is ten times slower than the other forms, it divides by ten again.
func long(steps int) int {
	if testing.Short() {
		steps /= 10
	}
	if Implementation() == "plain" {
		steps /= 10
	}
	return steps
}

// observe runs `count` chains, first for `warm` steps and then for `steps` steps. It calls `see`
// for each chain after the first `warm` steps, and then once in `every` steps. The arguments of
// `see` are the chain's number, the simulation and the chain's index in the simulation.
func observe(t *testing.T, cfg Config, seed uint64, count, warm, steps, every int, start func(k int) []float32, see func(chain int, s *Simulation, k int)) {
	t.Helper()
	for first := 0; first < count; first += Side() {
		var side []Chain
		for k := first; k < min(first+Side(), count); k++ {
			side = append(side, Chain{NewKey(seed, uint64(k)), start(k)})
		}
		s, err := New(cfg, side...)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Advance(t.Context(), warm); err != nil {
			t.Fatal(err)
		}
		for done := 0; ; done += every {
			for k := range side {
				see(first+k, s, k)
			}
			if done+every > steps {
				break
			}
			if err := s.Advance(t.Context(), every); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// mean returns the mean of values and its standard error.
func mean(v []float64) (m, se float64) {
	m, sd := stat.MeanStdDev(v, nil)
	return m, sd / math.Sqrt(float64(len(v)))
}

// agree fails a test if two means differ by more than chance and bias allow.
func agree(t *testing.T, what string, got, gotSE, want, wantSE, bias float64) {
	t.Helper()
	allowed := alarm*math.Hypot(gotSE, wantSE) + bias
	t.Logf("%s: %.5g ± %.2g, want %.5g ± %.2g, at most %.2g off", what, got, gotSE, want, wantSE, allowed)
	if !(math.Abs(got-want) <= allowed) {
		t.Errorf("%s is %.5g ± %.2g, want %.5g ± %.2g and at most %.2g off", what, got, gotSE, want, wantSE, allowed)
	}
}

// atRest returns a function that makes chain k: the positions of N beads in equilibrium.
func atRest(cfg Config, seed uint64) func(k int) []float32 {
	return func(k int) []float32 { return InitialPositions(cfg, seed, k) }
}

// TestAtRest compares chains without flow with theory: ⟨R²⟩ = N-1, the diffusion constant 1/N
// of the centre of mass, and, in long runs, the slowest relaxation of the Rouse model. After
// faster modes have decayed, ⟨R(0)·R(t)⟩ falls as e^{-t/τ} with τ = 1/(12 sin²(π/2N)).
func TestAtRest(t *testing.T) {
	for _, bonds := range []Bonds{StiffRods, Rods} {
		t.Run(fmt.Sprint(bonds), func(t *testing.T) {
			cfg := Default()
			cfg.N, cfg.Bonds, cfg.Repulsion, cfg.Flow = 20, bonds, 0, None
			n := float64(cfg.N)
			rouse := 1 / (12 * math.Pow(math.Sin(math.Pi/(2*n)), 2))
			every := int(rouse / 10 / cfg.Dt)
			steps := long(150_000)
			ends := make([][][3]float64, chains)
			squares := make([]float64, chains)
			observe(t, cfg, 3, chains, 0, steps, every, atRest(cfg, 3), func(c int, s *Simulation, k int) {
				var r [3]float64
				for i := range s.g.bonds {
					for axis := range 3 {
						r[axis] += float64(s.g.u[axis][s.g.at(i, k)])
					}
				}
				ends[c] = append(ends[c], r)
				squares[c] += r[0]*r[0] + r[1]*r[1] + r[2]*r[2]
			})
			samples := float64(len(ends[0]))
			for c := range squares {
				squares[c] /= samples
			}
			m, se := mean(squares)
			agree(t, "⟨R²⟩", m, se, n-1, 0, 0.006*(n-1))

			// A run of few τ gives no estimate of τ, because the correlation at 1.4 τ can be
			// negative. This affects -short and the plain form.
			if samples < 100 {
				return
			}
			// Fit the logarithm of the correlation between 0.4 and 1.4 τ, as the
			// reference does.
			rates := make([]float64, chains)
			correlation := func(c, lag int) (sum float64) {
				for i := range len(ends[c]) - lag {
					for axis := range 3 {
						sum += ends[c][i][axis] * ends[c][i+lag][axis]
					}
				}
				return sum / float64(len(ends[c])-lag)
			}
			var early, late float64
			for c := range ends {
				early += correlation(c, 4) / chains
				late += correlation(c, 14) / chains
			}
			slope := math.Log(early/late) / (float64(10*every) * cfg.Dt)
			for c := range rates { // jackknife: leave out one chain at a time
				e, l := early-correlation(c, 4)/chains, late-correlation(c, 14)/chains
				rates[c] = math.Log(e/l) / (float64(10*every) * cfg.Dt)
			}
			var spread float64
			for _, r := range rates {
				spread += (r - slope) * (r - slope)
			}
			agree(t, "1/τ", slope, math.Sqrt(spread), 1/rouse, 0, 0.03/rouse)
		})
	}
}

// TestDiffusion follows the centre of mass. A simulation does not store it, but its
// displacement in a step is the mean displacement of the beads.
func TestDiffusion(t *testing.T) {
	cfg := Default()
	cfg.N, cfg.Flow = 20, None
	steps := long(20_000)
	path := make([]float64, 0, steps*3)
	s, err := New(cfg, Chain{NewKey(4, 0), InitialPositions(cfg, 4, 0)})
	if err != nil {
		t.Fatal(err)
	}
	var squares []float64
	for range steps {
		if err := s.Step(); err != nil {
			t.Fatal(err)
		}
		for axis := range 3 {
			var centre float64
			for i := range cfg.N {
				centre += float64(s.g.s[axis][s.g.at(i, 0)]) / float64(cfg.N)
			}
			path = append(path, centre)
			squares = append(squares, centre*centre/(2*cfg.Dt))
		}
	}
	m, se := mean(squares)
	agree(t, "D", m, se, 1/float64(cfg.N), 0, 0)
	m, se = mean(path)
	agree(t, "drift", m, se, 0, 0, 0)
}

// TestTrimer compares ⟨cos²⟩ of the angle between two bonds with the reference and with the
// exact value. For rigid rods the density of cos is √(4 - cos²); for stiff-limit rods it is
// uniform (⟨cos²⟩ = 1/3).
func TestTrimer(t *testing.T) {
	for _, row := range table(t, "trimer", 6) {
		if row[1] != 0.002 && row[1] != 0.0005 {
			continue
		}
		cfg := Default()
		cfg.N, cfg.Bonds, cfg.Repulsion, cfg.Flow, cfg.Dt = 3, models[int(row[0])], 0, None, row[1]
		every := int(0.1 / cfg.Dt)
		squares, samples := make([]float64, chains), 0
		observe(t, cfg, 5, chains, 0, fewer(int(200/cfg.Dt)), every, atRest(cfg, 5), func(c int, s *Simulation, k int) {
			cos := 0.0
			for axis := range 3 {
				cos += float64(s.g.u[axis][s.g.at(0, k)]) * float64(s.g.u[axis][s.g.at(1, k)])
			}
			squares[c] += cos * cos
			if c == 0 {
				samples++
			}
		})
		for c := range squares {
			squares[c] /= float64(samples)
		}
		m, se := mean(squares)
		exact := 1 / 3.0
		if cfg.Bonds == Rods {
			exact = 0.321021
		}
		what := fmt.Sprintf("⟨cos²⟩ of bonds %d, Δt %g,", cfg.Bonds, cfg.Dt)
		agree(t, what, m, se, row[4], row[5], 0)
		agree(t, what, m, se, exact, 0, 0.006*exact*cfg.Dt/0.002)
	}
}

// extensions returns the mean extension of each chain after the first `warm` steps.
func extensions(t *testing.T, cfg Config, seed uint64, count, warm, steps, every int, start func(k int) []float32) []float64 {
	sums, samples := make([]float64, count), 0
	observe(t, cfg, seed, count, warm, steps, every, start, func(c int, s *Simulation, k int) {
		sums[c] += s.Extension(k)
		if c == 0 {
			samples++
		}
	})
	for c := range sums {
		sums[c] /= float64(samples)
	}
	return sums
}

// open returns a function that makes chains. The chains are stretched along x by the flow, and
// their bonds are independent. The tension of bond i is ε̇ times the sum of -x over the beads 0 to
// i. Here x is measured from the middle of the chain. If θ is the angle between a bond and the x
// axis, the density of the bond's direction is proportional to exp(tension·cos θ).
func open(cfg Config) func(k int) []float32 {
	bonds := cfg.N - 1
	mean, tension := make([]float64, bonds), make([]float64, bonds)
	for i := range mean {
		mean[i] = 1
	}
	for range 50 {
		length := 0.0
		for _, x := range mean {
			length += x
		}
		at, sum := -length/2, 0.0
		for i, x := range mean {
			sum -= at
			at += x
			tension[i] = max(cfg.Rate*sum, 0.01)
			mean[i] = 1/math.Tanh(tension[i]) - 1/tension[i]
		}
	}
	return func(k int) []float32 {
		x := make([]float32, 3*cfg.N)
		r := rng.New(6, "open", uint64(k))
		for i, f := range tension {
			cos := 1 + math.Log(1-r.Float64()*(1-math.Exp(-2*f)))/f
			y, z := math.Sincos(2 * math.Pi * r.Float64())
			sin := math.Sqrt(1 - cos*cos)
			for axis, u := range [3]float64{cos, sin * y, sin * z} {
				x[3*i+3+axis] = x[3*i+axis] + float32(u)
			}
		}
		return x
	}
}

// TestSteadyExtension compares chains of 20 beads in the flow with the exact
// distribution, at every rate of the reference, with and without repulsion.
func TestSteadyExtension(t *testing.T) {
	for _, row := range table(t, "exact", 14) {
		cfg := Default()
		cfg.N, cfg.Bonds, cfg.Repulsion, cfg.Rate = int(row[1]), models[int(row[0])], row[3], row[4]
		if hard := row[2] > 0 && row[3] == 0; cfg.N != 20 || hard || cfg.Rate == 0 {
			continue
		}
		start := atRest(cfg, 7)
		if cfg.Rate > 0.1 {
			start = open(cfg)
		}
		warm, steps := fewer(20_000), fewer(15_000)
		if cfg.Rate < 0.1 { // chains are slow near the rate at which coils open
			if !*thorough || Implementation() == "plain" {
				continue
			}
			warm, steps = 60_000, 30_000
		}
		e := extensions(t, cfg, 7, chains, warm, steps, 100, start)
		m, se := mean(e)
		what := fmt.Sprintf("extension of bonds %d, repulsion %g, rate %g,", cfg.Bonds, cfg.Repulsion, cfg.Rate)
		agree(t, what, m, se, row[5], row[6], bias(cfg.Dt)*row[5])
	}
}

// TestUniaxial compares a chain of two beads in the uniaxial flow with the exact distribution. Its
// density is the product over both beads of exp(ε̇/2 (x² - (y² + z²)/2)), with positions relative
// to the middle of the bond.
func TestUniaxial(t *testing.T) {
	cfg := Default()
	cfg.N, cfg.Repulsion, cfg.Flow, cfg.Rate = 2, 0, Uniaxial, 4
	e := extensions(t, cfg, 8, chains, 2000, long(50_000), 20, atRest(cfg, 8))
	m, se := mean(e)
	// The beads are at x = ±c/2 with c = cos θ, so the density of c is proportional to
	// exp(ε̇ (3c² - 1)/8).
	var sum, all float64
	for i := range 10_000 {
		c := (float64(i) + 0.5) / 10_000
		p := math.Exp(cfg.Rate * (3*c*c - 1) / 8)
		sum, all = sum+p*c, all+p
	}
	agree(t, "extension", m, se, sum/all, 0, 0.02)
}

// TestFirstOrder checks that the error is proportional to the time step, as in the reference.
func TestFirstOrder(t *testing.T) {
	if testing.Short() || Implementation() == "plain" {
		t.Skip("the error is a few thousandths")
	}
	var exact []float64
	for _, row := range table(t, "exact", 14) {
		if row[0] == 0 && row[1] == 20 && row[4] == 0.4 {
			exact = row
		}
	}
	var dts, errors, weights []float64
	for _, row := range table(t, "dt_convergence", 9) {
		if row[3] != 0.4 {
			continue
		}
		cfg := Default()
		cfg.N, cfg.Bonds, cfg.Repulsion, cfg.Rate, cfg.Dt = 20, Rods, 0, 0.4, row[2]
		every := int(0.1 / cfg.Dt)
		m, se := mean(extensions(t, cfg, 9, chains, 50*every, 500*every, every, open(cfg)))
		agree(t, fmt.Sprintf("extension at Δt %g", cfg.Dt), m, se, row[4], row[5], 0)
		dts, errors = append(dts, cfg.Dt), append(errors, exact[5]-m)
		weights = append(weights, 1/(se*se))
	}
	// In a linear fit, the error must vanish at Δt = 0. The slope must be near the slope of the
	// reference, 26.
	at0, slope := stat.LinearRegression(dts, errors, weights, false)
	t.Logf("the error is %.4f + %.1f Δt", at0, slope)
	if math.Abs(at0) > 0.03 || slope < 15 || slope > 40 {
		t.Errorf("the error is %.4f + %.1f Δt, want 26 Δt", at0, slope)
	}
}

// TestPlateau compares chains of 300 beads in the default flow with the exact distribution. Their
// extensions stay correlated over about 300 τ_d, so the chains start close to this distribution.
func TestPlateau(t *testing.T) {
	if testing.Short() || Implementation() == "plain" {
		t.Skip("millions of steps")
	}
	for _, row := range table(t, "exact", 14) {
		cfg := Default()
		cfg.Bonds, cfg.Repulsion = models[int(row[0])], row[3]
		if hard := row[2] > 0 && row[3] == 0; int(row[1]) != cfg.N || hard || (row[0] == 1) != (row[3] > 0) {
			continue
		}
		e := extensions(t, cfg, 10, 16, 20_000, fewer(30_000), 500, open(cfg))
		m, se := mean(e)
		agree(t, fmt.Sprintf("plateau of bonds %d, repulsion %g,", cfg.Bonds, cfg.Repulsion), m, se, row[5], row[6], bias(cfg.Dt)*row[5])
	}
}

// TestUnfolding compares the mean extension over time with the reference. Chains start as in
// the reference.
func TestUnfolding(t *testing.T) {
	file, err := npz.Open("testdata/polymer_bd.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, name := range []string{"start_n20", "start_n50", "start_n300"} {
		var init, rate, dt, times, means, ses []float64
		for key, dst := range map[string]*[]float64{"init": &init, "e": &rate, "dt": &dt, "t": &times, "mean": &means, "se": &ses} {
			if err := file.Read(name+"_"+key+".npy", dst); err != nil {
				t.Fatalf("%s: %v", key, err)
			}
		}
		cfg := Default()
		cfg.N, cfg.Bonds, cfg.Repulsion, cfg.Rate, cfg.Dt = len(init)/3, Rods, 0, rate[0], dt[0]
		count, last := chains, len(times)-1
		if testing.Short() || Implementation() == "plain" {
			if cfg.N == 300 || testing.Short() && cfg.N > 20 {
				continue
			}
			count = 16
		}
		if cfg.N == 300 {
			count, last = 16, 12
			if *thorough {
				count = 32
			}
		}
		start := make([]float32, len(init))
		for i, x := range init {
			start[i] = float32(x)
		}
		at := make([][]float64, last+1)
		seen := make([]int, count)
		every := int(math.Round(times[1] / cfg.Dt))
		observe(t, cfg, 11, count, 0, every*last, every, func(int) []float32 { return start }, func(c int, s *Simulation, k int) {
			at[seen[c]] = append(at[seen[c]], s.Extension(k))
			seen[c]++
		})
		if e := at[0][0]; math.Abs(e-means[0]) > 1e-3 {
			t.Errorf("%s begins at %g, want %g", name, e, means[0])
		}
		for _, k := range []int{last / 6, last / 3, last / 2, last} {
			m, se := mean(at[k])
			agree(t, fmt.Sprintf("%s: extension at %.3g", name, times[k]), m, se, means[k], ses[k], 0)
		}
	}
}

// TestEquilibrium compares chains made by pivot moves with the reference, for each kind of bonds,
// with and without repulsion.
func TestEquilibrium(t *testing.T) {
	for _, row := range table(t, "exact", 14) {
		cfg := Default()
		cfg.N, cfg.Bonds, cfg.Repulsion = int(row[1]), models[int(row[0])], row[3]
		if hard := row[2] > 0 && row[3] == 0; hard || row[4] != 0 || cfg.N > 50 {
			continue
		}
		count := 400
		if testing.Short() {
			count = 100
		}
		squares, wide := make([]float64, count), make([]float64, count)
		for k := range squares {
			x := InitialPositions(cfg, 12, k)
			low, high := math.Inf(1), math.Inf(-1)
			for i := 0; i < len(x); i += 3 {
				low, high = min(low, float64(x[i])), max(high, float64(x[i]))
			}
			for axis := range 3 {
				d := float64(x[len(x)-3+axis] - x[axis])
				squares[k] += d * d
			}
			wide[k] = high - low
		}
		what := fmt.Sprintf("N %d, bonds %d, repulsion %g: ", cfg.N, cfg.Bonds, cfg.Repulsion)
		m, se := mean(squares)
		agree(t, what+"⟨R²⟩", m, se, row[8], row[9], 0)
		m, se = mean(wide)
		agree(t, what+"extension", m, se, row[5], row[6], 0)
	}
}

// TestForcesAreGradients compares the forces on a chain with finite differences of the energy. The
// function `definition` computes the energy.
func TestForcesAreGradients(t *testing.T) {
	for _, bonds := range []Bonds{StiffRods, Rods, Springs} {
		cfg := Default()
		cfg.N, cfg.Bonds, cfg.Temperature, cfg.Repulsion, cfg.Stiffness = 24, bonds, 1.5, 30, 40
		with(t, func(t *testing.T) {
			s, err := New(cfg, Chain{NewKey(1, 1), crowd(cfg, 1)})
			if err != nil {
				t.Fatal(err)
			}
			g, p := s.g, cfg.params(1)
			for axis := range 3 {
				clear(g.s[axis])
			}
			if g.forces(&p) {
				for axis := range 3 {
					refTurn(g, axis, 0)
				}
			}
			x := make([]float64, 3*cfg.N)
			got := make([]float64, 3*cfg.N)
			for axis := range 3 {
				var at, sum float64
				for i := range cfg.N {
					x[3*i+axis], got[3*i+axis] = at, float64(g.s[axis][g.at(i, 0)])
					at += float64(g.u[axis][g.at(i, 0)])
					sum += got[3*i+axis]
				}
				if math.Abs(sum) > 1e-3 {
					t.Errorf("forces add up to %g", sum)
				}
			}
			// For rods, the test ignores all components of forces along the bonds, because
			// constraints cancel these components.
			rest := make([]float64, 3*cfg.N)
			const h = 1e-5
			for i := range x {
				was := x[i]
				x[i] = was + h
				high := definition(cfg, x)
				x[i] = was - h
				low := definition(cfg, x)
				x[i] = was
				rest[i] = got[i] + (high-low)/(2*h)
			}
			if bonds != Springs {
				project(rest, x)
			}
			for i, v := range rest {
				if math.Abs(v) > 0.01 {
					t.Errorf("force %d on bead %d is off by %.2g", i%3, i/3, v)
				}
			}
		})
	}
}

// definition returns the energy of a chain at positions (N, 3).
func definition(cfg Config, x []float64) (energy float64) {
	n := cfg.N
	bond := func(i int) (u [3]float64, length float64) {
		for axis := range 3 {
			u[axis] = x[3*i+3+axis] - x[3*i+axis]
		}
		length = math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
		return u, length
	}
	switch cfg.Bonds {
	case Springs:
		for i := range n - 1 {
			_, l := bond(i)
			energy += cfg.Stiffness / 2 * (l - 1) * (l - 1)
		}
	case StiffRods: // the metric force cancels √det G, which makes bonds independent
		gram := mat.NewDense(n-1, n-1, nil)
		for i := range n - 1 {
			gram.Set(i, i, 2)
			if i > 0 {
				u, a := bond(i)
				v, b := bond(i - 1)
				c := -(u[0]*v[0] + u[1]*v[1] + u[2]*v[2]) / (a * b)
				gram.Set(i, i-1, c)
				gram.Set(i-1, i, c)
			}
		}
		log, _ := mat.LogDet(gram)
		energy += cfg.Temperature / 2 * log
	}
	for i := range n {
		for j := i + 2; j < n; j++ {
			r := math.Sqrt(math.Pow(x[3*i]-x[3*j], 2) + math.Pow(x[3*i+1]-x[3*j+1], 2) + math.Pow(x[3*i+2]-x[3*j+2], 2))
			if r < 1 {
				energy += cfg.Repulsion / 2 * (1 - r) * (1 - r)
			}
		}
	}
	return energy
}

// project removes the components along the bonds from the forces f (N, 3) on beads at x.
func project(f, x []float64) {
	n := len(x)/3 - 1
	along := mat.NewDense(3*n+3, n, nil)
	for i := range n {
		for axis := range 3 {
			u := x[3*i+3+axis] - x[3*i+axis]
			along.Set(3*i+axis, i, -u)
			along.Set(3*i+3+axis, i, u)
		}
	}
	var tension, pulled mat.VecDense
	if err := tension.SolveVec(along, mat.NewVecDense(len(f), f)); err != nil {
		panic(err)
	}
	pulled.MulVec(along, &tension)
	for i := range f {
		f[i] -= pulled.AtVec(i)
	}
}

// crowd returns a random walk of N beads with many contacts.
func crowd(cfg Config, index int) []float32 {
	cfg.Repulsion = 0
	return InitialPositions(cfg, 13, index)
}
