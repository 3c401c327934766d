package scene

import (
	"fmt"
	"strings"
	"testing"

	"macroscope/ui/brush"
	"macroscope/ui/chart"
	"macroscope/ui/plot"
)

// boxX returns a point of the picture, in CSS pixels. It has the horizontal position x in the box,
// and lies in the upper third of the box.
func boxX(s *Scene, x float32) (px, py float32) {
	r := s.Panels[1].Rect()
	return (r.X + r.W*(x+0.5)/33) / s.canvas.Unit, (r.Y + 0.3*r.H) / s.canvas.Unit
}

func TestBoundary(t *testing.T) {
	for _, tc := range []struct {
		name string
		tool int
		to   []float32 // where the pointer presses, moves and releases
		want string
	}{
		{"drag", 1, []float32{16.1, 14, 12.4}, "[boundary 14 boundary 12.5]"},
		{"miss", 1, []float32{19, 14, 12}, "[]"},
		{"look", 0, []float32{16, 14, 12}, "[]"},
		{"press on it", 1, []float32{16}, "[]"},
		{"there and back", 1, []float32{16, 12, 16}, "[boundary 12 boundary 16]"},
		{"beyond the walls", 1, []float32{16, -50, 70}, "[boundary 2 boundary 30]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, commands := open(t, "mixing", inBox(0).with(rows{"tool": tc.tool}))
			s.Resize(900, 560, 2)
			s.Advance(0)
			e := Down
			var x, y float32
			for _, to := range tc.to {
				x, y = boxX(s, to)
				s.Pointer(e, x, y, false)
				s.Advance(0.016)
				drawn(t, s)
				e = Move
			}
			s.Pointer(Up, x, y, false)
			s.Advance(0.016)
			s.Advance(0.016)
			if got := fmt.Sprint(*commands); got != tc.want {
				t.Errorf("commands %s, want %s", got, tc.want)
			}
		})
	}
}

// TestBoundaryFollowsTheLab checks that the picture shows the boundary where the user drags it.
// After the release, the picture must show the lab's boundary as soon as the lab has the new
// boundary, or after some frames if the lab keeps the old one.
func TestBoundaryFollowsTheLab(t *testing.T) {
	s, _ := open(t, "mixing", inBox(0))
	says := func() string {
		for s.canvas.Focus != s.Keys[4] {
			s.Key("ArrowDown", false)
		}
		return s.Spoken()
	}
	x, y := boxX(s, 16)
	s.Pointer(Down, x, y, false)
	to, _ := boxX(s, 9)
	s.Pointer(Move, to, y, false)
	s.Advance(0.016)
	decode(t, s, "mixing", inBox(0))
	s.Pointer(Up, to, y, false)
	if got := says(); got != "boundary 9.00" {
		t.Errorf("%s after it was let go, want 9", got)
	}
	for range 8 {
		decode(t, s, "mixing", inBox(0)) // the lab keeps its own boundary
	}
	if got := says(); got != "boundary 16.0" {
		t.Errorf("%s, want the lab's 16", got)
	}
}

func TestMixingKeys(t *testing.T) {
	s, commands := open(t, "mixing", inBox(30))
	reads(t, s,
		"time 12.0, true 0.269, predicted 0.264, band from 0.244, band to 0.284",
		"time 12.0, true 0.279, predicted 0.274, band from 0.254, band to 0.294",
		"time 12.0, ẑ_A −0.250, ẑ_B 0.350",
		"time 12.0, temperature 1.05, energy per atom −0.600",
		"boundary 16.0",
	)
	press(t, s, "ArrowLeft", false)
	press(t, s, "ArrowRight", true)
	if got := fmt.Sprint(*commands); got != "[boundary 15.5 boundary 20.5]" {
		t.Errorf("got %v", got)
	}
	press(t, s, "ArrowDown", false)
	press(t, s, "ArrowLeft", true)
	press(t, s, "ArrowUp", true)
	if got, want := s.Spoken(), "x 12.8, y 19.2, q_A 0.00136, p_θ of A 0.00910, q_B 0.000311, p_θ of B 0.00910"; got != want {
		t.Errorf("reads %q, want %q", got, want)
	}
	press(t, s, "Escape", false)
}

// TestMixingOnAPhone checks that keys cannot select hidden panels.
func TestMixingOnAPhone(t *testing.T) {
	s, _ := open(t, "mixing", inBox(30))
	s.Resize(390, 480, 2)
	s.Advance(0)
	for range 3 {
		s.Key("ArrowDown", false)
	}
	if got := s.Spoken(); got != "boundary 16.0" {
		t.Errorf("reads %q after R_AB and R_BA, want the boundary", got)
	}
}

// TestMixingOnASmallPhone checks that the ratios have room for their curves below the legend on a
// phone of 360×640.
func TestMixingOnASmallPhone(t *testing.T) {
	s, _ := open(t, "mixing", pictures["mixing"]["playing"])
	s.Resize(360, 335, 2)
	s.Advance(0)
	n := 0
	for _, p := range s.Panels {
		if q, ok := p.(*chart.Chart); ok && shown(p) {
			n++
			if h := q.Rect().H / 2; h < 130 {
				t.Errorf("a plot of the ratios is %v pixels high", h)
			}
		}
	}
	if n != 2 {
		t.Errorf("%d plots, want 2", n)
	}
}

// TestMixingFinger checks that a finger can take the boundary from farther away than a mouse,
// and that the values at a finger stay visible when the finger is lifted.
func TestMixingFinger(t *testing.T) {
	for _, touch := range []bool{false, true} {
		s, _ := open(t, "mixing", inBox(0))
		x, y := boxX(s, 17)
		s.Pointer(Down, x, y, touch)
		if got := s.Spoken() == "boundary 17.0"; got != touch {
			t.Errorf("touch %v: held %v", touch, got)
		}
		s.Pointer(Cancel, x, y, touch)
		s.Pointer(Move, x+40, y, touch)
		if s.Spoken() == "boundary 17.0" {
			t.Errorf("touch %v: the boundary is still held", touch)
		}
	}
	s, _ := open(t, "mixing", inBox(0))
	x, y := boxX(s, 8.2)
	s.Pointer(Move, x, y, true)
	s.Pointer(Leave, x, y, true)
	if got := s.Spoken(); !strings.HasPrefix(got, "x 8.20") {
		t.Errorf("reads %q", got)
	}
}

// TestBoundaryPreview checks that at frame 0 the boundary determines the atoms' colours while
// the user drags it.
func TestBoundaryPreview(t *testing.T) {
	s, _ := open(t, "mixing", inBox(0))
	count := func() (n [2]int) {
		for _, v := range drawn(t, s).Vertices {
			for i, ink := range brush.Light().Species {
				if ink == (plot.Color{R: v.ColorR, G: v.ColorG, B: v.ColorB, A: v.ColorA}) {
					n[i]++
				}
			}
		}
		return n
	}
	before := count()
	x, y := boxX(s, 16)
	s.Pointer(Down, x, y, false)
	x, _ = boxX(s, 26)
	s.Pointer(Move, x, y, false)
	s.Advance(0.016)
	// The boundary moves from 16 to 26. Three columns of nine atoms, at 16, 20 and 24, change
	// their species. Each atom is drawn with four vertices.
	if n := count(); n[0]-before[0] != 4*27 || before[1]-n[1] != 4*27 {
		t.Errorf("from %v to %v vertices, want 108 more and fewer", before, n)
	}
}
