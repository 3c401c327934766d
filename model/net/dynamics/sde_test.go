package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// forms returns the drifts for all gradient tests.
func forms() map[string]DriftConfig {
	box := Box{Half: 0.7, Pull: 3}
	onsager := OnsagerConfig{Hidden: 7, Features: 4, Dissipative: 5, Conservative: 4, Alpha: 0.05}
	resnet := ResNetConfig{Width: 6, Blocks: 2, Features: 4, Beta: 0.1, Least: 0.05}
	all := map[string]DriftConfig{
		"onsager": {Form: FormOnsager, Onsager: onsager}, "onsager-resnet": {Form: FormResNet, ResNet: resnet},
	}
	for _, act := range []kernel.Activation{kernel.ReLU, kernel.Tanh, kernel.SiLU, kernel.Softplus} {
		all["mlp "+act.String()] = DriftConfig{Form: FormMLP, Hidden: []int{6, 5}, Act: act}
	}
	for name, c := range all {
		c.Confined, c.Box = true, box
		all[name+" confined"] = c
	}
	return all
}

// problem contains a drift with random weights and a batch of states inside and outside its
// box.
type problem struct {
	dynamics      *DriftNet
	params, grads []float64
	z             []float64
}

func newProblem(c DriftConfig, dim, values int) *problem {
	rng := rand.New(rand.NewPCG(3, 4))
	var layout tensor.Layout
	p := &problem{dynamics: NewDriftNet(c, dim, &layout, "g"), z: make([]float64, values)}
	p.params, p.grads = make([]float64, layout.Size()), make([]float64, layout.Size())
	Init(p.params, p.dynamics, rng)
	for i := range p.z {
		p.z[i] = 0.7 * rng.NormFloat64()
	}
	return p
}

// checkGradient compares grad with central differences of f with respect to x. In float64 a
// step of 1e-6 leaves a truncation error near 1e-12 and a rounding error near 1e-10·f.
func checkGradient(t *testing.T, what string, f func() float64, x, grad []float64) {
	t.Helper()
	const h = 1e-6
	for i, keep := range x {
		x[i] = keep + h
		up := f()
		x[i] = keep - h
		down := f()
		x[i] = keep
		want := (up - down) / (2 * h)
		if !(math.Abs(grad[i]-want) <= 1e-7*(1+math.Abs(want))) {
			t.Errorf("%s %d: gradient %g, by differences %g", what, i, grad[i], want)
		}
	}
}

// checkReached fails if a parameter has no gradient.
func checkReached(t *testing.T, p *problem, l tensor.Layout) {
	t.Helper()
	for _, param := range l.Params() {
		reached := false
		for _, g := range tensor.Of(p.grads, param) {
			reached = reached || g != 0
		}
		if !reached {
			t.Errorf("no gradient reaches %s", param.Name)
		}
	}
}

func TestDriftGradients(t *testing.T) {
	const rows, dim = 9, 3
	for name, c := range forms() {
		for _, substeps := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s substeps %d", name, substeps), func(t *testing.T) {
				p := newProblem(c, dim, rows*dim)
				d := NewDrift[float64](p.dynamics, rows)
				if substeps > 1 {
					d = NewSubsteps(d, substeps, 0.05, rows)
				}
				if got := d.Dim(); got != dim {
					t.Fatalf("dimension %d, want %d", got, dim)
				}
				g, dz := make([]float64, rows*dim), make([]float64, rows*dim)
				loss := func() (sum float64) {
					d.Forward(g, p.params, p.z, rows)
					for i, v := range g {
						sum += float64(i%5-2) * v * v
					}
					return sum
				}
				loss()
				dg := make([]float64, len(g))
				for i, v := range g {
					dg[i] = 2 * float64(i%5-2) * v
				}
				d.Backward(dz, p.params, p.grads, p.z, dg, rows)
				checkGradient(t, "parameter", loss, p.params, p.grads)
				checkGradient(t, "state", loss, p.z, dz)
				var layout tensor.Layout
				NewDriftNet(c, dim, &layout, "g")
				checkReached(t, p, layout)
			})
		}
	}
}

// TestSubsteps compares the mean velocity over several steps with a rollout, also after a call of
// Another's methods. Backward without dz must give the same gradient of the parameters.
func TestSubsteps(t *testing.T) {
	const rows, dim, steps, h = 5, 3, 4, 0.1
	p := newProblem(forms()["mlp tanh"], dim, rows*dim)
	d := NewSubsteps(NewDrift[float64](p.dynamics, rows), steps, h, rows)
	got, other := make([]float64, rows*dim), make([]float64, rows*dim)
	d.Forward(got, p.params, p.z, rows)
	path := make([]float64, rows*(steps+1)*dim)
	NewIntegrator(NewDrift[float64](p.dynamics, rows), Euler, rows).Rollout(path, p.params, p.z, rows, steps, h)
	for i, v := range got {
		last := path[(i/dim*(steps+1)+steps)*dim+i%dim]
		if want := (last - p.z[i]) / (steps * h); math.Abs(v-want) > 1e-14 {
			t.Errorf("coordinate %d: mean velocity %g, the rollout's %g", i, v, want)
		}
	}
	d.Another().Forward(other, p.params, got, rows)
	dg := func() []float64 { return slices.Repeat([]float64{1}, rows*dim) }
	d.Backward(make([]float64, rows*dim), p.params, p.grads, p.z, dg(), rows)
	grads := make([]float64, len(p.grads))
	d.Backward(nil, p.params, grads, p.z, dg(), rows)
	if !slices.Equal(grads, p.grads) {
		t.Error("the gradient of the parameters depends on whether that of the states is wanted")
	}
	again := NewSubsteps(NewDrift[float64](p.dynamics, rows), steps, h, rows)
	again.Forward(other, p.params, p.z, rows)
	clear(grads)
	again.Backward(nil, p.params, grads, p.z, dg(), rows)
	if !slices.Equal(grads, p.grads) || !slices.Equal(other, got) {
		t.Error("a Forward of Another changes what Backward uses")
	}
}

func TestLossGradients(t *testing.T) {
	const rows, dim, dt = 4, 3, 0.1
	for name, c := range forms() {
		for _, m := range []Method{Euler, RK4} {
			for _, steps := range []int{1, 2, 4} {
				t.Run(fmt.Sprintf("%s %s %d", name, m, steps), func(t *testing.T) {
					p := newProblem(c, dim, rows*(steps+1)*dim)
					l := NewLoss(NewDrift[float64](p.dynamics, rows), m, steps, rows)
					if steps == 4 {
						l.Power, l.Macro, l.Macros = 0.5, 3, 2
					}
					value := func() float64 { return l.Value(p.params, p.z, rows, dt) }
					loss := l.Gradient(p.params, p.grads, p.z, rows, dt)
					if again := value(); loss != again {
						t.Errorf("Gradient returns the loss %g, Value %g", loss, again)
					}
					// The loss is about 100, because the states of a row are unrelated and
					// their differences are divided by dt. It is scaled to 1.
					scale := 1 / loss
					for i := range p.grads {
						p.grads[i] *= scale
					}
					checkGradient(t, "parameter", func() float64 { return scale * value() }, p.params, p.grads)
				})
			}
		}
	}
}

// TestLossIsWhatItSays compares the loss with a computation by RK4 steps of an Integrator.
func TestLossIsWhatItSays(t *testing.T) {
	const rows, dim, steps, dt = 3, 2, 3, 0.05
	p := newProblem(DriftConfig{Form: FormMLP, Hidden: []int{5}, Act: kernel.Tanh}, dim, rows*(steps+1)*dim)
	d := NewDrift[float64](p.dynamics, rows)
	z0, path := make([]float64, rows*dim), make([]float64, rows*(steps+1)*dim)
	for r := range rows {
		copy(z0[r*dim:(r+1)*dim], p.z[r*(steps+1)*dim:])
	}
	NewIntegrator(d, RK4, rows).Rollout(path, p.params, z0, rows, steps, dt)
	for _, tc := range []struct {
		power, macro float64
		macros       int
	}{{1, 1, 1}, {0, 1, 0}, {0.5, 7, 1}, {0.5, 7, 2}} {
		want := 0.0
		for i := range path {
			if k := i / dim % (steps + 1); k > 0 {
				e := (path[i] - p.z[i]) / (math.Pow(float64(k), tc.power) * dt)
				if i%dim < tc.macros {
					e *= math.Sqrt(tc.macro)
				}
				want += e * e / (rows * steps * dim)
			}
		}
		l := NewLoss(d, RK4, steps, rows)
		l.Power, l.Macro, l.Macros = tc.power, tc.macro, tc.macros
		if got := l.Value(p.params, p.z, rows, dt); !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("power %g, weight %g of %d: got %g, want %g", tc.power, tc.macro, tc.macros, got, want)
		}
	}
}

// known is a drift without weights and with known solutions.
type known struct {
	dim int
	g   func(dst, z []float64)
}

func (k known) Dim() int                { return k.dim }
func (k known) Another() Drift[float64] { return k }
func (k known) Forward(dst, _, z []float64, rows int) {
	for r := range rows {
		k.g(dst[r*k.dim:(r+1)*k.dim], z[r*k.dim:(r+1)*k.dim])
	}
}
func (known) Backward(_, _, _, _, _ []float64, _ int) {}

// TestOrder checks the orders of the methods. The order is the slope of log(error at t = 1) against
// log dt. At these dt, terms of higher order in dt change the slope by a few per cent.
func TestOrder(t *testing.T) {
	spiral := known{2, func(dst, z []float64) { dst[0], dst[1] = -0.5*z[0]-2*z[1], 2*z[0]-0.5*z[1] }}
	logistic := known{1, func(dst, z []float64) { dst[0] = z[0] * (1 - z[0]) }}
	for _, tc := range []struct {
		name string
		g    known
		z0   []float64
		z1   []float64
	}{
		{"linear spiral", spiral, []float64{1, 0}, []float64{math.Exp(-0.5) * math.Cos(2), math.Exp(-0.5) * math.Sin(2)}},
		{"logistic", logistic, []float64{0.1}, []float64{0.1 * math.E / (0.9 + 0.1*math.E)}},
	} {
		for _, m := range []struct {
			method Method
			steps  []int
			order  float64
		}{{Euler, []int{64, 128, 256, 512}, 1}, {RK4, []int{8, 16, 32, 64}, 4}} {
			t.Run(tc.name+" "+string(m.method), func(t *testing.T) {
				var x, y []float64
				for _, steps := range m.steps {
					path := make([]float64, (steps+1)*tc.g.dim)
					NewIntegrator[float64](tc.g, m.method, 1).Rollout(path, nil, tc.z0, 1, steps, 1/float64(steps))
					miss := 0.0
					for i, want := range tc.z1 {
						miss = math.Hypot(miss, path[steps*tc.g.dim+i]-want)
					}
					x, y = append(x, -math.Log(float64(steps))), append(y, math.Log(miss))
				}
				if got := slope(x, y); !(math.Abs(got-m.order) <= 0.06*m.order) {
					t.Errorf("order %g, want %g within 6 per cent", got, m.order)
				}
			})
		}
	}
}

// slope returns the slope of the least-squares line through points (x, y).
func slope(x, y []float64) float64 {
	var mx, my, xy, xx float64
	for i := range x {
		mx, my = mx+x[i]/float64(len(x)), my+y[i]/float64(len(y))
	}
	for i := range x {
		xy, xx = xy+(x[i]-mx)*(y[i]-my), xx+(x[i]-mx)*(x[i]-mx)
	}
	return xy / xx
}

// TestRolloutInBlocks checks that trajectories do not depend on the block size, and that a Step
// equals a Rollout's step. All values must be equal exactly, because in float64 no kernel reorders
// sums.
func TestRolloutInBlocks(t *testing.T) {
	const trajectories, steps, dim, dt = 7, 5, 3, 0.1
	p := newProblem(DriftConfig{Form: FormMLP, Hidden: []int{6}, Act: kernel.SiLU}, dim, trajectories*dim)
	d := NewDrift[float64](p.dynamics, trajectories)
	whole, blocks := make([]float64, trajectories*(steps+1)*dim), make([]float64, trajectories*(steps+1)*dim)
	NewIntegrator(d, RK4, trajectories).Rollout(whole, p.params, p.z, trajectories, steps, dt)
	NewIntegrator(d, RK4, 3).Rollout(blocks, p.params, p.z, trajectories, steps, dt)
	z := append([]float64(nil), p.z...)
	for range steps {
		NewIntegrator(d, RK4, trajectories).Step(z, p.params, z, trajectories, dt)
	}
	for i, want := range whole {
		if blocks[i] != want {
			t.Fatalf("value %d: %g in blocks, %g at once", i, blocks[i], want)
		}
		if e, k, j := i/dim/(steps+1), i/dim%(steps+1), i%dim; k == steps && z[e*dim+j] != want {
			t.Fatalf("trajectory %d ends at %g by steps, at %g in a rollout", e, z[e*dim+j], want)
		}
	}
}

// TestConfinedStaysBounded rolls out networks with weights a hundred times too large. The
// weights limit the drift within the box, and Box.Reach limits the states; the test allows only
// for rounding errors of float64.
func TestConfinedStaysBounded(t *testing.T) {
	const dim, trajectories, steps = 3, 20, 3000
	box := Box{Half: 1.2, Pull: 40}
	for _, act := range []kernel.Activation{kernel.ReLU, kernel.SiLU, kernel.Tanh} {
		for _, m := range []Method{Euler, RK4} {
			for _, dt := range []float64{0.001, 0.01, 0.025} {
				t.Run(fmt.Sprintf("%v %s %g", act, m, dt), func(t *testing.T) {
					p := newProblem(DriftConfig{Form: FormMLP, Hidden: []int{8, 8}, Act: act, Confined: true, Box: box}, dim, trajectories*dim)
					for i := range p.params {
						p.params[i] *= 100
					}
					reach := box.Reach(m, dt, largestDrift(p.dynamics.mlp, p.params, box.Half))
					z := make([]float64, trajectories*dim)
					copy(z, p.z)
					s := NewIntegrator(NewDrift[float64](p.dynamics, trajectories), m, trajectories)
					left := false
					for step := range steps {
						s.Step(z, p.params, z, trajectories, dt)
						for i, v := range z {
							if !(math.Abs(v) <= max(math.Abs(p.z[i]), reach)*(1+1e-12)) {
								t.Fatalf("step %d: a coordinate from %g is at %g, beyond %g", step, p.z[i], v, reach)
							}
							left = left || math.Abs(v) > 2*box.Half
						}
					}
					if !left {
						t.Errorf("no state went far from the box, so the test shows nothing")
					}
				})
			}
		}
	}
}

// largestDrift returns an upper bound of the network's outputs for inputs of size at most c. No
// activation here exceeds its argument in size, and tanh stays below 1.
func largestDrift(m *nn.MLP, params []float64, c float64) float64 {
	size := make([]float64, m.In())
	for i := range size {
		size[i] = c
	}
	for _, l := range m.Layers {
		w, b := tensor.Of(params, l.W), tensor.Of(params, l.B)
		out := make([]float64, l.Out)
		for i := range out {
			out[i] = math.Abs(b[i])
			for j, s := range size {
				out[i] += math.Abs(w[i*l.In+j]) * s
			}
			if l.Act == kernel.Tanh {
				out[i] = min(out[i], 1)
			}
		}
		size = out
	}
	largest := 0.0
	for _, s := range size {
		largest = max(largest, s)
	}
	return largest
}

// TestReachIsSharp checks that many Euler steps of a constant drift attain the limit of
// Box.Reach, and that RK4 comes near it.
func TestReachIsSharp(t *testing.T) {
	box := Box{Half: 2, Pull: 4}
	push := known{1, func(dst, _ []float64) { dst[0] = 12 }}
	for _, m := range []Method{Euler, RK4} {
		z := []float64{0}
		s := NewIntegrator[float64](NewConfined[float64](push, box, 1), m, 1)
		for range 500 {
			s.Step(z, nil, z, 1, 0.05)
		}
		if want := 2 + 12./4; !(math.Abs(z[0]-want) <= 1e-12) {
			t.Errorf("%s: a constant push of 12 ends at %g, want %g", m, z[0], want)
		}
		if reach := box.Reach(m, 0.05, 12); reach < z[0]-1e-12 || reach > 1.5*z[0] {
			t.Errorf("%s: the reach is %g where a constant push gets to %g", m, reach, z[0])
		}
	}
	if reach := box.Reach(Euler, 0.25, 12); reach != 5 {
		t.Errorf("at κ·dt = 1 the reach is %g, want 5", reach)
	}
	if reach := box.Reach(Euler, 0.3, 1); !math.IsInf(reach, 1) {
		t.Errorf("beyond κ·dt = 1 the reach is %g, want +Inf", reach)
	}
}

// TestConfinedIsTheSameInside checks that confinement does not change states in the box.
func TestConfinedIsTheSameInside(t *testing.T) {
	const rows, dim = 5, 3
	c := DriftConfig{Form: FormMLP, Hidden: []int{6}, Act: kernel.Tanh, Box: Box{Half: 10, Pull: 7}}
	p := newProblem(c, dim, rows*dim)
	free, confined := make([]float64, rows*dim), make([]float64, rows*dim)
	NewDrift[float64](p.dynamics, rows).Forward(free, p.params, p.z, rows)
	NewConfined(NewDrift[float64](p.dynamics, rows), c.Box, rows).Forward(confined, p.params, p.z, rows)
	for i, want := range free {
		if confined[i] != want {
			t.Errorf("coordinate %d: %g confined, %g free", i, confined[i], want)
		}
	}
}

// TestOnsagerDissipates checks that dV/dt = ∇V·g ≤ -α|∇V|² at many states, and that V falls
// along a rollout. A ResNet is tested without its external force.
func TestOnsagerDissipates(t *testing.T) {
	const rows, dim, alpha = 50, 4, 0.02
	for name, c := range map[string]DriftConfig{
		"onsager":        {Form: FormOnsager, Onsager: OnsagerConfig{Hidden: 9, Features: 5, Dissipative: 6, Conservative: 5, Alpha: alpha}},
		"onsager-resnet": {Form: FormResNet, ResNet: ResNetConfig{Width: 9, Blocks: 1, Features: 5, Beta: 0.1, Least: alpha}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProblem(c, dim, rows*dim)
			if n := p.dynamics.resnet; n != nil {
				clear(tensor.Of(p.params, n.forces.W))
				clear(tensor.Of(p.params, n.forces.B))
			}
			d := NewDrift[float64](p.dynamics, rows).(interface {
				Drift[float64]
				Potential(dst, params, z []float64, rows int)
				GradPotential(dst, params, z []float64, rows int)
			})
			g, v, before, after := make([]float64, rows*dim), make([]float64, rows*dim), make([]float64, rows), make([]float64, rows)
			d.Forward(g, p.params, p.z, rows)
			d.GradPotential(v, p.params, p.z, rows)
			for r := range rows {
				vr := v[r*dim : (r+1)*dim]
				if got, most := kernel.Dot(vr, g[r*dim:(r+1)*dim]), -alpha*kernel.Dot(vr, vr); got > most+1e-12 {
					t.Errorf("row %d: dV/dt = %g, want at most %g", r, got, most)
				}
			}
			s := NewIntegrator(Drift[float64](d), RK4, rows)
			z := append([]float64(nil), p.z...)
			d.Potential(before, p.params, z, rows)
			for range 100 {
				s.Step(z, p.params, z, rows, 0.01)
				d.Potential(after, p.params, z, rows)
				for r := range rows {
					if after[r] > before[r] {
						t.Fatalf("row %d: the potential rises from %g to %g", r, before[r], after[r])
					}
				}
				copy(before, after)
			}
		})
	}
}

// TestTooManyRows checks that 3 rows cause a panic if there is memory for 2 rows only.
func TestTooManyRows(t *testing.T) {
	const dim = 2
	p := newProblem(DriftConfig{Form: FormMLP, Hidden: []int{3}, Act: kernel.Tanh}, dim, 3*2*dim)
	onsager := newProblem(DriftConfig{Form: FormOnsager, Onsager: OnsagerConfig{3, 3, 3, 3, 0.1}}, dim, 3*dim)
	resnet := newProblem(DriftConfig{Form: FormResNet, ResNet: ResNetConfig{3, 1, 3, 0.1, 0.1}}, dim, 3*dim)
	var layout tensor.Layout
	constant := NewNoise(NoiseConfig{Form: NoiseConstant, Floor: 0.1}, dim, &layout, "sigma")
	dst := make([]float64, 3*dim)
	for name, call := range map[string]func(){
		"mlp":            func() { NewDrift[float64](p.dynamics, 2).Forward(dst, p.params, p.z, 3) },
		"onsager":        func() { NewDrift[float64](onsager.dynamics, 2).Forward(dst, onsager.params, onsager.z, 3) },
		"onsager-resnet": func() { NewDrift[float64](resnet.dynamics, 2).Forward(dst, resnet.params, resnet.z, 3) },
		"diffusion":      func() { NewDiffusion[float64](constant, 2).Forward(dst, make([]float64, dim), p.z, 3) },
		"integrator":     func() { NewIntegrator(NewDrift[float64](p.dynamics, 3), Euler, 2).Step(dst, p.params, p.z, 3, 0.1) },
		"loss":           func() { NewLoss(NewDrift[float64](p.dynamics, 3), Euler, 1, 2).Value(p.params, p.z, 3, 0.1) },
		"loss of no row": func() { NewLoss(NewDrift[float64](p.dynamics, 3), Euler, 1, 2).Value(p.params, p.z, 0, 0.1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if _, ok := recover().(string); !ok {
					t.Error("no panic that says so")
				}
			}()
			call()
		})
	}
}

// TestInit checks that every parameter is drawn.
func TestInit(t *testing.T) {
	for name, c := range forms() {
		var layout tensor.Layout
		p := newProblem(c, 3, 0)
		NewDriftNet(c, 3, &layout, "g")
		for _, param := range layout.Params() {
			if slices.Contains(tensor.Of(p.params, param), 0) {
				t.Errorf("%s: %s has a zero", name, param.Name)
			}
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	const rows, steps, dt = 33, 3, 0.01
	for name, c := range forms() {
		rng := rand.New(rand.NewPCG(1, 2))
		var layout tensor.Layout
		dynamics := NewDriftNet(c, 9, &layout, "g")
		params, grads := make([]float32, layout.Size()), make([]float32, layout.Size())
		Init(params, dynamics, rng)
		z, path := make([]float32, rows*(steps+1)*9), make([]float32, rows*(steps+1)*9)
		d := NewDrift[float32](dynamics, rows)
		l, s, sub := NewLoss(d, RK4, steps, rows), NewIntegrator(d, RK4, rows), NewSubsteps(d, steps, dt, rows)
		if n := testing.AllocsPerRun(5, func() {
			l.Gradient(params, grads, z, rows, dt)
			sub.Forward(path, params, z, rows)
			sub.Backward(path, params, grads, z, path[rows*9:], rows)
			s.Rollout(path, params, z, rows, steps, dt)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestValidate(t *testing.T) {
	onsager := Default()
	onsager.Form, onsager.Confined = FormOnsager, true
	resnet := Default()
	resnet.Form = FormResNet
	for _, c := range []DriftConfig{Default(), onsager, resnet} {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
	for name, change := range map[string]func(*DriftConfig){
		"an unknown form":   func(c *DriftConfig) { c.Form = "tree" },
		"no form":           func(c *DriftConfig) { c.Form = "" },
		"an empty layer":    func(c *DriftConfig) { c.Hidden = []int{0} },
		"an unknown act":    func(c *DriftConfig) { c.Act = 99 },
		"no features":       func(c *DriftConfig) { c.Form, c.Onsager.Features = FormOnsager, 0 },
		"no dissipation":    func(c *DriftConfig) { c.Form, c.Onsager.Alpha = FormOnsager, 0 },
		"α not a number":    func(c *DriftConfig) { c.Form, c.Onsager.Alpha = FormOnsager, math.NaN() },
		"no shared layer":   func(c *DriftConfig) { c.Form, c.ResNet.Width = FormResNet, 0 },
		"too many blocks":   func(c *DriftConfig) { c.Form, c.ResNet.Blocks = FormResNet, 17 },
		"no least":          func(c *DriftConfig) { c.Form, c.ResNet.Least = FormResNet, 0 },
		"β not a number":    func(c *DriftConfig) { c.Form, c.ResNet.Beta = FormResNet, math.NaN() },
		"a box of no width": func(c *DriftConfig) { c.Confined, c.Box.Half = true, 0 },
		"a box that pushes": func(c *DriftConfig) { c.Confined, c.Box.Pull = true, -1 },
		"an infinite box":   func(c *DriftConfig) { c.Confined, c.Box.Half = true, math.Inf(1) },
	} {
		c := Default()
		if change(&c); c.Validate() == nil {
			t.Errorf("%s passes", name)
		}
	}
	for m, ok := range map[Method]bool{Euler: true, RK4: true, "": false, "heun": false} {
		if err := m.Validate(); (err == nil) != ok {
			t.Errorf("method %q: %v", m, err)
		}
	}
}

// Two Euler steps of dz/dt = -z, half a unit of time each.
func ExampleIntegrator_Rollout() {
	var layout tensor.Layout
	dynamics := NewDriftNet(DriftConfig{Form: FormMLP}, 1, &layout, "g") // no hidden layer: g(z) = wz + b
	params := []float64{-1, 0}
	path := make([]float64, 3)
	NewIntegrator(NewDrift[float64](dynamics, 1), Euler, 1).Rollout(path, params, []float64{1}, 1, 2, 0.5)
	fmt.Println(path)
	// Output: [1 0.5 0.25]
}
