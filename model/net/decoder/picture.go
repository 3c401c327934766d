package decoder

import (
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/encoder"
	"macroscope/model/net/image"
)

// picture implements Decoder for pictures of sets, restored from the ẑ of each and
// compared by the mean squared error. What is drawn are the pictures.
type picture[T tensor.Float] struct {
	raster image.Raster
	net    image.Decoder[T]
	dy     []T // (sets, size of a picture)
}

func newPicture[T tensor.Float](n *Net, maxSets int) *picture[T] {
	r := n.cfg.Raster
	return &picture[T]{r, image.NewDecoder[T](n.picture, maxSets), make([]T, maxSets*r.Size())}
}

// Size implements Decoder.
func (d *picture[T]) Size(sets int) int { return sets * d.raster.Size() }

// Draw implements Decoder.
func (d *picture[T]) Draw(x []T, in encoder.Batch[T], _ *rand.Rand) {
	size, begin := d.raster.Size(), 0
	for i, end := range in.Ends {
		image.Draw(d.raster, x[i*size:(i+1)*size], in.Points[begin*image.PointDim:end*image.PointDim])
		begin = end
	}
}

// Loss implements Decoder.
func (d *picture[T]) Loss(params, grads, dz, z []T, of Truth[T]) float64 {
	sets := len(of.Drawn) / d.raster.Size()
	dy := d.dy[:len(of.Drawn)]
	loss := image.SquaredError(dy, d.net.Decode(params, z, sets), of.Drawn)
	d.net.Backward(params, grads, dz, dy, sets)
	return loss
}
