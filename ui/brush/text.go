package brush

import (
	"bytes"
	"unsafe"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Row returns the height of a line of text.
func (b *Brush) Row() float32 { return plot.Round(b.Size * 1.55) }

// Px rounds a length in CSS pixels to whole device pixels, at least one.
func (b *Brush) Px(css float32) float32 { return max(1, plot.Round(css*b.Unit)) }

// Label appends text of the default size, centred on y. If it were inlined, the page's program
// would be larger.
//
//go:noinline
func (b *Brush) Label(text string, x, y float32, align glyph.Align, ink plot.Color) float32 {
	return b.write(letters(text), x, y, align, ink)
}

// letters returns a text as bytes, which must not be changed.
func letters(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// Write writes b.Text as Label does.
func (b *Brush) Write(x, y float32, align glyph.Align, ink plot.Color) float32 {
	return b.write(b.Text, x, y, align, ink)
}

// write writes a text, unless the picture is plain and the text is a remark or a number. It does not keep the text.
func (b *Brush) write(text []byte, x, y float32, align glyph.Align, ink plot.Color) float32 {
	if b.Plain && (ink == b.Theme.Muted || bytes.ContainsAny(text, "0123456789")) {
		return glyph.Width(b.Atlas, unsafe.String(unsafe.SliceData(text), len(text)), b.Size)
	}
	return b.put(text, x, y, align, ink)
}

// put writes a text and records its symbols.
func (b *Brush) put(text []byte, x, y float32, align glyph.Align, ink plot.Color) float32 {
	width := glyph.Append(b.Atlas, b.Batch, text, b.Size, x, y+b.Atlas.CapHeight(b.Size)/2, align, ink)
	b.note(text, x-float32(align)*width, y)
	return width
}

// Width returns the width of a text.
func (b *Brush) Width(text string) float32 { return glyph.Width(b.Atlas, text, b.Size) }

// Wide returns the width of b.Text.
func (b *Brush) Wide() float32 { return glyph.Width(b.Atlas, b.Text, b.Size) }

// Roomiest writes the first of the texts that is at most `room` wide, and returns the width of this
// text.
func (b *Brush) Roomiest(x, y, room float32, align glyph.Align, ink plot.Color, texts ...string) float32 {
	for _, text := range texts {
		if b.Width(text) <= room {
			return b.Label(text, x, y, align, ink)
		}
	}
	return 0
}

// Value sets b.Text to a word, v and the unit. It uses the first word for which the text is at most
// `room` wide, and returns false if there is none.
func (b *Brush) Value(v float64, unit string, room float32, words ...string) bool {
	for _, before := range words {
		b.Text = append(plot.AppendValue(append(b.Text[:0], before...), v), unit...)
		if b.Wide() <= room {
			return true
		}
	}
	return false
}

// Title writes a name, shortened to a width of at most `room`.
func (b *Brush) Title(name []byte, x, y, room float32, ink plot.Color) float32 {
	b.Text = append(b.Text[:0], name...)
	b.Cut(room)
	return b.Write(x, y, glyph.Left, ink)
}

// Fitting sets b.Text to the first of the lines that is at most `room` wide. If there is none, it
// uses the last line, shortened.
func (b *Brush) Fitting(lines []byte, room float32) {
	for line := range bytes.Lines(lines) {
		b.Text = append(b.Text[:0], bytes.TrimSuffix(line, []byte("\n"))...)
		if b.Wide() <= room {
			return
		}
	}
	b.Cut(room)
}

// Cut shortens b.Text to a width of at most `room`.
func (b *Brush) Cut(room float32) {
	for n := len(b.Text); n > 0 && b.Wide() > room+0.1*b.Unit; { // room may be the width of the text, rounded
		for n--; n > 0 && b.Text[n]&0xc0 == 0x80; { // skips the later bytes of a rune
			n--
		}
		b.Text = b.Text[:n]
		if n > 0 {
			b.Text = append(b.Text, "…"...)
		}
	}
}

// Plated writes b.Text over a rectangle in the colour of the paper, and returns the text's
// width.
func (b *Brush) Plated(x, y float32, align glyph.Align, ink plot.Color) float32 {
	w, h := b.Wide()+6*b.Unit, 1.1*b.Size
	b.Box(plot.Rect{X: x - float32(align)*(w-6*b.Unit) - 3*b.Unit, Y: y - h/2, W: w, H: h}, 3*b.Unit, b.Theme.Paper.Fade(0.85))
	return b.Write(x, y, align, ink)
}

// Plate writes a text in the middle of an area, over a rectangle in the colour of the paper. It
// writes the first of the texts that is narrow enough.
func (b *Brush) Plate(area plot.Rect, texts ...string) {
	for _, text := range texts {
		if w := b.Width(text); w <= area.W-6*b.Unit {
			w, h := min(w+16*b.Unit, area.W), 1.5*b.Row()
			x, y := area.X+area.W/2, area.Y+area.H/2
			b.Box(plot.Rect{X: x - w/2, Y: y - h/2, W: w, H: h}.Round(), 6*b.Unit, b.Theme.Paper.Fade(0.85))
			b.put(letters(text), x, y, glyph.Center, b.Theme.Muted)
			return
		}
	}
}

// Badge writes b.Text in the top left corner of an area, over a rectangle in the colour of the
// paper, if there is room.
func (b *Brush) Badge(area plot.Rect) {
	if len(b.Text) == 0 || b.Wide() > area.W-24*b.Unit {
		return
	}
	w, h := b.Wide()+14*b.Unit, 1.35*b.Row()
	r := plot.Rect{X: area.X + b.Px(6), Y: area.Y + b.Px(6), W: plot.Round(w), H: plot.Round(h)}
	line := b.Px(1)
	b.Box(r.Inset(-line, -line, -line, -line), 6*b.Unit+line, b.Theme.TipEdge)
	b.Box(r, 6*b.Unit, b.Theme.Tip)
	b.Write(r.X+7*b.Unit, r.Y+r.H/2, glyph.Left, b.Theme.Ink)
}
