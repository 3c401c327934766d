//go:build goexperiment.simd && amd64

package lj

import (
	"simd/archsimd"
	"unsafe"
)

// forcesAVX2 is forcesAVX512 with 8 lanes and 12-bit estimates.
func forcesAVX2(dst []float32, f *field, l *list) {
	const (
		width  = 8
		stride = 32 // bytes in a vector
	)
	type vector = [width]float32
	var (
		square = archsimd.BroadcastFloat32x8(f.square)
		least  = archsimd.BroadcastFloat32x8(core)
		two    = archsimd.BroadcastFloat32x8(2)
		zero   archsimd.Float32x8
	)
	var a, da, b, db [2]vector
	for k := range a {
		for lane := range width {
			a[k][lane], da[k][lane], b[k][lane], db[k][lane] = f.a[k], f.da[k], f.b[k], f.db[k]
		}
	}
	x, y, kind := unsafe.Pointer(&f.x[0]), unsafe.Pointer(&f.y[0]), unsafe.Pointer(&l.kind[0])
	middle := unsafe.Pointer(&f.guard[maxWidth])
	out := unsafe.Pointer(&dst[0])
	for i := range l.near {
		xi := archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(x, 4*i)))
		yi := archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(y, 4*i)))
		k := *(*uint32)(unsafe.Add(kind, 4*i)) >> 29 // of 0 or 1, without a scalar float
		ai, dai := archsimd.LoadFloat32x8Array(&a[k]), archsimd.LoadFloat32x8Array(&da[k])
		bi, dbi := archsimd.LoadFloat32x8Array(&b[k]), archsimd.LoadFloat32x8Array(&db[k])
		sumX, sumY := zero, zero
		near := &l.near[i]
		for r := 0; r < len(near); r += 2 {
			j, end := 4*int(near[r]), 4*int(near[r+1])
			for ; j < end; j += stride {
				dx := xi.Sub(archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(x, j))))
				dy := yi.Sub(archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(y, j))))
				other := archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(kind, j)))
				beyond := archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(middle, max(j-end, -stride))))
				r2 := dx.MulAdd(dx, dy.MulAdd(dy, beyond))
				near2 := r2.Max(least)
				inv := near2.Reciprocal()
				inv = inv.Mul(two.Sub(near2.Mul(inv)))
				inv6 := inv.Mul(inv).Mul(inv)
				force := inv6.Mul(other.MulAdd(dai, ai)).Sub(other.MulAdd(dbi, bi)).Mul(inv6.Mul(inv)).
					Masked(r2.Less(square))
				sumX, sumY = force.MulAdd(dx, sumX), force.MulAdd(dy, sumY)
			}
		}
		both := sumX.ConcatAddPairsGrouped(sumY)
		both = both.ConcatAddPairsGrouped(both)
		// The two superfluous lanes are overwritten by the next row.
		both.GetLo().Add(both.GetHi()).StoreArray((*[4]float32)(unsafe.Add(out, 8*i)))
	}
	// SSE instructions that find upper halves in use are slow beyond measure.
	archsimd.ClearAVXUpperBits()
}
