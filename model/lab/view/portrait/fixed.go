package portrait

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"
)

// Dynamics is a drift g and its Jacobian at a state z (D).
type Dynamics interface {
	Dim() int
	// Drift writes g(z) to dst (D).
	Drift(dst, z []float64)
	// Jacobian writes ∂g_i/∂z_j to dst (D, D).
	Jacobian(dst, z []float64)
}

// Algebra is the linear algebra for a portrait. Package linalg implements it. Matrices are
// stored row by row.
type Algebra interface {
	// Solve finds the x (n) for which |a·x - b| is smallest, with the matrix a (n, n) and the
	// vector b (n). If there are several, it chooses the shortest. It returns false if a is 0,
	// or if the computation fails.
	Solve(x, a, b []float64) bool
	// Eigenvalues returns the eigenvalues of the matrix a (n, n), or nil if they could not be
	// computed.
	Eigenvalues(a []float64, n int) []complex128
	// Principal returns the mean (dim) of states (n, dim), their principal axes, and the
	// share of the variance along each axis (dim). The axes are unit vectors in the order
	// of falling variance, one after another (dim, dim). The sign of an axis is such that
	// its largest element is positive. ok is false if there are fewer than two states, or
	// if all are equal.
	Principal(states []float64, dim int) (mean, axes, share []float64, ok bool)
}

// Fixed is a fixed point of dynamics.
type Fixed struct {
	Z     []float64    // (D)
	Modes []complex128 // eigenvalues of the Jacobian, in the order of falling real parts
}

// Kind classifies the motion near a fixed point.
type Kind int

// The kinds of fixed points.
const (
	Attracts Kind = iota // every mode decays
	Neutral              // no mode grows, and some are constant: the point lies on a line or plane of fixed points
	Repels               // some mode grows
)

// Kind returns the kind of the fixed point. A mode counts as constant if its rate of growth or
// decay is at most the given rate.
func (f *Fixed) Kind(slow float64) Kind {
	switch fastest := real(f.Modes[0]); {
	case fastest > slow:
		return Repels
	case fastest >= -slow:
		return Neutral
	}
	return Attracts
}

const (
	newtonSteps = 60
	halvings    = 12
	// rootTolerance is the largest |g| at a fixed point, relative to |g| at the start of the
	// search. Single precision reaches about 1e-6.
	rootTolerance = 1e-4
	// Two fixed points count as one if no variable differs by more than sameRoot.
	sameRoot = 1e-2
)

// FixedPoints searches for fixed points from starts (n, D). It uses Newton's method, and halves a
// step until |g| falls. It drops points with a variable outside [-reach, reach]. It returns each
// point once. The points that were found most often come first.
func FixedPoints(d Dynamics, a Algebra, starts []float64, reach float64) []Fixed {
	n := d.Dim()
	s := search{d, a, make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n*n)}
	var list []Fixed
	var times []int
	for i := 0; i+n <= len(starts); i += n {
		z := slices.Clone(starts[i : i+n])
		if !s.root(z) || slices.ContainsFunc(z, func(v float64) bool { return !(math.Abs(v) <= reach) }) {
			continue
		}
		if at := slices.IndexFunc(list, func(f Fixed) bool { return near(f.Z, z) }); at >= 0 {
			times[at]++
		} else if modes := s.modes(z); len(modes) > 0 {
			list, times = append(list, Fixed{z, modes}), append(times, 1)
		}
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return times[b] - times[a] })
	fixed := make([]Fixed, len(list))
	for i, k := range order {
		fixed[i] = list[k]
	}
	return fixed
}

func near(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > sameRoot {
			return false
		}
	}
	return true
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// search contains the scratch memory of FixedPoints.
type search struct {
	dynamics      Dynamics
	algebra       Algebra
	g, next, step []float64 // (D)
	jacobian      []float64 // (D, D)
}

// root moves z to a fixed point, or returns false. Variables that never move have a row of
// zeros in the Jacobian and keep their values.
func (s *search) root(z []float64) bool {
	s.dynamics.Drift(s.g, z)
	size := norm(s.g)
	goal := rootTolerance * size
	for range newtonSteps {
		if size <= goal {
			return true
		}
		if s.dynamics.Jacobian(s.jacobian, z); !s.algebra.Solve(s.step, s.jacobian, s.g) {
			return false
		}
		if size = s.descend(z, size); size == 0 {
			return false
		}
	}
	return size <= goal
}

// descend takes the step in s.step, halved until |g| falls, and stores the drift at the new z in
// s.g. It returns the new |g|, or 0 if no halving reduces |g|.
func (s *search) descend(z []float64, size float64) float64 {
	share := 1.0
	for range halvings {
		for i := range z {
			s.next[i] = z[i] - share*s.step[i]
		}
		s.dynamics.Drift(s.g, s.next)
		if now := norm(s.g); now < size {
			copy(z, s.next)
			return math.Max(now, math.SmallestNonzeroFloat64)
		}
		share /= 2
	}
	return 0
}

// modes returns the eigenvalues of the Jacobian at z. It omits the variables that never
// move.
func (s *search) modes(z []float64) []complex128 {
	n := len(z)
	s.dynamics.Jacobian(s.jacobian, z)
	var moving []int
	for i := range n {
		if norm(s.jacobian[i*n:(i+1)*n]) > 0 {
			moving = append(moving, i)
		}
	}
	var a []float64
	for _, i := range moving {
		for _, k := range moving {
			a = append(a, s.jacobian[i*n+k])
		}
	}
	if len(a) == 0 {
		return nil
	}
	modes := s.algebra.Eigenvalues(a, len(moving))
	slices.SortStableFunc(modes, func(a, b complex128) int {
		if c := cmp.Compare(real(b), real(a)); c != 0 {
			return c
		}
		return cmp.Compare(cmplx.Phase(b), cmplx.Phase(a))
	})
	return modes
}
