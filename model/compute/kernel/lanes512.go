//go:build goexperiment.simd && amd64

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// Operations on vectors of 512 bits. In archsimd, the names of these operations contain the width.
// lanes_amd64.go contains the operations that differ between widths by more than the name.
//
// Go encodes scalar arithmetic as SSE instructions. Switching between SSE and vector instructions
// costs about 70 ns if the upper halves of registers are dirty. Every function with vectors
// therefore ends with ClearAVXUpperBits. It does scalar work only before its first vector or after
// ClearAVXUpperBits. The compiler may swap the operands of Max and Min, so their results for NaN
// are undefined.

type (
	array512 = [16]float32
	f512     = archsimd.Float32x16
	m512     = archsimd.Mask32x16
)

const (
	lanes512 = len(array512{})
	bytes512 = 4 * lanes512
)

func load512(p unsafe.Pointer) f512     { return archsimd.LoadFloat32x16Array((*array512)(p)) }
func store512(p unsafe.Pointer, v f512) { v.StoreArray((*array512)(p)) }
func fill512(x float32) f512            { return archsimd.BroadcastFloat32x16(x) }
func const512(c *splat) f512            { return load512(unsafe.Pointer(c)) }

// storeFirst512 writes the lanes of v that are set in the mask m.
//
//go:nocheckptr
func storeFirst512(p unsafe.Pointer, v f512, m m512) {
	v.StoreArrayMasked((*array512)(p), m)
}

// storeLast512 writes the last vector of a row of n floats in a panel of the given width. It uses a
// mask only where it must, because masks make stores slow.
func storeLast512(p unsafe.Pointer, v f512, n, width int) {
	if n >= width {
		store512(p, v)
	} else {
		storeFirst512(p, v, first512(n+lanes512-width))
	}
}

// storeOne512 writes the first lane of v.
func storeOne512(p unsafe.Pointer, v f512) { storeFirst512(p, v, first512(1)) }

// pow512 returns 2^n for integers n of -126 to 127.
func pow512(n f512) f512 {
	return n.ConvertToInt32().Add(archsimd.BroadcastInt32x16(127)).ShiftAllLeft(23).AsFloat32x16()
}

// frexp512 splits normal positive v into m·2^e with m in [√½, √2).
func frexp512(v f512) (m, e f512) {
	bits := v.AsInt32x16()
	exp := bits.Sub(archsimd.BroadcastInt32x16(sqrtHalfBits)).ShiftAllRight(23)
	return bits.Sub(exp.ShiftAllLeft(23)).AsFloat32x16(), exp.ConvertToFloat32()
}

// copySign512 returns v, which must be positive, with the sign of s.
func copySign512(v, s f512) f512 {
	sign := archsimd.BroadcastUint32x16(1 << 31)
	return v.ToBits().Or(s.ToBits().And(sign)).BitsToFloat32()
}
