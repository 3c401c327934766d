package optim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"macroscope/model/compute/tensor"
)

// orthogonal returns a random orthogonal matrix (N, N), by rows.
func orthogonal(n int, r *rand.Rand) []float64 {
	q := make([]float64, n*n)
	for i := range q {
		q[i] = r.NormFloat64()
	}
	for i := range n {
		row := q[i*n : (i+1)*n]
		for k := range i {
			dot := 0.0
			for j, v := range q[k*n : (k+1)*n] {
				dot += v * row[j]
			}
			for j, v := range q[k*n : (k+1)*n] {
				row[j] -= dot * v
			}
		}
		normalise(row)
	}
	return q
}

// product returns Aᵀ·D·B for A (N, N), the diagonal D and B (N, N).
func product(a, d, b []float64) []float64 {
	n := len(d)
	c := make([]float64, n*n)
	for k, s := range d {
		for i := range n {
			for j := range n {
				c[i*n+j] += a[k*n+i] * s * b[k*n+j]
			}
		}
	}
	return c
}

// skew returns the largest absolute entry of QᵀQ - 1, which is 0 if the columns of q are
// orthonormal.
func skew[T tensor.Float](q []T, n int) (worst float64) {
	for i := range n {
		for j := range n {
			dot := 0.0
			for k := range n {
				dot += float64(q[k*n+i]) * float64(q[k*n+j])
			}
			if i == j {
				dot--
			}
			worst = max(worst, math.Abs(dot))
		}
	}
	return worst
}

// TestSoapFindsTheCoordinates draws gradients that are diagonal in hidden coordinates. Each
// diagonal entry is about ten times as large as the next entry. The bases must match the hidden
// coordinates.
func TestSoapFindsTheCoordinates(t *testing.T) {
	const n = 5
	r := rand.New(rand.NewPCG(1, 2))
	left, right := orthogonal(n, r), orthogonal(n, r)
	a := NewAdam[float64](Soap(), n*n, tensor.Param{Name: "w", Shape: []int{n, n}})
	w, d := make([]float64, n*n), make([]float64, n)
	for range 200 {
		for i := range d {
			d[i] = math.Pow(10, -float64(i)) * (1.5 + r.Float64())
		}
		a.Update(w, product(left, d, right), 1e-3)
	}
	for _, side := range []struct {
		name        string
		basis, want []float64
	}{
		{"left", a.rotated.each[0].left.basis, left}, {"right", a.rotated.each[0].right.basis, right},
	} {
		for k := range n {
			dot := 0.0
			for i := range n {
				dot += side.basis[i*n+k] * side.want[k*n+i]
			}
			if math.Abs(math.Abs(dot)-1) > 1e-6 {
				t.Errorf("%s: column %d is turned by cos %g", side.name, k, dot)
			}
		}
	}
}

// TestSoapWhereAdamIsSlow minimises ‖A·W·B − C‖². The curvature has the condition number 10⁶,
// and its axes are not the entries of W. SOAP must reach a far lower value than Adam.
func TestSoapWhereAdamIsSlow(t *testing.T) {
	const n, steps = 6, 400
	ends := map[string]float64{}
	for _, name := range []string{"adam", "soap"} {
		r := rand.New(rand.NewPCG(3, 4))
		d := make([]float64, n)
		for i := range d {
			d[i] = math.Pow(10, -1.5*float64(i)/(n-1))
		}
		p, q := orthogonal(n, r), orthogonal(n, r)
		a, b := product(p, d, p), product(q, d, q) // symmetric matrices
		want := make([]float64, n*n)
		for i := range want {
			want[i] = r.NormFloat64()
		}
		multiply := func(x, y []float64) []float64 {
			z := make([]float64, n*n)
			for i := range n {
				for j := range n {
					for k := range n {
						z[i*n+j] += x[i*n+k] * y[k*n+j]
					}
				}
			}
			return z
		}
		w := make([]float64, n*n)
		c, matrices := Default(), []tensor.Param(nil)
		if name == "soap" {
			c, matrices = Soap(), []tensor.Param{{Name: "w", Shape: []int{n, n}}}
		}
		opt := NewAdam[float64](c, n*n, matrices...)
		cycle := OneCycle{Peak: 0.1, Steps: steps, WarmUp: 0.1, StartDiv: 25, EndDiv: 1e3}
		for step := range steps {
			miss := make([]float64, n*n)
			for i, v := range w {
				miss[i] = v - want[i]
			}
			half := multiply(multiply(a, miss), b)
			ends[name] = 0
			for _, v := range half {
				ends[name] += v * v
			}
			opt.Update(w, multiply(multiply(a, half), b), cycle.Rate(step))
		}
	}
	t.Logf("ends: %v", ends)
	if !(ends["soap"] < ends["adam"]/10) {
		t.Errorf("the loss ends at %g, and Adam's at %g", ends["soap"], ends["adam"])
	}
}

// TestSoapOnAnything checks that weights stay finite and bases orthonormal for any gradients,
// in single precision.
func TestSoapOnAnything(t *testing.T) {
	matrices := []tensor.Param{
		{Name: "wide", Shape: []int{4, 40}, Offset: 3}, {Name: "tall", Shape: []int{64, 9}, Offset: 170},
	}
	const size = 170 + 64*9 + 5
	for name, fill := range map[string]func(g []float32, step int, r *rand.Rand){
		"nothing": func([]float32, int, *rand.Rand) {},
		"nothing at first": func(g []float32, step int, r *rand.Rand) {
			for i := range g {
				if step > 15 {
					g[i] = float32(r.NormFloat64())
				}
			}
		},
		"rank one": func(g []float32, _ int, r *rand.Rand) {
			for i := range g {
				g[i] = 1
			}
		},
		"tiny": func(g []float32, _ int, r *rand.Rand) {
			for i := range g {
				g[i] = 1e-15 * float32(r.NormFloat64())
			}
		},
		"one entry": func(g []float32, step int, _ *rand.Rand) { g[170+step%576] = 1e3 },
		"wide range": func(g []float32, _ int, r *rand.Rand) {
			for i := range g {
				g[i] = float32(r.NormFloat64() * math.Pow(10, -float64(i%12)))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			a := NewAdam[float32](Soap(), size, matrices...)
			w, g := make([]float32, size), make([]float32, size)
			for step := range 300 {
				clear(g)
				fill(g, step, r)
				a.Update(w, g, 0.01)
			}
			for i, v := range w {
				if math.IsNaN(float64(v)) || math.Abs(float64(v)) > 100*300*0.01 {
					t.Fatalf("weight %d is %g", i, v)
				}
			}
			for i := range a.rotated.each {
				for _, d := range []*side[float32]{&a.rotated.each[i].left, &a.rotated.each[i].right} {
					if e := skew(d.basis, d.n); e > 1e-4 {
						t.Errorf("%s, side of %d: columns are %g from orthonormal", a.rotated.each[i].of.Name, d.n, e)
					}
				}
			}
		})
	}
}

// TestSoapGoesOn copies all state in the middle of a run and checks that the original and the
// copy continue with the same bits. It also checks that parameters that are not matrices get
// plain Adam steps.
func TestSoapGoesOn(t *testing.T) {
	matrices := []tensor.Param{{Name: "w", Shape: []int{3, 4}, Offset: 2}}
	r := rand.New(rand.NewPCG(7, 8))
	c := Soap()
	c.WeightDecay = 0.01
	gradients := make([][]float32, 60)
	for i := range gradients {
		for range 17 {
			gradients[i] = append(gradients[i], float32(r.NormFloat64()))
		}
	}
	whole, plain := NewAdam[float32](c, 17, matrices...), NewAdam[float32](c, 17)
	w, p := make([]float32, 17), make([]float32, 17)
	var second *Adam[float32]
	var again []float32
	for i, g := range gradients {
		whole.Update(w, g, 0.01)
		plain.Update(p, g, 0.01)
		if second != nil {
			second.Update(again, g, 0.01)
		}
		if i == 24 {
			second, again = NewAdam[float32](c, 17, matrices...), slices.Clone(w)
			copy(second.M, whole.M)
			copy(second.V, whole.V)
			copy(second.Rotations, whole.Rotations)
			second.Step = whole.Step
		}
	}
	if !slices.Equal(again, w) {
		t.Errorf("got %v, want %v", again, w)
	}
	if !slices.Equal(w[:2], p[:2]) || !slices.Equal(w[14:], p[14:]) {
		t.Errorf("biases %v %v, want %v %v", w[:2], w[14:], p[:2], p[14:])
	}
	if slices.Equal(w[2:14], p[2:14]) {
		t.Error("the matrix is moved as by Adam")
	}
}

func TestRotatable(t *testing.T) {
	for _, tc := range []struct {
		shape []int
		want  bool
	}{
		{[]int{64, 9}, true}, {[]int{2, 2}, true}, {[]int{MaxSide, 2}, true}, {[]int{MaxSide + 1, 2}, false},
		{[]int{64}, false}, {[]int{1, 64}, false}, {[]int{64, 1}, false}, {[]int{3, 3, 3}, false},
	} {
		if got := Rotatable(tensor.Param{Shape: tc.shape}); got != tc.want {
			t.Errorf("%v: %v", tc.shape, got)
		}
	}
}

func TestSoapDoesNotAllocate(t *testing.T) {
	a := NewAdam[float32](Soap(), 64*32, tensor.Param{Name: "w", Shape: []int{64, 32}})
	w, g := make([]float32, 64*32), make([]float32, 64*32)
	for i := range g {
		g[i] = float32(i%7) - 3
	}
	if n := testing.AllocsPerRun(2*refreshEvery, func() { a.Update(w, g, 1e-3) }); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

func ExampleRotationLayout() {
	l := RotationLayout([]tensor.Param{{Name: "weight", Shape: []int{3, 2}}})
	for _, p := range l.Params() {
		fmt.Println(p.Name, p.Shape)
	}
	// Output:
	// weight.left [3 3]
	// weight.left.basis [3 3]
	// weight.right [2 2]
	// weight.right.basis [2 2]
}
