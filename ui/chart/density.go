package chart

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Density shows densities on a line. The rows "q", "p", "mixture" and "pB" are densities on a
// uniform grid over "window". Below the densities are the particles (row "x"), which the user can
// edit (see density_rug.go), or those of a run (row "line"), whose coordinate is named by "axis0". Density also shows the kernel and the model's divergence (row "kl").
// It is both axes of its Chart. The row "sigma" is the kernel's standard deviation on the x axis.
type Density struct {
	plain
	rug
	curves     [densities]density
	points     []float32
	lo, hi     float64   // ends of the window
	known      bool      // whether there is a window
	restored   []float32 // the model's restored points, if it restores points instead of a density
	restores   bool
	eps, sigma float64 // eps: ε as set; sigma: the kernel's standard deviation on the x axis
	fitEps     float64 // ε of the model
	kl, klB    float64
	axis       []byte // name of the coordinate of a run; nil if the user can edit the particles
	narrow     bool
	few        bool     // whether the picture is plain
	klApart    bool     // whether the KL is below the legend instead of in its last row
	counts     []uint16 // particles in each pixel column
}

// density is one of the densities, with its place in the legend.
type density struct {
	values []float32
	name   []byte
	place  plot.Point
}

// The densities, in the order of the legend.
const (
	ofTarget = iota
	ofModel
	ofMixture
	ofModelB
	densities
)

// fixed holds the constants of a density: its row, its names in the legend and in a tip, and
// its colour.
var fixed = [densities]struct {
	row, name, tip string
	ink            panel.Color
}{
	ofTarget:  {"q", "target q_X", "q_X", panel.Target},
	ofModel:   {"p", "learned p_θ(x | ẑ)", "p_θ", panel.Learned},
	ofMixture: {"mixture", "generating mixture", "mixture", panel.Mixture},
	ofModelB:  {"pB", "model 2", "p_θ of model 2", panel.Other},
}

// The order in which densities are painted, and their order in a tip.
var (
	painted = [...]int{ofMixture, ofTarget, ofModelB, ofModel}
	listed  = [...]int{ofTarget, ofModel, ofModelB, ofMixture}
)

// noRows is an empty frame. If a frame has no window, Read uses noRows in its place.
var noRows wire.Frame

// rugHeight is the height of the particles' ticks in CSS pixels.
const rugHeight = 18

// mostRestored is the largest number of restored points that are drawn.
const mostRestored = 1500

func (p *Density) read(_ *Chart, f *wire.Frame) {
	w := f.Numbers("window")
	p.known = len(w) >= 2 && w[1] > w[0] && w[1]-w[0] <= math.MaxFloat32
	if p.lo, p.hi = -2, 2; p.known {
		p.lo, p.hi = float64(w[0]), float64(w[1])
	} else {
		f = &noRows
	}
	if !(p.cursor >= p.lo && p.cursor <= p.hi) {
		p.cursor = (p.lo + p.hi) / 2
	}
	if p.points, p.axis = f.Numbers("line"), f.Text("axis0"); p.points == nil {
		p.points, p.axis = f.Numbers("x"), nil
	}
	p.restores, p.restored = f.On("restores"), f.Numbers("restored")
	p.eps, p.sigma, p.fitEps = f.Number("eps"), f.Number("sigma"), f.Number("fitEps")
	for i := range p.curves {
		v := &p.curves[i]
		v.values, v.name = f.Numbers(fixed[i].row), append(v.name[:0], fixed[i].name...)
	}
	if p.restores {
		p.curves[ofModel].name = append(p.curves[ofModel].name[:0], "points from ẑ"...)
	}
	p.kl, p.klB = f.Number("kl"), math.NaN()
	if p.compares() {
		p.klB = f.Number("klB")
		p.curves[ofModel].name = panel.ModelA.Append(p.curves[ofModel].name[:0], f)
		p.curves[ofModelB].name = panel.ModelB.Append(p.curves[ofModelB].name[:0], f)
	}
}

// shows reports whether a density is in the legend. The target and the learned density are listed
// there even if they do not exist.
func (p *Density) shows(i int) bool {
	return i < ofMixture || len(p.curves[i].values) > 0 && !(p.few && i == ofMixture)
}

// compares reports whether two models are displayed.
func (p *Density) compares() bool { return p.shows(ofModelB) }

// entry sets c.Text to the name of a density.
func (p *Density) entry(c *panel.Canvas, r plot.Rect, i int) {
	c.Text = append(c.Text[:0], p.curves[i].name...)
	if p.compares() && (i == ofModel || i == ofModelB) {
		c.Cut(0.5*r.W - (swatch+swatchGap)*c.Unit)
	}
}

// span sets the ends of both axes. The upper end of the y axis glides on a logarithmic scale.
func (p *Density) span(s *Chart, dt, tau float64) (moving bool) {
	moving = s.high.To(math.Log(p.top()), dt, tau, 1e-3)
	s.x.Lo, s.x.Hi, s.y.Lo, s.y.Hi = p.lo, p.hi, 0, math.Exp(s.high.V)
	return moving
}

func (p *Density) key(_ *panel.Canvas, _, right, _ float32) float32 { return right }

func (p *Density) extent() (now, known, end int) {
	if !p.known {
		end = -1
	}
	return 0, 0, end
}

// spiky reports whether the target's peaks are narrower than the grid's spacing. Grid points
// then hit or miss the peaks by chance.
func (p *Density) spiky() bool {
	n := len(p.curves[ofTarget].values)
	return n > 1 && p.sigma < (p.hi-p.lo)/float64(n-1)
}

// density returns a density at x. For a spiky target it computes the exact value.
func (p *Density) density(i int, x float64) float64 {
	if i != ofTarget || !p.spiky() {
		return plot.Sample(p.curves[i].values, p.lo, p.hi, x)
	}
	var sum float64
	for _, v := range p.points {
		u := (x - float64(v)) / p.sigma
		sum += math.Exp(-u * u / 2)
	}
	return sum / (math.Sqrt(2*math.Pi) * p.sigma * float64(len(p.points)))
}

// The method `top` returns the upper end of the y axis, a little above the largest density. A
// learned density counts only up to 1.5 times the largest value of the target, so that the target
// stays readable. A spiky target does not count, because only its lowest part is displayed.
func (p *Density) top() float64 {
	var tops [densities]float64
	for i := range tops {
		tops[i] = top(p.curves[i].values)
	}
	most, ok := tops[ofMixture], p.shows(ofMixture)
	if len(p.curves[ofTarget].values) > 0 && !p.spiky() {
		most, ok = math.Max(most, tops[ofTarget]), true
	}
	switch fit := math.Max(tops[ofModel], tops[ofModelB]); {
	case ok && most > 0:
		most = math.Max(most, math.Min(fit, 1.5*most))
	case !ok:
		most = fit
	}
	if !(most > 0) {
		return 1
	}
	return 1.1 * most
}

const swatch, swatchGap, entryGap = 24, 6, 16 // CSS pixels

// Narrow reports whether the space left and right of the densities is too small for another
// panel.
func Narrow(c *panel.Canvas) bool { return c.W < 700 || c.H > 1.15*c.W }

// arrange sets the legend's entries in rows. The KL is at the end of the last row, or in a separate
// row if it does not fit.
func (p *Density) arrange(c *panel.Canvas, s *Chart, r plot.Rect) {
	p.narrow, p.few = Narrow(c), c.Plain
	x, y, rows := r.X+2*c.Unit, r.Y+c.Row()/2, 1
	for i := range p.curves {
		if !p.shows(i) {
			continue
		}
		p.entry(c, r, i)
		w := (swatch+swatchGap)*c.Unit + c.Wide()
		if x > r.X+3*c.Unit && x+w > r.Right() {
			x, y, rows = r.X+2*c.Unit, y+c.Row(), rows+1
		}
		p.curves[i].place = plot.Point{X: x, Y: y}
		x += w + entryGap*c.Unit
	}
	p.klApart = x+p.klWidth(c) > r.Right()
	s.above, s.below = float32(rows+1), c.Px(rugHeight)/c.Row()+2.1
}

// klWidth returns the width reserved for the KL. The width does not depend on the value of the KL.
func (p *Density) klWidth(c *panel.Canvas) float32 {
	if p.compares() {
		return c.Width("KL(q_X ‖ p_θ) = 0.00000 nats, model 2: 0.00000 nats")
	}
	return c.Width("KL(q_X ‖ p_θ) = 0.00000 nats")
}

func (p *Density) draw(c *panel.Canvas, s *Chart) {
	t, a, band := &c.Theme, s.area, s.band(c)
	s.yTicks(c, 6)
	s.xTicks(c, 5, band.Bottom(), band.Bottom()+c.Row()*0.55, true)
	p.titles(c, s, band)
	p.drawKernel(c, s)
	p.countColumns(s, band)
	if p.spiky() {
		p.comb(c, s, a.Y, a.H, 0.28)
	} else {
		s.curve(c, p.curves[ofTarget].values, p.lo, p.hi)
		c.Area(c.Points, a.Bottom(), t.Fill, t.Fill.Fade(0.35))
	}
	for _, i := range painted {
		if !p.shows(i) {
			continue
		}
		if s.curve(c, p.curves[i].values, p.lo, p.hi); i == ofModelB {
			c.Ringed(p.pen(c, i))
		} else if i != ofTarget || !p.spiky() {
			c.Line(c.Points, p.pen(c, i))
		}
	}
	s.baseline(c, a.Bottom())
	p.comb(c, s, band.Y+c.Px(3), band.H-c.Px(5), 0.58)
	p.drawRestored(c, s)
	for i := range p.curves {
		if q := p.curves[i].place; p.shows(i) {
			pen := p.pen(c, i)
			c.Segment(q.X, q.Y, q.X+swatch*c.Unit, q.Y, pen)
			if i == ofModelB {
				c.Rung(q.X+swatch/2*c.Unit, q.Y, pen.Color)
			}
			p.entry(c, s.At, i)
			c.Write(q.X+(swatch+swatchGap)*c.Unit, q.Y, glyph.Left, t.Ink)
		}
	}
	p.notes(c, s)
	if len(p.curves[ofTarget].values) == 0 {
		c.Label("waiting for the first particles", a.X+a.W/2, a.Y+a.H/2, glyph.Center, t.Muted)
	}
	p.crosshair(c, s)
	p.drawPress(c, s)
}

// drawRestored draws a tick above the axis for every restored point.
func (p *Density) drawRestored(c *panel.Canvas, s *Chart) {
	w, h, ink := c.Px(1), c.Px(rugHeight), p.pen(c, ofModel).Color
	for _, v := range p.restored[:min(len(p.restored), mostRestored)] {
		if x := s.x.Pos(float64(v)); x >= s.area.X && x < s.area.Right() {
			c.Box(plot.Rect{X: plot.Round(x), Y: s.area.Bottom() - h, W: w, H: h}, 0, ink.Fade(0.6))
		}
	}
}

// otherEps reports whether the model was fitted for another ε than the present one.
func (p *Density) otherEps() bool { return p.fitEps > 0 && p.fitEps != p.eps }

// pen returns the line style of a density.
func (p *Density) pen(c *panel.Canvas, i int) plot.Pen {
	w, ink := c.Thick(), fixed[i].ink(&c.Theme)
	switch i {
	case ofModel:
		if p.otherEps() {
			ink = ink.Mix(c.Theme.Paper, 0.45)
		}
		return plot.Pen{Width: w, Color: ink, Dash: 3.2 * w, Period: 6.6 * w}
	case ofModelB:
		return plot.Pen{Width: 0.7 * w, Color: ink}
	case ofMixture:
		return plot.Pen{Width: 0.8 * w, Color: ink, Period: 2.4 * w}
	}
	return plot.Pen{Width: w, Color: ink}
}

// notes writes the KL between the two densities, and warnings about the curves.
func (p *Density) notes(c *panel.Canvas, s *Chart) {
	x, y := s.area.Right(), s.area.Y-1.5*c.Row()
	if p.klApart {
		y += c.Row()
	}
	c.Text = append(c.Text[:0], "KL(q_X ‖ p_θ) not measured"...)
	if p.restores {
		c.Text = append(c.Text[:0], "no density is decoded"...)
	}
	if p.kl == p.kl {
		c.Value(p.kl, " nats", s.At.W, "KL(q_X ‖ p_θ) = ")
	}
	if p.klB == p.klB {
		c.Text = append(plot.AppendValue(append(c.Text, ", model 2: "...), p.klB), " nats"...)
	}
	c.Write(x, y, glyph.Right, c.Theme.Ink)
	y += c.Row()
	switch {
	case p.otherEps():
		c.Text = plot.AppendShort(append(c.Text[:0], "fitted at ε = "...), p.fitEps)
		c.Write(x, y, glyph.Right, c.Theme.Learned)
	case p.spiky():
		c.Label("q_X peaks far above this picture", x, y, glyph.Right, c.Theme.Target)
	}
}

// titles writes the names of the axes. If there is space, it also writes how to edit the particles.
func (p *Density) titles(c *panel.Canvas, s *Chart, band plot.Rect) {
	c.Label("density", s.At.X+2*c.Unit, s.area.Y-c.Row()/2, glyph.Left, c.Theme.Muted)
	y := band.Bottom() + 1.5*c.Row()
	if p.axis != nil {
		c.Text = append(c.Text[:0], p.axis...)
		c.Write(band.Right(), y, glyph.Right, c.Theme.Muted)
		return
	}
	width := c.Label("position x", band.Right(), y, glyph.Right, c.Theme.Muted)
	room := band.W - width - 2*c.Size
	if c.W < brush.Phone {
		c.Roomiest(band.X, y, room, glyph.Left, c.Theme.Muted, "Tap under the axis to add or remove a particle.", "Tap under the axis: add, remove", "Tap: add, remove")
		return
	}
	c.Roomiest(band.X, y, room, glyph.Left, c.Theme.Muted,
		"Click under the axis to add a particle, on one to remove it; drag it to move it.", "Click under the axis to add or remove a particle.")
}

// drawKernel draws the kernel of a particle, to scale along the x axis, and writes its width.
// In a narrow picture it draws only a bar of the kernel's width, next to the title of the y
// axis, and leaves out what would overlap the KL.
func (p *Density) drawKernel(c *panel.Canvas, s *Chart) {
	if !(p.sigma > 0) || c.Plain {
		return
	}
	a, t, line := s.area, &c.Theme, c.Px(1)
	sigma := float32(p.sigma/(s.x.Hi-s.x.Lo)) * a.W
	c.Text = plot.AppendShort(append(c.Text[:0], "ε = "...), p.eps)
	if p.narrow {
		x, y := s.At.X+c.Width("density")+22*c.Unit, a.Y-c.Row()/2
		room := a.Right() - x
		if p.klApart { // the KL is in the same row
			room -= p.klWidth(c)
		}
		if c.Wide() > room {
			return
		}
		x += c.Write(x, y, glyph.Left, t.Ink) + 8*c.Unit
		if c.Wide()+8*c.Unit+sigma < room {
			c.Box(plot.Rect{X: x, Y: plot.Round(y), W: max(line, sigma), H: c.Px(2)}, 0, t.Ink)
		}
		return
	}
	x, base, height := a.X+14*c.Unit, plot.Round(a.Y+3.1*c.Row()), 1.7*c.Row()
	switch reach := max(3*sigma, 6*c.Unit); {
	case 2*reach < 0.4*a.W:
		mid := plot.Round(x + reach)
		if sigma < line {
			c.Box(plot.Rect{X: mid, Y: base - height, W: line, H: height}, 0, t.Muted)
		} else {
			bell(c, mid, base, sigma, height)
			c.Area(c.Points, base, t.Faint.Fade(0.5), t.Faint.Fade(0.2))
			c.Line(c.Points, plot.Pen{Width: 1.2 * c.Unit, Color: t.Muted})
		}
		// The bar begins at the centre. Its length is one standard deviation of the kernel.
		c.Box(plot.Rect{X: mid, Y: base + 3*c.Unit, W: max(line, plot.Round(sigma)), H: c.Px(2)}, 0, t.Ink)
	case sigma < 0.9*a.W:
		c.Box(plot.Rect{X: x, Y: base + 3*c.Unit, W: plot.Round(sigma), H: c.Px(2)}, 0, t.Ink)
	}
	// The text is at the left edge, where the densities are usually low.
	c.Write(x, base+3*c.Unit+0.8*c.Row(), glyph.Left, t.Ink)
}

// bell sets c.Points to a Gaussian of the given height, cut at three standard deviations.
func bell(c *panel.Canvas, mid, base, sigma, height float32) {
	const n = 48
	c.Points = c.Points[:0]
	for i := range n + 1 {
		u := 6*float64(i)/n - 3
		c.Points = append(c.Points, plot.Point{X: mid + float32(u)*sigma, Y: base - height*float32(math.Exp(-u*u/2))})
	}
}

// countColumns counts the particles in each pixel column.
func (p *Density) countColumns(s *Chart, band plot.Rect) {
	n := int(band.W) + 1
	if cap(p.counts) < n {
		p.counts = make([]uint16, n)
	}
	p.counts = p.counts[:n]
	clear(p.counts)
	for _, v := range p.points {
		if i := int(plot.Round(s.x.Pos(float64(v)) - band.X)); i >= 0 && i < n && p.counts[i] < math.MaxUint16 {
			p.counts[i]++
		}
	}
}

// comb draws a tick of the given height for every particle. Particles in the same pixel column
// share one darker tick, which bounds the cost.
func (p *Density) comb(c *panel.Canvas, s *Chart, top, height float32, opacity float64) {
	w := c.Px(1)
	for i, n := range p.counts {
		if n > 0 {
			ink := c.Theme.Target.Fade(float32(1 - math.Pow(1-opacity, float64(n))))
			c.Box(plot.Rect{X: s.area.X + float32(i) - float32(int(w)/2), Y: top, W: w, H: height}, 0, ink)
		}
	}
}
