package deepset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

func TestPermutation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var layout tensor.Layout
	e := New(Default(), &layout, "e")
	params := make([]float32, layout.Size())
	Init(params, e, rng)
	x := make([]float32, 300)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	ws := NewWorkspace[float32](e, 1, len(x))
	want := slices.Clone(Encode(e, ws, params, x, []int{len(x)}))
	norm := math.Sqrt(float64(kernel.Dot(want, want)))
	for range 100 {
		rng.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		for i, v := range Encode(e, ws, params, x, []int{len(x)}) {
			// Another order of 300 terms changes the sum by rounding errors of 2^-24.
			if d := math.Abs(float64(v - want[i])); d > 2e-6*norm {
				t.Fatalf("ẑ[%d] = %g after a shuffle, %g before", i, v, want[i])
			}
		}
	}
}

// TestBatchOfDifferentSizes checks that the sets of a batch do not affect each other.
func TestBatchOfDifferentSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var layout tensor.Layout
	e := New(Default(), &layout, "e")
	params := make([]float64, layout.Size())
	Init(params, e, rng)
	x := make([]float64, 1+7+40)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	ws := NewWorkspace[float64](e, 3, len(x))
	batch := slices.Clone(Encode(e, ws, params, x, []int{1, 8, 48}))
	for b, s := range [][]float64{x[:1], x[1:8], x[8:]} {
		for i, v := range Encode(e, ws, params, s, []int{len(s)}) {
			if d := math.Abs(v - batch[b*8+i]); d > 1e-12 {
				t.Errorf("set %d: ẑ[%d] alone %g, in the batch %g", b, i, v, batch[b*8+i])
			}
		}
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	var layout tensor.Layout
	e := New(Default(), &layout, "e")
	params, grads := make([]float32, layout.Size()), make([]float32, layout.Size())
	Init(params, e, rand.New(rand.NewPCG(1, 2)))
	x, ends, dz := make([]float32, 90), []int{30, 90}, make([]float32, 16)
	ws := NewWorkspace[float32](e, 2, len(x))
	if n := testing.AllocsPerRun(10, func() {
		copy(dz, Encode(e, ws, params, x, ends))
		Backward(e, ws, params, grads, x, ends, dz)
	}); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// TestInit checks that every weight and bias is drawn.
func TestInit(t *testing.T) {
	var layout tensor.Layout
	e := New(Default(), &layout, "e")
	params := make([]float64, layout.Size())
	Init(params, e, rand.New(rand.NewPCG(1, 2)))
	for _, p := range layout.Params() {
		if slices.Contains(tensor.Of(params, p), 0) {
			t.Errorf("%s has a zero", p.Name)
		}
	}
}

func TestTable(t *testing.T) {
	c := Default()
	for name, text := range map[string]string{"encoder.hidden": "", "encoder.head": "0"} {
		if c.Table().Check() != nil || c.Table().Set(name, text) == nil || c.Table().Set(name, "1048576") == nil {
			t.Errorf("%s=%s passes", name, text)
		}
	}
}

// With φ and ρ the identity, ẑ is the mean particle.
func ExampleEncode() {
	var layout tensor.Layout
	e := New(Config{Dim: 1, Hidden: []int{1}, ZDim: 1, Act: kernel.Identity}, &layout, "e")
	params := make([]float64, layout.Size())
	params[0], params[2] = 1, 1 // the two weights; biases stay 0
	ws := NewWorkspace[float64](e, 2, 5)
	fmt.Println(Encode(e, ws, params, []float64{1, 2, 3, 10, 20}, []int{3, 5}))
	// Output: [2 15]
}

// TestEncodeOnly uses workspaces of several sizes. EncodeOnly must give the same ẑ as Encode. The
// two results may differ by rounding, because EncodeOnly sums the mean in parts.
func TestEncodeOnly(t *testing.T) {
	c := Config{Dim: 2, Hidden: []int{9, 7}, Head: []int{5}, ZDim: 3, Act: kernel.Tanh}
	var layout tensor.Layout
	e := New(c, &layout, "encoder")
	params := make([]float64, layout.Size())
	rng := rand.New(rand.NewPCG(3, 4))
	Init(params, e, rng)
	points, ends := make([]float64, 2*40), []int{7, 8, 40}
	for i := range points {
		points[i] = rng.NormFloat64()
	}
	want := slices.Clone(Encode(e, NewWorkspace[float64](e, 3, 40), params, points, ends))
	for _, room := range []int{1, 5, 8, 40} {
		ws := NewWorkspace[float64](e, 3, room)
		EncodeOnly(e, ws, params, points[2:], []int{3}) // overwrites the results with the results of another set
		got := EncodeOnly(e, ws, params, points, ends)
		for i, v := range got {
			if !(math.Abs(v-want[i]) <= 1e-14) {
				t.Errorf("room for %d: ẑ %d is %g, want %g", room, i, v, want[i])
			}
		}
	}
}
