package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/chart"
	"macroscope/ui/panel"
)

// diffusion returns the picture of the lab "diffusion": the particles, and their mean square
// displacement next to 4Dt.
func diffusion() *Scene {
	clock, plane := chart.NewClock(), &panel.Plane{Points: "x", Names: [2]string{"particle"}}
	cloud := &panel.Map{Plane: plane, Name: panel.Name{Word: "free particles"}, Color: panel.Ink, First: true, Alone: true}
	msd := &chart.Chart{
		X: clock, Titles: []string{"mean square displacement"}, Notes: []string{"beside 4Dt, dashed"}, Range: chart.Fitted, Ticks: 4,
		Curves: []chart.Curve{
			{Row: "theory", Role: chart.Predicted, Name: "4Dt", Color: panel.Learned},
			{Row: "msd", Name: "measured", Value: true, Color: panel.Target, Width: 1, Dot: 4.5},
		},
	}
	return &Scene{
		Waiting: "waiting for the first particles",
		Shared:  []panel.Shared{clock, plane},
		Clock:   clock,
		Panels:  []panel.Panel{cloud, msd},
		Keys:    []panel.Keyed{msd, cloud},
		Layout: func(c *panel.Canvas, _ *wire.Frame, _ float64) {
			page, gap := c.Page()
			top, bottom := stacked(page, gap, 0.62)
			cloud.Place(c, top)
			msd.Place(c, bottom)
		},
	}
}
