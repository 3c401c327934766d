package decoder

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder/flow"
	"macroscope/model/net/decoder/matching"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/image"
)

// Decoder learns to restore sets from their ẑ, with room for a number of sets
// and particles. Weights and their gradients are arenas of the layout in which
// the Net was entered. It is not safe for concurrent use.
type Decoder[T tensor.Float] interface {
	// Size returns how many numbers Draw draws for so many sets.
	Size(sets int) int
	// Draw draws into x what Loss compares with, beside the sets themselves.
	Draw(x []T, in encoder.Batch[T], r *rand.Rand)
	// Loss returns the mean loss of what z (sets, ZDim) is trained for, adds the
	// gradients of the parameters to grads, and writes that of z to dz.
	Loss(params, grads, dz, z []T, of Truth[T]) float64
}

// Truth is what the closure variables of sets are compared with.
type Truth[T tensor.Float] struct {
	Sets   encoder.Batch[T]
	Drawn  []T // by Draw
	States []T // (frames, M+1), for a Step: the scaled macroscopic variables of each frame, and its time
}

// Density evaluates the density p_θ(x | ẑ) that a decoder has learned. It is not
// safe for concurrent use.
type Density[T tensor.Float] interface {
	// LogProb writes ln p_θ(x | z) to dst (n) for points x (n, Dim) and one z.
	LogProb(dst, params, x, z []T)
	// Sample fills dst (n, Dim) with draws from p_θ(· | z).
	Sample(dst, params, z []T, r *rand.Rand)
}

// Points restores points from ẑ. It is not safe for concurrent use.
type Points[T tensor.Float] interface {
	// Restore returns the points of a frame from ẑ of all of its sets (S, ZDim), one
	// group of sets after another (Ends[last], Dim). They hold until the next call.
	Restore(params, z []T) []T
	// Ends returns where the points of each group end: a group is one set of the
	// frame, or all of them.
	Ends() []int
}

// Kind names a kind of decoder.
type Kind string

// The kinds of decoders.
const (
	None      Kind = "none"      // nothing is restored
	Flow      Kind = "flow"      // a conditional normalizing flow
	Matching  Kind = "matching"  // a conditional flow whose velocity is learned
	Pointwise Kind = "pointwise" // an MLP to all coordinates in their order
	Chamfer   Kind = "chamfer"   // an MLP to points, compared by their nearest neighbours
	Picture   Kind = "picture"   // the other half of a CNN or a ViT
)

// Config describes a decoder.
type Config struct {
	Kind     Kind
	Flow     flow.Config
	Matching matching.Config
	// For the others: Hidden counts from ẑ on, and Sizes has how many points each
	// MLP restores. An MLP is for one set of a frame, or for Join of them together,
	// from the ẑ of all of these.
	Dim, ZDim int
	Hidden    []int
	Sizes     []int
	Join      int // 0 is 1
	// For a Picture: how sets are drawn, and the network.
	Raster image.Raster
	Image  image.Config
	// For a density: how the samples of q_X are drawn.
	Eps        float64 // standard deviation of the kernel
	Samples    int     // of each set
	Stratified bool    // every particle has its share of them, see target.SampleStratified

	Step Step
}

// Validate says what is wrong with the configuration in a sentence.
func (c Config) Validate() error {
	_, zdim := c.Dims()
	if err := c.Step.validate(zdim); err != nil {
		return err
	}
	if c.Density() && (c.Samples < 1 || c.Samples > 4096) {
		return fmt.Errorf("%d samples a set; use 1 to 4096", c.Samples)
	}
	switch c.Kind {
	case None:
		if !c.Step.On() {
			return fmt.Errorf("nothing is restored and nothing predicted, so there is nothing to learn; give the one-step loss a weight")
		}
		return nil
	case Flow:
		return c.Flow.Validate()
	case Matching:
		return c.Matching.Validate()
	case Picture:
		if err := c.Raster.Validate(); err != nil {
			return err
		}
		return c.Image.Validate()
	case Pointwise, Chamfer:
		if c.Join < 0 || c.Join > 16 {
			return fmt.Errorf("a decoder of %d sets together; use 1 to 16", c.Join)
		}
		return encoder.Config{Kind: encoder.Flat, Dim: c.Dim, ZDim: c.ZDim, Hidden: c.Hidden, Sizes: c.Sizes}.Validate()
	}
	return fmt.Errorf("there is no decoder %q; use %q, %q, %q, %q, %q or %q", c.Kind, Flow, Matching, Pointwise, Chamfer, Picture, None)
}

// Takes says why sets that end there, as in a Batch of whole frames, cannot be
// learned from.
func (c Config) Takes(ends []int) error {
	if c.Density() || c.Kind == None || c.Kind == Picture {
		return nil
	}
	span, begin := c.span(), 0
	if len(ends)%(span*len(c.Sizes)) != 0 {
		return fmt.Errorf("there are %d sets, and this decoder takes frames of %d", len(ends), span*len(c.Sizes))
	}
	for i := span - 1; i < len(ends); i += span {
		if n, size := ends[i]-begin, c.Sizes[i/span%len(c.Sizes)]; c.Kind == Pointwise && n != size {
			return fmt.Errorf("there are %d particles, and this decoder, in which each has an output of its own, is trained on exactly %d", n, size)
		}
		begin = ends[i]
	}
	return nil
}

// span returns how many sets an MLP restores.
func (c Config) span() int { return max(1, c.Join) }

// Density says whether the decoder is a density, which is part of a model. What
// is none serves stage I alone.
func (c Config) Density() bool { return c.Kind == Flow || c.Kind == Matching }

// Dims returns the coordinates of a particle and the length of ẑ.
func (c Config) Dims() (dim, zdim int) {
	switch c.Kind {
	case Flow:
		return c.Flow.Dim, c.Flow.ZDim
	case Matching:
		return c.Matching.Dim, c.Matching.ZDim
	}
	return c.Dim, c.ZDim
}

// WithDims returns the configuration for other ones.
func (c Config) WithDims(dim, zdim int) Config {
	c.Dim, c.Flow.Dim, c.Matching.Dim = dim, dim, dim
	c.ZDim, c.Flow.ZDim, c.Matching.ZDim, c.Image.ZDim = zdim, zdim, zdim, zdim
	return c
}

// Net is a decoder's place in a layout.
type Net struct {
	cfg       Config
	flow      *flow.Flow
	matching  *matching.Velocity
	pointwise *pointwiseNet
	picture   *image.Net
	step      *dynamics.Dynamics // nil without a Step
}

// New enters the decoder's parameters into the layout. The configuration must be
// valid.
func New(c Config, l *tensor.Layout) *Net {
	n := &Net{cfg: c}
	switch c.Kind {
	case Flow:
		n.flow = flow.New(c.Flow, l, "flow")
	case Matching:
		n.matching = matching.New(c.Matching, l, "matching")
	case Picture:
		n.picture = image.NewDecoderNet(c.Image, l, "decoder")
	case Pointwise, Chamfer:
		n.pointwise = newPointwiseNet(c, l)
	}
	if c.Step.On() {
		n.step = dynamics.New(c.Step.Drift, l, "step")
	}
	return n
}

// Config returns what the decoder was made from.
func (n *Net) Config() Config { return n.cfg }

// SetEps changes the kernel width of the densities that are learned from now on.
func (n *Net) SetEps(eps float64) { n.cfg.Eps = eps }

// Init draws the decoder's weights.
func Init[T tensor.Float](params []T, n *Net, r *rand.Rand) {
	switch {
	case n.flow != nil:
		flow.Init(params, n.flow, r)
	case n.matching != nil:
		matching.Init(params, n.matching, r)
	case n.pointwise != nil:
		initPointwise(params, n.pointwise, r)
	case n.picture != nil:
		image.Init(params, n.picture, r)
	}
	if n.step != nil {
		dynamics.Init(params, n.step, r)
	}
}

// NewDecoder makes room to learn from up to so many sets, in frames of up to so
// many particles.
func NewDecoder[T tensor.Float](n *Net, maxSets, maxParticles int) Decoder[T] {
	var d Decoder[T]
	switch {
	case n.flow != nil:
		d = newFlowDecoder[T](n, maxSets)
	case n.matching != nil:
		d = newMatchingDecoder[T](n, maxSets)
	case n.pointwise != nil:
		d = newPointwise[T](n.pointwise, maxSets, maxParticles)
	case n.picture != nil:
		d = newPicture[T](n, maxSets)
	}
	if n.step != nil {
		d = newStepper(n, d, maxSets)
	}
	return d
}

// NewDensity makes room to evaluate the density at up to so many points, or
// returns nil if the decoder is none.
func NewDensity[T tensor.Float](n *Net, maxPoints int) Density[T] {
	if n.matching != nil {
		return matching.NewDensity[T](n.matching, maxPoints)
	}
	if n.flow == nil {
		return nil
	}
	return &density[T]{n.cfg.Flow.Dim, n.flow, flow.NewWorkspace[T](n.flow, 1, maxPoints)}
}

// NewPoints makes room to restore points, or returns nil if the decoder does not.
func NewPoints[T tensor.Float](n *Net) Points[T] {
	if n.pointwise == nil {
		return nil
	}
	return newRestorer[T](n.pointwise)
}
