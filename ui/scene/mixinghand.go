package scene

import (
	"math"
	"strconv"

	"macroscope/ui/plot"
)

// wall is the boundary in the visitor's hand.
type wall struct {
	x       float64 // where it is held, or has been let go
	held    bool
	moved   bool // and the lab has not been told
	waiting int  // frames to come before the lab's boundary counts again
}

// answered notes that a frame has come with the lab's boundary.
func (w *wall) answered(boundary float64) {
	if w.waiting > 0 && !w.held {
		w.waiting--
		if math.Abs(boundary-w.x) < 0.5*wallStep {
			w.waiting = 0
		}
	}
}

// wallStep is what the hand makes a boundary a multiple of.
const wallStep = 0.5

// pressWall is a press on the boundary, beside those of the particles.
const pressWall = pressTime + 1

// Pointer implements Picture.
func (s *mixingPicture) Pointer(e Event, x, y float32, touch bool) {
	h := &s.hand
	h.x, h.y, h.touch, h.inside = x*s.unit, y*s.unit, touch, true
	s.cursor.on = cursorOff
	if !s.f.any {
		return
	}
	switch e {
	case Down:
		s.begin()
	case Move:
		switch h.press {
		case pressTime:
			if a := s.timeAt(h.fromX, h.fromY); a != nil {
				h.seek = s.frameAt(a, h.x)
			}
		case pressWall:
			s.hold(s.box.x.Value(h.x))
		}
	case Up:
		s.release()
		h.inside = !touch
	case Leave:
		// A finger that is lifted leaves its reading on the screen.
		h.inside = touch
	case Cancel:
		s.release()
		h.inside = false
	}
}

func (s *mixingPicture) begin() {
	h := &s.hand
	h.press, h.fromX, h.fromY, h.seek = pressNone, h.x, h.y, -1
	switch a := s.timeAt(h.x, h.y); {
	case s.nearWall():
		h.press = pressWall
		s.hold(s.box.x.Value(h.x))
	case a != nil:
		h.press = pressTime
		h.seek = s.frameAt(a, h.x)
	}
}

// divides reports whether the lab has a boundary.
func (s *mixingPicture) divides() bool {
	_, ok := s.boundary()
	return ok
}

// hold takes the boundary to x, or as near as leaves room for both species.
func (s *mixingPicture) hold(x float64) {
	w := s.f.window
	margin := (w[1] - w[0]) / 16
	x = math.Round(min(max(x, w[0]+margin), w[1]-margin)/wallStep) * wallStep
	if x != x {
		return
	}
	s.wall.moved = s.wall.moved || x != s.wall.x || !s.wall.held
	s.wall.x, s.wall.held = x, true
}

// release lets go of whatever is held.
func (s *mixingPicture) release() {
	s.hand.press = pressNone
	if s.wall.held {
		s.send()
		s.wall.held, s.wall.waiting = false, patience
	}
}

// send gives the newest of what the hand asks for to the lab: at most one
// boundary and one seek a picture.
func (s *mixingPicture) send() {
	h, w := &s.hand, &s.wall
	if w.moved {
		w.moved = false
		if math.Abs(w.x-s.f.boundary) >= 0.5*wallStep || w.waiting > 0 {
			s.command("boundary", strconv.FormatFloat(w.x, 'g', -1, 64))
			w.waiting = patience
		}
	}
	if h.seek >= 0 {
		if h.seek != h.asked {
			s.command("seek", strconv.Itoa(h.seek))
		}
		h.asked, h.waiting, h.seek = h.seek, 0, -1
	}
}

// nearWall reports whether the pointer has the boundary, or can take it.
func (s *mixingPicture) nearWall() bool {
	h, m := &s.hand, &s.box
	x, ok := s.boundary()
	if !ok || !h.inside || h.press == pressTime || s.f.tool != mixingBoundary {
		return false
	}
	if h.press == pressWall {
		return true
	}
	reach := float32(slop) * s.unit
	if h.touch {
		reach *= 2.5
	}
	area := m.area.Inset(0, 0, 0, -s.row()) // its value belongs to it
	return absf(h.x-m.x.Pos(x)) <= reach && area.Contains(min(max(h.x, area.X), area.Right()-1), h.y)
}

// readsWall reports whether the boundary is what is read.
func (s *mixingPicture) readsWall() bool {
	return s.divides() && (s.nearWall() || s.cursor.on == cursorWall)
}

// frameAt returns the frame nearest to a pixel of a plot against time.
func (s *mixingPicture) frameAt(a *axes, x float32) int {
	v := math.Round(a.x.Value(x) / s.f.dt)
	if v != v {
		return 0
	}
	return int(min(max(v, 0), float64(s.f.horizon)))
}

// timePlots returns the plots against time that are shown.
func (s *mixingPicture) timePlots() (plots [2 + benches]*axes) {
	plots[0], plots[1] = &s.ratioAxes[0], &s.ratioAxes[1]
	closure, heat, energy := s.benchPlots()
	if closure {
		plots[2] = &s.closureAxes
	}
	if heat {
		plots[3] = &s.heatAxes
	}
	if energy {
		plots[4] = &s.energyAxes
	}
	return plots
}

// timeAt returns the plot against time at a pixel, its axis included, or nil.
func (s *mixingPicture) timeAt(x, y float32) *axes {
	for _, a := range s.timePlots() {
		if a != nil && a.area.Inset(-6*s.unit, 0, -6*s.unit, -s.row()).Contains(x, y) {
			return a
		}
	}
	return nil
}

// hoverFrame returns the frame that is read in the plots against time.
func (s *mixingPicture) hoverFrame() (frame int, ok bool) {
	h := &s.hand
	switch s.cursor.on {
	case cursorAB, cursorBA, cursorClosure, cursorHeat:
		return s.f.now, true
	}
	if !h.inside || h.press == pressWall {
		return 0, false
	}
	if a := s.timeAt(h.x, h.y); a != nil {
		return s.frameAt(a, h.x), true
	}
	return 0, false
}

// crosshair returns the place of the box that is read.
func (s *mixingPicture) crosshair() (x, y float64, ok bool) {
	if s.cursor.on == cursorBox {
		return s.cursor.x, s.cursor.y, true
	}
	h := &s.hand
	if !h.inside || h.press != pressNone || s.nearWall() {
		return 0, 0, false
	}
	if s.box.area.Contains(h.x, h.y) {
		x, y = s.box.at(h.x, h.y)
		return x, y, true
	}
	for i := range s.densities {
		if m := &s.densities[i]; m.area.Contains(h.x, h.y) {
			x, y = m.at(h.x, h.y)
			return x, y, true
		}
	}
	return 0, 0, false
}

// Shape implements Picture.
func (s *mixingPicture) Shape() Shape {
	h := &s.hand
	if !h.inside || !s.f.any {
		return Arrow
	}
	if h.press != pressNone || s.nearWall() || s.timeAt(h.x, h.y) != nil {
		return Slide
	}
	if _, _, ok := s.crosshair(); ok {
		return Cross
	}
	if s.hoverMeasurement() >= 0 {
		return Cross
	}
	return Arrow
}

// mixingCursor is what the arrow keys read.
type mixingCursor struct {
	on   int
	x, y float64 // in the box
}

// What the arrow keys read, after cursorOff.
const (
	cursorAB = 1 + iota
	cursorBA
	cursorClosure
	cursorHeat
	cursorWall
	cursorBox
	mixingCursors
)

// Key implements Picture. Left and Right go a frame back and on (ten with
// shift), Home and End to the first and the last; Down and Up choose what is
// read: R_AB, R_BA, the closures, temperature and energy, the boundary, which
// Left and Right then move, and the box, in which all four arrows move a
// crosshair. Escape puts the reading away.
func (s *mixingPicture) Key(key string, shift bool) bool {
	c, f := &s.cursor, &s.f
	if !f.any {
		return false
	}
	s.hand.inside = false
	if c.on == cursorBox {
		return s.boxKey(key, shift)
	}
	n := 1
	if shift {
		n = 10
	}
	from := f.now
	if s.hand.asked >= 0 {
		from = s.hand.asked
	}
	switch key {
	case "ArrowLeft", "ArrowRight":
		if key == "ArrowLeft" {
			n = -n
		}
		if c.on == cursorWall {
			x, _ := s.boundary()
			s.hold(x + wallStep*float64(n))
			s.release()
			return true
		}
		s.hand.seek = min(max(from+n, 0), f.horizon)
	case "Home":
		s.hand.seek = 0
	case "End":
		s.hand.seek = f.known
	case "ArrowDown":
		s.turn(1)
	case "ArrowUp":
		s.turn(mixingCursors - 1)
	case "Escape":
		was := c.on
		c.on = cursorOff
		return was != cursorOff
	default:
		return false
	}
	return true
}

// turn makes the keys read what is by on, passing over what is not shown.
func (s *mixingPicture) turn(by int) {
	c, w := &s.cursor, s.f.window
	c.x, c.y = (w[0]+w[1])/2, (w[2]+w[3])/2
	for {
		c.on = (c.on + by) % mixingCursors
		closure, heat, _ := s.benchPlots()
		if c.on == cursorClosure && !closure || c.on == cursorHeat && !heat || c.on == cursorWall && !s.divides() {
			continue
		}
		return
	}
}

// boxKey takes a key while the crosshair is in the box.
func (s *mixingPicture) boxKey(key string, shift bool) bool {
	c, w := &s.cursor, s.f.window
	step := (w[1] - w[0]) / 100
	if shift {
		step *= 10
	}
	switch key {
	case "ArrowLeft":
		c.x -= step
	case "ArrowRight":
		c.x += step
	case "ArrowUp":
		c.y += step
	case "ArrowDown":
		c.y -= step
	case "Escape":
		c.on = cursorOff
		return true
	default:
		return false
	}
	c.x, c.y = min(max(c.x, w[0]), w[1]), min(max(c.y, w[2]), w[3])
	return true
}

// atomAt returns the atom whose disc covers a place of the box, or -1.
func (s *mixingPicture) atomAt(x, y float64) int {
	i, d := nearestPoint(s.f.x, x, y)
	if i < 0 || d > 0.5*sigma[s.f.species(i)] {
		return -1
	}
	return i
}

// atomColor is what an atom is drawn in.
func (s *mixingPicture) atomColor(i int) plot.Color {
	switch {
	case s.f.relaxes():
		return s.theme.Muted
	case s.f.label != nil:
		return s.theme.Labels.At(float64(s.f.label[i]))
	}
	return s.theme.Species[s.f.species(i)]
}
