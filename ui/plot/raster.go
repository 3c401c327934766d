package plot

import (
	"image"
	"math"
)

// Raster draws a batch on img pixel by pixel, with the formulas of ui/shape.kage. A picture takes
// about a second, so Raster is only for stills and tests. Glyphs are copied from the atlas
// `glyphs`. Without an atlas, glyphs are filled rectangles.
func Raster(img *image.RGBA, b *Batch, glyphs *image.Alpha) {
	for i := 0; i+2 < len(b.Indices); i += 3 {
		v := [3]*Vertex{&b.Vertices[b.Indices[i]], &b.Vertices[b.Indices[i+1]], &b.Vertices[b.Indices[i+2]]}
		fill(img, v, &b.Texels, glyphs)
	}
}

// fill draws one triangle.
func fill(img *image.RGBA, v [3]*Vertex, texels *Texels, glyphs *image.Alpha) {
	area := edge(v[0], v[1], float64(v[2].DstX), float64(v[2].DstY))
	if area < 0 {
		v[1], v[2], area = v[2], v[1], -area
	}
	if area == 0 || math.IsNaN(area) {
		return
	}
	lo := func(a, b, c float32) int { return int(math.Floor(float64(min(a, b, c)) - 0.5)) }
	hi := func(a, b, c float32) int { return int(math.Ceil(float64(max(a, b, c)) + 0.5)) }
	r := img.Rect.Intersect(image.Rect(
		lo(v[0].DstX, v[1].DstX, v[2].DstX), lo(v[0].DstY, v[1].DstY, v[2].DstY),
		hi(v[0].DstX, v[1].DstX, v[2].DstX), hi(v[0].DstY, v[1].DstY, v[2].DstY)))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			cx, cy := float64(x)+0.5, float64(y)+0.5
			w := [3]float64{edge(v[1], v[2], cx, cy), edge(v[2], v[0], cx, cy), edge(v[0], v[1], cx, cy)}
			if !within(w[0], v[1], v[2]) || !within(w[1], v[2], v[0]) || !within(w[2], v[0], v[1]) {
				continue
			}
			mix := func(of func(*Vertex) float32) float64 {
				return (w[0]*float64(of(v[0])) + w[1]*float64(of(v[1])) + w[2]*float64(of(v[2]))) / area
			}
			pixel := img.Pix[img.PixOffset(x, y):]
			if v[0].SrcY == field {
				for i, c := range texels.color(v[0], mix(func(v *Vertex) float32 { return v.Custom0 }), mix(func(v *Vertex) float32 { return v.Custom1 })) {
					pixel[i] = uint8(255*c + 0.5)
				}
				pixel[3] = 255
				continue
			}
			blend(pixel, mix, coverage(v[0], mix, glyphs))
		}
	}
}

// edge returns twice the signed area of the triangle p, q, (x, y). The area is positive if p, q and
// (x, y) are in clockwise order on the screen.
func edge(p, q *Vertex, x, y float64) float64 {
	px, py := float64(p.DstX), float64(p.DstY)
	return (float64(q.DstX)-px)*(y-py) - (float64(q.DstY)-py)*(x-px)
}

// within reports whether a pixel with the edge function w is on the triangle's side of the edge
// from p to q. A pixel on a common edge of two triangles belongs to exactly one of
// them.
func within(w float64, p, q *Vertex) bool {
	if w != 0 {
		return w > 0
	}
	return p.DstY == q.DstY && q.DstX > p.DstX || q.DstY < p.DstY
}

// coverage returns the share of a pixel that the shape covers.
func coverage(v *Vertex, mix func(func(*Vertex) float32) float64, glyphs *image.Alpha) float64 {
	src := float64(v.SrcX)
	clamp := func(x float64) float64 { return max(0, min(1, x)) }
	custom0 := func() float64 { return mix(func(v *Vertex) float32 { return v.Custom0 }) }
	custom1 := func() float64 { return mix(func(v *Vertex) float32 { return v.Custom1 }) }
	switch v.SrcY {
	case flat:
		return 1
	case box:
		qx, qy := math.Abs(custom0())-float64(v.Custom2)+src, math.Abs(custom1())-float64(v.Custom3)+src
		d := math.Hypot(max(qx, 0), max(qy, 0)) + min(max(qx, qy), 0) - src
		return clamp(0.5 - d)
	case stroke:
		along := 0.0
		if period := mix(func(v *Vertex) float32 { return v.Custom3 }); period > 0 {
			at := mix(func(v *Vertex) float32 { return v.Custom2 }) - src/2 + period/2
			along = max(math.Abs(at-period*math.Floor(at/period)-period/2)-src/2, 0)
		}
		return clamp(0.5 + custom1() - math.Hypot(along, custom0()))
	}
	if glyphs == nil {
		return 1
	}
	u, w := mix(func(v *Vertex) float32 { return v.SrcX }), mix(func(v *Vertex) float32 { return v.SrcY })
	return float64(glyphs.AlphaAt(int(u), int(w)).A) / 255
}

// blend draws a premultiplied colour over a pixel.
func blend(pixel []uint8, mix func(func(*Vertex) float32) float64, cover float64) {
	if cover == 0 {
		return
	}
	c := [4]float64{
		mix(func(v *Vertex) float32 { return v.ColorR }), mix(func(v *Vertex) float32 { return v.ColorG }),
		mix(func(v *Vertex) float32 { return v.ColorB }), mix(func(v *Vertex) float32 { return v.ColorA }),
	}
	rest := 1 - cover*c[3]
	for i, c := range c {
		pixel[i] = uint8(max(0, min(255, 255*cover*c+rest*float64(pixel[i])+0.5)))
	}
}
