package chart

import (
	"math"
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Portrait shows a plane through the states of the dynamics: the drift, the fixed points, the
// noise, training trajectories, the run and its prediction. It reads the rows whose names begin
// with "portrait". When the user drags the present state, it sends the command "hold".
type Portrait struct {
	axes
	window                 []float32 // ranges of u and v, and the number of frames for which an arrow shows the drift
	titleX, titleY         []byte
	note                   []byte // several descriptions, one per line; the first that fits is displayed
	arrows, noise, paths   []float32
	fixed, modes           []float32
	run, ahead, held, flow []float32
	waits                  bool
}

// modesWidth is the length of a row of "portraitModes": the number of constant modes, the number of
// growing modes, and the three longest time constants of the other modes.
const modesWidth = 5

// Kinds of fixed points in the row "portraitFixed".
const (
	attracts = iota
	neutral
	repels
)

func (p *Portrait) Read(f *wire.Frame) {
	p.window = f.Numbers("portrait")
	p.waits = f.On("portraitWaits")
	p.titleX, p.titleY, p.note = f.Text("portraitX"), f.Text("portraitY"), f.Text("portraitNote")
	p.arrows, p.noise, p.paths = f.Numbers("portraitArrows"), f.Numbers("portraitNoise"), f.Numbers("portraitPaths")
	p.fixed, p.modes = f.Numbers("portraitFixed"), f.Numbers("portraitModes")
	p.run, p.ahead = f.Numbers("portraitRun"), f.Numbers("portraitAhead")
	p.held, p.flow = f.Numbers("portraitHeld"), f.Numbers("portraitFlow")
}

// Empty reports whether there is no portrait and will be none.
func (p *Portrait) Empty() bool { return len(p.window) < 5 && !p.waits }

func (p *Portrait) Place(c *panel.Canvas, r plot.Rect) {
	p.above, p.below = 2.45, 1.9
	p.axes.Place(c, r)
	if len(p.window) >= 5 {
		p.x.Lo, p.x.Hi = float64(p.window[0]), float64(p.window[1])
		p.y.Lo, p.y.Hi = float64(p.window[2]), float64(p.window[3])
	}
}

// point returns the pixel of (u, v), NaN outside the area.
func (p *Portrait) point(u, v float32) plot.Point {
	return p.area.Keep(plot.Point{X: p.x.Pos(float64(u)), Y: p.y.Pos(float64(v))})
}

// path draws places (n, 2) as a line. The line is cut where it leaves the area.
func (p *Portrait) path(c *panel.Canvas, places []float32, pen plot.Pen) {
	c.Points = c.Points[:0]
	for i := 0; i+1 < len(places); i += 2 {
		c.Points = append(c.Points, p.point(places[i], places[i+1]))
	}
	c.Line(c.Points, pen)
}

func (p *Portrait) Draw(c *panel.Canvas) {
	t := &c.Theme
	p.heading(c)
	if len(p.window) < 5 {
		p.empty(c, "the dynamics are being looked at", "one moment")
		return
	}
	c.Border(p.area)
	p.yTicks(c, 5)
	p.xTicks(c, 6, p.area.Bottom(), p.area.Bottom()+0.6*c.Row(), true)
	c.Text = append(c.Text[:0], p.titleX...)
	c.Title(p.titleX, p.area.X+0.5*p.area.W-0.5*c.Wide(), p.area.Bottom()+1.45*c.Row(), p.area.W, t.Muted)
	p.path(c, p.paths, plot.Pen{Width: c.Px(1), Color: t.Faint})
	p.field(c)
	p.path(c, p.run, plot.Pen{Width: 1.1 * c.Thick(), Color: t.Target})
	p.path(c, p.ahead, c.Dashed(t.Learned))
	p.path(c, p.flow, plot.Pen{Width: c.Thick(), Color: t.Latent})
	for i := 0; i+2 < len(p.fixed); i += 3 {
		p.mark(c, p.point(p.fixed[i], p.fixed[i+1]), int(p.fixed[i+2]))
	}
	if n := len(p.run); n >= 2 {
		c.Dot(p.point(p.run[n-2], p.run[n-1]), t.Target)
	}
	if q, ok := p.handle(); ok && (len(p.held) == 2 || c.Focus == panel.Keyed(p) || c.Pressed == panel.Panel(p)) {
		c.Spot(q, 5.5, t.Latent)
		c.Ring(q.X, q.Y, 8*c.Unit, t.Latent)
	}
}

// field draws the drift as arrows, and the noise as ellipses of one standard deviation.
func (p *Portrait) field(c *panel.Canvas) {
	t := &c.Theme
	pen := plot.Pen{Width: max(c.Px(1), 1.2*c.Unit), Color: t.Muted}
	for i := 0; i+3 < len(p.arrows); i += 4 {
		from := p.point(p.arrows[i], p.arrows[i+1])
		to := plot.Point{X: p.x.Pos(float64(p.arrows[i] + p.arrows[i+2])), Y: p.y.Pos(float64(p.arrows[i+1] + p.arrows[i+3]))}
		if !from.Finite() || !to.Finite() {
			continue
		}
		if k := i / 4; 3*k+2 < len(p.noise) && k%2 == 0 {
			p.ellipse(c, from, p.noise[3*k:3*k+3])
		}
		dx, dy := to.X-from.X, to.Y-from.Y
		length := float32(math.Hypot(float64(dx), float64(dy)))
		if length < 0.75*c.Unit {
			c.Disc(from.X, from.Y, 0.9*c.Unit, t.Muted)
			continue
		}
		if most := 0.3 * p.area.W; length > most { // only arrows far outside the training range are longer
			dx, dy, length = dx*most/length, dy*most/length, most
			to = plot.Point{X: from.X + dx, Y: from.Y + dy}
		}
		head := min(4.5*c.Unit, 0.5*length)
		ex, ey := dx/length*head, dy/length*head
		c.Points = append(c.Points[:0], from, to, plot.Point{X: float32(math.NaN())},
			plot.Point{X: to.X - ex - 0.6*ey, Y: to.Y - ey + 0.6*ex}, to, plot.Point{X: to.X - ex + 0.6*ey, Y: to.Y - ey - 0.6*ex})
		c.Line(c.Points, pen)
	}
}

// ellipse draws the ellipse of one standard deviation of the noise at a place. `of` is the
// covariance (uu, uv, vv) of the noise.
func (p *Portrait) ellipse(c *panel.Canvas, at plot.Point, of []float32) {
	// The Cholesky factor maps the unit circle to the ellipse.
	a := math.Sqrt(math.Max(0, float64(of[0])))
	b := 0.0
	if a > 0 {
		b = float64(of[1]) / a
	}
	d := math.Sqrt(math.Max(0, float64(of[2])-b*b))
	perX, perY := float64(p.area.W)/(p.x.Hi-p.x.Lo), float64(p.area.H)/(p.y.Hi-p.y.Lo)
	c.Loop(18, plot.Pen{Width: c.Px(1), Color: c.Theme.Latent.Fade(0.55)}, func(sin, cos float64) plot.Point {
		return p.area.Keep(plot.Point{X: at.X + float32(perX*a*cos), Y: at.Y - float32(perY*(b*cos+d*sin))})
	})
}

// mark draws a fixed point: a disc if it attracts, a ring if it repels, and a ring with a dot if
// some modes are constant.
func (p *Portrait) mark(c *panel.Canvas, q plot.Point, kind int) {
	r := 4.2 * c.Unit
	c.Point(q, r+1.5*c.Unit, c.Theme.Paper)
	if c.Point(q, r, c.Theme.Ink); kind == attracts {
		return
	}
	c.Point(q, r-1.5*c.Unit, c.Theme.Paper)
	if kind == neutral {
		c.Point(q, r-2.9*c.Unit, c.Theme.Ink)
	}
}

// heading writes the title, what an arrow means, and the description of the fixed points.
func (p *Portrait) heading(c *panel.Canvas) {
	t, y := &c.Theme, p.At.Y+c.Row()/2
	x, right := p.At.X+2*c.Unit, p.At.Right()-2*c.Unit
	x += c.Roomiest(x, y, right-x, glyph.Left, t.Ink, "latent portrait", "portrait")
	if len(p.window) < 5 {
		return
	}
	if len(p.titleY) > 0 {
		c.Text = append(append(c.Text[:0], "↑ "...), p.titleY...)
		if w := c.Wide(); w < right-x-12*c.Unit {
			c.Write(x+12*c.Unit, y, glyph.Left, t.Muted)
			x += w + 12*c.Unit
		}
	}
	for _, words := range [...]string{"an arrow is ", "arrow: "} {
		c.Text = append(append(c.Text[:0], words...), strconv.Itoa(int(p.window[4]))...)
		if c.Text = append(c.Text, " frames"...); p.window[4] == 1 {
			c.Text = c.Text[:len(c.Text)-1]
		}
		if len(p.noise) > 0 {
			c.Text = append(c.Text, ", an ellipse their noise"...)
		}
		if c.Wide() < right-x-12*c.Unit {
			c.Write(right, y, glyph.Right, t.Muted)
			break
		}
	}
	c.Fitting(p.note, right-p.At.X-2*c.Unit)
	c.Write(p.At.X+2*c.Unit, y+c.Row(), glyph.Left, t.Muted)
}

// handle returns the place of the state that the user can drag: the held state, or the state of
// the frame.
func (p *Portrait) handle() (plot.Point, bool) {
	of := p.held
	if len(of) < 2 {
		of = p.run
	}
	if len(of) < 2 || len(p.window) < 5 {
		return plot.Point{}, false
	}
	q := plot.Point{X: p.x.Pos(float64(of[len(of)-2])), Y: p.y.Pos(float64(of[len(of)-1]))}
	return q, q.Finite()
}

func (p *Portrait) Press(c *panel.Canvas) bool {
	if len(p.run) < 2 || !c.Over(p.area) {
		return false
	}
	p.ask(c)
	return true
}

// ask sends the place to which the user has dragged the state.
func (p *Portrait) ask(c *panel.Canvas) {
	x := max(p.area.X, min(p.area.Right(), c.Pointer.X))
	y := max(p.area.Y, min(p.area.Bottom(), c.Pointer.Y))
	p.hold(c, p.x.Value(x), p.y.Value(y))
}

func (p *Portrait) hold(c *panel.Canvas, u, v float64) {
	text := strconv.AppendFloat(nil, u, 'g', 6, 64)
	c.Command("hold", string(strconv.AppendFloat(append(text, ' '), v, 'g', 6, 64)))
}

func (p *Portrait) Drag(c *panel.Canvas) { p.ask(c) }

func (p *Portrait) Shape(c *panel.Canvas) panel.Shape {
	return panel.When(len(p.run) >= 2 && c.Over(p.area), panel.Hand)
}

// near reports whether the pixel (x, y) is near the place uv.
func (p *Portrait) near(uv []float32, x, y float32, c *panel.Canvas) bool {
	q := p.point(uv[0], uv[1])
	return math.Hypot(float64(q.X-x), float64(q.Y-y)) < float64(panel.Slop*c.Unit)
}

// Probe implements Panel. Its tip describes a fixed point near the place or, if there is none, the
// place itself.
func (p *Portrait) Probe(c *panel.Canvas, x, y float32) (t brush.Tip, ok bool) {
	if len(p.window) < 5 || !p.area.Contains(x, y) {
		return t, false
	}
	t.X, t.Y = x, y
	t.Quiet = c.Pressed == panel.Panel(p) || len(p.held) == 2 && p.near(p.held, x, y, c) // the picture already shows the values of the held state
	for i := 0; i+2 < len(p.fixed); i += 3 {
		kind, at := int(p.fixed[i+2]), i/3*modesWidth
		if !p.near(p.fixed[i:], x, y, c) || kind < attracts || kind > repels || at+modesWidth > len(p.modes) {
			continue
		}
		m := p.modes[at:]
		t.Count([...]string{"attracts; modes that stay", "fixed; modes that stay", "repels; modes that stay"}[kind], float64(m[0]), c.Theme.Ink)
		t.Count("modes that grow", float64(m[1]), c.Theme.Ink)
		for _, tau := range m[2:modesWidth] {
			t.Value("decays with τ", float64(tau), c.Theme.Ink)
		}
		return t, true
	}
	t.Add("horizontal", p.x.Value(x), c.Theme.Muted)
	t.Add("vertical", p.y.Value(y), c.Theme.Muted)
	return t, true
}

func (p *Portrait) Focus(*panel.Canvas) bool { return p.At.H > 0 && len(p.run) >= 2 }

// Key implements Keyed. The arrows move the state.
func (p *Portrait) Key(c *panel.Canvas, key string, shift bool) bool {
	q, ok := p.handle()
	if !ok {
		return false
	}
	dx, dy := panel.Step(key, shift)
	if dx == 0 && dy == 0 {
		return false
	}
	step := p.area.W / 50
	if shift {
		step /= 2
	}
	q.X, q.Y = q.X+step*float32(dx), q.Y-step*float32(dy)
	p.hold(c, p.x.Value(q.X), p.y.Value(q.Y))
	return true
}

func (p *Portrait) Reading(c *panel.Canvas) (brush.Tip, bool) {
	q, ok := p.handle()
	if !ok {
		return brush.Tip{}, false
	}
	return p.Probe(c, q.X, q.Y)
}
