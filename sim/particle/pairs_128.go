//go:build goexperiment.simd && (arm64 || wasm)

package particle

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// tile128 is a tile of 4 lanes, in one loop: at this width, several short loops cost more than
// the registers spilled by one long loop. A pair needs one square root and one division,
//
//	F/r = (b(1/2 + h) ± (1/2 - h)) / ((1/2 + h) r).
//
// Adding 3·2²² to z rounds z into the lowest bits of the sum; a shift moves these bits to the
// exponent. h < 2⁻¹²⁰ counts as zero.
func tile128(p *pass, s *sums, i0, i1, j0, j1 int) {
	const stride = 16 // bytes in a vector
	type vector = [4]float32
	var (
		soft  = archsimd.BroadcastFloat32x4(softening)
		one   = archsimd.BroadcastFloat32x4(1)
		half  = archsimd.BroadcastFloat32x4(0.5)
		least = archsimd.BroadcastFloat32x4(-120)
		shift = archsimd.BroadcastFloat32x4(3 << 22)
		sign  = archsimd.BroadcastUint32x4(1 << 31)
		rate  = archsimd.BroadcastFloat32x4(p.rate)
		bias  = archsimd.BroadcastFloat32x4(p.b)
		c1    = archsimd.BroadcastFloat32x4(exp2c1 / 2)
		c2    = archsimd.BroadcastFloat32x4(exp2c2 / 2)
		c3    = archsimd.BroadcastFloat32x4(exp2c3 / 2)
		c4    = archsimd.BroadcastFloat32x4(exp2c4 / 2)
		c5    = archsimd.BroadcastFloat32x4(exp2c5 / 2)
		c6    = archsimd.BroadcastFloat32x4(exp2c6 / 2)
		zero  archsimd.Float32x4
	)
	x, y := unsafe.Pointer(&p.x[0]), unsafe.Pointer(&p.y[0])
	vx, vy := unsafe.Pointer(&p.vx[0]), unsafe.Pointer(&p.vy[0])
	beyondX, beyondY := (*vector)(unsafe.Add(x, 4*p.n)), (*vector)(unsafe.Add(y, 4*p.n))
	s.pairs += (i1 - i0) * (j1 - j0)
	row := 0
	j0, j1 = 4*j0, 4*j1

	for i := i0; i < i1; i++ {
		xi, yi := archsimd.BroadcastFloat32x4(p.x[i]), archsimd.BroadcastFloat32x4(p.y[i])
		xi.StoreArray(beyondX)
		yi.StoreArray(beyondY)
		sumX, sumY := zero, zero
		abs, signed, product := zero, zero, one
		for j := j0; j < j1; j += stride {
			dx := archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(x, j))).Sub(xi)
			dy := archsimd.LoadFloat32x4Array((*vector)(unsafe.Add(y, j))).Sub(yi)
			r := dx.MulAdd(dx, dy.MulAdd(dy, soft)).Sqrt()
			gap := r.Sub(one)
			mag := gap.Abs()
			z := mag.Mul(rate)
			shifted := z.Add(shift)
			f := z.Sub(shifted.Sub(shift))
			power := c6.MulAdd(f, c5).MulAdd(f, c4).MulAdd(f, c3).MulAdd(f, c2).MulAdd(f, c1).MulAdd(f, half)
			h := power.ToBits().Add(shifted.ToBits().ShiftAllLeft(23)).BitsToFloat32().Masked(z.Greater(least))
			factor := h.Add(half)
			abs, signed, product = abs.Add(mag), signed.Add(gap), product.Mul(factor)
			flip := gap.ToBits().And(sign)
			tanh := factor.Sub(one).ToBits().Xor(flip).BitsToFloat32()
			force := bias.MulAdd(factor, tanh).Div(factor.Mul(r))
			fx, fy := force.Mul(dx), force.Mul(dy)
			sumX, sumY = sumX.Add(fx), sumY.Add(fy)
			vxj, vyj := (*vector)(unsafe.Add(vx, j)), (*vector)(unsafe.Add(vy, j))
			archsimd.LoadFloat32x4Array(vxj).Add(fx).StoreArray(vxj)
			archsimd.LoadFloat32x4Array(vyj).Add(fy).StoreArray(vyj)
		}
		s.add128(abs, signed, product)
		p.row[row] = sumX.GetElem(0) + sumX.GetElem(1) + (sumX.GetElem(2) + sumX.GetElem(3))
		p.row[row+1] = sumY.GetElem(0) + sumY.GetElem(1) + (sumY.GetElem(2) + sumY.GetElem(3))
		row += 2
	}
}

func (s *sums) add128(abs, signed, product archsimd.Float32x4) {
	var a, g, m [4]float32
	abs.StoreArray(&a)
	signed.StoreArray(&g)
	product.StoreArray(&m)
	for k := range a {
		s.abs[k] += float64(a[k])
		s.signed[k] += float64(g[k])
		bits := math.Float32bits(m[k] * s.mantissa[k])
		s.exponent[k] += int32(bits>>23) - 127
		s.mantissa[k] = math.Float32frombits(bits&(1<<23-1) | 127<<23)
	}
}
