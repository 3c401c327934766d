package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/panel"
)

// polymer is the picture of a chain that a flow unfolds: the beads in the streamlines
// with their density and the learned one, the extension with the ensemble that was
// predicted of it, and the closure variables through time.
func polymer() *Scene {
	clock, scale := panel.NewClock(), new(panel.Scale)
	plane, editor := newPlane("bead", "model B"), &panel.Editor{Moves: "drag a bead"}
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
	off := ensembleErrors(clock, "extension", 0, 1, "error of the mean extension", "error")
	bars := &panel.Bars{Titles: []string{"closure variables ẑ", "ẑ"}, Z: "z", Name: "encoded ẑ", Ranged: true, None: "no ẑ yet"}
	closures := newClosures(clock, []string{"ẑ through time", "ẑ"},
		panel.Curve{Row: "zpast", Now: "z", Step: "zstride", Role: panel.Latents, Col: 0, Of: 1, Name: "ẑ", Color: panel.Closures, Width: 0.8})
	portrait := new(panel.Portrait)
	twin := newTwin(plane, editor, clock, scale)
	crowd := &panel.Crowd{Outlines: "crowd", Open: "crowdOpen", Done: "crowdDone", Plane: plane, Title: "the same start, other kicks"}
	times := &panel.Series{
		Clock: clock, Titles: []string{"% of runs that unfold", "% that unfold"}, Range: panel.From0, Ticks: 4, None: []string{"no run has unfolded yet", "none yet"},
		Curves: []panel.Curve{
			{Row: "crowdZero", High: "crowdTimes", Role: panel.Band, Name: "of all", Key: []string{"of the runs so far", "runs"}, Color: panel.Target, Counted: true},
			{Row: "crowdPredicted", Role: panel.Predicted, Name: "predicted", Key: []string{"predicted"}, Color: panel.Learned, Solid: true},
		},
	}
	loss := newLoss(true, "training loss", "loss")
	s := &chainScene{
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
