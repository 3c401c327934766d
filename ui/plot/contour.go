package plot

// finer is the number of parts, along each axis, into which a cell on a contour is divided.
const finer = 3

// Contour appends the lines at which a function on the rectangle r crosses the level. The first row
// of cells is at the top or, if r has a negative height, at the bottom. There are no lines near
// weights that are not finite.
func (b *Batch) Contour(r Rect, g *Grid, level float32, pen Pen) {
	dx, dy := r.W/float32(g.NX-2*g.Pad), r.H/float32(g.NY-2*g.Pad)
	middle := 0.5 - float32(g.Pad)
	var fine [(finer + 1) * (finer + 1)]float32
	for j := g.Pad; j < g.NY-g.Pad-1; j++ {
		for i := g.Pad; i < g.NX-g.Pad-1; i++ {
			lo, hi := g.round(i, j)
			if !(lo <= level && level < hi) {
				continue
			}
			for k := range fine {
				fine[k] = g.smooth(float32(i)+float32(k%(finer+1))/finer, float32(j)+float32(k/(finer+1))/finer)
			}
			for k := range finer * finer {
				u, v := k%finer, k/finer
				at := v*(finer+1) + u
				b.pass(Rect{
					X: r.X + dx*(float32(i)+middle+float32(u)/finer), Y: r.Y + dy*(float32(j)+middle+float32(v)/finer), W: dx / finer, H: dy / finer,
				}, [4]float32{fine[at], fine[at+1], fine[at+finer+2], fine[at+finer+1]}, level, pen)
			}
		}
	}
}

// round returns a lower and an upper bound of the function. The bounds hold in the square between
// the centres of the cells (i, j) and (i+1, j+1). They are NaN if a weight from which they are
// computed is not finite.
func (g *Grid) round(i, j int) (lo, hi float32) {
	values, nx, ny := g.Weights, g.NX, g.NY
	lo, hi = values[j*nx+i], values[j*nx+i]
	for y := max(j-1, 0); y <= min(j+2, ny-1); y++ {
		for _, v := range values[y*nx+max(i-1, 0) : y*nx+min(i+2, nx-1)+1] {
			lo, hi = min(lo, v), max(hi, v)
			if v-v != 0 {
				return v - v, v - v
			}
		}
	}
	return lo, hi
}

// pass appends the lines through a cell. The values at its corners are given clockwise from
// its origin.
func (b *Batch) pass(cell Rect, corner [4]float32, level float32, pen Pen) {
	place := [4]Point{{cell.X, cell.Y}, {cell.X + cell.W, cell.Y}, {cell.X + cell.W, cell.Y + cell.H}, {cell.X, cell.Y + cell.H}}
	var ends [4]Point
	n := 0
	for k := range 4 {
		u, v := corner[k], corner[(k+1)%4]
		if (u > level) == (v > level) {
			continue
		}
		p, q, t := place[k], place[(k+1)%4], (level-u)/(v-u)
		ends[n] = Point{p.X + (q.X-p.X)*t, p.Y + (q.Y-p.Y)*t}
		n++
	}
	if n == 4 && (corner[0] > level) != (corner[0]+corner[1]+corner[2]+corner[3] > 4*level) {
		// At a saddle, the line cuts off the first corner if the level lies between the values at
		// the corner and in the centre.
		ends[1], ends[3] = ends[3], ends[1]
	}
	for k := 0; k < n; k += 2 {
		b.Line(ends[k:k+2], pen)
	}
}
