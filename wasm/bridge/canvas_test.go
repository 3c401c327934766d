//go:build js && wasm

package bridge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall/js"
	"testing"
	"time"

	"macroscope/model/wire"
)

// viewer is a View that records its calls.
type viewer struct {
	frames     []string
	snapshots  int
	dark, stay bool
	zoom       float64
	lit        string
	keys       []string
	uses       string // the key that the view reports as used
	pointer    []string
}

func (v *viewer) Pointer(event string, _, _ float64, _ bool) {
	v.pointer = append(v.pointer, strings.TrimPrefix(event, "pointer"))
}

func (v *viewer) Frame(b []byte) error {
	switch string(b) {
	case "bad":
		return errors.New("it is bad")
	case "late":
		return fmt.Errorf("scene: %w", wire.ErrBase)
	}
	v.frames = append(v.frames, string(b))
	return nil
}
func (v *viewer) Snapshot()                 { v.snapshots++ }
func (v *viewer) SetTheme(dark, still bool) { v.dark, v.stay = dark, still }
func (v *viewer) SetLight(part string)      { v.lit = part }
func (v *viewer) SetPlain(bool)             {}
func (v *viewer) SetZoom(factor float64)    { v.zoom = factor }
func (v *viewer) Key(key string, shift bool) bool {
	v.keys = append(v.keys, key)
	return key == v.uses
}

func newCanvas(t *testing.T) (*Canvas, *viewer, *page) {
	p := newPage(t)
	v := &viewer{}
	c := newCanvasOf(p.scope, "https://lab.example")
	c.view = v
	return c, v, p
}

func event(origin string, data js.Value) js.Value {
	return object("origin", origin, "data", data)
}

func TestCanvasTakesFrames(t *testing.T) {
	c, v, p := newCanvas(t)
	answers, last := 0, js.Undefined()
	answer := js.FuncOf(func(_ js.Value, args []js.Value) any {
		answers++
		last = args[0]
		return nil
	})
	defer answer.Release()
	c.port = object("postMessage", answer)
	for step := range 3 {
		data := bytesToJS([]byte{'f', byte('0' + step)})
		if step == 1 {
			data = data.Get("buffer")
		}
		c.frame(data)
	}
	for _, bad := range []js.Value{bytesToJS([]byte("bad")), js.Null(), js.Undefined(), js.ValueOf("MSF1"), js.ValueOf(3), object("length", 1e9)} {
		c.frame(bad)
		if text := p.next(t, "error").Get("text").String(); !strings.HasPrefix(text, "A picture arrived that") {
			t.Errorf("got %q", text)
		}
	}
	if want := []string{"f0", "f1", "f2"}; !slices.Equal(v.frames, want) {
		t.Errorf("got %q, want %q", v.frames, want)
	}
	await := func(n int) {
		for answers < n {
			time.Sleep(time.Millisecond)
		}
	}
	await(1) // the answer to the unreadable frame
	answers = 0
	c.frame(bytesToJS([]byte("f3")))
	c.Answer()
	c.Answer()
	if answers != 0 {
		t.Error("a frame is answered in the midst of drawing it")
	}
	await(1)
	if answers != 1 || last.Int() != 5 {
		t.Errorf("one frame was answered %d times, last by %v", answers, last)
	}
	c.frame(bytesToJS([]byte("late")))
	c.Answer() // sends nothing, because the frame has already been answered with the text needsWhole
	await(2)
	if answers != 2 || last.String() != needsWhole || len(p.got) != 0 {
		t.Errorf("a frame without the one before was answered by %v, and %d messages to the visitor", last, len(p.got))
	}
}

func TestCanvasGivesItsPicture(t *testing.T) {
	c, v, p := newCanvas(t)
	c.receive(event(c.origin, object("type", "snapshot")))
	if v.snapshots != 1 {
		t.Fatalf("%d snapshots were asked for, want 1", v.snapshots)
	}
	c.Picture([]byte{1, 2, 3, 255, 4, 5, 6, 255}, 2, 1)
	m := p.next(t, "picture")
	if got := bytesFromJS(m.Get("bytes")); m.Get("width").Int() != 2 || m.Get("height").Int() != 1 || len(got) != 8 || got[4] != 4 {
		t.Errorf("got %d×%d, %v", m.Get("width").Int(), m.Get("height").Int(), got)
	}
}

func TestCanvasTakesAnotherPort(t *testing.T) {
	c, v, _ := newCanvas(t)
	for n := range 2 {
		channel := js.Global().Get("MessageChannel").New()
		c.receive(event(c.origin, object("type", "port", "port", channel.Get("port2"))))
		channel.Get("port1").Call("postMessage", bytesToJS([]byte{'f', byte('0' + n)}))
		for begin := time.Now(); len(v.frames) <= n; time.Sleep(time.Millisecond) {
			if time.Since(begin) > patience {
				t.Fatal("no frame")
			}
		}
		if want := "f" + string(rune('0'+n)); v.frames[n] != want {
			t.Errorf("got %q, want %q", v.frames[n], want)
		}
	}
	c.port.Call("close")
}

func TestCanvasIgnoresStrangers(t *testing.T) {
	c, v, _ := newCanvas(t)
	theme := object("type", "theme", "dark", true, "reducedMotion", true)
	for _, e := range []js.Value{
		event("https://other.example", theme), event(c.origin, js.Null()), event(c.origin, js.ValueOf("theme")),
		event(c.origin, object("type", 3)), event(c.origin, object()), event(c.origin, object("type", "port")),
	} {
		c.receive(e)
	}
	if v.dark || !c.port.IsUndefined() {
		t.Error("a message that is none was heeded")
	}
	c.receive(event(c.origin, theme))
	if !v.dark || !v.stay {
		t.Error("the theme did not arrive")
	}
	c.receive(event(c.origin, object("type", "zoom", "factor", "large")))
	c.receive(event(c.origin, object("type", "zoom", "factor", 1.4)))
	c.receive(event(c.origin, object("type", "light", "part", "code")))
	c.receive(event(c.origin, object("type", "light")))
	if v.lit != "code" {
		t.Errorf("the part %q is lit, want code", v.lit)
	}
	if v.zoom != 1.4 {
		t.Errorf("the zoom is %g, want 1.4", v.zoom)
	}
}

func TestCanvasKeys(t *testing.T) {
	c, v, p := newCanvas(t)
	v.uses = "ArrowLeft"
	prevented := 0
	prevent := js.FuncOf(func(js.Value, []js.Value) any { prevented++; return nil })
	defer prevent.Release()
	press := func(key string, with ...string) {
		e := object("key", key, "preventDefault", prevent)
		for _, m := range with {
			e.Set(m, true)
		}
		for _, m := range []string{"ctrlKey", "metaKey", "altKey", "shiftKey", "repeat"} {
			if e.Get(m).IsUndefined() {
				e.Set(m, false)
			}
		}
		c.key(e)
	}
	for _, key := range []string{"Tab", "F1", "F5", "F12"} {
		press(key)
	}
	for _, with := range []string{"ctrlKey", "metaKey", "altKey"} {
		press("r", with)
	}
	if len(v.keys) != 0 || prevented != 0 || len(p.got) != 0 {
		t.Fatalf("the browser's keys were taken: %v", v.keys)
	}
	press("ArrowLeft")
	if prevented != 1 || len(p.got) != 0 {
		t.Error("a key that the view uses was passed on")
	}
	for _, key := range []string{"s", "F", "?", "Escape"} {
		press(key, "repeat")
		m := p.next(t, "key")
		if m.Get("key").String() != key || !m.Get("repeat").Bool() {
			t.Errorf("%s arrived as %s", key, m.Get("key").String())
		}
	}
	if prevented != 1 {
		t.Error("a key's effect was taken from the browser")
	}
	press(" ")
	if p.next(t, "key"); prevented != 2 {
		t.Error("the space bar scrolls the page")
	}
	if want := []string{"ArrowLeft", "s", "F", "?", "Escape", " "}; !slices.Equal(v.keys, want) {
		t.Errorf("the view saw %q, want %q", v.keys, want)
	}
}

func TestCanvasSpeaks(t *testing.T) {
	c, _, p := newCanvas(t)
	c.Command(wire.Add, "0.31")
	if m := p.next(t, "command"); m.Get("kind").String() != wire.Add || m.Get("value").String() != "0.31" {
		t.Error("the command did not arrive")
	}
	c.Ready()
	p.next(t, "ready")
	c.Drawn(7)
	if got := p.next(t, "drawn").Get("frames").Int(); got != 7 {
		t.Errorf("drawn %d, want 7", got)
	}
	c.Spoken("x 0.31")
	if got := p.next(t, "hover").Get("text").String(); got != "x 0.31" {
		t.Errorf("got %q", got)
	}
	c.Signs([]string{"ẑ", "p_θ"}, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	if m := p.next(t, "signs"); m.Get("names").Index(1).String() != "p_θ" || m.Get("places").Length() != 8 || m.Get("places").Index(7).Float() != 8 {
		t.Error("the symbols did not arrive")
	}
	c.Fail(errors.New("no good"))
	if got := p.next(t, "error").Get("text").String(); got != "no good" {
		t.Errorf("got %q", got)
	}
}

func TestCanvasAnimates(t *testing.T) {
	c, _, _ := newCanvas(t)
	var calls []bool
	f := js.FuncOf(func(_ js.Value, args []js.Value) any {
		calls = append(calls, args[0].Bool())
		return nil
	})
	defer f.Release()
	js.Global().Set("animate", f)
	defer js.Global().Delete("animate")
	for _, on := range []bool{true, false, false, true, true} {
		c.Animate(on)
	}
	if want := []bool{false, true}; !slices.Equal(calls, want) {
		t.Errorf("got %v, want %v: only changes count", calls, want)
	}
}

// TestCanvasLosesTheRelease loses the release of a pressed pointer. A later move must not drag.
func TestCanvasLosesTheRelease(t *testing.T) {
	at := func(buttons int) js.Value {
		return object("isPrimary", true, "button", 0, "buttons", buttons, "clientX", 1, "clientY", 2, "pointerType", "mouse", "pointerId", 1)
	}
	capture := js.FuncOf(func(js.Value, []js.Value) any { return nil })
	defer capture.Release()
	type step struct {
		event   string
		buttons int
	}
	for _, tc := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"a drag", []step{{"pointerdown", 1}, {"pointermove", 1}, {"pointerup", 0}, {lostCapture, 0}, {"pointermove", 0}}, "down move up move"},
		{"a move without a button", []step{{"pointerdown", 1}, {"pointermove", 1}, {"pointermove", 0}, {"pointermove", 0}}, "down move cancel move move"},
		{"another button", []step{{"pointerdown", 1}, {"pointermove", 2}}, "down cancel move"},
		{"a lost capture", []step{{"pointerdown", 1}, {lostCapture, 1}, {"pointermove", 1}}, "down cancel move"},
	} {
		c, v, _ := newCanvas(t)
		c.element = object("setPointerCapture", capture)
		for _, s := range tc.steps {
			c.pointer(s.event, at(s.buttons))
		}
		if got := strings.Join(v.pointer, " "); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}
