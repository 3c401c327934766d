package panel

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Crowd shows many realisations of one chain, each as a small picture. It reads the places of
// the beads (row "crowd", NaN if missing), whether each chain has unfolded ("crowdOpen"), and
// how many realisations have ended ("crowdDone").
type Crowd struct {
	Base
	Plane *Plane // plane that defines the window of every small picture

	outlines, open []float32
	done           int
	area           plot.Rect
	columns, rows  int
}

// mostCrowd is the largest number of drawn chains.
const mostCrowd = 400

// Empty reports whether there are no chains.
func (p *Crowd) Empty() bool { return len(p.open) == 0 }

func (p *Crowd) Read(f *wire.Frame) {
	p.outlines, p.open, p.done = f.Numbers("crowd"), f.Numbers("crowdOpen"), Count(f, "crowdDone", 0)
	if n := len(p.open); n == 0 || n > mostCrowd || len(p.outlines)%(2*n) != 0 {
		p.outlines, p.open = nil, nil
	}
}

// Place implements Panel. The title is above the chains. The cell of a chain has the same ratio
// of height to width as the window.
func (p *Crowd) Place(c *Canvas, r plot.Rect) {
	p.At, p.area = r, r.Inset(0, Above*c.Row(), 0, 0)
	n := len(p.open)
	p.columns = max(1, int(math.Ceil(math.Sqrt(float64(n)*float64(p.Plane.Aspect(0))*float64(p.area.W/max(1, p.area.H))))))
	p.rows = (n + p.columns - 1) / p.columns
}

// chain returns the places of the beads of chain k.
func (p *Crowd) chain(k int) []float32 {
	n := len(p.outlines) / len(p.open)
	return p.outlines[k*n : (k+1)*n]
}

func (p *Crowd) Draw(c *Canvas) {
	if p.Empty() || !p.Plane.found {
		return
	}
	c.Text = plot.AppendCount(c.Text[:0], p.done)
	c.Text = append(c.Text, " have ended"...)
	x, y := p.At.X+2*c.Unit, p.At.Y+c.Row()/2
	if x += c.Label("the same start, other kicks", x, y, glyph.Left, c.Theme.Ink); c.Wide() <= p.At.Right()-10*c.Unit-x {
		c.Write(p.At.Right()-2*c.Unit, y, glyph.Right, c.Theme.Ink)
	}
	if p.area.H <= 0 {
		return
	}
	w, h, window := p.area.W/float32(p.columns), p.area.H/float32(p.rows), p.Plane.window
	for k, open := range p.open {
		cell := plot.Rect{X: p.area.X + float32(k%p.columns)*w, Y: p.area.Y + float32(k/p.columns)*h, W: w, H: h}.Inset(c.Unit, c.Unit, c.Unit, c.Unit)
		ink, ground := c.Theme.Ink, c.Theme.Grid.Fade(0.5)
		if open != 0 {
			ink = c.Theme.Target
		}
		c.Box(cell, 2*c.Unit, ground)
		x := plot.Scale{Lo: window[0], Hi: window[1], A: cell.X, B: cell.Right()}
		y := plot.Scale{Lo: window[2], Hi: window[3], A: cell.Bottom(), B: cell.Y}
		c.Points = c.Points[:0]
		for places := p.chain(k); len(places) > 0; places = places[2:] {
			q := plot.Point{X: x.Pos(float64(places[0])), Y: y.Pos(float64(places[1]))}
			if q.Finite() {
				q.X, q.Y = min(max(q.X, cell.X), cell.Right()), min(max(q.Y, cell.Y), cell.Bottom())
			}
			c.Points = append(c.Points, q)
		}
		c.Line(c.Points, plot.Pen{Width: 1.2 * c.Unit, Color: ink})
	}
}

func (p *Crowd) Probe(c *Canvas, x, y float32) (t brush.Tip, ok bool) {
	if p.Empty() || !p.area.Contains(x, y) {
		return t, false
	}
	k := int((y-p.area.Y)/p.area.H*float32(p.rows))*p.columns + int((x-p.area.X)/p.area.W*float32(p.columns))
	if k < 0 || k >= len(p.open) {
		return t, false
	}
	t.X, t.Y = x, y
	t.Count("run", float64(k+1), c.Theme.Muted)
	lo, hi := math.Inf(1), math.Inf(-1)
	for places := p.chain(k); len(places) > 0; places = places[2:] {
		if x := float64(places[0]); x-x == 0 {
			lo, hi = math.Min(lo, x), math.Max(hi, x)
		}
	}
	if hi >= lo {
		t.Value("extension", hi-lo, c.Theme.Ink)
	}
	return t, true
}
