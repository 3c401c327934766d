package view

import (
	"slices"

	"macroscope/model/net/circle"
)

// deepest is the last level to which a density in the plane is refined at rest.
const deepest = Finest + 2

// depth is the refinement of a density beyond the finest level. A model that was trained with wide kernels learns a smooth
// density, which needs no more cells than the finest level has. The density of another model may need more.
type depth struct {
	level int       // the level of P
	done  bool      // whether P needs no more cells
	of    int       // the level of the centres; 0: none yet
	at    []float32 // centres of the cells of the next level, in the networks' units
	parts int       // number of parts of the next level that have been evaluated
}

// Deepen evaluates a part of the next deeper level of a density in the plane, if P is whole and its cells are too large for
// it. It returns whether there was such a part, and whether P has changed: after the last part of a level, P has twice as
// many cells along each axis.
func (v *Density) Deepen() (more, changed bool) {
	if !v.deepens() {
		return false, false
	}
	d := &v.deep
	n := across(d.level + 1)
	if d.of != d.level+1 {
		d.of, d.at = d.level+1, sized(d.at, 2*n*n)
		v.window.centres(d.at, n)
		v.model.Scale.Points(d.at, d.at)
		circle.WrapPoints(v.model.Config.Shape.Circles, d.at, v.dim)
	}
	const part = GridSide * GridSide / gridParts
	v.finest = sized(v.finest, n*n)
	v.evaluate(v.finest[part*d.parts:part*(d.parts+1)], d.at[2*part*d.parts:2*part*(d.parts+1)])
	if d.parts++; part*d.parts < n*n {
		return true, false
	}
	v.P, v.finest = v.finest, v.P
	d.parts, d.level = 0, d.level+1
	return true, true
}

// deepens reports whether P is whole and needs more cells.
func (v *Density) deepens() bool {
	d := &v.deep
	if !v.Whole || v.dim != 2 || v.thrown != nil || d.done {
		return false
	}
	if d.parts == 0 {
		d.done = d.level == deepest || resolved(v.P, across(d.level))
	}
	return !d.done
}

// resolved reports whether a picture that interpolates a density on side×side cells is off by less than 1 % of the largest
// value. The picture is off by a 36th of the fourth difference along each axis.
func resolved(p []float32, side int) bool {
	most := float32(0)
	for j := 2; j < side-2; j++ {
		for i := 2; i < side-2; i++ {
			at := p[j*side+i-2*side:]
			m := 2 * side // the cell in the middle
			along := at[m-2] - 4*at[m-1] + 6*at[m] - 4*at[m+1] + at[m+2]
			up := at[0] - 4*at[side] + 6*at[m] - 4*at[3*side] + at[4*side]
			most = max(most, along, -along, up, -up)
		}
	}
	return most/36 <= 0.01*slices.Max(p)
}

// sized returns a slice of n numbers that uses the memory of b, if it is large enough. The numbers are arbitrary.
func sized(b []float32, n int) []float32 { return slices.Grow(b[:0], n)[:n] }
