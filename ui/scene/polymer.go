package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// polymer is the picture of a chain that a flow unfolds: the beads in the streamlines
// with their density and the learned one, the extension with the ensemble that was
// predicted of it, and the closure variables through time.
func polymer() *Scene {
	clock, scale := panel.NewClock(), new(panel.Scale)
	plane := &panel.Plane{
		Points: "x", Label: "label", Colored: true, Names: [2]string{"bead"},
		Values: []panel.Value{
			{Row: "q", Name: "q_X", Color: panel.Target},
			{Row: "p", Name: "p_θ", Color: panel.Learned, Needs: panel.Density},
			{Row: "pB", Name: "p_θ of model B", Color: panel.Other, Needs: panel.Density},
		},
	}
	editor := &panel.Editor{Moves: "drag a bead"}
	maps := newPlaneMaps(plane, editor, clock, scale)
	for _, m := range maps.all() {
		m.Chain = &panel.Chain{Rate: "rate"}
	}
	maps.learned.Sign = "p_θ(x, y, s | ẑ), seen along s"
	pipeline := &panel.Pipeline{Stations: []panel.Station{
		{Name: "X", Sign: "X", Word: "beads", Count: func(f *wire.Frame) int { return len(f.Numbers("x")) / 2 }},
		{Name: "encoder φ̂", Sign: "φ̂", Stage: panel.Encoding, Does: true},
		{Name: "ẑ", Sign: "ẑ", Word: "numbers", Count: func(f *wire.Frame) int { return len(f.Numbers("z")) }, Stage: panel.Encoding},
		{Name: "flow", Sign: "flow", Stage: panel.Decoding, Does: true, Point: "decoder"},
		{Name: "p_θ(x, y, s | ẑ)", Sign: "p_θ", Stage: panel.Decoding, Point: "points"},
		{Name: "[z̄, ẑ]", Sign: "z̄, ẑ", Word: "of frame 0", First: true},
		{Name: "SDE", Sign: "SDE", Stage: panel.Predicting, Does: true},
		{Name: "ensemble", Sign: "z̄(t)", Word: "frames", Count: func(*wire.Frame) int { return clock.Horizon() }, Stage: panel.Predicting},
	}}
	extension := &panel.Series{
		Clock: clock, Titles: []string{"extension"}, Notes: []string{"max x − min x of the beads", "max x − min x"}, Range: panel.Fitted, Ticks: 6, Reason: true, Coverage: true,
		Start: "predicted from here alone", None: []string{"no prediction yet", "nothing yet"}, Hidden: []string{"press Roll out to predict", "nothing yet"},
		Curves: ensemble("extension", 0, 1),
	}
	off := &panel.Series{
		Clock: clock, Titles: []string{"error of the mean extension", "error"}, Range: panel.About0, Ticks: 4, Above: 1.35,
		None: []string{"no prediction yet"}, Curves: ensembleErrors("extension", 0, 1),
	}
	bars := &panel.Bars{Title: "closure variables ẑ", Z: "z", Name: "encoded ẑ", Ranged: true, None: "no ẑ yet"}
	closures := &panel.Series{
		Clock: clock, Titles: []string{"ẑ through time", "ẑ"}, Moved: "dz", Range: panel.Covered, Shaded: true, Ticks: 4, Above: 1.35,
		Needs: panel.Latent, None: []string{"no ẑ yet"}, Hidden: []string{"press Encode"},
		Curves: []panel.Curve{{Row: "zpast", Now: "z", Step: "zstride", Role: panel.Latents, Col: 0, Of: 1, Name: "ẑ", Color: panel.Closures, Width: 0.8}},
	}
	portrait := new(panel.Portrait)
	twin := newTwin(plane, editor, clock, scale)
	crowd := &panel.Crowd{Outlines: "crowd", Open: "crowdOpen", Done: "crowdDone", Plane: plane, Title: "the same start, other kicks"}
	times := &panel.Series{
		Clock: clock, Titles: []string{"% of runs that unfold", "% that unfold"}, Range: panel.From0, Ticks: 4, None: []string{"no run has unfolded yet", "none yet"},
		Curves: []panel.Curve{
			{Row: "crowdZero", High: "crowdTimes", Role: panel.Band, Name: "of all", Key: []string{"of the runs so far", "runs"}, Color: panel.Target, Counted: true},
			{Row: "crowdPredicted", Role: panel.Predicted, Name: "predicted", Key: []string{"predicted from frame 0", "predicted"}, Value: true, Color: panel.Learned, Solid: true},
		},
	}
	loss := &panel.Steps{Titles: []string{"training loss", "loss"}, Steps: "lossStep", Value: "loss", Name: "loss", None: "not measured yet", Note: "trainStage", Tall: true}

	// strip is under the maps: the closures, of which a training or a comparison takes
	// the half through time.
	strip := func(c *panel.Canvas, f *wire.Frame, r plot.Rect) {
		var right panel.Panel = closures
		_, film := twin.shows(f)
		switch {
		case f.Text("nameB") != nil:
			right = off
		case trains(f):
			right = loss
		case film:
			right = twin.alone
		}
		gap := 16 * c.Unit
		left, rest := r.CutLeft(0.38 * (r.W - gap))
		bars.Place(c, left)
		_, rest = rest.CutLeft(gap)
		right.Place(c, rest)
	}
	return &Scene{
		Waiting: "waiting for the first chain",
		Shared:  []panel.Shared{clock, plane, twin.otherPlane, scale, editor},
		Clock:   clock,
		Panels:  append([]panel.Panel{pipeline, maps.target, maps.learned, maps.difference, maps.runA, maps.runB, extension, off, bars, closures, portrait, loss, crowd, times}, twin.panels()...),
		Parts: map[string][]panel.Panel{
			"set": {maps.target, twin.own, twin.other}, "target": {maps.target, twin.films[0], twin.films[1]},
			"code": {bars, twin.marked, twin.filmed, twin.alone, closures}, "learned": {maps.learned},
			"dynamics": {portrait, closures}, "prediction": {extension, twin.extension, twin.span, off},
		},
		Keys: []panel.Keyed{extension, times, twin.extension, twin.span, closures, bars, twin.marked, twin.filmed, twin.alone, maps.target, maps.learned, maps.difference, maps.runA, twin.own, twin.other, portrait},
		Layout: func(c *panel.Canvas, f *wire.Frame, _ float64) {
			page, gap := c.Page()
			row := c.Row()
			top, page := page.CutTop(1.45*row + 2*c.Unit)
			pipeline.Place(c, top)
			_, page = page.CutTop(gap * 0.5)
			two, film := twin.shows(f)
			if two {
				twin.place(c, page, film, func(r plot.Rect) {
					switch {
					case !portrait.Empty():
						portrait.Place(c, r)
					case trains(f):
						loss.Place(c, r)
					default:
						twin.bars(c, r, film)
					}
				})
				return
			}
			first, second := maps.chosen(f)
			many := !crowd.Empty() && f.Text("nameB") == nil
			most := float32(0.66)
			if many {
				second, most = nil, 0.4
			}
			first.First, first.Alone = true, second == nil
			shown := 1
			if second != nil {
				second.First, second.Alone = false, false
				shown = 2
			}
			aspect := min(max(plane.Aspect(0), 0.15), 1)
			// put places the maps over one another in r, and returns what is left below.
			put := func(r plot.Rect, most float32) (rest plot.Rect) {
				each := min(aspect*r.W, (most-float32(shown-1)*0.3*gap)/float32(shown)-panel.Above*row)
				for _, m := range []*panel.Map{first, second}[:shown] {
					var at plot.Rect
					at, r = r.CutTop(panel.Above*row + plot.Round(each))
					m.Place(c, at)
					_, r = r.CutTop(0.3 * gap)
				}
				return r
			}
			if onPhone(c) {
				page = put(page, 0.45*page.H)
				var top plot.Rect
				if film && page.H > 24*row {
					top, page = page.CutTop(panel.Above*row + plot.Round(twin.films[0].Aspect()*page.W))
					twin.films[0].Place(c, top)
					_, page = page.CutTop(0.5 * gap)
				}
				if many {
					top, page = stacked(page, 0.5*gap, 0.4)
					crowd.Place(c, top)
				}
				upper, lower := stacked(page, 0.5*gap, 0.56)
				switch {
				case many:
					extension.Place(c, upper)
					times.Place(c, lower)
				case portrait.Empty():
					extension.Place(c, upper)
					strip(c, f, lower)
				default: // which has more to show
					extension.Place(c, plot.Rect{X: page.X, Y: page.Y, W: page.W, H: lower.H})
					_, rest := page.CutTop(lower.H + 0.5*gap)
					portrait.Place(c, rest)
				}
				return
			}
			left, right := page.CutLeft(0.55 * (page.W - gap))
			_, right = right.CutLeft(gap)
			left = put(left, most*left.H)
			if many {
				crowd.Place(c, left)
				var below plot.Rect
				right, below = stacked(right, 0.5*gap, 0.5)
				times.Place(c, below)
			} else {
				strip(c, f, left)
			}
			if !portrait.Empty() {
				var below plot.Rect
				right, below = stacked(right, 0.5*gap, 0.45)
				portrait.Place(c, below)
			}
			if film {
				var below plot.Rect
				right, below = stacked(right, 0.5*gap, 0.72)
				twin.films[0].Place(c, below)
			}
			extension.Place(c, right)
		},
	}
}

// trains says whether something has been trained.
func trains(f *wire.Frame) bool { return len(f.Text("trainStage")) > 0 || len(f.Numbers("loss")) > 0 }
