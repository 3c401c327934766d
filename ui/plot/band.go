package plot

// Band appends the region between two polylines that share their x: points i of
// low and high lie above one another. Where either is not finite there is a gap.
// It panics when one has more points than the other.
func (b *Batch) Band(low, high []Point, c Color) {
	if len(low) != len(high) {
		panic("plot: a band whose edges have different numbers of points")
	}
	linked := false
	for i, p := range low {
		q := high[i]
		if !p.Finite() || !q.Finite() {
			linked = false
			continue
		}
		n := uint32(len(b.Vertices))
		b.Vertices = append(b.Vertices, solid(p.X, p.Y, c), solid(q.X, q.Y, c))
		if linked {
			b.quad(n - 2)
		}
		linked = true
	}
}
