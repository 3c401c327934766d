package scene

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// placeSteps lays out a plot against the step of training.
func (s *pencil) placeSteps(a *axes, panel plot.Rect, y plot.Scale, end float64) {
	s.fit(a, panel, 1.45*s.row(), s.row())
	a.x = plot.Scale{Lo: 0, Hi: end, A: a.area.X, B: a.area.Right()}
	a.y = y
	a.y.A, a.y.B = a.area.Bottom(), a.area.Y
}

// headline writes the first of a panel's names that leaves room for what is in
// s.text, which is left out if none does.
func (s *pencil) headline(b *plot.Batch, panel plot.Rect, names ...string) {
	y := panel.Y + s.row()/2
	room := panel.W - 4*s.unit
	value := glyph.Width(s.atlas, s.text, s.size) + 8*s.unit
	for _, name := range names {
		if fits(s, name, room-value) {
			s.label(b, name, panel.X+2*s.unit, y, glyph.Left, s.theme.Ink)
			s.number(b, panel.Right()-2*s.unit, y, glyph.Right, s.theme.Ink)
			return
		}
	}
	s.roomiest(b, panel.X+2*s.unit, y, room, glyph.Left, s.theme.Ink, names...)
}

// drawTraining draws the loss and the validation against the step.
func (s *particlesPicture) drawTraining(b *plot.Batch) {
	f := &s.f
	s.text = s.text[:0]
	if n := len(f.loss); n > 0 {
		s.text = plot.AppendValue(s.text, float64(f.loss[n-1]))
	}
	s.headline(b, s.lossAxes.panel, "training loss", "loss")
	above := s.lossAxes.panel.Y > s.story.Y
	text := f.stage
	if above {
		s.title(b, text, s.story.X+2*s.unit, s.story.Y+0.4*s.row(), s.story.W, s.theme.Learned)
	}
	if above || s.lossAxes.area.H < 7*s.row() { // over so low a plot it would hide the curve; the page says it too
		text = nil
	}
	s.drawSeries(b, &s.lossAxes, f.lossStep, f.loss, text)
	s.text = s.text[:0]
	if n := len(f.mreVal); n > 0 {
		s.text = plot.AppendValue(s.text, float64(f.mreVal[n-1]))
	}
	s.headline(b, s.mreAxes.panel, "validation MRE", "val. MRE", "MRE")
	s.drawSeries(b, &s.mreAxes, f.mreStep, f.mreVal, nil)
}

// drawSeries draws one quantity of training against the step, with a line of
// text over it and the measurement that is read.
func (s *particlesPicture) drawSeries(b *plot.Batch, a *axes, steps, values []float32, text []byte) {
	s.series(b, a, steps, values, text)
	s.mark(b, a, s.hoverMeasurement(a, steps), steps, values)
}

// series draws one quantity of training against the step, with a line of text
// over it.
func (s *pencil) series(b *plot.Batch, a *axes, steps, values []float32, text []byte) {
	t := &s.theme
	s.baseline(b, a, a.area.Bottom())
	y := a.area.Bottom() + s.row()*0.55
	s.label(b, "step", a.area.X-14*s.unit, y, glyph.Right, t.Muted)
	if len(values) > 0 {
		s.yTicks(b, a, 5)
		s.xTicks(b, a, max(2, int(a.area.W/(s.size*6))), a.area.Bottom(), y)
	}
	s.points = s.points[:0]
	for i := range values {
		s.points = append(s.points, a.measurementAt(float64(steps[i]), values[i]))
	}
	if len(s.points) > 2*int(a.area.W) {
		s.points = plot.Thin(s.points)
	}
	if len(s.points)*int(8*s.unit) < int(a.area.W) {
		for _, p := range s.points {
			if p.Finite() {
				b.Disc(p.X, p.Y, 2.6*s.unit, t.Learned)
			}
		}
	}
	b.Line(s.points, plot.Pen{Width: s.size / 9, Color: t.Learned})
	if len(values) == 0 && len(text) == 0 {
		s.label(b, "not measured yet", a.area.X+a.area.W/2, a.area.Y+a.area.H/2, glyph.Center, t.Muted)
	}
	if len(text) > 0 {
		s.title(b, text, a.area.X+6*s.unit, a.area.Y+0.6*s.row(), a.area.W-8*s.unit, t.Muted)
	}
}

// mark marks measurement i, none if it is negative.
func (s *pencil) mark(b *plot.Batch, a *axes, i int, steps, values []float32) {
	if i < 0 {
		return
	}
	if p := a.measurementAt(float64(steps[i]), values[i]); p.Finite() {
		b.Box(plot.Rect{X: round(p.X), Y: a.area.Y, W: s.px(1), H: a.area.H}, 0, s.theme.Faint)
		s.dot(b, p.X, p.Y, s.theme.Learned)
	}
}

// hoverMeasurement returns the measurement that the pointer reads in a, or -1.
func (s *particlesPicture) hoverMeasurement(a *axes, steps []float32) int {
	h := &s.hand
	if s.told != storyTraining || !h.inside || !a.area.Contains(h.x, h.y) {
		return -1
	}
	i, _ := plot.Nearest(steps, a.x.Value(h.x))
	return i
}

// drawOrders draws what several orders of the same particles are predicted to
// do: by the deep set one thing, by an encoder that knows an order several. What
// is drawn is how far each prediction is from their mean: beside the fall of the
// energy itself the difference could not be seen.
func (s *particlesPicture) drawOrders(b *plot.Batch) {
	f := &s.f
	s.drawOrder(b, &s.deepAxes, f.orders, f.turn, f.dz,
		"deep set φ̂: 3 orders of one set", "deep set, 3 orders", "deep set")
	s.drawOrder(b, &s.orderedAxes, f.ordered, f.turnOrdered, f.dzOrdered,
		"order-dependent encoder: the same 3 orders", "order-dependent, 3 orders", "order-dependent", "with an order")
}

// drawOrder draws one encoder's predictions (R, n) for R orders.
func (s *particlesPicture) drawOrder(b *plot.Batch, a *axes, turns []float32, n int, dz float64, names ...string) {
	t, f := &s.theme, &s.f
	s.text = s.text[:0]
	panel := a.panel
	panel.Y -= s.row()
	s.headline(b, panel, names...)
	s.drawTimeAxis(b, a, 5, true)
	rows := len(turns) / max(1, n)
	for r := range rows {
		s.points = s.points[:0]
		for i := range n {
			s.points = append(s.points, a.measurementAt(f.time(i), float32(aside(turns, n, r, i))))
		}
		if len(s.points) > 2*int(a.area.W) {
			s.points = plot.Thin(s.points)
		}
		// Each is thinner than the one under it: what coincides is seen to.
		width := s.thick() * (0.7 + 0.6*float32(rows-1-r))
		b.Line(s.points, plot.Pen{Width: min(width, 3*s.thick()), Color: t.orderColor(r, rows)})
	}
	x, y := a.area.Right()-4*s.unit, a.area.Y+0.6*s.row()
	room := a.area.W - 8*s.unit
	if len(turns) == 0 {
		s.roomiest(b, a.area.X+a.area.W/2, a.area.Y+a.area.H/2, room, glyph.Center, t.Muted, "not for this number of particles", "not for this set")
		return
	}
	if dz == dz {
		for _, words := range [...]string{"shuffled, ẑ moved by ", "ẑ moved by ", "Δẑ = ", "Δẑ "} {
			if s.text = plot.AppendValue(append(s.text[:0], words...), dz); fits(&s.pencil, s.text, panel.W-4*s.unit) {
				s.number(b, panel.X+2*s.unit, a.panel.Y+0.4*s.row(), glyph.Left, t.Latent)
				break
			}
		}
	}
	if a.area.H < 4*s.row() {
		return
	}
	for _, words := range [...]string{"predictions apart by ", "apart by "} {
		if s.text = plot.AppendValue(append(s.text[:0], words...), spread(turns, n)); fits(&s.pencil, s.text, room) {
			s.plated(b, x, y, glyph.Right, t.Ink)
			break
		}
	}
	for _, words := range [...]string{"prediction less the mean of the orders", "prediction less the mean", "less their mean"} {
		if s.text = append(s.text[:0], words...); fits(&s.pencil, s.text, room) {
			s.plated(b, x, a.area.Bottom()-0.6*s.row(), glyph.Right, t.Muted)
			break
		}
	}
}

// aside returns how far row r of a table (R, n) is from the mean of all rows in
// column i.
func aside(table []float32, n, r, i int) float64 {
	var sum float64
	for k := i; k < len(table); k += n {
		sum += float64(table[k])
	}
	return float64(table[r*n+i]) - sum/float64(len(table)/n)
}

// orderColor tells the orders apart.
func (t *Theme) orderColor(r, rows int) plot.Color {
	return t.Labels.At(0.05 + 0.85*float64(r)/float64(max(1, rows-1)))
}

// spread returns the largest difference at any time between the rows of a table
// (R, n).
func spread(table []float32, n int) float64 {
	var most float64
	for i := range n {
		lo, hi := math.Inf(1), math.Inf(-1)
		for k := i; k < len(table); k += n {
			lo, hi = math.Min(lo, float64(table[k])), math.Max(hi, float64(table[k]))
		}
		if d := hi - lo; d > most {
			most = d
		}
	}
	return most
}
