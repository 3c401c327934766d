//go:build !first

package decoder

import (
	"macroscope/model/compute/tensor"
	"macroscope/model/net/encoder"
	"macroscope/model/net/image"
)

// New implements Kind.
func (*Picture) New(l *tensor.Layout, in Input) Net {
	half := in.Encoder.(*encoder.Picture)
	return pictureNet{half.Raster, image.NewDecoderNet(half.At(in.Shape), l, "decoder")}
}
