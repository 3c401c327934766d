package scene

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"macroscope/model/wire"
	"macroscope/ui/panel"
)

// find moves the pointer from the left to the right of a panel until a tip begins with `want`. It
// returns the pointer's position in CSS pixels. The pointer's distance from the panel's upper edge
// is the fraction `share` of the panel's height.
func find(t *testing.T, s *Scene, p panel.Panel, share float32, want string) (x, y float32) {
	t.Helper()
	r, unit := p.Rect(), s.canvas.Unit
	y = (r.Y + share*r.H) / unit
	for px := r.X; px < r.Right(); px++ {
		s.Pointer(Move, px/unit, y, false)
		if strings.HasPrefix(s.Spoken(), want) {
			return px / unit, y
		}
	}
	t.Fatalf("nothing of %T is read as %q", p, want)
	return 0, 0
}

// rugY is the y of the particles' ticks, as a share of the panel's height.
const rugY = 0.92

func TestRug(t *testing.T) {
	type step struct {
		e Event
		x float32 // CSS pixels right of the particle at 0
		y float32 // CSS pixels above the particles
	}
	for _, tc := range []struct {
		name  string
		touch bool
		steps []step
		want  string // expected commands. The position of an added particle is omitted if x < 2
	}{
		{"add", false, []step{{Down, 60, 0}, {Up, 60, 0}}, "add"},
		{"add by finger", true, []step{{Down, -30, 0}, {Up, -30, 0}}, "add"},
		{"remove", false, []step{{Down, 2, 0}, {Up, 2, 0}}, "remove 0"},
		{"move", false, []step{{Down, 1, 0}, {Move, 40, 0}, {Move, 70, 60}, {Up, 70, 60}}, "remove 0, add"},
		{"move past the end", false, []step{{Down, 1, 0}, {Move, 4000, 0}, {Up, 4000, 0}}, "remove 0, add 2"},
		{"swipe", true, []step{{Down, 60, 0}, {Move, 110, 0}, {Up, 110, 0}}, ""},
		{"scroll", true, []step{{Down, 60, 0}, {Cancel, 60, 30}}, ""},
		{"scroll, then lift", true, []step{{Down, 60, 0}, {Cancel, 60, 30}, {Up, 60, 30}}, ""},
		{"in the plot", false, []step{{Down, 60, 150}, {Up, 60, 150}}, ""},
		{"press in the plot, release on the rug", false, []step{{Down, 60, 150}, {Up, 60, 0}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, unit := range []float32{1, 2} {
				s, commands := open(t, wire.Demo, onLine())
				s.Resize(1280, 800, unit)
				s.Advance(0.016)
				x, y := find(t, s, s.Panels[0], rugY, "remove 0")
				for _, st := range tc.steps {
					s.Pointer(st.e, x+5+st.x, y-st.y, tc.touch)
					drawn(t, s)
				}
				var got []string
				for _, c := range *commands {
					if v, _ := strconv.ParseFloat(strings.Fields(c)[1], 64); strings.HasPrefix(c, "add") && v < 2 {
						c = "add"
					}
					got = append(got, c)
				}
				if got := strings.Join(got, ", "); got != tc.want {
					t.Errorf("got %q, want %q", got, tc.want)
				}
			}
		})
	}
}

func TestLineShapesAndWords(t *testing.T) {
	s, _ := open(t, wire.Demo, onLine())
	s.Resize(1280, 800, 1)
	s.Advance(0)
	for _, tc := range []struct {
		panel int
		y     float32
		says  string
		shape panel.Shape
	}{
		{0, 0.4, "x 0", panel.Cross},
		{0, rugY, "add at 1.0", panel.Hand},
		{0, rugY, "remove −0.500", panel.Slide},
		{1, 0.5, "dimension 2, closure variable −1.50", panel.Hand},
		{2, 0.5, "step 41, loss 1.37", panel.Cross},
		{3, 0.5, "step 100, KL 0.368", panel.Cross},
	} {
		x, y := find(t, s, s.Panels[tc.panel], tc.y, tc.says)
		if got := s.Shape(); got != tc.shape {
			t.Errorf("over %q the shape is %v, want %v", tc.says, got, tc.shape)
		}
		s.Pointer(Leave, x, y, false)
		if s.Spoken() != "" || s.Shape() != panel.Arrow {
			t.Errorf("%q is still read", tc.says)
		}
	}
	x, y := find(t, s, s.Panels[0], 0.4, "x 0")
	s.Pointer(Move, x, y, true)
	s.Pointer(Leave, x, y, true)
	if s.Spoken() == "" {
		t.Error("a lifted finger took its reading along")
	}
}

func TestLineKeys(t *testing.T) {
	s, commands := open(t, wire.Demo, onLine())
	for _, k := range []string{"Enter", "Delete", "Escape", "s", "Tab"} {
		if s.Key(k, false) {
			t.Errorf("%s was used", k)
		}
	}
	for _, k := range []string{"ArrowRight", "ArrowRight", "ArrowLeft"} {
		if !s.Key(k, false) {
			t.Errorf("%s was not used", k)
		}
	}
	s.Key("ArrowRight", true)
	if got, want := s.Spoken(), "x 0.220, target 0.908, learned 0.817, mixture 0.953"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.Key("Enter", false)
	s.Key("Delete", false)
	s.Key("End", false)
	s.Key("ArrowRight", true)
	s.Key("Enter", false)
	if got, want := fmt.Sprint(*commands), "[add 0.22 remove 0.25 add 2]"; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	drawn(t, s)
	if !s.Key("Escape", false) || s.Spoken() != "" {
		t.Error("Escape left the crosshair")
	}
}

// TestLineBars drags a bar of ẑ with the mouse, a finger and the keys.
func TestLineBars(t *testing.T) {
	for _, tc := range []struct {
		name        string
		touch, keys bool
		ends        Event
		want        string // the dimension of ẑ that each command sets
	}{
		{"mouse", false, false, Up, "2 2 2"},
		{"finger", true, false, Up, "2 2"},
		{"finger that scrolls", true, false, Cancel, ""},
		{"keys", false, true, Up, "2 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, commands := open(t, wire.Demo, onLine())
			s.Resize(1280, 800, 1)
			s.Advance(0)
			x, y := find(t, s, s.Panels[1], 0.5, "dimension 2")
			switch {
			case tc.keys:
				for _, k := range []string{"ArrowDown", "ArrowDown", "ArrowRight"} {
					s.Key(k, false)
				}
				s.Key("ArrowUp", true)
				s.Key("ArrowDown", true)
			default:
				s.Pointer(Down, x, y, tc.touch)
				if tc.ends == Up {
					s.Pointer(Move, x, y-10, tc.touch)
				}
				s.Pointer(tc.ends, x, y-10, tc.touch)
				s.Pointer(Move, x, y-20, tc.touch) // a move after the release drags nothing
				if tc.name == "mouse" {
					s.Pointer(Down, x, y-20, tc.touch)
					s.Pointer(Up, x, y-20, tc.touch)
				}
			}
			drawn(t, s)
			var of []string
			var values []float64
			for _, c := range *commands {
				fields := strings.Fields(c)
				if fields[0] != "holdz" || len(fields) != 3 {
					t.Fatalf("command %q", c)
				}
				v, _ := strconv.ParseFloat(fields[2], 64)
				of, values = append(of, fields[1]), append(values, v)
			}
			if got := strings.Join(of, " "); got != tc.want {
				t.Errorf("components %q, want %q", got, tc.want)
			}
			if tc.name == "mouse" && !slices.IsSorted(values) || tc.keys && !(values[0] > -1.5 && values[1] < -1.5) {
				t.Errorf("values %v", values)
			}
		})
	}
}

// TestLineBarsStay shows a model that decodes nothing: its bars cannot be dragged.
func TestLineBarsStay(t *testing.T) {
	f := onLine()
	f["noDensity"] = 1
	s, commands := open(t, wire.Demo, f)
	s.Resize(1280, 800, 1)
	s.Advance(0)
	x, y := find(t, s, s.Panels[1], 0.5, "dimension 2")
	if s.Pointer(Down, x, y, false); s.Shape() != panel.Arrow || len(*commands) > 0 {
		t.Errorf("commands %v", *commands)
	}
}

func TestSpikyTargetIsExact(t *testing.T) {
	s, _ := open(t, wire.Demo, pictures[wire.Demo]["spiky"])
	s.Key("Home", false)
	for range 100 { // until the crosshair is at the particle at 0
		s.Key("ArrowRight", false)
	}
	// At one of the five particles, the target is a fifth of the height of that particle's kernel.
	want := fmt.Sprintf("%.2f", 1/(5*1e-8*math.Sqrt(2*math.Pi))/1e6)
	if got := s.Spoken(); !strings.Contains(got, "target "+want+"×10⁶") {
		t.Errorf("reads %q, want a target of %s×10⁶", got, want)
	}
}
