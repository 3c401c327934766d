package scene

import "macroscope/ui/plot"

// mixingLayout is where the panels of the mixing lie, in device pixels. A panel
// without a size is not shown.
type mixingLayout struct {
	path  plot.Rect    // the pipeline
	box   plot.Rect    // the box itself: its title is above, its axis below
	maps  [4]plot.Rect // the densities themselves: target and learned of A, of B
	ratio [2]plot.Rect // R_AB and R_BA
	bench plot.Rect    // what else goes on
}

// arrangeMixing lays the panels out in w×h CSS pixels of unit device pixels
// each, with text of the given size, for a box whose height is aspect times its
// width: the box over the densities beside the ratios on a usual screen; beside
// the ratios over the densities on a screen much wider than it is high; beside
// the densities over the ratios on a phone.
func arrangeMixing(w, h, unit, size, aspect float32) mixingLayout {
	var l mixingLayout
	row := round(size * 1.55)
	pad, gap := 16*unit, 24*unit
	if w < phone {
		pad, gap = 10*unit, 12*unit
	}
	page := plot.Rect{W: w * unit, H: h * unit}.Inset(pad, pad*0.6, pad, pad*0.6)
	l.path, page = page.CutTop(1.45*row + 2*unit)
	_, page = page.CutTop(gap * 0.4)
	switch {
	case h > 1.15*w || w < 700 && h > 0.7*w:
		l.stack(page, gap, row, unit, aspect)
		return l
	case page.W > 1.95*page.H:
		l.spread(page, gap, row, unit, aspect)
		return l
	}
	right := l.column(page, row, unit, aspect)
	_, right = right.CutLeft(gap)
	if page.H > 21*row {
		right, l.bench = right.CutTop(0.71 * (right.H - 0.5*gap))
		_, l.bench = l.bench.CutTop(0.5 * gap)
	}
	l.ratio[0], l.ratio[1] = right.CutTop((right.H - 0.4*gap) / 2)
	_, l.ratio[1] = l.ratio[1].CutTop(0.4 * gap)
	return l
}

// benchRoom is the width in CSS pixels of a small plot.
const benchRoom = 125

// Rows of text above and below the box and a map.
const (
	aboveBox = 1.25
	belowBox = 1.25
	aboveMap = 1.2
	belowMap = 1.1
)

// column puts the box over a row of the maps at the left of the page, and
// returns what is right of them.
func (l *mixingLayout) column(page plot.Rect, row, unit, aspect float32) (right plot.Rect) {
	between := 12 * unit
	text := (aboveBox + belowBox + aboveMap + belowMap) * row
	// A map is a quarter as wide as the column, less the gaps.
	wide := min(0.47*page.W, (page.H-text+0.75*between*aspect)/(1.25*aspect))
	left, right := page.CutLeft(max(wide, 0.3*page.W))
	l.box = plot.Rect{X: round(left.X + (left.W-wide)/2), Y: round(left.Y + aboveBox*row), W: round(wide), H: round(aspect * wide)}
	side := round((wide - 3*between) / 4)
	for i := range l.maps {
		l.maps[i] = plot.Rect{
			X: round(l.box.X + float32(i)*(side+between)), Y: round(l.box.Bottom() + (belowBox+aboveMap)*row), W: side, H: round(aspect * side),
		}
	}
	return right
}

// spread lays out for a projector.
func (l *mixingLayout) spread(page plot.Rect, gap, row, unit, aspect float32) {
	between := 12 * unit
	wide := min(0.42*page.W, (page.H-(aboveBox+belowBox)*row)/aspect)
	l.box = plot.Rect{X: round(page.X), Y: round(page.Y + aboveBox*row), W: round(wide), H: round(aspect * wide)}
	_, page = page.CutLeft(wide + gap)
	top, page := page.CutTop(0.58 * page.H)
	_, page = page.CutTop(0.3 * gap)
	l.ratio[0], l.ratio[1] = top.CutLeft((top.W - gap) / 2)
	_, l.ratio[1] = l.ratio[1].CutLeft(gap)
	side := round(min((page.W-3*between-gap-benchRoom*unit)/4, (page.H-(aboveMap+belowMap)*row)/aspect) - 0.5)
	for i := range l.maps {
		l.maps[i] = plot.Rect{X: round(page.X + float32(i)*(side+between)), Y: round(page.Y + aboveMap*row), W: side, H: round(aspect * side)}
	}
	_, l.bench = page.CutLeft(4*side + 3*between + gap)
}

// stack lays out for a phone.
func (l *mixingLayout) stack(page plot.Rect, gap, row, unit, aspect float32) {
	between := 10 * unit
	wide := min(0.56*page.W, 0.48*page.H/aspect)
	l.box = plot.Rect{X: round(page.X), Y: round(page.Y + aboveBox*row), W: round(wide), H: round(aspect * wide)}
	// Two rows of two maps beside the box, with its height.
	each := (l.box.H - (aboveMap+belowMap)*row) / 2
	side := round(min((page.W-wide-2*between)/2, each/aspect))
	space := (page.Right() - l.box.Right() - 2*side) / 3
	for i := range l.maps {
		l.maps[i] = plot.Rect{
			X: round(page.Right() - 2*side - space + float32(i%2)*(side+space)),
			Y: round(l.box.Y + float32(i/2)*(l.box.H-aspect*side)), W: side, H: round(aspect * side),
		}
	}
	_, page = page.CutTop((aboveBox+belowBox)*row + l.box.H + 0.3*gap)
	if page.H > 20*row {
		page, l.bench = page.CutTop(0.7 * (page.H - gap))
		_, l.bench = l.bench.CutTop(gap)
	}
	if page.H > 11*row {
		l.ratio[0], l.ratio[1] = page.CutTop((page.H - 0.5*gap) / 2)
		_, l.ratio[1] = l.ratio[1].CutTop(0.5 * gap)
		return
	}
	l.ratio[0], l.ratio[1] = page.CutLeft((page.W - gap) / 2)
	_, l.ratio[1] = l.ratio[1].CutLeft(gap)
}
