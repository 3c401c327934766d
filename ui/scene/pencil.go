package scene

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// pencil is what every scene draws with: its colours, the size of its page and
// of its text, and memory for what is being drawn.
type pencil struct {
	atlas *glyph.Atlas
	theme Theme
	still bool // axes jump instead of gliding

	unit float32 // device pixels in a CSS pixel
	w, h float32 // CSS pixels
	size float32 // of the text, device pixels

	points []plot.Point
	colors []plot.Color // of a mesh
	ticks  []float64
	text   []byte
}

func newPencil(atlas *glyph.Atlas) pencil {
	return pencil{atlas: atlas, theme: Light(), unit: 1, size: minText}
}

// SetTheme chooses the colours, and whether axes jump to their new range
// instead of gliding.
func (s *pencil) SetTheme(t Theme, still bool) { s.theme, s.still = t, still }

// Paper returns the colour of the background.
func (s *pencil) Paper() plot.Color { return s.theme.Paper }

// cover paints the whole page with the background's colour.
func (s *pencil) cover(b *plot.Batch) {
	b.Box(plot.Rect{W: s.w * s.unit, H: s.h * s.unit}.Inset(-2, -2, -2, -2), 0, s.theme.Paper)
}

// px rounds a length in CSS pixels to whole device pixels, at least one.
func (s *pencil) px(css float32) float32 {
	return max(1, float32(math.Round(float64(css*s.unit))))
}

func round(x float32) float32 { return float32(math.Round(float64(x))) }

// label appends text of the usual size, centred on y.
func (s *pencil) label(b *plot.Batch, text string, x, y float32, align glyph.Align, c plot.Color) float32 {
	return glyph.Append(s.atlas, b, text, s.size, x, y+s.atlas.CapHeight(s.size)/2, align, c)
}

// number appends the text in s.text in the same way.
func (s *pencil) number(b *plot.Batch, x, y float32, align glyph.Align, c plot.Color) float32 {
	return glyph.Append(s.atlas, b, s.text, s.size, x, y+s.atlas.CapHeight(s.size)/2, align, c)
}

// dot marks a value on a curve.
func (s *pencil) dot(b *plot.Batch, x, y float32, c plot.Color) {
	b.Disc(x, y, 5*s.unit, s.theme.Paper)
	b.Disc(x, y, 3.5*s.unit, c)
}
