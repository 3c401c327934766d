package scene

import "macroscope/ui/plot"

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
