//go:build goexperiment.simd && amd64

package particle

import (
	"simd/archsimd"
	"unsafe"
)

// tableAVX2 is a tile of 8 lanes for a tabulated force. A batch runs through two short loops.
// The first computes distances and places in the table, and the second computes forces. Gather
// instructions are slow, so the four coefficients of each lane's bin are loaded as one vector,
// and 8 such vectors are transposed.
func tableAVX2(p *pass, s *sums, i0, i1, j0, j1 int) {
	const stride = 32 // bytes in a vector
	type vector = [8]float32
	type coefs = [4]uint32
	var (
		soft   = archsimd.BroadcastFloat32x8(softening)
		from   = archsimd.BroadcastFloat32x8(offset)
		most   = archsimd.BroadcastFloat32x8(reach)
		touch  = archsimd.BroadcastFloat32x8(near)
		one    = archsimd.BroadcastFloat32x8(1)
		half   = archsimd.BroadcastFloat32x8(0.5)
		third  = archsimd.BroadcastFloat32x8(1. / 3)
		fourth = archsimd.BroadcastFloat32x8(0.25)
		first  = archsimd.BroadcastUint32x8(firstBin)
		begin  = archsimd.BroadcastUint32x8(binMask)
		zero   archsimd.Float32x8
		none   archsimd.Uint32x8
	)
	x, y := unsafe.Pointer(&p.x[0]), unsafe.Pointer(&p.y[0])
	vx, vy := unsafe.Pointer(&p.vx[0]), unsafe.Pointer(&p.vy[0])
	dxs, dys := unsafe.Pointer(&p.dx[0]), unsafe.Pointer(&p.dy[0])
	rs, places := unsafe.Pointer(&p.r[0]), unsafe.Pointer(&p.places[0])
	table, us := unsafe.Pointer(&p.table.bins[0]), unsafe.Pointer(&p.halfs[0])
	row := unsafe.Pointer(&p.row[0])
	beyondX, beyondY := (*vector)(unsafe.Add(x, 4*p.n)), (*vector)(unsafe.Add(y, 4*p.n))
	s.pairs += (i1 - i0) * (j1 - j0)
	j0, j1 = 4*j0, 4*j1
	rows := max(1, batch*stride/max(1, j1-j0))

	for ; i0 < i1; i0 += rows {
		end := min(i0+rows, i1)
		at := 0
		for i := i0; i < end; i++ {
			xi := archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(x, 4*i)))
			yi := archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(y, 4*i)))
			xi.StoreArray(beyondX)
			yi.StoreArray(beyondY)
			for j := j0; j < j1; j += stride {
				dx := archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(x, j))).Sub(xi)
				dy := archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(y, j))).Sub(yi)
				dx.StoreArray((*vector)(unsafe.Add(dxs, at)))
				dy.StoreArray((*vector)(unsafe.Add(dys, at)))
				r := dx.MulAdd(dx, dy.MulAdd(dy, soft)).Sqrt().Min(most)
				r.StoreArray((*vector)(unsafe.Add(rs, at)))
				r.Add(from).ToBits().ShiftAllRight(binShift).Sub(first).ShiftAllLeft(5).StoreArray((*[8]uint32)(unsafe.Add(places, at)))
				at += stride
			}
		}
		for k := 0; k < at; k += 4 { // copied as integers, because copies of floats would use SSE instructions
			*(*uint32)(unsafe.Add(us, k)) = *(*uint32)(unsafe.Add(table, uintptr(*(*uint32)(unsafe.Add(places, k)))+binEnergy))
		}

		at = 0
		zeros, energies := zero, zero
		for i := i0; i < end; i++ {
			sumX, sumY := zero, zero
			for j := j0; j < j1; j += stride {
				place := (*[8]uint32)(unsafe.Add(places, at))
				b0 := none.SetLo(archsimd.LoadUint32x4Array((*coefs)(unsafe.Add(table, place[0])))).SetHi(archsimd.LoadUint32x4Array((*coefs)(unsafe.Add(table, place[4]))))
				b1 := none.SetLo(archsimd.LoadUint32x4Array((*coefs)(unsafe.Add(table, place[1])))).SetHi(archsimd.LoadUint32x4Array((*coefs)(unsafe.Add(table, place[5]))))
				b2 := none.SetLo(archsimd.LoadUint32x4Array((*coefs)(unsafe.Add(table, place[2])))).SetHi(archsimd.LoadUint32x4Array((*coefs)(unsafe.Add(table, place[6]))))
				b3 := none.SetLo(archsimd.LoadUint32x4Array((*coefs)(unsafe.Add(table, place[3])))).SetHi(archsimd.LoadUint32x4Array((*coefs)(unsafe.Add(table, place[7]))))
				low02, low13 := b0.InterleaveLoGrouped(b2), b1.InterleaveLoGrouped(b3)
				high02, high13 := b0.InterleaveHiGrouped(b2), b1.InterleaveHiGrouped(b3)
				c0, c1 := low02.InterleaveLoGrouped(low13).BitsToFloat32(), low02.InterleaveHiGrouped(low13).BitsToFloat32()
				c2, c3 := high02.InterleaveLoGrouped(high13).BitsToFloat32(), high02.InterleaveHiGrouped(high13).BitsToFloat32()

				r := archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(rs, at)))
				u := r.Add(from)
				t := u.Sub(u.ToBits().And(begin).BitsToFloat32())
				force := c3.MulAdd(t, c2).MulAdd(t, c1).MulAdd(t, c0).Div(r)
				integral := c3.Mul(fourth).MulAdd(t, c2.Mul(third)).MulAdd(t, c1.Mul(half)).MulAdd(t, c0).Mul(t)
				energy := archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(us, at))).Sub(integral)
				apart := r.GreaterEqual(touch)
				energies, zeros = energies.Add(energy.Masked(apart)), zeros.Add(one.Masked(r.Less(touch)))

				dx := archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(dxs, at)))
				dy := archsimd.LoadFloat32x8Array((*vector)(unsafe.Add(dys, at)))
				sumX, sumY = force.MulAdd(dx, sumX), force.MulAdd(dy, sumY)
				vxj, vyj := (*vector)(unsafe.Add(vx, j)), (*vector)(unsafe.Add(vy, j))
				force.MulAdd(dx, archsimd.LoadFloat32x8Array(vxj)).StoreArray(vxj)
				force.MulAdd(dy, archsimd.LoadFloat32x8Array(vyj)).StoreArray(vyj)
				at += stride
			}
			// total256 returns four numbers. The last two are superfluous, and the next row
			// overwrites them.
			total256(sumX, sumY).StoreArray((*[4]float32)(row))
			row = unsafe.Add(row, 8)
		}
		s.add256(zeros, energies, one)
	}
	// SSE instructions are very slow while the upper halves of registers are in use.
	archsimd.ClearAVXUpperBits()
}
