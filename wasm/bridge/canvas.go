//go:build js && wasm

package bridge

import (
	"errors"
	"fmt"
	"syscall/js"

	"macroscope/model/wire"
)

// needsWhole requests a complete frame. The canvas sends it if a frame only lists changes to an
// earlier frame, and the earlier frame has not arrived.
const needsWhole = "whole"

// View is the picture.
type View interface {
	// Frame reads the bytes of the next picture. The bytes are valid until Frame returns. After
	// an error the last picture stays.
	Frame(b []byte) error
	// Snapshot requests the pixels of the next picture, for Canvas.Picture.
	Snapshot()
	// SetTheme chooses dark or light paper. If `still` is true, values jump instead of gliding.
	SetTheme(dark, still bool)
	// SetZoom enlarges everything by a factor of 1 or more.
	SetZoom(factor float64)
	// SetLight dims all but one part of the picture; "" dims nothing.
	SetLight(part string)
	// SetPlain leaves out all but the main parts of the picture, and its numbers.
	SetPlain(on bool)
	// Pointer handles the pointer event with the DOM name `event` at (x, y), in CSS pixels.
	Pointer(event string, x, y float64, touch bool)
	// Key handles a key by its DOM name and reports whether the view used the key.
	Key(key string, shift bool) bool
}

// Canvas is the picture's page, inside the shell's page.
//
// Messages from the shell, with their fields:
//
//	"port"      port: the port for frames
//	"theme"     dark, reducedMotion
//	"zoom"      factor
//	"light"     part
//	"plain"     on
//	"snapshot"
//	"program"   program; the page's script handles this message
//	"title"     text: the picture's name; the page's script handles this message
//
// A message on the port for frames is the bytes of a wire.Frame. When the canvas has drawn the
// latest frame, it answers with the number of frames received so far. If a frame only lists changes
// to an earlier frame, and the earlier frame has not arrived, the answer is needsWhole.
//
// Messages to the shell, with their fields:
//
//	"ready"     the first picture has been drawn
//	"drawn"     frames: number of frames drawn so far
//	"command"   kind, value
//	"key"       key, shift, repeat: a key that the picture does not use
//	"hover"     text: the values under the pointer
//	"signs"     names, places: the symbols in the picture, with x, y, width and
//	            height of each in CSS pixels
//	"error"     text: a sentence
//	"picture"   width, height, bytes: a snapshot, with red, green, blue and
//	            alpha of each pixel
//
// The page's script also sends "contextlost", "reload" and "files".
type Canvas struct {
	view    View
	bytes   []byte
	port    js.Value
	arrived int      // number of frames from the port
	owes    bool     // whether the sender waits for the answer to a frame
	drawn   js.Value // port to this page itself; a message through it marks the end of an animation frame
	shell   js.Value
	origin  string
	resting bool
	element js.Value // the page's <canvas>
	keeps   bool     // whether vertical drags go to the picture
	pressed bool     // whether the pointer has been pressed and not released
}

// OpenCanvas returns the canvas in the page of this program.
func OpenCanvas() *Canvas {
	return newCanvasOf(js.Global().Get("parent"), js.Global().Get("location").Get("origin").String())
}

// newCanvasOf returns a canvas for a shell with this origin.
func newCanvasOf(shell js.Value, origin string) *Canvas {
	c := &Canvas{shell: shell, origin: origin}
	channel := js.Global().Get("MessageChannel").New()
	c.drawn = channel.Get("port1")
	channel.Get("port2").Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		c.port.Call("postMessage", args[0].Get("data"))
		return nil
	}))
	return c
}

// Attach passes the page's messages, pointer and keys to v.
func (c *Canvas) Attach(v View) {
	c.view = v
	prefers := func(query string) bool {
		return js.Global().Call("matchMedia", query).Get("matches").Bool()
	}
	v.SetTheme(prefers("(prefers-color-scheme: dark)"), prefers("(prefers-reduced-motion: reduce)"))
	listen(js.Global(), "message", c.receive)
	listen(js.Global(), "keydown", c.key)
	c.element = js.Global().Get("document").Call("querySelector", "canvas")
	for _, event := range [...]string{"pointerdown", "pointermove", "pointerup", "pointerleave", "pointercancel", lostCapture} {
		listen(c.element, event, func(e js.Value) { c.pointer(event, e) })
	}
}

const lostCapture = "lostpointercapture"

// pointer passes an event of the pointer to the view. The release of a pointer may be lost, for example to
// another window; then the pointer moves with no button pressed, and its press is cancelled first.
func (c *Canvas) pointer(event string, e js.Value) {
	if !e.Get("isPrimary").Bool() || event == "pointerdown" && e.Get("button").Int() != 0 {
		return
	}
	send := func(event string) {
		c.view.Pointer(event, e.Get("clientX").Float(), e.Get("clientY").Float(), e.Get("pointerType").String() == "touch")
	}
	if c.pressed && (event == lostCapture || event == "pointermove" && e.Get("buttons").Int()&1 == 0) {
		c.pressed = false
		send("pointercancel")
	}
	switch event {
	case lostCapture:
		return
	case "pointerdown":
		c.pressed = true
		// With the pointer captured, the page also receives the end of a drag outside the frame.
		c.element.Call("setPointerCapture", e.Get("pointerId"))
	case "pointerup", "pointercancel":
		c.pressed = false
	}
	send(event)
}

// listen calls f for every event of a kind, before any handler of an inner element.
func listen(target js.Value, event string, f func(js.Value)) {
	target.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	}), true)
}

func (c *Canvas) receive(e js.Value) {
	data := e.Get("data")
	if e.Get("origin").String() != c.origin || data.Type() != js.TypeObject {
		return
	}
	switch data.Get("type").String() {
	case "port":
		c.connect(data.Get("port"))
	case "theme":
		c.view.SetTheme(data.Get("dark").Truthy(), data.Get("reducedMotion").Truthy())
	case "zoom":
		if factor := data.Get("factor"); factor.Type() == js.TypeNumber {
			c.view.SetZoom(factor.Float())
		}
	case "light":
		if part := data.Get("part"); part.Type() == js.TypeString {
			c.view.SetLight(part.String())
		}
	case "plain":
		c.view.SetPlain(data.Get("on").Truthy())
	case "snapshot":
		c.view.Snapshot()
	}
}

// connect makes the given port the only source of the canvas's frames.
func (c *Canvas) connect(port js.Value) {
	if port.Type() != js.TypeObject {
		return
	}
	if !c.port.IsUndefined() {
		c.port.Call("close")
	}
	c.port, c.arrived = port, 0
	port.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		c.frame(args[0].Get("data"))
		return nil
	}))
}

// frame passes a frame's bytes, a Uint8Array or an ArrayBuffer, to the view.
func (c *Canvas) frame(data js.Value) {
	if data.InstanceOf(js.Global().Get("ArrayBuffer")) {
		data = js.Global().Get("Uint8Array").New(data)
	}
	if !data.InstanceOf(js.Global().Get("Uint8Array")) {
		c.Fail(fmt.Errorf("A picture arrived that is not a list of bytes; it was left out."))
		return
	}
	n := data.Length()
	if cap(c.bytes) < n {
		c.bytes = make([]byte, n)
	}
	c.bytes = c.bytes[:n]
	js.CopyBytesToGo(c.bytes, data)
	c.owes = true
	c.arrived++
	err := c.view.Frame(c.bytes)
	if errors.Is(err, wire.ErrBase) {
		c.owes = false
		c.port.Call("postMessage", needsWhole)
		return
	}
	if err != nil {
		c.Answer() // the frame will not be drawn, so the answer is sent now
		c.Fail(fmt.Errorf("A picture arrived that cannot be read (%w); it was left out.", err))
	}
}

// key passes a key to the view. If the view does not use the key, it goes to the shell. The browser
// keeps its own keys: Tab, F1 to F12, and everything with Ctrl, Alt or Cmd but Z.
func (c *Canvas) key(e js.Value) {
	key, shift := e.Get("key").String(), e.Get("shiftKey").Bool()
	if (key == "z" || key == "Z") && (e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool()) {
		e.Call("preventDefault")
		c.send("key", fields{"key": "Control+z", "shift": shift, "repeat": false})
		return
	}
	if e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool() || e.Get("altKey").Bool() ||
		key == "Tab" || len(key) > 1 && key[0] == 'F' && key[1] >= '0' && key[1] <= '9' {
		return
	}
	if c.view.Key(key, shift) {
		e.Call("preventDefault")
		return
	}
	if key == " " { // the space bar would scroll the page
		e.Call("preventDefault")
	}
	c.send("key", fields{"key": key, "shift": shift, "repeat": e.Get("repeat")})
}

// send posts a message to the shell.
func (c *Canvas) send(kind string, with fields) {
	c.shell.Call("postMessage", message(kind, with), c.origin)
}

// Picture sends the pixels of a snapshot (h, w, 4).
func (c *Canvas) Picture(pixels []byte, w, h int) {
	c.send("picture", fields{"width": w, "height": h, "bytes": bytesToJS(pixels)})
}

// Command sends a wire.Command.
func (c *Canvas) Command(kind, value string) {
	c.send("command", fields{"kind": kind, "value": value})
}

// Animate switches the page's animation frames on or off. They are off while the picture does
// not change.
func (c *Canvas) Animate(on bool) {
	if on == c.resting {
		c.resting = !on
		js.Global().Call("animate", on)
	}
}

// Keep makes vertical drags of a finger go to the picture if `on` is true. Otherwise they scroll
// the page, as the page's style says.
func (c *Canvas) Keep(on bool) {
	if on == c.keeps {
		return
	}
	c.keeps = on
	style := ""
	if on {
		style = "none"
	}
	c.element.Get("style").Set("touchAction", style)
}

// Ready tells the shell that the first picture has been drawn.
func (c *Canvas) Ready() {
	c.send("ready", nil)
}

// Drawn tells the shell how many frames have been drawn so far.
func (c *Canvas) Drawn(frames int) {
	c.send("drawn", fields{"frames": frames})
}

// Answer tells the sender that the latest frame has been drawn, as soon as the browser has
// finished drawing. If the sender made the next frame earlier, that frame would have to wait
// and would miss the user's latest input.
func (c *Canvas) Answer() {
	if c.owes {
		c.owes = false
		c.drawn.Call("postMessage", c.arrived)
	}
}

// Spoken sends the values under the pointer in words, or "" if there are none.
func (c *Canvas) Spoken(text string) {
	c.send("hover", fields{"text": text})
}

// Signs sends the symbols in the picture, with their places.
func (c *Canvas) Signs(names []string, places []float64) {
	c.send("signs", fields{"names": toJS(names), "places": toJS(places)})
}

// Fail sends an error to the shell.
func (c *Canvas) Fail(err error) {
	c.send("error", fields{"text": err.Error()})
}
