package spline

import (
	"math"
	"testing"

	"github.com/sbinet/npyio/npz"

	"macroscope/model/compute/tensor"
)

// reference is a file of splines that the nflows library evaluated in float64,
// one a row. spline_K50.npz holds the first 100 of its 400 rows.
type reference struct {
	spline                 Spline
	n                      int
	raw, draw              []float64 // (n, 3K-1)
	x, y, logdet, dx, back []float64 // dx and draw are gradients of Σ (y + logdet)
}

func readReference(t *testing.T, name string) reference {
	t.Helper()
	f, err := npz.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read := func(key string) (v []float64) {
		if err := f.Read(key+".npy", &v); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		return v
	}
	ref := reference{x: read("x"), y: read("y"), logdet: read("logdet"), dx: read("grad_x"), back: read("x_back")}
	ref.n = len(ref.x)
	k := len(read("widths")) / ref.n
	ref.spline = Spline{Bins: k, Bound: read("bound")[0]}
	join := func(w, h, d []float64) (rows []float64) {
		for i := range ref.n {
			rows = append(rows, w[i*k:(i+1)*k]...)
			rows = append(rows, h[i*k:(i+1)*k]...)
			rows = append(rows, d[i*(k-1):(i+1)*(k-1)]...)
		}
		return rows
	}
	ref.raw = join(read("widths"), read("heights"), read("derivatives"))
	ref.draw = join(read("grad_widths"), read("grad_heights"), read("grad_derivatives"))
	return ref
}

func TestReference(t *testing.T) {
	for _, name := range []string{"spline_K16.npz", "spline_K50.npz"} {
		ref := readReference(t, name)
		t.Run(name+"/float64", func(t *testing.T) { testReference[float64](t, ref, 1e-9) })
		t.Run(name+"/float32", func(t *testing.T) { testReference[float32](t, ref, 1e-4) })
	}
}

// testReference compares against the reference; the tolerance is relative to
// the largest value of an array, since a float32 x is rounded by 2e-7 of the
// bound and a narrow bin multiplies that.
func testReference[T tensor.Float](t *testing.T, ref reference, tolerance float64) {
	raw, x := convert[T](ref.raw), convert[T](ref.x)
	n, p := ref.n, ref.spline.Params()
	y, logdet, dx, back, backdet := make([]T, n), make([]T, n), make([]T, n), make([]T, n), make([]T, n)
	draw, ones := make([]T, n*p), make([]T, n)
	for i := range ones {
		ones[i] = 1
	}
	compare := func(t *testing.T) {
		expect(t, "y", y, ref.y, tolerance)
		expect(t, "logdet", logdet, ref.logdet, tolerance)
		expect(t, "gradient of x", dx, ref.dx, tolerance)
		expect(t, "gradient of the parameters", draw, ref.draw, tolerance)
		expect(t, "inverse", back, ref.back, tolerance)
		for i := range backdet {
			backdet[i] = -backdet[i]
		}
		// Where the map is flat the inverse magnifies the rounding of y.
		expect(t, "logdet of the inverse", backdet, ref.logdet, 10*tolerance)
	}
	yRef := convert[T](ref.y)
	t.Run("Rows", func(t *testing.T) {
		w := NewRows[T](ref.spline, n)
		w.Inverse(back, backdet, yRef, raw)
		w.Forward(y, logdet, x, raw)
		w.Backward(dx, draw, ones, ones)
		compare(t)
	})
	t.Run("Table", func(t *testing.T) {
		w := NewTable[T](ref.spline, n, n)
		w.Build(raw, n)
		w.Inverse(back, backdet, yRef, 1)
		w.Forward(y, logdet, x, 1)
		w.Backward(dx, ones, ones)
		w.ParamGrad(draw)
		compare(t)
	})
}

func convert[T tensor.Float](x []float64) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[i] = T(v)
	}
	return y
}

// expect compares got with want to a tolerance relative to the largest |want|.
func expect[T tensor.Float](t *testing.T, what string, got []T, want []float64, tolerance float64) {
	t.Helper()
	worst, at, scale := 0.0, 0, 0.0
	for i, w := range want {
		scale = max(scale, math.Abs(w))
		if d := math.Abs(float64(got[i]) - w); !(d <= worst) {
			worst, at = d, i
		}
	}
	if !(worst <= tolerance*scale) {
		t.Errorf("%s[%d]: got %g, want %g to %g of %g", what, at, got[at], want[at], tolerance, scale)
	}
}
