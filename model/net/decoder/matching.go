package decoder

import (
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder/matching"
	"macroscope/model/net/encoder"
	"macroscope/model/net/target"
)

// matchingDecoder implements Decoder: the loss is the mean squared error of the
// velocity along straight paths from noise to samples of q_X.
type matchingDecoder[T tensor.Float] struct {
	net   *Net
	train *matching.Trainer[T]
	paths matching.Paths[T] // of a batch
}

func newMatchingDecoder[T tensor.Float](n *Net, maxSets int) *matchingDecoder[T] {
	rows, dim := maxSets*n.cfg.Samples, n.cfg.Matching.Dim
	return &matchingDecoder[T]{
		net: n, train: matching.NewTrainer[T](n.matching, rows),
		paths: matching.Paths[T]{From: make([]T, rows*dim), To: make([]T, rows*dim), At: make([]T, rows)},
	}
}

// row returns how many numbers are drawn for a set.
func (d *matchingDecoder[T]) row() int { return d.net.cfg.Samples * (2*d.net.cfg.Matching.Dim + 1) }

// Size implements Decoder.
func (d *matchingDecoder[T]) Size(sets int) int { return sets * d.row() }

// Draw implements Decoder: samples of q_X of every set, noise for each, and times,
// of which each has its own part of [0, 1].
func (d *matchingDecoder[T]) Draw(x []T, in encoder.Batch[T], r *rand.Rand) {
	c := &d.net.cfg
	dim, begin := c.Matching.Dim, 0
	for s, end := range in.Ends {
		to := x[s*d.row() : (s+1)*d.row()]
		samples, noise, times := to[:c.Samples*dim], to[c.Samples*dim:2*c.Samples*dim], to[2*c.Samples*dim:]
		target.Sample(samples, in.Points[begin*dim:end*dim], dim, c.Eps, r)
		for i := range noise {
			noise[i] = T(r.NormFloat64())
		}
		for i := range times {
			times[i] = (T(i) + T(r.Float64())) / T(c.Samples)
		}
		begin = end
	}
}

// Loss implements Decoder.
func (d *matchingDecoder[T]) Loss(params, grads, dz, z []T, of Truth[T]) float64 {
	c, p := &d.net.cfg, &d.paths
	sets, size := len(of.Sets.Ends), c.Samples*c.Matching.Dim
	for s := range sets {
		from := of.Drawn[s*d.row() : (s+1)*d.row()]
		copy(p.To[s*size:], from[:size])
		copy(p.From[s*size:], from[size:2*size])
		copy(p.At[s*c.Samples:], from[2*size:])
	}
	rows := sets * c.Samples
	return d.train.Loss(params, grads, dz, z, matching.Paths[T]{From: p.From[:sets*size], To: p.To[:sets*size], At: p.At[:rows]})
}
