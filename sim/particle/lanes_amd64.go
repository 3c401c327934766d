//go:build goexperiment.simd && amd64

package particle

import "simd/archsimd"

// leastPower is the smallest exponent of h. Smaller values of h count as 2⁻¹²⁰. To compute x·2^n,
// scale256 adds n to the exponent bits of x. These bits must stay positive.
const leastPower = -120

// round512 and round256 return two numbers: z, and the whole number nearest to z. If z is smaller
// than `least`, round256 first sets z to `least`. scale256 requires this.
func round512(z, _ archsimd.Float32x16) (_, whole archsimd.Float32x16) { return z, z.RoundScaled(0) }

func round256(z, least archsimd.Float32x8) (_, whole archsimd.Float32x8) {
	z = z.Max(least)
	return z, z.Round()
}

// scale512 and scale256 return x·2^n for whole n.
func scale512(x, n archsimd.Float32x16) archsimd.Float32x16 { return x.Scale(n) }

func scale256(x, n archsimd.Float32x8) archsimd.Float32x8 {
	return x.ToBits().BitsToInt32().Add(n.ConvertToInt32().ShiftAllLeft(23)).ToBits().BitsToFloat32()
}

// total512 and total256 return a vector that contains the sum of x, the sum of y, and two
// arbitrary numbers.
func total512(x, y archsimd.Float32x16) archsimd.Float32x4 {
	return total256(x.GetLo().Add(x.GetHi()), y.GetLo().Add(y.GetHi()))
}

func total256(x, y archsimd.Float32x8) archsimd.Float32x4 {
	both := x.ConcatAddPairsGrouped(y)
	both = both.ConcatAddPairsGrouped(both)
	return both.GetLo().Add(both.GetHi())
}
