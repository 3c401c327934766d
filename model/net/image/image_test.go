package image

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// The map `some` contains small autoencoders. The CNNs halve odd and even sizes.
var some = map[string]Config{
	"cnn": {Kind: CNN, Channels: 1, Rows: 11, Cols: 18, ZDim: 2, Widths: []int{3, 4, 5}},
	"cnn of two channels and one convolution": {Kind: CNN, Channels: 2, Rows: 4, Cols: 3, ZDim: 3, Widths: []int{3}},
	"vit": {Kind: ViT, Channels: 2, Rows: 4, Cols: 6, ZDim: 2, Patch: 2, Width: 6, Heads: 2, Hidden: 10, Blocks: 2, Restoring: 1},
}

// pair is an autoencoder with its parameters.
type pair[T tensor.Float] struct {
	Config
	layout           tensor.Layout
	encoder, decoder *Net
	params           []T
}

func newPair[T tensor.Float](t testing.TB, c Config) *pair[T] {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	p := &pair[T]{Config: c}
	p.encoder, p.decoder = NewEncoderNet(c, &p.layout, "e"), NewDecoderNet(c, &p.layout, "d")
	p.params = make([]T, p.layout.Size())
	r := rand.New(rand.NewPCG(1, 2))
	Init(p.params, p.encoder, r)
	Init(p.params, p.decoder, r)
	return p
}

func pictures[T tensor.Float](c Config, count int) []T {
	r := rand.New(rand.NewPCG(3, 4))
	x := make([]T, count*c.pixels())
	for i := range x {
		x[i] = T(r.Float64())
	}
	return x
}

// TestGradients compares the gradients of the squared error with central differences: the gradients
// with respect to all parameters, and to the encoder's input pictures.
func TestGradients(t *testing.T) {
	for name, c := range some {
		p := newPair[float64](t, c)
		const count = 3
		x := pictures[float64](c, count)
		e, d := NewEncoder[float64](p.encoder, count), NewDecoder[float64](p.decoder, count)
		r := rand.New(rand.NewPCG(5, 6))
		for i := range p.params { // changes the parameters that start as 0 or 1, too
			p.params[i] += 0.1 * r.NormFloat64()
		}
		truth, dy := append([]float64(nil), x...), make([]float64, len(x))
		loss := func() float64 {
			return SquaredError(dy, d.Decode(p.params, e.Encode(p.params, x, count), count), truth)
		}
		grads, dz, dx := make([]float64, len(p.params)), make([]float64, count*c.ZDim), make([]float64, len(x))
		loss()
		d.Backward(p.params, grads, dz, dy, count)
		e.Backward(p.params, grads, dx, dz, count)
		check := func(what string, at *float64, got float64) {
			t.Helper()
			const h = 1e-6
			was := *at
			*at = was + h
			above := loss()
			*at = was - h
			below := loss()
			*at = was
			if want := (above - below) / (2 * h); math.Abs(got-want) > 1e-8+1e-5*math.Abs(want) {
				t.Errorf("%s: the gradient of %s is %g, want %g", name, what, got, want)
			}
		}
		for _, param := range p.layout.Params() {
			g := tensor.Of(grads, param)
			moved := false
			for _, i := range []int{0, len(g) / 2, len(g) - 1} {
				check(fmt.Sprintf("%s %d", param.Name, i), &tensor.Of(p.params, param)[i], g[i])
			}
			for _, v := range g {
				moved = moved || v != 0
			}
			if !moved {
				t.Errorf("%s: %s has no gradient", name, param.Name)
			}
		}
		for i := 0; i < len(x); i += 7 {
			check(fmt.Sprint("pixel ", i), &x[i], dx[i])
		}
		// Gradients accumulate, so a second call doubles them.
		loss()
		d.Backward(p.params, grads, dz, dy, count)
		e.Backward(p.params, grads, nil, dz, count)
		again := make([]float64, len(p.params))
		loss()
		d.Backward(p.params, again, dz, dy, count)
		e.Backward(p.params, again, nil, dz, count)
		for i, g := range grads {
			if math.Abs(g-2*again[i]) > 1e-12 {
				t.Fatalf("%s: two gradients add up to %g, want %g", name, g, 2*again[i])
			}
		}
	}
}

// TestBatches checks that a picture is encoded and restored in a batch as in a separate call.
func TestBatches(t *testing.T) {
	for name, c := range some {
		p := newPair[float32](t, c)
		const count = 3
		x := pictures[float32](c, count)
		e, d := NewEncoder[float32](p.encoder, count), NewDecoder[float32](p.decoder, count)
		z := append([]float32(nil), e.Encode(p.params, x, count)...)
		y := append([]float32(nil), d.Decode(p.params, z, count)...)
		if len(z) != count*c.ZDim || len(y) != len(x) {
			t.Fatalf("%s: %d numbers and %d pixels", name, len(z), len(y))
		}
		for k := range count {
			one := e.Encode(p.params, x[k*c.pixels():][:c.pixels()], 1)
			for i, v := range one {
				if d := v - z[k*c.ZDim+i]; d*d > 1e-10 {
					t.Errorf("%s: ẑ of picture %d alone is %v, and %v among others", name, k, one, z[k*c.ZDim:][:c.ZDim])
				}
			}
			back := d.Decode(p.params, z[k*c.ZDim:][:c.ZDim], 1)
			for i, v := range back {
				if d := v - y[k*c.pixels()+i]; d*d > 1e-10 {
					t.Fatalf("%s: pixel %d of picture %d alone is %g, and %g among others", name, i, k, v, y[k*c.pixels()+i])
				}
			}
		}
	}
}

// TestOrderOfPixels checks that ẑ depends on the order of the pixels: unlike a set encoder,
// these baselines are not invariant.
func TestOrderOfPixels(t *testing.T) {
	for name, c := range some {
		p := newPair[float64](t, c)
		x := pictures[float64](c, 1)
		e := NewEncoder[float64](p.encoder, 1)
		was := e.Encode(p.params, x, 1)[0]
		x[0], x[len(x)-1] = x[len(x)-1], x[0]
		if now := e.Encode(p.params, x, 1)[0]; now == was {
			t.Errorf("%s: ẑ of a picture with two pixels exchanged is the same", name)
		}
	}
}

// TestRestores trains on a few pictures, each of one blob. The squared error must fall below a
// third of the error of the mean picture.
func TestRestores(t *testing.T) {
	for name, c := range map[string]Config{
		"cnn": {Kind: CNN, Channels: 1, Rows: 8, Cols: 16, ZDim: 2, Widths: []int{8, 12}},
		"vit": {Kind: ViT, Channels: 1, Rows: 8, Cols: 16, ZDim: 2, Patch: 4, Width: 16, Heads: 2, Hidden: 32, Blocks: 1, Restoring: 1},
	} {
		p := newPair[float32](t, c)
		const count = 8
		x := make([]float32, count*c.pixels())
		mean := make([]float32, c.pixels())
		for k := range count {
			for i := range c.pixels() {
				dx, dy := float64(i%c.Cols-3-k), float64(i/c.Cols-2-k%4)
				x[k*c.pixels()+i] = float32(math.Exp(-(dx*dx + dy*dy) / 4))
				mean[i] += x[k*c.pixels()+i] / count
			}
		}
		all := make([]float32, len(x))
		for k := range count {
			copy(all[k*c.pixels():], mean)
		}
		dy, dz := make([]float32, len(x)), make([]float32, count*c.ZDim)
		first := SquaredError(dy, all, x)
		e, d := NewEncoder[float32](p.encoder, count), NewDecoder[float32](p.decoder, count)
		grads, m, v := make([]float32, len(p.params)), make([]float32, len(p.params)), make([]float32, len(p.params))
		last := 0.0
		for step := range 800 {
			clear(grads)
			last = SquaredError(dy, d.Decode(p.params, e.Encode(p.params, x, count), count), x)
			d.Backward(p.params, grads, dz, dy, count)
			e.Backward(p.params, grads, nil, dz, count)
			adam(p.params, grads, m, v, step+1)
		}
		if last > first/3 {
			t.Errorf("%s: an error of %g is left of %g", name, last, first)
		}
	}
}

func TestValidate(t *testing.T) {
	vit := Config{Kind: ViT, Channels: 1, Rows: 8, Cols: 8, ZDim: 1, Patch: 4, Width: 8, Heads: 4, Hidden: 8, Blocks: 1, Restoring: 1}
	odd, many, heads, blocks := vit, vit, vit, vit
	odd.Cols, many.Rows, many.Cols, many.Patch, heads.Width, blocks.Blocks = 9, 100, 500, 1, 6, 0
	for says, c := range map[string]Config{
		"use up to 262144 pixels":                {Kind: CNN, Channels: 1, Rows: 1 << 20, Cols: 1 << 20, ZDim: 1, Widths: []int{1}},
		`zdim cannot be "0"`:                     {Kind: CNN, Channels: 1, Rows: 8, Cols: 8, Widths: []int{1}},
		"give 1 to 8 whole numbers":              {Kind: CNN, Channels: 1, Rows: 8, Cols: 8, ZDim: 1},
		`cnn.widths cannot be "300"`:             {Kind: CNN, Channels: 1, Rows: 8, Cols: 8, ZDim: 1, Widths: []int{300}},
		`no autoencoder "x"`:                     {Kind: "x", Channels: 1, Rows: 8, Cols: 8, ZDim: 1},
		"do not tile":                            odd,
		"fewer than 2048":                        many,
		"multiple of the heads":                  heads,
		`vit.blocks cannot be "0": give a whole`: blocks,
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", c, err, says)
		}
	}
}

// TestAllocations checks that a training step allocates nothing.
func TestAllocations(t *testing.T) {
	for name, c := range some {
		p := newPair[float32](t, c)
		x := pictures[float32](c, 2)
		e, d := NewEncoder[float32](p.encoder, 2), NewDecoder[float32](p.decoder, 2)
		grads, dy, dz := make([]float32, len(p.params)), make([]float32, len(x)), make([]float32, 2*c.ZDim)
		step := func() {
			SquaredError(dy, d.Decode(p.params, e.Encode(p.params, x, 2), 2), x)
			d.Backward(p.params, grads, dz, dy, 2)
			e.Backward(p.params, grads, nil, dz, 2)
		}
		step()
		if n := testing.AllocsPerRun(10, step); n != 0 {
			t.Errorf("%s: %v allocations a step", name, n)
		}
	}
}

// BenchmarkStep times forward and backward of one frame of the polymer's video.
func BenchmarkStep(b *testing.B) {
	for name, c := range map[string]Config{
		"cnn": {Kind: CNN, Channels: 1, Rows: 100, Cols: 500, ZDim: 2, Widths: []int{8, 16, 32, 32}},
		"vit": {Kind: ViT, Channels: 1, Rows: 100, Cols: 500, ZDim: 2, Patch: 20, Width: 64, Heads: 4, Hidden: 256, Blocks: 2, Restoring: 2},
	} {
		b.Run(name, func(b *testing.B) {
			p := newPair[float32](b, c)
			x := pictures[float32](c, 1)
			e, d := NewEncoder[float32](p.encoder, 1), NewDecoder[float32](p.decoder, 1)
			grads, dy, dz := make([]float32, len(p.params)), make([]float32, len(x)), make([]float32, c.ZDim)
			for b.Loop() {
				SquaredError(dy, d.Decode(p.params, e.Encode(p.params, x, 1), 1), x)
				d.Backward(p.params, grads, dz, dy, 1)
				e.Backward(p.params, grads, nil, dz, 1)
			}
		})
	}
}

func adam(p, g, m, v []float32, step int) {
	kernel.Adam(p, g, m, v, kernel.AdamStep{Rate: 2e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: step})
}
