package scene

import "macroscope/ui/panel"

// ensemble is a quantity against time beside what two models predict of it as
// ensembles: column col of rows of so many, of whose true values row has those so far.
func ensemble(row string, col, of int) []panel.Curve {
	mean, short := []string{"mean of the ensemble", "mean"}, []string{"middle 90 % of them", "90 % band"}
	return []panel.Curve{
		{Row: "lowB", High: "highB", Col: col, Of: of, Model: panel.ModelB, Role: panel.Band, Key: short[:1], Color: panel.Other},
		{Row: "low", High: "high", Col: col, Of: of, Model: panel.ModelA, Role: panel.Band, Name: "band", Key: short, Color: panel.Learned},
		{Row: "paths", Col: col, Of: of, Role: panel.Members, Key: []string{"single members", "members"}, Color: panel.Learned},
		{Row: row, Col: col, Of: of, Name: "true", Key: []string{"true"}, Value: true, Color: panel.Target, Width: 1, Dot: 4.5},
		{Row: "meanB", Col: col, Of: of, Model: panel.ModelB, Role: panel.Predicted, Name: "predicted", Key: mean, Value: true, Color: panel.Other, Apart: 2},
		{Row: "mean", Col: col, Of: of, Model: panel.ModelA, Role: panel.Predicted, Name: "predicted", Key: mean, Value: true, Color: panel.Learned, Apart: 2},
	}
}

// ensembleErrors is by how much the means of both are off, while they are compared.
func ensembleErrors(clock *panel.Clock, row string, col, of int, titles ...string) *panel.Series {
	curve := func(m panel.Model, mean string, color panel.Color) panel.Curve {
		return panel.Curve{Row: mean, Less: row, Col: col, Of: of, Model: m, Role: panel.Predicted, Solid: true, Name: "off by", Key: []string{""}, Value: true, Color: color, Apart: 2}
	}
	return &panel.Series{
		Clock: clock, Titles: titles, Range: panel.About0, Ticks: 4, Above: 1.35, None: []string{"no prediction yet"},
		Curves: []panel.Curve{curve(panel.ModelB, "meanB", panel.Other), curve(panel.ModelA, "mean", panel.Learned)},
	}
}

// newClosures are closure variables through time.
func newClosures(clock *panel.Clock, titles []string, curves ...panel.Curve) *panel.Series {
	return &panel.Series{
		Clock: clock, Titles: titles, Moved: "dz", Range: panel.Covered, Shaded: true, Ticks: 4, Above: 1.35,
		Needs: panel.Latent, None: []string{"no ẑ yet"}, Hidden: []string{"press Encode"}, Curves: curves,
	}
}
