package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/chart"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// mixing is the picture of two species of atoms that mix: the box, the target and learned
// densities of each species, both mixing ratios with predicted ensembles, and other
// measurements.
func mixing() *Scene {
	clock := chart.NewClock()
	boundary := new(panel.Boundary)
	plane := &panel.Plane{
		Points: "x", Label: "label", Kind: "kind", Names: [2]string{"atom of A", "atom of B"},
		// The distances at which the potential of two atoms of the same species is zero, in the
		// units of the box.
		Diameter: [2]float64{1, 0.9},
		Values: []panel.Value{
			{Row: "qA", Name: "q_A", Wide: "q_A, kernels a pixel wide", Kind: 1, Color: panel.Target},
			{Row: "pA", Name: "p_θ of A", Color: panel.Learned, Needs: panel.Density},
			{Row: "qB", Name: "q_B", Wide: "q_B, kernels a pixel wide", Kind: 2, Color: panel.Target},
			{Row: "pB", Name: "p_θ of B", Color: panel.Learned, Needs: panel.Density},
		},
	}
	box := &panel.Map{Plane: plane, Tool: boundary, Walls: &panel.Walls{Boundary: boundary, Species: [2]string{"A", "B"}}}
	var tiles [4]*panel.Map
	var scales [2]*panel.Scale
	for i, of := range [...]string{"A", "B"} {
		scales[i] = new(panel.Scale)
		tile := func(titles ...string) *panel.Map {
			return &panel.Map{Plane: plane, Scale: scales[i], Tile: &panel.Tile{Species: i, Titles: titles, Restored: []string{"points from ẑ", "from ẑ", "ẑ"}}}
		}
		tiles[2*i] = tile("target q_"+of, "target", "q_"+of)
		tiles[2*i].Tile.Wide = []string{"q_" + of + ", kernels a pixel wide", "q_" + of + ", a pixel wide", "q_" + of + ", 1 px wide", "q_" + of + ", 1 px", "q_" + of}
		tiles[2*i].Target, tiles[2*i].Color = "q"+of, panel.Target
		tiles[2*i+1] = tile("learned p_θ(x | ẑ_"+of+")", "learned p_θ", "learned", "p_θ")
		tiles[2*i+1].Color = panel.Learned
		tiles[2*i+1].Fit = &panel.Fit{Density: "p" + of, Points: "restored" + of, KL: "kl" + of}
	}
	pipeline := newPipeline(clock, "atoms", "p_θ(x | ẑ)", "SDE", "SDE", "ensemble")
	pipeline.Stations[0].Name = "X_A, X_B"
	pipeline.Stations[2] = panel.Station{Name: "ẑ_A, ẑ_B", Sign: "ẑ", Stage: panel.Encoding}
	pipeline.Stations[5] = panel.Station{Name: "R_A_B, R_B_A, ẑ_A, ẑ_B", Sign: "R, ẑ", First: true}
	pipeline.Stations[7].Sign = "R(t)"
	ratio := func(i int, title string, notes ...string) *chart.Chart {
		return &chart.Chart{
			X: clock, Titles: []string{title}, Notes: notes, Range: chart.Shares, Ticks: 6, Above: 1.35, Reason: true, Coverage: i == 1,
			None: []string{"no prediction yet", "nothing yet"}, Hidden: []string{"press Roll out to predict", "nothing yet"}, Later: []string{"begins when the atoms are ready", "nothing yet"},
			Curves: ensemble("ratios", i, 2),
		}
	}
	ratios := [2]*chart.Chart{
		ratio(0, "R_A_B", "share of B among the neighbours of A", "B next to A"),
		ratio(1, "R_B_A", "share of A among the neighbours of B", "A next to B"),
	}
	closure := func(part int, name string, color panel.Color) chart.Curve {
		return chart.Curve{Role: chart.Latents, Col: part, Of: 2, Name: name, Key: []string{name}, Color: color, Width: 0.8, Dashed: part > 0}
	}
	// Errors of both models while two models are compared.
	offs := [2]*chart.Chart{
		ensembleErrors(clock, "ratios", 0, 2, "error of the mean R_A_B", "error of R_A_B"),
		ensembleErrors(clock, "ratios", 1, 2, "error of the mean R_B_A", "error of R_B_A"),
	}
	closures := newClosures(clock, []string{"closure variables ẑ", "ẑ"}, closure(0, "ẑ_A", panel.SpeciesA), closure(1, "ẑ_B", panel.SpeciesB))
	// No model predicts temperature and energy, so their curves are thin. Each has its own plot,
	// but the tip of either plot shows both values.
	thin := func(titles []string, curves ...chart.Curve) *chart.Chart {
		return &chart.Chart{X: clock, Titles: titles, Range: chart.Steady, Ticks: 4, Above: 1.35, None: []string{"not measured", "–"}, Curves: curves}
	}
	temperature := chart.Curve{Row: "temperature", Name: "temperature", Value: true, Color: panel.Muted, Dot: 3.5, Apart: 1, Thin: true}
	potential := chart.Curve{Row: "energy", Name: "energy per atom", Value: true, Color: panel.Muted, Dot: 3.5, Apart: 1, Thin: true}
	tipOnly := func(v chart.Curve) chart.Curve {
		return chart.Curve{Row: v.Row, Name: v.Name, Color: v.Color, Role: chart.TipOnly}
	}
	heat := thin([]string{"temperature", "T"}, temperature, tipOnly(potential))
	energy := thin([]string{"energy per atom", "U/N"}, tipOnly(temperature), potential)
	portrait := newPortrait()
	loss := newLoss(false, "training loss, nats a transition", "training loss", "loss")

	s := &mixingScene{
		pipeline: pipeline, plane: plane, box: box, tiles: tiles, closures: closures, heat: heat, energy: energy,
		ratios: ratios, offs: offs, portrait: portrait, loss: loss,
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
		Keys:   []panel.Keyed{ratios[0], ratios[1], closures, heat, boundary, box, portrait},
		Layout: s.layout,
	}
}

// mixingScene lays out the panels of two species of atoms (see layout).
type mixingScene struct {
	pipeline *panel.Pipeline
	// The atoms and their densities.
	plane                  *panel.Plane
	box                    *panel.Map
	tiles                  [4]*panel.Map // target and learned density of A, then of B
	closures, heat, energy *chart.Chart
	// ratios: both mixing ratios and their predictions. offs: the prediction errors of two models.
	ratios, offs [2]*chart.Chart
	portrait     *chart.Chart
	loss         *chart.Chart
}

// layout places the panels that a frame requests. On a usual screen, the box is above the
// densities, and the ratios are to the right of both. On a very wide screen, the box is on the
// left; on the right the ratios are above the densities. On a phone, the box and the densities
// are side by side, and the ratios are below them.
func (s *mixingScene) layout(c *panel.Canvas, f *wire.Frame, _ float64) {
	const aroundTile = panel.AboveTile + panel.BelowTile
	page, gap := below(c, s.pipeline, 0.4)
	row, between := c.Row(), 12*c.Unit
	aspect := min(max(s.plane.Aspect(s.plane.Margin()), 0.25), 1.6)
	// scaled places a map. It returns the map's area without the texts above and below: its top
	// left corner is (x, y), and its width is w.
	scaled := func(m *panel.Map, x, y, w float32) plot.Rect {
		at := plot.Rect{X: x, Y: y, W: w, H: aspect * w}.Round()
		above, below := m.Around()
		m.Place(c, at.Inset(0, -above*row, 0, -below*row))
		return at
	}
	var ratio [2]plot.Rect
	var strip plot.Rect // place for the small plots
	switch {
	case onPhone(c):
		between = 10 * c.Unit
		wide := min(0.56*page.W, 0.48*page.H/aspect, max(80*c.Unit, page.H-11*row)/aspect)
		at := scaled(s.box, page.X, page.Y+panel.AroundBox*row, wide)
		// Two rows of two maps each, to the right of the box and as high as the box.
		each := (at.H - aroundTile*row) / 2
		side := plot.Round(min((page.W-wide-2*between)/2, each/aspect))
		space := (page.Right() - at.Right() - 2*side) / 3
		for i, m := range s.tiles {
			scaled(m, page.Right()-2*side-space+float32(i%2)*(side+space), at.Y+float32(i/2)*(at.H-aspect*side), side)
		}
		_, page = page.CutTop(2*panel.AroundBox*row+at.H+0.3*gap, 0)
		if page.H > 20*row {
			page, strip = stacked(page, gap, 0.7)
		}
		if page.H > 11*row {
			ratio[0], ratio[1] = stacked(page, 0.5*gap, 0.5)
		} else {
			ratio[0], ratio[1] = beside(page, gap, 0.5)
		}
	case page.W > 1.95*page.H: // a very wide page, as on some projectors
		wide := min(0.42*page.W, (page.H-2*panel.AroundBox*row)/aspect)
		scaled(s.box, page.X, page.Y+panel.AroundBox*row, wide)
		_, page = page.CutLeft(wide+gap, 0)
		top, page := page.CutTop(0.58*page.H, 0.3*gap)
		ratio[0], ratio[1] = beside(top, gap, 0.5)
		side := plot.Round(min((page.W-3*between-gap-stripRoom*c.Unit)/4, (page.H-aroundTile*row)/aspect) - 0.5)
		for i, m := range s.tiles {
			scaled(m, page.X+float32(i)*(side+between), page.Y+panel.AboveTile*row, side)
		}
		_, strip = page.CutLeft(4*side+3*between+gap, 0)
	default:
		text := (2*panel.AroundBox + aroundTile) * row
		// The box takes the height that the tiles leave. The four tiles and the three gaps
		// between them are together as wide as the box.
		wide := min(0.47*page.W, (page.H-text+0.75*between*aspect)/(1.25*aspect))
		left, right := page.CutLeft(max(wide, 0.3*page.W), gap)
		at := scaled(s.box, left.X+(left.W-wide)/2, left.Y+panel.AroundBox*row, wide)
		side := plot.Round((wide - 3*between) / 4)
		for i, m := range s.tiles {
			scaled(m, at.X+float32(i)*(side+between), at.Bottom()+(panel.AroundBox+panel.AboveTile)*row, side)
		}
		if page.H > 21*row {
			right, strip = stacked(right, 0.5*gap, 0.71)
		}
		ratio[0], ratio[1] = stacked(right, 0.4*gap, 0.5)
	}
	s.ratios[0].Place(c, ratio[0])
	// The portrait takes the place of the second ratio. If the small plots are below the second
	// ratio, the portrait also takes their place.
	switch {
	case s.portrait.Empty():
		s.ratios[1].Place(c, ratio[1])
		s.strip(c, f, strip)
	case strip.Y > ratio[1].Y && strip.X == ratio[1].X:
		ratio[1].H = strip.Bottom() - ratio[1].Y
		s.portrait.Place(c, ratio[1])
	default:
		s.strip(c, f, strip)
		s.portrait.Place(c, ratio[1])
	}
}

// The method strip places the small plots, as many as fit. The most important plots come first: the
// errors of two models, then the loss of a training, then measurements.
func (s *mixingScene) strip(c *panel.Canvas, f *wire.Frame, r plot.Rect) {
	trains, compares := trains(f), f.Text("nameB") != nil
	list, n := [...]panel.Panel{s.closures, s.heat, s.energy}, 3
	switch {
	case trains && compares:
		list = [...]panel.Panel{s.offs[0], s.offs[1], s.loss}
	case compares:
		list = [...]panel.Panel{s.offs[0], s.offs[1], s.closures}
	case trains:
		list, n = [...]panel.Panel{s.loss, s.closures, nil}, 2
	}
	gap := 16 * c.Unit
	n = min(n, int((r.W+gap)/(stripRoom*c.Unit+gap)))
	if r.H <= 0 || n == 0 {
		return
	}
	each := (r.W - float32(n-1)*gap) / float32(n)
	for i, p := range list[:n] {
		p.Place(c, plot.Rect{X: r.X + float32(i)*(each+gap), Y: r.Y, W: each, H: r.H})
	}
}

// stripRoom is the least width of a small plot, in CSS pixels.
const stripRoom = 125
