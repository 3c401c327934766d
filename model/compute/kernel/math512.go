//go:build goexperiment.simd && amd64

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// expSplit512 writes x as n·ln 2 + r with integer n and |r| <= ½ ln 2.
func expSplit512(x f512) (n, r f512) {
	n = round512(x.Mul(const512(&log2e)))
	r = n.MulAdd(const512(&negLn2hi), x)
	return n, n.MulAdd(const512(&negLn2lo), r)
}

// expm1512 returns e^r - 1 for |r| <= ½ ln 2.
func expm1512(r f512) f512 {
	q := const512(&expQ[4]).MulAdd(r, const512(&expQ[3]))
	q = q.MulAdd(r, const512(&expQ[2]))
	q = q.MulAdd(r, const512(&expQ[1]))
	q = q.MulAdd(r, const512(&expQ[0]))
	return q.MulAdd(r.Mul(r), r)
}

// reduce512 followed by raise512 computes e^x for x <= 89. Each of the two is small enough for
// the compiler to inline. Lanes set in `none` give e^x = 0, because underflow by arithmetic
// would be slow.
func reduce512(x f512) (em1, n f512, none m512) {
	var zero f512
	none = x.Less(const512(&expMin))
	n, r := expSplit512(zero.IfElse(none, x))
	return expm1512(r), n, none
}

func raise512(em1, n f512, none m512) f512 {
	var zero f512
	return zero.IfElse(none, ldexp512(em1.Add(const512(&one)), n))
}

// log1p512 returns log(1+t) for 0 <= t <= 1.
func log1p512(t f512) f512 {
	p := const512(&log1pQ[9]).MulAdd(t, const512(&log1pQ[8]))
	p = p.MulAdd(t, const512(&log1pQ[7]))
	p = p.MulAdd(t, const512(&log1pQ[6]))
	p = p.MulAdd(t, const512(&log1pQ[5]))
	p = p.MulAdd(t, const512(&log1pQ[4]))
	p = p.MulAdd(t, const512(&log1pQ[3]))
	p = p.MulAdd(t, const512(&log1pQ[2]))
	p = p.MulAdd(t, const512(&log1pQ[1]))
	return p.MulAdd(t, const512(&log1pQ[0])).Mul(t)
}

// atLeast512 and atMost512 limit v to at least lo and at most hi. NaN stays NaN.
func atLeast512(v, lo f512) f512 { return lo.IfElse(v.Less(lo), v) }
func atMost512(v, hi f512) f512  { return hi.IfElse(v.Greater(hi), v) }

// tail512 returns the elements of x after its last full vector, padded with zeros.
func tail512(x []float32) (t array512) {
	copy(t[:], x[len(x)&^(lanes512-1):])
	return t
}

// put512 writes v to dst from element i on. It does not write past the n elements of dst.
func put512(dst unsafe.Pointer, i, n int, v f512) {
	if n-i >= lanes512 {
		store512(unsafe.Add(dst, 4*i), v)
	} else {
		storeFirst512(unsafe.Add(dst, 4*i), v, first512(n-i))
	}
}

// get512 reads a vector from src, from element i on. If fewer than lanes512 of the n elements of
// src are left, it returns tail.
func get512(src unsafe.Pointer, i, n int, tail *array512) f512 {
	if n-i < lanes512 {
		return load512(unsafe.Pointer(tail))
	}
	return load512(unsafe.Add(src, 4*i))
}

// activate512 is the SIMD form of refActivate.
func activate512(y, slope, x []float32, act Activation) {
	switch act {
	case Identity:
		copy(y, x)
	case ReLU:
		reluTo512(y, x)
	case Tanh:
		tanh512(y, x)
	default:
		sigmoids512(y, slope, x, act)
	}
}

func reluTo512(y, x []float32) {
	tail, n := tail512(x), len(x)
	to, from := unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i < n; i += lanes512 {
		put512(to, i, n, relu512(get512(from, i, n, &tail)))
	}
	archsimd.ClearAVXUpperBits()
}

func exp512(y, x []float32)      { sigmoids512(y, nil, x, expFunction) }
func sigmoid512(y, x []float32)  { sigmoids512(y, nil, x, sigmoidFunction) }
func softplus512(y, x []float32) { sigmoids512(y, nil, x, Softplus) }

// sigmoids512 computes f, one of the functions based on e^-|x| or e^x. For SiLU it also writes the
// derivative to `slope`, unless `slope` is nil.
func sigmoids512(y, slope, x []float32, f Activation) {
	tail, n := tail512(x), len(x)
	to, from := unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(x))
	rise := unsafe.Pointer(unsafe.SliceData(slope))
	for i := 0; i < n; i += lanes512 {
		v := get512(from, i, n, &tail)
		t := v
		if f == expFunction {
			t = atMost512(t, const512(&expMax))
		} else {
			t = t.Abs().Neg()
		}
		z := raise512(reduce512(t))
		switch f {
		case Softplus:
			z = relu512(v).Add(log1p512(z))
		case sigmoidFunction, SiLU:
			var zero f512
			unit := const512(&one)
			s := z.IfElse(v.Less(zero), unit).Div(unit.Add(z))
			z = s
			if f == SiLU {
				z = s.Mul(v)
				if rise != nil {
					put512(rise, i, n, s.Mul(v.MulAdd(unit.Sub(s), unit)))
				}
			}
		}
		put512(to, i, n, z)
	}
	archsimd.ClearAVXUpperBits()
}

// tanh512 uses tanh x = (e^2x - 1)/(e^2x + 1).
func tanh512(y, x []float32) {
	tail, n := tail512(x), len(x)
	to, from := unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i < n; i += lanes512 {
		v := get512(from, i, n, &tail)
		a := v.Abs()
		e, r := expSplit512(atMost512(a.Add(a), const512(&tanhMax)))
		s := pow512(e)
		z := expm1512(r).MulAdd(s, s.Sub(const512(&one)))
		put512(to, i, n, copySign512(z.Div(z.Add(const512(&two))), v))
	}
	archsimd.ClearAVXUpperBits()
}

// log512 splits x into m·2^e and sums e·ln 2 + log(m), starting with the smaller parts.
func log512(y, x []float32) {
	tail, n := tail512(x), len(x)
	to, from := unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(x))
	inf, nan := fill512(infinity), fill512(notANumber)
	for i := 0; i < n; i += lanes512 {
		v := get512(from, i, n, &tail)
		var zero f512
		small := v.Less(const512(&minNormal))
		m, e := frexp512(v.Mul(const512(&two23)).IfElse(small, v))
		e = e.Add(const512(&minus23)).IfElse(small, e)
		f := m.Sub(const512(&one))
		q := const512(&logQ[8]).MulAdd(f, const512(&logQ[7]))
		q = q.MulAdd(f, const512(&logQ[6]))
		q = q.MulAdd(f, const512(&logQ[5]))
		q = q.MulAdd(f, const512(&logQ[4]))
		q = q.MulAdd(f, const512(&logQ[3]))
		q = q.MulAdd(f, const512(&logQ[2]))
		q = q.MulAdd(f, const512(&logQ[1]))
		q = q.MulAdd(f, const512(&logQ[0]))
		ff := f.Mul(f)
		z := q.Mul(ff.Mul(f))
		z = e.MulAdd(const512(&ln2lo), z)
		z = ff.MulAdd(const512(&minusHalf), z).Add(f)
		z = e.MulAdd(const512(&ln2hi), z)
		z = v.IfElse(v.Equal(inf), z)
		z = inf.Neg().IfElse(v.Equal(zero), z)
		z = nan.IfElse(v.Less(zero), z)
		put512(to, i, n, v.IfElse(v.NotEqual(v), z))
	}
	archsimd.ClearAVXUpperBits()
}

func activationGrad512(dx, dy, y, slope []float32, act Activation) {
	n, x := len(dy), y
	switch act {
	case Identity:
		copy(dx, dy)
		return
	case SiLU:
		x = slope
	}
	gTail, xTail := tail512(dy), tail512(x[:n])
	to, from := unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(x))
	grad := unsafe.Pointer(unsafe.SliceData(dy))
	for i := 0; i < n; i += lanes512 {
		g, v := get512(grad, i, n, &gTail), get512(from, i, n, &xTail)
		var zero f512
		unit := const512(&one)
		switch act {
		case ReLU:
			g = g.Masked(v.Greater(zero))
		case Softplus: // y = log(1 + e^x), so sigmoid(x) = 1 - e^-y
			e, r := expSplit512(atLeast512(v.Neg(), const512(&expm1Min)))
			s := pow512(e)
			g = g.Mul(expm1512(r).MulAdd(s, s.Sub(unit)).Neg())
		case Tanh:
			g = g.Mul(unit.Sub(v.Mul(v)))
		case SiLU:
			g = g.Mul(v)
		}
		put512(to, i, n, g)
	}
	archsimd.ClearAVXUpperBits()
}
