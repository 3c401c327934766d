package session

import (
	"time"

	"macroscope/model/lab/extras"
	"macroscope/model/wire"
)

// aside is what this lab alone shows beside the run and the models on show.
type aside struct {
	s     *Session
	parts *extras.Parts
}

// look lets the parts follow what is on show.
func (a *aside) look() {
	s := a.s
	now := extras.Now{Run: s.run.described(), Members: s.settings.Members}
	if s.display.revealed&revealPrediction != 0 {
		now.A = s.display.a
	}
	a.parts.Look(now)
}

// work lets the parts compute for about budget each, and reports whether there is more
// to do.
func (a *aside) work(budget time.Duration) (busy bool) {
	if a.parts.None() || !a.s.run.playable() {
		return false
	}
	a.look()
	busy, changed := a.parts.Work(a.s.now, budget)
	a.s.frameStale, a.s.stateStale = a.s.frameStale || changed, a.s.stateStale || changed
	return busy
}

// put adds the parts' rows to a frame.
func (a *aside) put(f *wire.Frame) {
	if !a.parts.None() && a.s.run.playable() {
		a.look()
		a.parts.Put(f)
	}
}
