//go:build !first

package encoder

import (
	"macroscope/model/compute/tensor"
	"macroscope/model/net/image"
)

// New implements Kind.
func (k *Picture) New(l *tensor.Layout, s Shape) Net {
	return pictureNet{k.Raster, image.NewEncoderNet(k.At(s), l, prefix)}
}
