//go:build goexperiment.simd && (arm64 || wasm)

package lj

import (
	"simd/archsimd"
	"unsafe"
)

// forces128 is refForces with 4 neighbours at a time. It has no lower bound for squared distances.
// Instead it masks out the force of an atom on itself, which is faster at this width.
func forces128(dst []float32, f *field, l *list) {
	type vector = [4]float32
	var (
		square = archsimd.BroadcastFloat32x4(f.square)
		one    = archsimd.BroadcastFloat32x4(1)
		zero   archsimd.Float32x4
	)
	x, y := unsafe.Pointer(&f.x[0]), unsafe.Pointer(&f.y[0])
	middle := unsafe.Pointer(&f.guard[maxWidth])
	for i, k := range l.kind {
		xi, yi := archsimd.BroadcastFloat32x4(f.x[i]), archsimd.BroadcastFloat32x4(f.y[i])
		a, b := unsafe.Pointer(&l.a[k][0]), unsafe.Pointer(&l.b[k][0])
		sumX, sumY := zero, zero
		for _, n := range l.near[l.row[i]:l.row[i+1]] {
			j := 4 * int(n.begin)
			dx := xi.Sub(archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(x, j))))
			dy := yi.Sub(archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(y, j))))
			beyond := archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(middle, -4*int(n.lanes))))
			r2 := dx.MulAdd(dx, dy.MulAdd(dy, beyond))
			inv := one.Div(r2)
			inv6 := inv.Mul(inv).Mul(inv)
			force := archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(a, j))).Mul(inv6).
				Sub(archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(b, j)))).
				Mul(inv6.Mul(inv)).Masked(r2.Less(square).And(r2.Greater(zero)))
			sumX, sumY = force.MulAdd(dx, sumX), force.MulAdd(dy, sumY)
		}
		dst[2*i] = sumX.GetElem(0) + sumX.GetElem(1) + (sumX.GetElem(2) + sumX.GetElem(3))
		dst[2*i+1] = sumY.GetElem(0) + sumY.GetElem(1) + (sumY.GetElem(2) + sumY.GetElem(3))
	}
}
