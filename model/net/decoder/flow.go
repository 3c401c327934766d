package decoder

import (
	"math/rand/v2"
	"strconv"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
	"macroscope/model/net/decoder/flow"
	"macroscope/model/net/encoder"
	"macroscope/model/net/target"
	"macroscope/model/setting"
)

// Flow is a conditional normalizing flow (package flow). Its Dim and ZDim come from a Shape.
type Flow struct {
	Sampled
	flow.Config
}

var _ Kind = (*Flow)(nil)

// Name implements Kind.
func (*Flow) Name() string { return "flow" }

// Unit implements Kind.
func (*Flow) Unit() string { return "nats a sample" }

// Table implements Kind.
func (k *Flow) Table(s *encoder.Shape) setting.Table {
	return append(setting.Table{
		setting.Derived("flow.dim", func() string { return strconv.Itoa(s.Dim) }), setting.Derived("flow.zdim", func() string { return strconv.Itoa(s.ZDim) }),
	}, k.Config.Table()...)
}

// Validate implements Kind.
func (k *Flow) Validate(in Input) error { return k.at(in).Validate() }

// Room implements Kind. The rows of a flow's networks are samples. The transform of the first
// coordinate depends only on ẑ, so it has one row per ẑ.
func (k *Flow) Room(in Input, t Target, frames, row int) int {
	sets := frames * in.Sets
	samples := sets * t.Samples
	numbers := samples * (4*in.Dim + 3*k.Layers)
	if in.Dim > 1 {
		return numbers + samples*row
	}
	return numbers + sets*row
}

func (k *Flow) at(in Input) flow.Config {
	c := k.Config
	c.Dim, c.ZDim, c.Circles = in.Dim, in.ZDim, in.Circles
	return c
}

// New implements Kind.
func (k *Flow) New(l *tensor.Layout, in Input) Net {
	return flowNet{in.Dim, in.Circles, flow.New(k.at(in), l)}
}

type flowNet struct {
	dim     int
	circles circle.Set
	net     *flow.Flow
}

func (n flowNet) Float32() Maker[float32] { return flowMaker[float32](n.dim, n.circles, n.net) }
func (n flowNet) Float64() Maker[float64] { return flowMaker[float64](n.dim, n.circles, n.net) }

func flowMaker[T tensor.Float](dim int, circles circle.Set, net *flow.Flow) Maker[T] {
	return Maker[T]{
		Init: func(params []T, r *rand.Rand) { flow.Init(params, net, r) },
		Train: func(t *Target, maxSets, _ int) Decoder[T] {
			points := maxSets * t.Samples
			return &flowDecoder[T]{
				dim: dim, circles: circles, flow: net, target: t, ws: flow.NewWorkspace[T](net, maxSets, t.Samples), logp: make([]T, points), weight: make([]T, points),
			}
		},
		Density: func(maxPoints int) Density[T] {
			return &density[T]{dim, circles, net, flow.NewWorkspace[T](net, 1, maxPoints), nil}
		},
	}
}

// flowDecoder implements Decoder. Its loss is the mean cross-entropy of q_X and p_θ(· | ẑ) in
// nats per sample, which has the same gradient as KL(q_X ‖ p_θ).
type flowDecoder[T tensor.Float] struct {
	dim     int
	circles circle.Set
	flow    *flow.Flow
	target  *Target
	ws      *flow.Workspace[T]
	logp    []T // log-densities of the samples (sets·Samples)
	weight  []T // weights of logp in the loss (sets·Samples)
	sets    int // number of sets for which the weights are filled
}

// Size implements Decoder.
func (d *flowDecoder[T]) Size(sets int) int { return sets * d.target.Samples * d.dim }

// Draw implements Decoder. It draws samples of q_X of every set.
func (d *flowDecoder[T]) Draw(x []T, in encoder.Batch[T], r *rand.Rand) {
	t, dim, begin := d.target, d.dim, 0
	size := t.Samples * dim
	for s, end := range in.Ends {
		to, set := x[s*size:(s+1)*size], in.Points[begin*dim:end*dim]
		if t.Stratified {
			target.SampleStratified(to, set, dim, t.Eps, r)
		} else {
			target.Sample(to, set, dim, t.Eps, r)
		}
		circle.WrapPoints(d.circles, to, dim)
		begin = end
	}
}

// Loss implements Decoder.
func (d *flowDecoder[T]) Loss(params, grads, dz, z []T, of Truth[T]) float64 {
	sets, samples := len(of.Sets.Ends), d.target.Samples
	logp := d.logp[:sets*samples]
	if d.sets != sets {
		for i := range sets * samples {
			d.weight[i] = -1 / T(sets*samples)
		}
		d.sets = sets
	}
	flow.LogProb(d.flow, d.ws, params, logp, of.Drawn, z, sets, samples)
	loss := 0.0
	for _, l := range logp {
		loss -= float64(l)
	}
	clear(dz)
	flow.Backward(d.flow, d.ws, params, grads, dz, d.weight[:sets*samples], z, sets, samples)
	return loss / float64(len(logp))
}

// density implements Density.
type density[T tensor.Float] struct {
	dim     int
	circles circle.Set
	flow    *flow.Flow
	ws      *flow.Workspace[T]
	wrapped []T // points whose images lie in the box
}

// LogProb implements Density.
func (d *density[T]) LogProb(dst, params, x, z []T) {
	if d.circles != 0 {
		d.wrapped = append(d.wrapped[:0], x[:len(dst)*d.dim]...)
		circle.WrapPoints(d.circles, d.wrapped, d.dim)
		x = d.wrapped
	}
	flow.LogProb(d.flow, d.ws, params, dst, x, z, 1, len(dst))
}

// Sample implements Density.
func (d *density[T]) Sample(dst, params, z []T, r *rand.Rand) {
	flow.Sample(d.flow, d.ws, params, dst, z, 1, len(dst)/d.dim, r)
}
