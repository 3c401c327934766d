package spline

import (
	"fmt"
	"math"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// Floor is the smallest share of the interval for a bin's width or height, and the smallest
// derivative at an inner knot.
const Floor = 1e-3

// MaxBins is the largest number of bins that Validate accepts. It is enough for any useful
// density; with many more bins, their smallest widths would fill the interval.
const MaxBins = 512

// UnitSlope is the raw derivative that gives a knot the slope 1. With it and with equal raw
// widths and heights, a spline is the identity.
var UnitSlope = math.Log(math.Expm1(1 - Floor))

// Spline is the form shared by a set of splines.
type Spline struct {
	Bins  int     // K, the number of bins
	Bound float64 // B: the spline acts on [-B, B]
	// Circular is set for a bijection of the circle: -B and B are the same point, with one derivative.
	Circular bool
}

// Params returns the length of a row of raw parameters: 3K-1, or 3K on a circle.
func (s Spline) Params() int { return 2*s.Bins + s.slopes() }

// slopes returns the number of raw derivatives.
func (s Spline) slopes() int {
	if s.Circular {
		return s.Bins
	}
	return s.Bins - 1
}

// knots returns the indices of the raw derivatives at the left and right knots of bin j, or -1 for a
// derivative of 1.
func (s Spline) knots(j int) (left, right int) {
	switch {
	case !s.Circular && j == s.Bins-1:
		return j - 1, -1
	case s.Circular && j == 0:
		return s.Bins - 1, 0
	}
	return j - 1, j
}

// Validate returns an error that says why the form is invalid.
func (s Spline) Validate() error {
	if s.Bins < 2 || s.Bins > MaxBins {
		return fmt.Errorf("spline: %d bins, choose a number from 2 to %d", s.Bins, MaxBins)
	}
	if !(s.Bound >= 1e-3 && s.Bound <= 1e6) {
		return fmt.Errorf("spline: bound %g, choose a number from 0.001 to 1e6", s.Bound)
	}
	return nil
}

func (s Spline) mustBeValid() {
	if err := s.Validate(); err != nil {
		panic(err.Error())
	}
}

// bin is one bin of one spline.
type bin[T tensor.Float] struct {
	x, y, w, h T // left knot, width and height
	dx, dy     T // rounding errors of x and y: the exact values minus the rounded values
	invW, s    T // 1/w, h/w
	d0, d1     T // derivatives at the knots
}

// theta returns the relative position of x in the bin.
func (b *bin[T]) theta(x T) T { return unit(((x - b.x) - b.dx) * b.invW) }

// eta returns the relative height of y in the bin.
func (b *bin[T]) eta(y T) T { return unit(((y - b.y) - b.dy) / b.h) }

// The function `unit` clamps v to [0, 1]. Rounding can move v out of this range. Branches that are
// rarely taken are cheaper than min and max, which cost a dozen instructions.
func unit[T tensor.Float](v T) T {
	if v < 0 {
		return 0
	}
	if v > 1 {
		return 1
	}
	return v
}

// forward returns y and the slope at θ.
func (b *bin[T]) forward(theta T) (y, slope T) {
	u := 1 - theta
	t := theta * u
	tt := theta * theta
	inv := 1 / (b.s*(1-2*t) + (b.d0+b.d1)*t)
	r := b.s * inv
	return b.y + b.h*inv*(b.s*tt+b.d0*t), r * r * (b.d1*tt + 2*b.s*t + b.d0*u*u)
}

// inverse returns θ at the relative height η.
func (b *bin[T]) inverse(eta T) T {
	up := 1 - eta
	a := 2 * b.s * eta
	p := b.d0*up - b.d1*eta
	q := 2 * a * b.s * up
	root := T(math.Sqrt(float64(p*p + q)))
	r := p + root
	if p < 0 {
		r = q / (root - p)
	}
	if a+r == 0 { // only if η = 0 and d₀ has underflowed to 0
		return 0
	}
	return a / (a + r)
}

// backward takes the gradients gy of y and gl of log(dy/dx) at θ. It returns the gradients of x in
// the bin, of the bin's width and height, and of the two derivatives. The gradients of the left
// knot's x and y are -gx and gy.
func (b *bin[T]) backward(theta, gy, gl T) (gx, gw, gh, gd0, gd1 T) {
	u := 1 - theta
	t := theta * u
	tt, uu := theta*theta, u*u
	s, d0, d1 := b.s, b.d0, b.d1

	num := s*tt + d0*t
	den := s*(1-2*t) + (d0+d1)*t
	m := d1*tt + 2*s*t + d0*uu
	inv := 1 / (den * m * s) // one division instead of three
	invD := inv * m * s
	l, k := gl*inv*den*s, 2*gl*invD // gl/M and 2·gl/D, where m is M and den is D in the package's documentation
	a := gy * b.h * invD * invD

	gTheta := a*s*m + 2*l*(d1*theta+s*(u-theta)-d0*u) - k*(d0+d1-2*s)*(u-theta)
	gs := a*t*(d1*tt-d0*uu) + 2*(gl*inv*den*m+l*t) - k*(1-2*t)
	gx = gTheta * b.invW
	gw = -(gTheta*theta + gs*s) * b.invW
	gh = gy*num*invD + gs*b.invW
	gd0 = a*t*(s*uu+d1*t) + l*uu - k*t
	gd1 = l*tt - k*t - a*t*num
	return gx, gw, gh, gd0, gd1
}

// extent returns every bin's smallest width, and the width that the softmax distributes among
// the bins.
func (s Spline) extent() (least, scale float64) {
	return 2 * s.Bound * Floor, 2 * s.Bound * (1 - Floor*float64(s.Bins))
}

// search returns the last bin with a left knot not above v, for ascending knots (K+1). It turns
// comparisons into numbers, because branches would be mispredicted half of the time.
func search[T tensor.Float](knots []T, v T) int {
	inner := knots[1 : len(knots)-1]
	base, n := 0, len(inner)
	for n > 1 {
		half := n / 2
		right := 0
		if inner[base+half-1] <= v {
			right = 1
		}
		base += half & -right
		n -= half
	}
	right := 0
	if inner[base] <= v {
		right = 1
	}
	return base + right
}

// representable reports whether a sum of exponentials is far enough from overflow and underflow
// for a division. Nearly all sums are representable, so a softmax tries the sum without first
// finding its largest element.
func representable(sum float64) bool { return sum > 1e-20 && sum < 1e20 }

// shiftedExp writes e^(x - max x) to dst, for sums that are not representable.
func shiftedExp[T tensor.Float](dst, x []T) {
	top := kernel.Max(x)
	for i, v := range x {
		dst[i] = v - top
	}
	kernel.ExpTo(dst, dst)
}
