package plot

// Strip appends colours from left to right over r, with linear interpolation between them. The
// first and the last colour lie on the edges of r. A transparent colour is a hole with soft
// edges. Nothing is drawn between two transparent colours.
func (b *Batch) Strip(r Rect, colors []Color) {
	n := uint32(len(colors))
	if n < 2 || r.W <= 0 || r.H <= 0 {
		return
	}
	first := uint32(len(b.Vertices))
	for _, y := range [...]float32{r.Y, r.Bottom()} {
		for i, c := range colors {
			b.Vertices = append(b.Vertices, solid(r.X+r.W*float32(i)/float32(n-1), y, c))
		}
	}
	for i := range n - 1 {
		if p := first + i; colors[i].A != 0 || colors[i+1].A != 0 {
			b.Indices = append(b.Indices, p, p+1, p+n, p+1, p+n+1, p+n)
		}
	}
}
