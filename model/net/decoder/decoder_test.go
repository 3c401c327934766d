package decoder_test

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
	"macroscope/model/learn/method"
	"macroscope/model/net/circle"
	"macroscope/model/net/decoder"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/metric"
	"macroscope/model/setting"
)

// kase is a decoder's Config with its Input.
type kase struct {
	decoder.Config
	in decoder.Input
}

// The map `small` contains settings of small networks. It also contains settings of a picture. Most
// points that newModel draws lie inside this picture.
var small = map[string]string{
	"decoder.hidden": "7 9", "hidden": "8", "flow.layers": "2", "flow.bins": "4", "flow.hidden": "5 6", "flow.basehidden": "5",
	"tunable.pairs": "8", "tunable.features": "2", "tunable.gate": "1",
	"matching.hidden": "7", "matching.steps": "3", "eps": "0.05", "samples": "8",
	"picture.rows": "6", "picture.cols": "9", "picture.left": "-1.8", "picture.top": "-1.5", "picture.pixel": "0.45", "picture.marked": "true", "cnn.widths": "3 2",
	"vit.patch": "3", "vit.width": "4", "vit.heads": "2", "vit.hidden": "5", "vit.blocks": "1", "vit.restoring": "1",
}

// kinds returns the decoder of every method, for every shape that the method's encoder accepts.
// Some of these decoders have a one-step loss. Every test below runs over all decoders.
func kinds() map[string]kase {
	all := make(map[string]kase)
	for _, m := range method.Methods() {
		for name, s := range map[string]encoder.Shape{
			"1-D":      {Dim: 1, ZDim: 3, Sets: 1, Particles: 4},
			"two sets": {Dim: 2, ZDim: 2, Sets: 2, Particles: 7},
			"3-D":      {Dim: 3, ZDim: 2, Sets: 1, Particles: 5},
			"circles":  {Dim: 2, ZDim: 2, Sets: 2, Particles: 7, Circles: 0b10},
		} {
			k := kase{decoder.Config{Kind: m.Decoder(), Target: decoder.Target{Eps: 0.2, Samples: 8, Stratified: s.Dim == 1}}, decoder.Input{Shape: s, Encoder: m.Encoder()}}
			t := append(k.Table(&s), k.in.Encoder.Table(&s)...)
			for name, text := range small {
				if f := t.Find(name); f != nil {
					if err := f.Set(text); err != nil {
						panic(err)
					}
				}
			}
			if e, ok := k.in.Encoder.(*encoder.Tunable); ok {
				e.Lengths, e.Usual, e.Orders, e.Bent = []int{1, 3}, 3, 1, 1
				k.in.ZDim = e.Width()
			}
			if f := t.Find("flow.condbase"); f != nil && name == "1-D" {
				*f.Value.(*bool) = true
			}
			if name != "1-D" && !k.Density() {
				k.Step, k.in.Macros = oneStep, 2
				if name == "3-D" {
					k.in.Macros = 1
				}
			}
			if k.in.Encoder.Validate(k.in.Shape) != nil || k.Validate(k.in) != nil {
				continue
			}
			all[m.Name+", "+name] = k
			if k.Restores() && k.Step.On() {
				k.Step = decoder.Step{}
				all[m.Name+" alone, "+name] = k
			}
		}
	}
	both := all["flow, two sets"]
	both.Step, both.in.Macros = oneStep, 2
	all["flow and one step"] = both
	return all
}

// oneStep is a one-step loss.
var oneStep = decoder.Step{
	Weight: 0.7, Macro: 3, Spread: 0.4,
	Drift: dynamics.DriftConfig{Form: dynamics.FormMLP, Hidden: []int{5}, Act: kernel.Tanh},
}

// forEachKind runs a test over all decoders.
func forEachKind(t *testing.T, do func(t *testing.T, c kase)) {
	for name, c := range kinds() {
		t.Run(name, func(t *testing.T) { do(t, c) })
	}
}

func (c kase) dims() (dim, zdim, sets int) { return c.in.Dim, c.in.ZDim, c.in.Sets }

// pointwise reports whether points are compared one by one.
func (c kase) pointwise() bool { return c.Name() == "pointwise" }

// tunable reports whether the density comes from a tunable flow (see TestTunableAt).
func (c kase) tunable() bool {
	_, ok := c.Kind.(*decoder.Tunable)
	return ok
}

// model is a decoder with weights, a batch, the ẑ of the batch, and the numbers that the
// decoder has drawn for the batch.
type model[T tensor.Float] struct {
	kase
	layout        tensor.Layout
	net           *decoder.Decoding
	params, grads []T
	batch         encoder.Batch[T]
	z, dz, x      []T
	states        []T
}

// newModel draws weights, none of them 0, and a batch of several frames. The sets of the frames
// have different numbers of particles if the decoder allows this.
func newModel[T tensor.Float](c kase, seed uint64) *model[T] {
	m := &model[T]{kase: c}
	m.net = decoder.New(c.Config, c.in, &m.layout)
	r := rand.New(rand.NewPCG(seed, 1))
	m.params, m.grads = make([]T, m.layout.Size()), make([]T, m.layout.Size())
	decoder.Of[T](m.net).Init(m.params, r)
	for i := range m.params {
		m.params[i] += T(0.3 * r.NormFloat64())
	}
	dim, zdim, sets := c.dims()
	sizes := []int{2, 7, 1, 5, 3, 8}
	switch {
	case c.pointwise() && !c.in.Encoder.Ordered() && sets == 2:
		sizes = []int{4, 3, 1, 6, 5, 2}
	case c.pointwise():
		sizes = slices.Repeat(c.in.SetSizes(), 3)
		if sets == 1 {
			sizes = slices.Repeat(sizes, 2)
		}
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
	for f := range len(sizes) / sets { // every other frame begins a pair
		for range c.in.Macros {
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

func (m *model[T]) truth() decoder.Truth[T] {
	return decoder.Truth[T]{Sets: m.batch, Drawn: m.x, States: m.states}
}

func (m *model[T]) decoder() decoder.Decoder[T] {
	return decoder.Of[T](m.net).Train(nil, len(m.batch.Ends), 11)
}

// TestGradients compares every gradient, including the gradient of ẑ, with central differences in
// float64. For a step of 1e-6, the rounding error is near 1e-10 and the truncation error near
// 1e-12. The curvature of a spline may increase the truncation error a thousand times. Gradients of
// parameters must be added to grads. The gradient of ẑ must replace dz. No gradient may be 0
// everywhere.
func TestGradients(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
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

// TestFramesAreRestoredAlone checks that the loss and the gradients of a batch are the means over
// its frames. Between the first two frames, the decoder processes the whole batch. This must not
// change the results.
func TestFramesAreRestoredAlone(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		if c.Step.On() {
			return // a Step's loss compares frames with one another
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
			sum += d.Loss(m.params, grads, part, m.z[first*zdim:(first+sets)*zdim], decoder.Truth[float64]{Sets: one, Drawn: m.x[f*size : (f+1)*size]})
			dz = append(dz, part...)
			if f == 0 { // another batch between two frames must not matter
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

// TestOrder shuffles the particles within their sets after the decoder has drawn. The loss of a
// density and the Chamfer distance must not change; the loss of a decoder that restores every
// particle must change.
func TestOrder(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
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
		if got := loss(); (math.Abs(got-want) <= 1e-14*math.Abs(want)) == c.pointwise() {
			t.Errorf("loss %g in one order and %g in another", want, got)
		}
	})
}

// TestRestoringLoss compares the loss with its definition: the mean squared error of every
// coordinate, or the mean Chamfer distance over groups. The weights of the last layers are 0,
// so the decoder restores its biases.
func TestRestoringLoss(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		if _, ok := c.Kind.(*decoder.Pointwise); !ok || c.Step.On() {
			return
		}
		m := newModel[float64](c, 4)
		last := map[string]bool{} // names of each network's last layer
		var biases [][]float64
		params := m.layout.Params()
		for i, p := range params {
			if next := i + 2; len(p.Shape) == 2 && (next >= len(params) || strings.HasSuffix(params[next].Name, ".0.weight")) {
				clear(tensor.Of(m.params, p))
				last[p.Name] = true
				biases = append(biases, tensor.Of(m.params, params[i+1]))
			}
		}
		span := c.in.Sets / len(biases) // number of sets in a group
		want, begin, coordinates, groups := 0.0, 0, 0, 0
		for s := span - 1; s < len(m.batch.Ends); s += span {
			end, bias := m.batch.Ends[s]*c.in.Dim, biases[groups%len(biases)]
			set := m.batch.Points[begin:end]
			if c.pointwise() {
				for i, x := range set {
					e := x - bias[i]
					if c.in.Circles.Has(i % c.in.Dim) {
						e = circle.Wrap(e)
					}
					want += e * e
				}
			} else {
				want += metric.NewChamfer[float64](c.in.Dim, 20, c.in.Circles).Value(bias, set)
			}
			begin, coordinates, groups = end, coordinates+len(set), groups+1
		}
		if want /= float64(groups); c.pointwise() {
			want *= float64(groups) / float64(coordinates)
		}
		if got := m.decoder().Loss(m.params, m.grads, m.dz, m.z, m.truth()); math.Abs(got-want) > 1e-12*want {
			t.Errorf("loss %g, want %g", got, want)
		}
	})
}

// TestStepLoss compares the loss with its definition, for a drift that is 0: the mean
// square of the velocities plus the spread of the closure variables.
func TestStepLoss(t *testing.T) {
	shape := encoder.Shape{Dim: 2, ZDim: 2, Sets: 1, Particles: 5}
	m := newModel[float64](kase{decoder.Config{Kind: &decoder.None{}, Step: oneStep}, decoder.Input{Shape: shape, Encoder: &encoder.DeepSet{}, Macros: 2}}, 5)
	for _, p := range m.layout.Params() {
		if strings.HasPrefix(p.Name, "step.1.") {
			clear(tensor.Of(m.params, p))
		}
	}
	frames := len(m.batch.Ends) // each frame has one set, two macroscopic and two closure variables
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

// TestTakes checks that the error says why a decoder cannot learn from a batch.
func TestTakes(t *testing.T) {
	one, two := encoder.Shape{Sets: 1, Particles: 4}, encoder.Shape{Sets: 2, Particles: 6}
	points, nearest, flat, deep := &decoder.Pointwise{}, &decoder.Pointwise{Nearest: true}, &encoder.Flat{}, &encoder.DeepSet{}
	for _, tc := range []struct {
		kind    decoder.Kind
		shape   encoder.Shape
		encoder encoder.Kind
		ends    []int
		says    string
	}{
		{&decoder.Flow{}, one, deep, []int{1, 9}, ""},
		{points, one, flat, []int{4, 8}, ""},
		{points, one, flat, []int{4, 9}, "5 particles"},
		{points, two, flat, []int{3, 6}, ""},
		{points, two, flat, []int{5, 8}, "trained on exactly 3"},
		{points, two, deep, []int{5, 6, 6, 12}, ""},
		{points, two, deep, []int{5, 7}, "7 particles"},
		{points, two, deep, []int{6}, "1 sets"},
		{nearest, two, deep, []int{5, 7}, ""},
		{nearest, two, flat, []int{5, 7, 8}, "3 sets"},
	} {
		err := tc.kind.Takes(decoder.Input{Shape: tc.shape, Encoder: tc.encoder}, tc.ends)
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v: %v, want %q", tc.kind.Name(), tc.ends, err, tc.says)
		}
	}
}

// TestDensity checks that the loss of a normalizing flow is the mean of -ln p at the drawn samples.
// Samples of p must be likelier under p than under the density of another ẑ. Other decoders must
// have no density.
func TestDensity(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		m := newModel[float64](c, 5)
		density := decoder.Of[float64](m.net).Density
		if want := c.Density() && !c.tunable(); (density != nil) != want {
			t.Fatalf("a density: %t, want %t", density != nil, want)
		}
		if density == nil || c.Step.On() { // with a Step, the loss has a second term
			return
		}
		p := density(200)
		d := m.decoder()
		dim, zdim, _ := c.dims()
		size, want := d.Size(1), 0.0
		for s := range m.batch.Ends {
			logp := make([]float64, c.Samples)
			p.LogProb(logp, m.params, m.x[s*size:(s+1)*size], m.z[s*zdim:(s+1)*zdim])
			for _, l := range logp {
				want -= l / float64(len(m.batch.Ends)*c.Samples)
			}
		}
		if got := d.Loss(m.params, m.grads, m.dz, m.z, m.truth()); c.Unit() != "" && math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("loss %g, want %g", got, want)
		}
		// At samples of p, the mean of -ln p is the entropy of p. Under the density of another
		// ẑ the mean is larger by a KL divergence.
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

// TestDraw checks that samples depend only on the random source. After SetEps, every sample must
// lie within 7 ε of a particle of its own set.
func TestDraw(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		m := newModel[float64](c, 6)
		d := m.decoder()
		dim, _, sets := c.dims()
		if n := d.Size(len(m.batch.Ends)); n != len(m.batch.Ends)/sets*d.Size(sets) || c.Unit() != "" && n != len(m.batch.Ends)*c.Samples*dim {
			t.Fatalf("draws %d numbers", n)
		}
		draw := func(seed uint64) []float64 {
			x := make([]float64, len(m.x))
			d.Draw(x, m.batch, rand.New(rand.NewPCG(seed, 0)))
			return x
		}
		first := draw(1)
		random := len(first) > 0 && c.Density()
		if !slices.Equal(first, draw(1)) || random == slices.Equal(first, draw(2)) {
			t.Error("what is drawn does not depend on the source alone")
		}
		if c.Unit() == "" { // the rest of the test is for decoders that draw only samples
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
						apart := v - at[j]
						if c.in.Circles.Has(j) {
							apart = circle.Wrap(apart)
						}
						far = max(far, math.Abs(apart))
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
	forEachKind(t, func(t *testing.T, c kase) {
		m := newModel[float32](c, 7)
		d, r := m.decoder(), rand.New(rand.NewPCG(1, 2))
		if n := testing.AllocsPerRun(10, func() {
			d.Draw(m.x, m.batch, r)
			d.Loss(m.params, m.grads, m.dz, m.z, m.truth())
		}); n != 0 {
			t.Errorf("%v allocations a step", n)
		}
		if c.Density() && !c.tunable() {
			p := m.net.Float32().Density(50)
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

// TestInit checks that initial weights depend only on the random source.
func TestInit(t *testing.T) {
	forEachKind(t, func(t *testing.T, c kase) {
		if !slices.Equal(newModel[float64](c, 8).params, newModel[float64](c, 8).params) || slices.Equal(newModel[float64](c, 8).params, newModel[float64](c, 9).params) {
			t.Error("weights do not depend on their seed alone")
		}
	})
}

// TestValidate checks that wrong settings are reported, by the table or by the decoder.
func TestValidate(t *testing.T) {
	check := func(c *kase) error {
		for _, table := range []setting.Table{c.Table(&c.in.Shape), c.Step.Table()} {
			if err := table.Check(); err != nil && c.Step.On() {
				return err
			}
		}
		return c.Validate(c.in)
	}
	forEachKind(t, func(t *testing.T, c kase) {
		if err := check(&c); err != nil {
			t.Error(err)
		}
	})
	for _, tc := range []struct{ kind, name, text, says string }{
		{"flow, 1-D", "samples", "0", `samples cannot be "0": give a whole number from 1 to 4096`},
		{"flow, 1-D", "samples", "4097", "from 1 to 4096"},
		{"flow, 1-D", "flow.layers", "0", "from 1 to 64"},
		{"flow, 1-D", "flow.dim", "17", "use 1, which other settings say"},
		{"flow, 1-D", "flow.basehidden", "0", "through 0 numbers"},
		{"flow, 1-D", "flow.blocks", "1", "after one hidden layer"},
		{"flow-matching, 1-D", "samples", "0", "from 1 to 4096"},
		{"flow-matching, 1-D", "matching.steps", "0", "from 1 to 1000"},
		{"ae-inve, 1-D", "decoder.hidden", "0", "1 to 8 whole numbers from 1 to 1024"},
		{"inve, 3-D", "step.weight", "0", "nothing to learn"},
		{"inve, 3-D", "step.weight", "NaN", "give a number from 0 to 1000000"},
		{"inve, 3-D", "step.macro", "0", "give a number from 1e-12"},
		{"inve, 3-D", "step.spread", "-1", "give a number from 0"},
		{"flow and one step", "step.form", "none", "give one of mlp"},
	} {
		c := kinds()[tc.kind]
		err := append(c.Table(&c.in.Shape), c.Step.Table()...).Set(tc.name, tc.text)
		if err == nil {
			err = check(&c)
		}
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s, %s=%s: error %v, want one that says %q", tc.kind, tc.name, tc.text, err, tc.says)
		}
	}
	deep := &encoder.DeepSet{}
	for _, tc := range []struct {
		decoder.Kind
		says string
	}{
		{&decoder.Picture{}, "the encoder is a DeepSet; pictures take both halves"}, {&decoder.Pointwise{}, "without hidden layers"}, {&decoder.Pointwise{Hidden: []int{1}}, "20000 particles; use 10000 at most"},
	} {
		if err := tc.Kind.Validate(decoder.Input{Shape: encoder.Shape{Sets: 2, Particles: 20_000}, Encoder: deep}); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("error %v, want one that says %q", err, tc.says)
		}
	}
	c := kinds()["inve, 3-D"]
	if c.in.Macros = 0; c.Validate(c.in) == nil {
		t.Error("a one-step loss without macroscopic variables passes")
	}
}

// A decoder with weights of 0 restores its biases. Here one of two coordinates is wrong by 1.
func ExampleDecoder() {
	var layout tensor.Layout
	in := decoder.Input{Shape: encoder.Shape{Dim: 1, ZDim: 1, Sets: 1, Particles: 2}, Encoder: &encoder.DeepSet{}}
	net := decoder.New(decoder.Config{Kind: &decoder.Pointwise{Hidden: []int{1}}}, in, &layout)
	params := []float64{0, 0, 0, 0, 5, 7} // parameters of two layers, ẑ → 1 → 2; the last two are the biases of the restored points
	d := net.Float64().Train(nil, 1, 8)
	grads, dz := make([]float64, len(params)), make([]float64, 1)
	fmt.Println(d.Loss(params, grads, dz, []float64{0.3}, decoder.Truth[float64]{Sets: encoder.Batch[float64]{Points: []float64{5, 8}, Ends: []int{2}}}))
	fmt.Println(grads)
	// Output:
	// 0.5
	// [0 0 0 0 0 -1]
}
