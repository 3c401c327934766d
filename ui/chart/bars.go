package chart

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Bars shows the components of ẑ as bars, and is the axis that counts them. Outlines show
// predictions of these components, and rings show the predictions of a second model. The fields Z,
// Predicted and Compared name the rows with these values. If Drags is set, the user can drag a bar to
// another height. Bars then sends the command "holdz" with the number and the new value of the
// component. As long as the changed ẑ is held, the row "zown" contains the encoded ẑ.
type Bars struct {
	Note      string
	Z         string      // row of the filled bars
	Name      string      // name of row Z in a tip
	Predicted string      // row of the outlined bars; "" if there are none
	PredName  string      // name of row Predicted in a tip
	Words     [2]string   // names of bars and outlines
	Outlined  panel.Color // colour of the outlines
	Compared  string      // row of a second model, drawn as rings
	Drags     bool        // whether the user can drag bars while a density or points are decoded from ẑ

	z, zhat, zhatB   []float32
	own              []float32
	decodes, encoded bool // decodes: whether a density or points are decoded from ẑ; encoded: whether ẑ is revealed
	dimension        int  // index of the component that the user has selected with the keys
}

// mostDimensions is the largest number of components that are drawn.
const mostDimensions = 512

func (p *Bars) read(s *Chart, f *wire.Frame) {
	p.encoded = panel.Revealed(f, panel.Latent)
	p.z, p.zhat, p.zhatB = f.Numbers(p.Z), nil, nil
	if panel.Revealed(f, panel.Prediction) {
		p.zhat, p.zhatB = f.Numbers(p.Predicted), f.Numbers(p.Compared)
	}
	p.own, p.decodes = nil, p.encoded && panel.Revealed(f, panel.Density) && (!f.On("noDensity") || f.On("restores"))
	if p.Drags {
		p.own = f.Numbers("zown")
	}
	if p.count() > mostDimensions {
		p.z, p.zhat, p.zhatB = nil, nil, nil
	}
	s.ranged, s.Notes = append(s.ranged, p.z, p.zhat, p.zhatB), append(s.Notes[:0], p.note())
}

func (p *Bars) count() int { return max(len(p.z), len(p.zhat)) }
func (p *Bars) any() bool  { return p.count() > 0 }

// note returns the words after the title.
func (p *Bars) note() string {
	switch {
	case len(p.zhat) > 0:
		return p.Words[0]
	case len(p.zhatB) > 0:
		return ""
	case len(p.own) > 0:
		return "moved by you"
	case p.drags():
		return "drag a bar"
	}
	return p.Note
}

func (p *Bars) extent() (now, known, end int) {
	return min(p.dimension, p.count()-1), p.count() - 1, p.count() - 1
}
func (p *Bars) at(i int) float64                            { return float64(i + 1) }
func (p *Bars) name() (title, word string, letters float32) { return "", "dimension", 0 }

func (p *Bars) span(s *Chart, _, _ float64) (moving bool) {
	s.x.Lo, s.x.Hi = 0.5, float64(max(1, p.count()))+0.5
	return false
}

func (p *Bars) index(x float64) int {
	if i := int(math.Round(x)) - 1; i >= 0 && i < p.count() {
		return i
	}
	return -1
}

func (p *Bars) reach(c *panel.Canvas, s *Chart) plot.Rect { return s.area.Inset(0, 0, 0, -c.Row()) }

func (p *Bars) reads(c *panel.Canvas, s *Chart) int {
	switch {
	case c.Focus == panel.Keyed(s):
		return min(p.dimension, p.count()-1)
	case c.Over(p.reach(c, s)):
		return p.index(s.x.Value(c.Pointer.X))
	}
	return -1
}

func (p *Bars) draw(c *panel.Canvas, s *Chart) {
	each := s.area.W / float32(p.count())
	width := max(1, plot.Round(min(0.62*each, 34*c.Unit)))
	every := 1 + int(c.Width("000")/each) // draws only as many numbers as fit
	for i := range p.count() {
		mid, ink := s.x.Pos(p.at(i)), c.Theme.Muted
		if i == s.hover {
			c.Box(plot.Rect{X: plot.Round(mid - each/2), Y: s.area.Y, W: plot.Round(each), H: s.area.H}, 0, c.Theme.Grid)
			ink = c.Theme.Ink
		}
		if r, _, ok := s.bar(c, mid, width, at(p.z, i)); ok {
			c.Box(r, min(2*c.Unit, width/4), c.Theme.Latent)
		}
		if r, y, ok := s.bar(c, mid, width+c.Px(6), at(p.own, i)); ok {
			c.Box(plot.Rect{X: r.X, Y: y - c.Px(1), W: r.W, H: c.Px(2)}, 0, c.Theme.Ink)
		}
		if r, _, ok := s.bar(c, mid, width+c.Px(4), at(p.zhat, i)); ok {
			c.Outline(r, c.Px(1.5), p.Outlined(&c.Theme))
		}
		if q := s.axes.at(p.at(i), at(p.zhatB, i)); q.Finite() && !c.Plain {
			c.Rung(q.X, q.Y, c.Theme.Other)
		}
		if (i+1)%every == 0 {
			c.Text = plot.AppendCount(c.Text[:0], i+1)
			c.Write(mid, s.area.Bottom()+c.Row()*0.55, glyph.Center, ink)
		}
	}
	s.baseline(c, s.y.Pos(0))
}

// bar returns the bar for a value, and the y of the value, clipped to the axis. If there is no bar,
// it returns false.
func (s *Chart) bar(c *panel.Canvas, mid, width float32, v float64) (r plot.Rect, y float32, ok bool) {
	zero, y := plot.Round(s.y.Pos(0)), plot.Round(max(s.area.Y, min(s.area.Bottom(), s.y.Pos(v))))
	return plot.Rect{X: plot.Round(mid - width/2), Y: min(y, zero), W: width, H: max(c.Px(1), plot.Abs(y-zero))}, y, v-v == 0
}

// key names the outlines and the rings. Without both, it writes the number of components.
func (p *Bars) key(c *panel.Canvas, least, right, y float32) float32 {
	word := p.Words[1]
	switch n := p.count(); {
	case c.Plain:
		return right
	case len(p.zhat)+len(p.zhatB) == 0:
		if c.Text = plot.AppendCount(append(c.Text[:0], "dimension "...), n); n > 0 && p.Predicted == "" && c.Wide() <= right-least {
			return right - c.Write(right, y, glyph.Right, c.Theme.Ink)
		}
		return right
	case len(p.zhatB) > 0: // both models have predictions
		right -= c.Label("2", right, y, glyph.Right, c.Theme.Muted) + 9*c.Unit
		c.Rung(right, y, c.Theme.Other)
		if right -= 14 * c.Unit; len(p.zhat) == 0 {
			return right
		}
		word = "1"
	}
	w := c.Width(word)
	if right-w-16*c.Unit <= least {
		return right
	}
	c.Label(word, right, y, glyph.Right, c.Theme.Muted)
	c.Outline(plot.Rect{X: right - w - 15*c.Unit, Y: y - 5*c.Unit, W: 10 * c.Unit, H: 10 * c.Unit}, c.Px(1.5), p.Outlined(&c.Theme))
	return right - w - 15*c.Unit
}

func (p *Bars) tell(c *panel.Canvas, _ *Chart, t *brush.Tip, i int, _, _ float32) {
	switch {
	case p.encoded && len(p.own) > 0:
		t.Value("moved to", at(p.z, i), c.Theme.Latent)
		t.Value(p.Name, at(p.own, i), c.Theme.Ink)
	case p.encoded:
		t.Value(p.Name, at(p.z, i), c.Theme.Latent)
	}
	if p.Predicted != "" {
		t.Value(p.PredName, at(p.zhat, i), p.Outlined(&c.Theme))
	}
	t.Value("predicted by model 2", at(p.zhatB, i), c.Theme.Other)
}

// typed handles a key. Left and Right choose the component. Up and Down with Shift move its bar by a
// fiftieth of the axis.
func (p *Bars) typed(c *panel.Canvas, s *Chart, key string, shift bool) bool {
	dx, dy := panel.Step(key, shift)
	p.dimension = min(max(p.dimension+int(dx), 0), max(0, p.count()-1))
	if dy == 0 || !shift || !p.drags() {
		return dx != 0
	}
	c.Send("holdz", p.at(p.dimension), at(p.z, p.dimension)+math.Copysign((s.y.Hi-s.y.Lo)/50, dy))
	return true
}

// drags reports whether bars can be dragged now.
func (p *Bars) drags() bool { return p.Drags && p.decodes && len(p.z) > 0 }

func (p *Bars) spot(s *Chart) (plot.Point, bool) {
	return plot.Point{X: s.x.Pos(p.at(min(p.dimension, p.count()-1))), Y: s.area.Y + 0.4*s.area.H}, p.any()
}

func (p *Bars) grips(c *panel.Canvas, s *Chart) panel.Shape {
	return panel.When(p.drags() && c.Over(s.area) && p.index(s.x.Value(c.Pointer.X)) >= 0, panel.Hand)
}

func (p *Bars) press(c *panel.Canvas, s *Chart) {
	p.dimension = p.index(s.x.Value(c.Pointer.X))
	if !c.Pointer.Touch { // a press with a finger may be the beginning of scrolling
		p.drag(c, s)
	}
}

func (p *Bars) drag(c *panel.Canvas, s *Chart) {
	c.Send("holdz", p.at(p.dimension), s.y.Value(max(s.area.Y, min(s.area.Bottom(), c.Pointer.Y))))
}

func (p *Bars) release(c *panel.Canvas, s *Chart, dropped bool) {
	if c.Pointer.Touch && !dropped {
		p.drag(c, s)
	}
}

// Components is a range that is symmetric about 0. It contains [−1, 1], the range of training, and
// all values between −3 and 3.
func Components(rows ...[]float32) (lo, hi float64) {
	hi = 1.1 * math.Max(1, math.Min(3, extent(rows...)))
	return -hi, hi
}
