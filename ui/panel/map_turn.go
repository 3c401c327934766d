package panel

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Turner is the Tool that turns the picture of a set in space by dragging, or with the arrows after Enter. The row "turn" has
// the two angles; without it the picture cannot be turned. The row "box" (n, 2) has a box
// as a line, with NaN between its parts. The row "edges" (3, 2) says where the texts "edge0" to "edge2" are. Turner sends the
// command "turn".
type Turner struct {
	shared
	turns, tilts float64 // NaN: the picture cannot be turned
	box, edges   []float32
	names        [3][]byte
	begun        [2]float64 // the angles when the press began
	active, held bool       // active: whether the pointer turns; held: whether the arrows do
	moved        bool       // whether the pointer has moved since the last command
	on           *Map
}

// Read implements Shared.
func (u *Turner) Read(f *wire.Frame) {
	u.turns, u.tilts = math.NaN(), math.NaN()
	if v := f.Numbers("turn"); len(v) == 2 {
		u.turns, u.tilts = float64(v[0]), float64(v[1])
	}
	u.box, u.edges = f.Numbers("box"), f.Numbers("edges")
	u.names = [3][]byte{f.Text("edge0"), f.Text("edge1"), f.Text("edge2")}
}

// can reports whether the picture can be turned.
func (u *Turner) can() bool { return u.turns == u.turns }

// Keeps implements Tool. A finger turns sideways, and scrolls the page up and down.
func (u *Turner) Keeps() bool { return false }

// Press implements Tool.
func (u *Turner) Press(c *Canvas, m *Map) bool {
	if !u.can() || !c.Over(m.area) {
		return false
	}
	u.active, u.on, u.begun = true, m, [2]float64{u.turns, u.tilts}
	return true
}

// Drag implements Tool.
func (u *Turner) Drag(*Canvas, *Map) { u.moved = true }

// Release implements Tool.
func (u *Turner) Release(c *Canvas, _ *Map, _ bool) (keep bool) {
	u.Flush(c)
	u.active = false
	return true
}

// Flush implements Shared. It sends at most one command per picture. A drag across the map is half a turn.
func (u *Turner) Flush(c *Canvas) {
	if u.moved && u.active && c.wandered() {
		p, share := &c.Pointer, 180/max(1, u.on.area.W)
		u.send(c, u.begun[0]+float64((p.X-p.FromX)*share), u.begun[1]+float64((p.Y-p.FromY)*share))
	}
	u.moved = false
}

// send asks for angles in half degrees.
func (u *Turner) send(c *Canvas, turn, tilt float64) {
	turn, tilt = math.Round(2*turn)/2, math.Round(2*min(max(tilt, -90), 90))/2
	turn -= 360 * math.Round(turn/360)
	if turn != u.turns || tilt != u.tilts {
		u.turns, u.tilts = turn, tilt
		c.Send("turn", turn, tilt)
	}
}

// Shape implements Tool.
func (u *Turner) Shape(c *Canvas, m *Map) Shape {
	return When(u.active, Slide)
}

// Tip implements Tool. While the picture turns there are no tips.
func (u *Turner) Tip(*Canvas, *Map) (t brush.Tip, alone bool) { return t, u.active && u.moved }

// Type implements Tool. After Enter, the arrows turn the picture, by the way that the crosshair would have gone.
func (u *Turner) Type(c *Canvas, m *Map, key string) bool {
	p := m.Plane
	w := p.window
	middle := [2]float64{(w[0] + w[1]) / 2, (w[2] + w[3]) / 2}
	switch {
	case !u.can() || key != "" && key != "Enter" && key != "Escape":
		return false
	case key == "":
		if u.held {
			by := 180 / (w[1] - w[0])
			u.send(c, u.turns+by*(p.cursor[0]-middle[0]), u.tilts-by*(p.cursor[1]-middle[1]))
			p.cursor = middle
		}
	default:
		was := u.held
		if u.held = key == "Enter" && !was; u.held {
			p.cursor = middle
		}
		return key == "Enter" || was
	}
	return true
}

// Draw implements Tool. It draws the box, and names its edges.
func (u *Turner) Draw(c *Canvas, m *Map) {
	c.Points = c.Points[:0]
	for i := range len(u.box) / 2 {
		c.Points = append(c.Points, m.within(u.box, i))
	}
	c.Line(c.Points, plot.Pen{Width: c.Px(1), Color: c.Theme.Muted.Fade(0.5)})
	for i := range min(len(u.edges)/2, len(u.names)) {
		if p := m.within(u.edges, i); p.Finite() && m.First {
			c.Text = append(c.Text[:0], u.names[i]...)
			c.Plated(p.X, p.Y, glyph.Center, c.Theme.Muted)
		}
	}
}
