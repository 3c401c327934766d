// Package circle is for coordinates that repeat, such as positions in a periodic box and angles. Such a
// coordinate lies on a circle. In the units of the networks, the circumference of every circle is [Round].
package circle

import (
	"math"
	"math/bits"

	"macroscope/model/compute/tensor"
)

// Round is the circumference of a circle in the units of the networks. Its coordinates are -1 to 1.
const Round = 2

// Set says which coordinates of a point lie on circles: bit k is set for coordinate k.
type Set uint16

// Of returns the set of coordinates with a positive period.
func Of(periods []float64) (s Set) {
	for k, p := range periods {
		if p > 0 {
			s |= 1 << k
		}
	}
	return s
}

// Has reports whether coordinate k lies on a circle.
func (s Set) Has(k int) bool { return s>>k&1 == 1 }

// Count returns how many coordinates lie on circles.
func (s Set) Count() int { return bits.OnesCount16(uint16(s)) }

// Wrap returns the place in [-1, 1] of a coordinate on a circle.
func Wrap[T tensor.Float](v T) T {
	switch {
	case v >= -1 && v <= 1:
		return v
	case v > 1 && v < 3:
		return v - Round
	case v < -1 && v > -3:
		return v + Round
	}
	return T(math.Remainder(float64(v), Round))
}

// WrapPoints wraps the coordinates of points (n, dim) that lie on circles.
func WrapPoints[T tensor.Float](s Set, points []T, dim int) {
	for k := range dim {
		if !s.Has(k) {
			continue
		}
		for i := k; i < len(points); i += dim {
			points[i] = Wrap(points[i])
		}
	}
}

// Width returns how many numbers a network sees of the first dim coordinates of a point: a coordinate on a
// circle is seen as its cosine and its sine.
func (s Set) Width(dim int) int { return dim + (s & (1<<dim - 1)).Count() }

// See writes what a network sees of points (n, dim) to dst (n, Width), and returns the written part of dst.
func See[T tensor.Float](s Set, dst, points []T, dim int) []T {
	at := 0
	for i, v := range points {
		if s.Has(i % dim) {
			sin, cos := math.Sincos(math.Pi * float64(v))
			dst[at], dst[at+1] = T(cos), T(sin)
			at += 2
			continue
		}
		dst[at] = v
		at++
	}
	return dst[:at]
}

// Gradient returns the gradient of a coordinate on a circle, given what is seen of it and the gradient of
// that.
func Gradient[T tensor.Float](cos, sin, dcos, dsin T) T { return math.Pi * (cos*dsin - sin*dcos) }
