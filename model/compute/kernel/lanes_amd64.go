//go:build goexperiment.simd && amd64

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// Operations that need different code for AVX-512 and for AVX2 with FMA.

// first512 and first256 return the mask of the first n lanes. n below 0 counts as 0, and n
// above the number of lanes as all lanes.
func first512(n int) m512 {
	return archsimd.Mask32x16FromBits(uint16(1<<max(0, min(n, lanes512)) - 1))
}

func first256(n int) m256 {
	at := unsafe.Add(unsafe.Pointer(&laneMasks), 4*(lanes256-max(0, min(n, lanes256))))
	return archsimd.LoadInt32x8Array((*[lanes256]int32)(at)).ToMask()
}

// laneMasks holds eight set lanes, followed by eight unset lanes.
var laneMasks = [2 * lanes256]int32{-1, -1, -1, -1, -1, -1, -1, -1}

func round512(v f512) f512 { return v.RoundScaled(0) }
func round256(v f256) f256 { return v.Round() }

// ldexp512 and ldexp256 return v·2^n for integers n of -252 to 254, rounded once: ldexp256
// multiplies by 2^n in two steps, and only the second step can round.
func ldexp512(v, n f512) f512 { return v.Scale(n) }

func ldexp256(v, n f256) f256 {
	whole := n.ConvertToInt32()
	half := whole.ShiftAllRight(1)
	bias := archsimd.BroadcastInt32x8(127)
	return v.Mul(half.Add(bias).ShiftAllLeft(23).AsFloat32x8()).
		Mul(whole.Sub(half).Add(bias).ShiftAllLeft(23).AsFloat32x8())
}

// sumLanes and maxLanes combine the lanes by halves. Every lane of the result holds the sum or
// the maximum, so the result can stay in a vector register.
func sumLanes512(v f512) f512 {
	s := sumLanes256(v.GetLo().Add(v.GetHi()))
	return v.SetLo(s).SetHi(s)
}

func sumLanes256(v f256) f256 {
	s := v.GetLo().Add(v.GetHi())
	s = s.Add(s.ConcatPermuteScalars(2, 3, 0, 1, s))
	s = s.Add(s.ConcatPermuteScalars(1, 0, 3, 2, s))
	return v.SetLo(s).SetHi(s)
}

func maxLanes512(v f512) f512 {
	s := maxLanes256(v.GetLo().Max(v.GetHi()))
	return v.SetLo(s).SetHi(s)
}

func maxLanes256(v f256) f256 {
	s := v.GetLo().Max(v.GetHi())
	s = s.Max(s.ConcatPermuteScalars(2, 3, 0, 1, s))
	s = s.Max(s.ConcatPermuteScalars(1, 0, 3, 2, s))
	return v.SetLo(s).SetHi(s)
}
