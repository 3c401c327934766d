package panel

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/plot"
)

// Scale is the colour scale that maps share. It follows what is shown: a learned
// density that is smooth, beside a target of spikes that must not pale it, nor a
// narrow peak of it the rest.
type Scale struct {
	shared
	top, difference         plot.Eased
	target, learned, spread float64
}

// Look collects what is shown.
func (s *Scale) Look(_ *Canvas, panels []Panel) {
	s.target, s.learned, s.spread = 0, 0, 0
	for _, p := range panels {
		h, ok := p.(interface{ shades() *Heat })
		if !ok || h.shades().Scale != s || p.Rect().H <= 0 {
			continue
		}
		g := h.shades()
		if g.Learned || g.less != nil {
			s.learned = math.Max(s.learned, math.Min(top(g.grid), 2.5*typical(g.grid)))
		} else {
			s.target = math.Max(s.target, 1.4*typical(g.grid))
		}
		if g.less != nil && g.grid != nil {
			s.target = 1.4 * typical(g.less)
			s.spread = squares(len(g.grid), func(i int) float64 { return float64(g.grid[i]) - float64(g.less[i]) })
		}
	}
}

// Ease lets the ends of the scale glide.
func (s *Scale) Ease(dt, tau float64) (moving bool) {
	top := s.learned
	if top == 0 {
		top = s.target
	} else {
		top = math.Max(top, math.Min(s.target, 1.6*top))
	}
	if !(top > 0) {
		top = 1
	}
	moving = s.top.To(top, dt, tau, 2e-2*top)
	// Half as much again as the difference's typical size, but not so little that
	// rounding shows.
	if s.spread > 0 {
		top = math.Max(1.5*s.spread, 0.05*top)
	}
	return s.difference.To(top, dt, tau, 2e-2*top) || moving
}

// Heat is a density as colours.
type Heat struct {
	Scale   *Scale
	Grid    string // row: a number for each cell of the plane's grid
	Less    string // row that is taken off it; "" if none is
	Learned bool
	Ramp    func(t *brush.Theme) *plot.Ramp // nil is the usual one

	grid, less []float32
	hidden     bool
}

func (h *Heat) shades() *Heat { return h }

func (h *Heat) read(f *wire.Frame, p *Plane) {
	h.grid, h.less = p.grid(f, h.Grid), p.grid(f, h.Less)
	h.hidden = (h.Learned || h.Less != "") && !revealed(f, Density)
	if h.hidden || h.Less != "" && h.less == nil {
		h.grid, h.less = nil, nil
	}
}

// ramp returns the density's colours.
func (h *Heat) ramp(t *brush.Theme) *plot.Ramp {
	switch {
	case h.Less != "":
		return t.Signed
	case h.Ramp != nil:
		return h.Ramp(t)
	}
	return t.Density
}

// draw draws the density over its ground.
func (h *Heat) draw(c *Canvas, v *view) {
	ramp, middle := h.ramp(&c.Theme), 0.0
	if h.Less != "" {
		middle = 0.5
	}
	c.Box(v.area, 0, ramp.At(middle))
	p := v.plane
	if h.grid == nil || !p.found {
		return
	}
	c.Levels = c.Levels[:0]
	for j := p.ny - 1; j >= 0; j-- {
		for k := j * p.nx; k < (j+1)*p.nx; k++ {
			if h.Less != "" {
				c.Levels = append(c.Levels, 0.5+0.5*(h.grid[k]-h.less[k])/float32(h.Scale.difference.V))
			} else {
				c.Levels = append(c.Levels, h.grid[k]/float32(h.Scale.top.V))
			}
		}
	}
	c.Field(v.cells(), p.nx, p.ny, c.Levels, ramp)
}
