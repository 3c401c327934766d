//go:build goexperiment.simd && (wasm || arm64)

package kernel

import (
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
	a := adamFactors[float32](h)
	whole := len(g) &^ 3
	adamBlocks(&a, unsafe.Pointer(unsafe.SliceData(p)), unsafe.Pointer(unsafe.SliceData(g)),
		unsafe.Pointer(unsafe.SliceData(m)), unsafe.Pointer(unsafe.SliceData(v)), uintptr(4*whole))
	if whole < len(g) {
		var p4, g4, m4, v4 [4]float32
		copy(p4[:], p[whole:len(g)])
		copy(g4[:], g[whole:])
		copy(m4[:], m[whole:len(g)])
		copy(v4[:], v[whole:len(g)])
		adamBlocks(&a, unsafe.Pointer(&p4), unsafe.Pointer(&g4), unsafe.Pointer(&m4), unsafe.Pointer(&v4), 16)
		copy(p[whole:len(g)], p4[:])
		copy(m[whole:len(g)], m4[:])
		copy(v[whole:len(g)], v4[:])
	}
}

// adamBlocks updates the first `size` bytes of each slice, where `size` is a multiple of 16.
func adamBlocks(a *adam[float32], p, g, m, v unsafe.Pointer, size uintptr) {
	beta1, gain1, beta2, gain2 := all(a.beta1), all(a.gain1), all(a.beta2), all(a.gain2)
	keep, rate, root, epsilon := all(a.keep), all(a.rate), all(a.root), all(a.epsilon)
	for at := uintptr(0); at < size; at += 16 {
		gi := load(g, at)
		mi := gain1.Mul(gi).Add(beta1.Mul(load(m, at)))
		vi := gain2.Mul(gi).Mul(gi).Add(beta2.Mul(load(v, at)))
		store(m, at, mi)
		store(v, at, vi)
		store(p, at, keep.Mul(load(p, at)).Sub(rate.Mul(mi).Div(vi.Sqrt().Mul(root).Add(epsilon))))
	}
}
