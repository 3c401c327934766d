package panel

import (
	"math"
	"slices"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/plot"
)

// Plane is the state shared by maps of the same part of the plane. It contains the points, and the
// rows "window" (x0 x1 y0 y1) and "grid" (nx ny). It also contains the place at which the user
// reads values. All maps of the Plane mark this place. The row "widths" (2) has the standard
// deviations of the kernels around the points, and the row "repeats" (2) says along which axes the
// window is one period. Without the row "widths" there are no targets.
type Plane struct {
	shared
	Points   string     // row (N, 2). The row "depth" (N) may have the depth of each point, from 0 to 1, and the row "v" (N, 2) its velocity
	Label    string     // row: one number from 0 to 1 for each point
	Colored  bool       // whether points are coloured by their labels if the row "colours" is missing
	Kind     string     // row: the species of each point, from 1
	Names    [2]string  // word for a point of each species
	Diameter [2]float64 // diameter of each species; 0: points are marks, not drawn to scale
	Values   []Value    // densities that tips show

	window   [4]float64
	nx, ny   int
	found    bool // whether there is a window
	spread   plot.Spread
	sigma    float64 // geometric mean of the kernels' standard deviations; NaN if there are no targets
	frame    int     // the displayed frame
	dt       float64 // time between two frames; NaN if there is no time
	x        []float32
	kind     []float32
	label    []float32 // nil if points are not coloured
	depth    []float32 // nil if there is no depth
	v        []float32 // velocities (N, 2); nil if points are no arrows
	kinds    int       // largest number of a species
	free     bool      // row: whether the two directions have different scales
	axes     []byte    // row: describes the axes
	names    [2][]byte // rows "axis0" and "axis1": names of the axes
	relaxing bool      // whether points have no species yet
	first    *Map      // the first map that is displayed
	on       *Map      // the map being read; nil: none
	px, py   float64
	cursor   [2]float64
}

// largestGrid is the largest number of cells of a grid along each axis.
const largestGrid = 512

// Read reads the plane's rows.
func (p *Plane) Read(f *wire.Frame) {
	p.window, p.nx, p.ny, p.found = [4]float64{-1, 1, -1, 1}, 0, 0, false
	if w := f.Numbers("window"); len(w) == 4 && w[1]-w[0] > 0 && w[3]-w[2] > 0 && w[1]-w[0] <= math.MaxFloat32 && w[3]-w[2] <= math.MaxFloat32 {
		p.found = true
		for i, v := range w {
			p.window[i] = float64(v)
		}
	}
	if g := f.Numbers("grid"); len(g) == 2 && g[0] >= 2 && g[1] >= 2 && g[0] <= largestGrid && g[1] <= largestGrid {
		p.nx, p.ny = int(g[0]), int(g[1])
	}
	p.x, p.kind, p.label = pairs(f.Numbers(p.Points)), nil, nil
	if k := f.Numbers(p.Kind); len(k) == p.count() {
		p.kind = k
	}
	if p.kinds = 2; len(p.kind) > 0 {
		p.kinds = max(2, int(slices.Max(p.kind)))
	}
	if p.depth = nil; len(f.Numbers("depth")) == p.count() {
		p.depth = f.Numbers("depth")
	}
	if p.v = nil; p.count() > 0 && len(f.Numbers("v")) == len(p.x) {
		p.v = f.Numbers("v")
	}
	p.free, p.axes, p.names = f.On("free"), f.Text("axes"), [2][]byte{f.Text("axis0"), f.Text("axis1")}
	colours := Count(f, "colours", -1) // negative if the row is missing
	if l := f.Numbers(p.Label); len(l) == p.count() && (colours > 0 || colours < 0 && p.Colored) {
		p.label = l
	}
	p.relaxing, p.frame, p.dt = f.Numbers("relaxing") != nil, Count(f, "now", 0), Interval(f)
	p.readSpread(f)
	for i := range p.Values {
		p.Values[i].read(f, p)
	}
}

// Margin returns how far a disc centred on the edge of the window extends beyond the edge.
func (p *Plane) Margin() float64 { return p.Diameter[0] / 2 }

// Aspect returns the ratio of height to width for the window enlarged by `margin` on every side.
func (p *Plane) Aspect(margin float64) float32 {
	w := p.window
	return float32((w[3] - w[2] + 2*margin) / (w[1] - w[0] + 2*margin))
}

// readSpread reads how the kernels around the points are drawn.
func (p *Plane) readSpread(f *wire.Frame) {
	p.spread, p.sigma = plot.Spread{Window: p.window}, math.NaN()
	w, repeats := f.Numbers("widths"), f.Numbers("repeats")
	if len(w) != 2 || !(w[0] > 0 && w[1] > 0 && w[0] <= math.MaxFloat32 && w[1] <= math.MaxFloat32) || !p.found {
		return
	}
	for a, v := range w {
		p.spread.Widths[a] = float64(v)
		p.spread.Repeats[a] = len(repeats) == 2 && repeats[a] != 0
	}
	p.sigma = math.Sqrt(p.spread.Widths[0] * p.spread.Widths[1])
}

// wider reports how many times wider than they are the kernels are drawn, and whether they are.
func (p *Plane) wider() (times float64, wider bool) {
	for i := range p.Values {
		if v := &p.Values[i]; v.there && v.Wide != "" {
			return v.wider()
		}
	}
	return 1, false
}

// density returns the density in a row of Values, or nil if the frame has none.
func (p *Plane) density(row string) *Value {
	for i := range p.Values {
		if v := &p.Values[i]; v.Row == row && v.there {
			return v
		}
	}
	return nil
}

// appendTime appends the time of the displayed frame.
func (p *Plane) appendTime(dst []byte) []byte {
	return plot.AppendTick(dst, float64(p.frame)*p.dt, p.dt)
}

func (p *Plane) count() int { return len(p.x) / 2 }

// species returns the species of a point, 0 or 1; of three species or more, 0 is not only the first.
func (p *Plane) species(i int) int {
	if i < len(p.kind) && p.kind[i] == 2 {
		return 1
	}
	return 0
}

// color returns the colour of a point.
func (p *Plane) color(t *brush.Theme, i int) plot.Color {
	switch {
	case p.relaxing:
		return t.Muted
	case p.label != nil:
		return t.Labels.At(float64(p.label[i]))
	case p.kind != nil && p.kinds > 2:
		return t.Labels.At((float64(p.kind[i]) - 1) / float64(p.kinds-1))
	case p.kind != nil:
		return t.Species[p.species(i)]
	case p.v != nil:
		return t.Directions.At(math.Atan2(float64(p.v[2*i+1]), float64(p.v[2*i]))/(2*math.Pi) + 0.5)
	}
	return t.Ink
}

// near returns the point nearest to a place, if it is near enough.
func (p *Plane) near(c *Canvas, m *Map, x, y float64) (index int, ok bool) {
	i, d := nearest(p.x, x, y)
	if i < 0 {
		return i, false
	}
	if r := 0.5 * p.Diameter[p.species(i)]; r > 0 {
		return i, d <= r
	}
	reach := float64(Slop+2) * float64(c.Unit)
	if c.Pointer.Touch {
		reach *= 2
	}
	return i, d*float64(m.area.W)/(m.x.Hi-m.x.Lo) <= reach
}

// Look stores the map that the user reads, and the place in this map. This is the place at the
// pointer, or the crosshair that the keys move.
func (p *Plane) Look(c *Canvas, panels []Panel) {
	p.on, p.first = nil, nil
	for _, q := range panels {
		m, ok := q.(*Map)
		if !ok || m.Plane != p || m.At.H <= 0 {
			continue
		}
		if p.first == nil {
			p.first = m
		}
		switch {
		case c.Focus == Keyed(m):
			p.on, p.px, p.py = m, p.cursor[0], p.cursor[1]
		case c.Over(m.area) && (c.Pressed == nil || c.Pressed == q):
			p.on = m
			p.px, p.py = m.at(c.Pointer.X, c.Pointer.Y)
		}
	}
	if p.on != nil && p.on.Tool != nil {
		if t, _ := p.on.Tool.Tip(c, p.on); t.Any() {
			p.on = nil
		}
	}
	p.draw(c, panels)
}

// The method draw computes the targets that are displayed, and differences from them. A kernel is drawn no narrower than a
// CSS pixel of the maps of densities.
func (p *Plane) draw(c *Canvas, panels []Panel) {
	of, lead := p.spread, (*Map)(nil)
	for _, q := range panels {
		m, ok := q.(*Map)
		if !ok || m.Plane != p || m.At.H <= 0 {
			continue
		}
		if lead == nil || lead.Scale == nil && m.Scale != nil {
			lead = m
		}
		if m.less != nil {
			of.Cells = m.grid.cells()
		}
	}
	if lead == nil {
		return
	}
	unit := float64(c.Unit)
	of.Least = [2]float64{unit * (lead.x.Hi - lead.x.Lo) / float64(lead.area.W), unit * (lead.y.Hi - lead.y.Lo) / float64(lead.area.H)}
	for i := range p.Values {
		p.Values[i].set(of)
	}
	for _, q := range panels {
		m, ok := q.(*Map)
		if !ok || m.Plane != p || m.At.H <= 0 {
			continue
		}
		if m.less != nil {
			m.difference.compute(m.grid, m.less)
		} else if m.grid != nil {
			m.grid.fill()
		}
	}
}

// Tool lets the user do more in a map than read values.
type Tool interface {
	// These methods are like the methods of Panel. m is the map with the tool.
	Keeps() bool
	Press(c *Canvas, m *Map) bool
	Drag(c *Canvas, m *Map)
	Release(c *Canvas, m *Map, dropped bool) (keep bool)
	Shape(c *Canvas, m *Map) Shape
	// Draw draws what the tool is doing.
	Draw(c *Canvas, m *Map)
	// Type handles a key while the crosshair is in the plane.
	Type(c *Canvas, m *Map, key string) bool
	// Tip returns the tool's tip, and whether it replaces other tips.
	Tip(c *Canvas, m *Map) (t brush.Tip, alone bool)
}
