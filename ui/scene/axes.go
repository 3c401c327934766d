package scene

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// axes is one plot within a panel.
type axes struct {
	panel plot.Rect
	area  plot.Rect // within the axes
	x, y  plot.Scale
}

// row returns the height of a line of text.
func (s *pencil) row() float32 { return round(s.size * 1.55) }

// yLabelWidth is the room for the labels of a y axis, as wide as "0.0000".
func (s *pencil) yLabelWidth() float32 {
	return round(glyph.Width(s.atlas, "0.000", s.size) + 8*s.unit)
}

// fit gives the area of a the room that title rows above and label rows
// below leave, on whole pixels.
func (s *pencil) fit(a *axes, panel plot.Rect, above, below float32) {
	a.panel = panel
	r := panel.Inset(s.yLabelWidth(), above, 2*s.unit, below)
	a.area = plot.Rect{X: round(r.X), Y: round(r.Y), W: max(8, round(r.W)), H: max(8, round(r.H))}
}

// yTicks draws the grid lines and labels of a y axis.
func (s *pencil) yTicks(b *plot.Batch, a *axes, want int) {
	want = min(want, max(2, int(a.area.H/(s.size*1.5))))
	var step float64
	if a.y.Log {
		s.ticks = plot.LogTicks(s.ticks[:0], a.y.Lo, a.y.Hi, want)
	} else {
		s.ticks, step = plot.Ticks(s.ticks[:0], a.y.Lo, a.y.Hi, want)
	}
	line := s.px(1)
	if a.y.Log {
		s.minorLines(b, a)
	}
	for _, v := range s.ticks {
		y := round(a.y.Pos(v))
		if v != 0 || a.y.Lo < 0 {
			b.Box(plot.Rect{X: a.area.X, Y: y - line, W: a.area.W, H: line}, 0, s.theme.Grid)
		}
		if a.y.Log {
			step = v
		}
		s.text = plot.AppendTick(s.text[:0], v, step)
		s.number(b, a.area.X-7*s.unit, y-line/2, glyph.Right, s.theme.Muted)
	}
}

// minorLines draws the paler lines that make a logarithmic axis look like one.
func (s *pencil) minorLines(b *plot.Batch, a *axes) {
	first, last := math.Floor(math.Log10(a.y.Lo)), math.Log10(a.y.Hi)
	if !(last-first < 6) {
		return
	}
	line := s.px(1)
	for e := first; e < last; e++ {
		for m := 2.0; m < 10; m++ {
			if v := m * math.Pow(10, e); v > a.y.Lo && v < a.y.Hi {
				b.Box(plot.Rect{X: a.area.X, Y: round(a.y.Pos(v)) - line, W: a.area.W, H: line}, 0, s.theme.Grid.Fade(0.5))
			}
		}
	}
}

// xTicks draws the tick marks and labels of an x axis, the labels centred on
// y, and grid lines from the top of the area down to bottom.
func (s *pencil) xTicks(b *plot.Batch, a *axes, want int, bottom, y float32) {
	var step float64
	s.ticks, step = plot.Ticks(s.ticks[:0], a.x.Lo, a.x.Hi, want)
	line := s.px(1)
	for _, v := range s.ticks {
		x := round(a.x.Pos(v))
		b.Box(plot.Rect{X: x - line/2, Y: a.area.Y, W: line, H: bottom - a.area.Y}, 0, s.theme.Grid)
		s.text = plot.AppendTick(s.text[:0], v, step)
		// Labels at the ends stay within the panel.
		half := glyph.Width(s.atlas, s.text, s.size) / 2
		s.number(b, min(x, a.panel.Right()-half), y, glyph.Center, s.theme.Muted)
	}
}

// baseline draws the x axis itself.
func (s *pencil) baseline(b *plot.Batch, a *axes, y float32) {
	line := s.px(1)
	b.Box(plot.Rect{X: a.area.X, Y: round(y) - line/2, W: a.area.W, H: line}, 0, s.theme.Faint)
}

// heading writes a panel's title and unit at its left, and what is in s.text
// at its right.
func (s *pencil) heading(b *plot.Batch, panel plot.Rect, title, unit string) {
	y := panel.Y + s.row()/2
	right := panel.Right() - 2*s.unit
	value := s.number(b, right, y, glyph.Right, s.theme.Ink)
	x := panel.X + 2*s.unit
	x += s.label(b, title, x, y, glyph.Left, s.theme.Ink) + 6*s.unit
	if x+glyph.Width(s.atlas, unit, s.size)+8*s.unit < right-value {
		s.label(b, unit, x, y, glyph.Left, s.theme.Muted)
	}
}

// curve puts a curve sampled over [lo, hi] into s.points; what is higher than
// the area follows its edge.
func (s *pencil) curve(a *axes, values []float32, lo, hi float64) {
	s.points = s.points[:0]
	n := len(values)
	for i, v := range values {
		x := lo + (hi-lo)*float64(i)/float64(max(1, n-1))
		s.points = append(s.points, plot.Point{X: a.x.Pos(x), Y: max(a.area.Y, a.y.Pos(float64(v)))})
	}
	if n > 2*int(a.area.W) {
		s.points = plot.Thin(s.points)
	}
}
