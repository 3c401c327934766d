package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// boxScene lays out what is shown of two species of atoms, see arrangeMixing.
type boxScene struct {
	pipeline *panel.Pipeline
	// Of the atoms, and what is made of them.
	plane                  *panel.Plane
	box                    *panel.Box
	tiles                  [4]*panel.Map // target and learned of A, of B
	closures, heat, energy *panel.Series
	// What is predicted, by how much two models are off, and what has been trained.
	ratios, offs [2]*panel.Series
	portrait     *panel.Portrait
	loss         *panel.Steps
}

// layout places the panels that a frame asks for.
func (s *boxScene) layout(c *panel.Canvas, f *wire.Frame, _ float64) {
	page, gap := below(c, s.pipeline, 0.4)
	row := c.Row()
	l := arrangeMixing(c, page, gap, min(max(s.plane.Aspect(s.box.Margin()), 0.25), 1.6))
	s.box.Place(c, l.box.Inset(0, -panel.AroundBox*row, 0, -panel.AroundBox*row))
	for i, r := range l.maps {
		s.tiles[i].Place(c, r.Inset(0, -panel.AboveTile*row, 0, -panel.BelowTile*row))
	}
	s.ratios[0].Place(c, l.ratio[0])
	if s.portrait.Empty() {
		s.ratios[1].Place(c, l.ratio[1])
		s.strip(c, f, l.strip)
		return
	}
	at := l.ratio[1] // and of the strip, where that is below
	if l.strip.Y > at.Y && l.strip.X == at.X {
		at.H = l.strip.Bottom() - at.Y
	} else {
		s.strip(c, f, l.strip)
	}
	s.portrait.Place(c, at)
}

// strip lays out as many of the small plots as there is room for, the most wanted
// first: the loss of a training, and what two models are off by.
func (s *boxScene) strip(c *panel.Canvas, f *wire.Frame, r plot.Rect) {
	trains, compares := trains(f), f.Text("nameB") != nil
	list, n := [...]panel.Panel{s.closures, s.heat, s.energy}, 3
	switch {
	case trains && compares:
		list = [...]panel.Panel{s.offs[0], s.offs[1], s.loss}
	case compares:
		list = [...]panel.Panel{s.offs[0], s.offs[1], s.closures}
	case trains:
		list, n = [...]panel.Panel{s.loss, s.closures, nil}, 2
	}
	gap := 16 * c.Unit
	n = min(n, int((r.W+gap)/(stripRoom*c.Unit+gap)))
	if r.H <= 0 || n == 0 {
		return
	}
	each := (r.W - float32(n-1)*gap) / float32(n)
	for i, p := range list[:n] {
		at := r
		at.X, at.W = r.X+float32(i)*(each+gap), each
		p.Place(c, at)
	}
}

// stripRoom is the least width in CSS pixels of a small plot.
const stripRoom = 125

// mixingLayout is where the parts of the mixing lie, in device pixels: the box and
// the maps without the text about them. What has no size is not shown.
type mixingLayout struct {
	box   plot.Rect
	maps  [4]plot.Rect // target and learned of A, of B
	ratio [2]plot.Rect
	strip plot.Rect // what else goes on
}

// arrangeMixing lays them out for a box whose height is aspect times its width: the
// box over the densities beside the ratios on a usual screen; beside the ratios over
// the densities on a screen much wider than it is high; beside the densities over
// the ratios on a phone.
func arrangeMixing(c *panel.Canvas, page plot.Rect, gap, aspect float32) (l mixingLayout) {
	const aroundTile = panel.AboveTile + panel.BelowTile
	row, between := c.Row(), 12*c.Unit
	at := func(x, y, w float32) plot.Rect {
		return plot.Rect{X: x, Y: y, W: w, H: aspect * w}.Round()
	}
	switch {
	case onPhone(c):
		between = 10 * c.Unit
		wide := min(0.56*page.W, 0.48*page.H/aspect)
		l.box = at(page.X, page.Y+panel.AroundBox*row, wide)
		// Two rows of two maps beside the box, with its height.
		each := (l.box.H - aroundTile*row) / 2
		side := plot.Round(min((page.W-wide-2*between)/2, each/aspect))
		space := (page.Right() - l.box.Right() - 2*side) / 3
		for i := range l.maps {
			l.maps[i] = at(page.Right()-2*side-space+float32(i%2)*(side+space), l.box.Y+float32(i/2)*(l.box.H-aspect*side), side)
		}
		_, page = page.CutTop(2*panel.AroundBox*row + l.box.H + 0.3*gap)
		if page.H > 20*row {
			page, l.strip = stacked(page, gap, 0.7)
		}
		if page.H > 11*row {
			l.ratio[0], l.ratio[1] = stacked(page, 0.5*gap, 0.5)
		} else {
			l.ratio[0], l.ratio[1] = beside(page, gap, 0.5)
		}
	case page.W > 1.95*page.H: // a projector
		wide := min(0.42*page.W, (page.H-2*panel.AroundBox*row)/aspect)
		l.box = at(page.X, page.Y+panel.AroundBox*row, wide)
		_, page = page.CutLeft(wide + gap)
		top, page := page.CutTop(0.58 * page.H)
		_, page = page.CutTop(0.3 * gap)
		l.ratio[0], l.ratio[1] = beside(top, gap, 0.5)
		side := plot.Round(min((page.W-3*between-gap-stripRoom*c.Unit)/4, (page.H-aroundTile*row)/aspect) - 0.5)
		for i := range l.maps {
			l.maps[i] = at(page.X+float32(i)*(side+between), page.Y+panel.AboveTile*row, side)
		}
		_, l.strip = page.CutLeft(4*side + 3*between + gap)
	default:
		text := (2*panel.AroundBox + aroundTile) * row
		// A map is a quarter as wide as the column, less the gaps.
		wide := min(0.47*page.W, (page.H-text+0.75*between*aspect)/(1.25*aspect))
		left, right := page.CutLeft(max(wide, 0.3*page.W))
		l.box = at(left.X+(left.W-wide)/2, left.Y+panel.AroundBox*row, wide)
		side := plot.Round((wide - 3*between) / 4)
		for i := range l.maps {
			l.maps[i] = at(l.box.X+float32(i)*(side+between), l.box.Bottom()+(panel.AroundBox+panel.AboveTile)*row, side)
		}
		_, right = right.CutLeft(gap)
		if page.H > 21*row {
			right, l.strip = stacked(right, 0.5*gap, 0.71)
		}
		l.ratio[0], l.ratio[1] = stacked(right, 0.4*gap, 0.5)
	}
	return l
}
