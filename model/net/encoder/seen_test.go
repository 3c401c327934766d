package encoder

import (
	"math"
	"slices"
	"testing"
)

// TestNeighbours compares neighbourhoods with their values by hand. The frame has two sets. The first coordinate
// lies on a circle, so the particles at -0.9 and 0.9 are 0.2 apart; the second is no position.
func TestNeighbours(t *testing.T) {
	s := Shape{Dim: 2, Sets: 2, Particles: 4, Near: 1, Places: 0b01, Circles: 0b01}
	// One neighbour among 4 particles on a circle of the circumference 2 is expected within 0.25.
	n := newNeighbours[float64](s)
	if math.Abs(n.radius-0.25) > 1e-12 {
		t.Fatalf("radius %g", n.radius)
	}
	in := Batch[float64]{[]float64{-0.9, 1, 0.9, 5, 0.8, 2, 0, 7 /* the next frame: */, 0, 0, 0.1, 3}, []int{2, 4, 5, 6}}
	const width = 4
	got := make([]float64, 6*width)
	n.see(got, width, in)
	want := []float64{ // neighbours of the own set, of others, mean difference of each coordinate
		1, 0, -0.2 / 0.25, 4,
		1, 1, (0.2 - 0.1) / 2 / 0.25, (-4. - 3) / 2,
		0, 1, 0.1 / 0.25, 3,
		0, 0, 0, 0,
		0, 1, 0.1 / 0.25, 3,
		0, 1, -0.1 / 0.25, -3,
	}
	for i, v := range want {
		if math.Abs(got[i]-v) > 1e-12 {
			t.Errorf("particle %d: %v, want %v", i/width, got[i/width*width:][:width], want[i/width*width:][:width])
			break
		}
	}
	// In another frame nothing changes what is seen of this one.
	alone := make([]float64, 4*width)
	n.see(alone, width, Batch[float64]{in.Points[:8], in.Ends[:2]})
	if !slices.Equal(alone, got[:4*width]) {
		t.Error("a frame is seen differently in a batch")
	}
}
