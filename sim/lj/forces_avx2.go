//go:build goexperiment.simd && amd64

package lj

import (
	"simd/archsimd"
	"unsafe"
)

// forcesAVX2 is refForces with 8 neighbours at a time. It divides exactly: reciprocal estimates
// differ between makers of processors, and refining an estimate takes longer than dividing.
func forcesAVX2(dst []float32, f *field, l *list) {
	type vector = [8]float32
	var (
		square = archsimd.BroadcastFloat32x8(f.square)
		floor  = archsimd.BroadcastFloat32x8(core)
		one    = archsimd.BroadcastFloat32x8(1)
		zero   archsimd.Float32x8
	)
	x, y := unsafe.Pointer(&f.x[0]), unsafe.Pointer(&f.y[0])
	middle := unsafe.Pointer(&f.guard[maxWidth])
	out := unsafe.Pointer(&dst[0])
	near, rows := unsafe.Pointer(unsafe.SliceData(l.near)), unsafe.Pointer(&l.row[1])
	at := 0
	for i, k := range l.kind {
		xi := archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(x, 4*i)))
		yi := archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(y, 4*i)))
		a, b := unsafe.Pointer(&l.a[k][0]), unsafe.Pointer(&l.b[k][0])
		sumX, sumY := zero, zero
		for end := int(*(*int32)(unsafe.Add(rows, 4*i))); at < end; at++ {
			n := (*block)(unsafe.Add(near, 8*at))
			j := 4 * int(n.begin)
			dx := archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(x, j))).Sub(xi)
			dy := archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(y, j))).Sub(yi)
			r2 := dx.MulAdd(dx, dy.MulAdd(dy, archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(middle, -4*int(n.lanes))))))
			inv := one.Div(r2.Max(floor))
			inv2 := inv.Mul(inv)
			inv6 := inv2.Mul(inv)
			force := archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(b, j))).
				Sub(inv6.Mul(archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(a, j))))).
				Mul(inv2.Mul(inv2)).Masked(r2.Less(square))
			sumX, sumY = force.MulAdd(dx, sumX), force.MulAdd(dy, sumY)
		}
		both := sumX.ConcatAddPairsGrouped(sumY)
		both = both.ConcatAddPairsGrouped(both)
		// The vector has four lanes, and a row has two numbers. The next row overwrites the other
		// two lanes.
		both.GetLo().Add(both.GetHi()).StoreArray((*[4]float32)(unsafe.Add(out, 8*i)))
	}
	// SSE instructions are very slow while the upper halves of registers are in use.
	archsimd.ClearAVXUpperBits()
}
