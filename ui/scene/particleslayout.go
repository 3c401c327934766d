package scene

import "macroscope/ui/plot"

// particlesLayout is where the panels of the particles lie, in device pixels.
// A panel without a size is not shown.
type particlesLayout struct {
	path                       plot.Rect // the pipeline
	maps                       plot.Rect // their titles, squares and scales
	side                       float32   // of a square
	energy, fault, bars, story plot.Rect
	textSize                   float32
	narrow, single             bool
}

// arrangeParticles lays the panels out in w×h CSS pixels of unit device pixels
// each, with one map or two: the maps beside a column of plots where there is
// room, and on top of them on a phone.
func arrangeParticles(w, h, unit float32, single bool) particlesLayout {
	var l particlesLayout
	l.textSize = min(maxText, max(minText, minText+(w-480)/300)) * unit
	l.narrow, l.single = h > 1.15*w || w < 700 && h > 0.7*w, single
	row := round(l.textSize * 1.55)
	pad, gap := 16*unit, 24*unit
	if w < phone {
		pad, gap = 10*unit, 12*unit
	}
	page := plot.Rect{W: w * unit, H: h * unit}.Inset(pad, pad*0.6, pad, pad*0.6)
	l.path, page = page.CutTop(1.45*row + 2*unit)
	_, page = page.CutTop(gap * 0.5)
	// Above and below the squares: the titles, the scales.
	extra := 2.5 * row
	if l.narrow {
		l.stack(page, gap, extra, row)
		return l
	}
	if single {
		l.side = min(0.52*page.W, page.H-extra)
		l.maps, page = page.CutLeft(l.side)
		_, page = page.CutLeft(gap)
		gap *= 0.6
		l.column(page, gap, 0.40, 0.26)
		return l
	}
	// Squares as high as the page allows, and no wider a column than they need.
	highest := 0.56 * page.H
	left, right := page.CutLeft(min(0.6*(page.W-gap), 2*highest+0.5*gap))
	_, right = right.CutLeft(gap)
	l.side = min((left.W-0.5*gap)/2, highest)
	l.maps, left = left.CutTop(l.side + extra)
	_, left = left.CutTop(0.4 * gap)
	l.bench(left, gap)
	gap *= 0.6
	l.energy, right = right.CutTop(0.58 * (right.H - gap))
	_, l.fault = right.CutTop(gap)
	return l
}

// stack lays out for a phone.
func (l *particlesLayout) stack(page plot.Rect, gap, extra, row float32) {
	l.side = min((page.W-0.6*gap)/2, 0.39*page.H)
	if l.single {
		l.side = min(page.W, 0.4*page.H)
	}
	l.maps, page = page.CutTop(l.side + extra)
	_, page = page.CutTop(0.4 * gap)
	if page.H > 18*row {
		l.column(page, gap, 0.42, 0.24)
		return
	}
	l.column(page, gap, 0.51, 0)
}

// column stacks the energy, the error and the latent, the first two of which
// take shares of the height.
func (l *particlesLayout) column(page plot.Rect, gap, energy, fault float32) {
	h := page.H - gap
	if fault > 0 {
		h -= gap
	}
	l.energy, page = page.CutTop(energy * h)
	_, page = page.CutTop(gap)
	if fault > 0 {
		l.fault, page = page.CutTop(fault * h)
		_, page = page.CutTop(gap)
	}
	l.bench(page, gap)
}

// bench lays the latent's bars beside what has a story to tell.
func (l *particlesLayout) bench(page plot.Rect, gap float32) {
	l.bars, page = page.CutLeft(0.36 * (page.W - gap))
	_, l.story = page.CutLeft(gap)
}
