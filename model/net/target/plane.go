package target

import (
	"fmt"
	"math"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// Plane draws the two-dimensional q_X on a grid, as the function Cells draws the
// one-dimensional q_X. It reuses its buffers and is not safe for concurrent use.
type Plane[T tensor.Float] struct{ across, up []T }

// Cells cuts the box from lo to hi into equal cells. It writes the mean of q_X over each cell to
// dst (ny, nx). Row 0 is at lo[1]. The kernel has a separate standard deviation eps along each
// axis. particles is (m, 2), m > 0.
func (g *Plane[T]) Cells(dst, particles []T, eps, lo, hi [2]float64, nx, ny int) {
	m := count(len(particles), 2)
	if m == 0 || nx < 1 || ny < 1 || len(dst) < nx*ny || !(hi[0] > lo[0]) || !(hi[1] > lo[1]) {
		panic(fmt.Sprintf("target: %d×%d cells of %v to %v for %d particles into %d values", nx, ny, lo, hi, m, len(dst)))
	}
	if len(g.across) < nx {
		g.across = make([]T, nx)
	}
	if len(g.up) < ny {
		g.up = make([]T, ny)
	}
	clear(dst[:nx*ny])
	for i := range m {
		left, right := shares(g.across[:nx], float64(particles[2*i]), eps[0], lo[0], hi[0])
		low, high := shares(g.up[:ny], float64(particles[2*i+1]), eps[1], lo[1], hi[1])
		for y := low; y < high; y++ {
			kernel.Axpy(dst[y*nx+left:y*nx+right], g.up[y], g.across[left:right])
		}
	}
	kernel.Scale(dst[:nx*ny], T(1/float64(m)))
}

// The function `shares` divides [lo, hi] into len(dst) cells. For each of the cells first to
// last-1, it writes the mean of a normal density around c to dst. All other cells together contain
// less than 2e-9 of the probability.
func shares[T tensor.Float](dst []T, c, eps, lo, hi float64) (first, last int) {
	const reach = 6 // a normal variable is more than 6 standard deviations from its mean with a probability of 2e-9
	cells := float64(len(dst))
	width := (hi - lo) / cells
	first = int(min(max((c-reach*eps-lo)/width, 0), cells))
	last = int(min(max((c+reach*eps-lo)/width+1, 0), cells))
	left := math.Erf((lo + float64(first)*width - c) / (eps * math.Sqrt2))
	for i := first; i < last; i++ {
		right := math.Erf((lo + float64(i+1)*width - c) / (eps * math.Sqrt2))
		dst[i] = T(0.5 / width * (right - left))
		left = right
	}
	return first, last
}
