//go:build js && wasm

package bridge

import (
	"maps"
	"math"
	"syscall/js"
	"time"
)

const (
	workSlice   = 10 * time.Millisecond  // duration of work between two checks for messages
	shortSlice  = time.Millisecond       // longest duration of a turn with little to do; a pause follows such a turn
	idleSlice   = 16 * time.Millisecond  // pause between two turns that had little to do
	hiddenSlice = time.Second            // replaces idleSlice while the page is hidden
	framePace   = 33 * time.Millisecond  // time between two frames
	trainPace   = 250 * time.Millisecond // time between two frames during a training, while nothing moves but its curves and densities
	promptPace  = 16 * time.Millisecond  // time between two frames while the user is changing something
	drawnWithin = time.Second            // time after which the worker no longer waits for a frame to be drawn
	handsOff    = 250 * time.Millisecond // time after a user's command during which helpers get no jobs, because the picture needs the cores
	statePace   = 100 * time.Millisecond
	savePace    = 2 * time.Second  // time between two saves during training
	mostUnsafe  = 4 * time.Second  // training time that a reload may lose; after this time, training waits until a save is stored
	storedSoon  = 30 * time.Second // longest time for which training waits for a save
	heldPace    = time.Second      // time between two "state" messages while training waits
)

// turn works for a slice, sends the messages that are due, and schedules the next turn.
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
		w.sendDue(began) // the user is waiting for the result of a command
	}
	held := w.unsafe(began)
	if held && began.Sub(w.lastState) >= heldPace {
		w.sendState(began) // otherwise the page would count the silent worker as dead
	}
	if held || w.sent > w.drawn && w.presses() {
		w.after(idleSlice)
		return
	}
	busy, notice := w.session.Work(workSlice)
	w.renew()
	if !busy { // a run may just have ended, or a helper may have answered late: send the last picture
		w.changed = true
	}
	w.busy = busy
	w.notify("", notice)
	now := time.Now()
	w.sendDue(now)
	switch {
	case w.busy && now.Sub(began) > shortSlice:
		w.hop()
	case w.hidden && w.busy:
		w.after(hiddenSlice)
	case w.busy:
		w.after(idleSlice)
	default:
		w.afterNextDue(now)
	}
}

// sendDue sends the frame, the state and the save that are due at this time.
func (w *worker) sendDue(now time.Time) {
	if (w.busy || w.changed) && w.drawable(now) {
		w.changed = false
		if b := w.session.AppendFrame(w.encoded[:0]); len(b) > 0 {
			w.encoded = b
			w.sendEncoded()
			w.lastFrame = now
			w.busy = true // a coarse picture is drawn again in full detail when it is at rest
		}
	}
	if w.session.StateChanged() {
		w.staleText = true
	}
	if w.staleText && now.Sub(w.lastState) >= statePace {
		w.sendState(now)
	}
	trained := w.trains // a training may have ended since the last save
	if w.trains = w.session.Training(); (w.trains || trained) && w.saveAt.IsZero() {
		w.saveAt = w.lastSave.Add(savePace)
	}
	if !w.saveAt.IsZero() && !now.Before(w.saveAt) {
		w.save(now)
	}
}

// unsafe reports whether training must wait until the page has stored the last save.
func (w *worker) unsafe(now time.Time) bool {
	if !w.trains {
		w.safe = now
	}
	ahead := now.Sub(w.safe)
	return len(w.storing) > 0 && ahead > mostUnsafe && ahead < mostUnsafe+storedSoon
}

// stored is called when the page has stored a save, or cannot store it.
func (w *worker) stored(save int) {
	if at, ok := w.storing[save]; ok {
		w.safe = at
		maps.DeleteFunc(w.storing, func(other int, _ time.Time) bool { return other <= save })
	}
}

// drawing reports whether there is a visible canvas for frames.
func (w *worker) drawing() bool { return !w.hidden && !w.port.IsUndefined() }

// presses reports whether the user is changing something and therefore waits for pictures.
func (w *worker) presses() bool { return time.Since(w.touched) < handsOff }

// drawable reports whether a frame can be sent now.
func (w *worker) drawable(now time.Time) bool {
	return w.drawing() && now.Sub(w.lastFrame) >= w.pace()
}

// pace returns the time from one frame to the next. A frame that shows a change by the user does
// not wait until the previous frame has been drawn. The canvas draws it after the previous frame,
// or skips the previous frame.
func (w *worker) pace() time.Duration {
	switch under := w.sent - w.drawn; {
	case under == 1 && w.asked:
		return 0
	case under > 0:
		return drawnWithin
	case w.changed:
		return promptPace
	case w.trains && !w.plays:
		return trainPace // more pictures would take time from the training
	}
	return framePace
}

// afterNextDue schedules a turn for delayed messages, if any.
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

// hop schedules a turn directly after the waiting messages.
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
