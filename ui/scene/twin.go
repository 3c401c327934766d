package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/chart"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// twin holds the panels of a second chain and of the films of both chains. Both chains share
// one clock.
type twin struct {
	plane, otherPlane *panel.Plane
	own, other        *panel.Map
	films             [2]*panel.Film
	extension, span   *chart.Chart
	marked, filmed    *chart.Chart
	alone             *chart.Chart // ẑ of the film if there is only one chain
}

func newTwin(plane *panel.Plane, tool panel.Tool, clock *chart.Clock, scale *panel.Scale, chain *panel.Chain) *twin {
	other := &panel.Plane{Points: "xTwin", Label: "label", Colored: true, Names: plane.Names}
	beads := func(plane *panel.Plane, called string, color panel.Color) *panel.Map {
		return &panel.Map{Plane: plane, Scale: scale, Name: panel.Name{Row: called}, Color: color, First: true, Alone: true, Chain: chain}
	}
	film := func(which string, titles ...string) *panel.Film {
		return &panel.Film{Pixels: "film" + which, Size: "filmSize" + which, Titles: titles}
	}
	bars := func(titles []string, z, other string, words [2]string) *chart.Chart {
		b := &chart.Bars{Z: z, Predicted: other, Name: "ẑ of the first", PredName: "ẑ of the other", Words: words, Outlined: panel.Other}
		return newBars(true, b, titles...)
	}
	words, ofFilm := [2]string{"first", "second"}, []string{"ẑ, film", "film"}
	t := &twin{
		plane: plane, otherPlane: other,
		own: beads(plane, "nameOwn", panel.Learned), other: beads(other, "nameTwin", panel.Other),
		films: [2]*panel.Film{film("", "film, as the encoder is given it", "film"), film("Twin", "film of the second", "film")},
		extension: &chart.Chart{
			X: clock, Titles: []string{"extension, from labelled beads", "from labelled beads"}, Range: chart.Steady, Ticks: 5,
			None: []string{"no prediction yet", "nothing yet"}, Curves: twins("extension", "extensionTwin", "", "Twin", "predicted from frame 0", "predicted"),
		},
		span: &chart.Chart{
			X: clock, Titles: []string{"span of the picture, from film", "from film"}, Range: chart.Steady, Ticks: 5,
			None: []string{"the model of the film is on its way, or waits for the past that it remembers", "on its way"}, Curves: twins("span", "spanTwin", "Film", "FilmTwin", "predicted"),
		},
		marked: bars([]string{"ẑ, labelled beads", "ẑ, beads", "beads"}, "z", "zTwin", words),
		filmed: bars(ofFilm, "zFilm", "zFilmTwin", words),
		alone:  bars(ofFilm, "zFilm", "", [2]string{}),
	}
	t.own.Tool = tool
	return t
}

// twins returns the curves of a quantity of two chains, with predicted bands. `mean` lists names
// for the predicted means. The legend shows the longest name that fits.
func twins(row, other, predicted, predictedOther string, mean ...string) []chart.Curve {
	same := []string{""} // no name in the legend, because the first mean's name also covers the second mean and the bands
	return []chart.Curve{
		{Row: "low" + predictedOther, High: "high" + predictedOther, Role: chart.Band, Name: "band of the second", Key: same, Color: panel.Other},
		{Row: "low" + predicted, High: "high" + predicted, Role: chart.Band, Name: "band of the first", Key: same, Color: panel.Learned},
		{Row: row, Name: "first", Key: []string{"first"}, Value: true, Color: panel.Learned, Width: 1.1, Dot: 4.5},
		{Row: other, Name: "second", Key: []string{"second"}, Value: true, Color: panel.Other, Width: 1.1, Dot: 4.5},
		{Row: "mean" + predicted, Role: chart.Predicted, Name: "first, predicted", Key: mean, Color: panel.Learned, Apart: 2},
		{Row: "mean" + predictedOther, Role: chart.Predicted, Name: "second, predicted", Key: same, Color: panel.Other, Apart: 2},
	}
}

// panels returns all panels of the twin.
func (t *twin) panels() []panel.Panel {
	return []panel.Panel{t.own, t.other, t.films[0], t.films[1], t.extension, t.span, t.marked, t.filmed, t.alone}
}

// The method `shows` reports whether a frame has a second chain, and whether it has films.
func (t *twin) shows(f *wire.Frame) (second, film bool) {
	return f.Text("nameTwin") != nil && f.Text("nameB") == nil, !t.films[0].Empty()
}

// place places two chains, their films below them, and the curves of both. It calls `strip` to
// place all other panels in the rest of the page.
func (t *twin) place(c *panel.Canvas, page plot.Rect, film bool, strip func(r plot.Rect)) {
	row := c.Row()
	gap := 0.5 * row
	aspect := aspectOf(t.plane)
	// `two` places a and b in r, side by side or stacked, and returns the rest of r below them. The
	// ratio of height to width of both panels is `aspect`.
	two := func(r plot.Rect, aspect float32, a, b panel.Panel, beside bool) (rest plot.Rect) {
		w := r.W
		if beside {
			w = 0.5 * (w - row)
		}
		h := panel.Above*row + plot.Round(aspect*w)
		if !beside {
			return placeTop(c, b, placeTop(c, a, r, h, 0), h, gap)
		}
		at, rest := r.CutTop(h, gap)
		a.Place(c, plot.Rect{X: at.X, Y: at.Y, W: w, H: at.H})
		b.Place(c, plot.Rect{X: at.Right() - w, Y: at.Y, W: w, H: at.H})
		return rest
	}
	// `pictures` places the chains. It also places their films below the chains, if this leaves
	// a height of more than `least` for other panels.
	pictures := func(r plot.Rect, beside bool, least float32) (rest plot.Rect) {
		rest = two(r, aspect, t.own, t.other, beside)
		if film && rest.H-panel.Above*row-0.5*t.films[0].Aspect()*r.W > least {
			rest = two(rest, t.films[0].Aspect(), t.films[0], t.films[1], true)
		}
		return rest
	}
	series := func(r plot.Rect) {
		if !film {
			t.extension.Place(c, r)
			return
		}
		placeStacked(c, r, gap, 0.5, t.extension, t.span)
	}
	if onPhone(c) {
		rest := pictures(page, true, 28*row)
		if rest.H < 22*row {
			series(rest)
			return
		}
		upper, lower := stacked(rest, gap, 0.72)
		series(upper)
		strip(lower)
		return
	}
	// The chains are as wide as possible, with six rows of text left for the other panels. If they
	// would be narrow, they are side by side instead of stacked.
	const narrow = 0.25
	share := func(of, rows float32) float32 {
		if film {
			of, rows = of+0.5*t.films[0].Aspect(), rows+0.5+panel.Above
		}
		return min(0.5, (page.H-rows*row)/(of*page.W))
	}
	width := share(2*aspect, 6.5+2*panel.Above)
	beside := width < narrow
	if beside {
		width = max(narrow, share(0.5*aspect, 6.5+panel.Above))
	}
	left, right := page.CutLeft(width*page.W, 2*gap)
	strip(pictures(left, beside, 5*row))
	series(right)
}

// The method `bars` places ẑ of two models. One model encodes labelled beads, the other model
// encodes films. Without films, or without room for both, the method places only ẑ of labelled
// beads.
func (t *twin) bars(c *panel.Canvas, r plot.Rect, film bool) {
	if !film || r.W < 10*c.Row() {
		t.marked.Place(c, r)
		return
	}
	placeBeside(c, r, c.Row(), 0.5, t.marked, t.filmed)
}
