package scene

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// diffusion is the picture of the lab of that name: the particles within a
// circle of radius √(4Dt), and their mean square displacement beside 4Dt.
type diffusion struct {
	pencil
	frame wire.Frame
	msd   axes
}

func init() {
	Register("diffusion", func(atlas *glyph.Atlas, _ func(kind, value string)) Picture {
		return &diffusion{pencil: newPencil(atlas)}
	})
}

// Decode implements Picture.
func (s *diffusion) Decode(b []byte) error { return s.frame.Decode(b) }

// Resize implements Picture.
func (s *diffusion) Resize(w, h, unit float32) {
	s.w, s.h, s.unit = w, h, unit
	s.size = arrange(w, h, unit).textSize
}

// Draw implements Picture.
func (s *diffusion) Draw(b *plot.Batch) {
	s.cover(b)
	f, t := &s.frame, &s.theme
	end := f.Number("end")
	if !(end > 0) {
		return
	}
	cloud, page := plot.Rect{W: s.w * s.unit, H: s.h * s.unit}.Inset(s.px(12), s.px(12), s.px(12), s.px(12)).CutTop(0.62 * s.h * s.unit)

	// The window holds twice the radius that the theory gives the last cloud.
	middle, scale := plot.Point{X: cloud.X + cloud.W/2, Y: cloud.Y + cloud.H/2}, cloud.H/2/float32(2*math.Sqrt(end))
	b.Disc(middle.X, middle.Y, scale*float32(math.Sqrt(f.Number("law"))), t.Fill)
	for x := f.Numbers("x"); len(x) >= 2; x = x[2:] {
		if p := (plot.Point{X: middle.X + scale*x[0], Y: middle.Y - scale*x[1]}); cloud.Contains(p.X, p.Y) {
			b.Disc(p.X, p.Y, 2.5*s.unit, t.Target)
		}
	}

	a := &s.msd
	s.fit(a, page, 1.3*s.row(), 0.5*s.row())
	a.x = plot.Scale{Hi: 1, A: a.area.X, B: a.area.Right()} // of the run
	a.y = plot.Scale{Hi: 1.3 * end, A: a.area.Bottom(), B: a.area.Y}
	s.text = s.text[:0]
	s.heading(b, page, "mean square displacement", "beside 4Dt, dashed")
	s.yTicks(b, a, 4)
	s.baseline(b, a, a.area.Bottom())
	pen := plot.Pen{Width: 2 * s.unit, Color: t.Learned, Dash: 6 * s.unit, Period: 12 * s.unit}
	b.Line([]plot.Point{{X: a.x.Pos(0), Y: a.y.Pos(0)}, {X: a.x.Pos(1), Y: a.y.Pos(end)}}, pen)
	s.curve(a, f.Numbers("msd"), 0, f.Number("law")/end)
	b.Line(s.points, plot.Pen{Width: 2 * s.unit, Color: t.Target})
}

// The picture neither glides nor answers.

func (s *diffusion) Advance(float64) (moving bool)         { return false }
func (s *diffusion) Pointer(Event, float32, float32, bool) {}
func (s *diffusion) Key(string, bool) bool                 { return false }
func (s *diffusion) Shape() Shape                          { return Arrow }
func (s *diffusion) Spoken() string                        { return "" }
