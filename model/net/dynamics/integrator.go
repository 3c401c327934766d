package dynamics

import (
	"fmt"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// Integrator advances states along a drift. It is not safe for
// concurrent use.
type Integrator[T tensor.Float] struct {
	drift  []Drift[T] // a slice of one drift
	method tableau
	rows   int
	points []T // arguments of the stages (stages, rows, D)
	next   []T // states after the step (rows, D)
	slope  []T // slope k of the last stage (rows, D)
}

// NewIntegrator makes an Integrator for up to maxRows rows. The drift must also be made for maxRows
// rows.
func NewIntegrator[T tensor.Float](drift Drift[T], m Method, maxRows int) *Integrator[T] {
	t, n := m.tableau(), maxRows*drift.Dim()
	return &Integrator[T]{[]Drift[T]{drift}, t, maxRows, make([]T, len(t.weight)*n), make([]T, n), make([]T, n)}
}

// step writes the states after one step to `next`. The slice `points` (stages, rows, D) holds the
// argument of every stage. The caller provides the argument of the first stage: the states before
// the step. The function writes the arguments of the later stages, and overwrites `slope` (rows,
// D). The stages use the drifts in turn: if there are enough drifts, each stage has its own.
func step[T tensor.Float](drifts []Drift[T], m tableau, next, params, points, slope []T, rows int, dt float64) {
	n := rows * drifts[0].Dim()
	z, next, slope := points[:n], next[:n], slope[:n]
	copy(next, z)
	for i, weight := range m.weight {
		at := points[i*n : i*n+n]
		if i > 0 {
			copy(at, z)
			kernel.Axpy(at, T(dt*m.reach[i]), slope)
		}
		drifts[i%len(drifts)].Forward(slope, params, at, rows)
		kernel.Axpy(next, T(dt*weight), slope)
	}
}

// Step advances the states z (rows, D) by dt and writes the result to dst, which may be z.
func (s *Integrator[T]) Step(dst, params, z []T, rows int, dt float64) {
	if rows > s.rows {
		panic(fmt.Sprintf("dynamics: a step of %d rows in an integrator for %d", rows, s.rows))
	}
	n := rows * s.drift[0].Dim()
	copy(s.points, z[:n])
	step(s.drift, s.method, s.next, params, s.points, s.slope, rows, dt)
	copy(dst[:n], s.next)
}

// Rollout writes whole trajectories to dst (E, steps+1, D). Each trajectory begins with its row of
// z0 (E, D). The time between consecutive states is dt. E is arbitrary: trajectories are computed
// in blocks of at most the integrator's rows. Unless the drift is confined, states may grow without
// bound, and dst may contain NaN and infinities.
func (s *Integrator[T]) Rollout(dst, params, z0 []T, trajectories, steps int, dt float64) {
	d, length := s.drift[0].Dim(), (steps+1)*s.drift[0].Dim()
	if len(z0) < trajectories*d || len(dst) < trajectories*length {
		panic(fmt.Sprintf("dynamics: a rollout of %d trajectories, %d steps, %d variables from %d values into %d", trajectories, steps, d, len(z0), len(dst)))
	}
	for begin := 0; begin < trajectories; begin += s.rows {
		rows := min(s.rows, trajectories-begin)
		copy(s.next, z0[begin*d:(begin+rows)*d])
		for t := range steps + 1 {
			if t > 0 {
				copy(s.points, s.next[:rows*d])
				step(s.drift, s.method, s.next, params, s.points, s.slope, rows, dt)
			}
			for r := range rows {
				copy(dst[(begin+r)*length+t*d:][:d], s.next[r*d:])
			}
		}
	}
}
