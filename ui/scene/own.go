package scene

import (
	"fmt"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/chart"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// mostObservables is the largest number of observables of a system of the user's own.
const mostObservables = 16

// own is the picture of a flock, and of a system of the user's own: the particles on two coordinates with target and learned density,
// a plot of each observable, and the closure variables. Which observables there are, is in the frame.
func own() *Scene {
	clock, scale := chart.NewClock(), new(panel.Scale)
	plane, turner := newPlane("particle", "model 2"), new(panel.Turner)
	plane.Kind, plane.Names[1] = "kind", "particle"
	maps := newPlaneMaps(plane, turner, scale, nil)
	line, portrait := &chart.Chart{Marks: []chart.Mark{new(chart.Density)}}, newPortrait()
	off := ensembleErrors(clock, "macro", 0, chart.Variables, "error of the first observable", "error, first plot", "error")
	off.Curves = append(off.Curves, errorsOf("pred", "macro", 0, chart.Variables)...) // a model has means or paths
	s := &ownScene{
		pipeline: newPipeline(clock, "particles", "p_θ(x | ẑ)", "dynamics", "g", "prediction"), plane: plane, maps: maps, line: line, portrait: portrait, off: off,
		alone: &panel.Map{Plane: plane, Tool: turner, Scale: scale, Name: panel.Name{Word: "particles"}, Color: panel.Ink, First: true, Alone: true},
		bars:  newCompared(),
		closures: newClosures(clock, []string{"ẑ through time", "ẑ"},
			chart.Curve{Role: chart.Latents, Col: 0, Of: 1, Name: "ẑ", Color: panel.Closures, Width: 0.8}),
		loss: newLoss(true, "training loss", "loss"),
	}
	panels := []panel.Panel{s.pipeline, s.alone, maps.target, maps.learned, maps.difference, maps.runA, maps.runB, line, s.bars, s.closures, portrait, off, s.loss}
	keys := []panel.Keyed{s.bars, s.closures, s.alone, maps.target, maps.learned, maps.difference, maps.runA, line, portrait}
	var predictions []panel.Panel
	for i := range s.macro {
		v := &chart.Chart{
			X: clock, Title: fmt.Sprint("title", i), Unit: fmt.Sprint("unit", i), Range: chart.Fitted, Ticks: 4, Leaves: true, Reason: i == 0, Coverage: i == 0,
			None: []string{"no prediction yet"}, Hidden: []string{"press Roll out to predict"},
			Curves: append(ensemble("macro", i, chart.Variables),
				chart.Curve{Row: "predB", Col: i, Of: chart.Variables, Model: panel.ModelB, Role: chart.Predicted, Name: "predicted", Key: []string{"predicted"}, Value: true, Color: panel.Other},
				chart.Curve{Row: "pred", Col: i, Of: chart.Variables, Model: panel.ModelA, Role: chart.Predicted, Name: "predicted", Key: []string{"predicted"}, Value: true, Color: panel.Learned}),
		}
		s.macro[i] = v
		panels, predictions, keys = append(panels, v), append(predictions, v), append(keys, v)
	}
	return &Scene{
		Waiting: "waiting for the picture",
		Blank: func(f *wire.Frame) string {
			if len(f.Numbers("x")) > 0 {
				return ""
			}
			return "drop a file of runs here"
		},
		Shared: []panel.Shared{clock, plane, scale, turner},
		Clock:  clock,
		Panels: panels,
		Parts: map[string][]panel.Panel{
			"set": {maps.target, s.alone, line}, "target": {maps.target, line}, "code": {s.bars}, "learned": {maps.learned, line}, "dynamics": {portrait, s.closures}, "prediction": predictions,
		},
		Keys:   keys,
		Layout: s.layout,
	}
}

// ownScene places the panels: the maps with the closure variables below them. The observables are to the right or, on a
// phone, below.
type ownScene struct {
	pipeline *panel.Pipeline
	plane    *panel.Plane
	maps     *planeMaps
	alone    *panel.Map   // the particles alone, where no density is drawn
	line     *chart.Chart // the densities of particles with one coordinate
	portrait *chart.Chart
	off      *chart.Chart // errors of two models
	bars     *chart.Chart
	closures *chart.Chart
	loss     *chart.Chart
	macro    [mostObservables]*chart.Chart
}

// layout places the panels that a frame requests. Before there is a run, the picture is empty.
func (s *ownScene) layout(c *panel.Canvas, f *wire.Frame, _ float64) {
	if len(f.Numbers("x")) == 0 {
		return
	}
	page, gap := below(c, s.pipeline, 0.5)
	first, second := s.alone, (*panel.Map)(nil)
	models := len(f.Numbers("widths")) > 0 || len(f.Numbers("q")) > 0
	if models && len(f.Numbers("grid")) > 0 {
		first, second = s.maps.chosen(f, false)
	}
	var picture panel.Panel = first
	aspect, columns := aspectOf(s.plane), float32(1)
	switch {
	case models && len(f.Numbers("line")) > 0:
		picture, aspect = s.line, 0.8
	case second != nil:
		columns = 2
	}
	strip := models || trains(f)
	place := func(r plot.Rect, most float32) (rest plot.Rect) {
		wide := (r.W - (columns-1)*0.6*gap) / columns
		top, rest := r.CutTop(plot.Round(min(aspect*wide, most))+panel.Above*c.Row(), 0.4*gap)
		if second == nil {
			picture.Place(c, top)
		} else {
			placeBeside(c, top, 0.6*gap, 0.5, first, second)
		}
		return rest
	}
	if picture == panel.Panel(s.line) && page.H < 20*c.Row() && c.W < brush.Phone {
		picture.Place(c, page)
		return
	}
	if onPhone(c) {
		most := 0.36 * page.H
		if picture == panel.Panel(s.line) { // with axes and a legend
			most = 0.55 * page.H
		}
		page = place(page, most)
		if !s.portrait.Empty() {
			page = placeTop(c, s.portrait, page, 0.58*page.H, 0.5*gap)
		} else if strip && page.H > 16*c.Row() {
			var foot plot.Rect
			page, foot = stacked(page, 0.5*gap, 0.68)
			s.strip(c, f, foot)
		}
		s.observables(c, f, page, gap)
		return
	}
	left, right := beside(page, gap, 0.3+0.13*columns*aspect)
	most := left.H
	if strip {
		most = 0.62 * left.H
	}
	left = place(left, most-panel.Above*c.Row())
	if strip {
		s.strip(c, f, left)
	}
	if !s.portrait.Empty() {
		var foot plot.Rect
		right, foot = stacked(right, 0.5*gap, 0.45)
		s.portrait.Place(c, foot)
	}
	s.observables(c, f, right, gap)
}

// strip places the closure variables, and to their right the errors of two models, the loss of a training or the closure
// variables over time.
func (s *ownScene) strip(c *panel.Canvas, f *wire.Frame, r plot.Rect) {
	var right panel.Panel = s.closures
	switch {
	case f.Text("nameB") != nil:
		right = s.off
	case trains(f):
		right = s.loss
	}
	placeBeside(c, r, 16*c.Unit, 0.38, s.bars, right)
}

// leastObservable is the height, in rows of text, at which the plot of an observable can be read.
const leastObservable = 6

// observables places the plots of the observables, one above another, or in columns if they would be too low. Plots for
// which there is no room are left out.
func (s *ownScene) observables(c *panel.Canvas, f *wire.Frame, r plot.Rect, gap float32) {
	n := min(panel.Count(f, "variables", 0), mostObservables)
	if n == 0 {
		return
	}
	most := max(1, int(r.H/(leastObservable*c.Row())))
	columns := min((n+most-1)/most, max(1, int(r.W/(14*c.Row()))))
	rows := min((n+columns-1)/columns, most)
	w, h := (r.W-float32(columns-1)*gap)/float32(columns), (r.H-float32(rows-1)*0.5*gap)/float32(rows)
	for i := range min(n, rows*columns) {
		s.macro[i].Place(c, plot.Rect{X: r.X + float32(i%columns)*(w+gap), Y: r.Y + float32(i/columns)*(h+0.5*gap), W: w, H: h})
	}
}
