package session_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/wire"
)

// has returns everything that a change by the user can concern. A change in the middle of a run comes back at its
// beginning.
func (v *visitor) has() string {
	fragment, _, _ := strings.Cut(withoutFrame(v.Fragment()), "&turned=")
	return fragment + " " + runsOf(v.State())
}

// TestHistoryOfWork undoes a drag of particles, which is one change however many commands it takes, and a notice's own
// Undo.
func TestHistoryOfWork(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.seek(0)
		v.settle()
		before := v.row("x")
		for _, to := range []string{"3 0.1 0.1", "3 0.2 0.2", "3 0.3 0.3"} {
			v.apply("drag", "", to)
		}
		v.settle()
		after := v.row("x")
		time.Sleep(2 * time.Second)
		v.set("n", "30") // the notice offers to undo the loss of the edited particles
		v.press("undo")
		v.settle()
		if !slices.Equal(v.row("x"), after) {
			t.Error("the notice's Undo does not bring the edited particles back")
		}
		v.press("back")
		v.settle()
		if !slices.Equal(v.row("x"), before) {
			t.Error("one Undo does not undo the whole drag")
		}
		v.press("forth")
		v.settle()
		if !slices.Equal(v.row("x"), after) {
			t.Error("the drag does not come back")
		}
	})
}

// TestHistoryOfOffers accepts what a notice offers that answers no command: the training that waited for its model has
// replaced another. The changes before must stay in the history.
func TestHistoryOfOffers(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.press("step")
		v.settle()
		v.set("method", "flow-st")
		time.Sleep(2 * time.Second)
		v.set("n", "50")
		v.press("train") // waits for the model of the method
		v.fetch()
		v.press("undo") // back to the run that the training has replaced
		for n := 0; n < 10; n++ {
			if got := v.try(wire.Press, "back", ""); got != nil && got.Error {
				break
			}
		}
		if n := v.State().Values["n"]; n != "60" {
			t.Errorf("after all is undone there are %s particles, want 60", n)
		}
	})
}
