package encoder

import (
	"math"
	"slices"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
)

// cells divides the box of a frame into cells at least as wide as a radius, so that the neighbours of a particle lie
// in its own cell and those next to it. It divides along three coordinates at most.
type cells[T tensor.Float] struct {
	axes    []int // the coordinates
	circles circle.Set
	radius  T
	count   [3]int // of cells along each coordinate
	low     [3]T
	width   [3]T
	head    []int32 // the last particle of each cell, -1: none
	before  []int32 // for each particle the one before it in its cell, -1: none
	near    []int32 // scratch: cells next to one
}

// mostCells bounds the number of cells along a coordinate.
const mostCells = 32

func newCells[T tensor.Float](places []int, circles circle.Set, radius T) cells[T] {
	return cells[T]{axes: places[:min(3, len(places))], circles: circles, radius: radius, count: [3]int{1, 1, 1}}
}

// fit divides the box of points (N, dim), and empties the cells.
func (c *cells[T]) fit(points []T, dim int) {
	all := 1
	for a, k := range c.axes {
		low, high := T(-1), T(1)
		if !c.circles.Has(k) {
			low, high = points[k], points[k]
			for i := k; i < len(points); i += dim {
				low, high = min(low, points[i]), max(high, points[i])
			}
		}
		c.low[a], c.count[a] = low, 1
		if n := float64((high - low) / c.radius); n >= 3 { // fewer cells are all next to one another
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

// place returns the cell of a point along each coordinate.
func (c *cells[T]) place(p []T) (at [3]int) {
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

// add puts particle i into its cell.
func (c *cells[T]) add(i int, at [3]int) {
	cell := (at[0]*c.count[1]+at[1])*c.count[2] + at[2]
	c.before[i], c.head[cell] = c.head[cell], int32(i)
}

// around lists the cells at a place and next to it. The result is valid until the next call.
func (c *cells[T]) around(at [3]int) []int32 {
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
