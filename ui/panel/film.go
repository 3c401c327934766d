package panel

import (
	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Film shows the picture in the row Pixels in shades of grey: 0 is black, 1 is white.
type Film struct {
	Base
	Pixels string // row: lightness of each pixel, 0 to 1, line by line from the top
	Size   string // row: the numbers of columns and rows
	Titles []string

	area   plot.Rect
	pixels []float32
	nx, ny int
}

// Empty reports whether there is no picture.
func (p *Film) Empty() bool { return p.pixels == nil }

// Aspect returns the picture's height over its width.
func (p *Film) Aspect() float32 { return float32(p.ny) / float32(max(1, p.nx)) }

func (p *Film) Read(f *wire.Frame) {
	p.pixels, p.nx, p.ny = nil, 0, 0
	s, v := f.Numbers(p.Size), f.Numbers(p.Pixels)
	if len(s) == 2 && s[0] >= 1 && s[1] >= 1 && s[0] <= largestGrid && s[1] <= largestGrid && int(s[0])*int(s[1]) == len(v) {
		p.pixels, p.nx, p.ny = v, int(s[0]), int(s[1])
	}
}

// Place implements Panel. The title is above the picture.
func (p *Film) Place(c *Canvas, r plot.Rect) {
	p.At = r
	r = plot.Rect{X: r.X, Y: r.Y + Above*c.Row(), W: r.W, H: r.H - Above*c.Row()}
	w := min(r.W, r.H/max(p.Aspect(), 1e-3))
	p.area = plot.Rect{X: r.X + (r.W-w)/2, Y: r.Y, W: w, H: w * p.Aspect()}.Round()
}

func (p *Film) Draw(c *Canvas) {
	if p.Empty() || p.At.H <= 0 {
		return
	}
	c.Roomiest(p.At.X+2*c.Unit, p.At.Y+(Above-0.7)*c.Row(), p.At.W-4*c.Unit, glyph.Left, c.Theme.Ink, p.Titles...)
	c.Field(p.area, &plot.Grid{NX: p.nx, NY: p.ny, Weights: p.pixels}, 0, 1, brush.Film)
	c.Border(p.area)
}

func (p *Film) Probe(c *Canvas, x, y float32) (brush.Tip, bool) {
	if p.Empty() || !p.area.Contains(x, y) {
		return brush.Tip{}, false
	}
	column, row := int((x-p.area.X)/p.area.W*float32(p.nx)), int((y-p.area.Y)/p.area.H*float32(p.ny))
	t := brush.Tip{X: x, Y: y}
	t.Value("lightness", float64(p.pixels[min(row, p.ny-1)*p.nx+min(column, p.nx-1)]), c.Theme.Ink)
	return t, true
}
