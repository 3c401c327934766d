package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/net/dynamics"
	"macroscope/model/system"
	polymersystem "macroscope/model/system/polymer"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// dynamic returns named configurations that together have all forms of the dynamics.
func dynamic(t testing.TB) map[string]Config {
	mix := tiny(t, "mixing/flow")
	full := mix
	full.Dynamics.Noise.Form = dynamics.NoiseFull
	onsager := tiny(t, "particles/flow")
	onsager.Dynamics.Drift.Form, onsager.Dynamics.Drift.Confined = dynamics.FormOnsager, false
	onsager.Dynamics.Drift.Onsager = dynamics.DefaultOnsager()
	onsager.Dynamics.Drift.Onsager.Hidden, onsager.Dynamics.Drift.Onsager.Features = 6, 4
	one := tiny(t, "particles/flow")
	one.Views, one.Turn = 1, false
	return map[string]Config{
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
func give(t testing.TB, c Config, params string) Config {
	t.Helper()
	return with(t, c, "dynamics.params="+params)
}

func forEachDynamic(t *testing.T, do func(t *testing.T, c Config)) {
	for name, c := range dynamic(t) {
		t.Run(name, func(t *testing.T) {
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
			do(t, c)
		})
	}
}

// TestForecastIsRun advances a Forecast frame by frame, like a page. The Forecast must
// give the same bits as Task.Run and Predict, with any number of workers, and also when it is
// used again.
func TestForecastIsRun(t *testing.T) {
	forEachDynamic(t, func(t *testing.T, c Config) {
		m := build(t, c)
		const count, frames = 11, 6 // one full block and part of a second block
		src := record(&c, 3, count, frames, 9)
		members := 1
		if c.Traits.Stochastic {
			members = 5
		}
		want, err := Task{Model: m, Source: src, Count: count, Members: members, Seed: 7, Workers: 1}.Run(work.Until(context.Background()))
		if err != nil {
			t.Fatal(err)
		}
		if want.Trajectories() != count || want.Members != members || len(want.Pred) != count*members*frames*c.Variables {
			t.Fatalf("%d trajectories of %d members, %d numbers", want.Trajectories(), want.Members, len(want.Pred))
		}
		again, err := Task{Model: m, Source: src, Count: 99, Members: members, Seed: 7, Workers: 3}.Run(work.Until(context.Background()))
		if err != nil || !slices.Equal(again.Pred, want.Pred) || !slices.Equal(again.Truth, want.Truth) || !slices.Equal(again.Left, want.Left) {
			t.Errorf("three workers predict otherwise than one, %v", err)
		}
		if slices.ContainsFunc(want.Pred, func(v float32) bool { return v-v != 0 }) {
			t.Fatal("predictions that are not finite")
		}

		// Advance a Forecast for each block of trajectories. A Task has the same blocks.
		v, vars := c.Views*c.States(), c.Variables
		for first := 0; first < count; first += Side {
			n := min(Side, count-first)
			z := make([]float32, n*v)
			coder := m.NewCoder()
			for e := range n {
				coder.States(z[e*v:(e+1)*v], src.frame(m, first+e), src.of[first+e].Macro[:vars])
			}
			f := m.NewForecast(n, members)
			for range 2 {
				f.Begin(z, 7, uint64(first/Side))
				got := make([]float32, n*members*frames*vars)
				for k := range frames {
					if f.Frame() != k {
						t.Fatalf("frame %d, want %d", f.Frame(), k)
					}
					m.read(got, f, n, members, frames, k)
					f.Step(m.DynamicsParams)
				}
				if row := members * frames * vars; !slices.Equal(got, want.Pred[first*row:(first+n)*row]) {
					t.Fatalf("block from %d: other predictions", first)
				}
			}
		}

		// Predict computes one trajectory, and a Task several together. With one equation, the
		// first trajectory has the same noise in both. Sums may have another order, so the results
		// agree up to rounding. With several equations, the noise differs: each equation draws the
		// noise of all trajectories before the next equation draws any.
		got, alone := make([]float32, members*frames*vars), make([]float32, members*frames*vars)
		m.Predict(got, src.frame(m, 0), src.of[0].Macro[:vars], members, frames, 7)
		z, f := make([]float32, v), m.NewForecast(1, members)
		m.NewCoder().States(z, src.frame(m, 0), src.of[0].Macro[:vars])
		f.Begin(z, 7, 0)
		for k := range frames {
			m.read(alone, f, 1, members, frames, k)
			f.Step(m.DynamicsParams)
		}
		if !slices.Equal(got, alone) {
			t.Errorf("Predict says %v, want %v", got, alone)
		}
		if len(m.equations) == 1 && far(got, want.Pred) > 1e-5 {
			t.Errorf("Predict says %v, Run %v", got, want.Pred[:len(got)])
		}
		if c.Traits.Stochastic {
			m.Predict(got, src.frame(m, 0), src.of[0].Macro[:vars], members, frames, 8)
			if slices.Equal(got, want.Pred[:len(got)]) {
				t.Error("another seed predicts the same")
			}
		}
	})
}

// TestReadings compares the methods that read the variables of a Forecast.
func TestReadings(t *testing.T) {
	forEachDynamic(t, func(t *testing.T, c Config) {
		m := build(t, c)
		src := record(&c, 3, 2, 2, 9)
		v := c.States()
		z := make([]float32, 2*c.Views*v)
		for e := range 2 {
			m.NewCoder().States(z[e*c.Views*v:(e+1)*c.Views*v], src.frame(m, e), src.of[e].Macro[:c.Variables])
		}
		f := m.NewForecast(2, 3)
		f.Begin(z, 1, 0)
		wantRows := c.Views
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
						if want := z[(e*c.Views+min(r, c.Views-1))*v+k]; step == 0 && x != want {
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
					if want := z[e*c.Views*v+k]; first[k] != want {
						t.Errorf("frozen variable %d becomes %g, from %g", k, first[k], want)
					}
				}
			}
			f.Step(m.DynamicsParams)
		}
		f.Begin(z, 1, 0)
		if n := testing.AllocsPerRun(5, func() { f.Step(m.DynamicsParams) }); n != 0 {
			t.Errorf("%v allocations a step", n)
		}
	})
}

// TestOrder shuffles the particles of a frame. The prediction must have the same bits if the
// encoder does not depend on the order, and other bits if it does.
func TestOrder(t *testing.T) {
	forEachDynamic(t, func(t *testing.T, c Config) {
		m := build(t, c)
		src := record(&c, 4, 1, 2, 9)
		f, macro := src.frame(m, 0), src.of[0].Macro[:c.Variables]
		const members, frames = 3, 8
		want, got := make([]float32, members*frames*c.Variables), make([]float32, members*frames*c.Variables)
		m.Predict(want, f, macro, members, frames, 1)
		r := rng.New(4, "test of orders")
		for range 10 {
			m.Predict(got, shuffled(f, c.Dim(), r), macro, members, frames, 1)
			if same := slices.Equal(got, want); same == c.Encoder.Ordered() {
				t.Fatalf("another order of the particles predicts the same: %v", same)
			}
		}
	})
}

// TestViews turns a frame by an angle that only permutes its views. The prediction must
// agree up to rounding; untrained dynamics hardly amplify the rounding errors.
func TestViews(t *testing.T) {
	c := tiny(t, "particles/flow")
	m := build(t, c)
	m.Scale = NewScale(2, c.States()) // turning requires the same scale for both coordinates
	src := record(&c, 5, 1, 2, 9)
	f, macro := src.frame(m, 0), src.of[0].Macro[:1]
	const frames = 50
	want, got := make([]float32, frames), make([]float32, frames)
	m.Predict(want, f, macro, 1, frames, 0)
	turned := &system.Frame{Points: make([]float32, len(f.Points)), Ends: f.Ends}
	for _, mirrored := range []bool{false, true} {
		angle := 4 * math.Pi / float64(c.Views)
		if mirrored {
			angle /= 2
		}
		Turn(turned.Points, f.Points, angle, mirrored)
		m.Predict(got, turned, macro, 1, frames, 0)
		if most := far(got, want); most > 5e-6 {
			t.Errorf("mirrored %v: off by %g", mirrored, most)
		}
	}
	m.Config.Views = 1
	m.Predict(want, f, macro, 1, frames, 0)
	m.Predict(got, turned, macro, 1, frames, 0)
	if most := far(got, want); most < 2e-5 {
		t.Errorf("one view of a turned frame differs by %g alone, so the test above shows nothing", most)
	}
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
			for i := range m.equations {
				e := &m.equations[i]
				const rows = 6
				d := len(e.of)
				r := rng.New(1, "test of shares")
				z := make([]float32, rows*2*d)
				for i := range z {
					z[i] = float32(r.NormFloat64()) / 2
					if i%d == d-1 {
						z[i] = 0.25
					}
				}
				drift, noise := e.newDrift(rows), e.newDiffusion(rows, unnoticed(c.Dynamics.Dt))
				got := dynamics.NewLikelihood(drift, noise, 1, rows).Value(m.DynamicsParams, z, rows, c.Dynamics.Dt)

				// Compute the likelihood by hand, without the share.
				g, sigma, from := make([]float32, rows*d), make([]float32, rows*noise.Width()), make([]float32, rows*d)
				for r := range rows {
					copy(from[r*d:], z[r*2*d:r*2*d+d])
				}
				drift.Forward(g, m.DynamicsParams, from, rows)
				noise.Forward(sigma, m.DynamicsParams, from, rows)
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
				dynamics.NewEulerMaruyama(e.newDrift(rows), e.newDiffusion(rows, 0), rows).Rollout(path, m.DynamicsParams, from, rows, 1, 20, c.Dynamics.Dt, r.Rand)
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
	forEachDynamic(t, func(t *testing.T, c Config) {
		for _, part := range []Training{
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
			grads := make([]float32, len(m.DynamicsParams))
			for i := range grads {
				grads[i] = 2
			}
			loss := o.Gradient(m.DynamicsParams, grads, z, rows)
			scratch := make([]float32, len(grads))
			value := func() float64 { return o.Gradient(m.DynamicsParams, scratch, z, rows) }
			if again := value(); again != loss || math.IsNaN(loss) {
				t.Fatalf("loss %g, then %g", loss, again)
			}
			for _, p := range m.dynamicsLayout.Params() {
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
				at := m.DynamicsParams[p.Offset : p.Offset+p.Len()]
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
	for window, method := range map[int]dynamics.Method{1: dynamics.Euler, 3: dynamics.RK4} {
		z := make([]float32, rows*(window+1)*c.States())
		r := rng.New(3, "test of objectives")
		for i := range z {
			z[i] = float32(r.NormFloat64())
		}
		grads := make([]float32, len(m.DynamicsParams))
		part := Training{Window: window, Stride: 2, Power: 0.5, Macro: 7}
		got := m.NewObjective(part, rows).Gradient(m.DynamicsParams, grads, z, rows)
		loss := dynamics.NewLoss(m.equations[0].newDrift(rows), method, window, rows)
		loss.Power, loss.First = 0.5, 7
		if want := loss.Gradient(m.DynamicsParams, grads, z, rows, 2*c.Dynamics.Dt); got != want {
			t.Errorf("%d steps: loss %g, want %g", window, got, want)
		}
	}
}

// TestNoiseOfAForecast checks that the members of an ensemble diverge independently: one step
// from a common state gives a standard deviation of √Δt Σ.
func TestNoiseOfAForecast(t *testing.T) {
	c := tiny(t, "mixing/flow")
	m := build(t, c)
	const members = 4000
	v := c.States()
	z := make([]float32, v)
	for i := range z {
		z[i] = 0.1 * float32(i)
	}
	e := &m.equations[0]
	noise := e.newDiffusion(1, 0)
	sigma := make([]float32, noise.Width())
	noise.Forward(sigma, m.DynamicsParams, z, 1)
	f := m.NewForecast(1, members)
	f.Begin(z, 1, 0)
	f.Step(m.DynamicsParams)
	values := make([]float32, members)
	for i := range v {
		f.Variable(values, 0, i)
		_, sd := Band(values, 1)
		// The standard error of sd is 1.1 %.
		if want := math.Sqrt(c.Dynamics.Dt) * float64(sigma[i]); math.Abs(sd[0]-want) > 0.05*want+1e-7 {
			t.Errorf("variable %d spreads by %g, want %g", i, sd[0], want)
		}
	}
}

// TestBlocksHaveTheirOwnNoise starts several paths from the same state. With another block or
// another seed the paths must differ; with the same block and seed they must be equal.
func TestBlocksHaveTheirOwnNoise(t *testing.T) {
	m := build(t, tiny(t, "mixing/flow"))
	const members = 5
	f := m.NewForecast(1, members)
	run := func(seed, block uint64) []float32 {
		f.Begin(make([]float32, m.Config.States()*m.Config.Views), seed, block)
		f.Step(m.DynamicsParams)
		values := make([]float32, members)
		f.Variable(values, 0, 0)
		return values
	}
	first := run(1, 0)
	for _, of := range [][2]uint64{{1, 1}, {1, 2}, {2, 0}} {
		for i, v := range run(of[0], of[1]) {
			if slices.Contains(first, v) {
				t.Errorf("member %d of seed %d, block %d is a member of seed 1, block 0", i, of[0], of[1])
			}
		}
	}
	if again := run(1, 0); !slices.Equal(again, first) {
		t.Errorf("again %v, want %v", again, first)
	}
}

// TestEquations lists the variables of every equation: the set's macroscopic variables, the
// set's ẑ, the other sets' ẑ, the share of the first species, and the given parameters.
func TestEquations(t *testing.T) {
	mix := tiny(t, "mixing/flow") // z is R_AB, R_BA, two of ẑ_A, two of ẑ_B, and the share
	for _, tc := range []struct {
		cfg   Config
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
		if len(m.equations) != len(tc.want) {
			t.Fatalf("%d equations, want %d", len(m.equations), len(tc.want))
		}
		for i, e := range m.equations {
			if !slices.Equal(e.of, tc.want[i]) || e.macro != tc.macro || e.still != tc.cfg.still() || (e.noise != nil) != tc.cfg.Traits.Stochastic {
				t.Errorf("equation %d is of %v with %d macroscopic variables, want %v with %d", i, e.of, e.macro, tc.want[i], tc.macro)
			}
		}
		for _, name := range tc.names {
			found := false
			for _, p := range m.dynamicsLayout.Params() {
				found = found || p.Name == name
			}
			if !found {
				t.Errorf("no parameter is called %s", name)
			}
		}
	}
}

// TestStarts cuts trajectories after their first frames. The predictions must equal the
// predictions from whole trajectories.
func TestStarts(t *testing.T) {
	for _, pair := range []string{"mixing/flow", "particles/flow", "polymer-video/flow-memory"} {
		c := tiny(t, pair)
		c.Dynamics.Begin = min(c.Dynamics.Begin, 2)
		m := build(t, c)
		src := record(&c, 6, 6, 5, 9)
		starts, err := system.CollectStarts(work.Until(context.Background()), src, c.Dynamics.Begin, 4, 2)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Task{Model: m, Source: src, Count: 4, Members: 3, Seed: 1, Workers: 1}.Run(work.Until(context.Background()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Task{Model: m, Source: starts, Count: 4, Members: 3, Seed: 1, Workers: 1}.Run(work.Until(context.Background()))
		if err != nil || !slices.Equal(got.Pred, want.Pred) || !slices.Equal(got.Truth, want.Truth) {
			t.Errorf("%s: starts give other predictions (%v)", pair, err)
		}
	}
}

func TestTaskRefuses(t *testing.T) {
	c := tiny(t, "particles/ae-aug")
	m := build(t, c)
	if _, err := (Task{Model: m, Source: record(&c, 1, 2, 3, 8), Count: 2, Members: 1, Seed: 1, Workers: 1}).Run(work.Until(context.Background())); err == nil || !strings.Contains(err.Error(), "takes exactly 9") || !strings.Contains(err.Error(), "trajectory ") {
		t.Errorf("sets of another size: %v", err)
	}
	space := c.withDim(3)
	if _, err := (Task{Model: m, Source: record(&space, 1, 2, 3, 9), Count: 2, Members: 1, Seed: 1, Workers: 1}).Run(work.Until(context.Background())); err == nil || !strings.Contains(err.Error(), "have 3 coordinates, and the model was trained on 2") {
		t.Errorf("particles in space: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Task{Model: m, Source: record(&c, 1, 2, 3, 9), Count: 2, Members: 1, Seed: 1, Workers: 1}).Run(work.Until(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	mix := tiny(t, "mixing/flow")
	src := record(&mix, 1, 2, 3, 9)
	for i := range src.of[1].Species {
		src.of[1].Species[i] = 2
	}
	if _, err := (Task{Model: build(t, mix), Source: src, Count: 2, Members: 2, Seed: 1, Workers: 1}).Run(work.Until(context.Background())); err == nil || !strings.Contains(err.Error(), "no particles") {
		t.Errorf("a species without particles: %v", err)
	}
}

func TestMeasures(t *testing.T) {
	p := &Prediction{Frames: 3, Members: 1, Variables: 1, Pred: []float32{1, 2, 3, 1, 1, 1}, Truth: []float32{1, 2, 3, 1, 1, 2}}
	e := p.MRE()
	if len(e) != 2 || e[0] != 0 || !(e[1] > 0) {
		t.Errorf("MRE %v", e)
	}
	mean, median, largest := Summary([]float64{3, 1, 2, 6})
	if mean != 3 || median != 2.5 || largest != 6 {
		t.Errorf("mean %g, median %g, largest %g", mean, median, largest)
	}
	if mean, median, largest = Summary([]float64{1, math.NaN(), 2}); !math.IsInf(mean, 1) || median != 2 || !math.IsInf(largest, 1) {
		t.Errorf("mean %g, median %g, largest %g", mean, median, largest)
	}
	errors := []float64{2, 1}
	if Summary(errors); errors[0] != 2 {
		t.Error("the errors are sorted in place")
	}

	// Four trajectories of two frames and two variables, with ensembles of three members.
	// The band contains the truth for 3 of the 8 values after frame 0.
	ens := &Prediction{Frames: 2, Members: 3, Variables: 2, Stretch: 1, Unit: 1}
	for e := range 4 {
		ens.Truth = append(ens.Truth, 0, 0, float32(e), 10)
		for k := range 3 {
			ens.Pred = append(ens.Pred, 9, 9, float32(k), 1)
		}
	}
	if share, _, nominal := ens.Coverage(); share != 3./8 || nominal != 0.5 {
		t.Errorf("coverage %g, nominally %g", share, nominal)
	}
	own := &Prediction{Frames: 2, Members: 1, Variables: 2, Unit: 1, Pred: ens.Truth, Truth: ens.Truth}
	if got := value(own.MMD(t.Context())); !(math.Abs(got) < 1e-6) {
		t.Errorf("the truth is %g from itself", got)
	}
	if got := value(ens.MMD(t.Context())); !(got > 0.1) {
		t.Errorf("predictions far from the truth are %g from it", got)
	}
	doubled := &Prediction{Frames: 2, Members: 3, Variables: 2, Unit: 2}
	for _, v := range ens.Truth {
		doubled.Truth = append(doubled.Truth, 2*v)
	}
	for _, v := range ens.Pred {
		doubled.Pred = append(doubled.Pred, 2*v)
	}
	truth := slices.Clone(doubled.Truth)
	if a, b := value(ens.MMD(t.Context())), value(doubled.MMD(t.Context())); a != b || !slices.Equal(truth, doubled.Truth) {
		t.Errorf("in units twice as large, twice as large values are %g apart, want %g", b, a)
	}
	perfect := func(p *Prediction) [2]float64 {
		mean, sd, err := p.PerfectMMD(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return [2]float64{mean, sd}
	}
	if a, b := perfect(ens), perfect(doubled); a != b || !slices.Equal(truth, doubled.Truth) {
		t.Errorf("in units twice as large, a perfect model has %g, want %g", b, a)
	}
	// The distances of frame 0 are 0, and those of frame 1 are beyond the kernels.
	far := &Prediction{Frames: 2, Members: 1, Variables: 1, Unit: 1, Pred: make([]float32, 8), Truth: []float32{0, 10, 0, 20, 0, 30, 0, 40}}
	if got := perfect(far); math.Abs(got[0]-0.25) > 1e-9 || got[1] > 1e-9 {
		t.Errorf("of four trajectories that are alike in one of two frames, a perfect model has %g", got)
	}
	ens.Pred[0] = float32(math.NaN())
	if !math.IsInf(value(ens.MMD(t.Context())), 1) {
		t.Errorf("what has left all bounds is %g away", value(ens.MMD(t.Context())))
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("one trajectory has a spread")
			}
		}()
		(&Prediction{Frames: 2, Members: 1, Variables: 1, Truth: []float32{1, 2}}).PerfectMMD(t.Context())
	}()

	band, sd := Band([]float32{1, 5, 3, 5}, 2)
	if !slices.Equal(band, []float64{2, 5}) || !slices.Equal(sd, []float64{1, 0}) {
		t.Errorf("mean %v, deviation %v", band, sd)
	}
}

func TestBandNominal(t *testing.T) {
	for _, members := range []int{19, 39, 99, 199, 399} {
		if got := BandNominal(members); math.Abs(got-BandShare) > 1e-12 {
			t.Errorf("%d members: %g, want %g", members, got, BandShare)
		}
	}
	for _, members := range []int{1, 2, 5} { // even for so few members the nominal coverage is at least 0 and less than 1
		if got := BandNominal(members); !(got >= 0 && got < 1) {
			t.Errorf("%d members: %g", members, got)
		}
	}
	values := []float32{5, 3, 1, 2, 4}
	if low, high := Bounds(values, 1); low != 1 || high != 5 {
		t.Errorf("from %g to %g", low, high)
	}
	var many []float32
	for i := range 39 {
		many = append(many, float32((i*7)%39))
	}
	if low, high := Bounds(many, 1); low != 1 || high != 37 {
		t.Errorf("from %g to %g, want 1 to 37", low, high)
	}
}

// TestBandCoversItsShare draws members and truths from one distribution and counts how many
// truths lie in the bands.
func TestBandCoversItsShare(t *testing.T) {
	const trials, members = 20_000, 39
	r := rng.New(1, "test of bands")
	inside := 0
	values := make([]float32, members)
	for range trials {
		for i := range values {
			values[i] = float32(r.NormFloat64())
		}
		low, high := Bounds(values, 1)
		if v := float32(r.NormFloat64()); low <= v && v <= high {
			inside++
		}
	}
	// The tolerance is three standard errors of a share in 20 000 trials.
	if share := float64(inside) / trials; math.Abs(share-BandShare) > 3*math.Sqrt(BandShare*(1-BandShare)/trials) {
		t.Errorf("share %g, want %g", share, BandShare)
	}
}

// TestShippedPredict checks that the shipped models predict new trajectories as accurately as
// measured before. The limits are three times the mean errors over 1000 trajectories of each
// kind, because a mean over a few trajectories scatters.
func TestShippedPredict(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds without SIMD")
	}
	for name, most := range map[string]map[string]float64{
		"particles-laptop.safetensors": {"in-dst": 5e-5, "diff-init": 1e-3, "diff-N": 5e-5},
		"particles-ae-aug.safetensors": {"in-dst": 3e-3, "diff-init": 3e-3},
	} {
		m, _ := shipped(t, name)
		for _, test := range m.System.Tests(0) {
			source := test.Source
			if m.Config.Encoder.Ordered() {
				source = test.Fixed
			}
			if source == nil {
				if _, ok := most[test.Name]; ok {
					t.Errorf("%s: there are no sets of a fixed size", test.Name)
				}
				continue
			}
			p, err := Task{Model: m, Source: source(7, 10), Count: 10, Members: 1, Seed: 1, Workers: 2}.Run(work.Until(context.Background()))
			if err != nil {
				t.Fatal(err)
			}
			mean, _, _ := Summary(p.MRE())
			t.Logf("%s, %s: MRE %.2e", name, test.Name, mean)
			if !(mean <= most[test.Name]) || m.Config.Encoder.Ordered() && mean < 1e-4 {
				t.Errorf("%s, %s: MRE %.2e, want at most %.1e", name, test.Name, mean, most[test.Name])
			}
		}
	}
}

// TestShippedDemoKL checks the KL of a shipped model on the same sets as the command eval. If
// kernels sum in another order, the KL changes by a hundredth of the tolerance.
func TestShippedDemoKL(t *testing.T) {
	m, _ := shipped(t, "demo-eps0.1-z8.safetensors")
	const want, tolerance = 0.0066228829, 1e-4
	if got := value(m.KL(work.Until(t.Context()), 0.1, 300, 512, 20_260)); !(math.Abs(got-want) <= tolerance*want) {
		t.Errorf("KL %.10f, want %.10f to %g of it", got, want, tolerance)
	}
}

// TestKL checks that the validation sets depend only on the seed, and that the first sets do
// not depend on the number of sets.
func TestKL(t *testing.T) {
	m := build(t, tiny(t, "line/flow"))
	a := value(m.KL(work.Until(t.Context()), 0.1, 5, 100, 3))
	if b := value(m.KL(work.Until(t.Context()), 0.1, 5, 100, 3)); a != b || !(a > 0) {
		t.Errorf("KL %g, then %g", a, b)
	}
	if b := value(m.KL(work.Until(t.Context()), 0.1, 5, 100, 4)); a == b {
		t.Error("another seed has the same sets")
	}
	one, two := value(m.KL(work.Until(t.Context()), 0.1, 1, 100, 3)), value(m.KL(work.Until(t.Context()), 0.1, 2, 100, 3))
	if one == two {
		t.Error("two sets are the same")
	}
	sampler, v := m.System.(system.Sampler), m.NewComparison(100)
	src, z := rng.New(1, "test of KL"), make([]float32, 2)
	sum := 0.0
	f := system.Frame{Points: make([]float32, 9), Ends: []int{9}}
	for i := range 2 {
		sampler.Validation(f.Points, src, 3, i)
		m.NewCoder().Encode(z, &f)
		sum += v.KL(f.Points, z, 0.1, src)
	}
	if sum/2 != two {
		t.Errorf("KL %g, by hand %g", two, sum/2)
	}
	if n := testing.AllocsPerRun(5, func() { v.KL(f.Points, z, 0.1, src) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// value returns a function's result. The function fails only if its context is cancelled.
func value(v float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return v
}

// TestEnsemblesBeginWithViews checks that the members of an ensemble start in turn from the
// mirror images of frame 0. Each image must be encoded like a frame with mirrored beads.
func TestEnsemblesBeginWithViews(t *testing.T) {
	const beads, members, states = 8, 19, 2
	sys := polymersystem.System{}
	c, err := systems().Preset("polymer/flow@quick")
	if err != nil {
		t.Fatal(err)
	}
	c.Particles = beads
	if c.Views != 8 {
		t.Fatalf("%d views of a chain, which can be mirrored in three ways", c.Views)
	}
	m := New(c, sys)
	coder := m.NewCoder()
	var z0, want []float32
	err = system.Each(work.Until(t.Context()), sys.Simulated(c.Choice(system.Train, 1, states)), states, 1, func(e int, tr *system.Trajectory) error {
		var f system.Frame
		z := make([]float32, c.Views*c.States())
		sys.Frame(&f, tr, 0, c.Dim())
		coder.States(z, &f, tr.At(0, 1))
		z0 = append(z0, z...)
		for ways := range c.Views {
			mirrored := tr.Clone()
			sys.Mirror(mirrored.Points, beads, uint(ways))
			sys.Frame(&f, mirrored, 0, c.Dim())
			coder.State(z[:c.States()], coder.Canonical(&f), tr.At(0, 1), 0)
			want = append(want, z[:c.States()]...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f := m.NewForecast(states, members)
	f.Begin(z0, 1, 0)
	got := make([]float32, members)
	for e := range states {
		for k := range c.States() {
			f.Variable(got, e, k)
			for j, v := range got {
				view := (e*members + j) % c.Views
				if w := want[(e*c.Views+view)*c.States()+k]; !(math.Abs(float64(v-w)) <= 1e-4) {
					t.Fatalf("state %d, member %d, variable %d begins at %g, want %g of view %d", e, j, k, v, w, view)
				}
			}
		}
	}
}
