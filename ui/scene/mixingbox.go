package scene

import (
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// sigma are the diameters of the atoms of either species: the distances at which
// the potentials of like atoms vanish, in the units of the box.
var sigma = [2]float64{1, 0.9}

// speciesNames name the species.
var speciesNames = [2]string{"A", "B"}

func (s *mixingPicture) drawBox(b *plot.Batch) {
	t, f, m := &s.theme, &s.f, &s.box
	b.Box(m.area, 0, t.Paper.Mix(t.Ink, 0.025))
	s.drawBoxAxis(b)
	s.drawAtoms(b)
	s.drawBoundary(b)
	line := s.px(2)
	// The walls, which turn the atoms back.
	for _, r := range [...]plot.Rect{
		{X: m.area.X - line, Y: m.area.Y - line, W: m.area.W + 2*line, H: line}, {X: m.area.X - line, Y: m.area.Bottom(), W: m.area.W + 2*line, H: line},
		{X: m.area.X - line, Y: m.area.Y, W: line, H: m.area.H}, {X: m.area.Right(), Y: m.area.Y, W: line, H: m.area.H},
	} {
		b.Box(r, 0, t.Muted)
	}
	s.drawBoxTitle(b)
	if f.relaxes() {
		s.drawRelaxing(b)
	} else if s.text = append(s.text[:0], f.note...); len(s.text) > 0 && fits(&s.pencil, s.text, m.area.W-24*s.unit) {
		s.badge(b, m.area)
	}
}

// drawCrosshair marks the place that is read in the box and in every map.
func (s *mixingPicture) drawCrosshair(b *plot.Batch) {
	if x, y, ok := s.crosshair(); ok {
		s.cross(b, &s.box, x, y)
		for i := range s.densities {
			s.cross(b, &s.densities[i], x, y)
		}
	}
}

// cross marks a place of a map.
func (s *mixingPicture) cross(b *plot.Batch, m *planeMap, x, y float64) {
	p := m.point(float32(x), float32(y))
	if !p.Finite() || !m.area.Contains(p.X, p.Y) {
		return
	}
	line, d := s.px(1), 6*s.unit
	b.Box(plot.Rect{X: round(p.X - d), Y: round(p.Y), W: round(2 * d), H: line}, 0, s.theme.Ink)
	b.Box(plot.Rect{X: round(p.X), Y: round(p.Y - d), W: line, H: round(2 * d)}, 0, s.theme.Ink)
}

// drawBoxTitle says how many atoms of which species there are, and what time it
// is.
func (s *mixingPicture) drawBoxTitle(b *plot.Batch) {
	t, f := &s.theme, &s.f
	area := s.box.area
	y := area.Y - 0.62*s.row()
	x, right := area.X, area.Right()
	if f.relaxes() {
		s.roomiest(b, x, y, right-x, glyph.Left, t.Muted, "atoms of one species", "one species")
		return
	}
	for i, n := range f.atoms {
		b.Disc(x+5*s.unit, y, 5*s.unit, s.rim(i))
		b.Disc(x+5*s.unit, y, 4*s.unit, t.Species[i])
		x += 14 * s.unit
		x += s.label(b, speciesNames[i], x, y, glyph.Left, t.Ink) + 5*s.unit
		s.text = appendCount(s.text[:0], n)
		if area.W > 22*s.size {
			s.text = append(s.text, " atoms"...)
		}
		x += s.number(b, x, y, glyph.Left, t.Muted) + 12*s.unit
	}
	for _, words := range [...]string{"time ", ""} {
		s.text = plot.AppendTick(append(s.text[:0], words...), f.time(f.now), f.dt)
		if fits(&s.pencil, s.text, right-x) {
			s.number(b, right, y, glyph.Right, t.Ink)
			return
		}
	}
}

// rim is the colour of the edge of an atom.
func (s *mixingPicture) rim(species int) plot.Color {
	return s.theme.Species[species].Mix(s.theme.Ink, 0.35)
}

// drawAtoms draws the atoms as discs to scale.
func (s *mixingPicture) drawAtoms(b *plot.Batch) {
	t, f, m := &s.theme, &s.f, &s.box
	scale := float64(m.area.W) / (m.x.Hi - m.x.Lo)
	edge := 1.1 * s.unit
	part, parting := s.parting()
	for i := range len(f.x) / 2 {
		x := f.x[2*i]
		p := m.point(x, f.x[2*i+1])
		if !p.Finite() || !m.area.Contains(p.X, p.Y) {
			continue
		}
		species := f.species(i)
		if parting {
			species = 0
			if float64(x) >= part {
				species = 1
			}
		}
		fill, rim := t.Species[species], s.rim(species)
		if f.relaxes() && !parting {
			fill, rim = t.Faint, t.Muted
		} else if f.label != nil {
			fill = t.Labels.At(float64(f.label[i]))
		}
		r := max(1.2*s.unit, float32(0.5*sigma[species]*scale))
		if r < 3*edge {
			b.Disc(p.X, p.Y, r, fill)
			continue
		}
		b.Disc(p.X, p.Y, r, rim)
		b.Disc(p.X, p.Y, r-edge, fill)
	}
}

// parting returns where the species are about to be given out, and whether they
// are: while the boundary is held and nothing has mixed yet.
func (s *mixingPicture) parting() (x float64, ok bool) {
	return s.wall.x, s.wall.held && (s.f.now == 0 || s.f.relaxes())
}

// drawBoxAxis draws the x axis below the box, whose other marks are the wall's.
func (s *mixingPicture) drawBoxAxis(b *plot.Batch) {
	t, m := &s.theme, &s.box
	y := m.area.Bottom() + 0.62*s.row()
	var step float64
	s.ticks, step = plot.Ticks(s.ticks[:0], s.f.window[0], s.f.window[1], max(2, int(m.area.W/(s.size*5))))
	mark, marked := s.boundary()
	for _, v := range s.ticks {
		x := m.x.Pos(v)
		if marked && absf(x-m.x.Pos(mark)) < 3.2*s.size {
			continue // the boundary's own value is written there
		}
		s.text = plot.AppendTick(s.text[:0], v, step)
		s.number(b, x, y, glyph.Center, t.Muted)
	}
}

// boundary returns where the species were or will be given out.
func (s *mixingPicture) boundary() (x float64, ok bool) {
	if s.wall.held || s.wall.waiting > 0 {
		return s.wall.x, true
	}
	x = s.f.boundary
	return x, x >= s.f.window[0] && x <= s.f.window[1]
}

// drawBoundary draws the line at which the species were given out, with its
// handle and its value.
func (s *mixingPicture) drawBoundary(b *plot.Batch) {
	t, m := &s.theme, &s.box
	at, ok := s.boundary()
	if !ok {
		return
	}
	x := round(m.x.Pos(at))
	active := s.readsWall()
	width, ink := s.px(2), t.Ink
	if active {
		width = s.px(3)
	}
	s.points = append(s.points[:0], plot.Point{X: x, Y: m.area.Y}, plot.Point{X: x, Y: m.area.Bottom()})
	pen := plot.Pen{Width: float32(width) + 2*s.unit, Color: t.Paper}
	if s.f.now > 0 && !active {
		// It is history: the atoms have crossed it.
		pen.Width, pen.Color, pen.Dash, pen.Period = 1.6*s.unit, t.Ink, 5*s.unit, 10*s.unit
		b.Line(s.points, pen)
	} else {
		b.Line(s.points, pen)
		pen.Width, pen.Color = width, ink
		b.Line(s.points, pen)
	}
	// The handle.
	y, w, h := m.area.Y+m.area.H/2, 11*s.unit, 30*s.unit
	if active {
		w, h = 13*s.unit, 34*s.unit
	}
	edge := s.px(1.5)
	r := plot.Rect{X: round(x - w/2), Y: round(y - h/2), W: round(w), H: round(h)}
	b.Box(r.Inset(-edge, -edge, -edge, -edge), w/2+edge, ink)
	b.Box(r, w/2, t.Paper)
	for _, d := range [...]float32{-1.5, 1.5} {
		b.Box(plot.Rect{X: round(x + d*s.unit - 0.5*s.unit), Y: round(y - 5*s.unit), W: s.px(1), H: round(10 * s.unit)}, 0, ink)
	}
	// Its value, on the axis.
	s.text = plot.AppendShort(append(s.text[:0], "x = "...), at)
	half := glyph.Width(s.atlas, s.text, s.size)/2 + 3*s.unit
	s.number(b, min(max(x, m.area.X+half), m.area.Right()-half), m.area.Bottom()+0.62*s.row(), glyph.Center, ink)
}

// drawRelaxing says how far the atoms are on their way from the lattice.
func (s *mixingPicture) drawRelaxing(b *plot.Batch) {
	t, f, m := &s.theme, &s.f, &s.box
	for _, words := range [...]string{"leaving the lattice, at constant energy: ", "leaving the lattice: ", ""} {
		s.text = appendCount(append(s.text[:0], words...), int(100*f.relaxing))
		if s.text = append(s.text, " %"...); fits(&s.pencil, s.text, m.area.W-24*s.unit) {
			break
		}
	}
	s.badge(b, m.area)
	r := plot.Rect{X: m.area.X, Y: m.area.Bottom() - s.px(5), W: m.area.W, H: s.px(5)}
	b.Box(r, 0, t.Paper)
	r.W = round(r.W * float32(f.relaxing))
	b.Box(r, 0, t.Target)
}
