package scene

import (
	"math"

	"macroscope/ui/plot"
)

// orderNames names the predictions of several orders.
var orderNames = [...]string{"order 1", "order 2", "order 3", "order 4"}

// value adds a row unless there is nothing to say.
func (t *tip) value(name string, v float64, c plot.Color) {
	if v == v && t.n < len(t.rows) {
		t.add(tipRow{name: name, value: v, color: c})
	}
}

// reading returns the values under the pointer or the keyboard's crosshair, and
// false when there are none.
func (s *particlesPicture) reading() (r tip, ok bool) {
	h, f, t := &s.hand, &s.f, &s.theme
	if !f.any || h.press == pressMap && f.tool != toolLook {
		return r, false
	}
	if i, x, y, on := s.place2D(); on {
		return s.readPlane(i, x, y), true
	}
	switch s.cursor.on {
	case cursorEnergy:
		return s.readTime(&s.energyAxes, f.now), true
	case cursorError:
		return s.readTime(&s.faultAxes, f.now), true
	case cursorLatent:
		if f.d == 0 {
			return r, false
		}
		i := s.hoverDimension()
		r.x, r.y = s.barAxes.x.Pos(float64(i+1)), s.barAxes.area.Y+0.5*s.barAxes.area.H
		s.readDimension(&r, i, f.z, f.zhat)
		return r, true
	}
	if !h.inside {
		return r, false
	}
	if i := s.stripAt(h.x, h.y); i >= 0 {
		frame := s.frameAt(&s.strip.axes, h.x)
		r.x, r.y = h.x, h.y
		r.value("time", f.time(frame), t.Muted)
		k := frame / f.zstride
		s.readDimension(&r, i, tableRow(f.zpast, k, f.d), tableRow(f.zfuture, frame, f.d))
		return r, true
	}
	if a := s.timeAt(h.x, h.y); a != nil {
		return s.readTime(a, s.frameAt(a, h.x)), true
	}
	if i := s.barAt(h.x, h.y); i >= 0 {
		r.x, r.y = h.x, h.y
		s.readDimension(&r, i, f.z, f.zhat)
		return r, true
	}
	for _, c := range [...]struct {
		a             *axes
		name          string
		steps, values []float32
	}{{&s.lossAxes, "loss", f.lossStep, f.loss}, {&s.mreAxes, "validation MRE", f.mreStep, f.mreVal}} {
		if i := s.hoverMeasurement(c.a, c.steps); i >= 0 {
			r.x, r.y = h.x, h.y
			r.add(tipRow{name: "step", value: float64(c.steps[i]), whole: true, color: t.Muted})
			r.add(tipRow{name: c.name, value: float64(c.values[i]), color: t.Learned})
			return r, true
		}
	}
	return r, false
}

// tableRow returns row k of a table (K, d), nil if there is none.
func tableRow(table []float32, k, d int) []float32 {
	if k < 0 || (k+1)*d > len(table) {
		return nil
	}
	return table[k*d : (k+1)*d]
}

func (s *particlesPicture) readDimension(r *tip, i int, encoded, predicted []float32) {
	f, t := &s.f, &s.theme
	r.add(tipRow{name: "dimension", value: float64(i + 1), whole: true, color: t.Muted})
	if f.shows(showsLatent) {
		r.value("encoded ẑ", at(encoded, i), t.Latent)
	}
	if f.shows(showsPrediction) {
		r.value("predicted ẑ", at(predicted, i), t.Learned)
	}
}

func (s *particlesPicture) readPlane(i int, x, y float64) (r tip) {
	f, t, m := &s.f, &s.theme, &s.maps[i]
	p := m.point(float32(x), float32(y))
	r.x, r.y = p.X, p.Y
	r.value("x", x, t.Muted)
	r.value("y", y, t.Muted)
	if f.q != nil && !f.comparing {
		r.value("q_X", f.cell(f.q, x, y), t.Target)
	}
	if f.shows(showsDensity) {
		r.value("p_θ", f.cell(f.p, x, y), t.Learned)
		r.value("run B", f.cell(f.pB, x, y), t.Other)
	}
	if n, near := s.within(x, y); near {
		r.add(tipRow{name: "particle", value: float64(n + 1), whole: true, color: s.particleColor(n)})
	}
	return r
}

// particleColor is what a particle is drawn in.
func (s *particlesPicture) particleColor(i int) plot.Color {
	if s.f.label == nil {
		return s.theme.Ink
	}
	return s.theme.Labels.At(float64(s.f.label[i]))
}

// readTime reads a plot against time at a frame.
func (s *particlesPicture) readTime(a *axes, frame int) (r tip) {
	f, t := &s.f, &s.theme
	r.x, r.y = a.x.Pos(f.time(frame)), s.hand.y
	if s.cursor.on != cursorOff {
		r.y = a.area.Y + 0.4*a.area.H
	}
	r.value("time", f.time(frame), t.Muted)
	switch a {
	case &s.energyAxes:
		r.value("true", at(f.energy, frame), t.Target)
		if f.shows(showsPrediction) {
			r.value("predicted", at(f.pred, frame), t.Learned)
			r.value("run B", at(f.predB, frame), t.Other)
			if f.left >= 0 && frame >= f.left {
				r.value("outside since", f.time(f.left), t.Ink)
			}
		}
	case &s.faultAxes:
		if f.shows(showsPrediction) {
			r.value("error", at(f.err, frame), t.Learned)
			r.value("run B", at(f.errB, frame), t.Other)
		}
	default:
		turns, n := f.orders, f.turn
		if a == &s.orderedAxes {
			turns, n = f.ordered, f.turnOrdered
		}
		rows := len(turns) / max(1, n)
		for k := range min(rows, len(orderNames)) {
			v := math.NaN()
			if frame < n {
				v = float64(turns[k*n+frame])
			}
			r.value(orderNames[k], v, t.orderColor(k, rows))
		}
	}
	return r
}
