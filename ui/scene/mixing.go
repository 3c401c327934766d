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

	s := &boxScene{
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
