// Package matching learns a conditional density as a flow (Lipman and others, Flow Matching for
// Generative Modeling, ICLR 2023). The flow moves the standard normal density at t = 0 to the
// learned density at t = 1. A network computes the flow's velocity v(x, t, ẑ).
//
// Training does not integrate v: a straight path x_t = (1 - (1-σ)t) x0 + t x1 joins normal noise
// x0 and a particle x1, and v learns the path's velocity x1 - (1-σ) x0. To find the density at a
// point, RK4 goes back from t = 1 and also integrates the exact divergence of v.
//
// A coordinate that repeats lies on a circle (package circle). Its noise is uniform, its paths go the shorter
// way round from the noise to the particle, and the network sees its cosine and its sine.
package matching

import (
	"math"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
	"macroscope/model/setting"
)

// Config describes a density.
type Config struct {
	Dim, ZDim int
	Circles   circle.Set        // coordinates that repeat
	Hidden    []int             // widths of the velocity's hidden layers
	Act       kernel.Activation // activation after each hidden layer
	Sigma     float64           // σ: noise that remains at t = 1
	Steps     int               // steps of RK4 from t = 0 to 1 or back
}

// Table lists the settings other than Dim and ZDim, by their names in checkpoints.
func (c *Config) Table() setting.Table {
	return setting.Table{
		{Name: "matching.hidden", Value: &c.Hidden, Low: 1, High: 1024, Least: 1, Most: 8}, {Name: "matching.act", Value: &c.Act},
		{Name: "matching.sigma", Value: &c.Sigma, High: 0.999}, {Name: "matching.steps", Value: &c.Steps, Low: 1, High: 1000},
	}
}

// seen returns how many numbers the network sees of a point.
func (c *Config) seen() int { return c.Circles.Width(c.Dim) }

// Velocity holds the velocity network's configuration and the offsets of its parameters in a
// tensor.Layout. The network's input is [what it sees of x, t, ẑ].
type Velocity struct {
	cfg Config
	net *nn.MLP
}

// New adds the velocity's parameters to the layout under the prefix. The configuration must be
// valid.
func New(c Config, l *tensor.Layout, prefix string) *Velocity {
	sizes := append(append([]int{c.seen() + 1 + c.ZDim}, c.Hidden...), c.Dim)
	return &Velocity{cfg: c, net: nn.NewMLP(l, prefix, sizes, c.Act, kernel.Identity)}
}

// Config returns the configuration.
func (v *Velocity) Config() *Config { return &v.cfg }

// Init draws the velocity's weights.
func Init[T tensor.Float](params []T, v *Velocity, r *rand.Rand) { nn.InitMLP(params, v.net, r) }

// Trainer computes the loss on paths. It is not safe for concurrent use.
type Trainer[T tensor.Float] struct {
	v      *Velocity
	ws     *nn.MLPWorkspace[T]
	in, dx []T // the network's input and its gradient (rows, seen+1+ZDim)
	dy     []T // the gradient of the network's output (rows, Dim)
	x      []T // a point on its path (Dim)
}

// NewTrainer makes a Trainer for up to maxRows paths.
func NewTrainer[T tensor.Float](v *Velocity, maxRows int) *Trainer[T] {
	return &Trainer[T]{
		v: v, ws: nn.NewMLPWorkspace[T](v.net, maxRows),
		in: make([]T, maxRows*v.net.In()), dx: make([]T, maxRows*v.net.In()), dy: make([]T, maxRows*v.cfg.Dim), x: make([]T, v.cfg.Dim),
	}
}

// Paths are straight paths from noise to particles, set after set, with equally many paths in
// each set.
type Paths[T tensor.Float] struct {
	From, To []T // (rows, Dim): noise and particles
	At       []T // (rows): time t
}

// velocity returns the path's velocity in coordinate k, given the coordinate of the noise and of the particle.
func velocity[T tensor.Float](c *Config, k int, from, to T) T {
	if c.Circles.Has(k) {
		return circle.Wrap(to - from)
	}
	return to - T(1-c.Sigma)*from
}

// Loss returns the mean over the paths of |v - (x1 - (1-σ) x0)|². This is the squared difference
// between the network's velocity and the path's velocity. z (sets, ZDim) is an input of the
// network. Loss adds the gradients of the parameters to grads and writes the gradient of z to dz.
func (w *Trainer[T]) Loss(params, grads, dz, z []T, p Paths[T]) float64 {
	c, in, seen := &w.v.cfg, w.v.net.In(), w.v.cfg.seen()
	rows, sets := len(p.At), len(z)/c.ZDim
	samples, rest := rows/sets, T(1-c.Sigma)
	for i, t := range p.At {
		row := w.in[i*in : (i+1)*in]
		for k := range c.Dim {
			from, to := p.From[i*c.Dim+k], p.To[i*c.Dim+k]
			w.x[k] = (1-rest*t)*from + t*to
			if c.Circles.Has(k) {
				w.x[k] = from + t*velocity(c, k, from, to)
			}
		}
		circle.See(c.Circles, row, w.x, c.Dim)
		row[seen] = t
		copy(row[seen+1:], z[i/samples*c.ZDim:(i/samples+1)*c.ZDim])
	}
	x := w.in[:rows*in]
	y := nn.Forward(w.v.net, w.ws, params, x, rows)
	sum, scale := 0.0, 2/T(rows)
	dy := w.dy[:rows*c.Dim]
	for i, v := range y {
		e := v - velocity(c, i%c.Dim, p.From[i], p.To[i])
		sum += float64(e) * float64(e)
		dy[i] = scale * e
	}
	dx := w.dx[:rows*in]
	nn.Backward(w.v.net, w.ws, params, grads, x, dx, dy, rows)
	clear(dz)
	for i := range rows {
		kernel.Axpy(dz[i/samples*c.ZDim:(i/samples+1)*c.ZDim], 1, dx[i*in+seen+1:(i+1)*in])
	}
	return sum / float64(rows)
}

// Density evaluates the learned density for one ẑ. It is not safe for concurrent use.
type Density[T tensor.Float] struct {
	v       *Velocity
	scratch kernel.Scratch
	first   []T   // the first layer's weights of what it sees of x (Hidden[0], seen)
	saw     []T   // what it sees of the points (rows, seen)
	bias    []T   // the first layer's biases, plus its terms of t and ẑ
	y, rise [][]T // output of each layer (rows, Out), and slopes of its activation
	// Derivatives of two successive layers with respect to each coordinate (Dim, rows, Out).
	slope    [2][]T
	x, at, k []T // (rows, Dim): in RK4 the position, the argument of a stage, and the weighted sum of velocities
	div, sum []T // (rows): divergence of v at a stage of RK4, and its integral over one step
}

// NewDensity makes a Density for up to maxPoints points.
func NewDensity[T tensor.Float](v *Velocity, maxPoints int) *Density[T] {
	c := &v.cfg
	n, widest := maxPoints, c.Dim
	d := &Density[T]{
		v: v, first: make([]T, c.Hidden[0]*c.seen()), saw: make([]T, n*c.seen()), bias: make([]T, c.Hidden[0]),
		x: make([]T, n*c.Dim), at: make([]T, n*c.Dim), k: make([]T, n*c.Dim), div: make([]T, n), sum: make([]T, n),
	}
	for _, l := range v.net.Layers {
		d.y, d.rise = append(d.y, make([]T, n*l.Out)), append(d.rise, make([]T, n*l.Out))
		widest = max(widest, l.Out)
	}
	for i := range d.slope {
		d.slope[i] = make([]T, c.Dim*n*widest)
	}
	return d
}

// LogProb writes ln p(x | z) to dst (n) for points x (n, Dim) and one z.
func (d *Density[T]) LogProb(dst, params, x, z []T) {
	c, n := &d.v.cfg, len(dst)
	copy(d.x, x[:n*c.Dim])
	clear(dst)
	d.integrate(dst, params, z, n, 1, 0)
	round := c.Circles.Count()
	norm := float64(c.Dim-round)/2*math.Log(2*math.Pi) + float64(round)*math.Log(circle.Round)
	for i := range dst {
		square := 0.0
		for k, v := range d.x[i*c.Dim : (i+1)*c.Dim] {
			if !c.Circles.Has(k) {
				square += float64(v) * float64(v)
			}
		}
		dst[i] += T(-square/2 - norm)
	}
}

// Sample fills dst (n, Dim) with draws from p(· | z).
func (d *Density[T]) Sample(dst, params, z []T, r *rand.Rand) {
	c := &d.v.cfg
	n := len(dst) / c.Dim
	for i := range d.x[:len(dst)] {
		d.x[i] = Noise[T](c, i%c.Dim, r)
	}
	d.integrate(nil, params, z, n, 0, 1)
	copy(dst, d.x)
	circle.WrapPoints(c.Circles, dst, c.Dim)
}

// Noise draws coordinate k of a path's beginning.
func Noise[T tensor.Float](c *Config, k int, r *rand.Rand) T {
	if c.Circles.Has(k) {
		return T(circle.Round * (r.Float64() - 0.5))
	}
	return T(r.NormFloat64())
}

// integrate moves the points d.x along v between two times. It also integrates the divergence of v
// along the path of each point. It adds the result to `integral`, unless `integral` is nil.
func (d *Density[T]) integrate(integral, params, z []T, n int, from, to float64) {
	c := &d.v.cfg
	d.gather(params)
	h := (to - from) / float64(c.Steps)
	x, at, k := d.x[:n*c.Dim], d.at[:n*c.Dim], d.k[:n*c.Dim]
	sum := d.sum[:n]
	for s := range c.Steps {
		t := from + float64(s)*h
		clear(k)
		clear(sum)
		for _, stage := range [...]struct{ reach, weight float64 }{{0, 1. / 6}, {0.5, 1. / 3}, {0.5, 1. / 3}, {1, 1. / 6}} {
			copy(at, x)
			if stage.reach > 0 {
				kernel.Axpy(at, T(stage.reach*h), d.y[len(d.y)-1][:n*c.Dim])
			}
			v := d.velocity(params, at, z, t+stage.reach*h, n, integral != nil)
			kernel.Axpy(k, T(stage.weight*h), v)
			if integral != nil {
				kernel.Axpy(sum, T(stage.weight*h), d.div[:n])
			}
		}
		kernel.Axpy(x, 1, k)
		if integral != nil {
			kernel.Axpy(integral, 1, sum)
		}
	}
}

// gather copies the weights of the first layer that multiply x.
func (d *Density[T]) gather(params []T) {
	seen, l := d.v.cfg.seen(), d.v.net.Layers[0]
	w := tensor.Of(params, l.W)
	for i := range l.Out {
		copy(d.first[i*seen:(i+1)*seen], w[i*l.In:])
	}
}

// velocity returns v at the points x (n, Dim), all at one time and for one ẑ. If `diverges` is
// true, it also writes the divergence of v to d.div.
func (d *Density[T]) velocity(params, x, z []T, t float64, n int, diverges bool) []T {
	c, layers, seen := &d.v.cfg, d.v.net.Layers, d.v.cfg.seen()
	w, b := tensor.Of(params, layers[0].W), tensor.Of(params, layers[0].B)
	for i := range d.bias {
		row := w[i*layers[0].In : (i+1)*layers[0].In]
		d.bias[i] = b[i] + T(t)*row[seen] + kernel.Dot(row[seen+1:], z)
	}
	in := x
	if c.Circles != 0 {
		in = circle.See(c.Circles, d.saw, x[:n*c.Dim], c.Dim)
	}
	for i, l := range layers {
		y, rise := d.y[i][:n*l.Out], d.rise[i][:n*l.Out]
		if i == 0 {
			kernel.Affine(&d.scratch, y, rise, in, d.first, d.bias, n, seen, l.Out, l.Act)
		} else {
			nn.LinearForward(&d.scratch, l, params, y, rise, in, n)
		}
		in = y
	}
	if diverges {
		d.diverge(params, n)
	}
	return in
}

// rise0 writes the derivative of the first layer, before its activation, with respect to coordinate k to dst
// (n, width).
func (d *Density[T]) rise0(dst []T, k, n, width int) {
	c, seen := &d.v.cfg, d.v.cfg.seen()
	at := c.Circles.Width(k) // the circles among earlier coordinates count twice
	for r := range n {
		for j := range width {
			w := d.first[j*seen:]
			if c.Circles.Has(k) {
				dst[r*width+j] = circle.Gradient(d.saw[r*seen+at], d.saw[r*seen+at+1], w[at], w[at+1])
				continue
			}
			dst[r*width+j] = w[at]
		}
	}
}

// diverge propagates the derivatives with respect to the coordinates through the layers. It uses
// the values of the layers that the method `velocity` has computed.
func (d *Density[T]) diverge(params []T, n int) {
	c, layers := &d.v.cfg, d.v.net.Layers
	from := d.slope[0]
	for i, l := range layers {
		to := d.slope[i%2]
		for k := range c.Dim {
			s := to[k*n*l.Out : (k+1)*n*l.Out]
			if i == 0 {
				d.rise0(s, k, n, l.Out)
			} else {
				kernel.GemmNT(&d.scratch, s, from[k*n*l.In:(k+1)*n*l.In], tensor.Of(params, l.W), n, l.Out, l.In, false)
			}
			kernel.ActivationGrad(s, s, d.y[i][:n*l.Out], d.rise[i][:n*l.Out], l.Act)
		}
		from = to
	}
	for r := range n {
		var sum T
		for k := range c.Dim {
			sum += from[(k*n+r)*c.Dim+k]
		}
		d.div[r] = sum
	}
}
