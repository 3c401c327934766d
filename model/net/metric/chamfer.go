package metric

import (
	"fmt"
	"math"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
)

// Chamfer measures the distance between two sets of points,
//
//	mean_i min_j |a_i - b_j|² + mean_j min_i |a_i - b_j|²,
//
// the training loss of the autoencoder baselines (Fan, Su and Guibas, CVPR 2017, here with
// means in place of sums). On a circle, the difference of two coordinates is that of the nearest images. It is
// not safe for concurrent use.
type Chamfer[T tensor.Float] struct {
	dim, points int
	circles     circle.Set
	columns     []T     // b with one row per coordinate (D, |b|)
	square      []T     // squared distances from one a to every b (|b|)
	best        []T     // squared distances from every b to its nearest a (|b|)
	toB, toA    []int32 // for every a the index of the nearest b, and for every b the index of the nearest a
}

// NewChamfer makes a Chamfer for sets of up to maxPoints points of dim coordinates, some of them on circles.
func NewChamfer[T tensor.Float](dim, maxPoints int, circles circle.Set) *Chamfer[T] {
	return &Chamfer[T]{
		dim: dim, points: maxPoints, circles: circles,
		columns: make([]T, dim*maxPoints), square: make([]T, maxPoints), best: make([]T, maxPoints),
		toB: make([]int32, maxPoints), toA: make([]int32, maxPoints),
	}
}

// Value returns the distance between the nonempty sets a (|a|, D) and b (|b|, D). It is finite
// only if all coordinates are finite.
func (c *Chamfer[T]) Value(a, b []T) float64 {
	dim, n, m := c.dim, len(a)/c.dim, len(b)/c.dim
	if len(a)%dim != 0 || len(b)%dim != 0 || n < 1 || m < 1 || n > c.points || m > c.points {
		panic(fmt.Sprintf("metric: the Chamfer distance of %d and %d values of %d coordinates with room for %d points", len(a), len(b), dim, c.points))
	}
	for j := range m {
		for k, v := range b[j*dim : j*dim+dim] {
			c.columns[k*m+j] = v
		}
	}
	square, best, toA := c.square[:m], c.best[:m], c.toA[:m]
	for j := range best {
		best[j], toA[j] = T(math.Inf(1)), 0
	}
	fromA, fromB := 0.0, 0.0
	for i := range n {
		clear(square)
		for k, v := range a[i*dim : i*dim+dim] {
			if ws := c.columns[k*m : k*m+m]; c.circles.Has(k) {
				addRound(square, ws, v)
			} else {
				addStraight(square, ws, v)
			}
		}
		nearest, least := 0, square[0]
		for j, s := range square {
			if s < least {
				nearest, least = j, s
			}
			if s < best[j] {
				best[j], toA[j] = s, int32(i)
			}
		}
		c.toB[i] = int32(nearest)
		fromA += float64(least)
	}
	for _, s := range best {
		fromB += float64(s)
	}
	return fromA/float64(n) + fromB/float64(m)
}

// Gradient returns the result of Value and writes the gradient with respect to a to da (|a|,
// D). The distance is symmetric: exchange the sets to get the gradient with respect to b. If
// several points are equally near to a point, the first counts.
func (c *Chamfer[T]) Gradient(da, a, b []T) float64 {
	value := c.Value(a, b)
	dim, n, m := c.dim, len(a)/c.dim, len(b)/c.dim
	toB, toA := T(2/float64(n)), T(2/float64(m))
	for i, j := range c.toB[:n] {
		for k, v := range b[int(j)*dim : int(j)*dim+dim] {
			d := a[i*dim+k] - v
			if c.circles.Has(k) {
				d = circle.Wrap(d)
			}
			da[i*dim+k] = toB * d
		}
	}
	for j, i := range c.toA[:m] {
		for k, v := range b[j*dim : j*dim+dim] {
			at := int(i)*dim + k
			d := a[at] - v
			if c.circles.Has(k) {
				d = circle.Wrap(d)
			}
			da[at] += toA * d
		}
	}
	return value
}

// addStraight adds the squared distances on a line from v to every w to dst.
func addStraight[T tensor.Float](dst, ws []T, v T) {
	dst = dst[:len(ws)]
	for j, w := range ws {
		d := v - w
		dst[j] += d * d
	}
}

// addRound adds the squared distances on a circle from v to every w to dst.
func addRound[T tensor.Float](dst, ws []T, v T) {
	for j, w := range ws {
		d := circle.Wrap(v - w)
		dst[j] += d * d
	}
}
