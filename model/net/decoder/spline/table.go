package spline

import (
	"fmt"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// Table evaluates splines that many samples share: sample i of a call belongs to spline i/per.
// Build computes the knots, Forward and Inverse map samples, Backward adds up gradients at the
// knots, and ParamGrad converts them to gradients of the raw parameters. A Table is not safe
// for concurrent use. Only NewTable allocates.
type Table[T tensor.Float] struct {
	spline  Spline
	n       int // number of splines in the last Build
	samples int // number of samples in the last Forward
	per     int // samples per spline in the last Forward
	shares  []T // exponentials of the raw parameters (n, 3K-1); Build divides the exponentials of widths and of heights by their sums
	raw, d  []T // raw derivatives, and their softplus (n, K-1, or K on a circle)
	x, y    []T // knots (n, K+1)
	bins    []bin[T]
	grads   []knotGrad[T] // gradients of the knots (n, K+1)
	at      []place[T]    // positions of the samples (samples)
}

// knotGrad holds the gradients of one knot's coordinates and derivative.
type knotGrad[T tensor.Float] struct{ x, y, d T }

// place is the position of a sample: the index of its bin in its spline (-1 outside [-B, B]), and
// the relative position θ in the bin.
type place[T tensor.Float] struct {
	bin   int32
	theta T
}

// NewTable makes a Table for up to maxSplines splines and maxSamples samples.
func NewTable[T tensor.Float](s Spline, maxSplines, maxSamples int) *Table[T] {
	s.mustBeValid()
	k := s.Bins
	return &Table[T]{
		spline: s,
		shares: make([]T, maxSplines*s.Params()),
		raw:    make([]T, maxSplines*s.slopes()), d: make([]T, maxSplines*s.slopes()),
		x: make([]T, maxSplines*(k+1)), y: make([]T, maxSplines*(k+1)),
		bins:  make([]bin[T], maxSplines*k),
		grads: make([]knotGrad[T], maxSplines*(k+1)),
		at:    make([]place[T], maxSamples),
	}
}

// Build computes the knots of n splines from the raw parameters (n, 3K-1) and sets the gradients of
// the knots to 0.
func (t *Table[T]) Build(raw []T, n int) {
	k, p, slopes := t.spline.Bins, t.spline.Params(), t.spline.slopes()
	if n*k > len(t.bins) || len(raw) < n*p {
		panic(fmt.Sprintf("spline: %d splines from %d parameters in a table for %d", n, len(raw), len(t.bins)/k))
	}
	t.n, t.samples = n, 0
	for i := range n {
		copy(t.raw[i*slopes:(i+1)*slopes], raw[i*p+2*k:(i+1)*p])
	}
	kernel.ExpTo(t.shares, raw[:n*p])
	kernel.SoftplusTo(t.d, t.raw[:n*slopes])
	for i := range n {
		t.build(i, raw[i*p:i*p+p])
	}
	clear(t.grads[:n*(k+1)])
}

// build computes the knots of spline i from its exponentials and derivatives. It sums in
// float64, because a sample's place in its bin is a small difference of such sums.
func (t *Table[T]) build(i int, raw []T) {
	k, bound := t.spline.Bins, t.spline.Bound
	least, scale := t.spline.extent()
	pw, ph := t.shares[i*len(raw):][:k], t.shares[i*len(raw)+k:][:k]
	sumW, sumH := sums64(pw, ph)
	if !(representable(sumW) && representable(sumH)) {
		shiftedExp(pw, raw[:k])
		shiftedExp(ph, raw[k:2*k])
		sumW, sumH = sums64(pw, ph)
	}
	fw, fh := 1/sumW, 1/sumH
	slopes := t.spline.slopes()
	d := t.d[i*slopes : (i+1)*slopes]
	xs, ys := t.x[i*(k+1):(i+1)*(k+1)], t.y[i*(k+1):(i+1)*(k+1)]
	bins := t.bins[i*k : i*k+k]
	x, y, d0 := -bound, -bound, T(1)
	if t.spline.Circular {
		d0 = Floor + d[k-1]
	}
	for j := range bins {
		shareW, shareH := fw*float64(pw[j]), fh*float64(ph[j])
		pw[j], ph[j] = T(shareW), T(shareH)
		w, h := least+scale*shareW, least+scale*shareH
		d1 := T(1)
		if j < len(d) {
			d1 = Floor + d[j]
		}
		xs[j], ys[j] = T(x), T(y)
		b := &bins[j]
		b.x, b.y, b.w, b.h, b.d0, b.d1 = T(x), T(y), T(w), T(h), d0, d1
		b.dx, b.dy = T(x-float64(b.x)), T(y-float64(b.y))
		b.invW = 1 / b.w
		b.s = b.h * b.invW
		x, y, d0 = x+w, y+h, d1
	}
	xs[k], ys[k] = T(bound), T(bound)
}

// sums64 returns the sums of a and b, which have equal lengths.
func sums64[T tensor.Float](a, b []T) (sumA, sumB float64) {
	b = b[:len(a)]
	for i, v := range a {
		sumA += float64(v)
		sumB += float64(b[i])
	}
	return sumA, sumB
}

// Forward maps x to y, which may be x, and writes log dy/dx to logdet; each is (n·per).
func (t *Table[T]) Forward(y, logdet, x []T, per int) {
	k, bound := t.spline.Bins, T(t.spline.Bound)
	samples := t.check(len(y), len(logdet), len(x), per)
	t.samples, t.per = samples, per
	for i := range t.n {
		knots, bins := t.x[i*(k+1):(i+1)*(k+1)], t.bins[i*k:i*k+k]
		for r := i * per; r < (i+1)*per; r++ {
			v := x[r]
			if !(v >= -bound && v <= bound) {
				y[r], logdet[r], t.at[r].bin = v, 1, -1
				continue
			}
			j := search(knots, v)
			b := &bins[j]
			theta := b.theta(v)
			y[r], logdet[r] = b.forward(theta)
			t.at[r] = place[T]{int32(j), theta}
		}
	}
	kernel.LogTo(logdet, logdet[:samples])
}

// Inverse maps y back to x. It writes log dx/dy to logdet, unless logdet is nil. The slices x, y
// and logdet contain n·per numbers. x may be y.
func (t *Table[T]) Inverse(x, logdet, y []T, per int) {
	k, bound := t.spline.Bins, T(t.spline.Bound)
	lenDet := len(x)
	if logdet != nil {
		lenDet = len(logdet)
	}
	samples := t.check(len(x), lenDet, len(y), per)
	for i := range t.n {
		knots, bins := t.y[i*(k+1):(i+1)*(k+1)], t.bins[i*k:i*k+k]
		for r := i * per; r < (i+1)*per; r++ {
			v, slope := y[r], T(1)
			if v >= -bound && v <= bound {
				b := &bins[search(knots, v)]
				theta := b.inverse(b.eta(v))
				if logdet != nil {
					_, slope = b.forward(theta)
				}
				v = b.x + b.w*theta
			}
			x[r] = v
			if logdet != nil {
				logdet[r] = 1 / slope
			}
		}
	}
	if logdet != nil {
		kernel.LogTo(logdet, logdet[:samples])
	}
}

// check panics if the lengths of the slices are wrong, and returns the number of samples.
func (t *Table[T]) check(dst, logdet, src, per int) int {
	n := t.n * per
	if per < 0 || n > min(dst, logdet, src, len(t.at)) {
		panic(fmt.Sprintf("spline: %d splines of %d samples from %d values into %d and %d, in a table for %d",
			t.n, per, src, dst, logdet, len(t.at)))
	}
	return n
}

// Backward computes the gradients of the last Forward, given the gradients of its results. It
// writes the gradient of x to dx, which may be dy, and adds the gradients of the knots to the
// table's gradients.
func (t *Table[T]) Backward(dx, dy, dlogdet []T) {
	k := t.spline.Bins
	if t.samples > min(len(dx), len(dy), len(dlogdet)) {
		panic(fmt.Sprintf("spline: gradients of %d samples from %d and %d values into %d", t.samples, len(dy), len(dlogdet), len(dx)))
	}
	for i := range t.n {
		grads, bins := t.grads[i*(k+1):(i+1)*(k+1)], t.bins[i*k:i*k+k]
		for r := i * t.per; r < (i+1)*t.per; r++ {
			at, gy := t.at[r], dy[r]
			if at.bin < 0 {
				dx[r] = gy
				continue
			}
			gx, gw, gh, gd0, gd1 := bins[at.bin].backward(at.theta, gy, dlogdet[r])
			dx[r] = gx
			left, right := &grads[at.bin], &grads[at.bin+1]
			left.x -= gx + gw
			left.y += gy - gh
			left.d += gd0
			right.x += gw
			right.y += gh
			right.d += gd1
		}
	}
}

// ParamGrad writes the gradients of the raw parameters to `draw` (n, 3K-1): the sums over all calls
// of Backward since Build.
func (t *Table[T]) ParamGrad(draw []T) {
	k, p, slopes := t.spline.Bins, t.spline.Params(), t.spline.slopes()
	if len(draw) < t.n*p {
		panic(fmt.Sprintf("spline: gradients of %d splines into %d values", t.n, len(draw)))
	}
	_, scale64 := t.spline.extent()
	scale := T(scale64)
	kernel.SigmoidTo(t.d, t.raw[:t.n*slopes]) // t.d may be overwritten: the bins have copies of the derivatives
	for i := range t.n {
		row, grads := draw[i*p:i*p+p], t.grads[i*(k+1):(i+1)*(k+1)]
		pw, ph := t.shares[i*p:i*p+k], t.shares[i*p+k:i*p+2*k]
		// A bin's share affects the positions of all knots to the right of the bin. The last knot
		// is an exception, because it is fixed.
		var gx, gy, meanX, meanY T
		for j := k - 1; j >= 0; j-- {
			row[j], row[k+j] = gx, gy
			meanX += gx * pw[j]
			meanY += gy * ph[j]
			gx += scale * grads[j].x
			gy += scale * grads[j].y
		}
		for j := range k {
			row[j] = pw[j] * (row[j] - meanX)
			row[k+j] = ph[j] * (row[k+j] - meanY)
		}
		if t.spline.Circular {
			grads[k].d += grads[0].d // both ends are one knot
			grads[0].d = 0
		}
		for j, s := range t.d[i*slopes : (i+1)*slopes] {
			row[2*k+j] = s * grads[j+1].d
		}
	}
}
