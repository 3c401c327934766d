package dynamics

import (
	"fmt"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// OnsagerNet evaluates the drift of an Onsager.
type OnsagerNet[T tensor.Float] struct {
	o       *Onsager
	rows    int
	scratch *kernel.Scratch

	// Results of Forward. H is the width of φ's hidden layer, F the length of φ.
	h, s, slope  []T // W₀z + b₀, srequ(h), srequ'(h) (rows, H)
	u            []T // φ(z) + Γz (rows, F)
	p, q         []T // W₁ᵀu, srequ'(h)⊙p (rows, H)
	v            []T // ∇V = W₀ᵀq + Γᵀu + 2αz (rows, D)
	l, a         []T // L, A (rows, D, D), in the workspaces below
	dissipative  *nn.MLPWorkspace[T]
	conservative *nn.MLPWorkspace[T]
	operator     operator[T]

	// Gradients: dv is the gradient of v, and so on. dz is the part of z's gradient that comes
	// through the network for A.
	dv, dz     []T // (rows, D)
	dh, dp, dq []T // (rows, H)
	du         []T // (rows, F)
	dl, da     []T // (rows, D, D)
}

var _ Drift[float32] = (*OnsagerNet[float32])(nil)

// NewOnsagerNet makes an OnsagerNet for up to maxRows rows.
func NewOnsagerNet[T tensor.Float](o *Onsager, maxRows int) *OnsagerNet[T] {
	d := &OnsagerNet[T]{
		o: o, rows: maxRows, scratch: new(kernel.Scratch),
		dissipative:  nn.NewMLPWorkspace[T](o.dissipative, maxRows),
		conservative: nn.NewMLPWorkspace[T](o.conservative, maxRows),
		operator:     newOperator[T](o.dim, o.alpha),
	}
	room := func(width int, buffers ...*[]T) {
		for _, b := range buffers {
			*b = make([]T, maxRows*width)
		}
	}
	room(o.inner.Out, &d.h, &d.s, &d.slope, &d.p, &d.q, &d.dh, &d.dp, &d.dq)
	room(o.outer.Out, &d.u, &d.du)
	room(o.dim, &d.v, &d.dv, &d.dz)
	room(o.dim*o.dim, &d.dl, &d.da)
	return d
}

// Another implements Drift.
func (d *OnsagerNet[T]) Another() Drift[T] {
	another := NewOnsagerNet[T](d.o, d.rows)
	another.scratch = d.scratch
	return another
}

// Dim implements Drift.
func (d *OnsagerNet[T]) Dim() int { return d.o.dim }

// Potential writes V(z) to dst (rows).
func (d *OnsagerNet[T]) Potential(dst, params, z []T, rows int) {
	d.gradient(params, z, rows)
	D, F := d.o.dim, d.o.outer.Out
	for r := range rows {
		u, x := d.u[r*F:r*F+F], z[r*D:r*D+D]
		dst[r] = kernel.Dot(u, u)/2 + T(d.o.alpha)*kernel.Dot(x, x)
	}
}

// GradPotential writes ∇V(z) to dst (rows, D).
func (d *OnsagerNet[T]) GradPotential(dst, params, z []T, rows int) {
	copy(dst, d.gradient(params, z, rows))
}

// gradient computes ∇V and all its intermediate results.
func (d *OnsagerNet[T]) gradient(params, z []T, rows int) []T {
	if rows > d.rows {
		panic(fmt.Sprintf("dynamics: %d rows in an OnsagerNet for %d", rows, d.rows))
	}
	o, D, H, F := d.o, d.o.dim, d.o.inner.Out, d.o.outer.Out
	w0, w1, gamma := tensor.Of(params, o.inner.W), tensor.Of(params, o.outer.W), tensor.Of(params, o.gamma)
	nn.LinearForward(d.scratch, o.inner, params, d.h, nil, z, rows)
	for i, h := range d.h[:rows*H] {
		r, shifted := max(h, 0), max(h-0.5, 0)
		d.s[i], d.slope[i] = r*r-shifted*shifted, 2*(r-shifted)
	}
	nn.LinearForward(d.scratch, o.outer, params, d.u, nil, d.s, rows)
	kernel.GemmNT(d.scratch, d.u, z, gamma, rows, F, D, true)
	kernel.GemmNN(d.scratch, d.p, d.u, w1, rows, H, F, false)
	kernel.Mul(d.q, d.slope[:rows*H], d.p)
	kernel.GemmNN(d.scratch, d.v, d.q, w0, rows, D, H, false)
	kernel.GemmNN(d.scratch, d.v, d.u, gamma, rows, D, F, true)
	kernel.Axpy(d.v, T(2*o.alpha), z[:rows*D])
	return d.v[:rows*D]
}

// Forward implements Drift.
func (d *OnsagerNet[T]) Forward(dst, params, z []T, rows int) {
	d.gradient(params, z, rows)
	d.l = nn.Forward(d.o.dissipative, d.dissipative, params, z, rows)
	d.a = nn.Forward(d.o.conservative, d.conservative, params, z, rows)
	d.operator.forward(dst, d.v, d.l, d.a, rows)
}

// Backward implements Drift.
func (d *OnsagerNet[T]) Backward(dz, params, grads, z, dg []T, rows int) {
	o, D, H, F := d.o, d.o.dim, d.o.inner.Out, d.o.outer.Out
	d.operator.backward(d.dv, d.dl, d.da, dg, d.v, d.l, d.a, rows)
	var dzConservative []T
	if dz != nil {
		dz, dzConservative = dz[:rows*D], d.dz[:rows*D]
	}
	nn.Backward(o.dissipative, d.dissipative, params, grads, z, dz, d.dl, rows)
	nn.Backward(o.conservative, d.conservative, params, grads, z, dzConservative, d.da, rows)

	// ∇V = W₀ᵀq + Γᵀu + 2αz, q = srequ'(h)⊙p, p = W₁ᵀu
	s, gamma, dGamma := d.scratch, tensor.Of(params, o.gamma), tensor.Of(grads, o.gamma)
	w0, dw0 := tensor.Of(params, o.inner.W), tensor.Of(grads, o.inner.W)
	w1, dw1 := tensor.Of(params, o.outer.W), tensor.Of(grads, o.outer.W)
	kernel.GemmNT(s, d.dq, d.dv, w0, rows, H, D, false)
	kernel.GemmTN(s, dw0, d.q, d.dv, H, D, rows, true)
	kernel.GemmNT(s, d.du, d.dv, gamma, rows, F, D, false)
	kernel.GemmTN(s, dGamma, d.u, d.dv, F, D, rows, true)
	for i, h := range d.h[:rows*H] {
		d.dp[i] = d.slope[i] * d.dq[i]
		d.dh[i] = 0
		if h > 0 && h <= 0.5 { // srequ'' is 2 here and 0 elsewhere
			d.dh[i] = 2 * d.p[i] * d.dq[i]
		}
	}
	kernel.GemmNT(s, d.du, d.dp, w1, rows, F, H, true)
	kernel.GemmTN(s, dw1, d.u, d.dp, F, H, rows, true)

	// u = W₁s + b₁ + Γz, s = srequ(h), h = W₀z + b₀
	kernel.GemmTN(s, dGamma, d.du, z, F, D, rows, true)
	ds := d.dp
	nn.LinearBackward(s, o.outer, params, grads, ds, d.du, d.u, nil, d.s, rows)
	for i, x := range ds[:rows*H] {
		d.dh[i] += d.slope[i] * x
	}
	nn.LinearBackward(s, o.inner, params, grads, nil, d.dh, d.h, nil, z, rows)
	if dz != nil {
		kernel.Axpy(dz, 1, dzConservative)
		kernel.GemmNN(s, dz, d.dh, w0, rows, D, H, true)
		kernel.GemmNN(s, dz, d.du, gamma, rows, D, F, true)
		kernel.Axpy(dz, T(2*o.alpha), d.dv[:rows*D])
	}
}
