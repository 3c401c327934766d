package dynamics

import (
	"bytes"
	"math"
	"os"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/file/data"
)

// The reference cases were computed in float64 by NumPy and PyTorch programs.
// Float64 differs from them by the order of summation alone; float32 carries 24
// bits through three layers and, in a rollout, through 200 evaluations.
const (
	tolerance64 = 1e-9
	tolerance32 = 1e-4
)

func reference(t *testing.T, file string) map[string]*data.Array {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := data.ReadNPZ(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return arrays
}

func TestOnsagerReference(t *testing.T) {
	ref := reference(t, "onsager.npz")
	t.Run("float64", func(t *testing.T) { testOnsager[float64](t, ref, tolerance64) })
	t.Run("float32", func(t *testing.T) { testOnsager[float32](t, ref, tolerance32) })
}

func testOnsager[T tensor.Float](t *testing.T, ref map[string]*data.Array, tolerance float64) {
	var layout tensor.Layout
	o := NewOnsager(OnsagerConfig{Hidden: 12, Features: 6, Dissipative: 8, Conservative: 8, Alpha: ref["alpha"].Float64s()[0]}, 3, &layout, "g")
	params := load[T](t, &layout, ref, "pot_w0", "pot_b0", "pot_w1", "pot_b1", "gamma",
		"diss_w0", "diss_b0", "diss_w1", "diss_b1", "cons_w0", "cons_b0", "cons_w1", "cons_b1")
	x := convert[T](ref["x"].Float64s())
	rows := len(x) / 3
	d := NewOnsagerNet[T](o, rows)
	potential, gradient, drift := make([]T, rows), make([]T, len(x)), make([]T, len(x))
	d.Potential(potential, params, x, rows)
	d.GradPotential(gradient, params, x, rows)
	d.Forward(drift, params, x, rows)
	compare(t, "potential", potential, ref["potential"].Float64s(), tolerance)
	compare(t, "grad_potential", gradient, ref["grad_potential"].Float64s(), tolerance)
	compare(t, "drift", drift, ref["drift"].Float64s(), tolerance)
}

func TestResNetReference(t *testing.T) {
	ref := reference(t, "onsager_resnet.npz")
	t.Run("float64", func(t *testing.T) { testResNet[float64](t, ref, tolerance64) })
	t.Run("float32", func(t *testing.T) { testResNet[float32](t, ref, tolerance32) })
}

// testResNet checks the drift and, in float64, the gradients of its mean squared
// error, which hold second derivatives of the potential; those of float32 lose
// digits to cancellation among rows.
func testResNet[T tensor.Float](t *testing.T, ref map[string]*data.Array, tolerance float64) {
	const dim = 3
	var layout tensor.Layout
	n := NewResNet(ResNetConfig{Width: 8, Blocks: 2, Features: 3, Beta: ref["beta"].Float64s()[0], Least: ref["min_d"].Float64s()[0]}, dim, &layout, "g")
	names := []string{"trunk0_w", "trunk0_b", "trunk1_w", "trunk1_b", "trunk2_w", "trunk2_b", "matrix_w", "matrix_b", "pot_w", "pot_b", "pot_in_w", "pot_in_b", "force_w", "force_b"}
	params := load[T](t, &layout, ref, names...)
	x, rate := convert[T](ref["x"].Float64s()), convert[T](ref["rate"].Float64s())
	rows := len(x) / dim
	d := NewOnsagerResNet[T](n, rows)
	potential, gradient, drift, dz := make([]T, rows), make([]T, len(x)), make([]T, len(x)), make([]T, len(x))
	d.Potential(potential, params, x, rows)
	d.GradPotential(gradient, params, x, rows)
	d.Forward(drift, params, x, rows)
	compare(t, "potential", potential, ref["potential"].Float64s(), tolerance)
	compare(t, "grad_potential", gradient, ref["grad_potential"].Float64s(), tolerance)
	compare(t, "drift", drift, ref["drift"].Float64s(), tolerance)
	if _, single := any(T(0)).(float32); single {
		return
	}
	grads, dg := make([]T, layout.Size()), make([]T, len(x))
	for i, g := range drift {
		dg[i] = 2 * (g - rate[i]) / T(len(x))
	}
	d.Backward(dz, params, grads, x, dg, rows)
	for i, p := range layout.Params() {
		compare(t, "grad_"+names[i], tensor.Of(grads, p), ref["grad_"+names[i]].Float64s(), tolerance)
	}
	compare(t, "grad_x", dz, ref["grad_x"].Float64s(), tolerance)
}

func TestMLPReference(t *testing.T) {
	ref := reference(t, "sde.npz")
	t.Run("float64", func(t *testing.T) { testMLP[float64](t, ref, tolerance64) })
	t.Run("float32", func(t *testing.T) { testMLP[float32](t, ref, tolerance32) })
}

func testMLP[T tensor.Float](t *testing.T, ref map[string]*data.Array, tolerance float64) {
	var layout tensor.Layout
	dynamics := New(Config{Dim: 3, Form: FormMLP, Hidden: []int{16, 16}, Act: kernel.Tanh}, &layout, "g")
	params := load[T](t, &layout, ref, "drift_w0", "drift_b0", "drift_w1", "drift_b1", "drift_w2", "drift_b2")
	z := convert[T](ref["z0"].Float64s())
	rows := len(z) / 3
	d := NewDrift[T](dynamics, rows)
	drift := make([]T, len(z))
	d.Forward(drift, params, z, rows)
	compare(t, "drift", drift, ref["drift"].Float64s(), tolerance)

	shape := ref["rk4"].Shape
	got := make([]T, ref["rk4"].Len())
	NewIntegrator(d, RK4, rows).Rollout(got, params, z, shape[0], shape[1]-1, ref["dt"].Float64s()[0])
	compare(t, "rk4", got, ref["rk4"].Float64s(), tolerance)
}

// load fills an arena from the named arrays, in the layout's order.
func load[T tensor.Float](t *testing.T, l *tensor.Layout, ref map[string]*data.Array, names ...string) []T {
	t.Helper()
	params := make([]T, l.Size())
	for i, p := range l.Params() {
		values := ref[names[i]].Float64s()
		if len(values) != p.Len() {
			t.Fatalf("%s holds %d values, %s %d", names[i], len(values), p.Name, p.Len())
		}
		copy(tensor.Of(params, p), convert[T](values))
	}
	return params
}

// compare holds got to want, relative to the larger of an element and a
// thousandth of the largest.
func compare[T tensor.Float](t *testing.T, what string, got []T, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= tolerance*max(math.Abs(w), largest/1000)) {
			t.Errorf("%s[%d]: got %g, want %g within %g", what, i, got[i], w, tolerance)
		}
	}
}

func convert[T tensor.Float](x []float64) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[i] = T(v)
	}
	return y
}
