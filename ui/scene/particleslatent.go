package scene

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// latentTop returns the largest |ẑ| that the bars' axis shows, at least training's
// range.
func (p *particlesFrame) latentTop() float64 {
	top := 1.0
	for _, v := range [...][]float32{p.z, p.zhat, p.zhatB} {
		if lo, hi, ok := plot.Range(v); ok {
			top = math.Max(top, math.Min(3, math.Max(-lo, hi)))
		}
	}
	return 1.1 * top
}

func (s *particlesPicture) placeBars() {
	s.fit(&s.barAxes, s.bars, 1.45*s.row(), s.row())
	a := &s.barAxes
	a.x = plot.Scale{Lo: 0.5, Hi: float64(max(1, s.f.d)) + 0.5, A: a.area.X, B: a.area.Right()}
	a.y = plot.Scale{Lo: -s.zTop.V, Hi: s.zTop.V, A: a.area.Bottom(), B: a.area.Y}
}

// barAt returns the dimension under a place, from 0, or -1.
func (s *particlesPicture) barAt(x, y float32) int {
	r := s.barAxes.area
	r.H += s.row() // the numbers belong to their bars
	if i := int(math.Round(s.barAxes.x.Value(x))) - 1; r.Contains(x, y) && i >= 0 && i < s.f.d {
		return i
	}
	return -1
}

func (s *particlesPicture) drawBars(b *plot.Batch) {
	a, t, f := &s.barAxes, &s.theme, &s.f
	y := s.bars.Y + s.row()/2
	x := s.bars.X + 2*s.unit
	x += s.label(b, "closure ẑ", x, y, glyph.Left, t.Ink) + 8*s.unit
	if f.shows(showsPrediction) && len(f.zhat) > 0 {
		w := glyph.Width(s.atlas, "predicted", s.size)
		if right := s.bars.Right() - 2*s.unit; right-w-16*s.unit > x {
			s.label(b, "predicted", right, y, glyph.Right, t.Muted)
			s.outline(b, plot.Rect{X: right - w - 15*s.unit, Y: y - 5*s.unit, W: 10 * s.unit, H: 10 * s.unit}, t.Learned)
			s.roomiest(b, x, y, right-w-22*s.unit-x, glyph.Left, t.Muted, "encoded")
		}
	}
	if !f.shows(showsLatent) || f.d == 0 {
		text := "no ẑ yet"
		if !f.shows(showsLatent) {
			text = "press Encode"
		}
		s.baseline(b, a, a.y.Pos(0))
		s.label(b, text, a.area.X+a.area.W/2, a.area.Y+a.area.H/4, glyph.Center, t.Muted)
		return
	}
	// What training covered is paper, what it did not is grey.
	for _, end := range [...][2]float64{{1, a.y.Hi}, {a.y.Lo, -1}} {
		if end[1] > end[0] {
			top, bottom := round(a.y.Pos(end[1])), round(a.y.Pos(end[0]))
			b.Box(plot.Rect{X: a.area.X, Y: top, W: a.area.W, H: bottom - top}, 0, t.Faint.Fade(0.22))
		}
	}
	s.yTicks(b, a, 5)
	hover := s.hoverDimension()
	each := a.area.W / float32(f.d)
	width := max(1, round(min(0.62*each, 30*s.unit)))
	every := 1 + int(glyph.Width(s.atlas, "00", s.size)/each)
	for i := range f.d {
		mid := a.x.Pos(float64(i + 1))
		ink := t.Muted
		if i == hover {
			b.Box(plot.Rect{X: round(mid - each/2), Y: a.area.Y, W: round(each), H: a.area.H}, 0, t.Grid)
			ink = t.Ink
		}
		if r, ok := s.bar(mid, width, at(f.z, i)); ok {
			b.Box(r, 0, t.Latent)
		}
		if f.shows(showsPrediction) {
			if r, ok := s.bar(mid, width+s.px(4), at(f.zhatB, i)); ok {
				s.outline(b, r, t.Other)
			}
			if r, ok := s.bar(mid, width+s.px(4), at(f.zhat, i)); ok {
				s.outline(b, r, t.Learned)
			}
		}
		if (i+1)%every == 0 || every == 1 {
			s.text = appendCount(s.text[:0], i+1)
			s.number(b, mid, a.area.Bottom()+s.row()*0.55, glyph.Center, ink)
		}
	}
	s.baseline(b, a, a.y.Pos(0))
}

// bar returns the bar of a value, cut off at the ends of the axis.
func (s *particlesPicture) bar(mid, width float32, v float64) (plot.Rect, bool) {
	a := &s.barAxes
	if v-v != 0 {
		return plot.Rect{}, false
	}
	zero := round(a.y.Pos(0))
	y := round(max(a.area.Y, min(a.area.Bottom(), a.y.Pos(v))))
	return plot.Rect{X: round(mid - width/2), Y: min(y, zero), W: width, H: max(s.px(1), absf(y-zero))}, true
}

// outline draws the edges of a rectangle, inside of it.
func (s *pencil) outline(b *plot.Batch, r plot.Rect, c plot.Color) {
	line := s.px(1.5)
	b.Box(plot.Rect{X: r.X, Y: r.Y, W: r.W, H: line}, 0, c)
	if r.H < 3*line {
		return
	}
	b.Box(plot.Rect{X: r.X, Y: r.Bottom() - line, W: r.W, H: line}, 0, c)
	b.Box(plot.Rect{X: r.X, Y: r.Y + line, W: line, H: r.H - 2*line}, 0, c)
	b.Box(plot.Rect{X: r.Right() - line, Y: r.Y + line, W: line, H: r.H - 2*line}, 0, c)
}

// strip is ẑ through time: what was encoded above what was predicted, a row of
// colour for each dimension.
type strip struct {
	axes
	past, future plot.Rect
}

func (s *particlesPicture) placeStrip(panel plot.Rect) {
	p := &s.strip
	p.panel = panel
	label := glyph.Width(s.atlas, "predicted", s.size) + 8*s.unit
	r := panel.Inset(label, 1.45*s.row(), 2*s.unit, s.row())
	p.area = plot.Rect{X: round(r.X), Y: round(r.Y), W: max(8, round(r.W)), H: max(8, round(r.H))}
	p.x = plot.Scale{Lo: 0, Hi: s.f.time(s.f.horizon), A: p.area.X, B: p.area.Right()}
	gap := s.px(4)
	half := round((p.area.H - gap) / 2)
	p.past, p.future = p.area, p.area
	p.past.H = half
	p.future.Y, p.future.H = p.area.Y+half+gap, p.area.H-half-gap
}

func (s *particlesPicture) drawStrip(b *plot.Batch) {
	p, t, f := &s.strip, &s.theme, &s.f
	y := p.panel.Y + s.row()/2
	x := p.panel.X + 2*s.unit
	x += s.label(b, "ẑ through time", x, y, glyph.Left, t.Ink) + 8*s.unit
	s.drawSignedScale(b, p.panel.Right()-2*s.unit, y)
	if !f.shows(showsLatent) || f.d == 0 {
		s.baseline(b, &p.axes, p.area.Bottom())
		return
	}
	b.Box(p.past, 0, t.Grid.Fade(0.6))
	b.Box(p.future, 0, t.Grid.Fade(0.6))
	s.ribbons(b, p.past, f.zpast, f.zstride)
	s.label(b, "encoded", p.area.X-6*s.unit, p.past.Y+p.past.H/2, glyph.Right, t.Muted)
	s.label(b, "predicted", p.area.X-6*s.unit, p.future.Y+p.future.H/2, glyph.Right, t.Muted)
	if f.shows(showsPrediction) {
		s.ribbons(b, p.future, f.zfuture, 1)
	}
	ty := p.area.Bottom() + s.row()*0.55
	var step float64
	s.ticks, step = plot.Ticks(s.ticks[:0], p.x.Lo, p.x.Hi, max(2, int(p.area.W/(s.size*5))))
	for _, v := range s.ticks {
		s.text = plot.AppendTick(s.text[:0], v, step)
		half := glyph.Width(s.atlas, s.text, s.size) / 2
		s.number(b, min(p.x.Pos(v), p.panel.Right()-half), ty, glyph.Center, t.Muted)
	}
	s.label(b, "time", p.area.X-14*s.unit, ty, glyph.Right, t.Muted)
	b.Box(plot.Rect{X: round(p.x.Pos(f.time(f.now))), Y: p.area.Y, W: s.px(1), H: p.area.H}, 0, t.Ink)
	if frame, ok := s.hoverFrame(); ok {
		b.Box(plot.Rect{X: round(p.x.Pos(f.time(frame))), Y: p.area.Y, W: s.px(1), H: p.area.H}, 0, t.Muted)
	}
	if x, ok := s.leftAt(&p.axes); ok {
		s.points = append(s.points[:0], plot.Point{X: x, Y: p.area.Y}, plot.Point{X: x, Y: p.area.Bottom()})
		b.Line(s.points, plot.Pen{Width: 1.5 * s.unit, Color: t.Ink, Period: 5 * s.unit})
	}
}

// drawSignedScale draws the colours from −1 to 1, which end at x.
func (s *particlesPicture) drawSignedScale(b *plot.Batch, x, y float32) {
	t := &s.theme
	x -= s.label(b, "1", x, y, glyph.Right, t.Muted) + 5*s.unit
	w, h := 56*s.unit, 9*s.unit
	s.ramp(b, plot.Rect{X: round(x - w), Y: round(y - h/2), W: round(w), H: round(h)}, t.Signed)
	s.label(b, "−1", x-w-5*s.unit, y, glyph.Right, t.Muted)
}

// ramp draws a scale of colours from left to right.
func (s *pencil) ramp(b *plot.Batch, r plot.Rect, ramp *plot.Ramp) {
	const n = 17
	s.colors = s.colors[:0]
	for range 2 {
		for i := range n {
			s.colors = append(s.colors, ramp.At(float64(i)/(n-1)))
		}
	}
	b.Mesh(r, n, 2, s.colors)
}

// maxColumns bounds the places of a ribbon along time.
const maxColumns = 96

// ribbons draws a table (K,d) of ẑ, whose rows are stride frames apart, as d
// ribbons of colour in r, at most up to the frames that there are.
func (s *particlesPicture) ribbons(b *plot.Batch, r plot.Rect, table []float32, stride int) {
	f := &s.f
	k := len(table) / f.d
	if k > (f.horizon+stride)/stride {
		k = (f.horizon + stride) / stride
	}
	every := 1 + (k-1)/maxColumns
	n := (k-1)/every + 1
	if n < 2 {
		return
	}
	last := float64((n-1)*every*stride) / float64(f.horizon)
	w := r.W * float32(math.Min(1, last))
	each := r.H / float32(f.d)
	gap := float32(0)
	if each > 5*s.unit {
		gap = s.px(1)
	}
	for i := range f.d {
		s.colors = s.colors[:0]
		for range 2 {
			for c := range n {
				v := float64(table[c*every*f.d+i])
				s.colors = append(s.colors, s.theme.Signed.At(0.5+0.5*v))
			}
		}
		y := round(r.Y + each*float32(i))
		b.Mesh(plot.Rect{X: r.X, Y: y, W: w, H: round(r.Y+each*float32(i+1)) - y - gap}, n, 2, s.colors)
	}
}
