package view

import (
	"math"

	"macroscope/model/compute/kernel"
	"macroscope/model/net/target"
)

// A density with more coordinates than the picture is projected on its plane. Where the flow
// has no formula for the integral over the others, draws from the flow estimate it, blurred
// by a kernel as wide as a cell. They use the same deviates every time, so the picture moves
// only as ẑ does.

const thrownAPart = 1024

// thrownParts is the number of parts that a level of detail draws. With fewer draws the kernel
// is wider, and the noise of the picture the same.
var thrownParts = [Levels]int{1, 3, gridParts}

// thrown is the draws of a part of a projected density.
type thrown struct {
	plane  target.Plane[float32]
	points []float32 // (thrownAPart, dim)
	flat   []float32 // (thrownAPart, 2)
	part   []float32 // their density, on the grid
}

func newThrown(dim int) *thrown {
	return &thrown{points: make([]float32, dim*thrownAPart), flat: make([]float32, 0, 2*thrownAPart), part: make([]float32, Cells(dim))}
}

// throw adds a part of all draws to a density; the first part replaces it.
func (v *Density) throw(p []float32, part, all int) {
	t, s, w := v.thrown, &v.model.Scale, &v.window
	v.src.Seed(1, "particles shown samples", uint64(part))
	v.density.Sample(t.points, v.params(), v.z, v.src.Rand)
	for i, x := range t.points {
		t.points[i] = float32(float64(x)*s.Std[i%v.dim] + s.Mean[i%v.dim])
	}
	t.flat = Flat(t.flat[:0], t.points, v.dim)
	nx, ny := Grid(v.dim)
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
