//go:build first

package encoder

import "macroscope/model/compute/tensor"

// New implements Kind. The page's first program has no system of pictures, so it is built without their networks (see
// serve/dist).
func (*Picture) New(*tensor.Layout, Shape) Net {
	panic("encoder: this program has no networks of pictures")
}
