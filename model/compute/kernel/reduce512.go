//go:build goexperiment.simd && amd64

package kernel

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// sum512 adds to four vectors of partial sums in turn, so that an addition does not wait for the
// previous one. At the end it adds up all lanes of the four vectors.
func sum512(x []float32) float32 {
	tail, n, i := tail512(x), len(x), 0
	from := unsafe.Pointer(unsafe.SliceData(x))
	s0 := load512(unsafe.Pointer(&tail))
	var s1, s2, s3 f512
	for ; i+4*lanes512 <= n; i += 4 * lanes512 {
		p := unsafe.Add(from, 4*i)
		s0, s1 = s0.Add(load512(p)), s1.Add(load512(unsafe.Add(p, bytes512)))
		s2, s3 = s2.Add(load512(unsafe.Add(p, 2*bytes512))), s3.Add(load512(unsafe.Add(p, 3*bytes512)))
	}
	for ; i+lanes512 <= n; i += lanes512 {
		s1 = s1.Add(load512(unsafe.Add(from, 4*i)))
	}
	store512(unsafe.Pointer(&tail), sumLanes512(s0.Add(s1).Add(s2.Add(s3))))
	archsimd.ClearAVXUpperBits()
	return tail[0]
}

func dot512(x, y []float32) float32 {
	n, i := len(x), 0
	xTail, yTail := tail512(x), tail512(y[:n])
	px, py := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
	s0 := load512(unsafe.Pointer(&xTail)).Mul(load512(unsafe.Pointer(&yTail)))
	var s1, s2, s3 f512
	for ; i+4*lanes512 <= n; i += 4 * lanes512 {
		p, q := unsafe.Add(px, 4*i), unsafe.Add(py, 4*i)
		s0 = load512(p).MulAdd(load512(q), s0)
		s1 = load512(unsafe.Add(p, bytes512)).MulAdd(load512(unsafe.Add(q, bytes512)), s1)
		s2 = load512(unsafe.Add(p, 2*bytes512)).MulAdd(load512(unsafe.Add(q, 2*bytes512)), s2)
		s3 = load512(unsafe.Add(p, 3*bytes512)).MulAdd(load512(unsafe.Add(q, 3*bytes512)), s3)
	}
	for ; i+lanes512 <= n; i += lanes512 {
		s1 = load512(unsafe.Add(px, 4*i)).MulAdd(load512(unsafe.Add(py, 4*i)), s1)
	}
	store512(unsafe.Pointer(&xTail), sumLanes512(s0.Add(s1).Add(s2.Add(s3))))
	archsimd.ClearAVXUpperBits()
	return xTail[0]
}

func max512(x []float32) float32 {
	n := len(x)
	tail := tail512(x)
	for i := n & (lanes512 - 1); i < lanes512; i++ {
		tail[i] = float32(math.Inf(-1))
	}
	from := unsafe.Pointer(unsafe.SliceData(x))
	m := load512(unsafe.Pointer(&tail))
	bad := m // stays NaN after a NaN
	for i := 0; i+lanes512 <= n; i += lanes512 {
		v := load512(unsafe.Add(from, 4*i))
		m, bad = m.Max(v), v.IfElse(v.NotEqual(v), bad)
	}
	nan := bad.NotEqual(bad).ToBits() != 0
	store512(unsafe.Pointer(&tail), maxLanes512(m))
	archsimd.ClearAVXUpperBits()
	if nan {
		return notANumber
	}
	return tail[0]
}

// allFinite512 tests v - v, which is 0 for finite v and NaN otherwise. The sums go to memory before
// the upper halves are cleared. Otherwise the compiler compares them afterwards, and leaves the halves
// dirty.
func allFinite512(x []float32) bool {
	tail, n := tail512(x), len(x)
	from := unsafe.Pointer(unsafe.SliceData(x))
	s := load512(unsafe.Pointer(&tail))
	s = s.Sub(s)
	for i := 0; i+lanes512 <= n; i += lanes512 {
		v := load512(unsafe.Add(from, 4*i))
		s = s.Add(v.Sub(v))
	}
	store512(unsafe.Pointer(&tail), s)
	archsimd.ClearAVXUpperBits()
	return refAllFinite(tail[:])
}

func axpy512(dst []float32, alpha float32, x []float32) {
	n := len(x)
	dTail, xTail := tail512(dst[:n]), tail512(x)
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(x))
	a := fill512(alpha)
	for i := 0; i < n; i += lanes512 {
		put512(to, i, n, get512(from, i, n, &xTail).MulAdd(a, get512(to, i, n, &dTail)))
	}
	archsimd.ClearAVXUpperBits()
}

func scale512(dst []float32, alpha float32) {
	tail, n := tail512(dst), len(dst)
	to := unsafe.Pointer(unsafe.SliceData(dst))
	a := fill512(alpha)
	for i := 0; i < n; i += lanes512 {
		put512(to, i, n, get512(to, i, n, &tail).Mul(a))
	}
	archsimd.ClearAVXUpperBits()
}

func mul512(dst, x, y []float32) {
	n := len(x)
	xTail, yTail := tail512(x), tail512(y[:n])
	to := unsafe.Pointer(unsafe.SliceData(dst))
	px, py := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
	for i := 0; i < n; i += lanes512 {
		put512(to, i, n, get512(px, i, n, &xTail).Mul(get512(py, i, n, &yTail)))
	}
	archsimd.ClearAVXUpperBits()
}

// colSum512 sums four vectors of columns at a time, then one vector. If x is narrower than a
// vector, thinColSum512 does the work.
//
//go:nocheckptr
func colSum512(dst, x []float32, rows, cols int) {
	if cols < lanes512 {
		thinColSum512(dst, x, rows, cols)
		return
	}
	to, from, stride := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(x)), 4*cols
	j := 0
	for ; j+4*lanes512 <= cols; j += 4 * lanes512 {
		d, p := unsafe.Add(to, 4*j), unsafe.Add(from, 4*j)
		s0, s1 := load512(d), load512(unsafe.Add(d, bytes512))
		s2, s3 := load512(unsafe.Add(d, 2*bytes512)), load512(unsafe.Add(d, 3*bytes512))
		for r := rows; r > 0; r-- {
			s0, s1 = s0.Add(load512(p)), s1.Add(load512(unsafe.Add(p, bytes512)))
			s2, s3 = s2.Add(load512(unsafe.Add(p, 2*bytes512))), s3.Add(load512(unsafe.Add(p, 3*bytes512)))
			p = unsafe.Add(p, stride)
		}
		store512(d, s0)
		store512(unsafe.Add(d, bytes512), s1)
		store512(unsafe.Add(d, 2*bytes512), s2)
		store512(unsafe.Add(d, 3*bytes512), s3)
	}
	for done := j; done < cols; done += lanes512 {
		// The last vector ends with the row. Lanes that the previous vector has already summed
		// keep their result.
		at := min(done, cols-lanes512)
		d, p := unsafe.Add(to, 4*at), unsafe.Add(from, 4*at)
		before := load512(d)
		s := before
		for r := rows; r > 0; r-- {
			s = s.Add(load512(p))
			p = unsafe.Add(p, stride)
		}
		store512(d, before.IfElse(first512(done-at), s))
	}
	archsimd.ClearAVXUpperBits()
}

// thinColSum512 sums the columns of a narrow x. It reads the rows in groups of lanes512. A group
// fills `cols` vectors without a remainder. Lane i of vector j belongs to the same column in every
// group.
func thinColSum512(dst, x []float32, rows, cols int) {
	var sums [lanes512 * lanes512]float32
	from := unsafe.Pointer(unsafe.SliceData(x))
	whole := rows / lanes512 * lanes512
	for r := 0; r < whole; r += lanes512 {
		for v := range cols {
			s := unsafe.Pointer(&sums[v*lanes512])
			store512(s, load512(s).Add(load512(unsafe.Add(from, 4*(r*cols+v*lanes512)))))
		}
	}
	archsimd.ClearAVXUpperBits()
	refColSum(dst, sums[:lanes512*cols], lanes512, cols)
	refColSum(dst, x[whole*cols:], rows-whole, cols)
}

// softmaxRows512 loads a whole vector even for the last elements of a row. If these elements do not
// fill the vector, its other lanes hold elements of the next row and are ignored. The last rows are
// loaded from a copy, so that no load passes the end of x.
func softmaxRows512(dst, x []float32, rows, cols int) {
	size := rows * cols
	var end [2 * lanes512]float32
	last := max(0, size-lanes512)
	copy(end[:], x[last:size])
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(x))
	inf := fill512(infinity).Neg()
	full := cols &^ (lanes512 - 1)
	inside := first512(cols - full)
	for r := range rows {
		p, q := unsafe.Add(from, 4*r*cols), unsafe.Add(to, 4*r*cols)
		rest := inf
		if full < cols {
			at := unsafe.Add(p, 4*full)
			if o := r*cols + full; o+lanes512 > size {
				at = unsafe.Add(unsafe.Pointer(&end), 4*(o-last))
			}
			rest = load512(at).IfElse(inside, inf)
		}
		m := rest
		for j := 0; j < full; j += lanes512 {
			m = m.Max(load512(unsafe.Add(p, 4*j)))
		}
		m = maxLanes512(m)
		rest = raise512(reduce512(rest.Sub(m))).Masked(inside)
		sum := rest
		for j := 0; j < full; j += lanes512 {
			e := raise512(reduce512(load512(unsafe.Add(p, 4*j)).Sub(m)))
			store512(unsafe.Add(q, 4*j), e)
			sum = sum.Add(e)
		}
		total := sumLanes512(sum)
		for j := 0; j < full; j += lanes512 {
			d := unsafe.Add(q, 4*j)
			store512(d, load512(d).Div(total))
		}
		if full < cols {
			storeFirst512(unsafe.Add(q, 4*full), rest.Div(total), inside)
		}
	}
	archsimd.ClearAVXUpperBits()
}

func adam512(p, g, m, v []float32, h AdamStep) {
	n := len(g)
	a := adamFactors[float32](h)
	pTail, gTail, mTail, vTail := tail512(p[:n]), tail512(g), tail512(m[:n]), tail512(v[:n])
	pp, pg := unsafe.Pointer(unsafe.SliceData(p)), unsafe.Pointer(unsafe.SliceData(g))
	pm, pv := unsafe.Pointer(unsafe.SliceData(m)), unsafe.Pointer(unsafe.SliceData(v))
	beta1, gain1, beta2, gain2 := fill512(a.beta1), fill512(a.gain1), fill512(a.beta2), fill512(a.gain2)
	keep, rate, root, epsilon := fill512(a.keep), fill512(a.rate), fill512(a.root), fill512(a.epsilon)
	for i := 0; i < n; i += lanes512 {
		gi := get512(pg, i, n, &gTail)
		mi := beta1.Mul(get512(pm, i, n, &mTail)).Add(gain1.Mul(gi))
		vi := beta2.Mul(get512(pv, i, n, &vTail)).Add(gain2.Mul(gi).Mul(gi))
		put512(pm, i, n, mi)
		put512(pv, i, n, vi)
		step := rate.Mul(mi).Div(vi.Sqrt().Mul(root).Add(epsilon))
		put512(pp, i, n, keep.Mul(get512(pp, i, n, &pTail)).Sub(step))
	}
	archsimd.ClearAVXUpperBits()
}
