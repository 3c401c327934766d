package dynamics

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/setting"
)

// ResNetConfig describes an OnsagerNet with parts that share a residual network.
type ResNetConfig struct {
	Width    int     // width of the shared network's layers
	Blocks   int     // number of residual layers after the first layer
	Features int     // length of the vector P h + Q z; V contains its square
	Beta     float64 // β in the bound V ≥ β|z|²
	Least    float64 // μ in the bound M ≥ μI
}

// DefaultResNet returns the OnsagerNet of the authors' program for interacting particles, where z
// has nine variables.
func DefaultResNet() ResNetConfig {
	return ResNetConfig{Width: 64, Blocks: 2, Features: 9, Beta: 0.1, Least: 0.1}
}

// table lists the settings. Older checkpoint files do not contain them.
func (c *ResNetConfig) table(prefix string) setting.Table {
	return setting.Table{
		{Name: prefix + "width", Value: &c.Width, Low: 1, High: 4096, Absent: "64"}, {Name: prefix + "blocks", Value: &c.Blocks, High: 16, Absent: "2"},
		{Name: prefix + "features", Value: &c.Features, Low: 1, High: 4096, Absent: "9"},
		{Name: prefix + "beta", Value: &c.Beta, Low: setting.Tiny, High: 10, Absent: "0.1"}, {Name: prefix + "least", Value: &c.Least, Low: setting.Tiny, High: 10, Absent: "0.1"},
	}
}

// Validate returns an error that says why the configuration is invalid.
func (c ResNetConfig) Validate() error { return c.table("").Check() }

// ResNet holds an OnsagerNet's configuration and the offsets of its parameters in a tensor.Layout.
// The parts of the drift share a residual network:
//
//	g(z) = -(M + W) ∇V(z) + f(z)
//	V = |P h(z) + Q z|² + β|z|²
//	M = μI + L Lᵀ,  W = U - Uᵀ
//
// h starts at h₀ = silu(T₀z) and continues with h_i = silu(T_i h_{i-1}) + h_{i-1}. T_i, P and Q
// are affine maps. The force f and the matrix A (D, D) are affine in the last h. L is the lower
// triangle of A with the diagonal, U the rest of A. Without the force, V falls along every
// solution (see Onsager).
type ResNet struct {
	dim                                     int
	cfg                                     ResNetConfig
	trunk                                   []*nn.Linear
	matrix, potential, potentialOfZ, forces *nn.Linear
}

// NewResNet adds the parameters to the layout under the prefix. The configuration must be valid.
func NewResNet(c ResNetConfig, dim int, l *tensor.Layout, prefix string) *ResNet {
	linear := func(name string, in, out int) *nn.Linear {
		return nn.NewLinear(l, prefix+"."+name, in, out, kernel.Identity)
	}
	n := &ResNet{dim: dim, cfg: c, trunk: []*nn.Linear{linear("trunk.0", dim, c.Width)}}
	for i := range c.Blocks {
		n.trunk = append(n.trunk, linear(fmt.Sprintf("trunk.%d", i+1), c.Width, c.Width))
	}
	n.matrix, n.potential = linear("matrix", c.Width, dim*dim), linear("potential", c.Width, c.Features)
	n.potentialOfZ, n.forces = linear("potential.z", dim, c.Features), linear("force", c.Width, dim)
	return n
}

// InitResNet draws the weights.
func InitResNet[T tensor.Float](params []T, n *ResNet, rng *rand.Rand) {
	for _, l := range append(n.trunk[:len(n.trunk):len(n.trunk)], n.matrix, n.potential, n.potentialOfZ, n.forces) {
		nn.InitLinear(params, l, rng)
	}
}

// OnsagerResNet evaluates the drift of an OnsagerNet with residual parts (see ResNet).
type OnsagerResNet[T tensor.Float] struct {
	n       *ResNet
	rows    int
	scratch *kernel.Scratch

	// Results of Forward.
	layers []resLayer[T]
	u      []T // P h + Q z (rows, F)
	v      []T // ∇V (rows, D)
	a      []T // A (rows, D, D)
	l, w   []T // lower triangle of A with the diagonal, and the rest of A (rows, D, D)

	operator operator[T]

	// Gradients: dv is the gradient of v, and so on; dh is the gradient of a layer's output h.
	dv, dforce []T // (rows, D)
	dl, dw     []T // (rows, D, D)
	du         []T // (rows, F)
	dh, t      []T // dh and one of its terms (rows, Width)
}

// resLayer holds the results of one residual layer, all (rows, Width). Let `a` be its affine part
// and s the logistic function of `a`. Then silu(a) = a·s and silu'(a) = s + a·s·(1-s).
type resLayer[T tensor.Float] struct {
	a, s, silu, slope, h []T
	p, q                 []T // gradients of ½V with respect to h and to `a`
	dp                   []T // gradient of the loss with respect to p
	// da is the gradient of the loss with respect to `a`. It has two terms, because `slope` and h
	// both depend on `a`. Backward first writes the term from `slope`. Later it adds the term from
	// h.
	da []T
}

var _ Drift[float32] = (*OnsagerResNet[float32])(nil)

// NewOnsagerResNet makes an OnsagerResNet for up to maxRows rows.
func NewOnsagerResNet[T tensor.Float](n *ResNet, maxRows int) *OnsagerResNet[T] {
	d := &OnsagerResNet[T]{n: n, rows: maxRows, scratch: new(kernel.Scratch), operator: newOperator[T](n.dim, n.cfg.Least)}
	room := func(width int, buffers ...*[]T) {
		for _, b := range buffers {
			*b = make([]T, maxRows*width)
		}
	}
	d.layers = make([]resLayer[T], len(n.trunk))
	for i := range d.layers {
		l := &d.layers[i]
		room(n.cfg.Width, &l.a, &l.s, &l.silu, &l.slope, &l.p, &l.q, &l.dp, &l.da)
		l.h = l.silu
		if i > 0 {
			room(n.cfg.Width, &l.h)
		}
	}
	room(n.cfg.Features, &d.u, &d.du)
	room(n.dim, &d.v, &d.dv, &d.dforce)
	room(n.dim*n.dim, &d.a, &d.l, &d.w, &d.dl, &d.dw)
	room(n.cfg.Width, &d.dh, &d.t)
	return d
}

// Another implements Drift.
func (d *OnsagerResNet[T]) Another() Drift[T] {
	another := NewOnsagerResNet[T](d.n, d.rows)
	another.scratch = d.scratch
	return another
}

// Dim implements Drift.
func (d *OnsagerResNet[T]) Dim() int { return d.n.dim }

// Potential writes V(z) to dst (rows).
func (d *OnsagerResNet[T]) Potential(dst, params, z []T, rows int) {
	d.gradient(params, z, rows)
	D, F := d.n.dim, d.n.cfg.Features
	for r := range rows {
		u, x := d.u[r*F:r*F+F], z[r*D:r*D+D]
		dst[r] = kernel.Dot(u, u) + T(d.n.cfg.Beta)*kernel.Dot(x, x)
	}
}

// GradPotential writes ∇V(z) to dst (rows, D).
func (d *OnsagerResNet[T]) GradPotential(dst, params, z []T, rows int) {
	copy(dst, d.gradient(params, z, rows))
}

// gradient computes ∇V and all its intermediate results.
func (d *OnsagerResNet[T]) gradient(params, z []T, rows int) []T {
	if rows > d.rows {
		panic(fmt.Sprintf("dynamics: %d rows in an OnsagerNet for %d", rows, d.rows))
	}
	n, s, width := d.n, d.scratch, rows*d.n.cfg.Width
	h := z
	for i := range d.layers {
		l := &d.layers[i]
		nn.LinearForward(s, n.trunk[i], params, l.a, nil, h, rows)
		kernel.SigmoidTo(l.s[:width], l.a[:width])
		kernel.Mul(l.silu, l.a[:width], l.s[:width])
		kernel.Mul(l.slope, l.silu[:width], l.s[:width])
		kernel.Scale(l.slope[:width], -1)
		kernel.Axpy(l.slope, 1, l.silu[:width])
		kernel.Axpy(l.slope, 1, l.s[:width])
		if i > 0 {
			copy(l.h, l.silu[:width])
			kernel.Axpy(l.h, 1, h[:width])
		}
		h = l.h
	}
	D, W, F := n.dim, n.cfg.Width, n.cfg.Features
	nn.LinearForward(s, n.potential, params, d.u, nil, h, rows)
	nn.LinearForward(s, n.potentialOfZ, params, d.du, nil, z, rows)
	kernel.Axpy(d.u, 1, d.du[:rows*F])

	// Backpropagation through u and the residual layers gives ½∇V.
	last := len(d.layers) - 1
	kernel.GemmNN(s, d.layers[last].p, d.u, tensor.Of(params, n.potential.W), rows, W, F, false)
	for i := last; i >= 0; i-- {
		l := &d.layers[i]
		kernel.Mul(l.q, l.p[:width], l.slope[:width])
		if i > 0 {
			below := d.layers[i-1].p
			copy(below, l.p[:width])
			kernel.GemmNN(s, below, l.q, tensor.Of(params, n.trunk[i].W), rows, W, W, true)
		}
	}
	kernel.GemmNN(s, d.v, d.layers[0].q, tensor.Of(params, n.trunk[0].W), rows, D, W, false)
	kernel.GemmNN(s, d.v, d.u, tensor.Of(params, n.potentialOfZ.W), rows, D, F, true)
	kernel.Axpy(d.v, T(n.cfg.Beta), z[:rows*D])
	kernel.Scale(d.v[:rows*D], 2)
	return d.v[:rows*D]
}

// Forward implements Drift.
func (d *OnsagerResNet[T]) Forward(dst, params, z []T, rows int) {
	d.gradient(params, z, rows)
	n, h := d.n, d.layers[len(d.layers)-1].h
	nn.LinearForward(d.scratch, n.matrix, params, d.a, nil, h, rows)
	D := n.dim
	for begin := 0; begin < rows*D*D; begin += D * D {
		for i := range D {
			row := begin + i*D
			copy(d.l[row:row+i+1], d.a[row:])
			copy(d.w[row+i+1:row+D], d.a[row+i+1:])
		}
	}
	d.operator.forward(dst, d.v, d.l, d.w, rows)
	nn.LinearForward(d.scratch, n.forces, params, d.dforce, nil, h, rows)
	kernel.Axpy(dst, 1, d.dforce[:rows*D])
}

// Backward implements Drift.
func (d *OnsagerResNet[T]) Backward(dz, params, grads, z, dg []T, rows int) {
	n, s := d.n, d.scratch
	D, W, F, width := n.dim, n.cfg.Width, n.cfg.Features, rows*n.cfg.Width
	d.operator.backward(d.dv, d.dl, d.dw, dg, d.v, d.l, d.w, rows)
	for begin := 0; begin < rows*D*D; begin += D * D { // d.dl becomes the gradient of A
		for i := range D {
			row := begin + i*D
			copy(d.dl[row+i+1:row+D], d.dw[row+i+1:])
		}
	}
	kernel.Scale(d.dv[:rows*D], 2) // now the gradient with respect to ½∇V
	if dz != nil {
		dz = dz[:rows*D]
		copy(dz, d.dv)
		kernel.Scale(dz, T(n.cfg.Beta))
	}

	// ½∇V = T₀ᵀq₀ + Qᵀu + βz, q_i = slope_i⊙p_i, p_{i-1} = T_iᵀq_i + p_i. In the last layer, p
	// is Pᵀu. These formulas go from the last layer to the first, so the gradient of the loss
	// passes through them from the first layer to the last.
	of := func(l *nn.Linear) (w, dw []T) { return tensor.Of(params, l.W), tensor.Of(grads, l.W) }
	w, dw := of(n.potentialOfZ)
	kernel.GemmNT(s, d.du, d.dv, w, rows, F, D, false)
	kernel.GemmTN(s, dw, d.u, d.dv, F, D, rows, true)
	from, in := d.dv, D // gradient of the loss with respect to the sum that contains T_iᵀq_i
	for i := range d.layers {
		l := &d.layers[i]
		w, dw := of(n.trunk[i])
		kernel.GemmNT(s, l.dp, from, w, rows, W, in, false) // gradient of the loss with respect to q
		kernel.GemmTN(s, dw, l.q, from, W, in, rows, true)
		for k, sigma := range l.s[:width] { // silu''(a) = (1-s)(2s + as(1-2s))
			l.da[k] = (1 - sigma) * (2*sigma + l.silu[k]*(1-2*sigma)) * l.p[k] * l.dp[k]
		}
		kernel.Mul(l.dp, l.dp[:width], l.slope[:width])
		if i > 0 {
			kernel.Axpy(l.dp, 1, from[:width])
		}
		from, in = l.dp, W
	}
	w, dw = of(n.potential)
	kernel.GemmNT(s, d.du, from, w, rows, F, W, true)
	kernel.GemmTN(s, dw, d.u, from, F, W, rows, true)

	// Ordinary backpropagation from u, A and f to the first layer.
	h := d.layers[len(d.layers)-1].h
	nn.LinearBackward(s, n.potential, params, grads, d.dh, d.du, d.u, nil, h, rows)
	nn.LinearBackward(s, n.matrix, params, grads, d.t, d.dl, d.a, nil, h, rows)
	kernel.Axpy(d.dh, 1, d.t[:width])
	nn.LinearBackward(s, n.forces, params, grads, d.t, dg, d.dforce, nil, h, rows)
	kernel.Axpy(d.dh, 1, d.t[:width])
	for i := len(d.layers) - 1; i > 0; i-- {
		l := &d.layers[i]
		d.through(l, width)
		nn.LinearBackward(s, n.trunk[i], params, grads, d.t, l.da, l.a, nil, d.layers[i-1].h, rows)
		kernel.Axpy(d.dh, 1, d.t[:width])
	}
	first := &d.layers[0]
	d.through(first, width)
	back := d.dforce
	if dz == nil {
		back = nil
	}
	nn.LinearBackward(s, n.trunk[0], params, grads, back, first.da, first.a, nil, z, rows)
	if dz != nil {
		kernel.Axpy(dz, 1, back[:rows*D])
	}
	nn.LinearBackward(s, n.potentialOfZ, params, grads, back, d.du, d.u, nil, z, rows)
	if dz != nil {
		kernel.Axpy(dz, 1, back[:rows*D])
	}
}

// The method `through` multiplies d.dh by the slope of a layer's activation, and adds the product
// to the layer's da. d.dh contains the gradient with respect to the layer's h.
func (d *OnsagerResNet[T]) through(l *resLayer[T], width int) {
	kernel.Mul(d.t, d.dh[:width], l.slope[:width])
	kernel.Axpy(l.da, 1, d.t[:width])
}
