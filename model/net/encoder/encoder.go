package encoder

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/attention"
	"macroscope/model/net/encoder/deepset"
	"macroscope/model/net/image"
)

// Batch is sets of particles one after another.
type Batch[T tensor.Float] struct {
	Points []T   // (Ends[last], Dim)
	Ends   []int // where each set ends, in particles
}

// Encoder encodes batches, with room for a number of sets and particles. Weights
// and their gradients are arenas of the layout in which the Net was entered. It
// is not safe for concurrent use.
type Encoder[T tensor.Float] interface {
	// Encode returns ẑ of every set (sets, ZDim). It holds until the next call.
	Encode(params []T, in Batch[T]) []T
	// Backward follows an Encode of the same batch. It takes the gradient dz
	// (sets, ZDim) and adds the gradients of the parameters to grads.
	Backward(params, grads []T, in Batch[T], dz []T)
}

// Kind names a kind of encoder.
type Kind string

// The kinds of encoders.
const (
	DeepSet        Kind = "deepset"        // ρ(mean φ(x)), see deepset.DeepSet
	SetTransformer Kind = "settransformer" // attention among particles, see attention.SetTransformer
	Flat           Kind = "flat"           // an MLP of all coordinates in their order
	CNN            Kind = "cnn"            // convolutions of a picture of the set, see image
	ViT            Kind = "vit"            // attention among patches of such a picture
)

// Config describes an encoder.
type Config struct {
	Kind   Kind
	Dim    int   // coordinates of a particle
	ZDim   int   // length of ẑ
	Hidden []int // hidden widths: of φ, the last of which is pooled, or of the MLP
	Head   []int // of a DeepSet: hidden widths of ρ
	Act    kernel.Activation
	// Attention is what is inside of a SetTransformer; its Dim and ZDim are those
	// above.
	Attention attention.Config
	// Sizes are how many particles the sets of a frame have, for a Flat encoder,
	// which has an MLP for each.
	Sizes []int
	// For a CNN and a ViT: how sets are drawn, and the network, of which the kind, ZDim
	// and the size of pictures follow from what is above and from the raster.
	Raster image.Raster
	Image  image.Config
}

// MaxZDim bounds the length of ẑ.
const MaxZDim = 16

// maxInputs bounds the particles of a set that a Flat encoder takes.
const maxInputs = 10_000

// Validate says what is wrong with the configuration in a sentence.
func (c Config) Validate() error {
	if c.ZDim < 1 || c.ZDim > MaxZDim {
		return fmt.Errorf("the latent dimension is %d; use 1 to %d", c.ZDim, MaxZDim)
	}
	switch c.Kind {
	case DeepSet:
		return c.deepSet().Validate()
	case SetTransformer:
		return c.attention().Validate()
	case CNN, ViT:
		if c.Dim != image.PointDim {
			return fmt.Errorf("particles have %d coordinates, and a picture is drawn of %d: two in the plane, and a brightness or a mark", c.Dim, image.PointDim)
		}
		if err := c.Raster.Validate(); err != nil {
			return err
		}
		return c.Picture().Validate()
	case Flat:
	default:
		return fmt.Errorf("there is no encoder %q; use %q, %q, %q, %q or %q", c.Kind, DeepSet, SetTransformer, Flat, CNN, ViT)
	}
	if len(c.Sizes) < 1 || c.Dim < 1 || c.Dim > 16 {
		return fmt.Errorf("an encoder of %d sets of particles with %d coordinates; use one set at least, and 1 to 16 coordinates", len(c.Sizes), c.Dim)
	}
	for _, n := range c.Sizes {
		if n < 1 || n > maxInputs {
			return fmt.Errorf("%d particles in a set; use 1 to %d", n, maxInputs)
		}
	}
	if len(c.Hidden) < 1 || len(c.Hidden) > 8 {
		return fmt.Errorf("%d hidden layers; use 1 to 8", len(c.Hidden))
	}
	for _, h := range c.Hidden {
		if h < 1 || h > 1024 {
			return fmt.Errorf("a hidden layer of width %d; use 1 to 1024", h)
		}
	}
	return nil
}

// Ordered says whether ẑ depends on the order of the particles.
func (c Config) Ordered() bool { return c.Kind == Flat }

// Draws says whether sets are drawn as pictures, in coordinates as they are.
func (c Config) Draws() bool { return c.Kind == CNN || c.Kind == ViT }

// Rows returns how many rows its networks have in a training on so many frames of so
// many particles at most: one for each particle, or for each frame.
func (c Config) Rows(frames, particles int) int {
	if c.Kind == Flat {
		return frames
	}
	return frames * particles
}

// Picture returns the autoencoder of pictures that a CNN or a ViT is a half of.
func (c Config) Picture() image.Config {
	i := c.Image.On(c.Raster)
	i.Kind, i.ZDim = image.Kind(c.Kind), c.ZDim
	return i
}

// Takes says why sets that end there, as in a Batch of whole frames, cannot be
// encoded.
func (c Config) Takes(ends []int) error {
	if c.Kind == Flat && len(ends)%len(c.Sizes) != 0 {
		return fmt.Errorf("there are %d sets, and this encoder takes frames of %d", len(ends), len(c.Sizes))
	}
	begin := 0
	for i, end := range ends {
		n := end - begin
		switch {
		case n < 1:
			return fmt.Errorf("a set has no particles; give it one at least")
		case c.Kind == Flat && n != c.Sizes[i%len(c.Sizes)]:
			return fmt.Errorf("the set has %d particles, and this encoder, in which each has an input of its own, takes exactly %d", n, c.Sizes[i%len(c.Sizes)])
		}
		begin = end
	}
	return nil
}

func (c Config) deepSet() deepset.Config {
	return deepset.Config{Dim: c.Dim, Hidden: c.Hidden, Head: c.Head, ZDim: c.ZDim, Act: c.Act}
}

func (c Config) attention() attention.Config {
	a := c.Attention
	a.Dim, a.ZDim = c.Dim, c.ZDim
	return a
}

// Net is an encoder's place in a layout.
type Net struct {
	cfg  Config
	deep *deepset.DeepSet
	attn *attention.SetTransformer
	flat *flatNet

	picture *image.Net
}

// New enters the encoder's parameters into the layout. The configuration must be
// valid.
func New(c Config, l *tensor.Layout) *Net {
	n := &Net{cfg: c}
	switch c.Kind {
	case Flat:
		n.flat = newFlatNet(c, l)
	case CNN, ViT:
		n.picture = image.NewEncoderNet(c.Picture(), l, prefix)
	case SetTransformer:
		n.attn = attention.New(c.attention(), l, prefix)
	default:
		n.deep = deepset.New(c.deepSet(), l, prefix)
	}
	return n
}

// prefix begins the names of an encoder's parameters.
const prefix = "encoder"

// Config returns what the encoder was made from.
func (n *Net) Config() Config { return n.cfg }

// Init draws the encoder's weights.
func Init[T tensor.Float](params []T, n *Net, r *rand.Rand) {
	switch n.cfg.Kind {
	case Flat:
		initFlat(params, n.flat, r)
	case CNN, ViT:
		image.Init(params, n.picture, r)
	case SetTransformer:
		attention.Init(params, n.attn, r)
	default:
		deepset.Init(params, n.deep, r)
	}
}

// NewEncoder makes room to train on up to so many sets with so many particles
// altogether.
func NewEncoder[T tensor.Float](n *Net, maxSets, maxPoints int) Encoder[T] {
	switch n.cfg.Kind {
	case Flat:
		return newFlat[T](n.flat, maxSets)
	case CNN, ViT:
		return newPicture[T](n, maxSets)
	case SetTransformer:
		return &setTransformer[T]{attention.NewWorkspace[T](n.attn, maxSets, maxPoints)}
	}
	return &deepSet[T]{n.deep, deepset.NewWorkspace[T](n.deep, maxSets, maxPoints)}
}

// block is the number of particles that are encoded together where nothing is
// learned, few enough for their activations to stay in the cache.
const block = 300

// NewFrozen returns an encoder for up to so many sets of any number of particles
// that cannot be trained: its Backward panics.
func NewFrozen[T tensor.Float](n *Net, maxSets int) Encoder[T] {
	switch n.cfg.Kind {
	case Flat:
		return frozen[T]{newFlat[T](n.flat, maxSets)}
	case CNN, ViT:
		return frozen[T]{newPicture[T](n, maxSets)}
	case SetTransformer:
		return frozen[T]{&setTransformerOnly[T]{setTransformer[T]{attention.NewFrozen[T](n.attn, maxSets, block)}}}
	}
	return frozen[T]{&deepSetOnly[T]{deepSet[T]{n.deep, deepset.NewWorkspace[T](n.deep, maxSets, block)}}}
}

// frozen is an encoder that cannot be trained.
type frozen[T tensor.Float] struct{ Encoder[T] }

func (frozen[T]) Backward(_, _ []T, _ Batch[T], _ []T) {
	panic("encoder: a frozen encoder cannot be trained")
}

// deepSet is a deepset.DeepSet as an Encoder.
type deepSet[T tensor.Float] struct {
	net *deepset.DeepSet
	ws  *deepset.Workspace[T]
}

func (e *deepSet[T]) Encode(params []T, in Batch[T]) []T {
	return deepset.Encode(e.net, e.ws, params, in.Points, in.Ends)
}

func (e *deepSet[T]) Backward(params, grads []T, in Batch[T], dz []T) {
	deepset.Backward(e.net, e.ws, params, grads, in.Points, in.Ends, dz)
}

// deepSetOnly keeps no activations.
type deepSetOnly[T tensor.Float] struct{ deepSet[T] }

func (e *deepSetOnly[T]) Encode(params []T, in Batch[T]) []T {
	return deepset.EncodeOnly(e.net, e.ws, params, in.Points, in.Ends)
}
