//go:build js && wasm

package bridge

import (
	"errors"
	"fmt"
	"math"
	"syscall/js"
	"time"

	"github.com/norunners/vert"

	"macroscope/model/wire"
)

// Session is what runs in the worker.
type Session interface {
	// Wants names a file of the bundle, relative to the page, that the session
	// would like to have fetched; "" is none.
	Wants() string
	// Fetched hands over the file that Wants named, or why it could not be had.
	// A nil Notice, here and below, means that there is nothing to say.
	Fetched(name string, data []byte, err error) *wire.Notice
	// Apply carries a command out.
	Apply(wire.Command) *wire.Notice
	// Work computes for about budget and says whether there is more to do soon.
	Work(budget time.Duration) (busy bool, notice *wire.Notice)
	// Frame fills f and returns true if the picture has changed since the last call.
	Frame(f *wire.Frame) bool
	// StateChanged says whether State differs from its last result.
	StateChanged() bool
	State() wire.State
	// Saved is all that a later session needs to go on from here; nil while there
	// is nothing worth keeping.
	Saved() []byte
	// Checkpoint is the model as a file for the visitor to keep.
	Checkpoint() (name string, data []byte, err error)
}

const (
	workSlice   = 10 * time.Millisecond // of work between two looks at the messages
	idleSlice   = 16 * time.Millisecond // between two turns that had little to do
	hiddenSlice = time.Second           // the same while nobody looks
	framePace   = 33 * time.Millisecond // between two frames
	promptPace  = 16 * time.Millisecond // between two frames while the visitor is changing things
	statePace   = 100 * time.Millisecond
	savePace    = 3 * time.Second        // while training
	saveDelay   = 400 * time.Millisecond // after a change of the visitor's
)

// RunWorker serves s over the messages of the worker's global scope. It does
// not return.
//
// Messages in: {type: "command", command, bytes}, {type: "port", port} with the
// port that frames go to, {type: "visible", visible}, {type: "flush"} to save at
// once; the session begins with the first of them. Messages out: "ready", "state",
// "notice", "saved", "checkpoint", "fatal", each an object whose type says so.
//
// Every turn works for about 10 ms and then hops through a MessageChannel,
// because a busy goroutine would keep messages waiting.
func RunWorker(s Session) {
	newWorker(s, js.Global()).listen()
	select {}
}

type worker struct {
	session Session
	scope   js.Value // the worker's global scope
	port    js.Value // to the canvas; undefined before there is one
	hopPort js.Value

	frame    wire.Frame
	encoded  []byte // the last frame, sent again to a canvas that starts anew
	onTurn   js.Func
	timer    js.Value
	hopping  bool // a turn is on its way through the MessageChannel
	hidden   bool // nobody looks at the page
	fetching bool
	dead     bool // a panic left the session in doubt

	busy      bool // what the last Work said
	changed   bool // the picture may have changed other than by work in progress
	staleText bool // the shell has not seen the latest State
	training  bool // as the last State said
	lastFrame time.Time
	lastState time.Time
	lastSave  time.Time
	saveAt    time.Time // zero: nothing to save
}

func newWorker(s Session, scope js.Value) *worker {
	w := &worker{session: s, scope: scope, lastSave: time.Now()}
	w.onTurn = js.FuncOf(func(js.Value, []js.Value) any {
		w.turn()
		return nil
	})
	channel := js.Global().Get("MessageChannel").New()
	w.hopPort = channel.Get("port1")
	channel.Get("port2").Set("onmessage", w.onTurn)
	return w
}

func (w *worker) listen() {
	w.scope.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		w.receive(args[0].Get("data"))
		return nil
	}))
	w.post(message("ready"))
}

func message(kind string) js.Value {
	m := js.Global().Get("Object").New()
	m.Set("type", kind)
	return m
}

// post sends m to the shell and transfers the buffer of bytes, if there is one.
func (w *worker) post(m js.Value, bytes ...js.Value) {
	transfer := js.Global().Get("Array").New()
	for i, b := range bytes {
		transfer.SetIndex(i, b.Get("buffer"))
	}
	w.scope.Call("postMessage", m, transfer)
}

// guard ends the session on a panic, with a sentence for the visitor.
func (w *worker) guard() {
	if r := recover(); r != nil {
		w.dead = true
		m := message("fatal")
		m.Set("text", fmt.Sprintf("The session stopped on an error of its own (%v).", r))
		w.post(m)
	}
}

func (w *worker) receive(data js.Value) {
	defer w.guard()
	if w.dead || data.Type() != js.TypeObject {
		return
	}
	switch data.Get("type").String() {
	case "command":
		w.command(data)
	case "port":
		w.port = data.Get("port")
		w.changed = true
		if len(w.encoded) > 0 {
			w.sendEncoded()
		}
	case "visible":
		w.hidden = !data.Get("visible").Truthy()
		w.changed = true // since it was last seen
	case "flush":
		w.save(time.Now())
	}
	w.hop()
}

func (w *worker) command(data js.Value) {
	var c wire.Command
	if err := fromJS(&c, data.Get("command")); err != nil {
		w.notify("", &wire.Notice{Text: err.Error(), Error: true})
		return
	}
	c.Data = bytesFromJS(data.Get("bytes"))
	if c.Kind == wire.Save {
		w.sendCheckpoint()
		return
	}
	w.notify(c.Kind, w.session.Apply(c))
	w.changed = true
	w.sendState(time.Now()) // even when refused: the shell's control has to go back
	if at := time.Now().Add(saveDelay); w.saveAt.IsZero() || at.Before(w.saveAt) {
		w.saveAt = at
	}
}

// turn works for a slice, sends what is due and arranges the next turn.
func (w *worker) turn() {
	defer w.guard()
	w.hopping = false
	w.cancelTimer()
	if w.dead {
		return
	}
	began := time.Now()
	w.fetch()
	busy, notice := w.session.Work(workSlice)
	w.changed = w.changed || w.busy && !busy // the last picture of a run
	w.busy = busy
	w.notify("", notice)
	now := time.Now()
	w.sendDue(now)
	switch {
	case w.busy && now.Sub(began) > workSlice/2:
		w.hop()
	case w.busy && w.hidden:
		w.after(hiddenSlice)
	case w.busy:
		w.after(idleSlice)
	default:
		w.afterNextDue(now)
	}
}

// sendDue sends the frame, the state and the save that are due.
func (w *worker) sendDue(now time.Time) {
	if w.drawing() && (w.busy || w.changed) && now.Sub(w.lastFrame) >= w.pace() {
		w.changed = false
		if w.session.Frame(&w.frame) {
			w.encoded = w.frame.AppendTo(w.encoded[:0])
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
	if w.training && w.saveAt.IsZero() {
		w.saveAt = w.lastSave.Add(savePace)
	}
	if !w.saveAt.IsZero() && !now.Before(w.saveAt) {
		w.save(now)
	}
}

// drawing says whether there is somebody to send frames to.
func (w *worker) drawing() bool { return !w.hidden && !w.port.IsUndefined() }

func (w *worker) pace() time.Duration {
	if w.changed {
		return promptPace
	}
	return framePace
}

// afterNextDue arranges a turn for what was held back, if anything was.
func (w *worker) afterNextDue(now time.Time) {
	var due []time.Time
	if w.changed && w.drawing() {
		due = append(due, w.lastFrame.Add(promptPace))
	}
	if w.staleText {
		due = append(due, w.lastState.Add(statePace))
	}
	if !w.saveAt.IsZero() {
		due = append(due, w.saveAt)
	}
	if len(due) == 0 {
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

// fetch gets the file that the session wants by way of fetchBytes, which the
// worker's script defines.
func (w *worker) fetch() {
	name := w.session.Wants()
	if name == "" || w.fetching {
		return
	}
	w.fetching = true
	var got, failed js.Func
	settle := func(data []byte, err error) {
		got.Release()
		failed.Release()
		defer w.guard()
		w.fetching = false
		w.notify("", w.session.Fetched(name, data, err))
		w.changed = true
		w.sendState(time.Now())
		w.hop()
	}
	got = js.FuncOf(func(_ js.Value, args []js.Value) any {
		settle(bytesFromJS(args[0]), nil)
		return nil
	})
	failed = js.FuncOf(func(_ js.Value, args []js.Value) any {
		settle(nil, errors.New(args[0].Get("message").String()))
		return nil
	})
	w.scope.Call("fetchBytes", name).Call("then", got, failed)
}

func (w *worker) sendEncoded() {
	b := bytesToJS(w.encoded)
	transfer := js.Global().Get("Array").New(1)
	transfer.SetIndex(0, b.Get("buffer"))
	w.port.Call("postMessage", b, transfer)
}

func (w *worker) sendState(now time.Time) {
	w.session.StateChanged()
	state := w.session.State()
	w.staleText, w.lastState = false, now
	w.training = state.Status == wire.Training.String()
	m := message("state")
	v, err := toJS(state)
	if err != nil {
		panic(err)
	}
	m.Set("state", v)
	w.post(m)
}

// notify sends n, if there is one, with the kind of the command that it answers.
func (w *worker) notify(kind string, n *wire.Notice) {
	if n == nil {
		return
	}
	v, err := toJS(*n)
	if err != nil {
		panic(err)
	}
	m := message("notice")
	m.Set("kind", kind)
	m.Set("notice", v)
	w.post(m)
}

func (w *worker) save(now time.Time) {
	w.saveAt, w.lastSave = time.Time{}, now
	saved := w.session.Saved()
	if saved == nil {
		return
	}
	state := w.session.State()
	b := bytesToJS(saved)
	m := message("saved")
	m.Set("bytes", b)
	m.Set("fragment", state.Fragment)
	m.Set("running", state.Status == wire.Training.String())
	w.post(m, b)
}

func (w *worker) sendCheckpoint() {
	name, data, err := w.session.Checkpoint()
	if err != nil {
		w.notify(wire.Save, &wire.Notice{Text: fmt.Sprintf("The model cannot be saved: %v.", err), Error: true})
		return
	}
	b := bytesToJS(data)
	m := message("checkpoint")
	m.Set("name", name)
	m.Set("bytes", b)
	w.post(m, b)
}

// toJS converts a message, whose fields carry js tags. vert panics on what it
// cannot convert.
func toJS(v any) (out js.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("bridge: %T has no form in JavaScript: %v", v, r)
		}
	}()
	return vert.ValueOf(v).JSValue(), nil
}

// fromJS fills dst from a message. What the message does not mention is zero
// afterwards; a field of the wrong type is an error.
func fromJS(dst any, v js.Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("The page sent a message that cannot be read: %v.", r)
		}
	}()
	if v.Type() != js.TypeObject {
		return errors.New("The page sent a message that is not an object.")
	}
	if err := (vert.Value{Value: v}).AssignTo(dst); err != nil {
		return fmt.Errorf("The page sent a message that cannot be read: %v.", err)
	}
	return nil
}

func bytesToJS(b []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(a, b)
	return a
}

// bytesFromJS copies a Uint8Array; anything else is nil.
func bytesFromJS(v js.Value) []byte {
	if !v.InstanceOf(js.Global().Get("Uint8Array")) {
		return nil
	}
	b := make([]byte, v.Get("length").Int())
	js.CopyBytesToGo(b, v)
	return b
}
