package decoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder/flow"
	"macroscope/model/net/decoder/matching"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/image"
	"macroscope/model/net/metric"
)

// kinds is one decoder of each kind and form. Every test below runs over all of
// them.
func kinds() map[string]Config {
	small := flow.Config{Dim: 1, ZDim: 3, Layers: 2, Bins: 4, Bound: 4, Hidden: []int{6}, Act: kernel.SiLU, CondBase: true, BaseHidden: 5, Order: flow.Alternate}
	plane := flow.Config{Dim: 2, ZDim: 2, Layers: 2, Bins: 5, Bound: 4, Hidden: []int{5, 6}, Act: kernel.Tanh, Order: flow.Alternate}
	return map[string]Config{
		"flow 1-D, stratified": {Kind: Flow, Flow: small, Eps: 0.2, Samples: 8, Stratified: true},
		"flow 2-D":             {Kind: Flow, Flow: plane, Eps: 0.05, Samples: 5},
		"pointwise, one set":   {Kind: Pointwise, Dim: 2, ZDim: 3, Hidden: []int{7, 9}, Sizes: []int{4}},
		"pointwise, two sets":  {Kind: Pointwise, Dim: 2, ZDim: 2, Hidden: []int{8}, Sizes: []int{3, 5}},
		"pointwise, joined":    {Kind: Pointwise, Dim: 2, ZDim: 2, Hidden: []int{8}, Sizes: []int{6}, Join: 2},
		"Chamfer, one set":     {Kind: Chamfer, Dim: 2, ZDim: 3, Hidden: []int{7, 9}, Sizes: []int{4}},
		"Chamfer, two sets":    {Kind: Chamfer, Dim: 1, ZDim: 2, Hidden: []int{8}, Sizes: []int{3, 5}},
		"matching 1-D":         {Kind: Matching, Matching: matching.Config{Dim: 1, ZDim: 3, Hidden: []int{9}, Act: kernel.SiLU, Sigma: 0.1, Steps: 4}, Eps: 0.2, Samples: 6},
		"matching 2-D":         {Kind: Matching, Matching: matching.Config{Dim: 2, ZDim: 2, Hidden: []int{7}, Act: kernel.Tanh, Steps: 3}, Eps: 0.05, Samples: 5},
		"one step":             {Kind: None, ZDim: 2, Dim: 2, Step: step(2, 1, 2)},
		"flow and one step":    {Kind: Flow, Flow: plane, Eps: 0.05, Samples: 5, Step: step(1, 2, 2)},
		"cnn":                  {Kind: Picture, Dim: 3, ZDim: 2, Raster: raster, Image: image.Config{Kind: image.CNN, ZDim: 2, Widths: []int{2, 3}}.On(raster)},
		"vit and one step":     {Kind: Picture, Dim: 3, ZDim: 2, Raster: raster, Image: image.Config{Kind: image.ViT, ZDim: 2, Patch: 3, Width: 4, Heads: 2, Hidden: 5, Blocks: 1, Restoring: 1}.On(raster), Step: step(1, 1, 2)},
		"Chamfer, joined":      {Kind: Chamfer, Dim: 3, ZDim: 2, Hidden: []int{8}, Sizes: []int{6}, Join: 2},
	}
}

// raster holds most of what newModel draws.
var raster = image.Raster{Rows: 6, Cols: 9, Left: -1.8, Top: -1.5, Pixel: 0.45, Marked: true}

// step is a one-step loss of so many macroscopic variables and sets.
func step(macros, sets, zdim int) Step {
	return Step{
		Weight: 0.7, Macro: 3, Spread: 0.4, Macros: macros, Sets: sets,
		Drift: dynamics.Config{Dim: macros + sets*zdim, Form: dynamics.FormMLP, Hidden: []int{5}, Act: kernel.Tanh},
	}
}

// forEachKind runs a test over all decoders.
func forEachKind(t *testing.T, do func(t *testing.T, c Config)) {
	for name, c := range kinds() {
		t.Run(name, func(t *testing.T) { do(t, c) })
	}
}

func (c Config) dims() (dim, zdim, sets int) {
	dim, zdim = c.Dims()
	if c.Density() || c.Kind == None || c.Kind == Picture {
		return dim, zdim, max(1, c.Step.Sets)
	}
	return dim, zdim, len(c.Sizes) * c.span()
}

// model is a decoder with weights, a batch, its ẑ and what was drawn for it.
type model[T tensor.Float] struct {
	cfg           Config
	layout        tensor.Layout
	net           *Net
	params, grads []T
	batch         encoder.Batch[T]
	z, dz, x      []T
	states        []T
}

// newModel draws weights, none of them 0, and a batch of several frames, whose
// sets have different numbers of particles where the decoder allows it.
func newModel[T tensor.Float](c Config, seed uint64) *model[T] {
	m := &model[T]{cfg: c}
	m.net = New(c, &m.layout)
	r := rand.New(rand.NewPCG(seed, 1))
	m.params, m.grads = make([]T, m.layout.Size()), make([]T, m.layout.Size())
	Init(m.params, m.net, r)
	for i := range m.params {
		m.params[i] += T(0.3 * r.NormFloat64())
	}
	dim, zdim, sets := c.dims()
	sizes := []int{2, 7, 1, 5, 3, 8}
	switch {
	case c.Kind == Pointwise && c.Join > 0:
		sizes = []int{4, 2, 1, 5, 3, 3}
	case c.Kind == Pointwise:
		sizes = slices.Repeat(c.Sizes, 3)
	}
	end := 0
	for _, n := range sizes {
		end += n
		m.batch.Ends = append(m.batch.Ends, end)
	}
	for range end * dim {
		m.batch.Points = append(m.batch.Points, T(r.NormFloat64()))
	}
	for range len(sizes) * zdim {
		m.z = append(m.z, T(r.NormFloat64()))
	}
	for f := range len(sizes) / sets { // a pair begins with every other
		for range c.Step.Macros {
			m.states = append(m.states, T(r.NormFloat64()))
		}
		m.states = append(m.states, T(f)+T(f%2)*0.3)
	}
	m.dz = make([]T, len(m.z))
	d := m.decoder()
	m.x = make([]T, d.Size(len(sizes)))
	d.Draw(m.x, m.batch, r)
	if len(sizes)%sets != 0 {
		panic("not whole frames")
	}
	return m
}

func (m *model[T]) truth() Truth[T] { return Truth[T]{m.batch, m.x, m.states} }

func (m *model[T]) decoder() Decoder[T] { return NewDecoder[T](m.net, len(m.batch.Ends), 11) }

// TestGradients compares every gradient, those of ẑ too, with central
// differences in float64: a step of 1e-6 leaves a truncation error near 1e-12,
// which the curvature of a spline may raise by a thousand, and a rounding error
// near 1e-10. Parameters' gradients must be added to what is there, ẑ's must
// replace it, and every one must depend on something.
func TestGradients(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		m := newModel[float64](c, 1)
		d := m.decoder()
		for i := range m.grads {
			m.grads[i] = 3
		}
		for i := range m.dz {
			m.dz[i] = 100
		}
		loss := d.Loss(m.params, m.grads, m.dz, m.z, m.truth())
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			t.Fatalf("loss %g", loss)
		}
		grads, dz := make([]float64, len(m.grads)), make([]float64, len(m.dz))
		value := func() float64 { return d.Loss(m.params, grads, dz, m.z, m.truth()) }
		check := func(what string, at *float64, got float64) {
			t.Helper()
			const h = 1e-6
			keep := *at
			*at = keep + h
			up := value()
			*at = keep - h
			down := value()
			*at = keep
			if want := (up - down) / (2 * h); !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
				t.Errorf("%s: gradient %g, by differences %g", what, got, want)
			}
		}
		for _, p := range m.layout.Params() {
			learns := false
			for i := p.Offset; i < p.Offset+p.Len(); i++ {
				check(fmt.Sprintf("%s[%d]", p.Name, i-p.Offset), &m.params[i], m.grads[i]-3)
				learns = learns || m.grads[i] != 3
			}
			if !learns {
				t.Errorf("%s receives no gradient", p.Name)
			}
		}
		for i, g := range m.dz {
			check(fmt.Sprintf("ẑ[%d]", i), &m.z[i], g)
			if g == 0 {
				t.Errorf("ẑ[%d] receives no gradient", i)
			}
		}
	})
}

// TestFramesAreRestoredAlone wants the loss and the gradients of a batch to be
// the means over its frames, in memory that batches of other sizes have used.
func TestFramesAreRestoredAlone(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		if c.Step.On() {
			return // whose frames are compared with one another
		}
		m := newModel[float64](c, 2)
		d := m.decoder()
		dim, zdim, sets := c.dims()
		size, frames := d.Size(sets), len(m.batch.Ends)/sets
		sum, grads := 0.0, make([]float64, len(m.grads))
		var dz []float64
		for f := range frames {
			first, begin := f*sets, 0
			if f > 0 {
				begin = m.batch.Ends[first-1]
			}
			one := encoder.Batch[float64]{Points: m.batch.Points[begin*dim : m.batch.Ends[first+sets-1]*dim]}
			for _, end := range m.batch.Ends[first : first+sets] {
				one.Ends = append(one.Ends, end-begin)
			}
			part := make([]float64, sets*zdim)
			sum += d.Loss(m.params, grads, part, m.z[first*zdim:(first+sets)*zdim], Truth[float64]{Sets: one, Drawn: m.x[f*size : (f+1)*size]})
			dz = append(dz, part...)
			if f == 0 { // the whole between two parts
				d.Loss(m.params, make([]float64, len(grads)), m.dz, m.z, m.truth())
			}
		}
		loss := d.Loss(m.params, m.grads, m.dz, m.z, m.truth())
		n := float64(frames)
		if want := sum / n; !(math.Abs(loss-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("loss %g, the frames' mean is %g", loss, want)
		}
		for i := range grads {
			grads[i] /= n
		}
		for i := range dz {
			dz[i] /= n
		}
		compare(t, "gradients", m.grads, grads, 1e-12)
		compare(t, "gradients of ẑ", m.dz, dz, 1e-12)
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

// TestOrder shuffles the particles within their sets after the decoder has drawn:
// the loss of a density and the Chamfer distance must not change, and that of a
// decoder that restores every particle must.
func TestOrder(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		m := newModel[float64](c, 3)
		d := m.decoder()
		loss := func() float64 { return d.Loss(m.params, m.grads, m.dz, m.z, m.truth()) }
		want := loss()
		dim, _, _ := c.dims()
		r := rand.New(rand.NewPCG(3, 2))
		begin := 0
		for _, end := range m.batch.Ends {
			r.Shuffle(end-begin, func(i, j int) {
				for k := range dim {
					a, b := (begin+i)*dim+k, (begin+j)*dim+k
					m.batch.Points[a], m.batch.Points[b] = m.batch.Points[b], m.batch.Points[a]
				}
			})
			begin = end
		}
		if got := loss(); (math.Abs(got-want) <= 1e-14*math.Abs(want)) == (c.Kind == Pointwise) {
			t.Errorf("loss %g in one order and %g in another", want, got)
		}
	})
}

// TestPointwiseLoss compares with the definition: the mean squared error of every
// coordinate. The last layer's weights are 0, so that its biases are restored.
func TestPointwiseLoss(t *testing.T) {
	m := newModel[float64](kinds()["pointwise, two sets"], 4)
	want, count := 0.0, 0
	for k, size := range m.cfg.Sizes {
		var bias []float64
		for _, p := range m.layout.Params() {
			switch p.Name {
			case fmt.Sprintf("decoder.%d.1.weight", k):
				clear(tensor.Of(m.params, p))
			case fmt.Sprintf("decoder.%d.1.bias", k):
				bias = tensor.Of(m.params, p)
			}
		}
		if len(bias) != size*m.cfg.Dim {
			t.Fatalf("set %d is restored by %d numbers", k, len(bias))
		}
		for s := k; s < len(m.batch.Ends); s += 2 {
			end := m.batch.Ends[s] * m.cfg.Dim
			for i, x := range m.batch.Points[end-len(bias) : end] {
				want += (x - bias[i]) * (x - bias[i])
				count++
			}
		}
	}
	if got := m.decoder().Loss(m.params, m.grads, m.dz, m.z, m.truth()); math.Abs(got-want/float64(count)) > 1e-12 {
		t.Errorf("loss %g, want %g", got, want/float64(count))
	}
}

// TestChamferLoss compares with the definition: the mean over the groups of what
// package metric returns for each. The last layer's weights are 0, so that its
// biases are restored.
func TestChamferLoss(t *testing.T) {
	m := newModel[float64](kinds()["Chamfer, joined"], 4)
	var bias []float64
	for _, p := range m.layout.Params() {
		switch p.Name {
		case "decoder.1.weight":
			clear(tensor.Of(m.params, p))
		case "decoder.1.bias":
			bias = tensor.Of(m.params, p)
		}
	}
	want, begin := 0.0, 0
	for s := 1; s < len(m.batch.Ends); s += 2 {
		end := m.batch.Ends[s] * m.cfg.Dim
		want += metric.NewChamfer[float64](m.cfg.Dim, 20).Value(bias, m.batch.Points[begin:end]) / 3
		begin = end
	}
	if got := m.decoder().Loss(m.params, m.grads, m.dz, m.z, m.truth()); math.Abs(got-want) > 1e-12*want {
		t.Errorf("loss %g, want %g", got, want)
	}
}

// TestStepLoss compares with the definition, for a drift whose last layer is 0:
// the velocities' mean square and the spread of the closure variables.
func TestStepLoss(t *testing.T) {
	m := newModel[float64](kinds()["one step"], 5)
	for _, p := range m.layout.Params() {
		if strings.HasPrefix(p.Name, "step.1.") {
			clear(tensor.Of(m.params, p))
		}
	}
	frames := len(m.batch.Ends) // of a set, two macroscopic and two closure variables
	square, spread := 0.0, 0.0
	for p := range frames / 2 {
		a, b := m.states[6*p:6*p+3], m.states[6*p+3:6*p+6]
		dt := b[2] - a[2]
		for i := range 2 {
			square += 3 * math.Pow((b[i]-a[i])/dt, 2)
			square += math.Pow((m.z[4*p+2+i]-m.z[4*p+i])/dt, 2)
		}
	}
	square /= float64(frames / 2 * 4)
	for i := range 2 {
		var z []float64
		for f := range frames {
			z = append(z, m.z[2*f+i])
		}
		mean, variance := stat.PopMeanVariance(z, nil)
		spread += (mean*mean + (variance-1)*(variance-1)) / 2
	}
	if got, want := m.decoder().Loss(m.params, m.grads, m.dz, m.z, m.truth()), 0.7*(square+0.4*spread); math.Abs(got-want) > 1e-12*want {
		t.Errorf("loss %g, want %g", got, want)
	}
}

// TestTakes wants the reason why a batch cannot be learned from.
func TestTakes(t *testing.T) {
	for _, tc := range []struct {
		kind string
		ends []int
		says string
	}{
		{"flow 2-D", []int{1, 9}, ""},
		{"pointwise, one set", []int{4, 8}, ""},
		{"pointwise, one set", []int{4, 9}, "5 particles"},
		{"pointwise, two sets", []int{3, 8}, ""},
		{"pointwise, two sets", []int{5, 8}, "trained on exactly 3"},
		{"pointwise, joined", []int{5, 6, 6, 12}, ""},
		{"pointwise, joined", []int{5, 7}, "7 particles"},
		{"pointwise, joined", []int{6}, "1 sets"},
		{"Chamfer, joined", []int{5, 7}, ""},
		{"Chamfer, two sets", []int{5, 7, 8}, "3 sets"},
	} {
		err := kinds()[tc.kind].Takes(tc.ends)
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v: %v, want %q", tc.kind, tc.ends, err, tc.says)
		}
	}
}

// TestDensity wants the loss of a normalizing flow to be the mean of its -ln p at
// what was drawn, its samples to be likely, and others to have none.
func TestDensity(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		m := newModel[float64](c, 5)
		p := NewDensity[float64](m.net, 200)
		if (p != nil) != c.Density() {
			t.Fatalf("density %v, want %v", p, c.Density())
		}
		if p == nil || c.Step.On() { // whose loss has another part
			return
		}
		d := m.decoder()
		dim, zdim, sets := c.dims()
		size, want := d.Size(sets), 0.0
		for s := range m.batch.Ends {
			logp := make([]float64, c.Samples)
			p.LogProb(logp, m.params, m.x[s*size:(s+1)*size], m.z[s*zdim:(s+1)*zdim])
			for _, l := range logp {
				want -= l / float64(len(m.batch.Ends)*c.Samples)
			}
		}
		if got := d.Loss(m.params, m.grads, m.dz, m.z, m.truth()); c.Kind == Flow && math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("loss %g, want %g", got, want)
		}
		// Samples of p have the entropy of p as their mean -ln p, which those of
		// another ẑ exceed by a KL divergence.
		x, own, other := make([]float64, 200*dim), make([]float64, 200), make([]float64, 200)
		p.Sample(x, m.params, m.z[:zdim], rand.New(rand.NewPCG(5, 2)))
		p.LogProb(own, m.params, x, m.z[:zdim])
		p.LogProb(other, m.params, x, m.z[zdim:2*zdim])
		if kl := mean(own) - mean(other); !(kl > 0.01) {
			t.Errorf("samples of one ẑ are %g nats likelier than those of another", kl)
		}
	})
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}

// TestDraw wants samples near the particles of their own set, by the source
// alone, of the width that was set last.
func TestDraw(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		m := newModel[float64](c, 6)
		d := m.decoder()
		dim, _, sets := c.dims()
		if n := d.Size(len(m.batch.Ends)); n != len(m.batch.Ends)/sets*d.Size(sets) || c.Kind == Flow && n != len(m.batch.Ends)*c.Samples*dim {
			t.Fatalf("draws %d numbers", n)
		}
		draw := func(seed uint64) []float64 {
			x := make([]float64, len(m.x))
			d.Draw(x, m.batch, rand.New(rand.NewPCG(seed, 0)))
			return x
		}
		first := draw(1)
		random := len(first) > 0 && c.Kind != Picture
		if !slices.Equal(first, draw(1)) || random == slices.Equal(first, draw(2)) {
			t.Error("what is drawn does not depend on the source alone")
		}
		if c.Kind != Flow {
			return
		}
		const eps = 1e-6
		m.net.SetEps(eps)
		if m.net.Config().Eps != eps {
			t.Errorf("ε %g, want %g", m.net.Config().Eps, eps)
		}
		x, begin := draw(3), 0
		for s, end := range m.batch.Ends {
			near := make([]int, end-begin)
			for i := range c.Samples {
				at := x[(s*c.Samples+i)*dim : (s*c.Samples+i+1)*dim]
				for k := range near {
					far := 0.0
					for j, v := range m.batch.Points[(begin+k)*dim : (begin+k+1)*dim] {
						far = max(far, math.Abs(v-at[j]))
					}
					if far < 7*eps {
						near[k]++
					}
				}
			}
			total := 0
			for _, n := range near {
				total += n
				if share := float64(c.Samples) / float64(len(near)); c.Stratified && math.Abs(float64(n)-share) > 1 {
					t.Errorf("set %d: the particles have %v samples, not equal shares", s, near)
				}
			}
			if total != c.Samples {
				t.Errorf("set %d: %d of %d samples are near its particles", s, total, c.Samples)
			}
			begin = end
		}
	})
}

func TestStepDoesNotAllocate(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		m := newModel[float32](c, 7)
		d, r := m.decoder(), rand.New(rand.NewPCG(1, 2))
		if n := testing.AllocsPerRun(10, func() {
			d.Draw(m.x, m.batch, r)
			d.Loss(m.params, m.grads, m.dz, m.z, m.truth())
		}); n != 0 {
			t.Errorf("%v allocations a step", n)
		}
		if p := NewDensity[float32](m.net, 50); p != nil {
			dim, zdim, _ := c.dims()
			x, logp := make([]float32, 50*dim), make([]float32, 50)
			if n := testing.AllocsPerRun(10, func() {
				p.Sample(x, m.params, m.z[:zdim], r)
				p.LogProb(logp, m.params, x, m.z[:zdim])
			}); n != 0 {
				t.Errorf("%v allocations of a density", n)
			}
		}
	})
}

// TestInit wants the source alone to decide.
func TestInit(t *testing.T) {
	forEachKind(t, func(t *testing.T, c Config) {
		if !slices.Equal(newModel[float64](c, 8).params, newModel[float64](c, 8).params) || slices.Equal(newModel[float64](c, 8).params, newModel[float64](c, 9).params) {
			t.Error("weights do not depend on their seed alone")
		}
		m := newModel[float64](c, 8)
		if fmt.Sprint(m.net.Config()) != fmt.Sprint(c) {
			t.Errorf("made from %v, want %v", m.net.Config(), c)
		}
	})
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
		{"cnn", func(c *Config) { c.Raster.Left = math.NaN() }, "from (NaN, -1.5) on"},
		{"cnn", func(c *Config) { c.Image.Kind = "" }, `no autoencoder ""`},
		{"flow 2-D", func(c *Config) { c.Kind = "vae" }, `no decoder "vae"; use "flow", "matching", "pointwise", "chamfer", "picture" or "none"`},
		{"flow 2-D", func(c *Config) { c.Samples = 0 }, "0 samples"},
		{"flow 2-D", func(c *Config) { c.Samples = 4097 }, "4097 samples"},
		{"flow 2-D", func(c *Config) { c.Flow.Layers = 0 }, "0 layers"},
		{"flow 2-D", func(c *Config) { c.Flow.Dim = 17 }, "17 coordinates"},
		{"matching 2-D", func(c *Config) { c.Samples = 0 }, "0 samples"},
		{"matching 2-D", func(c *Config) { c.Matching.Steps = 0 }, "0 steps"},
		{"pointwise, one set", func(c *Config) { c.ZDim = 0 }, "latent dimension is 0"},
		{"pointwise, one set", func(c *Config) { c.Hidden = []int{0} }, "width 0"},
		{"pointwise, one set", func(c *Config) { c.Sizes = nil }, "0 sets"},
		{"Chamfer, joined", func(c *Config) { c.Join = 17 }, "17 sets together"},
		{"one step", func(c *Config) { c.Step.Weight = 0 }, "nothing to learn"},
		{"one step", func(c *Config) { c.Step.Weight = math.NaN() }, "the weight NaN"},
		{"one step", func(c *Config) { c.Step.Macro = 0 }, "errors with 0"},
		{"one step", func(c *Config) { c.Step.Spread = -1 }, "spread with -1"},
		{"one step", func(c *Config) { c.ZDim = 3 }, "of 4 variables"},
		{"flow and one step", func(c *Config) { c.Step.Drift.Form = "none" }, "no drift"},
	} {
		c := kinds()[tc.kind]
		if tc.change(&c); c.Validate() == nil || !strings.Contains(c.Validate().Error(), tc.says) {
			t.Errorf("error %v, want one that says %q", c.Validate(), tc.says)
		}
	}
}

// A decoder whose weights are 0 restores its biases, and is wrong by 1 in one of
// two coordinates.
func ExampleDecoder() {
	var layout tensor.Layout
	net := New(Config{Kind: Pointwise, Dim: 1, ZDim: 1, Hidden: []int{1}, Sizes: []int{2}}, &layout)
	params := []float64{0, 0, 0, 0, 5, 7} // weights and biases of ẑ → 1 → 2
	d := NewDecoder[float64](net, 1, 8)
	grads, dz := make([]float64, len(params)), make([]float64, 1)
	fmt.Println(d.Loss(params, grads, dz, []float64{0.3}, Truth[float64]{Sets: encoder.Batch[float64]{Points: []float64{5, 8}, Ends: []int{2}}}))
	fmt.Println(grads)
	// Output:
	// 0.5
	// [0 0 0 0 0 -1]
}
