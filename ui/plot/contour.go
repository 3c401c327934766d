package plot

// finer is the number of parts, along each axis, into which a cell on a contour is divided.
const finer = 3

// Contour appends the lines at which the values (ny, nx) cross the level. Like Field, it divides
// the area r into ny × nx cells, row by row from the top. If r has a negative height, the first row
// is at the bottom. There are no lines near values that are not finite.
func (b *Batch) Contour(r Rect, nx, ny int, values []float32, level float32, pen Pen) {
	if nx < 2 || ny < 2 {
		return
	}
	dx, dy := r.W/float32(nx), r.H/float32(ny)
	var fine [(finer + 1) * (finer + 1)]float32
	for j := range ny - 1 {
		for i := range nx - 1 {
			lo, hi := round(values, nx, ny, i, j)
			if !(lo <= level && level < hi) {
				continue
			}
			for k := range fine {
				fine[k] = Smooth(values, nx, ny, float32(i)+float32(k%(finer+1))/finer, float32(j)+float32(k/(finer+1))/finer)
			}
			for k := range finer * finer {
				u, v := k%finer, k/finer
				at := v*(finer+1) + u
				b.pass(Rect{
					X: r.X + dx*(float32(i)+0.5+float32(u)/finer), Y: r.Y + dy*(float32(j)+0.5+float32(v)/finer), W: dx / finer, H: dy / finer,
				}, [4]float32{fine[at], fine[at+1], fine[at+finer+2], fine[at+finer+1]}, level, pen)
			}
		}
	}
}

// round returns a lower and an upper bound of the spline that smooths the values. The bounds hold
// in the square between the centres of the cells (i, j) and (i+1, j+1). They are NaN if a value
// from which they are computed is not finite.
func round(values []float32, nx, ny, i, j int) (lo, hi float32) {
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
