package chart

import (
	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Ribbon shows ẑ over time, with one ribbon of colours per component. The upper ribbons show the
// encoded ẑ: the row "zpast" has one ẑ every "zstride" frames. The lower ribbons show the predicted
// ẑ (row "zfuture").
type Ribbon struct {
	history
	future []float32
	latent bool
}

// maxColumns is the largest number of columns of a ribbon.
const maxColumns = 96

func (p *Ribbon) read(s *Chart, f *wire.Frame) {
	p.latent, p.future, s.widest = panel.Revealed(f, panel.Latent), nil, "predicted"
	p.history.read(f)
	if panel.Revealed(f, panel.Prediction) {
		p.future = table(f.Numbers("zfuture"), p.d)
	}
}

func (p *Ribbon) any() bool { return p.latent && p.d > 0 }

// boxes returns the areas of the encoded and of the predicted ẑ.
func (p *Ribbon) boxes(c *panel.Canvas, s *Chart) (past, ahead plot.Rect) {
	return s.area.CutTop(plot.Round((s.area.H-c.Px(4))/2), c.Px(4))
}

// key draws the colour scale from −1 to 1.
func (p *Ribbon) key(c *panel.Canvas, _, right, y float32) float32 {
	w, h := 56*c.Unit, 9*c.Unit
	right -= c.Label("1", right, y, glyph.Right, c.Theme.Muted) + 5*c.Unit
	c.Ramp(plot.Rect{X: right - w, Y: y - h/2, W: w, H: h}.Round(), c.Theme.Signed)
	return right - w - 5*c.Unit - c.Label("−1", right-w-5*c.Unit, y, glyph.Right, c.Theme.Muted)
}

func (p *Ribbon) draw(c *panel.Canvas, s *Chart) {
	past, ahead := p.boxes(c, s)
	for i, r := range [...]plot.Rect{past, ahead} {
		c.Box(r, 0, c.Theme.Grid.Fade(0.6))
		c.Label([...]string{"encoded", "predicted"}[i], r.X-6*c.Unit, r.Y+r.H/2, glyph.Right, c.Theme.Muted)
	}
	p.ribbons(c, s, past, p.past, p.step)
	p.ribbons(c, s, ahead, p.future, 1)
}

// ribbons draws a table (K, d) as d ribbons in r, up to the last known frame. The table's rows are
// `stride` frames apart.
func (p *Ribbon) ribbons(c *panel.Canvas, s *Chart, r plot.Rect, table []float32, stride int) {
	k := min(len(table)/p.d, (s.end+stride)/stride)
	every := 1 + (k-1)/maxColumns
	n := (k-1)/every + 1
	if n < 2 {
		return
	}
	last := (n - 1) * every
	w := min(r.W, s.x.Pos(s.X.at(last*stride))-r.X)
	if s.x.Near > 0 {
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
			if s.x.Near > 0 { // on a logarithmic axis, a column shows the nearest row of the table
				row = min(last, int(s.x.Value(r.X+w*float32(k)/float32(n-1))/s.X.at(stride)+0.5))
			}
			c.Colors = append(c.Colors, c.Theme.Signed.At(0.5+0.5*float64(table[row*p.d+i])))
		}
		y := plot.Round(r.Y + each*float32(i))
		c.Strip(plot.Rect{X: r.X, Y: y, W: w, H: plot.Round(r.Y+each*float32(i+1)) - y - gap}, c.Colors)
	}
}

func (p *Ribbon) tell(c *panel.Canvas, s *Chart, t *brush.Tip, frame int, _, y float32) {
	past, ahead := p.boxes(c, s)
	for _, r := range [...]plot.Rect{past, ahead} {
		if p.d > 0 && y >= r.Y && y < r.Bottom() {
			i := min(int((y-r.Y)/r.H*float32(p.d)), p.d-1)
			t.Count("dimension", float64(i+1), c.Theme.Muted)
			if p.latent {
				t.Value("encoded ẑ", columnOf(p.past, i, p.d).at(frame/p.step), c.Theme.Latent)
			}
			t.Value("predicted ẑ", columnOf(p.future, i, p.d).at(frame), c.Theme.Learned)
		}
	}
}
