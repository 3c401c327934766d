package panel

import (
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Canvas is what every panel draws with, and what the pointer and the keys do.
type Canvas struct {
	brush.Brush
	Still bool // things jump instead of gliding

	Pointer Pointer
	Pressed Pressed // has the press
	Focus   Keyed   // is read by the keys
	Command func(kind, value string)
}

// NewCanvas returns a light canvas without a size.
func NewCanvas(atlas *glyph.Atlas, command func(kind, value string)) *Canvas {
	return &Canvas{Brush: brush.New(atlas), Command: command}
}

// over reports whether the pointer reads what is in r.
func (c *Canvas) over(r plot.Rect) bool {
	p := &c.Pointer
	return p.Inside && r.Contains(p.X, p.Y)
}

// wandered reports whether the pointer has gone further than a click may.
func (c *Canvas) wandered() bool {
	p := &c.Pointer
	return plot.Abs(p.X-p.FromX)+plot.Abs(p.Y-p.FromY) > slop*c.Unit
}
