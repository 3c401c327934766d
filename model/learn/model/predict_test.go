package model

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/net/dynamics"
	"macroscope/model/system"
	"macroscope/sim/rng"
)

// dynamic returns named configurations that together have all forms of the dynamics.
func dynamic(t testing.TB) map[string]method.Config {
	mix := tiny(t, "mixing/flow")
	full := mix
	full.Dynamics.Noise.Form = dynamics.NoiseFull
	onsager := tiny(t, "particles/flow")
	onsager.Dynamics.Drift.Form, onsager.Dynamics.Drift.Confined = dynamics.FormOnsager, false
	onsager.Dynamics.Drift.Onsager = dynamics.DefaultOnsager()
	onsager.Dynamics.Drift.Onsager.Hidden, onsager.Dynamics.Drift.Onsager.Features = 6, 4
	one := tiny(t, "particles/flow")
	one.Data.Views, one.Data.Turn = 1, false
	return map[string]method.Config{
		"particles given a and b": give(t, tiny(t, "particles/flow"), "a,b"), "particles given b, AE-Aug": give(t, tiny(t, "particles/ae-aug"), "b:-1:1"),
		"mixing given T": give(t, with(t, mix, "law.share=false"), "temperature"), "mixing given T and ε, full noise": give(t, full, "temperature,e12"),
		"mixing by species given T and ε": give(t, with(t, mix, "law.joint=false"), "temperature,e12"),
		"particles":                       tiny(t, "particles/flow"), "particles, one view": one, "particles, OnsagerNet": onsager, "particles, AE-Aug": tiny(t, "particles/ae-aug"),
		"mixing": mix, "mixing, full noise": full, "mixing by species": with(t, mix, "law.joint=false"), "mixing without share": with(t, mix, "law.share=false"),
		"mixing by species without share": with(t, mix, "law.share=false", "law.joint=false"), "mixing, AE-Aug": tiny(t, "mixing/ae-aug"),
	}
}

// give returns the configuration with the named parameters of the physics as inputs of the
// dynamics.
func give(t testing.TB, c method.Config, params string) method.Config {
	t.Helper()
	return with(t, c, "dynamics.params="+params)
}

func forEachDynamic(t *testing.T, do func(t *testing.T, c method.Config)) {
	for name, c := range dynamic(t) {
		t.Run(name, func(t *testing.T) {
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
			do(t, c)
		})
	}
}

// TestReadings compares the methods that read the variables of a Forecast.
func TestReadings(t *testing.T) {
	forEachDynamic(t, func(t *testing.T, c method.Config) {
		m := build(t, c)
		src := record(&c, 3, 2, 2, 9)
		v := c.States()
		z := make([]float32, 2*c.Data.Views*v)
		for e := range 2 {
			m.NewCoder().States(z[e*c.Data.Views*v:(e+1)*c.Data.Views*v], src.frame(m, e), src.of[e].Macro[:c.Variables])
		}
		f := m.NewForecast(2, 3)
		f.Begin(z, 1, 0)
		wantRows := c.Data.Views
		if c.Traits.Stochastic {
			wantRows = 3
		}
		if f.Rows() != wantRows {
			t.Fatalf("%d rows, want %d", f.Rows(), wantRows)
		}
		for step := range 3 {
			for e := range 2 {
				first := make([]float32, v)
				f.First(first, e)
				for k := range v {
					rows := make([]float32, f.Rows())
					f.Variable(rows, e, k)
					mean := 0.0
					for r, x := range rows {
						mean += float64(x) / float64(len(rows))
						if want := z[(e*c.Data.Views+min(r, c.Data.Views-1))*v+k]; step == 0 && x != want {
							t.Errorf("variable %d of row %d of state %d begins at %g, want %g", k, r, e, x, want)
						}
					}
					if rows[0] != first[k] || math.Abs(mean-float64(f.Mean(e, k))) > 1e-6 {
						t.Errorf("variable %d: first %g, %g, mean %g, %g", k, rows[0], first[k], mean, f.Mean(e, k))
					}
					if k < c.Variables {
						macro := make([]float32, f.Rows())
						f.Macro(macro, e, k)
						for r, x := range macro {
							if want := m.Scale.Value(k, float64(rows[r])); math.Abs(float64(x)-want) > 1e-6 {
								t.Errorf("macroscopic variable %d is %g, want %g", k, x, want)
							}
						}
					}
				}
				for k := c.Moving(); k < v; k++ { // the frozen variables
					if want := z[e*c.Data.Views*v+k]; first[k] != want {
						t.Errorf("frozen variable %d becomes %g, from %g", k, first[k], want)
					}
				}
			}
			f.Step(m.Weights.DynamicsParams)
		}
		f.Begin(z, 1, 0)
		if n := testing.AllocsPerRun(5, func() { f.Step(m.Weights.DynamicsParams) }); n != 0 {
			t.Errorf("%v allocations a step", n)
		}
	})
}

// TestSpeciesShareAnEncoder exchanges the species. Their closure variables must be exchanged,
// and the share of the first species must become the share of the second.
func TestSpeciesShareAnEncoder(t *testing.T) {
	c := tiny(t, "mixing/flow")
	m := build(t, c)
	m.Scale = NewScale(2, c.States())
	m.Scale.Low[c.States()-1] = 0
	r := rng.New(1, "test of species")
	var f, g system.Frame
	tr, swapped := system.Trajectory{}, system.Trajectory{}
	for i := range 12 {
		tr.Points = append(tr.Points, float32(r.NormFloat64()), float32(r.NormFloat64()))
		tr.Species, swapped.Species = append(tr.Species, uint8(1+i%3/2)), append(swapped.Species, uint8(2-i%3/2))
	}
	swapped.Points = tr.Points
	m.System.Frame(&f, &tr, 0, 2)
	m.System.Frame(&g, &swapped, 0, 2)
	a, b := make([]float32, c.States()), make([]float32, c.States())
	coder := m.NewCoder()
	coder.State(a, &f, []float64{0.1, 0.2}, 0)
	coder.State(b, &g, []float64{0.1, 0.2}, 0)
	// With these sizes the exchange does not change the order in which the kernels add numbers.
	if far(a[2:4], b[4:6]) > 1e-6 || far(a[4:6], b[2:4]) > 1e-6 || far(a[2:4], a[4:6]) < 1e-3 {
		t.Errorf("closures %v, and %v with the species exchanged", a[2:6], b[2:6])
	}
	// Of the 12 particles, 8 are of species 1. After the exchange, 4 are of species 1. The share's
	// range [0, 1] is scaled to [-1, 1].
	if math.Abs(float64(a[6]-1./3)) > 1e-6 || math.Abs(float64(b[6]+1./3)) > 1e-6 || a[0] != 0.1 || a[1] != 0.2 {
		t.Errorf("shares %g and %g, want 1/3 and -1/3, after %v", a[6], b[6], a[:2])
	}
}

// TestShareIsFrozen evaluates dynamics whose last variable is the share of the first species. The
// likelihood must count only the other variables, and rollouts must not change the share.
func TestShareIsFrozen(t *testing.T) {
	for _, form := range []dynamics.NoiseForm{dynamics.NoiseDiagonal, dynamics.NoiseFull, dynamics.NoiseConstant} {
		for _, joint := range []bool{true, false} {
			c := with(t, tiny(t, "mixing/flow"), "encoder.zdim=1", fmt.Sprint("law.joint=", joint))
			c.Dynamics.Noise.Form = form
			m := build(t, c)
			for i := range m.Weights.net.Equations {
				e := &m.Weights.net.Equations[i]
				const rows = 6
				d := len(e.Of)
				r := rng.New(1, "test of shares")
				z := make([]float32, rows*2*d)
				for i := range z {
					z[i] = float32(r.NormFloat64()) / 2
					if i%d == d-1 {
						z[i] = 0.25
					}
				}
				drift, noise := e.NewDrift(rows), e.NewDiffusion(rows, method.Unnoticed(c.Dynamics.Dt))
				got := dynamics.NewLikelihood(drift, noise, 1, rows).Value(m.Weights.DynamicsParams, z, rows, c.Dynamics.Dt)

				// Compute the likelihood by hand, without the share.
				g, sigma, from := make([]float32, rows*d), make([]float32, rows*noise.Width()), make([]float32, rows*d)
				for r := range rows {
					copy(from[r*d:], z[r*2*d:r*2*d+d])
				}
				drift.Forward(g, m.Weights.DynamicsParams, from, rows)
				noise.Forward(sigma, m.Weights.DynamicsParams, from, rows)
				want := 0.0
				for r := range rows {
					w := make([]float64, d-1)
					for j := range w {
						w[j] = (float64(z[r*2*d+d+j]) - float64(z[r*2*d+j]) - c.Dynamics.Dt*float64(g[r*d+j])) / math.Sqrt(c.Dynamics.Dt)
						row := sigma[r*noise.Width():]
						for k := range j {
							if form == dynamics.NoiseFull {
								w[j] -= float64(row[d+j*(j-1)/2+k]) * w[k]
							}
						}
						w[j] /= float64(row[j])
						want += (w[j]*w[j]/2 + math.Log(float64(row[j])) + math.Log(2*math.Pi*c.Dynamics.Dt)/2) / rows
					}
				}
				// The float32 sums have terms up to several thousand, hence a relative
				// tolerance.
				if !(math.Abs(got-want) <= 1e-5*math.Abs(want)) {
					t.Errorf("%s, joint %v: likelihood %g, want %g", form, joint, got, want)
				}
				path := make([]float32, rows*21*d)
				dynamics.NewEulerMaruyama(e.NewDrift(rows), e.NewDiffusion(rows, 0), rows).Rollout(path, m.Weights.DynamicsParams, from, rows, 1, 20, c.Dynamics.Dt, r.Rand)
				for i := d - 1; i < len(path); i += d {
					if path[i] != 0.25 {
						t.Fatalf("%s, joint %v: the share becomes %g", form, joint, path[i])
					}
				}
			}
		}
	}
}

// TestObjective chooses a random direction in every parameter array. It compares the gradient
// along this direction with fourth-order finite differences of the loss. float32 rounds the
// loss by about 1e-6, so the differences have an error of about 1e-3.
func TestObjective(t *testing.T) {
	forEachDynamic(t, func(t *testing.T, c method.Config) {
		for _, part := range []method.DynamicsTraining{
			{Batch: 8, Shards: 1, Window: 1, Stride: 1, Power: 1, Macro: 3},
			{Batch: 8, Shards: 1, Window: 4, Stride: 2, Power: 0.5, Macro: 2},
		} {
			c.Dynamics.Noise.Floor = 0.3 // with a smaller floor, the likelihood is too steep for finite differences
			m := build(t, c)
			const rows = 8
			v := c.States()
			z := make([]float32, rows*(part.Window+1)*v)
			r := rng.New(2, "test of objectives")
			for b := range rows {
				for i := range v {
					x := r.NormFloat64() / 2
					for k := range part.Window + 1 {
						z[(b*(part.Window+1)+k)*v+i] = float32(x)
						if i < c.Moving() {
							x += 0.1 * r.NormFloat64()
						}
					}
				}
			}
			o := m.NewObjective(part, rows)
			grads := make([]float32, len(m.Weights.DynamicsParams))
			for i := range grads {
				grads[i] = 2
			}
			loss := o.Gradient(m.Weights.DynamicsParams, grads, z, rows)
			scratch := make([]float32, len(grads))
			value := func() float64 { return o.Gradient(m.Weights.DynamicsParams, scratch, z, rows) }
			if again := value(); again != loss || math.IsNaN(loss) {
				t.Fatalf("loss %g, then %g", loss, again)
			}
			for _, p := range m.Weights.net.DynamicsLayout.Params() {
				direction, length := make([]float64, p.Len()), 0.0
				for i := range direction {
					direction[i] = r.NormFloat64()
					length += direction[i] * direction[i]
				}
				got := 0.0
				for i := range direction {
					direction[i] /= math.Sqrt(length)
					got += direction[i] * float64(grads[p.Offset+i]-2)
				}
				at := m.Weights.DynamicsParams[p.Offset : p.Offset+p.Len()]
				keep := slices.Clone(at)
				const h = 4e-3
				move := func(by float64) float64 {
					for i := range at {
						at[i] = keep[i] + float32(by*direction[i])
					}
					return value()
				}
				want := (8*(move(h)-move(-h)) - (move(2*h) - move(-2*h))) / (12 * h)
				copy(at, keep)
				if !(math.Abs(got-want) <= 6e-3*(math.Abs(want)+0.1*math.Abs(loss)+0.02)) {
					t.Errorf("window %d, %s: slope %g, by differences %g, of a loss of %g", part.Window, p.Name, got, want, loss)
				}
			}
			if n := testing.AllocsPerRun(5, func() { value() }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		}
	})
}

// TestObjectiveIsTheLoss checks the loss of deterministic dynamics. The loss must use the Power and
// the Macro that the Training sets. For one step the loss is the error of the velocity; for several
// steps it is the error of a rollout by RK4.
func TestObjectiveIsTheLoss(t *testing.T) {
	c := tiny(t, "particles/flow")
	m := build(t, c)
	const rows = 4
	for window, by := range map[int]dynamics.Method{1: dynamics.Euler, 3: dynamics.RK4} {
		z := make([]float32, rows*(window+1)*c.States())
		r := rng.New(3, "test of objectives")
		for i := range z {
			z[i] = float32(r.NormFloat64())
		}
		grads := make([]float32, len(m.Weights.DynamicsParams))
		part := method.DynamicsTraining{Window: window, Stride: 2, Power: 0.5, Macro: 7}
		got := m.NewObjective(part, rows).Gradient(m.Weights.DynamicsParams, grads, z, rows)
		loss := dynamics.NewLoss(m.Weights.net.Equations[0].NewDrift(rows), by, window, rows)
		loss.Power, loss.Macro, loss.Macros = 0.5, 7, 1
		if want := loss.Gradient(m.Weights.DynamicsParams, grads, z, rows, 2*c.Dynamics.Dt); got != want {
			t.Errorf("%d steps: loss %g, want %g", window, got, want)
		}
	}
}

// TestEquations lists the variables of every equation: the set's macroscopic variables, the
// set's ẑ, the other sets' ẑ, the share of the first species, and the given parameters.
func TestEquations(t *testing.T) {
	mix := tiny(t, "mixing/flow") // z is R_AB, R_BA, two of ẑ_A, two of ẑ_B, and the share
	for _, tc := range []struct {
		cfg   method.Config
		want  [][]int
		macro int
		names []string
	}{
		{mix, [][]int{{0, 1, 2, 3, 4, 5, 6}}, 2, []string{"law.drift.0.weight", "law.noise.0.weight"}},
		{with(t, mix, "law.share=false"), [][]int{{0, 1, 2, 3, 4, 5}}, 2, []string{"law.drift.0.weight"}},
		{with(t, mix, "law.joint=false"), [][]int{{0, 2, 3, 4, 5, 6}, {1, 4, 5, 2, 3, 6}}, 1, []string{"law.a.drift.0.weight", "law.b.noise.0.bias"}},
		{with(t, mix, "law.share=false", "law.joint=false"), [][]int{{0, 2, 3, 4, 5}, {1, 4, 5, 2, 3}}, 1, []string{"law.b.drift.0.weight"}},
		{tiny(t, "particles/flow"), [][]int{{0, 1, 2}}, 1, []string{"law.0.weight"}},
		{give(t, tiny(t, "particles/flow"), "a,b"), [][]int{{0, 1, 2, 3, 4}}, 1, []string{"law.0.weight"}},
		{give(t, with(t, mix, "law.joint=false"), "e12"), [][]int{{0, 2, 3, 4, 5, 6, 7}, {1, 4, 5, 2, 3, 6, 7}}, 1, []string{"law.a.drift.0.weight"}},
	} {
		m := build(t, tc.cfg)
		if len(m.Weights.net.Equations) != len(tc.want) {
			t.Fatalf("%d equations, want %d", len(m.Weights.net.Equations), len(tc.want))
		}
		for i, e := range m.Weights.net.Equations {
			if !slices.Equal(e.Of, tc.want[i]) || e.Macro != tc.macro || e.Still != tc.cfg.Frozen().Len() || (e.Noise != nil) != tc.cfg.Traits.Stochastic {
				t.Errorf("equation %d is of %v with %d macroscopic variables, want %v with %d", i, e.Of, e.Macro, tc.want[i], tc.macro)
			}
		}
		for _, name := range tc.names {
			found := false
			for _, p := range m.Weights.net.DynamicsLayout.Params() {
				found = found || p.Name == name
			}
			if !found {
				t.Errorf("no parameter is called %s", name)
			}
		}
	}
}
