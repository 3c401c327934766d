package scene

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// mixingPicture is the picture of two species of atoms that mix: the box, the
// density of each species and the learned one, both mixing ratios with the
// ensemble that was predicted of them, and what else can be measured.
type mixingPicture struct {
	pencil
	command func(kind, value string)

	frame wire.Frame
	f     mixingFrame

	mixingLayout
	box                                  planeMap
	densities                            [4]planeMap
	ratioAxes                            [2]axes
	closureAxes, heatAxes, energyAxes    axes
	lossAxes                             axes
	benched                              int // small plots shown
	path                                 pipeline
	begun                                bool // a frame has been shown
	top                                  [2]plot.Eased
	ratioHi                              plot.Eased
	closureLo, closureHi, heatLo, heatHi plot.Eased
	energyLo, energyHi                   plot.Eased
	lossEnd, lossLo, lossHi              plot.Eased

	hand   hand
	wall   wall
	cursor mixingCursor
	edge   []plot.Point // the upper one of a band
}

func init() {
	Register("mixing", func(atlas *glyph.Atlas, command func(kind, value string)) Picture {
		return newMixing(atlas, command)
	})
}

func newMixing(atlas *glyph.Atlas, command func(kind, value string)) *mixingPicture {
	s := &mixingPicture{pencil: newPencil(atlas), command: command}
	s.path.blank = &mixingStations
	s.f.read(&wire.Frame{})
	s.f.any = false
	s.hand.asked, s.hand.seek, s.hand.grabbed = -1, -1, -1
	return s
}

// mixingStations are those of two species, one encoder and one flow for both, and
// a stochastic law.
var mixingStations = [stations]station{
	stationX:          {name: "X_A, X_B", sign: "X", word: "atoms", counts: true},
	stationEncoder:    {name: "encoder φ̂", sign: "φ̂", stage: litEncoder, does: true},
	stationZ:          {name: "ẑ_A, ẑ_B", sign: "ẑ", stage: litEncoder},
	stationFlow:       {name: "flow", sign: "flow", stage: litFlow, does: true},
	stationP:          {name: "p_θ(x | ẑ)", sign: "p_θ", stage: litFlow},
	stationState:      {name: "R_A_B, R_B_A, ẑ_A, ẑ_B", sign: "R, ẑ"},
	stationLaw:        {name: "SDE", sign: "SDE", stage: litLaw, does: true},
	stationPrediction: {name: "ensemble", sign: "R(t)", word: "frames", counts: true, stage: litLaw},
}

// Decode implements Picture.
func (s *mixingPicture) Decode(b []byte) error {
	if err := s.frame.Decode(b); err != nil {
		return err
	}
	s.f.read(&s.frame)
	s.hand.answered(s.f.now)
	s.wall.answered(s.f.boundary)
	return nil
}

// Resize implements Picture.
func (s *mixingPicture) Resize(w, h, unit float32) { s.w, s.h, s.unit = w, h, unit }

// Advance implements Picture.
func (s *mixingPicture) Advance(dt float64) (moving bool) {
	f := &s.f
	s.send()
	tau := glide
	if s.still || !s.begun {
		tau = 0
	}
	s.begun = f.any
	follow := func(e *plot.Eased, goal, tol float64) {
		if e.To(goal, dt, tau, tol) {
			moving = true
		}
	}
	span := func(low, high *plot.Eased, lo, hi float64) {
		follow(low, lo, 2e-3*(hi-lo))
		follow(high, hi, 2e-3*(hi-lo))
	}
	for i := range s.top {
		top := f.densityTop(i)
		follow(&s.top[i], top, 5e-3*top)
	}
	_, hi := f.ratioRange()
	follow(&s.ratioHi, hi, 2e-3*hi)
	lo, hi := f.closureRange()
	span(&s.closureLo, &s.closureHi, lo, hi)
	lo, hi = thinRange(f.temperature)
	span(&s.heatLo, &s.heatHi, lo, hi)
	lo, hi = thinRange(f.energy)
	span(&s.energyLo, &s.energyHi, lo, hi)
	end := stepEnd(f.lossStep, 0)
	follow(&s.lossEnd, end, 1e-3*end)
	lo, hi = lossRange(f.lossStep, f.loss)
	span(&s.lossLo, &s.lossHi, lo, hi)
	s.lay()
	if !s.still && s.path.advance(dt) {
		moving = true
	}
	return moving
}

// lay lays the page out and derives the axes from it and from the ranges.
func (s *mixingPicture) lay() {
	f := &s.f
	s.size = min(maxText, max(minText, minText+(s.w-480)/300)) * s.unit
	w := f.window
	// The atoms' centres stay within the walls; the discs reach half σ beyond.
	aspect := (w[3] - w[2] + sigma[0]) / (w[1] - w[0] + sigma[0])
	s.mixingLayout = arrangeMixing(s.w, s.h, s.unit, s.size, float32(min(max(aspect, 0.25), 1.6)))
	p := &s.path
	p.lit, p.shown = f.lit, f.shown
	p.counts[stationX], p.counts[stationPrediction] = len(f.x)/2, f.horizon
	p.lay(&s.pencil, s.mixingLayout.path.W-4*s.unit)
	p.put(&s.pencil, s.mixingLayout.path)
	s.box.span(s.mixingLayout.box, w, sigma[0]/2)
	for i := range s.densities {
		s.densities[i].span(s.maps[i], w, 0)
	}
	for i := range s.ratioAxes {
		s.placeTime(&s.ratioAxes[i], s.ratio[i], plot.Scale{Hi: s.ratioHi.V})
	}
	s.placeBench()
}

// span lays a window of the plane, wider by a margin on every side, over an area
// with the same scale both ways.
func (m *planeMap) span(area plot.Rect, w [4]float64, margin float64) {
	m.area = area
	wide, high := w[1]-w[0]+2*margin, w[3]-w[2]+2*margin
	scale := min(float64(area.W)/wide, float64(area.H)/high)
	mx, my := (w[0]+w[1])/2, (w[2]+w[3])/2
	m.x = plot.Scale{Lo: mx - float64(area.W)/2/scale, Hi: mx + float64(area.W)/2/scale, A: area.X, B: area.Right()}
	m.y = plot.Scale{Lo: my - float64(area.H)/2/scale, Hi: my + float64(area.H)/2/scale, A: area.Bottom(), B: area.Y}
}

// Draw implements Picture.
func (s *mixingPicture) Draw(b *plot.Batch) {
	s.cover(b)
	if !s.f.any {
		s.label(b, "waiting for the first atoms", s.w*s.unit/2, s.h*s.unit/2, glyph.Center, s.theme.Muted)
		return
	}
	s.path.draw(&s.pencil, b)
	s.drawBox(b)
	for i := range s.densities {
		s.drawMap(b, i)
	}
	for i := range s.ratioAxes {
		s.drawRatio(b, i)
	}
	s.drawBench(b)
	s.drawCrosshair(b)
	if r, ok := s.reading(); ok && !s.readsWall() { // whose value is on the axis
		s.pencil.box(b, &r)
	}
}

// Spoken implements Picture.
func (s *mixingPicture) Spoken() string {
	if r, ok := s.reading(); ok {
		return s.words(&r)
	}
	return ""
}

// finite reports whether v is a number that can be drawn.
func finite(v float64) bool { return v-v == 0 && math.Abs(v) <= math.MaxFloat32 }
