package panel

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Map is a map of particles in the plane, over a density and beside what a flow
// makes of noise.
type Map struct {
	view
	Heat
	Plane   *Plane
	Tool    Tool
	Clock   *Clock // tells the time; nil does not
	Word    string // what it is of
	Called  string // row: the same, in place of Word
	Sign    string // the same as a symbol
	Source  string // the symbol when the row "source" is on
	Short   string // the symbol where there is little room
	Model   Model  // that it is of, while two are compared
	Color   Color
	KL      string // row
	Over    string // the row of a density that has contours here
	Samples string // row
	Points  string // row: what is decoded where it is no density, but points
	Decoded string // the symbol then
	Strong  bool   // the points stand out even if another map is the first
	First   bool   // it is the first map, for a layout to set
	Alone   bool   // there is no other, for a layout to set
	Kernel  string // row: the standard deviation of the kernel, drawn about the first point
	Latent  string // the row without which there is no learned density
	Tile    *Tile  // it is one
	Chain   *Chain // the points are beads of one; nil: they are free

	sign, name    []byte
	contours      []float32
	samples       []float32
	restores      bool // samples are what is decoded
	kl, sigma     float64
	none          bool // there is no learned density, nor one on its way
	never         bool // nor will there be: the model learns none
	note          []byte
	density, from bool // revealed; the density is of the predicted ẑ
}

// Tile makes a Map a small one of the density of a species alone, with its KL or its
// colours below.
type Tile struct {
	Species  int
	Titles   []string // the first that has room
	Restored []string // the same where points are decoded
}

// Rows of text above a map, and above and below a Tile.
const (
	Above     = 1.3
	AboveTile = 1.2
	BelowTile = 1.1
)

func (m *Map) Read(f *wire.Frame) {
	m.plane, m.tool = m.Plane, m.Tool
	m.Heat.read(f, m.plane)
	if m.Chain != nil {
		m.Chain.read(f)
	}
	m.density, m.from = revealed(f, Density), f.On("source")
	m.note, m.sigma = f.Text("note"), f.Number(m.Kernel)
	m.name = append(m.name[:0], f.Text(m.Called)...)
	if m.Model != NoModel {
		m.name = m.Model.append(m.name[:0], f)
	}
	noDensity, restores := "noDensity", "restores"
	if m.Model == ModelB {
		noDensity, restores = "noDensityB", "restoresB"
	}
	m.restores = m.Points != "" && f.On(restores)
	m.none = (m.Learned || m.Less != "") && m.grid == nil && len(f.Numbers(m.Latent)) == 0 && !m.plane.relaxing && !m.restores
	m.never = (m.Learned || m.Less != "") && f.On(noDensity) && !m.restores
	m.kl, m.contours, m.samples = math.NaN(), nil, nil
	if m.density {
		m.contours, m.samples, m.kl = m.plane.grid(f, m.Over), pairs(f.Numbers(m.Samples)), f.Number(m.KL)
		if m.restores {
			m.samples = pairs(f.Numbers(m.Points))
			if m.samples == nil && m.Tile != nil {
				m.samples = pairs(f.Numbers("restored")) // of both species together
			}
		}
	}
}

// Place implements Panel: the title is above the map.
func (m *Map) Place(c *Canvas, r plot.Rect) {
	m.rect = r
	above, below := float32(Above), float32(0)
	if m.Tile != nil {
		above, below = AboveTile, BelowTile
	}
	m.span(plot.Rect{X: r.X, Y: r.Y + above*c.Row(), W: r.W, H: r.H - (above+below)*c.Row()}.Round(), 0)
}

func (m *Map) Draw(c *Canvas) {
	m.Heat.draw(c, &m.view)
	if m.Chain != nil {
		m.Chain.drawFlow(c, &m.view)
	}
	if m.Tile == nil {
		m.drawContours(c)
		m.drawPoints(c)
	} else if m.restores {
		m.drawSpecies(c)
	}
	m.drawSamples(c)
	c.Border(m.area)
	if m.Tile == nil {
		m.drawKeys(c)
		m.title(c)
	} else {
		m.drawTile(c)
	}
	switch {
	case m.never:
		c.Plate(m.area, "the method decodes nothing", "nothing decoded", "–")
	case m.Heat.hidden:
		c.Plate(m.area, "press Decode", "Decode")
	case m.none:
		c.Plate(m.area, "no learned density yet", "no model yet", "none yet", "–")
	}
	if m.First && len(m.note) > 0 {
		c.Text = append(c.Text[:0], m.note...)
		c.Badge(m.area)
	}
	if m.tool != nil {
		m.tool.Draw(c, &m.view)
	}
	m.mark(c)
}

// drawTile draws what is above and below a Tile.
func (m *Map) drawTile(c *Canvas) {
	a, ink := m.area, c.Theme.Target
	if m.Learned {
		ink = c.Theme.Learned
	}
	x, y := a.X, a.Y-0.6*c.Row()
	c.Bead(x+4.5*c.Unit, y, 3.5, m.Tile.Species)
	x += 13 * c.Unit
	titles := m.Tile.Titles
	if m.restores {
		titles = m.Tile.Restored
	}
	c.Roomiest(x, y, a.Right()-x+4*c.Unit, glyph.Left, ink, titles...)
	y = a.Bottom() + 0.55*c.Row()
	switch {
	case !m.Learned && m.grid != nil:
		m.drawScale(c, y)
	case m.Learned && m.kl == m.kl && (c.Value(m.kl, " nats", a.W, "KL ") || c.Value(m.kl, "", a.W, "KL ")):
		c.Write(a.X+a.W/2, y, glyph.Center, c.Theme.Ink)
	}
}

// drawSpecies draws the atoms of a Tile's species, pale.
func (m *Map) drawSpecies(c *Canvas) {
	p, n := m.plane, m.plane.count()
	for i := range n {
		if q := m.point(p.x[2*i], p.x[2*i+1]); p.species(i) == m.Tile.Species && m.area.Contains(q.X, q.Y) {
			c.Disc(q.X, q.Y, 1.3*c.Unit, c.Theme.Ink.Fade(0.3))
		}
	}
}

// drawSamples draws what the flow makes of noise, or the points that are decoded.
func (m *Map) drawSamples(c *Canvas) {
	r := max(1.1*c.Unit, 0.8*m.radius(c, len(m.samples)/2))
	if m.Tile != nil {
		r = 0.65 * c.Unit
	}
	for i := range min(len(m.samples)/2, mostPoints) {
		if p := m.point(m.samples[2*i], m.samples[2*i+1]); m.area.Contains(p.X, p.Y) {
			c.Disc(p.X, p.Y, r, c.Theme.Learned)
		}
	}
}

// contours are the shares of a density's typical value at which it has a line.
var contours = [...]float64{0.3, 0.9}

func (m *Map) drawContours(c *Canvas) {
	if m.Alone || m.contours == nil || !m.plane.found {
		return
	}
	r := m.cells()
	r.Y, r.H = r.Bottom(), -r.H
	typical := typical(m.contours)
	for _, share := range contours {
		c.Contour(r, m.plane.nx, m.plane.ny, m.contours, float32(share*typical), plot.Pen{Width: 1.3 * c.Unit, Color: c.Theme.Learned})
	}
}

// The most points that are drawn with a rim of paper, and in more than one map; and
// the most samples.
const (
	rimmed     = 700
	everywhere = 2500
	mostPoints = 1500
)

// radius is that of a point: smaller the more there are.
func (v *view) radius(c *Canvas, n int) float32 {
	r := 0.13 * float64(v.area.W) / math.Sqrt(float64(max(1, n)))
	return float32(math.Max(1.0*float64(c.Unit), math.Min(4*float64(c.Unit), r)))
}

// drawPoints draws the points, pale unless they are what the map is of.
func (m *Map) drawPoints(c *Canvas) {
	p, n := m.plane, m.plane.count()
	if !m.First && (!m.density || n > everywhere) {
		return
	}
	strong := m.Less == "" && (m.First || m.Strong)
	strong = strong && !m.restores // what is decoded stands out
	r, rim, ink := m.radius(c, n), strong && n <= rimmed, c.Theme.Ink
	if !strong {
		r, ink = 0.8*r, ink.Fade(0.3)
	}
	if m.sigma > 0 && n > 0 {
		m.drawKernel(c, m.point(p.x[0], p.x[1]), r)
	}
	if m.Chain != nil {
		m.Chain.drawBonds(c, &m.view, p.x, ink.Mix(c.Theme.Paper, 0.5))
	}
	for i := range n {
		q := m.point(p.x[2*i], p.x[2*i+1])
		if !m.area.Contains(q.X, q.Y) {
			continue
		}
		if p.label != nil && m.Less == "" && !m.restores {
			ink = p.color(&c.Theme, i)
		}
		if rim {
			c.Disc(q.X, q.Y, r+0.7*c.Unit, c.Theme.Paper)
		}
		c.Disc(q.X, q.Y, r, ink)
	}
}

// drawKernel draws the kernel of a particle at its true size, rings of one and two
// standard deviations, where they are wider than the particle's mark.
func (m *Map) drawKernel(c *Canvas, at plot.Point, mark float32) {
	sigma := float32(m.sigma) * m.area.W / float32(m.x.Hi-m.x.Lo)
	for k := float32(1); k <= 2 && m.area.Contains(at.X, at.Y); k++ {
		if !(k*sigma > mark) || k*sigma > m.area.W {
			continue
		}
		const n = 48
		c.Points = c.Points[:0]
		for i := range n + 1 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
			q := plot.Point{X: at.X + k*sigma*float32(cos), Y: at.Y + k*sigma*float32(sin)}
			if !m.area.Contains(q.X, q.Y) {
				q.Y = float32(math.NaN())
			}
			c.Points = append(c.Points, q)
		}
		c.Line(c.Points, plot.Pen{Width: (2.2 - 0.7*k) * c.Unit, Color: c.Theme.Ink})
	}
}

// drawKeys says in the bottom corner what the points are.
func (m *Map) drawKeys(c *Canvas) {
	x, y := m.area.X+8*c.Unit, plot.Round(m.area.Bottom()-0.7*c.Row())
	if m.First && m.plane.label != nil && m.Less == "" && m.area.W > 16*c.Size {
		c.Text = append(c.Text[:0], "label 1"...)
		x += c.Plated(x, y, glyph.Left, c.Theme.Muted) + 6*c.Unit
		r := plot.Rect{X: x, Y: y - 4*c.Unit, W: 36 * c.Unit, H: 8 * c.Unit}.Round()
		c.Ramp(r, c.Theme.Labels)
		c.Text = plot.AppendCount(c.Text[:0], m.plane.count())
		x += r.W + 6*c.Unit
		x += c.Plated(x, y, glyph.Left, c.Theme.Muted) + 16*c.Unit
	}
	if len(m.samples) > 0 {
		c.Disc(x+3*c.Unit, y, 3*c.Unit, c.Theme.Learned)
		c.Text = append(c.Text[:0], "drawn from the flow"...)
		if m.restores {
			c.Text = append(c.Text[:0], "decoded from ẑ"...)
		}
		if x+c.Wide() < m.area.Right()-14*c.Unit {
			c.Plated(x+10*c.Unit, y, glyph.Left, c.Theme.Muted)
		}
	}
}

// title names what the map shows, and what is known of all of it.
func (m *Map) title(c *Canvas) {
	y := m.area.Y - 0.7*c.Row()
	x, right := m.area.X+2*c.Unit, m.area.Right()-2*c.Unit
	switch {
	case m.Model != NoModel || m.Called != "":
		x += c.Title(m.name, x, y, 0.6*m.area.W, m.Color(&c.Theme)) + 10*c.Unit
	case m.Word != "":
		x += c.Label(m.Word, x, y, glyph.Left, m.Color(&c.Theme)) + 5*c.Unit
	}
	sign, kl := m.Sign, m.kl
	if m.restores && m.Decoded != "" {
		sign = m.Decoded
	} else if m.from && m.Source != "" {
		sign = m.Source
	}
	if !m.Learned && m.Less == "" && !m.Alone {
		kl = math.NaN()
	}
	if kl == kl && m.Short != "" && c.Width(m.Sign)+c.Width(" 0.0000 nats") > right-x-12*c.Unit {
		sign = m.Short // the figure matters more
	}
	if sign != "" && c.Width(sign) <= right-x {
		x += c.Label(sign, x, y, glyph.Left, c.Theme.Ink) + 10*c.Unit
	}
	if kl == kl {
		if c.Value(kl, " nats", right-x, "KL(q_X ‖ p_θ) = ", "KL = ", "") {
			c.Write(right, y, glyph.Right, c.Theme.Ink)
		}
		return
	}
	const over = "contours of p_θ"
	if m.contours != nil && !m.Alone && x+c.Width(over) < right {
		c.Label(over, right, y, glyph.Right, c.Theme.Learned)
		return
	}
	if m.First && m.Clock != nil {
		if c.Text = m.Clock.appendTime(append(c.Text[:0], "time "...)); c.Wide() <= right-x {
			c.Write(right, y, glyph.Right, c.Theme.Muted)
		}
	}
}

// Ruler is, under maps, a length, the width ε of a kernel to the same scale, and the
// colours.
type Ruler struct {
	base
	Plane *Plane
	Eps   string // row: ε as it was set
	Sigma string // row: how long that is in the plane
	eps   float64
	sigma float64
}

func (p *Ruler) Read(f *wire.Frame) { p.eps, p.sigma = f.Number(p.Eps), f.Number(p.Sigma) }

func (p *Ruler) Draw(c *Canvas) {
	m := p.Plane.first
	if m == nil || !p.Plane.found {
		return
	}
	t, y, x, line := &c.Theme, plot.Round(p.rect.Y+0.67*p.rect.H), p.rect.X+2*c.Unit, c.Px(2)
	per := m.area.W / float32(m.x.Hi-m.x.Lo) // pixels in a unit of length
	var length float64
	c.Ticks, length = plot.Ticks(c.Ticks[:0], 0, 0.3*(m.x.Hi-m.x.Lo), 2)
	if w := plot.Round(float32(length) * per); length > 0 {
		c.Box(plot.Rect{X: x, Y: y - line/2, W: w, H: line}, 0, t.Ink)
		for _, end := range [...]float32{x, x + w - line} {
			c.Box(plot.Rect{X: end, Y: y - 4*c.Unit, W: line, H: 8 * c.Unit}, 0, t.Ink)
		}
		c.Text = plot.AppendShort(append(c.Text[:0], "length "...), length)
		x += w + 7*c.Unit
		x += c.Write(x, y, glyph.Left, t.Ink) + 22*c.Unit
	}
	right := p.colors(c, p.rect.Right()-2*c.Unit, y, x)
	if !(p.sigma > 0) || math.IsInf(p.sigma, 0) {
		return
	}
	radius := float32(p.sigma) * per
	room := min(radius, 0.45*c.Row())
	for _, words := range [...]string{"kernel ε = ", "ε = "} {
		c.Text = plot.AppendShort(append(c.Text[:0], words...), p.eps)
		if x+2*room+6*c.Unit+c.Wide() > right {
			continue
		}
		// A kernel wider than a line of text is a bar of its length.
		if radius <= room {
			r := max(radius, 0.75*c.Unit)
			c.Disc(x+r, y, r, t.Target)
			x += 2*r + 6*c.Unit
		} else if w := plot.Round(radius); x+w+6*c.Unit+c.Wide() <= right {
			c.Box(plot.Rect{X: x, Y: y - line/2, W: w, H: line}, 0, t.Target)
			x += w + 6*c.Unit
		}
		c.Write(x, y, glyph.Left, t.Ink)
		return
	}
}

// colors draws the maps' colours with what they mean, ending at right, and returns
// the x before it. What is left of least is taken: they are left out where there is
// no room.
func (p *Ruler) colors(c *Canvas, right, y, least float32) float32 {
	m := p.Plane.heat
	if m == nil || m.Scale == nil || right-least < 170*c.Unit {
		return right
	}
	t, low, high, above := &c.Theme, 0.0, m.Scale.top.V, "≥ "
	if m.Less != "" {
		low, high, above = -m.Scale.difference.V, m.Scale.difference.V, "more "
	}
	x := right
	c.Text = plot.AppendShort(append(c.Text[:0], above...), math.Round(high*100)/100)
	x -= c.Write(x, y, glyph.Right, t.Muted) + 5*c.Unit
	w, h := min(90*c.Unit, 0.2*p.rect.W), 10*c.Unit
	r := plot.Rect{X: x - w, Y: y - h/2, W: w, H: h}.Round()
	c.Ramp(r, m.ramp(t))
	c.Border(r)
	x = r.X - 5*c.Unit
	c.Text = c.Text[:0]
	if low < 0 {
		c.Text = append(c.Text, "less "...)
	}
	c.Text = plot.AppendShort(c.Text, math.Round(low*100)/100)
	x -= c.Write(x, y, glyph.Right, t.Muted) + 6*c.Unit
	if w := c.Width("density"); x-w > least+90*c.Unit {
		c.Label("density", x, y, glyph.Right, t.Muted)
		x -= w
	}
	return x - 10*c.Unit
}

// drawScale draws the colours with what they mean.
func (m *Map) drawScale(c *Canvas, y float32) {
	top := m.Scale.top.V
	two := math.Pow(10, 1-math.Floor(math.Log10(top))) // significant digits
	c.Text = plot.AppendShort(append(c.Text[:0], "≥ "...), math.Round(top*two)/two)
	w := max(c.Wide(), c.Width("≥ 0.0000")) // both species' alike
	wide := m.area.W - w - 6*c.Unit
	if wide < 12*c.Unit {
		return
	}
	r := plot.Rect{X: m.area.X, Y: plot.Round(y - 4*c.Unit), W: plot.Round(min(wide, 60*c.Unit)), H: plot.Round(8 * c.Unit)}
	c.Ramp(r, m.ramp(&c.Theme))
	c.Border(r)
	c.Write(r.Right()+6*c.Unit, y, glyph.Left, c.Theme.Muted)
}

// Keeps implements Keeper: a finger that moves particles or draws may go anywhere.
func (m *Map) Keeps() bool {
	k, ok := m.Tool.(Keeper)
	return ok && k.Keeps()
}
