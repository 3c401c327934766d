package dynamics

import (
	"math"

	"macroscope/model/compute/tensor"
	"macroscope/model/setting"
)

// Box is the region to which a Confined drift returns: the cube [-Half, Half]^D.
type Box struct {
	Half float64 // c: half the side length, in the units of z
	Pull float64 // κ: rate of return from outside, in 1/time
}

func (b *Box) table(prefix string) setting.Table {
	return setting.Table{
		{Name: prefix + "half", Value: &b.Half, Low: setting.Tiny, High: 1e12}, {Name: prefix + "pull", Value: &b.Pull, Low: setting.Tiny, High: 1e12},
	}
}

// Reach bounds the coordinates of a confined rollout. Suppose that no coordinate of the wrapped
// drift exceeds g in absolute value within the box. If κ·dt ≤ 1, every coordinate obeys |z_t| ≤
// max(|z_0|, Reach) at every step. If κ·dt > 1 there is no bound, and Reach is +Inf.
//
// Let e be a coordinate's distance from the box and a = κ·dt. The force on the coordinate is
// -κe plus a term of size at most g. An Euler step therefore gives e' ≤ (1-a)e + g·dt, so a
// distance that is at most g/κ stays at most g/κ. In the same way the four stages of a Runge–Kutta
// step give
//
//	e' ≤ (1 - a + a²/2 - a³/6 + a⁴/24) e + (1 + a/2 + a²/6 + a³/24) g·dt.
func (b Box) Reach(m Method, dt, g float64) float64 {
	a := b.Pull * dt
	switch {
	case !(a <= 1):
		return math.Inf(1)
	case m == Euler:
		return b.Half + g/b.Pull
	}
	return b.Half + g/b.Pull*(1+a/2+a*a/6+a*a*a/24)/(1-a/2+a*a/6-a*a*a/24)
}

// Confined is a drift with bounded rollouts. Let clamp(z) be the nearest point of the box. Then
//
//	g(z) = inner(clamp(z)) - κ (z - clamp(z)).
//
// Inside the box, g is the wrapped drift. Outside the box, the second term pulls z back towards the
// box. The wrapped drift is evaluated only within the box, where it is bounded for all finite
// weights. Rollouts are therefore bounded too (see Box.Reach).
type Confined[T tensor.Float] struct {
	inner   Drift[T]
	box     Box
	clamped []T // clamp(z) (rows, D)
	dg      []T // copy of Backward's dg (rows, D)
}

var _ Drift[float32] = (*Confined[float32])(nil)

// NewConfined confines a drift to the box, for up to maxRows rows.
func NewConfined[T tensor.Float](inner Drift[T], b Box, maxRows int) *Confined[T] {
	n := maxRows * inner.Dim()
	return &Confined[T]{inner, b, make([]T, n), make([]T, n)}
}

// Another implements Drift.
func (d *Confined[T]) Another() Drift[T] {
	return &Confined[T]{d.inner.Another(), d.box, make([]T, len(d.clamped)), d.dg}
}

// Dim implements Drift.
func (d *Confined[T]) Dim() int { return d.inner.Dim() }

// Forward implements Drift.
func (d *Confined[T]) Forward(dst, params, z []T, rows int) {
	n, c, pull := rows*d.Dim(), T(d.box.Half), T(d.box.Pull)
	for i, v := range z[:n] {
		// Calls of min and max would be slow in WebAssembly.
		if v > c {
			v = c
		} else if v < -c {
			v = -c
		}
		d.clamped[i] = v
	}
	d.inner.Forward(dst, params, d.clamped, rows)
	for i, v := range z[:n] {
		dst[i] -= pull * (v - d.clamped[i])
	}
}

// Backward implements Drift.
func (d *Confined[T]) Backward(dz, params, grads, z, dg []T, rows int) {
	if dz == nil {
		d.inner.Backward(nil, params, grads, d.clamped, dg, rows)
		return
	}
	n, pull := rows*d.Dim(), T(d.box.Pull)
	copy(d.dg, dg[:n])
	d.inner.Backward(dz, params, grads, d.clamped, dg, rows)
	for i, v := range z[:n] {
		if v != d.clamped[i] {
			dz[i] = -pull * d.dg[i]
		}
	}
}
