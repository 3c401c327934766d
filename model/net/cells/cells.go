// Package cells finds the neighbours of particles in less time than that of all pairs.
package cells

import (
	"math"
	"slices"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
)

// Cells divides the box of a frame into cells at least as wide as a radius, so that the neighbours of a particle lie
// in its own cell and those next to it. It divides along three coordinates at most. Fit empties the cells. Then each
// particle meets those that were added before it:
//
//	at := c.Place(p)
//	for _, cell := range c.Around(at) {
//		for j := c.Last(cell); j >= 0; j = c.Before(j) {
//			// particle j is a neighbour, or near one
//		}
//	}
//	c.Add(i, at)
type Cells[T tensor.Float] struct {
	axes    []int // the coordinates
	circles circle.Set
	radii   []T
	count   [3]int // of cells along each coordinate
	low     [3]T
	width   [3]T
	head    []int32 // the last particle of each cell, -1: none
	before  []int32 // for each particle the one before it in its cell, -1: none
	near    []int32 // scratch: cells next to one
}

// mostCells bounds the number of cells along a coordinate.
const mostCells = 32

// New returns cells for particles with these positions, of which some lie on circles, and a radius along each.
func New[T tensor.Float](places []int, circles circle.Set, radii []T) Cells[T] {
	return Cells[T]{axes: places[:min(3, len(places))], circles: circles, radii: radii, count: [3]int{1, 1, 1}}
}

// Fit divides the box of points (N, dim), and empties the cells.
func (c *Cells[T]) Fit(points []T, dim int) {
	all := 1
	for a, k := range c.axes {
		low, high := T(-1), T(1)
		if !c.circles.Has(k) && len(points) > 0 {
			low, high = points[k], points[k]
			for i := k; i < len(points); i += dim {
				low, high = min(low, points[i]), max(high, points[i])
			}
		}
		c.low[a], c.count[a] = low, 1
		if n := float64((high - low) / c.radii[a]); n >= 3 { // fewer cells are all next to one another
			c.count[a] = int(min(n, mostCells))
		}
		c.width[a] = (high - low) / T(c.count[a])
		all *= c.count[a]
	}
	c.head = slices.Grow(c.head[:0], all)[:all]
	for i := range c.head {
		c.head[i] = -1
	}
	n := len(points) / dim
	c.before = slices.Grow(c.before[:0], n)[:n]
}

// Place returns the cell of a point along each coordinate.
func (c *Cells[T]) Place(p []T) (at [3]int) {
	for a, k := range c.axes {
		if c.count[a] > 1 {
			v := p[k]
			if c.circles.Has(k) {
				v = circle.Wrap(v)
			}
			at[a] = min(max(int(math.Floor(float64((v-c.low[a])/c.width[a]))), 0), c.count[a]-1)
		}
	}
	return at
}

// Add puts particle i into its cell.
func (c *Cells[T]) Add(i int, at [3]int) {
	cell := (at[0]*c.count[1]+at[1])*c.count[2] + at[2]
	c.before[i], c.head[cell] = c.head[cell], int32(i)
}

// Around lists the cells at a place and next to it. The result is valid until the next call.
func (c *Cells[T]) Around(at [3]int) []int32 {
	c.near = append(c.near[:0], 0)
	for a := range at {
		n := len(c.near)
		for _, base := range c.near[:n] {
			for _, step := range [...]int{-1, 0, 1} {
				k := at[a] + step
				if c.count[a] == 1 && step != 0 {
					continue
				}
				if k < 0 || k >= c.count[a] {
					if a >= len(c.axes) || !c.circles.Has(c.axes[a]) {
						continue
					}
					k = (k + c.count[a]) % c.count[a]
				}
				c.near = append(c.near, base*int32(c.count[a])+int32(k))
			}
		}
		c.near = append(c.near[:0], c.near[n:]...)
	}
	return c.near
}

// Last returns the particle that was added last to a cell, or -1.
func (c *Cells[T]) Last(cell int32) int { return int(c.head[cell]) }

// Before returns the particle that was added before particle i to its cell, or -1.
func (c *Cells[T]) Before(i int) int { return int(c.before[i]) }
