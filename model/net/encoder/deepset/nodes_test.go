package deepset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// TestNodes compares an encoder with interpolated φ with an encoder without nodes: ẑ and gradients
// must agree.
func TestNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	c := Config{Dim: 1, Hidden: []int{16, 16}, Head: []int{8}, ZDim: 3, Act: kernel.SiLU}
	var layout tensor.Layout
	exact := New(c, &layout, "e")
	c.Nodes = 128
	between := New(c, new(tensor.Layout), "e")
	params := make([]float64, layout.Size())
	Init(params, exact, rng)
	for i := range params {
		params[i] *= 3 // φ then bends as much as after training
	}
	x := make([]float64, 500)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	x[201], x[202] = x[200], x[200] // a set of equal particles
	ends := []int{1, 200, 203, 500}
	dz := make([]float64, len(ends)*c.ZDim)
	for i := range dz {
		dz[i] = rng.NormFloat64()
	}
	run := func(e *DeepSet) (z, grads []float64) {
		ws := NewWorkspace[float64](e, len(ends), len(x))
		z, grads = slices.Clone(Encode(e, ws, params, x, ends)), make([]float64, len(params))
		Backward(e, ws, params, grads, x, ends, slices.Clone(dz))
		if !slices.Equal(EncodeOnly(e, ws, params, x[:1], ends[:1]), EncodeOnly(exact, NewWorkspace[float64](exact, 1, 1), params, x[:1], ends[:1])) {
			t.Error("EncodeOnly interpolates")
		}
		return z, grads
	}
	wantZ, wantG := run(exact)
	gotZ, gotG := run(between)
	for name, of := range map[string][2][]float64{"ẑ": {gotZ, wantZ}, "gradient": {gotG, wantG}} {
		scale := math.Sqrt(kernel.Dot(of[1], of[1]) / float64(len(of[1])))
		for i, v := range of[0] {
			if d := math.Abs(v - of[1][i]); !(d <= 1e-4*scale) {
				t.Errorf("%s[%d] is %g, and %g without nodes", name, i, v, of[1][i])
			}
		}
	}
}

// TestNodesOfOnePoint encodes sets in which all particles are at one place.
func TestNodesOfOnePoint(t *testing.T) {
	c := Config{Dim: 1, Hidden: []int{4}, ZDim: 2, Act: kernel.Tanh, Nodes: minNodes}
	var layout tensor.Layout
	e := New(c, &layout, "e")
	params := make([]float64, layout.Size())
	Init(params, e, rand.New(rand.NewPCG(5, 2)))
	x := []float64{0.3, 0.3, 0.3}
	ws := NewWorkspace[float64](e, 1, 3)
	got := slices.Clone(Encode(e, ws, params, x, []int{3}))
	for i, want := range EncodeOnly(e, ws, params, x, []int{3}) {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("ẑ[%d] is %g, want %g", i, got[i], want)
		}
	}
}

func TestValidate(t *testing.T) {
	for nodes, dim := range map[int]int{3: 1, 100: 2} {
		if c := (Config{Dim: dim, Nodes: nodes}); c.Validate() == nil {
			t.Errorf("%d nodes for %d coordinates pass", nodes, dim)
		}
	}
}
