//go:build goexperiment.simd && (wasm || arm64)

package kernel

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// Reductions add to four registers of partial results in turn, so that an addition does not
// wait for the previous one.

func sum128(x []float32) float32 {
	var s0, s1, s2, s3 vec
	p, i := unsafe.Pointer(unsafe.SliceData(x)), 0
	for ; i+16 <= len(x); i += 16 {
		at := uintptr(4 * i)
		s0 = s0.Add(load(p, at))
		s1 = s1.Add(load(p, at+16))
		s2 = s2.Add(load(p, at+32))
		s3 = s3.Add(load(p, at+48))
	}
	for ; i+4 <= len(x); i += 4 {
		s0 = s0.Add(load(p, uintptr(4*i)))
	}
	last, _ := archsimd.LoadFloat32x4Part(x[i:])
	return total(s0.Add(s1).Add(s2.Add(s3)).Add(last))
}

func dot128(x, y []float32) float32 {
	y = y[:len(x)]
	var s0, s1, s2, s3 vec
	p, q, i := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y)), 0
	for ; i+16 <= len(x); i += 16 {
		at := uintptr(4 * i)
		s0 = load(p, at).MulAdd(load(q, at), s0)
		s1 = load(p, at+16).MulAdd(load(q, at+16), s1)
		s2 = load(p, at+32).MulAdd(load(q, at+32), s2)
		s3 = load(p, at+48).MulAdd(load(q, at+48), s3)
	}
	for ; i+4 <= len(x); i += 4 {
		at := uintptr(4 * i)
		s0 = load(p, at).MulAdd(load(q, at), s0)
	}
	u, _ := archsimd.LoadFloat32x4Part(x[i:])
	v, _ := archsimd.LoadFloat32x4Part(y[i:])
	return total(u.MulAdd(v, s0.Add(s1).Add(s2.Add(s3))))
}

// max128 relies on Max, which on both architectures returns NaN if one operand is NaN.
func max128(x []float32) float32 {
	m0 := all(float32(math.Inf(-1)))
	m1, m2, m3 := m0, m0, m0
	p, i := unsafe.Pointer(unsafe.SliceData(x)), 0
	for ; i+16 <= len(x); i += 16 {
		at := uintptr(4 * i)
		m0 = m0.Max(load(p, at))
		m1 = m1.Max(load(p, at+16))
		m2 = m2.Max(load(p, at+32))
		m3 = m3.Max(load(p, at+48))
	}
	for ; i+4 <= len(x); i += 4 {
		m0 = m0.Max(load(p, uintptr(4*i)))
	}
	m0 = m0.Max(m1).Max(m2.Max(m3))
	m := max(m0.GetElem(0), m0.GetElem(1), m0.GetElem(2), m0.GetElem(3))
	for _, v := range x[i:] {
		m = max(m, v)
	}
	return m
}

// allFinite128 sums x - x. Each term is 0 for finite x and NaN otherwise.
func allFinite128(x []float32) bool {
	var s0, s1, s2, s3 vec
	p, i := unsafe.Pointer(unsafe.SliceData(x)), 0
	for ; i+16 <= len(x); i += 16 {
		at := uintptr(4 * i)
		v0, v1, v2, v3 := load(p, at), load(p, at+16), load(p, at+32), load(p, at+48)
		s0 = s0.Add(v0.Sub(v0))
		s1 = s1.Add(v1.Sub(v1))
		s2 = s2.Add(v2.Sub(v2))
		s3 = s3.Add(v3.Sub(v3))
	}
	return total(s0.Add(s1).Add(s2.Add(s3))) == 0 && refAllFinite(x[i:])
}

// colSum128 adds the rows in order, so its sums equal the sums of the plain form in every bit. The
// last four columns share a vector. A column that has been summed before gets the same sum again.
func colSum128(dst, x []float32, rows, cols int) {
	if cols < 4 {
		for j := range cols {
			s := dst[j]
			for r := range rows {
				s += x[r*cols+j]
			}
			dst[j] = s
		}
		return
	}
	p, q, next := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(dst)), uintptr(4*cols)
	last := next - 16
	s := load(q, last)
	at := uintptr(0)
	for ; at+64 <= next; at += 64 {
		s0, s1, s2, s3 := load(q, at), load(q, at+16), load(q, at+32), load(q, at+48)
		row := unsafe.Add(p, at)
		for range rows {
			s0 = s0.Add(load(row, 0))
			s1 = s1.Add(load(row, 16))
			s2 = s2.Add(load(row, 32))
			s3 = s3.Add(load(row, 48))
			row = unsafe.Add(row, next)
		}
		store(q, at, s0)
		store(q, at+16, s1)
		store(q, at+32, s2)
		store(q, at+48, s3)
	}
	for ; at+16 <= next; at += 16 {
		store(q, at, colSum4(load(q, at), unsafe.Add(p, at), next, rows))
	}
	if at < next {
		store(q, last, colSum4(s, unsafe.Add(p, last), next, rows))
	}
}

// colSum4 adds to s the sums of four columns over the given number of rows. p points to the
// first row. next is the distance between rows in bytes.
func colSum4(s vec, p unsafe.Pointer, next uintptr, rows int) vec {
	for range rows {
		s = s.Add(load(p, 0))
		p = unsafe.Add(p, next)
	}
	return s
}

func softmaxRows128(dst, x []float32, rows, cols int) {
	for r := range rows {
		softmax128(dst[r*cols:(r+1)*cols], x[r*cols:(r+1)*cols])
	}
}

// among[n] is the mask that selects the first n of four lanes.
var among = [4][4]int32{{}, {-1}, {-1, -1}, {-1, -1, -1}}

func softmax128(dst, x []float32) {
	p, q := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(dst))
	whole := len(x) &^ 3
	size := uintptr(4 * whole)
	// The lanes past the end of the slice become -Inf, which has no weight in a softmax.
	rest, n := archsimd.LoadFloat32x4Part(x[whole:])
	m := rest.IfElse(archsimd.LoadInt32x4Array(&among[n]).ToMask(), all(float32(math.Inf(-1))))
	rest = m
	for at := uintptr(0); at < size; at += 16 {
		m = m.Max(load(p, at))
	}
	m = all(max(max(m.GetElem(0), m.GetElem(1)), max(m.GetElem(2), m.GetElem(3))))
	var s vec
	if n > 0 {
		rest = raise128(reduce128(rest.Sub(m)))
		s = rest
	}
	for at := uintptr(0); at < size; at += 16 {
		e := raise128(reduce128(load(p, at).Sub(m)))
		s = s.Add(e)
		store(q, at, e)
	}
	s = all(total(s))
	for at := uintptr(0); at < size; at += 16 {
		store(q, at, load(q, at).Div(s))
	}
	rest.Div(s).StorePart(dst[whole:len(x)])
}
