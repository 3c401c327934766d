package scene

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/chart"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// particles is the picture of interacting particles: the plane with target and learned
// density, the energy and its prediction, the closure variables, and the pipeline.
func particles() *Scene {
	clock, scale := chart.NewClock(), new(panel.Scale)
	plane, editor := newPlane("particle", "model 2"), new(panel.Editor)
	maps := newPlaneMaps(plane, editor, scale, nil)
	ruler := &panel.Ruler{Plane: plane}
	pipeline := newPipeline(clock, "particles", "p_θ(x | ẑ)", "dynamics g", "g", "prediction")
	pipeline.Stations[4].Word = "density"
	energy := &chart.Chart{
		X: clock, Title: "macro", Unit: "units", Range: chart.Fitted, Ticks: 6, Leaves: true, Reason: true,
		Start: "predicted from here alone", None: []string{"no prediction yet"}, Hidden: []string{"press Roll out to predict"},
		Curves: []chart.Curve{
			{Row: "predB", Model: panel.ModelB, Role: chart.Predicted, Name: "predicted", Key: []string{"predicted"}, Value: true, Color: panel.Other},
			{Row: "energy", Name: "true", Key: []string{"true"}, Value: true, Color: panel.Target, Width: 1.25, Dot: 5},
			{Row: "pred", Model: panel.ModelA, Role: chart.Predicted, Name: "predicted", Key: []string{"predicted"}, Value: true, Color: panel.Learned},
		},
	}
	errors := &chart.Chart{
		X: clock, Titles: []string{"error of the prediction", "error"}, Notes: []string{"squared, relative"}, Range: chart.Errors, Log: true, Ticks: 5,
		Needs: panel.Prediction, None: []string{"nothing is predicted yet"},
		Curves: []chart.Curve{
			{Row: "errorB", Model: panel.ModelB, Name: "error", Figure: chart.Figure{Row: "mreB", Words: "MRE "}, Color: panel.Other, Width: 0.8},
			{Row: "error", Model: panel.ModelA, Name: "error", Figure: chart.Figure{Row: "mre", Words: "MRE "}, Color: panel.Learned, Width: 0.8, Dot: 3.5},
		},
	}
	bars, other := newCompared(), newBeside()
	ribbons := &chart.Chart{X: clock, Titles: []string{"ẑ through time", "ẑ"}, Marks: []chart.Mark{new(chart.Ribbon)}}
	portrait := newPortrait()
	loss := newLoss(true, "training loss", "loss")
	mre := measured("mreStep", "mreVal", "validation MRE", true, "validation MRE", "val. MRE", "MRE")
	mre.Tall = true
	orders := func(row, moved string, titles ...string) *chart.Chart {
		return &chart.Chart{X: clock, Titles: titles, Moved: moved, Range: chart.Balanced, Ticks: 5, Above: 2.45,
			None: []string{"not for this number of particles", "not for this set"}, Curves: []chart.Curve{{Row: row, Role: chart.Orders, Name: "order", Color: panel.Ink}}}
	}
	deep := orders("orders", "dz", "encoder of sets φ̂: energy for 3 orders of one set", "encoder of sets: energy, 3 orders", "encoder of sets", "of sets")
	ordered := orders("ordered", "dzOrdered", "order-dependent encoder: energy for the same 3 orders", "order-dependent: energy, 3 orders", "order-dependent", "with an order")
	deep.Beside, ordered.Beside = ordered, deep

	s := &particlesScene{
		pipeline: pipeline, maps: maps, ruler: ruler, bars: bars, other: other, ribbons: ribbons, deep: deep, ordered: ordered,
		energy: energy, errors: errors, portrait: portrait, loss: loss, mre: mre,
	}
	return &Scene{
		Waiting: "waiting for the first particles",
		Shared:  []panel.Shared{clock, plane, scale, editor},
		Clock:   clock,
		Panels:  []panel.Panel{pipeline, maps.target, maps.learned, maps.difference, maps.runA, maps.runB, ruler, energy, errors, bars, other, ribbons, portrait, loss, mre, deep, ordered},
		Parts: map[string][]panel.Panel{
			"set": {maps.target, maps.runA, ruler}, "target": {maps.target, ruler}, "code": {bars}, "beside": {other}, "learned": {maps.learned, maps.runB},
			"dynamics": {portrait, ribbons}, "prediction": {energy, errors},
			"orders": {deep}, "ordered": {ordered},
		},
		Keys:   []panel.Keyed{energy, errors, bars, maps.target, maps.learned, maps.difference, maps.runA, portrait},
		Layout: s.layout,
	}
}

// particlesScene places the particles' panels: the maps with the closure variables below them.
// The predictions are to the right or, on a phone, below.
type particlesScene struct {
	pipeline *panel.Pipeline
	// The particles, their densities, and the effect of shuffling them.
	maps          *planeMaps
	ruler         *panel.Ruler
	bars, other   *chart.Chart // ẑ of the model, and of the second model
	ribbons       *chart.Chart
	deep, ordered *chart.Chart
	// The predictions and the training.
	energy, errors *chart.Chart
	portrait       *chart.Chart
	loss, mre      *chart.Chart

	news newest
}

// leastStrip is the height, in rows of text, at which the panels in the strip can be read. In a lower
// picture the strip is below the energy, in place of the errors.
const leastStrip = 7

// layout places the panels that a frame requests.
func (s *particlesScene) layout(c *panel.Canvas, f *wire.Frame, dt float64) {
	s.news.choose(f, dt)
	page, gap := below(c, s.pipeline, 0.5)
	first, second := s.maps.chosen(f, false)
	extra := 2.5 * c.Row() // rows of text above and below the maps
	switch {
	case onPhone(c):
		side := min((page.W-0.6*gap)/2, 0.33*page.H)
		if second == nil {
			side = min(page.W, 0.4*page.H)
		}
		top, page := page.CutTop(side+extra, 0.4*gap)
		s.placeMaps(c, top, side, first, second)
		if page.H > 16*c.Row() {
			s.column(c, page, gap, 0.42, 0.28)
		} else {
			s.column(c, page, gap, 0.51, 0)
		}
	case second == nil:
		side := min(0.52*page.W, page.H-extra)
		left, page := page.CutLeft(side, gap)
		s.placeMaps(c, left, side, first, nil)
		s.column(c, page, gap*0.6, 0.40, 0.26)
	default:
		// Maps are squares, at most `highest` high. Their column is no wider than two such
		// squares.
		highest := 0.56 * page.H
		low := page.H-highest-extra-0.4*gap < leastStrip*c.Row() && page.W > 40*c.Row()
		if low {
			highest = page.H - extra
		}
		left, right := page.CutLeft(min(0.6*(page.W-gap), 2*highest+0.5*gap), gap)
		side := min((left.W-0.5*gap)/2, highest)
		top, left := left.CutTop(side+extra, 0.4*gap)
		s.placeMaps(c, top, side, first, second)
		switch {
		case !low:
			s.strip(c, left, gap)
			s.predicted(c, right, gap)
		case s.portrait.Empty():
			s.strip(c, placeTop(c, s.energy, right, 0.5*(right.H-0.6*gap), 0.6*gap), gap)
		default:
			s.predicted(c, right, gap)
		}
	}
}

// placeMaps places one map in the middle, or two maps side by side. Maps are squares with the
// ruler below.
func (s *particlesScene) placeMaps(c *panel.Canvas, r plot.Rect, side float32, first, second *panel.Map) {
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

// predicted places the energy and, below it, the panel that belowEnergy returns.
func (s *particlesScene) predicted(c *panel.Canvas, r plot.Rect, gap float32) {
	if s.errors.Empty() && s.portrait.Empty() {
		s.energy.Place(c, r)
		return
	}
	share := float32(0.58)
	if !s.portrait.Empty() {
		share = 0.36
	}
	placeStacked(c, r, gap*0.6, share, s.energy, s.belowEnergy())
}

// belowEnergy returns the panel below the energy: the portrait if it is displayed, otherwise
// the errors.
func (s *particlesScene) belowEnergy() panel.Panel {
	if s.portrait.Empty() {
		return s.errors
	}
	return s.portrait
}

// column stacks the panels that are not maps. The energy gets the share `top` of the height. The
// panel below the energy gets the share `middle`.
func (s *particlesScene) column(c *panel.Canvas, r plot.Rect, gap, top, middle float32) {
	switch portrait := !s.portrait.Empty(); {
	case portrait && r.H < 24*c.Row(): // with little space, the portrait replaces several panels
		placeStacked(c, r, gap, 0.32, s.energy, s.portrait)
		return
	case portrait:
		top, middle = 0.28, 0.46
	case s.errors.Empty():
		top, middle = top+middle, 0
	}
	h := r.H - gap
	if middle > 0 {
		h -= gap
	}
	if r = placeTop(c, s.energy, r, top*h, gap); middle > 0 {
		r = placeTop(c, s.belowEnergy(), r, middle*h, gap)
	}
	s.strip(c, r, gap)
}

// The method strip places the closure variables and, to the right, the plots of the newest topic.
func (s *particlesScene) strip(c *panel.Canvas, r plot.Rect, gap float32) {
	r = placeLeft(c, s.bars, r, gap, 0.36)
	switch {
	case c.Plain && !s.other.Empty():
		s.other.Place(c, r)
	case s.news.topic == topicOrders:
		placeBeside(c, r, 16*c.Unit, 0.5, s.deep, s.ordered)
	case s.news.topic == topicTraining && s.mre.Empty():
		s.loss.Place(c, r)
	case s.news.topic == topicTraining:
		placeBeside(c, r, 16*c.Unit, 0.5, s.loss, s.mre)
	default:
		s.ribbons.Place(c, r)
	}
}

// Topics that share one place. The newest topic is displayed there.
const (
	topicLatent   = iota // ẑ through time
	topicTraining        // loss and validation of a training
	topicOrders          // the effect of shuffling the particles
)

// holdOrders is how long, in seconds, a shuffle stays displayed while a training runs.
const holdOrders = 12

// newest chooses the topic with the newest values. The topic is a shuffle or a training. If there
// is neither, the topic is ẑ.
type newest struct {
	topic    int
	hold     float64 // seconds until another topic may replace it
	shuffles int
	measured [2]float64 // training steps at which the last loss and the last validation were measured
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

// last returns the last of the values, or NaN if there are none.
func last(v []float32) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return float64(v[len(v)-1])
}
