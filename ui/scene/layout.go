package scene

import "macroscope/ui/plot"

// layout is where the four panels lie, in device pixels.
type layout struct {
	main, latent, loss, kl plot.Rect
	textSize               float32 // size of the text
	narrow                 bool
}

// The smallest and the largest text, CSS pixels.
const (
	minText = 12
	maxText = 18
)

// arrange lays the panels out in w×h CSS pixels of unit device pixels each:
// the density beside a column of the others where there is room, and on top of
// them on a phone.
func arrange(w, h, unit float32) layout {
	var l layout
	l.textSize = min(maxText, max(minText, minText+(w-480)/300)) * unit
	l.narrow = w < 700 || h > 1.15*w
	pad, gap := 16*unit, 26*unit
	if w < phone {
		pad, gap = 10*unit, 12*unit
	}
	page := plot.Rect{W: w * unit, H: h * unit}.Inset(pad, pad*0.75, pad, pad*0.75)
	if l.narrow {
		l.main, page = page.CutTop(0.5 * page.H)
		_, page = page.CutTop(gap)
		l.latent, page = page.CutTop(0.4 * page.H)
		_, page = page.CutTop(gap)
		l.loss, page = page.CutLeft((page.W - gap) / 2)
		_, l.kl = page.CutLeft(gap)
		return l
	}
	l.main, page = page.CutLeft(0.655 * (page.W - gap))
	_, page = page.CutLeft(gap)
	gap *= 0.7
	each := (page.H - 2*gap) / 3
	l.latent, page = page.CutTop(each * 0.9)
	_, page = page.CutTop(gap)
	l.loss, page = page.CutTop((page.H - gap) / 2)
	_, l.kl = page.CutTop(gap)
	return l
}
