package decoder

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/target"
	"macroscope/model/setting"
)

// Decoder learns to restore sets from their ẑ, for at most a fixed number of sets and
// particles. Weights and their gradients are slices with the layout to which the Net was added.
// It is not safe for concurrent use.
type Decoder[T tensor.Float] interface {
	// Size returns the length of x that Draw fills for the given number of sets.
	Size(sets int) int
	// Draw writes to x the random numbers that Loss needs in addition to the sets, such
	// as samples of q_X.
	Draw(x []T, in encoder.Batch[T], r *rand.Rand)
	// Loss returns the mean loss of z (sets, ZDim), adds the gradients of the parameters to
	// grads, and writes the gradient of z to dz.
	Loss(params, grads, dz, z []T, of Truth[T]) float64
}

// Truth contains what a decoder learns to restore or to predict from the closure variables.
type Truth[T tensor.Float] struct {
	Sets   encoder.Batch[T]
	Drawn  []T // written by Draw
	States []T // (frames, M+1), for a Step: the scaled macroscopic variables of each frame, and the frame's time
}

// Density evaluates the learned density p_θ(x | ẑ). It is not safe for concurrent use.
type Density[T tensor.Float] interface {
	// LogProb writes ln p_θ(x | z) to dst (n) for points x (n, Dim) and one z.
	LogProb(dst, params, x, z []T)
	// Sample fills dst (n, Dim) with draws from p_θ(· | z).
	Sample(dst, params, z []T, r *rand.Rand)
}

// Points restores points from ẑ. It is not safe for concurrent use.
type Points[T tensor.Float] interface {
	// Restore returns the points of a frame (Ends[last], Dim), group after group, given ẑ of
	// all sets of the frame (S, ZDim). The points are valid until the next call.
	Restore(params, z []T) []T
	// Ends returns where the points of each group end. A group is one set of the frame, or all
	// of its sets.
	Ends() []int
}

// Input describes the decoder's input: the ẑ that an encoder makes from frames.
type Input struct {
	encoder.Shape
	Encoder encoder.Kind
	Macros  int // M, the number of macroscopic variables of a frame; 0 without dynamics
}

// Variables returns the number of variables that a Step predicts: M macroscopic ones, and ẑ of every set.
func (in Input) Variables() int { return in.Macros + in.Sets*in.ZDim }

// Kind is a pointer to a kind of decoder with its settings. A Kind in a configuration never
// changes. To change a setting, make a copy with setting.Clone.
type Kind interface {
	Name() string // name used in sentences
	// Table lists the settings by their names in checkpoints and -set.
	Table(s *encoder.Shape) setting.Table
	// Validate returns an error if settings contradict each other, although each is within the
	// Table's bounds.
	Validate(in Input) error

	Density() bool  // whether it learns a density
	Restores() bool // whether it restores sets; false only for the kind None
	Unit() string   // unit of the loss; "" if there is no unit or no loss
	// Takes returns an error if the decoder cannot learn from a batch of whole frames. `ends` contains
	// the end of each set, like Batch.Ends.
	Takes(in Input, ends []int) error
	// Room estimates the memory for a training step on the given number of frames. The result is a
	// count of floating-point numbers, without the encoder's Room. The networks keep `row` numbers
	// for each row of their input.
	Room(in Input, t Target, frames, row int) int
	// Work estimates the multiplications per frame, given the number of weights in the
	// networks.
	Work(in Input, t Target, weights int) float64

	// New adds the parameters to the layout. The settings must be valid.
	New(l *tensor.Layout, in Input) Net
}

// Maker makes the decoders of a Net, in one precision.
type Maker[T tensor.Float] struct {
	// Init draws the weights.
	Init func(params []T, r *rand.Rand)
	// Train makes a Decoder that learns from at most maxSets sets, in frames of at most
	// maxParticles particles. The Target may change afterwards, except its number of samples.
	Train func(t *Target, maxSets, maxParticles int) Decoder[T]
	// Density makes a Density for at most maxPoints points. The function is nil if the decoder is
	// not a density.
	Density func(maxPoints int) Density[T]
	// Points makes an object of type Points. The function is nil if the decoder does not restore
	// points.
	Points func() Points[T]
}

// Net holds the configuration of a decoder and the offsets of its parameters in a tensor.Layout. It
// has one method per precision, so a program that calls only one of them contains no code for the
// other precision.
type Net interface {
	Float32() Maker[float32]
	Float64() Maker[float64]
}

// For the precision T, Of returns the Maker of a net.
func Of[T tensor.Float](n Net) Maker[T] {
	if same, ok := any(n.Float32()).(Maker[T]); ok {
		return same
	}
	return any(n.Float64()).(Maker[T])
}

// PerSet implements methods of Kind for decoders that are not densities. Their networks have
// one row per set.
type PerSet struct{}

// Density implements Kind.
func (PerSet) Density() bool { return false }

// Restores implements Kind.
func (PerSet) Restores() bool { return true }

// Unit implements Kind.
func (PerSet) Unit() string { return "" }

// Validate implements Kind.
func (PerSet) Validate(Input) error { return nil }

// Takes implements Kind.
func (PerSet) Takes(Input, []int) error { return nil }

// Room implements Kind.
func (PerSet) Room(in Input, _ Target, frames, row int) int { return frames * in.Sets * row }

// Work implements Kind.
func (PerSet) Work(_ Input, _ Target, weights int) float64 { return float64(weights) }

// Sampled implements methods of Kind for densities. Their networks have one row per
// sample of q_X.
type Sampled struct{ PerSet }

// Density implements Kind.
func (Sampled) Density() bool { return true }

// Work implements Kind.
func (Sampled) Work(in Input, t Target, weights int) float64 {
	return float64(weights) * float64(t.Samples*in.Sets)
}

// A decoder of the kind None restores no sets and learns no density. With it, only a one-step loss
// trains ẑ (see Step).
type None struct{ PerSet }

var _ Kind = (*None)(nil)

// Name implements Kind.
func (*None) Name() string { return "none" }

// Restores implements Kind.
func (*None) Restores() bool { return false }

// Table implements Kind.
func (*None) Table(*encoder.Shape) setting.Table { return nil }

// New implements Kind.
func (*None) New(*tensor.Layout, Input) Net { return none{} }

// none is the Net of None.
type none struct{}

func (none) Float32() Maker[float32] { return noneMaker[float32]() }
func (none) Float64() Maker[float64] { return noneMaker[float64]() }

func noneMaker[T tensor.Float]() Maker[T] {
	return Maker[T]{
		Init:  func([]T, *rand.Rand) {},
		Train: func(*Target, int, int) Decoder[T] { return nothing[T]{} },
	}
}

// nothing implements Decoder with a loss of 0.
type nothing[T tensor.Float] struct{}

func (nothing[T]) Size(int) int                             { return 0 }
func (nothing[T]) Draw([]T, encoder.Batch[T], *rand.Rand)   {}
func (nothing[T]) Loss(_, _, dz, _ []T, _ Truth[T]) float64 { clear(dz); return 0 }

// Target describes the samples of q_X from which a density learns.
type Target struct {
	Eps        float64 // standard deviation of the kernel
	Samples    int     // number of samples per set
	Stratified bool    // whether every particle gets an equal share of the samples, see target.SampleStratified
}

// Config describes how closure variables are trained: a decoder, a Target and a Step.
type Config struct {
	Kind
	Target
	Step Step
}

// Table lists the settings by their names in checkpoints and -set.
func (t *Target) Table() setting.Table {
	return setting.Table{
		{Name: "eps", What: "ε (eps), the width of a Gaussian in the units of the networks,", Value: &t.Eps, Low: target.MinEps, High: 1},
		{Name: "samples", Value: &t.Samples, Low: 1, High: 4096}, {Name: "stratified", Value: &t.Stratified, Hidden: true},
	}
}

// Table lists the settings of the decoder.
func (c *Config) Table(s *encoder.Shape) setting.Table {
	t := c.Kind.Table(s)
	if !c.Density() {
		return t
	}
	of := c.Target.Table()
	if _, ok := c.Kind.(*Matching); ok { // it draws no stratified samples
		of = of[:2]
	}
	return append(of, t...)
}

// Validate returns an error if settings contradict each other, although each is within the
// tables' bounds.
func (c Config) Validate(in Input) error {
	if err := c.Kind.Validate(in); err != nil {
		return err
	}
	if !c.Step.On() && !c.Restores() {
		return fmt.Errorf("nothing is restored and nothing predicted, so there is nothing to learn; give the one-step loss a weight")
	}
	return c.Step.validate(in)
}

// Decoding holds a Config and offsets of parameters in a tensor.Layout. The parameters belong to the
// decoder and to the Step.
type Decoding struct {
	cfg  Config
	in   Input
	kind Net
	step *dynamics.DriftNet // nil if there is no Step
}

// New adds the decoder's parameters to the layout. The configuration must be valid.
func New(c Config, in Input, l *tensor.Layout) *Decoding {
	s := &Decoding{cfg: c, in: in, kind: c.Kind.New(l, in)}
	if c.Step.On() {
		s.step = dynamics.NewDriftNet(c.Step.Drift, in.Variables(), l, "step")
	}
	return s
}

// Config returns the settings of the decoder and the step.
func (s *Decoding) Config() Config { return s.cfg }

// SetEps changes the kernel width of the densities for further training.
func (s *Decoding) SetEps(eps float64) { s.cfg.Eps = eps }

// Float32 implements Net. The function Train of the result ignores its argument and uses the Target
// of the settings.
func (s *Decoding) Float32() Maker[float32] { return decodingMaker(s, s.kind.Float32()) }

// Float64 implements Net.
func (s *Decoding) Float64() Maker[float64] { return decodingMaker(s, s.kind.Float64()) }

func decodingMaker[T tensor.Float](s *Decoding, m Maker[T]) Maker[T] {
	kind := m
	m.Init = func(params []T, r *rand.Rand) {
		kind.Init(params, r)
		if s.step != nil {
			dynamics.Init(params, s.step, r)
		}
	}
	m.Train = func(_ *Target, maxSets, maxParticles int) Decoder[T] {
		d := kind.Train(&s.cfg.Target, maxSets, maxParticles)
		if s.step != nil {
			d = newStepper(s, d, maxSets)
		}
		return d
	}
	return m
}
