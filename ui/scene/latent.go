package scene

import (
	"math"
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// latentTop returns the largest |ẑ| that the axis shows.
func latentTop(f *wire.DemoFrame) float64 {
	lo, hi, ok := plot.Range(f.Z)
	if top := math.Max(-lo, hi); ok && top > 0 {
		return 1.15 * top
	}
	return 1
}

func (s *Scene) placeLatent(f *wire.DemoFrame) {
	s.fit(&s.latent, s.layout.latent, 1.15*s.row(), s.row())
	a := &s.latent
	a.x = plot.Scale{Lo: 0.5, Hi: float64(max(1, len(f.Z))) + 0.5, A: a.area.X, B: a.area.Right()}
	a.y = plot.Scale{Lo: -s.zmax.V, Hi: s.zmax.V, A: a.area.Bottom(), B: a.area.Y}
}

// latentAt returns the index of the latent dimension under a pixel, or -1.
func (s *Scene) latentAt(f *wire.DemoFrame, x, y float32) int {
	r := s.latent.area
	r.H += s.row() // the numbers belong to their bars
	if !r.Contains(x, y) {
		return -1
	}
	if i := int(math.Round(s.latent.x.Value(x))) - 1; i >= 0 && i < len(f.Z) {
		return i
	}
	return -1
}

func (s *Scene) drawLatent(b *plot.Batch, f *wire.DemoFrame) {
	a, t := &s.latent, &s.theme
	s.text = s.text[:0]
	if len(f.Z) > 0 {
		s.text = strconv.AppendInt(append(s.text, "dimension "...), int64(len(f.Z)), 10)
	}
	s.heading(b, a.panel, "latent ẑ", "of these particles")
	s.yTicks(b, a, 5) // odd, since the axis is symmetric about its tick at 0
	hover := s.latentAt(f, s.pointer.x, s.pointer.y)
	if !s.pointer.inside {
		hover = -1
	}
	each := a.area.W / float32(max(1, len(f.Z)))
	width := max(1, round(min(0.62*each, 34*s.unit)))
	zero := round(a.y.Pos(0))
	// Numbers are thinned when there is no room for all.
	every := 1 + int(glyph.Width(s.atlas, "000", s.size)/each)
	for i, z := range f.Z {
		mid := a.x.Pos(float64(i + 1))
		ink := t.Muted
		if i == hover {
			b.Box(plot.Rect{X: round(mid - each/2), Y: a.area.Y, W: round(each), H: a.area.H}, 0, t.Grid)
			ink = t.Ink
		}
		if z-z == 0 {
			y := a.y.Pos(float64(z))
			b.Box(plot.Rect{X: round(mid - width/2), Y: min(y, zero), W: width, H: max(s.px(1), float32(math.Abs(float64(y-zero))))},
				min(2*s.unit, width/4), t.Latent)
		}
		if (i+1)%every == 0 || every == 1 {
			s.text = strconv.AppendInt(s.text[:0], int64(i+1), 10)
			s.number(b, mid, a.area.Bottom()+s.row()*0.55, glyph.Center, ink)
		}
	}
	s.baseline(b, a, zero)
	if len(f.Z) == 0 {
		s.label(b, "no latent yet", a.area.X+a.area.W/2, a.area.Y+a.area.H/4, glyph.Center, t.Muted)
	}
}
