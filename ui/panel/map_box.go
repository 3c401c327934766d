package panel

import (
	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Walls lets a Map show a box with reflecting walls. Atoms of two species are drawn to scale. While
// there is a row "relaxing", the atoms have no species.
type Walls struct {
	Boundary *Boundary
	Species  [2]string // names of the species

	relaxing float64 // share of the relaxation that is done; NaN after the end of the relaxation
	atoms    [2]int
}

func (w *Walls) read(f *wire.Frame, m *Map) {
	p := m.Plane
	w.Boundary.box, w.relaxing, w.atoms = m, Share(f, "relaxing"), [2]int{}
	for i := range p.count() {
		w.atoms[p.species(i)]++
	}
}

// relaxes() is true while the atoms relax. During this time they have no species.
func (w *Walls) relaxes() bool { return w.relaxing == w.relaxing }

func (m *Map) drawBox(c *Canvas) {
	t, a := &c.Theme, m.area
	c.Box(a, 0, t.Paper.Mix(t.Ink, 0.025))
	m.drawAxis(c)
	m.drawAtoms(c)
	m.Tool.Draw(c, m)
	line := c.Px(2)
	c.Outline(a.Inset(-line, -line, -line, -line), line, t.Muted)
	if m.Walls.relaxes() {
		m.drawRelaxing(c)
		return
	}
	m.drawAtomCounts(c)
	c.Text = append(c.Text[:0], m.note...)
	c.Badge(a)
}

// drawAtomCounts writes the number of atoms of each species, and the time.
func (m *Map) drawAtomCounts(c *Canvas) {
	t := &c.Theme
	y, x, right := m.area.Y-0.62*c.Row(), m.area.X, m.area.Right()
	for i, n := range m.Walls.atoms {
		c.Bead(x+5*c.Unit, y, 4, i)
		x += 14 * c.Unit
		x += c.Label(m.Walls.Species[i], x, y, glyph.Left, t.Ink) + 5*c.Unit
		c.Text = plot.AppendCount(c.Text[:0], n)
		if m.area.W > 22*c.Size {
			c.Text = append(c.Text, " atoms"...)
		}
		x += c.Write(x, y, glyph.Left, t.Muted) + 12*c.Unit
	}
	for _, words := range [...]string{"time ", ""} {
		if c.Text = m.Plane.appendTime(append(c.Text[:0], words...)); c.Wide() <= right-x {
			c.Write(right, y, glyph.Right, t.Ink)
			return
		}
	}
}

// drawAtoms draws the atoms as discs to scale. At frame 0 their colours depend on the boundary
// that the user drags.
func (m *Map) drawAtoms(c *Canvas) {
	t, p := &c.Theme, m.Plane
	scale, edge := float64(m.area.W)/(m.x.Hi-m.x.Lo), 1.1*c.Unit
	parting := m.Walls.Boundary.held && (m.Plane.frame == 0 || m.Walls.relaxes())
	for i := range p.count() {
		q := m.within(p.x, i)
		species := p.species(i)
		if parting {
			species = 0
			if float64(p.x[2*i]) >= m.Walls.Boundary.x {
				species = 1
			}
		}
		fill, rim := t.Species[species], brush.Rim(t, species)
		if m.Walls.relaxes() && !parting {
			fill, rim = t.Faint, t.Muted
		} else if p.label != nil {
			fill = t.Labels.At(float64(p.label[i]))
		}
		r := max(1.2*c.Unit, float32(0.5*p.Diameter[species]*scale))
		if r < 3*edge {
			c.Point(q, r, fill)
			continue
		}
		c.Point(q, r, rim)
		c.Point(q, r-edge, fill)
	}
}

// drawAxis draws the x axis below the box, with no label near the boundary's value.
func (m *Map) drawAxis(c *Canvas) {
	y := m.area.Bottom() + 0.62*c.Row()
	var step float64
	c.Ticks, step = plot.Ticks(c.Ticks[:0], m.Plane.window[0], m.Plane.window[1], max(2, int(m.area.W/(c.Size*5))))
	mark, marked := m.Walls.Boundary.at()
	for _, v := range c.Ticks {
		x := m.x.Pos(v)
		if marked && plot.Abs(x-m.x.Pos(mark)) < 3.2*c.Size {
			continue // the boundary's value is at this place
		}
		c.Text = plot.AppendTick(c.Text[:0], v, step)
		c.Write(x, y, glyph.Center, c.Theme.Muted)
	}
}

// drawRelaxing displays the progress of the relaxation from the lattice.
func (m *Map) drawRelaxing(c *Canvas) {
	c.Roomiest(m.area.X, m.area.Y-0.62*c.Row(), m.area.W, glyph.Left, c.Theme.Muted, "atoms of one species", "one species")
	for _, words := range [...]string{"leaving the lattice, at constant energy: ", "leaving the lattice: ", ""} {
		c.Text = append(plot.AppendCount(append(c.Text[:0], words...), int(100*m.Walls.relaxing)), " %"...)
		if c.Wide() <= m.area.W-24*c.Unit {
			break
		}
	}
	c.Badge(m.area)
	r := plot.Rect{X: m.area.X, Y: m.area.Bottom() - c.Px(5), W: m.area.W, H: c.Px(5)}
	c.Box(r, 0, c.Theme.Paper)
	r.W = plot.Round(r.W * float32(m.Walls.relaxing))
	c.Box(r, 0, c.Theme.Target)
}
