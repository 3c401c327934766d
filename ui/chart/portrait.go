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
// noise, training trajectories, the run and its prediction. It is both axes of its Chart. It reads
// the rows whose names begin with "portrait". When the user drags the present state, it sends the
// command "hold".
type Portrait struct {
	plain
	window                 []float32 // ranges of u and v, and the number of frames for which an arrow shows the drift
	titleX, up             []byte    // names of the axes
	note                   []byte    // several descriptions, one per line; the first that fits is displayed
	arrows, noise, paths   []float32
	fixed, modes           []float32
	run, ahead, held, flow []float32
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

func (p *Portrait) read(s *Chart, f *wire.Frame) {
	p.window = f.Numbers("portrait")
	s.waits, s.below = f.On("portraitWaits"), 1.9
	p.titleX, p.note = f.Text("portraitX"), f.Text("portraitNote")
	p.arrows, p.noise, p.paths = f.Numbers("portraitArrows"), f.Numbers("portraitNoise"), f.Numbers("portraitPaths")
	p.fixed, p.modes = f.Numbers("portraitFixed"), f.Numbers("portraitModes")
	p.run, p.ahead = f.Numbers("portraitRun"), f.Numbers("portraitAhead")
	p.held, p.flow = f.Numbers("portraitHeld"), f.Numbers("portraitFlow")
	if up := f.Text("portraitY"); p.any() && len(up) > 0 {
		p.up = append(append(p.up[:0], "↑ "...), up...)
		s.unit = p.up
	}
}

func (p *Portrait) any() bool { return len(p.window) >= 5 }

func (p *Portrait) span(s *Chart, _, _ float64) (moving bool) {
	if p.any() {
		s.x.Lo, s.x.Hi = float64(p.window[0]), float64(p.window[1])
		s.y.Lo, s.y.Hi = float64(p.window[2]), float64(p.window[3])
	}
	return false
}

func (p *Portrait) extent() (now, known, end int) { return 0, 0, min(len(p.run)/2, 1) - 1 }

// point returns the pixel of (u, v), NaN outside the area.
func (s *Chart) point(u, v float32) plot.Point {
	return s.area.Keep(plot.Point{X: s.x.Pos(float64(u)), Y: s.y.Pos(float64(v))})
}

// path draws places (n, 2) as a line. The line is cut where it leaves the area.
func (p *Portrait) path(c *panel.Canvas, s *Chart, places []float32, pen plot.Pen) {
	c.Points = c.Points[:0]
	for i := 0; i+1 < len(places); i += 2 {
		c.Points = append(c.Points, s.point(places[i], places[i+1]))
	}
	c.Line(c.Points, pen)
}

func (p *Portrait) draw(c *panel.Canvas, s *Chart) {
	t := &c.Theme
	c.Fitting(p.note, s.At.W-4*c.Unit)
	c.Write(s.At.X+2*c.Unit, s.head.Y+1.5*c.Row(), glyph.Left, t.Muted)
	c.Border(s.area)
	s.yTicks(c, 5)
	s.xTicks(c, 6, s.area.Bottom(), s.area.Bottom()+0.6*c.Row(), true)
	c.Text = append(c.Text[:0], p.titleX...)
	c.Title(p.titleX, s.area.X+0.5*s.area.W-0.5*c.Wide(), s.area.Bottom()+1.45*c.Row(), s.area.W, t.Muted)
	p.path(c, s, p.paths, plot.Pen{Width: c.Px(1), Color: t.Faint})
	p.field(c, s)
	p.path(c, s, p.run, plot.Pen{Width: 1.1 * c.Thick(), Color: t.Target})
	p.path(c, s, p.ahead, c.Dashed(t.Learned))
	p.path(c, s, p.flow, plot.Pen{Width: c.Thick(), Color: t.Latent})
	for i := 0; i+2 < len(p.fixed); i += 3 {
		markFixed(c, s.point(p.fixed[i], p.fixed[i+1]), int(p.fixed[i+2]))
	}
	if n := len(p.run); n >= 2 {
		c.Dot(s.point(p.run[n-2], p.run[n-1]), t.Target)
	}
	if q, ok := p.spot(s); ok && (len(p.held) == 2 || c.Focus == panel.Keyed(s) || c.Pressed == panel.Panel(s)) {
		c.Spot(q, 5.5, t.Latent)
		c.Ring(q.X, q.Y, 8*c.Unit, t.Latent)
	}
}

// field draws the drift as arrows, and the noise as ellipses of one standard deviation.
func (p *Portrait) field(c *panel.Canvas, s *Chart) {
	t := &c.Theme
	pen := plot.Pen{Width: max(c.Px(1), 1.2*c.Unit), Color: t.Muted}
	for i := 0; i+3 < len(p.arrows); i += 4 {
		from := s.point(p.arrows[i], p.arrows[i+1])
		to := plot.Point{X: s.x.Pos(float64(p.arrows[i] + p.arrows[i+2])), Y: s.y.Pos(float64(p.arrows[i+1] + p.arrows[i+3]))}
		if !from.Finite() || !to.Finite() {
			continue
		}
		if k := i / 4; 3*k+2 < len(p.noise) && k%2 == 0 {
			p.ellipse(c, s, from, p.noise[3*k:3*k+3])
		}
		dx, dy := to.X-from.X, to.Y-from.Y
		length := float32(math.Hypot(float64(dx), float64(dy)))
		if length < 0.75*c.Unit {
			c.Disc(from.X, from.Y, 0.9*c.Unit, t.Muted)
			continue
		}
		if most := 0.3 * s.area.W; length > most { // only arrows far outside the training range are longer
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
func (p *Portrait) ellipse(c *panel.Canvas, s *Chart, at plot.Point, of []float32) {
	// The Cholesky factor maps the unit circle to the ellipse.
	a := math.Sqrt(math.Max(0, float64(of[0])))
	b := 0.0
	if a > 0 {
		b = float64(of[1]) / a
	}
	d := math.Sqrt(math.Max(0, float64(of[2])-b*b))
	perX, perY := float64(s.area.W)/(s.x.Hi-s.x.Lo), float64(s.area.H)/(s.y.Hi-s.y.Lo)
	c.Loop(18, plot.Pen{Width: c.Px(1), Color: c.Theme.Latent.Fade(0.55)}, func(sin, cos float64) plot.Point {
		return s.area.Keep(plot.Point{X: at.X + float32(perX*a*cos), Y: at.Y - float32(perY*(b*cos+d*sin))})
	})
}

// markFixed draws a fixed point: a disc if it attracts, a ring if it repels, and a ring with a dot if
// some modes are constant.
func markFixed(c *panel.Canvas, q plot.Point, kind int) {
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

// key writes what an arrow means.
func (p *Portrait) key(c *panel.Canvas, least, right, y float32) float32 {
	if !p.any() {
		return right
	}
	for _, words := range [...]string{"an arrow is ", "arrow: "} {
		c.Text = append(append(c.Text[:0], words...), strconv.Itoa(int(p.window[4]))...)
		if c.Text = append(c.Text, " frames"...); p.window[4] == 1 {
			c.Text = c.Text[:len(c.Text)-1]
		}
		if len(p.noise) > 0 {
			c.Text = append(c.Text, ", an ellipse their noise"...)
		}
		if c.Wide() < right-least {
			return right - c.Write(right, y, glyph.Right, c.Theme.Muted)
		}
	}
	return right
}

// spot returns the place of the state that the user can drag: the held state, or the state of
// the frame.
func (p *Portrait) spot(s *Chart) (plot.Point, bool) {
	of := p.held
	if len(of) < 2 {
		of = p.run
	}
	if len(of) < 2 || !p.any() {
		return plot.Point{}, false
	}
	q := plot.Point{X: s.x.Pos(float64(of[len(of)-2])), Y: s.y.Pos(float64(of[len(of)-1]))}
	return q, q.Finite()
}

func (p *Portrait) grips(c *panel.Canvas, s *Chart) panel.Shape {
	return panel.When(len(p.run) >= 2 && c.Over(s.area), panel.Hand)
}

func (p *Portrait) press(c *panel.Canvas, s *Chart)     { p.drag(c, s) }
func (p *Portrait) release(*panel.Canvas, *Chart, bool) {}

// drag sends the place to which the user has dragged the state.
func (p *Portrait) drag(c *panel.Canvas, s *Chart) {
	c.Send("hold", s.x.Value(max(s.area.X, min(s.area.Right(), c.Pointer.X))), s.y.Value(max(s.area.Y, min(s.area.Bottom(), c.Pointer.Y))))
}

// near reports whether the pixel (x, y) is near the place uv.
func (p *Portrait) near(c *panel.Canvas, s *Chart, uv []float32, x, y float32) bool {
	q := s.point(uv[0], uv[1])
	return math.Hypot(float64(q.X-x), float64(q.Y-y)) < float64(panel.Slop*c.Unit)
}

// tell describes a fixed point near the place or, if there is none, the place itself.
func (p *Portrait) tell(c *panel.Canvas, s *Chart, t *brush.Tip, _ int, x, y float32) {
	if t.X = x; !p.any() {
		return
	}
	t.Quiet = c.Pressed == panel.Panel(s) || len(p.held) == 2 && p.near(c, s, p.held, x, y) // the picture already shows the values of the held state
	for i := 0; i+2 < len(p.fixed); i += 3 {
		kind, at := int(p.fixed[i+2]), i/3*modesWidth
		if !p.near(c, s, p.fixed[i:], x, y) || kind < attracts || kind > repels || at+modesWidth > len(p.modes) {
			continue
		}
		m := p.modes[at:]
		t.Count([...]string{"attracts; modes that stay", "fixed; modes that stay", "repels; modes that stay"}[kind], float64(m[0]), c.Theme.Ink)
		t.Count("modes that grow", float64(m[1]), c.Theme.Ink)
		for _, tau := range m[2:modesWidth] {
			t.Value("decays with τ", float64(tau), c.Theme.Ink)
		}
		return
	}
	t.Add("horizontal", s.x.Value(x), c.Theme.Muted)
	t.Add("vertical", s.y.Value(y), c.Theme.Muted)
}

// typed handles a key. The arrows move the state.
func (p *Portrait) typed(c *panel.Canvas, s *Chart, key string, shift bool) bool {
	q, ok := p.spot(s)
	if !ok {
		return false
	}
	dx, dy := panel.Step(key, shift)
	if dx == 0 && dy == 0 {
		return false
	}
	step := s.area.W / 50
	if shift {
		step /= 2
	}
	q.X, q.Y = q.X+step*float32(dx), q.Y-step*float32(dy)
	c.Send("hold", s.x.Value(q.X), s.y.Value(q.Y))
	return true
}
