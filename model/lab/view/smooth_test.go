package view

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestWidthOfALargeSet checks the width for a large set. The width is first chosen for some of the
// particles. It is then reduced by a factor from Silverman's rule for the whole set.
func TestWidthOfALargeSet(t *testing.T) {
	const each = 4
	for _, d := range []int{1, 2} {
		r := rand.New(rand.NewPCG(1, uint64(d)))
		var all, some []float32
		for i := range smoothParticles * each {
			for range d {
				x := float32(r.NormFloat64())
				if all = append(all, x); i%each == 0 {
					some = append(some, x)
				}
			}
		}
		width := func(points []float32) float64 {
			target := NewTarget(d, nil)
			target.Take(points, [maxDim]float64{1e-4, 1e-4, 1e-4}, Window{Lo: [2]float64{-4, -4}, Hi: [2]float64{4, 4}})
			target.draw()
			return target.width()
		}
		if got, want := width(all)/width(some), math.Pow(1./each, 1/float64(d+4)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d coordinates: of %d times the particles the width is %g times as large, want %g", d, each, got, want)
		}
	}
}

// TestDrawIsEven checks that the points at which a KL is measured are drawn in equal numbers
// from all particles.
func TestDrawIsEven(t *testing.T) {
	set := []float32{0, 10, 20, 30}
	target := NewTarget(1, nil)
	target.Take(set, [maxDim]float64{0.01, 0.01, 0.01}, Window{Hi: [2]float64{40, 40}})
	target.draw()
	count := map[float64]int{}
	for _, x := range target.x64 {
		count[10*math.Round(x/10)]++
	}
	for _, x := range set {
		if n, want := count[float64(x)], len(target.x64)/len(set); n != want {
			t.Errorf("%d points are near %g, want %d", n, x, want)
		}
	}
}
