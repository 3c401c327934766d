package dynamics

import (
	"fmt"
	"math"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// Loss compares K steps of a drift from an observed state z_0 with the observed states z_1 …
// z_K. If ẑ_k is the state after k steps from z_0,
//
//	loss = mean over rows, k = 1 … K and coordinates of ((ẑ_k - z_k) / (k dt))².
//
// A term is the squared error of the mean velocity over k steps, so terms have the scale of g²
// for every k and dt. With one Euler step the loss is the mean of (g(z_0) - (z_1 - z_0)/dt)²,
// as in the paper's stage II. The gradient goes exactly through all steps and their stages. A
// Loss is not safe for concurrent use.
type Loss[T tensor.Float] struct {
	// Power is the exponent p in ((ẑ_k - z_k) / (k^p dt))². With p = 1 the loss compares mean
	// velocities; with p = 0 it compares the states themselves and gives late steps their full
	// weight.
	Power float64
	// Macro is the weight of the squared errors of the first Macros coordinates, z̄. The others, ẑ, have weight 1.
	Macro  float64
	Macros int

	drifts      []Drift[T] // one for every stage of every step (K, stages)
	method      tableau
	steps, rows int
	points      []T // arguments of every stage of every step (K, stages, rows, D)
	last        []T // ẑ_K (rows, D)
	dz          []T // gradients with respect to ẑ_1 … ẑ_K: first direct gradients, later total gradients (K, rows, D)
	slope       []T // slope of the last stage (rows, D)
	dk, dpoint  []T // gradients with respect to a stage's slope and argument (rows, D)
}

// NewLoss makes a Loss over the given number of steps (K), for up to maxRows rows. The drift must
// also be made for maxRows rows.
func NewLoss[T tensor.Float](drift Drift[T], m Method, steps, maxRows int) *Loss[T] {
	if steps < 1 {
		panic(fmt.Sprintf("dynamics: a loss over %d steps", steps))
	}
	t, n := m.tableau(), maxRows*drift.Dim()
	drifts := []Drift[T]{drift}
	for len(drifts) < steps*len(t.weight) {
		drifts = append(drifts, drift.Another())
	}
	room := func(k int) []T { return make([]T, k*n) }
	return &Loss[T]{
		Power: 1, Macro: 1, drifts: drifts, method: t, steps: steps, rows: maxRows,
		points: room(steps * len(t.weight)), last: room(1), dz: room(steps),
		slope: room(1), dk: room(1), dpoint: room(1),
	}
}

// Value returns the loss of z (rows, K+1, D). States are dt apart. Training may have added
// noise to the first state, but not to later states.
func (l *Loss[T]) Value(params, z []T, rows int, dt float64) float64 {
	if rows < 1 || rows > l.rows {
		panic(fmt.Sprintf("dynamics: %d rows in a loss for %d", rows, l.rows))
	}
	d, stages := l.drifts[0].Dim(), len(l.method.weight)
	n, length := rows*d, (l.steps+1)*d
	if len(z) < rows*length {
		panic(fmt.Sprintf("dynamics: %d values for %d rows of %d states of %d variables", len(z), rows, l.steps+1, d))
	}
	for r := range rows {
		copy(l.points[r*d:r*d+d], z[r*length:])
	}
	total := 0.0
	for k := 1; k <= l.steps; k++ {
		next := l.last
		if k < l.steps {
			next = l.points[k*stages*n:]
		}
		step(l.drifts[(k-1)*stages:k*stages], l.method, next, params, l.points[(k-1)*stages*n:], l.slope, rows, dt)
		elapsed := math.Pow(float64(k), l.Power) * dt
		weight := 1 / (elapsed * elapsed * float64(l.steps*n))
		dz := l.dz[(k-1)*n : k*n]
		sum := 0.0
		for r := range rows {
			truth := z[r*length+k*d:][:d]
			for j, want := range truth {
				e := next[r*d+j] - want
				w := 1.0
				if j < l.Macros {
					w = l.Macro
				}
				sum += w * float64(e) * float64(e)
				dz[r*d+j] = T(2*w*weight) * e
			}
		}
		total += weight * sum
	}
	return total
}

// Gradient returns the result of Value and adds its gradient to grads.
func (l *Loss[T]) Gradient(params, grads, z []T, rows int, dt float64) float64 {
	loss := l.Value(params, z, rows, dt)
	stages, n := len(l.method.weight), rows*l.drifts[0].Dim()
	dk, dpoint := l.dk[:n], l.dpoint[:n]
	for k := l.steps - 1; k >= 0; k-- {
		after, before := l.dz[k*n:k*n+n], []T(nil)
		if k > 0 {
			before = l.dz[(k-1)*n : k*n]
			kernel.Axpy(before, 1, after)
		}
		for i := stages - 1; i >= 0; i-- {
			copy(dk, after)
			kernel.Scale(dk, T(dt*l.method.weight[i]))
			if i < stages-1 {
				kernel.Axpy(dk, T(dt*l.method.reach[i+1]), dpoint)
			}
			at, drift := l.points[(k*stages+i)*n:][:n], l.drifts[k*stages+i]
			if k == 0 && i == 0 { // the gradient with respect to z_0 is not needed
				drift.Backward(nil, params, grads, at, dk, rows)
				break
			}
			drift.Backward(dpoint, params, grads, at, dk, rows)
			if k > 0 {
				kernel.Axpy(before, 1, dpoint)
			}
		}
	}
	return loss
}
