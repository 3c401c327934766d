package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// eachImplementation runs test with each float32 implementation that this processor can run.
func eachImplementation(t *testing.T, test func(t *testing.T)) {
	choice.Each(func(im *impl) { t.Run(im.name, test) })
}

// guard fills the memory around every output. A kernel must not overwrite it.
const guard = -12345.5

// guarded returns n floats at an offset into memory filled with guard. It also returns a
// function that fails the test if memory outside these n floats has changed.
func guarded(t *testing.T, n, offset int) ([]float32, func()) {
	t.Helper()
	const margin = 32
	all := make([]float32, margin+offset+n+margin)
	for i := range all {
		all[i] = guard
	}
	at := margin + offset
	return all[at : at+n : at+n], func() {
		t.Helper()
		for i, v := range all {
			if (i < at || i >= at+n) && v != guard {
				t.Fatalf("element %d of an output of %d at offset %d was written: %v", i-at, n, offset, v)
			}
		}
	}
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// uniform returns n random floats between -1 and 1.
func uniform(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 2*r.Float32() - 1
	}
	return x
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func absolute(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Abs(v)
	}
	return y
}

// ulp is the distance from |x| to the next larger float32.
func ulp(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-24, -149))
}

// shape is (m, n, k) of a matrix product.
type shape struct{ m, n, k int }

// shapes returns every combination of small sizes and of sizes around the widths of tiles. It
// adds some large shapes that are cut into blocks.
func shapes() (all []shape) {
	for _, m := range []int{0, 1, 2, 3, 5, 8, 9} {
		for _, n := range []int{0, 1, 2, 7, 8, 17, 31, 37, 47, 49, 64, 79} {
			for _, k := range []int{0, 1, 2, 3, 4, 8, 9, 17} {
				all = append(all, shape{m, n, k})
			}
		}
	}
	return append(all, shape{130, 149, 131}, shape{64, 128, 1}, shape{131, 1, 64}, shape{131, 2, 9}, shape{33, 8, 64},
		shape{3, 600, 5}, shape{64, 2, 300}, shape{47, 128, 257}, shape{128, 3, 257}, shape{1, 70, 128}, shape{600, 1, 7})
}

func TestGemm(t *testing.T) {
	orientations := []struct {
		name string
		run  func(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool)
		want func(c, a, b []float64, m, n, k int, accumulate bool)
	}{
		{"NN", GemmNN[float32], refGemmNN[float64]},
		{"NT", GemmNT[float32], refGemmNT[float64]},
		{"TN", GemmTN[float32], refGemmTN[float64]},
	}
	eachImplementation(t, func(t *testing.T) {
		r := newRand()
		var s Scratch
		for i, sh := range shapes() {
			a, b, old := uniform(r, sh.m*sh.k), uniform(r, sh.k*sh.n), uniform(r, sh.m*sh.n)
			for _, o := range orientations {
				for _, accumulate := range []bool{false, true} {
					c, untouched := guarded(t, sh.m*sh.n, i%5)
					copy(c, old)
					o.run(&s, c, a, b, sh.m, sh.n, sh.k, accumulate)
					want, size := widen(old), absolute(widen(old))
					o.want(want, widen(a), widen(b), sh.m, sh.n, sh.k, accumulate)
					o.want(size, absolute(widen(a)), absolute(widen(b)), sh.m, sh.n, sh.k, accumulate)
					for j := range c {
						// Each of the k products and sums is at most size[j], and is rounded once.
						tol := float64(sh.k+2) * 0x1p-24 * size[j]
						if d := math.Abs(float64(c[j]) - want[j]); !(d <= tol) {
							t.Fatalf("%s %+v accumulate %v: element %d is %v, want %v ± %.1g", o.name, sh, accumulate, j, c[j], want[j], tol)
						}
					}
					untouched()
				}
			}
		}
	})
}

func TestAffine(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := newRand()
		var s Scratch
		for i, sh := range shapes() {
			if sh.m*sh.n*sh.k > 1<<18 && testing.Short() {
				continue
			}
			x, w := uniform(r, sh.m*sh.k), uniform(r, sh.k*sh.n)
			for act := Identity; act <= SiLU; act++ {
				bias := uniform(r, sh.n)
				if (i+int(act))%3 == 0 {
					bias = nil
				}
				y, untouchedY := guarded(t, sh.m*sh.n, i%7)
				slope, untouchedSlope := guarded(t, sh.m*sh.n, i%3)
				size, want, wantSlope := make([]float64, len(y)), make([]float64, len(y)), make([]float64, len(y))
				var wide, wideAbs []float64
				if bias != nil {
					wide, wideAbs = widen(bias), absolute(widen(bias))
				}
				refAffine(want, wantSlope, widen(x), widen(w), wide, sh.m, sh.k, sh.n, act)
				refAffine(size, nil, absolute(widen(x)), absolute(widen(w)), wideAbs, sh.m, sh.k, sh.n, Identity)
				for _, keep := range [][]float32{nil, slope} {
					Affine(&s, y, keep, x, w, bias, sh.m, sh.k, sh.n, act)
					for j := range y {
						// The rounding errors of the sum, amplified by SiLU's slope of at most
						// 1.1, plus the rounding errors of the activation.
						tol := 1.1*float64(sh.k+2)*0x1p-24*size[j] + 8*ulp(want[j])
						if d := math.Abs(float64(y[j]) - want[j]); !(d <= tol) {
							t.Fatalf("%v %+v, slope %v: element %d is %v, want %v ± %.1g", act, sh, keep != nil, j, y[j], want[j], tol)
						}
						if act != SiLU || keep == nil {
							continue
						}
						// |SiLU''| ≤ ½, so the tolerance above covers the rounding of
						// the sum x. The slope s(1 + x(1-s)) also rounds terms as
						// large as 1 and |x|.
						tol += 8 * 0x1p-24 * max(1, size[j])
						if d := math.Abs(float64(slope[j]) - wantSlope[j]); !(d <= tol) {
							t.Fatalf("%v %+v: slope %d is %v, want %v ± %.1g", act, sh, j, slope[j], wantSlope[j], tol)
						}
					}
				}
				untouchedY()
				untouchedSlope()
			}
		}
	})
}

func TestProductsKeepNaN(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		var s Scratch
		const rows, in, out = 9, 5, 65
		x, w := uniform(newRand(), rows*in), uniform(newRand(), in*out)
		x[3*in+2] = float32(math.NaN())
		for act := Identity; act <= SiLU; act++ {
			y := make([]float32, rows*out)
			Affine(&s, y, nil, x, w, nil, rows, in, out, act)
			for i, v := range y {
				if got, want := v != v, i/out == 3; got != want {
					t.Fatalf("%v: element %d is %v, want NaN: %v", act, i, v, want)
				}
			}
		}
	})
}

func TestNothingAllocates(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		const rows, in, out = 70, 33, 47
		r := newRand()
		x, w, bias, y, slope := uniform(r, rows*in), uniform(r, in*out), uniform(r, out), make([]float32, rows*out), make([]float32, rows*out)
		dx, dw := make([]float32, rows*in), make([]float32, in*out)
		m, v := make([]float32, in*out), make([]float32, in*out)
		var s Scratch
		run := func() {
			Affine(&s, y, slope, x, w, bias, rows, in, out, SiLU)
			ActivationGrad(y, y, y, slope, SiLU)
			Activate(y, slope, y, SiLU)
			GemmNN(&s, dx, y, w, rows, in, out, false)
			GemmTN(&s, dw, y, x, out, in, rows, true)
			GemmTN(&s, dw, y, x, out, 1, rows, true)
			ColSum(bias, y, rows, out)
			SoftmaxRows(y, y, rows, out)
			SoftplusTo(y, y)
			TanhTo(y, y)
			ExpTo(y, y)
			LogTo(y, y)
			SigmoidTo(y, y)
			Adam(w, dw, m, v, AdamStep{Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: 1})
			Axpy(y, Sum(x)+Dot(x, x)+Max(x), slope)
			Scale(y, 0.5)
			Mul(y, y, slope)
			AllFinite(y)
		}
		if n := testing.AllocsPerRun(5, run); n != 0 {
			t.Errorf("%v allocations a step after the first, want 0", n)
		}
	})
}

func TestScratchStaysAligned(t *testing.T) {
	var s Scratch
	for _, n := range []int{1, 100, 50, 1000} {
		x := s.take(n)
		if at := uintptr(unsafe.Pointer(&x[0])); len(x) != n || at%64 != 0 {
			t.Errorf("take(%d) is %d floats at address %#x, want a multiple of 64", n, len(x), at)
		}
	}
}

func TestActivationNames(t *testing.T) {
	for a := Identity; a <= SiLU; a++ {
		if got, err := ParseActivation(a.String()); err != nil || got != a {
			t.Errorf("ParseActivation(%q) = %v, %v", a.String(), got, err)
		}
	}
	if _, err := ParseActivation("swish"); err == nil {
		t.Error("ParseActivation(\"swish\") succeeded")
	}
}

func ExampleAffine() {
	x := []float32{1, 2} // one row of two numbers
	w := []float32{3, 4, -5, 0}
	y := make([]float32, 2)
	var s Scratch
	Affine(&s, y, nil, x, w, []float32{0.5, 1}, 1, 2, 2, ReLU)
	fmt.Println(y)
	// Output: [11.5 0]
}
