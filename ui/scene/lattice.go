package scene

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/plot"
)

// lattice is a grid of cells over a window of the plane, and what densities are
// given on.
type lattice struct {
	window [4]float64 // x0 x1 y0 y1
	nx, ny int
	found  bool // there is a window
}

// largestGrid bounds the cells of a grid either way.
const largestGrid = 512

// read takes the rows "window" and "grid".
func (l *lattice) read(f *wire.Frame) {
	*l = lattice{window: [4]float64{-1, 1, -1, 1}}
	if w := f.Numbers("window"); len(w) == 4 && w[1]-w[0] > 0 && w[3]-w[2] > 0 && w[1]-w[0] <= math.MaxFloat32 && w[3]-w[2] <= math.MaxFloat32 {
		l.found = true
		for i, v := range w {
			l.window[i] = float64(v)
		}
	}
	if g := f.Numbers("grid"); len(g) == 2 && g[0] >= 2 && g[1] >= 2 && g[0] <= largestGrid && g[1] <= largestGrid {
		l.nx, l.ny = int(g[0]), int(g[1])
	}
}

// values returns a row of f with a number for each cell, nil if there is none.
func (l *lattice) values(f *wire.Frame, name string) []float32 {
	if v := f.Numbers(name); l.nx > 0 && len(v) == l.nx*l.ny {
		return v
	}
	return nil
}

// cell returns the value of a grid at a place of the plane, NaN outside.
func (l *lattice) cell(grid []float32, x, y float64) float64 {
	w := l.window
	if grid == nil || !(x >= w[0] && x < w[1] && y >= w[2] && y < w[3]) {
		return math.NaN()
	}
	i := min(int((x-w[0])/(w[1]-w[0])*float64(l.nx)), l.nx-1)
	j := min(int((y-w[2])/(w[3]-w[2])*float64(l.ny)), l.ny-1)
	return float64(grid[j*l.nx+i])
}

// cells returns where in a map the middles of the outermost cells are.
func (l *lattice) cells(m *planeMap) plot.Rect {
	w := l.window
	hx, hy := (w[1]-w[0])/float64(2*l.nx), (w[3]-w[2])/float64(2*l.ny)
	left, top := m.x.Pos(w[0]+hx), m.y.Pos(w[3]-hy)
	return plot.Rect{X: left, Y: top, W: m.x.Pos(w[1]-hx) - left, H: m.y.Pos(w[2]+hy) - top}
}
