package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/panel"
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
	bars := &panel.Bars{Titles: []string{"closure variables ẑ", "ẑ"}, Z: "z", Predicted: "zhat", Compared: "zhatB", Name: "encoded ẑ", PredName: "predicted ẑ", Ranged: true, None: "no ẑ yet"}
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

	s := &planeScene{
		pipeline: pipeline, maps: maps, ruler: ruler, bars: bars, ribbons: ribbons, deep: deep, ordered: ordered,
		energy: energy, errors: errors, portrait: portrait, loss: loss, mre: mre,
	}
	return &Scene{
		Waiting: "waiting for the first particles",
		Shared:  []panel.Shared{clock, plane, scale, editor},
		Clock:   clock,
		Panels:  []panel.Panel{pipeline, maps.target, maps.learned, maps.difference, maps.runA, maps.runB, ruler, energy, errors, bars, ribbons, portrait, loss, mre, deep, ordered},
		Parts: map[string][]panel.Panel{
			"set": {maps.target, ruler}, "target": {maps.target, ruler}, "code": {bars}, "learned": {maps.learned},
			"dynamics": {portrait, ribbons}, "prediction": {energy, errors},
			"orders": {deep}, "ordered": {ordered},
		},
		Keys:   []panel.Keyed{energy, errors, bars, maps.target, maps.learned, maps.difference, maps.runA, portrait},
		Layout: s.layout,
	}
}
