package panel

import (
	"cmp"
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Map shows the points of a Plane over a density: the target (row Target) or a learned density
// (Fit). It writes the row "note" in a corner.
type Map struct {
	Base
	Plane  *Plane
	Tool   Tool
	Scale  *Scale // scale of the colours
	Target string // row: the target density
	Fit    *Fit   // learned density to display; if Target is set too, the map shows the difference between them
	Over   *Fit   // learned density to draw as contours over Target
	Model  Model  // the model that the map shows while two models are compared
	Name   Name
	Color  Color  // colour of the name
	Strong bool   // whether points are drawn strongly even if this is not the first map
	First  bool   // whether the map is the first map; a layout sets it
	Alone  bool   // whether the map is the only map; a layout sets it
	Tile   *Tile  // makes the map small
	Walls  *Walls // makes the map a box
	Chain  *Chain // if set, the map draws the points as the beads of a chain; nil: free particles

	area          plot.Rect
	x, y          plot.Scale
	name          []byte
	grid, less    *Value     // grid: the density; less: the target to subtract from it; nil: none
	contours      *Value     // nil: none
	difference    difference // the grid without less
	samples       []float32
	restores      bool // whether the samples are restored points
	kl, sigma     float64
	hidden        bool // whether the learned density is not revealed yet
	none          bool // whether there is no learned density and none is being computed
	never         bool // whether the model learns no density
	note          []byte
	density, from bool // density: whether the density is revealed; from: whether the density is decoded from the predicted ẑ
}

// Fit contains the names of a model's rows. The row Density has the density on the plane's grid.
// The row Points has the restored points of a model without a density. The row Samples has samples
// of the flow. The row KL has the divergence between target and density.
type Fit struct{ Density, Points, Samples, KL string }

// Name is the title of a map: a word and a symbol. If Row is set, the row with the name Row
// contains the word. Otherwise Word is the word. Sign is the symbol. Four other symbols can
// replace Sign: Short where space is short, Source if the row "source" is on, Points if the
// model restores points, and Wide if the kernels of the target are drawn wider than they are.
type Name struct {
	Word, Row, Sign, Short, Source, Points string
	Wide                                   []string // the first that fits
}

// Tile makes a Map small. The map then shows the density of one species, with the KL or the
// colour scale below.
type Tile struct {
	Species  int
	Titles   []string // the first title that fits is displayed
	Restored []string // replaces Titles for restored points
	Wide     []string // replaces Titles if the kernels of the target are drawn wider than they are
}

// Heights of the text, in rows: above a map, above a Tile, below a Tile, and above and below a box.
const (
	Above     = 1.3
	AboveTile = 1.2
	BelowTile = 1.1
	AroundBox = 1.25
)

// Around returns the heights of the text above and below the map, in rows.
func (m *Map) Around() (above, below float32) {
	switch {
	case m.Tile != nil:
		return AboveTile, BelowTile
	case m.Walls != nil:
		return AroundBox, AroundBox
	}
	return Above, 0
}

func (m *Map) Read(f *wire.Frame) {
	p := m.Plane
	m.density, m.from, m.note = Revealed(f, Density), f.On("source"), f.Text("note")
	m.name = append(m.name[:0], f.Text(m.Name.Row)...)
	if m.Model != NoModel {
		m.name = m.Model.Append(m.name[:0], f)
	}
	if m.Chain != nil {
		m.Chain.read(f)
	}
	if m.Walls != nil {
		m.Walls.read(f, m)
	}
	m.grid, m.less, m.contours, m.samples, m.kl, m.sigma = p.density(m.Target), nil, nil, nil, math.NaN(), math.NaN()
	m.difference.stale = true
	if m.Over != nil {
		m.sigma = p.sigma
		if m.density {
			m.contours, m.kl = p.density(m.Over.Density), f.Number(m.Over.KL)
		}
	}
	m.hidden, m.restores, m.never, m.none = false, false, false, false
	if m.Fit != nil {
		m.readFit(f)
	}
}

// readFit reads the rows of a model's results that the user has revealed.
func (m *Map) readFit(f *wire.Frame) {
	noDensity, restores := "noDensity", "restores"
	if m.Model == ModelB {
		noDensity, restores = "noDensityB", "restoresB"
	}
	m.grid, m.less, m.restores, m.hidden = m.Plane.density(m.Fit.Density), m.grid, f.On(restores), !m.density
	if m.hidden || m.Target != "" && (m.grid == nil || m.less == nil) {
		m.grid, m.less = nil, nil
	}
	m.never = f.On(noDensity) && !m.restores
	encoded := m.Tile != nil && len(f.Numbers("z")) > 0
	m.none = m.grid == nil && !encoded && !m.Plane.relaxing && !m.restores
	if m.hidden {
		return
	}
	m.kl = f.Number(m.Fit.KL)
	switch {
	case m.restores:
		m.samples = pairs(f.Numbers(m.Fit.Points))
		if m.samples == nil && m.Tile != nil {
			m.samples = pairs(f.Numbers("restored")) // restored points of both species together
		}
	case m.Target == "":
		m.samples = pairs(f.Numbers(m.Fit.Samples))
	}
}

// Place implements Panel. The title is above the map. The scale of the map is the same in both
// directions, unless the plane is free. In a box, the map also contains a margin between the plane's window and the walls
// (see Plane.Margin).
func (m *Map) Place(c *Canvas, r plot.Rect) {
	above, below := m.Around()
	m.At, m.area = r, plot.Rect{X: r.X, Y: r.Y + above*c.Row(), W: r.W, H: r.H - (above+below)*c.Row()}.Round()
	margin := 0.0
	if m.Walls != nil {
		margin = m.Plane.Margin()
	}
	w := m.Plane.window
	wide, high := w[1]-w[0]+2*margin, w[3]-w[2]+2*margin
	scale := math.Min(float64(m.area.W)/wide, float64(m.area.H)/high)
	hx, hy := float64(m.area.W)/2/scale, float64(m.area.H)/2/scale
	if m.Plane.free {
		hx, hy = wide/2, high/2
	}
	mx, my := (w[0]+w[1])/2, (w[2]+w[3])/2
	m.x = plot.Scale{Lo: mx - hx, Hi: mx + hx, A: m.area.X, B: m.area.Right()}
	m.y = plot.Scale{Lo: my - hy, Hi: my + hy, A: m.area.Bottom(), B: m.area.Y}
}

func (m *Map) Draw(c *Canvas) {
	if m.Walls != nil {
		m.drawBox(c)
		m.mark(c)
		return
	}
	m.drawDensity(c)
	if m.Chain != nil {
		m.Chain.drawFlow(c, m)
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
	case m.hidden:
		c.Plate(m.area, "press Decode", "Decode")
	case m.none:
		c.Plate(m.area, "no learned density yet", "no model yet", "none yet", "–")
	}
	if m.First && len(m.Plane.axes) > 0 {
		if c.Text = append(c.Text[:0], m.Plane.axes...); c.Wide() < m.area.W-16*c.Unit {
			y := m.area.Bottom() - 0.7*c.Row()
			if m.Plane.label != nil || len(m.samples) > 0 { // above the keys
				y -= c.Row()
			}
			c.Plated(m.area.Right()-8*c.Unit, plot.Round(y), glyph.Right, c.Theme.Muted)
		}
	}
	if m.First && len(m.note) > 0 {
		c.Text = append(c.Text[:0], m.note...)
		c.Badge(m.area)
	}
	if m.Tool != nil {
		m.Tool.Draw(c, m)
	}
	m.mark(c)
}

// drawTile writes the text above and below a Tile.
func (m *Map) drawTile(c *Canvas) {
	a := m.area
	x, y := a.X, a.Y-0.6*c.Row()
	c.Bead(x+4.5*c.Unit, y, 3.5, m.Tile.Species)
	x += 13 * c.Unit
	titles := m.Tile.Titles
	if _, wider := m.grid.wider(); m.restores {
		titles = m.Tile.Restored
	} else if wider {
		titles = m.Tile.Wide
	}
	c.Roomiest(x, y, a.Right()-x+4*c.Unit, glyph.Left, m.Color(&c.Theme), titles...)
	y = a.Bottom() + 0.55*c.Row()
	switch {
	case m.Fit == nil && m.grid != nil:
		m.drawScale(c, y)
	case m.Fit != nil && m.kl == m.kl && (c.Value(m.kl, " nats", a.W, "KL ") || c.Value(m.kl, "", a.W, "KL ")):
		c.Write(a.X+a.W/2, y, glyph.Center, c.Theme.Ink)
	}
}

// drawSpecies draws the atoms of a Tile's species, faintly.
func (m *Map) drawSpecies(c *Canvas) {
	for i := range m.Plane.count() {
		if m.Plane.species(i) == m.Tile.Species {
			c.Point(m.within(m.Plane.x, i), 1.3*c.Unit, c.Theme.Ink.Fade(0.3))
		}
	}
}

// drawSamples draws the samples of the flow, or the restored points.
func (m *Map) drawSamples(c *Canvas) {
	r := max(1.1*c.Unit, 0.8*m.radius(c, len(m.samples)/2))
	if m.Tile != nil {
		r = 0.65 * c.Unit
	}
	for i := range min(len(m.samples)/2, mostPoints) {
		c.Point(m.within(m.samples, i), r, c.Theme.Learned)
	}
}

// contours are the levels of contours, relative to the density's typical value.
var contours = [...]float64{0.3, 0.9}

func (m *Map) drawContours(c *Canvas) {
	if m.Alone || m.contours == nil || !m.Plane.found {
		return
	}
	for _, share := range contours {
		c.Contour(m.window(), m.contours.grid(), float32(share*m.contours.typical), plot.Pen{Width: 1.3 * c.Unit, Color: c.Theme.Learned})
	}
}

// Limits of the number of points. Up to `rimmed` points are drawn with rims. Up to `everywhere`
// points are drawn in all maps; more points are drawn only in the first map. At most mostPoints
// samples are drawn.
const (
	rimmed     = 700
	everywhere = 2500
	mostPoints = 1500
)

// radius returns the radius of a point. It is smaller if there are more points.
func (m *Map) radius(c *Canvas, n int) float32 {
	r := 0.13 * float64(m.area.W) / math.Sqrt(float64(max(1, n)))
	return float32(math.Max(1.0*float64(c.Unit), math.Min(4*float64(c.Unit), r)))
}

// kernel returns the standard deviation in pixels of a kernel that the map draws, or a large number if it draws none.
func (m *Map) kernel(c *Canvas) float32 {
	if m.grid == nil || m.Fit != nil {
		return m.area.W
	}
	times, _ := m.grid.wider()
	return float32(times*m.Plane.sigma) * m.area.W / float32(m.x.Hi-m.x.Lo)
}

// drawPoints draws the points. They are strong on the first map and on maps with the field Strong.
// They are faint on other maps, and on every map that shows a difference or restored points.
func (m *Map) drawPoints(c *Canvas) {
	p, n := m.Plane, m.Plane.count()
	if !m.First && (!m.density || n > everywhere) {
		return
	}
	strong := !m.differs() && (m.First || m.Strong)
	strong = strong && !m.restores // if the map shows restored points, they are strong and the particles are faint
	r, rim, ink := m.radius(c, n), strong && n <= rimmed, c.Theme.Ink
	if !strong {
		r, ink = 0.8*r, ink.Fade(0.3)
	}
	if least := m.kernel(c); least < r { // the marks do not hide the kernels
		r, rim = min(r, max(least, 1.6*c.Unit)), false
	}
	if m.sigma > 0 && n > 0 && !p.free {
		m.drawKernel(c, m.point(p.x[0], p.x[1]), r)
	}
	if m.Chain != nil {
		m.Chain.drawBonds(c, m, p.x, ink.Mix(c.Theme.Paper, 0.5))
	}
	for i := range n {
		q := m.within(p.x, i)
		if (p.label != nil || p.kind != nil || p.v != nil && strong) && !m.differs() && !m.restores {
			ink = p.color(&c.Theme, i)
		}
		r, ink := r, ink
		if p.depth != nil && p.depth[i] >= 0 && p.depth[i] <= 1 { // what is near is larger and darker
			r, ink = r*(0.6+0.7*p.depth[i]), ink.Mix(c.Theme.Paper, 0.55*(1-p.depth[i]))
		}
		if p.v != nil && strong {
			m.drawTail(c, q, p.v[2*i], p.v[2*i+1], r, ink)
		}
		if rim {
			c.Point(q, r+0.7*c.Unit, c.Theme.Paper)
		}
		c.Point(q, r, ink)
	}
}

// drawTail draws the tail of a point that moves with a velocity: a line behind it.
func (m *Map) drawTail(c *Canvas, q plot.Point, vx, vy, r float32, ink plot.Color) {
	if speed := float32(math.Hypot(float64(vx), float64(vy))); speed > 0 && q.Finite() {
		k := 3.5 * r / speed
		tail := m.area.Keep(plot.Point{X: q.X - k*vx, Y: q.Y + k*vy})
		if tail.Finite() {
			c.Segment(tail.X, tail.Y, q.X, q.Y, plot.Pen{Width: 1.1 * r, Color: ink})
		}
	}
}

// drawKernel draws a particle's kernel to scale, as circles of one and two standard
// deviations. It omits a circle that is not larger than the particle's mark.
func (m *Map) drawKernel(c *Canvas, at plot.Point, mark float32) {
	sigma := float32(m.sigma) * m.area.W / float32(m.x.Hi-m.x.Lo)
	for k := float32(1); k <= 2 && m.area.Contains(at.X, at.Y); k++ {
		if !(k*sigma > mark) || k*sigma > m.area.W {
			continue
		}
		c.Loop(48, plot.Pen{Width: (2.2 - 0.7*k) * c.Unit, Color: c.Theme.Ink}, func(sin, cos float64) plot.Point {
			return m.area.Keep(plot.Point{X: at.X + k*sigma*float32(cos), Y: at.Y + k*sigma*float32(sin)})
		})
	}
}

// drawKeys draws, in the bottom left corner of the map, a legend for the points.
func (m *Map) drawKeys(c *Canvas) {
	x, y := m.area.X+8*c.Unit, plot.Round(m.area.Bottom()-0.7*c.Row())
	if c.Plain {
		return
	}
	if m.First && m.Plane.label != nil && !m.differs() && m.area.W > 16*c.Size {
		c.Text = append(c.Text[:0], "label 1"...)
		x += c.Plated(x, y, glyph.Left, c.Theme.Muted) + 6*c.Unit
		r := plot.Rect{X: x, Y: y - 4*c.Unit, W: 36 * c.Unit, H: 8 * c.Unit}.Round()
		c.Ramp(r, c.Theme.Labels)
		c.Text = plot.AppendCount(c.Text[:0], m.Plane.count())
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

// title writes the map's name and numbers.
func (m *Map) title(c *Canvas) {
	y := m.area.Y - 0.7*c.Row()
	x, right := m.area.X+2*c.Unit, m.area.Right()-2*c.Unit
	switch {
	case m.Model != NoModel || m.Name.Row != "":
		x += c.Title(m.name, x, y, 0.6*m.area.W, m.Color(&c.Theme)) + 10*c.Unit
	case m.Name.Word != "":
		x += c.Label(m.Name.Word, x, y, glyph.Left, m.Color(&c.Theme)) + 5*c.Unit
	}
	sign, kl := m.Name.Sign, m.kl
	if m.restores && m.Name.Points != "" {
		sign = m.Name.Points
	} else if m.from && m.Name.Source != "" {
		sign = m.Name.Source
	}
	if _, wider := m.grid.wider(); wider {
		for _, words := range m.Name.Wide {
			if c.Width(words) <= right-x {
				sign = words
				break
			}
		}
	}
	if m.Fit == nil && !m.Alone {
		kl = math.NaN()
	}
	if kl == kl && m.Name.Short != "" && c.Width(m.Name.Sign)+c.Width(" 0.0000 nats") > right-x-12*c.Unit {
		sign = m.Name.Short // the number has priority over the full name
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
	if m.contours != nil && !m.Alone && !c.Plain && x+c.Width(over) < right {
		c.Label(over, right, y, glyph.Right, c.Theme.Learned)
		return
	}
	if m.First && m.Plane.dt > 0 {
		if c.Text = m.Plane.appendTime(append(c.Text[:0], "time "...)); c.Wide() <= right-x {
			c.Write(right, y, glyph.Right, c.Theme.Muted)
		}
	}
}

// point returns the pixel for a place in the plane, and NaN for NaN.
func (m *Map) point(x, y float32) plot.Point {
	return plot.Point{X: m.x.Pos(float64(x)), Y: m.y.Pos(float64(y))}
}

// within returns the pixel for point i of the given points (N, 2), or NaN if the point is outside
// the map.
func (m *Map) within(points []float32, i int) plot.Point {
	return m.area.Keep(m.point(points[2*i], points[2*i+1]))
}

// at returns the place in the plane that a pixel shows, limited to the map.
func (m *Map) at(px, py float32) (x, y float64) {
	return min(max(m.x.Value(px), m.x.Lo), m.x.Hi), min(max(m.y.Value(py), m.y.Lo), m.y.Hi)
}

// window returns the area of the plane's window. Its height is negative, because the first row of a grid is at the bottom.
func (m *Map) window() plot.Rect {
	w := m.Plane.window
	left, bottom := m.x.Pos(w[0]), m.y.Pos(w[2])
	return plot.Rect{X: left, Y: bottom, W: m.x.Pos(w[1]) - left, H: m.y.Pos(w[3]) - bottom}
}

// mark draws a crosshair at the place being read, unless the mouse is there.
func (m *Map) mark(c *Canvas) {
	p := m.Plane
	if p.on == nil || p.on == m && c.Focus == nil && !c.Pointer.Touch {
		return
	}
	if q := m.area.Keep(m.point(float32(p.px), float32(p.py))); q.Finite() {
		c.Cross(q)
	}
}

func (m *Map) Probe(c *Canvas, x, y float32) (brush.Tip, bool) {
	if m.Tool != nil {
		if t, alone := m.Tool.Tip(c, m); alone {
			return t, t.Any()
		}
	}
	if !m.area.Contains(x, y) {
		return brush.Tip{}, false
	}
	px, py := m.at(x, y)
	t := m.tell(c, px, py)
	t.X, t.Y = x, y
	return t, true
}

// tell returns a tip with the values at a place.
func (m *Map) tell(c *Canvas, x, y float64) (t brush.Tip) {
	p := m.Plane
	q := m.point(float32(x), float32(y))
	t.X, t.Y = q.X, q.Y
	t.Value(cmp.Or(string(p.names[0]), "x"), x, c.Theme.Muted)
	t.Value(cmp.Or(string(p.names[1]), "y"), y, c.Theme.Muted)
	for i := range p.Values {
		v := &p.Values[i]
		t.Value(v.name(), v.at(p, x, y), v.Color(&c.Theme))
	}
	if i, near := p.near(c, m, x, y); near {
		t.Count(p.Names[p.species(i)], float64(i+1), p.color(&c.Theme, i))
	}
	return t
}

func (m *Map) Shape(c *Canvas) Shape {
	if m.Tool != nil {
		if s := m.Tool.Shape(c, m); s != Arrow {
			return s
		}
	}
	return When(c.Over(m.area), Cross)
}

func (m *Map) Press(c *Canvas) bool { return m.Tool != nil && m.Tool.Press(c, m) }

func (m *Map) Drag(c *Canvas) { m.Tool.Drag(c, m) }

func (m *Map) Release(c *Canvas, dropped bool) (keep bool) { return m.Tool.Release(c, m, dropped) }

// Focus implements Keyed. The crosshair begins in the middle.
func (m *Map) Focus(*Canvas) bool {
	w := m.Plane.window
	m.Plane.cursor = [2]float64{(w[0] + w[1]) / 2, (w[2] + w[3]) / 2}
	return m.At.H > 0
}

// Key implements Keyed. The arrows move the crosshair. Other keys use the tool at the
// crosshair.
func (m *Map) Key(c *Canvas, key string, shift bool) bool {
	p := m.Plane
	w, at := p.window, &p.cursor
	dx, dy := Step(key, shift)
	if dx == 0 && dy == 0 {
		return key != "Home" && key != "End" && m.Tool != nil && m.Tool.Type(c, m, key)
	}
	step := (w[1] - w[0]) / 100
	at[0], at[1] = min(max(at[0]+dx*step, w[0]), w[1]), min(max(at[1]+dy*step, w[2]), w[3])
	if m.Tool != nil {
		m.Tool.Type(c, m, "")
	}
	return true
}

func (m *Map) Reading(c *Canvas) (brush.Tip, bool) {
	return m.tell(c, m.Plane.cursor[0], m.Plane.cursor[1]), true
}

// Keeps implements Panel. A finger that moves particles or draws does not scroll the page.
func (m *Map) Keeps() bool { return m.Tool != nil && m.Tool.Keeps() }
