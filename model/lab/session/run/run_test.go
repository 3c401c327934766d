package run_test

import (
	"testing"
	"time"

	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/run"
	"macroscope/model/system/particles"
)

// TestRun begins, plays, seeks and edits a run, and checks which event each action reports.
func TestRun(t *testing.T) {
	r := run.New(particles.System(), true)
	if r.Playable() || r.Frame() != 0 {
		t.Errorf("before it begins: playable %v, frame %d", r.Playable(), r.Frame())
	}
	event := func(what string, want effect.Event) func(effect.Effect, error) {
		return func(e effect.Effect, err error) {
			t.Helper()
			if err != nil || e.Run != want || !e.Picture {
				t.Errorf("%s: event %d, picture %v, error %v; want event %d", what, e.Run, e.Picture, err, want)
			}
		}
	}
	event("generate", effect.Began)(r.Generate(run.Playing))
	if !r.Playable() || r.Frame() != run.Playing {
		t.Errorf("begun: playable %v, frame %d", r.Playable(), r.Frame())
	}
	clock := time.Now()
	now := func() time.Time { clock = clock.Add(20 * time.Millisecond); return clock }
	for range 5 {
		r.Advance(now, 1, 10*time.Millisecond)
	}
	if r.Live().Player().Now() == 0 {
		t.Error("it plays and stays at frame 0")
	}
	event("seek", effect.Sought)(r.Seek("3"))
	event("next", effect.Moved)(r.Next())
	if _, err := r.Seek("far"); err == nil {
		t.Error("it goes to frame far")
	}
	for r.Live().Player().Busy() {
		r.Advance(now, 1, 10*time.Millisecond)
	}
	e, handled, err := r.Edit("drag", "3 0.5 0.25")
	if !handled || err != nil || e.Run == effect.None {
		t.Errorf("drag: handled %v, event %d, error %v", handled, e.Run, err)
	}
	was := r.Work()
	event("another", effect.Began)(r.Generate(0))
	if text := r.Gone(&was, "another"); text == "" {
		t.Error("nothing is said of the particles that were dragged")
	}
	event("bring back", effect.Began)(r.Open(r.Live().Settings(), was, 0))
	if text := r.Gone(&was, "undo"); text != "" {
		t.Errorf("brought back, and %s", text)
	}
	unfit := was
	unfit.Particles = was.Particles[1:]
	e, err = r.Open(r.Live().Settings(), unfit, 0)
	if err == nil || e.Run != effect.Began || r.Work().Particles != nil {
		t.Errorf("with particles that do not fit: event %d, error %v; want a run without them", e.Run, err)
	}
}
