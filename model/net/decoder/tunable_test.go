package decoder_test

import (
	"cmp"
	"math"
	"testing"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder"
	"macroscope/model/net/encoder"
)

// TestTunableAt computes the loss of a tunable flow, which draws pairs of an ε and a code. Ordinary
// flows for the same pairs must have the same loss. The test covers shared and separate code
// columns, and nested and separate codes.
func TestTunableAt(t *testing.T) {
	for name, c := range kinds() {
		if !c.tunable() {
			continue
		}
		for _, form := range []struct {
			own, nested bool
			orders      int
			bent        int
		}{{}, {own: true}, {nested: true}, {own: true, orders: 2}, {nested: true, orders: 1}, {orders: 3, bent: 1}} {
			kind, codes := *c.Kind.(*decoder.Tunable), *c.in.Encoder.(*encoder.Tunable)
			kind.Own, codes.Nested, codes.Orders, codes.Bent, kind.Pairs = form.own, form.nested, form.orders, cmp.Or(form.bent, 3), 4
			kind.EpsPower, kind.LengthPower = 0.5, 0.3
			c := c
			c.Kind, c.in.Encoder, c.in.ZDim = &kind, &codes, codes.Width()
			m := newModel[float32](c, 8)
			got := m.decoder().Loss(m.params, m.grads, m.dz, m.z, m.truth())

			pairs, each := len(m.batch.Ends)*4, c.Samples/4
			row, want := 2+each*c.in.Dim, 0.0
			for i := range pairs {
				drawn := m.x[i*row : (i+1)*row]
				eps := kind.Low * math.Pow(kind.High/kind.Low, (float64(drawn[0])+1)/2)
				code := codes.Codes()[int(drawn[1])]
				at := c.Config
				at.Kind, at.Eps = kind.At(), eps
				in := c.in
				in.Encoder, in.ZDim = codes.At(), code.Length
				var layout tensor.Layout
				stage := decoder.New(at, in, &layout)
				params := make([]float32, layout.Size())
				m.net.At(params, stage, m.params, int(drawn[1]))
				logp := make([]float32, each)
				z := make([]float32, code.Length)
				for g, w := range m.net.Orders(eps, code.Orders) {
					for j := range z {
						z[j] += w * m.z[i/4*codes.Width()+code.First+g*code.Stride+j]
					}
				}
				stage.Float32().Density(each).LogProb(logp, params, drawn[2:], z)
				w := math.Sqrt(eps/math.Sqrt(kind.Low*kind.High)) * math.Pow(float64(code.Length), -0.3)
				for _, l := range logp {
					want -= w * float64(l) / float64(pairs*each)
				}
			}
			if !(math.Abs(got-want) <= 1e-4*(1+math.Abs(want))) {
				t.Errorf("%s, %+v: loss %g, by ordinary flows %g", name, form, got, want)
			}
		}
	}
}

// TestTunableShares counts how often the usual code is drawn. There are two codes, and the usual
// code is longer.
func TestTunableShares(t *testing.T) {
	c := kinds()["flow-tunable, 1-D"]
	kind := *c.Kind.(*decoder.Tunable)
	c.Kind = &kind
	for usual, want := range map[int]float64{0: 0.5, 4: 0.75} {
		kind.Usual = usual
		drawn, of := 0.0, 0.0
		for seed := range uint64(40) {
			m := newModel[float32](c, seed)
			row := 2 + c.Samples/kind.Pairs*c.in.Dim
			for i := 0; i < len(m.x); i += row {
				drawn += float64(m.x[i+1])
				of++
			}
		}
		if got := drawn / of; math.Abs(got-want) > 0.04 { // 4 standard errors of 1920 draws
			t.Errorf("with %d further shares, the usual code has a share of %.3f, want %g", usual, got, want)
		}
	}
}
