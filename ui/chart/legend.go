package chart

import (
	"math"
	"slices"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// legend contains the names of a Chart's curves, above the plot, with their values at the
// displayed frame.
type legend struct {
	entries   []entry
	models    [panel.Models][]byte // names of the models
	unable    [panel.Models]bool   // whether the models cannot encode the particles
	comparing bool                 // whether two models are displayed
	words     words                // how long the names are
	left      float32              // x at which the legend begins in the title's row
}

// The type words describes the length of the names in a legend.
type words int

const (
	full   words = iota
	brief        // one or two words
	signed       // only the number of the model: 1 or 2
)

// unable says that a model has no prediction because it cannot encode the particles.
var unable = []string{"no prediction for this run"}

// entry is a name in the legend, with its place.
type entry struct {
	curve *Curve
	none  []string // texts that say why there is no prediction
	x, y  float32
	room  float32
}

// read finds the curves that exist. While two models are compared, the legend names both
// models, even if they have no prediction.
func (l *legend) read(f *wire.Frame, s *Chart) {
	l.comparing, l.entries = f.Text("nameB") != nil, l.entries[:0]
	for m := panel.ModelA; m < panel.Models; m++ {
		l.models[m] = m.Append(l.models[m][:0], f)
		l.unable[m] = f.On([...]string{"", "cannot", "cannotB"}[m])
	}
	for v := range s.ordered {
		l.comparing = l.comparing || v.Model == panel.ModelB && v.v.len() > 0
	}
	for v := range s.ordered {
		l.add(s, v)
	}
}

// The method `names` reports whether the legend names a curve after its model.
func (l *legend) names(v *Curve) bool { return l.comparing && v.Model != panel.NoModel }

// add adds an entry for a curve that has a name in the legend.
func (l *legend) add(s *Chart, v *Curve) {
	there := v.v.len() > 0
	e := entry{curve: v}
	switch {
	case s.hidden, !l.comparing && len(v.Key) > 0 && v.Key[0] == "", v.Key == nil && !v.Value && v.Figure.Row == "", v.Model == panel.ModelB && !l.comparing, l.comparing && (v.Role == Band || v.Role == Members):
		return
	case there && (v.Key != nil || v.Value || v.figure == v.figure || l.comparing):
	case v.Role == Predicted && (l.comparing || s.Reason) && v.Key != nil:
		if e.none = s.why(); l.unable[max(panel.ModelA, v.Model)] {
			e.none = unable
		}
	default:
		return
	}
	if v.Role == Predicted { // of two forms of a model's prediction, the legend names the one that there is
		at := slices.IndexFunc(l.entries, func(of entry) bool {
			return of.curve.Role == Predicted && of.curve.Model == v.Model && (of.none != nil || e.none != nil)
		})
		if at >= 0 && e.none != nil {
			return
		} else if at >= 0 {
			l.entries = slices.Delete(l.entries, at, at+1)
		}
	}
	l.entries = append(l.entries, e)
}

// append appends the name and the numbers of an entry.
func (l *legend) append(dst []byte, s *Chart, e *entry) []byte {
	v, none := e.curve, e.none != nil
	switch {
	case l.names(v) && l.words == full:
		if dst = append(dst, l.models[v.Model]...); none {
			dst = append(dst, ", "...)
		}
	case l.names(v):
		name := v.Model.Word()
		if l.words == signed {
			name = name[len(name)-1:]
		}
		if dst = append(dst, name...); none {
			return append(dst, " –"...)
		}
	case none:
	case v.Role == Band && !v.Counted && s.nominal == s.nominal && l.words == full:
		dst = append(plot.AppendPercent(append(dst, "middle "...), s.nominal), " of them"...)
	case v.Role == Band && !v.Counted && s.nominal == s.nominal:
		dst = append(plot.AppendPercent(dst, s.nominal), " band"...)
	case v.Key != nil && l.words > full:
		dst = append(dst, v.Key[len(v.Key)-1]...)
	case v.Key != nil:
		dst = append(dst, v.Key[0]...)
	}
	if none {
		return append(dst, e.none[min(1, len(e.none)-1)]...)
	}
	return dst
}

// appendFigure appends the numbers of an entry.
func (e *entry) appendFigure(dst []byte, now int) []byte {
	v := e.curve
	if x := v.v.at(now); v.Value && x == x {
		dst = plot.AppendValue(append(dst, ' '), x)
	}
	if v.figure == v.figure {
		dst = plot.AppendValue(append(append(dst, ' '), v.Figure.Words...), v.figure)
	}
	return dst
}

// The gap between two entries, in CSS pixels.
const legendGap = 14

// arrange places the entries next to the title if they fit there, with short names if
// necessary. Otherwise it places them in rows below the title. It returns the number of these
// rows.
func (l *legend) arrange(c *panel.Canvas, s *Chart, r plot.Rect) (rows float32) {
	right := r.Right() - 2*c.Unit
	if l.left = right; len(l.entries) == 0 {
		return 0
	}
	room := right - r.X - s.titleWidth(c) - 24*c.Unit
	var total float32
	for l.words = full; ; l.words++ {
		total = -legendGap * c.Unit
		for i := range l.entries {
			e := &l.entries[i]
			c.Text = l.append(c.Text[:0], s, e)
			if e.room = c.Wide(); l.draws(e) {
				e.room += brush.KeyWidth * c.Unit
			}
			if e.curve.Value || e.curve.figure == e.curve.figure {
				c.Text = e.appendFigure(c.Text[:0], s.now)
				e.room += max(c.Wide(), c.Width(" 0.0000")) // constant width, so that the legend does not move when numbers change
			}
			total += e.room + legendGap*c.Unit
		}
		// The legend uses the long names of two models if the names fit in one row, or if the plot
		// is high enough for several rows.
		if total <= max(room, r.W) || l.comparing && r.H > 10*c.Row() || l.words == signed {
			break
		}
		l.entries = slices.DeleteFunc(l.entries, func(e entry) bool { return e.curve.Role == Members }) // the band's entry remains
	}
	x, y := r.X+2*c.Unit, r.Y+0.5*c.Row()
	if total <= room {
		x = right - total
		l.left = x - 12*c.Unit
	} else {
		y, rows = y+c.Row(), 1
	}
	for i := range l.entries {
		e := &l.entries[i]
		e.room = min(e.room, right-r.X-2*c.Unit)
		if x > r.X+3*c.Unit && x+e.room > right+1 {
			x, y, rows = r.X+2*c.Unit, y+c.Row(), rows+1
		}
		e.x, e.y = x, y
		x += e.room + legendGap*c.Unit
	}
	return rows
}

// draws reports whether an entry has a line before its name.
func (l *legend) draws(e *entry) bool {
	return e.none == nil && (e.curve.Key != nil || l.names(e.curve))
}

// draw draws a piece of the curve, then its name and its numbers.
func (l *legend) draw(c *panel.Canvas, s *Chart, e *entry) {
	v, x, right := e.curve, e.x, e.x+e.room
	c.Text = e.appendFigure(c.Text[:0], s.now)
	figures := c.Wide()
	if l.draws(e) {
		l.drawKey(c, s, v, x+2*c.Unit, x+20*c.Unit, e.y)
		x += brush.KeyWidth * c.Unit
	}
	ink := c.Theme.Ink
	if e.none != nil {
		ink = c.Theme.Muted
	}
	c.Text = l.append(c.Text[:0], s, e)
	c.Cut(right - x - figures)
	x += c.Write(x, e.y, glyph.Left, ink)
	c.Text = e.appendFigure(c.Text[:0], s.now)
	c.Write(x, e.y, glyph.Left, v.mark(&c.Theme))
}

// drawKey draws a short piece of a curve. While two models are compared, it also draws a piece
// of the curve's band.
func (l *legend) drawKey(c *panel.Canvas, s *Chart, v *Curve, from, to, y float32) {
	for i := range s.Curves {
		if b := &s.Curves[i]; b.Role == Band && b.v.len() > 0 && (b == v || l.comparing && v.Role == Predicted && b.Model == v.Model) {
			c.Box(plot.Rect{X: from, Y: y - 5*c.Unit, W: to - from, H: 10 * c.Unit}.Round(), 0, b.Color(&c.Theme).Fade(0.3))
			for _, d := range [...]float32{-5, 5} {
				c.Segment(from, y+d*c.Unit, to, y+d*c.Unit, b.edge(c))
			}
		}
	}
	if v.Role == Band {
		return
	}
	pen := v.pen(c)
	if v.Role == Members {
		pen = plot.Pen{Width: c.Unit, Color: v.Color(&c.Theme).Mix(c.Theme.Paper, 0.5)}
	}
	c.Segment(from, y, to, y, pen)
	if v.Model == panel.ModelB {
		c.Rung((from+to)/2, y, pen.Color)
	}
}

// The functions below write texts inside the plot.

// The method `covers` writes the share of the true values that lie in the band, and the nominal
// share.
func (s *Chart) covers(c *panel.Canvas) {
	if !s.predicts || s.coverage != s.coverage || s.area.H < 2.5*c.Row() {
		return
	}
	corners := s.corners(c)
	for _, words := range [...]string{" of the true values so far lie in the ", " of the truth so far is in the ", " lie in the ", " in "} {
		c.Text = append(plot.AppendPercent(c.Text[:0], s.coverage), words...)
		if s.nominal == s.nominal {
			c.Text = append(plot.AppendPercent(c.Text, s.nominal), ' ')
		}
		if c.Text = append(c.Text, "band"...); s.legend.comparing {
			c.Text = append(c.Text, " of model 1"...)
		}
		if s.say(c, c.Theme.Ink, corners[:]...) {
			return
		}
	}
}

// startWords writes the words s.Start next to the beginning of the predicted curve, at frame 0. It
// returns the place of the beginning. Draw marks this place.
func (s *Chart) startWords(c *panel.Canvas) plot.Point {
	p := plot.Point{Y: float32(math.NaN())}
	for i := range s.Curves {
		if v := &s.Curves[i]; v.Role == Predicted {
			p = s.at(0, v.v.at(0))
		}
	}
	if p.Finite() && !c.Plain {
		c.Text = append(c.Text[:0], s.Start...)
		x, row := p.X+12*c.Unit, c.Row()
		s.say(c, c.Theme.Learned, place{x, min(p.Y, s.area.Bottom()-0.6*row), glyph.Left}, place{x, p.Y - 0.8*row, glyph.Left}, place{x, p.Y + 0.8*row, glyph.Left},
			place{x, s.area.Y + 0.6*row, glyph.Left}, place{x, s.area.Bottom() - 0.6*row, glyph.Left})
	}
	return p
}

// drawLeft marks the time at which the prediction leaves the training range, and names the
// variable.
func (s *Chart) drawLeft(c *panel.Canvas) {
	x, ok := s.leaves(c)
	if !ok {
		return
	}
	const outside = "outside of training"
	c.Text = append(append(c.Text[:0], outside+": "...), s.clock.leftWhat...)
	if len(s.clock.leftWhat) == 0 || c.Wide() > 0.6*s.area.W {
		c.Text = s.appendSign(append(c.Text[:0], outside...))
	}
	y, w := s.area.Y+0.47*s.area.H, c.Wide()+8*c.Unit
	for _, share := range [...]float32{0.47, 0.25, 0.7, 0.12, 0.88} {
		at := s.area.Y + share*s.area.H
		if s.say(c, c.Theme.Ink, place{x + 6*c.Unit, at, glyph.Left}, place{x - 6*c.Unit, at, glyph.Right}) {
			return
		}
	}
	switch {
	case x+w < s.At.Right():
		c.Plated(x+6*c.Unit, y, glyph.Left, c.Theme.Ink)
	case x-w > s.area.X:
		c.Plated(x-6*c.Unit, y, glyph.Right, c.Theme.Ink)
	default: // the words would cover the whole plot
		c.Text = append(c.Text[:0], "outside"...)
		c.Plated(s.At.Right(), y, glyph.Right, c.Theme.Ink)
	}
}

// appendSign appends the symbol of the variable that has left the training range. Without the row
// "leftsign", this is the plotted variable.
func (s *Chart) appendSign(dst []byte) []byte {
	sign := s.clock.leftSign
	if len(sign) == 0 {
		sign = s.title
	}
	return append(append(dst, ": "...), sign...)
}
