package scene

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// station is a place on the pipeline: data, or a map from one to the next.
type station struct {
	name   string
	sign   string // a shorter name
	word   string // about it, or of what is counted there
	counts bool
	stage  int  // that makes it, or that it is
	does   bool // it is a map
	x, w   float32
	y      float32
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
	blank    *[stations]station
	counts   [stations]int // of what there is at the stations that count
	lit      int           // the stage that is at work
	shown    int           // bits of what has been revealed
	pulse    float64       // how far the light has gone along a stage, in [0, 1)
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

// particlesStations are those of one kind of particles and a law.
var particlesStations = [stations]station{
	stationX:          {name: "X", sign: "X", word: "particles", counts: true},
	stationEncoder:    {name: "encoder φ̂", sign: "φ̂", stage: litEncoder, does: true},
	stationZ:          {name: "ẑ", sign: "ẑ", word: "numbers", counts: true, stage: litEncoder},
	stationFlow:       {name: "flow", sign: "flow", stage: litFlow, does: true},
	stationP:          {name: "p_θ(x | ẑ)", sign: "p_θ", word: "density", stage: litFlow},
	stationState:      {name: "[z̄, ẑ]", sign: "z̄, ẑ", word: "of frame 0"},
	stationLaw:        {name: "law g", sign: "law", stage: litLaw, does: true},
	stationPrediction: {name: "prediction", sign: "z̄(t)", word: "frames", counts: true, stage: litLaw},
}

// about puts a word about a station into s.text.
func (p *pipeline) about(s *pencil, i int) {
	s.text = s.text[:0]
	t := &p.blank[i]
	switch {
	case t.does:
	case !p.reveals(t.stage):
		s.text = append(append(s.text, "press "...), presses[t.stage]...)
	case t.counts:
		s.text = append(append(appendCount(s.text, p.counts[i]), ' '), t.word...)
	default:
		s.text = append(s.text, t.word...)
	}
}

// presses are the buttons that reveal what the stages make.
var presses = [...]string{litEncoder: "Encode", litFlow: "Decode", litLaw: "Roll out"}

// reveals reports whether what a stage makes is shown.
func (p *pipeline) reveals(stage int) bool {
	switch stage {
	case litEncoder:
		return p.shown&showsLatent != 0
	case litFlow:
		return p.shown&showsDensity != 0
	case litLaw:
		return p.shown&showsPrediction != 0
	}
	return true
}

// The lengths of the arrows, by how much is said, and of what is about a name
// and between the chains, CSS pixels.
var arrowLengths = [...]float32{detailSigns: 17, detailNames: 20, detailFull: 26}

const stationPad, chainGap = 8, 18

// pulseTime is how many seconds the light takes along a stage.
const pulseTime = 1.6

// advance moves the light on by dt seconds and reports whether there is one.
func (p *pipeline) advance(dt float64) bool {
	if p.lit == litNone {
		return false
	}
	p.pulse += dt / pulseTime
	p.pulse -= math.Floor(p.pulse)
	return true
}

// lay measures the stations and decides how much is said about them.
func (p *pipeline) lay(s *pencil, room float32) {
	for p.detail = detailFull; p.detail > detailSigns; p.detail-- {
		if p.measure(s)+chainGap*s.unit <= room {
			return
		}
	}
	p.measure(s)
}

// measure sets the stations' widths and returns that of all.
func (p *pipeline) measure(s *pencil) (width float32) {
	p.arrow = arrowLengths[p.detail] * s.unit
	for i := range p.stations {
		t := p.blank[i]
		if p.detail == detailSigns {
			t.name = t.sign
		}
		t.w = glyph.Width(s.atlas, t.name, s.size)
		switch {
		case t.does:
			t.w += 2 * stationPad * s.unit
		case p.detail == detailFull:
			if p.about(s, i); len(s.text) > 0 {
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

// draw draws the pipeline with s.
func (p *pipeline) draw(s *pencil, b *plot.Batch) {
	t := &s.theme
	for i := range p.stations {
		at := &p.stations[i]
		stage := at.stage
		ahead := i + 1 // the stage that the arrow from here belongs to
		if ahead < stations && ahead != stationState {
			p.drawArrow(s, b, at, &p.stations[ahead])
		}
		lit := p.lit != litNone && (stage == p.lit || ahead < stations && ahead != stationState && p.stations[ahead].stage == p.lit)
		color := t.stageColor(stage)
		ink, side := t.Ink, t.Muted
		if p.lit != litNone && !lit || !p.reveals(stage) {
			ink, side = t.Ink.Mix(t.Paper, 0.5), t.Ink.Mix(t.Paper, 0.5)
		}
		if at.does {
			h := 1.35 * s.row()
			r := plot.Rect{X: round(at.x), Y: round(at.y - h/2), W: round(at.w), H: round(h)}
			edge := color
			if !p.reveals(stage) || p.lit != litNone && !lit {
				edge = t.Faint
			}
			fill := t.Paper.Mix(color, 0.10)
			switch {
			case stage == p.lit:
				fill = color
				ink = t.Paper
			case !p.reveals(stage) || p.lit != litNone:
				fill = t.Paper
			}
			line := s.px(1.5)
			b.Box(r, 7*s.unit, edge)
			b.Box(r.Inset(line, line, line, line), 7*s.unit-line, fill)
			s.label(b, at.name, r.X+r.W/2, at.y, glyph.Center, ink)
			continue
		}
		if lit && stage != litNone {
			ink = color
		}
		w := s.label(b, at.name, at.x, at.y, glyph.Left, ink)
		if p.detail == detailFull {
			p.about(s, i)
			s.number(b, at.x+w+6*s.unit, at.y, glyph.Left, side)
		}
	}
}

// drawArrow draws the arrow between two stations, with the light on it.
func (p *pipeline) drawArrow(s *pencil, b *plot.Batch, from, to *station) {
	t := &s.theme
	c := t.Muted
	lit := p.lit != litNone && to.stage == p.lit
	switch {
	case lit:
		c = t.stageColor(to.stage)
	case p.lit != litNone || !p.reveals(to.stage):
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
	u := 2 * p.pulse
	if !to.does {
		u--
	}
	if u >= 0 && u <= 1 {
		x := x0 + float32(u)*(x1-x0)
		b.Disc(x, from.y, float32(3+2*math.Sin(math.Pi*u))*s.unit, c)
	}
}
