package decoder

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/encoder"
	"macroscope/model/net/image"
	"macroscope/model/setting"
)

// Picture is the decoder half of an autoencoder of pictures; encoder.Picture is the
// other half.
type Picture struct{ PerSet }

var _ Kind = (*Picture)(nil)

// Name implements Kind.
func (*Picture) Name() string { return "picture" }

// Table implements Kind. It is empty, because the table of encoder.Picture has the settings of
// both halves.
func (*Picture) Table(*encoder.Shape) setting.Table { return nil }

// Validate implements Kind.
func (*Picture) Validate(in Input) error {
	if _, ok := in.Encoder.(*encoder.Picture); !ok {
		return fmt.Errorf("the encoder is a %s; pictures take both halves of their autoencoder", in.Encoder.Name())
	}
	return nil
}

// Room implements Kind. It is 0: the Room of encoder.Picture counts both halves.
func (*Picture) Room(Input, Target, int, int) int { return 0 }

// Work implements Kind.
func (*Picture) Work(in Input, _ Target, _ int) float64 {
	_, restore := in.Encoder.(*encoder.Picture).At(in.Shape).Work()
	return restore
}

type pictureNet struct {
	raster image.Raster
	net    *image.Net
}

func (n pictureNet) Float32() Maker[float32] { return pictureMaker[float32](n.raster, n.net) }
func (n pictureNet) Float64() Maker[float64] { return pictureMaker[float64](n.raster, n.net) }

func pictureMaker[T tensor.Float](raster image.Raster, net *image.Net) Maker[T] {
	return Maker[T]{
		Init: func(params []T, r *rand.Rand) { image.Init(params, net, r) },
		Train: func(_ *Target, maxSets, _ int) Decoder[T] {
			return &picture[T]{raster, image.NewDecoder[T](net, maxSets), make([]T, maxSets*raster.Size())}
		},
	}
}

// picture implements Decoder. It restores the picture of each set from its ẑ; the loss is the
// mean squared error of the pixels. Draw draws the true pictures.
type picture[T tensor.Float] struct {
	raster image.Raster
	net    image.Decoder[T]
	dy     []T // gradient of the restored pictures (sets, size of a picture)
}

// Size implements Decoder.
func (d *picture[T]) Size(sets int) int { return sets * d.raster.Size() }

// Draw implements Decoder.
func (d *picture[T]) Draw(x []T, in encoder.Batch[T], _ *rand.Rand) {
	encoder.DrawSets(d.raster, x, in)
}

// Loss implements Decoder.
func (d *picture[T]) Loss(params, grads, dz, z []T, of Truth[T]) float64 {
	sets := len(of.Drawn) / d.raster.Size()
	dy := d.dy[:len(of.Drawn)]
	loss := image.SquaredError(dy, d.net.Decode(params, z, sets), of.Drawn)
	d.net.Backward(params, grads, dz, dy, sets)
	return loss
}
