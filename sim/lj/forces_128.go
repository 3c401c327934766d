//go:build goexperiment.simd && (arm64 || wasm)

package lj

import (
	"simd/archsimd"
	"unsafe"
)

// forces128 is refForces with 4 neighbours at a time. The atom itself is masked
// out: the maximum of two numbers costs more here.
func forces128(dst []float32, f *field, l *list) {
	const (
		width  = 4
		stride = 16 // bytes in a vector
	)
	type vector = [width]float32
	var (
		square = archsimd.BroadcastFloat32x4(f.square)
		one    = archsimd.BroadcastFloat32x4(1)
		zero   archsimd.Float32x4
	)
	x, y, kind := unsafe.Pointer(&f.x[0]), unsafe.Pointer(&f.y[0]), unsafe.Pointer(&l.kind[0])
	middle := unsafe.Pointer(&f.guard[maxWidth])
	for i := range l.near {
		xi, yi := archsimd.BroadcastFloat32x4(f.x[i]), archsimd.BroadcastFloat32x4(f.y[i])
		k := int(l.kind[i])
		a, da := archsimd.BroadcastFloat32x4(f.a[k]), archsimd.BroadcastFloat32x4(f.da[k])
		b, db := archsimd.BroadcastFloat32x4(f.b[k]), archsimd.BroadcastFloat32x4(f.db[k])
		sumX, sumY := zero, zero
		near := &l.near[i]
		for r := 0; r < len(near); r += 2 {
			j, end := 4*int(near[r]), 4*int(near[r+1])
			for ; j < end; j += stride {
				dx := xi.Sub(archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(x, j))))
				dy := yi.Sub(archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(y, j))))
				other := archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(kind, j)))
				beyond := archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(middle, max(j-end, -stride))))
				r2 := mulAdd(dx, dx, mulAdd(dy, dy, beyond))
				inv := one.Div(r2)
				inv6 := inv.Mul(inv).Mul(inv)
				force := mulAdd(other, da, a).Mul(inv6).Sub(mulAdd(other, db, b)).Mul(inv6.Mul(inv)).
					Masked(r2.Less(square).And(r2.Greater(zero)))
				sumX, sumY = mulAdd(force, dx, sumX), mulAdd(force, dy, sumY)
			}
		}
		dst[2*i] = sumX.GetElem(0) + sumX.GetElem(1) + (sumX.GetElem(2) + sumX.GetElem(3))
		dst[2*i+1] = sumY.GetElem(0) + sumY.GetElem(1) + (sumY.GetElem(2) + sumY.GetElem(3))
	}
}
