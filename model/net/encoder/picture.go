package encoder

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/image"
	"macroscope/model/setting"
)

// Picture draws every set as a picture, which a CNN or a ViT turns into ẑ (package image). The
// size of the pictures comes from the raster, the ZDim from a Shape.
type Picture struct {
	Unordered
	Raster image.Raster
	Image  image.Config
}

var _ Kind = (*Picture)(nil)

// Name implements Kind.
func (k *Picture) Name() string { return string(k.Image.Kind) }

// Table implements Kind.
func (k *Picture) Table(s *Shape) setting.Table {
	return append(append(s.Table("encoder."), k.Raster.Table()...), k.Image.Table()...)
}

// Validate implements Kind.
func (k *Picture) Validate(s Shape) error {
	if s.Dim != image.PointDim {
		return fmt.Errorf("particles have %d coordinates, and a picture is drawn of %d: two in the plane, and a brightness or a mark", s.Dim, image.PointDim)
	}
	return k.At(s).Validate()
}

// At returns the configuration of the autoencoder of pictures. Picture is its encoder
// half.
func (k *Picture) At(s Shape) image.Config {
	c := k.Image.On(k.Raster)
	c.ZDim = s.ZDim
	return c
}

// Pictures implements Kind.
func (*Picture) Pictures() bool { return true }

// Room implements Kind. It counts both halves of the autoencoder.
func (k *Picture) Room(s Shape, frames, _ int) int { return k.At(s).Room(frames * s.Sets) }

// Work implements Kind.
func (k *Picture) Work(s Shape, _ int) float64 {
	encode, _ := k.At(s).Work()
	return encode
}

type pictureNet struct {
	raster image.Raster
	net    *image.Net
}

func (n pictureNet) Float32() Maker[float32] { return pictureMaker[float32](n.raster, n.net) }
func (n pictureNet) Float64() Maker[float64] { return pictureMaker[float64](n.raster, n.net) }

func pictureMaker[T tensor.Float](raster image.Raster, net *image.Net) Maker[T] {
	train := func(maxSets, _ int) Encoder[T] {
		e, x := image.NewEncoder[T](net, maxSets), make([]T, maxSets*raster.Size())
		return &function[T]{
			func(params []T, in Batch[T]) []T {
				DrawSets(raster, x, in)
				return e.Encode(params, x[:len(in.Ends)*raster.Size()], len(in.Ends))
			},
			func(params, grads []T, in Batch[T], dz []T) { e.Backward(params, grads, nil, dz, len(in.Ends)) },
		}
	}
	return Maker[T]{
		Init:   func(params []T, r *rand.Rand) { image.Init(params, net, r) },
		Train:  train,
		Frozen: func(maxSets int) Encoder[T] { return Frozen(train(maxSets, 0)) },
	}
}

// DrawSets draws every set of a batch to x (sets, size of a picture).
func DrawSets[T tensor.Float](r image.Raster, x []T, in Batch[T]) {
	size, begin := r.Size(), 0
	for i, end := range in.Ends {
		image.Draw(r, x[i*size:(i+1)*size], in.Points[begin*image.PointDim:end*image.PointDim])
		begin = end
	}
}
