package plot

import (
	"math"
	"testing"
)

// TestContour checks that the contour at half the height of a cone is a circle with half the radius
// of the cone.
func TestContour(t *testing.T) {
	const n = 41
	cone := make([]float32, n*n)
	for j := range n {
		for i := range n {
			cone[j*n+i] = float32(1 - math.Hypot(float64(i-20), float64(j-20))/20)
		}
	}
	var b Batch
	b.Contour(Rect{5, 415, 410, -410}, &Grid{NX: n, NY: n, Weights: cone}, 0.5, Pen{Width: 1, Color: white})
	if len(b.Vertices) == 0 {
		t.Fatal("no line")
	}
	for i := 0; i < len(b.Vertices); i += 2 { // the two sides of a line
		v, w := b.Vertices[i], b.Vertices[i+1]
		r := math.Hypot(float64(v.DstX+w.DstX)/2-210, float64(v.DstY+w.DstY)/2-210)
		// The spline lowers the cone by a sixth of the cone's second derivative. Along the circle,
		// this derivative is 1/200 of the cone's height per cell². The line therefore moves by 0.17
		// pixels.
		if math.Abs(r-100) > 0.3 {
			t.Fatalf("a line %v pixels from the middle, want 100", r)
		}
	}
}

func TestContourOfNoNumbers(t *testing.T) {
	var b Batch
	nan := float32(math.NaN())
	b.Contour(Rect{0, 0, 10, 10}, &Grid{NX: 2, NY: 2, Weights: []float32{nan, 1, 0, 1}}, 0.5, Pen{Width: 1, Color: white})
	b.Contour(Rect{0, 0, 10, 10}, &Grid{NX: 2, NY: 2, Weights: []float32{0, 0, 0, 0}}, 0.5, Pen{Width: 1, Color: white})
	b.Contour(Rect{0, 0, 10, 10}, &Grid{NX: 1}, 0.5, Pen{Width: 1, Color: white})
	if len(b.Vertices) != 0 {
		t.Errorf("%d vertices", len(b.Vertices))
	}
}
