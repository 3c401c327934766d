package panel

import (
	"math"
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Boundary is the Tool that moves the line between the two species in a box. It reads the row
// "boundary" and sends the command "boundary". The row "tool" reports whether the line can be
// moved.
type Boundary struct {
	shared
	box     *Map
	lab     float64 // the lab's boundary; NaN: none
	free    bool    // whether the boundary can be moved
	x       float64 // place to which the user has dragged the boundary
	held    bool
	moved   bool // whether x has not been sent to the lab yet
	waiting int  // number of frames until the lab's value is displayed again
}

// wallStep is the step in which keys and drags move the boundary, in units of x.
const wallStep = 0.5

func (w *Boundary) Read(f *wire.Frame) {
	w.lab, w.free = f.Number("boundary"), Count(f, "tool", 1) == 1
	if w.waiting > 0 && !w.held {
		w.waiting--
		if math.Abs(w.lab-w.x) < 0.5*wallStep {
			w.waiting = 0
		}
	}
}

// at returns the x of the displayed boundary.
func (w *Boundary) at() (x float64, ok bool) {
	if w.held || w.waiting > 0 {
		return w.x, true
	}
	return w.lab, w.lab >= w.box.Plane.window[0] && w.lab <= w.box.Plane.window[1]
}

// near reports whether the pointer drags the boundary, or is near enough to grab it.
func (w *Boundary) near(c *Canvas, v *Map) bool {
	x, ok := w.at()
	if !ok || !c.Pointer.Inside || !w.free || c.Pressed != nil && !w.held {
		return false
	}
	reach := float32(Slop) * c.Unit
	if c.Pointer.Touch {
		reach *= 2.5
	}
	area := v.area.Inset(0, 0, 0, -c.Row()) // the label below the box can be dragged too
	p := &c.Pointer
	return w.held || plot.Abs(p.X-v.x.Pos(x)) <= reach && area.Contains(min(max(p.X, area.X), area.Right()-1), p.Y)
}

// hold moves the boundary to x, but leaves space for both species.
func (w *Boundary) hold(x float64) {
	lo, hi := w.box.Plane.window[0], w.box.Plane.window[1]
	margin := (hi - lo) / 16
	x = math.Round(min(max(x, lo+margin), hi-margin)/wallStep) * wallStep
	if x != x {
		return
	}
	w.moved = w.moved || x != w.x || !w.held
	w.x, w.held = x, true
}

func (w *Boundary) Keeps() bool { return false }

func (w *Boundary) Press(c *Canvas, v *Map) bool {
	if !w.near(c, v) {
		return false
	}
	w.hold(v.x.Value(c.Pointer.X))
	return true
}

func (w *Boundary) Drag(c *Canvas, v *Map) { w.hold(v.x.Value(c.Pointer.X)) }

func (w *Boundary) Release(c *Canvas, _ *Map, _ bool) (keep bool) {
	if w.held {
		w.Flush(c)
		w.held, w.waiting = false, Patience
	}
	return false
}

// Flush implements Tool. It sends at most one boundary per picture.
func (w *Boundary) Flush(c *Canvas) {
	if !w.moved {
		return
	}
	w.moved = false
	if math.Abs(w.x-w.lab) >= 0.5*wallStep || w.waiting > 0 {
		c.Command("boundary", strconv.FormatFloat(w.x, 'g', -1, 64))
		w.waiting = Patience
	}
}

func (w *Boundary) Shape(c *Canvas, v *Map) Shape { return When(w.near(c, v), Slide) }

// Tip implements Tool. Near the boundary its tip replaces all others.
func (w *Boundary) Tip(c *Canvas, v *Map) (t brush.Tip, alone bool) {
	if !w.near(c, v) {
		return t, false
	}
	return w.Reading(c)
}

// Type implements Tool. It uses no key, because the boundary has its own keys (see Key).
func (w *Boundary) Type(*Canvas, *Map, string) bool { return false }

func (w *Boundary) Focus(*Canvas) bool {
	_, ok := w.at()
	return ok
}

// Key implements Keyed. Left and Right move the boundary.
func (w *Boundary) Key(c *Canvas, key string, shift bool) bool {
	dx, _ := Step(key, shift)
	if dx == 0 {
		return false
	}
	x, _ := w.at()
	w.hold(x + wallStep*dx)
	w.Release(c, w.box, false)
	return true
}

// Reading implements Keyed. The tip is only spoken, because the axis already shows the value.
func (w *Boundary) Reading(c *Canvas) (t brush.Tip, ok bool) {
	x, ok := w.at()
	t.Quiet = true
	t.Value("boundary", x, c.Theme.Ink)
	return t, ok
}

// Draw draws the line with its handle and its value.
func (w *Boundary) Draw(c *Canvas, v *Map) {
	at, ok := w.at()
	if !ok {
		return
	}
	t, a := &c.Theme, v.area
	x := plot.Round(v.x.Pos(at))
	active := w.near(c, v) || c.Focus == Keyed(w)
	width := c.Px(2)
	if active {
		width = c.Px(3)
	}
	if v.Plane.frame > 0 && !active {
		// After frame 0 atoms may have crossed the line, so the line is dashed.
		c.Segment(x, a.Y, x, a.Bottom(), plot.Pen{Width: 1.6 * c.Unit, Color: t.Ink, Dash: 5 * c.Unit, Period: 10 * c.Unit})
	} else {
		c.Segment(x, a.Y, x, a.Bottom(), plot.Pen{Width: width + 2*c.Unit, Color: t.Paper})
		c.Segment(x, a.Y, x, a.Bottom(), plot.Pen{Width: width, Color: t.Ink})
	}
	// The handle that the user drags.
	y, wide, high := a.Y+a.H/2, 11*c.Unit, 30*c.Unit
	if active {
		wide, high = 13*c.Unit, 34*c.Unit
	}
	edge := c.Px(1.5)
	r := plot.Rect{X: x - wide/2, Y: y - high/2, W: wide, H: high}.Round()
	c.Box(r.Inset(-edge, -edge, -edge, -edge), wide/2+edge, t.Ink)
	c.Box(r, wide/2, t.Paper)
	for _, d := range [...]float32{-1.5, 1.5} {
		c.Box(plot.Rect{X: plot.Round(x + d*c.Unit - 0.5*c.Unit), Y: plot.Round(y - 5*c.Unit), W: c.Px(1), H: plot.Round(10 * c.Unit)}, 0, t.Ink)
	}
	// The boundary's value, below the axis.
	c.Text = plot.AppendShort(append(c.Text[:0], "x = "...), at)
	half := c.Wide()/2 + 3*c.Unit
	c.Write(min(max(x, a.X+half), a.Right()-half), a.Bottom()+0.62*c.Row(), glyph.Center, t.Ink)
}
