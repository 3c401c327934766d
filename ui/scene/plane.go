package scene

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// planeScene lays out what is shown of particles in the plane: the maps of them with the
// closures below, beside or, on a phone, over what is predicted.
type planeScene struct {
	pipeline *panel.Pipeline
	// Of the particles, and what is made of them and of other orders of them.
	maps          *planeMaps
	ruler         *panel.Ruler
	bars          *panel.Bars
	ribbons       *panel.Ribbons
	deep, ordered *panel.Series
	// What is predicted, and what has been trained.
	energy, errors *panel.Series
	portrait       *panel.Portrait
	loss, mre      *panel.Steps

	news newest
}

// layout places the panels that a frame asks for.
func (s *planeScene) layout(c *panel.Canvas, f *wire.Frame, dt float64) {
	s.news.choose(f, dt)
	page, gap := below(c, s.pipeline, 0.5)
	first, second := s.maps.chosen(f, false)
	extra := 2.5 * c.Row() // above and below the maps: the titles, the scales
	switch {
	case onPhone(c):
		side := min((page.W-0.6*gap)/2, 0.33*page.H)
		if second == nil {
			side = min(page.W, 0.4*page.H)
		}
		top, page := page.CutTop(side + extra)
		s.placeMaps(c, top, side, first, second)
		if _, page = page.CutTop(0.4 * gap); page.H > 16*c.Row() {
			s.column(c, page, gap, 0.42, 0.28)
		} else {
			s.column(c, page, gap, 0.51, 0)
		}
	case second == nil:
		side := min(0.52*page.W, page.H-extra)
		left, page := page.CutLeft(side)
		s.placeMaps(c, left, side, first, nil)
		_, page = page.CutLeft(gap)
		s.column(c, page, gap*0.6, 0.40, 0.26)
	default:
		// Squares as high as the page allows, and no wider a column than they need.
		highest := 0.56 * page.H
		left, right := page.CutLeft(min(0.6*(page.W-gap), 2*highest+0.5*gap))
		_, right = right.CutLeft(gap)
		side := min((left.W-0.5*gap)/2, highest)
		top, left := left.CutTop(side + extra)
		s.placeMaps(c, top, side, first, second)
		_, left = left.CutTop(0.4 * gap)
		s.strip(c, left, gap)
		s.predicted(c, right, gap)
	}
}

// placeMaps places one map in the middle, or two beside one another, as squares, with the
// ruler below.
func (s *planeScene) placeMaps(c *panel.Canvas, r plot.Rect, side float32, first, second *panel.Map) {
	row := c.Row()
	s.ruler.Place(c, plot.Rect{X: r.X, Y: r.Y + panel.Above*row + side, W: r.W, H: 1.2 * row})
	at := plot.Rect{X: r.X, Y: r.Y, W: plot.Round(side), H: plot.Round(side) + panel.Above*row}
	if second == nil {
		at.X += (r.W - at.W) / 2
		first.Place(c, at)
		return
	}
	first.Place(c, at)
	at.X = r.Right() - at.W
	second.Place(c, at)
}

// predicted places the energy and what is below it, if anything is.
func (s *planeScene) predicted(c *panel.Canvas, r plot.Rect, gap float32) {
	if s.errors.Empty() && s.portrait.Empty() {
		s.energy.Place(c, r)
		return
	}
	share := float32(0.58)
	if !s.portrait.Empty() {
		share = 0.36
	}
	upper, lower := stacked(r, gap*0.6, share)
	s.energy.Place(c, upper)
	s.belowEnergy(c, lower)
}

// belowEnergy places the errors, or the portrait in their place.
func (s *planeScene) belowEnergy(c *panel.Canvas, r plot.Rect) {
	if s.portrait.Empty() {
		s.errors.Place(c, r)
		return
	}
	s.portrait.Place(c, r)
}

// column places what is not a map over one another, the energy with a share top of the
// height, what is below it with a share middle.
func (s *planeScene) column(c *panel.Canvas, r plot.Rect, gap, top, middle float32) {
	h := r.H - gap
	if !s.portrait.Empty() { // in the place of the errors, and of more where there is little room
		if r.H < 24*c.Row() {
			top, rest := stacked(r, gap, 0.32)
			s.energy.Place(c, top)
			s.portrait.Place(c, rest)
			return
		}
		if middle == 0 {
			h -= gap
		}
		top, middle = 0.28, 0.46
	}
	if middle > 0 {
		h -= gap
	}
	if middle > 0 && s.errors.Empty() && s.portrait.Empty() {
		h, top, middle = h+gap, top+middle, 0
	}
	cut, r := r.CutTop(top * h)
	s.energy.Place(c, cut)
	if _, r = r.CutTop(gap); middle > 0 {
		cut, r = r.CutTop(middle * h)
		s.belowEnergy(c, cut)
		_, r = r.CutTop(gap)
	}
	s.strip(c, r, gap)
}

// strip places the closures, and the newest there is beside them.
func (s *planeScene) strip(c *panel.Canvas, r plot.Rect, gap float32) {
	left, right := beside(r, gap, 0.36)
	s.bars.Place(c, left)
	half, other := beside(right, 16*c.Unit, 0.5)
	switch s.news.topic {
	case topicOrders:
		s.deep.Place(c, half)
		s.ordered.Place(c, other)
	case topicTraining:
		if s.mre.Empty() {
			half = right
		}
		s.loss.Place(c, half)
		if !s.mre.Empty() {
			s.mre.Place(c, other)
		}
	default:
		s.ribbons.Place(c, right)
	}
}

// What shares one place: the newest there is decides which.
const (
	topicLatent   = iota // ẑ through time
	topicTraining        // loss and validation
	topicOrders          // what other orders of the particles change
)

// holdOrders is for how many seconds a shuffle keeps the place from a training that
// goes on meanwhile.
const holdOrders = 12

// newest chooses the newest of a shuffle and of what training has measured, ẑ when
// there is neither.
type newest struct {
	topic    int
	hold     float64 // seconds for which it stays
	shuffles int
	measured [2]float64 // the last steps
}

func (n *newest) choose(f *wire.Frame, dt float64) {
	trained := trains(f) || len(f.Numbers("mreVal")) > 0
	shuffled := len(f.Numbers("orders")) > 0 || len(f.Numbers("ordered")) > 0
	shuffles, measured := panel.Count(f, "shuffles", 0), [2]float64{last(f.Numbers("lossStep")), last(f.Numbers("mreStep"))}
	switch {
	case shuffled && shuffles != n.shuffles:
		n.topic, n.hold = topicOrders, holdOrders
	case trained && (measured[0] > n.measured[0] || measured[1] > n.measured[1]) && n.hold <= 0:
		n.topic = topicTraining
	case n.topic == topicOrders && !shuffled, n.topic == topicTraining && !trained:
		n.topic = topicLatent
	}
	if n.topic == topicLatent && trained {
		n.topic = topicTraining
	} else if n.topic == topicLatent && shuffled {
		n.topic = topicOrders
	}
	n.shuffles, n.measured, n.hold = shuffles, measured, math.Max(0, n.hold-dt)
}

// last returns the last of the values, NaN if there is none.
func last(v []float32) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return float64(v[len(v)-1])
}
