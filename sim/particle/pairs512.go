//go:build goexperiment.simd && amd64

package particle

import (
	"simd/archsimd"
	"unsafe"
)

// tile512 is a tile with vectors of 512 bits. One pair takes about thirty operations, and each
// needs the result of the previous one. This chain is too long for a processor to overlap many
// pairs. One long loop would also need more registers than there are. A batch therefore runs
// through three short loops: distances, exponentials, forces.
//
// A pair needs one square root and one division,
//
//	F/r = (b(1/2 + h) ± (1/2 - h)) / ((1/2 + h) r).
//
// The two instructions round exactly. Estimates would differ between makers of processors, and
// refining an estimate takes longer.
func tile512(p *pass, s *sums, i0, i1, j0, j1 int) {
	type vector = [16]float32
	const stride = int(unsafe.Sizeof(vector{})) // bytes in a vector
	var (
		soft  = archsimd.BroadcastFloat32x16(softening)
		none  = archsimd.BroadcastFloat32x16(-1)
		nhalf = archsimd.BroadcastFloat32x16(-0.5)
		sign  = archsimd.BroadcastUint32x16(1 << 31)
		rate  = archsimd.BroadcastFloat32x16(p.rate)
		bias  = archsimd.BroadcastFloat32x16(p.b)
		c1    = archsimd.BroadcastFloat32x16(exp2c1 / -2)
		c2    = archsimd.BroadcastFloat32x16(exp2c2 / -2)
		c3    = archsimd.BroadcastFloat32x16(exp2c3 / -2)
		c4    = archsimd.BroadcastFloat32x16(exp2c4 / -2)
		c5    = archsimd.BroadcastFloat32x16(exp2c5 / -2)
		c6    = archsimd.BroadcastFloat32x16(exp2c6 / -2)
		least = archsimd.BroadcastFloat32x16(leastPower)
		zero  archsimd.Float32x16
	)
	x, y := unsafe.Pointer(&p.x[0]), unsafe.Pointer(&p.y[0])
	vx, vy := unsafe.Pointer(&p.vx[0]), unsafe.Pointer(&p.vy[0])
	dxs, dys := unsafe.Pointer(&p.dx[0]), unsafe.Pointer(&p.dy[0])
	rs, halfs := unsafe.Pointer(&p.r[0]), unsafe.Pointer(&p.halfs[0])
	row := unsafe.Pointer(&p.row[0])
	beyondX, beyondY := (*vector)(unsafe.Add(x, 4*p.n)), (*vector)(unsafe.Add(y, 4*p.n))
	s.pairs += (i1 - i0) * (j1 - j0)
	j0, j1 = 4*j0, 4*j1
	rows := max(1, batch*stride/max(1, j1-j0))

	for ; i0 < i1; i0 += rows {
		end := min(i0+rows, i1)
		at := 0
		for i := i0; i < end; i++ {
			xi := archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(x, 4*i)))
			yi := archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(y, 4*i)))
			xi.StoreArray(beyondX)
			yi.StoreArray(beyondY)
			for j := j0; j < j1; j += stride {
				dx := archsimd.LoadFloat32x16Array((*vector)(unsafe.Add(x, j))).Sub(xi)
				dy := archsimd.LoadFloat32x16Array((*vector)(unsafe.Add(y, j))).Sub(yi)
				dx.StoreArray((*vector)(unsafe.Add(dxs, at)))
				dy.StoreArray((*vector)(unsafe.Add(dys, at)))
				dx.MulAdd(dx, dy.MulAdd(dy, soft)).Sqrt().StoreArray((*vector)(unsafe.Add(rs, at)))
				at += stride
			}
		}

		abs, signed, product := zero, zero, none
		for k := 0; k < at; k += stride {
			gap := archsimd.LoadFloat32x16Array((*vector)(unsafe.Add(rs, k))).Add(none)
			mag := gap.Abs()
			z, whole := round512(mag.Mul(rate), least)
			f := z.Sub(whole)
			power := c6.MulAdd(f, c5).MulAdd(f, c4).MulAdd(f, c3).MulAdd(f, c2).MulAdd(f, c1).MulAdd(f, nhalf)
			half := scale512(power, whole).Add(nhalf) // -(1/2 + h)
			half.StoreArray((*vector)(unsafe.Add(halfs, k)))
			abs, signed, product = abs.Add(mag), signed.Add(gap), product.Mul(half)
		}
		s.add512(abs, signed, product)

		at = 0
		for i := i0; i < end; i++ {
			sumX, sumY := zero, zero
			for j := j0; j < j1; j += stride {
				half := archsimd.LoadFloat32x16Array((*vector)(unsafe.Add(halfs, at)))
				r := archsimd.LoadFloat32x16Array((*vector)(unsafe.Add(rs, at)))
				side := r.Add(none).ToBits().And(sign)
				force := bias.MulAdd(half, half.Sub(none).ToBits().Xor(side).BitsToFloat32()).Div(half.Mul(r))
				dx := archsimd.LoadFloat32x16Array((*vector)(unsafe.Add(dxs, at)))
				dy := archsimd.LoadFloat32x16Array((*vector)(unsafe.Add(dys, at)))
				sumX, sumY = force.MulAdd(dx, sumX), force.MulAdd(dy, sumY)
				vxj, vyj := (*vector)(unsafe.Add(vx, j)), (*vector)(unsafe.Add(vy, j))
				force.MulAdd(dx, archsimd.LoadFloat32x16Array(vxj)).StoreArray(vxj)
				force.MulAdd(dy, archsimd.LoadFloat32x16Array(vyj)).StoreArray(vyj)
				at += stride
			}
			// total512 returns four numbers. The last two are superfluous, and the next row
			// overwrites them.
			total512(sumX, sumY).StoreArray((*[4]float32)(row))
			row = unsafe.Add(row, 8)
		}
	}
	// SSE instructions are very slow while the upper halves of registers are in use.
	archsimd.ClearAVXUpperBits()
}

func (s *sums) add512(abs, signed, product archsimd.Float32x16) {
	a, g := (*[8]float64)(s.abs[:]), (*[8]float64)(s.signed[:])
	m, e := (*[16]float32)(s.mantissa[:]), (*[16]int32)(s.exponent[:])
	archsimd.LoadFloat64x8Array(a).
		Add(abs.GetLo().ConvertToFloat64()).Add(abs.GetHi().ConvertToFloat64()).StoreArray(a)
	archsimd.LoadFloat64x8Array(g).
		Add(signed.GetLo().ConvertToFloat64()).Add(signed.GetHi().ConvertToFloat64()).StoreArray(g)
	bits := product.Mul(archsimd.LoadFloat32x16Array(m)).Abs().ToBits()
	archsimd.LoadInt32x16Array(e).
		Add(bits.ShiftAllRight(23).BitsToInt32()).Sub(archsimd.BroadcastInt32x16(127)).StoreArray(e)
	bits.And(archsimd.BroadcastUint32x16(1<<23 - 1)).Or(archsimd.BroadcastUint32x16(127 << 23)).
		BitsToFloat32().StoreArray(m)
}
