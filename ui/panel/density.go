package panel

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Density1D is densities on a line, sampled on a uniform grid over the window, above
// the particles that they are of, which can be added, moved and removed.
type Density1D struct {
	axes
	densities
	rug
	Points                   string    // row of positions
	Window                   string    // row: the ends of the grid
	Target, Learned, Mixture string    // rows; there may be no mixture
	Compared                 string    // row of another learned density; there may be none
	Restored                 string    // row of points that are decoded in place of a density
	Eps, FitEps, Refit       string    // rows: of the target, that the model was fitted at, whether they differ
	Sigma                    string    // row: how long ε is in the picture
	KL                       string    // row
	KLB                      string    // row: of the other learned density
	Legend                   [4]string // names of target, learned, mixture, compared
	None                     string

	restored   []float32
	restores   bool
	names      [4][]byte // of two models that are compared
	klB        float64
	narrow     bool
	refitting  bool
	fitEps, kl float64
	klApart    bool          // the KL is below the legend, not beside it
	places     [4]plot.Point // of the legend's entries
	counts     []uint16      // of particles in a pixel column

	cursor float64 // that the keys move
}

// densities are those of a frame.
type densities struct {
	points, target, learned, mixture, compared []float32
	lo, hi                                     float64 // of the window
	eps, sigma                                 float64
	any                                        bool // there is a window
}

// rugHeight is the height of the particles' ticks, CSS pixels.
const rugHeight = 18

// The entries of the legend, in their order.
const (
	targetEntry = iota
	learnedEntry
	mixtureEntry
	comparedEntry
)

// shows reports whether an entry's curve is there.
func (p *densities) shows(entry int) bool {
	switch entry {
	case mixtureEntry:
		return len(p.mixture) > 0
	case comparedEntry:
		return len(p.compared) > 0
	}
	return true
}

func (p *Density1D) Read(f *wire.Frame) {
	p.densities = densities{lo: -2, hi: 2, eps: math.NaN(), sigma: math.NaN()}
	p.rug.axes, p.rug.densities = &p.axes, &p.densities
	p.fitEps, p.kl, p.klB, p.refitting = f.Number(p.FitEps), math.NaN(), math.NaN(), false
	p.restores, p.restored = false, nil
	w := f.Numbers(p.Window)
	if len(w) != 2 || !(w[1] > w[0]) || w[1]-w[0] > math.MaxFloat32 {
		return
	}
	p.lo, p.hi, p.any = float64(w[0]), float64(w[1]), true
	p.points, p.target, p.learned, p.mixture = f.Numbers(p.Points), f.Numbers(p.Target), f.Numbers(p.Learned), f.Numbers(p.Mixture)
	p.compared = f.Numbers(p.Compared)
	p.restores, p.restored = f.On("restores"), f.Numbers(p.Restored)
	p.eps, p.sigma, p.kl, p.refitting = f.Number(p.Eps), f.Number(p.Sigma), f.Number(p.KL), f.On(p.Refit)
	if len(p.compared) > 0 {
		p.klB = f.Number(p.KLB)
		p.names[learnedEntry] = ModelA.append(p.names[learnedEntry][:0], f)
		p.names[comparedEntry] = ModelB.append(p.names[comparedEntry][:0], f)
	}
}

// entry puts the name of a legend's entry into c.Text.
func (p *Density1D) entry(c *Canvas, i int) {
	c.Text = append(c.Text[:0], p.Legend[i]...)
	if i == learnedEntry && p.restores {
		c.Text = append(c.Text[:0], "points from ẑ"...)
	}
	if len(p.compared) > 0 && (i == learnedEntry || i == comparedEntry) {
		c.Text = append(c.Text[:0], p.names[i]...)
		c.Cut(0.5*p.rect.W - (swatch+swatchGap)*c.Unit)
	}
}

// Ease implements Panel: the logarithm of the largest density shown glides.
func (p *Density1D) Ease(dt, tau float64) bool {
	moving := p.high.To(math.Log(p.top()), dt, tau, 1e-3)
	p.y.Lo, p.y.Hi = 0, math.Exp(p.high.V)
	return moving
}

// spiky reports whether the target is too narrow for the grid of the frame, whose
// samples then hit or miss its peaks by chance.
func (p *densities) spiky() bool {
	return len(p.target) > 1 && p.sigma < (p.hi-p.lo)/float64(len(p.target)-1)
}

// exact returns the target at x.
func (p *densities) exact(x float64) float64 {
	if !p.spiky() {
		return plot.Sample(p.target, p.lo, p.hi, x)
	}
	var sum float64
	for _, v := range p.points {
		u := (x - float64(v)) / p.sigma
		sum += math.Exp(-u * u / 2)
	}
	return sum / (math.Sqrt(2*math.Pi) * p.sigma * float64(len(p.points)))
}

// top returns the largest density that the axis shows. A fit that overshoots may
// raise it by half, no more: the target must stay readable. Of a spiky target the
// axis shows the foot alone.
func (p *densities) top() float64 {
	most, ok := top(p.mixture), len(p.mixture) > 0
	if len(p.target) > 0 && !p.spiky() {
		most, ok = math.Max(most, top(p.target)), true
	}
	switch fit := math.Max(top(p.learned), top(p.compared)); {
	case ok && most > 0:
		most = math.Max(most, math.Min(fit, 1.5*most))
	case !ok:
		most = fit
	}
	if !(most > 0) {
		return 1
	}
	return 1.1 * most
}

const swatch, swatchGap, entryGap = 24, 6, 16 // CSS pixels

// Narrow reports whether there is little room beside the densities.
func (p *Density1D) Narrow(c *Canvas) bool { return c.W < 700 || c.H > 1.15*c.W }

func (p *Density1D) Place(c *Canvas, r plot.Rect) {
	if p.rect = r; r.H <= 0 {
		return
	}
	p.narrow = p.Narrow(c)
	// The legend flows into rows. The KL goes to the end of the last one, or of the
	// row below where there is no room.
	x, y, rows := r.X+2*c.Unit, r.Y+c.Row()/2, 1
	for i := range p.Legend {
		if !p.shows(i) {
			continue
		}
		p.entry(c, i)
		w := (swatch+swatchGap)*c.Unit + c.Wide()
		if x > r.X+3*c.Unit && x+w > r.Right() {
			x, y, rows = r.X+2*c.Unit, y+c.Row(), rows+1
		}
		p.places[i] = plot.Point{X: x, Y: y}
		x += w + entryGap*c.Unit
	}
	p.klApart = x+p.klWidth(c) > r.Right()
	p.fit(r, plot.Round(c.Width("0.000")+8*c.Unit), float32(rows+1)*c.Row(), c.Px(rugHeight)+2.1*c.Row(), 2*c.Unit)
	p.x.Lo, p.x.Hi = p.lo, p.hi
}

// klWidth is the room kept for the KL, whatever its value is.
func (p *Density1D) klWidth(c *Canvas) float32 {
	if len(p.compared) > 0 {
		return c.Width("KL(q_X ‖ p_θ) = 0.00000 nats, of B 0.00000 nats")
	}
	return c.Width("KL(q_X ‖ p_θ) = 0.00000 nats")
}

func (p *Density1D) Draw(c *Canvas) {
	t, a, band := &c.Theme, p.area, p.band(c)
	p.yTicks(c, 6)
	p.xTicks(c, 5, band.Bottom(), band.Bottom()+c.Row()*0.55, true)
	p.titles(c, band)
	p.drawKernel(c)
	learned := t.Learned
	if p.refitting {
		learned = learned.Mix(t.Paper, 0.45)
	}
	p.countColumns(band)
	if p.spiky() {
		p.comb(c, a.Y, a.H, 0.28)
	} else {
		p.curve(c, p.target, p.lo, p.hi)
		c.Area(c.Points, a.Bottom(), t.Fill, t.Fill.Fade(0.35))
	}
	p.curve(c, p.mixture, p.lo, p.hi)
	c.Line(c.Points, p.pen(c, mixtureEntry, t.Mixture))
	if !p.spiky() {
		p.curve(c, p.target, p.lo, p.hi)
		c.Line(c.Points, p.pen(c, targetEntry, t.Target))
	}
	p.curve(c, p.compared, p.lo, p.hi)
	c.Ringed(p.pen(c, comparedEntry, t.Other))
	p.curve(c, p.learned, p.lo, p.hi)
	c.Line(c.Points, p.pen(c, learnedEntry, learned))
	p.baseline(c, a.Bottom())
	p.comb(c, band.Y+c.Px(3), band.H-c.Px(5), 0.58)
	p.drawRestored(c, learned)
	for i, ink := range [...]plot.Color{t.Target, learned, t.Mixture, t.Other} {
		if q := p.places[i]; p.shows(i) {
			c.Segment(q.X, q.Y, q.X+swatch*c.Unit, q.Y, p.pen(c, i, ink))
			if i == comparedEntry {
				c.Rung(q.X+swatch/2*c.Unit, q.Y, ink)
			}
			p.entry(c, i)
			c.Write(q.X+(swatch+swatchGap)*c.Unit, q.Y, glyph.Left, t.Ink)
		}
	}
	p.notes(c)
	if len(p.target) == 0 {
		c.Label(p.None, a.X+a.W/2, a.Y+a.H/2, glyph.Center, t.Muted)
	}
	p.crosshair(c)
	p.drawPress(c)
}

// drawRestored draws a tick over the axis for every point that is decoded.
func (p *Density1D) drawRestored(c *Canvas, ink plot.Color) {
	w, h := c.Px(1), c.Px(rugHeight)
	for _, v := range p.restored[:min(len(p.restored), mostPoints)] {
		if x := p.x.Pos(float64(v)); x >= p.area.X && x < p.area.Right() {
			c.Box(plot.Rect{X: plot.Round(x), Y: p.area.Bottom() - h, W: w, H: h}, 0, ink.Fade(0.6))
		}
	}
}

// pen returns how the curve of a legend's entry is drawn.
func (p *Density1D) pen(c *Canvas, entry int, ink plot.Color) plot.Pen {
	w := c.Thick()
	switch entry {
	case learnedEntry:
		return plot.Pen{Width: w, Color: ink, Dash: 3.2 * w, Period: 6.6 * w}
	case comparedEntry:
		return plot.Pen{Width: 0.7 * w, Color: ink}
	case mixtureEntry:
		return plot.Pen{Width: 0.8 * w, Color: ink, Period: 2.4 * w}
	}
	return plot.Pen{Width: w, Color: ink}
}

// notes says how far the two are apart, and what is unusual about the curves, if
// anything is.
func (p *Density1D) notes(c *Canvas) {
	x, y := p.area.Right(), p.area.Y-1.5*c.Row()
	if p.klApart {
		y += c.Row()
	}
	c.Text = append(c.Text[:0], "KL(q_X ‖ p_θ) not measured"...)
	if p.restores {
		c.Text = append(c.Text[:0], "no density is decoded"...)
	}
	if p.kl == p.kl {
		c.Value(p.kl, " nats", p.rect.W, "KL(q_X ‖ p_θ) = ")
	}
	if p.klB == p.klB {
		c.Text = append(plot.AppendValue(append(c.Text, ", of B "...), p.klB), " nats"...)
	}
	c.Write(x, y, glyph.Right, c.Theme.Ink)
	y += c.Row()
	switch {
	case p.refitting:
		c.Text = plot.AppendShort(append(c.Text[:0], "fitted at ε = "...), p.fitEps)
		c.Write(x, y, glyph.Right, c.Theme.Learned)
	case p.spiky():
		c.Label("q_X peaks far above this picture", x, y, glyph.Right, c.Theme.Target)
	}
}

var (
	hints = [...]string{
		"Click under the axis to add a particle, on one to remove it; drag it to move it.",
		"Click under the axis to add or remove a particle.",
	}
	phoneHints = [...]string{
		"Tap under the axis to add or remove a particle.",
		"Tap under the axis: add, remove",
		"Tap: add, remove",
	}
)

// titles names the axes and says how to change the particles, in as many words as
// there is room for.
func (p *Density1D) titles(c *Canvas, band plot.Rect) {
	c.Label("density", p.rect.X+2*c.Unit, p.area.Y-c.Row()/2, glyph.Left, c.Theme.Muted)
	y := band.Bottom() + 1.5*c.Row()
	width := c.Label("position x", band.Right(), y, glyph.Right, c.Theme.Muted)
	words := hints[:]
	if c.W < brush.Phone {
		words = phoneHints[:]
	}
	c.Roomiest(band.X, y, band.W-width-2*c.Size, glyph.Left, c.Theme.Muted, words...)
}

// drawKernel draws the kernel that smooths every particle, to the scale of the x
// axis, and names its width; in a narrow picture beside the y axis's title, as a bar
// of its length.
func (p *Density1D) drawKernel(c *Canvas) {
	if !(p.sigma > 0) {
		return
	}
	a, t, line := p.area, &c.Theme, c.Px(1)
	sigma := float32(p.sigma/(p.x.Hi-p.x.Lo)) * a.W
	c.Text = plot.AppendShort(append(c.Text[:0], "ε = "...), p.eps)
	if p.narrow {
		x, y := p.rect.X+c.Width("density")+22*c.Unit, a.Y-c.Row()/2
		x += c.Write(x, y, glyph.Left, t.Ink) + 8*c.Unit
		if x+sigma < a.Right()-p.klWidth(c) {
			c.Box(plot.Rect{X: x, Y: plot.Round(y), W: max(line, sigma), H: c.Px(2)}, 0, t.Ink)
		}
		return
	}
	x, base, height := a.X+14*c.Unit, plot.Round(a.Y+3.1*c.Row()), 1.7*c.Row()
	switch reach := max(3*sigma, 6*c.Unit); {
	case 2*reach < 0.4*a.W:
		mid := plot.Round(x + reach)
		if sigma < line {
			c.Box(plot.Rect{X: mid, Y: base - height, W: line, H: height}, 0, t.Muted)
		} else {
			bell(c, mid, base, sigma, height)
			c.Area(c.Points, base, t.Faint.Fade(0.5), t.Faint.Fade(0.2))
			c.Line(c.Points, plot.Pen{Width: 1.2 * c.Unit, Color: t.Muted})
		}
		// The bar from the middle out is ε long.
		c.Box(plot.Rect{X: mid, Y: base + 3*c.Unit, W: max(line, plot.Round(sigma)), H: c.Px(2)}, 0, t.Ink)
	case sigma < 0.9*a.W:
		c.Box(plot.Rect{X: x, Y: base + 3*c.Unit, W: plot.Round(sigma), H: c.Px(2)}, 0, t.Ink)
	}
	// Below it, where the densities hardly come.
	c.Write(x, base+3*c.Unit+0.8*c.Row(), glyph.Left, t.Ink)
}

// bell puts a Gaussian of the given height, cut off at three σ, into c.Points.
func bell(c *Canvas, mid, base, sigma, height float32) {
	const n = 48
	c.Points = c.Points[:0]
	for i := range n + 1 {
		u := 6*float64(i)/n - 3
		c.Points = append(c.Points, plot.Point{X: mid + float32(u)*sigma, Y: base - height*float32(math.Exp(-u*u/2))})
	}
}

// countColumns counts the particles in each pixel column of the rug.
func (p *Density1D) countColumns(band plot.Rect) {
	n := int(band.W) + 1
	if cap(p.counts) < n {
		p.counts = make([]uint16, n)
	}
	p.counts = p.counts[:n]
	clear(p.counts)
	for _, v := range p.points {
		if i := int(plot.Round(p.x.Pos(float64(v)) - band.X)); i >= 0 && i < n && p.counts[i] < math.MaxUint16 {
			p.counts[i]++
		}
	}
}

// comb draws a tick of the given height for every particle. Particles in one pixel
// column make one darker tick, so that the cost has a bound.
func (p *Density1D) comb(c *Canvas, top, height float32, opacity float64) {
	w := c.Px(1)
	for i, n := range p.counts {
		if n > 0 {
			ink := c.Theme.Target.Fade(float32(1 - math.Pow(1-opacity, float64(n))))
			c.Box(plot.Rect{X: p.area.X + float32(i) - float32(int(w)/2), Y: top, W: w, H: height}, 0, ink)
		}
	}
}
