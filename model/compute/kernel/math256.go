//go:build goexperiment.simd && amd64

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// expSplit256 writes x as n·ln 2 + r with integer n and |r| <= ½ ln 2.
func expSplit256(x f256) (n, r f256) {
	n = round256(x.Mul(const256(&log2e)))
	r = n.MulAdd(const256(&negLn2hi), x)
	return n, n.MulAdd(const256(&negLn2lo), r)
}

// expm1256 is e^r - 1 for |r| <= ½ ln 2.
func expm1256(r f256) f256 {
	q := const256(&expQ[4]).MulAdd(r, const256(&expQ[3]))
	q = q.MulAdd(r, const256(&expQ[2]))
	q = q.MulAdd(r, const256(&expQ[1]))
	q = q.MulAdd(r, const256(&expQ[0]))
	return q.MulAdd(r.Mul(r), r)
}

// log1p256 is log(1+t) for 0 <= t <= 1.
func log1p256(t f256) f256 {
	p := const256(&log1pQ[9]).MulAdd(t, const256(&log1pQ[8]))
	p = p.MulAdd(t, const256(&log1pQ[7]))
	p = p.MulAdd(t, const256(&log1pQ[6]))
	p = p.MulAdd(t, const256(&log1pQ[5]))
	p = p.MulAdd(t, const256(&log1pQ[4]))
	p = p.MulAdd(t, const256(&log1pQ[3]))
	p = p.MulAdd(t, const256(&log1pQ[2]))
	p = p.MulAdd(t, const256(&log1pQ[1]))
	return p.MulAdd(t, const256(&log1pQ[0])).Mul(t)
}

// atLeast256 and atMost256 bound v and keep NaN.
func atLeast256(v, lo f256) f256 { return lo.IfElse(v.Less(lo), v) }
func atMost256(v, hi f256) f256  { return hi.IfElse(v.Greater(hi), v) }

// tail256 is the end of x that fills no vector, padded with zeros.
func tail256(x []float32) (t array256) {
	copy(t[:], x[len(x)&^(lanes256-1):])
	return t
}

// put256 writes v to element i of the n at dst, without going past the end.
func put256(dst unsafe.Pointer, i, n int, v f256) {
	if n-i >= lanes256 {
		store256(unsafe.Add(dst, 4*i), v)
	} else {
		storeFirst256(unsafe.Add(dst, 4*i), v, first256(n-i))
	}
}

// get256 reads element i of the n at src, or their tail.
func get256(src unsafe.Pointer, i, n int, tail *array256) f256 {
	if n-i < lanes256 {
		return load256(unsafe.Pointer(tail))
	}
	return load256(unsafe.Add(src, 4*i))
}

// activate256 is refActivate.
func activate256(y, slope, x []float32, act Activation) {
	switch act {
	case Identity:
		copy(y, x)
	case ReLU:
		reluTo256(y, x)
	case Tanh:
		tanh256(y, x)
	default:
		sigmoids256(y, slope, x, act)
	}
}

func reluTo256(y, x []float32) {
	tail, n := tail256(x), len(x)
	to, from := unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i < n; i += lanes256 {
		put256(to, i, n, relu256(get256(from, i, n, &tail)))
	}
	archsimd.ClearAVXUpperBits()
}

func exp256(y, x []float32)      { sigmoids256(y, nil, x, expFunction) }
func sigmoid256(y, x []float32)  { sigmoids256(y, nil, x, sigmoidFunction) }
func softplus256(y, x []float32) { sigmoids256(y, nil, x, Softplus) }

// sigmoids256 is the loop of all that rests on z = e^-|x|, or on e^x. SiLU writes
// its slope to slope unless that is nil.
func sigmoids256(y, slope, x []float32, f Activation) {
	tail, n := tail256(x), len(x)
	to, from := unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(x))
	rise := unsafe.Pointer(unsafe.SliceData(slope))
	for i := 0; i < n; i += lanes256 {
		v := get256(from, i, n, &tail)
		t := v
		if f == expFunction {
			t = atMost256(t, const256(&expMax))
		} else {
			t = t.Abs().Neg()
		}
		var zero f256
		none := t.Less(const256(&expMin)) // underflow by arithmetic would be slow
		e, r := expSplit256(zero.IfElse(none, t))
		z := zero.IfElse(none, ldexp256(expm1256(r).Add(const256(&one)), e))
		switch f {
		case Softplus:
			z = relu256(v).Add(log1p256(z))
		case sigmoidFunction, SiLU:
			unit := const256(&one)
			s := z.IfElse(v.Less(zero), unit).Div(unit.Add(z))
			z = s
			if f == SiLU {
				z = s.Mul(v)
				if rise != nil {
					put256(rise, i, n, s.Mul(v.MulAdd(unit.Sub(s), unit)))
				}
			}
		}
		put256(to, i, n, z)
	}
	archsimd.ClearAVXUpperBits()
}

// tanh256 uses tanh x = (e^2x - 1)/(e^2x + 1).
func tanh256(y, x []float32) {
	tail, n := tail256(x), len(x)
	to, from := unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(x))
	for i := 0; i < n; i += lanes256 {
		v := get256(from, i, n, &tail)
		a := v.Abs()
		e, r := expSplit256(atMost256(a.Add(a), const256(&tanhMax)))
		s := pow256(e)
		z := expm1256(r).MulAdd(s, s.Sub(const256(&one)))
		put256(to, i, n, copySign256(z.Div(z.Add(const256(&two))), v))
	}
	archsimd.ClearAVXUpperBits()
}

// log256 takes x = m·2^e apart and sums e·ln 2 + log(m), the smaller parts first.
func log256(y, x []float32) {
	tail, n := tail256(x), len(x)
	to, from := unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(x))
	inf, nan := fill256(infinity), fill256(notANumber)
	for i := 0; i < n; i += lanes256 {
		v := get256(from, i, n, &tail)
		var zero f256
		small := v.Less(const256(&minNormal))
		m, e := frexp256(v.Mul(const256(&two23)).IfElse(small, v))
		e = e.Add(const256(&minus23)).IfElse(small, e)
		f := m.Sub(const256(&one))
		q := const256(&logQ[8]).MulAdd(f, const256(&logQ[7]))
		q = q.MulAdd(f, const256(&logQ[6]))
		q = q.MulAdd(f, const256(&logQ[5]))
		q = q.MulAdd(f, const256(&logQ[4]))
		q = q.MulAdd(f, const256(&logQ[3]))
		q = q.MulAdd(f, const256(&logQ[2]))
		q = q.MulAdd(f, const256(&logQ[1]))
		q = q.MulAdd(f, const256(&logQ[0]))
		ff := f.Mul(f)
		z := q.Mul(ff.Mul(f))
		z = e.MulAdd(const256(&ln2lo), z)
		z = ff.MulAdd(const256(&minusHalf), z).Add(f)
		z = e.MulAdd(const256(&ln2hi), z)
		z = v.IfElse(v.Equal(inf), z)
		z = inf.Neg().IfElse(v.Equal(zero), z)
		z = nan.IfElse(v.Less(zero), z)
		put256(to, i, n, v.IfElse(v.NotEqual(v), z))
	}
	archsimd.ClearAVXUpperBits()
}

func activationGrad256(dx, dy, y, slope []float32, act Activation) {
	n, x := len(dy), y
	switch act {
	case Identity:
		copy(dx, dy)
		return
	case SiLU:
		x = slope
	}
	gTail, xTail := tail256(dy), tail256(x[:n])
	to, from := unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(x))
	grad := unsafe.Pointer(unsafe.SliceData(dy))
	for i := 0; i < n; i += lanes256 {
		g, v := get256(grad, i, n, &gTail), get256(from, i, n, &xTail)
		var zero f256
		unit := const256(&one)
		switch act {
		case ReLU:
			g = g.Masked(v.Greater(zero))
		case Softplus: // y = log(1 + e^x), so sigmoid(x) = 1 - e^-y
			e, r := expSplit256(atLeast256(v.Neg(), const256(&expm1Min)))
			s := pow256(e)
			g = g.Mul(expm1256(r).MulAdd(s, s.Sub(unit)).Neg())
		case Tanh:
			g = g.Mul(unit.Sub(v.Mul(v)))
		case SiLU:
			g = g.Mul(v)
		}
		put256(to, i, n, g)
	}
	archsimd.ClearAVXUpperBits()
}
