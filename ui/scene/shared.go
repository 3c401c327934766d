package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/chart"
	"macroscope/ui/panel"
)

// ensemble returns the curves of a quantity: the true values so far and the ensembles of two
// models. `row` is the name of the row with the true values. All rows are tables with `of` columns.
// The quantity is in column `col`.
func ensemble(row string, col, of int) []chart.Curve {
	mean, short := []string{"mean of the ensemble", "mean"}, []string{"middle 90 % of them", "90 % band"}
	return []chart.Curve{
		{Row: "lowB", High: "highB", Col: col, Of: of, Model: panel.ModelB, Role: chart.Band, Key: short[:1], Color: panel.Other},
		{Row: "low", High: "high", Col: col, Of: of, Model: panel.ModelA, Role: chart.Band, Name: "band", Key: short, Color: panel.Learned},
		{Row: "paths", Col: col, Of: of, Role: chart.Members, Key: []string{"single members", "members"}, Color: panel.Learned},
		{Row: row, Col: col, Of: of, Name: "true", Key: []string{"true"}, Value: true, Color: panel.Target, Width: 1, Dot: 4.5},
		{Row: "meanB", Col: col, Of: of, Model: panel.ModelB, Role: chart.Predicted, Name: "predicted", Key: mean, Value: true, Color: panel.Other, Apart: 2},
		{Row: "mean", Col: col, Of: of, Model: panel.ModelA, Role: chart.Predicted, Name: "predicted", Key: mean, Value: true, Color: panel.Learned, Apart: 2},
	}
}

// ensembleErrors returns a plot of the errors of two models' ensemble means, displayed while
// the models are compared.
func ensembleErrors(clock *chart.Clock, row string, col, of int, titles ...string) *chart.Chart {
	return &chart.Chart{
		X: clock, Titles: titles, Range: chart.About0, Ticks: 4, Above: 1.35, None: []string{"no prediction yet"},
		Curves: errorsOf("mean", row, col, of),
	}
}

// errorsOf returns the curves of the errors of two models. Their predictions are in the row `predicted`, and in another one
// whose name ends in B.
func errorsOf(predicted, row string, col, of int) []chart.Curve {
	curve := func(m panel.Model, predicted string, color panel.Color) chart.Curve {
		return chart.Curve{Row: predicted, Less: row, Col: col, Of: of, Model: m, Role: chart.Predicted, Solid: true, Name: "off by", Key: []string{""}, Value: true, Color: color, Apart: 2}
	}
	return []chart.Curve{curve(panel.ModelB, predicted+"B", panel.Other), curve(panel.ModelA, predicted, panel.Learned)}
}

// newClosures returns the plot of closure variables over time.
func newClosures(clock *chart.Clock, titles []string, curves ...chart.Curve) *chart.Chart {
	return &chart.Chart{
		X: clock, Titles: titles, Moved: "dz", Range: chart.Covered, Shaded: true, Ticks: 4, Above: 1.35,
		Needs: panel.Latent, None: []string{"no ẑ yet"}, Hidden: []string{"press Encode"}, Curves: curves,
	}
}

// newBars returns the plot of the components of ẑ as bars. If `ranged` is true, it shades the region
// outside [−1, 1], the range of training. If it were inlined, the page's program would be larger.
//
//go:noinline
func newBars(ranged bool, z *chart.Bars, titles ...string) *chart.Chart {
	span := chart.Heights
	if ranged {
		span = chart.Components
	}
	return &chart.Chart{
		Titles: titles, Marks: []chart.Mark{z}, Range: span, Shaded: ranged, Ticks: 5, // an odd number, because the axis is symmetric about its tick at 0
		Needs: panel.Latent, None: []string{"no ẑ yet"}, Hidden: []string{"press Encode"},
	}
}

// newCompared returns the bars of a ẑ that the user can drag, with the predictions of two models.
func newCompared() *chart.Chart {
	z := &chart.Bars{
		Z: "z", Predicted: "zhat", Compared: "zhatB", Name: "encoded ẑ", PredName: "predicted ẑ", Words: [2]string{"encoded", "predicted"}, Outlined: panel.Learned, Drags: true,
	}
	return newBars(true, z, "closure variables ẑ", "ẑ")
}

// newBeside returns the bars of the ẑ of a second model, which is another code than that of the first.
func newBeside() *chart.Chart {
	return newBars(false, &chart.Bars{Z: "zB", Name: "ẑ of the second model"}, "ẑ of the second model", "second ẑ")
}

// newPortrait returns the latent portrait. It is not inlined, as newBars.
//
//go:noinline
func newPortrait() *chart.Chart {
	return &chart.Chart{
		Titles: []string{"latent portrait", "portrait"}, Marks: []chart.Mark{new(chart.Portrait)}, Above: 2.45, None: []string{"the dynamics are being looked at", "one moment"},
	}
}

// trains reports whether a training has begun.
func trains(f *wire.Frame) bool { return len(f.Text("trainStage")) > 0 || len(f.Numbers("loss")) > 0 }

// newLoss returns the plot of a training's loss over its steps.
func newLoss(tall bool, titles ...string) *chart.Chart {
	loss := measured("lossStep", "loss", "loss", false, titles...)
	loss.Remark, loss.Tall = "trainStage", tall
	return loss
}

// measured returns the plot of a quantity that is measured at some steps of a training. `log` says
// whether its axis is logarithmic. It is not inlined, as newBars.
//
//go:noinline
func measured(steps, value, name string, log bool, titles ...string) *chart.Chart {
	span := chart.Losses
	if log {
		span = chart.Decades
	}
	v := chart.Curve{Row: value, Name: name, Value: true, Color: panel.Learned, Width: 2.0 / 3, Dotted: true}
	return &chart.Chart{X: &chart.Steps{Row: steps}, Titles: titles, Range: span, Log: log, Ticks: 5, None: []string{"not measured yet"}, Curves: []chart.Curve{v}}
}

// newPipeline returns the pipeline of a model. Its first half leads from a set of points to the
// density. Its second half leads from the quantity of interest and ẑ to the prediction. `dynamics`
// is the name of the dynamics, and `sign` is their symbol.
func newPipeline(clock *chart.Clock, points, density, dynamics, sign, prediction string) *panel.Pipeline {
	return &panel.Pipeline{Stations: []panel.Station{
		{Name: "X", Sign: "X", Word: points, Count: func(f *wire.Frame) int { return len(f.Numbers("x")) / 2 }},
		{Name: "encoder φ̂", Sign: "φ̂", Stage: panel.Encoding, Does: true},
		{Name: "ẑ", Sign: "ẑ", Word: "numbers", Count: func(f *wire.Frame) int { return len(f.Numbers("z")) }, Stage: panel.Encoding},
		{Name: "flow", Sign: "flow", Stage: panel.Decoding, Does: true, Point: "decoder"},
		{Name: density, Sign: "p_θ", Stage: panel.Decoding, Point: "points"},
		{Name: "[z̄, ẑ]", Sign: "z̄, ẑ", Word: "of frame 0", First: true},
		{Name: dynamics, Sign: sign, Stage: panel.Predicting, Does: true},
		{Name: prediction, Sign: "z̄(t)", Word: "frames", Count: func(*wire.Frame) int { return clock.Horizon() }, Stage: panel.Predicting},
	}}
}
