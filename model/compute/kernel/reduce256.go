//go:build goexperiment.simd && amd64

package kernel

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

func impl256(name string) impl {
	return impl{
		name:   name,
		gemmNN: gemmNN256, gemmNT: gemmNT256, gemmTN: gemmTN256, affine: affine256, activate: activate256, activationGrad: activationGrad256,
		exp: exp256, log: log256, tanh: tanh256, softplus: softplus256, sigmoid: sigmoid256,
		sum: sum256, dot: dot256, max: max256, allFinite: allFinite256,
		axpy: axpy256, scale: scale256, mul: mul256,
		colSum: colSum256, softmaxRows: softmaxRows256, adam: adam256,
		softmaxCols: softmaxCols256, softmaxRowsGrad: softmaxRowsGrad256, softmaxColsGrad: softmaxColsGrad256,
		normRows: normRows256, normRowsGrad: normRowsGrad256,
	}
}

// sum256 adds up four vectors side by side, so that no addition waits for the
// one before, and their lanes last.
func sum256(x []float32) float32 {
	tail, n, i := tail256(x), len(x), 0
	from := unsafe.Pointer(unsafe.SliceData(x))
	s0 := load256(unsafe.Pointer(&tail))
	var s1, s2, s3 f256
	for ; i+4*lanes256 <= n; i += 4 * lanes256 {
		p := unsafe.Add(from, 4*i)
		s0, s1 = s0.Add(load256(p)), s1.Add(load256(unsafe.Add(p, bytes256)))
		s2, s3 = s2.Add(load256(unsafe.Add(p, 2*bytes256))), s3.Add(load256(unsafe.Add(p, 3*bytes256)))
	}
	for ; i+lanes256 <= n; i += lanes256 {
		s1 = s1.Add(load256(unsafe.Add(from, 4*i)))
	}
	store256(unsafe.Pointer(&tail), sumLanes256(s0.Add(s1).Add(s2.Add(s3))))
	archsimd.ClearAVXUpperBits()
	return tail[0]
}

func dot256(x, y []float32) float32 {
	n, i := len(x), 0
	xTail, yTail := tail256(x), tail256(y[:n])
	px, py := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
	s0 := load256(unsafe.Pointer(&xTail)).Mul(load256(unsafe.Pointer(&yTail)))
	var s1, s2, s3 f256
	for ; i+4*lanes256 <= n; i += 4 * lanes256 {
		p, q := unsafe.Add(px, 4*i), unsafe.Add(py, 4*i)
		s0 = load256(p).MulAdd(load256(q), s0)
		s1 = load256(unsafe.Add(p, bytes256)).MulAdd(load256(unsafe.Add(q, bytes256)), s1)
		s2 = load256(unsafe.Add(p, 2*bytes256)).MulAdd(load256(unsafe.Add(q, 2*bytes256)), s2)
		s3 = load256(unsafe.Add(p, 3*bytes256)).MulAdd(load256(unsafe.Add(q, 3*bytes256)), s3)
	}
	for ; i+lanes256 <= n; i += lanes256 {
		s1 = load256(unsafe.Add(px, 4*i)).MulAdd(load256(unsafe.Add(py, 4*i)), s1)
	}
	store256(unsafe.Pointer(&xTail), sumLanes256(s0.Add(s1).Add(s2.Add(s3))))
	archsimd.ClearAVXUpperBits()
	return xTail[0]
}

func max256(x []float32) float32 {
	n := len(x)
	tail := tail256(x)
	for i := n & (lanes256 - 1); i < lanes256; i++ {
		tail[i] = float32(math.Inf(-1))
	}
	from := unsafe.Pointer(unsafe.SliceData(x))
	m := load256(unsafe.Pointer(&tail))
	bad := m // NaN where a NaN has been
	for i := 0; i+lanes256 <= n; i += lanes256 {
		v := load256(unsafe.Add(from, 4*i))
		m, bad = m.Max(v), v.IfElse(v.NotEqual(v), bad)
	}
	nan := bad.NotEqual(bad).ToBits() != 0
	store256(unsafe.Pointer(&tail), maxLanes256(m))
	archsimd.ClearAVXUpperBits()
	if nan {
		return notANumber
	}
	return tail[0]
}

// allFinite256 uses that v - v is 0 or, unless v is finite, NaN.
func allFinite256(x []float32) bool {
	tail, n := tail256(x), len(x)
	from := unsafe.Pointer(unsafe.SliceData(x))
	s := load256(unsafe.Pointer(&tail))
	s = s.Sub(s)
	for i := 0; i+lanes256 <= n; i += lanes256 {
		v := load256(unsafe.Add(from, 4*i))
		s = s.Add(v.Sub(v))
	}
	finite := s.NotEqual(s).ToBits() == 0
	archsimd.ClearAVXUpperBits()
	return finite
}

func axpy256(dst []float32, alpha float32, x []float32) {
	n := len(x)
	dTail, xTail := tail256(dst[:n]), tail256(x)
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(x))
	a := fill256(alpha)
	for i := 0; i < n; i += lanes256 {
		put256(to, i, n, get256(from, i, n, &xTail).MulAdd(a, get256(to, i, n, &dTail)))
	}
	archsimd.ClearAVXUpperBits()
}

func scale256(dst []float32, alpha float32) {
	tail, n := tail256(dst), len(dst)
	to := unsafe.Pointer(unsafe.SliceData(dst))
	a := fill256(alpha)
	for i := 0; i < n; i += lanes256 {
		put256(to, i, n, get256(to, i, n, &tail).Mul(a))
	}
	archsimd.ClearAVXUpperBits()
}

func mul256(dst, x, y []float32) {
	n := len(x)
	xTail, yTail := tail256(x), tail256(y[:n])
	to := unsafe.Pointer(unsafe.SliceData(dst))
	px, py := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
	for i := 0; i < n; i += lanes256 {
		put256(to, i, n, get256(px, i, n, &xTail).Mul(get256(py, i, n, &yTail)))
	}
	archsimd.ClearAVXUpperBits()
}

// colSum256 adds rows up in columns of four vectors, then of one; columns that
// fill none are summed as a band across rows, see thinColSum256.
//
//go:nocheckptr
func colSum256(dst, x []float32, rows, cols int) {
	if cols < lanes256 {
		thinColSum256(dst, x, rows, cols)
		return
	}
	to, from, stride := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(x)), 4*cols
	j := 0
	for ; j+4*lanes256 <= cols; j += 4 * lanes256 {
		d, p := unsafe.Add(to, 4*j), unsafe.Add(from, 4*j)
		s0, s1 := load256(d), load256(unsafe.Add(d, bytes256))
		s2, s3 := load256(unsafe.Add(d, 2*bytes256)), load256(unsafe.Add(d, 3*bytes256))
		for r := rows; r > 0; r-- {
			s0, s1 = s0.Add(load256(p)), s1.Add(load256(unsafe.Add(p, bytes256)))
			s2, s3 = s2.Add(load256(unsafe.Add(p, 2*bytes256))), s3.Add(load256(unsafe.Add(p, 3*bytes256)))
			p = unsafe.Add(p, stride)
		}
		store256(d, s0)
		store256(unsafe.Add(d, bytes256), s1)
		store256(unsafe.Add(d, 2*bytes256), s2)
		store256(unsafe.Add(d, 3*bytes256), s3)
	}
	for done := j; done < cols; done += lanes256 {
		// The last vector ends with the row, and keeps what it has in common
		// with the one before as that left it.
		at := min(done, cols-lanes256)
		d, p := unsafe.Add(to, 4*at), unsafe.Add(from, 4*at)
		before := load256(d)
		s := before
		for r := rows; r > 0; r-- {
			s = s.Add(load256(p))
			p = unsafe.Add(p, stride)
		}
		store256(d, before.IfElse(first256(done-at), s))
	}
	archsimd.ClearAVXUpperBits()
}

// thinColSum256 sums the columns of a narrow x, of which as many
// rows as a vector has lanes are as many whole vectors as x has columns, with
// the same column in the same lane every time.
func thinColSum256(dst, x []float32, rows, cols int) {
	var sums [lanes256 * lanes256]float32
	from := unsafe.Pointer(unsafe.SliceData(x))
	whole := rows / lanes256 * lanes256
	for r := 0; r < whole; r += lanes256 {
		for v := range cols {
			s := unsafe.Pointer(&sums[v*lanes256])
			store256(s, load256(s).Add(load256(unsafe.Add(from, 4*(r*cols+v*lanes256)))))
		}
	}
	archsimd.ClearAVXUpperBits()
	refColSum(dst, sums[:lanes256*cols], lanes256, cols)
	refColSum(dst, x[whole*cols:], rows-whole, cols)
}

// softmaxRows256 keeps the end of each row that fills no vector in a register.
// Its lanes past the row are read from the next row, or past the last rows
// from a copy, and left out.
func softmaxRows256(dst, x []float32, rows, cols int) {
	size := rows * cols
	var end [2 * lanes256]float32
	last := max(0, size-lanes256)
	copy(end[:], x[last:size])
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(x))
	inf := fill256(infinity).Neg()
	var zero f256
	full := cols &^ (lanes256 - 1)
	inside := first256(cols - full)
	for r := range rows {
		p, q := unsafe.Add(from, 4*r*cols), unsafe.Add(to, 4*r*cols)
		rest := inf
		if full < cols {
			at := unsafe.Add(p, 4*full)
			if o := r*cols + full; o+lanes256 > size {
				at = unsafe.Add(unsafe.Pointer(&end), 4*(o-last))
			}
			rest = load256(at).IfElse(inside, inf)
		}
		m := rest
		for j := 0; j < full; j += lanes256 {
			m = m.Max(load256(unsafe.Add(p, 4*j)))
		}
		m = maxLanes256(m)
		rest = rest.Sub(m)
		none := rest.Less(const256(&expMin))
		n, t := expSplit256(zero.IfElse(none, rest))
		rest = zero.IfElse(none, ldexp256(expm1256(t).Add(const256(&one)), n)).Masked(inside)
		sum := rest
		for j := 0; j < full; j += lanes256 {
			v := load256(unsafe.Add(p, 4*j)).Sub(m)
			none := v.Less(const256(&expMin))
			n, t := expSplit256(zero.IfElse(none, v))
			e := zero.IfElse(none, ldexp256(expm1256(t).Add(const256(&one)), n))
			store256(unsafe.Add(q, 4*j), e)
			sum = sum.Add(e)
		}
		total := sumLanes256(sum)
		for j := 0; j < full; j += lanes256 {
			d := unsafe.Add(q, 4*j)
			store256(d, load256(d).Div(total))
		}
		if full < cols {
			storeFirst256(unsafe.Add(q, 4*full), rest.Div(total), inside)
		}
	}
	archsimd.ClearAVXUpperBits()
}

func adam256(p, g, m, v []float32, h AdamStep) {
	n := len(g)
	a := adamFactors[float32](h)
	pTail, gTail, mTail, vTail := tail256(p[:n]), tail256(g), tail256(m[:n]), tail256(v[:n])
	pp, pg := unsafe.Pointer(unsafe.SliceData(p)), unsafe.Pointer(unsafe.SliceData(g))
	pm, pv := unsafe.Pointer(unsafe.SliceData(m)), unsafe.Pointer(unsafe.SliceData(v))
	beta1, gain1, beta2, gain2 := fill256(a.beta1), fill256(a.gain1), fill256(a.beta2), fill256(a.gain2)
	keep, rate, root, epsilon := fill256(a.keep), fill256(a.rate), fill256(a.root), fill256(a.epsilon)
	for i := 0; i < n; i += lanes256 {
		gi := get256(pg, i, n, &gTail)
		mi := beta1.Mul(get256(pm, i, n, &mTail)).Add(gain1.Mul(gi))
		vi := beta2.Mul(get256(pv, i, n, &vTail)).Add(gain2.Mul(gi).Mul(gi))
		put256(pm, i, n, mi)
		put256(pv, i, n, vi)
		step := rate.Mul(mi).Div(vi.Sqrt().Mul(root).Add(epsilon))
		put256(pp, i, n, keep.Mul(get256(pp, i, n, &pTail)).Sub(step))
	}
	archsimd.ClearAVXUpperBits()
}
