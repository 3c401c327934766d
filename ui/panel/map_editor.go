package panel

import (
	"math"
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/plot"
)

// Values of the row "tool": what the pointer does to the particles of a plane.
const (
	look = iota
	move
	add
	remove
	draw
)

// doings describes the tools.
var doings = [...]string{move: "drag a particle", add: "press to add a particle", remove: "press to remove a particle", draw: "draw a starting set"}

// Editor is the Tool that moves, adds, removes and draws particles. The row "tool" selects one
// of these actions. Editor sends the commands "drag", "add", "remove" and "draw".
type Editor struct {
	shared
	Moves   string // description of the tool that moves particles; "": the default
	tool    int
	note    bool      // whether another text takes the place of the tool's description
	active  bool      // whether the tool uses the current press
	on      *Map      // the map that is pressed
	grabbed int       // index of the grabbed particle; -1: none
	moved   bool      // whether the particle has a new place that the lab does not know yet
	held    bool      // whether the keys have grabbed a particle, which then moves with the crosshair
	stroke  []float32 // (K, 2): the stroke that is being drawn
}

// mostStroke is the largest number of points in a stroke.
const mostStroke = 400

func (e *Editor) Read(f *wire.Frame) {
	e.tool, e.note = Count(f, "tool", look), len(f.Text("note")) > 0
	if e.tool >= len(doings) {
		e.tool = look
	}
}

// Keeps reports whether the tool responds to drags of a finger in all directions. If it is
// false, vertical drags scroll the page.
func (e *Editor) Keeps() bool { return e.tool == move || e.tool == draw }

// Tip implements Tool. While the tool is used there are no tips.
func (e *Editor) Tip(*Canvas, *Map) (t brush.Tip, alone bool) { return t, e.active }

func (e *Editor) Press(c *Canvas, v *Map) bool {
	if e.tool == look || !c.Over(v.area) {
		return false
	}
	e.active, e.on, e.grabbed, e.moved, e.stroke = true, v, -1, false, e.stroke[:0]
	switch e.tool {
	case move:
		x, y := v.at(c.Pointer.X, c.Pointer.Y)
		if i, near := v.Plane.near(c, v, x, y); near {
			e.grabbed = i
		}
	case draw:
		e.extend(c)
	}
	return true
}

func (e *Editor) Drag(c *Canvas, _ *Map) {
	if e.grabbed >= 0 {
		e.moved = true
	} else if e.tool == draw {
		e.extend(c)
	}
}

// extend adds the pointer's place to the stroke, unless it is too near the last point.
func (e *Editor) extend(c *Canvas) {
	if n := len(e.stroke); n >= 2 {
		p := e.on.point(e.stroke[n-2], e.stroke[n-1])
		if math.Hypot(float64(p.X-c.Pointer.X), float64(p.Y-c.Pointer.Y)) < 3*float64(c.Unit) || n >= 2*mostStroke {
			return
		}
	}
	x, y := e.on.at(c.Pointer.X, c.Pointer.Y)
	e.stroke = append(e.stroke, float32(x), float32(y))
}

func (e *Editor) Release(c *Canvas, v *Map, dropped bool) (keep bool) {
	e.active = false
	if dropped {
		e.grabbed, e.moved = -1, false
		return false
	}
	e.Flush(c)
	x, y := v.at(c.Pointer.X, c.Pointer.Y)
	switch {
	case e.tool == add && !c.wandered():
		c.Send("add", x, y)
	case e.tool == remove && !c.wandered():
		e.remove(c, v.Plane, x, y)
	case e.tool == draw && len(e.stroke) > 0:
		var text []byte
		for i, u := range e.stroke {
			if i > 0 {
				text = append(text, ' ')
			}
			text = strconv.AppendFloat(text, float64(u), 'g', -1, 32)
		}
		c.Command("draw", string(text))
	}
	e.grabbed = -1
	return false
}

func (e *Editor) remove(c *Canvas, p *Plane, x, y float64) {
	if p.count() > 0 {
		c.Send("remove", x, y)
	}
}

// Flush implements Tool. It sends at most one drag per picture.
func (e *Editor) Flush(c *Canvas) {
	if e.moved && e.grabbed >= 0 {
		x, y := e.on.at(c.Pointer.X, c.Pointer.Y)
		c.Send("drag", float64(e.grabbed), x, y)
	}
	e.moved = false
}

func (e *Editor) Shape(c *Canvas, v *Map) Shape {
	if !c.Over(v.area) {
		return Arrow
	}
	x, y := v.at(c.Pointer.X, c.Pointer.Y)
	_, near := e.means(c, v, x, y)
	return When(e.tool == add || near && (e.tool == move || e.tool == remove), Hand)
}

// `means` returns the index of the grabbed particle. Without a grabbed particle, it returns the
// index of a particle near the place.
func (e *Editor) means(c *Canvas, v *Map, x, y float64) (index int, ok bool) {
	if e.active && e.grabbed >= 0 && e.grabbed < v.Plane.count() {
		return e.grabbed, true
	}
	return v.Plane.near(c, v, x, y)
}

// Type implements Tool. Enter uses the tool, Delete removes the nearest particle. An empty
// key means that the crosshair has moved.
func (e *Editor) Type(c *Canvas, v *Map, key string) bool {
	p := v.Plane
	x, y := p.cursor[0], p.cursor[1]
	switch {
	case key == "":
		if e.held && e.tool == move && e.grabbed < p.count() {
			c.Send("drag", float64(e.grabbed), x, y)
		}
	case key == "Delete" || key == "Backspace" || key == "Enter" && e.tool == remove:
		e.remove(c, p, x, y)
	case key != "Enter":
		e.held = e.held && key != "Escape"
		return false
	case e.tool == add || e.tool == draw:
		c.Send("add", x, y)
	case e.tool == move:
		e.grabbed, _ = nearest(p.x, x, y)
		e.held = !e.held && e.grabbed >= 0
	}
	return true
}

func (e *Editor) Draw(c *Canvas, v *Map) {
	p, t := v.Plane, &c.Theme
	if v == p.first && !e.note && e.tool != look {
		c.Text = append(c.Text[:0], doings[e.tool]...)
		if e.tool == move && e.Moves != "" {
			c.Text = append(c.Text[:0], e.Moves...)
		}
		c.Badge(v.area)
	}
	if n := len(e.stroke); n >= 2 && e.active && e.on == v {
		c.Points = c.Points[:0]
		for i := 0; i < n; i += 2 {
			c.Points = append(c.Points, v.point(e.stroke[i], e.stroke[i+1]))
		}
		c.Line(c.Points, plot.Pen{Width: 3 * c.Unit, Color: t.Target})
		if n == 2 {
			c.Disc(c.Points[0].X, c.Points[0].Y, 2*c.Unit, t.Target)
		}
	}
	if p.on == nil {
		return
	}
	q := v.point(float32(p.px), float32(p.py))
	if !q.Finite() || !v.area.Contains(q.X, q.Y) {
		return
	}
	r := v.radius(c, p.count())
	if i, near := e.means(c, p.on, p.px, p.py); near && e.tool != add && e.tool != draw {
		if !(e.active && e.grabbed == i) {
			q = v.point(p.x[2*i], p.x[2*i+1])
		}
		ink := t.Ink
		if e.tool == remove {
			ink = t.Learned
		}
		c.Ring(q.X, q.Y, r+5*c.Unit, ink)
	} else if e.tool == add && p.on == v {
		c.Disc(q.X, q.Y, r, t.Target)
	}
}
