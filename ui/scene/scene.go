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

// Scene is the picture of a lab. A system provides its layout and its panels; everything but
// these is the same for all.
type Scene struct {
	// Panels are the panels in painter's order.
	Panels []panel.Panel
	// Shared is the state that panels share.
	Shared []panel.Shared
	// Clock takes the keys that seek, if there is one.
	Clock *panel.Clock
	// Keys are the panels that Down and Up select for the keys, in order.
	Keys []panel.Keyed
	// Layout places the panels to show for a frame, dt seconds after the last picture.
	Layout func(c *panel.Canvas, f *wire.Frame, dt float64)
	// Parts are the panels of each part of the picture, the main one first, by its name: set,
	// target, code, learned, dynamics, prediction, and the effect of other orders of the set:
	// orders on the encoder of sets, ordered on the other.
	Parts map[string][]panel.Panel
	// Waiting is the text before the first frame; with "" the panels are drawn empty.
	Waiting string

	canvas *panel.Canvas
	frame  wire.Frame // displayed; every frame changes the one before
	any    bool       // it is a frame of the lab
	begun  bool       // a frame has been drawn
	lit    []string   // the highlighted parts
}

// Open returns the scene of a lab, nil if there is none. It draws with glyphs of atlas and
// passes the user's commands to command, as a wire.Command's kind and value.
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

// Decode decodes a frame. On an error the last one stays.
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

// Light dims all panels except some parts, separated by spaces, which a low phone screen
// shows alone. "" dims none, as do hidden parts.
func (s *Scene) Light(parts string) { s.lit = strings.Fields(parts) }

// lights returns the highlighted panels with a place: all of one part, or the main one of
// each of several.
func (s *Scene) lights(c *panel.Canvas) (lit []panel.Panel) {
	for _, part := range s.lit {
		for _, p := range s.Parts[part] {
			if !shown(p) || p.Rect().H < 3*c.Row() { // at most a strip
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

// veil dims the other panels; on a phone, where the highlighted one may be out of sight, it
// also frames that.
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
		if dimmed && (i == 0 || len(s.lit) > 1) { // the others of one part belong to its first
			c.Outline(p.Rect().Inset(-c.Px(2), -c.Px(2), -c.Px(2), -c.Px(2)), c.Px(2), c.Theme.Learned)
		}
	}
}

// Resize lays the picture out for w×h CSS pixels of unit device pixels each.
func (s *Scene) Resize(w, h, unit float32) { s.canvas.Resize(w, h, unit) }

// glide is the time constant in seconds with which axes follow their data.
const glide = 0.12

// Advance moves the picture on by dt seconds towards the newest frame, and reports whether it
// is still moving.
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

// shown reports whether a panel has a place.
func shown(p panel.Panel) bool { return p.Rect().W > 0 && p.Rect().H > 0 }

// Draw appends the picture to b, back to front. Advance must have been called.
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

// Signs returns the symbols of the last picture, valid until the next is drawn.
func (s *Scene) Signs() []brush.Sign { return s.canvas.Signs }

// reading returns the values under the pointer, or the values that the keys read.
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

// Spoken returns the values that the pointer or the keys read, in words; "" is nothing.
func (s *Scene) Spoken() string {
	t, ok := s.reading()
	if !ok {
		return ""
	}
	return s.canvas.Words(&t)
}

// Event is a pointer event, by its DOM name.
type Event string

// The events of a pointer.
const (
	Move   Event = "pointermove"
	Down   Event = "pointerdown" // the main button, a finger or a pen
	Up     Event = "pointerup"
	Leave  Event = "pointerleave"
	Cancel Event = "pointercancel" // the browser took the pointer, to scroll
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
		// After a finger lifts, the pointer is inside only to keep a reading.
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

// release ends a press and reports whether its reading stays.
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

// Keeps reports whether the picture takes a finger's drags in every direction, including
// vertical ones, which otherwise scroll the page.
func (s *Scene) Keeps() bool {
	for _, p := range s.Panels {
		if shown(p) && p.Keeps() {
			return true
		}
	}
	return false
}

// Key takes a key by its DOM name and reports whether the picture used it. Left and Right,
// Home and End seek; Down and Up choose the panel to read, which then takes the keys that it
// uses. Escape ends the reading.
func (s *Scene) Key(key string, shift bool) (used bool) {
	if used = s.any && s.key(key, shift); used {
		s.canvas.Pointer.Inside = false
	}
	return used
}

func (s *Scene) key(key string, shift bool) bool {
	c := s.canvas
	if c.Focus == nil && s.Clock == nil { // one panel can be read
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

// turn moves the keys' reading by steps, or ends it, skipping hidden panels.
func (s *Scene) turn(by int) {
	c, n := s.canvas, len(s.Keys)+1
	i := 0 // nothing
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
