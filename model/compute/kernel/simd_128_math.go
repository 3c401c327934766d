//go:build goexperiment.simd && (wasm || arm64)

package kernel

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// Elementwise functions of four floats at a time. They are composed of functions that are small
// enough for the compiler to inline. The last elements of a slice go through the same code, in a
// block padded with zeros, so a value's result does not depend on its position. Polynomials on the
// reduced range come from Moshier's Cephes library. The errors against float64 are at most 2 ulp
// for exp and log and 4 ulp for all other functions, over all floats, including the ends of the
// range, denormals and NaN.

// A value of type function selects the elementwise function that the method `apply` computes.
type function uint8

const (
	expFunc function = iota
	logFunc
	tanhFunc
	softplusFunc
	sigmoidFunc
	siluFunc
	reluFunc
)

func exp128(dst, x []float32)      { expFunc.apply(dst, x) }
func log128(dst, x []float32)      { logFunc.apply(dst, x) }
func tanh128(dst, x []float32)     { tanhFunc.apply(dst, x) }
func softplus128(dst, x []float32) { softplusFunc.apply(dst, x) }
func sigmoid128(dst, x []float32)  { sigmoidFunc.apply(dst, x) }

// activate128 is the SIMD form of refActivate.
func activate128(dst, slope, x []float32, act Activation) {
	switch act {
	case Identity:
		copy(dst, x)
	case ReLU:
		reluFunc.apply(dst, x)
	case Softplus:
		softplusFunc.apply(dst, x)
	case Tanh:
		tanhFunc.apply(dst, x)
	case SiLU:
		if slope == nil {
			siluFunc.apply(dst, x)
			return
		}
		whole := len(x) &^ 3
		siluSlopes(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(slope)), unsafe.Pointer(unsafe.SliceData(x)), uintptr(4*whole))
		if whole < len(x) {
			var y, p, v [4]float32
			copy(v[:], x[whole:])
			siluSlopes(unsafe.Pointer(&y), unsafe.Pointer(&p), unsafe.Pointer(&v), 16)
			copy(dst[whole:len(x)], y[:])
			copy(slope[whole:len(x)], p[:])
		}
	}
}

// siluSlopes writes SiLU and its slope for the first `size` bytes of x, where `size` is a multiple
// of 16.
func siluSlopes(dst, slope, x unsafe.Pointer, size uintptr) {
	at := uintptr(0)
	for ; at+64 <= size; at += 64 { // four vectors share the constants
		v0, v1, v2, v3 := load(x, at), load(x, at+16), load(x, at+32), load(x, at+48)
		s0, rest0 := sigmoidOf(v0, raise128(reduce128(v0.Abs().Neg())))
		s1, rest1 := sigmoidOf(v1, raise128(reduce128(v1.Abs().Neg())))
		s2, rest2 := sigmoidOf(v2, raise128(reduce128(v2.Abs().Neg())))
		s3, rest3 := sigmoidOf(v3, raise128(reduce128(v3.Abs().Neg())))
		store(dst, at, v0.Mul(s0))
		store(dst, at+16, v1.Mul(s1))
		store(dst, at+32, v2.Mul(s2))
		store(dst, at+48, v3.Mul(s3))
		store(slope, at, s0.Mul(v0.MulAdd(rest0, all(1))))
		store(slope, at+16, s1.Mul(v1.MulAdd(rest1, all(1))))
		store(slope, at+32, s2.Mul(v2.MulAdd(rest2, all(1))))
		store(slope, at+48, s3.Mul(v3.MulAdd(rest3, all(1))))
	}
	for ; at < size; at += 16 {
		v := load(x, at)
		s, rest := sigmoidOf(v, raise128(reduce128(v.Abs().Neg())))
		store(dst, at, v.Mul(s))
		store(slope, at, s.Mul(v.MulAdd(rest, all(1))))
	}
}

// apply writes f of x to dst, which may be x.
func (f function) apply(dst, x []float32) {
	whole := len(x) &^ 3
	f.blocks(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(x)), uintptr(4*whole))
	if whole < len(x) {
		var last [4]float32
		copy(last[:], x[whole:])
		f.blocks(unsafe.Pointer(&last), unsafe.Pointer(&last), 16)
		copy(dst[whole:len(x)], last[:])
	}
}

// blocks computes the function for the first `size` bytes of x, where `size` is a multiple of 16.
func (f function) blocks(dst, x unsafe.Pointer, size uintptr) {
	switch f {
	case expFunc:
		for at := uintptr(0); at < size; at += 16 {
			store(dst, at, raise128(reduce128(load(x, at))))
		}
	case logFunc:
		for at := uintptr(0); at < size; at += 16 {
			v := load(x, at)
			store(dst, at, logEnds(v, log1pe(mantissa(v))))
		}
	case tanhFunc:
		at := uintptr(0)
		for ; at+64 <= size; at += 64 { // four vectors share the constants
			v0, v1, v2, v3 := load(x, at), load(x, at+16), load(x, at+32), load(x, at+48)
			a0, a1, a2, a3 := v0.Abs(), v1.Abs(), v2.Abs(), v3.Abs()
			store(dst, at, tanhOf(v0, a0, raise128(reduce128(a0.Add(a0)))))
			store(dst, at+16, tanhOf(v1, a1, raise128(reduce128(a1.Add(a1)))))
			store(dst, at+32, tanhOf(v2, a2, raise128(reduce128(a2.Add(a2)))))
			store(dst, at+48, tanhOf(v3, a3, raise128(reduce128(a3.Add(a3)))))
		}
		for ; at < size; at += 16 {
			v := load(x, at)
			a := v.Abs()
			store(dst, at, tanhOf(v, a, raise128(reduce128(a.Add(a)))))
		}
	case softplusFunc:
		for at := uintptr(0); at < size; at += 16 {
			v := load(x, at)
			store(dst, at, softplusOf(v, raise128(reduce128(v.Abs().Neg()))))
		}
	case sigmoidFunc:
		for at := uintptr(0); at < size; at += 16 {
			v := load(x, at)
			s, _ := sigmoidOf(v, raise128(reduce128(v.Abs().Neg())))
			store(dst, at, s)
		}
	case siluFunc:
		for at := uintptr(0); at < size; at += 16 {
			v := load(x, at)
			s, _ := sigmoidOf(v, raise128(reduce128(v.Abs().Neg())))
			store(dst, at, v.Mul(s))
		}
	case reluFunc:
		var zero vec
		for at := uintptr(0); at < size; at += 16 {
			store(dst, at, load(x, at).Max(zero))
		}
	}
}

func all(x float32) vec { return archsimd.BroadcastFloat32x4(x) }

// ln 2 in two parts. The first part has so few digits that its product with an exponent is
// exact.
const ln2High, ln2Low = 0.693359375, -2.12194440e-4

// reduce128 splits x into n·ln2 + r with |r| ≤ ln2/2, and returns e^r - 1 and n. x is clamped
// to the range in which e^x is a float.
func reduce128(x vec) (em1 vec, n archsimd.Int32x4) {
	// Adding 1.5·2²³ rounds a float to an integer, and the low bits then contain this integer.
	const shift = 3 << 22
	x = x.Max(all(-104)).Min(all(89))
	shifted := x.MulAdd(all(math.Log2E), all(shift))
	whole := shifted.Sub(all(shift))
	n = shifted.ToBits().BitsToInt32().Sub(archsimd.BroadcastInt32x4(0x4b400000))
	r := whole.MulAdd(all(-ln2Low), whole.MulAdd(all(-ln2High), x))
	p := all(1.9875691500e-4)
	p = p.MulAdd(r, all(1.3981999507e-3))
	p = p.MulAdd(r, all(8.3334519073e-3))
	p = p.MulAdd(r, all(4.1665795894e-2))
	p = p.MulAdd(r, all(1.6666665459e-1))
	p = p.MulAdd(r, all(5.0000001201e-1))
	return p.MulAdd(r.Mul(r), r), n
}

// power returns 2^n, which must be a normal float.
func power(n archsimd.Int32x4) vec {
	return n.Add(archsimd.BroadcastInt32x4(127)).ShiftAllLeft(23).ToBits().BitsToFloat32()
}

// raise128 returns e^x from the parts that reduce128 returned.
func raise128(em1 vec, n archsimd.Int32x4) vec {
	// The sum is multiplied by 2^n in two steps, because 2^n may be too large or too small for
	// a float.
	half := n.ShiftAllRight(1)
	return em1.Add(all(1)).Mul(power(half)).Mul(power(n.Sub(half)))
}

// mantissa splits a positive finite x into 2^e·(1 + f) with √½ ≤ 1 + f < √2.
func mantissa(x vec) (f, e vec) {
	const smallest = 0x1p-126 // smallest normal float
	denormal := x.Less(all(smallest))
	bits := x.Mul(all(0x1p23)).IfElse(denormal, x).ToBits().BitsToInt32()
	n := bits.Sub(archsimd.BroadcastInt32x4(0x3f3504f3)).ShiftAllRight(23)
	f = bits.Sub(n.ShiftAllLeft(23)).ToBits().BitsToFloat32().Sub(all(1))
	e = n.ConvertToFloat32()
	return f, e.Sub(all(23)).IfElse(denormal, e)
}

// log1pe returns log(2^e·(1 + f)).
func log1pe(f, e vec) vec {
	z := f.Mul(f)
	p := all(7.0376836292e-2)
	p = p.MulAdd(f, all(-1.1514610310e-1))
	p = p.MulAdd(f, all(1.1676998740e-1))
	p = p.MulAdd(f, all(-1.2420140846e-1))
	p = p.MulAdd(f, all(1.4249322787e-1))
	p = p.MulAdd(f, all(-1.6668057665e-1))
	p = p.MulAdd(f, all(2.0000714765e-1))
	p = p.MulAdd(f, all(-2.4999993993e-1))
	p = p.MulAdd(f, all(3.3333331174e-1))
	y := e.MulAdd(all(ln2Low), p.Mul(f).Mul(z))
	return e.MulAdd(all(ln2High), f.Add(z.MulAdd(all(-0.5), y)))
}

// logEnds returns the logarithm of x. If x is positive and finite, y must be the logarithm of x,
// and logEnds returns y. Otherwise logEnds ignores y.
func logEnds(x, y vec) vec {
	var zero vec
	inf := all(float32(math.Inf(1)))
	y = y.IfElse(x.Less(inf), x) // +Inf and NaN are their own logarithms
	y = all(float32(math.NaN())).IfElse(x.Less(zero), y)
	return inf.Neg().IfElse(x.Equal(zero), y)
}

// signBit returns the sign bits of x. All other bits are 0.
func signBit(x vec) archsimd.Uint32x4 {
	return x.ToBits().And(archsimd.BroadcastUint32x4(1 << 31))
}

// tanhNear returns tanh(a) for 0 ≤ a < 0.625.
func tanhNear(a vec) vec {
	z := a.Mul(a)
	p := all(-5.70498872745e-3)
	p = p.MulAdd(z, all(2.06390887954e-2))
	p = p.MulAdd(z, all(-5.37397155531e-2))
	p = p.MulAdd(z, all(1.33314422036e-1))
	p = p.MulAdd(z, all(-3.33332819422e-1))
	return p.Mul(z).MulAdd(a, a)
}

// tanhOf returns tanh(x), given a = |x| and u = e^2a.
func tanhOf(x, a, u vec) vec {
	far := all(1).Sub(all(2).Div(u.Add(all(1))))
	y := tanhNear(a).IfElse(a.Less(all(0.625)), far)
	return y.ToBits().Or(signBit(x)).BitsToFloat32()
}

// softplusOf returns max(x, 0) + log(1 + u), given u = e^-|x|. With s = u/(2+u), log(1 + u) is
// 2·artanh(s) = 2s + 2s·s²·(1/3 + s²/5 + ...).
func softplusOf(x, u vec) vec {
	s2 := u.Add(u).Div(u.Add(all(2)))
	z := s2.Mul(s2).Mul(all(0.25))
	p := all(0.1161216461)
	p = p.MulAdd(z, all(0.1085328790))
	p = p.MulAdd(z, all(0.1429617900))
	p = p.MulAdd(z, all(0.1999985317))
	p = p.MulAdd(z, all(0.3333333366))
	var zero vec
	return x.Max(zero).Add(p.Mul(z).MulAdd(s2, s2))
}

// sigmoidOf returns y = 1/(1 + e^-x) and 1 - y, given u = e^-|x|.
func sigmoidOf(x, u vec) (y, rest vec) {
	large := all(1).Div(u.Add(all(1)))
	small := u.Mul(large)
	var zero vec
	negative := x.Less(zero)
	return small.IfElse(negative, large), large.IfElse(negative, small)
}

// activationGrad128 is the SIMD form of refActivationGrad.
func activationGrad128(dx, dy, y, slope []float32, act Activation) {
	if act == Identity {
		copy(dx, dy)
		return
	}
	if act == SiLU {
		y = slope
	}
	whole := len(dy) &^ 3
	gradBlocks(unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(dy)),
		unsafe.Pointer(unsafe.SliceData(y)), uintptr(4*whole), act)
	if whole < len(dy) {
		var g, v [4]float32
		copy(g[:], dy[whole:])
		copy(v[:], y[whole:])
		gradBlocks(unsafe.Pointer(&g), unsafe.Pointer(&g), unsafe.Pointer(&v), 16, act)
		copy(dx[whole:len(dy)], g[:])
	}
}

// gradBlocks computes the gradient for the first `size` bytes, where `size` is a multiple of 16.
// y holds the outputs, or, for SiLU, the slopes.
func gradBlocks(dx, dy, y unsafe.Pointer, size uintptr, act Activation) {
	var zero vec
	switch act {
	case ReLU:
		for at := uintptr(0); at < size; at += 16 {
			store(dx, at, load(dy, at).Masked(load(y, at).Greater(zero)))
		}
	case Softplus: // y = log(1 + e^x), so sigmoid(x) = 1 - e^-y = (1 - 2^n) - 2^n·(e^r - 1) with -y = n·ln2 + r
		for at := uintptr(0); at < size; at += 16 {
			em1, n := reduce128(load(y, at).Neg().Max(all(-87)))
			scale := power(n)
			store(dx, at, load(dy, at).Mul(all(1).Sub(scale).Sub(scale.Mul(em1))))
		}
	case Tanh:
		for at := uintptr(0); at < size; at += 16 {
			v := load(y, at)
			store(dx, at, load(dy, at).Mul(v.Neg().MulAdd(v, all(1))))
		}
	case SiLU:
		for at := uintptr(0); at < size; at += 16 {
			store(dx, at, load(dy, at).Mul(load(y, at)))
		}
	}
}
