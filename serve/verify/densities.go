package verify

import (
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder/matching"
	"macroscope/model/net/decoder/spline"
	"macroscope/model/net/target"
)

// splineDouble checks the values, log-derivatives and inverses of splines. It also checks all
// gradients of Σy + Σlogdet.
func splineDouble(c *check[float64]) {
	for _, outputs := range splines[float64](newSplineInput(c)) {
		for name, got := range outputs {
			c.equal(name, got)
		}
	}
}

// splineSingle compares the float32 path with the float64 path for the same rounded inputs. The
// case's results cannot be used, because steep bins magnify the rounding of an input beyond any
// float32 tolerance.
func splineSingle(c *check[float32]) {
	in := newSplineInput(c)
	for _, v := range [][]float64{in.raw, in.x, in.y} {
		for i := range v {
			v[i] = float64(float32(v[i]))
		}
	}
	exact := splines[float64](in)
	for i, outputs := range splines[float32](in) {
		for name, got := range outputs {
			c.add(got, exact[i][name])
		}
	}
}

// splineInput has the parameters of one spline per row, and the points at which to evaluate it.
type splineInput struct {
	form spline.Spline
	raw  []float64 // (n, 3K-1)
	x, y []float64 // points for the map (x) and for its inverse (y), each (n)
}

func newSplineInput[T tensor.Float](c *check[T]) splineInput {
	k := c.lengths["k"]
	in := splineInput{form: spline.Spline{Bins: k, Bound: c.scalar("bound")}, x: slices.Clone(c.values("x")), y: slices.Clone(c.values("y"))}
	must(in.form.Validate())
	w, h, d := c.values("widths"), c.values("heights"), c.values("derivatives")
	if len(d) != len(in.x)*(k-1) {
		failf("%d splines of %d bins come with %d derivatives", len(in.x), k, len(d))
	}
	for i := range in.x {
		in.raw = append(append(append(in.raw, w[i*k:(i+1)*k]...), h[i*k:(i+1)*k]...), d[i*(k-1):(i+1)*(k-1)]...)
	}
	return in
}

// splines evaluates the input by both implementations: one spline per sample, and a table of shared
// splines. It returns both results by array name.
func splines[T tensor.Float](in splineInput) (outputs [2]map[string][]float64) {
	s, n := in.form, len(in.x)
	raw, x, y0 := to[T](in.raw), to[T](in.x), to[T](in.y)
	y, logdet, back, dx, draw, ones := make([]T, n), make([]T, n), make([]T, n), make([]T, n), make([]T, len(raw)), make([]T, n)
	for i := range ones {
		ones[i] = 1
	}
	output := func() map[string][]float64 {
		o := map[string][]float64{"y": from(y), "logdet": from(logdet), "x_back": from(back), "grad_x": from(dx)}
		for row := range slices.Chunk(from(draw), s.Params()) {
			o["grad_widths"] = append(o["grad_widths"], row[:s.Bins]...)
			o["grad_heights"] = append(o["grad_heights"], row[s.Bins:2*s.Bins]...)
			o["grad_derivatives"] = append(o["grad_derivatives"], row[2*s.Bins:]...)
		}
		return o
	}
	rows := spline.NewRows[T](s, n)
	rows.Inverse(back, nil, y0, raw)
	rows.Forward(y, logdet, x, raw)
	rows.Backward(dx, draw, ones, ones)
	outputs[0] = output()

	table := spline.NewTable[T](s, n, n)
	table.Build(raw, n)
	table.Inverse(back, nil, y0, 1)
	table.Forward(y, logdet, x, 1)
	table.Backward(dx, ones, ones)
	table.ParamGrad(draw)
	outputs[1] = output()
	return outputs
}

// smoothed checks log q_X in the precision T. The points stay in float64, as in the programs: a
// float32 point cannot resolve an ε of 1e-8.
func smoothed[T tensor.Float](c *check[T]) {
	got := make([]T, c.lengths["n"])
	target.LogDensity(got, c.values("x"), c.values("particles"), c.lengths["d"], c.scalar("eps"))
	c.equal("log_q", got)
}

// flowMatching checks the loss over paths and its gradients, and the density at points.
func flowMatching[T tensor.Float](c *check[T]) {
	rows, dim, zdim := c.lengths["n"], c.lengths["d"], c.lengths["k"]
	names, widths := c.layers("v%d_w", "v%d_b")
	cfg := matching.Config{
		Dim: dim, ZDim: zdim, Hidden: widths[:len(widths)-1], Act: kernel.SiLU, Sigma: c.scalar("sigma"), Steps: int(c.scalar("steps")),
	}
	must(cfg.Table().Check())
	var net network[T]
	v := matching.New(cfg, &net.layout, "v")
	c.fill(&net, names)
	// Path i belongs to set which[i] and has that set's ẑ.
	which, sets := c.indices("which", c.lengths["s"]), c.data("z")
	var z []T
	for _, i := range which {
		z = append(z, sets[i*zdim:(i+1)*zdim]...)
	}
	dz := make([]T, len(z))
	loss := matching.NewTrainer[T](v, rows).Loss(net.params, net.grads, dz, z, matching.Paths[T]{From: c.data("x0"), To: c.data("x1"), At: c.data("t")})
	c.equal64("loss", loss)
	c.gradients(&net)
	sum := make([]float64, len(sets))
	for i, w := range which {
		for k := range zdim {
			sum[w*zdim+k] += float64(dz[i*zdim+k])
		}
	}
	c.equal64("grad_z", sum...)

	if !c.has("log_density") {
		return
	}
	points, pointsZ := c.data("points"), c.data("points_z")
	d := matching.NewDensity[T](v, 1)
	logp := make([]T, c.lengths["p"])
	for i := range logp {
		d.LogProb(logp[i:i+1], net.params, points[i*dim:(i+1)*dim], pointsZ[i*zdim:(i+1)*zdim])
	}
	c.equal("log_density", logp)
}
