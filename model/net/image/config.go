package image

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/setting"
)

// Kind names a kind of autoencoder.
type Kind string

// The kinds of autoencoders.
const (
	CNN Kind = "cnn"
	ViT Kind = "vit"
)

// Config describes an autoencoder.
type Config struct {
	Kind                 Kind
	Channels, Rows, Cols int   // size of a picture
	ZDim                 int   // length of ẑ
	Widths               []int // CNN: channels after each convolution
	Patch                int   // ViT: rows and columns of a patch
	Width, Heads, Hidden int   // ViT: width of a token, number of attention heads, width of the hidden layer
	Blocks, Restoring    int   // ViT: number of blocks in the encoder and in the decoder
}

// Bounds of a configuration, which limit its memory.
const (
	maxPixels = 1 << 18
	maxTokens = 1 << 11
)

// Table lists the network's settings by their names in checkpoints.
func (c *Config) Table() setting.Table {
	if c.Kind == CNN {
		return setting.Table{{Name: "cnn.widths", Value: &c.Widths, Low: 1, High: 256, Least: 1, Most: 8}}
	}
	return setting.Table{
		{Name: "vit.patch", Value: &c.Patch, Low: 1, High: maxPixels}, {Name: "vit.width", Value: &c.Width, Low: 1, High: 1024},
		{Name: "vit.heads", Value: &c.Heads, Low: 1, High: 1024}, {Name: "vit.hidden", Value: &c.Hidden, Low: 1, High: 4096},
		{Name: "vit.blocks", Value: &c.Blocks, Low: 1, High: 16}, {Name: "vit.restoring", Value: &c.Restoring, Low: 1, High: 16},
	}
}

// Validate returns an error that says in a sentence why the configuration is invalid.
func (c Config) Validate() error {
	if c.Kind != CNN && c.Kind != ViT {
		return fmt.Errorf("there is no autoencoder %q; use %q or %q", c.Kind, CNN, ViT)
	}
	t := append(c.Table(), setting.Field{Name: "channels", Value: &c.Channels, Low: 1, High: 4}, setting.Field{Name: "zdim", Value: &c.ZDim, Low: 1, High: 64})
	if err := t.Check(); err != nil {
		return err
	}
	switch {
	case c.Rows < 1 || c.Cols < 1 || c.Rows > maxPixels || c.Cols > maxPixels/c.Rows:
		return fmt.Errorf("pictures of %d × %d pixels; use up to %d pixels", c.Cols, c.Rows, maxPixels)
	case c.Kind == CNN:
		return nil
	case c.Rows%c.Patch != 0 || c.Cols%c.Patch != 0 || c.patches() >= maxTokens:
		return fmt.Errorf("patches of %d × %d pixels do not tile %d × %d; use a size that divides both and leaves fewer than %d", c.Patch, c.Patch, c.Cols, c.Rows, maxTokens)
	case c.Width%c.Heads != 0:
		return fmt.Errorf("%d heads of tokens of %d numbers; use a width that is a multiple of the heads", c.Heads, c.Width)
	}
	return nil
}

func (c Config) pixels() int  { return c.Channels * c.Rows * c.Cols }
func (c Config) patches() int { return (c.Rows / c.Patch) * (c.Cols / c.Patch) }

// Room estimates how many numbers both halves keep in memory to learn from the given number of
// pictures.
func (c Config) Room(count int) int {
	if c.Kind == CNN {
		numbers, columns := count*c.pixels(), 0
		for _, s := range c.shapes() {
			numbers += 2*count*s.small() + count*s.large() + s.large() + 2*s.small()
			columns = max(columns, s.columns())
		}
		return numbers + 3*count*c.shapes()[len(c.Widths)-1].small() + 2*columns
	}
	tokens := c.patches() + 1
	rows := count * tokens
	block := rows*(20*c.Width+3*c.Hidden) + (count*c.Heads+1)*tokens*tokens + 4*tokens*c.Width
	return (c.Blocks+c.Restoring)*block + 10*rows*c.Width + 6*count*c.pixels()
}

// Work estimates the multiplications of each half per picture.
func (c Config) Work() (encode, restore float64) {
	if c.Kind == CNN {
		shapes := c.shapes()
		for _, s := range shapes {
			encode += float64(s.columns() * s.out)
		}
		encode += float64(shapes[len(shapes)-1].small() * c.ZDim)
		return encode, encode
	}
	tokens := c.patches() + 1
	block := float64(tokens) * float64(4*c.Width*c.Width+2*c.Width*c.Hidden+2*tokens*c.Width)
	embed := float64(c.pixels() * c.Width)
	return float64(c.Blocks)*block + embed, float64(c.Restoring)*block + embed
}

// Encoder encodes batches of at most a fixed number of pictures. It is not safe for concurrent
// use.
type Encoder[T tensor.Float] interface {
	// Encode returns ẑ (count, ZDim) of pictures x (count, channels, rows, cols),
	// which must stay unchanged until Backward. ẑ is valid until the next call.
	Encode(params, x []T, count int) []T
	// Backward computes the gradients of the last Encode, with the same number of pictures.
	// Given the gradient dz (count, ZDim) of ẑ, it adds the gradients of the parameters to
	// grads. It writes the gradient of x to dx, unless dx is nil.
	Backward(params, grads, dx, dz []T, count int)
}

// Decoder restores batches of at most a fixed number of pictures. It is not safe for concurrent
// use.
type Decoder[T tensor.Float] interface {
	// Decode returns the pictures (count, channels, rows, cols) restored from z (count, ZDim).
	// z must stay unchanged until Backward. The pictures are valid until the next call.
	Decode(params, z []T, count int) []T
	// Backward computes the gradients of the last Decode. The argument count must equal the count
	// of this Decode. Backward overwrites dy, the gradient of the pictures. It adds the gradients
	// of the parameters to grads and writes the gradient of z to dz.
	Backward(params, grads, dz, dy []T, count int)
}

// Net holds the offsets of an encoder's or a decoder's parameters in a tensor.Layout.
type Net struct {
	cnnEncoder *cnnEncoder
	cnnDecoder *cnnDecoder
	vitEncoder *vitEncoder
	vitDecoder *vitDecoder
}

// NewEncoderNet adds the parameters of the encoder to a layout. The configuration must be
// valid.
func NewEncoderNet(c Config, l *tensor.Layout, prefix string) *Net {
	if c.Kind == CNN {
		return &Net{cnnEncoder: newCNNEncoder(c, l, prefix)}
	}
	return &Net{vitEncoder: newViTEncoder(c, l, prefix)}
}

// NewDecoderNet adds the parameters of the decoder to a layout. The configuration must be
// valid.
func NewDecoderNet(c Config, l *tensor.Layout, prefix string) *Net {
	if c.Kind == CNN {
		return &Net{cnnDecoder: newCNNDecoder(c, l, prefix)}
	}
	return &Net{vitDecoder: newViTDecoder(c, l, prefix)}
}

// Init draws the weights.
func Init[T tensor.Float](params []T, n *Net, r *rand.Rand) {
	switch {
	case n.cnnEncoder != nil:
		initCNNEncoder(params, n.cnnEncoder, r)
	case n.cnnDecoder != nil:
		initCNNDecoder(params, n.cnnDecoder, r)
	case n.vitEncoder != nil:
		initViTEncoder(params, n.vitEncoder, r)
	default:
		initViTDecoder(params, n.vitDecoder, r)
	}
}

// NewEncoder makes an Encoder for batches of at most this number of pictures.
func NewEncoder[T tensor.Float](n *Net, count int) Encoder[T] {
	if n.cnnEncoder != nil {
		return newCNNEncoding[T](n.cnnEncoder, count)
	}
	return newViTEncoding[T](n.vitEncoder, count)
}

// NewDecoder makes a Decoder for batches of at most this number of pictures.
func NewDecoder[T tensor.Float](n *Net, count int) Decoder[T] {
	if n.cnnDecoder != nil {
		return newCNNDecoding[T](n.cnnDecoder, count)
	}
	return newViTDecoding[T](n.vitDecoder, count)
}

// SquaredError returns the mean of (y - x)² over the pixels of all pictures, and writes its
// gradient to dy.
func SquaredError[T tensor.Float](dy, y, x []T) float64 {
	sum, factor := 0.0, 2/T(len(y))
	for i, v := range y {
		d := v - x[i]
		sum += float64(d) * float64(d)
		dy[i] = factor * d
	}
	return sum / float64(len(y))
}
