package plot

import "math"

// Point is a place in pixels.
type Point struct{ X, Y float32 }

// Finite reports whether both coordinates are finite.
func (p Point) Finite() bool {
	// x-x is 0 only if x is finite.
	return p.X-p.X == 0 && p.Y-p.Y == 0
}

// Pen is the style of a line. The colour should be opaque, because the parts of a line overlap
// at sharp corners.
type Pen struct {
	Width float32
	Color Color
	// Dash is the length of a dash without its round ends. Period is the distance from one dash to
	// the next. With Period = 0 the line is solid. With Dash = 0 and a positive Period it is
	// dotted.
	Dash, Period float32
}

// Line appends an antialiased polyline. Points that are not finite leave a gap. Gentle corners
// are mitred and share their vertices, so a smooth curve has no seams. Sharp corners are
// rounded, and so are corners where the mitre would be longer than the adjacent segments.
func (b *Batch) Line(pts []Point, pen Pen) {
	for len(pts) > 0 {
		n := 0
		for n < len(pts) && pts[n].Finite() {
			n++
		}
		b.run(pts[:n], pen)
		pts = pts[min(n+1, len(pts)):]
	}
}

// narrow is a width in pixels. In lines up to this width a sharp corner is not rounded, because
// its notch is invisible.
const narrow = 2

// minSegment is a distance in pixels. Two points closer than this count as one.
const minSegment = 0.05

// run appends one polyline of finite points.
func (b *Batch) run(pts []Point, pen Pen) {
	reach := pen.Width/2 + feather
	var prev, dir Point // last point that was kept, and direction of the segment that ends there
	var length, last float32
	started, open := false, false
	for _, p := range pts {
		if !started {
			prev, started = p, true
			continue
		}
		dx, dy := p.X-prev.X, p.Y-prev.Y
		l := float32(math.Sqrt(float64(dx*dx + dy*dy)))
		if l < minSegment {
			continue
		}
		d := Point{dx / l, dy / l}
		// Cosine and sine of the angle between two segments. Along the segments the mitre is
		// reach·tan(angle/2) long, and tan(angle/2) = sin/(1+cos).
		cos, sin := dir.X*d.X+dir.Y*d.Y, float32(math.Abs(float64(dir.X*d.Y-dir.Y*d.X)))
		switch {
		case !open:
			b.rib(prev, Point{-d.Y, d.X}, reach, length, pen)
		case cos > 0.5 && reach*sin/(1+cos) <= min(l, last):
			k := 1 / (1 + cos)
			b.rib(prev, Point{-(dir.Y + d.Y) * k, (dir.X + d.X) * k}, reach, length, pen)
			b.quad(uint32(len(b.Vertices)) - 4)
		default:
			b.rib(prev, Point{-dir.Y, dir.X}, reach, length, pen)
			b.quad(uint32(len(b.Vertices)) - 4)
			if pen.Period == 0 && pen.Width > narrow {
				b.Disc(prev.X, prev.Y, pen.Width/2, pen.Color)
			}
			b.rib(prev, Point{-d.Y, d.X}, reach, length, pen)
		}
		length += l
		prev, dir, last, open = p, d, l, true
	}
	if open {
		b.rib(prev, Point{-dir.Y, dir.X}, reach, length, pen)
		b.quad(uint32(len(b.Vertices)) - 4)
	}
}

// rib appends two vertices: p moved by `reach` along the normal n, and p moved by `reach` in the
// opposite direction.
func (b *Batch) rib(p, n Point, reach, length float32, pen Pen) {
	c := pen.Color
	for _, d := range [...]float32{-reach, reach} {
		b.Vertices = append(b.Vertices, Vertex{
			DstX: p.X + n.X*d, DstY: p.Y + n.Y*d, SrcX: pen.Dash, SrcY: stroke,
			ColorR: c.R, ColorG: c.G, ColorB: c.B, ColorA: c.A,
			Custom0: d, Custom1: pen.Width / 2, Custom2: length, Custom3: pen.Period,
		})
	}
}

// Thin removes points from a polyline with rising x without changing its picture. In each pixel
// column it keeps the first, the lowest, the highest and the last point. Points that are not finite
// remain, as gaps. It overwrites pts.
func Thin(pts []Point) []Point {
	out := pts[:0]
	for i := 0; i < len(pts); {
		if !pts[i].Finite() {
			out = append(out, pts[i])
			i++
			continue
		}
		column := math.Floor(float64(pts[i].X))
		j, lo, hi := i, i, i
		for j < len(pts) && pts[j].Finite() && math.Floor(float64(pts[j].X)) == column {
			if pts[j].Y < pts[lo].Y {
				lo = j
			}
			if pts[j].Y > pts[hi].Y {
				hi = j
			}
			j++
		}
		// Kept points only move towards the start of the slice, so no point is overwritten
		// before it has been read.
		kept := i - 1
		for _, k := range [...]int{i, min(lo, hi), max(lo, hi), j - 1} {
			if k > kept {
				out, kept = append(out, pts[k]), k
			}
		}
		i = j
	}
	return out
}
