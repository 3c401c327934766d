package encoder

import (
	"macroscope/model/compute/tensor"
	"macroscope/model/net/image"
)

// picture draws every set as a picture, of which a network makes ẑ.
type picture[T tensor.Float] struct {
	raster image.Raster
	net    image.Encoder[T]
	x      []T // (sets, size of a picture)
}

func newPicture[T tensor.Float](n *Net, maxSets int) *picture[T] {
	r := n.cfg.Raster
	return &picture[T]{raster: r, net: image.NewEncoder[T](n.picture, maxSets), x: make([]T, maxSets*r.Size())}
}

// Encode implements Encoder.
func (e *picture[T]) Encode(params []T, in Batch[T]) []T {
	size, begin := e.raster.Size(), 0
	for i, end := range in.Ends {
		image.Draw(e.raster, e.x[i*size:(i+1)*size], in.Points[begin*image.PointDim:end*image.PointDim])
		begin = end
	}
	return e.net.Encode(params, e.x[:len(in.Ends)*size], len(in.Ends))
}

// Backward implements Encoder.
func (e *picture[T]) Backward(params, grads []T, in Batch[T], dz []T) {
	e.net.Backward(params, grads, nil, dz, len(in.Ends))
}
