package kernel

import (
	"math"
	"slices"
	"testing"
)

// matrices returns the shapes that tables() returns, and shapes with rows that fill whole vectors.
func matrices() [][2]int {
	return append(tables(), [][2]int{{1, 4}, {3, 8}, {5, 16}, {40, 16}, {7, 32}, {300, 32}, {9, 48}, {21, 64}}...)
}

func TestSoftmaxCols(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := newRand()
		for i, s := range matrices() {
			rows, cols := s[0], s[1]
			x := uniform(r, rows*cols)
			for j := range x {
				x[j] *= 200 // some exponentials underflow to 0
			}
			dst, untouched := guarded(t, rows*cols, i%4)
			SoftmaxCols(dst, x, rows, cols)
			want, tol := make([]float64, len(x)), make([]float64, len(x))
			refSoftmaxCols(want, widen(x), rows, cols)
			for j, w := range want {
				// The bound of TestSoftmaxRows, plus one rounding.
				tol[j] = w*(400+float64(rows)+9)*0x1p-24 + 0x1p-148
			}
			near(t, "softmax", dst, want, tol)
			in := slices.Clone(dst)
			copy(dst, x)
			SoftmaxCols(dst, dst, rows, cols)
			same(t, "softmax in place", dst, in)
			untouched()
		}
	})
}

func TestSoftmaxColsNotFinite(t *testing.T) {
	nan := float32(math.NaN())
	eachImplementation(t, func(t *testing.T) {
		for _, cols := range []int{3, 16} {
			x := make([]float32, 4*cols)
			x[2*cols+1] = nan
			SoftmaxCols(x, x, 4, cols)
			for i, v := range x {
				if got, want := v != v, i%cols == 1; got != want {
					t.Fatalf("%d columns: element %d is %v; want NaN in the column that holds NaN alone", cols, i, v)
				}
			}
		}
	})
}

// TestSoftmaxGrads compares the gradients of every implementation with the plain form in
// float64. The encoders' tests check the plain form by finite differences.
func TestSoftmaxGrads(t *testing.T) {
	forms := []struct {
		name string
		run  func(dx, dy, y []float32, rows, cols int)
		ref  func(dx, dy, y []float64, rows, cols int)
	}{
		{"rows", SoftmaxRowsGrad[float32], refSoftmaxRowsGrad[float64]},
		{"columns", SoftmaxColsGrad[float32], refSoftmaxColsGrad[float64]},
	}
	eachImplementation(t, func(t *testing.T) {
		r := newRand()
		for i, s := range matrices() {
			rows, cols := s[0], s[1]
			y, dy := uniform(r, rows*cols), uniform(r, rows*cols)
			for _, f := range forms {
				dst, untouched := guarded(t, rows*cols, i%4)
				f.run(dst, dy, y, rows, cols)
				want, tol := make([]float64, len(y)), make([]float64, len(y))
				f.ref(want, widen(dy), widen(y), rows, cols)
				for j := range tol {
					// A sum over a row or a column and the two operations after it take at most n
					// roundings. Each rounds a value of at most n.
					n := float64(max(rows, cols) + 2)
					tol[j] = n * n * 0x1p-24
				}
				near(t, "gradient of softmax of "+f.name, dst, want, tol)
				in := slices.Clone(dst)
				copy(dst, dy)
				f.run(dst, dst, y, rows, cols)
				same(t, "gradient in place", dst, in)
				untouched()
			}
		}
	})
}

func TestNormRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := newRand()
		for i, s := range matrices() {
			rows, cols := s[0], s[1]
			if cols < 2 {
				continue // with one column, x minus its mean is only rounding error
			}
			n := rows * cols
			x, add, gain, shift, dy := uniform(r, n), uniform(r, n), uniform(r, cols), uniform(r, cols), uniform(r, n)
			y, untouchedY := guarded(t, n, i%4)
			unit, untouchedUnit := guarded(t, n, (i+1)%4)
			inv, untouchedInv := guarded(t, rows, (i+2)%4)
			NormRows(y, unit, inv, x, add, gain, shift, rows, cols)
			wy, wu, wi := make([]float64, n), make([]float64, n), make([]float64, rows)
			refNormRows(wy, wu, wi, widen(x), widen(add), widen(gain), widen(shift), rows, cols)
			// The rounding errors arise in the sums over a row, in which no term exceeds 2. The
			// inverse root of the variance amplifies them, because the variance can be arbitrarily
			// small.
			tol, tolInv := make([]float64, n), make([]float64, rows)
			for row, v := range wi {
				tolInv[row] = 16 * float64(cols+4) * (1 + v*v) * v * 0x1p-24
				for j := range cols {
					tol[row*cols+j] = 16 * float64(cols+4) * (1 + v*v) * 0x1p-24
				}
			}
			near(t, "layer norm", y, wy, tol)
			near(t, "layer norm without gain", unit, wu, tol)
			near(t, "inverse deviation", inv, wi, tolInv)

			// The reference starts from the same float32 values in `unit` and `inv`, so their
			// errors do not count.
			dx, untouchedX := guarded(t, n, i%4)
			dgain, untouchedGain := guarded(t, cols, (i+1)%4)
			dshift, untouchedShift := guarded(t, cols, (i+2)%4)
			copy(dgain, gain)
			copy(dshift, shift)
			NormRowsGrad(dx, dgain, dshift, dy, unit, inv, gain, rows, cols)
			wx, wg, ws := make([]float64, n), widen(gain), widen(shift)
			refNormRowsGrad(wx, wg, ws, widen(dy), widen(unit), widen(inv), widen(gain), rows, cols)
			tolCols := make([]float64, cols)
			for j := range tolCols {
				tolCols[j] = 4 * float64((rows+1)*(rows+1)) * math.Sqrt(float64(cols)) * 0x1p-24
			}
			for row, v := range widen(inv) {
				for j := range cols {
					tol[row*cols+j] = 4 * v * float64((cols+4)*cols) * 0x1p-24
				}
			}
			near(t, "gradient of layer norm", dx, wx, tol)
			near(t, "gradient of the gain", dgain, wg, tolCols)
			near(t, "gradient of the shift", dshift, ws, tolCols)
			in := slices.Clone(dx)
			copy(dx, dy)
			NormRowsGrad(dx, dgain, dshift, dx, unit, inv, gain, rows, cols)
			same(t, "gradient in place", dx, in)
			in = slices.Clone(y)
			copy(y, x)
			NormRows(y, unit, inv, y, add, gain, shift, rows, cols)
			same(t, "layer norm in place", y, in)
			for _, untouched := range []func(){untouchedY, untouchedUnit, untouchedInv, untouchedX, untouchedGain, untouchedShift} {
				untouched()
			}
		}
	})
}

func TestMatricesThatDoNotFit(t *testing.T) {
	x := make([]float32, 12)
	for name, do := range map[string]func(){
		"columns":          func() { SoftmaxCols(x, x[:11], 3, 4) },
		"gradient of rows": func() { SoftmaxRowsGrad(x[:11], x, x, 3, 4) },
		"norm":             func() { NormRows(x, x, x[:2], x, x, x, x, 3, 4) },
		"gradient of norm": func() { NormRowsGrad(x, x[:3], x, x, x, x, x, 3, 4) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			do()
		}()
	}
}
