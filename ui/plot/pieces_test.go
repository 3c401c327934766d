package plot

import (
	"slices"
	"testing"
)

// TestPieces divides a batch into pieces. Every piece has one kind, and together the pieces are
// the triangles of the batch in order.
func TestPieces(t *testing.T) {
	var b Batch
	b.Box(Rect{0, 0, 200, 100}, 0, RGB(1))        // flat and large
	b.Box(Rect{0, 0, 4, 4}, 0, RGB(2))            // flat and small, but directly after a flat box
	b.Disc(5, 5, 3, RGB(3))                       // a shape
	b.Box(Rect{0, 0, 4, 4}, 0, RGB(4))            // flat and small
	b.Box(Rect{0.5, 0, 200, 100}, 0, RGB(5))      // has edges to be smoothed
	b.Box(Rect{20, 20, 200, 100}, 0, RGB(6))      // flat and large
	b.Glyph(1, 1, 8, 8, 0, 0, RGB(7))             // a shape
	b.Vertices = append(b.Vertices, field4(5)...) // a field
	b.quad(uint32(len(b.Vertices) - 4))

	var kinds []Kind
	var got []Vertex
	b.Pieces(func(of Kind, v []Vertex, indices []uint32) {
		kinds = append(kinds, of)
		for _, i := range indices {
			if k := v[i].SrcY; of == Flat && k != flat || of == Fields && k != field || of == Shapes && k == field {
				t.Errorf("a vertex of %g in a piece of kind %d", k, of)
			}
			got = append(got, v[i])
		}
	})
	if want := []Kind{Flat, Shapes, Flat, Shapes, Fields}; !slices.Equal(kinds, want) {
		t.Errorf("pieces %v, want %v", kinds, want)
	}
	var want []Vertex
	for _, i := range b.Indices {
		want = append(want, b.Vertices[i])
	}
	if !slices.Equal(got, want) {
		t.Error("the pieces are not the batch")
	}
	if n := testing.AllocsPerRun(10, func() { b.Pieces(func(Kind, []Vertex, []uint32) {}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// field4 returns the corners of a field with sides of length `side`.
func field4(side float32) (v []Vertex) {
	for _, s := range [...][2]float32{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
		v = append(v, Vertex{DstX: side * s[0], DstY: side * s[1], SrcY: field})
	}
	return v
}
