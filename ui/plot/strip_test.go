package plot

import (
	"math"
	"testing"
)

func TestStrip(t *testing.T) {
	var b Batch
	// Opacity increases from 0 at the left to 1 at the right.
	colors := make([]Color, 4)
	for i := range colors {
		colors[i] = white.Fade(float32(i) / 3)
	}
	r := Rect{4, 6, 30, 20}
	b.Strip(r, colors)
	if len(b.Vertices) != 8 || len(b.Indices) != 6*3 {
		t.Fatalf("%d vertices, %d indices; want 8 and 18", len(b.Vertices), len(b.Indices))
	}
	img := raster(&b, 40, 30)
	for y := range 30 {
		for x := range 40 {
			want := 0.0
			if cx := float64(x) + 0.5; r.Contains(float32(cx), float32(y)+0.5) {
				want = (cx - 4) / 30
			}
			// Rounding to 8 bits changes a value by less than 1e-3 here. No pixel on the seam of
			// two triangles is drawn twice.
			if got := img[y*40+x]; math.Abs(got-want) > 1e-3 {
				t.Fatalf("at %d, %d: %v, want %v", x, y, got, want)
			}
		}
	}
}

func TestStripOfNothing(t *testing.T) {
	var b Batch
	b.Strip(Rect{0, 0, 10, 10}, make([]Color, 1))
	b.Strip(Rect{0, 0, 10, 10}, nil)
	b.Strip(Rect{0, 0, 0, 10}, make([]Color, 4))
	if len(b.Vertices) != 0 {
		t.Errorf("%d vertices of nothing", len(b.Vertices))
	}
}

func TestStripHoles(t *testing.T) {
	var b Batch
	b.Strip(Rect{0, 0, 30, 30}, []Color{white, {}, {}, {}})
	if len(b.Indices) != 6 {
		t.Errorf("%d indices for the one piece that is seen, want 6", len(b.Indices))
	}
}
