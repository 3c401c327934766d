package scene

import (
	"slices"
	"testing"

	"macroscope/ui/chart"
	"macroscope/ui/panel"
)

// TestTurn turns a set in space with the pointer and with the keys. A drag across the whole map is half a turn, and a
// click turns nothing. A picture that cannot be turned stays.
func TestTurn(t *testing.T) {
	s, commands := open(t, "own", inSpace(30))
	m := s.Panels[2].(*panel.Map)
	drag := func(x, y float32) {
		fromX, fromY := place(s, m, 0, 0)
		toX, toY := place(s, m, x, y)
		s.Pointer(Down, fromX, fromY, false)
		s.Pointer(Move, toX, toY, false)
		s.Advance(0.016)
		s.Pointer(Up, toX, toY, false)
	}
	near := func(want string) {
		t.Helper()
		if len(*commands) == 0 || (*commands)[len(*commands)-1] != want {
			t.Errorf("the commands are %v, want %s at the end", *commands, want)
		}
		*commands = nil
	}
	if drag(0, 0); len(*commands) > 0 {
		t.Errorf("a click sends %v", *commands)
	}
	drag(0.5, 0)
	near("turn 45 0")
	decode(t, s, "own", inSpace(30).with(rows{"turn": []float32{170, 80}}))
	s.Advance(0.016)
	drag(0.5, -0.5)
	near("turn -145 90")

	decode(t, s, "own", inSpace(30).with(turned()))
	s.Advance(0.016)
	for i := 0; s.canvas.Focus != panel.Keyed(m); i++ {
		if press(t, s, "ArrowDown", false); i > len(s.Keys) {
			t.Fatal("the map never gets the keys")
		}
	}
	press(t, s, "ArrowRight", true)
	if len(*commands) > 0 {
		t.Errorf("the crosshair sends %v", *commands)
	}
	press(t, s, "Enter", false)
	press(t, s, "ArrowRight", true)
	near("turn 48 -20")
	press(t, s, "ArrowUp", false)
	near("turn 48 -22")
	press(t, s, "Enter", false)
	press(t, s, "ArrowRight", false)
	flat := inSpace(30).with(rows{"turn": nil})
	decode(t, s, "own", flat)
	s.Advance(0.016)
	if drag(0.5, 0); len(*commands) > 0 {
		t.Errorf("a flat picture sends %v", *commands)
	}
}

// TestOwnPanels checks which panels the picture of an own system has: densities on a line if the particles have one
// coordinate, and a portrait if there is one.
func TestOwnPanels(t *testing.T) {
	of := func(r rows) (line, portrait bool) {
		s, _ := open(t, "own", r)
		for _, p := range s.Panels {
			v, ok := p.(*chart.Chart)
			if !ok || len(v.Marks) == 0 || !shown(v) {
				continue
			}
			switch v.Marks[0].(type) {
			case *chart.Density:
				line = true
			case *chart.Portrait:
				portrait = true
			}
		}
		return line, portrait
	}
	var got []bool
	for _, name := range []string{"playing", "line", "portrayed"} {
		line, portrait := of(pictures["own"][name])
		got = append(got, line, portrait)
	}
	if want := []bool{false, false, true, false, false, true}; !slices.Equal(got, want) {
		t.Errorf("densities on a line and portraits: %v, want %v", got, want)
	}
	s, commands := open(t, "own", pictures["own"]["line"])
	for _, key := range []string{"ArrowDown", "Enter", "Delete"} {
		s.Key(key, false)
	}
	for x := float32(5); x < 400; x += 20 {
		for y := float32(40); y < 560; y += 20 {
			s.Pointer(Down, x, y, false)
			s.Pointer(Up, x, y, false)
		}
	}
	for _, c := range *commands {
		if c[:4] != "seek" && c[:4] != "hold" {
			t.Errorf("a recorded run is edited: %s", c)
		}
	}
}
