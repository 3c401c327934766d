package decoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
	"macroscope/model/net/decoder/flow"
	"macroscope/model/net/encoder"
	"macroscope/model/net/target"
	"macroscope/model/setting"
)

// Tunable is a flow for every kernel width ε in a range and every code of an encoder.Tunable.
// For each set it draws several pairs (ε, code), and divides the set's samples among the pairs.
// The flow's ẑ is a context:
//
//	[ c·T₀(s) … c·T_gate(s) | T₁(s) … T_features(s) | mask ]
//
// c contains the code, and zeros in all other columns. If Own is set, every code has columns of its
// own in c. Otherwise every code begins in the first column. T are Chebyshev polynomials of s, and
// s is log ε scaled to [-1, 1]. The mask has a 1 for every number of the code. The context is
// affine in c. For one ε and one code, the flow is therefore an ordinary Flow, which At returns.
type Tunable struct {
	Sampled
	flow.Config
	Low, High   float64 // the range of ε
	Pairs       int     // number of pairs (ε, code) drawn for a set
	Features    int     // number of Chebyshev polynomials of log ε
	Gate        int     // number of polynomials that also multiply the code
	Own         bool    // whether every code has columns of its own
	Usual       int     // number of extra entries for the code of the usual length in context.often, the list from which codes are drawn
	EpsPower    float64 // a pair's loss has the weight (ε/√(Low·High))^EpsPower · length^-LengthPower
	LengthPower float64
}

var _ Kind = (*Tunable)(nil)

// Name implements Kind.
func (*Tunable) Name() string { return "tunable flow" }

// Bounds of a Tunable's settings.
const (
	maxPairs    = 64
	maxFeatures = 16
)

// Table implements Kind.
func (k *Tunable) Table(*encoder.Shape) setting.Table {
	return append(setting.Table{
		{Name: "tunable.low", What: "the least ε", Value: &k.Low, Low: target.MinEps, High: 1}, {Name: "tunable.high", What: "the largest ε", Value: &k.High, Low: target.MinEps, High: 1},
		{Name: "tunable.pairs", Value: &k.Pairs, Low: 1, High: maxPairs}, {Name: "tunable.features", Value: &k.Features, Low: 1, High: maxFeatures},
		{Name: "tunable.gate", Value: &k.Gate, High: maxFeatures}, {Name: "tunable.own", Value: &k.Own}, {Name: "tunable.usual", Value: &k.Usual, High: maxPairs, Absent: "0"},
		{Name: "tunable.epspower", Value: &k.EpsPower, Low: -2, High: 2}, {Name: "tunable.lengthpower", Value: &k.LengthPower, Low: -2, High: 2},
	}, k.Config.Table()...)
}

// Validate implements Kind.
func (k *Tunable) Validate(in Input) error {
	codes, ok := in.Encoder.(*encoder.Tunable)
	if !ok {
		return fmt.Errorf("a tunable flow needs an encoder of several codes, and this is a %s", in.Encoder.Name())
	}
	if !(k.Low < k.High) {
		return fmt.Errorf("the range of ε is from %g to %g; give two numbers, the smaller one first", k.Low, k.High)
	}
	c := newContext(k, codes)
	return k.at(in, c.width()).Validate()
}

// Room implements Kind like Flow.Room, but with one context per pair instead of one ẑ per set. As a
// pair has few samples, the tables of its splines also count.
func (k *Tunable) Room(in Input, t Target, frames, row int) int {
	const perBin = 22 // numbers that a table keeps for a bin
	in.Sets *= k.Pairs
	t.Samples = k.each(&t)
	return k.At().Room(in, t, frames, row) + frames*in.Sets*k.Layers*perBin*k.Bins
}

// Work implements Kind.
func (k *Tunable) Work(in Input, t Target, weights int) float64 {
	return float64(weights) * float64(k.each(&t)*k.Pairs*in.Sets)
}

// The method `each` returns the number of samples for a pair (ε, code).
func (k *Tunable) each(t *Target) int { return max(1, t.Samples/k.Pairs) }

// At returns the ordinary flow for one ε and one code.
func (k *Tunable) At() *Flow { return &Flow{Config: k.Config} }

func (k *Tunable) at(in Input, width int) flow.Config {
	c := k.Config
	c.Dim, c.ZDim, c.Circles = in.Dim, width, in.Circles
	return c
}

// New implements Kind.
func (k *Tunable) New(l *tensor.Layout, in Input) Net {
	c := newContext(k, in.Encoder.(*encoder.Tunable))
	return &tunableNet{k, c, in.Dim, in.ZDim, in.Circles, flow.New(k.at(in, c.width()), l)}
}

type tunableNet struct {
	*Tunable
	context
	dim, zdim int
	circles   circle.Set
	net       *flow.Flow
}

func (n *tunableNet) Float32() Maker[float32] { return tunableMaker[float32](n) }
func (n *tunableNet) Float64() Maker[float64] { return tunableMaker[float64](n) }

func tunableMaker[T tensor.Float](n *tunableNet) Maker[T] {
	return Maker[T]{
		Init: func(params []T, r *rand.Rand) { flow.Init(params, n.net, r) },
		Train: func(t *Target, maxSets, _ int) Decoder[T] {
			each, rows := n.each(t), maxSets*n.Pairs
			return &tunableDecoder[T]{
				tunableNet: n, target: t, each: each, ws: flow.NewWorkspace[T](n.net, rows, each),
				x: make([]T, rows*each*n.dim), logp: make([]T, rows*each), weight: make([]T, rows*each),
				z: make([]T, rows*n.width()), dz: make([]T, rows*n.width()), code: make([]T, n.longest),
			}
		},
	}
}

// Orders returns the Chebyshev polynomials T_0 … T_orders of the scaled log ε.
func (s *Decoding) Orders(eps float64, orders int) []float32 {
	n := s.kind.(*tunableNet)
	weights := make([]float32, orders+1)
	for g := range weights {
		weights[g] = float32(chebyshev(g, n.position(eps)))
	}
	return weights
}

// At converts the tunable flow, for one code and one ε, to an equal ordinary flow. `to` is the
// ordinary flow, with this ε. At writes the parameters of the
// ordinary flow to dst. The code is the ẑ of the ordinary flow.
func (s *Decoding) At(dst []float32, to *Decoding, params []float32, code int) {
	n := s.kind.(*tunableNet)
	length, width := n.codes[code].Length, n.width()
	m := flow.Affine[float32]{A: make([]float32, width*length), C: make([]float32, width)}
	row, unit := make([]float32, width), make([]float32, length)
	at := n.position(to.cfg.Eps)
	fillContext(&n.context, m.C, unit, at, code)
	for j := range unit {
		unit[j] = 1
		fillContext(&n.context, row, unit, at, code)
		unit[j] = 0
		for c := range row {
			m.A[c*length+j] = row[c] - m.C[c]
		}
	}
	flow.After(dst, to.kind.(flowNet).net, params, n.net, m)
}

// context computes a flow's context from a code and an ε.
type context struct {
	codes          []encoder.Code
	low, high      float64 // the range of ε
	features, gate int
	span           int   // number of columns of c·T_g in a context
	columns        []int // for each code, the first of its columns in c·T_g
	longest        int
	often          []int // indices of codes, each repeated according to the code's share of the draws
}

func newContext(k *Tunable, e *encoder.Tunable) context {
	c := context{codes: e.Codes(), low: k.Low, high: k.High, features: k.Features, gate: k.Gate, longest: e.Longest(), span: e.Longest()}
	if k.Own {
		c.span = 0
	}
	for i, code := range c.codes {
		c.often = append(c.often, i)
		if i < 2 || i == len(c.codes)-1 { // the two shortest codes and the longest code have two entries
			c.often = append(c.often, i)
		}
		if code.Length == e.Usual {
			c.often = append(c.often, slices.Repeat([]int{i}, k.Usual)...)
		}
		c.columns = append(c.columns, 0)
		if k.Own {
			c.columns[i] = c.span
			c.span += code.Length
		}
	}
	return c
}

// width returns the length of a context.
func (c *context) width() int { return c.span*(c.gate+1) + c.features + c.longest }

// position returns log ε scaled to [-1, 1].
func (c *context) position(eps float64) float64 {
	return 2*math.Log(eps/c.low)/math.Log(c.high/c.low) - 1
}

// eps is the inverse of position.
func (c *context) eps(position float64) float64 {
	return c.low * math.Pow(c.high/c.low, (position+1)/2)
}

// chebyshev returns T_n(s).
func chebyshev(n int, s float64) float64 { return math.Cos(float64(n) * math.Acos(min(max(s, -1), 1))) }

// fillContext writes the context (width) of a code z (Length) to dst. `at` is the scaled log ε.
func fillContext[T tensor.Float](c *context, dst, z []T, at float64, code int) {
	clear(dst)
	for g := range c.gate + 1 {
		t := T(chebyshev(g, at))
		for j, v := range z {
			dst[g*c.span+c.columns[code]+j] = v * t
		}
	}
	rest := dst[c.span*(c.gate+1):]
	for f := range c.features {
		rest[f] = T(chebyshev(f+1, at))
	}
	for j := range z {
		rest[c.features+j] = 1
	}
}

// fillGradient adds the gradient of a code (Length) to dz, given the gradient d of the code's
// context.
func fillGradient[T tensor.Float](c *context, dz, d []T, at float64, code int) {
	for g := range c.gate + 1 {
		t := T(chebyshev(g, at))
		for j := range dz {
			dz[j] += t * d[g*c.span+c.columns[code]+j]
		}
	}
}

// tunableDecoder implements Decoder. A pair's loss is the weighted cross-entropy of q_X and
// p_θ(· | ẑ), in nats per sample. The total loss is the mean over all pairs.
type tunableDecoder[T tensor.Float] struct {
	*tunableNet
	target       *Target
	each         int // samples per pair
	ws           *flow.Workspace[T]
	x            []T // the samples of all pairs (sets·Pairs·each, Dim)
	logp, weight []T // the samples' log-densities and weights in the loss (sets·Pairs·each)
	z, dz        []T // contexts and their gradients (sets·Pairs, width)
	code         []T // (longest): one code or its gradient
}

// row returns how many numbers Draw draws for a pair: log ε, the code's index, and the samples.
func (d *tunableDecoder[T]) row() int { return 2 + d.each*d.dim }

// Size implements Decoder.
func (d *tunableDecoder[T]) Size(sets int) int { return sets * d.Pairs * d.row() }

// Draw implements Decoder. The range of log ε is cut into as many parts as a set has pairs, and
// each pair draws its ε from one part.
func (d *tunableDecoder[T]) Draw(x []T, in encoder.Batch[T], r *rand.Rand) {
	begin := 0
	for s, end := range in.Ends {
		set := in.Points[begin*d.dim : end*d.dim]
		for p := range d.Pairs {
			to := x[(s*d.Pairs+p)*d.row():][:d.row()]
			to[0] = T(2*(float64(p)+r.Float64())/float64(d.Pairs) - 1)
			to[1] = T(d.often[r.IntN(len(d.often))])
			if eps := d.eps(float64(to[0])); d.target.Stratified {
				target.SampleStratified(to[2:], set, d.dim, eps, r)
			} else {
				target.Sample(to[2:], set, d.dim, eps, r)
			}
			circle.WrapPoints(d.circles, to[2:], d.dim)
		}
		begin = end
	}
}

// Loss implements Decoder.
func (d *tunableDecoder[T]) Loss(params, grads, dz, z []T, of Truth[T]) float64 {
	pairs := len(of.Sets.Ends) * d.Pairs
	size, width := d.each*d.dim, d.width()
	total := T(pairs * d.each)
	for i := range pairs {
		at, code := d.pair(of.Drawn, i)
		copy(d.x[i*size:(i+1)*size], of.Drawn[i*d.row()+2:])
		c := d.code[:d.codes[code].Length]
		clear(c)
		for g := range d.codes[code].Orders + 1 {
			kernel.Axpy(c, T(chebyshev(g, at)), d.outputs(z, i, code, g))
		}
		fillContext(&d.context, d.z[i*width:(i+1)*width], c, at, code)
		w := -T(math.Pow(d.eps(at)/math.Sqrt(d.low*d.high), d.EpsPower)*math.Pow(float64(d.codes[code].Length), -d.LengthPower)) / total
		for j := range d.each {
			d.weight[i*d.each+j] = w
		}
	}
	n := pairs * d.each
	flow.LogProb(d.net, d.ws, params, d.logp[:n], d.x[:pairs*size], d.z[:pairs*width], pairs, d.each)
	loss := 0.0
	for i, l := range d.logp[:n] {
		loss += float64(d.weight[i]) * float64(l)
	}
	clear(d.dz[:pairs*width])
	flow.Backward(d.net, d.ws, params, grads, d.dz[:pairs*width], d.weight[:n], d.z[:pairs*width], pairs, d.each)
	clear(dz[:len(of.Sets.Ends)*d.zdim])
	for i := range pairs {
		at, code := d.pair(of.Drawn, i)
		c := d.code[:d.codes[code].Length]
		clear(c)
		fillGradient(&d.context, c, d.dz[i*width:(i+1)*width], at, code)
		for g := range d.codes[code].Orders + 1 {
			kernel.Axpy(d.outputs(dz, i, code, g), T(chebyshev(g, at)), c)
		}
	}
	return loss
}

// pair returns the scaled log ε and the code of drawn pair i.
func (d *tunableDecoder[T]) pair(drawn []T, i int) (at float64, code int) {
	row := drawn[i*d.row():]
	return float64(row[0]), min(max(int(row[1]), 0), len(d.codes)-1)
}

// outputs returns the encoder's outputs y_g (see encoder.Tunable) for the code of a pair, from
// the outputs z for all sets.
func (d *tunableDecoder[T]) outputs(z []T, pair, code, g int) []T {
	c := d.codes[code]
	first := pair/d.Pairs*d.zdim + c.First + g*c.Stride
	return z[first : first+c.Length]
}
