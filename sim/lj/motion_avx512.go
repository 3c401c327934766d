//go:build goexperiment.simd && amd64

package lj

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// driftAVX512 is refDrift with 4 atoms at a time. It must not keep vectors in an array: Go clears an
// array with SSE instructions, and on Intel's processors two of these an iteration take longer than
// the rest.
func driftAVX512(m *motion) (within bool) {
	type vector = [8]float64
	walls := vector{m.width, m.height, m.width, m.height, m.width, m.height, m.width, m.height}
	var (
		scale = archsimd.BroadcastFloat64x8(m.scale)
		half  = archsimd.BroadcastFloat64x8(m.half)
		dt    = archsimd.BroadcastFloat64x8(m.dt)
		wall  = archsimd.LoadFloat64x8Array(&walls)
		sign  = archsimd.BroadcastUint64x8(1 << 63)
		apart = archsimd.LoadUint32x8Array(&xThenY)
		even  = archsimd.LoadUint64x8Array(&evenLanes)
		most  archsimd.Uint64x8
	)
	x, v, f := unsafe.Pointer(&m.x[0]), unsafe.Pointer(&m.v[0]), unsafe.Pointer(&m.f[0])
	toX, toV, place := unsafe.Pointer(&m.toX[0]), unsafe.Pointer(&m.toV[0]), unsafe.Pointer(&m.place[0])
	imageX, imageY := unsafe.Pointer(&m.imageX[0]), unsafe.Pointer(&m.imageY[0])
	for k := 0; k < len(m.x); k += 8 {
		b := 8 * k
		speed := archsimd.LoadFloat64x8Array((*vector)(unsafe.Add(v, b))).Mul(scale)
		speed = archsimd.LoadFloat32x8Array((*[8]float32)(unsafe.Add(f, b/2))).ConvertToFloat64().MulAdd(half, speed)
		to := speed.MulAdd(dt, archsimd.LoadFloat64x8Array((*vector)(unsafe.Add(x, b))))
		// If x is negative, the atom has crossed the left wall. If width - x is negative, it
		// has crossed the right wall.
		flip := to.ToBits().Xor(wall.Sub(to).ToBits()).And(sign)
		to = to.ToBits().AndNot(sign).BitsToFloat64()
		to = to.Min(wall.Sub(to).Add(wall))
		to.StoreArray((*vector)(unsafe.Add(toX, b)))
		speed.ToBits().Xor(flip).BitsToFloat64().StoreArray((*vector)(unsafe.Add(toV, b)))
		off := to.Sub(archsimd.LoadFloat64x8Array((*vector)(unsafe.Add(place, b))))
		square := off.Mul(off)
		// The even lanes hold dx² + dy². Nonnegative floats have the same order as their bits.
		// Infinity and NaN have the largest bits, so the maximum does not lose them.
		square = off.MulAdd(off, square.ConcatPermuteScalarsGrouped(1, 2, square))
		most = most.Max(square.ToBits().And(even))
		image := to.ConvertToFloat32().Permute(apart)
		image.GetLo().StoreArray((*[4]float32)(unsafe.Add(imageX, 2*k)))
		image.GetHi().StoreArray((*[4]float32)(unsafe.Add(imageY, 2*k)))
	}
	var bits [8]uint64
	most.StoreArray(&bits)
	archsimd.ClearAVXUpperBits()
	for _, b := range bits {
		bits[0] = max(bits[0], b)
	}
	return math.Float64frombits(bits[0]) <= m.limit
}

var (
	xThenY    = [8]uint32{0, 2, 4, 6, 1, 3, 5, 7}
	evenLanes = [8]uint64{0: ^uint64(0), 2: ^uint64(0), 4: ^uint64(0), 6: ^uint64(0)}
)

// kickAVX512 is refKick with 4 atoms at a time.
func kickAVX512(v []float64, f []float32, half float64) (square float64) {
	h, sum := archsimd.BroadcastFloat64x8(half), archsimd.Float64x8{}
	for k := 0; k < len(v); k += 8 {
		at := (*[8]float64)(v[k : k+8])
		speed := archsimd.LoadFloat32x8Array((*[8]float32)(f[k:k+8])).ConvertToFloat64().
			MulAdd(h, archsimd.LoadFloat64x8Array(at))
		speed.StoreArray(at)
		sum = speed.MulAdd(speed, sum)
	}
	return total(sum)
}

// scaleAVX512 is refScale with 4 atoms at a time.
func scaleAVX512(v []float64, scale float64) (square float64) {
	s, sum := archsimd.BroadcastFloat64x8(scale), archsimd.Float64x8{}
	for k := 0; k < len(v); k += 8 {
		at := (*[8]float64)(v[k : k+8])
		speed := archsimd.LoadFloat64x8Array(at).Mul(s)
		speed.StoreArray(at)
		sum = speed.MulAdd(speed, sum)
	}
	return total(sum)
}

// total sums a vector and clears the upper halves of the registers.
func total(x archsimd.Float64x8) (sum float64) {
	var lanes [8]float64
	x.StoreArray(&lanes)
	archsimd.ClearAVXUpperBits()
	for _, v := range lanes {
		sum += v
	}
	return sum
}
