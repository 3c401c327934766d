//go:build goexperiment.simd && (wasm || arm64)

package kernel

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

func axpy128(dst []float32, alpha float32, x []float32) {
	a := all(alpha)
	p, q, i := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(dst)), 0
	for ; i+4 <= len(x); i += 4 {
		at := uintptr(4 * i)
		store(q, at, a.MulAdd(load(p, at), load(q, at)))
	}
	if i < len(x) {
		u, _ := archsimd.LoadFloat32x4Part(x[i:])
		v, _ := archsimd.LoadFloat32x4Part(dst[i:len(x)])
		a.MulAdd(u, v).StorePart(dst[i:len(x)])
	}
}

func scale128(dst []float32, alpha float32) {
	a := all(alpha)
	q, i := unsafe.Pointer(unsafe.SliceData(dst)), 0
	for ; i+4 <= len(dst); i += 4 {
		at := uintptr(4 * i)
		store(q, at, load(q, at).Mul(a))
	}
	for ; i < len(dst); i++ {
		dst[i] *= alpha
	}
}

func mul128(dst, x, y []float32) {
	p, o, q, i := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(dst)), 0
	for ; i+4 <= len(x); i += 4 {
		at := uintptr(4 * i)
		store(q, at, load(p, at).Mul(load(o, at)))
	}
	for ; i < len(x); i++ {
		dst[i] = x[i] * y[i]
	}
}

func adam128(p, g, m, v []float32, h AdamStep) {
	b1, b2 := float32(h.Beta1), float32(h.Beta2)
	c1, c2 := 1/(1-math.Pow(h.Beta1, float64(h.Step))), 1/(1-math.Pow(h.Beta2, float64(h.Step)))
	s := adamScalars{
		b1: b1, rest1: 1 - b1, b2: b2, rest2: 1 - b2,
		rate: float32(h.Rate * c1), root: float32(math.Sqrt(c2)), eps: float32(h.Epsilon),
		keep: float32(1 - h.Rate*h.WeightDecay),
	}
	whole := len(g) &^ 3
	s.blocks(unsafe.Pointer(unsafe.SliceData(p)), unsafe.Pointer(unsafe.SliceData(g)),
		unsafe.Pointer(unsafe.SliceData(m)), unsafe.Pointer(unsafe.SliceData(v)), uintptr(4*whole))
	if whole < len(g) {
		var p4, g4, m4, v4 [4]float32
		copy(p4[:], p[whole:len(g)])
		copy(g4[:], g[whole:])
		copy(m4[:], m[whole:len(g)])
		copy(v4[:], v[whole:len(g)])
		s.blocks(unsafe.Pointer(&p4), unsafe.Pointer(&g4), unsafe.Pointer(&m4), unsafe.Pointer(&v4), 16)
		copy(p[whole:len(g)], p4[:])
		copy(m[whole:len(g)], m4[:])
		copy(v[whole:len(g)], v4[:])
	}
}

// adamScalars are the numbers that an update takes from its AdamStep.
type adamScalars struct{ b1, rest1, b2, rest2, rate, root, eps, keep float32 }

// blocks updates size bytes of each slice, a multiple of 16.
func (s *adamScalars) blocks(p, g, m, v unsafe.Pointer, size uintptr) {
	b1, rest1, b2, rest2 := all(s.b1), all(s.rest1), all(s.b2), all(s.rest2)
	rate, root, eps, keep := all(s.rate), all(s.root), all(s.eps), all(s.keep)
	for at := uintptr(0); at < size; at += 16 {
		gi := load(g, at)
		mi := rest1.Mul(gi).Add(b1.Mul(load(m, at)))
		vi := rest2.Mul(gi).Mul(gi).Add(b2.Mul(load(v, at)))
		store(m, at, mi)
		store(v, at, vi)
		store(p, at, keep.Mul(load(p, at)).Sub(rate.Mul(mi).Div(vi.Sqrt().Mul(root).Add(eps))))
	}
}
