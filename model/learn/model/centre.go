package model

import (
	"math"

	"macroscope/model/net/circle"
)

// Centre moves the scaled points of a frame, in place, so that their centre is at 0, if Data.Centred is set. The
// centre of a position is its mean. On a circle it is the direction of the mean of the unit vectors of one set, the
// one in which that mean is longest; a set that fills the circle evenly has no direction. ẑ then cannot tell a
// frame from a shifted one. `ends` says where each set ends.
func (m *Model) Centre(points []float32, ends []int) {
	c := &m.Config
	if !c.Data.Centred {
		return
	}
	dim := c.Dim()
	for k := range dim {
		switch {
		case !c.Places.Has(k):
		case c.Circles.Has(k):
			by := float32(direction(points, ends, k, dim))
			for i := k; i < len(points); i += dim {
				points[i] = circle.Wrap(points[i] - by)
			}
		default:
			sum := 0.0
			for i := k; i < len(points); i += dim {
				sum += float64(points[i])
			}
			by := float32(sum / float64(len(points)/dim))
			for i := k; i < len(points); i += dim {
				points[i] -= by
			}
		}
	}
}

// direction returns the centre of coordinate k, which lies on a circle.
func direction(points []float32, ends []int, k, dim int) (centre float64) {
	longest, begin := -1.0, 0
	for _, end := range ends {
		x, y := 0.0, 0.0
		for i := begin; i < end; i++ {
			sin, cos := math.Sincos(math.Pi * float64(points[i*dim+k]))
			x, y = x+cos, y+sin
		}
		if length := math.Hypot(x, y) / float64(max(1, end-begin)); length > longest {
			longest, centre = length, math.Atan2(y, x)/math.Pi
		}
		begin = end
	}
	return centre
}
