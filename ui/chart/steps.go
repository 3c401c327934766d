package chart

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Steps shows a quantity over the steps of a training: the rows Steps and Value. The axis ends
// at the step in the row Total, or earlier. The row Note contains a remark.
type Steps struct {
	axes
	Titles       []string // the first one that fits is shown
	Unit         string
	Steps, Value string // the row with the steps, and the row with the values
	Total        string // row that contains the last step of the schedule; "": none
	Name         string // name of the quantity in a tip
	Log          bool
	None         string
	Note         string // row with a remark
	Tall         bool   // whether, in a high panel, the remark has a separate row above the title
	Linked       *Steps // panel that shows its value at the same step as this panel; nil for none

	at, values []float32
	total      int
	note       []byte
	end        plot.Eased
}

func (p *Steps) Read(f *wire.Frame) {
	p.y.Log = p.Log
	p.at, p.values = f.Numbers(p.Steps), f.Numbers(p.Value)
	n := min(len(p.at), len(p.values))
	p.at, p.values = p.at[:n], p.values[:n]
	p.total, p.note = panel.Count(f, p.Total, 0), f.Text(p.Note)
}

// Empty reports whether there are too few values for a curve.
func (p *Steps) Empty() bool { return len(p.values) < 2 }

// Place implements Panel.
func (p *Steps) Place(c *panel.Canvas, r plot.Rect) {
	if p.above = 0; p.Tall && r.H > 8*c.Row() {
		p.above = 2.45
	}
	p.axes.Place(c, r)
}

// Ease implements Panel. Its tolerance is large, because a training changes the axes
// continually.
func (p *Steps) Ease(dt, tau float64) bool {
	end := stepEnd(p.at, p.total)
	moving := p.end.To(end, dt, tau, 1e-2*end)
	p.x.Hi = p.end.V
	lo, hi := lossRange(p.at, p.values)
	if p.Log {
		lo, hi = logRange(p.values)
	}
	return p.follow(lo, hi, 1e-2, dt, tau) || moving
}

func (p *Steps) Draw(c *panel.Canvas) {
	c.Text = c.Text[:0]
	if n := len(p.values); n > 0 {
		c.Text = plot.AppendValue(c.Text, float64(p.values[n-1]))
	}
	p.heading(c)
	p.baseline(c, p.area.Bottom())
	y := p.xTitle(c, "step")
	if len(p.values) == 0 {
		p.empty(c, p.None)
		return
	}
	p.yTicks(c, 5)
	p.xTicks(c, 6, p.area.Bottom(), y, true)
	c.Points = c.Points[:0]
	for i, v := range p.values {
		c.Points = append(c.Points, p.axes.at(float64(p.at[i]), float64(v)))
	}
	p.thin(c)
	// If there are only a few measurements, the line has a dot at each of them.
	if len(c.Points)*int(8*c.Unit) < int(p.area.W) {
		for _, q := range c.Points {
			c.Point(q, 2.6*c.Unit, c.Theme.Learned)
		}
	}
	c.Line(c.Points, plot.Pen{Width: c.Size / 9, Color: c.Theme.Learned})
	if i := p.read(c); i >= 0 {
		if q := p.axes.at(float64(p.at[i]), float64(p.values[i])); q.Finite() {
			p.rule(c, float64(p.at[i]), c.Theme.Faint)
			c.Dot(q, c.Theme.Learned)
		}
	}
}

// heading writes the title at the left and the last value at the right. c.Text contains the last
// value. The remark is next to the title if there is room, otherwise above the title.
func (p *Steps) heading(c *panel.Canvas) {
	r, x := p.At, p.At.X+2*c.Unit
	if p.above > 0 {
		_, r = r.CutTop(c.Row(), 0)
	}
	c.Headline(r, p.Unit, p.Titles...)
	beside := c.Width(p.Titles[0]) + 8*c.Unit
	if p.above > 0 {
		c.Title(p.note, x, p.At.Y+0.4*c.Row(), r.W, c.Theme.Learned)
	} else if c.Text = append(c.Text[:0], p.note...); c.Wide() <= r.W-beside-c.Width("−0.0000")-16*c.Unit {
		c.Write(x+beside, r.Y+c.Row()/2, glyph.Left, c.Theme.Learned)
	}
}

// read returns the index of the measurement that the pointer reads in this or the linked panel,
// or -1.
func (p *Steps) read(c *panel.Canvas) int {
	for _, q := range [...]*Steps{p, p.Linked} {
		if q != nil && q.At.H > 0 && c.Over(q.area) {
			i := plot.Nearest(p.at, q.x.Value(c.Pointer.X))
			return i
		}
	}
	return -1
}

func (p *Steps) Probe(c *panel.Canvas, x, y float32) (t brush.Tip, ok bool) {
	i := plot.Nearest(p.at, p.x.Value(x))
	if i < 0 || !p.area.Contains(x, y) {
		return t, false
	}
	t.X, t.Y = x, y
	t.Count("step", float64(p.at[i]), c.Theme.Muted)
	t.Add(p.Name, float64(p.values[i]), c.Theme.Learned)
	return t, true
}

func (p *Steps) Shape(c *panel.Canvas) panel.Shape {
	return panel.When(len(p.at) > 0 && c.Over(p.area), panel.Cross)
}

// stepEnd returns the end of the steps' axis. It is a round number after the last measurement,
// but at most the end of the schedule. The first steps of a long run are therefore visible.
func stepEnd(steps []float32, total int) float64 {
	last := 20.0
	if n := len(steps); n > 0 {
		last = math.Max(last, float64(steps[n-1]))
	} else if total > 0 {
		return float64(total)
	}
	decade := math.Pow(10, math.Floor(math.Log10(last)))
	for _, m := range [...]float64{1, 1.5, 2, 3, 5, 7.5, 10} {
		end := m * decade
		if float64(total) >= last && end > float64(total) {
			return float64(total)
		}
		if end >= last {
			return end
		}
	}
	return last
}

// lossRange returns the range of the loss axis. The losses of the first hundredth of the steps
// may lie outside: the loss of an untrained model would flatten the rest.
func lossRange(steps, values []float32) (lo, hi float64) {
	if n := len(values); n > 50 {
		skip := 0
		for skip < n/2 && steps[skip] < 0.01*steps[n-1] {
			skip++
		}
		values = values[skip:]
	}
	return padded(0.06, 1e-3, values)
}
