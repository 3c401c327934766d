package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// TestGradients compares every gradient of Σ y² with central differences in float64, where a
// step of 1e-6 leaves a truncation error near 1e-12 and a rounding error near 1e-9.
func TestGradients(t *testing.T) {
	nets := map[string]func(*tensor.Layout, kernel.Activation) *MLP{
		"chain": func(l *tensor.Layout, act kernel.Activation) *MLP {
			return NewMLP(l, "net", []int{3, 7, 5, 2}, act, act)
		},
		"blocks": func(l *tensor.Layout, act kernel.Activation) *MLP {
			return NewResidual(l, "net", [3]int{3, 5, 2}, 2, false, act)
		},
		"joined blocks": func(l *tensor.Layout, act kernel.Activation) *MLP {
			return NewResidual(l, "net", [3]int{3, 4, 2}, 2, false, act)
		},
		"a joined direct block": func(l *tensor.Layout, act kernel.Activation) *MLP {
			return NewResidual(l, "net", [3]int{3, 3, 1}, 1, true, act)
		},
		"direct blocks": func(l *tensor.Layout, act kernel.Activation) *MLP {
			return NewResidual(l, "net", [3]int{3, 3, 2}, 2, true, act)
		},
	}
	for name, net := range nets {
		for _, act := range []kernel.Activation{kernel.Identity, kernel.ReLU, kernel.Softplus, kernel.Tanh, kernel.SiLU} {
			t.Run(name+", "+act.String(), func(t *testing.T) { checkGradients(t, net, act) })
		}
	}
}

// TestJoinedRows checks that the joined last layers give the same results for many rows as for
// one row at a time.
func TestJoinedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	var layout tensor.Layout
	const rows, in, out = 40, 16, 5
	m := NewResidual(&layout, "net", [3]int{in, in, out}, 2, true, kernel.ReLU)
	if last := len(m.Layers) - 2; !m.joins(last, rows) || m.joins(last, 1) || m.joins(last-1, rows) {
		t.Fatal("other layers are joined")
	}
	params, x := make([]float64, layout.Size()), make([]float64, rows*in)
	for _, to := range [][]float64{params, x} {
		for i := range to {
			to[i] = rng.NormFloat64()
		}
	}
	many := slices.Clone(Forward(m, NewMLPWorkspace[float64](m, rows), params, x, rows))
	ws := NewMLPWorkspace[float64](m, 1)
	for r := range rows {
		for i, want := range Forward(m, ws, params, x[r*in:(r+1)*in], 1) {
			if got := many[r*out+i]; math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
				t.Errorf("row %d, output %d: %g, alone %g", r, i, got, want)
			}
		}
	}
}

func checkGradients(t *testing.T, net func(*tensor.Layout, kernel.Activation) *MLP, act kernel.Activation) {
	rng := rand.New(rand.NewPCG(1, uint64(act)))
	var layout tensor.Layout
	m := net(&layout, act)
	params, grads := make([]float64, layout.Size()), make([]float64, layout.Size())
	InitMLP(params, m, rng)
	const rows = 9
	x, dx := make([]float64, rows*3), make([]float64, rows*3)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	ws := NewMLPWorkspace[float64](m, rows)
	loss := func() (sum float64) {
		for _, v := range Forward(m, ws, params, x, rows) {
			sum += v * v
		}
		return sum
	}
	loss()
	dy := make([]float64, rows*m.Out())
	for i, v := range ws.y[len(ws.y)-1] {
		dy[i] = 2 * v
	}
	Backward(m, ws, params, grads, x, dx, slices.Clone(dy), rows)
	twice := slices.Clone(grads)
	Backward(m, ws, params, twice, x, nil, dy, rows)
	for i, g := range grads {
		if !(math.Abs(twice[i]-2*g) <= 1e-12*(1+math.Abs(g))) {
			t.Errorf("parameter %d: gradient %g, after a second Backward %g", i, g, twice[i])
		}
	}
	for _, group := range []struct {
		name     string
		at, grad []float64
	}{{"parameter", params, grads}, {"input", x, dx}} {
		nonzero := 0
		for i := range group.at {
			const h = 1e-6
			keep := group.at[i]
			group.at[i] = keep + h
			up := loss()
			group.at[i] = keep - h
			down := loss()
			group.at[i] = keep
			want := (up - down) / (2 * h)
			if got := group.grad[i]; !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
				t.Errorf("%s %d: gradient %g, by differences %g", group.name, i, got, want)
			}
			if group.grad[i] != 0 {
				nonzero++
			}
		}
		if act != kernel.ReLU && nonzero != len(group.at) { // a ReLU may be 0 for all rows
			t.Errorf("%d of %d gradients of %ss are not zero", nonzero, len(group.at), group.name)
		}
	}
}

// TestInit checks that weights and biases lie within ±1/√In, and in a block's second layer
// within a hundredth of this range.
func TestInit(t *testing.T) {
	var layout tensor.Layout
	chain := NewMLP(&layout, "chain", []int{9, 400, 100}, kernel.ReLU, kernel.Identity)
	blocks := NewResidual(&layout, "blocks", [3]int{3, 100, 7}, 2, false, kernel.ReLU)
	params := make([]float64, layout.Size())
	rng := rand.New(rand.NewPCG(1, 2))
	InitMLP(params, chain, rng)
	InitMLP(params, blocks, rng)
	check := func(l *Linear, scale float64) {
		for _, p := range []tensor.Param{l.W, l.B} {
			w, bound := tensor.Of(params, p), scale/math.Sqrt(float64(l.In))
			low, high := slices.Min(w), slices.Max(w)
			if low < -bound || high > bound {
				t.Errorf("%s lies in [%g, %g], beyond ±%g", p.Name, low, high, bound)
			}
			if p.Len() >= 100 && (low > -0.9*bound || high < 0.9*bound) {
				t.Errorf("%s lies in [%g, %g], want nearly all of ±%g", p.Name, low, high, bound)
			}
			if low == 0 || high == 0 {
				t.Errorf("%s has a zero", p.Name)
			}
		}
	}
	for _, l := range chain.Layers {
		check(l, 1)
	}
	for i, scale := range []float64{1, 1, 0.01, 1, 0.01, 1} {
		check(blocks.Layers[i], scale)
	}
}

func TestActivations(t *testing.T) {
	var layout tensor.Layout
	for i, l := range NewMLP(&layout, "net", []int{2, 3, 4, 5}, kernel.ReLU, kernel.Tanh).Layers {
		if want := []kernel.Activation{kernel.ReLU, kernel.ReLU, kernel.Tanh}[i]; l.Act != want {
			t.Errorf("layer %d has the activation %v, want %v", i, l.Act, want)
		}
	}
}

func TestTooManyRows(t *testing.T) {
	var layout tensor.Layout
	m := NewMLP(&layout, "net", []int{2, 1}, kernel.ReLU, kernel.ReLU)
	defer func() {
		if _, ok := recover().(string); !ok {
			t.Error("3 rows in a workspace for 2: no panic that says so")
		}
	}()
	Forward(m, NewMLPWorkspace[float64](m, 2), make([]float64, 3), make([]float64, 6), 3)
}

func TestStepDoesNotAllocate(t *testing.T) {
	var layout tensor.Layout
	for _, m := range []*MLP{
		NewMLP(&layout, "net", []int{2, 64, 64, 8}, kernel.SiLU, kernel.Identity),
		NewResidual(&layout, "blocks", [3]int{2, 16, 8}, 2, false, kernel.SiLU),
	} {
		checkAllocations(t, m, layout.Size())
	}
}

func checkAllocations(t *testing.T, m *MLP, size int) {
	t.Helper()
	const rows = 33
	params, grads := make([]float32, size), make([]float32, size)
	InitMLP(params, m, rand.New(rand.NewPCG(1, 2)))
	x, dx, dy := make([]float32, rows*2), make([]float32, rows*2), make([]float32, rows*8)
	ws := NewMLPWorkspace[float32](m, rows)
	if n := testing.AllocsPerRun(10, func() {
		copy(dy, Forward(m, ws, params, x, rows))
		Backward(m, ws, params, grads, x, dx, dy, rows)
	}); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// A network of one layer, with weights that allow mental arithmetic.
func ExampleForward() {
	var layout tensor.Layout
	m := NewMLP(&layout, "net", []int{2, 1}, kernel.ReLU, kernel.ReLU)
	params := make([]float64, layout.Size())
	copy(params, []float64{1, -2, 0.5}) // weight (1, 2), then bias
	ws := NewMLPWorkspace[float64](m, 2)
	fmt.Println(Forward(m, ws, params, []float64{3, 1, 0, 4}, 2))
	// Output: [1.5 0]
}
