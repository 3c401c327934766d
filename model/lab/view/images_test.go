package view

import (
	"slices"
	"testing"
)

// TestImagesOnEdges makes images of points on the edges of a window that repeats, and of one so near to an edge that its
// image rounds to the other edge. They have one image each, and at the corner three.
func TestImagesOnEdges(t *testing.T) {
	w := Window{Hi: [2]float64{10, 10}, Repeats: [2]bool{true, true}}
	got := w.images([]float32{0, 5, 1e-8, 5, 10, 5, 5, 5, 0, 0}, [2]float64{1, 1})
	want := []float32{0, 5, 1e-8, 5, 10, 5, 5, 5, 0, 0, 10, 5, 10, 5, 0, 5, 10, 0, 0, 10, 10, 10}
	if !slices.Equal(got, want) {
		t.Errorf("the points and their images are %v, want %v", got, want)
	}
}
