package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// mixing is the picture of two species of atoms that mix: the box, the density of
// each species and the learned one, both mixing ratios with the ensemble that was
// predicted of them, and what else can be measured.
func mixing() *Scene {
	clock := panel.NewClock()
	boundary := panel.NewBoundary(clock)
	plane := &panel.Plane{
		Points: "x", Label: "label", Kind: "kind", Names: [2]string{"atom of A", "atom of B"},
		// The distances at which the potentials of like atoms vanish, in the units of
		// the box.
		Diameter: [2]float64{1, 0.9},
		Values: []panel.Value{
			{Row: "qA", Name: "q_A", Color: panel.Target},
			{Row: "pA", Name: "p_θ of A", Color: panel.Learned, Needs: panel.Density},
			{Row: "qB", Name: "q_B", Color: panel.Target},
			{Row: "pB", Name: "p_θ of B", Color: panel.Learned, Needs: panel.Density},
		},
	}
	box := &panel.Box{Plane: plane, Boundary: boundary, Clock: clock, Species: [2]string{"A", "B"}}
	scales := [2]*panel.Scale{new(panel.Scale), new(panel.Scale)}
	tile := func(species int, row string, learned bool, kl string, titles ...string) *panel.Map {
		points := ""
		if learned {
			points = "restored" + [...]string{"A", "B"}[species]
		}
		return &panel.Map{Plane: plane, KL: kl, Latent: "z", Points: points, Tile: &panel.Tile{Species: species, Titles: titles, Restored: []string{"points from ẑ", "from ẑ", "ẑ"}},
			Heat: panel.Heat{Scale: scales[species], Grid: row, Learned: learned, Ramp: func(t *brush.Theme) *plot.Ramp { return t.SpeciesDensity[species] }}}
	}
	tiles := [4]*panel.Map{
		tile(0, "qA", false, "", "target q_A", "target", "q_A"),
		tile(0, "pA", true, "klA", "learned p_θ(x | ẑ_A)", "learned p_θ", "learned", "p_θ"),
		tile(1, "qB", false, "", "target q_B", "target", "q_B"),
		tile(1, "pB", true, "klB", "learned p_θ(x | ẑ_B)", "learned p_θ", "learned", "p_θ"),
	}
	pipeline := &panel.Pipeline{Stations: []panel.Station{
		{Name: "X_A, X_B", Sign: "X", Word: "atoms", Count: func(f *wire.Frame) int { return len(f.Numbers("x")) / 2 }},
		{Name: "encoder φ̂", Sign: "φ̂", Stage: panel.Encoding, Does: true},
		{Name: "ẑ_A, ẑ_B", Sign: "ẑ", Stage: panel.Encoding},
		{Name: "flow", Sign: "flow", Stage: panel.Decoding, Does: true, Point: "decoder"},
		{Name: "p_θ(x | ẑ)", Sign: "p_θ", Stage: panel.Decoding, Point: "points"},
		{Name: "R_A_B, R_B_A, ẑ_A, ẑ_B", Sign: "R, ẑ", First: true},
		{Name: "SDE", Sign: "SDE", Stage: panel.Predicting, Does: true},
		{Name: "ensemble", Sign: "R(t)", Word: "frames", Count: func(*wire.Frame) int { return clock.Horizon() }, Stage: panel.Predicting},
	}}
	ratio := func(i int, title string, notes ...string) *panel.Series {
		return &panel.Series{
			Clock: clock, Titles: []string{title}, Notes: notes, Range: panel.Shares, Ticks: 6, Above: 1.35, Reason: true, Coverage: i == 1,
			None: []string{"no prediction yet", "nothing yet"}, Hidden: []string{"press Roll out to predict", "nothing yet"}, Later: []string{"begins when the atoms are ready", "nothing yet"},
			Curves: ensemble("ratios", i, 2),
		}
	}
	ratios := [2]*panel.Series{
		ratio(0, "R_A_B", "share of B among the neighbours of A", "B next to A"),
		ratio(1, "R_B_A", "share of A among the neighbours of B", "A next to B"),
	}
	closure := func(part int, name string, color panel.Color) panel.Curve {
		return panel.Curve{Row: "zpast", Now: "z", Step: "zstride", Role: panel.Latents, Col: part, Of: 2, Name: name, Key: []string{name}, Color: color, Width: 0.8, Dashed: part > 0}
	}
	// What the models are off by, while two are compared.
	offs := [2]*panel.Series{
		ensembleErrors(clock, "ratios", 0, 2, "error of the mean R_A_B", "error of R_A_B"),
		ensembleErrors(clock, "ratios", 1, 2, "error of the mean R_B_A", "error of R_B_A"),
	}
	closures := newClosures(clock, []string{"closure variables ẑ", "ẑ"}, closure(0, "ẑ_A", panel.SpeciesA), closure(1, "ẑ_B", panel.SpeciesB))
	// Thin: they are not what is predicted. The tip of either lists both.
	thin := func(titles []string, curves ...panel.Curve) *panel.Series {
		return &panel.Series{Clock: clock, Titles: titles, Range: panel.Steady, Ticks: 4, Above: 1.35, None: []string{"not measured", "–"}, Curves: curves}
	}
	temperature := panel.Curve{Row: "temperature", Name: "temperature", Value: true, Color: panel.Muted, Dot: 3.5, Apart: 1, Thin: true}
	potential := panel.Curve{Row: "energy", Name: "energy per atom", Value: true, Color: panel.Muted, Dot: 3.5, Apart: 1, Thin: true}
	tipOnly := func(v panel.Curve) panel.Curve {
		return panel.Curve{Row: v.Row, Name: v.Name, Color: v.Color, Role: panel.TipOnly}
	}
	heat := thin([]string{"temperature", "T"}, temperature, tipOnly(potential))
	energy := thin([]string{"energy per atom", "U/N"}, tipOnly(temperature), potential)
	portrait := new(panel.Portrait)
	loss := newLoss(false, "training loss, nats a transition", "training loss", "loss")

	// strip lays out as many of the small plots as there is room for, the most wanted
	// first: the loss of a training, and what two models are off by.
	strip := func(c *panel.Canvas, f *wire.Frame, r plot.Rect) {
		trains, compares := trains(f), f.Text("nameB") != nil
		list, n := [...]panel.Panel{closures, heat, energy}, 3
		switch {
		case trains && compares:
			list = [...]panel.Panel{offs[0], offs[1], loss}
		case compares:
			list = [...]panel.Panel{offs[0], offs[1], closures}
		case trains:
			list, n = [...]panel.Panel{loss, closures, nil}, 2
		}
		gap := 16 * c.Unit
		n = min(n, int((r.W+gap)/(stripRoom*c.Unit+gap)))
		if r.H <= 0 || n == 0 {
			return
		}
		each := (r.W - float32(n-1)*gap) / float32(n)
		for i, p := range list[:n] {
			at := r
			at.X, at.W = r.X+float32(i)*(each+gap), each
			p.Place(c, at)
		}
	}
	return &Scene{
		Waiting: "waiting for the first atoms",
		Shared:  []panel.Shared{clock, plane, scales[0], scales[1], boundary},
		Clock:   clock,
		Panels:  []panel.Panel{pipeline, box, tiles[0], tiles[1], tiles[2], tiles[3], ratios[0], ratios[1], offs[0], offs[1], closures, heat, energy, portrait, loss},
		Parts: map[string][]panel.Panel{
			"set": {box}, "target": {tiles[0], tiles[2]}, "code": {closures}, "learned": {tiles[1], tiles[3]},
			"dynamics": {portrait, closures}, "prediction": {ratios[0], ratios[1], offs[0], offs[1]},
		},
		Keys: []panel.Keyed{ratios[0], ratios[1], closures, heat, boundary, box, portrait},
		Layout: func(c *panel.Canvas, f *wire.Frame, _ float64) {
			page, gap := below(c, pipeline, 0.4)
			row := c.Row()
			l := arrangeMixing(c, page, gap, min(max(plane.Aspect(box.Margin()), 0.25), 1.6))
			box.Place(c, l.box.Inset(0, -panel.AroundBox*row, 0, -panel.AroundBox*row))
			for i, r := range l.maps {
				tiles[i].Place(c, r.Inset(0, -panel.AboveTile*row, 0, -panel.BelowTile*row))
			}
			ratios[0].Place(c, l.ratio[0])
			if portrait.Empty() {
				ratios[1].Place(c, l.ratio[1])
				strip(c, f, l.strip)
				return
			}
			at := l.ratio[1] // and of the strip, where that is below
			if l.strip.Y > at.Y && l.strip.X == at.X {
				at.H = l.strip.Bottom() - at.Y
			} else {
				strip(c, f, l.strip)
			}
			portrait.Place(c, at)
		},
	}
}

// stripRoom is the least width in CSS pixels of a small plot.
const stripRoom = 125

// mixingLayout is where the parts of the mixing lie, in device pixels: the box and
// the maps without the text about them. What has no size is not shown.
type mixingLayout struct {
	box   plot.Rect
	maps  [4]plot.Rect // target and learned of A, of B
	ratio [2]plot.Rect
	strip plot.Rect // what else goes on
}

// arrangeMixing lays them out for a box whose height is aspect times its width: the
// box over the densities beside the ratios on a usual screen; beside the ratios over
// the densities on a screen much wider than it is high; beside the densities over
// the ratios on a phone.
func arrangeMixing(c *panel.Canvas, page plot.Rect, gap, aspect float32) (l mixingLayout) {
	const aroundTile = panel.AboveTile + panel.BelowTile
	row, between := c.Row(), 12*c.Unit
	at := func(x, y, w float32) plot.Rect {
		return plot.Rect{X: x, Y: y, W: w, H: aspect * w}.Round()
	}
	switch {
	case onPhone(c):
		between = 10 * c.Unit
		wide := min(0.56*page.W, 0.48*page.H/aspect)
		l.box = at(page.X, page.Y+panel.AroundBox*row, wide)
		// Two rows of two maps beside the box, with its height.
		each := (l.box.H - aroundTile*row) / 2
		side := plot.Round(min((page.W-wide-2*between)/2, each/aspect))
		space := (page.Right() - l.box.Right() - 2*side) / 3
		for i := range l.maps {
			l.maps[i] = at(page.Right()-2*side-space+float32(i%2)*(side+space), l.box.Y+float32(i/2)*(l.box.H-aspect*side), side)
		}
		_, page = page.CutTop(2*panel.AroundBox*row + l.box.H + 0.3*gap)
		if page.H > 20*row {
			page, l.strip = stacked(page, gap, 0.7)
		}
		if page.H > 11*row {
			l.ratio[0], l.ratio[1] = stacked(page, 0.5*gap, 0.5)
		} else {
			l.ratio[0], l.ratio[1] = beside(page, gap, 0.5)
		}
	case page.W > 1.95*page.H: // a projector
		wide := min(0.42*page.W, (page.H-2*panel.AroundBox*row)/aspect)
		l.box = at(page.X, page.Y+panel.AroundBox*row, wide)
		_, page = page.CutLeft(wide + gap)
		top, page := page.CutTop(0.58 * page.H)
		_, page = page.CutTop(0.3 * gap)
		l.ratio[0], l.ratio[1] = beside(top, gap, 0.5)
		side := plot.Round(min((page.W-3*between-gap-stripRoom*c.Unit)/4, (page.H-aroundTile*row)/aspect) - 0.5)
		for i := range l.maps {
			l.maps[i] = at(page.X+float32(i)*(side+between), page.Y+panel.AboveTile*row, side)
		}
		_, l.strip = page.CutLeft(4*side + 3*between + gap)
	default:
		text := (2*panel.AroundBox + aroundTile) * row
		// A map is a quarter as wide as the column, less the gaps.
		wide := min(0.47*page.W, (page.H-text+0.75*between*aspect)/(1.25*aspect))
		left, right := page.CutLeft(max(wide, 0.3*page.W))
		l.box = at(left.X+(left.W-wide)/2, left.Y+panel.AroundBox*row, wide)
		side := plot.Round((wide - 3*between) / 4)
		for i := range l.maps {
			l.maps[i] = at(l.box.X+float32(i)*(side+between), l.box.Bottom()+(panel.AroundBox+panel.AboveTile)*row, side)
		}
		_, right = right.CutLeft(gap)
		if page.H > 21*row {
			right, l.strip = stacked(right, 0.5*gap, 0.71)
		}
		l.ratio[0], l.ratio[1] = stacked(right, 0.4*gap, 0.5)
	}
	return l
}
