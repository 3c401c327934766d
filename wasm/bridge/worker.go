//go:build js && wasm

package bridge

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"syscall/js"
	"time"

	"macroscope/model/wire"
)

const (
	saveDelay = 400 * time.Millisecond // time from a change by the user to the save

	// memoryLimit is the memory in use, in bytes, above which garbage is collected at once. A
	// program in WebAssembly ends if it needs more than 4 GiB.
	memoryLimit = 3 << 30

	// The bytes of a large file stay in memory. With the usual setting, as many bytes of garbage would be tolerated.
	largeFile    = 16 << 20
	largePercent = 25
)

// Labs opens the labs of a worker.
type Labs interface {
	// Open returns a session of a lab in its opening state, or nil if the lab is unknown.
	Open(lab string) wire.Session
	// Linked returns the lab that a URL fragment names.
	Linked(fragment string) string
	// Helper returns the helper for the jobs of a lab's sessions, or nil if the lab has no
	// jobs.
	Helper(lab string) wire.Helper
}

// RunWorker runs sessions, one at a time, controlled by messages to the worker's global scope.
// If the worker is a helper of another worker, RunWorker does the jobs of the other worker's
// session. It does not return.
//
// Messages to the worker, with their fields:
//
//	"command"  command, bytes
//	"port"     port: the port for frames and the answers to them (see Canvas)
//	"visible"  visible: whether the page is visible
//	"flush"    the worker must save at once
//	"stored"   save: number of a save that the page has stored or cannot store
//	"leave"    the worker must save, because another worker takes over
//
// The first command begins a session. If the command is a link or a saved session, it names the
// lab. Otherwise the lab is the demo. A link to another lab ends the session and begins a session
// in that lab.
//
// Messages from the worker are "ready", "panel" (at the start of a session), "state", "notice",
// "saved", "file", "left" and "fatal". A "state" contains the number of commands received before
// it, and whether a training is running.
//
// Every turn works for about 10 ms. The next turn is scheduled through a MessageChannel,
// because a goroutine that runs without pause would block messages.
//
// If the worker's script has set the JavaScript variable `plain`, RunWorker calls the function
// `plain`, which switches SIMD off.
//
// write returns the HTML of a panel (see package markup). It is nil if the page has all panels.
func RunWorker(labs Labs, plain func() (restore func()), write func(*wire.Panel, *wire.State) map[string]string) {
	debug.SetMemoryLimit(memoryLimit)
	scope := js.Global()
	if scope.Get("plain").Truthy() {
		plain()
	}
	if lab := scope.Get("helperOf"); lab.Type() == js.TypeString {
		newHelper(labs.Helper(lab.String()), scope).listen()
	} else {
		w := newWorker(labs, scope)
		w.write = write
		w.listen()
	}
	select {}
}

type worker struct {
	labs    Labs
	session wire.Session // nil before the first command
	write   func(*wire.Panel, *wire.State) map[string]string
	pool    pool
	scope   js.Value // the worker's global scope
	port    js.Value // port to the canvas; undefined before there is a canvas
	hopPort js.Value

	commands int       // number of commands received
	encoded  []byte    // the last frame
	sent     int       // number of frames sent to the canvas
	drawn    int       // how many of the sent frames the canvas has drawn
	asked    bool      // whether the user has given a command since the last frame
	touched  time.Time // time of the user's latest command
	onTurn   js.Func
	onDrawn  js.Func
	timer    js.Value
	hopping  bool   // whether the message for the next turn is in the MessageChannel
	hidden   bool   // whether the page is hidden
	file     string // the file that is being fetched; "": none
	fetches  int    // number of fetches so far
	dead     bool   // whether a panic has left the session in an unknown state

	busy      bool // result of the last call of session.Work
	trains    bool // result of the last call of session.Training
	plays     bool // whether a run was playing when the shell last received the State
	changed   bool // whether something other than session.Work may have changed the picture
	staleText bool // whether the shell has not received the latest State
	lastFrame time.Time
	lastState time.Time
	lastSave  time.Time
	saveAt    time.Time // time of the next save; zero: nothing to save
	saves     int       // number of saves so far
	safe      time.Time // a reload would lose only the training after this time
	// storing contains the saves that have not been stored yet. It maps their numbers to their
	// times.
	storing map[int]time.Time
	unsaved bool // whether the last save failed and the user has been told
	// given contains the keys of the parts of the last save. The page has these parts, so the
	// next save does not send them again.
	given map[string]bool
}

func newWorker(labs Labs, scope js.Value) *worker {
	w := &worker{labs: labs, scope: scope, lastSave: time.Now(), storing: make(map[int]time.Time)}
	w.pool.worker = w
	w.onTurn = js.FuncOf(func(js.Value, []js.Value) any {
		w.turn()
		return nil
	})
	w.onDrawn = js.FuncOf(func(_ js.Value, args []js.Value) any {
		switch answer := args[0].Get("data"); {
		case answer.Type() == js.TypeNumber:
			w.drawn = min(w.sent, answer.Int())
		case answer.Type() == js.TypeString && answer.String() == needsWhole:
			w.drawn = w.sent
			w.startPicture()
		}
		if w.changed || w.presses() {
			w.hop()
		}
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
	w.post(message("ready", nil))
}

// fields contains the fields of a message, except its type, as arguments of js.ValueOf.
type fields map[string]any

func message(kind string, with fields) js.Value {
	m := js.ValueOf(map[string]any(with))
	m.Set("type", kind)
	return m
}

// post sends m to a worker, to a port, or to the page or worker that started this one. m contains
// the arrays `bytes`. The buffers of these arrays are transferred instead of copied.
func post(to, m js.Value, bytes ...js.Value) {
	var transfer []any
	for _, b := range bytes {
		transfer = append(transfer, b.Get("buffer"))
	}
	to.Call("postMessage", m, transfer)
}

// post sends m to the shell.
func (w *worker) post(m js.Value, bytes ...js.Value) { post(w.scope, m, bytes...) }

// guard ends the session after a panic, with a sentence for the user.
func (w *worker) guard() {
	if r := recover(); r != nil {
		w.dead = true
		stack := make([]byte, 16<<10)
		w.post(message("fatal", fields{
			"text":  fmt.Sprintf("The session stopped on an error of its own (%v).", r),
			"stack": string(stack[:runtime.Stack(stack, false)]), // where the panic occurred, for bug reports
		}))
	}
}

func (w *worker) receive(data js.Value) {
	defer w.guard()
	if w.dead || data.Type() != js.TypeObject {
		return
	}
	switch data.Get("type").String() {
	case "command":
		w.commands++
		w.staleText = true // the number of commands has changed
		w.command(data)
	case "port":
		if !w.port.IsUndefined() {
			w.port.Set("onmessage", js.Null())
		}
		w.port = data.Get("port")
		w.port.Set("onmessage", w.onDrawn)
		w.sent, w.drawn = 0, 0
		w.startPicture()
	case "visible":
		w.hidden = !data.Get("visible").Truthy()
		w.changed = true // the picture may have changed while the page was hidden
	case "flush":
		w.save(time.Now())
	case "stored":
		w.stored(data.Get("save").Int())
	case "leave":
		w.save(time.Now())
		w.post(message("left", nil))
	}
	w.hop()
}

// startPicture makes the next frame a whole picture that is due at once.
func (w *worker) startPicture() {
	if w.session != nil {
		w.session.Forget()
	}
	w.changed, w.lastFrame = true, time.Time{}
}

func (w *worker) command(data js.Value) {
	var c wire.Command
	if err := fromJS(&c, data.Get("command")); err != nil {
		w.notify("", &wire.Notice{Text: err.Error(), Error: true})
		return
	}
	c.Data = bytesFromJS(data.Get("bytes"))
	if len(c.Data) >= largeFile {
		free(data.Get("bytes"))
		debug.SetGCPercent(largePercent)
	}
	if !w.enter(c) {
		return
	}
	if c.Kind == wire.Save {
		w.sendFile(c.Name)
		return
	}
	n := w.session.Apply(c)
	w.renew()
	w.notify(c.Kind, n)
	w.changed, w.asked, w.touched = true, true, time.Now()
	w.sendState(time.Now()) // sent even after a rejected command, so that the shell's control returns to the old value
	if at := time.Now().Add(saveDelay); w.saveAt.IsZero() || at.Before(w.saveAt) {
		w.saveAt = at
	}
}

// enter prepares the session for a command. If a link or a saved session belongs to another lab,
// enter saves the present session and begins a session in the other lab. If the other lab does not
// exist, enter returns false and keeps the present session. If the first command names no existing
// lab, enter begins a session in the demo.
func (w *worker) enter(c wire.Command) bool {
	lab := wire.Demo
	if c.Kind == wire.Restore {
		w.given = nil // a reloaded page lacks the parts of the last save, so the next save sends all of them
	}
	switch {
	case c.Kind == wire.Link, c.Kind == wire.Restore:
		lab = w.labs.Linked(c.Value)
	case w.session != nil:
		return true
	}
	if w.session != nil && w.session.Lab() == lab {
		return true
	}
	next := w.labs.Open(lab)
	if next == nil {
		w.notify(c.Kind, &wire.Notice{Text: fmt.Sprintf("The link is for a lab called %.24q, which this version does not have.", lab), Error: true})
		if w.session != nil {
			return false
		}
		next = w.labs.Open(wire.Demo)
	}
	if w.session != nil {
		w.save(time.Now())
	}
	w.endFetch()
	w.session, w.encoded, w.saveAt, w.unsaved = next, w.encoded[:0], time.Time{}, false
	w.beginSession()
	return next.Lab() == lab
}

// beginSession begins work on the session, and shows its panel.
func (w *worker) beginSession() {
	w.busy, w.trains, w.given = false, false, nil
	w.pool.begin()
	panel := w.session.Panel()
	if w.write != nil {
		panel.HTML = w.write(panel, new(wire.State))
	}
	w.post(message("panel", fields{"lab": w.session.Lab(), "panel": toJS(*panel)}))
}

// renew begins again if the session has begun anew.
func (w *worker) renew() {
	if s, ok := w.session.(wire.Renewing); ok && s.Renewed() {
		w.endFetch()
		w.beginSession()
		w.startPicture()
	}
}

// fetch gets the file that the session wants. It ends the fetch of a file that the session no longer
// wants. The worker's script defines the JavaScript functions fetchBytes and endFetch.
func (w *worker) fetch() {
	name := w.session.Wants()
	if name == w.file {
		return
	}
	w.endFetch()
	if name == "" {
		return
	}
	w.file = name
	w.fetches++
	mine := w.fetches
	w.get(name, func(data []byte, err error) {
		if w.file == "" || w.fetches != mine {
			return // the fetch was ended
		}
		w.file = ""
		n := w.session.Fetched(name, data, err)
		w.renew()
		w.notify("", n)
		w.changed = true
		w.sendState(time.Now())
		w.hop()
	})
}

// endFetch ends the fetch in progress, if there is one.
func (w *worker) endFetch() {
	if w.file != "" {
		w.file = ""
		w.scope.Call("endFetch")
	}
}

// get fetches a file and passes its content, or an error, to `take`.
func (w *worker) get(name string, take func(data []byte, err error)) {
	var got, failed js.Func
	settle := func(data []byte, err error) {
		got.Release()
		failed.Release()
		defer w.guard()
		take(data, err)
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
	post(w.port, b, b)
	w.sent++
	w.asked = false
}

func (w *worker) sendState(now time.Time) {
	w.session.StateChanged()
	w.staleText, w.lastState = false, now
	state := w.session.State()
	w.plays = state.Playing
	w.post(message("state", fields{"state": toJS(state), "commands": w.commands, "trains": w.session.Training()}))
}

// notify sends the notice n with the kind of the command that n answers. If n is nil, notify does
// nothing.
func (w *worker) notify(kind string, n *wire.Notice) {
	if n == nil {
		return
	}
	w.post(message("notice", fields{"kind": kind, "notice": toJS(*n)}))
}

func (w *worker) save(now time.Time) {
	w.saveAt, w.lastSave = time.Time{}, now
	if w.session == nil {
		return
	}
	saved, err := w.session.Saved()
	if err != nil && !w.unsaved {
		w.notify("", &wire.Notice{Text: fmt.Sprintf("What you have here cannot be saved in this browser: %v. After a reload the lab goes on from what was saved last; save the model as a file to keep it.", err), Error: true})
	}
	if w.unsaved = err != nil; saved == nil {
		return
	}
	given := make(map[string]bool)
	var parts []any
	var transfer []js.Value
	for _, part := range saved {
		p := map[string]any{"key": part.Key}
		if part.Key == "" || !w.given[part.Key] {
			b := bytesToJS(part.Bytes())
			p["bytes"] = b
			transfer = append(transfer, b)
		}
		given[part.Key] = true
		parts = append(parts, p)
	}
	w.given = given
	w.saves++
	w.storing[w.saves] = now
	w.post(message("saved", fields{
		"save": w.saves, "lab": w.session.Lab(), "parts": parts, "fragment": w.session.Fragment(), "running": w.session.Status() == wire.Training,
	}), transfer...)
}

func (w *worker) sendFile(what string) {
	name, data, err := w.session.Save(what)
	if err != nil {
		w.notify(wire.Save, &wire.Notice{Text: fmt.Sprintf("The file cannot be made: %v.", err), Error: true})
		return
	}
	b := bytesToJS(data)
	w.post(message("file", fields{"name": name, "bytes": b}), b)
}
