package verify

import (
	"fmt"

	"macroscope/sim/polymer/video"
)

// runVideo checks pictures of chains, the sets of their pixels and their spans, in
// float64, where every pixel agrees, and of beads in float32, where a pixel or two of
// a picture may be off by one level: its errors are shares of two pixels.
func runVideo(c Case) ([]Result, error) {
	beads, images := c.values("beads"), c.values("images")
	shape := c["beads"].Shape
	const size = video.Height * video.Width
	if len(shape) != 3 || shape[0] < 1 || shape[1] < 1 || shape[2] != 3 || len(images) != shape[0]*size {
		return nil, fmt.Errorf("beads has the shape %v and images %v; both should hold a frame each, of beads in space and of %d by %d pixels",
			shape, c["images"].Shape, video.Height, video.Width)
	}
	double, single := comparison{floor: floor64}, Result{Precision: ".float32", Tolerance: 1}
	r, picture := video.NewRenderer(), make([]uint8, size)
	var pixels []float32
	var counts, spans, extensions []float64
	n := 3 * shape[1]
	for k := range shape[0] {
		frame, want := beads[k*n:(k+1)*n], images[k*size:(k+1)*size]
		for _, x := range frame {
			if x != x {
				return nil, fmt.Errorf("frame %d has beads that are nowhere", k)
			}
		}
		video.Draw(r, picture, frame)
		double.add(levels(picture), want)
		before := len(pixels)
		pixels = video.Pixels(pixels, picture)
		counts, spans = append(counts, float64(len(pixels)-before)/3), append(spans, float64(video.Span(picture)))
		low, high := frame[0], frame[0]
		for i := 0; i < n; i += 3 {
			low, high = min(low, frame[i]), max(high, frame[i])
		}
		extensions = append(extensions, high-low)

		video.Draw(r, picture, to[float32](frame))
		off := 0.0
		for i, v := range levels(picture) {
			if d := max(v-want[i], want[i]-v); d != 0 {
				single.MaxAbs = worse(single.MaxAbs, d)
				off += max(d*d, 1) // two levels are more than two pixels
			}
		}
		single.MaxRel = worse(single.MaxRel, off/2)
	}
	double.addIf(c, "pixels", from(pixels))
	double.addIf(c, "counts", counts)
	double.addIf(c, "span", spans)
	double.addIf(c, "extension", extensions)
	return []Result{double.result64(), single}, nil
}

func levels(picture []uint8) []float64 {
	v := make([]float64, len(picture))
	for i, p := range picture {
		v[i] = float64(p)
	}
	return v
}
