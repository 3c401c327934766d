package scene

import (
	"slices"
	"strings"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/chart"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Scene is the picture of a lab. Labs differ only in the fields of this struct.
type Scene struct {
	// Panels are the panels in the order in which they are drawn.
	Panels []panel.Panel
	// Shared is the state shared by panels.
	Shared []panel.Shared
	// Clock handles keys that seek. It is nil if the lab has no time.
	Clock *chart.Clock
	// Keys are the panels whose values can be read with the keys, in the order in which Down
	// and Up select them.
	Keys []panel.Keyed
	// Layout places the panels for a frame. dt is the time in seconds since the last picture.
	Layout func(c *panel.Canvas, f *wire.Frame, dt float64)
	// Parts maps the name of a part of the picture to the panels of this part. The main panel comes
	// first. The names are "set", "target", "code", "learned", "dynamics", "prediction", and "beside" for ẑ of a second model. Two
	// more parts show the effect of a shuffle: "orders" if the encoder is for sets, "ordered" if it
	// depends on the order.
	Parts map[string][]panel.Panel
	// Waiting is the text before the first frame. If it is "", the panels are drawn without
	// data.
	Waiting string
	// Blank returns a text that takes the place of the panels, or "". It may be nil.
	Blank func(f *wire.Frame) string

	canvas *panel.Canvas
	frame  wire.Frame // the displayed frame; a new frame is encoded as its differences from this frame
	any    bool       // whether there is a frame of this lab
	begun  bool       // whether a frame has been drawn
	lit    []string   // the highlighted parts
}

// Open returns the scene of a lab, or nil if there is no such lab. Glyphs are taken from the atlas.
// For every command of the user, `command` is called with its kind and value (see wire.Command).
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

// SetTheme sets the colours. If `still` is true, values jump instead of gliding.
func (s *Scene) SetTheme(t brush.Theme, still bool) { s.canvas.Theme, s.canvas.Still = t, still }

// SetPlain makes the picture plain: only the main panels of the set, the learned density, ẑ and the prediction, without
// numbers and remarks.
func (s *Scene) SetPlain(on bool) { s.canvas.Plain = on }

// essential lists the parts of a plain picture.
var essential = []string{"set", "learned", "code", "beside", "prediction"}

// Light highlights some parts, named with spaces between them, and dims all other panels. On a
// phone with a low picture, only the highlighted panels are displayed. If `parts` is "", or all of
// these parts are hidden, nothing is highlighted.
func (s *Scene) Light(parts string) { s.lit = strings.Fields(parts) }

// lights returns the highlighted panels that are displayed. If one part is highlighted, these are
// all panels of the part. If several parts are highlighted, these are the main panels.
func (s *Scene) lights(c *panel.Canvas) (lit []panel.Panel) {
	parts := s.lit
	if c.Plain {
		parts = essential
	}
	for _, part := range parts {
		for _, p := range s.Parts[part] {
			if !shown(p) || p.Rect().H < 3*c.Row() { // a panel less high than three rows of text is not highlighted
				continue
			}
			if !slices.Contains(lit, p) {
				lit = append(lit, p)
			}
			if len(parts) > 1 {
				break
			}
		}
	}
	return lit
}

// veil draws a frame around the highlighted panel and dims the other panels. On a phone it dims
// nothing, because the highlighted panel may be scrolled out of view.
func (s *Scene) veil(c *panel.Canvas) {
	if c.Plain {
		return
	}
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
		if dimmed && (i == 0 || len(s.lit) > 1) { // a single part: only its first panel gets a frame
			c.Outline(p.Rect().Inset(-c.Px(2), -c.Px(2), -c.Px(2), -c.Px(2)), c.Px(2), c.Theme.Learned)
		}
	}
}

// Resize lays the picture out for w×h CSS pixels, each with unit×unit device pixels.
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

// shown reports whether a panel has a place.
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
	if s.Blank != nil && s.Blank(&s.frame) != "" {
		c.Notice(s.Blank(&s.frame))
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
		plain := c.Plain
		c.Plain = false
		c.Tip(&t)
		c.Plain = plain
	}
}

// Signs returns the symbols in the last picture. They are valid until the next picture is drawn.
func (s *Scene) Signs() []brush.Sign { return s.canvas.Signs }

// reading returns a tip with the values of the panel that has the keyboard focus or, without a
// focus, the values at the pointer.
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

// Spoken returns, in words, the values at the pointer or at the place that the user has reached
// with the keys, or "" if there are none.
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
	Down   Event = "pointerdown" // main button, finger or pen
	Up     Event = "pointerup"
	Leave  Event = "pointerleave"
	Cancel Event = "pointercancel" // the browser has taken the pointer away, for scrolling
)

// Pointer handles an event at (x, y), in CSS pixels.
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
		// After a finger is lifted, the pointer counts as inside only if values stay visible.
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

// release ends a press, and returns whether the values stay visible.
func (s *Scene) release(dropped bool) (keep bool) {
	c := s.canvas
	if c.Pressed == nil {
		return true
	}
	keep = c.Pressed.Release(c, dropped)
	c.Pressed = nil
	return keep
}

// Shape returns the shape of the pointer.
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

// Keeps reports whether a finger may drag in the picture in any direction. Otherwise vertical
// drags scroll the page.
func (s *Scene) Keeps() bool {
	for _, p := range s.Panels {
		if shown(p) && p.Keeps() {
			return true
		}
	}
	return false
}

// Key handles a key, given by its DOM name. It returns whether the picture used the key. Left,
// Right, Home and End seek. With Down and Up, the user selects a panel to read its values. The
// selected panel handles keys first. Escape ends the selection.
func (s *Scene) Key(key string, shift bool) (used bool) {
	if used = s.any && s.key(key, shift); used {
		s.canvas.Pointer.Inside = false
	}
	return used
}

func (s *Scene) key(key string, shift bool) bool {
	c := s.canvas
	if c.Focus == nil && s.Clock == nil { // in a lab without time, these keys select the first panel to read
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

// turn moves the keyboard focus by the given number of panels and skips panels with nothing to
// read. Beyond the first and the last panel, no panel has the focus.
func (s *Scene) turn(by int) {
	c, n := s.canvas, len(s.Keys)+1
	i := 0 // 0 means no panel
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
