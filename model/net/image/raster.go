package image

import (
	"fmt"
	"math"

	"macroscope/model/compute/tensor"
	"macroscope/model/setting"
)

// Raster defines how a set of points (x, y, v) is drawn as a picture. The weight of a point is
// divided among the four pixels around it, by bilinear interpolation. Then all sums are divided by
// the largest sum, as in package video. If the points are the pixels of a picture, the drawing is
// this picture, scaled to the maximum 1. In a coarser raster, each drawn pixel is a weighted sum of
// the pixels around it, with the same scaling. Points outside the picture are left out. The order
// of the points does not matter.
type Raster struct {
	Rows, Cols int     // size of the picture in pixels
	Left, Top  float64 // left and top edge of the picture, in the coordinates of points
	Pixel      float64 // size of a pixel, in the coordinates of points
	// Marked determines the meaning of v. If Marked is false, v is the point's weight, such as a
	// brightness. If Marked is true, every point has weight 1, and v is a mark, such as the place
	// along a chain. The first channel then adds up the weights, and a second channel the marks.
	Marked bool
}

// PointDim is the number of coordinates of a drawn point.
const PointDim = 3

// Channels returns the number of channels of the pictures.
func (r Raster) Channels() int {
	if r.Marked {
		return 2
	}
	return 1
}

// Size returns the number of values in a picture.
func (r Raster) Size() int { return r.Channels() * r.Rows * r.Cols }

// Table lists the raster's settings by their names in checkpoints.
func (r *Raster) Table() setting.Table {
	const far = 1e6
	return setting.Table{
		{Name: "picture.rows", Value: &r.Rows, Low: 1, High: maxPixels}, {Name: "picture.cols", Value: &r.Cols, Low: 1, High: maxPixels},
		{Name: "picture.left", Value: &r.Left, Low: -far, High: far}, {Name: "picture.top", Value: &r.Top, Low: -far, High: far},
		{Name: "picture.pixel", Value: &r.Pixel, Low: 1 / far, High: far}, {Name: "picture.marked", Value: &r.Marked},
	}
}

// On returns the configuration for pictures of this raster.
func (c Config) On(r Raster) Config {
	c.Channels, c.Rows, c.Cols = r.Channels(), r.Rows, r.Cols
	return c
}

// Draw draws points (n, PointDim) to dst (channels, rows, cols).
func Draw[T tensor.Float](r Raster, dst, points []T) {
	if len(dst) != r.Size() || len(points)%PointDim != 0 {
		panic(fmt.Sprintf("image: room for %d numbers of a picture of %d, for %d of points", len(dst), r.Size(), len(points)))
	}
	clear(dst)
	grey := dst[:r.Rows*r.Cols]
	for i := 0; i < len(points); i += PointDim {
		x, y := (float64(points[i])-r.Left)/r.Pixel-0.5, (float64(points[i+1])-r.Top)/r.Pixel-0.5
		if !(x > -1 && x < float64(r.Cols) && y > -1 && y < float64(r.Rows)) {
			continue
		}
		left, top := math.Floor(x), math.Floor(y)
		right, below := T(x-left), T(y-top) // weights of the pixels to the right and below
		at, v := int(top)*r.Cols+int(left), points[i+2]
		for row, share := range [2]T{1 - below, below} {
			for col, share := range [2]T{share * (1 - right), share * right} {
				if k := int(left) + col; k < 0 || k >= r.Cols || int(top)+row < 0 || int(top)+row >= r.Rows {
					continue
				}
				to := at + row*r.Cols + col
				if !r.Marked {
					grey[to] += share * v
					continue
				}
				grey[to] += share
				dst[len(grey)+to] += share * v
			}
		}
	}
	largest := T(0)
	for _, v := range grey {
		largest = max(largest, v)
	}
	if largest > 0 {
		for i := range dst {
			dst[i] /= largest
		}
	}
}
