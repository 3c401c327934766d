package view_test

import (
	"slices"
	"testing"
	"time"

	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
)

// TestDetail draws a changing picture on machines of different speeds. Every density must be drawn
// from one ẑ at one level, and the level must be the finest that the time allows. When the picture
// rests, the level must become the finest of all.
func TestDetail(t *testing.T) {
	m := shipped(t, "particles-laptop")
	w := view.Window{Lo: [2]float64{-1.3, -1.3}, Hi: [2]float64{1.3, 1.3}}
	for _, tc := range []struct {
		name  string
		cost  time.Duration // time for a picture at the finest level
		level int
	}{
		{"quick", 5 * time.Millisecond, view.Finest},
		{"usual", 25 * time.Millisecond, 1},
		{"slow", 100 * time.Millisecond, 0},
		{"very slow", time.Second, 0},
	} {
		clock := time.Unix(0, 0)
		d, v := view.NewDetail(), view.NewDensity(m)
		sketch := func() {
			calls := 0
			d.Sketch([]*view.Density{v}, func() time.Time {
				if calls++; calls == 2 {
					share := map[int]time.Duration{0: 16, 1: 4, view.Finest: 1}[levelOf(t, m, v, w)]
					clock = clock.Add(tc.cost / share)
				}
				return clock
			}, 12*time.Millisecond)
		}
		z := make([]float32, m.Config.ZDim())
		for k := range 20 {
			z[0] = 0.1 * float32(k)
			v.Aim(w, z)
			sketch()
			v.Evaluate() // begins the finest level
			if level := levelOf(t, m, v, w); k > 0 && level != tc.level {
				t.Fatalf("%s: picture %d has level %d, want %d; -1 is a mixture", tc.name, k, level, tc.level)
			}
			clock = clock.Add(20 * time.Millisecond)
		}
		if rests := d.Rests(clock); rests != (tc.level == view.Finest) {
			t.Errorf("%s: it rests 20 ms after a change: %v", tc.name, rests)
		}
		clock = clock.Add(view.RestAfter)
		if !d.Rests(clock) {
			t.Errorf("%s: it never rests", tc.name)
		}
		for !v.Evaluate() {
		}
		if level := levelOf(t, m, v, w); level != view.Finest {
			t.Errorf("%s: at rest it has level %d", tc.name, level)
		}
	}
}

// levelOf returns the level at which a density is drawn, or -1 for a mixture of levels.
func levelOf(t *testing.T, m *model.Model, v *view.Density, w view.Window) int {
	t.Helper()
	for level := range view.Levels {
		fresh := view.NewDensity(m)
		fresh.Aim(w, v.Aimed())
		fresh.Sketch(level)
		if slices.Equal(fresh.P, v.P) {
			return level
		}
	}
	return -1
}
