//go:build goexperiment.simd && amd64

package lj

import (
	"simd/archsimd"
	"unsafe"
)

// drift512 is refDrift with the coordinates of several atoms in a vector of 512 bits. A vector holds
// x and y of an atom in neighbouring lanes.
func drift512(m *motion) (within bool) {
	type vector = [8]float64
	var walls vector
	for k := range walls {
		walls[k] = m.width
		if k%2 == 1 {
			walls[k] = m.height
		}
	}
	var (
		scale = archsimd.BroadcastFloat64x8(m.scale)
		half  = archsimd.BroadcastFloat64x8(m.half)
		dt    = archsimd.BroadcastFloat64x8(m.dt)
		limit = archsimd.BroadcastFloat64x8(m.limit)
		wall  = archsimd.LoadFloat64x8Array(&walls)
		sign  = archsimd.BroadcastUint64x8(1 << 63)
		worst archsimd.Float64x8 // a square outside of the limit, or 0
	)
	x, v, f := unsafe.Pointer(&m.x[0]), unsafe.Pointer(&m.v[0]), unsafe.Pointer(&m.f[0])
	toX, toV, place := unsafe.Pointer(&m.toX[0]), unsafe.Pointer(&m.toV[0]), unsafe.Pointer(&m.place[0])
	imageX, imageY := unsafe.Pointer(&m.imageX[0]), unsafe.Pointer(&m.imageY[0])
	for k := 0; k < len(m.x); k += doubles512 {
		b := 8 * k
		speed := archsimd.LoadFloat64x8Array((*vector)(unsafe.Add(v, b))).Mul(scale)
		speed = widen512(unsafe.Add(f, b/2)).MulAdd(half, speed)
		to := speed.MulAdd(dt, archsimd.LoadFloat64x8Array((*vector)(unsafe.Add(x, b))))
		// If x is negative, the atom has crossed the left wall. If width - x is negative, it
		// has crossed the right wall.
		flip := to.ToBits().Xor(wall.Sub(to).ToBits()).And(sign)
		to = to.ToBits().AndNot(sign).BitsToFloat64()
		to = to.Min(wall.Sub(to).Add(wall))
		to.StoreArray((*vector)(unsafe.Add(toX, b)))
		speed.ToBits().Xor(flip).BitsToFloat64().StoreArray((*vector)(unsafe.Add(toV, b)))
		storeXY512(to, unsafe.Add(imageX, 2*k), unsafe.Add(imageY, 2*k))
		off := to.Sub(archsimd.LoadFloat64x8Array((*vector)(unsafe.Add(place, b))))
		square := off.Mul(off)
		square = off.MulAdd(off, square.ConcatPermuteScalarsGrouped(1, 2, square)) // even lanes: dx² + dy²
		worst = worst.IfElse(square.LessEqual(limit), square)
	}
	var squares vector
	worst.StoreArray(&squares)
	archsimd.ClearAVXUpperBits()
	within = true
	for k := 0; k < len(squares); k += 2 {
		within = within && squares[k] <= m.limit
	}
	return within
}

// kick512 is refKick with several atoms at a time.
func kick512(v []float64, f []float32, half float64) (square float64) {
	h, sum := archsimd.BroadcastFloat64x8(half), archsimd.Float64x8{}
	to, from := unsafe.Pointer(&v[0]), unsafe.Pointer(&f[:len(v)][0])
	for k := 0; k < len(v); k += doubles512 {
		at := (*[8]float64)(unsafe.Add(to, 8*k))
		speed := widen512(unsafe.Add(from, 4*k)).MulAdd(h, archsimd.LoadFloat64x8Array(at))
		speed.StoreArray(at)
		sum = speed.MulAdd(speed, sum)
	}
	return total512(sum)
}

// scale512 is refScale with several atoms at a time.
func scale512(v []float64, scale float64) (square float64) {
	s, sum := archsimd.BroadcastFloat64x8(scale), archsimd.Float64x8{}
	to := unsafe.Pointer(&v[0])
	for k := 0; k < len(v); k += doubles512 {
		at := (*[8]float64)(unsafe.Add(to, 8*k))
		speed := archsimd.LoadFloat64x8Array(at).Mul(s)
		speed.StoreArray(at)
		sum = speed.MulAdd(speed, sum)
	}
	return total512(sum)
}

// total512 sums a vector and clears the upper halves of the registers.
func total512(x archsimd.Float64x8) (sum float64) {
	var lanes [8]float64
	x.StoreArray(&lanes)
	archsimd.ClearAVXUpperBits()
	for _, v := range lanes {
		sum += v
	}
	return sum
}
