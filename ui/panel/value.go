package panel

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/plot"
)

// Value is a density in the plane. Maps draw it, and tips show it. It is either a target, the sum of
// the kernels around the plane's points, or a learned density. The row of a learned density has one
// number for each cell of the plane's grid, or of a grid with two or four times as many cells along
// each axis.
type Value struct {
	Row, Name string
	Wide      string // a target: replaces Name if the kernels are drawn wider than they are. "": a learned density
	Kind      int    // a target: the species of its points, from 1; 0: the species in the row "set", or all
	Color     Color
	Needs     int

	there         bool // whether the frame has the density
	revealed      bool // whether tips show it
	kernels       plot.Kernels
	points        []float32 // (n, 2): the target's points
	learned       plot.Grid
	typical, most float64 // of the values in the cells
}

// finest is the largest number of cells of a learned density for each cell of the grid, along an axis.
const finest = 4

func (v *Value) read(f *wire.Frame, p *Plane) {
	v.revealed = Revealed(f, v.Needs)
	if v.Wide != "" {
		v.readPoints(f, p)
		return
	}
	v.there = false
	row := f.Numbers(v.Row)
	for k := 1; k <= finest && p.nx > 0; k *= 2 {
		if nx, ny := k*p.nx, k*p.ny; len(row) == nx*ny {
			v.there = true
			v.learned.Fit(nx, ny, row)
			v.measure(row)
		}
	}
}

// readPoints chooses the points of a target.
func (v *Value) readPoints(f *wire.Frame, p *Plane) {
	v.points = v.points[:0]
	kind := v.Kind
	if kind == 0 {
		kind = Count(f, "set", 0)
	}
	for i := range p.count() {
		if kind == 0 || i < len(p.kind) && int(p.kind[i]) == kind {
			v.points = append(v.points, p.x[2*i], p.x[2*i+1])
		}
	}
	v.there = p.sigma == p.sigma && len(v.points) > 0
}

// measure computes the typical and the largest value in the cells.
func (v *Value) measure(cells []float32) {
	_, v.most, _ = plot.Range(cells)
	v.typical = typical(cells)
}

// grid returns the density as it is drawn.
func (v *Value) grid() *plot.Grid {
	if v.Wide != "" {
		return &v.kernels.Grid
	}
	return &v.learned
}

// cells returns how many cells there are along each axis.
func (v *Value) cells() [2]int {
	g := v.grid()
	return [2]int{g.NX - 2*g.Pad, g.NY - 2*g.Pad}
}

// set chooses how the kernels of a target are drawn.
func (v *Value) set(of plot.Spread) {
	if v.Wide != "" && v.there {
		v.kernels.Set(v.points, of)
	}
}

// fill computes a target, and returns whether it has changed.
func (v *Value) fill() (changed bool) {
	if v.Wide == "" || !v.kernels.Fill() {
		return false
	}
	v.measure(v.kernels.Weights)
	return true
}

// difference is a learned density minus a target.
type difference struct {
	grid   plot.Grid
	spread float64 // its typical size
	stale  bool    // whether there may be other densities in the frame
}

// compute computes the difference p − q, if it has changed.
func (d *difference) compute(p, q *Value) {
	if changed := q.fill(); changed || d.stale {
		d.grid.Difference(p.grid(), q.grid())
		d.spread, d.stale = squares(d.grid.Weights), false
	}
}

// wider reports how many times wider than they are a target's kernels are drawn, and whether they are.
func (v *Value) wider() (times float64, wider bool) {
	if v == nil || v.Wide == "" {
		return 1, false
	}
	return v.kernels.Wider()
}

// name returns the name for tips.
func (v *Value) name() string {
	if _, wider := v.wider(); wider {
		return v.Wide
	}
	return v.Name
}

// at returns the density at a place, as it is drawn. It is NaN outside the window, or if tips do not show it.
func (v *Value) at(p *Plane, x, y float64) float64 {
	w := p.window
	switch {
	case !v.there || !v.revealed || !(x >= w[0] && x < w[1] && y >= w[2] && y < w[3]):
		return math.NaN()
	case v.Wide != "":
		return v.kernels.Value(x, y)
	}
	return max(0, v.learned.At((x-w[0])/(w[1]-w[0]), (y-w[2])/(w[3]-w[2])))
}
