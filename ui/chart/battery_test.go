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

// cases holds a chart of each mark: its rows, the ends that its y axis must contain, and what its
// tip must say in the middle of the plot, which is at frame 2, at step 3 or at component 2.
var cases = []struct {
	name   string
	chart  Chart
	rows   map[string][]float32
	lo, hi float64
	says   string
}{
	{"measured", over(Curve{Row: "v"}), row("v", 1, 2, 3, 4, 5), 1, 5, "it 3.00"},
	{"predicted", over(Curve{Row: "v", Role: Predicted}), row("v", 1, 2, 3, 4, 5), 1, 5, "it 3.00"},
	{"column", over(Curve{Row: "v", Of: Variables, Col: 1}), map[string][]float32{"v": {0, 50, 1, 60, 0, 70, 0, 80, 0, 90}, "variables": {2}}, 50, 90, "it 70.0"},
	{"difference", over(Curve{Row: "v", Less: "w", Role: Predicted}), map[string][]float32{"v": {1, 2, 3, 4, 5}, "w": {1, 1, 1, 1, 1}}, 0, 4, "it 2.00"},
	{"band", over(Curve{Row: "v", High: "w", Role: Band}), map[string][]float32{"v": {1, 1, 1, 1, 1}, "w": {2, 3, 8, 3, 2}}, 1, 8, "band to 8.00"},
	{"members", over(Curve{Row: "w", Role: Members}, Curve{Row: "v"}), map[string][]float32{"v": {1, 2, 3, 4, 5}, "w": {2, 2, 2, 2, 2}}, 1, 5, "it 3.00"},
	{"latents", over(Curve{Role: Latents, Of: 1}), map[string][]float32{"z": {0.5}, "zpast": {-0.5, 0, 0.5}}, 0.5, 0.5, "it 0.500"},
	{"orders", over(Curve{Row: "v", Role: Orders}), row("v", 1, 1, 1, 1, 1, 2, 2, 2, 2, 2), -1, 1, "order 2 2.00"},
	{"steps", Chart{X: &Steps{Row: "at"}, Range: Losses, Ticks: 5, Curves: []Curve{{Row: "v", Name: "loss", Color: panel.Ink, Dotted: true}}}, map[string][]float32{"at": {1, 10, 20}, "v": {3, 2, 1}}, 1, 3, "loss 2.00"},
	{"bars", Chart{Range: Components, Ticks: 5, Marks: []Mark{&Bars{Z: "z", Name: "ẑ"}}}, row("z", 0.1, -2, 0.3), -2, 2, "dimension 2, closure variable −2.00"},
	{"ribbon", Chart{X: NewClock(), Marks: []Mark{new(Ribbon)}}, map[string][]float32{"z": {0.5}, "zpast": {-0.5, 0, 0.5}}, 0, 0, "encoded 0.500"},
	{"portrait", Chart{Marks: []Mark{new(Portrait)}}, map[string][]float32{"portrait": {-1, 1, -3, 3, 5}, "portraitArrows": {0, 0, 0.2, 1}, "portraitNoise": {0.1, 0, 0.1}, "portraitRun": {0, 0, 0.5, 1}, "portraitFixed": {0.5, 0.5, 0}}, -3, 3, "vertical"},
	{"density", Chart{Marks: []Mark{new(Density)}}, map[string][]float32{"window": {-2, 2}, "q": {0, 1, 2, 1, 0}, "p": {0, 0, 1, 0, 0}, "x": {-1, 0, 1}, "sigma": {1}}, 0, 2, "target 2.00"},
}

// over returns a chart of curves over time, whose name is "it".
func over(curves ...Curve) Chart {
	for i := range curves {
		curves[i].Name, curves[i].Color = "it", panel.Ink
	}
	return Chart{X: NewClock(), Range: Fitted, Ticks: 4, None: []string{"nothing"}, Curves: curves}
}

func row(name string, v ...float32) map[string][]float32 { return map[string][]float32{name: v} }

// show returns what a chart draws for rows, and its tip in the middle of the plot.
func show(t *testing.T, s *Chart, rows map[string][]float32) (drawn int, told string) {
	t.Helper()
	f := new(wire.Frame)
	f.Begin("particles")
	f.Put("horizon", 4)
	f.Put("known", 4)
	f.Put("now", 2)
	for name, v := range rows {
		f.Put(name, v...)
	}
	c := panel.NewCanvas(glyph.New(), func(string, string) {})
	c.Resize(600, 400, 1)
	c.Batch = new(plot.Batch)
	if k, ok := s.X.(*Clock); ok {
		k.Read(f)
	}
	s.Read(f)
	s.Place(c, plot.Rect{X: 10, Y: 10, W: 580, H: 380})
	s.Ease(0, 0)
	s.Draw(c)
	for _, v := range c.Batch.Vertices {
		if !(v.DstX > 6 && v.DstX < 594 && v.DstY > 6 && v.DstY < 394) {
			t.Fatalf("a vertex is at %v, %v", v.DstX, v.DstY)
		}
	}
	tip, _ := s.Probe(c, s.area.X+s.area.W/2, s.area.Y+s.area.H/4)
	return len(c.Batch.Vertices), c.Words(&tip)
}

// TestMarks checks for each mark that the axis contains its values, that they are drawn within the
// panel and told, and that a chart without values or with values that are no numbers says nothing.
func TestMarks(t *testing.T) {
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s := tc.chart
			without, told := show(t, &s, nil)
			if strings.Contains(told, tc.says) || !s.Empty() && tc.name != "density" {
				t.Errorf("without rows, it says %q", told)
			}
			drawn, told := show(t, &s, tc.rows)
			if !strings.Contains(told, tc.says) || s.Empty() {
				t.Errorf("it says %q, want %q", told, tc.says)
			}
			if drawn == without {
				t.Errorf("%d vertices with and without rows", drawn)
			}
			if s.y.Lo > tc.lo || s.y.Hi < tc.hi {
				t.Errorf("the axis is %v to %v, want %v to %v", s.y.Lo, s.y.Hi, tc.lo, tc.hi)
			}
			for _, odd := range []float64{math.NaN(), math.Inf(1), -1e30} {
				spoilt := map[string][]float32{}
				for name, v := range tc.rows {
					spoilt[name] = append([]float32(nil), v...)
					spoilt[name][len(v)/2] = float32(odd)
				}
				show(t, &s, spoilt)
			}
		})
	}
}
