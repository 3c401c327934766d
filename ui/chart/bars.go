package chart

import (
	"math"
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Bars shows the components of ẑ as bars. Outlines show predictions of these components, and rings
// show the predictions of a second model. The fields Z, Predicted and Compared name the rows with
// these values. If Drags is set, the user can drag a bar to another height. Bars then sends the
// command "holdz" with the number and the new value of the component. As long as the changed ẑ is
// held, the row "zown" contains the encoded ẑ.
type Bars struct {
	axes
	Titles    []string // the first title that fits is displayed
	Note      string
	Z         string      // row of the filled bars
	Name      string      // name of row Z in a tip
	Predicted string      // row of the outlined bars; "" if there are none
	PredName  string      // name of row Predicted in a tip
	Words     [2]string   // names of bars and outlines
	Outlined  panel.Color // colour of the outlines
	Compared  string      // row of a second model, drawn as rings
	Ranged    bool        // whether to shade the region outside [−1, 1], the range of training
	None      string
	Above     float32 // rows of text above the plot; 0 for the default
	Drags     bool    // whether the user can drag bars while a density or points are decoded from ẑ

	z, zhat, zhatB   []float32
	own              []float32
	decodes          bool // whether a density or points are decoded from ẑ
	pressed          int  // number of the component that is dragged; 0: none
	latent, predicts bool
	goal             float64
	dimension        int // index of the component that the user has selected with the keys
}

// mostDimensions is the largest number of components that are drawn.
const mostDimensions = 512

func (p *Bars) Read(f *wire.Frame) {
	p.latent, p.predicts = panel.Revealed(f, panel.Latent), panel.Revealed(f, panel.Prediction)
	p.z, p.zhat, p.zhatB = f.Numbers(p.Z), nil, nil
	if p.predicts {
		p.zhat, p.zhatB = f.Numbers(p.Predicted), f.Numbers(p.Compared)
	}
	p.own, p.decodes = nil, p.latent && panel.Revealed(f, panel.Density) && (!f.On("noDensity") || f.On("restores"))
	if p.Drags {
		p.own = f.Numbers("zown")
	}
	if p.count() > mostDimensions {
		p.z, p.zhat, p.zhatB = nil, nil, nil
	}
	if p.pressed > 0 {
		return // the axis keeps its range while a bar is dragged along it
	}
	p.goal = extent(p.z, p.zhat, p.zhatB)
	switch {
	case p.Ranged:
		p.goal = 1.1 * math.Max(1, math.Min(3, p.goal))
	case p.goal > 0:
		p.goal *= 1.15
	default:
		p.goal = 1
	}
}

func (p *Bars) count() int { return max(len(p.z), len(p.zhat)) }

func (p *Bars) Place(c *panel.Canvas, r plot.Rect) {
	p.above = p.Above
	p.axes.Place(c, r)
	p.x.Lo, p.x.Hi = 0.5, float64(max(1, p.count()))+0.5
}

func (p *Bars) Ease(dt, tau float64) bool { return p.follow(-p.goal, p.goal, 1e-3, dt, tau) }

// bar returns the index of the component at a place, or -1.
func (p *Bars) bar(c *panel.Canvas, x, y float32) int {
	r := p.area
	r.H += c.Row() // the numbers below the bars count as part of the bars
	if i := int(math.Round(p.x.Value(x))) - 1; r.Contains(x, y) && i >= 0 && i < p.count() {
		return i
	}
	return -1
}

// read returns the index of the component that the user reads. This is the component selected with
// the keys, or the component at the pointer. If there is neither, read returns -1.
func (p *Bars) read(c *panel.Canvas) int {
	switch {
	case c.Focus == panel.Keyed(p):
		return min(p.dimension, p.count()-1)
	case c.Pointer.Inside:
		return p.bar(c, c.Pointer.X, c.Pointer.Y)
	}
	return -1
}

func (p *Bars) Draw(c *panel.Canvas) {
	p.heading(c)
	n := p.count()
	if !p.latent || n == 0 {
		text := p.None
		if !p.latent {
			text = "press Encode"
		}
		p.baseline(c, p.y.Pos(0))
		c.Text = append(c.Text[:0], text...)
		c.Cut(p.At.W)
		c.Write(min(p.area.X+p.area.W/2, p.At.Right()-c.Wide()/2), p.area.Y+p.area.H/4, glyph.Center, c.Theme.Muted)
		return
	}
	if p.Ranged {
		p.beyond(c)
	}
	p.yTicks(c, 5) // an odd number, because the axis is symmetric about its tick at 0
	read, each := p.read(c), p.area.W/float32(n)
	width := max(1, plot.Round(min(0.62*each, 34*c.Unit)))
	every := 1 + int(c.Width("000")/each) // draws only as many numbers as fit
	for i := range n {
		mid, ink := p.x.Pos(float64(i+1)), c.Theme.Muted
		if i == read {
			c.Box(plot.Rect{X: plot.Round(mid - each/2), Y: p.area.Y, W: plot.Round(each), H: p.area.H}, 0, c.Theme.Grid)
			ink = c.Theme.Ink
		}
		if r, ok := p.of(c, mid, width, at(p.z, i)); ok {
			c.Box(r, min(2*c.Unit, width/4), c.Theme.Latent)
		}
		if r, ok := p.of(c, mid, width+c.Px(6), at(p.own, i)); ok {
			y := p.y.Pos(at(p.own, i))
			c.Box(plot.Rect{X: r.X, Y: plot.Round(max(p.area.Y, min(p.area.Bottom(), y))) - c.Px(1), W: r.W, H: c.Px(2)}, 0, c.Theme.Ink)
		}
		if r, ok := p.of(c, mid, width+c.Px(4), at(p.zhat, i)); ok {
			c.Outline(r, c.Px(1.5), p.Outlined(&c.Theme))
		}
		if v := at(p.zhatB, i); v-v == 0 {
			c.Rung(mid, max(p.area.Y, min(p.area.Bottom(), p.y.Pos(v))), c.Theme.Other)
		}
		if (i+1)%every == 0 {
			c.Text = plot.AppendCount(c.Text[:0], i+1)
			c.Write(mid, p.area.Bottom()+c.Row()*0.55, glyph.Center, ink)
		}
	}
	p.baseline(c, p.y.Pos(0))
}

// heading writes the title, the number of components, and the name of the outlines.
func (p *Bars) heading(c *panel.Canvas) {
	y, x, right := p.At.Y+c.Row()/2, p.At.X+2*c.Unit, p.At.Right()-2*c.Unit
	if len(p.zhat)+len(p.zhatB) == 0 {
		c.Text = c.Text[:0]
		if n := p.count(); n > 0 && p.Predicted == "" {
			c.Text = plot.AppendCount(append(c.Text, "dimension "...), n)
		}
		c.Headline(p.At, p.note(), p.Titles...)
		return
	}
	encoded, word := p.Words[0], p.Words[1]
	room := right - x - c.Width(word) - 24*c.Unit
	if least := c.Width(p.Titles[len(p.Titles)-1]); room < least {
		room = right - x // the title has priority over the name of the outlines
	}
	x += c.Roomiest(x, y, room, glyph.Left, c.Theme.Ink, p.Titles...) + 8*c.Unit
	if len(p.zhatB) > 0 { // both models have predictions
		right -= c.Label("2", right, y, glyph.Right, c.Theme.Muted) + 9*c.Unit
		c.Rung(right, y, c.Theme.Other)
		if right -= 14 * c.Unit; len(p.zhat) == 0 {
			return
		}
		word = "1"
	}
	if w := c.Width(word); right-w-16*c.Unit > x {
		c.Label(word, right, y, glyph.Right, c.Theme.Muted)
		c.Outline(plot.Rect{X: right - w - 15*c.Unit, Y: y - 5*c.Unit, W: 10 * c.Unit, H: 10 * c.Unit}, c.Px(1.5), p.Outlined(&c.Theme))
		c.Roomiest(x, y, right-w-22*c.Unit-x, glyph.Left, c.Theme.Muted, encoded)
	}
}

// note returns the words after the title.
func (p *Bars) note() string {
	switch {
	case len(p.own) > 0:
		return "moved by you"
	case p.drags():
		return "drag a bar"
	}
	return p.Note
}

// `of` returns the bar for a value, clipped to the axis. If there is no bar, it returns false.
func (p *Bars) of(c *panel.Canvas, mid, width float32, v float64) (plot.Rect, bool) {
	if v-v != 0 {
		return plot.Rect{}, false
	}
	zero := plot.Round(p.y.Pos(0))
	y := plot.Round(max(p.area.Y, min(p.area.Bottom(), p.y.Pos(v))))
	return plot.Rect{X: plot.Round(mid - width/2), Y: min(y, zero), W: width, H: max(c.Px(1), plot.Abs(y-zero))}, true
}

func (p *Bars) Probe(c *panel.Canvas, x, y float32) (t brush.Tip, ok bool) {
	i := p.bar(c, x, y)
	if i < 0 {
		return t, false
	}
	t.X, t.Y = x, y
	t.Count("dimension", float64(i+1), c.Theme.Muted)
	if p.latent {
		if len(p.own) > 0 {
			t.Value("moved to", at(p.z, i), c.Theme.Latent)
			t.Value(p.Name, at(p.own, i), c.Theme.Ink)
		} else {
			t.Value(p.Name, at(p.z, i), c.Theme.Latent)
		}
	}
	if p.Predicted != "" {
		t.Value(p.PredName, at(p.zhat, i), p.Outlined(&c.Theme))
	}
	t.Value("predicted by model 2", at(p.zhatB, i), c.Theme.Other)
	return t, true
}

func (p *Bars) Focus(*panel.Canvas) bool { return p.At.H > 0 && p.count() > 0 }

// Key implements Keyed. Left and Right choose the component. Up and Down with Shift move its bar
// by a fiftieth of the axis.
func (p *Bars) Key(c *panel.Canvas, key string, shift bool) bool {
	dx, dy := panel.Step(key, shift)
	p.dimension = min(max(p.dimension+int(dx), 0), max(0, p.count()-1))
	if dy == 0 || !shift || !p.drags() {
		return dx != 0
	}
	p.hold(c, p.dimension, at(p.z, p.dimension)+math.Copysign((p.y.Hi-p.y.Lo)/50, dy))
	return true
}

// drags reports whether bars can be dragged now.
func (p *Bars) drags() bool { return p.Drags && p.decodes && len(p.z) > 0 }

// hold sends the command to keep the component with index i of ẑ at the value v.
func (p *Bars) hold(c *panel.Canvas, i int, v float64) {
	text := append(strconv.AppendInt(nil, int64(i+1), 10), ' ')
	c.Command("holdz", string(strconv.AppendFloat(text, v, 'g', 6, 64)))
}

func (p *Bars) Press(c *panel.Canvas) bool {
	if !p.drags() || !c.Over(p.area) {
		return false
	}
	if p.pressed = p.bar(c, c.Pointer.X, c.Pointer.Y) + 1; p.pressed == 0 {
		return false
	}
	p.dimension = p.pressed - 1
	if !c.Pointer.Touch { // a press with a finger may be the beginning of scrolling
		p.Drag(c)
	}
	return true
}

func (p *Bars) Drag(c *panel.Canvas) {
	p.hold(c, p.pressed-1, p.y.Value(max(p.area.Y, min(p.area.Bottom(), c.Pointer.Y))))
}

func (p *Bars) Release(c *panel.Canvas, dropped bool) (keep bool) {
	if c.Pointer.Touch && !dropped {
		p.Drag(c)
	}
	p.pressed = 0
	return false
}

func (p *Bars) Shape(c *panel.Canvas) panel.Shape {
	return panel.When(p.drags() && c.Over(p.area) && p.bar(c, c.Pointer.X, c.Pointer.Y) >= 0, panel.Hand)
}

func (p *Bars) Reading(c *panel.Canvas) (brush.Tip, bool) {
	return p.Probe(c, p.x.Pos(float64(p.read(c)+1)), p.area.Y+0.5*p.area.H)
}
