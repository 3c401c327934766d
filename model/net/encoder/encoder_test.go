package encoder_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/learn/method"
	"macroscope/model/net/encoder"
	"macroscope/model/net/encoder/deepset"
	"macroscope/model/setting"
)

// kase is a kind of encoder together with the shape of its sets.
type kase struct {
	kind  encoder.Kind
	shape encoder.Shape
}

// small contains settings that make networks small. With these settings, pictures show most of the
// points that newModel draws.
var small = map[string]string{
	"encoder.hidden": "7 6", "encoder.head": "5", "hidden": "9 7",
	"encoder.width": "6", "encoder.heads": "2", "encoder.inducing": "3", "encoder.blocks": "2", "encoder.seeds": "2", "encoder.feed": "5",
	"picture.rows": "6", "picture.cols": "9", "picture.left": "-1.8", "picture.top": "-1.5", "picture.pixel": "0.45", "cnn.widths": "2 3",
	"vit.patch": "3", "vit.width": "4", "vit.heads": "2", "vit.hidden": "5", "vit.blocks": "1", "vit.restoring": "1",
}

// shrunk returns a kind with small settings.
func shrunk(k encoder.Kind, s encoder.Shape) encoder.Kind {
	k = setting.Clone(k)
	t := k.Table(&s)
	for name, text := range small {
		if f := t.Find(name); f != nil {
			if err := f.Set(text); err != nil {
				panic(err)
			}
		}
	}
	return k
}

// kinds returns the encoder of every method, for every shape of sets that the encoder supports.
// Every test below runs over all of them.
func kinds() map[string]kase {
	all := make(map[string]kase)
	for _, m := range method.Methods() {
		for name, s := range map[string]encoder.Shape{
			"1-D":      {Dim: 1, ZDim: 3, Sets: 1, Particles: 4},
			"two sets": {Dim: 2, ZDim: 2, Sets: 2, Particles: 7},
			"3-D":      {Dim: 3, ZDim: 2, Sets: 1, Particles: 5},
			"circles":  {Dim: 2, ZDim: 2, Sets: 2, Particles: 6, Circles: 0b10},
		} {
			k := shrunk(m.Encoder(), s)
			if e, ok := k.(*encoder.Tunable); ok {
				e.Lengths, e.Usual = []int{1, 3}, 3
				s.ZDim = e.Width()
			}
			if k.Validate(s) == nil {
				all[k.Name()+", "+name] = kase{k, s}
			}
		}
	}
	marked := setting.Clone(all["cnn, 3-D"].kind).(*encoder.Picture)
	marked.Raster.Marked = true
	all["cnn, marked"] = kase{marked, all["cnn, 3-D"].shape}
	headless := setting.Clone(all["DeepSet, 3-D"].kind).(*encoder.DeepSet)
	headless.Head, headless.Act = nil, kernel.Softplus
	all["DeepSet without head"] = kase{headless, all["DeepSet, 3-D"].shape}
	return all
}

// forEachKind runs a test over all encoders.
func forEachKind(t *testing.T, do func(t *testing.T, c kase)) {
	for name, c := range kinds() {
		t.Run(name, func(t *testing.T) { do(t, c) })
	}
}

// model is an encoder with weights and a batch.
type model[T tensor.Float] struct {
	kase
	layout        tensor.Layout
	net           encoder.Maker[T]
	params, grads []T
	batch         encoder.Batch[T]
}

// newModel draws weights and a batch of several frames. The sets of the frames have different
// numbers of particles if the encoder allows this.
func newModel[T tensor.Float](c kase, seed uint64) *model[T] {
	m := &model[T]{kase: c}
	m.net = encoder.Of[T](encoder.New(c.kind, &m.layout, c.shape))
	r := rand.New(rand.NewPCG(seed, 1))
	m.params, m.grads = make([]T, m.layout.Size()), make([]T, m.layout.Size())
	m.net.Init(m.params, r)
	sizes := []int{1, 6, 2, 11}
	if c.kind.Ordered() {
		sizes = slices.Repeat(c.shape.SetSizes(), 3)
	}
	end := 0
	for _, n := range sizes {
		end += n
		m.batch.Ends = append(m.batch.Ends, end)
	}
	for range end * c.shape.Dim {
		m.batch.Points = append(m.batch.Points, T(r.NormFloat64()))
	}
	return m
}

func (m *model[T]) encoder() encoder.Encoder[T] {
	return m.net.Train(len(m.batch.Ends), len(m.batch.Points)/m.shape.Dim)
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

// TestGradients compares every gradient with central differences in float64. The loss is near 1. A
// step of 1e-6 leaves a truncation error near 1e-12 and a rounding error near 1e-10. Encoders must
// add gradients to grads, for every parameter.
func TestGradients(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		m := newModel[float64](c, 1)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range m.params { // some weights start so small that a layer norm is too nonlinear for finite differences; the noise makes them larger
			m.params[i] += 0.3 * r.NormFloat64()
		}
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
		if n := len(m.batch.Ends) * c.shape.ZDim; len(e.Encode(m.params, m.batch)) != n {
			t.Errorf("ẑ of %d numbers, want %d", len(e.Encode(m.params, m.batch)), n)
		}
	})
}

// TestSetsAreEncodedAlone checks that an encoder gives a frame the same ẑ in a batch as in a
// separate call. The larger batch comes first, so its values are still in the encoder's memory.
func TestSetsAreEncodedAlone(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		m := newModel[float64](c, 2)
		e := m.encoder()
		all := slices.Clone(e.Encode(m.params, m.batch))
		sets := c.shape.Sets
		for first := 0; first < len(m.batch.Ends); first += sets {
			begin := 0
			if first > 0 {
				begin = m.batch.Ends[first-1]
			}
			one := encoder.Batch[float64]{Points: m.batch.Points[begin*c.shape.Dim : m.batch.Ends[first+sets-1]*c.shape.Dim]}
			for _, end := range m.batch.Ends[first : first+sets] {
				one.Ends = append(one.Ends, end-begin)
			}
			got, want := e.Encode(m.params, one), all[first*c.shape.ZDim:(first+sets)*c.shape.ZDim]
			compare(t, fmt.Sprintf("sets from %d", first), got, want, 1e-13)
			// The gradients of the parts must add up to the gradient of the whole batch.
			_, dz := loss(got)
			e.Backward(m.params, m.grads, one, dz)
		}
		whole := make([]float64, len(m.grads))
		z := e.Encode(m.params, m.batch)
		var dz []float64
		for first := 0; first < len(z); first += sets * c.shape.ZDim {
			_, d := loss(z[first : first+sets*c.shape.ZDim])
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

// TestOrder shuffles the particles within their sets. The ẑ of an unordered encoder may change
// only by rounding; the ẑ of an ordered encoder must change.
func TestOrder(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		m := newModel[float64](c, 3)
		e := m.encoder()
		want := slices.Clone(e.Encode(m.params, m.batch))
		r := rand.New(rand.NewPCG(3, 2))
		for range 20 {
			begin := 0
			for _, end := range m.batch.Ends {
				r.Shuffle(end-begin, func(i, j int) {
					for d := range c.shape.Dim {
						a, b := (begin+i)*c.shape.Dim+d, (begin+j)*c.shape.Dim+d
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
			if !c.kind.Ordered() && most > 1e-13 {
				t.Errorf("ẑ moves by %g with the order", most)
			}
			if c.kind.Ordered() && most < 1e-3 {
				t.Errorf("ẑ moves by no more than %g with the order", most)
			}
		}
	})
}

// TestSetsHaveNetworksOfTheirOwn encodes the same particles as the first and as the second set
// of a frame. An unordered encoder must give both sets equal ẑ. An ordered encoder has a
// network for each set, so the two ẑ must differ.
func TestSetsHaveNetworksOfTheirOwn(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		c.shape.Sets, c.shape.Particles = 2, 6
		m := newModel[float64](c, 4)
		x := make([]float64, 3*c.shape.Dim)
		for i := range x {
			x[i] = math.Sin(float64(i))
		}
		z := m.net.Frozen(2).Encode(m.params, encoder.Batch[float64]{Points: slices.Concat(x, x), Ends: []int{3, 6}})
		if n := c.shape.ZDim; slices.Equal(z[:n], z[n:]) == c.kind.Ordered() {
			t.Errorf("ẑ %v and %v", z[:n], z[n:])
		}
	})
}

// TestFrozenIsTrained checks that a frozen encoder computes the same ẑ as a trainable one. For one
// frame the bits are equal. For several frames the results may differ by rounding, because the two
// encoders multiply the rows in different blocks. Backward of a frozen encoder must panic.
func TestFrozenIsTrained(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		m := newModel[float32](c, 5)
		e, f := m.encoder(), m.net.Frozen(len(m.batch.Ends))
		first := encoder.Batch[float32]{Points: m.batch.Points, Ends: m.batch.Ends[:c.shape.Sets]}
		first.Points = first.Points[:first.Ends[len(first.Ends)-1]*c.shape.Dim]
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

// TestFrozenTakesLargeSets gives encoders sets with more particles than the encoders process at
// once.
func TestFrozenTakesLargeSets(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		if c.kind.Ordered() || c.kind.Pictures() {
			return
		}
		m := newModel[float64](c, 6)
		const n = 917
		b := encoder.Batch[float64]{Points: make([]float64, n*c.shape.Dim), Ends: []int{299, n}}
		for i := range b.Points {
			b.Points[i] = math.Sin(float64(i))
		}
		compare(t, "ẑ", m.net.Frozen(2).Encode(m.params, b), m.net.Train(2, n).Encode(m.params, b), 1e-12)
	})
}

// TestEmptySets puts an empty frame before a batch, within and after it. Encoders that take it encode all other frames as
// before, and have finite gradients.
func TestEmptySets(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		c.shape.Empty = true
		m := newModel[float64](c, 9)
		sets, width := c.shape.Sets, c.shape.Sets*c.shape.ZDim
		without := slices.Clone(m.encoder().Encode(m.params, m.batch))
		at := []int{0, 2, len(m.batch.Ends)/sets + 2} // of the empty frames
		for _, k := range at {
			end := 0
			if k > 0 {
				end = m.batch.Ends[k*sets-1]
			}
			m.batch.Ends = slices.Insert(m.batch.Ends, k*sets, slices.Repeat([]int{end}, sets)...)
		}
		if err := c.kind.Takes(c.shape, m.batch.Ends); err != nil {
			if !strings.Contains(err.Error(), "no particles") {
				t.Error(err)
			}
			return
		}
		e := m.encoder()
		with := slices.Clone(e.Encode(m.params, m.batch))
		compare(t, "frozen", m.net.Frozen(len(m.batch.Ends)).Encode(m.params, m.batch), with, 1e-12)
		dz := slices.Repeat([]float64{1}, len(with))
		e.Backward(m.params, m.grads, m.batch, dz)
		if slices.ContainsFunc(append(m.grads, with...), func(v float64) bool { return v-v != 0 }) {
			t.Error("ẑ or a gradient is not finite")
		}
		empty := slices.Clone(with[:width])
		for _, k := range slices.Backward(at) {
			compare(t, "ẑ of an empty frame", with[k*width:(k+1)*width], empty, 0)
			with = slices.Delete(with, k*width, (k+1)*width)
		}
		compare(t, "ẑ of the others", with, without, 1e-12)
		alone := encoder.Batch[float64]{Ends: make([]int, sets)}
		compare(t, "ẑ of an empty frame alone", m.encoder().Encode(m.params, alone), empty, 1e-12)
	})
}

func TestStepDoesNotAllocate(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		m := newModel[float32](c, 7)
		e, f := m.encoder(), m.net.Frozen(len(m.batch.Ends))
		dz := make([]float32, len(m.batch.Ends)*c.shape.ZDim)
		if n := testing.AllocsPerRun(10, func() {
			copy(dz, e.Encode(m.params, m.batch))
			e.Backward(m.params, m.grads, m.batch, dz)
			f.Encode(m.params, m.batch)
		}); n != 0 {
			t.Errorf("%v allocations a step", n)
		}
		if n := testing.AllocsPerRun(10, func() {
			if err := c.kind.Takes(c.shape, m.batch.Ends); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations in Takes", n)
		}
	})
}

// TestInit checks that every weight is drawn, and only from the given source.
func TestInit(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
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
	})
}

func TestTakes(t *testing.T) {
	deep := kase{&encoder.DeepSet{}, encoder.Shape{Dim: 1, Sets: 1, Particles: 9}}
	one, two := kase{&encoder.Flat{}, encoder.Shape{Sets: 1, Particles: 4}}, kase{&encoder.Flat{}, encoder.Shape{Sets: 2, Particles: 7}}
	for _, tc := range []struct {
		kase
		ends []int
		says string
	}{
		{deep, []int{1}, ""}, {deep, []int{3, 4, 900}, ""}, {deep, []int{0}, "no particles"}, {deep, []int{4, 4}, "no particles"}, {deep, []int{4, 3}, "no particles"},
		{one, []int{4}, ""}, {one, []int{4, 8}, ""}, {one, []int{3}, "has 3 particles"}, {one, []int{4, 9}, "has 5 particles, and this encoder, in which each has an input of its own, takes exactly 4"},
		{two, []int{4, 7}, ""}, {two, []int{4, 7, 11, 14}, ""}, {two, []int{3, 7}, "takes exactly 4"}, {two, []int{4, 8}, "takes exactly 3"}, {two, []int{4}, "1 sets"}, {two, []int{4, 7, 11}, "frames of 2"},
		{two, []int{0, 7}, "no particles"},
	} {
		err := tc.kind.Takes(tc.shape, tc.ends)
		if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%s %v: %v, want %q", tc.kind.Name(), tc.ends, err, tc.says)
		}
	}
}

// TestWrongBatchPanics checks that a Flat encoder panics for batches that Takes rejects, and
// for more sets than it has memory for.
func TestWrongBatchPanics(t *testing.T) {
	flat := &encoder.Flat{}
	c := kinds()[flat.Name()+", two sets"]
	m := newModel[float32](c, 9)
	for _, ends := range [][]int{{3, 7}, {4}, {4, 7, 11}, {4, 7, 11, 14, 18, 21, 25, 28}} {
		e := m.encoder()
		for name, do := range map[string]func(encoder.Batch[float32]){
			"Encode": func(b encoder.Batch[float32]) { e.Encode(m.params, b) },
			"Backward": func(b encoder.Batch[float32]) {
				e.Backward(m.params, m.grads, b, make([]float32, len(ends)*c.shape.ZDim))
			},
		} {
			func() {
				defer func() {
					if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "encoder: ") {
						t.Errorf("%s of sets that end at %v: panic %q", name, ends, s)
					}
				}()
				do(encoder.Batch[float32]{Points: make([]float32, ends[len(ends)-1]*c.shape.Dim), Ends: ends})
			}()
		}
	}
}

// TestValidate checks that wrong settings are reported, by the table of settings or by the kind
// of encoder.
func TestValidate(t *testing.T) {
	check := func(k encoder.Kind, s encoder.Shape) error {
		if err := k.Table(&s).Check(); err != nil {
			return err
		}
		return k.Validate(s)
	}
	forEachKind(t, func(t *testing.T, c kase) {
		if err := check(c.kind, c.shape); err != nil {
			t.Error(err)
		}
	})
	deep, flat := &encoder.DeepSet{}, &encoder.Flat{}
	for _, tc := range []struct {
		kind, name, text, says string
	}{
		{deep.Name() + ", 3-D", "encoder.zdim", "0", `the latent dimension cannot be "0": give a whole number from 1 to 16`},
		{deep.Name() + ", 3-D", "encoder.zdim", "17", "from 1 to 16"},
		{deep.Name() + ", 3-D", "encoder.dim", "0", "from 1 to 16"},
		{deep.Name() + ", 3-D", "encoder.hidden", "", "give 1 to 16 whole numbers"},
		{deep.Name() + ", 3-D", "encoder.head", "1048576", "from 1 to 4096"},
		{"Set Transformer, 3-D", "encoder.heads", "4", "cannot be shared by 4 heads"},
		{"cnn, 3-D", "encoder.dim", "2", "2 coordinates, and a picture is drawn of 3"},
		{"cnn, 3-D", "picture.pixel", "0", "give a number from 1e-6"},
		{"cnn, 3-D", "picture.left", "NaN", "give a number from -1000000"},
		{"cnn, 3-D", "cnn.widths", "", "give 1 to 8 whole numbers"},
		{"vit, 3-D", "picture.cols", "8", "do not tile 8"},
		{flat.Name() + ", 3-D", "zdim", "99", "from 1 to 16"},
		{flat.Name() + ", 3-D", "dim", "17", "from 1 to 16"},
		{flat.Name() + ", 3-D", "hidden", "", "1 to 8 whole numbers from 1 to 1024"},
		{flat.Name() + ", 3-D", "hidden", "1025", "from 1 to 1024"},
		{flat.Name() + ", two sets", "sizes", "5 2", "use 4 3, which other settings say"},
	} {
		c := kinds()[tc.kind]
		err := c.kind.Table(&c.shape).Set(tc.name, tc.text)
		if err == nil {
			err = check(c.kind, c.shape)
		}
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s, %s=%s: error %v, want one that says %q", tc.kind, tc.name, tc.text, err, tc.says)
		}
	}
	if err := flat.Validate(encoder.Shape{Sets: 2, Particles: 20_001}); err == nil || !strings.Contains(err.Error(), "10001 particles") {
		t.Errorf("error %v", err)
	}
}

// An encoder turns each of the two sets of a batch into one number. Here all layers are
// the identity, so the number is the mean particle.
func ExampleEncoder() {
	var layout tensor.Layout
	deep := encoder.DeepSet{Config: deepset.Config{Hidden: []int{1}, Act: kernel.Identity}}
	net := deep.New(&layout, encoder.Shape{Dim: 1, ZDim: 1}).Float64()
	params := []float64{1, 0, 1, 0} // a weight and a bias for each of two layers
	e := net.Train(2, 5)
	fmt.Println(e.Encode(params, encoder.Batch[float64]{Points: []float64{1, 2, 3, 10, 20}, Ends: []int{3, 5}}))
	// Output: [2 15]
}
