package scene

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// particles is the picture of the interacting particles: the plane with their
// density and the learned one, the energy and its prediction, the closure variables,
// and the way from the one to the other.
func particles() *Scene {
	clock, scale := panel.NewClock(), new(panel.Scale)
	plane, editor := newPlane("particle", "model 2"), new(panel.Editor)
	maps := newPlaneMaps(plane, editor, clock, scale)
	ruler := &panel.Ruler{Plane: plane, Eps: "eps", Sigma: "sigma"}
	pipeline := &panel.Pipeline{Stations: []panel.Station{
		{Name: "X", Sign: "X", Word: "particles", Count: func(f *wire.Frame) int { return len(f.Numbers("x")) / 2 }},
		{Name: "encoder φ̂", Sign: "φ̂", Stage: panel.Encoding, Does: true},
		{Name: "ẑ", Sign: "ẑ", Word: "numbers", Count: func(f *wire.Frame) int { return len(f.Numbers("z")) }, Stage: panel.Encoding},
		{Name: "flow", Sign: "flow", Stage: panel.Decoding, Does: true, Point: "decoder"},
		{Name: "p_θ(x | ẑ)", Sign: "p_θ", Word: "density", Stage: panel.Decoding, Point: "points"},
		{Name: "[z̄, ẑ]", Sign: "z̄, ẑ", Word: "of frame 0", First: true},
		{Name: "dynamics g", Sign: "g", Stage: panel.Predicting, Does: true},
		{Name: "prediction", Sign: "z̄(t)", Word: "frames", Count: func(*wire.Frame) int { return clock.Horizon() }, Stage: panel.Predicting},
	}}
	energy := &panel.Series{
		Clock: clock, Title: "macro", Unit: "units", Range: panel.Fitted, Ticks: 6, Leaves: true, Reason: true,
		Start: "predicted from here alone", None: []string{"no prediction yet"}, Hidden: []string{"press Roll out to predict"},
		Curves: []panel.Curve{
			{Row: "predB", Model: panel.ModelB, Role: panel.Predicted, Name: "predicted", Key: []string{"predicted"}, Value: true, Color: panel.Other},
			{Row: "energy", Name: "true", Key: []string{"true"}, Value: true, Color: panel.Target, Width: 1.25, Dot: 5},
			{Row: "pred", Model: panel.ModelA, Role: panel.Predicted, Name: "predicted", Key: []string{"predicted"}, Value: true, Color: panel.Learned},
		},
	}
	errors := &panel.Series{
		Clock: clock, Titles: []string{"error of the prediction", "error"}, Notes: []string{"squared, relative"}, Range: panel.Errors, Log: true, Ticks: 5,
		Needs: panel.Prediction, None: []string{"nothing is predicted yet"},
		Curves: []panel.Curve{
			{Row: "errorB", Model: panel.ModelB, Name: "error", Figure: panel.Figure{Row: "mreB", Words: "MRE "}, Color: panel.Other, Width: 0.8},
			{Row: "error", Model: panel.ModelA, Name: "error", Figure: panel.Figure{Row: "mre", Words: "MRE "}, Color: panel.Learned, Width: 0.8, Dot: 3.5},
		},
	}
	bars := &panel.Bars{Title: "closure variables ẑ", Z: "z", Predicted: "zhat", Compared: "zhatB", Name: "encoded ẑ", PredName: "predicted ẑ", Ranged: true, None: "no ẑ yet"}
	ribbons := &panel.Ribbons{Clock: clock, Title: "ẑ through time", Z: "z", Past: "zpast", Stride: "zstride", Future: "zfuture", Name: "encoded ẑ", PredName: "predicted ẑ"}
	portrait := new(panel.Portrait)
	loss := newLoss(true, "training loss", "loss")
	mre := &panel.Steps{Titles: []string{"validation MRE", "val. MRE", "MRE"}, Steps: "mreStep", Value: "mreVal", Name: "validation MRE", None: "not measured yet", Log: true, Tall: true}
	orders := func(row, moved string, titles ...string) *panel.Series {
		return &panel.Series{Clock: clock, Titles: titles, Moved: moved, Range: panel.Balanced, Ticks: 5, Above: 2.45,
			None: []string{"not for this number of particles", "not for this set"}, Curves: []panel.Curve{{Row: row, Role: panel.Orders, Name: "order"}}}
	}
	deep := orders("orders", "dz", "encoder of sets φ̂: 3 orders of one set", "encoder of sets, 3 orders", "encoder of sets", "of sets")
	ordered := orders("ordered", "dzOrdered", "order-dependent encoder: the same 3 orders", "order-dependent, 3 orders", "order-dependent", "with an order")
	deep.Beside, ordered.Beside = ordered, deep

	var news newest
	strip := func(c *panel.Canvas, r plot.Rect, gap float32) {
		left, right := beside(r, gap, 0.36)
		bars.Place(c, left)
		half, other := beside(right, 16*c.Unit, 0.5)
		switch news.topic {
		case topicOrders:
			deep.Place(c, half)
			ordered.Place(c, other)
		case topicTraining:
			if mre.Empty() {
				half = right
			}
			loss.Place(c, half)
			if !mre.Empty() {
				mre.Place(c, other)
			}
		default:
			ribbons.Place(c, right)
		}
	}
	lower := func(c *panel.Canvas, r plot.Rect) {
		if portrait.Empty() {
			errors.Place(c, r)
			return
		}
		portrait.Place(c, r)
	}
	column := func(c *panel.Canvas, r plot.Rect, gap, top, middle float32) {
		h := r.H - gap
		if !portrait.Empty() { // in the place of the errors, and of more where there is little room
			if r.H < 24*c.Row() {
				top, rest := stacked(r, gap, 0.32)
				energy.Place(c, top)
				portrait.Place(c, rest)
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
		if middle > 0 && errors.Empty() && portrait.Empty() {
			h, top, middle = h+gap, top+middle, 0
		}
		cut, r := r.CutTop(top * h)
		energy.Place(c, cut)
		if _, r = r.CutTop(gap); middle > 0 {
			cut, r = r.CutTop(middle * h)
			lower(c, cut)
			_, r = r.CutTop(gap)
		}
		strip(c, r, gap)
	}
	return &Scene{
		Waiting: "waiting for the first particles",
		Shared:  []panel.Shared{clock, plane, scale, editor},
		Clock:   clock,
		Panels:  []panel.Panel{pipeline, maps.target, maps.learned, maps.difference, maps.runA, maps.runB, ruler, energy, errors, bars, ribbons, portrait, loss, mre, deep, ordered},
		Parts: map[string][]panel.Panel{
			"set": {maps.target, ruler}, "target": {maps.target, ruler}, "code": {bars}, "learned": {maps.learned},
			"dynamics": {portrait, ribbons}, "prediction": {energy, errors},
		},
		Keys: []panel.Keyed{energy, errors, bars, maps.target, maps.learned, maps.difference, maps.runA, portrait},
		Layout: func(c *panel.Canvas, f *wire.Frame, dt float64) {
			news.choose(f, dt)
			page, gap := below(c, pipeline, 0.5)
			row := c.Row()
			first, second := maps.chosen(f, false)
			put := func(r plot.Rect, side float32) {
				r.H = side + 1.2*row + panel.Above*row
				ruler.Place(c, plot.Rect{X: r.X, Y: r.Y + panel.Above*row + side, W: r.W, H: 1.2 * row})
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
			extra := 2.5 * row // above and below the maps: the titles, the scales
			switch {
			case onPhone(c):
				side := min((page.W-0.6*gap)/2, 0.33*page.H)
				if second == nil {
					side = min(page.W, 0.4*page.H)
				}
				top, page := page.CutTop(side + extra)
				put(top, side)
				if _, page = page.CutTop(0.4 * gap); page.H > 16*row {
					column(c, page, gap, 0.42, 0.28)
				} else {
					column(c, page, gap, 0.51, 0)
				}
			case second == nil:
				side := min(0.52*page.W, page.H-extra)
				left, page := page.CutLeft(side)
				put(left, side)
				_, page = page.CutLeft(gap)
				column(c, page, gap*0.6, 0.40, 0.26)
			default:
				// Squares as high as the page allows, and no wider a column than they need.
				highest := 0.56 * page.H
				left, right := page.CutLeft(min(0.6*(page.W-gap), 2*highest+0.5*gap))
				_, right = right.CutLeft(gap)
				side := min((left.W-0.5*gap)/2, highest)
				top, left := left.CutTop(side + extra)
				put(top, side)
				_, left = left.CutTop(0.4 * gap)
				strip(c, left, gap)
				if errors.Empty() && portrait.Empty() {
					energy.Place(c, right)
					break
				}
				share := float32(0.58)
				if !portrait.Empty() {
					share = 0.36
				}
				upper, below := stacked(right, gap*0.6, share)
				energy.Place(c, upper)
				lower(c, below)
			}
		},
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
