package scene

import (
	"macroscope/model/wire"
	"macroscope/ui/panel"
)

// line is the picture of the 1-D demo: particles on a line with their densities, the
// latent, and the history of training.
func line() *Scene {
	density := &panel.Density1D{
		Points: "x", Window: "window", Target: "q", Learned: "p", Mixture: "mixture", Compared: "pB", Restored: "restored",
		Eps: "eps", Sigma: "sigma", FitEps: "fitEps", Refit: "refitting", KL: "kl", KLB: "klB",
		Legend: [4]string{"target q_X", "learned p_θ(x | ẑ)", "generating mixture", "model 2"},
		None:   "waiting for the first particles",
	}
	latent := &panel.Bars{Titles: []string{"closure variables ẑ", "ẑ"}, Note: "of these particles", Z: "z", Name: "ẑ", None: "no ẑ yet", Above: 1.15}
	loss := &panel.Steps{
		Titles: []string{"training loss"}, Unit: "nats a sample", Steps: "lossStep", Value: "loss", Total: "total", Name: "loss", None: "no training yet",
	}
	kl := &panel.Steps{
		Titles: []string{"validation KL", "val. KL"}, Unit: "nats", Steps: "klStep", Value: "klVal", Total: "total", Name: "KL", None: "not measured yet", Log: true, Linked: loss,
	}
	loss.Linked = kl
	return &Scene{
		Panels: []panel.Panel{density, latent, loss, kl},
		Parts:  map[string][]panel.Panel{"set": {density}, "target": {density}, "code": {latent}, "learned": {density}},
		Keys:   []panel.Keyed{density},
		Layout: func(c *panel.Canvas, _ *wire.Frame, _ float64) {
			// The density beside a column of the others where there is room, on top of
			// them on a phone.
			page, gap := c.Page()
			untrained := loss.Empty() && kl.Empty()
			if density.Narrow(c) {
				if untrained {
					top, bottom := stacked(page, gap, 0.66)
					density.Place(c, top)
					latent.Place(c, bottom)
					return
				}
				top, page := page.CutTop(0.5 * page.H)
				density.Place(c, top)
				_, page = page.CutTop(gap)
				top, page = page.CutTop(0.4 * page.H)
				latent.Place(c, top)
				_, page = page.CutTop(gap)
				left, right := beside(page, gap, 0.5)
				loss.Place(c, left)
				kl.Place(c, right)
				return
			}
			left, page := page.CutLeft(0.655 * (page.W - gap))
			density.Place(c, left)
			_, page = page.CutLeft(gap)
			gap *= 0.7
			if untrained {
				latent.Place(c, page)
				return
			}
			top, page := page.CutTop(0.3 * (page.H - 2*gap))
			latent.Place(c, top)
			_, page = page.CutTop(gap)
			top, page = page.CutTop((page.H - gap) / 2)
			loss.Place(c, top)
			_, page = page.CutTop(gap)
			kl.Place(c, page)
		},
	}
}
