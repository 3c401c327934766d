//go:build js && wasm

package bridge

import (
	"errors"
	"fmt"
	"slices"
	"syscall/js"
	"time"

	"macroscope/model/wire"
)

const (
	ahead       = 2               // jobs that a helper has at a time, so that it never waits
	helperLives = 3               // after this number of deaths, no more helpers are started
	helperRest  = 3 * time.Second // a helper without work is stopped after this time

	// A working helper reports between two pieces of a job. A piece takes no longer than a piece of
	// work in the session's own worker. After more than helperPatience silent ticks, the helper
	// counts as dead. The pool counts ticks instead of seconds, because in a frozen page the
	// helpers are frozen too.
	alivePace                  = time.Second
	helperTick, helperPatience = 2 * time.Second, 6
)

// helpersGone is the notice when no more helpers are started.
const helpersGone = "Several workers that help the lab compute have stopped by themselves, so no more are started: nothing is lost, but what it computes takes longer. Reload the page to start them again."

// pool holds the helpers of a session. startHelper, which the worker's script defines, starts a
// helper. All helpers end with this worker.
//
// A helper receives messages "job" with bytes. It first sends "ready". It answers the jobs in
// order, with "done" and bytes, or with "failed" and a text. Between the pieces of a job it sends
// "alive". If a job has panicked, it sends "fatal" with a text. A browser may end a worker without
// notice. A helper is therefore stopped after "fatal", and also after a long silence. Other workers
// then do its jobs.
type pool struct {
	worker  *worker
	session wire.Pooled // nil if the session does not use helpers
	helpers []*hand     // by number; nil if there is no such helper
	most    int
	deaths  int
	idle    time.Time // time since which some helpers have not been needed; zero if all are needed
	ticked  time.Time // time of the last check of the helpers
}

// hand is one helper, as the session's worker sees it.
type hand struct {
	worker    js.Value
	ready     bool
	open      int // number of jobs without an answer
	silent    int // number of ticks since the last message
	onmessage js.Func
	onerror   js.Func
}

// begin stops all helpers, and prepares the pool for the worker's present session.
func (p *pool) begin() {
	for k := range p.helpers {
		p.dismiss(k)
	}
	p.helpers, p.deaths, p.idle = p.helpers[:0], 0, time.Time{}
	p.session, _ = p.worker.session.(wire.Pooled)
	if p.session == nil {
		return
	}
	cores := 1
	if n := js.Global().Get("navigator").Get("hardwareConcurrency"); n.Type() == js.TypeNumber {
		cores = max(1, n.Int())
	}
	p.most = cores - 1
	if js.Global().Get("startHelper").Type() != js.TypeFunction {
		p.most = 0
	}
	p.session.Cores(p.most + 1)
}

// turn starts helpers that are needed, stops helpers that have been idle for long, and gives
// jobs to helpers.
func (p *pool) turn() {
	if p.session == nil {
		return
	}
	p.tick()
	want := min(p.session.Helpers(), p.most)
	for k := range want {
		if k == len(p.helpers) {
			p.helpers = append(p.helpers, nil)
		}
		if p.helpers[k] == nil && p.deaths < helperLives {
			p.start(k)
		}
	}
	p.rest(want)
	for k := range p.helpers {
		p.give(k)
	}
}

// rest stops helpers that have not been needed for a while. It does not stop them at once,
// because the stages of a training follow one another, and a new helper has to load everything
// again.
func (p *pool) rest(want int) {
	if len(p.helpers) <= want {
		p.idle = time.Time{}
		return
	}
	if p.idle.IsZero() {
		p.idle = time.Now()
	}
	if time.Since(p.idle) < helperRest {
		return
	}
	for k := want; k < len(p.helpers); k++ {
		if p.helpers[k] != nil {
			p.dismiss(k)
			p.session.Lost(k)
		}
	}
	p.helpers, p.idle = p.helpers[:want], time.Time{}
}

// due appends the times at which the pool needs a turn: to give out jobs again when the picture no
// longer needs the cores, to stop helpers, or to check whether helpers are alive.
func (p *pool) due(times []time.Time) []time.Time {
	if p.session != nil && p.worker.presses() {
		times = append(times, p.worker.touched.Add(handsOff))
	}
	if !p.idle.IsZero() {
		times = append(times, p.idle.Add(helperRest))
	}
	if slices.ContainsFunc(p.helpers, (*hand).owes) {
		times = append(times, p.ticked.Add(helperTick))
	}
	return times
}

// owes reports whether a message of the helper is due.
func (h *hand) owes() bool { return h != nil && (!h.ready || h.open > 0) }

// tick stops helpers that have not sent a message in time.
func (p *pool) tick() {
	if time.Since(p.ticked) < helperTick {
		return
	}
	p.ticked = time.Now()
	for k, h := range p.helpers {
		if !h.owes() {
			continue
		}
		if h.silent++; h.silent > helperPatience {
			p.die(k)
		}
	}
}

func (p *pool) start(k int) {
	h := &hand{worker: js.Global().Call("startHelper", p.session.Lab())}
	if h.worker.Type() != js.TypeObject { // workers in this browser cannot start workers
		p.most = 0
		return
	}
	h.onmessage = js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.receive(k, args[0].Get("data"))
		return nil
	})
	h.onerror = js.FuncOf(func(_ js.Value, args []js.Value) any {
		args[0].Call("preventDefault")
		p.die(k)
		return nil
	})
	h.worker.Set("onmessage", h.onmessage)
	h.worker.Set("onerror", h.onerror)
	p.helpers[k] = h
}

// dismiss stops helper k without telling the session.
func (p *pool) dismiss(k int) {
	h := p.helpers[k]
	if h == nil {
		return
	}
	p.helpers[k] = nil
	h.worker.Set("onmessage", js.Null())
	h.worker.Set("onerror", js.Null())
	h.worker.Call("terminate")
	h.onmessage.Release()
	h.onerror.Release()
}

func (p *pool) die(k int) {
	defer p.worker.guard()
	p.dismiss(k)
	p.session.Lost(k)
	if p.deaths++; p.deaths == helperLives {
		p.worker.notify("", &wire.Notice{Text: helpersGone})
	}
	p.worker.hop()
}

func (p *pool) receive(k int, data js.Value) {
	defer p.worker.guard()
	h := p.helpers[k]
	if h == nil || p.worker.dead {
		return
	}
	h.silent = 0
	switch data.Get("type").String() {
	case "alive":
		return
	case "ready":
		h.ready = true
	case "done":
		h.open--
		p.worker.notify("", p.session.Done(k, bytesFromJS(data.Get("bytes")), nil))
	case "failed":
		h.open--
		p.worker.notify("", p.session.Done(k, nil, errors.New(data.Get("text").String())))
	case "fatal":
		p.die(k)
		return
	}
	p.give(k)
	p.worker.hop()
}

// The method `give` sends jobs to helper k until the helper has enough or no jobs are left. While
// the picture needs the cores, helpers get no jobs.
func (p *pool) give(k int) {
	h := p.helpers[k]
	if h == nil || !h.ready || p.worker.presses() {
		return
	}
	for h.open < ahead {
		job := p.session.Job(k)
		if job == nil {
			return
		}
		if h.open == 0 {
			h.silent = 0
		}
		h.open++
		b := bytesToJS(job)
		post(h.worker, message("job", fields{"bytes": b}), b)
	}
}

// helper is a worker that does the jobs of another worker's session.
type helper struct {
	jobs  wire.Helper
	scope js.Value
	said  time.Time // time of the last message
}

func newHelper(jobs wire.Helper, scope js.Value) *helper { return &helper{jobs: jobs, scope: scope} }

func (h *helper) listen() {
	h.scope.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		h.do(args[0].Get("data"))
		return nil
	}))
	post(h.scope, message("ready", nil))
}

// The method `alive` sends a message that the helper is alive. It does nothing if the helper has
// sent this message recently.
func (h *helper) alive() {
	if now := time.Now(); now.Sub(h.said) >= alivePace {
		h.said = now
		post(h.scope, message("alive", nil))
	}
}

func (h *helper) do(data js.Value) {
	defer func() {
		if r := recover(); r != nil {
			post(h.scope, message("fatal", fields{"text": fmt.Sprint(r)}))
		}
	}()
	if data.Type() != js.TypeObject || data.Get("type").String() != "job" {
		return
	}
	result, err := h.jobs.Do(bytesFromJS(data.Get("bytes")), h.alive)
	if err != nil {
		post(h.scope, message("failed", fields{"text": err.Error()}))
		return
	}
	b := bytesToJS(result)
	post(h.scope, message("done", fields{"bytes": b}), b)
}
