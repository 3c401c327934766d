package plot

import (
	"math"
	"testing"
)

func TestMesh(t *testing.T) {
	var b Batch
	// Opacity rises from 0 at the left to 1 at the right, whatever the row.
	colors := make([]Color, 3*4)
	for i := range colors {
		colors[i] = white.Fade(float32(i%4) / 3)
	}
	r := Rect{4, 6, 30, 20}
	b.Mesh(r, 4, 3, colors)
	if len(b.Vertices) != 12 || len(b.Indices) != 6*3*2 {
		t.Fatalf("%d vertices, %d indices; want 12 and 36", len(b.Vertices), len(b.Indices))
	}
	img := raster(&b, 40, 30)
	for y := range 30 {
		for x := range 40 {
			want := 0.0
			if cx := float64(x) + 0.5; r.Contains(float32(cx), float32(y)+0.5) {
				want = (cx - 4) / 30
			}
			// float32 weights, and pixels on a cut may count for both sides.
			if got := img[y*40+x]; math.Abs(got-want) > 1e-3 && math.Abs(got-(want+want*(1-want))) > 1e-3 {
				t.Fatalf("at %d, %d: %v, want %v", x, y, got, want)
			}
		}
	}
}

func TestMeshOfNothing(t *testing.T) {
	var b Batch
	b.Mesh(Rect{0, 0, 10, 10}, 1, 5, make([]Color, 5))
	b.Mesh(Rect{0, 0, 10, 10}, 0, 0, nil)
	b.Mesh(Rect{0, 0, 0, 10}, 2, 2, make([]Color, 4))
	if len(b.Vertices) != 0 {
		t.Errorf("%d vertices of nothing", len(b.Vertices))
	}
}

func TestMeshHoles(t *testing.T) {
	var b Batch
	colors := make([]Color, 4*4)
	colors[0] = white
	b.Mesh(Rect{0, 0, 30, 30}, 4, 4, colors)
	if len(b.Indices) != 6 {
		t.Errorf("%d indices for the one cell that is seen, want 6", len(b.Indices))
	}
}
