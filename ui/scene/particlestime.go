package scene

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// energyRange returns the range of the energy's axis: of the truth and of every
// prediction over the whole horizon.
func (p *particlesFrame) energyRange() (lo, hi float64) {
	return unite(p.energy, p.pred, p.predB)
}

// turnRange returns the range of the predictions for several orders about their
// mean, with room for words above and below.
func (p *particlesFrame) turnRange() (lo, hi float64) {
	top := math.Max(spread(p.orders, p.turn), spread(p.ordered, p.turnOrdered))
	if !(top > 0 && top <= math.MaxFloat32) {
		top = 1e-3
	}
	return -1.25 * top, 1.25 * top
}

// unite returns the range of all the curves with a margin around it.
func unite(curves ...[]float32) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		if a, z, ok := plot.Range(c); ok {
			lo, hi = math.Min(lo, a), math.Max(hi, z)
		}
	}
	if lo > hi {
		return 0, 1
	}
	pad := math.Max(0.07*(hi-lo), 1e-4*math.Max(math.Abs(lo), math.Abs(hi)))
	if pad == 0 {
		pad = 1
	}
	return lo - pad, hi + pad
}

// errorRange returns the decimal logarithms of the ends of the error's axis, at
// most five decades apart: the error is nought at frame 0.
func (p *particlesFrame) errorRange() (lo, hi float64) {
	lo, hi = logRange(p.err)
	if len(p.errB) > 0 {
		a, z := logRange(p.errB)
		lo, hi = math.Min(lo, a), math.Max(hi, z)
	}
	return math.Max(lo, hi-5), hi
}

// placeTime lays out a plot against time.
func (s *particlesPicture) placeTime(a *axes, panel plot.Rect, y plot.Scale) {
	s.fit(a, panel, 1.45*s.row(), s.row())
	a.x = plot.Scale{Lo: 0, Hi: s.f.time(s.f.horizon), A: a.area.X, B: a.area.Right()}
	a.y = y
	a.y.A, a.y.B = a.area.Bottom(), a.area.Y
}

// course puts the values of the frames from first to last into s.points; what is
// beyond the area follows its edge.
func (s *particlesPicture) course(a *axes, values []float32, first, last int) {
	s.trace(a, s.f.dt, values, 1, first, last)
}

// trace puts every stride-th of the values, which are dt apart on the x axis,
// from first to last into s.points; what is beyond the area follows its edge.
func (s *pencil) trace(a *axes, dt float64, values []float32, stride, first, last int) {
	s.points = s.points[:0]
	for i := max(0, first); i <= last && i*stride < len(values); i++ {
		s.points = append(s.points, a.measurementAt(float64(i)*dt, values[i*stride]))
	}
	if len(s.points) > 2*int(a.area.W) {
		s.points = plot.Thin(s.points)
	}
}

// measurementAt returns where a value at x is drawn: at the edge of the area if
// it is beyond, nowhere if it is not finite or has no logarithm.
func (a *axes) measurementAt(x float64, value float32) plot.Point {
	y := a.y.Pos(float64(value))
	if value-value != 0 || y != y {
		return plot.Point{Y: float32(math.NaN())}
	}
	return plot.Point{X: a.x.Pos(x), Y: max(a.area.Y, min(a.area.Bottom(), y))}
}

// drawTimeAxis draws what all plots against time have in common.
func (s *particlesPicture) drawTimeAxis(b *plot.Batch, a *axes, rows int, title bool) {
	t, f := &s.theme, &s.f
	if x, ok := s.leftAt(a); ok {
		b.Box(plot.Rect{X: x, Y: a.area.Y, W: a.area.Right() - x, H: a.area.H}, 0, t.Faint.Fade(0.22))
	}
	s.timeAxis(b, a, rows, f.time(f.now), title)
	if frame, ok := s.hoverFrame(); ok {
		b.Box(plot.Rect{X: round(a.x.Pos(f.time(frame))), Y: a.area.Y, W: s.px(1), H: a.area.H}, 0, t.Faint)
	}
}

// timeAxis draws the axes of a plot against time and marks what time it is now.
func (s *pencil) timeAxis(b *plot.Batch, a *axes, rows int, now float64, title bool) {
	t := &s.theme
	s.yTicks(b, a, rows)
	y := a.area.Bottom() + s.row()*0.55
	s.xTicks(b, a, max(2, int(a.area.W/(s.size*5))), a.area.Bottom(), y)
	s.baseline(b, a, a.area.Bottom())
	if title {
		s.label(b, "time", a.area.X-14*s.unit, y, glyph.Right, t.Muted)
	}
	b.Box(plot.Rect{X: round(a.x.Pos(now)), Y: a.area.Y, W: s.px(1), H: a.area.H}, 0, t.Muted)
}

// leftAt returns where on a time axis the prediction leaves what the law was
// trained on.
func (s *particlesPicture) leftAt(a *axes) (x float32, ok bool) {
	if s.f.left < 0 || s.f.left > s.f.horizon || !s.f.shows(showsPrediction) {
		return 0, false
	}
	return round(a.x.Pos(s.f.time(s.f.left))), true
}

func (s *pencil) thick() float32 { return s.size / 6 }

// predictionPen draws what is predicted: dashed.
func (s *pencil) predictionPen(c plot.Color) plot.Pen {
	w := s.thick()
	return plot.Pen{Width: w, Color: c, Dash: 2.6 * w, Period: 5.4 * w}
}

// key draws a legend's entry.
func (s *pencil) key(b *plot.Batch, x, y float32, pen plot.Pen, name string) {
	s.points = append(s.points[:0], plot.Point{X: x + 2*s.unit, Y: y}, plot.Point{X: x + 20*s.unit, Y: y})
	b.Line(s.points, pen)
	s.text = append(s.text[:0], name...)
	s.plated(b, x+25*s.unit, y, glyph.Left, s.theme.Ink)
}

func (s *particlesPicture) drawEnergy(b *plot.Batch) {
	a, t, f := &s.energyAxes, &s.theme, &s.f
	s.energyHeading(b)
	s.drawTimeAxis(b, a, 6, true)
	shown := f.shows(showsPrediction) && len(f.pred) > 0
	// Words stand on plates, over which the curves go.
	s.drawLeft(b, a)
	start := s.drawStartWords(b)
	if f.shows(showsPrediction) {
		s.course(a, f.predB, 0, f.horizon)
		b.Line(s.points, s.predictionPen(t.Other))
	}
	// What is recorded but lies ahead of the frame shown is pale.
	if f.now < f.known {
		s.course(a, f.energy, f.now, f.known)
		b.Line(s.points, plot.Pen{Width: s.thick(), Color: t.Target.Mix(t.Paper, 0.6)})
	}
	s.course(a, f.energy, 0, f.now)
	b.Line(s.points, plot.Pen{Width: 1.25 * s.thick(), Color: t.Target})
	if shown {
		// The prediction lies on top, dashed, so that where both agree both are
		// seen.
		s.course(a, f.pred, 0, f.horizon)
		b.Line(s.points, s.predictionPen(t.Learned))
	}
	if start.Finite() {
		b.Disc(start.X, start.Y, 6*s.unit, t.Learned)
		b.Disc(start.X, start.Y, 3.5*s.unit, t.Paper)
	}
	s.drawEnergyKeys(b, shown)
	if p := a.measurementAt(f.time(f.now), float32(at(f.energy, f.now))); p.Finite() {
		b.Disc(p.X, p.Y, 7*s.unit, t.Paper)
		b.Disc(p.X, p.Y, 5*s.unit, t.Target)
	}
	s.drawReadDots(b, a, f.energy, f.pred, f.predB)
}

// energyHeading names the observable and gives its two values at the frame
// shown, with as many words as there is room for.
func (s *particlesPicture) energyHeading(b *plot.Batch) {
	t, f := &s.theme, &s.f
	panel := s.energy
	y, left, right := panel.Y+s.row()/2, panel.X+2*s.unit, panel.Right()-2*s.unit
	left += glyph.Append(s.atlas, b, f.macro, s.size, left, y+s.atlas.CapHeight(s.size)/2, glyph.Left, t.Ink) + 8*s.unit
	if v := at(f.pred, f.now); v == v && f.shows(showsPrediction) {
		s.text = plot.AppendValue(s.text[:0], v)
		right -= s.number(b, right, y, glyph.Right, t.Learned) + 6*s.unit
		right -= s.roomiest(b, right, y, right-left-70*s.unit, glyph.Right, t.Muted, "predicted", "≈") + 12*s.unit
	}
	if v := at(f.energy, f.now); v == v {
		s.text = plot.AppendValue(s.text[:0], v)
		right -= s.number(b, right, y, glyph.Right, t.Target) + 6*s.unit
		right -= s.roomiest(b, right, y, right-left-10*s.unit, glyph.Right, t.Muted, "true") + 10*s.unit
	}
	if fits(&s.pencil, f.units, right-left) {
		glyph.Append(s.atlas, b, f.units, s.size, left, y+s.atlas.CapHeight(s.size)/2, glyph.Left, t.Muted)
	}
}

// drawStartWords says at frame 0 that it is all that the prediction knows, and
// returns where to mark it.
func (s *particlesPicture) drawStartWords(b *plot.Batch) plot.Point {
	a, t, f := &s.energyAxes, &s.theme, &s.f
	p := a.measurementAt(0, float32(at(f.pred, 0)))
	if !f.shows(showsPrediction) {
		p.Y = float32(math.NaN())
	}
	if p.Finite() {
		s.text = append(s.text[:0], "predicted from here alone"...)
		s.plated(b, p.X+12*s.unit, min(p.Y, a.area.Bottom()-0.6*s.row()), glyph.Left, t.Learned)
	}
	return p
}

// drawEnergyKeys names the curves where they do not run: most energies fall.
func (s *particlesPicture) drawEnergyKeys(b *plot.Batch, predicted bool) {
	a, t, f := &s.energyAxes, &s.theme, &s.f
	rows := 1
	if predicted {
		rows++
	}
	if predicted && len(f.predB) > 0 {
		rows++
	}
	if a.area.H < float32(rows+3)*s.row() {
		return
	}
	x := a.area.Right() - 12*s.unit - glyph.Width(s.atlas, "predicted, run A", s.size) - 25*s.unit
	y := a.area.Y + 1.75*s.row()
	s.key(b, x, y, plot.Pen{Width: 1.25 * s.thick(), Color: t.Target}, "true")
	switch {
	case predicted && len(f.predB) > 0:
		room := a.area.Right() - x - 27*s.unit
		s.key(b, x, y+s.row(), s.predictionPen(t.Learned), "")
		s.title(b, f.nameA, x+25*s.unit, y+s.row(), room, t.Ink)
		s.key(b, x, y+2*s.row(), s.predictionPen(t.Other), "")
		s.title(b, f.nameB, x+25*s.unit, y+2*s.row(), room, t.Ink)
	case predicted:
		s.key(b, x, y+s.row(), s.predictionPen(t.Learned), "predicted")
	default:
		words := "no prediction yet"
		if !f.shows(showsPrediction) {
			words = "press Roll out to predict"
		}
		s.label(b, words, a.area.Right()-6*s.unit, y+s.row(), glyph.Right, t.Muted)
	}
}

// drawLeft marks and names where the prediction leaves what it was trained on.
func (s *particlesPicture) drawLeft(b *plot.Batch, a *axes) {
	x, ok := s.leftAt(a)
	if !ok {
		return
	}
	t := &s.theme
	s.points = append(s.points[:0], plot.Point{X: x, Y: a.area.Y}, plot.Point{X: x, Y: a.area.Bottom()})
	b.Line(s.points, plot.Pen{Width: 1.5 * s.unit, Color: t.Ink, Period: 5 * s.unit})
	s.text = append(append(s.text[:0], "outside of training: "...), s.f.leftWhat...)
	if len(s.f.leftWhat) == 0 || !fits(&s.pencil, s.text, 0.6*a.area.W) {
		s.text = append(s.text[:0], "outside of training: "...)
		s.text = s.f.appendLeft(s.text)
	}
	y := a.area.Y + 0.47*a.area.H
	w := glyph.Width(s.atlas, s.text, s.size) + 8*s.unit
	switch {
	case x+w < a.panel.Right():
		s.plated(b, x+6*s.unit, y, glyph.Left, t.Ink)
	case x-w > a.area.X:
		s.plated(b, x-6*s.unit, y, glyph.Right, t.Ink)
	default:
		s.plated(b, a.panel.Right(), y, glyph.Right, t.Ink)
	}
}

// appendLeft appends the sign of the variable that has left.
func (p *particlesFrame) appendLeft(dst []byte) []byte {
	z := tableRow(p.zfuture, p.left, p.d)
	most, far := -1, 1.0
	for i, v := range z {
		if a := math.Abs(float64(v)); a > far {
			most, far = i, a
		}
	}
	if most < 0 {
		return append(dst, p.macro...)
	}
	dst = append(dst, "ẑ"...)
	if most >= 9 {
		dst = append(dst, '_', byte('0'+(most+1)/10))
	}
	return append(dst, '_', byte('0'+(most+1)%10))
}

// plated writes what is in s.text on a plate of paper, over whatever is there,
// and returns its width.
func (s *pencil) plated(b *plot.Batch, x, y float32, align glyph.Align, c plot.Color) float32 {
	w, h := glyph.Width(s.atlas, s.text, s.size)+6*s.unit, 1.1*s.size
	b.Box(plot.Rect{X: x - float32(align)*(w-6*s.unit) - 3*s.unit, Y: y - h/2, W: w, H: h}, 3*s.unit, s.theme.Paper.Fade(0.85))
	return s.number(b, x, y, align, c)
}

// drawReadDots marks the values being read.
func (s *particlesPicture) drawReadDots(b *plot.Batch, a *axes, first, second, third []float32) {
	frame, ok := s.hoverFrame()
	if !ok {
		return
	}
	t := &s.theme
	x := s.f.time(frame)
	for _, c := range [...]struct {
		values []float32
		color  plot.Color
	}{{third, t.Other}, {first, t.Target}, {second, t.Learned}} {
		if p := a.measurementAt(x, float32(at(c.values, frame))); p.Finite() {
			s.dot(b, p.X, p.Y, c.color)
		}
	}
}

func (s *particlesPicture) drawFault(b *plot.Batch) {
	a, t, f := &s.faultAxes, &s.theme, &s.f
	s.text = s.text[:0]
	if f.shows(showsPrediction) && f.mre == f.mre {
		s.text = plot.AppendValue(append(s.text, "MRE "...), f.mre)
		if f.mreB == f.mreB {
			s.text = plot.AppendValue(append(s.text, ", B "...), f.mreB)
		}
	}
	s.heading(b, s.fault, "error of the prediction", "squared, relative")
	if !f.shows(showsPrediction) || len(f.err) == 0 && len(f.errB) == 0 {
		s.baseline(b, a, a.area.Bottom())
		s.label(b, "nothing is predicted yet", a.area.X+a.area.W/2, a.area.Y+a.area.H/2, glyph.Center, t.Muted)
		return
	}
	s.drawTimeAxis(b, a, 5, true)
	pen := plot.Pen{Width: 0.8 * s.thick(), Color: t.Other}
	s.course(a, f.errB, 0, f.known)
	b.Line(s.points, pen)
	pen.Color = t.Learned.Mix(t.Paper, 0.6)
	s.course(a, f.err, f.now, f.known)
	b.Line(s.points, pen)
	pen.Color = t.Learned
	s.course(a, f.err, 0, f.now)
	b.Line(s.points, pen)
	if p := a.measurementAt(f.time(f.now), float32(at(f.err, f.now))); p.Finite() {
		s.dot(b, p.X, p.Y, t.Learned)
	}
	s.drawReadDots(b, a, nil, f.err, f.errB)
}
