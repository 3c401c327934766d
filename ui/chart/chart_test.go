package chart

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

func TestDensityTop(t *testing.T) {
	for _, tc := range []struct {
		name                 string
		target, fit, mixture []float32
		eps                  float64
		want                 float64
	}{
		{"target", []float32{0, 2, 0}, []float32{0, 1, 0}, nil, 1, 2.2},
		{"mixture", []float32{0, 2, 0}, []float32{0, 1, 0}, []float32{0, 3, 0}, 1, 3.3},
		{"fit overshoots", []float32{0, 2, 0}, []float32{0, 900, 0}, nil, 1, 3.3},
		{"spiky", []float32{0, 4e7, 0}, []float32{0, 1, 0}, []float32{0, 2, 0}, 1e-8, 2.2},
		{"spiky own data", []float32{0, 4e7, 0}, []float32{0, 1, 0}, nil, 1e-8, 1.1},
		{"nothing", nil, nil, nil, 1, 1},
		{"zero", []float32{0, 0}, []float32{0, 0}, nil, 1, 1},
	} {
		p := Density{hi: 1, sigma: tc.eps, curves: [densities]density{ofTarget: {values: tc.target}, ofModel: {values: tc.fit}, ofMixture: {values: tc.mixture}}}
		if got := p.top(); math.Abs(got-tc.want) > 1e-6 {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestAxesGlide checks that an axis begins at the range of its data, then glides, and jumps for
// users who prefer reduced motion.
func TestAxesGlide(t *testing.T) {
	var a axes
	a.follow(0, 1, 1e-3, 0, 0)
	last, n := a.y.Hi, 0
	for a.follow(0, 8, 1e-3, 0.016, 0.12) {
		if a.y.Hi < last || a.y.Hi-last > 2 {
			t.Fatalf("the axis jumped from %v to %v", last, a.y.Hi)
		}
		if last, n = a.y.Hi, n+1; n > 500 {
			t.Fatal("the axis never arrives")
		}
	}
	if n < 10 || a.y.Hi != 8 {
		t.Errorf("the axis ends at %v after %d pictures, want 8", a.y.Hi, n)
	}
	if a.follow(0, 1, 1e-3, 0.016, 0) || a.y.Hi != 1 {
		t.Errorf("the axis is at %v, want 1 at once", a.y.Hi)
	}
}

func TestTrainingRanges(t *testing.T) {
	for _, tc := range []struct {
		last  float32
		total int
		want  float64
	}{
		{3000, 3000, 3000}, {1400, 3000, 1500}, {1600, 3000, 2000}, {2100, 2500, 2500}, {12, 3000, 20}, {500, 0, 500}, {5001, 3000, 7500},
	} {
		if got := stepEnd([]float32{1, tc.last}, tc.total); got != tc.want {
			t.Errorf("step %v of %v: axis ends at %v, want %v", tc.last, tc.total, got, tc.want)
		}
	}
	if got := stepEnd(nil, 3000); got != 3000 {
		t.Errorf("before the first step the axis ends at %v, want 3000", got)
	}
	var loss []float32
	for i := range 300 {
		loss = append(loss, float32(1+math.Exp(-float64(i)/40)))
	}
	loss[0] = 1e6 // the loss of an untrained model
	if lo, hi := Losses(loss); lo > 1 || lo < 0.8 || hi < 1.9 || hi > 2.2 {
		t.Errorf("the loss axis is %v to %v", lo, hi)
	}
	if lo, hi := Decades([]float32{1, 0.01, -1, 0}); math.Pow(10, hi) < 1 || math.Pow(10, lo) > 0.01 {
		t.Errorf("the KL axis is 10^%v to 10^%v", lo, hi)
	}
	if lo, hi := Decades([]float32{0.02, 0.021}); hi-lo < 1-1e-9 {
		t.Errorf("the KL axis is only %v decades", hi-lo)
	}
	if lo, hi := Errors([]float32{1e-30, 1}); math.Abs(hi-lo-5) > 1e-9 {
		t.Errorf("the error's axis is %v decades, want 5", hi-lo)
	}
	// The error changes its sign twice and dips there. Apart from the dips, its values must
	// fill most of the axis.
	var dips []float32
	for i := range 300 {
		x := float64(i-100) * float64(i-201) / 1e4
		dips = append(dips, float32(1e-6*x*x))
	}
	if lo, hi := Errors(dips); lo < -8.7 || lo > -8 || hi < -5.9 {
		t.Errorf("the axis of an error that dips to 0 is 10^%.2f to 10^%.2f", lo, hi)
	}
	if lo, _ := Errors(dips, []float32{1, 1}, nil); lo > -8 {
		t.Errorf("an error beside a larger one is below the axis, which begins at 10^%.2f", lo)
	}
}

// TestDipsLeaveThePlot checks that a curve on a logarithmic axis has a gap wherever it lies outside
// the plot.
func TestDipsLeaveThePlot(t *testing.T) {
	c := panel.NewCanvas(glyph.New(), func(string, string) {})
	a := Chart{X: NewClock(), axes: axes{area: plot.Rect{X: 10, Y: 20, W: 100, H: 100}}}
	a.x, a.y = plot.Scale{Hi: 5, A: 10, B: 110}, plot.Scale{Lo: 1e-2, Hi: 1, A: 120, B: 20, Log: true}
	a.trace(c, columnOf([]float32{1, 1e-3, 1e-4, 1e-1, 1e-2, 10}, 0, 0), 1, 1, 0, 5)
	const gap = -1
	want := []float32{20, 120, gap, gap, 120, 70, 120, 20, gap, gap}
	for i, p := range c.Points {
		switch {
		case i >= len(want):
			t.Fatalf("%d points, want %d", len(c.Points), len(want))
		case i == len(want)-1: // the last point may lie outside
		case want[i] == gap && p.Finite(), want[i] != gap && !(plot.Abs(p.Y-want[i]) < 1e-3):
			t.Errorf("point %d is at %v, want %v (%v: a gap)", i, p.Y, want[i], gap)
		}
	}
	if x := c.Points[1].X; !(x > 10 && x < 30) {
		t.Errorf("it leaves at %v, want between the values, at 10 and 30", x)
	}
}

func TestOrdersAboutTheirMean(t *testing.T) {
	table := []float32{1, 2, 3 /**/, 1, 4, 3 /**/, 1, 6, 0} // three orders of the particles, each with three frames
	if got := spread(table, 3); got != 4 {
		t.Errorf("they are apart by %v, want 4", got)
	}
	for r, want := range []float64{-2, 0, 2} {
		if got := aside(table, 3, r, 1); got != want {
			t.Errorf("order %d is %v from the mean, want %v", r, got, want)
		}
	}
	if got := spread(nil, 3); got != 0 {
		t.Errorf("none are apart by %v", got)
	}
}

func TestWhatHasLeft(t *testing.T) {
	for sign, want := range map[string]string{"": ": energy", "ẑ_1_1": ": ẑ_1_1"} {
		s := Chart{title: []byte("energy")}
		s.clock = &Clock{leftWhat: []byte("the predicted ẑ₃ is above its trained range"), leftSign: []byte(sign)}
		if got := string(s.appendSign(nil)); got != want {
			t.Errorf("with the sign %q, %q has left, want %q", sign, got, want)
		}
	}
}

func TestColumns(t *testing.T) {
	v := []float32{1, 2, 3, 4, 5}
	if c := columnOf(v, 1, 2); c.len() != 2 || c.at(1) != 4 || c.at(2) == c.at(2) {
		t.Errorf("column 1 of pairs is %v long and has %v", c.len(), c.at(1))
	}
	if c := columnOf(v, 0, 0); c.len() != 5 || c.at(4) != 5 {
		t.Errorf("all of it is %v long", c.len())
	}
	if c := columnOf(nil, 1, 2); c.len() != 0 || c.at(0) == c.at(0) {
		t.Error("there is a column of nothing")
	}
}

// TestBarsSayWhichTheyAre checks that two bar charts have different titles at any width. The
// shortest title has priority over the name of the outlines.
func TestBarsSayWhichTheyAre(t *testing.T) {
	var f wire.Frame
	f.Put("revealed", 7)
	f.Put("z", 0.1, 0.2)
	f.Put("other", 0.3, 0.4)
	drawn := func(width float32, titles ...string) []plot.Vertex {
		b := &Chart{Titles: titles, Range: Components, Marks: []Mark{&Bars{Z: "z", Predicted: "other", Words: [2]string{"first", "second"}, Outlined: panel.Other}}}
		b.Read(&f)
		c := panel.NewCanvas(glyph.New(), nil)
		c.Resize(400, 200, 1)
		b.Place(c, plot.Rect{W: width, H: 200})
		var batch plot.Batch
		c.Batch = &batch
		b.heading(c)
		return batch.Vertices
	}
	for width := float32(60); width < 400; width += 10 {
		if slices.Equal(drawn(width, "ẑ, labelled beads", "ẑ, beads", "beads"), drawn(width, "ẑ, film", "film")) {
			t.Errorf("%g wide, both have the same heading", width)
		}
	}
}

func ExampleChart() {
	var f wire.Frame
	f.Put("step", 1, 2, 3)
	f.Put("loss", 3, 2, 1.5)
	loss := &Chart{X: &Steps{Row: "step"}, Titles: []string{"training loss"}, Range: Losses, Curves: []Curve{{Row: "loss", Name: "loss", Color: panel.Learned}}}
	loss.Read(&f)
	c := panel.NewCanvas(glyph.New(), nil)
	c.Resize(400, 200, 1)
	loss.Place(c, plot.Rect{W: 400, H: 200})
	loss.Ease(0, 0)
	loss.Draw(c)
	tip, _ := loss.Probe(c, 80, 100)
	fmt.Println(c.Words(&tip))
	// Output: step 2, loss 2.00
}

// TestGrowingBand checks that an axis contains a growing band at every moment, and glides to a
// smaller one.
func TestGrowingBand(t *testing.T) {
	clock := NewClock()
	s := &Chart{X: clock, Range: Fitted, Curves: []Curve{{Row: "low", High: "high", Role: Band, Color: panel.Learned}}}
	read := func(high float32) {
		var f wire.Frame
		f.Begin("polymer")
		f.Put("low", 1, 1)
		f.Put("high", 2, high)
		f.Put("horizon", 1)
		f.Put("dt", 1)
		f.Put("reveal", 3)
		clock.Read(&f)
		s.Read(&f)
		s.Ease(0.016, 0.12)
	}
	for _, high := range []float32{2, 3, 5, 8} {
		if read(high); s.y.Hi < float64(high) {
			t.Errorf("the axis ends at %v below the band's %v", s.y.Hi, high)
		}
	}
	if read(2); s.y.Hi < 5 {
		t.Errorf("the axis jumps to %v", s.y.Hi)
	}
}

// TestWordsAvoidCurves checks that words do not overlap curves or the vertical marks of frames.
// Words without a free place are left out.
func TestWordsAvoidCurves(t *testing.T) {
	c := panel.NewCanvas(glyph.New(), func(string, string) {})
	c.Resize(600, 300, 1)
	clock := NewClock()
	s := &Chart{X: clock, Range: Fitted, Curves: []Curve{{Row: "v", Color: panel.Target}}}
	for _, tc := range []struct {
		name string
		at   func(share float64) float64
		now  float32
		said bool
		high bool // whether the words are in the upper half
	}{
		{"rising", func(x float64) float64 { return x }, 20, true, false},
		{"falling", func(x float64) float64 { return 1 - x }, 20, true, true},
		{"rising, the time on the right", func(x float64) float64 { return x }, 190, true, true},
		{"everywhere", func(x float64) float64 { return math.Sin(200 * x) }, 20, false, false},
	} {
		var v []float32
		for i := range 201 {
			v = append(v, float32(tc.at(float64(i)/200)))
		}
		var f wire.Frame
		f.Begin("particles")
		f.Put("v", v...)
		f.Put("horizon", 200)
		f.Put("now", tc.now)
		f.Put("known", 200)
		f.Put("dt", 1)
		clock.Read(&f)
		s.Read(&f)
		s.Place(c, plot.Rect{X: 10, Y: 10, W: 580, H: 280})
		s.Ease(0, 0)
		c.Batch = new(plot.Batch)
		c.Text = append(c.Text[:0], "some words about it"...)
		corners := s.corners(c)
		if said := s.say(c, c.Theme.Ink, corners[:]...); said != tc.said {
			t.Errorf("%s: said %t", tc.name, said)
			continue
		} else if !said {
			continue
		}
		r := plot.Rect{X: c.Batch.Vertices[0].DstX, Y: c.Batch.Vertices[0].DstY}
		r.W, r.H = c.Batch.Vertices[3].DstX-r.X, c.Batch.Vertices[3].DstY-r.Y
		if high := r.Y < s.area.Y+s.area.H/2; high != tc.high {
			t.Errorf("%s: the words are at %+v of %+v", tc.name, r, s.area)
		}
		if now := s.x.Pos(clock.at(clock.now)); now >= r.X && now <= r.Right() {
			t.Errorf("%s: the words at %+v cover the time at %v", tc.name, r, now)
		}
		for i := range v {
			if p := s.at(clock.at(i), float64(v[i])); r.Inset(1, 1, 1, 1).Contains(p.X, p.Y) {
				t.Errorf("%s: the words at %+v cover the curve at %v", tc.name, r, p)
				break
			}
		}
		said := 1
		for said <= len(corners) && s.say(c, c.Theme.Ink, corners[:]...) {
			said++
		}
		if said > len(corners) {
			t.Errorf("%s: words cover other words", tc.name)
		}
		s.said = nil
	}
}
