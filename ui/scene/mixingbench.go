package scene

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// benches are the most small plots against time beside one another: the closures,
// the temperature and the energy.
const benches = 3

// trains reports whether there is a training to see.
func (p *mixingFrame) trains() bool { return len(p.stage) > 0 || len(p.loss) > 0 }

// placeBench lays out as many of the small plots as there is room for. The loss
// of a training takes the place of all but the closures, and theirs too where
// there is room for one.
func (s *mixingPicture) placeBench() {
	gap := 16 * s.unit
	s.benched = min(benches, int((s.bench.W+gap)/(benchRoom*s.unit+gap)))
	if s.bench.H <= 0 || s.benched == 0 {
		s.benched = 0
		return
	}
	each := (s.bench.W - float32(s.benched-1)*gap) / float32(s.benched)
	first, rest := s.bench.CutLeft(each)
	loss := first
	if s.benched > 1 {
		_, rest = rest.CutLeft(gap)
		loss = rest
	}
	s.placeTime(&s.closureAxes, first, plot.Scale{Lo: s.closureLo.V, Hi: s.closureHi.V})
	s.placeSteps(&s.lossAxes, loss, plot.Scale{Lo: s.lossLo.V, Hi: s.lossHi.V}, s.lossEnd.V)
	heat, energy := rest.CutLeft(each)
	_, energy = energy.CutLeft(gap)
	s.placeTime(&s.heatAxes, heat, plot.Scale{Lo: s.heatLo.V, Hi: s.heatHi.V})
	s.placeTime(&s.energyAxes, energy, plot.Scale{Lo: s.energyLo.V, Hi: s.energyHi.V})
}

// benchPlots returns the small plots against time that are shown.
func (s *mixingPicture) benchPlots() (closure, heat, energy bool) {
	n, trains := s.benched, s.f.trains()
	return n > 1 || n == 1 && !trains, n > 1 && !trains, n > 2 && !trains
}

func (s *mixingPicture) drawBench(b *plot.Batch) {
	f := &s.f
	closure, heat, energy := s.benchPlots()
	if closure {
		s.drawClosures(b)
	}
	if heat {
		s.drawThin(b, &s.heatAxes, f.temperature, "temperature", "T")
	}
	if energy {
		s.drawThin(b, &s.energyAxes, f.energy, "energy per atom", "U/N")
	}
	if s.benched > 0 && f.trains() {
		s.drawLoss(b)
	}
}

// thinRange returns the range of a measurement that fluctuates about its mean: at
// least a fifth of it, so that the first few values do not look wild.
func thinRange(values []float32) (lo, hi float64) {
	lo, hi = unite(values)
	if short := 0.2*math.Max(math.Abs(lo), math.Abs(hi)) - (hi - lo); short > 0 {
		lo, hi = lo-short/2, hi+short/2
	}
	return lo, hi
}

// drawThin draws a measurement against time, thin: it is not what is predicted.
func (s *mixingPicture) drawThin(b *plot.Batch, a *axes, values []float32, names ...string) {
	t, f := &s.theme, &s.f
	s.text = s.text[:0]
	if v := at(values, f.now); v == v {
		s.text = plot.AppendValue(s.text, v)
	}
	s.headline(b, a.panel, names...)
	if len(values) == 0 {
		s.baseline(b, a, a.area.Bottom())
		if !f.relaxes() {
			s.roomiest(b, a.area.X+a.area.W/2, a.area.Y+a.area.H/2, a.area.W, glyph.Center, t.Muted, "not measured", "–")
		}
		return
	}
	s.drawTimeAxis(b, a, 4)
	every := s.stride(a, 1)
	if f.now < f.known {
		s.trace(a, f.dt*float64(every), values, every, f.now/every, f.known/every)
		b.Line(s.points, plot.Pen{Width: s.unit, Color: t.Faint})
	}
	s.trace(a, f.dt*float64(every), values, every, 0, f.now/every)
	b.Line(s.points, plot.Pen{Width: 1.2 * s.unit, Color: t.Muted})
	if p := a.measurementAt(f.time(f.now), float32(at(values, f.now))); p.Finite() {
		s.dot(b, p.X, p.Y, t.Ink)
	}
	if frame, ok := s.hoverFrame(); ok {
		s.readDot(b, a, frame, at(values, frame), t.Ink)
	}
}

// drawClosures draws ẑ of both species through time, in the species' colours,
// with what training did not cover in grey.
func (s *mixingPicture) drawClosures(b *plot.Batch) {
	a, t, f := &s.closureAxes, &s.theme, &s.f
	s.closureHeading(b)
	if !f.shows(showsLatent) || f.d == 0 {
		s.baseline(b, a, a.area.Bottom())
		text := "no ẑ yet"
		switch {
		case f.relaxes():
			return
		case !f.shows(showsLatent):
			text = "press Encode"
		}
		s.label(b, text, a.area.X+a.area.W/2, a.area.Y+a.area.H/2, glyph.Center, t.Muted)
		return
	}
	for _, end := range [...][2]float64{{1, a.y.Hi}, {a.y.Lo, -1}} {
		top, bottom := round(a.y.Pos(end[1])), round(a.y.Pos(end[0]))
		b.Box(plot.Rect{X: a.area.X, Y: top, W: a.area.W, H: bottom - top}, 0, t.Faint.Fade(0.22))
	}
	s.drawTimeAxis(b, a, 4)
	for i := range f.d {
		c := s.closureColor(2 * i / f.d)
		s.trace(a, f.dt*float64(f.zstride), tail(f.zpast, i), f.d, 0, f.now/f.zstride)
		b.Line(s.points, plot.Pen{Width: 0.8 * s.thick(), Color: c})
		if p := a.measurementAt(f.time(f.now), f.z[i]); p.Finite() {
			s.dot(b, p.X, p.Y, c)
		}
	}
}

// closureColor is the colour of a species' closures: its own, fit for a line.
func (s *mixingPicture) closureColor(species int) plot.Color {
	c := s.theme.Species[species]
	if species == 1 {
		c = c.Mix(s.theme.Ink, 0.22)
	}
	return c
}

// closureHeading names the closures, or says how far the last shuffle moved them.
func (s *mixingPicture) closureHeading(b *plot.Batch) {
	t, f, panel := &s.theme, &s.f, s.closureAxes.panel
	y, x, right := panel.Y+s.row()/2, panel.X+2*s.unit, panel.Right()-2*s.unit
	if f.shuffles > 0 && finite(f.dz) {
		for _, words := range [...]string{"shuffled, ẑ moved by ", "ẑ moved by ", "Δẑ "} {
			if s.text = plot.AppendValue(append(s.text[:0], words...), f.dz); fits(&s.pencil, s.text, right-x) {
				s.number(b, x, y, glyph.Left, t.Latent)
				break
			}
		}
		return
	}
	x += s.roomiest(b, x, y, right-x-60*s.unit, glyph.Left, t.Ink, "closures ẑ", "ẑ") + 8*s.unit
	for i := range 2 {
		b.Disc(right-glyph.Width(s.atlas, "ẑ_A", s.size)-8*s.unit, y, 3.5*s.unit, s.closureColor(1-i))
		right -= s.label(b, [...]string{"ẑ_B", "ẑ_A"}[i], right, y, glyph.Right, t.Muted) + 20*s.unit
	}
}

func (s *mixingPicture) drawLoss(b *plot.Batch) {
	f, t, panel := &s.f, &s.theme, s.lossAxes.panel
	y, x, right := panel.Y+s.row()/2, panel.X+2*s.unit, panel.Right()-2*s.unit
	if n := len(f.loss); n > 0 {
		s.text = plot.AppendValue(s.text[:0], float64(f.loss[n-1]))
		right -= s.number(b, right, y, glyph.Right, t.Ink) + 8*s.unit
	}
	if len(f.stage) > 0 && fits(&s.pencil, f.stage, right-x) {
		x += s.title(b, f.stage, x, y, right-x, t.Learned) + 8*s.unit
	}
	s.roomiest(b, x, y, right-x, glyph.Left, t.Ink, "training loss, nats a transition", "training loss", "loss")
	s.series(b, &s.lossAxes, f.lossStep, f.loss, nil)
	s.mark(b, &s.lossAxes, s.hoverMeasurement(), f.lossStep, f.loss)
}

// hoverMeasurement returns the measurement of training that the pointer reads, or
// -1.
func (s *mixingPicture) hoverMeasurement() int {
	h, a := &s.hand, &s.lossAxes
	if !s.f.trains() || s.benched == 0 || !h.inside || !a.area.Contains(h.x, h.y) {
		return -1
	}
	i, _ := plot.Nearest(s.f.lossStep, a.x.Value(h.x))
	return i
}
