package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/chart"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// polymer is the picture of a chain that a flow unfolds. One plot shows the beads, the streamlines,
// the target density and the learned density. Another plot shows the extension and the predicted
// ensemble. A third plot shows the closure variables over time.
func polymer() *Scene {
	clock, scale, chain := chart.NewClock(), new(panel.Scale), new(panel.Chain)
	plane, editor := newPlane("bead", "model B"), &panel.Editor{Moves: "drag a bead"}
	maps := newPlaneMaps(plane, editor, scale, chain)
	maps.learned.Name.Sign = "p_θ(x, y, s | ẑ), seen along s"
	pipeline := newPipeline(clock, "beads", "p_θ(x, y, s | ẑ)", "SDE", "SDE", "ensemble")
	extension := &chart.Chart{
		X: clock, Titles: []string{"extension"}, Notes: []string{"max x − min x of the beads", "max x − min x"}, Range: chart.Steady, Ticks: 6, Reason: true, Coverage: true,
		Start: "predicted from here alone", None: []string{"no prediction yet", "nothing yet"}, Hidden: []string{"press Roll out to predict", "nothing yet"},
		Curves: ensemble("extension", 0, 1),
	}
	off := ensembleErrors(clock, "extension", 0, 1, "error of the mean extension", "error")
	bars := newBars(true, &chart.Bars{Z: "z", Name: "encoded ẑ", Drags: true}, "closure variables ẑ", "ẑ")
	closures := newClosures(clock, []string{"ẑ through time", "ẑ"},
		chart.Curve{Role: chart.Latents, Col: 0, Of: 1, Name: "ẑ", Color: panel.Closures, Width: 0.8})
	portrait := newPortrait()
	twin := newTwin(plane, editor, clock, scale, chain)
	crowd := &panel.Crowd{Plane: plane}
	times := &chart.Chart{
		X: clock, Titles: []string{"% of runs that unfold", "% that unfold"}, Range: chart.From0, Ticks: 4, None: []string{"no run has unfolded yet", "none yet"},
		Curves: []chart.Curve{
			{Row: "crowdZero", High: "crowdTimes", Role: chart.Band, Name: "of all", Key: []string{"of the runs so far", "runs"}, Color: panel.Target, Counted: true},
			{Row: "crowdPredicted", Role: chart.Predicted, Name: "predicted", Key: []string{"predicted"}, Color: panel.Learned, Solid: true},
		},
	}
	loss := newLoss(true, "training loss", "loss")
	s := &polymerScene{
		pipeline: pipeline, plane: plane, maps: maps, bars: bars, closures: closures, extension: extension, off: off,
		portrait: portrait, loss: loss, crowd: crowd, times: times, twin: twin,
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
		Keys:   []panel.Keyed{extension, times, twin.extension, twin.span, closures, bars, twin.marked, twin.filmed, twin.alone, maps.target, maps.learned, maps.difference, maps.runA, twin.own, twin.other, portrait},
		Layout: s.layout,
	}
}

// polymerScene places the chain's panels: its maps with the closure variables below them. The
// predictions are to the right or, on a phone, below.
type polymerScene struct {
	pipeline *panel.Pipeline
	// The beads and their densities.
	plane    *panel.Plane
	maps     *planeMaps
	bars     *chart.Chart
	closures *chart.Chart
	// The predictions, the errors of both models, and the training.
	extension, off *chart.Chart
	portrait       *chart.Chart
	loss           *chart.Chart
	// Many realisations of the chain, and a second chain.
	crowd *panel.Crowd
	times *chart.Chart
	twin  *twin
}

// layout places the panels that a frame requests.
func (s *polymerScene) layout(c *panel.Canvas, f *wire.Frame, _ float64) {
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

// The method `runs` reports whether the realisations are displayed. A comparison of models hides
// them.
func (s *polymerScene) runs(f *wire.Frame) bool { return !s.crowd.Empty() && f.Text("nameB") == nil }

// stack places the panels one above another, as on a phone.
func (s *polymerScene) stack(c *panel.Canvas, f *wire.Frame, page plot.Rect, gap float32) {
	page = s.placeMaps(c, f, page, 0.45*page.H)
	if film := s.twin.films[0]; !film.Empty() && page.H > 24*c.Row() {
		page = placeTop(c, film, page, panel.Above*c.Row()+plot.Round(film.Aspect()*page.W), 0.5*gap)
	}
	if s.runs(f) {
		page = placeTop(c, s.crowd, page, 0.4*(page.H-0.5*gap), 0.5*gap)
		placeStacked(c, page, 0.5*gap, 0.56, s.extension, s.times)
		return
	}
	upper, lower := stacked(page, 0.5*gap, 0.56)
	if s.portrait.Empty() {
		s.extension.Place(c, upper)
		s.strip(c, f, lower)
		return
	}
	// The portrait needs more height than the plots that it replaces, so it gets the larger part.
	s.portrait.Place(c, placeTop(c, s.extension, page, lower.H, 0.5*gap))
}

// columns places the chain's panels on the left and the predictions on the right.
func (s *polymerScene) columns(c *panel.Canvas, f *wire.Frame, page plot.Rect, gap float32) {
	left, right := beside(page, gap, 0.55)
	// foot places a panel at the bottom of the right column. The rest of the column keeps the
	// fraction `share` of the height.
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

// placeMaps stacks the maps in r and returns the rest of r below them. The height of the stack is
// at most `most`.
func (s *polymerScene) placeMaps(c *panel.Canvas, f *wire.Frame, r plot.Rect, most float32) (rest plot.Rect) {
	_, gap := c.Page()
	first, second := s.maps.chosen(f, s.runs(f))
	maps := []*panel.Map{first, second}
	if second == nil {
		maps = maps[:1]
	}
	row, n := c.Row(), float32(len(maps))
	each := min(aspectOf(s.plane)*r.W, (most-(n-1)*0.3*gap)/n-panel.Above*row)
	for _, m := range maps {
		r = placeTop(c, m, r, panel.Above*row+plot.Round(each), 0.3*gap)
	}
	return r
}

// strip places the closure variables below the maps. A training, a comparison or a film
// replaces the plot of the closure variables over time.
func (s *polymerScene) strip(c *panel.Canvas, f *wire.Frame, r plot.Rect) {
	var right panel.Panel = s.closures
	switch {
	case f.Text("nameB") != nil:
		right = s.off
	case trains(f):
		right = s.loss
	case !s.twin.films[0].Empty():
		right = s.twin.alone
	}
	placeBeside(c, r, 16*c.Unit, 0.38, s.bars, right)
}

// belowTwins places the panels below two chains.
func (s *polymerScene) belowTwins(c *panel.Canvas, f *wire.Frame, r plot.Rect, film bool) {
	switch {
	case !s.portrait.Empty():
		s.portrait.Place(c, r)
	case trains(f):
		s.loss.Place(c, r)
	default:
		s.twin.bars(c, r, film)
	}
}
