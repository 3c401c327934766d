package attention

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// compare fails if got and want differ by more than the tolerance, relative to the largest absolute
// value in want.
func compare(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range want {
		if d := math.Abs(got[i] - w); !(d <= tolerance*largest) {
			t.Errorf("%s[%d]: got %g, want %g within %g of %g", what, i, got[i], w, tolerance, largest)
		}
	}
}

// fixture holds an encoder with weights, and sets of different sizes.
type fixture[T tensor.Float] struct {
	net           *SetTransformer
	layout        tensor.Layout
	params, grads []T
	points        []T
	ends          []int
}

func newFixture[T tensor.Float](c Config, seed uint64, counts ...int) *fixture[T] {
	f := &fixture[T]{}
	f.net = New(c, &f.layout, "e")
	r := rand.New(rand.NewPCG(seed, 1))
	f.params, f.grads = make([]T, f.layout.Size()), make([]T, f.layout.Size())
	Init(f.params, f.net, r)
	end := 0
	for _, n := range counts {
		end += n
		f.ends = append(f.ends, end)
	}
	for range end * c.Dim {
		f.points = append(f.points, T(r.NormFloat64()))
	}
	return f
}

func (f *fixture[T]) workspace() *Workspace[T] {
	return NewWorkspace[T](f.net, len(f.ends), f.ends[len(f.ends)-1])
}

// attend computes multihead attention by the formula, with separate projections of queries,
// keys and values.
func attend(h *heads, params, queries, points []float64, rows, n int) []float64 {
	project := func(w tensor.Param, b []float64, x []float64, rows int) []float64 {
		y := make([]float64, rows*h.width)
		kernel.Affine(new(kernel.Scratch), y, nil, x, tensor.Of(params, w), b, rows, h.width, h.width, kernel.Identity)
		return y
	}
	q := project(h.q.W, tensor.Of(params, h.q.B), queries, rows)
	k := project(h.k, nil, points, n)
	v := project(h.v.W, tensor.Of(params, h.v.B), points, n)
	o := make([]float64, rows*h.width)
	for r := range rows {
		for head := range h.heads {
			at := head * h.each
			scores := make([]float64, n)
			for i := range scores {
				scores[i] = kernel.Dot(q[r*h.width+at:][:h.each], k[i*h.width+at:]) / math.Sqrt(float64(h.each))
			}
			kernel.SoftmaxRows(scores, scores, 1, n)
			for i, a := range scores {
				kernel.Axpy(o[r*h.width+at:][:h.each], a, v[i*h.width+at:][:h.each])
			}
		}
	}
	return project(h.o.W, tensor.Of(params, h.o.B), o, rows)
}

// plainNorm is the layer norm of x + add, computed by its definition.
func plainNorm(n norm, params, x, add []float64, width int) []float64 {
	y := make([]float64, len(x))
	for r := 0; r < len(x); r += width {
		mean, variance := 0.0, 0.0
		for i := r; i < r+width; i++ {
			mean += (x[i] + add[i]) / float64(width)
		}
		for i := r; i < r+width; i++ {
			variance += (x[i] + add[i] - mean) * (x[i] + add[i] - mean) / float64(width)
		}
		for i := r; i < r+width; i++ {
			y[i] = (x[i]+add[i]-mean)/math.Sqrt(variance+1e-5)*tensor.Of(params, n.gain)[i-r] + tensor.Of(params, n.shift)[i-r]
		}
	}
	return y
}

// TestAgainstTheFormula compares Encode with the formulas of doc.go, evaluated step by step and
// without absorbed projections.
func TestAgainstTheFormula(t *testing.T) {
	c := Config{Dim: 3, Width: 12, Heads: 3, Inducing: 5, Blocks: 3, Seeds: 2, Hidden: 7, ZDim: 4}
	f := newFixture[float64](c, 4, 9)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range f.params { // also the layer norms' parameters
		f.params[i] += 0.3 * r.NormFloat64()
	}
	const n = 9
	var s kernel.Scratch
	linear := func(l *nn.Linear, x []float64, rows int) []float64 {
		y := make([]float64, rows*l.Out)
		nn.LinearForward(&s, l, f.params, y, nil, x, rows)
		return y
	}
	feedForward := func(l *feed, x []float64, rows int) []float64 {
		return plainNorm(l.norm, f.params, linear(l.down, linear(l.up, x, rows), rows), x, c.Width)
	}
	gathered := func(g *gather, h []float64) []float64 {
		queries := tensor.Of(f.params, g.queries)
		return plainNorm(g.norm, f.params, attend(&g.heads, f.params, queries, h, g.count, n), queries, c.Width)
	}
	h := linear(f.net.in, f.points, n)
	for _, b := range f.net.blocks {
		few := gathered(b.gather, h)
		h = plainNorm(b.spread.norm, f.params, attend(&b.spread.heads, f.params, h, few, n, c.Inducing), h, c.Width)
		h = feedForward(b.feed, h, n)
	}
	seeds := feedForward(f.net.after, gathered(f.net.pool, h), c.Seeds)
	mean := make([]float64, c.Width)
	for i, v := range seeds {
		mean[i%c.Width] += v / float64(c.Seeds)
	}
	compare(t, "ẑ", Encode(f.workspace(), f.params, f.points, f.ends), linear(f.net.out, mean, 1), 1e-12)
}

// TestPointGradients compares the gradient of every coordinate with central
// differences in float64. Package encoder checks the gradients of the parameters
// for all encoders.
func TestPointGradients(t *testing.T) {
	c := Config{Dim: 2, Width: 8, Heads: 2, Inducing: 3, Blocks: 2, Seeds: 2, Hidden: 6, ZDim: 2}
	f := newFixture[float64](c, 7, 5, 1, 8)
	w := f.workspace()
	loss := func() (sum float64) {
		for _, v := range Encode(w, f.params, f.points, f.ends) {
			sum += v * v / 2
		}
		return sum
	}
	loss()
	dz, d := slices.Clone(w.z), make([]float64, len(f.points))
	Backward(w, f.params, f.grads, d, f.points, f.ends, dz)
	const h = 1e-6
	for i, x := range f.points {
		f.points[i] = x + h
		up := loss()
		f.points[i] = x - h
		down := loss()
		f.points[i] = x
		if want := (up - down) / (2 * h); !(math.Abs(d[i]-want) <= 1e-8*(1+math.Abs(want))) {
			t.Errorf("coordinate %d: gradient %g, by differences %g", i, d[i], want)
		}
	}
}

// TestEncodeOnly checks that EncodeOnly gives the ẑ of Encode, in workspaces that must grow and in
// workspaces that are used again.
func TestEncodeOnly(t *testing.T) {
	c := Default()
	f := newFixture[float32](c, 8, 3, 50, 1, 20)
	want := slices.Clone(Encode(f.workspace(), f.params, f.points, f.ends))
	for _, room := range []int{1, 20, 200} {
		w := NewFrozen[float32](f.net, 4, room)
		for range 2 {
			for i, v := range EncodeOnly(w, f.params, f.points, f.ends) {
				if math.Abs(float64(v-want[i])) > 2e-6 {
					t.Errorf("room for %d: ẑ[%d] is %g, want %g", room, i, v, want[i])
				}
			}
		}
	}
}

// TestInit checks that layer norms start as the identity and all other parameters are drawn.
func TestInit(t *testing.T) {
	f := newFixture[float64](Default(), 9, 1)
	for _, p := range f.layout.Params() {
		gain, shift := strings.HasSuffix(p.Name, "norm.weight"), strings.HasSuffix(p.Name, "norm.bias")
		for _, v := range tensor.Of(f.params, p) {
			if gain != (v == 1) || shift != (v == 0) {
				t.Fatalf("%s begins with %g", p.Name, v)
			}
		}
	}
}

func TestTooManyParticles(t *testing.T) {
	f := newFixture[float32](Default(), 1, 3)
	defer func() {
		if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "attention: ") {
			t.Errorf("panic %q", s)
		}
	}()
	Encode(NewWorkspace[float32](f.net, 1, 2), f.params, f.points, f.ends)
}

func TestValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	for says, change := range map[string]func(*Config){
		`dim cannot be "0"`: func(c *Config) { c.Dim = 0 }, `encoder.heads cannot be "65": give a whole number from 1 to 64`: func(c *Config) { c.Heads = 65 }, `encoder.inducing cannot be "0"`: func(c *Config) { c.Inducing = 0 },
		`encoder.blocks cannot be "17"`: func(c *Config) { c.Blocks = 17 }, `encoder.seeds cannot be "0"`: func(c *Config) { c.Seeds = 0 }, `encoder.width cannot be "2048"`: func(c *Config) { c.Width = 2048 },
		`encoder.feed cannot be "0"`: func(c *Config) { c.Hidden = 0 }, `zdim cannot be "65"`: func(c *Config) { c.ZDim = 65 }, "shared by 5 heads": func(c *Config) { c.Heads = 5 },
	} {
		c := Default()
		if change(&c); c.Validate() == nil || !strings.Contains(c.Validate().Error(), says) {
			t.Errorf("error %v, want one that says %q", c.Validate(), says)
		}
	}
}

// Two sets of different sizes, each encoded as two numbers.
func ExampleEncode() {
	var layout tensor.Layout
	c := Default()
	c.ZDim = 2
	e := New(c, &layout, "encoder")
	params := make([]float32, layout.Size())
	Init(params, e, rand.New(rand.NewPCG(1, 1)))
	points := []float32{0, 0, 1, 0, 0, 1, 5, 5} // a set of three particles in the plane, then a set of one
	z := Encode(NewWorkspace[float32](e, 2, 4), params, points, []int{3, 4})
	fmt.Println(len(z), "numbers from", layout.Size(), "parameters")
	// Output: 4 numbers from 136066 parameters
}
