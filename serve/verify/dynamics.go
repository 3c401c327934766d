package verify

import (
	"slices"
	"strings"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/dynamics"
)

// onsager checks the potential, its gradient and the drift.
func onsager[T tensor.Float](c *check[T]) {
	cfg := dynamics.DriftConfig{Form: dynamics.FormOnsager, Onsager: dynamics.OnsagerConfig{
		Hidden: c.size("pot_b0"), Features: c.size("pot_b1"),
		Dissipative: c.size("diss_b0"), Conservative: c.size("cons_b0"), Alpha: c.scalar("alpha"),
	}}
	must(cfg.Validate())
	var net network[T]
	o := dynamics.NewOnsager(cfg.Onsager, c.lengths["d"], &net.layout, "g")
	c.fill(&net, strings.Fields("pot_w0 pot_b0 pot_w1 pot_b1 gamma diss_w0 diss_b0 diss_w1 diss_b1 cons_w0 cons_b0 cons_w1 cons_b1"))
	gradientFlow(c, dynamics.NewOnsagerNet[T](o, c.lengths["n"]), net.params)
}

// gradientFlow checks dynamics that have a potential. At all states it compares the potential, the
// potential's gradient and the drift. It returns the drift.
func gradientFlow[T tensor.Float](c *check[T], d interface {
	Potential(dst, params, x []T, rows int)
	GradPotential(dst, params, x []T, rows int)
	Forward(dst, params, x []T, rows int)
}, params []T) (drift []T) {
	x, rows := c.data("x"), c.lengths["n"]
	potential, gradient, drift := make([]T, rows), make([]T, len(x)), make([]T, len(x))
	d.Potential(potential, params, x, rows)
	d.GradPotential(gradient, params, x, rows)
	d.Forward(drift, params, x, rows)
	c.equal("potential", potential)
	c.equal("grad_potential", gradient)
	c.equal("drift", drift)
	return drift
}

// resNet checks the potential, its gradient and the drift. It also checks the mean squared error
// of the drift, and the gradients of this error. They contain second derivatives of the potential.
func resNet[T tensor.Float](c *check[T]) {
	trunk, widths := c.layers("trunk%d_w", "trunk%d_b")
	cfg := dynamics.ResNetConfig{Width: widths[0], Blocks: len(widths) - 1, Features: c.size("pot_b"), Beta: c.scalar("beta"), Least: c.scalar("min_d")}
	must(cfg.Validate())
	var net network[T]
	n := dynamics.NewResNet(cfg, c.lengths["d"], &net.layout, "g")
	c.fill(&net, append(trunk, strings.Fields("matrix_w matrix_b pot_w pot_b pot_in_w pot_in_b force_w force_b")...))
	rows := c.lengths["n"]
	d := dynamics.NewOnsagerResNet[T](n, rows)
	drift := gradientFlow(c, d, net.params)
	rate, dg, dx := c.data("rate"), make([]T, len(drift)), make([]T, len(drift))
	loss := 0.0
	for i, g := range drift {
		e := g - rate[i]
		loss += float64(e) * float64(e) / float64(len(drift))
		dg[i] = 2 * e / T(len(drift))
	}
	c.equal64("loss", loss)
	d.Backward(dx, net.params, net.grads, c.data("x"), dg, rows)
	c.gradients(&net)
	c.equal("grad_x", dx)
}

// equation is an SDE whose drift and diffusion are networks.
type equation[T tensor.Float] struct {
	network[T]
	drift *dynamics.DriftNet
	noise *dynamics.Noise
}

// newEquation reads the widths of both networks from the arrays. An array's name is "drift" or
// "diff", followed by the pattern `weights` or `biases` with the layer in place of %d. The
// diffusion's σ² has the lower bound of the paper.
func newEquation[T tensor.Float](c *check[T], dim int, weights, biases string) *equation[T] {
	net := func(name string) (names []string, hidden []int) {
		names, widths := c.layers(name+weights, name+biases)
		if len(widths) < 2 {
			failf("%s has too few layers in %s", c.prefix, name)
		}
		return names, widths[:len(widths)-1]
	}
	driftNames, driftHidden := net("drift")
	noiseNames, noiseHidden := net("diff")
	cfg := dynamics.DriftConfig{Form: dynamics.FormMLP, Hidden: driftHidden, Act: kernel.Tanh}
	must(cfg.Validate())
	noise := dynamics.NoiseConfig{Form: dynamics.NoiseDiagonal, Hidden: noiseHidden, Act: kernel.Tanh, Floor: 0.01}
	must(noise.Validate())
	e := new(equation[T])
	e.drift, e.noise = dynamics.NewDriftNet(cfg, dim, &e.layout, "g"), dynamics.NewNoise(noise, dim, &e.layout, "sigma")
	c.fill(&e.network, slices.Concat(driftNames, noiseNames))
	return e
}

// stochastic checks the drift, the diffusion, and deterministic rollouts from the first given
// states. It also checks the likelihood of pairs of states, and the gradients of the likelihood.
func stochastic[T tensor.Float](c *check[T]) {
	rows, dim, dt := c.lengths["n"], c.lengths["d"], c.scalar("dt")
	e := newEquation(c, dim, "_w%d", "_b%d")
	z0, z1 := c.data("z0"), c.data("z1")
	d, s := dynamics.NewDrift[T](e.drift, rows), dynamics.NewDiffusion[T](e.noise, rows)
	drift, diffusion := make([]T, rows*dim), make([]T, rows*dim)
	d.Forward(drift, e.params, z0, rows)
	c.equal("drift", drift)
	s.Forward(diffusion, e.params, z0, rows)
	c.equal("diffusion", diffusion)
	if c.has("rk4") {
		path := make([]T, c.size("rk4"))
		dynamics.NewIntegrator(d, dynamics.RK4, rows).Rollout(path, e.params, z0, c.lengths["r"], c.lengths["t"]-1, dt)
		c.equal("rk4", path)
	}

	var pairs []T
	for r := range rows {
		pairs = append(append(pairs, z0[r*dim:(r+1)*dim]...), z1[r*dim:(r+1)*dim]...)
	}
	c.equal64("nll", dynamics.NewLikelihood(d, s, 1, rows).Gradient(nil, e.params, e.grads, pairs, rows, dt))
	c.gradients(&e.network)
}
