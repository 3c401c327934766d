package plot

// Mesh appends nx×ny colours (ny, nx), row by row from the top, spread over r so
// that the first and the last of a row and of a column lie on its edges. Between
// them colours are interpolated; a transparent one is a hole that fades in, and
// between four of them nothing is drawn. It draws nothing when there are fewer
// than two colours either way.
func (b *Batch) Mesh(r Rect, nx, ny int, colors []Color) {
	if nx < 2 || ny < 2 || r.W <= 0 || r.H <= 0 {
		return
	}
	_ = colors[nx*ny-1]
	first := uint32(len(b.Vertices))
	for j := range ny {
		y := r.Y + r.H*float32(j)/float32(ny-1)
		for i, c := range colors[j*nx : (j+1)*nx] {
			b.Vertices = append(b.Vertices, solid(r.X+r.W*float32(i)/float32(nx-1), y, c))
		}
	}
	row := uint32(nx)
	for j := range uint32(ny - 1) {
		for i := range row - 1 {
			// The cut goes along the diagonal whose ends are the more alike:
			// across a ridge it would make teeth.
			p := first + j*row + i
			q, u, v := p+1, p+row, p+row+1
			k := p - first
			if colors[k].A == 0 && colors[k+1].A == 0 && colors[k+row].A == 0 && colors[k+row+1].A == 0 {
				continue
			}
			if apart(colors[k], colors[k+row+1]) < apart(colors[k+1], colors[k+row]) {
				b.Indices = append(b.Indices, p, q, v, p, v, u)
			} else {
				b.Indices = append(b.Indices, p, q, u, q, v, u)
			}
		}
	}
}

// apart is how different two colours are.
func apart(c, d Color) float32 {
	x, y, z := c.R-d.R, c.G-d.G, c.B-d.B
	return x*x + y*y + z*z
}
