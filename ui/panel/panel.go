package panel

import (
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Panel is a part of a picture. For every picture its methods are called in this order. Read is
// called only for a new frame. A panel with an empty Rect is not drawn.
type Panel interface {
	// Read reads the panel's rows from f. The rows are valid until the next call.
	Read(f *wire.Frame)
	// Place sets the panel's place. An empty place hides the panel.
	Place(c *Canvas, r plot.Rect)
	// Rect returns the panel's place.
	Rect() plot.Rect
	// Ease advances the panel's gliding values by dt seconds. For example, limits of axes glide.
	// The rows determine a goal for each value. A value approaches its goal with the time constant
	// tau. If tau is 0, the value jumps to its goal. Ease returns whether any value still moves.
	Ease(dt, tau float64) (moving bool)
	// Draw appends the panel to the canvas.
	Draw(c *Canvas)
	// Probe returns a tip with the values at a place in device pixels, or false if there are no
	// values.
	Probe(c *Canvas, x, y float32) (brush.Tip, bool)
	// Shape returns the shape of the pointer at its present place. If the result is Arrow, another
	// panel can choose the shape.
	Shape(c *Canvas) Shape
	// Keeps reports whether a finger may drag the panel in any direction. Otherwise vertical
	// drags scroll the page.
	Keeps() bool
	// Press handles a press at the pointer. It returns false if the panel does not use the
	// press.
	Press(c *Canvas) bool
	// Drag handles a move of the pointer during a press that the panel uses.
	Drag(c *Canvas)
	// Release handles the end of the press. dropped is true if the browser has taken the
	// pointer away. It returns whether the values stay visible after the finger is lifted.
	Release(c *Canvas, dropped bool) (keep bool)
}

// Shared is state shared by panels. Read and Flush are called before the methods of the panels.
// Look and Ease are called after the panels have been placed.
type Shared interface {
	Read(f *wire.Frame)
	// Flush sends the last request of the pointer or the keys, once per picture.
	Flush(c *Canvas)
	// Look stores values that depend on all panels, for example the frame at the pointer.
	Look(c *Canvas, panels []Panel)
	Ease(dt, tau float64) (moving bool)
}

// Patience is the number of received frames after which an unanswered request is given up.
const Patience = 8

// shared is a Shared that does nothing.
type shared struct{}

func (shared) Read(*wire.Frame)                    {}
func (shared) Flush(*Canvas)                       {}
func (shared) Look(*Canvas, []Panel)               {}
func (shared) Ease(float64, float64) (moving bool) { return false }

// Keyed is a panel in which the user can read values with the arrow keys.
type Keyed interface {
	// Focus prepares the panel for the keyboard focus. It returns false if the panel has no
	// values to read; the panel then does not get the focus.
	Focus(c *Canvas) bool
	// Key handles a key, given by its DOM name, and returns whether the panel used it.
	Key(c *Canvas, key string, shift bool) bool
	// Reading returns a tip with the values at the place that the user has reached with the keys.
	Reading(c *Canvas) (brush.Tip, bool)
}

// Step returns the step for an arrow key. Its length is 1, or 10 with shift. For other keys the
// step is zero.
func Step(key string, shift bool) (dx, dy float64) {
	switch key {
	case "ArrowLeft":
		dx = -1
	case "ArrowRight":
		dx = 1
	case "ArrowUp":
		dy = 1
	case "ArrowDown":
		dy = -1
	}
	if shift {
		return 10 * dx, 10 * dy
	}
	return dx, dy
}

// Base is a panel that does nothing. Other panels embed it.
type Base struct{ At plot.Rect }

func (p *Base) Read(*wire.Frame)                                  {}
func (p *Base) Place(_ *Canvas, r plot.Rect)                      { p.At = r }
func (p *Base) Rect() plot.Rect                                   { return p.At }
func (p *Base) Ease(float64, float64) (moving bool)               { return false }
func (p *Base) Probe(*Canvas, float32, float32) (brush.Tip, bool) { return brush.Tip{}, false }
func (p *Base) Shape(*Canvas) Shape                               { return Arrow }
func (p *Base) Keeps() bool                                       { return false }
func (p *Base) Press(*Canvas) bool                                { return false }
func (p *Base) Drag(*Canvas)                                      {}
func (p *Base) Release(*Canvas, bool) (keep bool)                 { return false }

// Shape is the shape of the pointer.
type Shape uint8

// The shapes of the pointer.
const (
	Arrow Shape = iota
	Cross       // values can be read here
	Hand        // a click does something here
	Slide       // something can be moved sideways here
)

// When returns the shape s if `holds` is true, and Arrow otherwise.
func When(holds bool, s Shape) Shape {
	if holds {
		return s
	}
	return Arrow
}

// Pointer is the mouse, finger or pen, in device pixels.
type Pointer struct {
	X, Y          float32
	Inside, Touch bool
	FromX, FromY  float32 // place where the press began
}

// Canvas holds everything that panels draw with and draw on, and the state of the pointer and
// the keys.
type Canvas struct {
	brush.Brush
	Still bool // whether values jump instead of gliding

	Pointer Pointer
	Pressed Panel // the panel that is pressed
	Focus   Keyed // the panel with the keyboard focus
	Command func(kind, value string)
}

// NewCanvas returns a canvas with the light theme, without a size.
func NewCanvas(atlas *glyph.Atlas, command func(kind, value string)) *Canvas {
	return &Canvas{Brush: brush.New(atlas), Command: command}
}

// Send sends a command with numbers, which have all digits of a float32.
func (c *Canvas) Send(kind string, numbers ...float64) {
	var text []byte
	for i, v := range numbers {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendFloat(text, v, 'g', -1, 32)
	}
	c.Command(kind, string(text))
}

// Over reports whether the pointer is over r.
func (c *Canvas) Over(r plot.Rect) bool {
	p := &c.Pointer
	return p.Inside && r.Contains(p.X, p.Y)
}

// wandered reports whether a press is a drag instead of a click: whether the pointer has moved
// by more than Slop since the press began.
func (c *Canvas) wandered() bool {
	p := &c.Pointer
	return plot.Abs(p.X-p.FromX)+plot.Abs(p.Y-p.FromY) > Slop*c.Unit
}

// Slop is a distance in CSS pixels. A mouse click may miss its target by this distance. The pointer
// may also move by this distance during a click.
const Slop = 6

// A Color selects one of a theme's colours.
type Color = func(t *brush.Theme) plot.Color

// Colours of the quantities in the pictures.
var (
	Ink     Color = func(t *brush.Theme) plot.Color { return t.Ink }
	Muted   Color = func(t *brush.Theme) plot.Color { return t.Muted }
	Target  Color = func(t *brush.Theme) plot.Color { return t.Target }
	Learned Color = func(t *brush.Theme) plot.Color { return t.Learned }
	Other   Color = func(t *brush.Theme) plot.Color { return t.Other }
	Mixture Color = func(t *brush.Theme) plot.Color { return t.Mixture }
	// Closures is the colour of ẑ.
	Closures Color = func(t *brush.Theme) plot.Color { return t.Latent }

	// Colours of lines for the two species. The colour of the second species alone would be too
	// pale for a line, so it is mixed with ink.
	SpeciesA Color = func(t *brush.Theme) plot.Color { return t.Species[0] }
	SpeciesB Color = func(t *brush.Theme) plot.Color { return t.Species[1].Mix(t.Ink, 0.22) }
)
