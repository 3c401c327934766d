package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// tip is the box of values beside the crosshair.
type tip struct {
	x, y float32 // what it is about
	rows [8]tipRow
	n    int
}

type tipRow struct {
	name  string
	value float64
	whole bool // the value is a count
	color plot.Color
}

func (t *tip) add(r tipRow) {
	t.rows[t.n] = r
	t.n++
}

// hoverX returns the position that the crosshair in the density is at.
func (s *Scene) hoverX() (x float64, ok bool) {
	p := &s.pointer
	switch {
	case s.cursor.on:
		return s.cursor.x, true
	case p.inside && !p.pressed && s.main.area.Contains(p.x, p.y) && !s.rugReach().Contains(p.x, p.y):
		return s.main.x.Value(p.x), true
	}
	return 0, false
}

// drawCrosshair marks the position being read, or what a click on the rug
// would do.
func (s *Scene) drawCrosshair(b *plot.Batch, f *wire.DemoFrame) {
	a, t, p := &s.main, &s.theme, &s.pointer
	band := s.rugBand()
	line := s.px(1)
	if x, ok := s.hoverX(); ok {
		px := round(a.x.Pos(x))
		b.Box(plot.Rect{X: px, Y: a.area.Y, W: line, H: a.area.H + band.H}, 0, t.Faint)
		lo, hi := float64(f.Lo), float64(f.Hi)
		for _, c := range [...]struct {
			value float64
			color plot.Color
		}{
			{plot.Sample(f.Mixture, lo, hi, x), t.Mixture}, {target(f, x), t.Target}, {plot.Sample(f.Fit, lo, hi, x), t.Learned},
		} {
			if c.value-c.value == 0 {
				s.dot(b, px, max(a.area.Y, a.y.Pos(c.value)), c.color)
			}
		}
		return
	}
	if !p.inside || !p.pressed && !s.rugReach().Contains(p.x, p.y) {
		return
	}
	w := s.px(3)
	mark := func(x float32, c plot.Color) {
		b.Box(plot.Rect{X: round(x) - w/2, Y: band.Y - s.px(4), W: w, H: band.H + s.px(6)}, w/2, c)
	}
	value, near := s.particleAt(f, p.x)
	switch at := min(max(p.x, band.X), band.Right()); {
	case p.pressed && p.grabbed && p.dragged:
		mark(a.x.Pos(float64(p.value)), t.Faint)
		mark(at, t.Target)
	case p.pressed && p.grabbed:
		mark(a.x.Pos(float64(p.value)), t.Learned)
	case near:
		mark(a.x.Pos(float64(value)), t.Learned)
	case !p.pressed || !p.dragged:
		mark(at, t.Target.Mix(t.Paper, 0.4))
	}
}

// reading returns the values under the pointer or the keyboard's crosshair,
// and false when there are none.
func (s *Scene) reading(f *wire.DemoFrame) (r tip, ok bool) {
	p, t := &s.pointer, &s.theme
	if x, on := s.hoverX(); on {
		r.x, r.y = s.main.x.Pos(x), p.y
		if s.cursor.on {
			r.y = s.main.area.Y + 0.3*s.main.area.H
		}
		lo, hi := float64(f.Lo), float64(f.Hi)
		r.add(tipRow{name: "x", value: x, color: t.Muted})
		r.add(tipRow{name: "q_X", value: target(f, x), color: t.Target})
		r.add(tipRow{name: "p_θ", value: plot.Sample(f.Fit, lo, hi, x), color: t.Learned})
		if len(f.Mixture) > 0 {
			r.add(tipRow{name: "mixture", value: plot.Sample(f.Mixture, lo, hi, x), color: t.Mixture})
		}
		return r, true
	}
	if !p.inside {
		return r, false
	}
	r.x, r.y = p.x, p.y
	if p.pressed || s.rugReach().Contains(p.x, p.y) {
		r.y = s.main.area.Bottom() - 1.6*s.row()
		at := min(max(s.main.x.Value(p.x), float64(f.Lo)), float64(f.Hi))
		value, near := s.particleAt(f, p.x)
		switch {
		case p.pressed && p.grabbed && p.dragged:
			r.add(tipRow{name: "move to", value: at, color: t.Target})
		case p.pressed && p.grabbed:
			r.add(tipRow{name: "remove", value: float64(p.value), color: t.Learned})
		case near:
			r.add(tipRow{name: "remove", value: float64(value), color: t.Learned})
		case !p.pressed || !p.dragged:
			r.add(tipRow{name: "add at", value: at, color: t.Target})
		}
		return r, r.n > 0
	}
	if i := s.latentAt(f, p.x, p.y); i >= 0 {
		r.add(tipRow{name: "dimension", value: float64(i + 1), whole: true, color: t.Muted})
		r.add(tipRow{name: "ẑ", value: float64(f.Z[i]), color: t.Latent})
		return r, true
	}
	if step, on := s.hoverStep(); on {
		steps, values, name := f.LossStep, f.Loss, "loss"
		if s.kl.area.Contains(p.x, p.y) {
			steps, values, name = f.KLStep, f.ValKL, "KL"
		}
		if i, _ := plot.Nearest(steps, step); i >= 0 {
			r.add(tipRow{name: "step", value: float64(steps[i]), whole: true, color: t.Muted})
			r.add(tipRow{name: name, value: float64(values[i]), color: t.Learned})
			return r, true
		}
	}
	return r, false
}

func (s *pencil) appendTipValue(r tipRow) {
	if r.whole {
		s.text = plot.AppendTick(s.text[:0], r.value, 1)
		return
	}
	s.text = plot.AppendValue(s.text[:0], r.value)
}

func (s *Scene) drawTip(b *plot.Batch, f *wire.DemoFrame) {
	if r, ok := s.reading(f); ok {
		s.box(b, &r)
	}
}

// box draws a tip beside what it is about.
func (s *pencil) box(b *plot.Batch, r *tip) {
	t, size := &s.theme, s.size
	var names, values float32
	for _, row := range r.rows[:r.n] {
		names = max(names, glyph.Width(s.atlas, row.name, size))
		s.appendTipValue(row)
		values = max(values, glyph.Width(s.atlas, s.text, size))
	}
	// Room for five digits keeps the box from breathing as it moves.
	values = max(values, glyph.Width(s.atlas, "−0.000", size))
	pad, mark, gap, line := s.px(9), s.px(14), s.px(12), s.row()*0.92
	w, h := 2*pad+mark+names+gap+values, 2*pad*0.7+line*float32(r.n)
	x, y := r.x+14*s.unit, r.y-h-10*s.unit
	if x+w > s.w*s.unit-4*s.unit {
		x = r.x - 14*s.unit - w
	}
	x, y = round(max(4*s.unit, x)), round(max(4*s.unit, y))
	w, h = round(w), round(h)
	edge := s.px(1)
	b.Box(plot.Rect{X: x - edge, Y: y - edge, W: w + 2*edge, H: h + 2*edge}, 6*s.unit+edge, t.TipEdge)
	b.Box(plot.Rect{X: x, Y: y, W: w, H: h}, 6*s.unit, t.Tip)
	for i, row := range r.rows[:r.n] {
		mid := y + 0.7*pad + line*(float32(i)+0.5)
		b.Disc(x+pad+3.5*s.unit, mid, 3.5*s.unit, row.color)
		s.label(b, row.name, x+pad+mark, mid, glyph.Left, t.TipMuted)
		s.appendTipValue(row)
		s.number(b, x+w-pad, mid, glyph.Right, t.TipInk)
	}
}

// Spoken returns the values under the pointer in words, for those who hear the
// page; empty when there are none. It allocates.
func (s *Scene) Spoken() string {
	r, ok := s.reading(s.frame())
	if !ok {
		return ""
	}
	return s.words(&r)
}

// words returns a tip in words.
func (s *pencil) words(r *tip) string {
	var text []byte
	for i, row := range r.rows[:r.n] {
		if i > 0 {
			text = append(text, ", "...)
		}
		name := row.name
		switch name {
		case "q_X":
			name = "target"
		case "p_θ":
			name = "learned"
		case "ẑ":
			name = "latent"
		case "encoded ẑ":
			name = "encoded"
		case "predicted ẑ":
			name = "predicted"
		}
		text = append(append(text, name...), ' ')
		s.appendTipValue(row)
		text = append(text, s.text...)
	}
	return string(text)
}
