package panel

import (
	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/plot"
)

// rug is a press on the particles of a Density1D, which are ticks under its axis.
type rug struct {
	axes      *axes
	densities *densities

	active  bool
	grabbed bool // it began on a particle, whose position is value
	dragged bool
	value   float32
}

// band is where the particles' ticks are drawn.
func (r *rug) band(c *Canvas) plot.Rect {
	return plot.Rect{X: r.axes.area.X, Y: r.axes.area.Bottom(), W: r.axes.area.W, H: c.Px(rugHeight)}
}

// reach is where a click means a particle: the band, the labels under it, and a
// little of what is above, 44 CSS pixels in all.
func (r *rug) reach(c *Canvas) plot.Rect {
	return r.band(c).Inset(-6*c.Unit, -8*c.Unit, -6*c.Unit, -18*c.Unit)
}

// particle returns the particle that a click at the pixel x means.
func (r *rug) particle(c *Canvas, x float32) (value float32, ok bool) {
	reach := slop * c.Unit
	if c.Pointer.Touch {
		reach *= 1.5
	}
	i, _ := plot.Nearest(r.densities.points, r.axes.x.Value(x))
	if i < 0 || plot.Abs(r.axes.x.Pos(float64(r.densities.points[i]))-x) > reach {
		return 0, false
	}
	return r.densities.points[i], true
}

// inside returns the position at a pixel, the nearest one within the window.
func (r *rug) inside(x float32) float64 {
	return min(max(r.axes.x.Value(x), r.densities.lo), r.densities.hi)
}

func (r *rug) Press(c *Canvas) bool {
	if !r.densities.any || !c.over(r.reach(c)) {
		return false
	}
	r.active, r.dragged = true, false
	r.value, r.grabbed = r.particle(c, c.Pointer.X)
	return true
}

func (r *rug) Drag(c *Canvas) {
	if plot.Abs(c.Pointer.X-c.Pointer.FromX) > slop*c.Unit {
		r.dragged = true
	}
}

// Release implements Pressed: it asks for what the press means.
func (r *rug) Release(c *Canvas, dropped bool) (keep bool) {
	if r.active = false; dropped {
		return false
	}
	if r.grabbed {
		c.Command(wire.Remove, position(float64(r.value)))
	}
	if r.grabbed == r.dragged {
		c.Command(wire.Add, position(r.inside(c.Pointer.X)))
	}
	return false
}

func (p *Density1D) Shape(c *Canvas) Shape {
	switch {
	case !p.any:
		return Arrow
	case p.rug.active && p.rug.grabbed:
		return Slide
	case c.over(p.reach(c)):
		if _, ok := p.particle(c, c.Pointer.X); ok {
			return Slide
		}
		return Hand
	case c.over(p.area):
		return Cross
	}
	return Arrow
}

// reads returns the position that the crosshair is at.
func (p *Density1D) reads(c *Canvas) (x float64, ok bool) {
	switch {
	case c.Focus == Keyed(p):
		return p.cursor, true
	case !p.rug.active && c.over(p.area) && !c.over(p.reach(c)):
		return p.x.Value(c.Pointer.X), true
	}
	return 0, false
}

// crosshair marks the position being read.
func (p *Density1D) crosshair(c *Canvas) {
	x, ok := p.reads(c)
	if !ok {
		return
	}
	t, px := &c.Theme, plot.Round(p.x.Pos(x))
	c.Box(plot.Rect{X: px, Y: p.area.Y, W: c.Px(1), H: p.area.H + p.band(c).H}, 0, t.Faint)
	for _, v := range [...]struct {
		value float64
		ink   plot.Color
	}{{plot.Sample(p.mixture, p.lo, p.hi, x), t.Mixture}, {p.exact(x), t.Target}, {plot.Sample(p.compared, p.lo, p.hi, x), t.Other}, {plot.Sample(p.learned, p.lo, p.hi, x), t.Learned}} {
		if v.value-v.value == 0 {
			c.Dot(plot.Point{X: px, Y: max(p.area.Y, p.y.Pos(v.value))}, v.ink)
		}
	}
}

// drawPress marks what a click on the particles would do.
func (r *rug) drawPress(c *Canvas) {
	band := r.band(c)
	if !r.densities.any || !r.active && !c.over(r.reach(c)) {
		return
	}
	t, w := &c.Theme, c.Px(3)
	mark := func(x float32, ink plot.Color) {
		c.Box(plot.Rect{X: plot.Round(x) - w/2, Y: band.Y - c.Px(4), W: w, H: band.H + c.Px(6)}, w/2, ink)
	}
	value, near := r.particle(c, c.Pointer.X)
	switch at := min(max(c.Pointer.X, band.X), band.Right()); {
	case r.active && r.grabbed && r.dragged:
		mark(r.axes.x.Pos(float64(r.value)), t.Faint)
		mark(at, t.Target)
	case r.active && r.grabbed:
		mark(r.axes.x.Pos(float64(r.value)), t.Learned)
	case near:
		mark(r.axes.x.Pos(float64(value)), t.Learned)
	case !r.active || !r.dragged:
		mark(at, t.Target.Mix(t.Paper, 0.4))
	}
}

func (p *Density1D) Probe(c *Canvas, x, y float32) (t brush.Tip, ok bool) {
	r := &p.rug
	switch {
	case !p.any && !p.area.Contains(x, y):
		return t, false
	case !r.active && !(p.any && p.reach(c).Contains(x, y)):
		if !p.area.Contains(x, y) {
			return t, false
		}
		return p.tell(c, p.x.Value(x), y), true
	}
	t.X, t.Y = x, p.area.Bottom()-1.6*c.Row()
	value, near := p.particle(c, x)
	switch {
	case r.active && r.grabbed && r.dragged:
		t.Add("move to", p.inside(x), c.Theme.Target)
	case r.active && r.grabbed:
		t.Add("remove", float64(r.value), c.Theme.Learned)
	case near:
		t.Add("remove", float64(value), c.Theme.Learned)
	case !r.active || !r.dragged:
		t.Add("add at", p.inside(x), c.Theme.Target)
	}
	return t, t.Any()
}

// tell returns the densities at a position.
func (p *Density1D) tell(c *Canvas, x float64, y float32) (t brush.Tip) {
	t.X, t.Y = p.x.Pos(x), y
	t.Add("x", x, c.Theme.Muted)
	t.Add("q_X", p.exact(x), c.Theme.Target)
	t.Add("p_θ", plot.Sample(p.learned, p.lo, p.hi, x), c.Theme.Learned)
	if len(p.compared) > 0 {
		t.Add("p_θ of model 2", plot.Sample(p.compared, p.lo, p.hi, x), c.Theme.Other)
	}
	if len(p.mixture) > 0 {
		t.Add("mixture", plot.Sample(p.mixture, p.lo, p.hi, x), c.Theme.Mixture)
	}
	return t
}

// Focus implements Keyed: the crosshair begins in the middle.
func (p *Density1D) Focus(*Canvas) bool {
	p.cursor = (p.lo + p.hi) / 2
	return p.any
}

// Key implements Keyed: the arrows, Home and End move the crosshair, Enter adds a
// particle there, Delete removes the nearest one.
func (p *Density1D) Key(c *Canvas, key string, shift bool) bool {
	switch key {
	case "ArrowLeft", "ArrowRight":
		p.cursor += (p.hi - p.lo) / 200 * float64(arrows(key, shift))
	case "Home":
		p.cursor = p.lo
	case "End":
		p.cursor = p.hi
	case "Enter":
		c.Command(wire.Add, position(p.cursor))
	case "Delete", "Backspace":
		i, _ := plot.Nearest(p.points, p.cursor)
		if i < 0 {
			return false
		}
		c.Command(wire.Remove, position(float64(p.points[i])))
	default:
		return false
	}
	p.cursor = min(max(p.cursor, p.lo), p.hi)
	return true
}

func (p *Density1D) Reading(c *Canvas) (brush.Tip, bool) {
	return p.tell(c, p.cursor, p.area.Y+0.3*p.area.H), p.any
}
