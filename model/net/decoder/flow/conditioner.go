package flow

import (
	"math"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
	"macroscope/model/net/decoder/spline"
)

// conditioner computes the raw spline parameters of a coordinate. Its inputs are ẑ and the earlier
// coordinates x_{<i}. The first layer is act(x_{<i}·Wxᵀ + (ẑ·Wzᵀ + b)). The inner bracket is
// evaluated once per set.
type conditioner struct {
	before []int        // the earlier coordinates
	inputs int          // the length of x_{<i}: a coordinate on a circle is seen as its cosine and its sine
	z      *nn.Linear   // Wz and b
	x      tensor.Param // Wx (H, inputs)
	act    kernel.Activation
	rest   *nn.MLP
	spline spline.Spline
	bends  bool // whether x_{<i} is a single number, and the network is piecewise linear in it
}

func newConditioner(c Config, l *tensor.Layout, name string, order []int, place int) conditioner {
	inputs := place
	for _, k := range order[:place] {
		if c.Circles.Has(k) {
			inputs++
		}
	}
	to := conditioner{
		before: order[:place], inputs: inputs, spline: c.spline(order[place]),
		z: nn.NewLinear(l, name+".z", c.ZDim, c.Hidden[0], kernel.Identity),
		x: l.Add(name+".x.weight", c.Hidden[0], inputs),
	}
	width, params := c.Hidden[0], to.spline.Params()
	if c.Blocks > 0 {
		to.rest = nn.NewResidual(l, name+".net", [3]int{width, width, params}, c.Blocks, true, c.Act)
		to.bends = inputs == 1 && c.bends()
		return to // act stays Identity, because the residual network to.rest begins with the activation
	}
	to.act = c.Act
	to.rest = nn.NewMLP(l, name+".net", append(append([]int{}, c.Hidden...), params), c.Act, kernel.Identity)
	return to
}

// initInput draws the first layer's weights as if x_{<i} and ẑ were one joint input.
func initInput[T tensor.Float](params []T, c *conditioner, rng *rand.Rand) {
	bound := 1 / math.Sqrt(float64(c.inputs+c.z.In))
	for _, p := range [...]tensor.Param{c.z.W, c.z.B, c.x} {
		w := tensor.Of(params, p)
		for i := range w {
			w[i] = T((2*rng.Float64() - 1) * bound)
		}
	}
}

// conditionerWorkspace keeps the results of a conditioner and its spline for their backward
// pass, for N = B·S samples.
type conditionerWorkspace[T tensor.Float] struct {
	in   []T // x_{<i} (N, inputs)
	hz   []T // ẑ·Wzᵀ + b (B, H)
	h    []T // output of the first layer (N, H)
	rise []T // slopes of the activation (N, H), only for SiLU
	rest *nn.MLPWorkspace[T]
	line *nn.LineWorkspace[T] // workspace of `rest`, if bends is set
	rows *spline.Rows[T]
}

func newConditionerWorkspace[T tensor.Float](c *conditioner, sets, n int) *conditionerWorkspace[T] {
	width := c.z.Out
	ws := &conditionerWorkspace[T]{
		in: make([]T, n*c.inputs), hz: make([]T, sets*width), h: make([]T, n*width),
		rise: nn.Slopes[T](c.act, n*width), rest: nn.NewMLPWorkspace[T](c.rest, n), rows: spline.NewRows[T](c.spline, n),
	}
	if c.bends {
		ws.line = nn.NewLineWorkspace[T](c.rest, n)
	}
	return ws
}

// lined reports whether the conditioner is evaluated on its linear pieces, one after another. The
// network has about 2 pieces per unit of a layer. The evaluation is faster if a set has more
// samples than pieces.
func (c *conditioner) lined(samples int) bool { return c.bends && samples >= 2*c.z.Out }

// gather writes what the conditioner sees of earlier coordinates of x to ws.in. Each coordinate has n values.
func (ws *conditionerWorkspace[T]) gather(c *conditioner, x [][]T, circles circle.Set, n int) {
	j := 0
	for _, k := range c.before {
		if circles.Has(k) {
			for r, v := range x[k][:n] {
				sin, cos := math.Sincos(math.Pi * float64(v))
				ws.in[r*c.inputs+j], ws.in[r*c.inputs+j+1] = T(cos), T(sin)
			}
			j += 2
			continue
		}
		for r, v := range x[k][:n] {
			ws.in[r*c.inputs+j] = v
		}
		j++
	}
}

// scatter adds the gradients of what the conditioner sees, (n, inputs), to those of the coordinates.
func (ws *conditionerWorkspace[T]) scatter(c *conditioner, dx [][]T, din []T, circles circle.Set, n int) {
	j := 0
	for _, k := range c.before {
		to := dx[k][:n]
		if circles.Has(k) {
			for r := range to {
				at := r*c.inputs + j
				to[r] += circle.Gradient(ws.in[at], ws.in[at+1], din[at], din[at+1])
			}
			j += 2
			continue
		}
		for r := range to {
			to[r] += din[r*c.inputs+j]
		}
		j++
	}
}

// conditionForward returns the raw parameters of the splines (B·S, Params) for the gathered x_{<i}.
func conditionForward[T tensor.Float](c *conditioner, ws *conditionerWorkspace[T], scratch *kernel.Scratch, params, z []T, sets, samples int) []T {
	width := c.z.Out
	nn.LinearForward(scratch, c.z, params, ws.hz, nil, z, sets)
	wx := tensor.Of(params, c.x)
	if c.lined(samples) {
		return nn.LineForward(c.rest, ws.line, params, ws.in, wx, ws.hz, sets, samples)
	}
	for b := range sets {
		from, to := b*samples, (b+1)*samples
		var rise []T
		if ws.rise != nil {
			rise = ws.rise[from*width : to*width]
		}
		kernel.Affine(scratch, ws.h[from*width:to*width], rise, ws.in[from*c.inputs:to*c.inputs], wx,
			ws.hz[b*width:(b+1)*width], samples, c.inputs, width, c.act)
	}
	n := sets * samples
	return nn.Forward(c.rest, ws.rest, params, ws.h[:n*width], n)
}

// conditionBackward is called after conditionForward. The slice `draw` (d raw) contains the
// gradient of the raw parameters, and is overwritten. conditionBackward adds gradients to grads and
// dz (B, ZDim), and writes the gradient of x_{<i} to g.in (B·S, inputs).
func conditionBackward[T tensor.Float](c *conditioner, ws *conditionerWorkspace[T], g *gradients[T], scratch *kernel.Scratch, params, grads, dz, draw, z []T, sets, samples int) {
	width, n := c.z.Out, sets*samples
	dh, dhz := g.h[:n*width], g.hz[:sets*width]
	wx, dwx := tensor.Of(params, c.x), tensor.Of(grads, c.x)
	clear(dhz)
	if c.lined(samples) {
		nn.LineBackward(c.rest, ws.line, params, grads, g.in, dwx, dhz, draw)
	} else {
		nn.Backward(c.rest, ws.rest, params, grads, ws.h[:n*width], dh, draw, n)
		kernel.ActivationGrad(dh, dh, ws.h, ws.rise, c.act)
		kernel.GemmTN(scratch, dwx, dh, ws.in, width, c.inputs, n, true)
		kernel.GemmNN(scratch, g.in, dh, wx, n, c.inputs, width, false)
		for b := range sets {
			kernel.ColSum(dhz[b*width:(b+1)*width], dh[b*samples*width:(b+1)*samples*width], samples, width)
		}
	}
	nn.LinearBackward(scratch, c.z, params, grads, g.z, dhz, ws.hz, nil, z, sets)
	kernel.Axpy(dz, 1, g.z[:sets*c.z.In])
}
