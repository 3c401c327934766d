package spline

import (
	"fmt"
	"math"

	"macroscope/model/tensor"
)

// Floor is the least share of the interval that a bin's width or height has,
// and the least derivative at an inner knot.
const Floor = 1e-3

// MaxBins is the largest number of bins that Validate accepts: enough for any
// density worth drawing, and few enough that the floors leave room.
const MaxBins = 512

// UnitSlope is the raw derivative at which the slope of a knot is 1. With it,
// and with raw widths and heights that are all the same, a spline is the
// identity.
var UnitSlope = math.Log(math.Expm1(1 - Floor))

// Spline is the form that a set of splines has in common.
type Spline struct {
	Bins  int     // K
	Bound float64 // B: the spline acts on [-B, B]
}

// Params returns the length 3K-1 of a row of raw parameters.
func (s Spline) Params() int { return 3*s.Bins - 1 }

// Validate says what is wrong with the form, if anything is.
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
	x, y, w, h T // left knot, extent
	dx, dy     T // what the knot lost to rounding, where it is known better than T holds it
	invW, s    T // 1/w, h/w
	d0, d1     T // derivatives at the knots
}

// theta returns the relative position of x in the bin.
func (b *bin[T]) theta(x T) T { return min(max(((x-b.x)-b.dx)*b.invW, 0), 1) }

// eta returns the relative height of y in the bin.
func (b *bin[T]) eta(y T) T { return min(max(((y-b.y)-b.dy)/b.h, 0), 1) }

// forward returns the position and the slope that the bin gives at θ.
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
	if a+r == 0 { // only where η = 0 and d₀ has underflown
		return 0
	}
	return a / (a + r)
}

// grad is what a bin's backward pass gives: the gradients of the position in
// it, of its height above the left knot and of the bin's own numbers. That of
// the left knot's x is -x, that of its y the incoming gy.
type grad[T tensor.Float] struct{ x, w, h, d0, d1 T }

// backward returns the gradients of gy·y + gl·log(dy/dx) at θ.
func (b *bin[T]) backward(theta, gy, gl T) grad[T] {
	u := 1 - theta
	t := theta * u
	tt, uu := theta*theta, u*u
	s, d0, d1 := b.s, b.d0, b.d1

	num := s*tt + d0*t
	den := s*(1-2*t) + (d0+d1)*t
	m := d1*tt + 2*s*t + d0*uu
	inv := 1 / (den * m * s) // one division for three
	invD := inv * m * s
	l, k := gl*inv*den*s, 2*gl*invD // of log M and of -2 log D
	a := gy * b.h * invD * invD

	gTheta := a*s*m + 2*l*(d1*theta+s*(u-theta)-d0*u) - k*(d0+d1-2*s)*(u-theta)
	gs := a*t*(d1*tt-d0*uu) + 2*(gl*inv*den*m+l*t) - k*(1-2*t)
	return grad[T]{
		x:  gTheta * b.invW,
		w:  -(gTheta*theta + gs*s) * b.invW,
		h:  gy*num*invD + gs*b.invW,
		d0: a*t*(s*uu+d1*t) + l*uu - k*t,
		d1: l*tt - k*t - a*t*num,
	}
}

// extent returns the width that every bin has and the width that the softmax
// shares out beyond it.
func (s Spline) extent() (least, scale float64) {
	return 2 * s.Bound * Floor, 2 * s.Bound * (1 - Floor*float64(s.Bins))
}

// search returns the last bin whose left knot is not above v, for ascending
// knots (K+1). Its comparisons become numbers rather than branches, which
// would be mispredicted half of the time.
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
