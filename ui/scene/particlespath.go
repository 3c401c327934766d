package scene

import (
	"math"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// station is a place on the pipeline: data, or a map from one to the next.
type station struct {
	name  string
	stage int  // that makes it, or that it is
	does  bool // it is a map
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
	full     bool // with a word about every station
	lines    int
}

var blankPipeline = [stations]station{
	stationX:          {name: "X"},
	stationEncoder:    {name: "encoder φ̂", stage: litEncoder, does: true},
	stationZ:          {name: "ẑ", stage: litEncoder},
	stationFlow:       {name: "flow", stage: litFlow, does: true},
	stationP:          {name: "p_θ(x | ẑ)", stage: litFlow},
	stationState:      {name: "[z̄, ẑ]"},
	stationLaw:        {name: "law g", stage: litLaw, does: true},
	stationPrediction: {name: "prediction", stage: litLaw},
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

const arrowLength, stationPad, chainGap = 24, 8, 34 // CSS pixels

// lay measures the stations and decides how much is said in how many lines.
func (p *pipeline) lay(s *pencil, f *particlesFrame) {
	room := s.w*s.unit - 32*s.unit
	if s.w < phone {
		room = s.w*s.unit - 20*s.unit
	}
	for _, p.full = range [...]bool{true, false} {
		first, second := p.measure(s, f)
		if p.lines = 1; first+second+chainGap*s.unit <= room {
			return
		}
		// Two full lines are for pages with height to spare.
		if p.lines = 2; max(first, second) <= room && s.h > 700 {
			return
		}
	}
	if first, second := p.measure(s, f); first+second+chainGap*s.unit > room {
		p.lines = 2
	}
}

// measure sets the stations' widths and returns those of the two chains.
func (p *pipeline) measure(s *pencil, f *particlesFrame) (first, second float32) {
	for i := range p.stations {
		t := blankPipeline[i]
		t.w = glyph.Width(s.atlas, t.name, s.size)
		switch {
		case t.does:
			t.w += 2 * stationPad * s.unit
		case p.full:
			if s.about(i, f); len(s.text) > 0 {
				t.w += 6*s.unit + glyph.Width(s.atlas, s.text, s.size)
			}
		}
		p.stations[i] = t
		if i < stationState {
			first += t.w
		} else {
			second += t.w
		}
	}
	return first + 4*arrowLength*s.unit, second + 2*arrowLength*s.unit
}

// put places the stations in a panel.
func (p *pipeline) put(s *pencil, panel plot.Rect) {
	line := panel.H / float32(p.lines)
	x, y := panel.X+2*s.unit, panel.Y+line/2
	for i := range p.stations {
		t := &p.stations[i]
		if i == stationState {
			if x = panel.X + 2*s.unit; p.lines == 1 {
				x = panel.Right() - 2*s.unit
				for _, u := range p.stations[i:] {
					x -= u.w + arrowLength*s.unit
				}
				x += arrowLength * s.unit
			} else {
				y += line
			}
		}
		t.x, t.y = x, round(y)
		x += t.w + arrowLength*s.unit
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
		if s.path.full {
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
