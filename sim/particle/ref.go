package particle

import "math"

// softening is added to r² under the square root, as in the paper's code: two coincident
// particles count as 1e-6 apart.
const softening = 1e-12

// law is the pair force: F(r) and U(r), from a table or from tanh(a(1-r)) + b.
type law struct {
	a, b  float64
	table *Force
}

func (l *law) force(r float64) float64 {
	if l.table != nil {
		force, _ := l.table.At(r)
		return force
	}
	return refForce(l.a, l.b, r)
}

func (l *law) energy(r float64) float64 {
	if l.table != nil {
		_, energy := l.table.At(r)
		return energy
	}
	return refEnergy(l.a, l.b, r)
}

// refPairs is the plain form of a pass: it adds Σ_j F(r)(x_i - x_j)/r to vx[i], vy[i] and returns
// E. It defines the result of the vector forms. Tests compare them with refPairs in float64.
func refPairs[T float32 | float64](l law, x, y, vx, vy []T) (energy float64) {
	return refRows(0, l, x, y, vx, vy, 0, len(x))
}

// refRows computes a part of refPairs: all pairs i < j with i in [from, to). It returns `energy`
// plus the energies of these pairs.
func refRows[T float32 | float64](energy float64, l law, x, y, vx, vy []T, from, to int) float64 {
	for i := from; i < to; i++ {
		for j := i + 1; j < len(x); j++ {
			dx, dy := float64(x[i]-x[j]), float64(y[i]-y[j])
			square := dx*dx + dy*dy
			energy += l.energy(math.Sqrt(square))

			r := math.Sqrt(square + softening)
			force := l.force(r) / r
			fx, fy := T(force*dx), T(force*dy)
			vx[i] += fx
			vy[i] += fy
			vx[j] -= fx
			vy[j] -= fy
		}
	}
	return energy
}

// refForce returns F(r), computed by tanh|u| = -m/(2+m) with m = e^{-2|u|} - 1. (math.Tanh and
// math.Exp mix SSE with AVX instructions, which can be a hundred times slower after the vector
// forms have run or the scheduler has saved a goroutine's vectors.)
func refForce(a, b, r float64) float64 {
	u := a * (1 - r)
	m := math.Expm1(-2 * math.Abs(u))
	return math.Copysign(m/(2+m), u) + b
}

// refEnergy returns the energy of one pair, computed by log cosh u = |u| + log(1 + m/2).
func refEnergy(a, b, r float64) float64 {
	gap := 1 - r
	m := math.Expm1(-2 * a * math.Abs(gap))
	return math.Abs(gap) + math.Log1p(m/2)/a + b*gap
}
