package panel

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Station is one step of a Pipeline: data, or a map from data to data.
type Station struct {
	Name  string
	Sign  string                  // shorter name
	Word  string                  // note on the station; if Count is set, a plural noun for the counted objects, such as "frames"
	Count func(f *wire.Frame) int // returns the count; nil if nothing is counted
	Stage int                     // for a map, the stage to which it belongs; for data, the stage that makes them
	Point string                  // replaces Name and Sign if the model restores points
	Does  bool                    // true: the station is a map, such as the encoder; false: the station is data
	First bool                    // whether the station begins a chain

	name    string // the longest name that fits
	count   int
	x, y, w float32
}

// Values of the row "active": the stage that has run last.
const (
	idle = iota
	Encoding
	Decoding
	Predicting
)

// stages lists a button and a bit for each stage. The button reveals the stage's result. The bit
// says that the result is revealed.
var stages = [...]struct {
	press string
	bit   int
}{Encoding: {"Encode", Latent}, Decoding: {"Decode", Density}, Predicting: {"Roll out", Prediction}}

// Pipeline shows the steps from the particles to the prediction as two chains of stations. It
// highlights the stage that has run last (row "active") and the revealed stages ("revealed"). The
// row "restores" says that the model restores points. The row "noDensity" says that the model
// decodes nothing.
type Pipeline struct {
	Base
	Stations []Station

	active   int  // the stage that has run last
	never    bool // whether the model decodes nothing
	restores bool // whether the model restores points
	revealed int  // which results are revealed, as bits
	pulse    float64
	detail   int
	arrow    float32 // length of an arrow in device pixels
}

// Amounts of detail of a station: its symbol; its name; its name and a note.
const (
	detailSigns = iota
	detailNames
	detailFull
)

// Lengths of an arrow in CSS pixels, by the amount of detail.
var arrowLengths = [...]float32{detailSigns: 17, detailNames: 20, detailFull: 26}

const stationPad, chainGap = 8, 18 // CSS pixels: margin of a station's name, gap between the chains

// pulseTime is how long the highlight takes to pass a stage, in seconds.
const pulseTime = 1.6

func (p *Pipeline) Read(f *wire.Frame) {
	p.active, p.revealed = Count(f, "active", idle), Count(f, "revealed", everything)
	p.restores = f.On("restores")
	p.never = f.On("noDensity") && !p.restores
	for i := range p.Stations {
		if s := &p.Stations[i]; s.Count != nil {
			s.count = s.Count(f)
		}
	}
}

// Ease implements Panel. The highlight moves while a stage is marked as active.
func (p *Pipeline) Ease(dt, tau float64) bool {
	if p.active == idle || tau == 0 {
		return false
	}
	_, p.pulse = math.Modf(p.pulse + dt/pulseTime)
	return true
}

// The method `left` reports whether a station is omitted. Only the decoder is ever omitted: the
// model then decodes nothing.
func (p *Pipeline) left(s *Station) bool { return p.never && s.Stage == Decoding }

// reveals reports whether the result of a stage is revealed.
func (p *Pipeline) reveals(stage int) bool { return stage == idle || p.revealed&stages[stage].bit != 0 }

// `about` sets c.Text to the note on a station.
func (p *Pipeline) about(c *Canvas, t *Station) {
	switch c.Text = c.Text[:0]; {
	case t.Does:
	case !p.reveals(t.Stage):
		c.Text = append(append(c.Text, "press "...), stages[t.Stage].press...)
	case p.restores && t.Point != "":
	case t.Count != nil:
		c.Text = append(append(plot.AppendCount(c.Text, t.count), ' '), t.Word...)
		if t.count == 1 {
			c.Text = c.Text[:len(c.Text)-1]
		}
	default:
		c.Text = append(c.Text, t.Word...)
	}
}

// Place implements Panel. Stations show as much detail as there is room for.
func (p *Pipeline) Place(c *Canvas, r plot.Rect) {
	if p.At = r; r.H <= 0 {
		return
	}
	for p.detail = detailFull; p.detail > detailSigns; p.detail-- {
		if p.measure(c)+chainGap*c.Unit <= r.W-4*c.Unit {
			break
		}
	}
	p.measure(c)
	// The first chain begins at the left; the second chain ends at the right.
	x, y := r.X+2*c.Unit, plot.Round(r.Y+r.H/2)
	for i := range p.Stations {
		s := &p.Stations[i]
		if s.First {
			x = r.Right() - 2*c.Unit + p.arrow
			for _, u := range p.Stations[i:] {
				x -= u.w + p.arrow
			}
		}
		s.x, s.y = x, y
		x += s.w + p.arrow
	}
}

// measure sets the widths of the stations. It returns the total width of stations and arrows.
func (p *Pipeline) measure(c *Canvas) (width float32) {
	p.arrow = arrowLengths[p.detail] * c.Unit
	for i := range p.Stations {
		s := &p.Stations[i]
		if p.left(s) {
			s.w = -p.arrow // cancels the length of an arrow, because no arrow leads to this station
			width += s.w
			continue
		}
		switch s.name = s.Name; {
		case p.restores && s.Point != "":
			s.name = s.Point
		case p.detail == detailSigns:
			s.name = s.Sign
		}
		s.w = c.Width(s.name)
		if s.Does {
			s.w += 2 * stationPad * c.Unit
		} else if p.about(c, s); p.detail == detailFull && len(c.Text) > 0 {
			s.w += 6*c.Unit + c.Wide()
		}
		width += s.w
	}
	return width + float32(len(p.Stations)-2)*p.arrow
}

// stageColor returns the colour of a stage's result.
func stageColor(t *brush.Theme, stage int) plot.Color {
	if stage == Encoding {
		return t.Latent
	}
	return t.Learned
}

func (p *Pipeline) Draw(c *Canvas) {
	t := &c.Theme
	for i := range p.Stations {
		s := &p.Stations[i]
		if p.left(s) {
			continue
		}
		ahead := idle // stage to which the next arrow belongs
		if i+1 < len(p.Stations) {
			if next := &p.Stations[i+1]; !next.First && !p.left(next) {
				p.drawArrow(c, s, next)
				ahead = next.Stage
			}
		}
		active := p.active != idle && (s.Stage == p.active || ahead == p.active)
		color := stageColor(t, s.Stage)
		ink, side := t.Ink, t.Muted
		pale := p.active != idle && !active || !p.reveals(s.Stage)
		if pale {
			ink, side = t.Ink.Mix(t.Paper, 0.5), t.Ink.Mix(t.Paper, 0.5)
		}
		if s.Does {
			h := 1.35 * c.Row()
			r := plot.Rect{X: s.x, Y: s.y - h/2, W: s.w, H: h}.Round()
			edge, fill := color, t.Paper.Mix(color, 0.10)
			if pale {
				edge = t.Faint
			}
			switch {
			case s.Stage == p.active:
				fill, ink = color, t.Paper
			case !p.reveals(s.Stage) || p.active != idle:
				fill = t.Paper
			}
			line := c.Px(1.5)
			c.Box(r, 7*c.Unit, edge)
			c.Box(r.Inset(line, line, line, line), 7*c.Unit-line, fill)
			c.Label(s.name, r.X+r.W/2, s.y, glyph.Center, ink)
			continue
		}
		if active && s.Stage != idle {
			ink = color
		}
		w := c.Label(s.name, s.x, s.y, glyph.Left, ink)
		if p.detail == detailFull {
			p.about(c, s)
			c.Write(s.x+w+6*c.Unit, s.y, glyph.Left, side)
		}
	}
}

// drawArrow draws the arrow between two stations, with the highlight on it.
func (p *Pipeline) drawArrow(c *Canvas, from, s *Station) {
	ink, w := c.Theme.Muted, 1.3*c.Unit
	active := p.active != idle && s.Stage == p.active
	switch {
	case active:
		ink, w = stageColor(&c.Theme, s.Stage), 2.2*c.Unit
	case p.active != idle || !p.reveals(s.Stage):
		ink = c.Theme.Faint
	}
	x0, x1, d := from.x+from.w+5*c.Unit, s.x-5*c.Unit, 4*c.Unit
	pen := plot.Pen{Width: w, Color: ink}
	c.Segment(x0, from.y, x1, from.y, pen)
	c.Points = append(c.Points[:0], plot.Point{X: x1 - d, Y: from.y - d}, plot.Point{X: x1, Y: from.y}, plot.Point{X: x1 - d, Y: from.y + d})
	c.Line(c.Points, pen)
	if !active || c.Still {
		return
	}
	// In the first half of its time the highlight moves along the arrow to the map. In the second
	// half it moves along the arrow from the map to the result.
	u := 2 * p.pulse
	if !s.Does {
		u--
	}
	if u >= 0 && u <= 1 {
		c.Disc(x0+float32(u)*(x1-x0), from.y, float32(3+2*math.Sin(math.Pi*u))*c.Unit, ink)
	}
}
