package scene

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// stepEnd returns the last step of an axis: the next round number after the
// last measurement, so that the first steps of a long run are seen too, but no
// more than the schedule's end.
func stepEnd(steps []float32, total uint32) float64 {
	last := 20.0
	if n := len(steps); n > 0 {
		last = math.Max(last, float64(steps[n-1]))
	} else if total > 0 {
		return float64(total)
	}
	decade := math.Pow(10, math.Floor(math.Log10(last)))
	for _, m := range [...]float64{1, 1.5, 2, 3, 5, 7.5, 10} {
		end := m * decade
		if float64(total) >= last && end > float64(total) {
			return float64(total)
		}
		if end >= last {
			return end
		}
	}
	return last
}

// lossRange returns the range of the loss axis. The first hundredth of the
// steps may leave it: an untrained model's loss would flatten the rest.
func lossRange(steps, values []float32) (lo, hi float64) {
	if n := len(values); n > 50 {
		skip := 0
		for skip < n/2 && steps[skip] < 0.01*steps[n-1] {
			skip++
		}
		values = values[skip:]
	}
	lo, hi, ok := plot.Range(values)
	if !ok {
		return 0, 1
	}
	pad := math.Max(0.06*(hi-lo), 1e-3*math.Max(math.Abs(lo), math.Abs(hi)))
	if pad == 0 {
		pad = 1
	}
	return lo - pad, hi + pad
}

// logRange returns the decimal logarithms of the ends of a logarithmic axis for
// the values, at least a decade apart.
func logRange(values []float32) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v > 0 && v <= math.MaxFloat32 {
			lo, hi = math.Min(lo, math.Log10(float64(v))), math.Max(hi, math.Log10(float64(v)))
		}
	}
	if lo > hi {
		return -2, 0
	}
	lo, hi = lo-0.12, hi+0.12
	if short := 1 - (hi - lo); short > 0 {
		lo, hi = lo-short/2, hi+short/2
	}
	return lo, hi
}

func (s *Scene) placeHistory(a *axes, panel plot.Rect, y plot.Scale, end float64) {
	s.fit(a, panel, 1.45*s.row(), s.row())
	a.x = plot.Scale{Lo: 0, Hi: end, A: a.area.X, B: a.area.Right()}
	a.y = y
	a.y.A, a.y.B = a.area.Bottom(), a.area.Y
}

func (s *Scene) drawLoss(b *plot.Batch, f *wire.DemoFrame) {
	s.text = s.text[:0]
	if n := len(f.Loss); n > 0 {
		s.text = plot.AppendValue(s.text, float64(f.Loss[n-1]))
	}
	s.heading(b, s.loss.panel, "training loss", "nats a sample")
	s.drawHistory(b, &s.loss, f.LossStep, f.Loss, "no training yet")
}

func (s *Scene) drawKL(b *plot.Batch, f *wire.DemoFrame) {
	s.text = s.text[:0]
	if n := len(f.ValKL); n > 0 {
		s.text = plot.AppendValue(s.text, float64(f.ValKL[n-1]))
	}
	s.heading(b, s.kl.panel, "held-out KL", "nats")
	s.drawHistory(b, &s.kl, f.KLStep, f.ValKL, "not measured yet")
}

// drawHistory draws one quantity against the step.
func (s *Scene) drawHistory(b *plot.Batch, a *axes, steps, values []float32, none string) {
	t := &s.theme
	s.baseline(b, a, a.area.Bottom())
	y := a.area.Bottom() + s.row()*0.55
	s.label(b, "step", a.area.X-14*s.unit, y, glyph.Right, t.Muted)
	if len(values) == 0 {
		s.label(b, none, a.area.X+a.area.W/2, a.area.Y+a.area.H/2, glyph.Center, t.Muted)
		return
	}
	s.yTicks(b, a, 5)
	s.xTicks(b, a, max(2, int(a.area.W/(s.size*5))), a.area.Bottom(), y)
	s.points = s.points[:0]
	for i := range values {
		s.points = append(s.points, a.measurement(steps[i], values[i]))
	}
	if len(s.points) > 2*int(a.area.W) {
		s.points = plot.Thin(s.points)
	}
	// Few measurements are shown as such; many are a line.
	if len(s.points)*int(8*s.unit) < int(a.area.W) {
		for _, p := range s.points {
			if p.Finite() {
				b.Disc(p.X, p.Y, 2.6*s.unit, t.Learned)
			}
		}
	}
	b.Line(s.points, plot.Pen{Width: s.size / 9, Color: t.Learned})
	if step, ok := s.hoverStep(); ok {
		if i, _ := plot.Nearest(steps, step); i >= 0 {
			if p := a.measurement(steps[i], values[i]); p.Finite() {
				x := round(p.X)
				b.Box(plot.Rect{X: x, Y: a.area.Y, W: s.px(1), H: a.area.H}, 0, t.Faint)
				s.dot(b, x, p.Y, t.Learned)
			}
		}
	}
}

// measurement returns where a value at a step is drawn: at the edge of the area
// if it is beyond, nowhere if it is not finite or has no logarithm.
func (a *axes) measurement(step, value float32) plot.Point {
	return plot.Point{X: a.x.Pos(float64(step)), Y: max(a.area.Y, min(a.area.Bottom(), a.y.Pos(float64(value))))}
}

// hoverStep returns the training step that the pointer is over in either
// history; both mark it.
func (s *Scene) hoverStep() (step float64, ok bool) {
	p := &s.pointer
	for _, a := range [...]*axes{&s.loss, &s.kl} {
		if p.inside && a.area.Contains(p.x, p.y) {
			return a.x.Value(p.x), true
		}
	}
	return 0, false
}
