package chart

import (
	"cmp"
	"slices"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// rug lets the user edit the particles of a Density (row "x"). They are ticks below the axis.
// A press adds, moves or removes a particle.
type rug struct {
	pressed bool
	grabbed bool // whether the press began on a particle; its position is in `value`
	dragged bool
	value   float32
	cursor  float64 // position chosen by the keys
}

// band returns the area of the ticks.
func (s *Chart) band(c *panel.Canvas) plot.Rect {
	return plot.Rect{X: s.area.X, Y: s.area.Bottom(), W: s.area.W, H: c.Px(rugHeight)}
}

// strip returns the area in which a click edits particles: the ticks, the labels below them
// and some space above. The area is 44 CSS pixels high. It is empty for a run, which cannot be edited.
func (p *Density) strip(c *panel.Canvas, s *Chart) plot.Rect {
	if p.axis != nil {
		return plot.Rect{}
	}
	return s.band(c).Inset(-6*c.Unit, -8*c.Unit, -6*c.Unit, -18*c.Unit)
}

// particle returns the particle at a click's x; ok is false if there is none.
func (p *Density) particle(c *panel.Canvas, s *Chart, x float32) (value float32, ok bool) {
	reach := panel.Slop * c.Unit
	if c.Pointer.Touch {
		reach *= 1.5
	}
	i := plot.Nearest(p.points, s.x.Value(x))
	if i < 0 || plot.Abs(s.x.Pos(float64(p.points[i]))-x) > reach {
		return 0, false
	}
	return p.points[i], true
}

// inside returns the position at a pixel, limited to the window.
func (p *Density) inside(s *Chart, x float32) float64 { return min(max(s.x.Value(x), p.lo), p.hi) }

// The effects of a press on the particles.
const (
	moves   = "move to"
	removes = "remove"
	adds    = "add at"
)

// deed returns the effect of a press that ends at x, and the position of this effect. The
// effect of a swipe is "".
func (p *Density) deed(c *panel.Canvas, s *Chart, x float32) (does string, at float64) {
	value, near := p.particle(c, s, x)
	switch {
	case p.pressed && p.grabbed && p.dragged:
		return moves, p.inside(s, x)
	case p.pressed && p.grabbed:
		return removes, float64(p.value)
	case near:
		return removes, float64(value)
	case !p.pressed || !p.dragged:
		return adds, p.inside(s, x)
	}
	return "", 0
}

func (p *Density) press(c *panel.Canvas, s *Chart) {
	p.pressed, p.dragged = true, false
	p.value, p.grabbed = p.particle(c, s, c.Pointer.X)
}

func (p *Density) drag(c *panel.Canvas, _ *Chart) {
	if plot.Abs(c.Pointer.X-c.Pointer.FromX) > panel.Slop*c.Unit {
		p.dragged = true
	}
}

// release sends the command for the press.
func (p *Density) release(c *panel.Canvas, s *Chart, dropped bool) {
	if p.pressed = false; dropped {
		return
	}
	if p.grabbed {
		c.Send(wire.Remove, float64(p.value))
	}
	if p.grabbed == p.dragged {
		c.Send(wire.Add, p.inside(s, c.Pointer.X))
	}
}

func (p *Density) grips(c *panel.Canvas, s *Chart) panel.Shape {
	switch {
	case !p.known:
		return panel.Arrow
	case p.pressed && p.grabbed:
		return panel.Slide
	case c.Over(p.strip(c, s)):
		if does, _ := p.deed(c, s, c.Pointer.X); does == removes {
			return panel.Slide
		}
		return panel.Hand
	}
	return panel.When(c.Over(s.area), panel.Cross)
}

// crosshair marks the position being read.
func (p *Density) crosshair(c *panel.Canvas, s *Chart) {
	var x float64
	switch {
	case c.Focus == panel.Keyed(s):
		x = p.cursor
	case !p.pressed && c.Over(s.area) && !c.Over(p.strip(c, s)):
		x = s.x.Value(c.Pointer.X)
	default:
		return
	}
	px := plot.Round(s.x.Pos(x))
	c.Box(plot.Rect{X: px, Y: s.area.Y, W: c.Px(1), H: s.area.H + s.band(c).H}, 0, c.Theme.Faint)
	for _, i := range painted {
		if v := p.density(i, x); v-v == 0 {
			c.Dot(plot.Point{X: px, Y: max(s.area.Y, s.y.Pos(v))}, fixed[i].ink(&c.Theme))
		}
	}
}

// drawPress shows the effect that the press will have.
func (p *Density) drawPress(c *panel.Canvas, s *Chart) {
	band := s.band(c)
	if !p.known || !p.pressed && !c.Over(p.strip(c, s)) {
		return
	}
	t, w := &c.Theme, c.Px(3)
	mark := func(x float32, ink plot.Color) {
		c.Box(plot.Rect{X: plot.Round(x) - w/2, Y: band.Y - c.Px(4), W: w, H: band.H + c.Px(6)}, w/2, ink)
	}
	pointer := min(max(c.Pointer.X, band.X), band.Right())
	switch does, at := p.deed(c, s, c.Pointer.X); does {
	case moves:
		mark(s.x.Pos(float64(p.value)), t.Faint)
		mark(pointer, t.Target)
	case removes:
		mark(s.x.Pos(at), t.Learned)
	case adds:
		mark(pointer, t.Target.Mix(t.Paper, 0.4))
	}
}

// reach is the plot with the particles below it. During a press, and for the keys, it is everything.
func (p *Density) reach(c *panel.Canvas, s *Chart) plot.Rect {
	if strip := p.strip(c, s); p.pressed || c.Focus == panel.Keyed(s) {
		return plot.Rect{W: c.W * c.Unit, H: c.H * c.Unit}
	} else if strip.Contains(c.Pointer.X, c.Pointer.Y) {
		return strip
	}
	return s.area
}

// tell adds the effect of a press or, elsewhere, the densities at a position.
func (p *Density) tell(c *panel.Canvas, s *Chart, t *brush.Tip, _ int, x, y float32) {
	t.X = x
	at := s.x.Value(x)
	if c.Focus == panel.Keyed(s) {
		at = p.cursor
	} else if p.pressed || p.known && p.strip(c, s).Contains(x, y) {
		t.Y = s.area.Bottom() - 1.6*c.Row()
		switch does, at := p.deed(c, s, x); does {
		case removes:
			t.Add(does, at, c.Theme.Learned)
		case moves, adds:
			t.Add(does, at, c.Theme.Target)
		}
		return
	}
	t.Add(cmp.Or(string(p.axis), "x"), at, c.Theme.Muted)
	for _, i := range listed {
		if p.shows(i) {
			t.Add(fixed[i].tip, p.density(i, at), fixed[i].ink(&c.Theme))
		}
	}
}

// typed handles a key. The arrows, Home and End move the crosshair. At the crosshair Enter
// adds a particle, and Delete removes the nearest particle.
func (p *Density) typed(c *panel.Canvas, _ *Chart, key string, shift bool) bool {
	if p.axis != nil && slices.Contains([]string{"Enter", "Delete", "Backspace"}, key) {
		return false
	}
	switch key {
	case "ArrowLeft", "ArrowRight":
		dx, _ := panel.Step(key, shift)
		p.cursor += (p.hi - p.lo) / 200 * dx
	case "Home":
		p.cursor = p.lo
	case "End":
		p.cursor = p.hi
	case "Enter":
		c.Send(wire.Add, p.cursor)
	case "Delete", "Backspace":
		i := plot.Nearest(p.points, p.cursor)
		if i < 0 {
			return false
		}
		c.Send(wire.Remove, float64(p.points[i]))
	default:
		return false
	}
	p.cursor = min(max(p.cursor, p.lo), p.hi)
	return true
}

func (p *Density) spot(s *Chart) (plot.Point, bool) {
	return plot.Point{X: s.x.Pos(p.cursor), Y: s.area.Y + 0.3*s.area.H}, p.known
}
