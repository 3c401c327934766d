package plot

// Contour appends the lines on which values (ny, nx), row by row, pass level.
// They are spread over r as the colours of a Mesh are; a negative height puts
// the first row at the bottom. What is not finite has no line through its cells.
func (b *Batch) Contour(r Rect, nx, ny int, values []float32, level float32, pen Pen) {
	if nx < 2 || ny < 2 {
		return
	}
	dx, dy := r.W/float32(nx-1), r.H/float32(ny-1)
	var ends [2]Point
	for j := range ny - 1 {
		for i := range nx - 1 {
			// Each cell is four triangles about its middle, in each of which a
			// line enters and leaves once.
			k := j*nx + i
			corner := [4]float32{values[k], values[k+1], values[k+nx+1], values[k+nx]}
			mean := (corner[0] + corner[1] + corner[2] + corner[3]) / 4
			if mean-mean != 0 {
				continue
			}
			above := 0
			for _, v := range corner {
				if v > level {
					above++
				}
			}
			if above == 0 || above == 4 {
				continue
			}
			x, y := r.X+dx*float32(i), r.Y+dy*float32(j)
			place := [4]Point{{x, y}, {x + dx, y}, {x + dx, y + dy}, {x, y + dy}}
			middle := Point{x + dx/2, y + dy/2}
			for c := range 4 {
				d := (c + 1) % 4
				n := 0
				n = crossing(&ends, n, place[c], place[d], corner[c], corner[d], level)
				n = crossing(&ends, n, place[d], middle, corner[d], mean, level)
				n = crossing(&ends, n, middle, place[c], mean, corner[c], level)
				if n == 2 {
					b.Line(ends[:], pen)
				}
			}
		}
	}
}

// crossing adds the place between p and q at which the value passes level, if
// there is one and there is room for it.
func crossing(ends *[2]Point, n int, p, q Point, u, v, level float32) int {
	if (u > level) == (v > level) || n == len(ends) {
		return n
	}
	t := (level - u) / (v - u)
	ends[n] = Point{p.X + (q.X-p.X)*t, p.Y + (q.Y-p.Y)*t}
	return n + 1
}
