package decoder

import (
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder/matching"
	"macroscope/model/net/encoder"
	"macroscope/model/net/target"
	"macroscope/model/setting"
)

// Matching is a conditional flow with a learned velocity (package matching). Its Dim and ZDim
// come from a Shape.
type Matching struct {
	Sampled
	matching.Config
}

var _ Kind = (*Matching)(nil)

// Name implements Kind.
func (*Matching) Name() string { return "flow matching" }

// Table implements Kind.
func (k *Matching) Table(*encoder.Shape) setting.Table { return k.Config.Table() }

// Room implements Kind.
func (k *Matching) Room(in Input, t Target, frames, row int) int {
	return frames * in.Sets * t.Samples * (7*in.Dim + 2*in.ZDim + 4 + row)
}

// New implements Kind.
func (k *Matching) New(l *tensor.Layout, in Input) Net {
	c := k.Config
	c.Dim, c.ZDim, c.Circles = in.Dim, in.ZDim, in.Circles
	return matchingNet{in.Dim, matching.New(c, l, "matching")}
}

type matchingNet struct {
	dim int
	net *matching.Velocity
}

func (n matchingNet) Float32() Maker[float32] { return matchingMaker[float32](n.dim, n.net) }
func (n matchingNet) Float64() Maker[float64] { return matchingMaker[float64](n.dim, n.net) }

func matchingMaker[T tensor.Float](dim int, net *matching.Velocity) Maker[T] {
	return Maker[T]{
		Init: func(params []T, r *rand.Rand) { matching.Init(params, net, r) },
		Train: func(t *Target, maxSets, _ int) Decoder[T] {
			rows := maxSets * t.Samples
			return &matchingDecoder[T]{
				dim: dim, config: net.Config(), target: t, train: matching.NewTrainer[T](net, rows),
				paths: matching.Paths[T]{From: make([]T, rows*dim), To: make([]T, rows*dim), At: make([]T, rows)},
			}
		},
		Density: func(maxPoints int) Density[T] { return matching.NewDensity[T](net, maxPoints) },
	}
}

// matchingDecoder implements Decoder. Its loss is the mean squared error of the velocity along
// straight paths from noise to samples of q_X.
type matchingDecoder[T tensor.Float] struct {
	dim    int
	config *matching.Config
	target *Target
	train  *matching.Trainer[T]
	paths  matching.Paths[T] // paths of a batch
}

// row returns how many numbers Draw draws for a set.
func (d *matchingDecoder[T]) row() int { return d.target.Samples * (2*d.dim + 1) }

// Size implements Decoder.
func (d *matchingDecoder[T]) Size(sets int) int { return sets * d.row() }

// Draw implements Decoder. For every set it draws samples of q_X. For each sample it draws noise
// and a time. The times of n samples are stratified: [0, 1] is cut into n equal parts, and each
// part contains one time.
func (d *matchingDecoder[T]) Draw(x []T, in encoder.Batch[T], r *rand.Rand) {
	t, dim, begin := d.target, d.dim, 0
	for s, end := range in.Ends {
		to := x[s*d.row() : (s+1)*d.row()]
		samples, noise, times := to[:t.Samples*dim], to[t.Samples*dim:2*t.Samples*dim], to[2*t.Samples*dim:]
		target.Sample(samples, in.Points[begin*dim:end*dim], dim, t.Eps, r)
		for i := range noise {
			noise[i] = matching.Noise[T](d.config, i%dim, r)
		}
		for i := range times {
			times[i] = (T(i) + T(r.Float64())) / T(t.Samples)
		}
		begin = end
	}
}

// Loss implements Decoder.
func (d *matchingDecoder[T]) Loss(params, grads, dz, z []T, of Truth[T]) float64 {
	t, p := d.target, &d.paths
	sets, size := len(of.Sets.Ends), t.Samples*d.dim
	for s := range sets {
		from := of.Drawn[s*d.row() : (s+1)*d.row()]
		copy(p.To[s*size:], from[:size])
		copy(p.From[s*size:], from[size:2*size])
		copy(p.At[s*t.Samples:], from[2*size:])
	}
	rows := sets * t.Samples
	return d.train.Loss(params, grads, dz, z, matching.Paths[T]{From: p.From[:sets*size], To: p.To[:sets*size], At: p.At[:rows]})
}
