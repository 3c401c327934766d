package panel

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/plot"
)

// Plane is a window of the plane that maps share: the rows "window" (x0 x1 y0 y1)
// and "grid" (nx ny), the points in it, and the place that is read in all of its
// maps at once.
type Plane struct {
	shared
	Points   string     // row (N,2)
	Label    string     // row: a number from 0 to 1 for each point
	Colored  bool       // points have the colours of their labels unless the row "colours" is 0
	Kind     string     // row: the species of each point, 1 or 2
	Names    [2]string  // of a point of either
	Diameter [2]float64 // of either; 0 is a mark whose size means nothing
	Values   []Value    // listed in the tip of a place

	window   [4]float64
	nx, ny   int
	found    bool // there is a window
	x        []float32
	kind     []float32
	label    []float32 // nil: points have no colours
	grids    [8][]float32
	relaxing bool // points are of no species yet
	first    *view
	heat     *Heat // of the first map

	on     *view // the map that is read; nil is none
	px, py float64
	cursor [2]float64
}

// Value is a density whose value is in a tip: a row with a number for each
// cell of the grid.
type Value struct {
	Row, Name string
	Color     Color
	Needs     int
}

// largestGrid bounds the cells of a grid either way.
const largestGrid = 512

// Read takes the plane's rows.
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
	colored := 0
	if p.Colored {
		colored = 1
	}
	if l := f.Numbers(p.Label); len(l) == p.count() && Count(f, "colours", colored) != 0 {
		p.label = l
	}
	p.relaxing = f.Numbers("relaxing") != nil
	for i := range p.Values {
		if p.grids[i] = nil; revealed(f, p.Values[i].Needs) {
			p.grids[i] = p.grid(f, p.Values[i].Row)
		}
	}
}

// Aspect returns the height of the window, wider by a margin on every side, over its
// width.
func (p *Plane) Aspect(margin float64) float32 {
	w := p.window
	return float32((w[3] - w[2] + 2*margin) / (w[1] - w[0] + 2*margin))
}

// grid returns a row of f with a number for each cell, nil if there is none.
func (p *Plane) grid(f *wire.Frame, name string) []float32 {
	if v := f.Numbers(name); p.nx > 0 && len(v) == p.nx*p.ny {
		return v
	}
	return nil
}

// cell returns the value of a grid at a place, NaN outside.
func (p *Plane) cell(grid []float32, x, y float64) float64 {
	w := p.window
	if grid == nil || !(x >= w[0] && x < w[1] && y >= w[2] && y < w[3]) {
		return math.NaN()
	}
	i := min(int((x-w[0])/(w[1]-w[0])*float64(p.nx)), p.nx-1)
	j := min(int((y-w[2])/(w[3]-w[2])*float64(p.ny)), p.ny-1)
	return float64(grid[j*p.nx+i])
}

func (p *Plane) count() int { return len(p.x) / 2 }

// species returns the species of a point, 0 or 1.
func (p *Plane) species(i int) int {
	if i < len(p.kind) && p.kind[i] == 2 {
		return 1
	}
	return 0
}

// color is what a point is drawn in.
func (p *Plane) color(t *brush.Theme, i int) plot.Color {
	switch {
	case p.relaxing:
		return t.Muted
	case p.label != nil:
		return t.Labels.At(float64(p.label[i]))
	case p.kind != nil:
		return t.Species[p.species(i)]
	}
	return t.Ink
}

// near returns the point that a place of a map means.
func (p *Plane) near(c *Canvas, v *view, x, y float64) (index int, ok bool) {
	i, d := nearest(p.x, x, y)
	if i < 0 {
		return i, false
	}
	if r := 0.5 * p.Diameter[p.species(i)]; r > 0 {
		return i, d <= r
	}
	reach := float64(slop+2) * float64(c.Unit)
	if c.Pointer.Touch {
		reach *= 2
	}
	return i, d*float64(v.area.W)/(v.x.Hi-v.x.Lo) <= reach
}

// Look finds out which place of which map the pointer or the keys read.
func (p *Plane) Look(c *Canvas, panels []Panel) {
	p.on, p.first = nil, nil
	for _, q := range panels {
		m, ok := q.(mapped)
		if !ok || m.window().plane != p || q.Rect().H <= 0 {
			continue
		}
		v := m.window()
		if p.first == nil {
			p.first, p.heat = v, nil
			if h, ok := q.(interface{ shades() *Heat }); ok {
				p.heat = h.shades()
			}
		}
		switch {
		case c.Focus != nil && c.Focus == any(q):
			p.on, p.px, p.py = v, p.cursor[0], p.cursor[1]
		case c.over(v.area) && (c.Pressed == nil || c.Pressed == q):
			p.on = v
			p.px, p.py = v.at(c.Pointer.X, c.Pointer.Y)
		}
	}
	if p.on != nil && p.on.tool != nil && p.on.tool.Hides(c, p.on) {
		p.on = nil
	}
}

// A mapped panel is a map of a plane.
type mapped interface{ window() *view }

// view is a map: a window of the plane laid over an area with the same scale both
// ways.
type view struct {
	base
	plane *Plane
	tool  Tool
	area  plot.Rect
	x, y  plot.Scale
}

// Tool is what the pointer does in a map beside reading.
type Tool interface {
	// Press, Drag and Release are those of Pressed, Shape that of Panel.
	Press(c *Canvas, v *view) bool
	Drag(c *Canvas, v *view)
	Release(c *Canvas, v *view, dropped bool) (keep bool)
	Shape(c *Canvas, v *view) Shape
	// Draw shows what the pointer would do.
	Draw(c *Canvas, v *view)
	// Type takes a key while the crosshair is in the plane.
	Type(c *Canvas, v *view, key string) bool
	// Hides reports whether the pointer reads the tool and not the place, Silent
	// whether it reads no values.
	Hides(c *Canvas, v *view) bool
	Silent(c *Canvas) bool
}

func (v *view) window() *view { return v }

// span lays the plane's window, wider by a margin on every side, over an area.
func (v *view) span(area plot.Rect, margin float64) {
	v.area = area
	w := v.plane.window
	wide, high := w[1]-w[0]+2*margin, w[3]-w[2]+2*margin
	scale := math.Min(float64(area.W)/wide, float64(area.H)/high)
	hx, hy := float64(area.W)/2/scale, float64(area.H)/2/scale
	mx, my := (w[0]+w[1])/2, (w[2]+w[3])/2
	v.x = plot.Scale{Lo: mx - hx, Hi: mx + hx, A: area.X, B: area.Right()}
	v.y = plot.Scale{Lo: my - hy, Hi: my + hy, A: area.Bottom(), B: area.Y}
}

// point returns where a place of the plane is drawn; nowhere for NaN.
func (v *view) point(x, y float32) plot.Point {
	return plot.Point{X: v.x.Pos(float64(x)), Y: v.y.Pos(float64(y))}
}

// at returns the place of the plane at a pixel, the nearest one within the map.
func (v *view) at(px, py float32) (x, y float64) {
	return min(max(v.x.Value(px), v.x.Lo), v.x.Hi), min(max(v.y.Value(py), v.y.Lo), v.y.Hi)
}

// cells returns where the cells of a grid are, all of them.
func (v *view) cells() plot.Rect {
	w := v.plane.window
	left, top := v.x.Pos(w[0]), v.y.Pos(w[3])
	return plot.Rect{X: left, Y: top, W: v.x.Pos(w[1]) - left, H: v.y.Pos(w[2]) - top}
}

// mark draws a crosshair at the place that is read, unless the mouse is there.
func (v *view) mark(c *Canvas) {
	p := v.plane
	if p.on == nil || p.on == v && c.Focus == nil && !c.Pointer.Touch {
		return
	}
	if q := v.point(float32(p.px), float32(p.py)); q.Finite() && v.area.Contains(q.X, q.Y) {
		c.Cross(q)
	}
}

func (v *view) Probe(c *Canvas, x, y float32) (brush.Tip, bool) {
	if !v.area.Contains(x, y) || v.tool != nil && (v.tool.Silent(c) || v.tool.Hides(c, v)) {
		return brush.Tip{}, false
	}
	px, py := v.at(x, y)
	t := v.tell(c, px, py)
	t.X, t.Y = x, y
	return t, true
}

// tell returns the values at a place of the plane.
func (v *view) tell(c *Canvas, x, y float64) (t brush.Tip) {
	p := v.plane
	q := v.point(float32(x), float32(y))
	t.X, t.Y = q.X, q.Y
	t.Value("x", x, c.Theme.Muted)
	t.Value("y", y, c.Theme.Muted)
	for i := range p.Values {
		d := &p.Values[i]
		t.Value(d.Name, p.cell(p.grids[i], x, y), d.Color(&c.Theme))
	}
	if i, near := p.near(c, v, x, y); near {
		t.Count(p.Names[p.species(i)], float64(i+1), p.color(&c.Theme, i))
	}
	return t
}

func (v *view) Shape(c *Canvas) Shape {
	if v.tool != nil {
		if s := v.tool.Shape(c, v); s != Arrow {
			return s
		}
	}
	if c.over(v.area) {
		return Cross
	}
	return Arrow
}

func (v *view) Press(c *Canvas) bool { return v.tool != nil && v.tool.Press(c, v) }

func (v *view) Drag(c *Canvas) { v.tool.Drag(c, v) }

func (v *view) Release(c *Canvas, dropped bool) (keep bool) { return v.tool.Release(c, v, dropped) }

// Focus implements Keyed: the crosshair begins in the middle.
func (v *view) Focus(*Canvas) bool {
	w := v.plane.window
	v.plane.cursor = [2]float64{(w[0] + w[1]) / 2, (w[2] + w[3]) / 2}
	return v.rect.H > 0
}

// Key implements Keyed: the arrows move the crosshair, and what the tool does with
// other keys it does there.
func (v *view) Key(c *Canvas, key string, shift bool) bool {
	p := v.plane
	w, at := p.window, &p.cursor
	step := (w[1] - w[0]) / 100
	if shift {
		step *= 10
	}
	switch key {
	case "ArrowLeft":
		at[0] -= step
	case "ArrowRight":
		at[0] += step
	case "ArrowUp":
		at[1] += step
	case "ArrowDown":
		at[1] -= step
	case "Home", "End":
		return false
	default:
		return v.tool != nil && v.tool.Type(c, v, key)
	}
	at[0], at[1] = min(max(at[0], w[0]), w[1]), min(max(at[1], w[2]), w[3])
	if v.tool != nil {
		v.tool.Type(c, v, "")
	}
	return true
}

func (v *view) Reading(c *Canvas) (brush.Tip, bool) {
	return v.tell(c, v.plane.cursor[0], v.plane.cursor[1]), true
}
