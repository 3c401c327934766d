package encoder

import (
	"math"
	"math/rand/v2"
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
	const width = 5
	got := make([]float64, 6*width)
	n.see(got, width, in)
	want := []float64{ // neighbours of the own set, of others, mean difference of each coordinate, mean square of the second
		1, 0, -0.2 / 0.25, 4, 16,
		1, 1, (0.2 - 0.1) / 2 / 0.25, (-4. - 3) / 2, (16. + 9) / 2,
		0, 1, 0.1 / 0.25, 3, 9,
		0, 0, 0, 0, 0,
		0, 1, 0.1 / 0.25, 3, 9,
		0, 1, -0.1 / 0.25, -3, 9,
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

// TestParting checks the speed at which neighbours part: the particles are 0.2 apart along x, and one moves away at 3
// along x and at 5 along y.
func TestParting(t *testing.T) {
	s := Shape{Dim: 4, Sets: 1, Particles: 2, Near: 1, Places: 0b0011, Speeds: 0b1100}
	in := Batch[float64]{[]float64{0.1, 0, 1, 1, 0.3, 0, 4, 6}, []int{2}}
	got := make([]float64, 2*s.around())
	newNeighbours[float64](s).see(got, s.around(), in)
	for i := range 2 {
		row := got[i*s.around():][:s.around()]
		if want := []float64{9, 25, 3}; len(row) != 8 || !slices.Equal(row[5:], want) {
			t.Errorf("particle %d: %v, the last three must be %v", i, row, want)
		}
	}
}

// TestCells counts the neighbours of every particle, for boxes with few and with many cells, against all pairs.
func TestCells(t *testing.T) {
	for name, s := range map[string]Shape{
		"line":       {Dim: 1, Places: 0b1},
		"ring":       {Dim: 1, Places: 0b1, Circles: 0b1},
		"plane":      {Dim: 2, Places: 0b11},
		"channel":    {Dim: 3, Places: 0b101, Circles: 0b001},
		"box":        {Dim: 3, Places: 0b111, Circles: 0b111},
		"four axes":  {Dim: 4, Places: 0b1111, Circles: 0b0011},
		"all as one": {Dim: 3, Places: 0b111, Circles: 0b111, Near: 150},
	} {
		t.Run(name, func(t *testing.T) {
			s.Sets, s.Particles = 1, 200
			if s.Near == 0 {
				s.Near = 5
			}
			r := rand.New(rand.NewPCG(1, 2))
			points := make([]float64, s.Particles*s.Dim)
			for i := range points {
				if points[i] = 2*r.Float64() - 1; !s.Circles.Has(i % s.Dim) {
					points[i] *= 1.7
				}
			}
			n := newNeighbours[float64](s)
			got := make([]float64, s.Particles*s.around())
			n.see(got, s.around(), Batch[float64]{points, []int{s.Particles}})
			found := 0
			for i := range s.Particles {
				want := 0
				for j := range s.Particles {
					if i != j && n.distance(points[i*s.Dim:(i+1)*s.Dim], points[j*s.Dim:(j+1)*s.Dim]) < n.radius*n.radius {
						want++
					}
				}
				if seen := got[i*s.around()] * s.Near; math.Abs(seen-float64(want)) > 1e-9 {
					t.Fatalf("particle %d has %g neighbours, and there are %d", i, seen, want)
				}
				found += want
			}
			if mean := float64(found) / float64(s.Particles); mean < s.Near/2 || mean > 2*s.Near {
				t.Errorf("%g neighbours on average, %g are expected", mean, s.Near)
			}
		})
	}
}
