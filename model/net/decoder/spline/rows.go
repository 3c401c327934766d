package spline

import (
	"fmt"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// Rows evaluates a separate spline for every sample. It is not safe for concurrent use. Only
// NewRows allocates.
type Rows[T tensor.Float] struct {
	spline Spline
	n      int       // number of samples in the last Forward
	e      []T       // exponentials of the raw parameters (n, 3K-1)
	d      []T       // softplus of `raw`; during Backward, its derivative (n, 2)
	raw    []T       // raw derivatives at the two knots of the sample's bin (n, 2)
	at     []row[T]  // a record of each sample (n)
	sums   []float64 // running sums of one row's exponentials, for widths and for heights (2, K+1)
	step   []T       // K ones, then K zeros, see softmaxGrad
}

// row is the record of a sample that Forward writes for Backward.
type row[T tensor.Float] struct {
	bin[T]
	pos    T // θ, the sample's relative position in the bin
	sw, sh T // 1/(sum of the row's exponentials), for widths and for heights
	cw, ch T // sums of the exponentials left of the bin
	j      int32
}

// rowsPerBlock is the number of rows processed together in each stage: enough to fill the
// vectors, few enough to stay in the first-level cache.
const rowsPerBlock = 64

// NewRows makes a Rows for up to maxRows samples.
func NewRows[T tensor.Float](s Spline, maxRows int) *Rows[T] {
	s.mustBeValid()
	step := make([]T, 2*s.Bins)
	for i := range s.Bins {
		step[i] = 1
	}
	return &Rows[T]{
		spline: s,
		e:      make([]T, maxRows*s.Params()),
		d:      make([]T, 2*maxRows), raw: make([]T, 2*maxRows),
		at:   make([]row[T], maxRows),
		sums: make([]float64, 2*(s.Bins+1)),
		step: step,
	}
}

// Forward maps each x[i] by its own spline, which row i of raw (n, 3K-1) describes. It writes the
// results to y, which may be x, and log dy/dx to logdet.
func (w *Rows[T]) Forward(y, logdet, x, raw []T) {
	n, p := len(x), w.spline.Params()
	w.check(n, len(y), len(logdet), len(raw))
	w.n = n
	bound := T(w.spline.Bound)
	for from := 0; from < n; from += rowsPerBlock {
		to := min(from+rowsPerBlock, n)
		kernel.ExpTo(w.e[from*p:to*p], raw[from*p:to*p])
		for r := from; r < to; r++ {
			at := &w.at[r]
			at.j = -1
			if v := x[r]; v >= -bound && v <= bound {
				w.find(r, v, raw[r*p:r*p+p], false)
				at.pos = at.theta(v)
			}
		}
		w.derivatives(from, to)
		for r := from; r < to; r++ {
			if at := &w.at[r]; at.j < 0 {
				y[r], logdet[r] = x[r], 1
			} else {
				y[r], logdet[r] = at.forward(at.pos)
			}
		}
		kernel.LogTo(logdet[from:to], logdet[from:to])
	}
}

// Inverse maps each y[i] back by its own spline, which row i of raw (n, 3K-1) describes. It writes
// the results to x, which may be y, and log dx/dy to logdet, unless logdet is nil.
func (w *Rows[T]) Inverse(x, logdet, y, raw []T) {
	n, p := len(y), w.spline.Params()
	lenDet := n
	if logdet != nil {
		lenDet = len(logdet)
	}
	w.check(n, len(x), lenDet, len(raw))
	w.n = 0
	bound := T(w.spline.Bound)
	for from := 0; from < n; from += rowsPerBlock {
		to := min(from+rowsPerBlock, n)
		kernel.ExpTo(w.e[from*p:to*p], raw[from*p:to*p])
		for r := from; r < to; r++ {
			w.at[r].j = -1
			if v := y[r]; v >= -bound && v <= bound {
				w.find(r, v, raw[r*p:r*p+p], true)
			}
		}
		w.derivatives(from, to)
		for r := from; r < to; r++ {
			at, v, slope := &w.at[r], y[r], T(1)
			if at.j >= 0 {
				theta := at.inverse(at.eta(v))
				if logdet != nil {
					_, slope = at.forward(theta)
				}
				v = at.x + at.bin.w*theta
			}
			x[r] = v
			if logdet != nil {
				logdet[r] = 1 / slope
			}
		}
		if logdet != nil {
			kernel.LogTo(logdet[from:to], logdet[from:to])
		}
	}
}

func (w *Rows[T]) check(n, dst, logdet, raw int) {
	if n > min(dst, logdet, len(w.at)) || raw < n*w.spline.Params() {
		panic(fmt.Sprintf("spline: %d samples from %d parameters into %d and %d, in rows for %d", n, raw, dst, logdet, len(w.at)))
	}
}

// The method `find` looks up the bin of row r that contains v. If `inverse` is set, v is a y.
// Otherwise v is an x. The method fills in the row's record except for the derivatives, and copies
// the raw values of the derivatives to w.raw. The widths and heights of bins are summed in float64:
// the position of a sample in a bin is a small difference of such sums.
func (w *Rows[T]) find(r int, v T, raw []T, inverse bool) {
	k := w.spline.Bins
	e := w.e[r*len(raw) : (r+1)*len(raw)]
	ew, eh := e[:k], e[k:2*k]
	cw, ch := w.sums[:k+1], w.sums[k+1:2*k+2]
	sumW, sumH := runningSums(cw, ch, ew, eh)
	if !(representable(sumW) && representable(sumH)) {
		shiftedExp(ew, raw[:k])
		shiftedExp(eh, raw[k:2*k])
		sumW, sumH = runningSums(cw, ch, ew, eh)
	}
	bound := w.spline.Bound
	least, scale := w.spline.extent()
	at := &w.at[r]
	sw, sh := 1/sumW, 1/sumH
	at.sw, at.sh = T(sw), T(sh)
	fw, fh := scale*sw, scale*sh

	j := 0
	c, f := cw, fw
	if inverse {
		c, f = ch, fh
	}
	edge, goal := least-bound, float64(v)
	for _, sum := range c[1:k] {
		right := 0 // avoids a branch, as the function search does
		if edge+f*sum <= goal {
			right = 1
		}
		j += right
		edge += least
	}
	at.j = int32(j)
	at.cw, at.ch = T(cw[j]), T(ch[j])
	left := float64(j)*least - bound
	x, y := left+fw*cw[j], left+fh*ch[j]
	at.x, at.y = T(x), T(y)
	at.dx, at.dy = T(x-float64(at.x)), T(y-float64(at.y))
	at.bin.w, at.h = T(least+fw*float64(ew[j])), T(least+fh*float64(eh[j]))
	at.invW = 1 / at.bin.w
	at.s = at.h * at.invW
	w.raw[2*r], w.raw[2*r+1] = 0, 0
	d0, d1 := w.spline.knots(j)
	if d0 >= 0 {
		w.raw[2*r] = raw[2*k+d0]
	}
	if d1 >= 0 {
		w.raw[2*r+1] = raw[2*k+d1]
	}
}

// runningSums writes the sums of the first j elements of a and b (K) to element j of ca and cb
// (K+1). It returns the sums of all elements.
func runningSums[T tensor.Float](ca, cb []float64, a, b []T) (sumA, sumB float64) {
	b, ca, cb = b[:len(a)], ca[:len(a)+1], cb[:len(a)+1]
	for j, v := range a {
		ca[j], cb[j] = sumA, sumB
		sumA += float64(v)
		sumB += float64(b[j])
	}
	ca[len(a)], cb[len(a)] = sumA, sumB
	return sumA, sumB
}

// derivatives fills in the derivatives in the records of a block of rows.
func (w *Rows[T]) derivatives(from, to int) {
	last := int32(w.spline.Bins - 1)
	kernel.SoftplusTo(w.d[2*from:2*to], w.raw[2*from:2*to])
	for r := from; r < to; r++ {
		at := &w.at[r]
		at.d0, at.d1 = w.d[2*r]+Floor, w.d[2*r+1]+Floor
		if w.spline.Circular {
			continue
		}
		if at.j == 0 {
			at.d0 = 1
		}
		if at.j == last {
			at.d1 = 1
		}
	}
}

// Backward computes the gradients of the last Forward, given the gradients of its results. It
// writes the gradient of x (n) to dx, which may be dy. It writes the gradients of the raw
// parameters to `draw` (n, 3K-1), which may be the raw parameters themselves.
func (w *Rows[T]) Backward(dx, draw, dy, dlogdet []T) {
	n, k, p := w.n, w.spline.Bins, w.spline.Params()
	if n > min(len(dx), len(dy), len(dlogdet)) || len(draw) < n*p {
		panic(fmt.Sprintf("spline: gradients of %d samples from %d and %d values into %d and %d", n, len(dy), len(dlogdet), len(dx), len(draw)))
	}
	_, scale64 := w.spline.extent()
	scale := T(scale64)
	kernel.SigmoidTo(w.d, w.raw[:2*n])
	for r := range n {
		at, dr := &w.at[r], draw[r*p:r*p+p]
		if at.j < 0 {
			dx[r] = dy[r]
			clear(dr)
			continue
		}
		j, gy := int(at.j), dy[r]
		gx, gw, gh, gd0, gd1 := at.backward(at.pos, gy, dlogdet[r])
		dx[r] = gx
		w.softmaxGrad(dr, w.e[r*p:r*p+p], at, scale*gw, scale*gh, -scale*gx, scale*gy)
		dd := dr[2*k:]
		clear(dd)
		left, right := w.spline.knots(j)
		if left >= 0 {
			dd[left] = gd0 * w.d[2*r]
		}
		if right >= 0 {
			dd[right] = gd1 * w.d[2*r+1]
		}
	}
}

// softmaxGrad writes the gradients of a row's raw widths and heights to dst. The softmax of the raw
// widths is at.sw·e. The gradient with respect to the softmax is leftW in every bin left of the
// sample's bin, hereW in the sample's bin, and 0 in every bin right of it. For the heights, the
// softmax is at.sh·e, and the gradient is leftH, hereH and 0.
//
// The loop runs over all bins and multiplies by the elements of step, which are 1 left of the bin
// and 0 elsewhere. A loop that ends at the bin would mispredict its last branch every time.
func (w *Rows[T]) softmaxGrad(dst, e []T, at *row[T], hereW, hereH, leftW, leftH T) {
	k, j := w.spline.Bins, int(at.j)
	step, ew, eh := w.step[k-j:][:k], e[:k], e[k:][:k]
	dw, dh := dst[:k], dst[k:][:k]
	hereW, hereH, leftW, leftH = hereW*at.sw, hereH*at.sh, leftW*at.sw, leftH*at.sh
	meanW := at.sw * (leftW*at.cw + hereW*ew[j])
	meanH := at.sh * (leftH*at.ch + hereH*eh[j])
	for i, s := range step {
		dw[i] = ew[i] * (leftW*s - meanW)
		dh[i] = eh[i] * (leftH*s - meanH)
	}
	dw[j] += hereW * ew[j]
	dh[j] += hereH * eh[j]
}
