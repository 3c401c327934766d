package plot

import (
	"math"
	"slices"
)

// Grid is a smooth function on a rectangle: a cubic B-spline with one weight per cell. The function is the sum of the
// weights, each multiplied by a smooth bump of four cells around its cell.
type Grid struct {
	NX, NY  int       // number of cells along each axis, with the padding
	Pad     int       // number of cells beyond each edge of the rectangle
	Weights []float32 // (NY, NX), row by row from the rectangle's first edge

	values, row []float32 // scratch memory
}

// spline returns the weights of four consecutive cells at a place. The place lies a share f of
// the way from the centre of the second cell to the centre of the third.
func spline(f float32) [4]float32 {
	g := 1 - f
	return [4]float32{g * g * g / 6, (4 - 6*f*f + 3*f*f*f) / 6, (4 - 6*g*g + 3*g*g*g) / 6, f * f * f / 6}
}

// padding is the Pad of grids that are filled by a method. A place near an edge needs two cells beyond it.
const padding = 2

// At returns the function at a place. x and y are from 0 to 1, from the first to the last edge of the rectangle.
func (g *Grid) At(x, y float64) float64 {
	pad := float64(g.Pad) - 0.5
	return float64(g.smooth(float32(x*float64(g.NX-2*g.Pad)+pad), float32(y*float64(g.NY-2*g.Pad)+pad)))
}

// smooth returns the function at a place. x and y count cells from the centre of the first cell.
func (g *Grid) smooth(x, y float32) float32 {
	fx, fy := math.Floor(float64(x)), math.Floor(float64(y))
	wx, wy := spline(x-float32(fx)), spline(y-float32(fy))
	var sum float32
	for j, w := range wy {
		row := g.Weights[min(max(int(fy)+j-1, 0), g.NY-1)*g.NX:]
		for i, u := range wx {
			sum += w * u * row[min(max(int(fx)+i-1, 0), g.NX-1)]
		}
	}
	return sum
}

// Fit chooses weights for which the function has the given values (ny, nx) at the centres of the cells in the rectangle.
// The error is a 36th of the values' fourth difference. Beyond the edges, the values go on in straight lines.
func (g *Grid) Fit(nx, ny int, values []float32) {
	g.resize(nx+2*padding, ny+2*padding, padding)
	for j := range ny {
		row := g.Weights[(j+padding)*g.NX:][:g.NX]
		copy(row[padding:], values[j*nx:(j+1)*nx])
		extend(row, 1)
	}
	for i := range g.NX {
		extend(g.Weights[i:], g.NX)
	}
	g.sharpen()
}

// extend continues a row of numbers into its padding. step is the distance of two numbers in the row.
func extend(row []float32, step int) {
	n := (len(row)-1)/step + 1
	at := func(i int) *float32 { return &row[i*step] }
	for k := 1; k <= padding; k++ {
		first, last := min(padding+k, n-1-padding), max(n-1-padding-k, padding)
		*at(padding - k) = 2**at(padding) - *at(first)
		*at(n - 1 - padding + k) = 2**at(n - 1 - padding) - *at(last)
	}
}

// sharpen subtracts a sixth of the second differences from the weights, by which the bumps of the cells smooth them.
func (g *Grid) sharpen() {
	g.values = append(g.values[:0], g.Weights...)
	v, nx := g.values, g.NX
	for j := 1; j < g.NY-1; j++ {
		for i := j*nx + 1; i < (j+1)*nx-1; i++ {
			g.Weights[i] -= (v[i-1] + v[i+1] + v[i-nx] + v[i+nx] - 4*v[i]) / 6
		}
	}
}

// Difference makes g the function p − q, on the cells of q. The cells of q must not be larger than those of p.
func (g *Grid) Difference(p, q *Grid) {
	g.row = slices.Grow(g.row[:0], p.NX)[:p.NX]
	g.resize(q.NX, q.NY, q.Pad)
	for j := range q.NY {
		first, shares := p.around(j, q.Pad, q.NY, p.NY)
		clear(g.row)
		for k, w := range shares {
			for i, v := range p.Weights[min(max(first+k, 0), p.NY-1)*p.NX:][:p.NX] {
				g.row[i] += w * v
			}
		}
		for i := range q.NX {
			first, shares := p.around(i, q.Pad, q.NX, p.NX)
			var sum float32
			for k, w := range shares {
				sum += w * g.row[min(max(first+k, 0), p.NX-1)]
			}
			g.Weights[j*q.NX+i] = sum
		}
	}
	g.sharpen()
	for i, v := range q.Weights {
		g.Weights[i] -= v
	}
}

// around returns the first of four cells of g, along an axis with n cells, and their shares of the function in the middle
// of cell i of another grid with `of` cells along the axis.
func (g *Grid) around(i, pad, of, n int) (first int, shares [4]float32) {
	at := (float64(i-pad)+0.5)/float64(of-2*pad)*float64(n-2*g.Pad) + float64(g.Pad) - 0.5
	before := math.Floor(at)
	return int(before) - 1, spline(float32(at - before))
}

// resize changes the number of cells.
func (g *Grid) resize(nx, ny, pad int) {
	g.NX, g.NY, g.Pad = nx, ny, pad
	g.Weights = slices.Grow(g.Weights[:0], nx*ny)[:nx*ny]
}
