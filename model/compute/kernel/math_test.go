package kernel

import (
	"fmt"
	"math"
	"testing"
)

// functions lists the elementwise functions with their exact values. `bound` is the largest error
// that ops.go allows, in units of the last place. `underflow` is an additional absolute error for
// denormal numbers. SiLU is x times a sigmoid. A denormal sigmoid can be off by 2^-149. It occurs
// only for |x| ≤ 104, so the error of SiLU is up to 104 · 2^-149.
var functions = []struct {
	name             string
	to               func(dst, x []float32)
	want             func(x float64) float64
	bound, underflow float64
}{
	{"exp", ExpTo[float32], math.Exp, 2, 0},
	{"log", LogTo[float32], math.Log, 2, 0},
	{"tanh", TanhTo[float32], math.Tanh, 4, 0},
	{"softplus", SoftplusTo[float32], softplus, 4, 0},
	{"sigmoid", SigmoidTo[float32], func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 4, 0},
	{"silu", func(dst, x []float32) { Activate(dst, nil, x, SiLU) },
		func(x float64) float64 { return x / (1 + math.Exp(-x)) }, 4, 104 * 0x1p-149},
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// sweep returns every step-th float32 in the order of bits, including NaNs and infinities. It adds
// arguments at which some functions are special.
func sweep(step uint64) []float32 {
	inf := float32(math.Inf(1))
	x := []float32{0, float32(math.Copysign(0, -1)), 1, -1, inf, -inf, float32(math.NaN()), math.MaxFloat32, -math.MaxFloat32,
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-126, 0x1p-127, math.Ln2, 88.72283, 88.72284, -87.33654, -103.97208, -103.97209, -104.5}
	for bits := uint64(0); bits < 1<<32; bits += step {
		x = append(x, math.Float32frombits(uint32(bits)))
	}
	return x
}

// off returns the error |got - want| minus the allowance `underflow`, in units of the last place of
// want. A value of want beyond the range of float32 counts as infinite.
func off(got float32, want, underflow float64) float64 {
	if math.IsNaN(want) || math.IsInf(want, 0) || math.IsInf(float64(got), 0) {
		if w := float32(want); got == w || (got != got && w != w) {
			return 0
		}
		return math.Inf(1)
	}
	return max(0, math.Abs(float64(got)-want)-underflow) / ulp(want)
}

func TestFunctions(t *testing.T) {
	x := sweep(19997)
	y := make([]float32, len(x))
	for _, f := range functions {
		want := make([]float64, len(x))
		for i, v := range x {
			want[i] = f.want(float64(v))
		}
		eachImplementation(t, func(t *testing.T) {
			f.to(y, x)
			worst := 0
			for i, v := range y {
				if !(off(v, want[i], f.underflow) <= off(y[worst], want[worst], f.underflow)) {
					worst = i
				}
			}
			e := off(y[worst], want[worst], f.underflow)
			t.Logf("%s: at most %.2f ulp, at %v", f.name, e, x[worst])
			if !(e <= f.bound) {
				t.Errorf("%s(%v) = %v, want %v: off by %.2f ulp, bound %v", f.name, x[worst], y[worst], want[worst], e, f.bound)
			}
		})
	}
}

func TestFunctionsElsewhere(t *testing.T) {
	x := sweep(1 << 24)
	eachImplementation(t, func(t *testing.T) {
		for _, f := range functions {
			whole := make([]float32, len(x))
			f.to(whole, x)
			for n := range 68 {
				for offset := range 4 {
					from := (n*13 + offset*29) % (len(x) - n)
					y, untouched := guarded(t, n, offset)
					f.to(y, x[from:from+n])
					same(t, fmt.Sprintf("%s of %d values", f.name, n), y, whole[from:from+n])
					copy(y, x[from:])
					f.to(y, y)
					same(t, fmt.Sprintf("%s of %d values in place", f.name, n), y, whole[from:from+n])
					untouched()
				}
			}
		}
	})
}

// The function `same` fails the test unless `got` and `want` have the same bits. All NaNs count as
// equal.
func same(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i, v := range got {
		if math.Float32bits(v) != math.Float32bits(want[i]) && (v == v || want[i] == want[i]) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, v, want[i])
		}
	}
}

func TestActivationGrad(t *testing.T) {
	sigmoid64 := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	slopes := map[Activation]func(x float64) float64{
		Identity: func(float64) float64 { return 1 },
		ReLU: func(x float64) float64 {
			if x > 0 {
				return 1
			}
			return 0
		},
		Softplus: sigmoid64,
		Tanh:     func(x float64) float64 { return 1 - math.Tanh(x)*math.Tanh(x) },
		SiLU:     func(x float64) float64 { return sigmoid64(x) * (1 + x*sigmoid64(-x)) },
	}
	eachImplementation(t, func(t *testing.T) {
		r := newRand()
		for n := range 68 {
			pre, dy := uniform(r, n), uniform(r, n)
			for i := range pre {
				pre[i] *= 30
			}
			for act := Identity; act <= SiLU; act++ {
				y := make([]float32, n)
				slope := make([]float32, n)
				Activate(y, slope, pre, act)
				dx, untouched := guarded(t, n, n%4)
				ActivationGrad(dx, dy, y, slope, act)
				for i, got := range dx {
					// The slope is a sum of float32 terms that may nearly cancel. Its error is a
					// few times the rounding error of 1. For SiLU it is a few times the rounding
					// error of max(1, |x|).
					want, tol := float64(dy[i])*slopes[act](float64(pre[i])), 8*0x1p-24
					if act == SiLU {
						tol *= max(1, math.Abs(float64(pre[i])))
					}
					if math.Abs(float64(got)-want) > tol {
						t.Fatalf("%v at %v: %v, want %v", act, pre[i], got, want)
					}
				}
				untouched()
				copy(y, dy)
				out := make([]float32, n)
				copy(slope, pre)
				Activate(out, slope, slope, act)
				ActivationGrad(y, y, out, slope, act)
				same(t, act.String()+" gradient in place", y, dx)
			}
		}
	})
}

// TestSoftplusGradNearZero checks that the relative error stays small near 0.
func TestSoftplusGradNearZero(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, y := range []float32{0, 1e-40, 1e-20, 1e-7, 1e-3, 0.1, 0.5, 1, 10, 50, 1e30, float32(math.Inf(1))} {
			dx := []float32{0}
			ActivationGrad(dx, []float32{1}, []float32{y}, nil, Softplus)
			if want := -math.Expm1(-float64(y)); !(off(dx[0], want, 0) <= 4) {
				t.Errorf("gradient from y = %v is %v, want %v within 4 ulp", y, dx[0], want)
			}
		}
	})
}
