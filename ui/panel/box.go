package panel

import (
	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Box is a box of atoms of two species, drawn to scale within walls that turn them
// back.
type Box struct {
	view
	Plane    *Plane
	Boundary *Boundary
	Clock    *Clock
	Species  [2]string // their names

	note     []byte
	relaxing float64 // share of the relaxation that is done, NaN when it is over
	atoms    [2]int
}

// AroundBox is how many rows of text there are above a box, and below it.
const AroundBox = 1.25

// Margin is how far a disc reaches beyond the window.
func (m *Box) Margin() float64 { return m.Plane.Diameter[0] / 2 }

func (m *Box) Read(f *wire.Frame) {
	m.plane, m.tool = m.Plane, m.Boundary
	m.note, m.relaxing = f.Text("note"), share(f, "relaxing")
	m.atoms = [2]int{}
	for i := range m.plane.count() {
		m.atoms[m.plane.species(i)]++
	}
	m.Boundary.box = &m.view
}

// relaxes reports whether the atoms are of one species yet.
func (m *Box) relaxes() bool { return m.relaxing == m.relaxing }

// Place implements Panel: the title is above the box, the axis below it.
func (m *Box) Place(c *Canvas, r plot.Rect) {
	m.rect = r
	m.span(plot.Rect{X: r.X, Y: r.Y + AroundBox*c.Row(), W: r.W, H: r.H - 2*AroundBox*c.Row()}.Round(), m.Margin())
}

func (m *Box) Draw(c *Canvas) {
	t, a := &c.Theme, m.area
	c.Box(a, 0, t.Paper.Mix(t.Ink, 0.025))
	m.drawAxis(c)
	m.drawAtoms(c)
	m.Boundary.Draw(c, &m.view)
	line := c.Px(2)
	c.Outline(a.Inset(-line, -line, -line, -line), line, t.Muted)
	m.drawTitle(c)
	if m.relaxes() {
		m.drawRelaxing(c)
	} else {
		c.Text = append(c.Text[:0], m.note...)
		c.Badge(a)
	}
	m.mark(c)
}

func (m *Box) Probe(c *Canvas, x, y float32) (brush.Tip, bool) {
	if m.Boundary.near(c, &m.view) {
		return m.Boundary.Reading(c)
	}
	return m.view.Probe(c, x, y)
}

// drawTitle says how many atoms of which species there are, and what time it is.
func (m *Box) drawTitle(c *Canvas) {
	t := &c.Theme
	y, x, right := m.area.Y-0.62*c.Row(), m.area.X, m.area.Right()
	if m.relaxes() {
		c.Roomiest(x, y, right-x, glyph.Left, t.Muted, "atoms of one species", "one species")
		return
	}
	for i, n := range m.atoms {
		c.Bead(x+5*c.Unit, y, 4, i)
		x += 14 * c.Unit
		x += c.Label(m.Species[i], x, y, glyph.Left, t.Ink) + 5*c.Unit
		c.Text = plot.AppendCount(c.Text[:0], n)
		if m.area.W > 22*c.Size {
			c.Text = append(c.Text, " atoms"...)
		}
		x += c.Write(x, y, glyph.Left, t.Muted) + 12*c.Unit
	}
	for _, words := range [...]string{"time ", ""} {
		if c.Text = m.Clock.appendTime(append(c.Text[:0], words...)); c.Wide() <= right-x {
			c.Write(right, y, glyph.Right, t.Ink)
			return
		}
	}
}

// drawAtoms draws the atoms as discs to scale, in the colours that a boundary that
// is held gives them as long as nothing has mixed.
func (m *Box) drawAtoms(c *Canvas) {
	t, p := &c.Theme, m.plane
	scale, edge := float64(m.area.W)/(m.x.Hi-m.x.Lo), 1.1*c.Unit
	parting := m.Boundary.held && (m.Clock.now == 0 || m.relaxes())
	for i := range p.count() {
		q := m.point(p.x[2*i], p.x[2*i+1])
		if !q.Finite() || !m.area.Contains(q.X, q.Y) {
			continue
		}
		species := p.species(i)
		if parting {
			species = 0
			if float64(p.x[2*i]) >= m.Boundary.x {
				species = 1
			}
		}
		fill, rim := t.Species[species], brush.Rim(t, species)
		if m.relaxes() && !parting {
			fill, rim = t.Faint, t.Muted
		} else if p.label != nil {
			fill = t.Labels.At(float64(p.label[i]))
		}
		r := max(1.2*c.Unit, float32(0.5*p.Diameter[species]*scale))
		if r < 3*edge {
			c.Disc(q.X, q.Y, r, fill)
			continue
		}
		c.Disc(q.X, q.Y, r, rim)
		c.Disc(q.X, q.Y, r-edge, fill)
	}
}

// drawAxis draws the x axis below the box, whose other marks are the boundary's.
func (m *Box) drawAxis(c *Canvas) {
	y := m.area.Bottom() + 0.62*c.Row()
	c.Ticks, _ = plot.Ticks(c.Ticks[:0], m.plane.window[0], m.plane.window[1], max(2, int(m.area.W/(c.Size*5))))
	step := 0.0
	if len(c.Ticks) > 1 {
		step = c.Ticks[1] - c.Ticks[0]
	}
	mark, marked := m.Boundary.at()
	for _, v := range c.Ticks {
		x := m.x.Pos(v)
		if marked && plot.Abs(x-m.x.Pos(mark)) < 3.2*c.Size {
			continue // the boundary's own value is written there
		}
		c.Text = plot.AppendTick(c.Text[:0], v, step)
		c.Write(x, y, glyph.Center, c.Theme.Muted)
	}
}

// drawRelaxing says how far the atoms are on their way from the lattice.
func (m *Box) drawRelaxing(c *Canvas) {
	for _, words := range [...]string{"leaving the lattice, at constant energy: ", "leaving the lattice: ", ""} {
		c.Text = append(plot.AppendCount(append(c.Text[:0], words...), int(100*m.relaxing)), " %"...)
		if c.Wide() <= m.area.W-24*c.Unit {
			break
		}
	}
	c.Badge(m.area)
	r := plot.Rect{X: m.area.X, Y: m.area.Bottom() - c.Px(5), W: m.area.W, H: c.Px(5)}
	c.Box(r, 0, c.Theme.Paper)
	r.W = plot.Round(r.W * float32(m.relaxing))
	c.Box(r, 0, c.Theme.Target)
}
