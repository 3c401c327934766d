package chart

import (
	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Ribbons shows ẑ over time, with one ribbon of colours per component. The upper ribbons show the
// encoded ẑ: the row "zpast" has one ẑ every "zstride" frames. The lower ribbons show the predicted
// ẑ (row "zfuture").
type Ribbons struct {
	timed
	Clock *Clock
	history
	future         []float32
	latent         bool
	pastBox, ahead plot.Rect
}

// maxColumns is the largest number of columns of a ribbon.
const maxColumns = 96

func (p *Ribbons) Read(f *wire.Frame) {
	p.clock, p.latent, p.future = p.Clock, panel.Revealed(f, panel.Latent), nil
	p.history.read(f, "z", "zpast", "zstride")
	if panel.Revealed(f, panel.Prediction) {
		p.future = table(f.Numbers("zfuture"), p.d)
	}
}

func (p *Ribbons) Place(c *panel.Canvas, r plot.Rect) {
	p.fit(r, c.Width("predicted")+8*c.Unit, 1.45*c.Row(), c.Row(), 2*c.Unit)
	p.span()
	gap := c.Px(4)
	half := plot.Round((p.area.H - gap) / 2)
	p.pastBox, p.ahead = p.area, p.area
	p.pastBox.H = half
	p.ahead.Y, p.ahead.H = p.area.Y+half+gap, p.area.H-half-gap
}

func (p *Ribbons) Draw(c *panel.Canvas) {
	y, t := p.At.Y+c.Row()/2, &c.Theme
	// The colour scale from −1 to 1, and the title in the space before it.
	w, h := 56*c.Unit, 9*c.Unit
	room := p.At.W - c.Width("1") - c.Width("−1") - w - 22*c.Unit
	c.Roomiest(p.At.X+2*c.Unit, y, room, glyph.Left, t.Ink, "ẑ through time", "ẑ")
	x := p.At.Right() - 2*c.Unit
	x -= c.Label("1", x, y, glyph.Right, t.Muted) + 5*c.Unit
	c.Ramp(plot.Rect{X: x - w, Y: y - h/2, W: w, H: h}.Round(), t.Signed)
	c.Label("−1", x-w-5*c.Unit, y, glyph.Right, t.Muted)
	if !p.latent || p.d == 0 {
		p.baseline(c, p.area.Bottom())
		return
	}
	c.Box(p.pastBox, 0, t.Grid.Fade(0.6))
	c.Box(p.ahead, 0, t.Grid.Fade(0.6))
	p.ribbons(c, p.pastBox, p.past, p.step)
	p.ribbons(c, p.ahead, p.future, 1)
	c.Label("encoded", p.area.X-6*c.Unit, p.pastBox.Y+p.pastBox.H/2, glyph.Right, t.Muted)
	c.Label("predicted", p.area.X-6*c.Unit, p.ahead.Y+p.ahead.H/2, glyph.Right, t.Muted)
	p.xTicks(c, 5, 0, p.xTitle(c, "time"), false)
	p.rule(c, p.clock.time(p.clock.now), t.Ink)
	if p.clock.hover >= 0 {
		p.rule(c, p.clock.time(p.clock.hover), t.Muted)
	}
	p.leaves(c)
}

// ribbons draws a table (K, d) as d ribbons in r, up to the last known frame. The table's rows are
// `stride` frames apart.
func (p *Ribbons) ribbons(c *panel.Canvas, r plot.Rect, table []float32, stride int) {
	horizon := p.clock.horizon
	k := min(len(table)/p.d, (horizon+stride)/stride)
	every := 1 + (k-1)/maxColumns
	n := (k-1)/every + 1
	if n < 2 {
		return
	}
	last := (n - 1) * every
	w := min(r.W, p.x.Pos(p.clock.time(last*stride))-r.X)
	if p.clock.log {
		n = maxColumns
	}
	each, gap := r.H/float32(p.d), float32(0)
	if each > 5*c.Unit {
		gap = c.Px(1)
	}
	for i := range p.d {
		c.Colors = c.Colors[:0]
		for k := range n {
			row := k * every
			if p.clock.log { // on a logarithmic axis, a column shows the nearest row of the table
				row = min(last, int(p.x.Value(r.X+w*float32(k)/float32(n-1))/(p.clock.dt*float64(stride))+0.5))
			}
			c.Colors = append(c.Colors, c.Theme.Signed.At(0.5+0.5*float64(table[row*p.d+i])))
		}
		y := plot.Round(r.Y + each*float32(i))
		c.Strip(plot.Rect{X: r.X, Y: y, W: w, H: plot.Round(r.Y+each*float32(i+1)) - y - gap}, c.Colors)
	}
}

func (p *Ribbons) Probe(c *panel.Canvas, x, y float32) (brush.Tip, bool) {
	t, frame, ok := p.tip(c, x, y)
	if !ok {
		return t, false
	}
	t.X = x
	for _, r := range [...]plot.Rect{p.pastBox, p.ahead} {
		if p.d > 0 && r.Contains(x, y) {
			i := min(int((y-r.Y)/r.H*float32(p.d)), p.d-1)
			t.Count("dimension", float64(i+1), c.Theme.Muted)
			if p.latent {
				t.Value("encoded ẑ", columnOf(p.past, i, p.d).at(frame/p.step), c.Theme.Latent)
			}
			t.Value("predicted ẑ", columnOf(p.future, i, p.d).at(frame), c.Theme.Learned)
		}
	}
	return t, true
}
