package scene

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// rugHeight is the height of the particles' ticks, CSS pixels.
const rugHeight = 18

// legendEntry is one name in the legend and where it was put.
type legendEntry struct {
	name string
	x, y float32
}

// The entries of the legend, in their order.
const (
	targetEntry = iota
	learnedEntry
	mixtureEntry
)

func newLegend() []legendEntry {
	return []legendEntry{{name: "target q_X"}, {name: "learned p_θ(x | ẑ)"}, {name: "generating mixture"}}
}

// spiky reports whether q_X is too narrow for the grid of the frame, whose
// samples then hit or miss its peaks by chance.
func spiky(f *wire.DemoFrame) bool {
	return len(f.Target) > 1 && float64(f.Eps) < float64(f.Hi-f.Lo)/float64(len(f.Target)-1)
}

// target returns q_X at x.
func target(f *wire.DemoFrame, x float64) float64 {
	if !spiky(f) {
		return plot.Sample(f.Target, float64(f.Lo), float64(f.Hi), x)
	}
	var sum float64
	for _, p := range f.Particles {
		u := (x - float64(p)) / float64(f.Eps)
		sum += math.Exp(-u * u / 2)
	}
	return sum / (math.Sqrt(2*math.Pi) * float64(f.Eps) * float64(len(f.Particles)))
}

// densityTop returns the largest density that the axis shows. A fit that
// overshoots may raise it by half, no more: the target must stay readable. Of a
// spiky target the axis shows the foot alone.
func densityTop(f *wire.DemoFrame) float64 {
	_, top, ok := plot.Range(f.Mixture)
	if _, v, any := plot.Range(f.Target); any && !spiky(f) {
		top, ok = math.Max(top, v), true
	}
	_, fit, fitted := plot.Range(f.Fit)
	switch {
	case ok && top > 0 && fitted:
		top = math.Max(top, math.Min(fit, 1.5*top))
	case fitted && !ok:
		top = fit
	}
	if !(top > 0) {
		return 1
	}
	return 1.1 * top
}

const swatch, swatchGap, entryGap = 24, 6, 16 // CSS pixels

// placeLegend flows the legend into rows and returns how many. The KL goes to
// the end of the last one, or of the row below where there is no room.
func (s *Scene) placeLegend(panel plot.Rect, f *wire.DemoFrame) (rows int) {
	x, y := panel.X+2*s.unit, panel.Y+s.row()/2
	rows = 1
	for i := range s.legend {
		e := &s.legend[i]
		if i == mixtureEntry && len(f.Mixture) == 0 {
			continue
		}
		w := (swatch+swatchGap)*s.unit + glyph.Width(s.atlas, e.name, s.size)
		if x > panel.X+3*s.unit && x+w > panel.Right() {
			x, y, rows = panel.X+2*s.unit, y+s.row(), rows+1
		}
		e.x, e.y = x, y
		x += w + entryGap*s.unit
	}
	s.klApart = x+s.klWidth() > panel.Right()
	return rows
}

// klText puts the KL of the set shown into s.text.
func (s *Scene) klText(f *wire.DemoFrame) {
	s.text = append(s.text[:0], "KL(q_X ‖ p_θ)"...)
	if f.KL != f.KL {
		s.text = append(s.text, " not measured"...)
		return
	}
	s.text = plot.AppendValue(append(s.text, " = "...), float64(f.KL))
	s.text = append(s.text, " nats"...)
}

// klWidth is the room kept for the KL, whatever its value is.
func (s *Scene) klWidth() float32 {
	return glyph.Width(s.atlas, "KL(q_X ‖ p_θ) = 0.00000 nats", s.size)
}

func (s *Scene) placeMain(f *wire.DemoFrame) {
	panel := s.layout.main
	rows := s.placeLegend(panel, f)
	s.fit(&s.main, panel, float32(rows+1)*s.row(), s.px(rugHeight)+2.1*s.row())
	a := &s.main
	a.x = plot.Scale{Lo: float64(f.Lo), Hi: float64(f.Hi), A: a.area.X, B: a.area.Right()}
	a.y = plot.Scale{Lo: 0, Hi: math.Exp(s.top.V), A: a.area.Bottom(), B: a.area.Y}
}

// rugBand is where the particles' ticks are drawn.
func (s *Scene) rugBand() plot.Rect {
	a := s.main.area
	return plot.Rect{X: a.X, Y: a.Bottom(), W: a.W, H: s.px(rugHeight)}
}

// rugReach is where a click means a particle: the band, the labels under it,
// and a little of what is above, 44 CSS pixels in all.
func (s *Scene) rugReach() plot.Rect {
	return s.rugBand().Inset(-6*s.unit, -8*s.unit, -6*s.unit, -18*s.unit)
}

func (s *Scene) drawMain(b *plot.Batch, f *wire.DemoFrame) {
	a, t := &s.main, &s.theme
	band := s.rugBand()
	s.yTicks(b, a, 6)
	s.xTicks(b, a, max(2, int(a.area.W/(s.size*5))), band.Bottom(), band.Bottom()+s.row()*0.55)
	s.drawAxisTitles(b, band)
	if s.layout.narrow {
		s.drawKernelBar(b, f)
	} else {
		s.drawKernel(b, f)
	}

	lo, hi := float64(f.Lo), float64(f.Hi)
	learned := t.Learned
	if f.Refitting {
		learned = learned.Mix(t.Paper, 0.45)
	}
	s.countColumns(f, band)
	if spiky(f) {
		s.drawComb(b, a.area.Y, a.area.H, 0.28)
	} else {
		s.curve(a, f.Target, lo, hi)
		b.Area(s.points, a.area.Bottom(), t.Fill, t.Fill.Fade(0.35))
	}
	s.curve(a, f.Mixture, lo, hi)
	b.Line(s.points, s.pen(mixtureEntry, t.Mixture))
	if !spiky(f) {
		s.curve(a, f.Target, lo, hi)
		b.Line(s.points, s.pen(targetEntry, t.Target))
	}
	s.curve(a, f.Fit, lo, hi)
	b.Line(s.points, s.pen(learnedEntry, learned))
	s.baseline(b, a, a.area.Bottom())
	s.drawComb(b, band.Y+s.px(3), band.H-s.px(5), 0.58)

	s.drawLegend(b, f, learned)
	s.drawNote(b, f)
	if len(f.Target) == 0 {
		s.label(b, "waiting for the first particles", a.area.X+a.area.W/2, a.area.Y+a.area.H/2, glyph.Center, t.Muted)
	}
	s.drawCrosshair(b, f)
}

// pen returns how the curve of a legend's entry is drawn.
func (s *Scene) pen(entry int, c plot.Color) plot.Pen {
	w := s.size / 6
	switch entry {
	case learnedEntry:
		return plot.Pen{Width: w, Color: c, Dash: 3.2 * w, Period: 6.6 * w}
	case mixtureEntry:
		return plot.Pen{Width: 0.8 * w, Color: c, Period: 2.4 * w}
	}
	return plot.Pen{Width: w, Color: c}
}

func (s *Scene) drawLegend(b *plot.Batch, f *wire.DemoFrame, learned plot.Color) {
	t := &s.theme
	colors := [...]plot.Color{t.Target, learned, t.Mixture}
	for i, e := range s.legend {
		if i == mixtureEntry && len(f.Mixture) == 0 {
			continue
		}
		s.points = append(s.points[:0], plot.Point{X: e.x, Y: e.y}, plot.Point{X: e.x + swatch*s.unit, Y: e.y})
		b.Line(s.points, s.pen(i, colors[i]))
		s.label(b, e.name, e.x+(swatch+swatchGap)*s.unit, e.y, glyph.Left, t.Ink)
	}
	s.klText(f)
	y := s.main.area.Y - 1.5*s.row()
	if s.klApart {
		y += s.row()
	}
	s.number(b, s.main.area.Right(), y, glyph.Right, t.Ink)
}

// drawNote says what is unusual about the curves, if anything is.
func (s *Scene) drawNote(b *plot.Batch, f *wire.DemoFrame) {
	y := s.main.area.Y - 0.5*s.row()
	if s.klApart {
		y += s.row()
	}
	switch {
	case f.Refitting:
		s.text = append(s.text[:0], "refitting: fitted at ε = "...)
		s.text = plot.AppendShort(s.text, float64(f.FitEps))
		s.number(b, s.main.area.Right(), y, glyph.Right, s.theme.Learned)
	case spiky(f):
		s.label(b, "q_X peaks far above this picture", s.main.area.Right(), y, glyph.Right, s.theme.Target)
	}
}

// drawAxisTitles names the axes and says how to change the particles, in as
// many words as there is room for.
func (s *Scene) drawAxisTitles(b *plot.Batch, band plot.Rect) {
	const title = "position x"
	c := s.theme.Muted
	s.label(b, "density", s.main.panel.X+2*s.unit, s.main.area.Y-s.row()/2, glyph.Left, c)
	y := band.Bottom() + 1.5*s.row()
	width := s.label(b, title, band.Right(), y, glyph.Right, c)
	for _, hint := range hints[s.w < phone] {
		if glyph.Width(s.atlas, hint, s.size)+width+2*s.size <= band.W {
			s.label(b, hint, band.X, y, glyph.Left, c)
			return
		}
	}
}

// phone is the width in CSS pixels below which a finger is the likely pointer.
const phone = 500

var hints = map[bool][]string{
	false: {
		"Click under the axis to add a particle, on one to remove it; drag it to move it.",
		"Click under the axis to add or remove a particle.",
	},
	true: {
		"Tap under the axis to add or remove a particle.",
		"Tap under the axis: add, remove",
		"Tap: add, remove",
	},
}

// drawKernel draws the kernel that smooths every particle, to the scale of the
// x axis, and names its width.
func (s *Scene) drawKernel(b *plot.Batch, f *wire.DemoFrame) {
	if !(f.Eps > 0) {
		return
	}
	a, t := &s.main, &s.theme
	sigma := float32(float64(f.Eps)/(a.x.Hi-a.x.Lo)) * a.area.W
	x, base := a.area.X+14*s.unit, round(a.area.Y+3.1*s.row())
	height := 1.7 * s.row()
	line := s.px(1)
	switch reach := max(3*sigma, 6*s.unit); {
	case 2*reach < 0.4*a.area.W:
		mid := round(x + reach)
		if sigma < line {
			b.Box(plot.Rect{X: mid, Y: base - height, W: line, H: height}, 0, t.Muted)
		} else {
			s.bell(mid, base, sigma, height)
			b.Area(s.points, base, t.Faint.Fade(0.5), t.Faint.Fade(0.2))
			b.Line(s.points, plot.Pen{Width: 1.2 * s.unit, Color: t.Muted})
		}
		x = mid + reach
		// The bar from the middle out is ε long.
		b.Box(plot.Rect{X: mid, Y: base + 3*s.unit, W: max(line, round(sigma)), H: s.px(2)}, 0, t.Ink)
	case sigma < 0.9*a.area.W:
		b.Box(plot.Rect{X: x + 6*s.unit, Y: base + 3*s.unit, W: round(sigma), H: s.px(2)}, 0, t.Ink)
	}
	s.text = append(s.text[:0], "ε = "...)
	s.text = plot.AppendShort(s.text, float64(f.Eps))
	s.number(b, x+6*s.unit, base-height/2, glyph.Left, t.Ink)
}

// drawKernelBar names ε beside the y axis's title, with a bar of its length.
func (s *Scene) drawKernelBar(b *plot.Batch, f *wire.DemoFrame) {
	if !(f.Eps > 0) {
		return
	}
	a := &s.main
	x, y := a.panel.X+glyph.Width(s.atlas, "density", s.size)+22*s.unit, a.area.Y-s.row()/2
	s.text = append(s.text[:0], "ε = "...)
	s.text = plot.AppendShort(s.text, float64(f.Eps))
	x += s.number(b, x, y, glyph.Left, s.theme.Ink) + 8*s.unit
	length := float32(float64(f.Eps)/(a.x.Hi-a.x.Lo)) * a.area.W
	if x+length < a.area.Right()-s.klWidth() {
		b.Box(plot.Rect{X: x, Y: round(y), W: max(s.px(1), length), H: s.px(2)}, 0, s.theme.Ink)
	}
}

// bell puts a Gaussian of the given height, cut off at three σ, into s.points.
func (s *Scene) bell(mid, base, sigma, height float32) {
	const n = 48
	s.points = s.points[:0]
	for i := range n + 1 {
		u := 6*float64(i)/n - 3
		s.points = append(s.points, plot.Point{X: mid + float32(u)*sigma, Y: base - height*float32(math.Exp(-u*u/2))})
	}
}

// countColumns counts the particles in each pixel column of the rug.
func (s *Scene) countColumns(f *wire.DemoFrame, band plot.Rect) {
	n := int(band.W) + 1
	if cap(s.rug) < n {
		s.rug = make([]uint16, n)
	}
	s.rug = s.rug[:n]
	clear(s.rug)
	for _, p := range f.Particles {
		if i := int(round(s.main.x.Pos(float64(p)) - band.X)); i >= 0 && i < n && s.rug[i] < math.MaxUint16 {
			s.rug[i]++
		}
	}
}

// drawComb draws a tick of the given height for every particle. Particles in
// one pixel column make one darker tick, so that the cost has a bound.
func (s *Scene) drawComb(b *plot.Batch, top, height float32, opacity float64) {
	w := s.px(1)
	for i, c := range s.rug {
		if c == 0 {
			continue
		}
		ink := s.theme.Target.Fade(float32(1 - math.Pow(1-opacity, float64(c))))
		b.Box(plot.Rect{X: s.main.area.X + float32(i) - float32(int(w)/2), Y: top, W: w, H: height}, 0, ink)
	}
}
