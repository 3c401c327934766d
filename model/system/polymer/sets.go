package polymer

import (
	"slices"
	"sync"

	"macroscope/model/system"
	"macroscope/sim/polymer/video"
)

// mark writes the beads (N, 3) of a frame to dst, as a set of labelled beads.
func mark(dst *system.Frame, beads []float32) {
	n := len(beads) / dim
	dst.One(beads, dim)
	for i := range n {
		dst.Points[dim*i+2] = float32(i) / float32(n-1)
	}
}

// extension returns max x - min x of beads (N, 3).
func extension(beads []float32) float64 {
	low, high := beads[0], beads[0]
	for i := dim; i < len(beads); i += dim {
		low, high = min(low, beads[i]), max(high, beads[i])
	}
	return float64(high) - float64(low)
}

// mostPixels is the largest number of pixels in a set. If a picture has more, which is rare,
// only every second, third, … pixel is used.
const mostPixels = 10_000

// camera draws pictures of chains. It is not safe for concurrent use.
type camera struct {
	renderer *video.Renderer
	picture  []uint8
}

// cameras keeps unused cameras for later frames.
var cameras = sync.Pool{New: func() any {
	return &camera{video.NewRenderer(), make([]uint8, video.Width*video.Height)}
}}

// film draws the picture (video.Height, video.Width) of beads (N, 3) and passes it to the given
// function. The picture is valid until that function returns.
func film(beads []float32, with func(picture []uint8)) {
	c := cameras.Get().(*camera)
	defer cameras.Put(c)
	video.Draw(c.renderer, c.picture, beads)
	with(c.picture)
}

// pixels draws a frame of beads (N, 3), and writes the set of pixels to dst.
func pixels(dst *system.Frame, beads []float32) {
	film(beads, func(picture []uint8) { dst.Points = thin(video.Pixels(dst.Points[:0], picture), mostPixels) })
	dst.Ends = append(dst.Ends[:0], len(dst.Points)/dim)
}

// thin keeps every k-th of the points (n, 3) and overwrites its argument. k is the smallest
// number that leaves no more than `most` points.
func thin(points []float32, most int) []float32 {
	n := len(points) / dim
	step := max(1, (n+most-1)/most)
	kept := 0
	for i := 0; i < n; i += step {
		copy(points[dim*kept:], points[dim*i:dim*(i+1)])
		kept++
	}
	return points[:dim*kept]
}

// span returns the distance between the first and the last occupied column of a picture of beads
// (N, 3).
func span(beads []float32) (columns float64) {
	film(beads, func(picture []uint8) { columns = float64(video.Span(picture)) })
	return columns
}

// beadsOf returns frame k of a trajectory (N, 3).
func beadsOf(t *system.Trajectory, k int) []float32 {
	size := dim * len(t.Species)
	return t.Points[k*size : (k+1)*size]
}

// mirror mirrors chains. The flow is symmetric in x and in y, and the two ends of
// the chain are alike.
func mirror(points []float32, beads int, ways uint) {
	for axis := range 2 {
		if ways>>axis&1 == 1 {
			for i := axis; i < len(points); i += dim {
				points[i] = -points[i]
			}
		}
	}
	if ways>>2&1 == 0 {
		return
	}
	for frame := range slices.Chunk(points, beads*dim) {
		for i, j := 0, (beads-1)*dim; i < j; i, j = i+dim, j-dim {
			for axis := range dim {
				frame[i+axis], frame[j+axis] = frame[j+axis], frame[i+axis]
			}
		}
	}
}

// mirrorAbout mirrors the points of a frame. sums contains, for each coordinate, its sum with the mirrored one.
func mirrorAbout(f *system.Frame, sums [dim]float32, ways uint) {
	for axis, sum := range sums {
		if ways>>axis&1 == 1 {
			for i := axis; i < len(f.Points); i += dim {
				f.Points[i] = sum - f.Points[i]
			}
		}
	}
}

// draw implements system.Pictures.
func draw(t *system.Trajectory, each func(picture []uint8) error) (err error) {
	for k := 0; k < len(t.Macro) && err == nil; k++ {
		film(beadsOf(t, k), func(picture []uint8) { err = each(picture) })
	}
	return err
}
