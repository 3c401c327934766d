//go:build js && wasm

package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"
	"syscall/js"
	"testing"
	"time"

	"macroscope/model/wire"
)

// fake is a session that records its calls.
type fake struct {
	name    string
	state   wire.State
	applied []wire.Command
	refuse  string
	parts   []string // keys of the parts that the session saves
	explode bool
	want    string
	fetched string
	err     error
	steps   int // number of steps left to compute
	done    uint32
	frames  int // number of frames left to draw
	forgot  int // number of calls of Forget
}

func (f *fake) Forget() { f.forgot, f.frames = f.forgot+1, f.frames+1 }

func (f *fake) Wants() string { return f.want }

func (f *fake) Fetched(name string, data []byte, err error) *wire.Notice {
	f.want, f.fetched, f.err = "", name+":"+string(data), err
	return nil
}

func (f *fake) Apply(c wire.Command) *wire.Notice {
	if f.explode {
		panic("lost its mind")
	}
	f.applied = append(f.applied, c)
	f.frames++
	if f.refuse != "" {
		return &wire.Notice{Text: f.refuse, Error: true}
	}
	return nil
}

func (f *fake) Work(time.Duration) (bool, *wire.Notice) {
	if f.steps > 0 {
		f.steps--
		f.done++
		f.frames++
	}
	return f.steps > 0, nil
}

func (f *fake) AppendFrame(b []byte) []byte {
	if f.frames == 0 {
		return b
	}
	f.frames = 0
	var frame wire.Frame
	frame.Begin(wire.Demo)
	frame.Put("step", float32(f.done))
	return frame.AppendTo(b)
}

func (f *fake) Lab() string { return cmp.Or(f.name, wire.Demo) }
func (f *fake) Panel() *wire.Panel {
	return &wire.Panel{Lab: f.Lab(), Groups: []wire.Group{{ID: "g", Controls: []wire.Control{{ID: "eps", Stops: []float64{1, 2}}}}}}
}
func (f *fake) StateChanged() bool { return false }
func (f *fake) State() wire.State  { return f.state }
func (f *fake) Fragment() string   { return f.state.Fragment }
func (f *fake) Training() bool     { return f.Status() == wire.Training }

func (f *fake) Status() wire.Status {
	if f.state.Status == "training" {
		return wire.Training
	}
	return wire.Idle
}

func (f *fake) Saved() ([]wire.Part, error) {
	switch {
	case f.want != "":
		return nil, nil
	case f.refuse != "":
		return nil, errors.New(f.refuse)
	}
	parts := []wire.Part{{Bytes: func() []byte { return []byte("everything") }}}
	for _, key := range f.parts {
		parts = append(parts, wire.Part{Key: key, Bytes: func() []byte { return []byte("of " + key) }})
	}
	return parts, nil
}

func (f *fake) Save(string) (string, []byte, error) {
	if f.refuse != "" {
		return "", nil, errors.New(f.refuse)
	}
	return "m.safetensors", []byte("weights"), nil
}

// The type `one` implements Labs with the given sessions.
type one []wire.Session

func (o one) Open(lab string) wire.Session {
	for _, s := range o {
		if s.Lab() == lab {
			return s
		}
	}
	return nil
}

func (o one) Linked(fragment string) string {
	if _, name, ok := strings.Cut(fragment, "lab="); ok {
		return name
	}
	return wire.Demo
}

func (o one) Helper(string) wire.Helper { return nil }

// patience is the longest duration of a wait.
const patience = time.Minute

// page replaces the worker's global scope and collects the messages posted to it.
type page struct {
	scope js.Value
	got   chan js.Value
}

func newPage(t *testing.T) *page {
	p := &page{scope: js.Global().Get("Object").New(), got: make(chan js.Value, 1000)}
	post := js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.got <- args[0]
		return nil
	})
	p.scope.Set("postMessage", post)
	t.Cleanup(post.Release)
	return p
}

// next returns the next message of this type and skips others.
func (p *page) next(t *testing.T, kind string) js.Value {
	t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case m := <-p.got:
			if m.Get("type").String() == kind {
				return m
			}
		case <-timeout:
			t.Fatalf("no message of type %q", kind)
		}
	}
}

func start(t *testing.T, f wire.Session) (*worker, *page) {
	p := newPage(t)
	w := newWorker(one{f}, p.scope)
	w.listen()
	w.enter(wire.Command{Kind: wire.Link})
	p.next(t, "ready")
	t.Cleanup(func() {
		w.dead = true
		w.hopPort.Call("close")
	})
	return w, p
}

func object(keysAndValues ...any) js.Value {
	o := js.Global().Get("Object").New()
	for i := 0; i < len(keysAndValues); i += 2 {
		o.Set(keysAndValues[i].(string), keysAndValues[i+1])
	}
	return o
}

func command(kind, name, value string, bytes []byte) js.Value {
	m := object("type", "command", "command", object("kind", kind, "name", name, "value", value))
	if bytes != nil {
		m.Set("bytes", bytesToJS(bytes))
	}
	return m
}

func TestCommandReachesTheSession(t *testing.T) {
	f := &fake{}
	w, p := start(t, f)
	w.receive(command(wire.File, "a.csv", "v", []byte("1,2\n3")))
	p.next(t, "state")
	if len(f.applied) != 1 {
		t.Fatalf("%d commands arrived, want 1", len(f.applied))
	}
	if c := f.applied[0]; c.Kind != wire.File || c.Name != "a.csv" || c.Value != "v" || string(c.Data) != "1,2\n3" {
		t.Errorf("got %+v", c)
	}
}

// TestLargeFileIsOnce checks that the worker frees the page's bytes of a large file.
func TestLargeFileIsOnce(t *testing.T) {
	w, _ := start(t, &fake{})
	for _, size := range []int{100, largeFile} {
		c := command(wire.File, "a.csv", "", make([]byte, size))
		w.receive(c)
		if freed := c.Get("bytes").Get("length").Int() == 0; freed != (size == largeFile) {
			t.Errorf("%d bytes: freed %v", size, freed)
		}
	}
}

func TestStateCrosses(t *testing.T) {
	f := &fake{state: wire.State{
		Values: map[string]string{"seed": "18446744073709551615"}, Off: map[string]string{"eps": "not now"}, Max: map[string]float64{"at": 1e-8},
		Figures: []wire.Figure{{ID: "kl", Text: "0.1"}}, Playing: true, Status: "training", SecsLeft: math.Inf(1), Fragment: "v=1&eps=1e-8",
	}}
	w, p := start(t, f)
	w.receive(command(wire.Train, "", "", nil))
	m := p.next(t, "state")
	if n := m.Get("commands").Int(); n != 1 {
		t.Errorf("a state follows %d commands, want 1", n)
	}
	var got wire.State
	if err := fromJS(&got, m.Get("state")); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(f.state) {
		t.Errorf("got %+v\nwant %+v", got, f.state)
	}
}

func TestRefusalIsSaidAndStateComesBack(t *testing.T) {
	f := &fake{refuse: "ε has to be positive."}
	w, p := start(t, f)
	w.receive(command(wire.Set, "eps", "-1", nil))
	n := p.next(t, "notice")
	if got := n.Get("notice").Get("text").String(); got != f.refuse {
		t.Errorf("got %q, want %q", got, f.refuse)
	}
	if !n.Get("notice").Get("error").Bool() || n.Get("kind").String() != wire.Set {
		t.Error("the notice does not say that it is an error, or of what")
	}
	p.next(t, "state")
}

func TestMessagesThatCannotBeRead(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   js.Value
	}{
		{"not an object", object("type", "command", "command", 3)},
		{"no command", object("type", "command")},
		{"number for text", object("type", "command", "command", object("kind", 3))},
		{"object for text", object("type", "command", "command", object("kind", object()))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &fake{}
			w, p := start(t, f)
			w.receive(tc.in)
			if text := p.next(t, "notice").Get("notice").Get("text").String(); !strings.HasPrefix(text, "The page sent") {
				t.Errorf("got %q", text)
			}
			if len(f.applied) != 0 {
				t.Errorf("the session was given %+v", f.applied)
			}
		})
	}
}

func TestFramesGoToThePortAndAgainToANewOne(t *testing.T) {
	f := &fake{steps: 5}
	w, _ := start(t, f)
	for range 2 {
		frames := make(chan js.Value, 100)
		channel := js.Global().Get("MessageChannel").New()
		far := channel.Get("port2")
		receive := js.FuncOf(func(_ js.Value, args []js.Value) any {
			frames <- args[0].Get("data")
			return nil
		})
		far.Set("onmessage", receive)
		w.receive(object("type", "port", "port", channel.Get("port1")))
		// The last frame shows the last step, although there are fewer frames than steps.
		for timeout := time.After(patience); ; {
			var got wire.Frame
			select {
			case b := <-frames:
				if err := got.Decode(bytesFromJS(b)); err != nil {
					t.Fatal(err)
				}
			case <-timeout:
				t.Fatal("the frame of the last step did not arrive")
			}
			if got.Number("step") == 5 {
				break
			}
		}
		far.Call("close")
		receive.Release()
	}
}

// TestAFrameThatCannotBeContinuedComesWhole checks that a canvas that requests a whole frame
// gets it at once, like a new canvas.
func TestAFrameThatCannotBeContinuedComesWhole(t *testing.T) {
	f := &fake{}
	w, _ := start(t, f)
	frames := make(chan struct{}, 100)
	receive := js.FuncOf(func(js.Value, []js.Value) any { frames <- struct{}{}; return nil })
	defer receive.Release()
	next := func(want int) {
		t.Helper()
		select {
		case <-frames:
		case <-time.After(patience):
			t.Fatal("no frame")
		}
		w.lastFrame = time.Now().Add(time.Hour) // only a request can make the next frame due
		if f.forgot != want {
			t.Errorf("the session was asked for %d whole frames, want %d", f.forgot, want)
		}
	}
	for canvas := range 2 { // the first canvas stops answering
		channel := js.Global().Get("MessageChannel").New()
		far := channel.Get("port2")
		far.Set("onmessage", receive)
		defer far.Call("close")
		w.receive(object("type", "port", "port", channel.Get("port1")))
		next(2*canvas + 1)
		far.Call("postMessage", needsWhole)
		next(2*canvas + 2)
	}
}

func TestAFrameWaitsForTheOneBefore(t *testing.T) {
	w, _ := start(t, &fake{steps: 1 << 30})
	frames := 0
	channel := js.Global().Get("MessageChannel").New()
	far := channel.Get("port2")
	receive := js.FuncOf(func(js.Value, []js.Value) any { frames++; return nil })
	defer receive.Release()
	far.Set("onmessage", receive)
	defer far.Call("close")
	w.receive(object("type", "port", "port", channel.Get("port1")))
	until := func(n int) {
		t.Helper()
		for began := time.Now(); frames < n; time.Sleep(time.Millisecond) {
			if time.Since(began) > patience {
				t.Fatalf("%d frames, want %d", frames, n)
			}
		}
	}
	// `waits` runs several turns while the last frame has not been drawn. No turn may
	// send a frame.
	waits := func(after string) {
		t.Helper()
		sent := w.sent
		for range 8 {
			w.lastFrame = time.Now().Add(-drawnWithin / 2)
			if w.turn(); w.sent != sent {
				t.Errorf("a frame was sent before %s was drawn", after)
			}
		}
	}
	until(1)
	waits("the first")
	for n := range 5 {
		far.Call("postMessage", n+1)
		until(n + 2)
	}
	// A frame with a change by the user does not wait. Other frames do.
	for range 3 {
		w.receive(object("type", "command", "command", object("kind", "press", "name", "x", "value", "")))
	}
	until(7)
	w.touched = time.Time{}
	waits("the one that shows what the visitor did")
	far.Call("postMessage", 7)
	until(8)
	w.dead = true // ends the worker's loop
}

// TestATrainingIsDrawnLess checks the time from one frame to the next. It is longest during a training
// at rest. A run that plays and a change by the user shorten it.
func TestATrainingIsDrawnLess(t *testing.T) {
	for _, tc := range []struct {
		w    worker
		want time.Duration
	}{
		{worker{}, framePace},
		{worker{trains: true}, trainPace},
		{worker{trains: true, plays: true}, framePace},
		{worker{trains: true, changed: true}, promptPace},
		{worker{trains: true, sent: 1}, drawnWithin},
	} {
		if got := tc.w.pace(); got != tc.want {
			t.Errorf("trains %v, plays %v, changed %v, %d sent: %v, want %v", tc.w.trains, tc.w.plays, tc.w.changed, tc.w.sent, got, tc.want)
		}
	}
	w, _ := start(t, &fake{state: wire.State{Playing: true}})
	if w.sendState(time.Now()); !w.plays {
		t.Error("the worker does not know that the run plays")
	}
	w.dead = true // ends the worker's loop
}

func TestSaves(t *testing.T) {
	f := &fake{state: wire.State{Status: "training", Fragment: "v=1"}}
	w, p := start(t, f)
	check := func(m js.Value) {
		t.Helper()
		if got := string(bytesFromJS(m.Get("parts").Index(0).Get("bytes"))); got != "everything" {
			t.Errorf("saved %q", got)
		}
		if m.Get("fragment").String() != "v=1" || !m.Get("running").Bool() {
			t.Error("a save does not say its fragment, or that training runs")
		}
	}
	w.receive(command(wire.Train, "", "", nil))
	check(p.next(t, "saved")) // a save follows soon after a change
	w.receive(object("type", "flush"))
	check(p.next(t, "saved"))
	w.receive(command(wire.Save, "", "", nil))
	m := p.next(t, "file")
	if m.Get("name").String() != "m.safetensors" || string(bytesFromJS(m.Get("bytes"))) != "weights" {
		t.Errorf("file %q", m.Get("name").String())
	}
	m = p.next(t, "state")
	if n := m.Get("commands").Int(); n != 2 {
		t.Errorf("a state follows %d commands, want both", n)
	}
	if !m.Get("trains").Bool() {
		t.Error("a state does not say that there is a training, whose next is to come soon")
	}
	f.refuse = "it is too large"
	w.receive(command(wire.Save, "", "", nil))
	if text := p.next(t, "notice").Get("notice").Get("text").String(); !strings.Contains(text, f.refuse) {
		t.Errorf("a model that cannot be saved: got %q", text)
	}
}

// TestTrainingWaitsForItsSave checks that a training that is far ahead of the stored save waits
// for the page, but only for some time.
func TestTrainingWaitsForItsSave(t *testing.T) {
	f := &fake{state: wire.State{Status: "training"}, steps: 100}
	w, p := start(t, f)
	turn := func(says string, works bool) {
		t.Helper()
		was := f.done
		w.hopping = true // prevents all other turns
		if w.turn(); (f.done > was) != works {
			t.Errorf("%s: it works: %v, want %v", says, f.done > was, works)
		}
	}
	turn("nothing is saved yet", true)
	w.saveAt = time.Now()
	turn("a save is due", true)
	save := p.next(t, "saved").Get("save").Int()
	w.safe = w.safe.Add(-mostUnsafe)
	turn("the save is on its way", false)
	w.receive(object("type", "stored", "save", save-1))
	turn("another one is stored", false)
	w.safe = w.safe.Add(-storedSoon)
	turn("the page never says so", true)
	w.safe = w.safe.Add(storedSoon)
	turn("it may still say so", false)
	w.receive(object("type", "stored", "save", save))
	turn("it is stored", true)
}

// TestTheEndOfATrainingIsSaved checks that the end of a training is saved, even if it comes in the
// turn right after a save.
func TestTheEndOfATrainingIsSaved(t *testing.T) {
	f := &fake{state: wire.State{Status: "training"}}
	w, p := start(t, f)
	w.saveAt = time.Now()
	w.turn()
	p.next(t, "saved")
	f.state.Status = "done"
	if w.turn(); w.saveAt.IsZero() {
		t.Error("the last save is of a training that goes on")
	}
	w.saveAt = time.Now()
	w.turn()
	p.next(t, "saved")
	if w.turn(); !w.saveAt.IsZero() {
		t.Error("what does not change is saved again")
	}
}

// TestPartsAreGivenOnce checks that the worker sends a part only once, except if the part was
// removed meanwhile or the page has restored a save.
func TestPartsAreGivenOnce(t *testing.T) {
	f := &fake{}
	w, p := start(t, f)
	for _, step := range []struct{ parts, given string }{
		{"a b", "of a,of b"}, {"a b", ","}, {"b c", ",of c"}, {"a c", "of a,"}, {"a c restored", "of a,of c,of restored"},
	} {
		f.parts = strings.Fields(step.parts)
		if strings.Contains(step.parts, "restored") {
			w.receive(command(wire.Restore, "", "", nil))
		}
		w.receive(object("type", "flush"))
		parts := p.next(t, "saved").Get("parts")
		var given []string
		for i, key := range f.parts {
			part := parts.Index(1 + i)
			if part.Get("key").String() != key {
				t.Errorf("part %d has the key %s", i, part.Get("key"))
			}
			given = append(given, string(bytesFromJS(part.Get("bytes"))))
		}
		if got := strings.Join(given, ","); got != step.given {
			t.Errorf("of %s came %q, want %q", step.parts, got, step.given)
		}
	}
}

// TestSaysWhatCannotBeSaved checks the report of a failure to save. Further failures must not be
// reported until saving works again.
func TestSaysWhatCannotBeSaved(t *testing.T) {
	f := &fake{}
	w, p := start(t, f)
	var got []string
	for _, refuse := range []string{"a is too large", "b is too large", "", "c is too large"} {
		f.refuse = refuse
		w.receive(object("type", "flush"))
	}
	for len(got) < 3 {
		select {
		case m := <-p.got:
			switch kind := m.Get("type").String(); kind {
			case "saved":
				got = append(got, kind)
			case "notice":
				got = append(got, m.Get("notice").Get("text").String())
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%q, and no more within 5 s", got)
		}
	}
	if !strings.Contains(got[0], "in this browser: a is too large.") || got[1] != "saved" || !strings.Contains(got[2], "c is too large.") {
		t.Errorf("got %q", got)
	}
}

// TestLeaves checks that a worker saves before another worker replaces it.
func TestLeaves(t *testing.T) {
	w, p := start(t, &fake{})
	w.receive(object("type", "leave"))
	p.next(t, "saved") // skips earlier messages
	p.next(t, "left")
}

// TestNothingWorthSaving checks that a session that waits for a shipped model does not replace an
// earlier save.
func TestNothingWorthSaving(t *testing.T) {
	f := &fake{want: "models/a"}
	w, p := start(t, f)
	w.file = f.want
	w.receive(object("type", "flush"))
	w.receive(command(wire.Save, "", "", nil))
	timeout := time.After(patience)
	for {
		select {
		case m := <-p.got:
			switch m.Get("type").String() {
			case "saved":
				t.Fatal("a save was sent")
			case "file":
				return
			}
		case <-timeout:
			t.Fatal("no answer")
		}
	}
}

func TestNoFramesWhileHidden(t *testing.T) {
	f := &fake{steps: 3}
	w, p := start(t, f)
	channel := js.Global().Get("MessageChannel").New()
	w.receive(object("type", "visible", "visible", false))
	w.receive(object("type", "port", "port", channel.Get("port1")))
	w.receive(command(wire.Press, "", "", nil))
	p.next(t, "saved")
	if len(w.encoded) != 0 {
		t.Error("a frame was made for a page that nobody looks at")
	}
	w.receive(object("type", "visible", "visible", true))
	for began := time.Now(); len(w.encoded) == 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatal("no frame after the page's return")
		}
	}
	channel.Get("port2").Call("close")
}

func TestFetches(t *testing.T) {
	for _, tc := range []struct {
		name, body, want, err string
	}{
		{"found", `return Promise.resolve(new Uint8Array([104, 105]))`, "models/a:hi", ""},
		{"missing", `return Promise.reject(new Error("no " + url))`, "models/a:", "no models/a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &fake{want: "models/a"}
			p := newPage(t)
			p.scope.Set("fetchBytes", js.Global().Get("Function").New("url", tc.body))
			w := newWorker(one{f}, p.scope)
			w.listen()
			w.enter(wire.Command{Kind: wire.Link})
			w.receive(object("type", "visible", "visible", true))
			p.next(t, "state")
			if f.fetched != tc.want {
				t.Errorf("got %q, want %q", f.fetched, tc.want)
			}
			if tc.err != "" && (f.err == nil || f.err.Error() != tc.err) {
				t.Errorf("got error %v, want %q", f.err, tc.err)
			}
			w.dead = true
			w.hopPort.Call("close")
		})
	}
}

// TestFetchesEnd checks that the worker ends the fetch of a file that the session no longer wants,
// because the user has chosen another model or opened another lab.
func TestFetchesEnd(t *testing.T) {
	demo, other := &fake{want: "models/a"}, &fake{name: "other"}
	p := newPage(t)
	p.scope.Set("fetchBytes", js.Global().Get("Function").New("url", `
		(this.asked ??= []).push(url);
		return new Promise((_, reject) => { this.endFetch = () => { this.asked.push("end"); reject(new Error("ended")); }; });`))
	w := newWorker(one{demo, other}, p.scope)
	w.listen()
	t.Cleanup(func() {
		w.dead = true
		w.hopPort.Call("close")
	})
	w.receive(command(wire.Link, "", "", nil))
	asked := func() string { return p.scope.Get("asked").Call("join", " ").String() }
	for _, tc := range []struct {
		does func()
		want string
	}{
		{func() {}, "models/a"},
		{func() { demo.want = "models/b" }, "models/a end models/b"},
		{func() { demo.want = "" }, "models/a end models/b end"},
		{func() { demo.want = "models/c" }, "models/a end models/b end models/c"},
		{func() { w.receive(command(wire.Link, "", "v=1&lab=other", nil)) }, "models/a end models/b end models/c end"},
	} {
		tc.does()
		w.fetch()
		if got := asked(); got != tc.want {
			t.Errorf("the worker fetched %s, want %s", got, tc.want)
		}
	}
	if demo.fetched != "" || other.fetched != "" {
		t.Errorf("files that nobody wants have arrived: %s%s", demo.fetched, other.fetched)
	}
}

func TestPanicIsSaidOnce(t *testing.T) {
	f := &fake{explode: true}
	w, p := start(t, f)
	w.receive(command(wire.Train, "", "", nil))
	if text := p.next(t, "fatal").Get("text").String(); !strings.Contains(text, "lost its mind") {
		t.Errorf("got %q", text)
	}
	f.explode = false
	w.receive(command(wire.Train, "", "", nil))
	if len(f.applied) != 0 {
		t.Error("a session that panicked was given a command")
	}
}

// TestLabs checks that a link to another lab begins a session in that lab.
func TestLabs(t *testing.T) {
	demo, other := &fake{}, &fake{name: "other"}
	p := newPage(t)
	w := newWorker(one{demo, other}, p.scope)
	w.listen()
	t.Cleanup(func() {
		w.dead = true
		w.hopPort.Call("close")
	})
	w.write = func(p *wire.Panel, _ *wire.State) map[string]string {
		return map[string]string{"groups": "of " + p.Lab}
	}
	w.receive(command(wire.Link, "", "v=1&lab=other", nil))
	m := p.next(t, "panel")
	if got := m.Get("panel").Get("html").Get("groups").String(); got != "of other" {
		t.Errorf("the HTML of the panel is %q", got)
	}
	if m.Get("lab").String() != "other" || m.Get("panel").Get("groups").Index(0).Get("controls").Index(0).Get("stops").Index(1).Int() != 2 {
		t.Error("the panel of the linked lab did not arrive")
	}
	w.receive(command(wire.Link, "", "v=1&lab=nowhere", nil))
	if text := p.next(t, "notice").Get("notice").Get("text").String(); !strings.Contains(text, "nowhere") {
		t.Errorf("a link to no lab: %q", text)
	}
	w.receive(command(wire.Link, "", "v=1", nil))
	if m := p.next(t, "panel"); m.Get("lab").String() != wire.Demo || m.Get("panel").Get("lab").String() != wire.Demo {
		t.Error("the demo's panel did not arrive")
	}
	if len(other.applied) != 1 || len(demo.applied) != 1 {
		t.Errorf("%d commands reached the other lab and %d the demo, want 1 and 1", len(other.applied), len(demo.applied))
	}
}

// pooled is a session with jobs for helpers.
type pooled struct {
	fake
	jobs, done, lost int
	cores, idle      int // idle: number of helpers that are not needed
	answers          []string
}

func (c *pooled) Cores(n int)  { c.cores = n }
func (c *pooled) Helpers() int { return 1 - c.idle }
func (c *pooled) Job(int) []byte {
	if c.jobs == 0 {
		return nil
	}
	c.jobs--
	return []byte{byte('a' + c.jobs)}
}
func (c *pooled) Done(_ int, result []byte, err error) *wire.Notice {
	c.done++
	c.frames++
	if err != nil {
		c.answers = append(c.answers, "error: "+err.Error())
	} else {
		c.answers = append(c.answers, string(result))
	}
	return nil
}
func (c *pooled) Lost(int) { c.lost++ }

var _ wire.Pooled = (*pooled)(nil)

// doubler is a helper that answers a job with two copies of the job, and rejects the job "b".
type doubler struct{}

func (doubler) Do(job []byte, alive func()) ([]byte, error) {
	alive()
	if string(job) == "b" {
		return nil, errors.New("not b")
	}
	return append(job, job...), nil
}

func TestPool(t *testing.T) {
	// A helper's scope and the session's worker, connected to each other as in a browser.
	scope := js.Global().Get("Object").New()
	far := js.Global().Get("Object").New() // the result of startHelper
	var w *worker
	start := js.FuncOf(func(js.Value, []js.Value) any {
		w.touched = time.Now().Add(handsOff) // the user does something while the helper starts
		newHelper(doubler{}, scope).listen()
		return far
	})
	wrap := func(to js.Value) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any {
			data := args[0]
			js.Global().Call("setTimeout", js.FuncOf(func(js.Value, []js.Value) any {
				if f := to.Get("onmessage"); f.Type() == js.TypeFunction {
					f.Invoke(object("data", data))
				}
				return nil
			}), 0)
			return nil
		})
	}
	scope.Set("postMessage", wrap(far))
	far.Set("postMessage", wrap(scope))
	far.Set("terminate", js.FuncOf(func(js.Value, []js.Value) any { return nil }))
	js.Global().Set("startHelper", start)
	defer js.Global().Delete("startHelper")
	navigator := js.Global().Get("navigator")
	js.Global().Set("navigator", object("hardwareConcurrency", 2))
	defer js.Global().Set("navigator", navigator)

	c := &pooled{jobs: 3}
	p := newPage(t)
	w = newWorker(one{c}, p.scope)
	w.listen()
	t.Cleanup(func() {
		w.dead = true
		w.hopPort.Call("close")
	})
	channel := js.Global().Get("MessageChannel").New()
	canvas := channel.Get("port2")
	arrived := 0
	canvas.Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		arrived++
		canvas.Call("postMessage", arrived)
		return nil
	}))
	defer canvas.Call("close")
	w.receive(object("type", "port", "port", channel.Get("port1")))
	w.receive(command(wire.Train, "", "", nil))
	w.saveAt = time.Time{} // no save is due: a save would cause another turn, and this turn would let the helpers use the cores again
	// The session is idle, so the last answer is the only change in the last picture.
	for begin := time.Now(); c.done < 3 || c.frames > 0; time.Sleep(time.Millisecond) {
		if time.Since(begin) > patience {
			t.Fatalf("%d of 3 jobs were answered, and %d pictures of that were not drawn", c.done, c.frames)
		}
	}
	if c.cores != 2 || strings.Join(c.answers, ",") != "cc,error: not b,aa" {
		t.Errorf("%d cores, answers %q", c.cores, c.answers)
	}
	w.pool.die(0)
	if c.lost != 1 || w.pool.helpers[0] != nil {
		t.Error("the session did not hear that its helper died")
	}

	// A helper that has been idle for long is stopped, even if there is other work.
	w.turn()
	c.idle = 1
	for w.turn(); w.hopping || w.changed || w.sent > w.drawn; time.Sleep(time.Millisecond) {
	}
	if w.timer.IsUndefined() {
		t.Error("the session sleeps, and its helper stays for ever")
	}
	w.pool.idle, w.touched = w.pool.idle.Add(-helperRest), time.Time{}
	if w.turn(); c.lost != 2 || len(w.pool.helpers) != 0 || len(w.pool.due(nil)) > 0 {
		t.Errorf("%d helpers lost and %d left", c.lost, len(w.pool.helpers))
	}
}

// TestSilentHelpers checks that a helper with an overdue message is stopped and replaced. After the
// third such helper, no other helper may be started. The user must then get one notice.
func TestSilentHelpers(t *testing.T) {
	none := js.FuncOf(func(js.Value, []js.Value) any { return nil })
	defer none.Release()
	begin := js.FuncOf(func(js.Value, []js.Value) any { return object("postMessage", none, "terminate", none) })
	defer begin.Release()
	js.Global().Set("startHelper", begin)
	defer js.Global().Delete("startHelper")
	navigator := js.Global().Get("navigator")
	js.Global().Set("navigator", object("hardwareConcurrency", 2))
	defer js.Global().Set("navigator", navigator)
	c := &pooled{}
	p := newPage(t)
	w := newWorker(one{c}, p.scope)
	w.listen()
	t.Cleanup(func() {
		w.dead = true
		w.hopPort.Call("close")
	})
	w.receive(command(wire.Train, "", "", nil))
	says := func(words ...any) { w.pool.receive(0, object(append([]any{"type"}, words...)...)) }
	ticks := func(n int) {
		for range n {
			w.pool.ticked, w.touched = time.Time{}, time.Time{}
			w.turn()
		}
	}
	ticks(1)
	for _, tc := range []struct {
		name string
		set  func()
		lost int // number of helpers lost after helperPatience+1 ticks
	}{
		{"one with nothing to do", func() { says("ready") }, 0},
		{"one that works on in silence after a word", func() {
			c.jobs = 1
			ticks(helperPatience)
			says("alive")
		}, 1},
		{"one that is never ready", func() {}, 2},
		{"one with the jobs of the others", func() {
			c.jobs = 1
			says("ready")
		}, 3},
	} {
		tc.set()
		if ticks(helperPatience); c.lost > 0 && c.lost == tc.lost {
			t.Errorf("%s is let go at once", tc.name)
		}
		waits := w.pool.helpers[0].owes()
		if waits == (len(w.pool.due(nil)) == 0) {
			t.Errorf("%s: the session sleeps, or wakes for nothing", tc.name)
		}
		if ticks(1); c.lost != tc.lost {
			t.Errorf("%s: %d helpers are lost, want %d", tc.name, c.lost, tc.lost)
		}
	}
	if text := p.next(t, "notice").Get("notice").Get("text").String(); text != helpersGone {
		t.Errorf("no more are started, and the visitor hears %q", text)
	}
	if w.pool.helpers[0] != nil || len(w.pool.due(nil)) > 0 {
		t.Error("a fourth one is started, or waited for")
	}
}
