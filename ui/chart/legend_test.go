package chart

import (
	"math"
	"strings"
	"testing"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// compared returns a Chart of a measurement and its predictions by two models.
func compared() *Chart {
	clock := NewClock()
	clock.horizon, clock.known, clock.now = 4, 4, 2
	return &Chart{
		X: clock, Titles: []string{"energy"}, Range: Fitted, Ticks: 4, Reason: true, None: []string{"no prediction yet"},
		Curves: []Curve{
			{Row: "b", Model: panel.ModelB, Role: Predicted, Name: "predicted", Key: []string{"predicted"}, Value: true, Color: panel.Other},
			{Row: "true", Name: "true", Key: []string{"true"}, Value: true, Color: panel.Target, Width: 1},
			{Row: "a", Model: panel.ModelA, Role: Predicted, Name: "predicted", Key: []string{"predicted"}, Value: true, Color: panel.Learned},
		},
	}
}

// legendOf returns the entries of a Chart' legend for a frame.
func legendOf(t *testing.T, s *Chart, f *wire.Frame) (lines []string) {
	t.Helper()
	c := panel.NewCanvas(glyph.New(), func(string, string) {})
	c.Resize(900, 600, 1)
	s.Read(f)
	s.Place(c, plot.Rect{W: 500, H: 300})
	s.Ease(0, 0)
	s.Draw(c)
	for i := range s.legend.entries {
		e := &s.legend.entries[i]
		text := string(e.appendFigure(s.legend.append(nil, s, e), s.now))
		if s.legend.draws(e) {
			text = "— " + text
		}
		lines = append(lines, text)
		if e.x < s.At.X || e.x+e.room > s.At.Right() || e.y > s.area.Y {
			t.Errorf("%q is at %v to %v, %v: not above the plot at %v", text, e.x, e.x+e.room, e.y, s.area.Y)
		}
	}
	return lines
}

// TestLegend checks that the legend names both models of a comparison, with or without a
// prediction. A single curve must have a line before its name.
func TestLegend(t *testing.T) {
	row := []float32{1, 2, 3, 4, 5}
	names := func(f *wire.Frame) { f.PutText("nameA", "in training"); f.PutText("nameB", "shipped") }
	for _, tc := range []struct {
		name string
		fill func(f *wire.Frame)
		want string
	}{
		{"one model", func(f *wire.Frame) { f.Put("a", row...) }, "— true 3.00; — predicted 3.00"},
		{"none predicts", func(f *wire.Frame) {}, "— true 3.00; no prediction yet"},
		{"both", func(f *wire.Frame) { names(f); f.Put("a", row...); f.Put("b", row...) }, "— true 3.00; — model 1: in training 3.00; — model 2: shipped 3.00"},
		{"A learns", func(f *wire.Frame) { names(f); f.Put("b", row...) }, "— true 3.00; model 1: in training, no prediction yet; — model 2: shipped 3.00"},
		{"B learns", func(f *wire.Frame) { names(f); f.Put("a", row...) }, "— true 3.00; — model 1: in training 3.00; model 2: shipped, no prediction yet"},
		{"B cannot", func(f *wire.Frame) { names(f); f.Put("a", row...); f.Put("cannotB", 1) }, "— true 3.00; — model 1: in training 3.00; model 2: shipped, no prediction for this run"},
		{"the model cannot", func(f *wire.Frame) { f.Put("cannot", 1) }, "— true 3.00; no prediction for this run"},
	} {
		f := new(wire.Frame)
		f.Begin("particles")
		f.Put("true", row...)
		f.Put("horizon", 4)
		tc.fill(f)
		if got := strings.Join(legendOf(t, compared(), f), "; "); got != tc.want {
			t.Errorf("%s: the legend has %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestLegendOnAPhone checks that the legend of two models takes at most one row on a phone.
func TestLegendOnAPhone(t *testing.T) {
	row := []float32{1, 2, 3, 4, 5}
	for _, tc := range []struct {
		name, want string
		rows       []string
	}{
		{"both", "— true 3.00; — 1 3.00; — 2 3.00", []string{"a", "b"}},
		{"B learns", "— true 3.00; — model 1 3.00; model 2 –", []string{"a"}},
	} {
		f := new(wire.Frame)
		f.Begin("particles")
		f.Put("horizon", 4)
		f.PutText("nameA", "shipped")
		f.PutText("nameB", "in training")
		for _, name := range append(tc.rows, "true") {
			f.Put(name, row...)
		}
		s := compared()
		c := panel.NewCanvas(glyph.New(), func(string, string) {})
		c.Resize(360, 640, 2)
		s.Read(f)
		s.Place(c, plot.Rect{W: 650, H: 9 * c.Row()})
		var lines []string
		for i := range s.legend.entries {
			e := &s.legend.entries[i]
			text := string(e.appendFigure(s.legend.append(nil, s, e), 2))
			if s.legend.draws(e) {
				text = "— " + text
			}
			if lines = append(lines, text); e.y > 2*c.Row() || e.x+e.room > s.At.Right() {
				t.Errorf("%s: %q ends at %v, %v", tc.name, text, e.x+e.room, e.y)
			}
		}
		if got := strings.Join(lines, "; "); got != tc.want {
			t.Errorf("%s: the legend has %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestModelsDifferWithoutColour checks that the curves of two models differ in more than
// colour.
func TestModelsDifferWithoutColour(t *testing.T) {
	c := panel.NewCanvas(glyph.New(), func(string, string) {})
	c.Resize(900, 600, 1)
	for _, v := range []Curve{
		{Role: Predicted, Color: panel.Ink}, {Role: Predicted, Color: panel.Ink, Solid: true, Width: 1}, {Role: Measured, Color: panel.Ink, Width: 1}, {Role: Band, Color: panel.Ink},
	} {
		vertices := func(m panel.Model) int {
			c.Batch = new(plot.Batch)
			v.Model = m
			s := &Chart{Curves: []Curve{v}}
			if v.Role == Band {
				if a, b := s.Curves[0].edge(c), s.Curves[0].edge(c); a != b || (a.Period > 0) != (m == panel.ModelB) {
					t.Errorf("the edges of a band of %s: %+v", m.Word(), a)
				}
				return int(m)
			}
			c.Points = c.Points[:0]
			for x := range 200 {
				c.Points = append(c.Points, plot.Point{X: float32(x), Y: 10})
			}
			s.Curves[0].line(c, s.Curves[0].pen(c))
			return len(c.Batch.Vertices)
		}
		if a, b := vertices(panel.ModelA), vertices(panel.ModelB); b <= a {
			t.Errorf("role %d: the curve of A has %d vertices, that of B %d: no rings", v.Role, a, b)
		}
	}
}

// TestErrorsOfTwoModels checks that the axis shows the errors of both models, however far
// apart they are.
func TestErrorsOfTwoModels(t *testing.T) {
	bad, good := []float32{0, 0.1, 0.9, 0.5}, []float32{0, 1e-9, 3e-8, 2e-8}
	lo, hi := Errors(bad, good)
	if most := math.Log10(3e-8); lo > most-1 || hi < math.Log10(0.9) {
		t.Errorf("the axis goes from 10^%.1f to 10^%.1f, and the better model's errors end at 10^%.1f", lo, hi, most)
	}
	if lo, hi := About0([]float32{0.1, -0.4}, []float32{0.2}); lo != -hi || hi < 0.4 {
		t.Errorf("about 0: %v to %v", lo, hi)
	}
}
