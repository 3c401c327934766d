package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/attention"
	"macroscope/model/net/image"
)

// kinds is one encoder of each kind and form. Every test below runs over all of
// them.
func kinds() map[string]Config {
	return map[string]Config{
		"deepset 1-D":          {Kind: DeepSet, Dim: 1, ZDim: 3, Hidden: []int{7, 6}, Head: []int{5}, Act: kernel.SiLU},
		"deepset 2-D":          {Kind: DeepSet, Dim: 2, ZDim: 2, Hidden: []int{8, 5}, Head: []int{6, 4}, Act: kernel.Tanh},
		"deepset without head": {Kind: DeepSet, Dim: 3, ZDim: 1, Hidden: []int{6}, Act: kernel.Softplus},
		"set transformer":      {Kind: SetTransformer, Dim: 2, ZDim: 3, Attention: attention.Config{Width: 8, Heads: 2, Inducing: 3, Blocks: 2, Seeds: 1, Hidden: 6}},
		"set transformer 1-D":  {Kind: SetTransformer, Dim: 1, ZDim: 2, Attention: attention.Config{Width: 6, Heads: 3, Inducing: 2, Blocks: 1, Seeds: 3, Hidden: 5}},
		"flat, one set":        {Kind: Flat, Dim: 2, ZDim: 3, Hidden: []int{9, 7}, Sizes: []int{4}},
		"flat, two sets":       {Kind: Flat, Dim: 2, ZDim: 2, Hidden: []int{8}, Sizes: []int{3, 5}},
		"cnn":                  {Kind: CNN, Dim: 3, ZDim: 2, Raster: raster, Image: image.Config{Widths: []int{2, 3}}},
		"vit of marks":         {Kind: ViT, Dim: 3, ZDim: 2, Raster: marks(raster), Image: image.Config{Patch: 3, Width: 4, Heads: 2, Hidden: 5, Blocks: 1, Restoring: 1}},
	}
}

// raster holds most of what newModel draws.
var raster = image.Raster{Rows: 6, Cols: 9, Left: -1.8, Top: -1.5, Pixel: 0.45}

func marks(r image.Raster) image.Raster {
	r.Marked = true
	return r
}

// forEachKind runs a test over all encoders.
func forEachKind(t *testing.T, do func(t *testing.T, c Config)) {
	for name, c := range kinds() {
		t.Run(name, func(t *testing.T) { do(t, c) })
	}
}

// model is an encoder with weights and a batch.
type model[T tensor.Float] struct {
	cfg           Config
	layout        tensor.Layout
	net           *Net
	params, grads []T
	batch         Batch[T]
}

// newModel draws weights and a batch of several frames, whose sets have
// different numbers of particles where the encoder allows it.
func newModel[T tensor.Float](c Config, seed uint64) *model[T] {
	m := &model[T]{cfg: c}
	m.net = New(c, &m.layout)
	r := rand.New(rand.NewPCG(seed, 1))
	m.params, m.grads = make([]T, m.layout.Size()), make([]T, m.layout.Size())
	Init(m.params, m.net, r)
	sizes := []int{1, 6, 2, 11}
	if c.Kind == Flat {
		sizes = slices.Repeat(c.Sizes, 3)
	}
	end := 0
	for _, n := range sizes {
		end += n
		m.batch.Ends = append(m.batch.Ends, end)
	}
	for range end * c.Dim {
		m.batch.Points = append(m.batch.Points, T(r.NormFloat64()))
	}
	return m
}

func (m *model[T]) encoder() Encoder[T] {
	return NewEncoder[T](m.net, len(m.batch.Ends), len(m.batch.Points)/m.cfg.Dim)
}

// loss returns Σ w z + z²/2 over all sets, and its gradient.
func loss[T tensor.Float](z []T) (sum float64, dz []T) {
	for i, v := range z {
		w := math.Sin(float64(i + 1))
		sum += w*float64(v) + float64(v)*float64(v)/2
		dz = append(dz, T(w)+v)
	}
	return sum, dz
}

// TestGradients compares every gradient with central differences in float64: a
// step of 1e-6 leaves a truncation error near 1e-12 and a rounding error near
// 1e-10 of a loss near 1. Gradients must be added to what is there, and every
// parameter must receive one.
func TestGradients(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		m := newModel[float64](c, 1)
		e := m.encoder()
		for i := range m.grads {
			m.grads[i] = 3
		}
		_, dz := loss(e.Encode(m.params, m.batch))
		e.Backward(m.params, m.grads, m.batch, dz)
		const h = 1e-6
		for _, p := range m.layout.Params() {
			learns := false
			for i := p.Offset; i < p.Offset+p.Len(); i++ {
				keep := m.params[i]
				m.params[i] = keep + h
				up, _ := loss(e.Encode(m.params, m.batch))
				m.params[i] = keep - h
				down, _ := loss(e.Encode(m.params, m.batch))
				m.params[i] = keep
				got, want := m.grads[i]-3, (up-down)/(2*h)
				if !(math.Abs(got-want) <= 1e-8*(1+math.Abs(want))) {
					t.Errorf("%s[%d]: gradient %g, by differences %g", p.Name, i-p.Offset, got, want)
				}
				learns = learns || got != 0
			}
			if !learns {
				t.Errorf("%s receives no gradient", p.Name)
			}
		}
		if n := len(m.batch.Ends) * c.ZDim; len(e.Encode(m.params, m.batch)) != n {
			t.Errorf("ẑ of %d numbers, want %d", len(e.Encode(m.params, m.batch)), n)
		}
	})
}

// TestSetsAreEncodedAlone wants the frames of a batch not to see each other, in
// memory that larger batches have used.
func TestSetsAreEncodedAlone(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		m := newModel[float64](c, 2)
		e := m.encoder()
		all := slices.Clone(e.Encode(m.params, m.batch))
		sets := max(1, len(c.Sizes))
		for first := 0; first < len(m.batch.Ends); first += sets {
			begin := 0
			if first > 0 {
				begin = m.batch.Ends[first-1]
			}
			one := Batch[float64]{Points: m.batch.Points[begin*c.Dim : m.batch.Ends[first+sets-1]*c.Dim]}
			for _, end := range m.batch.Ends[first : first+sets] {
				one.Ends = append(one.Ends, end-begin)
			}
			got, want := e.Encode(m.params, one), all[first*c.ZDim:(first+sets)*c.ZDim]
			compare(t, fmt.Sprintf("sets from %d", first), got, want, 1e-13)
			// So are their gradients: those of the parts add up to that of the whole.
			_, dz := loss(got)
			e.Backward(m.params, m.grads, one, dz)
		}
		whole := make([]float64, len(m.grads))
		z := e.Encode(m.params, m.batch)
		var dz []float64
		for first := 0; first < len(z); first += sets * c.ZDim {
			_, d := loss(z[first : first+sets*c.ZDim])
			dz = append(dz, d...)
		}
		e.Backward(m.params, whole, m.batch, dz)
		compare(t, "gradients", whole, m.grads, 1e-12)
	})
}

func compare(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance*(1+math.Abs(w))) {
			t.Errorf("%s: number %d is %g, want %g to %g of it", what, i, got[i], w, tolerance)
		}
	}
}

// TestOrder shuffles the particles within their sets: ẑ must not change but for
// rounding if the encoder knows no order, and must if it does.
func TestOrder(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		m := newModel[float64](c, 3)
		e := m.encoder()
		want := slices.Clone(e.Encode(m.params, m.batch))
		r := rand.New(rand.NewPCG(3, 2))
		for range 20 {
			begin := 0
			for _, end := range m.batch.Ends {
				r.Shuffle(end-begin, func(i, j int) {
					for d := range c.Dim {
						a, b := (begin+i)*c.Dim+d, (begin+j)*c.Dim+d
						m.batch.Points[a], m.batch.Points[b] = m.batch.Points[b], m.batch.Points[a]
					}
				})
				begin = end
			}
			got := e.Encode(m.params, m.batch)
			most := 0.0
			for i, w := range want {
				most = max(most, math.Abs(got[i]-w))
			}
			if !c.Ordered() && most > 1e-13 {
				t.Errorf("ẑ moves by %g with the order", most)
			}
			if c.Ordered() && most < 1e-3 {
				t.Errorf("ẑ moves by no more than %g with the order", most)
			}
		}
	})
}

// TestSetsHaveNetworksOfTheirOwn wants the same particles as the first and as the
// second set of a frame to be the same to a DeepSet, and not to a Flat encoder.
func TestSetsHaveNetworksOfTheirOwn(t *testing.T) {
	for kind, same := range map[Kind]bool{DeepSet: true, SetTransformer: true, Flat: false} {
		c := Config{Kind: kind, Dim: 1, ZDim: 2, Hidden: []int{6}, Head: []int{4}, Act: kernel.Tanh, Sizes: []int{3, 3},
			Attention: attention.Config{Width: 4, Heads: 2, Inducing: 2, Blocks: 1, Seeds: 1, Hidden: 4}}
		m := newModel[float64](c, 4)
		z := NewFrozen[float64](m.net, 2).Encode(m.params, Batch[float64]{[]float64{1, 2, 3, 1, 2, 3}, []int{3, 6}})
		if got := slices.Equal(z[:2], z[2:]); got != same {
			t.Errorf("%s: ẑ %v and %v", kind, z[:2], z[2:])
		}
	}
}

// TestFrozenIsTrained wants an encoder that cannot be trained to give the bits of
// one that can for a frame that fits into its memory at once, those of several
// frames within rounding, since their rows are multiplied in other blocks, and to
// refuse to be trained.
func TestFrozenIsTrained(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		m := newModel[float32](c, 5)
		e, f := m.encoder(), NewFrozen[float32](m.net, len(m.batch.Ends))
		first := Batch[float32]{Points: m.batch.Points, Ends: m.batch.Ends[:max(1, len(c.Sizes))]}
		first.Points = first.Points[:first.Ends[len(first.Ends)-1]*c.Dim]
		for range 2 {
			want := slices.Clone(e.Encode(m.params, first))
			if got := f.Encode(m.params, first); !slices.Equal(got, want) {
				t.Errorf("ẑ %v, want the bits of %v", got, want)
			}
			want = slices.Clone(e.Encode(m.params, m.batch))
			for i, got := range f.Encode(m.params, m.batch) {
				if math.Abs(float64(got-want[i])) > 1e-6 {
					t.Errorf("ẑ[%d] is %g, want %g", i, got, want[i])
				}
			}
		}
		want := e.Encode(m.params, m.batch)
		defer func() {
			if s, ok := recover().(string); !ok || !strings.Contains(s, "frozen") {
				t.Errorf("a frozen encoder was trained: %v", s)
			}
		}()
		f.Backward(m.params, m.grads, m.batch, slices.Clone(want))
	})
}

func TestFrozenTakesLargeSets(t *testing.T) {
	for _, kind := range []string{"deepset 2-D", "set transformer"} {
		m := newModel[float64](kinds()[kind], 6)
		var b Batch[float64]
		for range 2 * (3*block + 17) {
			b.Points = append(b.Points, math.Sin(float64(len(b.Points))))
		}
		b.Ends = []int{block - 1, len(b.Points) / 2}
		want := NewEncoder[float64](m.net, 2, len(b.Points)/2).Encode(m.params, b)
		compare(t, kind, NewFrozen[float64](m.net, 2).Encode(m.params, b), want, 1e-12)
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		m := newModel[float32](c, 7)
		e, f := m.encoder(), NewFrozen[float32](m.net, len(m.batch.Ends))
		dz := make([]float32, len(m.batch.Ends)*c.ZDim)
		if n := testing.AllocsPerRun(10, func() {
			copy(dz, e.Encode(m.params, m.batch))
			e.Backward(m.params, m.grads, m.batch, dz)
			f.Encode(m.params, m.batch)
		}); n != 0 {
			t.Errorf("%v allocations a step", n)
		}
		if n := testing.AllocsPerRun(10, func() {
			if err := c.Takes(m.batch.Ends); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations in Takes", n)
		}
	})
}

// TestInit wants every weight to be drawn, by the source that is given alone.
func TestInit(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		m := newModel[float64](c, 8)
		for _, p := range m.layout.Params() {
			// The shift of a layer norm begins at 0, see package attention.
			shift := strings.HasSuffix(p.Name, ".norm.bias") || strings.HasSuffix(p.Name, ".before.bias") || strings.HasSuffix(p.Name, ".between.bias")
			if slices.Contains(tensor.Of(m.params, p), 0) && !shift {
				t.Errorf("%s has a zero", p.Name)
			}
			if !strings.HasPrefix(p.Name, "encoder.") {
				t.Errorf("a parameter is called %s", p.Name)
			}
		}
		if !slices.Equal(newModel[float64](c, 8).params, m.params) || slices.Equal(newModel[float64](c, 9).params, m.params) {
			t.Error("weights do not depend on their seed alone")
		}
		if fmt.Sprint(m.net.Config()) != fmt.Sprint(c) {
			t.Errorf("made from %v, want %v", m.net.Config(), c)
		}
	})
}

func TestTakes(t *testing.T) {
	deep, one, two := kinds()["deepset 1-D"], kinds()["flat, one set"], kinds()["flat, two sets"]
	for _, tc := range []struct {
		cfg  Config
		ends []int
		says string
	}{
		{deep, []int{1}, ""}, {deep, []int{3, 4, 900}, ""}, {deep, []int{0}, "no particles"}, {deep, []int{4, 4}, "no particles"}, {deep, []int{4, 3}, "no particles"},
		{one, []int{4}, ""}, {one, []int{4, 8}, ""}, {one, []int{3}, "has 3 particles"}, {one, []int{4, 9}, "has 5 particles, and this encoder, in which each has an input of its own, takes exactly 4"},
		{two, []int{3, 8}, ""}, {two, []int{3, 8, 11, 16}, ""}, {two, []int{5, 8}, "takes exactly 3"}, {two, []int{3, 7}, "takes exactly 5"}, {two, []int{3}, "1 sets"}, {two, []int{3, 8, 11}, "frames of 2"},
		{two, []int{0, 8}, "no particles"},
	} {
		err := tc.cfg.Takes(tc.ends)
		if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%s %v: %v, want %q", tc.cfg.Kind, tc.ends, err, tc.says)
		}
	}
}

// TestWrongBatchPanics wants a Flat encoder to refuse what Takes refuses, and
// more sets than it has room for.
func TestWrongBatchPanics(t *testing.T) {
	c := kinds()["flat, two sets"]
	m := newModel[float32](c, 9)
	for _, ends := range [][]int{{5, 8}, {3}, {3, 8, 11}, {3, 8, 11, 16, 19, 24, 27, 32}} {
		e := m.encoder()
		for name, do := range map[string]func(Batch[float32]){
			"Encode":   func(b Batch[float32]) { e.Encode(m.params, b) },
			"Backward": func(b Batch[float32]) { e.Backward(m.params, m.grads, b, make([]float32, len(ends)*c.ZDim)) },
		} {
			func() {
				defer func() {
					if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "encoder: ") {
						t.Errorf("%s of sets that end at %v: panic %q", name, ends, s)
					}
				}()
				do(Batch[float32]{make([]float32, ends[len(ends)-1]*c.Dim), ends})
			}()
		}
	}
}

func TestValidate(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	})
	for _, tc := range []struct {
		kind   string
		change func(*Config)
		says   string
	}{
		{"deepset 1-D", func(c *Config) { c.Kind = "" }, `no encoder ""; use "deepset", "settransformer", "flat", "cnn" or "vit"`},
		{"deepset 1-D", func(c *Config) { c.ZDim = 0 }, "latent dimension is 0"},
		{"deepset 1-D", func(c *Config) { c.ZDim = MaxZDim + 1 }, "use 1 to 16"},
		{"deepset 1-D", func(c *Config) { c.Dim = 0 }, "0 coordinates"},
		{"deepset 1-D", func(c *Config) { c.Hidden = nil }, "at least one layer"},
		{"deepset 1-D", func(c *Config) { c.Head = []int{1 << 20} }, "width 1048576"},
		{"set transformer", func(c *Config) { c.Attention.Heads = 3 }, "cannot be shared by 3 heads"},
		{"set transformer", func(c *Config) { c.Dim = 17 }, "17 coordinates"},
		{"cnn", func(c *Config) { c.Dim = 2 }, "2 coordinates, and a picture is drawn of 3"},
		{"cnn", func(c *Config) { c.Raster.Pixel = 0 }, "pixels of size 0"},
		{"cnn", func(c *Config) { c.Image.Widths = nil }, "0 convolutions"},
		{"vit of marks", func(c *Config) { c.Raster.Cols = 8 }, "do not tile 8"},
		{"flat, one set", func(c *Config) { c.ZDim = 99 }, "latent dimension is 99"},
		{"flat, one set", func(c *Config) { c.Dim = 17 }, "17 coordinates"},
		{"flat, one set", func(c *Config) { c.Sizes = nil }, "0 sets"},
		{"flat, one set", func(c *Config) { c.Sizes = []int{0} }, "0 particles"},
		{"flat, two sets", func(c *Config) { c.Sizes = []int{3, maxInputs + 1} }, "10001 particles"},
		{"flat, one set", func(c *Config) { c.Hidden = nil }, "0 hidden layers"},
		{"flat, one set", func(c *Config) { c.Hidden = slices.Repeat([]int{4}, 9) }, "9 hidden layers"},
		{"flat, one set", func(c *Config) { c.Hidden = []int{0} }, "width 0"},
		{"flat, one set", func(c *Config) { c.Hidden = []int{1025} }, "width 1025"},
	} {
		c := kinds()[tc.kind]
		if tc.change(&c); c.Validate() == nil || !strings.Contains(c.Validate().Error(), tc.says) {
			t.Errorf("error %v, want one that says %q", c.Validate(), tc.says)
		}
	}
}

// An encoder turns each of the two sets of a batch into one number. Where a layer
// adds nothing and the activation does nothing, that is the mean particle.
func ExampleEncoder() {
	var layout tensor.Layout
	net := New(Config{Kind: DeepSet, Dim: 1, ZDim: 1, Hidden: []int{1}, Act: kernel.Identity}, &layout)
	params := []float64{1, 0, 1, 0} // a weight and a bias for each of two layers
	e := NewEncoder[float64](net, 2, 5)
	fmt.Println(e.Encode(params, Batch[float64]{Points: []float64{1, 2, 3, 10, 20}, Ends: []int{3, 5}}))
	// Output: [2 15]
}
