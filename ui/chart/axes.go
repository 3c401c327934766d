package chart

import (
	"cmp"
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// axes is the plot of a Chart, within its axes.
type axes struct {
	panel.Base
	area         plot.Rect // area of the plot, within the axes
	x, y         plot.Scale
	low, high    plot.Eased // range of y, or of the decimal logarithm of y
	above, below float32    // rows of text above and below the area; 0 for the default
	widest       string     // the widest text left of the area; "": a number
}

// usualAbove is the default number of rows of text above a plot.
const usualAbove = 1.45

// Place implements Panel. It reserves rows of text above and below the area. The area lies on
// whole pixels.
func (a *axes) Place(c *panel.Canvas, r plot.Rect) {
	if a.At = r; r.H <= 0 {
		return
	}
	left := plot.Round(c.Width(cmp.Or(a.widest, "0.000")) + 8*c.Unit)
	r = r.Inset(left, cmp.Or(a.above, usualAbove)*c.Row(), 2*c.Unit, cmp.Or(a.below, 1)*c.Row())
	a.area = plot.Rect{X: plot.Round(r.X), Y: plot.Round(r.Y), W: max(8, plot.Round(r.W)), H: max(8, plot.Round(r.H))}
	a.x.A, a.x.B = a.area.X, a.area.Right()
	a.y.A, a.y.B = a.area.Bottom(), a.area.Y
}

// follow moves the range of y towards lo and hi, which are decimal logarithms if the axis is
// logarithmic. An end that is nearer to its goal than `tol` times the range jumps to the goal,
// because further motion would be invisible.
func (a *axes) follow(lo, hi, tol, dt, tau float64) (moving bool) {
	tol *= hi - lo
	moving = a.low.To(lo, dt, tau, tol)
	moving = a.high.To(hi, dt, tau, tol) || moving
	if a.y.Lo, a.y.Hi = a.low.V, a.high.V; a.y.Log {
		a.y.Lo, a.y.Hi = math.Pow(10, a.low.V), math.Pow(10, a.high.V)
	}
	return moving
}

// widen extends the range to lo and hi at once, so that a growing curve is never cut.
func (a *axes) widen(lo, hi float64) {
	a.low.V, a.high.V = min(a.low.V, lo), max(a.high.V, hi)
}

// at returns the place of a value at x. A value above or below the area is placed at the area's
// edge. It returns NaN if x is left or right of the area, if the value is not finite, or if it has
// no logarithm.
func (a *axes) at(x, value float64) plot.Point {
	p := a.beyondToo(x, value)
	if p.Finite() {
		p.Y = max(a.area.Y, min(a.area.Bottom(), p.Y))
	}
	return p
}

// beyondToo is like the method `at`, but a value above or below the area is placed outside the
// area.
func (a *axes) beyondToo(x, value float64) plot.Point {
	p := plot.Point{X: a.x.Pos(x), Y: a.y.Pos(value)}
	if value-value != 0 || p.Y != p.Y || !(plot.Abs(p.X-a.area.X-a.area.W/2) <= a.area.W/2+1) {
		return plot.Point{Y: float32(math.NaN())}
	}
	return p
}

// rule draws a vertical line at x.
func (a *axes) rule(c *panel.Canvas, x float64, ink plot.Color) {
	c.Box(plot.Rect{X: plot.Round(a.x.Pos(x)), Y: a.area.Y, W: c.Px(1), H: a.area.H}, 0, ink)
}

// empty draws the axis and the reason why the plot is empty.
func (a *axes) empty(c *panel.Canvas, texts ...string) {
	a.baseline(c, a.area.Bottom())
	c.Roomiest(a.area.X+a.area.W/2, a.area.Y+a.area.H*0.5, a.area.W, glyph.Center, c.Theme.Muted, texts...)
}

// baseline draws the x axis line.
func (a *axes) baseline(c *panel.Canvas, y float32) {
	line := c.Px(1)
	c.Box(plot.Rect{X: a.area.X, Y: plot.Round(y) - line/2, W: a.area.W, H: line}, 0, c.Theme.Faint)
}

// The method `beyond` shades the region outside [−1, 1], the range of training.
func (a *axes) beyond(c *panel.Canvas) {
	for _, end := range [...][2]float64{{1, a.y.Hi}, {a.y.Lo, -1}} {
		if end[1] > end[0] {
			top, bottom := plot.Round(a.y.Pos(end[1])), plot.Round(a.y.Pos(end[0]))
			c.Box(plot.Rect{X: a.area.X, Y: top, W: a.area.W, H: bottom - top}, 0, c.Theme.Faint.Fade(0.22))
		}
	}
}

// yTicks draws the grid lines and labels of the y axis.
func (a *axes) yTicks(c *panel.Canvas, want int) {
	want = min(want, max(2, int(a.area.H/(c.Size*1.5))))
	var step float64
	line, last := c.Px(1), a.At.Bottom()+c.Size
	if a.y.Log {
		c.Ticks = plot.LogTicks(c.Ticks[:0], a.y.Lo, a.y.Hi, want)
		a.minorLines(c)
	} else {
		c.Ticks, step = plot.Ticks(c.Ticks[:0], a.y.Lo, a.y.Hi, want)
	}
	for _, v := range c.Ticks {
		y := plot.Round(a.y.Pos(v))
		if v != 0 || a.y.Lo < 0 {
			c.Box(plot.Rect{X: a.area.X, Y: y - line, W: a.area.W, H: line}, 0, c.Theme.Grid)
		}
		if a.y.Log {
			step = v
		}
		c.Text = plot.AppendTickAmong(c.Text[:0], v, step, c.Ticks)
		// A wide label moves nearer to the axis, to stay within the panel. A label that would
		// touch the one below is left out.
		if right := max(a.area.X-9*c.Unit, a.At.X+c.Wide()); right <= a.area.X-2*c.Unit && y <= last-c.Size {
			c.Write(right, y-line/2, glyph.Right, c.Theme.Muted)
			last = y
		}
	}
}

// minorLines draws the fainter lines between the ticks of a logarithmic axis.
func (a *axes) minorLines(c *panel.Canvas) {
	first, last := math.Floor(math.Log10(a.y.Lo)), math.Log10(a.y.Hi)
	if !(last-first < 6) {
		return
	}
	line := c.Px(1)
	for e := first; e < last; e++ {
		for m := 2.0; m < 10; m++ {
			if v := m * math.Pow(10, e); v > a.y.Lo && v < a.y.Hi {
				c.Box(plot.Rect{X: a.area.X, Y: plot.Round(a.y.Pos(v)) - line, W: a.area.W, H: line}, 0, c.Theme.Grid.Fade(0.5))
			}
		}
	}
}

// xTicks draws the labels of the x axis, centred on y. It reserves the width of `letters` letters
// for each label. If `grid` is true, it also draws grid lines from the top of the area to y =
// `bottom`.
func (a *axes) xTicks(c *panel.Canvas, letters, bottom, y float32, grid bool) {
	var step float64
	want := max(2, int(a.area.W/(c.Size*letters)))
	if a.x.Near > 0 {
		c.Ticks = plot.LogTicks(append(c.Ticks[:0], 0), a.x.Near/5, a.x.Hi, 2*want)
	} else {
		c.Ticks, step = plot.Ticks(c.Ticks[:0], a.x.Lo, a.x.Hi, want)
	}
	line, before := c.Px(1), a.At.X-a.At.W
	for _, v := range c.Ticks {
		if a.x.Near > 0 {
			step = v
		}
		x := plot.Round(a.x.Pos(v))
		if grid {
			c.Box(plot.Rect{X: x - line/2, Y: a.area.Y, W: line, H: bottom - a.area.Y}, 0, c.Theme.Grid)
		}
		c.Text = plot.AppendTickAmong(c.Text[:0], v, step, c.Ticks)
		// Labels at the ends are moved to stay within the panel. A label that would touch
		// another one is left out.
		half := c.Wide() / 2
		if x = max(a.At.X+half, min(x, a.At.Right()-half)); x-half < before+0.4*c.Size {
			continue
		}
		c.Write(x, y, glyph.Center, c.Theme.Muted)
		before = x + half
	}
}

// curve sets c.Points to a curve, given by values at equidistant points of [lo, hi]. Parts
// outside the area follow its edge.
func (a *axes) curve(c *panel.Canvas, values []float32, lo, hi float64) {
	c.Points = c.Points[:0]
	n := len(values)
	for i, v := range values {
		x := lo + (hi-lo)*float64(i)/float64(max(1, n-1))
		c.Points = append(c.Points, plot.Point{X: a.x.Pos(x), Y: max(a.area.Y, min(a.area.Bottom(), a.y.Pos(float64(v))))})
	}
	a.thin(c)
}

// The method `within` appends p to a curve and clips the curve to the area. The curve ends at the
// edge where it leaves the area, and begins at the edge where it enters the area again. The last
// point may lie outside.
func (a *axes) within(curve []plot.Point, p plot.Point) []plot.Point {
	n := len(curve) - 1
	if n < 0 || !curve[n].Finite() || !p.Finite() {
		return append(curve, p)
	}
	from := curve[n]
	edge := func(y float32) plot.Point {
		return plot.Point{X: from.X + (p.X-from.X)*(y-from.Y)/(p.Y-from.Y), Y: y}
	}
	top, bottom := a.area.Y, a.area.Bottom()
	switch is, was := max(top, min(bottom, p.Y)), max(top, min(bottom, from.Y)); {
	case from.Y != was && p.Y != is: // the whole segment is outside
		curve[n] = plot.Point{Y: float32(math.NaN())}
	case from.Y != was:
		curve[n] = edge(was)
	case p.Y != is:
		curve = append(curve, edge(is), plot.Point{Y: float32(math.NaN())})
	}
	return append(curve, p)
}

// thin removes points from c.Points without changing the picture.
func (a *axes) thin(c *panel.Canvas) {
	if len(c.Points) > 2*int(a.area.W) {
		c.Points = plot.Thin(c.Points)
	}
}

// Range is a function that returns the ends of an axis for some rows. For a logarithmic axis
// they are decimal logarithms.
type Range func(rows ...[]float32) (lo, hi float64)

// Fitted returns the ends of a range that contains all values of the rows.
func Fitted(rows ...[]float32) (lo, hi float64) { return padded(0.07, 1e-4, rows...) }

// Losses is a range that ignores the first hundredth of the values: the loss of an untrained model
// would flatten the rest.
func Losses(rows ...[]float32) (lo, hi float64) {
	return padded(0.06, 1e-3, rows[0][len(rows[0])/100:])
}

// Steady is a range with a width of at least a fifth of the largest absolute value. With it, the
// first values of a quantity that fluctuates about its mean do not fill the axis.
func Steady(rows ...[]float32) (lo, hi float64) {
	lo, hi = Fitted(rows...)
	if short := 0.2*math.Max(math.Abs(lo), math.Abs(hi)) - (hi - lo); short > 0 {
		lo, hi = lo-short/2, hi+short/2
	}
	return lo, hi
}

// Shares is a range for shares. It ends a little above the largest value. The end is at least 0.54,
// so that small shares do not move the axis, and at most 1.02. Curves of predictions outside the
// range are drawn along its edge.
func Shares(rows ...[]float32) (lo, hi float64) {
	return 0, math.Min(1.08*math.Max(top(rows...), 0.5), 1.02)
}

// From0 is a range from 0 to a little above the largest value.
func From0(rows ...[]float32) (lo, hi float64) {
	if hi = top(rows...); hi <= 0 {
		hi = 1
	}
	return 0, 1.1 * hi
}

// Errors is a logarithmic range. A curve of errors dips towards 0 at frame 0 and wherever the error
// changes sign. The range cuts these dips off. It contains most values of each curve, and goes at
// most five decades below the largest value of a curve.
func Errors(rows ...[]float32) (lo, hi float64) {
	lo, hi = Decades(rows...)
	least := hi
	for _, v := range rows {
		if usual := lowerTenth(v); usual > 0 {
			least = math.Min(least, math.Max(math.Log10(usual)-0.3, math.Log10(top(v))+0.12-5))
		}
	}
	return math.Max(lo, math.Min(least, hi-1)), hi
}

// lowerTenth returns a value that about nine in ten of the positive values exceed. It is
// accurate to a fifth of a decade. It is 0 if there are no positive values.
func lowerTenth(v []float32) float64 {
	const first, each, bins = -40, 5, 400
	var count [bins]int
	n := 0
	for _, x := range v {
		if x > 0 && x <= math.MaxFloat32 {
			count[min(max(int(each*(math.Log10(float64(x))-first)), 0), bins-1)]++
			n++
		}
	}
	for below, k := 0, 0; k < bins; k++ {
		if below += count[k]; below > n/10 {
			return math.Pow(10, first+float64(k)/each)
		}
	}
	return 0
}

// About0 is a range that is symmetric about 0. Heights has space above bars, and Balanced has space
// for words at both ends.
var (
	About0   = symmetric(1.1)
	Heights  = symmetric(1.15)
	Balanced = symmetric(1.25)
)

func symmetric(room float64) Range {
	return func(rows ...[]float32) (lo, hi float64) {
		hi = room * cmp.Or(extent(rows...), 1e-3)
		return -hi, hi
	}
}

// Covered returns the range of an axis that shows rows. It contains [−1, 1], the range of training,
// and all values of the rows between −3 and 3. It also has a margin of 0.1 at each end.
func Covered(rows ...[]float32) (lo, hi float64) {
	lo, hi = -1, 1
	if a, z, ok := plot.Range(rows...); ok {
		lo, hi = max(-3, min(lo, a)), min(3, max(hi, z))
	}
	return lo - 0.1, hi + 0.1
}

// padded returns the ends of an axis: the range of the rows' values, with a margin on both sides.
// The margin is the larger of two lengths: `share` times the range, and `least` times the largest
// absolute value.
func padded(share, least float64, rows ...[]float32) (lo, hi float64) {
	lo, hi, ok := plot.Range(rows...)
	if !ok {
		return 0, 1
	}
	pad := math.Max(share*(hi-lo), least*math.Max(math.Abs(lo), math.Abs(hi)))
	pad = cmp.Or(pad, 1)
	return lo - pad, hi + pad
}

// Decades is a logarithmic range: it returns the decimal logarithms of the ends of an axis.
// The ends are at least 1 apart.
func Decades(curves ...[]float32) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, values := range curves {
		for _, v := range values {
			if v > 0 && v <= math.MaxFloat32 {
				lo, hi = math.Min(lo, math.Log10(float64(v))), math.Max(hi, math.Log10(float64(v)))
			}
		}
	}
	if lo > hi {
		return -2, 0
	}
	lo, hi = lo-0.12, hi+0.12
	if short := 1 - (hi - lo); short > 0 {
		lo, hi = lo-short/2, hi+short/2
	}
	return lo, hi
}
