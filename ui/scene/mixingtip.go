package scene

// The names of densities and atoms of either species in a tip.
var (
	targetNames  = [2]string{"q_A", "q_B"}
	learnedNames = [2]string{"p_θ of A", "p_θ of B"}
	atomNames    = [2]string{"atom of A", "atom of B"}
)

// reading returns the values under the pointer or the keyboard's crosshair, and
// false when there are none.
func (s *mixingPicture) reading() (r tip, ok bool) {
	h, f, t := &s.hand, &s.f, &s.theme
	if !f.any {
		return r, false
	}
	switch s.cursor.on {
	case cursorAB:
		return s.readTime(&s.ratioAxes[0], f.now), true
	case cursorBA:
		return s.readTime(&s.ratioAxes[1], f.now), true
	case cursorClosure:
		return s.readTime(&s.closureAxes, f.now), true
	case cursorHeat:
		return s.readTime(&s.heatAxes, f.now), true
	}
	if s.readsWall() {
		x, _ := s.boundary()
		r.value("boundary", x, t.Ink)
		return r, true
	}
	if x, y, on := s.crosshair(); on {
		return s.readBox(x, y), true
	}
	if !h.inside {
		return r, false
	}
	if a := s.timeAt(h.x, h.y); a != nil {
		return s.readTime(a, s.frameAt(a, h.x)), true
	}
	if i := s.hoverMeasurement(); i >= 0 {
		r.x, r.y = h.x, h.y
		r.add(tipRow{name: "step", value: float64(f.lossStep[i]), whole: true, color: t.Muted})
		r.add(tipRow{name: "loss", value: float64(f.loss[i]), color: t.Learned})
		return r, true
	}
	return r, false
}

// readBox reads the densities at a place of the box, and the atom there.
func (s *mixingPicture) readBox(x, y float64) (r tip) {
	f, t := &s.f, &s.theme
	p := s.box.point(float32(x), float32(y))
	r.x, r.y = p.X, p.Y
	for i := range s.densities {
		if m := &s.densities[i]; s.hand.inside && m.area.Contains(s.hand.x, s.hand.y) {
			r.x, r.y = s.hand.x, s.hand.y
		}
	}
	r.value("x", x, t.Muted)
	r.value("y", y, t.Muted)
	for i := range 2 {
		r.value(targetNames[i], f.cell(f.q[i], x, y), t.Target)
		if f.shows(showsDensity) {
			r.value(learnedNames[i], f.cell(f.p[i], x, y), t.Learned)
		}
	}
	if i := s.atomAt(x, y); i >= 0 {
		r.add(tipRow{name: atomNames[f.species(i)], value: float64(i + 1), whole: true, color: s.atomColor(i)})
	}
	return r
}

// readTime reads a plot against time at a frame.
func (s *mixingPicture) readTime(a *axes, frame int) (r tip) {
	f, t := &s.f, &s.theme
	r.x, r.y = a.x.Pos(f.time(frame)), s.hand.y
	if s.cursor.on != cursorOff {
		r.y = a.area.Y + 0.4*a.area.H
	}
	r.value("time", f.time(frame), t.Muted)
	switch a {
	case &s.closureAxes:
		if !f.shows(showsLatent) || frame%f.zstride != 0 {
			return r
		}
		row := tableRow(f.zpast, frame/f.zstride, f.d)
		if frame == f.now {
			row = f.z
		}
		r.value("ẑ_A", at(row, 0), s.closureColor(0))
		r.value("ẑ_B", at(row, f.d/2), s.closureColor(1))
	case &s.heatAxes, &s.energyAxes:
		r.value("temperature", at(f.temperature, frame), t.Muted)
		r.value("energy per atom", at(f.energy, frame), t.Muted)
	default:
		i := 0
		if a == &s.ratioAxes[1] {
			i = 1
		}
		k := 2*frame + i
		r.value("true", at(f.ratios, k), t.Target)
		if f.shows(showsPrediction) {
			r.value("predicted", at(f.mean, k), t.Learned)
			r.value("band from", at(f.low, k), t.Learned)
			r.value("band to", at(f.high, k), t.Learned)
			r.value("run B", at(f.meanB, k), t.Other)
		}
	}
	return r
}
