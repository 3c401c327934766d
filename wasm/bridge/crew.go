//go:build js && wasm

package bridge

import (
	"errors"
	"fmt"
	"syscall/js"
	"time"

	"macroscope/model/wire"
)

const (
	ahead       = 2               // jobs that a helper may have, so that it never waits
	helperLives = 3               // deaths after which no more helpers are started
	helperRest  = 3 * time.Second // without a use for a helper before it is let go
)

// crew is the workers that compute for a session. They are started by
// startHelper, which the worker's script defines, and end with this worker.
//
// Messages to a helper: {type: "job", bytes}. From it: "ready", "done" with
// bytes, or "failed" with text, one for each job in its order.
type crew struct {
	worker  *worker
	session wire.Crewed // nil if the session has no use for helpers
	helpers []*hand     // by their number; nil where there is none
	most    int
	deaths  int
	idle    time.Time // since when fewer were wanted; zero while they are not
}

// hand is one helper as its session's worker sees it.
type hand struct {
	worker    js.Value
	ready     bool
	open      int // jobs without an answer
	onmessage js.Func
	onerror   js.Func
}

// begin lets all helpers go and serves the worker's present session.
func (c *crew) begin() {
	for k := range c.helpers {
		c.dismiss(k)
	}
	c.helpers, c.deaths, c.idle = c.helpers[:0], 0, time.Time{}
	c.session, _ = c.worker.session.(wire.Crewed)
	if c.session == nil {
		return
	}
	cores := 1
	if n := js.Global().Get("navigator").Get("hardwareConcurrency"); n.Type() == js.TypeNumber {
		cores = max(1, n.Int())
	}
	c.most = cores - 1
	if js.Global().Get("startHelper").Type() != js.TypeFunction {
		c.most = 0
	}
	c.session.Cores(c.most + 1)
}

// turn starts the helpers that are wanted, lets those go that have long not
// been, and hands out jobs.
func (c *crew) turn() {
	if c.session == nil {
		return
	}
	want := min(c.session.Hands(), c.most)
	for k := range want {
		if k == len(c.helpers) {
			c.helpers = append(c.helpers, nil)
		}
		if c.helpers[k] == nil && c.deaths < helperLives {
			c.start(k)
		}
	}
	c.rest(want)
	for k := range c.helpers {
		c.give(k)
	}
}

// rest lets helpers go that are not wanted, after a while: a training's stages
// follow one another, and a helper that starts has everything to learn.
func (c *crew) rest(want int) {
	if len(c.helpers) <= want {
		c.idle = time.Time{}
		return
	}
	if c.idle.IsZero() {
		c.idle = time.Now()
	}
	if time.Since(c.idle) < helperRest {
		return
	}
	for k := want; k < len(c.helpers); k++ {
		if c.helpers[k] != nil {
			c.dismiss(k)
			c.session.Lost(k)
		}
	}
	c.helpers = c.helpers[:want]
}

func (c *crew) start(k int) {
	h := &hand{worker: js.Global().Call("startHelper", c.session.Lab())}
	if h.worker.Type() != js.TypeObject { // this browser's workers start none
		c.most = 0
		return
	}
	h.onmessage = js.FuncOf(func(_ js.Value, args []js.Value) any {
		c.receive(k, args[0].Get("data"))
		return nil
	})
	h.onerror = js.FuncOf(func(_ js.Value, args []js.Value) any {
		args[0].Call("preventDefault")
		c.die(k)
		return nil
	})
	h.worker.Set("onmessage", h.onmessage)
	h.worker.Set("onerror", h.onerror)
	c.helpers[k] = h
}

// dismiss ends helper k without a word to the session.
func (c *crew) dismiss(k int) {
	h := c.helpers[k]
	if h == nil {
		return
	}
	c.helpers[k] = nil
	h.worker.Set("onmessage", js.Null())
	h.worker.Set("onerror", js.Null())
	h.worker.Call("terminate")
	h.onmessage.Release()
	h.onerror.Release()
}

func (c *crew) die(k int) {
	defer c.worker.guard()
	c.deaths++
	c.dismiss(k)
	c.session.Lost(k)
	c.worker.hop()
}

func (c *crew) receive(k int, data js.Value) {
	defer c.worker.guard()
	h := c.helpers[k]
	if h == nil || c.worker.dead {
		return
	}
	switch data.Get("type").String() {
	case "ready":
		h.ready = true
	case "done":
		h.open--
		c.worker.notify("", c.session.Done(k, bytesFromJS(data.Get("bytes")), nil))
	case "failed":
		h.open--
		c.worker.notify("", c.session.Done(k, nil, errors.New(data.Get("text").String())))
	case "fatal":
		c.die(k)
		return
	}
	c.give(k)
	c.worker.hop()
}

// give hands jobs to helper k until it has enough or there are no more, unless
// the picture needs the cores.
func (c *crew) give(k int) {
	h := c.helpers[k]
	if h == nil || !h.ready || c.worker.presses() {
		return
	}
	for h.open < ahead {
		job := c.session.Job(k)
		if job == nil {
			return
		}
		h.open++
		b := bytesToJS(job)
		m := message("job")
		m.Set("bytes", b)
		transfer := js.Global().Get("Array").New(1)
		transfer.SetIndex(0, b.Get("buffer"))
		h.worker.Call("postMessage", m, transfer)
	}
}

// helper is the other end: a worker that does jobs.
type helper struct {
	jobs  wire.Helper
	scope js.Value
}

func newHelper(jobs wire.Helper, scope js.Value) *helper { return &helper{jobs, scope} }

func (h *helper) listen() {
	h.scope.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		h.do(args[0].Get("data"))
		return nil
	}))
	h.scope.Call("postMessage", message("ready"))
}

func (h *helper) do(data js.Value) {
	defer func() {
		if r := recover(); r != nil {
			m := message("fatal")
			m.Set("text", fmt.Sprint(r))
			h.scope.Call("postMessage", m)
		}
	}()
	if data.Type() != js.TypeObject || data.Get("type").String() != "job" {
		return
	}
	result, err := h.jobs.Do(bytesFromJS(data.Get("bytes")))
	if err != nil {
		m := message("failed")
		m.Set("text", err.Error())
		h.scope.Call("postMessage", m)
		return
	}
	b := bytesToJS(result)
	m := message("done")
	m.Set("bytes", b)
	transfer := js.Global().Get("Array").New(1)
	transfer.SetIndex(0, b.Get("buffer"))
	h.scope.Call("postMessage", m, transfer)
}
