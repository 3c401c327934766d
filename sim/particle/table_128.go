//go:build goexperiment.simd && (arm64 || wasm)

package particle

import (
	"simd/archsimd"
	"unsafe"
)

// table128 computes the same as tableAVX2 with 4 lanes. It has one loop instead of two, for the
// same reason as tile128.
func table128(p *pass, s *sums, i0, i1, j0, j1 int) {
	const stride = 16 // bytes in a vector
	type vector = [4]float32
	var (
		soft   = archsimd.BroadcastFloat32x4(softening)
		from   = archsimd.BroadcastFloat32x4(offset)
		most   = archsimd.BroadcastFloat32x4(reach)
		touch  = archsimd.BroadcastFloat32x4(near)
		one    = archsimd.BroadcastFloat32x4(1)
		half   = archsimd.BroadcastFloat32x4(0.5)
		third  = archsimd.BroadcastFloat32x4(1. / 3)
		fourth = archsimd.BroadcastFloat32x4(0.25)
		first  = archsimd.BroadcastUint32x4(firstBin)
		begin  = archsimd.BroadcastUint32x4(binMask)
		zero   archsimd.Float32x4
	)
	x, y := unsafe.Pointer(&p.x[0]), unsafe.Pointer(&p.y[0])
	vx, vy := unsafe.Pointer(&p.vx[0]), unsafe.Pointer(&p.vy[0])
	table := unsafe.Pointer(&p.table.bins[0])
	beyondX, beyondY := (*vector)(unsafe.Add(x, 4*p.n)), (*vector)(unsafe.Add(y, 4*p.n))
	s.pairs += (i1 - i0) * (j1 - j0)
	row := 0
	j0, j1 = 4*j0, 4*j1

	for i := i0; i < i1; i++ {
		xi, yi := archsimd.BroadcastFloat32x4(p.x[i]), archsimd.BroadcastFloat32x4(p.y[i])
		xi.StoreArray(beyondX)
		yi.StoreArray(beyondY)
		sumX, sumY, zeros, energies := zero, zero, zero, zero
		for j := j0; j < j1; j += stride {
			dx := archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(x, j))).Sub(xi)
			dy := archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(y, j))).Sub(yi)
			r := dx.MulAdd(dx, dy.MulAdd(dy, soft)).Sqrt().Min(most)
			u := r.Add(from)
			places := u.ToBits().ShiftAllRight(binShift).Sub(first).ShiftAllLeft(5)
			b0, b1 := (*bin)(unsafe.Add(table, places.GetElem(0))), (*bin)(unsafe.Add(table, places.GetElem(1)))
			b2, b3 := (*bin)(unsafe.Add(table, places.GetElem(2))), (*bin)(unsafe.Add(table, places.GetElem(3)))
			c0 := zero.SetElem(0, b0.c[0]).SetElem(1, b1.c[0]).SetElem(2, b2.c[0]).SetElem(3, b3.c[0])
			c1 := zero.SetElem(0, b0.c[1]).SetElem(1, b1.c[1]).SetElem(2, b2.c[1]).SetElem(3, b3.c[1])
			c2 := zero.SetElem(0, b0.c[2]).SetElem(1, b1.c[2]).SetElem(2, b2.c[2]).SetElem(3, b3.c[2])
			c3 := zero.SetElem(0, b0.c[3]).SetElem(1, b1.c[3]).SetElem(2, b2.c[3]).SetElem(3, b3.c[3])
			begins := zero.SetElem(0, b0.u).SetElem(1, b1.u).SetElem(2, b2.u).SetElem(3, b3.u)

			t := u.Sub(u.ToBits().And(begin).BitsToFloat32())
			force := c3.MulAdd(t, c2).MulAdd(t, c1).MulAdd(t, c0).Div(r)
			integral := c3.Mul(fourth).MulAdd(t, c2.Mul(third)).MulAdd(t, c1.Mul(half)).MulAdd(t, c0).Mul(t)
			energies = energies.Add(begins.Sub(integral).Masked(r.GreaterEqual(touch)))
			zeros = zeros.Add(one.Masked(r.Less(touch)))

			fx, fy := force.Mul(dx), force.Mul(dy)
			sumX, sumY = sumX.Add(fx), sumY.Add(fy)
			vxj, vyj := (*vector)(unsafe.Add(vx, j)), (*vector)(unsafe.Add(vy, j))
			archsimd.LoadFloat32x4Array(vxj).Add(fx).StoreArray(vxj)
			archsimd.LoadFloat32x4Array(vyj).Add(fy).StoreArray(vyj)
		}
		s.add128(zeros, energies, one)
		p.row[row] = sumX.GetElem(0) + sumX.GetElem(1) + (sumX.GetElem(2) + sumX.GetElem(3))
		p.row[row+1] = sumY.GetElem(0) + sumY.GetElem(1) + (sumY.GetElem(2) + sumY.GetElem(3))
		row += 2
	}
}
