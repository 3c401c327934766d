package panel

import (
	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Panel is a part of a picture. Its methods are called in their order for every picture, Read
// once a frame; a panel with an empty Rect is left out.
type Panel interface {
	// Read reads the panel's rows of f, which are valid until the next call.
	Read(f *wire.Frame)
	// Place gives the panel its place; an empty one hides it.
	Place(c *Canvas, r plot.Rect)
	// Rect returns that place.
	Rect() plot.Rect
	// Ease moves gliding values towards the rows for dt seconds with the time constant tau
	// (0: at once), and reports whether they are still moving.
	Ease(dt, tau float64) (moving bool)
	// Draw appends the panel to the canvas.
	Draw(c *Canvas)
	// Probe returns the values at a place in device pixels.
	Probe(c *Canvas, x, y float32) (brush.Tip, bool)
	// Shape is the shape of the pointer at its place; Arrow leaves it to other panels.
	Shape(c *Canvas) Shape
	// Keeps reports whether the panel takes drags in every direction, including vertical ones
	// of a finger, which otherwise scroll the page.
	Keeps() bool
	// Press takes a press at the pointer, or returns false.
	Press(c *Canvas) bool
	// Drag follows the pointer after an accepted press.
	Drag(c *Canvas)
	// Release ends the press; dropped if the browser took the pointer away. It reports
	// whether a lifted finger leaves its reading.
	Release(c *Canvas, dropped bool) (keep bool)
}

// Shared is state that panels share. Its methods are called before the panels', except Look
// and Ease, which are called once the panels have their places.
type Shared interface {
	Read(f *wire.Frame)
	// Flush sends the newest request of the pointer or the keys: once a picture.
	Flush(c *Canvas)
	// Look finds the displayed values, and the one being read.
	Look(c *Canvas, panels []Panel)
	Ease(dt, tau float64) (moving bool)
}

// shared is an empty Shared.
type shared struct{}

func (shared) Read(*wire.Frame)                    {}
func (shared) Flush(*Canvas)                       {}
func (shared) Look(*Canvas, []Panel)               {}
func (shared) Ease(float64, float64) (moving bool) { return false }

// Keyed is a panel that the arrow keys can read.
type Keyed interface {
	// Focus begins the reading and reports whether there is anything to read.
	Focus(c *Canvas) bool
	// Key takes a key by its DOM name and reports whether it was used.
	Key(c *Canvas, key string, shift bool) bool
	// Reading returns the values read.
	Reading(c *Canvas) (brush.Tip, bool)
}

// arrow returns the direction of an arrow key, ten times as long with shift; no direction
// for other keys.
func arrow(key string, shift bool) (dx, dy float64) {
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

// base is an empty panel.
type base struct{ rect plot.Rect }

func (p *base) Read(*wire.Frame)                                  {}
func (p *base) Place(_ *Canvas, r plot.Rect)                      { p.rect = r }
func (p *base) Rect() plot.Rect                                   { return p.rect }
func (p *base) Ease(float64, float64) (moving bool)               { return false }
func (p *base) Probe(*Canvas, float32, float32) (brush.Tip, bool) { return brush.Tip{}, false }
func (p *base) Shape(*Canvas) Shape                               { return Arrow }
func (p *base) Keeps() bool                                       { return false }
func (p *base) Press(*Canvas) bool                                { return false }
func (p *base) Drag(*Canvas)                                      {}
func (p *base) Release(*Canvas, bool) (keep bool)                 { return false }

// Shape is the shape of the pointer.
type Shape uint8

// The shapes of the pointer.
const (
	Arrow Shape = iota
	Cross       // reads values
	Hand        // a click has an effect
	Slide       // something can be moved sideways
)

// when returns s if holds is true, otherwise Arrow.
func when(holds bool, s Shape) Shape {
	if holds {
		return s
	}
	return Arrow
}

// Pointer is the mouse, finger or pen, in device pixels.
type Pointer struct {
	X, Y          float32
	Inside, Touch bool
	FromX, FromY  float32 // of the press
}

// Canvas holds the drawing tools of all panels, and the state of the pointer and the keys.
type Canvas struct {
	brush.Brush
	Still bool // values jump instead of gliding

	Pointer Pointer
	Pressed Panel // has the press
	Focus   Keyed // is read by the keys
	Command func(kind, value string)
}

// NewCanvas returns a light canvas without a size.
func NewCanvas(atlas *glyph.Atlas, command func(kind, value string)) *Canvas {
	return &Canvas{Brush: brush.New(atlas), Command: command}
}

// over reports whether the pointer reads r.
func (c *Canvas) over(r plot.Rect) bool {
	p := &c.Pointer
	return p.Inside && r.Contains(p.X, p.Y)
}

// wandered reports whether the pointer has moved too far for a click.
func (c *Canvas) wandered() bool {
	p := &c.Pointer
	return plot.Abs(p.X-p.FromX)+plot.Abs(p.Y-p.FromY) > slop*c.Unit
}

// slop is the distance, in CSS pixels, by which a click may miss its goal, or move.
const slop = 6

// A Color selects a colour of a theme.
type Color = func(t *brush.Theme) plot.Color

// The colours of the pictures' subjects.
var (
	Ink     Color = func(t *brush.Theme) plot.Color { return t.Ink }
	Muted   Color = func(t *brush.Theme) plot.Color { return t.Muted }
	Target  Color = func(t *brush.Theme) plot.Color { return t.Target }
	Learned Color = func(t *brush.Theme) plot.Color { return t.Learned }
	Other   Color = func(t *brush.Theme) plot.Color { return t.Other }
	Mixture Color = func(t *brush.Theme) plot.Color { return t.Mixture }
	// Closures is the colour of ẑ.
	Closures Color = func(t *brush.Theme) plot.Color { return t.Latent }

	// The second species' own colour is too pale for a line.
	SpeciesA Color = func(t *brush.Theme) plot.Color { return t.Species[0] }
	SpeciesB Color = func(t *brush.Theme) plot.Color { return t.Species[1].Mix(t.Ink, 0.22) }
)
