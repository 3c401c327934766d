package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// EulerMaruyama advances states along the Itô equation dz = g(z) dt + Σ(z) dW by
//
//	z' = z + g(z) dt + Σ(z) dW.
//
// Its strong order is ½, or 1 if Σ is constant, and its weak order is 1 (Kloeden and Platen,
// Numerical Solution of Stochastic Differential Equations, 1992, section 10.2). It is not safe
// for concurrent use.
type EulerMaruyama[T tensor.Float] struct {
	drift     Drift[T]
	diffusion Diffusion[T]
	rows      int
	g, z, dW  []T // drift, states and increments of W (rows, D)
	sigma     []T // values of the diffusion (rows, Width)

	paths []rand.PCG // generator of each row
	path  pathNoise  // generator of the current row
	gauss *rand.Rand // draws from the current row's generator
}

// pathNoise is the generator of the current row's random numbers.
type pathNoise struct{ *rand.PCG }

// NewEulerMaruyama makes an EulerMaruyama for up to maxRows rows. The drift and the diffusion must
// also be made for maxRows rows.
func NewEulerMaruyama[T tensor.Float](drift Drift[T], diffusion Diffusion[T], maxRows int) *EulerMaruyama[T] {
	checkDim(drift, diffusion)
	n := maxRows * drift.Dim()
	s := &EulerMaruyama[T]{
		drift: drift, diffusion: diffusion, rows: maxRows,
		g: make([]T, n), z: make([]T, n), dW: make([]T, n),
		sigma: make([]T, maxRows*diffusion.Width()), paths: make([]rand.PCG, maxRows),
	}
	s.gauss = rand.New(&s.path)
	return s
}

// Step advances the states z (rows, D) by dt and writes the result to dst, which may be z. dW
// (rows, D) are the increments of independent Brownian motions over dt, with variance dt. To
// replay a path in longer steps, pass sums of its increments.
func (s *EulerMaruyama[T]) Step(dst, params, z, dW []T, rows int, dt float64) {
	d, width := s.drift.Dim(), s.diffusion.Width()
	if rows > s.rows || len(dW) < rows*d {
		panic(fmt.Sprintf("dynamics: a step of %d rows of %d variables with %d increments in an integrator for %d rows", rows, d, len(dW), s.rows))
	}
	s.drift.Forward(s.g, params, z, rows)
	s.diffusion.Forward(s.sigma, params, z, rows)
	copy(dst[:rows*d], z)
	kernel.Axpy(dst, T(dt), s.g[:rows*d])
	for r := range rows {
		addProduct(dst[r*d:r*d+d], s.sigma[r*width:r*width+width], dW[r*d:r*d+d])
	}
}

// Rollout writes an ensemble of trajectories from each of the states z0 (initial, D) to dst
// (initial, members, steps+1, D). States are dt apart. At most s.rows trajectories are computed
// at once, so initial and members have no limit. Each trajectory has its own generator, seeded
// by rng. It therefore does not depend on the block size, and a longer trajectory starts like a
// shorter one. Unless the drift is confined, states may grow without bound, and dst may contain
// NaN and infinities.
func (s *EulerMaruyama[T]) Rollout(dst, params, z0 []T, initial, members, steps int, dt float64, rng *rand.Rand) {
	d, length, trajectories := s.drift.Dim(), (steps+1)*s.drift.Dim(), initial*members
	if len(z0) < initial*d || len(dst) < trajectories*length {
		panic(fmt.Sprintf("dynamics: a rollout of %d × %d trajectories, %d steps, %d variables from %d values into %d", initial, members, steps, d, len(z0), len(dst)))
	}
	root := math.Sqrt(dt)
	for begin := 0; begin < trajectories; begin += s.rows {
		rows := min(s.rows, trajectories-begin)
		for r := range rows {
			s.paths[r].Seed(rng.Uint64(), rng.Uint64())
			copy(s.z[r*d:r*d+d], z0[(begin+r)/members*d:])
		}
		for t := range steps + 1 {
			if t > 0 {
				for r := range rows {
					s.path.PCG = &s.paths[r]
					for j := range d {
						s.dW[r*d+j] = T(root * s.gauss.NormFloat64())
					}
				}
				s.Step(s.z, params, s.z, s.dW, rows, dt)
			}
			for r := range rows {
				copy(dst[(begin+r)*length+t*d:][:d], s.z[r*d:])
			}
		}
	}
}
