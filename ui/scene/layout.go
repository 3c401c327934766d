package scene

import (
	"cmp"
	"slices"

	"macroscope/ui/brush"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// The function `beside` divides r into a left part and a right part with a gap between them. The
// width of the left part is `share` times the width of both parts together.
func beside(r plot.Rect, gap, share float32) (left, right plot.Rect) {
	return r.CutLeft(share*(r.W-gap), gap)
}

// stacked divides r into an upper part and a lower part with a gap between them. The height of the
// upper part is `share` times the height of both parts together.
func stacked(r plot.Rect, gap, share float32) (top, bottom plot.Rect) {
	return r.CutTop(share*(r.H-gap), gap)
}

// placeBeside places two panels side by side, and placeStacked one above the other.
func placeBeside(c *panel.Canvas, r plot.Rect, gap, share float32, a, b panel.Panel) {
	left, right := beside(r, gap, share)
	a.Place(c, left)
	b.Place(c, right)
}

func placeStacked(c *panel.Canvas, r plot.Rect, gap, share float32, a, b panel.Panel) {
	top, bottom := stacked(r, gap, share)
	a.Place(c, top)
	b.Place(c, bottom)
}

// placeLeft places a panel in the left part of r, and returns the right part (see beside).
func placeLeft(c *panel.Canvas, p panel.Panel, r plot.Rect, gap, share float32) (rest plot.Rect) {
	left, rest := beside(r, gap, share)
	p.Place(c, left)
	return rest
}

// placeTop places a panel of height h at the top of r, and returns the rest below a gap.
func placeTop(c *panel.Canvas, p panel.Panel, r plot.Rect, h, gap float32) (rest plot.Rect) {
	top, rest := r.CutTop(h, gap)
	p.Place(c, top)
	return rest
}

// `below` places a pipeline at the top of the page, except on a phone with a low picture. It
// returns the rest of the page, below the pipeline, and the gap between two panels. Below the
// pipeline it leaves a space of `gaps` times this gap.
func below(c *panel.Canvas, pipeline *panel.Pipeline, gaps float32) (page plot.Rect, gap float32) {
	page, gap = c.Page()
	if low(c) {
		return page, gap
	}
	return placeTop(c, pipeline, page, 1.45*c.Row()+2*c.Unit, gaps*gap), gap
}

// onPhone reports whether the parts are stacked instead of side by side. They are stacked if the
// picture is high. They are also stacked if the picture is narrow, unless it is low. A narrow
// picture is narrower than the picture in a window of 1024×768.
func onPhone(c *panel.Canvas) bool { return c.H > 1.15*c.W || c.W < 660 && c.H > 0.7*c.W }

// low reports whether the picture is on a phone and too low for all panels.
func low(c *panel.Canvas) bool { return c.W < brush.Phone && c.H < 1.25*c.W }

// place places the panels by the layout. In a plain picture, and on a phone with a picture too low for the layout, only
// the highlighted panels are displayed, on the whole page. If the layout has placed only these, they stay there.
func (s *Scene) place(c *panel.Canvas, dt float64) {
	const tall = 2.2 // ratio of height to width at which all parts have room
	height, few := c.H, len(s.lit) > 0 && low(c) || c.Plain
	if few && low(c) {
		c.H = tall * c.W
	}
	s.Layout(c, &s.frame, dt)
	if !few {
		return
	}
	c.H = height
	lit := s.lights(c)
	if !slices.ContainsFunc(s.Panels, func(p panel.Panel) bool { return p.Rect().H > 0 && !slices.Contains(lit, p) }) {
		return // the layout has placed nothing else
	}
	for _, p := range s.Panels {
		if !slices.Contains(lit, p) {
			p.Place(c, plot.Rect{})
		}
	}
	if len(lit) == 0 {
		s.Layout(c, &s.frame, 0)
		return
	}
	page, gap := c.Page()
	fill(c, page, 0.5*gap, lit)
}

// fill places panels on the whole page, in the rows in which the layout has placed them.
func fill(c *panel.Canvas, page plot.Rect, gap float32, panels []panel.Panel) {
	slices.SortStableFunc(panels, func(p, q panel.Panel) int { return cmp.Compare(p.Rect().Y, q.Rect().Y) })
	for len(panels) > 0 {
		first := panels[0].Rect()
		n := 1
		for n < len(panels) && panels[n].Rect().Y < first.Y+0.5*first.H {
			n++
		}
		row, rest := panels[:n], panels[n:]
		slices.SortStableFunc(row, func(p, q panel.Panel) int { return cmp.Compare(p.Rect().X, q.Rect().X) })
		at := page
		if len(rest) > 0 { // the row keeps its share of the height
			at, page = stacked(page, gap, first.H/(first.H+rest[len(rest)-1].Rect().Bottom()-rest[0].Rect().Y))
		}
		for i, p := range row {
			r := at
			if i < n-1 {
				wide := p.Rect().W
				r, at = beside(at, gap, wide/(wide+row[n-1].Rect().Right()-row[i+1].Rect().X))
			}
			p.Place(c, fit(c, p, r))
		}
		panels = rest
	}
}

// fit returns the place in r for a panel that is drawn to scale. For other panels it returns r.
func fit(c *panel.Canvas, p panel.Panel, r plot.Rect) plot.Rect {
	m, ok := p.(*panel.Map)
	if !ok {
		return r
	}
	above, below := m.Around()
	text := (above + below) * c.Row()
	aspect := (p.Rect().H - text) / p.Rect().W
	w := min(r.W, (r.H-text)/aspect)
	return plot.Rect{X: r.X + (r.W-w)/2, Y: r.Y, W: w, H: text + aspect*w}
}
