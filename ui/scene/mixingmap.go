package scene

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// drawMap draws the target (i even) or the learned density of species i/2.
func (s *mixingPicture) drawMap(b *plot.Batch, i int) {
	t, f, m := &s.theme, &s.f, &s.densities[i]
	species, learned := i/2, i%2 == 1
	ramp, grid := t.SpeciesDensity[species], f.q[species]
	if learned {
		grid = f.p[species]
	}
	b.Box(m.area, 0, ramp[0])
	hidden := learned && !f.shows(showsDensity)
	if !hidden {
		s.drawGrid(b, m, grid, ramp, s.top[species].V)
	}
	s.border(b, m.area)
	s.drawMapTitle(b, m, species, learned)
	x, y, room := m.area.X+m.area.W/2, m.area.Y+m.area.H/2, m.area.W-6*s.unit
	switch {
	case hidden:
		s.roomiest(b, x, y, room, glyph.Center, t.Muted, "press Decode", "Decode")
	case grid == nil && learned && f.d == 0 && !f.relaxes(): // else it is on its way
		s.roomiest(b, x, y, room, glyph.Center, t.Muted, "no model yet", "none yet", "–")
	}
	y = m.area.Bottom() + 0.55*s.row()
	if learned && !hidden && f.kl[species] == f.kl[species] {
		for _, unit := range [...]string{" nats", ""} {
			s.text = append(plot.AppendValue(append(s.text[:0], "KL "...), f.kl[species]), unit...)
			if fits(&s.pencil, s.text, m.area.W) {
				s.number(b, x, y, glyph.Center, t.Ink)
				break
			}
		}
	}
	if !learned && grid != nil {
		s.drawMapScale(b, m, ramp, s.top[species].V, y)
	}
}

// drawGrid draws a grid of values as colours between the middles of its cells,
// the ramp's end at top.
func (s *mixingPicture) drawGrid(b *plot.Batch, m *planeMap, grid []float32, ramp *plot.Ramp, top float64) {
	f := &s.f
	if grid == nil || !f.found {
		return
	}
	s.colors = s.colors[:0]
	for j := f.ny - 1; j >= 0; j-- {
		for _, v := range grid[j*f.nx : (j+1)*f.nx] {
			s.colors = append(s.colors, ramp.At(float64(v)/top))
		}
	}
	b.Mesh(f.cells(m), f.nx, f.ny, s.colors)
}

// drawMapTitle says what a map is of.
func (s *mixingPicture) drawMapTitle(b *plot.Batch, m *planeMap, species int, learned bool) {
	t := &s.theme
	x, y := m.area.X, m.area.Y-0.6*s.row()
	b.Disc(x+4.5*s.unit, y, 4.5*s.unit, s.rim(species))
	b.Disc(x+4.5*s.unit, y, 3.5*s.unit, t.Species[species])
	x += 13 * s.unit
	room := m.area.Right() - x + 4*s.unit
	if learned {
		if species == 0 {
			s.roomiest(b, x, y, room, glyph.Left, t.Learned, "learned p_θ(x | ẑ_A)", "learned p_θ", "learned", "p_θ")
			return
		}
		s.roomiest(b, x, y, room, glyph.Left, t.Learned, "learned p_θ(x | ẑ_B)", "learned p_θ", "learned", "p_θ")
		return
	}
	if species == 0 {
		s.roomiest(b, x, y, room, glyph.Left, t.Target, "target q_A", "target", "q_A")
		return
	}
	s.roomiest(b, x, y, room, glyph.Left, t.Target, "target q_B", "target", "q_B")
}

// drawMapScale draws a map's colours with what they mean.
func (s *mixingPicture) drawMapScale(b *plot.Batch, m *planeMap, ramp *plot.Ramp, top float64, y float32) {
	t := &s.theme
	two := math.Pow(10, 1-math.Floor(math.Log10(top))) // significant digits
	s.text = plot.AppendShort(append(s.text[:0], "≥ "...), math.Round(top*two)/two)
	w := max(glyph.Width(s.atlas, s.text, s.size), glyph.Width(s.atlas, "≥ 0.0000", s.size)) // both species' alike
	wide := m.area.W - w - 6*s.unit
	if wide < 12*s.unit {
		return
	}
	r := plot.Rect{X: m.area.X, Y: round(y - 4*s.unit), W: round(min(wide, 60*s.unit)), H: round(8 * s.unit)}
	s.ramp(b, r, ramp)
	s.border(b, r)
	s.number(b, r.Right()+6*s.unit, y, glyph.Left, t.Muted)
}
