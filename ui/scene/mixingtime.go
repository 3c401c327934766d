package scene

import (
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// placeTime lays out a plot against time.
func (s *mixingPicture) placeTime(a *axes, panel plot.Rect, y plot.Scale) {
	s.fit(a, panel, 1.35*s.row(), s.row())
	a.x = plot.Scale{Lo: 0, Hi: s.f.time(s.f.horizon), A: a.area.X, B: a.area.Right()}
	a.y = y
	a.y.A, a.y.B = a.area.Bottom(), a.area.Y
}

// ratioNames name the ratios, what they are the shares of, and in fewer words.
var ratioNames = [2][3]string{
	{"R_A_B", "share of B among the neighbours of A", "B next to A"},
	{"R_B_A", "share of A among the neighbours of B", "A next to B"},
}

// drawTimeAxis draws what all plots against time have in common.
func (s *mixingPicture) drawTimeAxis(b *plot.Batch, a *axes, rows int) {
	f := &s.f
	s.timeAxis(b, a, rows, f.time(f.now), true)
	if frame, ok := s.hoverFrame(); ok {
		b.Box(plot.Rect{X: round(a.x.Pos(f.time(frame))), Y: a.area.Y, W: s.px(1), H: a.area.H}, 0, s.theme.Faint)
	}
}

// tail returns a row of pairs from its i-th number on, so that every second of
// them is of ratio i.
func tail(row []float32, i int) []float32 { return row[min(i, len(row)):] }

// drawRatio draws ratio i: its ensemble over the whole horizon, and the truth
// that overtakes it.
func (s *mixingPicture) drawRatio(b *plot.Batch, i int) {
	a, t, f := &s.ratioAxes[i], &s.theme, &s.f
	s.ratioHeading(b, i)
	s.drawTimeAxis(b, a, 6)
	shown := f.shows(showsPrediction)
	if shown {
		s.drawBand(b, a, tail(f.lowB, i), tail(f.highB, i), t.Other)
		s.drawBand(b, a, tail(f.low, i), tail(f.high, i), t.Learned)
		s.drawMembers(b, a, i)
	}
	// What is recorded but lies ahead of the frame shown is pale.
	truth := tail(f.ratios, i)
	if f.now < f.known {
		s.trace(a, f.dt, truth, 2, f.now, f.known)
		b.Line(s.points, plot.Pen{Width: 0.8 * s.thick(), Color: t.Target.Mix(t.Paper, 0.6)})
	}
	s.trace(a, f.dt, truth, 2, 0, f.now)
	b.Line(s.points, plot.Pen{Width: s.thick(), Color: t.Target})
	if shown {
		s.drawMean(b, a, tail(f.meanB, i), t.Other)
		s.drawMean(b, a, tail(f.mean, i), t.Learned)
	}
	s.drawRatioKeys(b, i)
	if p := a.measurementAt(f.time(f.now), float32(at(f.ratios, 2*f.now+i))); p.Finite() {
		b.Disc(p.X, p.Y, 6*s.unit, t.Paper)
		b.Disc(p.X, p.Y, 4.5*s.unit, t.Target)
	}
	if frame, ok := s.hoverFrame(); ok {
		k := 2*frame + i
		s.readDot(b, a, frame, at(f.meanB, k), t.Other)
		s.readDot(b, a, frame, at(f.ratios, k), t.Target)
		s.readDot(b, a, frame, at(f.mean, k), t.Learned)
	}
}

// drawMean draws a curve of which every second number counts, at places far
// enough apart for its dashes to be seen.
func (s *mixingPicture) drawMean(b *plot.Batch, a *axes, mean []float32, c plot.Color) {
	every := s.stride(a, 2)
	s.trace(a, s.f.dt*float64(every), mean, 2*every, 0, s.f.horizon/every)
	b.Line(s.points, s.predictionPen(c))
}

// A member of the ensemble is drawn for every so many CSS pixels of a plot, and
// at places so far apart: more would be a smear.
const (
	memberRoom  = 150
	memberPlace = 2.5
)

// drawMembers draws a few members of the ensemble of ratio i.
func (s *mixingPicture) drawMembers(b *plot.Batch, a *axes, i int) {
	f := &s.f
	n, most := 2*(f.horizon+1), int(a.area.W/(memberRoom*s.unit))
	every := s.stride(a, memberPlace)
	for k := range most {
		if (k+1)*n > len(f.paths) {
			return
		}
		s.trace(a, f.dt*float64(every), f.paths[k*n+i:(k+1)*n], 2*every, 0, f.horizon/every)
		b.Line(s.points, plot.Pen{Width: s.unit, Color: s.theme.Learned.Mix(s.theme.Paper, 0.5)})
	}
}

// stride returns how many frames apart curves are drawn so that their places are
// about so many CSS pixels apart.
func (s *mixingPicture) stride(a *axes, apart float32) int {
	return max(1, int(float32(s.f.horizon)*apart*s.unit/a.area.W+0.5))
}

// readDot marks a value that is being read.
func (s *mixingPicture) readDot(b *plot.Batch, a *axes, frame int, v float64, c plot.Color) {
	if p := a.measurementAt(s.f.time(frame), float32(v)); p.Finite() {
		s.dot(b, p.X, p.Y, c)
	}
}

// drawBand draws the region between two curves, of which every second number
// counts.
func (s *mixingPicture) drawBand(b *plot.Batch, a *axes, low, high []float32, c plot.Color) {
	f := &s.f
	s.edge = s.edge[:0]
	if len(low) == 0 || len(high) == 0 {
		return
	}
	last := min(f.horizon, (len(low)-1)/2, (len(high)-1)/2)
	stride := s.stride(a, 2)
	s.points = s.points[:0]
	for k := 0; k <= last; k += stride {
		s.points = append(s.points, a.measurementAt(f.time(k), low[2*k]))
		s.edge = append(s.edge, a.measurementAt(f.time(k), high[2*k]))
	}
	b.Band(s.points, s.edge, c.Fade(0.2))
	pen := plot.Pen{Width: s.unit, Color: c.Mix(s.theme.Paper, 0.45)}
	b.Line(s.points, pen)
	b.Line(s.edge, pen)
}

// ratioHeading names a ratio and gives its true and its predicted value at the
// frame shown.
func (s *mixingPicture) ratioHeading(b *plot.Batch, i int) {
	t, f, panel := &s.theme, &s.f, s.ratio[i]
	y, left, right := panel.Y+s.row()/2, panel.X+2*s.unit, panel.Right()-2*s.unit
	left += s.label(b, ratioNames[i][0], left, y, glyph.Left, t.Ink) + 8*s.unit
	roomy := right-left > 250*s.unit
	value := func(name string, v float64, c plot.Color) {
		if v != v {
			return
		}
		s.text = plot.AppendValue(s.text[:0], v)
		right -= s.number(b, right, y, glyph.Right, c) + 6*s.unit
		if roomy {
			right -= s.label(b, name, right, y, glyph.Right, t.Muted) + 12*s.unit
		}
	}
	if f.shows(showsPrediction) {
		value("predicted", at(f.mean, 2*f.now+i), t.Learned)
	}
	value("true", at(f.ratios, 2*f.now+i), t.Target)
	s.roomiest(b, left, y, right-left, glyph.Left, t.Muted, ratioNames[i][1], ratioNames[i][2])
}

// drawRatioKeys names the curves in the first plot and says how well the band
// does in the second, each in the corner that its curves leave free.
func (s *mixingPicture) drawRatioKeys(b *plot.Batch, i int) {
	a, t, f := &s.ratioAxes[i], &s.theme, &s.f
	least := float32(2.5) // rows
	switch {
	case i == 0 && a.area.W < 2*a.area.H:
		least = 5 // the curves are steep
	case i == 0:
		least = 4
	}
	if a.area.H < least*s.row() {
		return
	}
	// A ratio that has risen leaves the bottom right corner free.
	last := at(f.ratios, 2*f.known+i)
	if n := len(f.mean); n > 1 && f.shows(showsPrediction) {
		last = float64(f.mean[n-2+i])
	}
	low := !(last < 0.5*a.y.Hi)
	right := a.area.Right() - 8*s.unit
	line := func(k, of int) float32 {
		if low {
			return a.area.Bottom() - (0.7+float32(of-1-k))*s.row()
		}
		return a.area.Y + (0.7+float32(k))*s.row()
	}
	if i == 1 {
		s.drawCoverage(b, right, line, a.area.W-16*s.unit)
		return
	}
	if !f.shows(showsPrediction) || len(f.mean) == 0 {
		text := "press Roll out to predict"
		switch {
		case f.relaxes():
			text = "begins when the atoms are ready"
		case f.shows(showsPrediction):
			text = "no model yet"
		}
		s.roomiest(b, right, line(0, 1), a.area.W-16*s.unit, glyph.Right, t.Muted, text, "nothing yet")
		return
	}
	// Where there is little room the names are short, or cut.
	leftmost := a.area.X + 0.3*a.area.W
	x := right - glyph.Width(s.atlas, "mean of the ensemble", s.size) - 25*s.unit
	short := x < leftmost
	if short && !f.comparing {
		x = right - glyph.Width(s.atlas, "90 % band", s.size) - 25*s.unit
	}
	x = max(x, leftmost)
	s.key(b, x, line(0, 3), plot.Pen{Width: s.thick(), Color: t.Target}, "true")
	if f.comparing {
		room := right - x - 25*s.unit
		s.key(b, x, line(1, 3), s.predictionPen(t.Learned), "")
		s.title(b, f.nameA, x+25*s.unit, line(1, 3), room, t.Ink)
		s.key(b, x, line(2, 3), s.predictionPen(t.Other), "")
		s.title(b, f.nameB, x+25*s.unit, line(2, 3), room, t.Ink)
		return
	}
	mean := "mean of the ensemble"
	if short {
		mean = "mean"
	}
	s.key(b, x, line(1, 3), s.predictionPen(t.Learned), mean)
	y := line(2, 3)
	b.Box(plot.Rect{X: round(x + 2*s.unit), Y: round(y - 5*s.unit), W: round(18 * s.unit), H: round(10 * s.unit)}, 0, t.Paper)
	b.Box(plot.Rect{X: round(x + 2*s.unit), Y: round(y - 5*s.unit), W: round(18 * s.unit), H: round(10 * s.unit)}, 0, t.Learned.Fade(0.3))
	s.points = append(s.points[:0], plot.Point{X: x + 2*s.unit, Y: y}, plot.Point{X: x + 20*s.unit, Y: y})
	b.Line(s.points, plot.Pen{Width: 0.9 * s.unit, Color: t.Learned.Mix(t.Paper, 0.5)})
	s.text = s.text[:0]
	switch {
	case f.nominal != f.nominal:
		s.text = append(s.text, "band"...)
	case short:
		s.text = append(appendPercent(s.text, f.nominal), " band"...)
	default:
		s.text = append(appendPercent(append(s.text, "middle "...), f.nominal), " of them"...)
	}
	s.plated(b, x+25*s.unit, y, glyph.Left, t.Ink)
}

// drawCoverage says in words how many of the true values lie in the band, beside
// how many should.
func (s *mixingPicture) drawCoverage(b *plot.Batch, right float32, line func(k, of int) float32, room float32) {
	t, f := &s.theme, &s.f
	if !f.shows(showsPrediction) || f.coverage != f.coverage {
		return
	}
	for _, words := range [...]string{" of the true values so far lie in the ", " of the truth so far is in the ", " lie in the ", " in "} {
		s.text = append(appendPercent(s.text[:0], f.coverage), words...)
		if f.nominal == f.nominal {
			s.text = append(appendPercent(s.text, f.nominal), ' ')
		}
		s.text = append(s.text, "band"...)
		if fits(&s.pencil, s.text, room) {
			s.plated(b, right, line(0, 1), glyph.Right, t.Ink)
			return
		}
	}
}

// appendPercent appends a share in percent.
func appendPercent(dst []byte, share float64) []byte {
	return append(plot.AppendTick(dst, 100*share, 1), " %"...)
}
