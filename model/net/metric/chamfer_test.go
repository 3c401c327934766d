package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"macroscope/model/compute/tensor"
)

// TestChamferGradient compares the gradient with central differences. No point is close to a
// place where its nearest neighbour changes. Between such places the distance is quadratic, so
// only rounding errors of 1e-10 remain.
func TestChamferGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, tc := range []struct{ dim, n, m int }{{2, 6, 9}, {3, 8, 5}, {1, 1, 4}, {2, 5, 1}} {
		a, b := ensemble(rng, tc.n, 1, tc.dim, 0, 1), ensemble(rng, tc.m, 1, tc.dim, 0.3, 1)
		c := NewChamfer[float64](tc.dim, 9, 0)
		da := make([]float64, len(a))
		for i := range da {
			da[i] = math.NaN() // Gradient overwrites it
		}
		if got, want := c.Gradient(da, a, b), c.Value(a, b); got != want {
			t.Errorf("%+v: Gradient returns %g, Value %g", tc, got, want)
		}
		for i, keep := range a {
			const h = 1e-6
			a[i] = keep + h
			up := c.Value(a, b)
			a[i] = keep - h
			down := c.Value(a, b)
			a[i] = keep
			if want := (up - down) / (2 * h); !(math.Abs(da[i]-want) < 1e-8) {
				t.Errorf("%+v, coordinate %d: gradient %g, by differences %g", tc, i, da[i], want)
			}
		}
	}
}

// TestChamferTie checks that the gradient uses the first of two equally near points.
func TestChamferTie(t *testing.T) {
	da := make([]float64, 1)
	NewChamfer[float64](1, 2, 0).Gradient(da, []float64{0}, []float64{-1, 1})
	if da[0] != 2 { // 2(0 - -1), the gradient of the distance from a to b's first point. The gradients of the distances from b's two points to a cancel each other
		t.Errorf("got %g, want 2", da[0])
	}
}

func TestChamferIsNotFinite(t *testing.T) {
	a, b := []float64{0, 1, 2, 3}, []float64{1, 1, 5, 2}
	c := NewChamfer[float64](2, 2, 0)
	for _, x := range [][]float64{a, b} {
		for i, keep := range x {
			for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
				x[i] = bad
				if got := c.Value(a, b); !math.IsNaN(got) && !math.IsInf(got, 1) {
					t.Errorf("with a coordinate %g it is %g", bad, got)
				}
			}
			x[i] = keep
		}
	}
}

func TestChamferDoesNotAllocate(t *testing.T) {
	a, b, da := make([]float32, 60), make([]float32, 80), make([]float32, 60)
	c := NewChamfer[float32](2, 40, 0)
	if n := testing.AllocsPerRun(5, func() { c.Gradient(da, a, b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkChamfer times the distance for sets as large as a set of interacting particles.
func BenchmarkChamfer(b *testing.B) {
	b.Run("float32", benchmarkChamfer[float32])
	b.Run("float64", benchmarkChamfer[float64])
}

func benchmarkChamfer[T tensor.Float](b *testing.B) {
	const n = 300
	rng := rand.New(rand.NewPCG(3, 4))
	x, y, dx := make([]T, 2*n), make([]T, 2*n), make([]T, 2*n)
	for i := range x {
		x[i], y[i] = T(rng.NormFloat64()), T(rng.NormFloat64())
	}
	c := NewChamfer[T](2, n, 0)
	for b.Loop() {
		c.Gradient(dx, x, y)
	}
}

func ExampleChamfer() {
	a, b := []float64{0, 10}, []float64{1, 10, 13} // on a line
	da := make([]float64, 2)
	distance := NewChamfer[float64](1, 3, 0).Gradient(da, a, b) // (1+0)/2 + (1+0+9)/3
	fmt.Printf("%.3f %.3f\n", distance, da)
	// Output: 3.833 [-1.667 -2.000]
}
