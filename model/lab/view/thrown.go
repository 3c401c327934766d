package view

import (
	"math"

	"macroscope/model/compute/kernel"
	"macroscope/model/net/target"
)

// thrownAPart is the number of draws in one part of a projected density. A density with more
// coordinates than the picture is projected on the picture's plane. If the flow has no formula
// for the integral over the other coordinates, the projection is estimated from draws of the
// flow, each blurred by a kernel as wide as a cell. The draws always use the same random
// numbers, so the picture moves only if ẑ changes.

const thrownAPart = 1024

// thrownParts is the number of parts of a density at each level of detail. Every part has
// thrownAPart draws from the flow. A level with fewer draws has a wider kernel, so the noise of the
// picture stays the same.
var thrownParts = [Levels]int{1, 3, gridParts}

// thrown holds the draws of one part of a projected density.
type thrown struct {
	plane  target.Plane[float32]
	points []float32 // draws from the flow (thrownAPart, dim)
	flat   []float32 // the draws projected on the plane (thrownAPart, 2)
	part   []float32 // density of the draws, on the grid
}

func newThrown(dim int) *thrown {
	return &thrown{points: make([]float32, dim*thrownAPart), flat: make([]float32, 0, 2*thrownAPart), part: make([]float32, Cells(dim))}
}

// The method `throw` draws one part of a projected density and adds this part to p. The parts have
// the numbers from 0 to all-1 and are drawn in this order. Before part 0, the method clears p.
// After the last part, it divides the sum by the number of parts.
func (v *Density) throw(p []float32, part, all int) {
	t, s, w := v.thrown, &v.model.Scale, &v.window
	v.src.Seed(1, "particles shown samples", uint64(part))
	v.density.Sample(t.points, v.params(), v.z, v.src.Rand)
	for i, x := range t.points {
		t.points[i] = float32(float64(x)*s.Std[i%v.dim] + s.Mean[i%v.dim])
	}
	t.flat = w.flat(t.flat[:0], t.points, v.dim)
	nx, ny := w.Grid(v.dim)
	wide := math.Sqrt(float64(gridParts) / float64(all))
	width := [2]float64{wide * (w.Hi[0] - w.Lo[0]) / float64(nx), wide * (w.Hi[1] - w.Lo[1]) / float64(ny)}
	t.plane.Cells(t.part, t.flat, width, w.Lo, w.Hi, nx, ny)
	if part == 0 {
		clear(p)
	}
	kernel.Axpy(p, 1, t.part)
	if part == all-1 {
		for i := range p {
			p[i] /= float32(all)
		}
	}
}
