package chart

import (
	"math"
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Clock is the time axis that plots share. It reads the rows "now", "known" and "horizon", which
// count frames. The row "dt" is the time between two frames. The row "logtime" says whether the
// axis is logarithmic. The rows "left" and "leftwhat" say at which frame, and in which variable,
// the prediction leaves the training range. Plots and keys request frames from the Clock.
type Clock struct {
	now, known, horizon int
	dt                  float64 // time between two frames; 1 if the row is missing
	log                 bool
	left                int // frame at which the prediction leaves the training range; -1: never
	leftWhat, leftSign  []byte

	hover          int // frame whose values are displayed; -1: none
	seek           int // frame to request; -1: none
	asked, waiting int // asked: requested frame that has not arrived, -1 if none; waiting: number of frames received since the request
}

// NewClock returns a Clock at 0.
func NewClock() *Clock { return &Clock{dt: 1, horizon: 1, left: -1, hover: -1, seek: -1, asked: -1} }

// Read reads the clock's rows.
func (k *Clock) Read(f *wire.Frame) {
	k.known = panel.Count(f, "known", 0)
	k.horizon = max(1, k.known, panel.Count(f, "horizon", 1))
	k.now = min(panel.Count(f, "now", 0), k.horizon)
	if k.dt = panel.Interval(f); k.dt != k.dt {
		k.dt = 1
	}
	k.log = panel.Count(f, "logtime", 0) > 0
	k.left, k.leftWhat, k.leftSign = panel.Count(f, "left", -1), f.Text("leftwhat"), f.Text("leftsign")
	if k.left > k.horizon || !panel.Revealed(f, panel.Prediction) {
		k.left = -1
	}
	if k.waiting++; k.now == k.asked || k.waiting > panel.Patience {
		k.asked = -1
	}
}

// Horizon returns the last frame.
func (k *Clock) Horizon() int { return k.horizon }

// time returns the time of a frame.
func (k *Clock) time(frame int) float64 { return float64(frame) * k.dt }

// Flush requests the frame that was sought last, once per picture.
func (k *Clock) Flush(c *panel.Canvas) {
	if k.seek < 0 {
		return
	}
	if k.seek != k.asked {
		c.Command("seek", strconv.Itoa(k.seek))
	}
	k.asked, k.waiting, k.seek = k.seek, 0, -1
}

// Key handles a key. Left and Right go back and forward by one frame, with shift by ten; Home goes
// to the first frame, End to the last known frame.
func (k *Clock) Key(key string, shift bool) bool {
	from := k.now
	if k.asked >= 0 {
		from = k.asked
	}
	switch key {
	case "ArrowLeft", "ArrowRight":
		dx, _ := panel.Step(key, shift)
		k.seek = min(max(from+int(dx), 0), k.horizon)
	case "Home":
		k.seek = 0
	case "End":
		k.seek = k.known
	default:
		return false
	}
	return true
}

// Ease does nothing: a Clock jumps.
func (k *Clock) Ease(float64, float64) (moving bool) { return false }

// Look stores the frame whose values the user reads in one of the plots: the frame at the pointer
// or, if a plot has the keyboard focus, the displayed frame.
func (k *Clock) Look(c *panel.Canvas, panels []panel.Panel) {
	k.hover = -1
	if _, ok := c.Focus.(timely); ok {
		k.hover = k.now
	}
	for _, p := range panels {
		if t, ok := p.(timely); ok && c.Over(t.reach(c)) && (c.Pressed == nil || c.Pressed == p) {
			k.hover = t.frameAt(c.Pointer.X)
		}
	}
}

// timely is a panel with time along its x axis.
type timely interface {
	reach(c *panel.Canvas) plot.Rect
	frameAt(x float32) int
}

// timed is a plot against the clock's time. A press requests the frame at the pointer.
type timed struct {
	axes
	clock *Clock
	held  bool // whether the plot is pressed
}

func (t *timed) Place(c *panel.Canvas, r plot.Rect) {
	t.axes.Place(c, r)
	t.span()
}

// nearby is a share of the horizon. Up to this share a logarithmic time axis is nearly linear.
// With this value, the first tenth of the horizon takes two fifths of the axis.
const nearby = 1.0 / 30

// span sets the range of the x axis to the clock's range.
func (t *timed) span() {
	t.x.Hi, t.x.Near = t.clock.time(t.clock.horizon), 0
	if t.clock.log {
		t.x.Near = nearby * t.x.Hi
	}
}

// reach returns the area in which the pointer reads the plot: the plot with its axis.
func (t *timed) reach(c *panel.Canvas) plot.Rect {
	if t.At.H <= 0 {
		return plot.Rect{}
	}
	return t.area.Inset(-6*c.Unit, 0, -6*c.Unit, -c.Row())
}

// frameAt returns the frame nearest to a pixel's x.
func (t *timed) frameAt(x float32) int {
	v := math.Round(t.x.Value(x) / t.clock.dt)
	if v != v {
		return 0
	}
	return int(min(max(v, 0), float64(t.clock.horizon)))
}

func (t *timed) Press(c *panel.Canvas) bool {
	if !c.Over(t.reach(c)) {
		return false
	}
	t.held = true
	t.Drag(c)
	return true
}

func (t *timed) Drag(c *panel.Canvas) { t.clock.seek = t.frameAt(c.Pointer.X) }

// Release implements Panel. The values of the requested frame stay visible, unless the browser has
// taken the pointer away.
func (t *timed) Release(_ *panel.Canvas, dropped bool) (keep bool) {
	t.held = false
	return !dropped
}

func (t *timed) Shape(c *panel.Canvas) panel.Shape {
	return panel.When(t.held || c.Over(t.reach(c)), panel.Slide)
}

func (t *timed) Focus(*panel.Canvas) bool { return t.At.H > 0 }

// Key implements Keyed. It uses no key, because the clock handles the arrows.
func (t *timed) Key(*panel.Canvas, string, bool) bool { return false }

// grid draws the axes. It marks the displayed frame and the frame being read. If the prediction
// leaves the training range, grid shades the rest of the time axis.
func (t *timed) grid(c *panel.Canvas, rows int) {
	k := t.clock
	if k.left >= 0 {
		x := plot.Round(t.x.Pos(k.time(k.left)))
		c.Box(plot.Rect{X: x, Y: t.area.Y, W: t.area.Right() - x, H: t.area.H}, 0, c.Theme.Faint.Fade(0.22))
	}
	t.yTicks(c, rows)
	t.xTicks(c, 5, t.area.Bottom(), t.xTitle(c, "time"), true)
	t.baseline(c, t.area.Bottom())
	t.rule(c, k.time(k.now), c.Theme.Muted)
	if k.hover >= 0 {
		t.rule(c, k.time(k.hover), c.Theme.Faint)
	}
}

// The method `leaves` draws a dotted line at the frame in which the prediction leaves the training
// range.
func (t *timed) leaves(c *panel.Canvas) (x float32, ok bool) {
	if t.clock.left < 0 {
		return 0, false
	}
	x = plot.Round(t.x.Pos(t.clock.time(t.clock.left)))
	c.Segment(x, t.area.Y, x, t.area.Bottom(), plot.Pen{Width: 1.5 * c.Unit, Color: c.Theme.Ink, Period: 5 * c.Unit})
	return x, true
}

// stride returns the number of frames from one drawn point to the next, so that the distance
// between points is about `apart` CSS pixels. On a logarithmic axis, every frame is drawn.
func (t *timed) stride(c *panel.Canvas, apart float32) int {
	if t.clock.log {
		return 1
	}
	return max(1, int(float32(t.clock.horizon)*apart*c.Unit/t.area.W+0.5))
}

// The method `tip` returns a tip that contains only the time of the frame at (x, y). ok is false if
// (x, y) is outside the plot.
func (t *timed) tip(c *panel.Canvas, x, y float32) (tip brush.Tip, frame int, ok bool) {
	if !t.reach(c).Contains(x, y) {
		return tip, 0, false
	}
	frame = t.frameAt(x)
	tip.X, tip.Y = t.x.Pos(t.clock.time(frame)), y
	tip.Value("time", t.clock.time(frame), c.Theme.Muted)
	return tip, frame, true
}

// While the plot has the keyboard focus, its tip shows the displayed frame. The result of here() is
// the place of this tip.
func (t *timed) here() (x, y float32) {
	return t.x.Pos(t.clock.time(t.clock.now)), t.area.Y + 0.4*t.area.H
}
