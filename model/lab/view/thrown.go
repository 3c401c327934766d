package view

import "macroscope/model/net/target"

// A density with more coordinates than the picture is projected on its plane. Where the flow
// has no formula for the integral over the others, draws from the flow estimate it, blurred
// by a kernel as wide as a cell. They use the same deviates every time, so the picture moves
// only as ẑ does.
const thrownAPart = 1024

// thrown is the draws of a projected density, in parts that take turns.
type thrown struct {
	plane  target.Plane[float32]
	points []float32            // (thrownAPart, dim)
	flat   []float32            // (thrownAPart, 2)
	parts  [gridBands][]float32 // the density of each part, on the grid
}

func newThrown(dim int) *thrown {
	t := &thrown{points: make([]float32, dim*thrownAPart), flat: make([]float32, 0, 2*thrownAPart)}
	for k := range t.parts {
		t.parts[k] = make([]float32, Cells(dim))
	}
	return t
}

// throw draws the next part again. On a new grid all parts are copies of it, so there is a
// picture at once.
func (v *Density) throw() {
	t, s, w := v.thrown, &v.model.Scale, &v.window
	v.src.Seed(1, "particles shown samples", uint64(v.next))
	v.density.Sample(t.points, v.params(), v.z, v.src.Rand)
	for i, x := range t.points {
		t.points[i] = float32(float64(x)*s.Std[i%v.dim] + s.Mean[i%v.dim])
	}
	t.flat = Flat(t.flat[:0], t.points, v.dim)
	nx, ny := Grid(v.dim)
	width := [2]float64{(w.Hi[0] - w.Lo[0]) / float64(nx), (w.Hi[1] - w.Lo[1]) / float64(ny)}
	part := t.parts[v.next]
	t.plane.Cells(part, t.flat, width, w.Lo, w.Hi, nx, ny)
	if v.Blank {
		for k := range t.parts {
			copy(t.parts[k], part)
		}
		v.Blank = false
	}
	for i := range v.P {
		sum := float32(0)
		for _, p := range t.parts {
			sum += p[i]
		}
		v.P[i] = sum / gridBands
	}
	v.next = (v.next + bandStep) % gridBands
	v.Behind--
}
