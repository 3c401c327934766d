package scene

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// station is a place on the pipeline: data, or a map from one to the next.
type station struct {
	name  string
	sign  string // a shorter name
	stage int    // that makes it, or that it is
	does  bool   // it is a map
	x, w  float32
	y     float32
}

// The stations: two chains, of which the second begins at the last but two.
const (
	stationX = iota
	stationEncoder
	stationZ
	stationFlow
	stationP
	stationState
	stationLaw
	stationPrediction
	stations
)

// pipeline is the way from the particles to what is predicted of them.
type pipeline struct {
	stations [stations]station
	detail   int
	arrow    float32 // length, device pixels
}

// How much is said about the stations: signs alone, names, or names and a word
// about each.
const (
	detailSigns = iota
	detailNames
	detailFull
)

var blankPipeline = [stations]station{
	stationX:          {name: "X", sign: "X"},
	stationEncoder:    {name: "encoder φ̂", sign: "φ̂", stage: litEncoder, does: true},
	stationZ:          {name: "ẑ", sign: "ẑ", stage: litEncoder},
	stationFlow:       {name: "flow", sign: "flow", stage: litFlow, does: true},
	stationP:          {name: "p_θ(x | ẑ)", sign: "p_θ", stage: litFlow},
	stationState:      {name: "[z̄, ẑ]", sign: "z̄, ẑ"},
	stationLaw:        {name: "law g", sign: "law", stage: litLaw, does: true},
	stationPrediction: {name: "prediction", sign: "z̄(t)", stage: litLaw},
}

// about puts a word about a station into s.text.
func (s *pencil) about(i int, f *particlesFrame) {
	s.text = s.text[:0]
	stage := blankPipeline[i].stage
	if !f.reveals(stage) && !blankPipeline[i].does {
		s.text = append(append(s.text, "press "...), presses[stage]...)
		return
	}
	switch i {
	case stationX:
		s.text = append(appendCount(s.text, len(f.x)/2), " particles"...)
	case stationZ:
		s.text = append(appendCount(s.text, f.d), " numbers"...)
	case stationP:
		s.text = append(s.text, "density"...)
	case stationState:
		s.text = append(s.text, "of frame 0"...)
	case stationPrediction:
		s.text = append(appendCount(s.text, f.horizon), " frames"...)
	}
}

// presses are the buttons that reveal what the stages make.
var presses = [...]string{litEncoder: "Encode", litFlow: "Decode", litLaw: "Roll out"}

// reveals reports whether what a stage makes is shown.
func (p *particlesFrame) reveals(stage int) bool {
	switch stage {
	case litEncoder:
		return p.shows(showsLatent)
	case litFlow:
		return p.shows(showsDensity)
	case litLaw:
		return p.shows(showsPrediction)
	}
	return true
}

// The lengths of the arrows, by how much is said, and of what is about a name
// and between the chains, CSS pixels.
var arrowLengths = [...]float32{detailSigns: 17, detailNames: 20, detailFull: 26}

const stationPad, chainGap = 8, 18

// lay measures the stations and decides how much is said about them.
func (p *pipeline) lay(s *pencil, f *particlesFrame, room float32) {
	for p.detail = detailFull; p.detail > detailSigns; p.detail-- {
		if p.measure(s, f)+chainGap*s.unit <= room {
			return
		}
	}
	p.measure(s, f)
}

// measure sets the stations' widths and returns that of all.
func (p *pipeline) measure(s *pencil, f *particlesFrame) (width float32) {
	p.arrow = arrowLengths[p.detail] * s.unit
	for i := range p.stations {
		t := blankPipeline[i]
		if p.detail == detailSigns {
			t.name = t.sign
		}
		t.w = glyph.Width(s.atlas, t.name, s.size)
		switch {
		case t.does:
			t.w += 2 * stationPad * s.unit
		case p.detail == detailFull:
			if s.about(i, f); len(s.text) > 0 {
				t.w += 6*s.unit + glyph.Width(s.atlas, s.text, s.size)
			}
		}
		p.stations[i] = t
		width += t.w
	}
	return width + (stations-2)*p.arrow
}

// put places the stations in a panel: one chain at its left, the other at its
// right.
func (p *pipeline) put(s *pencil, panel plot.Rect) {
	x, y := panel.X+2*s.unit, round(panel.Y+panel.H/2)
	for i := range p.stations {
		t := &p.stations[i]
		if i == stationState {
			x = panel.Right() - 2*s.unit + p.arrow
			for _, u := range p.stations[i:] {
				x -= u.w + p.arrow
			}
		}
		t.x, t.y = x, y
		x += t.w + p.arrow
	}
}

// stageColor is the colour of what a stage makes.
func (t *Theme) stageColor(stage int) plot.Color {
	if stage == litEncoder {
		return t.Latent
	}
	return t.Learned
}

func (s *particlesPicture) drawPath(b *plot.Batch) {
	t, f := &s.theme, &s.f
	for i := range s.path.stations {
		p := &s.path.stations[i]
		stage := p.stage
		ahead := i + 1 // the stage that the arrow from here belongs to
		if ahead < stations && ahead != stationState {
			s.drawArrow(b, p, &s.path.stations[ahead])
		}
		lit := f.lit != litNone && (stage == f.lit || ahead < stations && ahead != stationState && s.path.stations[ahead].stage == f.lit)
		color := t.stageColor(stage)
		ink, side := t.Ink, t.Muted
		if f.lit != litNone && !lit || !f.reveals(stage) {
			ink, side = t.Ink.Mix(t.Paper, 0.5), t.Ink.Mix(t.Paper, 0.5)
		}
		if p.does {
			h := 1.35 * s.row()
			r := plot.Rect{X: round(p.x), Y: round(p.y - h/2), W: round(p.w), H: round(h)}
			edge := color
			if !f.reveals(stage) || f.lit != litNone && !lit {
				edge = t.Faint
			}
			fill := t.Paper.Mix(color, 0.10)
			switch {
			case stage == f.lit:
				fill = color
				ink = t.Paper
			case !f.reveals(stage) || f.lit != litNone:
				fill = t.Paper
			}
			line := s.px(1.5)
			b.Box(r, 7*s.unit, edge)
			b.Box(r.Inset(line, line, line, line), 7*s.unit-line, fill)
			s.label(b, p.name, r.X+r.W/2, p.y, glyph.Center, ink)
			continue
		}
		if lit && stage != litNone {
			ink = color
		}
		w := s.label(b, p.name, p.x, p.y, glyph.Left, ink)
		if s.path.detail == detailFull {
			s.about(i, f)
			s.number(b, p.x+w+6*s.unit, p.y, glyph.Left, side)
		}
	}
}

// drawArrow draws the arrow between two stations, with the light on it.
func (s *particlesPicture) drawArrow(b *plot.Batch, from, to *station) {
	t, f := &s.theme, &s.f
	c := t.Muted
	lit := f.lit != litNone && to.stage == f.lit
	switch {
	case lit:
		c = t.stageColor(to.stage)
	case f.lit != litNone || !f.reveals(to.stage):
		c = t.Faint
	}
	x0, x1 := from.x+from.w+5*s.unit, to.x-5*s.unit
	w := 1.3 * s.unit
	if lit {
		w = 2.2 * s.unit
	}
	s.points = append(s.points[:0], plot.Point{X: x0, Y: from.y}, plot.Point{X: x1, Y: from.y})
	b.Line(s.points, plot.Pen{Width: w, Color: c})
	s.points = append(s.points[:0], plot.Point{X: x1 - 4*s.unit, Y: from.y - 4*s.unit}, plot.Point{X: x1, Y: from.y}, plot.Point{X: x1 - 4*s.unit, Y: from.y + 4*s.unit})
	b.Line(s.points, plot.Pen{Width: w, Color: c})
	if !lit || s.still {
		return
	}
	// The light runs along the first arrow in the first half of its way and
	// along the second in the other.
	u := 2 * s.pulse
	if !to.does {
		u--
	}
	if u >= 0 && u <= 1 {
		x := x0 + float32(u)*(x1-x0)
		b.Disc(x, from.y, float32(3+2*math.Sin(math.Pi*u))*s.unit, c)
	}
}
