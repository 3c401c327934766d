package panel

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/plot"
)

// Crowd is many chains of the same window, each a small picture.
type Crowd struct {
	base
	Outlines string // row: places of each (chains, points, 2), NaN where there is none yet
	Open     string // row: 1 for each that has unfolded
	Done     string // row: how many have ended
	Plane    *Plane // whose window it is
	Title    string

	outlines, open []float32
	done           int
}

// mostCrowd bounds the chains that are drawn.
const mostCrowd = 400

// Empty reports whether there is no chain.
func (p *Crowd) Empty() bool { return len(p.open) == 0 }

func (p *Crowd) Read(f *wire.Frame) {
	p.outlines, p.open, p.done = f.Numbers(p.Outlines), f.Numbers(p.Open), Count(f, p.Done, 0)
	if n := len(p.open); n == 0 || n > mostCrowd || len(p.outlines)%(2*n) != 0 {
		p.outlines, p.open = nil, nil
	}
}

// grid returns the number of columns and rows of an area's cells, which are as wide for
// their height as the window is.
func (p *Crowd) grid(area plot.Rect) (columns, rows int) {
	n := len(p.open)
	columns = max(1, int(math.Ceil(math.Sqrt(float64(n)*float64(p.Plane.Aspect(0))*float64(area.W/max(1, area.H))))))
	return columns, (n + columns - 1) / columns
}

func (p *Crowd) Draw(c *Canvas) {
	if p.Empty() || !p.Plane.found {
		return
	}
	area := p.rect.Inset(0, Above*c.Row(), 0, 0)
	c.Text = plot.AppendCount(c.Text[:0], p.done)
	c.Text = append(c.Text, " have ended"...)
	c.Headline(p.rect, "", p.Title)
	if area.H <= 0 {
		return
	}
	columns, rows := p.grid(area)
	w, h := area.W/float32(columns), area.H/float32(rows)
	window, points := p.Plane.window, len(p.outlines)/len(p.open)
	for k, open := range p.open {
		cell := plot.Rect{X: area.X + float32(k%columns)*w, Y: area.Y + float32(k/columns)*h, W: w, H: h}.Inset(c.Unit, c.Unit, c.Unit, c.Unit)
		ink, ground := c.Theme.Ink, c.Theme.Grid.Fade(0.5)
		if open != 0 {
			ink = c.Theme.Target
		}
		c.Box(cell, 2*c.Unit, ground)
		x := plot.Scale{Lo: window[0], Hi: window[1], A: cell.X, B: cell.Right()}
		y := plot.Scale{Lo: window[2], Hi: window[3], A: cell.Bottom(), B: cell.Y}
		c.Points = c.Points[:0]
		for i := k * points; i < (k+1)*points; i += 2 {
			q := plot.Point{X: x.Pos(float64(p.outlines[i])), Y: y.Pos(float64(p.outlines[i+1]))}
			if q.Finite() {
				q.X, q.Y = min(max(q.X, cell.X), cell.Right()), min(max(q.Y, cell.Y), cell.Bottom())
			}
			c.Points = append(c.Points, q)
		}
		c.Line(c.Points, plot.Pen{Width: 1.2 * c.Unit, Color: ink})
	}
}

func (p *Crowd) Probe(c *Canvas, x, y float32) (t brush.Tip, ok bool) {
	area := p.rect.Inset(0, Above*c.Row(), 0, 0)
	if p.Empty() || !area.Contains(x, y) {
		return t, false
	}
	columns, rows := p.grid(area)
	k := int((y-area.Y)/area.H*float32(rows))*columns + int((x-area.X)/area.W*float32(columns))
	if k < 0 || k >= len(p.open) {
		return t, false
	}
	t.X, t.Y = x, y
	t.Count("run", float64(k+1), c.Theme.Muted)
	lo, hi := math.Inf(1), math.Inf(-1)
	points := len(p.outlines) / len(p.open)
	for i := k * points; i < (k+1)*points; i += 2 {
		if x := float64(p.outlines[i]); x-x == 0 {
			lo, hi = math.Min(lo, x), math.Max(hi, x)
		}
	}
	if hi >= lo {
		t.Value("extension", hi-lo, c.Theme.Ink)
	}
	return t, true
}
