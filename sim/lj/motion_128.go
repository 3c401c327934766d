//go:build goexperiment.simd && (arm64 || wasm)

package lj

import (
	"simd/archsimd"
	"unsafe"
)

// drift128 is refDrift with the two coordinates of an atom in one vector.
func drift128(m *motion) (within bool) {
	type vector = [2]float64
	walls := vector{m.width, m.height}
	var (
		scale = archsimd.BroadcastFloat64x2(m.scale)
		half  = archsimd.BroadcastFloat64x2(m.half)
		dt    = archsimd.BroadcastFloat64x2(m.dt)
		wall  = archsimd.LoadFloat64x2Array(&walls)
		sign  = archsimd.BroadcastUint64x2(1 << 63)
		limit = m.limit
	)
	x, v, f := unsafe.Pointer(&m.x[0]), unsafe.Pointer(&m.v[0]), unsafe.Pointer(&m.f[0])
	toX, toV, place := unsafe.Pointer(&m.toX[0]), unsafe.Pointer(&m.toV[0]), unsafe.Pointer(&m.place[0])
	imageX, imageY := unsafe.Pointer(&m.imageX[0]), unsafe.Pointer(&m.imageY[0])
	within = true
	for k := 0; k < 8*len(m.x); k += 16 {
		speed := archsimd.LoadFloat64x2Array((*vector)(unsafe.Add(v, k))).Mul(scale).
			Add(widen(unsafe.Add(f, k/2)).Mul(half))
		to := archsimd.LoadFloat64x2Array((*vector)(unsafe.Add(x, k))).Add(speed.Mul(dt))
		// If x is negative, the atom has crossed the left wall. If width - x is negative, it has
		// crossed the right wall.
		flip := to.ToBits().Xor(wall.Sub(to).ToBits()).And(sign)
		to = to.Abs()
		to = to.Min(wall.Sub(to).Add(wall))
		to.StoreArray((*vector)(unsafe.Add(toX, k)))
		speed.ToBits().Xor(flip).BitsToFloat64().StoreArray((*vector)(unsafe.Add(toV, k)))
		*(*float32)(unsafe.Add(imageX, k/4)) = float32(to.GetElem(0))
		*(*float32)(unsafe.Add(imageY, k/4)) = float32(to.GetElem(1))
		off := to.Sub(archsimd.LoadFloat64x2Array((*vector)(unsafe.Add(place, k))))
		off = off.Mul(off)
		if !(off.GetElem(0)+off.GetElem(1) <= limit) {
			within = false
		}
	}
	return within
}

// widen loads the force on an atom as two float64s.
func widen(f unsafe.Pointer) archsimd.Float64x2 {
	pair := (*[2]float32)(f)
	return archsimd.BroadcastFloat64x2(float64(pair[0])).SetElem(1, float64(pair[1]))
}

// kick128 is refKick, one atom at a time.
func kick128(v []float64, f []float32, half float64) (square float64) {
	h, sum := archsimd.BroadcastFloat64x2(half), archsimd.Float64x2{}
	from, to := unsafe.Pointer(&f[0]), unsafe.Pointer(&v[0])
	for k := 0; k < 8*len(v); k += 16 {
		at := (*[2]float64)(unsafe.Add(to, k))
		speed := archsimd.LoadFloat64x2Array(at).Add(widen(unsafe.Add(from, k/2)).Mul(h))
		speed.StoreArray(at)
		sum = sum.Add(speed.Mul(speed))
	}
	return sum.GetElem(0) + sum.GetElem(1)
}

// scale128 is refScale, one atom at a time.
func scale128(v []float64, scale float64) (square float64) {
	s, sum := archsimd.BroadcastFloat64x2(scale), archsimd.Float64x2{}
	to := unsafe.Pointer(&v[0])
	for k := 0; k < 8*len(v); k += 16 {
		at := (*[2]float64)(unsafe.Add(to, k))
		speed := archsimd.LoadFloat64x2Array(at).Mul(s)
		speed.StoreArray(at)
		sum = sum.Add(speed.Mul(speed))
	}
	return sum.GetElem(0) + sum.GetElem(1)
}
