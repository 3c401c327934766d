package particle

import "math"

// softening is added to r² under the root, as in the paper's code: 1e-6 is the
// distance at which two particles that coincide are taken to be.
const softening = 1e-12

// refPairs is the plain form of a pass: it adds Σ_j F(r)(x_i - x_j)/r to vx[i],
// vy[i] and returns E. It defines what the vector forms compute, and with
// float64 it is what they are measured against.
func refPairs[T float32 | float64](a, b float64, x, y, vx, vy []T) (energy float64) {
	return refRows(0, a, b, x, y, vx, vy, 0, len(x))
}

// refRows is the part of refPairs of the pairs whose first particle is one of
// from to to-1. It adds to the energy.
func refRows[T float32 | float64](energy, a, b float64, x, y, vx, vy []T, from, to int) float64 {
	for i := from; i < to; i++ {
		for j := i + 1; j < len(x); j++ {
			dx, dy := float64(x[i]-x[j]), float64(y[i]-y[j])
			square := dx*dx + dy*dy
			energy += refEnergy(a, b, math.Sqrt(square))

			r := math.Sqrt(square + softening)
			force := refForce(a, b, r) / r
			fx, fy := T(force*dx), T(force*dy)
			vx[i] += fx
			vy[i] += fy
			vx[j] -= fx
			vy[j] -= fy
		}
	}
	return energy
}

// refForce is F(r), by tanh|u| = -m/(2+m) with m = e^{-2|u|} - 1. (math.Tanh
// and math.Exp mix SSE with AVX instructions, which after the vector forms, or
// after the scheduler has saved a goroutine's vectors, can take a hundred times
// their time.)
func refForce(a, b, r float64) float64 {
	u := a * (1 - r)
	m := math.Expm1(-2 * math.Abs(u))
	return math.Copysign(m/(2+m), u) + b
}

// refEnergy is the energy of one pair, by log cosh u = |u| + log(1 + m/2).
func refEnergy(a, b, r float64) float64 {
	gap := 1 - r
	m := math.Expm1(-2 * a * math.Abs(gap))
	return math.Abs(gap) + math.Log1p(m/2)/a + b*gap
}
