package plot

// Vertex is a corner of a triangle. It has the fields of Ebitengine's Vertex, in the same
// order. SrcY determines what the other fields mean:
//
//	SrcY ≥ 0       a glyph
//	               SrcX, SrcY        place in the glyph atlas
//	SrcY = stroke  a line
//	               Custom0           distance from the middle of the line
//	               Custom1           half of the line's width
//	               Custom2           length along the line
//	               Custom3           period of the dashes; 0: solid
//	               SrcX              length of a dash without its round ends
//	SrcY = box     a box
//	               Custom0, Custom1  x and y relative to the middle of the box
//	               Custom2, Custom3  half of its width and height
//	               SrcX              radius of its corners
//	SrcY = field   a field
//	               Custom0, Custom1  x and y in cells, from the middle of the first cell
//	               Custom2, Custom3  column and row of the first cell in Texels
//	               ColorR, ColorG    number of cells in x and y, less one
//	               ColorB, ColorA    column and row of the ramp's first colour in Texels
//	SrcY = flat    a triangle of one colour; no other field has a meaning
type Vertex struct {
	DstX, DstY                         float32
	SrcX, SrcY                         float32
	ColorR, ColorG, ColorB, ColorA     float32
	Custom0, Custom1, Custom2, Custom3 float32
}

// Values of Vertex.SrcY for everything but glyphs.
const (
	stroke = -1
	box    = -2
	field  = -3
	flat   = -4
)

// feather is how far, in pixels, the triangles of a shape extend beyond its edge, so that
// the shader can smooth the edge.
const feather = 1

// Batch is a list of triangles, in the order in which they are drawn.
type Batch struct {
	Vertices []Vertex
	Indices  []uint32
	Texels   Texels // texels of the batch's fields

	piece []uint32 // scratch memory of Pieces
}

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	b.Vertices, b.Indices = b.Vertices[:0], b.Indices[:0]
	b.Texels.reset()
}

// quad appends two triangles with the corners i to i+3. The vertices i and i+1 form one side,
// i+2 and i+3 the opposite side.
func (b *Batch) quad(i uint32) {
	b.Indices = append(b.Indices, i, i+1, i+2, i+1, i+3, i+2)
}

// Box appends a filled rectangle with rounded corners of this radius. Edges at whole pixels
// are sharp.
func (b *Batch) Box(r Rect, radius float32, c Color) {
	if r.W <= 0 || r.H <= 0 {
		return
	}
	if radius == 0 && r == r.Round() { // no edge needs smoothing
		i := uint32(len(b.Vertices))
		b.Vertices = append(b.Vertices, solid(r.X, r.Y, c), solid(r.Right(), r.Y, c), solid(r.X, r.Bottom(), c), solid(r.Right(), r.Bottom(), c))
		b.quad(i)
		return
	}
	hx, hy := r.W/2, r.H/2
	mx, my := r.X+hx, r.Y+hy
	i := uint32(len(b.Vertices))
	for _, s := range [...][2]float32{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}} {
		dx, dy := s[0]*(hx+feather), s[1]*(hy+feather)
		b.Vertices = append(b.Vertices, Vertex{
			DstX: mx + dx, DstY: my + dy, SrcX: min(radius, hx, hy), SrcY: box,
			ColorR: c.R, ColorG: c.G, ColorB: c.B, ColorA: c.A,
			Custom0: dx, Custom1: dy, Custom2: hx, Custom3: hy,
		})
	}
	b.quad(i)
}

// Disc appends a filled circle.
func (b *Batch) Disc(x, y, radius float32, c Color) {
	b.Box(Rect{x - radius, y - radius, 2 * radius, 2 * radius}, radius, c)
}

// Area appends the region between a polyline with rising x and the line y = base. Its colour
// changes from `top` at the polyline's highest point to `bottom` at the base. Points that are not
// finite leave a gap.
func (b *Batch) Area(pts []Point, base float32, top, bottom Color) {
	highest := base
	for _, p := range pts {
		if p.Finite() {
			highest = min(highest, p.Y)
		}
	}
	if highest >= base {
		return
	}
	linked := false
	for _, p := range pts {
		if !p.Finite() {
			linked = false
			continue
		}
		i := uint32(len(b.Vertices))
		b.Vertices = append(b.Vertices,
			solid(p.X, p.Y, bottom.Mix(top, (base-p.Y)/(base-highest))),
			solid(p.X, base, bottom))
		if linked {
			b.quad(i - 2)
		}
		linked = true
	}
}

// Band appends the region between two polylines with the same x: point i of `low` is below
// point i of `high`. A point that is not finite leaves a gap. Band panics if the polylines have
// different numbers of points.
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

// solid returns a vertex of a shape with one colour and sharp edges.
func solid(x, y float32, c Color) Vertex {
	return Vertex{DstX: x, DstY: y, SrcY: flat, ColorR: c.R, ColorG: c.G, ColorB: c.B, ColorA: c.A}
}

// Glyph appends a part of the glyph atlas, w×h pixels at (u, v). Its top left corner is drawn
// at (x, y).
func (b *Batch) Glyph(x, y, w, h, u, v float32, c Color) {
	i := uint32(len(b.Vertices))
	for _, s := range [...][2]float32{{0, 0}, {w, 0}, {0, h}, {w, h}} {
		b.Vertices = append(b.Vertices, Vertex{
			DstX: x + s[0], DstY: y + s[1], SrcX: u + s[0], SrcY: v + s[1],
			ColorR: c.R, ColorG: c.G, ColorB: c.B, ColorA: c.A,
		})
	}
	b.quad(i)
}

// Kind is the kind of a triangle. Each kind has its own shader.
type Kind uint8

// The kinds of triangles. Shapes are lines, boxes, glyphs, and flat triangles too small to be
// drawn separately.
const (
	Shapes Kind = iota
	Flat
	Fields
	Kinds int = iota
)

// worthIt is the smallest area in pixels of flat triangles that are drawn separately.
const worthIt = 4096

// Pieces calls `draw` for each piece of the batch, in drawing order. All triangles of a piece have
// the same kind and therefore the same shader. A single shader for all kinds would be slow without
// a graphics processor, because it would compute the branches of all kinds for every pixel. A piece
// is valid until `draw` returns.
func (b *Batch) Pieces(draw func(of Kind, v []Vertex, indices []uint32)) {
	begin, n := 0, len(b.Indices)
	cut := func(end int, of Kind) {
		if end > begin {
			v, indices := b.part(b.Indices[begin:end])
			draw(of, v, indices)
		}
		begin = end
	}
	for i := 0; i < n; {
		end, area, of := i, float32(0), b.Vertices[b.Indices[i]].SrcY
		for of <= field && end < n && b.Vertices[b.Indices[end]].SrcY == of {
			p, q, r := &b.Vertices[b.Indices[end]], &b.Vertices[b.Indices[end+1]], &b.Vertices[b.Indices[end+2]]
			area += Abs((q.DstX-p.DstX)*(r.DstY-p.DstY)-(q.DstY-p.DstY)*(r.DstX-p.DstX)) / 2
			end += 3
		}
		switch {
		case of == field:
			cut(i, Shapes)
			cut(end, Fields)
		case area >= worthIt:
			cut(i, Shapes)
			cut(end, Flat)
		}
		i = max(end, i+3)
	}
	cut(n, Shapes)
}

// part returns the smallest range of vertices that contains all vertices with the given indices. It
// also returns the indices, counted from the beginning of this range.
func (b *Batch) part(indices []uint32) ([]Vertex, []uint32) {
	if len(indices) == len(b.Indices) {
		return b.Vertices, indices
	}
	first, last := indices[0], indices[0]
	for _, i := range indices {
		first, last = min(first, i), max(last, i)
	}
	b.piece = b.piece[:0]
	for _, i := range indices {
		b.piece = append(b.piece, i-first)
	}
	return b.Vertices[first : last+1], b.piece
}
