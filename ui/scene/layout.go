package scene

import (
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// halves cuts r into two beside one another with a gap between them.
func halves(r plot.Rect, gap float32) (left, right plot.Rect) {
	left, right = r.CutLeft((r.W - gap) / 2)
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

// onPhone reports whether the parts lie below one another: beside one another there is
// room for them on anything that is as wide as the picture in a window of 1024×768.
func onPhone(c *panel.Canvas) bool { return c.H > 1.15*c.W || c.W < 660 && c.H > 0.7*c.W }
