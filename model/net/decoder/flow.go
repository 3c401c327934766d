package decoder

import (
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder/flow"
	"macroscope/model/net/encoder"
	"macroscope/model/net/target"
)

// flowDecoder implements Decoder: the loss is the mean cross-entropy of q_X and
// p_θ(· | ẑ) in nats a sample, whose gradient is that of KL(q_X ‖ p_θ).
type flowDecoder[T tensor.Float] struct {
	net    *Net
	ws     *flow.Workspace[T]
	logp   []T // (sets·Samples)
	weight []T // (sets·Samples)
	sets   int // that weight is for
}

func newFlowDecoder[T tensor.Float](n *Net, maxSets int) *flowDecoder[T] {
	points := maxSets * n.cfg.Samples
	return &flowDecoder[T]{
		net: n, ws: flow.NewWorkspace[T](n.flow, maxSets, n.cfg.Samples), logp: make([]T, points), weight: make([]T, points),
	}
}

// Size implements Decoder.
func (d *flowDecoder[T]) Size(sets int) int { return sets * d.net.cfg.Samples * d.net.cfg.Flow.Dim }

// Draw implements Decoder: samples of q_X of every set.
func (d *flowDecoder[T]) Draw(x []T, in encoder.Batch[T], r *rand.Rand) {
	c := &d.net.cfg
	dim, begin := c.Flow.Dim, 0
	size := c.Samples * dim
	for s, end := range in.Ends {
		to, set := x[s*size:(s+1)*size], in.Points[begin*dim:end*dim]
		if c.Stratified {
			target.SampleStratified(to, set, dim, c.Eps, r)
		} else {
			target.Sample(to, set, dim, c.Eps, r)
		}
		begin = end
	}
}

// Loss implements Decoder.
func (d *flowDecoder[T]) Loss(params, grads, dz, z []T, of Truth[T]) float64 {
	n := d.net
	sets, samples := len(of.Sets.Ends), n.cfg.Samples
	logp := d.logp[:sets*samples]
	if d.sets != sets {
		for i := range sets * samples {
			d.weight[i] = -1 / T(sets*samples)
		}
		d.sets = sets
	}
	flow.LogProb(n.flow, d.ws, params, logp, of.Drawn, z, sets, samples)
	loss := 0.0
	for _, l := range logp {
		loss -= float64(l)
	}
	clear(dz)
	flow.Backward(n.flow, d.ws, params, grads, dz, d.weight[:sets*samples], z, sets, samples)
	return loss / float64(len(logp))
}

// density implements Density.
type density[T tensor.Float] struct {
	dim  int
	flow *flow.Flow
	ws   *flow.Workspace[T]
}

// LogProb implements Density.
func (d *density[T]) LogProb(dst, params, x, z []T) {
	flow.LogProb(d.flow, d.ws, params, dst, x, z, 1, len(dst))
}

// Sample implements Density.
func (d *density[T]) Sample(dst, params, z []T, r *rand.Rand) {
	flow.Sample(d.flow, d.ws, params, dst, z, 1, len(dst)/d.dim, r)
}
