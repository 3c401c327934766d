package panel

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/plot"
)

// With a Chain, the points of a Map are the beads of a chain. Consecutive beads are joined. The
// chain is in a flow that stretches along x and compresses along y. The rate of the flow is in the
// row "rate".
type Chain struct {
	rate float64
	line []plot.Point
}

func (s *Chain) read(f *wire.Frame) { s.rate = f.Number("rate") }

// Number of streamlines in each quadrant, and number of points on each streamline.
const (
	streams      = 4
	streamPoints = 24
)

// drawFlow draws streamlines of the flow with arrows. On a streamline, xy is constant.
func (s *Chain) drawFlow(c *Canvas, m *Map) {
	if !(s.rate > 0) || m.area.H <= 0 {
		return
	}
	pen := plot.Pen{Width: c.Px(1), Color: c.Theme.Ink.Mix(c.Theme.Paper, 0.84)}
	hx, hy := math.Max(m.x.Hi, -m.x.Lo), math.Max(m.y.Hi, -m.y.Lo)
	for k := range streams {
		// Streamlines cross the diagonal at equal distances.
		share := (float64(k) + 0.5) / streams
		share *= share
		for quadrant := range 4 {
			sx, sy := float64(quadrant&1*2-1), float64(quadrant&2-1)
			s.line = s.line[:0]
			for i := range streamPoints {
				x := math.Pow(share, 1-float64(i)/(streamPoints-1)) // from the upper or lower edge of the map to a side edge
				s.line = append(s.line, m.point(float32(sx*hx*x), float32(sy*hy*share/x)))
			}
			c.Line(s.line, pen)
			s.drawArrow(c, pen)
		}
	}
}

// drawArrow draws an arrow in the middle of a streamline.
func (s *Chain) drawArrow(c *Canvas, pen plot.Pen) {
	p, q := s.line[streamPoints/2-1], s.line[streamPoints/2]
	dx, dy := float64(q.X-p.X), float64(q.Y-p.Y)
	length := math.Hypot(dx, dy)
	if !(length > 0) {
		return
	}
	a := 4 * float64(c.Unit) / length
	dx, dy = a*dx, a*dy
	for _, side := range [...]float64{-1, 1} {
		c.Segment(q.X-float32(dx+side*dy*0.6), q.Y-float32(dy-side*dx*0.6), q.X, q.Y, pen)
	}
}

// drawBonds joins consecutive beads x (N, 2), within the map.
func (s *Chain) drawBonds(c *Canvas, m *Map, x []float32, ink plot.Color) {
	s.line = s.line[:0]
	for i := range len(x) / 2 {
		s.line = append(s.line, m.within(x, i))
	}
	c.Line(s.line, plot.Pen{Width: 1.2 * c.Unit, Color: ink})
}
