//go:build first

package decoder

import "macroscope/model/compute/tensor"

// New implements Kind, see the same method of encoder.Picture.
func (*Picture) New(*tensor.Layout, Input) Net {
	panic("decoder: this program has no networks of pictures")
}
