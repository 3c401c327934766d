package scene

import (
	"slices"
	"strings"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Scene is the picture of a lab. Labs differ in their panels and layouts; everything else
// is here.
type Scene struct {
	// Panels are the panels in the order in which they are drawn.
	Panels []panel.Panel
	// Shared is the state that panels share.
	Shared []panel.Shared
	// Clock handles keys that seek; nil if the lab has no time.
	Clock *panel.Clock
	// Keys are the panels that the keys can read, in the order in which Down and Up select
	// them.
	Keys []panel.Keyed
	// Layout places the panels for a frame, dt seconds after the last picture.
	Layout func(c *panel.Canvas, f *wire.Frame, dt float64)
	// Parts are the panels of each part of the picture, by the part's name, the main panel
	// first. The names are set, target, code, learned, dynamics, prediction, and for the
	// effect of shuffles: orders (on an encoder of sets) and ordered (on an encoder that
	// depends on the order).
	Parts map[string][]panel.Panel
	// Waiting is shown before the first frame; if it is "", the panels are shown empty.
	Waiting string

	canvas *panel.Canvas
	frame  wire.Frame // the displayed frame; a new frame encodes the changes from it
	any    bool       // there is a frame of this lab
	begun  bool       // a frame has been drawn
	lit    []string   // the highlighted parts
}

// Open returns the scene of a lab, nil if there is none. Glyphs are from atlas; command
// gets the kind and the value of the user's commands, see wire.Command.
func Open(lab string, atlas *glyph.Atlas, command func(kind, value string)) *Scene {
	make := labs[lab]
	if make == nil {
		return nil
	}
	s := make()
	s.canvas = panel.NewCanvas(atlas, command)
	s.read()
	return s
}

// Decode decodes a frame. After an error the last frame stays.
func (s *Scene) Decode(b []byte) error {
	if err := s.frame.Decode(b); err != nil {
		return err
	}
	s.any = true
	s.read()
	return nil
}

func (s *Scene) read() {
	for _, r := range s.Shared {
		r.Read(&s.frame)
	}
	for _, p := range s.Panels {
		p.Read(&s.frame)
	}
}

// SetTheme sets the colours, and whether values jump instead of gliding.
func (s *Scene) SetTheme(t brush.Theme, still bool) { s.canvas.Theme, s.canvas.Still = t, still }

// Light highlights some parts, given by names separated by spaces, and dims all other panels. On a
// phone with a low picture, only the highlighted panels are shown. "", or parts that are hidden,
// highlight nothing.
func (s *Scene) Light(parts string) { s.lit = strings.Fields(parts) }

// lights returns the highlighted panels that are shown: all panels of a single part, or the
// main panel of each of several parts.
func (s *Scene) lights(c *panel.Canvas) (lit []panel.Panel) {
	for _, part := range s.lit {
		for _, p := range s.Parts[part] {
			if !shown(p) || p.Rect().H < 3*c.Row() { // too low to be more than a strip
				continue
			}
			lit = append(lit, p)
			if len(s.lit) > 1 {
				break
			}
		}
	}
	return lit
}

// veil dims the other panels. On a phone, where the highlighted panel may be out of sight, it also
// frames the highlighted panel.
func (s *Scene) veil(c *panel.Canvas) {
	lit := s.lights(c)
	dimmed := false
	for _, p := range s.Panels {
		if len(lit) == 0 || !shown(p) || slices.Contains(lit, p) {
			continue
		}
		dimmed = true
		if c.W >= brush.Phone {
			c.Batch.Box(p.Rect().Inset(-c.Px(4), -c.Px(4), -c.Px(4), -c.Px(4)), 0, c.Theme.Paper.Fade(0.78))
		}
	}
	for i, p := range lit {
		if dimmed && (i == 0 || len(s.lit) > 1) { // further panels of a single part are not framed
			c.Outline(p.Rect().Inset(-c.Px(2), -c.Px(2), -c.Px(2), -c.Px(2)), c.Px(2), c.Theme.Learned)
		}
	}
}

// Resize lays the picture out for w×h CSS pixels, with unit device pixels in each.
func (s *Scene) Resize(w, h, unit float32) { s.canvas.Resize(w, h, unit) }

// glide is the time constant in seconds with which axes follow their data.
const glide = 0.12

// Advance moves the picture by dt seconds towards the newest frame, and returns whether it
// still moves.
func (s *Scene) Advance(dt float64) (moving bool) {
	c := s.canvas
	for _, r := range s.Shared {
		r.Flush(c)
	}
	for _, p := range s.Panels {
		p.Place(c, plot.Rect{})
	}
	s.place(c, dt)
	tau := glide
	if c.Still || !s.begun {
		tau = 0
	}
	s.begun = s.any
	for _, r := range s.Shared {
		r.Look(c, s.Panels)
		moving = r.Ease(dt, tau) || moving
	}
	for _, p := range s.Panels {
		moving = p.Ease(dt, tau) || moving
	}
	return moving
}

// shown says whether a panel has a place.
func shown(p panel.Panel) bool { return p.Rect().W > 0 && p.Rect().H > 0 }

// Draw appends the picture to b, in the order in which it is drawn. Advance must have been
// called.
func (s *Scene) Draw(b *plot.Batch) {
	c := s.canvas
	c.Batch = b
	c.Cover()
	if !s.any && s.Waiting != "" {
		c.Notice(s.Waiting)
		return
	}
	for _, r := range s.Shared {
		r.Look(c, s.Panels)
	}
	for _, p := range s.Panels {
		if shown(p) {
			p.Draw(c)
		}
	}
	s.veil(c)
	if t, ok := s.reading(); ok {
		c.Tip(&t)
	}
}

// Signs returns the symbols in the last picture. They are valid until the next picture is drawn.
func (s *Scene) Signs() []brush.Sign { return s.canvas.Signs }

// reading returns a tip with the values that the pointer or the keys read.
func (s *Scene) reading() (brush.Tip, bool) {
	c := s.canvas
	x, y := c.Pointer.X, c.Pointer.Y
	switch {
	case c.Focus != nil:
		return c.Focus.Reading(c)
	case !c.Pointer.Inside || !s.any:
		return brush.Tip{}, false
	case c.Pressed != nil:
		return c.Pressed.Probe(c, x, y)
	}
	for _, p := range s.Panels {
		if shown(p) {
			if t, ok := p.Probe(c, x, y); ok {
				return t, true
			}
		}
	}
	return brush.Tip{}, false
}

// Spoken returns the values that the pointer or the keys read, in words. It returns "" if there are
// no values.
func (s *Scene) Spoken() string {
	t, ok := s.reading()
	if !ok {
		return ""
	}
	return s.canvas.Words(&t)
}

// Event is the DOM name of a pointer event.
type Event string

// The events of a pointer.
const (
	Move   Event = "pointermove"
	Down   Event = "pointerdown" // of the main button, a finger or a pen
	Up     Event = "pointerup"
	Leave  Event = "pointerleave"
	Cancel Event = "pointercancel" // the browser has taken the pointer, to scroll
)

// Pointer takes an event at (x, y) in CSS pixels.
func (s *Scene) Pointer(e Event, x, y float32, touch bool) {
	c := s.canvas
	p, was := &c.Pointer, c.Pointer.Inside
	p.X, p.Y, p.Touch, p.Inside = x*c.Unit, y*c.Unit, touch, true
	c.Focus = nil
	if !s.any {
		return
	}
	switch e {
	case Down:
		s.press()
	case Move:
		if c.Pressed != nil {
			c.Pressed.Drag(c)
		}
	case Up:
		// After a finger is lifted, the pointer counts as inside only if values stay shown.
		keep := s.release(false)
		p.Inside = !touch || keep
	case Leave:
		if p.Inside = was && touch; !touch {
			s.release(true)
		}
	case Cancel:
		s.release(true)
		p.Inside = false
	}
}

func (s *Scene) press() {
	c := s.canvas
	c.Pointer.FromX, c.Pointer.FromY, c.Pressed = c.Pointer.X, c.Pointer.Y, nil
	for _, p := range s.Panels {
		if shown(p) && p.Press(c) {
			c.Pressed = p
			return
		}
	}
}

// release ends a press, and returns whether its values stay shown.
func (s *Scene) release(dropped bool) (keep bool) {
	c := s.canvas
	if c.Pressed == nil {
		return true
	}
	keep = c.Pressed.Release(c, dropped)
	c.Pressed = nil
	return keep
}

// Shape is the shape of the pointer.
func (s *Scene) Shape() panel.Shape {
	c := s.canvas
	switch {
	case !s.any || !c.Pointer.Inside:
		return panel.Arrow
	case c.Pressed != nil:
		return c.Pressed.Shape(c)
	}
	for _, p := range s.Panels {
		if shown(p) {
			if shape := p.Shape(c); shape != panel.Arrow {
				return shape
			}
		}
	}
	return panel.Arrow
}

// Keeps says whether a finger may drag in the picture in any direction. Otherwise vertical
// drags scroll the page.
func (s *Scene) Keeps() bool {
	for _, p := range s.Panels {
		if shown(p) && p.Keeps() {
			return true
		}
	}
	return false
}

// Key handles a key, given by its DOM name, and returns whether the picture used it. Left, Right,
// Home and End seek. Down and Up select the panel to read, which then handles keys first. Escape
// ends the reading.
func (s *Scene) Key(key string, shift bool) (used bool) {
	if used = s.any && s.key(key, shift); used {
		s.canvas.Pointer.Inside = false
	}
	return used
}

func (s *Scene) key(key string, shift bool) bool {
	c := s.canvas
	if c.Focus == nil && s.Clock == nil { // the only panel of the lab can be read
		switch key {
		case "ArrowLeft", "ArrowRight", "Home", "End":
			s.turn(1)
		}
	}
	if c.Focus != nil && c.Focus.Key(c, key, shift) {
		return true
	}
	switch key {
	case "Escape":
		was := c.Focus != nil
		c.Focus = nil
		return was
	case "ArrowDown", "ArrowUp":
		if len(s.Keys) < 2 {
			return false
		}
		s.turn(map[string]int{"ArrowDown": 1, "ArrowUp": -1}[key])
		return true
	}
	return s.Clock != nil && s.Clock.Key(key, shift)
}

// turn moves the focus of the keys by this many panels, past panels with nothing to read. Beyond
// the ends, no panel has the focus.
func (s *Scene) turn(by int) {
	c, n := s.canvas, len(s.Keys)+1
	i := 0 // no panel
	for k, q := range s.Keys {
		if q == c.Focus {
			i = k + 1
		}
	}
	for {
		if i = (i + by + n) % n; i == 0 {
			c.Focus = nil
			return
		}
		if q := s.Keys[i-1]; q.Focus(c) {
			c.Focus = q
			return
		}
	}
}
