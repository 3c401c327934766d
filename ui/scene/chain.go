package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// chainScene lays out what is shown of a chain: the maps of it with the closures below
// them, beside or, on a phone, over what is predicted.
type chainScene struct {
	pipeline *panel.Pipeline
	// Of the beads, and what is made of them.
	plane    *panel.Plane
	maps     *planeMaps
	bars     *panel.Bars
	closures *panel.Series
	// What is predicted, by how much two models are off, and what has been trained.
	extension, off *panel.Series
	portrait       *panel.Portrait
	loss           *panel.Steps
	// Many runs of one start, and a second chain.
	crowd *panel.Crowd
	times *panel.Series
	twin  *twin
}

// layout places the panels that a frame asks for.
func (s *chainScene) layout(c *panel.Canvas, f *wire.Frame, _ float64) {
	page, gap := below(c, s.pipeline, 0.5)
	if two, film := s.twin.shows(f); two {
		s.twin.place(c, page, film, func(r plot.Rect) { s.belowTwins(c, f, r, film) })
		return
	}
	if onPhone(c) {
		s.stack(c, f, page, gap)
		return
	}
	s.columns(c, f, page, gap)
}

// runs says whether there are many runs of one start, which a comparison hides.
func (s *chainScene) runs(f *wire.Frame) bool { return !s.crowd.Empty() && f.Text("nameB") == nil }

// stack places the panels over one another, as on a phone.
func (s *chainScene) stack(c *panel.Canvas, f *wire.Frame, page plot.Rect, gap float32) {
	page = s.placeMaps(c, f, page, 0.45*page.H)
	var top plot.Rect
	if film := s.twin.films[0]; !film.Empty() && page.H > 24*c.Row() {
		top, page = page.CutTop(panel.Above*c.Row() + plot.Round(film.Aspect()*page.W))
		film.Place(c, top)
		_, page = page.CutTop(0.5 * gap)
	}
	if s.runs(f) {
		top, page = stacked(page, 0.5*gap, 0.4)
		s.crowd.Place(c, top)
	}
	upper, lower := stacked(page, 0.5*gap, 0.56)
	switch {
	case s.runs(f):
		s.extension.Place(c, upper)
		s.times.Place(c, lower)
	case s.portrait.Empty():
		s.extension.Place(c, upper)
		s.strip(c, f, lower)
	default: // which has more to show
		s.extension.Place(c, plot.Rect{X: page.X, Y: page.Y, W: page.W, H: lower.H})
		_, rest := page.CutTop(lower.H + 0.5*gap)
		s.portrait.Place(c, rest)
	}
}

// columns places what is of the chain on the left, and what is predicted on the right.
func (s *chainScene) columns(c *panel.Canvas, f *wire.Frame, page plot.Rect, gap float32) {
	left, right := beside(page, gap, 0.55)
	// foot places a panel at the foot of what is left on the right, below a share of it.
	foot := func(p panel.Panel, share float32) {
		var at plot.Rect
		right, at = stacked(right, 0.5*gap, share)
		p.Place(c, at)
	}
	if s.runs(f) {
		s.crowd.Place(c, s.placeMaps(c, f, left, 0.4*left.H))
		foot(s.times, 0.5)
	} else {
		s.strip(c, f, s.placeMaps(c, f, left, 0.66*left.H))
	}
	if !s.portrait.Empty() {
		foot(s.portrait, 0.45)
	}
	if film := s.twin.films[0]; !film.Empty() {
		foot(film, 0.72)
	}
	s.extension.Place(c, right)
}

// placeMaps places the maps, at most so high, over one another in r, and returns what is
// left below.
func (s *chainScene) placeMaps(c *panel.Canvas, f *wire.Frame, r plot.Rect, most float32) (rest plot.Rect) {
	_, gap := c.Page()
	first, second := s.maps.chosen(f, s.runs(f))
	maps := []*panel.Map{first, second}
	if second == nil {
		maps = maps[:1]
	}
	row, n := c.Row(), float32(len(maps))
	each := min(aspectOf(s.plane)*r.W, (most-(n-1)*0.3*gap)/n-panel.Above*row)
	for _, m := range maps {
		var at plot.Rect
		at, r = r.CutTop(panel.Above*row + plot.Round(each))
		m.Place(c, at)
		_, r = r.CutTop(0.3 * gap)
	}
	return r
}

// strip places the closures under the maps, of which a training, a comparison or a film
// takes the part through time.
func (s *chainScene) strip(c *panel.Canvas, f *wire.Frame, r plot.Rect) {
	var right panel.Panel = s.closures
	switch {
	case f.Text("nameB") != nil:
		right = s.off
	case trains(f):
		right = s.loss
	case !s.twin.films[0].Empty():
		right = s.twin.alone
	}
	left, rest := beside(r, 16*c.Unit, 0.38)
	s.bars.Place(c, left)
	right.Place(c, rest)
}

// belowTwins places what is shown below two chains.
func (s *chainScene) belowTwins(c *panel.Canvas, f *wire.Frame, r plot.Rect, film bool) {
	switch {
	case !s.portrait.Empty():
		s.portrait.Place(c, r)
	case trains(f):
		s.loss.Place(c, r)
	default:
		s.twin.bars(c, r, film)
	}
}
