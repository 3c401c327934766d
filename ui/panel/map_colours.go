package panel

import (
	"math"

	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Scale is a colour scale shared by maps. A learned density is smooth. If there is one, it
// determines the scale, and the target can raise the scale by at most 60 %. Without this limit, a
// target with narrow peaks would make everything outside the peaks pale.
type Scale struct {
	shared
	top, difference         plot.Eased
	target, learned, spread float64
	led                     bool // whether a learned density determines the scale
}

// Look collects the values that the scale depends on.
func (s *Scale) Look(_ *Canvas, panels []Panel) {
	s.target, s.learned, s.spread = 0, 0, 0
	for _, p := range panels {
		m, ok := p.(*Map)
		if !ok || m.Scale != s || m.At.H <= 0 {
			continue
		}
		switch {
		case m.grid == nil:
		case m.Fit != nil:
			s.learned = math.Max(s.learned, math.Min(m.grid.most, 2.5*m.grid.typical))
		default:
			s.target = math.Max(s.target, 1.4*m.grid.typical)
		}
		if m.less != nil {
			s.target, s.spread = 1.4*m.less.typical, m.difference.spread
		}
	}
}

// Ease moves the ends of the scale smoothly. The scale jumps in two cases: when the first density
// appears, and whenever a learned density appears or disappears. A smooth change from a scale for
// spikes would leave the map blank for a while.
func (s *Scale) Ease(dt, tau float64) (moving bool) {
	top := s.learned
	if led := top > 0; led != s.led {
		s.led, s.top, s.difference = led, plot.Eased{V: 1}, plot.Eased{V: 1}
	}
	if top == 0 {
		top = s.target
	} else {
		top = math.Max(top, math.Min(s.target, 1.6*top))
	}
	if !(top > 0) {
		s.top, s.difference = plot.Eased{V: 1}, plot.Eased{V: 1}
		return false
	}
	moving = s.top.To(top, dt, tau, 2e-2*top)
	// The scale of a difference ends at 1.5 times the typical difference, but not above the density's scale and not below
	// 5 % of it. Otherwise narrow kernels would make all else pale, and mere rounding errors would have strong colours.
	if s.spread > 0 {
		top = math.Max(math.Min(1.5*s.spread, top), 0.05*top)
	}
	return s.difference.To(top, dt, tau, 2e-2*top) || moving
}

// differs reports whether the map shows a difference of densities.
func (m *Map) differs() bool { return m.Fit != nil && m.Target != "" }

// ramp returns the density's colours.
func (m *Map) ramp(t *brush.Theme) *plot.Ramp {
	switch {
	case m.differs():
		return t.Signed
	case m.Tile != nil:
		return t.SpeciesDensity[m.Tile.Species]
	}
	return t.Density
}

// drawDensity draws the density over its background.
func (m *Map) drawDensity(c *Canvas) {
	ramp, middle := m.ramp(&c.Theme), 0.0
	if m.differs() {
		middle = 0.5
	}
	c.Box(m.area, 0, ramp.At(middle))
	if m.grid == nil || !m.Plane.found {
		return
	}
	grid, gain := m.grid.grid(), 1/float32(m.Scale.top.V)
	if m.less != nil {
		grid, gain = &m.difference.grid, 0.5/float32(m.Scale.difference.V)
	}
	c.Field(m.window(), grid, float32(middle), gain, ramp)
}

// drawScale draws the colour scale with its numbers.
func (m *Map) drawScale(c *Canvas, y float32) {
	top := m.Scale.top.V
	two := math.Pow(10, 1-math.Floor(math.Log10(top))) // rounds the number to two digits: top*two is between 10 and 100
	c.Text = plot.AppendShort(append(c.Text[:0], "≥ "...), math.Round(top*two)/two)
	w := max(c.Wide(), c.Width("≥ 0.0000")) // so that the scales of both species usually have the same width
	wide := m.area.W - w - 6*c.Unit
	if wide < 12*c.Unit {
		return
	}
	r := plot.Rect{X: m.area.X, Y: plot.Round(y - 4*c.Unit), W: plot.Round(min(wide, 60*c.Unit)), H: plot.Round(8 * c.Unit)}
	c.Ramp(r, m.ramp(&c.Theme))
	c.Border(r)
	c.Write(r.Right()+6*c.Unit, y, glyph.Left, c.Theme.Muted)
}
