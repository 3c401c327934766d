package spline

import (
	"fmt"

	"macroscope/model/kernel"
	"macroscope/model/tensor"
)

// Table evaluates splines that many samples share: sample i of a call belongs
// to spline i/per. Build computes the knots, Forward and Inverse map samples,
// Backward gathers gradients at the knots, and ParamGrad takes them on to the
// raw parameters. A Table serves one goroutine at a time and allocates nothing
// after it has been made.
type Table[T tensor.Float] struct {
	spline  Spline
	n       int // splines that were built last
	samples int // samples of the last Forward
	per     int // samples a spline in the last Forward
	pw, ph  []T // softmax shares (n, K)
	raw, d  []T // raw and final inner derivatives (n, K-1)
	x, y    []T // knots (n, K+1)
	bins    []bin[T]
	grads   []knotGrad[T] // (n, K+1)
	at      []place[T]    // (samples)
}

// knotGrad is the gradient of one knot's coordinates and derivative.
type knotGrad[T tensor.Float] struct{ x, y, d T }

// place is where a sample fell: its bin, counted over all rows, or -1 outside
// the bound, and the relative position θ there.
type place[T tensor.Float] struct {
	bin   int32
	theta T
}

// NewTable makes room for a number of splines and of samples.
func NewTable[T tensor.Float](s Spline, maxSplines, maxSamples int) *Table[T] {
	s.mustBeValid()
	k := s.Bins
	return &Table[T]{
		spline: s,
		pw:     make([]T, maxSplines*k), ph: make([]T, maxSplines*k),
		raw: make([]T, maxSplines*(k-1)), d: make([]T, maxSplines*(k-1)),
		x: make([]T, maxSplines*(k+1)), y: make([]T, maxSplines*(k+1)),
		bins:  make([]bin[T], maxSplines*k),
		grads: make([]knotGrad[T], maxSplines*(k+1)),
		at:    make([]place[T], maxSamples),
	}
}

// Build computes the knots of n splines from raw (n, 3K-1) and clears their
// gradients.
func (t *Table[T]) Build(raw []T, n int) {
	k, p := t.spline.Bins, t.spline.Params()
	if n*k > len(t.bins) || len(raw) < n*p {
		panic(fmt.Sprintf("spline: %d splines from %d parameters in a table for %d", n, len(raw), len(t.bins)/k))
	}
	t.n, t.samples = n, 0
	for i := range n {
		row := raw[i*p : i*p+p]
		shiftToMax(t.pw[i*k:i*k+k], row[:k])
		shiftToMax(t.ph[i*k:i*k+k], row[k:2*k])
		copy(t.raw[i*(k-1):(i+1)*(k-1)], row[2*k:])
	}
	kernel.ExpTo(t.pw, t.pw[:n*k])
	kernel.ExpTo(t.ph, t.ph[:n*k])
	kernel.SoftplusTo(t.d, t.raw[:n*(k-1)])
	for i := range n {
		t.build(i)
	}
	clear(t.grads[:n*(k+1)])
}

// shiftToMax writes x - max x to dst.
func shiftToMax[T tensor.Float](dst, x []T) {
	top := kernel.Max(x)
	for i, v := range x {
		dst[i] = v - top
	}
}

// build makes the knots of spline i of exponentials and derivatives. It sums
// in float64: a sample's place in its bin is a small difference of such sums.
func (t *Table[T]) build(i int) {
	k, bound := t.spline.Bins, t.spline.Bound
	least, scale := t.spline.extent()
	pw, ph := t.pw[i*k:i*k+k], t.ph[i*k:i*k+k]
	fw, fh := 1/sum64(pw), 1/sum64(ph)
	d := t.d[i*(k-1) : (i+1)*(k-1)]
	xs, ys := t.x[i*(k+1):(i+1)*(k+1)], t.y[i*(k+1):(i+1)*(k+1)]
	x, y, d0 := -bound, -bound, T(1)
	for j := range k {
		shareW, shareH := fw*float64(pw[j]), fh*float64(ph[j])
		pw[j], ph[j] = T(shareW), T(shareH)
		w, h := least+scale*shareW, least+scale*shareH
		d1 := T(1)
		if j < k-1 {
			d1 = Floor + d[j]
		}
		xs[j], ys[j] = T(x), T(y)
		invW := 1 / w
		t.bins[i*k+j] = bin[T]{
			x: xs[j], y: ys[j], w: T(w), h: T(h),
			dx: T(x - float64(xs[j])), dy: T(y - float64(ys[j])),
			invW: T(invW), s: T(h * invW), d0: d0, d1: d1,
		}
		x, y, d0 = x+w, y+h, d1
	}
	xs[k], ys[k] = T(bound), T(bound)
}

func sum64[T tensor.Float](x []T) (sum float64) {
	for _, v := range x {
		sum += float64(v)
	}
	return sum
}

// Forward writes the image of x to y and log dy/dx to logdet, (n·per) each.
// y may be x.
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

// Inverse writes the pre-image of y to x and log dx/dy to logdet, (n·per)
// each. x may be y; where logdet is nil it is left out.
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

// check tests the lengths of a call and returns its number of samples.
func (t *Table[T]) check(dst, logdet, src, per int) int {
	n := t.n * per
	if per < 0 || n > min(dst, logdet, src, len(t.at)) {
		panic(fmt.Sprintf("spline: %d splines of %d samples from %d values into %d and %d, in a table for %d",
			t.n, per, src, dst, logdet, len(t.at)))
	}
	return n
}

// Backward follows a Forward. From the gradients of its results it writes that
// of x to dx, which may be dy, and adds those of the knots to the table's.
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
			g := bins[at.bin].backward(at.theta, gy, dlogdet[r])
			dx[r] = g.x
			g0, g1 := &grads[at.bin], &grads[at.bin+1]
			g0.x -= g.x + g.w
			g0.y += gy - g.h
			g0.d += g.d0
			g1.x += g.w
			g1.y += g.h
			g1.d += g.d1
		}
	}
}

// ParamGrad writes to draw (n, 3K-1) the gradients of the raw parameters that
// all Backwards since Build have gathered.
func (t *Table[T]) ParamGrad(draw []T) {
	k, p := t.spline.Bins, t.spline.Params()
	if len(draw) < t.n*p {
		panic(fmt.Sprintf("spline: gradients of %d splines into %d values", t.n, len(draw)))
	}
	_, scale64 := t.spline.extent()
	scale := T(scale64)
	kernel.SigmoidTo(t.d, t.raw[:t.n*(k-1)]) // the bins have what was there
	for i := range t.n {
		row, grads := draw[i*p:i*p+p], t.grads[i*(k+1):(i+1)*(k+1)]
		pw, ph := t.pw[i*k:i*k+k], t.ph[i*k:i*k+k]
		// A share moves every knot to its right but the last, which is fixed.
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
		for j, s := range t.d[i*(k-1) : (i+1)*(k-1)] {
			row[2*k+j] = s * grads[j+1].d
		}
	}
}
