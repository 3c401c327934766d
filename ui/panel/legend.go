package panel

import (
	"bytes"
	"math"
	"unicode/utf8"

	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// What a Series says within its plot.

// last returns where the curves end: the prediction, or what has been measured.
func (s *Series) last() float64 {
	last := math.NaN()
	for i := range s.Curves {
		if v := &s.Curves[i]; v.Role == Measured && !(last == last) || v.Role == Predicted && v.v.len() > 0 {
			last = v.v.at(v.v.len() - 1)
		}
	}
	return last
}

// corner returns the corner at the right that the curves leave free, the bottom one
// if they end in the upper half: its x, and the y of line k of n.
func (s *Series) corner(c *Canvas, k, n int) (x, y float32) {
	x = s.area.Right() - 8*c.Unit
	if s.last() >= 0.5*(s.y.Lo+s.y.Hi) {
		return x, s.area.Bottom() - (0.7+float32(n-1-k))*c.Row()
	}
	return x, s.area.Y + (0.7+float32(k))*c.Row()
}

// legend names the curves, or says why there is no prediction.
func (s *Series) legend(c *Canvas) {
	var shown [4]*Curve
	n := 0
	predicted := false
	for role := range roles {
		for i := range s.Curves {
			v := &s.Curves[i]
			if v.Role != role || v.Key == nil || n == len(shown) || role == Band && s.comparing || role != Measured && v.v.len() == 0 {
				continue
			}
			predicted = predicted || role == Predicted
			shown[n] = v
			n++
		}
	}
	if s.area.H < float32(n+1)*c.Row() {
		return
	}
	if !predicted {
		x, y := s.corner(c, 0, 1)
		c.Roomiest(x, y, s.area.W-16*c.Unit, glyph.Right, c.Theme.Muted, s.why()...)
		return
	}
	// Where there is little room the names are short, or cut.
	right, _ := s.corner(c, 0, 1)
	leftmost := s.area.X + 0.3*s.area.W
	x, short := float32(0), 0
	for short = range 2 {
		var w float32
		for _, v := range shown[:n] {
			w = max(w, c.Width(v.Key[min(short, len(v.Key)-1)]))
		}
		if s.comparing {
			w = max(w, c.Width("predicted, run A"))
		}
		if x = right - w - brush.KeyWidth*c.Unit; x >= leftmost || s.comparing {
			break
		}
	}
	x = max(x, leftmost)
	for i, v := range shown[:n] {
		_, y := s.corner(c, i, n)
		s.entry(c, v, x, y, right, short)
	}
}

// entry draws a line of the legend.
func (s *Series) entry(c *Canvas, v *Curve, x, y, right float32, short int) {
	ink := v.Color(&c.Theme)
	name, text := v.Key[min(short, len(v.Key)-1)], x+brush.KeyWidth*c.Unit
	switch {
	case v.Role == Band:
		r := plot.Rect{X: x + 2*c.Unit, Y: y - 5*c.Unit, W: 18 * c.Unit, H: 10 * c.Unit}.Round()
		c.Box(r, 0, c.Theme.Paper)
		c.Box(r, 0, ink.Fade(0.3))
		c.Segment(x+2*c.Unit, y, x+20*c.Unit, y, plot.Pen{Width: 0.9 * c.Unit, Color: ink.Mix(c.Theme.Paper, 0.5)})
		c.Text = append(c.Text[:0], name...)
		if s.nominal == s.nominal && short == 0 {
			c.Text = append(plot.AppendPercent(append(c.Text[:0], "middle "...), s.nominal), " of them"...)
		} else if s.nominal == s.nominal {
			c.Text = append(plot.AppendPercent(c.Text[:0], s.nominal), " band"...)
		}
		c.Plated(text, y, glyph.Left, c.Theme.Ink)
	case v.Role == Measured:
		c.Key(x, y, plot.Pen{Width: v.Width * c.Thick(), Color: ink}, name)
	case s.comparing && v.Role == Predicted:
		c.Key(x, y, c.Dashed(ink), "")
		c.Title(s.nameA, text, y, right-text, c.Theme.Ink)
	case s.comparing:
		c.Key(x, y, c.Dashed(ink), "")
		c.Title(s.nameB, text, y, right-text, c.Theme.Ink)
	default:
		c.Key(x, y, c.Dashed(ink), name)
	}
}

// covers says in words how many of the true values lie in the band, beside how many
// should.
func (s *Series) covers(c *Canvas) {
	if !s.predicts || s.coverage != s.coverage || s.area.H < 2.5*c.Row() {
		return
	}
	x, y := s.corner(c, 0, 1)
	for _, words := range [...]string{" of the true values so far lie in the ", " of the truth so far is in the ", " lie in the ", " in "} {
		c.Text = append(plot.AppendPercent(c.Text[:0], s.coverage), words...)
		if s.nominal == s.nominal {
			c.Text = append(plot.AppendPercent(c.Text, s.nominal), ' ')
		}
		if c.Text = append(c.Text, "band"...); c.Wide() <= s.area.W-16*c.Unit {
			c.Plated(x, y, glyph.Right, c.Theme.Ink)
			return
		}
	}
}

// startWords says at frame 0 that it is all that the prediction knows, and returns
// where to mark it.
func (s *Series) startWords(c *Canvas) plot.Point {
	p := plot.Point{Y: float32(math.NaN())}
	for i := range s.Curves {
		if v := &s.Curves[i]; v.Role == Predicted {
			p = s.at(0, v.v.at(0))
		}
	}
	if p.Finite() {
		c.Text = append(c.Text[:0], s.Start...)
		c.Plated(p.X+12*c.Unit, min(p.Y, s.area.Bottom()-0.6*c.Row()), glyph.Left, c.Theme.Learned)
	}
	return p
}

// drawLeft marks and names where the prediction leaves what it was trained on.
func (s *Series) drawLeft(c *Canvas) {
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
	switch {
	case x+w < s.rect.Right():
		c.Plated(x+6*c.Unit, y, glyph.Left, c.Theme.Ink)
	case x-w > s.area.X:
		c.Plated(x-6*c.Unit, y, glyph.Right, c.Theme.Ink)
	default:
		c.Plated(s.rect.Right(), y, glyph.Right, c.Theme.Ink)
	}
}

// appendSign appends the sign of the variable that has left: of a closure variable
// that the words name, else of what is shown here.
func (s *Series) appendSign(dst []byte) []byte {
	const zHat = "ẑ"
	what := s.clock.leftWhat
	i := bytes.Index(what, []byte(zHat))
	if i < 0 {
		return append(append(dst, ": "...), s.title...)
	}
	dst = append(append(dst, ": "...), zHat...)
	for what = what[i+len(zHat):]; ; {
		r, n := utf8.DecodeRune(what)
		if r < '₀' || r > '₉' {
			return dst
		}
		dst, what = append(dst, '_', byte('0'+r-'₀')), what[n:]
	}
}
