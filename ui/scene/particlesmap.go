package scene

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// planeMap is a square of the plane with a density in it.
type planeMap struct {
	area  plot.Rect
	x, y  plot.Scale
	shows int
}

// What a map shows.
const (
	mapTarget = iota
	mapLearned
	mapDifference
	mapA
	mapB
)

// placeMaps lays out the squares, with the same scale both ways.
func (s *particlesPicture) placeMaps() {
	f := &s.f
	s.mapped = 2
	switch {
	case f.comparing:
		s.maps[0].shows, s.maps[1].shows = mapA, mapB
	case f.density == densityLearned:
		s.mapped, s.maps[0].shows = 1, mapLearned
	case f.density == densityTarget:
		s.mapped, s.maps[0].shows = 1, mapTarget
	case f.density == densityDifference:
		s.mapped, s.maps[0].shows = 1, mapDifference
	default:
		s.maps[0].shows, s.maps[1].shows = mapTarget, mapLearned
	}
	side := round(s.side)
	w := f.window
	half := math.Max(w[1]-w[0], w[3]-w[2]) / 2
	mx, my := (w[0]+w[1])/2, (w[2]+w[3])/2
	for i := range s.maps {
		m := &s.maps[i]
		x := s.particlesLayout.maps.X
		switch {
		case i == 1:
			x = s.particlesLayout.maps.Right() - side
		case s.mapped == 1:
			x += (s.particlesLayout.maps.W - side) / 2
		}
		m.area = plot.Rect{X: round(x), Y: round(s.particlesLayout.maps.Y + 1.3*s.row()), W: side, H: side}
		m.x = plot.Scale{Lo: mx - half, Hi: mx + half, A: m.area.X, B: m.area.Right()}
		m.y = plot.Scale{Lo: my - half, Hi: my + half, A: m.area.Bottom(), B: m.area.Y}
	}
}

// grid returns the density that a map shows.
func (p *particlesFrame) grid(shows int) []float32 {
	switch shows {
	case mapTarget:
		return p.q
	case mapB:
		return p.pB
	}
	return p.p
}

func (s *particlesPicture) drawMaps(b *plot.Batch) {
	t, f := &s.theme, &s.f
	for i := range s.mapped {
		m := &s.maps[i]
		ground := t.Density[0]
		if m.shows == mapDifference {
			ground = t.Signed.At(0.5)
		}
		b.Box(m.area, 0, ground)
		learned := m.shows != mapTarget
		if !learned || f.shows(showsDensity) {
			s.drawDensity(b, m)
		}
		if !learned && s.mapped == 2 && f.shows(showsDensity) {
			s.drawContours(b, m)
		}
		if i == 0 || f.shows(showsDensity) && len(f.x)/2 <= everywhere {
			s.drawParticles(b, m, m.shows != mapDifference && (i == 0 || f.comparing))
		}
		if m.shows != mapTarget && m.shows != mapDifference {
			s.drawSamples(b, m)
		}
		s.border(b, m.area)
		s.drawKeys(b, m, i)
		s.mapTitle(b, m, i)
		if learned && !f.shows(showsDensity) {
			s.plate(b, m.area, "press Decode")
		} else if learned && f.p == nil {
			s.plate(b, m.area, "no learned density yet")
		}
	}
	s.drawNote(b)
	s.drawHand(b)
	s.drawScales(b)
}

// border draws the edges of a map.
func (s *pencil) border(b *plot.Batch, r plot.Rect) {
	line := s.px(1)
	c := s.theme.Faint
	b.Box(plot.Rect{X: r.X, Y: r.Y, W: r.W, H: line}, 0, c)
	b.Box(plot.Rect{X: r.X, Y: r.Bottom() - line, W: r.W, H: line}, 0, c)
	b.Box(plot.Rect{X: r.X, Y: r.Y, W: line, H: r.H}, 0, c)
	b.Box(plot.Rect{X: r.Right() - line, Y: r.Y, W: line, H: r.H}, 0, c)
}

// plate writes text in the middle of a map on a plate of paper.
func (s *pencil) plate(b *plot.Batch, r plot.Rect, text string) {
	w := glyph.Width(s.atlas, text, s.size) + 16*s.unit
	h := 1.5 * s.row()
	x, y := r.X+r.W/2, r.Y+r.H/2
	b.Box(plot.Rect{X: round(x - w/2), Y: round(y - h/2), W: round(w), H: round(h)}, 6*s.unit, s.theme.Paper.Fade(0.85))
	s.label(b, text, x, y, glyph.Center, s.theme.Muted)
}

// drawDensity draws a map's density as colours between the middles of the cells.
func (s *particlesPicture) drawDensity(b *plot.Batch, m *planeMap) {
	f, t := &s.f, &s.theme
	grid := f.grid(m.shows)
	if grid == nil || !f.found || m.shows == mapDifference && f.q == nil {
		return
	}
	const unseen = 1.0 / 512 // of a scale, beside the ground's colour
	s.colors = s.colors[:0]
	for j := f.ny - 1; j >= 0; j-- {
		for i := range f.nx {
			k := j*f.nx + i
			v := float64(grid[k]) / s.top.V
			if m.shows == mapDifference {
				v = float64(grid[k]-f.q[k]) / s.diff.V
			}
			switch {
			case math.Abs(v) < unseen:
				s.colors = append(s.colors, plot.Color{})
			case m.shows == mapDifference:
				s.colors = append(s.colors, t.Signed.At(0.5+0.5*v))
			default:
				s.colors = append(s.colors, t.Density.At(v))
			}
		}
	}
	b.Mesh(f.cells(m), f.nx, f.ny, s.colors)
}

// contours are the shares of the learned density's typical value at which it has
// a line over the target.
var contours = [...]float64{0.3, 0.9}

// drawContours draws lines of the learned density.
func (s *particlesPicture) drawContours(b *plot.Batch, m *planeMap) {
	f := &s.f
	if f.p == nil || !f.found {
		return
	}
	r := f.cells(m)
	r.Y, r.H = r.Bottom(), -r.H
	top := typical(f.p)
	for _, share := range contours {
		b.Contour(r, f.nx, f.ny, f.p, float32(share*top), plot.Pen{Width: 1.3 * s.unit, Color: s.theme.Learned})
	}
}

// The most particles that are drawn with a rim of paper, and in more than one
// map; and the most samples.
const (
	rimmed     = 700
	everywhere = 2500
	mostPoints = 1500
)

// radius is that of a particle: smaller the more there are.
func (s *particlesPicture) radius(n int) float32 {
	r := 0.13 * float64(s.side) / math.Sqrt(float64(max(1, n)))
	return float32(math.Max(1.0*float64(s.unit), math.Min(4*float64(s.unit), r)))
}

// drawParticles draws the particles, pale unless they are what the map is of.
func (s *particlesPicture) drawParticles(b *plot.Batch, m *planeMap, strong bool) {
	f, t := &s.f, &s.theme
	n := len(f.x) / 2
	r := s.radius(n)
	rim := strong && n <= rimmed
	ink := t.Ink
	if !strong {
		ink = t.Ink.Fade(0.3)
		r *= 0.8
	}
	for i := range n {
		p := m.point(f.x[2*i], f.x[2*i+1])
		if !m.area.Contains(p.X, p.Y) {
			continue
		}
		if f.label != nil && m.shows != mapDifference {
			ink = t.Labels.At(float64(f.label[i]))
		}
		if rim {
			b.Disc(p.X, p.Y, r+0.7*s.unit, t.Paper)
		}
		b.Disc(p.X, p.Y, r, ink)
	}
}

// point returns where a place of the plane is drawn; nowhere for NaN.
func (m *planeMap) point(x, y float32) plot.Point {
	return plot.Point{X: m.x.Pos(float64(x)), Y: m.y.Pos(float64(y))}
}

// drawSamples draws what the flow makes of noise.
func (s *particlesPicture) drawSamples(b *plot.Batch, m *planeMap) {
	f, t := &s.f, &s.theme
	if !f.shows(showsDensity) {
		return
	}
	n := min(len(f.samples)/2, mostPoints)
	r := max(1.1*s.unit, 0.8*s.radius(n))
	for i := range n {
		if p := m.point(f.samples[2*i], f.samples[2*i+1]); m.area.Contains(p.X, p.Y) {
			b.Disc(p.X, p.Y, r, t.Learned)
		}
	}
}

// drawKeys says in the bottom corner of a map what its points are.
func (s *particlesPicture) drawKeys(b *plot.Batch, m *planeMap, i int) {
	f, t := &s.f, &s.theme
	x, y := m.area.X+8*s.unit, round(m.area.Bottom()-0.7*s.row())
	if i == 0 && f.label != nil && m.shows != mapDifference {
		r := plot.Rect{X: round(x), Y: round(y - 4*s.unit), W: round(36 * s.unit), H: round(8 * s.unit)}
		s.text = append(s.text[:0], "label 1"...)
		x += s.plated(b, x, y, glyph.Left, t.Muted) + 6*s.unit
		r.X = round(x)
		s.ramp(b, r, t.Labels)
		s.text = appendCount(s.text[:0], len(f.x)/2)
		x += r.W + 6*s.unit
		x += s.plated(b, x, y, glyph.Left, t.Muted) + 16*s.unit
	}
	if len(f.samples) > 0 && m.shows != mapTarget && m.shows != mapDifference && f.shows(showsDensity) {
		b.Disc(x+3*s.unit, y, 3*s.unit, t.Learned)
		s.text = append(s.text[:0], "drawn from the flow"...)
		if x+glyph.Width(s.atlas, s.text, s.size) < m.area.Right()-14*s.unit {
			s.plated(b, x+10*s.unit, y, glyph.Left, t.Muted)
		}
	}
}

// mapTitle names what a map shows, and what is known of all of it.
func (s *particlesPicture) mapTitle(b *plot.Batch, m *planeMap, i int) {
	t, f := &s.theme, &s.f
	y := m.area.Y - 0.7*s.row()
	x, right := m.area.X+2*s.unit, m.area.Right()-2*s.unit
	name, kl := "", math.NaN()
	switch m.shows {
	case mapTarget:
		x += s.label(b, "target", x, y, glyph.Left, t.Target) + 5*s.unit
		name = "q_X"
		if s.mapped == 1 {
			kl = f.kl
		}
	case mapLearned:
		x += s.label(b, "learned", x, y, glyph.Left, t.Learned) + 5*s.unit
		if name = "p_θ(x | ẑ)"; f.predicted {
			name = "p_θ of the predicted ẑ"
		}
		kl = f.kl
	case mapDifference:
		name, kl = "difference p_θ − q_X", f.kl
	case mapA:
		x += s.title(b, f.nameA, x, y, 0.55*m.area.W, t.Learned) + 10*s.unit
		kl = f.kl
	case mapB:
		x += s.title(b, f.nameB, x, y, 0.55*m.area.W, t.Other) + 10*s.unit
		kl = f.klB
	}
	if kl == kl && m.shows == mapLearned && !fits(&s.pencil, "p_θ(x | ẑ) 0.0000 nats", right-x-12*s.unit) {
		name = "p_θ" // the figure matters more
	}
	if fits(&s.pencil, name, right-x) {
		x += s.label(b, name, x, y, glyph.Left, t.Ink) + 10*s.unit
	}
	if kl == kl && f.shows(showsDensity) {
		for _, before := range [...]string{"KL(q_X ‖ p_θ) = ", "KL = ", ""} {
			s.text = plot.AppendValue(append(s.text[:0], before...), kl)
			s.text = append(s.text, " nats"...)
			if fits(&s.pencil, s.text, right-x) {
				s.number(b, right, y, glyph.Right, t.Ink)
				break
			}
		}
		return
	}
	if i == 0 && s.mapped == 2 && f.p != nil && f.shows(showsDensity) {
		if w := glyph.Width(s.atlas, "contours of p_θ", s.size); x+w < right {
			s.label(b, "contours of p_θ", right, y, glyph.Right, t.Learned)
			return
		}
	}
	if i == 0 {
		s.text = append(s.text[:0], "time "...)
		s.text = plot.AppendTick(s.text, f.time(f.now), f.dt)
		if fits(&s.pencil, s.text, right-x) {
			s.number(b, right, y, glyph.Right, t.Muted)
		}
	}
}

// title writes a name, as much of it as there is room for.
func (s *pencil) title(b *plot.Batch, name []byte, x, y, room float32, c plot.Color) float32 {
	s.text = append(s.text[:0], name...)
	for len(s.text) > 0 && !fits(s, s.text, room) {
		n := min(len(name), len(s.text)-len("…")) - 1
		for n > 0 && name[n]&0xc0 == 0x80 { // within a rune
			n--
		}
		if n <= 0 {
			s.text = s.text[:0]
			break
		}
		s.text = append(append(s.text[:0], name[:n]...), "…"...)
	}
	return s.number(b, x, y, glyph.Left, c)
}

// drawNote says in the corner of the first map what is special about it, or
// what the pointer does there.
func (s *particlesPicture) drawNote(b *plot.Batch) {
	f := &s.f
	s.text = append(s.text[:0], f.note...)
	if len(s.text) == 0 {
		s.text = append(s.text, tools[min(f.tool, len(tools)-1)]...)
	}
	area := s.maps[0].area
	if len(s.text) == 0 || !fits(&s.pencil, s.text, area.W-24*s.unit) {
		return
	}
	s.badge(b, area)
}

// badge writes what is in s.text on a plate in the top left corner of an area.
func (s *pencil) badge(b *plot.Batch, area plot.Rect) {
	t := &s.theme
	w, h := glyph.Width(s.atlas, s.text, s.size)+14*s.unit, 1.35*s.row()
	r := plot.Rect{X: area.X + s.px(6), Y: area.Y + s.px(6), W: round(w), H: round(h)}
	line := s.px(1)
	b.Box(r.Inset(-line, -line, -line, -line), 6*s.unit+line, t.TipEdge)
	b.Box(r, 6*s.unit, t.Tip)
	s.number(b, r.X+7*s.unit, r.Y+r.H/2, glyph.Left, t.TipInk)
}

// tools are what the tools do, in words.
var tools = [...]string{
	toolLook: "", toolMove: "drag a particle", toolAdd: "press to add a particle", toolRemove: "press to remove a particle", toolDraw: "draw a starting set",
}

// drawHand shows what the pointer does to the particles.
func (s *particlesPicture) drawHand(b *plot.Batch) {
	f, t, h := &s.f, &s.theme, &s.hand
	if n := len(h.stroke); n >= 2 && h.press == pressMap {
		m := &s.maps[h.on]
		s.points = s.points[:0]
		for i := 0; i < n; i += 2 {
			s.points = append(s.points, m.point(h.stroke[i], h.stroke[i+1]))
		}
		b.Line(s.points, plot.Pen{Width: 3 * s.unit, Color: t.Target})
		if n == 2 {
			b.Disc(s.points[0].X, s.points[0].Y, 2*s.unit, t.Target)
		}
	}
	i, x, y, ok := s.place2D()
	if !ok || i >= s.mapped {
		return
	}
	for k := range s.mapped { // the same place in every map
		m := &s.maps[k]
		p := m.point(float32(x), float32(y))
		if !p.Finite() || !m.area.Contains(p.X, p.Y) {
			continue
		}
		if n, near := s.within(x, y); near && f.tool != toolAdd && f.tool != toolDraw {
			q := m.point(f.x[2*n], f.x[2*n+1])
			if h.grabbed == n && h.press == pressMap {
				q = p
			}
			c := t.Ink
			if f.tool == toolRemove {
				c = t.Learned
			}
			s.ring(b, q.X, q.Y, s.radius(len(f.x)/2)+5*s.unit, c)
		} else if f.tool == toolAdd && k == i {
			b.Disc(p.X, p.Y, s.radius(len(f.x)/2), t.Target)
		}
		if k != i || s.cursor.on == cursorMap {
			line := s.px(1)
			d := 7 * s.unit
			b.Box(plot.Rect{X: round(p.X - d), Y: round(p.Y), W: round(2 * d), H: line}, 0, t.Ink)
			b.Box(plot.Rect{X: round(p.X), Y: round(p.Y - d), W: line, H: round(2 * d)}, 0, t.Ink)
		}
	}
}

// ring draws a circle.
func (s *pencil) ring(b *plot.Batch, x, y, r float32, c plot.Color) {
	const n = 20
	s.points = s.points[:0]
	for i := range n + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		s.points = append(s.points, plot.Point{X: x + r*float32(cos), Y: y + r*float32(sin)})
	}
	b.Line(s.points, plot.Pen{Width: 1.6 * s.unit, Color: c})
}

// drawScales draws, under the maps, a length, the width ε of the target's kernel
// to the same scale, and the colours.
func (s *particlesPicture) drawScales(b *plot.Batch) {
	t, f := &s.theme, &s.f
	m := &s.maps[0]
	if !f.found {
		return
	}
	y := round(m.area.Bottom() + 0.8*s.row())
	x, line := s.particlesLayout.maps.X+2*s.unit, s.px(2)
	per := m.area.W / float32(m.x.Hi-m.x.Lo) // pixels in a unit of length

	var length float64
	s.ticks, length = plot.Ticks(s.ticks[:0], 0, 0.3*(m.x.Hi-m.x.Lo), 2)
	if w := round(float32(length) * per); length > 0 {
		b.Box(plot.Rect{X: x, Y: y - line/2, W: w, H: line}, 0, t.Ink)
		for _, end := range [...]float32{x, x + w - line} {
			b.Box(plot.Rect{X: end, Y: y - 4*s.unit, W: line, H: 8 * s.unit}, 0, t.Ink)
		}
		s.text = plot.AppendShort(append(s.text[:0], "length "...), length)
		x += w + 7*s.unit
		x += s.number(b, x, y, glyph.Left, t.Ink) + 22*s.unit
	}
	right := s.drawColorScale(b, s.particlesLayout.maps.Right()-2*s.unit, y, x)
	if !(f.sigma > 0) || math.IsInf(f.sigma, 0) {
		return
	}
	s.text = plot.AppendShort(append(s.text[:0], "kernel ε = "...), f.sigma)
	radius := float32(f.sigma) * per
	room := min(radius, 0.45*s.row())
	if x+2*room+6*s.unit+glyph.Width(s.atlas, s.text, s.size) > right {
		s.text = plot.AppendShort(append(s.text[:0], "ε = "...), f.sigma)
	}
	if x+2*room+6*s.unit+glyph.Width(s.atlas, s.text, s.size) > right {
		return
	}
	// A kernel wider than a line of text is a bar of its length.
	if radius <= room {
		r := max(radius, 0.75*s.unit)
		b.Disc(x+r, y, r, t.Target)
		x += 2*r + 6*s.unit
	} else if w := round(radius); x+w+6*s.unit+glyph.Width(s.atlas, s.text, s.size) <= right {
		b.Box(plot.Rect{X: x, Y: y - line/2, W: w, H: line}, 0, t.Target)
		x += w + 6*s.unit
	}
	s.number(b, x, y, glyph.Left, t.Ink)
}

// drawColorScale draws the maps' colours with what they mean, ending at right,
// and returns the x before it. What is left of least is taken: it is left out
// where there is no room.
func (s *particlesPicture) drawColorScale(b *plot.Batch, right, y, least float32) float32 {
	t := &s.theme
	ramp, low, high, above := t.Density, 0.0, s.top.V, "≥ "
	if s.mapped == 1 && s.maps[0].shows == mapDifference {
		ramp, low, high, above = t.Signed, -s.diff.V, s.diff.V, "more "
	}
	x := right
	if right-least < 170*s.unit {
		return right
	}
	s.text = plot.AppendShort(append(s.text[:0], above...), math.Round(high*100)/100)
	x -= s.number(b, x, y, glyph.Right, t.Muted) + 5*s.unit
	w, h := min(90*s.unit, 0.2*s.particlesLayout.maps.W), 10*s.unit
	r := plot.Rect{X: round(x - w), Y: round(y - h/2), W: round(w), H: round(h)}
	s.ramp(b, r, ramp)
	s.border(b, r)
	x = r.X - 5*s.unit
	s.text = s.text[:0]
	if low < 0 {
		s.text = append(s.text, "less "...)
	}
	s.text = plot.AppendShort(s.text, math.Round(low*100)/100)
	x -= s.number(b, x, y, glyph.Right, t.Muted) + 6*s.unit
	if w := glyph.Width(s.atlas, "density", s.size); x-w > least+90*s.unit {
		s.label(b, "density", x, y, glyph.Right, t.Muted)
		x -= w
	}
	return x - 10*s.unit
}
