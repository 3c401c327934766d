package dynamics

import (
	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// Substeps is the mean velocity of another drift over several Euler steps:
//
//	ḡ(z) = (z_n - z) / (n h),  z_0 = z,  z_{k+1} = z_k + h g(z_k).
//
// Suppose that observed states are n h apart and predictions take steps of h. If g is trained on these
// states by steps of n h, then g becomes the mean velocity over n h, and predictions smooth each sudden
// change of the velocity. With Substeps, g becomes the velocity itself.
type Substeps[T tensor.Float] struct {
	drifts []Drift[T] // one for each step
	h      float64
	points []T // z_0 … z_{n-1} (steps, rows, D)
	share  []T // gradient with respect to ḡ, divided by n (rows, D)
	slope  []T // g(z_k), later the gradient with respect to it (rows, D)
	dpoint []T // contribution of one step to the gradient with respect to z_k (rows, D)
	dnext  []T // gradient with respect to z_k (rows, D)
}

var _ Drift[float32] = (*Substeps[float32])(nil)

// NewSubsteps makes a Substeps of the given number of steps of length h, for up to maxRows rows. The
// drift must also be made for maxRows rows.
func NewSubsteps[T tensor.Float](drift Drift[T], steps int, h float64, maxRows int) *Substeps[T] {
	drifts := []Drift[T]{drift}
	for len(drifts) < steps {
		drifts = append(drifts, drift.Another())
	}
	room := func(k int) []T { return make([]T, k*maxRows*drift.Dim()) }
	return &Substeps[T]{drifts, h, room(steps), room(1), room(1), room(1), room(1)}
}

// Another implements Drift.
func (d *Substeps[T]) Another() Drift[T] {
	s := *d
	s.points, s.drifts = make([]T, len(d.points)), nil
	for _, drift := range d.drifts {
		s.drifts = append(s.drifts, drift.Another())
	}
	return &s
}

// Dim implements Drift.
func (d *Substeps[T]) Dim() int { return d.drifts[0].Dim() }

// Forward implements Drift.
func (d *Substeps[T]) Forward(dst, params, z []T, rows int) {
	n := rows * d.Dim()
	slope, share := d.slope[:n], 1/T(len(d.drifts))
	clear(dst[:n])
	at := d.points[:n]
	copy(at, z)
	for k, drift := range d.drifts {
		drift.Forward(slope, params, at, rows)
		kernel.Axpy(dst[:n], share, slope)
		if k+1 < len(d.drifts) {
			next := d.points[(k+1)*n : (k+2)*n]
			copy(next, at)
			kernel.Axpy(next, T(d.h), slope)
			at = next
		}
	}
}

// Backward implements Drift.
func (d *Substeps[T]) Backward(dz, params, grads, z, dg []T, rows int) {
	n := rows * d.Dim()
	share, slope, dpoint, dnext := d.share[:n], d.slope[:n], d.dpoint[:n], d.dnext[:n]
	copy(share, dg)
	kernel.Scale(share, 1/T(len(d.drifts)))
	clear(dnext)
	for k := len(d.drifts) - 1; k >= 0; k-- {
		copy(slope, share)
		kernel.Axpy(slope, T(d.h), dnext)
		at := d.points[k*n : (k+1)*n]
		if k == 0 && dz == nil {
			d.drifts[k].Backward(nil, params, grads, at, slope, rows)
			return
		}
		d.drifts[k].Backward(dpoint, params, grads, at, slope, rows)
		kernel.Axpy(dnext, 1, dpoint)
	}
	copy(dz, dnext)
}
