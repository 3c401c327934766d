//go:build goexperiment.simd && amd64

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// The names of lanes512.go for vectors of 256 bits (AVX2 and FMA).

type (
	array256 = [lanes256]float32
	f256     = archsimd.Float32x8
	m256     = archsimd.Mask32x8
)

const (
	lanes256 = 8
	bytes256 = 32
)

func load256(p unsafe.Pointer) f256     { return archsimd.LoadFloat32x8Array((*array256)(p)) }
func store256(p unsafe.Pointer, v f256) { v.StoreArray((*array256)(p)) }
func fill256(x float32) f256            { return archsimd.BroadcastFloat32x8(x) }
func const256(c *splat) f256            { return load256(unsafe.Pointer(c)) }

//go:nocheckptr
func storeFirst256(p unsafe.Pointer, v f256, m m256) {
	v.StoreArrayMasked((*array256)(p), m)
}

func storeOne256(p unsafe.Pointer, v f256) { storeFirst256(p, v, first256(1)) }

// laneMasks holds eight lanes that are set and eight that are not.
var laneMasks = [2 * lanes256]int32{-1, -1, -1, -1, -1, -1, -1, -1}

func first256(n int) m256 {
	at := unsafe.Add(unsafe.Pointer(&laneMasks), 4*(lanes256-max(0, min(n, lanes256))))
	return archsimd.LoadInt32x8Array((*[lanes256]int32)(at)).ToMask()
}

func round256(v f256) f256 { return v.Round() }

// ldexp256 is v·2^n for integers n of -252 to 254. It multiplies by 2^n in two
// steps, of which only the last can round.
func ldexp256(v, n f256) f256 {
	whole := n.ConvertToInt32()
	half := whole.ShiftAllRight(1)
	bias := archsimd.BroadcastInt32x8(127)
	return v.Mul(half.Add(bias).ShiftAllLeft(23).AsFloat32x8()).
		Mul(whole.Sub(half).Add(bias).ShiftAllLeft(23).AsFloat32x8())
}

func pow256(n f256) f256 {
	return n.ConvertToInt32().Add(archsimd.BroadcastInt32x8(127)).ShiftAllLeft(23).AsFloat32x8()
}

func frexp256(v f256) (m, e f256) {
	bits := v.AsInt32x8()
	exp := bits.Sub(archsimd.BroadcastInt32x8(sqrtHalfBits)).ShiftAllRight(23)
	return bits.Sub(exp.ShiftAllLeft(23)).AsFloat32x8(), exp.ConvertToFloat32()
}

func copySign256(v, s f256) f256 {
	sign := archsimd.BroadcastUint32x8(1 << 31)
	return v.ToBits().Or(s.ToBits().And(sign)).BitsToFloat32()
}

func sumLanes256(v f256) f256 {
	s := v.GetLo().Add(v.GetHi())
	s = s.Add(s.ConcatPermuteScalars(2, 3, 0, 1, s))
	s = s.Add(s.ConcatPermuteScalars(1, 0, 3, 2, s))
	return v.SetLo(s).SetHi(s)
}

func maxLanes256(v f256) f256 {
	s := v.GetLo().Max(v.GetHi())
	s = s.Max(s.ConcatPermuteScalars(2, 3, 0, 1, s))
	s = s.Max(s.ConcatPermuteScalars(1, 0, 3, 2, s))
	return v.SetLo(s).SetHi(s)
}
