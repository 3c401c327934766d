package scene

import (
	"math"
	"strconv"

	"macroscope/ui/plot"
)

// hand is the mouse, finger or pen.
type hand struct {
	x, y          float32 // device pixels
	inside, touch bool

	press          int // what was pressed
	on             int // the map
	grabbed        int // the particle held, -1 if none
	moved          bool
	fromX, fromY   float32 // of the press
	wandered       bool
	stroke         []float32 // (K,2), what is being drawn
	seek           int       // the frame to ask for, -1 if none
	asked, waiting int       // the frame asked for that has not come yet, -1 if none
}

// What a press is on.
const (
	pressNone = iota
	pressMap
	pressTime
)

// mostStroke bounds the places of a stroke.
const mostStroke = 400

// Pointer implements Picture.
func (s *particlesPicture) Pointer(e Event, x, y float32, touch bool) {
	h := &s.hand
	was := h.inside
	h.x, h.y, h.touch, h.inside = x*s.unit, y*s.unit, touch, true
	s.cursor.on = cursorOff
	if !s.f.any {
		return
	}
	switch e {
	case Down:
		s.begin()
	case Move:
		s.proceed()
	case Up:
		s.finish()
		// A finger that is lifted leaves on the screen what it read, no more.
		h.inside = !touch || h.press == pressNone || h.press == pressMap && s.f.tool == toolLook
		h.press = pressNone
	case Leave:
		h.inside = was && touch
	case Cancel:
		h.press, h.inside, h.moved = pressNone, false, false
	}
}

func (s *particlesPicture) begin() {
	h, f := &s.hand, &s.f
	h.press, h.grabbed, h.wandered, h.moved = pressNone, -1, false, false
	h.fromX, h.fromY, h.stroke, h.seek = h.x, h.y, h.stroke[:0], -1
	if i := s.mapAt(h.x, h.y); i >= 0 {
		h.press, h.on = pressMap, i
		switch f.tool {
		case toolMove:
			x, y := s.maps[i].at(h.x, h.y)
			if n, near := s.within(x, y); near {
				h.grabbed = n
			}
		case toolDraw:
			s.extend()
		}
		return
	}
	if a := s.timeAt(h.x, h.y); a != nil {
		h.press = pressTime
		s.seekTo(a)
	}
}

func (s *particlesPicture) proceed() {
	h := &s.hand
	if absf(h.x-h.fromX)+absf(h.y-h.fromY) > slop*s.unit {
		h.wandered = true
	}
	switch {
	case h.press == pressTime:
		if a := s.timeNear(); a != nil {
			s.seekTo(a)
		}
	case h.press == pressMap && h.grabbed >= 0:
		h.moved = true
	case h.press == pressMap && s.f.tool == toolDraw:
		s.extend()
	}
}

func (s *particlesPicture) finish() {
	h, f := &s.hand, &s.f
	if h.press != pressMap {
		return
	}
	s.send()
	x, y := s.maps[h.on].at(h.x, h.y)
	switch {
	case f.tool == toolAdd && !h.wandered:
		s.command("add", places(x, y))
	case f.tool == toolRemove && !h.wandered && len(f.x) > 0:
		s.command("remove", places(x, y))
	case f.tool == toolDraw && len(h.stroke) > 0:
		var v []byte
		for i, u := range h.stroke {
			if i > 0 {
				v = append(v, ' ')
			}
			v = strconv.AppendFloat(v, float64(u), 'g', -1, 32)
		}
		s.command("draw", string(v))
		h.stroke = h.stroke[:0]
	}
	h.grabbed = -1
}

// extend adds the pointer's place to the stroke, unless it is hardly another.
func (s *particlesPicture) extend() {
	h := &s.hand
	m := &s.maps[h.on]
	if n := len(h.stroke); n >= 2 {
		p := m.point(h.stroke[n-2], h.stroke[n-1])
		if math.Hypot(float64(p.X-h.x), float64(p.Y-h.y)) < 3*float64(s.unit) || n >= 2*mostStroke {
			return
		}
	}
	x, y := m.at(h.x, h.y)
	h.stroke = append(h.stroke, float32(x), float32(y))
}

// at returns the place of the plane at a pixel, the nearest one within the map.
func (m *planeMap) at(px, py float32) (x, y float64) {
	return min(max(m.x.Value(px), m.x.Lo), m.x.Hi), min(max(m.y.Value(py), m.y.Lo), m.y.Hi)
}

// places writes numbers exactly as a frame holds them.
func places(x, y float64) string { return position(x) + " " + position(y) }

// seekTo asks for the frame under the pointer of a plot against time.
func (s *particlesPicture) seekTo(a *axes) {
	s.hand.seek = s.frameAt(a, s.hand.x)
}

// frameAt returns the frame nearest to a pixel of a plot against time.
func (s *particlesPicture) frameAt(a *axes, x float32) int {
	v := math.Round(a.x.Value(x) / s.f.dt)
	if v != v {
		return 0
	}
	return int(min(max(v, 0), float64(s.f.horizon)))
}

// send gives the newest of what the hand asks for to the lab: at most one drag
// and one seek a picture.
func (s *particlesPicture) send() {
	h := &s.hand
	if h.moved && h.grabbed >= 0 {
		x, y := s.maps[h.on].at(h.x, h.y)
		s.command("drag", strconv.Itoa(h.grabbed)+" "+places(x, y))
		h.moved = false
	}
	if h.seek >= 0 {
		if h.seek != h.asked {
			s.command("seek", strconv.Itoa(h.seek))
		}
		h.asked, h.waiting, h.seek = h.seek, 0, -1
	}
}

// patience is how many frames may come before one that was asked for.
const patience = 8

// answered notes that a frame has come.
func (h *hand) answered(now int) {
	if h.waiting++; now == h.asked || h.waiting > patience {
		h.asked = -1
	}
}

// mapAt returns the map at a pixel, or -1.
func (s *particlesPicture) mapAt(x, y float32) int {
	for i := range s.mapped {
		if s.maps[i].area.Contains(x, y) {
			return i
		}
	}
	return -1
}

// timePlots returns the plots against time that are shown.
func (s *particlesPicture) timePlots() (plots [5]*axes) {
	plots[0] = &s.energyAxes
	if s.fault.H > 0 {
		plots[1] = &s.faultAxes
	}
	switch s.told {
	case storyLatent:
		plots[2] = &s.strip.axes
	case storyOrders:
		plots[3], plots[4] = &s.deepAxes, &s.orderedAxes
	}
	return plots
}

// timeAt returns the plot against time at a pixel, its axis included, or nil.
func (s *particlesPicture) timeAt(x, y float32) *axes {
	for _, a := range s.timePlots() {
		if a == nil {
			continue
		}
		if a.area.Inset(-6*s.unit, 0, -6*s.unit, -s.row()).Contains(x, y) {
			return a
		}
	}
	return nil
}

// timeNear returns the plot that a press began in.
func (s *particlesPicture) timeNear() *axes { return s.timeAt(s.hand.fromX, s.hand.fromY) }

// within returns the particle that a press at a place of the plane means.
func (s *particlesPicture) within(x, y float64) (index int, ok bool) {
	h := &s.hand
	if h.press == pressMap && h.grabbed >= 0 && 2*h.grabbed+1 < len(s.f.x) {
		return h.grabbed, true
	}
	i, d := s.f.nearest(x, y)
	reach := float64(slop+2) * float64(s.unit)
	if h.touch {
		reach *= 2
	}
	m := &s.maps[0]
	return i, i >= 0 && d*float64(m.area.W)/(m.x.Hi-m.x.Lo) <= reach
}

// place2D returns the place of the plane that is read, and in which map.
func (s *particlesPicture) place2D() (i int, x, y float64, ok bool) {
	if s.cursor.on == cursorMap {
		return 0, s.cursor.x, s.cursor.y, true
	}
	h := &s.hand
	if i = s.mapAt(h.x, h.y); !h.inside || i < 0 {
		return 0, 0, 0, false
	}
	x, y = s.maps[i].at(h.x, h.y)
	return i, x, y, true
}

// hoverFrame returns the frame that is read in the plots against time.
func (s *particlesPicture) hoverFrame() (frame int, ok bool) {
	h := &s.hand
	switch s.cursor.on {
	case cursorEnergy, cursorError, cursorLatent:
		return s.f.now, true
	}
	if !h.inside {
		return 0, false
	}
	if a := s.timeAt(h.x, h.y); a != nil {
		return s.frameAt(a, h.x), true
	}
	return 0, false
}

// hoverDimension returns the dimension of ẑ that is read, from 0, or -1.
func (s *particlesPicture) hoverDimension() int {
	h := &s.hand
	switch {
	case s.cursor.on == cursorLatent:
		return min(s.cursor.dimension, s.f.d-1)
	case !h.inside:
		return -1
	}
	if i := s.barAt(h.x, h.y); i >= 0 {
		return i
	}
	return s.stripAt(h.x, h.y)
}

// stripAt returns the dimension of ẑ under a pixel of the strip, or -1.
func (s *particlesPicture) stripAt(x, y float32) int {
	if s.told != storyLatent || s.f.d == 0 {
		return -1
	}
	for _, r := range [...]plot.Rect{s.strip.past, s.strip.future} {
		if r.Contains(x, y) {
			return min(int((y-r.Y)/r.H*float32(s.f.d)), s.f.d-1)
		}
	}
	return -1
}

// Keeps implements Keeper: a finger that moves particles or draws may go
// anywhere.
func (s *particlesPicture) Keeps() bool {
	return s.f.any && (s.f.tool == toolMove || s.f.tool == toolDraw)
}

// Shape implements Picture.
func (s *particlesPicture) Shape() Shape {
	h := &s.hand
	if !h.inside || !s.f.any {
		return Arrow
	}
	if h.press == pressTime {
		return Slide
	}
	if i := s.mapAt(h.x, h.y); i >= 0 {
		x, y := s.maps[i].at(h.x, h.y)
		_, near := s.within(x, y)
		if s.f.tool == toolAdd || near && (s.f.tool == toolMove || s.f.tool == toolRemove) {
			return Hand
		}
		return Cross
	}
	switch {
	case s.timeAt(h.x, h.y) != nil:
		return Slide
	case s.hoverMeasurement(&s.lossAxes, s.f.lossStep) >= 0, s.hoverMeasurement(&s.mreAxes, s.f.mreStep) >= 0:
		return Cross
	}
	return Arrow
}

// particlesCursor is what the arrow keys read.
type particlesCursor struct {
	on        int
	x, y      float64 // in the plane
	held      bool    // a particle goes with it
	dimension int     // of ẑ, from 0
}

// What the arrow keys read.
const (
	cursorOff = iota
	cursorEnergy
	cursorError
	cursorLatent
	cursorMap
	cursors
)

// Key implements Picture. Left and Right go a frame back and on (ten with
// shift), Home and End to the first and the last; Down and Up choose what is
// read: the energy, the error, ẑ, whose dimensions Left and Right then choose,
// and the plane, in which all four arrows move a crosshair. There Enter does
// what the tool does, Delete removes the nearest particle. Escape puts the
// reading away.
func (s *particlesPicture) Key(key string, shift bool) bool {
	c, f := &s.cursor, &s.f
	if !f.any {
		return false
	}
	s.hand.inside = false
	if c.on == cursorMap {
		return s.mapKey(key, shift)
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
		if c.on == cursorLatent {
			c.dimension = min(max(c.dimension+n, 0), max(0, f.d-1))
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
		s.turn(-1)
	case "Escape":
		was := c.on
		c.on = cursorOff
		return was != cursorOff
	default:
		return false
	}
	return true
}

// turn makes the keys read what is next, by +1 or −1.
func (s *particlesPicture) turn(by int) {
	c := &s.cursor
	c.on = (c.on + by + cursors) % cursors
	if c.on == cursorError && s.fault.H == 0 {
		c.on += by // it is not shown
	}
	if c.on == cursorMap {
		m := &s.maps[0]
		c.x, c.y, c.held = (m.x.Lo+m.x.Hi)/2, (m.y.Lo+m.y.Hi)/2, false
	}
}

// mapKey takes a key while the crosshair is in the plane.
func (s *particlesPicture) mapKey(key string, shift bool) bool {
	c, f, m := &s.cursor, &s.f, &s.maps[0]
	step := (m.x.Hi - m.x.Lo) / 100
	if shift {
		step *= 10
	}
	x, y := c.x, c.y
	switch key {
	case "ArrowLeft":
		x -= step
	case "ArrowRight":
		x += step
	case "ArrowUp":
		y += step
	case "ArrowDown":
		y -= step
	case "Escape":
		c.on, c.held = cursorOff, false
		return true
	case "Delete", "Backspace":
		if len(f.x) > 0 {
			s.command("remove", places(c.x, c.y))
		}
		return true
	case "Enter":
		switch f.tool {
		case toolAdd, toolDraw:
			s.command("add", places(c.x, c.y))
		case toolRemove:
			if len(f.x) > 0 {
				s.command("remove", places(c.x, c.y))
			}
		case toolMove:
			s.hand.grabbed, _ = f.nearest(c.x, c.y)
			c.held = !c.held && s.hand.grabbed >= 0
		}
		return true
	default:
		return false
	}
	c.x, c.y = min(max(x, m.x.Lo), m.x.Hi), min(max(y, m.y.Lo), m.y.Hi)
	if c.held && f.tool == toolMove && 2*s.hand.grabbed+1 < len(f.x) {
		s.command("drag", strconv.Itoa(s.hand.grabbed)+" "+places(c.x, c.y))
	}
	return true
}
