package scene

import (
	"math"
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/plot"
)

// Event is what a pointer did, by its DOM name.
type Event string

// The events of a pointer.
const (
	Move   Event = "pointermove"
	Down   Event = "pointerdown" // the main button, a finger or a pen
	Up     Event = "pointerup"
	Leave  Event = "pointerleave"
	Cancel Event = "pointercancel" // the browser took the pointer, to scroll
)

// pointer is the mouse, finger or pen.
type pointer struct {
	x, y   float32 // device pixels
	inside bool
	touch  bool

	pressed bool // in the rug
	grabbed bool // on a particle, whose position is value
	dragged bool
	value   float32
	start   float32 // x of the press
}

// slop is how far, in CSS pixels, a click may miss a particle or wander.
const slop = 6

// Pointer takes an event at (x, y) in CSS pixels.
func (s *Scene) Pointer(e Event, x, y float32, touch bool) {
	p := &s.pointer
	p.x, p.y, p.touch, p.inside = x*s.unit, y*s.unit, touch, true
	s.cursor.on = false
	f := s.frame()
	switch e {
	case Down:
		p.pressed = f != &empty && s.rugReach().Contains(p.x, p.y)
		p.grabbed, p.dragged, p.start = false, false, p.x
		if p.pressed {
			p.value, p.grabbed = s.particleAt(f, p.x)
		}
	case Move:
		if p.pressed && absf(p.x-p.start) > slop*s.unit {
			p.dragged = true
		}
	case Up:
		if p.pressed && f != &empty {
			s.release(f)
		}
		p.pressed = false
	case Leave:
		// A finger that is lifted leaves its reading on the screen.
		p.inside = touch
		p.pressed = p.pressed && touch
	case Cancel:
		p.inside, p.pressed = false, false
	}
}

// release ends a press on the rug with the command that it means.
func (s *Scene) release(f *wire.DemoFrame) {
	p := &s.pointer
	at := min(max(s.main.x.Value(p.x), float64(f.Lo)), float64(f.Hi))
	switch {
	case p.grabbed && p.dragged:
		s.command(wire.Remove, position(float64(p.value)))
		s.command(wire.Add, position(at))
	case p.grabbed:
		s.command(wire.Remove, position(float64(p.value)))
	case !p.dragged:
		s.command(wire.Add, position(at))
	}
	p.inside = !p.touch
}

// position writes a position exactly as a frame holds it.
func position(x float64) string { return strconv.FormatFloat(x, 'g', -1, 32) }

// particleAt returns the particle that a click at the pixel x means.
func (s *Scene) particleAt(f *wire.DemoFrame, x float32) (value float32, ok bool) {
	reach := float32(slop)
	if s.pointer.touch {
		reach = 1.5 * slop
	}
	i, _ := plot.Nearest(f.Particles, s.main.x.Value(x))
	if i < 0 || absf(s.main.x.Pos(float64(f.Particles[i]))-x) > reach*s.unit {
		return 0, false
	}
	return f.Particles[i], true
}

func absf(x float32) float32 { return float32(math.Abs(float64(x))) }

// Shape is how the pointer should look.
type Shape uint8

// The shapes of the pointer.
const (
	Arrow Shape = iota
	Cross       // reads values
	Hand        // a click does something
	Slide       // a particle can be moved sideways
)

// Shape returns how the pointer should look where it is.
func (s *Scene) Shape() Shape {
	p := &s.pointer
	f := s.frame()
	switch {
	case f == &empty || !p.inside:
		return Arrow
	case p.pressed && p.grabbed:
		return Slide
	case s.rugReach().Contains(p.x, p.y):
		if _, ok := s.particleAt(f, p.x); ok {
			return Slide
		}
		return Hand
	case s.main.area.Contains(p.x, p.y), s.loss.area.Contains(p.x, p.y), s.kl.area.Contains(p.x, p.y):
		return Cross
	}
	return Arrow
}

// keyCursor is the crosshair that the arrow keys move.
type keyCursor struct {
	on bool
	x  float64
}

// Key takes a key by its DOM name while the picture has the focus, and reports
// whether it meant something: the arrows, Home and End move a crosshair over
// the densities (ten times as far with shift), Enter adds a particle there,
// Delete removes the nearest one, Escape puts the crosshair away.
func (s *Scene) Key(key string, shift bool) bool {
	f := s.frame()
	if f == &empty {
		return false
	}
	lo, hi := float64(f.Lo), float64(f.Hi)
	c := &s.cursor
	step := (hi - lo) / 200
	if shift {
		step *= 10
	}
	x := c.x
	if !c.on {
		x = (lo + hi) / 2
	}
	switch key {
	case "ArrowLeft":
		x -= step
	case "ArrowRight":
		x += step
	case "Home":
		x = lo
	case "End":
		x = hi
	case "Escape":
		was := c.on
		c.on = false
		return was
	case "Enter":
		if !c.on {
			return false
		}
		s.command(wire.Add, position(c.x))
		return true
	case "Delete", "Backspace":
		i, _ := plot.Nearest(f.Particles, c.x)
		if !c.on || i < 0 {
			return false
		}
		s.command(wire.Remove, position(float64(f.Particles[i])))
		return true
	default:
		return false
	}
	c.x, c.on = min(max(x, lo), hi), true
	s.pointer.inside = false
	return true
}
