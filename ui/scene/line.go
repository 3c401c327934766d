package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/chart"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// line is the picture of the 1-D demo: particles on a line with their densities, ẑ, and the
// curves of the training.
func line() *Scene {
	density := &chart.Chart{Marks: []chart.Mark{new(chart.Density)}}
	latent := newBars(false, &chart.Bars{Note: "of these particles", Z: "z", Name: "ẑ", Drags: true}, "closure variables ẑ", "ẑ")
	latent.Above = 1.15
	other := newBeside()
	other.Above = 1.15
	placeCodes := func(c *panel.Canvas, r plot.Rect, gap float32) {
		if other.Empty() {
			latent.Place(c, r)
			return
		}
		placeStacked(c, r, gap, 0.5, latent, other)
	}
	loss := measured("lossStep", "loss", "loss", false, "training loss")
	kl := measured("klStep", "klVal", "KL", true, "validation KL", "val. KL")
	loss.Notes, kl.Notes, loss.None = []string{"nats a sample"}, []string{"nats"}, []string{"no training yet"}
	loss.X = &chart.Steps{Row: "lossStep", Total: "total", Linked: kl}
	kl.X = &chart.Steps{Row: "klStep", Total: "total", Linked: loss}
	return &Scene{
		Panels: []panel.Panel{density, latent, loss, kl, other},
		Parts:  map[string][]panel.Panel{"set": {density}, "target": {density}, "code": {latent}, "beside": {other}, "learned": {density}},
		Keys:   []panel.Keyed{density, latent},
		Layout: func(c *panel.Canvas, _ *wire.Frame, _ float64) {
			// The density is on the left, and the other panels are in a column on the right. On
			// a page too narrow for this, such as a phone, the density is above the other
			// panels.
			page, gap := c.Page()
			switch untrained, narrow := loss.Empty() && kl.Empty(), chart.Narrow(c); {
			case narrow && untrained:
				page = placeTop(c, density, page, 0.66*(page.H-gap), gap)
				placeCodes(c, page, 0.5*gap)
			case narrow:
				page = placeTop(c, density, page, 0.5*page.H, gap)
				codes, page := page.CutTop(0.4*page.H, gap)
				placeCodes(c, codes, 0.5*gap)
				placeBeside(c, page, gap, 0.5, loss, kl)
			case untrained:
				placeCodes(c, placeLeft(c, density, page, gap, 0.655), gap)
			default:
				page = placeLeft(c, density, page, gap, 0.655)
				gap *= 0.7
				share := float32(0.3)
				if !other.Empty() {
					share = 0.5
				}
				codes, page := page.CutTop(share*(page.H-2*gap), gap)
				placeCodes(c, codes, 0.7*gap)
				placeStacked(c, page, gap, 0.5, loss, kl)
			}
		},
	}
}
