package chart

import (
	"cmp"
	"slices"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// rug lets the user edit the particles of a Density1D (row "x"). They are ticks below the axis.
// A press adds, moves or removes a particle.
type rug struct {
	pressed bool
	grabbed bool // whether the press began on a particle; its position is in `value`
	dragged bool
	value   float32
	cursor  float64 // position chosen by the keys
}

// band returns the area of the ticks.
func (p *Density1D) band(c *panel.Canvas) plot.Rect {
	return plot.Rect{X: p.area.X, Y: p.area.Bottom(), W: p.area.W, H: c.Px(rugHeight)}
}

// reach returns the area in which a click edits particles: the ticks, the labels below them
// and some space above. The area is 44 CSS pixels high. It is empty for a run, which cannot be edited.
func (p *Density1D) reach(c *panel.Canvas) plot.Rect {
	if p.axis != nil {
		return plot.Rect{}
	}
	return p.band(c).Inset(-6*c.Unit, -8*c.Unit, -6*c.Unit, -18*c.Unit)
}

// particle returns the particle at a click's x; ok is false if there is none.
func (p *Density1D) particle(c *panel.Canvas, x float32) (value float32, ok bool) {
	reach := panel.Slop * c.Unit
	if c.Pointer.Touch {
		reach *= 1.5
	}
	i := plot.Nearest(p.points, p.x.Value(x))
	if i < 0 || plot.Abs(p.x.Pos(float64(p.points[i]))-x) > reach {
		return 0, false
	}
	return p.points[i], true
}

// inside returns the position at a pixel, limited to the window.
func (p *Density1D) inside(x float32) float64 { return min(max(p.x.Value(x), p.lo), p.hi) }

// The effects of a press on the particles.
const (
	moves   = "move to"
	removes = "remove"
	adds    = "add at"
)

// deed returns the effect of a press that ends at x, and the position of this effect. The
// effect of a swipe is "".
func (p *Density1D) deed(c *panel.Canvas, x float32) (does string, at float64) {
	value, near := p.particle(c, x)
	switch {
	case p.pressed && p.grabbed && p.dragged:
		return moves, p.inside(x)
	case p.pressed && p.grabbed:
		return removes, float64(p.value)
	case near:
		return removes, float64(value)
	case !p.pressed || !p.dragged:
		return adds, p.inside(x)
	}
	return "", 0
}

func (p *Density1D) Press(c *panel.Canvas) bool {
	if !p.any || !c.Over(p.reach(c)) {
		return false
	}
	p.pressed, p.dragged = true, false
	p.value, p.grabbed = p.particle(c, c.Pointer.X)
	return true
}

func (p *Density1D) Drag(c *panel.Canvas) {
	if plot.Abs(c.Pointer.X-c.Pointer.FromX) > panel.Slop*c.Unit {
		p.dragged = true
	}
}

// Release implements Panel. It sends the command for the press.
func (p *Density1D) Release(c *panel.Canvas, dropped bool) (keep bool) {
	if p.pressed = false; dropped {
		return false
	}
	if p.grabbed {
		c.Command(wire.Remove, panel.Position(float64(p.value)))
	}
	if p.grabbed == p.dragged {
		c.Command(wire.Add, panel.Position(p.inside(c.Pointer.X)))
	}
	return false
}

func (p *Density1D) Shape(c *panel.Canvas) panel.Shape {
	switch {
	case !p.any:
		return panel.Arrow
	case p.pressed && p.grabbed:
		return panel.Slide
	case c.Over(p.reach(c)):
		if does, _ := p.deed(c, c.Pointer.X); does == removes {
			return panel.Slide
		}
		return panel.Hand
	}
	return panel.When(c.Over(p.area), panel.Cross)
}

// crosshair marks the position being read.
func (p *Density1D) crosshair(c *panel.Canvas) {
	var x float64
	switch {
	case c.Focus == panel.Keyed(p):
		x = p.cursor
	case !p.pressed && c.Over(p.area) && !c.Over(p.reach(c)):
		x = p.x.Value(c.Pointer.X)
	default:
		return
	}
	px := plot.Round(p.x.Pos(x))
	c.Box(plot.Rect{X: px, Y: p.area.Y, W: c.Px(1), H: p.area.H + p.band(c).H}, 0, c.Theme.Faint)
	for _, i := range painted {
		if v := p.density(i, x); v-v == 0 {
			c.Dot(plot.Point{X: px, Y: max(p.area.Y, p.y.Pos(v))}, fixed[i].ink(&c.Theme))
		}
	}
}

// drawPress shows the effect that the press will have.
func (p *Density1D) drawPress(c *panel.Canvas) {
	band := p.band(c)
	if !p.any || !p.pressed && !c.Over(p.reach(c)) {
		return
	}
	t, w := &c.Theme, c.Px(3)
	mark := func(x float32, ink plot.Color) {
		c.Box(plot.Rect{X: plot.Round(x) - w/2, Y: band.Y - c.Px(4), W: w, H: band.H + c.Px(6)}, w/2, ink)
	}
	pointer := min(max(c.Pointer.X, band.X), band.Right())
	switch does, at := p.deed(c, c.Pointer.X); does {
	case moves:
		mark(p.x.Pos(float64(p.value)), t.Faint)
		mark(pointer, t.Target)
	case removes:
		mark(p.x.Pos(at), t.Learned)
	case adds:
		mark(pointer, t.Target.Mix(t.Paper, 0.4))
	}
}

func (p *Density1D) Probe(c *panel.Canvas, x, y float32) (t brush.Tip, ok bool) {
	if !p.pressed && !(p.any && p.reach(c).Contains(x, y)) {
		return p.tell(c, p.x.Value(x), y), p.area.Contains(x, y)
	}
	t.X, t.Y = x, p.area.Bottom()-1.6*c.Row()
	switch does, at := p.deed(c, x); does {
	case removes:
		t.Add(does, at, c.Theme.Learned)
	case moves, adds:
		t.Add(does, at, c.Theme.Target)
	}
	return t, t.Any()
}

// tell returns a tip with the densities at a position.
func (p *Density1D) tell(c *panel.Canvas, x float64, y float32) (t brush.Tip) {
	t.X, t.Y = p.x.Pos(x), y
	t.Add(cmp.Or(string(p.axis), "x"), x, c.Theme.Muted)
	for _, i := range listed {
		if p.shows(i) {
			t.Add(fixed[i].tip, p.density(i, x), fixed[i].ink(&c.Theme))
		}
	}
	return t
}

// Focus implements Keyed. The crosshair begins in the middle.
func (p *Density1D) Focus(*panel.Canvas) bool {
	p.cursor = (p.lo + p.hi) / 2
	return p.any
}

// Key implements Keyed. The arrows, Home and End move the crosshair. At the crosshair Enter
// adds a particle, and Delete removes the nearest particle.
func (p *Density1D) Key(c *panel.Canvas, key string, shift bool) bool {
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
		c.Command(wire.Add, panel.Position(p.cursor))
	case "Delete", "Backspace":
		i := plot.Nearest(p.points, p.cursor)
		if i < 0 {
			return false
		}
		c.Command(wire.Remove, panel.Position(float64(p.points[i])))
	default:
		return false
	}
	p.cursor = min(max(p.cursor, p.lo), p.hi)
	return true
}

func (p *Density1D) Reading(c *panel.Canvas) (brush.Tip, bool) {
	return p.tell(c, p.cursor, p.area.Y+0.3*p.area.H), p.any
}
