package scene

import (
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// beside cuts r into two beside one another with a gap between them, the left one with
// a share of the width.
func beside(r plot.Rect, gap, share float32) (left, right plot.Rect) {
	left, right = r.CutLeft(share * (r.W - gap))
	_, right = right.CutLeft(gap)
	return left, right
}

// stacked cuts r into two on top of one another, the upper one with a share of the
// height.
func stacked(r plot.Rect, gap, share float32) (top, bottom plot.Rect) {
	top, bottom = r.CutTop(share * (r.H - gap))
	_, bottom = bottom.CutTop(gap)
	return top, bottom
}

// below places a pipeline at the top of the page, and returns what is left of it below
// so many gaps, and the gap.
func below(c *panel.Canvas, pipeline *panel.Pipeline, gaps float32) (page plot.Rect, gap float32) {
	page, gap = c.Page()
	top, page := page.CutTop(1.45*c.Row() + 2*c.Unit)
	pipeline.Place(c, top)
	_, page = page.CutTop(gaps * gap)
	return page, gap
}

// onPhone reports whether the parts lie below one another: beside one another there is
// room for them on anything that is as wide as the picture in a window of 1024×768.
func onPhone(c *panel.Canvas) bool { return c.H > 1.15*c.W || c.W < 660 && c.H > 0.7*c.W }
