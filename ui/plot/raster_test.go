package plot

import "math"

// raster draws a batch in plain Go, pixel by pixel with the formulas of
// ui/shape.kage, as the coverage of white on black. Glyphs are solid.
func raster(b *Batch, w, h int) []float64 {
	img := make([]float64, w*h)
	for i := 0; i < len(b.Indices); i += 3 {
		p, q, r := b.Vertices[b.Indices[i]], b.Vertices[b.Indices[i+1]], b.Vertices[b.Indices[i+2]]
		area := cross(p, q, float64(r.DstX), float64(r.DstY))
		if area == 0 {
			continue
		}
		for y := range h {
			for x := range w {
				cx, cy := float64(x)+0.5, float64(y)+0.5
				wr, wp, wq := cross(p, q, cx, cy)/area, cross(q, r, cx, cy)/area, cross(r, p, cx, cy)/area
				// Pixels on a shared edge belong to one of the two triangles:
				// the sums below allow for it by their tolerance.
				if wr < 0 || wp < 0 || wq <= 0 {
					continue
				}
				mix := func(f func(v Vertex) float32) float64 {
					return wp*float64(f(p)) + wq*float64(f(q)) + wr*float64(f(r))
				}
				a := coverage(p, mix) * mix(func(v Vertex) float32 { return v.ColorA })
				o := y*w + x
				img[o] = a + img[o]*(1-a)
			}
		}
	}
	return img
}

func cross(p, q Vertex, x, y float64) float64 {
	px, py := float64(p.DstX), float64(p.DstY)
	return (float64(q.DstX)-px)*(y-py) - (float64(q.DstY)-py)*(x-px)
}

func coverage(p Vertex, mix func(func(Vertex) float32) float64) float64 {
	src := float64(p.SrcX)
	c0, c1 := mix(func(v Vertex) float32 { return v.Custom0 }), mix(func(v Vertex) float32 { return v.Custom1 })
	c2, c3 := mix(func(v Vertex) float32 { return v.Custom2 }), mix(func(v Vertex) float32 { return v.Custom3 })
	clamp := func(x float64) float64 { return math.Max(0, math.Min(1, x)) }
	switch p.SrcY {
	case box:
		qx, qy := math.Abs(c0)-c2+src, math.Abs(c1)-c3+src
		d := math.Hypot(math.Max(qx, 0), math.Max(qy, 0)) + math.Min(math.Max(qx, qy), 0) - src
		return clamp(0.5 - d)
	case stroke:
		along := 0.0
		if c3 > 0 {
			m := math.Mod(math.Mod(c2-src/2+c3/2, c3)+c3, c3) - c3/2
			along = math.Max(math.Abs(m)-src/2, 0)
		}
		return clamp(0.5 + c1 - math.Hypot(along, c0))
	}
	return 1
}

func total(img []float64) (sum float64) {
	for _, v := range img {
		sum += v
	}
	return sum
}
