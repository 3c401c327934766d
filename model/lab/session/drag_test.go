package session_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"macroscope/model/lab/session"
	"macroscope/model/lab/view"
	"macroscope/model/wire"
)

// TestDragIsCoarse drags ε on a machine that needs far too long for the finest density. Every
// picture must show the density for its ε, coarsely and at once. The density must become fine
// when ε has been at rest for view.RestAfter, not earlier.
func TestDragIsCoarse(t *testing.T) {
	for _, lab := range []string{"particles", "mixing"} { // a density on a line has only one level
		t.Run(lab, func(t *testing.T) {
			if testing.Short() {
				t.Skip("sessions are tested with SIMD")
			}
			clock, reading := time.Unix(0, 0), time.Duration(0) // reading: the time that each reading of the clock takes
			s := session.NewAt(labOf(t, lab), func() time.Time {
				clock = clock.Add(reading)
				return clock
			})
			v := visiting(t, s, lab)
			rest := func(d time.Duration) {
				clock = clock.Add(d)
				for turn, busy := 0, true; busy && turn < 1000; turn++ {
					was := v.canvas.Numbers("p")
					busy, _ = v.Work(10 * time.Millisecond)
					v.draw()
					if len(was) > 0 && d < view.RestAfter {
						return
					}
				}
			}
			v.apply(wire.Link, "", small[lab]+"&frame=4")
			for range 100 {
				v.fetch()
				rest(20 * time.Millisecond)
			}
			rest(view.RestAfter)
			before := density32(v.picture())
			if len(before) == 0 {
				t.Fatal("there is no density")
			}
			// drag moves ε. Each reading of the clock advances the clock by 13 ms. Even the
			// coarsest density then seems to take longer than the limit for a picture.
			drag := func(eps float64) []float32 {
				reading = 13 * time.Millisecond
				v.set("eps", strconv.FormatFloat(eps, 'g', -1, 64))
				p := density32(v.picture())
				reading = 0
				return p
			}
			for _, eps := range []float64{0.02, 0.03, 0.04, 0.05} {
				p := drag(eps)
				if slices.Equal(p, before) {
					t.Errorf("at ε = %g the density is still that of the last ε", eps)
				}
				before = p
				clock = clock.Add(16 * time.Millisecond)
				v.Work(10 * time.Millisecond)
				if v.draw(); !slices.Equal(density32(&v.canvas), p) {
					t.Errorf("at ε = %g the density becomes fine during the drag", eps)
				}
			}
			// At most 90 ms have passed since the last drag. After the next line, ε has therefore
			// been at rest for at most RestAfter.
			clock = clock.Add(view.RestAfter - 90*time.Millisecond)
			v.Work(10 * time.Millisecond)
			if v.draw(); !slices.Equal(density32(&v.canvas), before) {
				t.Error("the density becomes fine too early")
			}
			rest(view.RestAfter)
			fine := density32(v.picture())
			if slices.Equal(fine, before) {
				t.Error("the density does not become fine at rest")
			}
			// Reading the clock takes no time now, so drawing seems to be fast. The lab must choose
			// finer and finer densities, up to the finest.
			for k := range 81 {
				v.set("eps", []string{"0.03", "0.05"}[k%2])
				v.draw()
			}
			v.set("eps", "0.05")
			if p := density32(v.picture()); slices.Equal(p, before) || len(p) == len(fine) && !slices.Equal(p, fine) {
				t.Error("the fine density after a drag is not the fine density")
			}
			if rest(view.RestAfter); !slices.Equal(density32(v.picture()), fine) {
				t.Error("at rest after a drag, the density is not as fine as before")
			}
		})
	}
}
