package chart

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// place is a possible position for the beginning, the end or the middle of a text in a plot.
type place struct {
	x, y  float32
	align glyph.Align
}

// The method `say` writes c.Text on a rectangle. The rectangle has the colour of the paper. The
// method chooses the first place where the text covers no curve, no vertical mark of a frame and no
// other words. It returns false if there is no such place.
func (s *Chart) say(c *panel.Canvas, ink plot.Color, places ...place) bool {
	w, h := c.Wide()+6*c.Unit, 1.3*c.Size
	for _, p := range places {
		r := plot.Rect{X: p.x - float32(p.align)*(w-6*c.Unit) - 3*c.Unit, Y: p.y - h/2, W: w, H: h}
		if r.X >= s.area.X && r.Right() <= s.At.Right() && r.Y >= s.area.Y-h/2 && r.Bottom() <= s.area.Bottom()+h/4 && s.free(r.Inset(-2*c.Unit, 0, -2*c.Unit, 0)) {
			c.Plated(p.x, p.y, p.align, ink)
			s.said = append(s.said, r)
			return true
		}
	}
	return false
}

// corners returns the corners of the plot, first those on the right.
func (s *Chart) corners(c *panel.Canvas) [4]place {
	left, right := s.area.X+8*c.Unit, s.area.Right()-8*c.Unit
	top, bottom := s.area.Y+0.7*c.Row(), s.area.Bottom()-0.7*c.Row()
	return [4]place{{right, bottom, glyph.Right}, {right, top, glyph.Right}, {left, top, glyph.Left}, {left, bottom, glyph.Left}}
}

// free reports whether no curve and no vertical mark of a frame passes through r, and r has no
// words yet.
func (s *Chart) free(r plot.Rect) bool {
	for _, q := range s.said {
		if r.X < q.Right() && q.X < r.Right() && r.Y < q.Bottom() && q.Y < r.Bottom() {
			return false
		}
	}
	for _, frame := range [...]int{s.now, s.hover} {
		if x := s.x.Pos(s.X.at(frame)); frame >= 0 && x >= r.X && x <= r.Right() {
			return false
		}
	}
	first, last := s.X.index(s.x.Value(r.X)), s.X.index(s.x.Value(r.Right()))
	for i := range s.Curves {
		v := &s.Curves[i]
		if v.Role == TipOnly || v.Role == Orders || v.Role == Latents || v.Role == Members {
			continue
		}
		for _, values := range [...]column{v.v, v.w} {
			if passes(s, values, first, min(last, values.len()-1), r.Y, r.Bottom()) {
				return false
			}
		}
	}
	return true
}

// The function `passes` reports whether a curve enters or crosses a band in the frames from `first`
// to `last`. The band lies between the heights `top` and `bottom`.
func passes(s *Chart, v column, first, last int, top, bottom float32) bool {
	before := float32(math.NaN())
	for i := first; i <= last; i++ {
		y := s.at(s.X.at(i), v.at(i)).Y
		if y >= top && y <= bottom || y < top && before > bottom || y > bottom && before < top {
			return true
		}
		before = y
	}
	return false
}
