package panel

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Ruler is drawn below maps. It shows three things: a line of a round length on the scale of the
// maps, a kernel's width on the same scale (row "eps"), and the colour scale.
type Ruler struct {
	Base
	Plane *Plane
	eps   float64 // ε as set
}

func (p *Ruler) Read(f *wire.Frame) { p.eps = f.Number("eps") }

func (p *Ruler) Draw(c *Canvas) {
	m := p.Plane.first
	if m == nil || !p.Plane.found {
		return
	}
	t, y, x, line := &c.Theme, plot.Round(p.At.Y+0.67*p.At.H), p.At.X+2*c.Unit, c.Px(2)
	per := m.area.W / float32(m.x.Hi-m.x.Lo) // pixels per unit of length
	var length float64
	c.Ticks, length = plot.Ticks(c.Ticks[:0], 0, 0.3*(m.x.Hi-m.x.Lo), 2)
	if w := plot.Round(float32(length) * per); length > 0 {
		c.Box(plot.Rect{X: x, Y: y - line/2, W: w, H: line}, 0, t.Ink)
		for _, end := range [...]float32{x, x + w - line} {
			c.Box(plot.Rect{X: end, Y: y - 4*c.Unit, W: line, H: 8 * c.Unit}, 0, t.Ink)
		}
		c.Text = plot.AppendShort(append(c.Text[:0], "length "...), length)
		x += w + 7*c.Unit
		x += c.Write(x, y, glyph.Left, t.Ink) + 22*c.Unit
	}
	right := p.colors(c, p.At.Right()-2*c.Unit, y, x)
	if sigma := p.Plane.sigma; sigma > 0 {
		p.kernel(c, float32(sigma)*per, x, y, right)
	}
}

// kernel draws the width of a kernel, `radius`, with ε. If the maps draw kernels wider than they are, it says with which ε.
func (p *Ruler) kernel(c *Canvas, radius, x, y, right float32) {
	t, line := &c.Theme, c.Px(2)
	times, wider := p.Plane.wider()
	room := min(radius, 0.45*c.Row())
	for _, words := range [...][2]string{{"kernel ε = ", ", drawn a pixel wide, as "}, {"kernel ε = ", ", drawn as "}, {"ε = ", ", drawn as "}, {"ε = ", " → "}} {
		c.Text = plot.AppendShort(append(c.Text[:0], words[0]...), p.eps)
		if wider {
			c.Text = plot.AppendShort(append(c.Text, words[1]...), times*p.eps)
		}
		if x+2*room+6*c.Unit+c.Wide() > right {
			continue
		}
		// A kernel wider than a line of text is drawn as a bar.
		if radius <= room {
			r := max(radius, 0.75*c.Unit)
			c.Disc(x+r, y, r, t.Target)
			x += 2*r + 6*c.Unit
		} else if w := plot.Round(radius); x+w+6*c.Unit+c.Wide() <= right {
			c.Box(plot.Rect{X: x, Y: y - line/2, W: w, H: line}, 0, t.Target)
			x += w + 6*c.Unit
		}
		c.Write(x, y, glyph.Left, t.Ink)
		return
	}
}

// colors draws the maps' colour scale with its right end at x = right, and returns the x of its
// left end. If the space between x = least and x = right is too small, it omits the word “density”,
// or everything.
func (p *Ruler) colors(c *Canvas, right, y, least float32) float32 {
	m := p.Plane.first
	if m.Scale == nil || right-least < 170*c.Unit {
		return right
	}
	t, low, high, above := &c.Theme, 0.0, m.Scale.top.V, "≥ "
	if m.differs() {
		low, high, above = -m.Scale.difference.V, m.Scale.difference.V, "more "
	}
	x := right
	c.Text = plot.AppendShort(append(c.Text[:0], above...), math.Round(high*100)/100)
	x -= c.Write(x, y, glyph.Right, t.Muted) + 5*c.Unit
	w, h := min(90*c.Unit, 0.2*p.At.W), 10*c.Unit
	r := plot.Rect{X: x - w, Y: y - h/2, W: w, H: h}.Round()
	c.Ramp(r, m.ramp(t))
	c.Border(r)
	x = r.X - 5*c.Unit
	c.Text = c.Text[:0]
	if low < 0 {
		c.Text = append(c.Text, "less "...)
	}
	c.Text = plot.AppendShort(c.Text, math.Round(low*100)/100)
	x -= c.Write(x, y, glyph.Right, t.Muted) + 6*c.Unit
	if w := c.Width("density"); x-w > least+90*c.Unit {
		c.Label("density", x, y, glyph.Right, t.Muted)
		x -= w
	}
	return x - 10*c.Unit
}
