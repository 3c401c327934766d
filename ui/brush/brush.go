package brush

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Brush holds everything that is needed to draw a picture: the batch, the sizes of the page and
// of the text, the colours, and scratch memory.
type Brush struct {
	*plot.Batch
	Atlas *glyph.Atlas
	Theme Theme
	W, H  float32 // size of the page in CSS pixels
	Unit  float32 // device pixels per CSS pixel
	Size  float32 // size of the text in device pixels
	Signs []Sign  // symbols written since the last Cover, except in tips
	Plain bool    // whether remarks, in the muted colour, and numbers are left out

	// Scratch memory. Methods of Brush may overwrite it.
	Text         []byte // the text for Write
	Points, Edge []plot.Point
	Colors       []plot.Color // colours of a strip
	Levels       []float32    // levels of a field
	Ticks        []float64
}

// The smallest and the largest size of text, in CSS pixels.
const (
	minText = 12
	maxText = 18
)

// Phone is a width of the page in CSS pixels. On a narrower page the user probably points with
// a finger.
const Phone = 500

// New returns a brush with the light theme, for a page without a size.
func New(atlas *glyph.Atlas) Brush {
	return Brush{Batch: new(plot.Batch), Atlas: atlas, Theme: Light(), Unit: 1, Size: minText}
}

// Resize sets the size of the page to w×h CSS pixels, each with unit×unit device pixels.
func (b *Brush) Resize(w, h, unit float32) {
	b.W, b.H, b.Unit = w, h, unit
	b.Size = min(maxText, max(minText, minText+(w-480)/300)) * unit
}

// Page returns the page without its margins, and the gap between its panels.
func (b *Brush) Page() (page plot.Rect, gap float32) {
	pad, gap := 16*b.Unit, 24*b.Unit
	if b.W < Phone {
		pad, gap = 10*b.Unit, 12*b.Unit
	}
	return plot.Rect{W: b.W * b.Unit, H: b.H * b.Unit}.Inset(pad, pad*0.6, pad, pad*0.6), gap
}

// Cover paints the whole page with the background's colour.
func (b *Brush) Cover() {
	b.Signs = b.Signs[:0]
	b.Box(plot.Rect{W: b.W * b.Unit, H: b.H * b.Unit}.Inset(-2, -2, -2, -2), 0, b.Theme.Paper)
}

// Notice writes a text in the middle of the page.
func (b *Brush) Notice(text string) {
	b.put(letters(text), b.W*b.Unit/2, b.H*b.Unit/2, glyph.Center, b.Theme.Muted)
}

// Dot marks a value on a curve.
func (b *Brush) Dot(p plot.Point, ink plot.Color) { b.Spot(p, 3.5, ink) }

// Spot marks a value on a curve with a disc. The radius is in CSS pixels.
func (b *Brush) Spot(p plot.Point, radius float32, ink plot.Color) {
	b.Point(p, (radius+1.5)*b.Unit, b.Theme.Paper)
	b.Point(p, radius*b.Unit, ink)
}

// Point draws a disc at a place, or nothing if the place is NaN.
func (b *Brush) Point(p plot.Point, radius float32, ink plot.Color) {
	if p.Finite() {
		b.Disc(p.X, p.Y, radius, ink)
	}
}

// Cross marks a place on a map.
func (b *Brush) Cross(p plot.Point) {
	line, d := b.Px(1), 7*b.Unit
	b.Box(plot.Rect{X: plot.Round(p.X - d), Y: plot.Round(p.Y), W: plot.Round(2 * d), H: line}, 0, b.Theme.Ink)
	b.Box(plot.Rect{X: plot.Round(p.X), Y: plot.Round(p.Y - d), W: line, H: plot.Round(2 * d)}, 0, b.Theme.Ink)
}

// Ring draws a circle.
func (b *Brush) Ring(x, y, r float32, ink plot.Color) {
	b.Loop(20, plot.Pen{Width: 1.6 * b.Unit, Color: ink}, func(sin, cos float64) plot.Point {
		return plot.Point{X: x + r*float32(cos), Y: y + r*float32(sin)}
	})
}

// Loop draws a closed curve of n straight lines. `at` maps points of the unit circle to the curve.
func (b *Brush) Loop(n int, pen plot.Pen, at func(sin, cos float64) plot.Point) {
	b.Points = b.Points[:0]
	for i := range n + 1 {
		b.Points = append(b.Points, at(math.Sincos(2*math.Pi*float64(i)/float64(n))))
	}
	b.Line(b.Points, pen)
}

// Segment draws a straight line.
func (b *Brush) Segment(x0, y0, x1, y1 float32, pen plot.Pen) {
	b.Points = append(b.Points[:0], plot.Point{X: x0, Y: y0}, plot.Point{X: x1, Y: y1})
	b.Line(b.Points, pen)
}

// Outline draws the edges of a rectangle, inside it. The lines are a whole number of pixels
// wide.
func (b *Brush) Outline(r plot.Rect, line float32, ink plot.Color) {
	b.Box(plot.Rect{X: r.X, Y: r.Y, W: r.W, H: line}, 0, ink)
	if r.H < 3*line {
		return
	}
	b.Box(plot.Rect{X: r.X, Y: r.Bottom() - line, W: r.W, H: line}, 0, ink)
	b.Box(plot.Rect{X: r.X, Y: r.Y + line, W: line, H: r.H - 2*line}, 0, ink)
	b.Box(plot.Rect{X: r.Right() - line, Y: r.Y + line, W: line, H: r.H - 2*line}, 0, ink)
}

// Border draws the edges of a map.
func (b *Brush) Border(r plot.Rect) { b.Outline(r, b.Px(1), b.Theme.Faint) }

// Ramp draws a scale of colours from left to right.
func (b *Brush) Ramp(r plot.Rect, ramp *plot.Ramp) {
	const n = 17
	b.Colors = b.Colors[:0]
	for i := range n {
		b.Colors = append(b.Colors, ramp.At(float64(i)/(n-1)))
	}
	b.Strip(r, b.Colors)
}

// Thick is the width of a curve.
func (b *Brush) Thick() float32 { return b.Size / 6 }

// Dashed returns the pen for predictions.
func (b *Brush) Dashed(ink plot.Color) plot.Pen {
	w := b.Thick()
	return plot.Pen{Width: w, Color: ink, Dash: 2.6 * w, Period: 5.4 * w}
}

// ringGap is the distance in CSS pixels between neighbouring rings (see Ringed).
const ringGap = 46

// Ringed draws the line in b.Points with open rings along it. The points must have rising x. The
// rings mark the second of two compared models. Users can recognise this model without colours.
func (b *Brush) Ringed(pen plot.Pen) {
	b.Line(b.Points, pen)
	next := float32(math.Inf(-1))
	for i, p := range b.Points {
		if !p.Finite() || p.X < next && i+1 < len(b.Points) {
			continue
		}
		if math.IsInf(float64(next), -1) { // keeps the first ring away from the axis
			next = p.X + ringGap/2*b.Unit
			continue
		}
		if p.X >= next {
			b.Rung(p.X, p.Y, pen.Color)
			next = p.X + ringGap*b.Unit
		}
	}
}

// Rung draws one open ring. The method Ringed draws such rings along a line.
func (b *Brush) Rung(x, y float32, ink plot.Color) {
	b.Disc(x, y, 3.7*b.Unit, ink)
	b.Disc(x, y, 2.2*b.Unit, b.Theme.Paper)
}

// KeyWidth is the width in CSS pixels of the sample line before a name in a legend.
const KeyWidth = 25

// Bead draws an atom of a species with its rim.
func (b *Brush) Bead(x, y, radius float32, species int) {
	b.Disc(x, y, (radius+1)*b.Unit, Rim(&b.Theme, species))
	b.Disc(x, y, radius*b.Unit, b.Theme.Species[species])
}

// Rim returns the colour of an atom's edge.
func Rim(t *Theme, species int) plot.Color { return t.Species[species].Mix(t.Ink, 0.35) }
