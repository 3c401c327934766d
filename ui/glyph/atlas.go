package glyph

import (
	"fmt"
	"image"
	"image/draw"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"macroscope/ui/plot"
)

// Side is the width and height of the atlas in pixels.
const Side = 1024

// subpixels is the number of horizontal positions within a pixel at which a glyph is
// rasterised. If glyphs started only at whole pixels, small text would be unevenly spaced.
const subpixels = 4

// Size of a subscript and its distance below the line of text, both relative to the size of the
// text.
const (
	subscriptSize = 0.72
	subscriptDrop = 0.18
)

// Atlas holds the glyphs rasterised so far.
type Atlas struct {
	// Image is the coverage of all glyphs; the picture's texture is a copy.
	Image *image.Alpha
	// Changed is the part of Image that has been written since the caller last cleared Changed.
	Changed image.Rectangle
	// Emptied is set when the atlas was full and has been emptied. Glyphs placed earlier are then
	// invalid.
	Emptied bool

	font  *opentype.Font
	faces map[int]*face // by size in quarter pixels
	slots map[key]slot

	x, y, row int // x, y: place of the next glyph; row: height of the present row
}

type face struct {
	font.Face
	id       int
	advances map[rune]float32
	capital  float32
}

type key struct {
	face int
	r    rune
	sub  uint8
}

// slot is a glyph's place in the atlas, and its offset from the glyph's origin.
type slot struct{ x, y, w, h, dx, dy int }

// New returns an empty atlas of the Go font. It panics if it cannot read the font, which is
// part of the program.
func New() *Atlas {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(fmt.Sprintf("glyph: the font compiled in: %v", err))
	}
	return &Atlas{
		Image: image.NewAlpha(image.Rect(0, 0, Side, Side)),
		font:  f, faces: map[int]*face{}, slots: map[key]slot{},
	}
}

func (a *Atlas) face(size float32) *face {
	id := int(size*4 + 0.5)
	f := a.faces[id]
	if f == nil {
		of, err := opentype.NewFace(a.font, &opentype.FaceOptions{Size: float64(id) / 4, DPI: 72})
		if err != nil {
			panic(fmt.Sprintf("glyph: a face of %v pixels: %v", size, err))
		}
		f = &face{Face: of, id: id, advances: map[rune]float32{}, capital: pixels(of.Metrics().CapHeight)}
		a.faces[id] = f
	}
	return f
}

func pixels(v fixed.Int26_6) float32 { return float32(v) / 64 }

// Combining marks. They are centred over the rune before them.
const (
	hat = '\u0302'
	bar = '\u0304'
)

// part is one rune of a composed glyph, moved right by dx times the size.
type part struct {
	r  rune
	dx float32
}

// parts returns the runes of which r is composed. Nearly always there is only r, and the second
// rune is 0.
func parts(f *face, r rune, size float32) [2]part {
	switch r {
	case 'ẑ':
		// The hat is centred over the z.
		return [2]part{{r: 'z'}, {'ˆ', (f.advance('z', size) - f.advance('ˆ', size)) / 2 / size}}
	case '‖':
		return [2]part{{r: '|'}, {'|', 0.22}}
	case hat:
		return [2]part{{r: 'ˆ'}}
	case bar:
		return [2]part{{r: '¯'}}
	}
	return [2]part{{r: r}}
}

func (f *face) advance(r rune, size float32) float32 {
	if w, ok := f.advances[r]; ok {
		return w
	}
	if r == hat || r == bar {
		return 0
	}
	p := r
	switch r {
	case 'ẑ':
		p = 'z'
	case '‖':
		p = '|'
	}
	adv, _ := f.GlyphAdvance(p)
	w := pixels(adv)
	if r == '‖' {
		w += 0.22 * size
	}
	f.advances[r] = w
	return w
}

// glyph returns the slot of r, shifted to the right by sub/subpixels of a pixel. A rune that is not
// in the atlas is rasterised. If there is no room for it, the atlas is emptied first.
func (a *Atlas) glyph(f *face, r rune, sub uint8) slot {
	k := key{f.id, r, sub}
	if s, ok := a.slots[k]; ok {
		return s
	}
	size := float32(f.id) / 4
	ps := parts(f, r, size)
	dot := func(p part) fixed.Point26_6 {
		return fixed.Point26_6{X: fixed.Int26_6(64*p.dx*size) + fixed.Int26_6(sub)*64/subpixels}
	}
	var bounds image.Rectangle
	for _, p := range ps {
		if dr, _, _, _, ok := f.Glyph(dot(p), p.r); ok && p.r != 0 {
			bounds = bounds.Union(dr)
		}
	}
	var s slot // a space has the zero slot
	if !bounds.Empty() {
		s = slot{dx: bounds.Min.X, dy: bounds.Min.Y, w: bounds.Dx(), h: bounds.Dy()}
		a.place(&s)
		at := image.Pt(s.x-bounds.Min.X, s.y-bounds.Min.Y)
		for _, p := range ps {
			if p.r == 0 {
				continue
			}
			if dr, mask, mp, _, ok := f.Glyph(dot(p), p.r); ok {
				draw.DrawMask(a.Image, dr.Add(at), image.Opaque, image.Point{}, mask, mp, draw.Over)
			}
		}
		a.Changed = a.Changed.Union(image.Rect(s.x, s.y, s.x+s.w, s.y+s.h))
	}
	a.slots[k] = s
	return s
}

// place finds a free place for a glyph, row by row.
func (a *Atlas) place(s *slot) {
	const gap = 1
	if a.x+s.w > Side {
		a.x, a.y, a.row = 0, a.y+a.row+gap, 0
	}
	if a.y+s.h > Side {
		clear(a.slots)
		clear(a.Image.Pix)
		a.x, a.y, a.row = 0, 0, 0
		a.Changed, a.Emptied = a.Image.Rect, true
	}
	s.x, s.y = a.x, a.y
	a.x += s.w + gap
	a.row = max(a.row, s.h)
}

// CapHeight returns the height of a capital letter of text of the given size,
// in pixels.
func (a *Atlas) CapHeight(size float32) float32 { return a.face(size).capital }

// Align says which point of a text is placed at x.
type Align float32

// The alignments. Each number is the share of the text's width left of x.
const (
	Left   Align = 0
	Center Align = 0.5
	Right  Align = 1
)

// Append appends a text with letters of the given size in pixels and with its baseline at y. It
// returns the text's width.
func Append[T string | []byte](a *Atlas, b *plot.Batch, text T, size, x, y float32, align Align, c plot.Color) float32 {
	width := Width(a, text, size)
	pen := x - float32(align)*width
	base := int(y + 0.5)
	var last float32 // advance of the rune before a mark
	for i := 0; i < len(text); {
		r, sub, n := next(text, i)
		i += n
		f, drop := a.face(size), 0
		if sub {
			f, drop = a.face(size*subscriptSize), int(size*subscriptDrop+0.5)
		}
		at, advance := pen, f.advance(r, float32(f.id)/4)
		switch r {
		case hat:
			at = pen - (last+f.advance('ˆ', size))/2
		case bar:
			at = pen - (last+f.advance('¯', size))/2
		default:
			last = advance
		}
		q := int(at*subpixels + 0.5)
		if s := a.glyph(f, r, uint8(q&(subpixels-1))); s.w > 0 {
			b.Glyph(float32(q>>2+s.dx), float32(base+drop+s.dy), float32(s.w), float32(s.h), float32(s.x), float32(s.y), c)
		}
		pen += advance
	}
	return width
}

// Width returns the width of a text in pixels. size is the font size in pixels.
func Width[T string | []byte](a *Atlas, text T, size float32) float32 {
	var w float32
	for i := 0; i < len(text); {
		r, sub, n := next(text, i)
		i += n
		f := a.face(size)
		if sub {
			f = a.face(size * subscriptSize)
		}
		w += f.advance(r, float32(f.id)/4)
	}
	return w
}

// next returns the rune at text[i:], whether it is a subscript, and the number of its bytes,
// including an underscore before it.
func next[T string | []byte](text T, i int) (r rune, subscript bool, n int) {
	if text[i] == '_' && i+1 < len(text) {
		r, n = decode(text, i+1)
		return r, true, n + 1
	}
	r, n = decode(text, i)
	return r, false, n
}

func decode[T string | []byte](text T, i int) (rune, int) {
	if c := text[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	var b [utf8.UTFMax]byte
	return utf8.DecodeRune(b[:copy(b[:], text[i:])])
}
