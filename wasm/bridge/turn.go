//go:build js && wasm

package bridge

import (
	"math"
	"syscall/js"
	"time"

	"macroscope/model/wire"
)

const (
	workSlice   = 10 * time.Millisecond  // of work between two looks at the messages
	shortSlice  = time.Millisecond       // a turn that worked longer is followed by another at once: a session may stop early, for its helpers' sake
	idleSlice   = 16 * time.Millisecond  // between two turns that had little to do
	hiddenSlice = time.Second            // the same while nobody looks
	framePace   = 33 * time.Millisecond  // between two frames
	promptPace  = 16 * time.Millisecond  // between two frames while the visitor is changing things
	drawnWithin = time.Second            // after which a frame that was not drawn is no longer waited for
	handsOff    = 250 * time.Millisecond // after the visitor did something, for helpers: the cores are the picture's
	statePace   = 100 * time.Millisecond
	sparePace   = 200 * time.Millisecond // between two pieces of a measurement while the lab plays
	spareMost   = 20 * time.Millisecond  // that such a piece may take
	savePace    = 3 * time.Second        // while training
)

// turn works for a slice, sends what is due and arranges the next turn.
func (w *worker) turn() {
	defer w.guard()
	w.hopping = false
	w.cancelTimer()
	if w.dead || w.session == nil {
		return
	}
	began := time.Now()
	w.fetch()
	w.pool.turn()
	if w.changed {
		w.sendDue(began) // the visitor waits for it
	}
	if w.sent > w.drawn && w.presses() {
		w.after(idleSlice)
		return
	}
	busy, notice := w.session.Work(workSlice)
	if !busy { // the last picture of a run, or one with what a helper answered after that
		w.changed, w.spares = true, w.spares || w.busy
	}
	w.busy = busy
	w.notify("", notice)
	now := time.Now()
	short := now.Sub(began) <= shortSlice
	if short && w.spares {
		now = w.spare(now)
	}
	w.sendDue(now)
	switch {
	case w.busy && !short:
		w.hop()
	case w.hidden && w.busy:
		w.after(hiddenSlice)
	case w.busy || w.spares && !w.hidden: // which waits until somebody looks
		w.after(idleSlice)
	default:
		w.afterNextDue(now)
	}
}

// spare lets the session measure the machine for a moment, unless the visitor is
// changing things or the picture moves and the last one has not been drawn. It returns
// the time afterwards.
func (w *worker) spare(now time.Time) time.Time {
	s, ok := w.session.(wire.Sparing)
	most := time.Hour
	if w.busy {
		most = spareMost
	}
	switch {
	case !ok:
		w.spares = false
	case w.hidden, w.presses(), w.sent > w.drawn, w.busy && now.Sub(w.lastSpare) < sparePace:
	default:
		w.spares = s.Spare(most)
		now = time.Now()
		w.lastSpare = now
	}
	return now
}

// sendDue sends the frame, the state and the save that are due.
func (w *worker) sendDue(now time.Time) {
	if (w.busy || w.changed) && w.drawable(now) {
		w.changed = false
		if b := w.session.AppendFrame(w.encoded[:0]); len(b) > 0 {
			w.encoded = b
			w.sendEncoded()
			w.lastFrame = now
		}
	}
	if w.session.StateChanged() {
		w.staleText = true
	}
	if w.staleText && now.Sub(w.lastState) >= statePace {
		w.sendState(now)
	}
	trained := w.trains // and may have come to its end since the last save
	if w.trains = w.session.Training(); (w.trains || trained) && w.saveAt.IsZero() {
		w.saveAt = w.lastSave.Add(savePace)
	}
	if !w.saveAt.IsZero() && !now.Before(w.saveAt) {
		w.save(now)
	}
}

// drawing says whether there is somebody to send frames to.
func (w *worker) drawing() bool { return !w.hidden && !w.port.IsUndefined() }

// presses says whether the visitor is changing things, and waits for pictures.
func (w *worker) presses() bool { return time.Since(w.touched) < handsOff }

// drawable says whether a frame can be sent now.
func (w *worker) drawable(now time.Time) bool {
	return w.drawing() && now.Sub(w.lastFrame) >= w.pace()
}

// pace is the time between the last frame and the next. One that shows what the
// visitor has done does not wait until the last is drawn: it takes its place, or is
// there at once when the canvas is done with that.
func (w *worker) pace() time.Duration {
	switch under := w.sent - w.drawn; {
	case under == 1 && w.asked:
		return 0
	case under > 0:
		return drawnWithin
	case w.changed:
		return promptPace
	}
	return framePace
}

// afterNextDue arranges a turn for what was held back, if anything was.
func (w *worker) afterNextDue(now time.Time) {
	var due []time.Time
	if w.changed && w.drawing() {
		due = append(due, w.lastFrame.Add(w.pace()))
	}
	if w.staleText {
		due = append(due, w.lastState.Add(statePace))
	}
	if !w.saveAt.IsZero() {
		due = append(due, w.saveAt)
	}
	if due = w.pool.due(due); len(due) == 0 {
		w.foresee(now)
		return
	}
	first := due[0]
	for _, t := range due[1:] {
		if t.Before(first) {
			first = t
		}
	}
	w.after(max(first.Sub(now), time.Millisecond))
}

// hop arranges a turn right after the messages that are waiting.
func (w *worker) hop() {
	if !w.hopping {
		w.hopping = true
		w.hopPort.Call("postMessage", js.Null())
	}
}

func (w *worker) after(d time.Duration) {
	ms := math.Ceil(float64(d) / float64(time.Millisecond))
	w.timer = js.Global().Call("setTimeout", w.onTurn, ms)
}

func (w *worker) cancelTimer() {
	if !w.timer.IsUndefined() {
		js.Global().Call("clearTimeout", w.timer)
		w.timer = js.Undefined()
	}
}
