package kernel

import (
	"math"
	"testing"
)

// The function `near` fails the test unless every got[i] differs from want[i] by at most tol[i].
func near(t *testing.T, what string, got []float32, want, tol []float64) {
	t.Helper()
	for i, v := range got {
		if !(math.Abs(float64(v)-want[i]) <= tol[i]) {
			t.Fatalf("%s: element %d of %d is %v, want %v ± %.1g", what, i, len(got), v, want[i], tol[i])
		}
	}
}

// eachLength runs test for lengths 0 to 67 at several offsets, and for some lengths that fill
// many vectors.
func eachLength(test func(n, offset int)) {
	for n := range 68 {
		for offset := range 5 {
			test(n, offset)
		}
	}
	for _, n := range []int{128, 200, 1000, 4099} {
		test(n, 1)
	}
}

func TestReductions(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := newRand()
		eachLength(func(n, offset int) {
			x, y := uniform(r, n+offset)[offset:], uniform(r, n+offset)[offset:]
			var sum, dot, sumSize, dotSize float64
			largest := math.Inf(-1)
			for i, v := range x {
				w := float64(v) * float64(y[i])
				sum, sumSize = sum+float64(v), sumSize+math.Abs(float64(v))
				dot, dotSize = dot+w, dotSize+math.Abs(w)
				largest = max(largest, float64(v))
			}
			// Each of n sums is rounded once, and is at most the sum of the absolute values.
			each := float64(n+1) * 0x1p-24
			near(t, "sum", []float32{Sum(x)}, []float64{sum}, []float64{each * sumSize})
			near(t, "dot", []float32{Dot(x, y)}, []float64{dot}, []float64{each * dotSize})
			if got := Max(x); float64(got) != largest {
				t.Fatalf("max of %d: %v, want %v", n, got, largest)
			}
			if Sum(x) != Sum(append([]float32{9}, x...)[1:]) {
				t.Fatalf("sum of %d depends on where they lie", n)
			}
		})
	})
}

func TestNotFinite(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for n := range 68 {
			x := make([]float32, n)
			for i := range x {
				x[i] = -math.MaxFloat32 / float32(i+1)
			}
			if !AllFinite(x) {
				t.Fatalf("%d finite values are not", n)
			}
			for at := range x {
				keep := x[at]
				for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					x[at] = float32(v)
					if AllFinite(x) {
						t.Fatalf("%v at %d of %d was not seen", v, at, n)
					}
					got := Max(x)
					if math.IsNaN(v) != (got != got) || (math.IsInf(v, 1) && got != x[at]) {
						t.Fatalf("max with %v at %d of %d is %v", v, at, n, got)
					}
				}
				x[at] = keep
			}
		}
	})
}

func TestVectorUpdates(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := newRand()
		eachLength(func(n, offset int) {
			x, y := uniform(r, n), uniform(r, n)
			dst, untouched := guarded(t, n, offset)
			want, tol := make([]float64, n), make([]float64, n)
			for i := range tol {
				tol[i] = 2 * 0x1p-24 // two roundings of values below 2
			}

			copy(dst, y)
			Axpy(dst, 0.75, x)
			for i := range want {
				want[i] = float64(y[i]) + 0.75*float64(x[i])
			}
			near(t, "axpy", dst, want, tol)

			copy(dst, x)
			Scale(dst, -0.7)
			for i := range want {
				want[i] = float64(x[i]) * float64(float32(-0.7))
			}
			near(t, "scale", dst, want, tol)

			for i := range want {
				want[i] = float64(x[i]) * float64(y[i])
			}
			Mul(dst, x, y)
			near(t, "mul", dst, want, tol)
			copy(dst, x)
			Mul(dst, dst, y)
			near(t, "mul in place of x", dst, want, tol)
			copy(dst, y)
			Mul(dst, x, dst)
			near(t, "mul in place of y", dst, want, tol)
			untouched()
		})
	})
}

// tables returns shapes (rows, cols) with cols around multiples of the vector widths.
func tables() (all [][2]int) {
	for _, rows := range []int{0, 1, 2, 7, 8, 16, 17, 33} {
		for _, cols := range []int{0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 47, 64, 65, 130} {
			all = append(all, [2]int{rows, cols})
		}
	}
	return all
}

func TestColSum(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := newRand()
		for i, s := range tables() {
			rows, cols := s[0], s[1]
			x, old := uniform(r, rows*cols), uniform(r, cols)
			dst, untouched := guarded(t, cols, i%4)
			copy(dst, old)
			ColSum(dst, x, rows, cols)
			want, tol := widen(old), make([]float64, cols)
			refColSum(want, widen(x), rows, cols)
			refColSum(tol, absolute(widen(x)), rows, cols)
			for j := range tol {
				tol[j] = (tol[j] + 1) * float64(rows) * 0x1p-24
			}
			near(t, "column sums", dst, want, tol)
			untouched()
		}
	})
}

func TestSoftmaxRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := newRand()
		for i, s := range tables() {
			rows, cols := s[0], s[1]
			x := uniform(r, rows*cols)
			for j := range x {
				x[j] *= 200 // some exponentials underflow to 0
			}
			dst, untouched := guarded(t, rows*cols, i%4)
			SoftmaxRows(dst, x, rows, cols)
			want, tol := make([]float64, len(x)), make([]float64, len(x))
			refSoftmaxRows(want, widen(x), rows, cols)
			for j, w := range want {
				// x - max is at most 400 in size and is rounded. The exponential turns the rounding
				// error into a relative error. The sum adds its own rounding errors.
				tol[j] = w*(400+float64(cols)+8)*0x1p-24 + 0x1p-149
			}
			near(t, "softmax", dst, want, tol)
			in := append([]float32(nil), dst...)
			copy(dst, x)
			SoftmaxRows(dst, dst, rows, cols)
			same(t, "softmax in place", dst, in)
			untouched()
		}
	})
}

func TestSoftmaxRowsNotFinite(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	eachImplementation(t, func(t *testing.T) {
		for _, cols := range []int{1, 3, 16, 20} {
			x := make([]float32, 4*cols)
			x[cols-1], x[2*cols-1] = nan, inf
			for j := range cols {
				x[2*cols+j] = -inf
			}
			SoftmaxRows(x, x, 4, cols)
			for i, v := range x {
				if got, want := v != v, i < 3*cols; got != want {
					t.Fatalf("%d columns: element %d is %v; want NaN in rows that hold NaN, +Inf or only -Inf", cols, i, v)
				}
			}
		}
	})
}

func TestAdam(t *testing.T) {
	steps := []AdamStep{
		{Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: 1},
		{Rate: 1e-2, Beta1: 0.8, Beta2: 0.99, Epsilon: 1e-6, WeightDecay: 0.1, Step: 7},
	}
	eachImplementation(t, func(t *testing.T) {
		r := newRand()
		eachLength(func(n, offset int) {
			h := steps[(n+offset)%2]
			p, untouchedP := guarded(t, n, offset)
			m, untouchedM := guarded(t, n, offset+1)
			v, untouchedV := guarded(t, n, offset+2)
			g := uniform(r, n)
			copy(p, uniform(r, n))
			copy(m, uniform(r, n))
			for i := range v {
				v[i] = 0.1 + 0.9*r.Float32() // not near 0, where a division by √v would amplify the rounding errors
			}
			wantP, wantM, wantV := widen(p), widen(m), widen(v)
			refAdam(wantP, widen(g), wantM, wantV, h)
			Adam(p, g, m, v, h)
			tol := make([]float64, n)
			for i := range tol {
				tol[i] = 4 * 0x1p-24 // four roundings, of numbers no larger than 1
			}
			near(t, "parameters", p, wantP, tol)
			near(t, "first moments", m, wantM, tol)
			near(t, "second moments", v, wantV, tol)
			untouchedP()
			untouchedM()
			untouchedV()
		})
	})
}
