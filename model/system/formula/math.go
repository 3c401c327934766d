package formula

import "math"

// On some processors, exp and log of package math are written in assembly, and the last bits of
// their results differ. Functions of package math that call exp or log then differ too. Expm1,
// Log1p and the other functions used here have the same code on all processors.

const (
	ln2High = 6.93147180369123816490e-01 // its product with a small whole number is exact
	ln2Low  = 1.90821492927058770002e-10
)

func exp(x float64) float64 {
	switch {
	case x > 710:
		return math.Inf(1)
	case x < -750:
		return 0
	case math.IsNaN(x):
		return x
	}
	k := math.Round(x / math.Ln2)
	return math.Ldexp(1+math.Expm1((x-k*ln2High)-k*ln2Low), int(k))
}

func log(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log1p(x - 1)
	}
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	return float64(e)*ln2High + (math.Log1p(f-1) + float64(e)*ln2Low)
}

func pow(x, y float64) float64 {
	if y == math.Trunc(y) || y == 0.5 || x == 0 || math.IsInf(x, 0) { // these cases do not use exp or log
		return math.Pow(x, y)
	}
	return exp(y * log(x))
}

func tanh(x float64) float64 {
	m := math.Expm1(-2 * math.Abs(x))
	return math.Copysign(m/(2+m), x)
}

func sinh(x float64) float64 {
	if math.Abs(x) > 1 {
		return math.Copysign((exp(math.Abs(x))-exp(-math.Abs(x)))/2, x)
	}
	m := math.Expm1(x)
	return (m + m/(1+m)) / 2
}

func cosh(x float64) float64 { return (exp(x) + exp(-x)) / 2 }

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func step(x float64) float64 {
	if x >= 0 {
		return 1
	}
	return 0 * x // 0, but NaN for NaN
}

func truth(of bool) float64 {
	if of {
		return 1
	}
	return 0
}
