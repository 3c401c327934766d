package particle

import (
	"context"
	"fmt"
	"math"
)

// An Euler step moves a particle by v·dt, with the velocity v at the step's start. If the velocity at
// the end is v + Δv, the step is wrong by about |Δv|·dt/2. The velocity at the end is computed in any
// case, because the next step needs it. So a simulation knows the error of each of its steps.
//
// coarse is the largest error of a step, in units of length, that a simulation with its own Force
// accepts. A step that is worse is taken in shorter pieces by Heun's method. This happens near a
// singular core, as of 1/r³: the force there changes within a distance that the particle crosses in
// far less than dt. The energy does not show it, because particles that are flung apart lose energy.
const coarse = 0.01

// mostPieces bounds the pieces of a step. 300 particles with 1/r³ need fewer than 200: the pieces become
// longer as the particles leave the core.
const mostPieces = 5000

// roughness returns the error of an Euler step of length dt (see coarse), given the velocities at both
// ends. It is the largest of all particles, or infinite if it is not a number.
func roughness(from, to *half, n int, dt float32) float64 {
	worst := float32(0)
	for i := range n {
		dx, dy := to.vx[i]-from.vx[i], to.vy[i]-from.vy[i]
		if square := dx*dx + dy*dy; square > worst || square != square {
			worst = square
		}
		if worst != worst {
			return math.Inf(1)
		}
	}
	return math.Sqrt(float64(worst)) * float64(dt) / 2
}

// refine takes a step from s.now to s.next in pieces. Each piece is a step of Heun's method, whose
// first half is an Euler step that is not wrong by more than `coarse`.
func (s *Simulation) refine(ctx context.Context) error {
	n := s.cfg.N
	at, ahead := &s.next, &s.ahead
	for _, c := range [][2][]float32{{at.x, s.now.x}, {at.y, s.now.y}, {at.vx, s.now.vx}, {at.vy, s.now.vy}} {
		copy(c[0][:n], c[1])
	}
	left, h := s.cfg.Dt, s.cfg.Dt/2
	for range mostPieces {
		h = min(h, left)
		dt := float32(h)
		inside := advance(ahead.x[:n], at.x, at.vx, dt)
		inside = advance(ahead.y[:n], at.y, at.vy, dt) && inside
		if inside {
			if err := s.evaluate(ctx, ahead); err != nil {
				return err
			}
		}
		if !inside || roughness(at, ahead, n, dt) > coarse {
			h /= 2
			continue
		}
		for i := range n {
			at.x[i] += (at.vx[i] + ahead.vx[i]) * (dt / 2)
			at.y[i] += (at.vy[i] + ahead.vy[i]) * (dt / 2)
		}
		if err := s.evaluate(ctx, at); err != nil {
			return err
		}
		if left -= h; left <= 0 {
			return nil
		}
		h *= 2
	}
	return fmt.Errorf("particle: stopped at step %d: the force changes too much within the way of a step, even in %d pieces; bound the force at short distances, as in 1/(r+0.1)^3, or choose a time step below %.2g: %w",
		s.step+1, mostPieces, s.cfg.Dt/2, ErrUnstable)
}
