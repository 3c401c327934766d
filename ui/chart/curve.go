package chart

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Role is the kind of quantity that a curve of a Chart shows.
type Role int

// The roles of curves, in the order of their rows in a tip.
const (
	Measured  Role = iota // known so far; values after the displayed frame are pale
	Predicted             // over the whole horizon
	Band                  // the region between Row and High
	Members               // several curves, one after another in Row; hidden while models are compared
	Latents               // measured components of ẑ. They are cut into Curve.Of parts. The part with index Curve.Col is shown.
	Orders                // predictions for several orders of the same particles, minus the mean of these predictions
	TipOnly               // like Measured, but only in the tip
	roles
)

// Curve is a row over time.
type Curve struct {
	Row, High string
	Less      string // row that is subtracted from Row
	Model     panel.Model
	Col, Of   int // the row has `Of` numbers for each frame (0 means one, Variables as many as the row of that name says); the curve shows the number with the index `Col`
	Role      Role
	Name      string      // name in a tip
	Key       []string    // names in the legend, from long to short; nil: the legend shows only the curve's numbers
	Value     bool        // whether the legend shows the value at the displayed frame
	Figure    Figure      // a number in the legend
	Color     panel.Color // colour; a curve with the role Orders has the colours of labels instead
	Width     float32     // width relative to the default; 0: the default
	Dotted    bool        // whether a few values have a dot each
	Dot       float32     // radius of the dot at the displayed frame in CSS pixels; 0: no dot
	Apart     float32     // distance between drawn points in CSS pixels; 0: every frame is drawn
	Solid     bool        // whether the curve is solid although it is predicted
	Dashed    bool        // whether the curve is dashed although it is not predicted
	Thin      bool        // whether the curve is thin; for quantities that no model predicts
	Counted   bool        // whether a Band shows counts, not the spread of an ensemble

	row    []float32
	of     int       // Of, with the number for Variables
	less   []float32 // values of the curve: the row Curve.Row minus the row Curve.Less
	figure float64
	v, w   column
	alone  [2][]float32 // copies of v and w, if Of is Variables
	latent history
	apart  [2]float32 // for the role Orders: ends of a range twice as wide as the spread of the predictions
}

// Variables as Curve.Of means that the row "variables" has the number.
const Variables = -1

// Figure is a number in the legend: its row, and the words before the number.
type Figure struct{ Row, Words string }

// read reads the rows of a curve. It reads the rows of a prediction only if `predicts` is true.
func (v *Curve) read(f *wire.Frame, frames int, predicts bool) {
	v.figure, v.of = f.Number(v.Figure.Row), v.Of
	if v.Of == Variables {
		v.of = panel.Count(f, "variables", 1)
	}
	if v.Col >= max(1, v.of) && v.Role != Latents {
		v.row, v.v, v.w = nil, column{}, column{}
		return
	}
	switch v.row, v.w = f.Numbers(v.Row), columnOf(f.Numbers(v.High), v.Col, v.of); v.Role {
	case Measured, TipOnly:
	case Latents:
		v.latent.read(f)
		v.row, v.v = v.latent.past, columnOf(v.latent.now, v.latent.first(v.Col, v.of), 0)
		return
	case Orders:
		v.row = table(v.row, frames)
		apart := float32(spread(v.row, frames))
		v.apart = [2]float32{-apart, apart}
	default:
		if !predicts {
			v.row, v.w, v.figure = nil, column{}, math.NaN()
		}
	}
	if v.Less != "" {
		less := f.Numbers(v.Less)
		n := min(len(v.row), len(less))
		v.less = v.less[:0]
		for i := range n {
			v.less = append(v.less, v.row[i]-less[i])
		}
		v.row = v.less
	}
	v.v = columnOf(v.row, v.Col, v.of)
}

// mark returns the colour of a curve's values.
func (v *Curve) mark(t *brush.Theme) plot.Color {
	if v.Thin {
		return t.Ink
	}
	return v.Color(t)
}

// pen returns the line style of a curve.
func (v *Curve) pen(c *panel.Canvas) plot.Pen {
	ink := v.Color(&c.Theme)
	switch {
	case v.Dashed || v.Role == Predicted && !v.Solid && v.Model != panel.ModelB:
		return c.Dashed(ink)
	case v.Thin:
		return plot.Pen{Width: 1.2 * c.Unit, Color: ink}
	case v.Width == 0:
		return plot.Pen{Width: 0.7 * c.Thick(), Color: ink}
	}
	return plot.Pen{Width: v.Width * c.Thick(), Color: ink}
}

// line draws c.Points as a line, with rings if the curve belongs to model B.
func (v *Curve) line(c *panel.Canvas, pen plot.Pen) {
	if v.Model == panel.ModelB {
		c.Ringed(pen)
		return
	}
	c.Line(c.Points, pen)
}

func (s *Chart) drawCurve(c *panel.Canvas, v *Curve) {
	if v.Role == Orders {
		s.drawOrders(c, v)
		return
	}
	ink := v.Color(&c.Theme)
	every := 1
	if v.Apart > 0 {
		every = s.stride(c, v.Apart)
	}
	pen := v.pen(c)
	switch v.Role {
	case Measured:
		pale := plot.Pen{Width: 0.8 * pen.Width, Color: ink.Mix(c.Theme.Paper, 0.6)}
		if v.Thin {
			pale = plot.Pen{Width: c.Unit, Color: c.Theme.Faint}
		}
		if s.now < s.known {
			s.trace(c, v.v, 1, every, s.now/every, s.known/every)
			c.Line(c.Points, pale)
		}
		s.trace(c, v.v, 1, every, 0, s.now/every)
		v.line(c, pen)
		if v.Dotted && len(c.Points)*int(8*c.Unit) < int(s.area.W) {
			for _, q := range c.Points {
				c.Point(q, 2.6*c.Unit, ink)
			}
		}
	case Predicted:
		s.trace(c, v.v, 1, every, 0, s.end/every)
		v.line(c, v.pen(c))
	case Band:
		s.drawBand(c, v, ink)
	case Members:
		if !s.legend.comparing {
			s.drawMembers(c, v, ink)
		}
	case Latents:
		s.drawLatents(c, v, pen)
	}
}

// A plot draws at most one member of an ensemble per memberRoom CSS pixels of its width, and
// one point per memberPlace pixels. With more members or points the picture would blur.
const (
	memberRoom  = 150
	memberPlace = 2.5
)

// drawMembers draws the first members of an ensemble, as many as the plot has room for.
// v.row holds their curves one after another.
func (s *Chart) drawMembers(c *panel.Canvas, v *Curve, ink plot.Color) {
	n, every := max(1, v.of)*(s.end+1), s.stride(c, memberPlace)
	for k := range min(len(v.row)/n, int(s.area.W/(memberRoom*c.Unit))) {
		s.trace(c, columnOf(v.row[k*n:(k+1)*n], v.Col, v.of), 1, every, 0, s.end/every)
		c.Line(c.Points, plot.Pen{Width: c.Unit, Color: ink.Mix(c.Theme.Paper, 0.5)})
	}
}

// drawBand draws the region between two curves.
func (s *Chart) drawBand(c *panel.Canvas, v *Curve, ink plot.Color) {
	last, every := min(s.end, v.v.len()-1, v.w.len()-1), s.stride(c, 2)
	c.Points, c.Edge = c.Points[:0], c.Edge[:0]
	for k := 0; k <= last; k += every {
		c.Points = append(c.Points, s.at(s.X.at(k), v.v.at(k)))
		c.Edge = append(c.Edge, s.at(s.X.at(k), v.w.at(k)))
	}
	c.Batch.Band(c.Points, c.Edge, ink.Fade(0.2))
	pen := v.edge(c)
	c.Line(c.Points, pen)
	c.Line(c.Edge, pen)
}

// edge is the line style of the edges of a band.
func (v *Curve) edge(c *panel.Canvas) plot.Pen {
	ink := v.Color(&c.Theme)
	if v.Model == panel.ModelB {
		return plot.Pen{Width: 1.6 * c.Unit, Color: ink, Period: 4 * c.Unit}
	}
	return plot.Pen{Width: c.Unit, Color: ink.Mix(c.Theme.Paper, 0.45)}
}

// drawLatents draws the components of ẑ that v shows, each with a dot at the displayed frame.
func (s *Chart) drawLatents(c *panel.Canvas, v *Curve, pen plot.Pen) {
	l := &v.latent
	for i := l.first(v.Col, v.of); i < l.first(v.Col+1, v.of); i++ {
		s.trace(c, columnOf(l.past, i, l.d), l.step, 1, 0, s.now/l.step)
		c.Line(c.Points, pen)
		c.Dot(s.at(s.X.at(s.now), float64(l.now[i])), pen.Color)
	}
}

// orderNames are the names of the predictions for several orders of the same particles.
var orderNames = [...]string{"order 1", "order 2", "order 3", "order 4"}

// drawOrders draws the difference between each prediction and the mean of all predictions. In
// curves of the predictions themselves these small differences would be invisible.
func (s *Chart) drawOrders(c *panel.Canvas, v *Curve) {
	n := s.end + 1
	rows := len(v.row) / n
	for r := range rows {
		c.Points = c.Points[:0]
		for i := range n {
			c.Points = append(c.Points, s.at(s.X.at(i), aside(v.row, n, r, i)))
		}
		s.thin(c)
		// Each curve is thinner than the one below it, so that equal curves remain visible.
		width := c.Thick() * (0.7 + 0.6*float32(rows-1-r))
		c.Line(c.Points, plot.Pen{Width: min(width, 3*c.Thick()), Color: orderColor(&c.Theme, r, rows)})
	}
	if s.area.H < 4*c.Row() {
		return
	}
	x, room := s.area.Right()-4*c.Unit, s.area.W-8*c.Unit
	if c.Value(float64(v.apart[1]), "", room, "predictions apart by ", "apart by ") {
		c.Plated(x, s.area.Y+0.6*c.Row(), glyph.Right, c.Theme.Ink)
	}
	for _, words := range [...]string{"prediction minus the mean of the orders", "prediction minus the mean", "minus the mean"} {
		if c.Text = append(c.Text[:0], words...); c.Wide() <= room {
			c.Plated(x, s.area.Bottom()-0.6*c.Row(), glyph.Right, c.Theme.Muted)
			break
		}
	}
}

// The function `aside` takes column i of a table (R, n). It returns the value in row r minus the
// mean of all rows.
func aside(table []float32, n, r, i int) float64 {
	var sum float64
	for k := i; k < len(table); k += n {
		sum += float64(table[k])
	}
	return float64(table[r*n+i]) - sum/float64(len(table)/n)
}

// orderColor returns the colour of row r. Each of the `rows` rows belongs to one order of the
// particles.
func orderColor(t *brush.Theme, r, rows int) plot.Color {
	return t.Labels.At(0.05 + 0.85*float64(r)/float64(max(1, rows-1)))
}

// spread returns the largest difference between the rows of a table (R, n) in any column.
func spread(table []float32, n int) float64 {
	var most float64
	for i := range n {
		lo, hi := math.Inf(1), math.Inf(-1)
		for k := i; k < len(table); k += n {
			lo, hi = math.Min(lo, float64(table[k])), math.Max(hi, float64(table[k]))
		}
		if d := hi - lo; d > most {
			most = d
		}
	}
	return most
}

// trace sets c.Points to every `stride`-th value of a column, from point number `first` to point
// number `last`. The column has a value every `each` indices of the axis. On a logarithmic axis the
// curve is cut where it leaves the area, because values near 0 have no place there. On a linear axis
// it follows the edge of the area.
func (s *Chart) trace(c *panel.Canvas, v column, each, stride, first, last int) {
	c.Points = c.Points[:0]
	for i := max(0, first); i <= last && i*stride < v.len(); i++ {
		x, y := s.X.at(i*stride*each), v.at(i*stride)
		if s.y.Log {
			c.Points = s.within(c.Points, s.beyondToo(x, y))
		} else {
			c.Points = append(c.Points, s.axes.at(x, y))
		}
	}
	s.thin(c)
}
