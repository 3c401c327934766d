package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
	"macroscope/model/setting"
)

// Batch holds the particles of several sets, one set after another.
type Batch[T tensor.Float] struct {
	Points []T   // coordinates (Ends[last], Dim)
	Ends   []int // where each set ends, in particles
}

// Encoder encodes batches with at most a fixed number of sets and particles. The arguments params
// and grads are arenas of the tensor.Layout that contains the encoder's parameters. An Encoder is
// not safe for concurrent use.
type Encoder[T tensor.Float] interface {
	// Encode returns ẑ of every set (sets, ZDim). The result is valid until the next call.
	Encode(params []T, in Batch[T]) []T
	// Backward must be called after Encode with the same batch. It adds the gradients of the
	// parameters to grads, given the gradient dz (sets, ZDim) of ẑ.
	Backward(params, grads []T, in Batch[T], dz []T)
}

// Kind is a pointer to a kind of encoder with its settings. A Kind in a configuration never
// changes. To change a setting, make a copy with setting.Clone.
type Kind interface {
	Name() string // name used in sentences
	// Table lists all settings of the encoder, including the length of ẑ and the number of
	// coordinates of a particle. Checkpoints and the flag -set use the same names.
	Table(s *Shape) setting.Table
	// Validate returns an error if settings contradict each other, although each is within the
	// Table's bounds.
	Validate(s Shape) error

	Ordered() bool  // whether ẑ depends on the order of the particles
	Pictures() bool // whether sets are drawn as pictures; coordinates are then not scaled
	// Takes returns an error if the encoder cannot encode whole frames with sets of these
	// sizes. `ends` says where each set ends, like Batch.Ends.
	Takes(s Shape, ends []int) error
	// Room estimates the memory for a training on the given number of frames. The result is a
	// count of numbers. `row` is the count of numbers that the networks keep per row of their
	// input.
	Room(s Shape, frames, row int) int
	// Work estimates the multiplications per frame, given the number of weights in the
	// networks.
	Work(s Shape, weights int) float64

	// New adds the parameters to the layout. The settings must be valid. The coordinates of s are those
	// that the networks see, see the function New.
	New(l *tensor.Layout, s Shape) Net
}

// Maker makes the encoders of a Net, in one precision.
type Maker[T tensor.Float] struct {
	// Init draws the weights.
	Init func(params []T, r *rand.Rand)
	// Train makes an Encoder that can be trained, for at most maxSets sets with maxPoints
	// particles in total.
	Train func(maxSets, maxPoints int) Encoder[T]
	// Frozen makes an Encoder that cannot be trained, for at most maxSets sets of any number of
	// particles.
	Frozen func(maxSets int) Encoder[T]
}

// Net holds the configuration of an encoder and the offsets of its parameters in a tensor.Layout.
// It has one method per precision, so a program that calls only one of them contains no code for
// the other precision.
type Net interface {
	Float32() Maker[float32]
	Float64() Maker[float64]
}

// Of returns the net's maker for the precision T.
func Of[T tensor.Float](n Net) Maker[T] {
	if same, ok := any(n.Float32()).(Maker[T]); ok {
		return same
	}
	return any(n.Float64()).(Maker[T])
}

// Shape is the shape of frames and their closure variables.
type Shape struct {
	Dim       int  // number of coordinates of a particle
	ZDim      int  // length of ẑ
	Sets      int  // number of sets in a frame
	Particles int  // number of particles in a frame
	Empty     bool // whether sets can be empty, where the encoder takes such sets
	// Circles says which coordinates repeat. Networks see the cosine and the sine of these.
	Circles circle.Set
	// Near is how many neighbours of a particle its neighbourhood has, if particles are spread evenly. 0: networks
	// see no neighbourhoods. Places and Speeds say which coordinates are positions and velocities.
	Near           float64
	Places, Speeds circle.Set
}

// Bounds of a Shape's fields.
const (
	MaxDim  = 16
	MaxZDim = 16
)

// Table lists the number of coordinates of a particle and the length of ẑ. Their names begin
// with the given prefix.
func (s *Shape) Table(prefix string) setting.Table {
	return setting.Table{
		{Name: prefix + "dim", Value: &s.Dim, Low: 1, High: MaxDim, Follows: true},
		{Name: prefix + "zdim", What: "the latent dimension", Value: &s.ZDim, Low: 1, High: MaxZDim},
	}
}

// SetSize returns how many particles a set has if the particles of a frame are divided equally. If
// there is a remainder, the first sets have one particle more.
func (s Shape) SetSize(set int) int { return (s.Particles + s.Sets - 1 - set) / s.Sets }

// SetSizes lists the SetSize of every set.
func (s Shape) SetSizes() []int {
	sizes := make([]int, s.Sets)
	for i := range sizes {
		sizes[i] = s.SetSize(i)
	}
	return sizes
}

// Unordered implements methods of Kind for encoders that treat all particles alike.
type Unordered struct{}

// Ordered implements Kind.
func (Unordered) Ordered() bool { return false }

// Pictures implements Kind.
func (Unordered) Pictures() bool { return false }

// Validate implements Kind.
func (Unordered) Validate(Shape) error { return nil }

// Room implements Kind. The networks have a row for each particle.
func (Unordered) Room(s Shape, frames, row int) int { return frames * s.Particles * row }

// Work implements Kind.
func (Unordered) Work(s Shape, weights int) float64 { return float64(s.Particles) * float64(weights) }

// Takes implements Kind. It accepts all nonempty sets.
func (Unordered) Takes(_ Shape, ends []int) error {
	if least(ends) < 1 {
		return fmt.Errorf("a set has no particles; give it one at least")
	}
	return nil
}

// least returns the size of the smallest set.
func least(ends []int) int {
	n, begin := math.MaxInt, 0
	for _, end := range ends {
		n, begin = min(n, end-begin), end
	}
	return n
}

// pooled implements methods of Kind for encoders that take the mean of numbers of each particle. Of an empty set, it is 0.
type pooled struct{ Unordered }

// Takes implements Kind.
func (p pooled) Takes(s Shape, ends []int) error {
	if s.Empty && least(ends) == 0 {
		return nil
	}
	return p.Unordered.Takes(s, ends)
}

// prefix is the beginning of the names of an encoder's parameters.
const prefix = "encoder"

// block is the number of particles that a frozen encoder encodes together. Their activations
// fit in the cache.
const block = 300

// function is an Encoder made of two functions. If backward is nil, it cannot be trained.
type function[T tensor.Float] struct {
	encode   func(params []T, in Batch[T]) []T
	backward func(params, grads []T, in Batch[T], dz []T)
}

// Encode implements Encoder.
func (f *function[T]) Encode(params []T, in Batch[T]) []T { return f.encode(params, in) }

// Backward implements Encoder.
func (f *function[T]) Backward(params, grads []T, in Batch[T], dz []T) {
	if f.backward == nil {
		panic("encoder: a frozen encoder cannot be trained")
	}
	f.backward(params, grads, in, dz)
}

// Frozen returns e without the ability to learn: its Backward panics.
func Frozen[T tensor.Float](e Encoder[T]) Encoder[T] { return &function[T]{encode: e.Encode} }

// New adds the parameters of an encoder to the layout. The settings must be valid. An encoder sees a
// coordinate on a circle as its cosine and its sine, so images of a particle have the same ẑ. If Shape.Near is
// above 0, it also sees the neighbourhood of every particle, see neighbours.
func New(k Kind, l *tensor.Layout, s Shape) Net {
	seen := s
	if seen.Dim = s.seen(); seen.Dim == s.Dim || k.Pictures() {
		return k.New(l, s)
	}
	seen.Circles, seen.Near = 0, 0
	return look(k.New(l, seen), s)
}
