package scene

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"macroscope/model/wire"
	"macroscope/ui/chart"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// place returns where the picture shows the point (x, y) of a map, in CSS pixels. The map's window
// is from −1 to 1.
func place(s *Scene, m panel.Panel, x, y float32) (px, py float32) {
	r, above := m.Rect(), panel.Above*s.canvas.Row()
	top, side := plot.Round(r.Y+above), plot.Round(r.W)
	return (plot.Round(r.X) + side*(1+x)/2) / s.canvas.Unit, (top + plot.Round(r.H-above)*(1-y)/2) / s.canvas.Unit
}

func TestTools(t *testing.T) {
	const look, move, add, remove, draw = 0, 1, 2, 3, 4
	type event struct {
		e    Event
		x, y float32 // position in the plane
	}
	for _, tc := range []struct {
		name   string
		tool   int
		events []event
		want   string // kinds of the expected commands
		last   []float64
	}{
		{"look", look, []event{{Down, 0.6, 0}, {Move, 0.5, 0.2}, {Up, 0.5, 0.2}}, "", nil},
		{"drag", move, []event{{Down, 0.6, 0}, {Move, 0.5, 0.1}, {Move, 0.4, 0.2}, {Up, 0.4, 0.2}}, "drag drag", []float64{0, 0.4, 0.2}},
		{"drag nothing", move, []event{{Down, 0, 0}, {Move, 0.5, 0.1}, {Up, 0.5, 0.1}}, "", nil},
		{"drag outside", move, []event{{Down, 0.6, 0}, {Move, 7, 0.5}, {Up, 7, 0.5}}, "drag", []float64{0, 1, 0.5}},
		{"add", add, []event{{Down, 0.1, -0.3}, {Up, 0.1, -0.3}}, "add", []float64{0.1, -0.3}},
		{"remove", remove, []event{{Down, 0, 0.6}, {Up, 0, 0.6}}, "remove", []float64{0, 0.6}},
		{"wander", add, []event{{Down, 0.1, -0.3}, {Move, 0.5, 0.5}, {Up, 0.5, 0.5}}, "", nil},
		{"cancel", add, []event{{Down, 0.1, -0.3}, {Cancel, 0.1, -0.3}, {Up, 0.1, -0.3}}, "", nil},
		{"draw", draw, []event{{Down, 0, 0}, {Move, 0.2, 0}, {Move, 0.2, 0}, {Move, 0.2, 0.4}, {Up, 0.2, 0.4}}, "draw", []float64{0, 0, 0.2, 0, 0.2, 0.4}},
	} {
		for m := 1; m <= 2; m++ {
			t.Run(fmt.Sprint(tc.name, m), func(t *testing.T) {
				s, commands := open(t, "particles", ring(30).with(rows{"tool": tc.tool}))
				s.Resize(900, 560, 2)
				s.Advance(0)
				for _, e := range tc.events {
					x, y := place(s, s.Panels[m], e.x, e.y)
					s.Pointer(e.e, x, y, false)
					if e.e == Move && e.x != 0.4 { // no picture between the move to 0.4 and the release
						s.Advance(0.016)
					}
					drawn(t, s)
				}
				s.Advance(0.016)
				var kinds []string
				var last []float64
				for _, c := range *commands {
					words := strings.Fields(c)
					kinds, last = append(kinds, words[0]), nil
					for _, w := range words[1:] {
						v, _ := strconv.ParseFloat(w, 64)
						last = append(last, v)
					}
				}
				if got := strings.Join(kinds, " "); got != tc.want || len(last) != len(tc.last) {
					t.Fatalf("commands %v, want %q ending on %v", *commands, tc.want, tc.last)
				}
				for i := range last {
					// Pixels in float32 are accurate to a thousandth, and a unit of the plane
					// has more than 100 pixels. So the error is below 1e-5 units.
					if math.Abs(last[i]-tc.last[i]) > 1e-4 {
						t.Fatalf("got %v, want %v", last, tc.last)
					}
				}
			})
		}
	}
}

// TestFingers checks two things for each tool: whether values stay visible when a finger is lifted,
// and whether a finger may drag in any direction without scrolling the page. The tools that move
// and draw particles need such drags.
func TestFingers(t *testing.T) {
	for tool, want := range [...]struct{ reads, keeps bool }{{true, false}, {false, true}, {false, false}, {false, false}, {false, true}} {
		s, _ := open(t, "particles", ring(30).with(rows{"tool": tool}))
		x, y := place(s, s.Panels[1], 0.1, 0.1)
		for _, e := range [...]Event{Down, Up, Leave} {
			s.Pointer(e, x, y, true)
		}
		if got := s.Spoken() != ""; got != want.reads || s.Keeps() != want.keeps {
			t.Errorf("tool %d: a reading is left: %v, drags are kept: %v, want %v", tool, got, s.Keeps(), want)
		}
	}
}

// TestSeek checks that only the last of several seeks between two pictures is requested.
func TestSeek(t *testing.T) {
	for lab, tc := range map[string]struct {
		r     rows
		panel int
		times [4]string
		want  string
	}{
		"particles": {ring(30), 7, [4]string{"time 0.240", "time 0.400", "time 0.800", "time 1.54"}, "[seek 12 seek 77]"},
		"mixing":    {inBox(30), 7, [4]string{"time 4.80", "time 8.00", "time 16.0", "time 30.8"}, "[seek 12 seek 77]"},
	} {
		s, commands := open(t, lab, tc.r)
		var x [4]float32
		var y float32
		for i, at := range tc.times {
			x[i], y = find(t, s, s.Panels[tc.panel], 0.5, at)
		}
		s.Pointer(Down, x[0], y, false)
		s.Advance(0.016)
		for _, x := range x[1:] {
			s.Pointer(Move, x, y+300, false)
		}
		if s.Shape() != panel.Slide {
			t.Errorf("%s: the shape is %v while it seeks", lab, s.Shape())
		}
		s.Advance(0.016)
		s.Advance(0.016)
		s.Pointer(Up, x[3], y, false)
		s.Pointer(Move, x[1], y, false)
		s.Advance(0.016)
		if got := fmt.Sprint(*commands); got != tc.want {
			t.Errorf("%s: got %v, want %v", lab, got, tc.want)
		}
	}
}

// press presses a key and checks that the scene uses it.
func press(t *testing.T, s *Scene, key string, shift bool) {
	t.Helper()
	if !s.Key(key, shift) {
		t.Fatalf("%s was not used", key)
	}
	s.Advance(0.016)
	drawn(t, s)
}

// The function `reads` presses Down once for each text. The scene must then read this text.
func reads(t *testing.T, s *Scene, texts ...string) {
	t.Helper()
	for _, want := range texts {
		press(t, s, "ArrowDown", false)
		if got := s.Spoken(); got != want {
			t.Errorf("reads %q, want %q", got, want)
		}
	}
}

// TestKeysSeek checks that keys seek from the frame that was last requested.
func TestKeysSeek(t *testing.T) {
	for lab, frame := range map[string]func(int) rows{"particles": ring, "mixing": inBox, "polymer": inFlow} {
		s, commands := open(t, lab, frame(30))
		press(t, s, "ArrowRight", false)
		press(t, s, "ArrowRight", false) // again, before the first request is answered
		decode(t, s, lab, frame(32))
		press(t, s, "ArrowLeft", true)
		decode(t, s, lab, frame(22))
		press(t, s, "Home", false)
		press(t, s, "End", false)
		if got := fmt.Sprint(*commands); got != "[seek 31 seek 32 seek 22 seek 0 seek 60]" {
			t.Errorf("%s: got %v", lab, got)
		}
		if s.Key("Escape", false) || s.Key("q", false) || s.Spoken() != "" {
			t.Errorf("%s: keys without a meaning were used", lab)
		}
	}
}

func TestParticlesKeys(t *testing.T) {
	s, commands := open(t, "particles", ring(30).with(rows{"tool": 2}))
	reads(t, s, "time 0.600, true 0.310, predicted 0.311", "time 0.600, error 0.00310", "dimension 1, encoded 0, predicted 0.0250")
	press(t, s, "ArrowRight", false)
	if got := s.Spoken(); !strings.HasPrefix(got, "dimension 2") {
		t.Errorf("reads %q, want the second dimension", got)
	}
	press(t, s, "ArrowDown", false)
	press(t, s, "ArrowRight", true)
	press(t, s, "ArrowUp", true)
	if got, want := s.Spoken(), "x 0.200, y 0.200, target 5.66×10⁻⁹, learned 0.00249"; got != want {
		t.Errorf("reads %q, want %q", got, want)
	}
	press(t, s, "Enter", false)
	press(t, s, "Delete", false)
	if got := fmt.Sprint(*commands); got != "[add 0.2 0.2 remove 0.2 0.2]" {
		t.Errorf("got %v", got)
	}
	press(t, s, "Escape", false)
}

// TestKeysMoveAParticle presses Enter on a particle. The particle must then follow the crosshair,
// which the arrow keys move.
func TestKeysMoveAParticle(t *testing.T) {
	s, commands := open(t, "particles", ring(30).with(rows{"tool": 1}))
	for range 4 {
		press(t, s, "ArrowDown", false)
	}
	press(t, s, "Enter", false)
	press(t, s, "ArrowRight", true)
	press(t, s, "Enter", false)
	press(t, s, "ArrowRight", true)
	if len(*commands) != 1 || !strings.HasSuffix((*commands)[0], " 0.2 0") {
		t.Errorf("got %v, want one drag to 0.2, 0", *commands)
	}
}

// TestTheNewestHasThePlace checks that a shuffle is shown for a while, and then the training
// again.
func TestTheNewestHasThePlace(t *testing.T) {
	training := func(step float32) rows { return rows{"lossStep": []float32{1, step}, "loss": []float32{2, 1}} }
	both := func(step float32, shuffles int) rows {
		return training(step).with(rows{"shuffles": shuffles, "orders": wave(363, 0.2)})
	}
	var n newest
	for i, tc := range []struct {
		r    rows
		want int
	}{
		{rows{}, topicLatent}, {training(5), topicTraining}, {training(9), topicTraining}, {both(10, 1), topicOrders},
		{both(11, 1), topicOrders}, {both(12, 1), topicTraining}, {both(12, 2), topicOrders}, {both(12, 2), topicOrders},
		{both(12, 2), topicOrders}, {rows{}, topicLatent},
	} {
		if n.choose(tc.r.frame("particles"), holdOrders/2); n.topic != tc.want {
			t.Errorf("frame %d shows %d, want %d", i, n.topic, tc.want)
		}
	}
}

// TestManyParticles checks that the picture of 5000 particles and 5000 samples has few enough
// vertices for a software renderer.
func TestManyParticles(t *testing.T) {
	x, label := make([]float32, 10_000), make([]float32, 5000)
	for i := range x {
		x[i], label[i/2] = float32(math.Sin(float64(i))), float32(i)/10_000
	}
	smooth := make([]float32, 56*56)
	for i := range smooth {
		r := math.Hypot(float64(i%56)-27.5, float64(i/56)-27.5) / 28
		smooth[i] = float32(math.Exp(-100 * (r - 0.5) * (r - 0.5)))
	}
	many := ring(60).with(rows{"x": x, "label": label, "samples": x, "grid": []float32{56, 56}, "widths": []float32{0.005, 0.005}, "p": smooth})
	s, _ := open(t, "particles", many)
	drawn(t, s)
	decode(t, s, "particles", many.with(rows{"pB": smooth, "predB": []float32{1, 2}}))
	s.Advance(0.016)
	drawn(t, s)
}

// TestParticlesOnAPhone checks that the energy and its error are readable on a phone.
func TestParticlesOnAPhone(t *testing.T) {
	for _, size := range [][2]float32{{360, 640}, {390, 640}, {600, 640}} { // the smallest sizes that the page uses
		s, _ := open(t, "particles", pictures["particles"]["playing"])
		s.Resize(size[0], size[1], 2)
		s.Advance(0)
		var series []*chart.Chart
		for _, p := range s.Panels {
			if q, ok := p.(*chart.Chart); ok && shown(p) {
				series = append(series, q)
			}
		}
		for i, least := range []float32{110, 75} {
			if len(series) <= i || series[i].Rect().H < least*2 {
				t.Errorf("%v: plot %d of %d is at %+v, not %v pixels high", size, i, len(series), series[min(i, len(series)-1)].Rect(), least)
			}
		}
	}
}

// TestParticlesInASmallWindow checks a window of 1024×768, as on many projectors: the maps must
// not become too small.
func TestParticlesInASmallWindow(t *testing.T) {
	s, _ := open(t, "particles", ring(30))
	s.Resize(692, 480, 1)
	s.Advance(0)
	for m := 1; m <= 2; m++ {
		if r := s.Panels[m].Rect(); r.W < 180 {
			t.Errorf("map %d is %v wide", m, r.W)
		}
	}
}

// TestLight checks that highlighting a part dims all others, and that highlighting no part or a
// missing part dims nothing.
func TestLight(t *testing.T) {
	all := []string{"set", "target", "code", "learned", "dynamics", "prediction"}
	for lab, r := range map[string]rows{wire.Demo: onLine(), "particles": ring(30), "mixing": inBox(30), "polymer": inFlow(30)} {
		parts := all
		if lab == wire.Demo {
			parts = all[:4] // the demo has no dynamics
		}
		s, _ := open(t, lab, r)
		plain := len(drawn(t, s).Vertices)
		s.Light("nothing")
		if got := len(drawn(t, s).Vertices); got != plain {
			t.Errorf("%s: %d vertices with an unknown part lit, %d without", lab, got, plain)
		}
		for _, part := range parts {
			s.Light(part)
			if got := len(drawn(t, s).Vertices); got <= plain {
				t.Errorf("%s: nothing is dimmed for %s", lab, part)
			}
		}
		s.Light("")
		if got := len(drawn(t, s).Vertices); got != plain {
			t.Errorf("%s: %d vertices afterwards, %d before", lab, got, plain)
		}
		// On a phone nothing is dimmed, because the highlighted part may be scrolled out of
		// view. It only gets a frame.
		s.Resize(390, 1400, 2)
		s.Advance(0)
		plain = len(drawn(t, s).Vertices)
		for _, part := range parts {
			s.Light(part)
			if got := len(drawn(t, s).Vertices) - plain; got != 0 && got != 4*4 {
				t.Errorf("%s: %d vertices more for %s on a phone, want those of a frame", lab, got, part)
			}
		}
	}
}

// TestLightAlone checks that a phone with a picture too low for all panels shows only the
// highlighted panels, within the page and apart from one another. Without a part to highlight, no
// panel may be highlighted.
func TestLightAlone(t *testing.T) {
	for lab, r := range map[string]rows{wire.Demo: onLine(), "particles": ring(30), "mixing": inBox(30), "polymer": inFlow(30)} {
		s, _ := open(t, lab, r)
		for _, height := range []float32{240, 300, 420} {
			s.Resize(360, height, 2)
			for parts, least := range map[string]int{"set": 1, "learned code": 2, "target learned": 1, "prediction": 1, "set prediction": 2} {
				if lab == wire.Demo && parts != "learned code" {
					continue // in the demo, one panel shows the set, the target and the learned density, and no panel shows a prediction
				}
				s.Light(parts)
				s.Advance(0)
				page, _ := s.canvas.Page()
				var seen []panel.Panel
				for _, p := range s.Panels {
					if shown(p) {
						seen = append(seen, p)
					}
				}
				if len(seen) < least {
					t.Errorf("%s, %g high: %d panels for %s", lab, height, len(seen), parts)
				}
				for i, p := range seen {
					at := p.Rect()
					if !slices.Contains(s.lights(s.canvas), p) {
						t.Errorf("%s, %g high: %T is shown for %s", lab, height, p, parts)
					}
					if at.X < page.X-1 || at.Y < page.Y-1 || at.Right() > page.Right()+1 || at.Bottom() > page.Bottom()+1 {
						t.Errorf("%s, %g high: for %s %T is at %v, out of %v", lab, height, parts, p, at, page)
					}
					for _, q := range seen[:i] {
						if !apart(at, q.Rect()) {
							t.Errorf("%s, %g high: for %s %T at %v overlaps %T at %v", lab, height, parts, p, at, q, q.Rect())
						}
					}
				}
				drawn(t, s)
			}
			s.Light("")
			s.Advance(0)
			if maps := len(s.lights(s.canvas)); maps != 0 {
				t.Errorf("%s: %d panels are lit by nothing", lab, maps)
			}
		}
	}
}
