//go:build amd64

package frozen

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
	"macroscope/ui/scene"
)

// scripts are the steps of a session of each lab, one per line.
//
//	KIND NAME VALUE   a wire.Command; "-" stands for no name
//	press NAME        presses a button
//	seek - K          shows frame K; all commands that the picture sends have this form
//	fetch             gives the session the file that it wants, if it wants one
//	missing           reports that the file that the session wants is unavailable
//	turns N           N times: moves the clock by 20 ms and calls Work
//	pieces N          N times: moves the clock by 20 ms and calls Work with no time,
//	                  so that it computes one piece
//	helped N          like pieces, with two helpers that answer every job at once
//	settle            like turns, until there is nothing left to do
//	drop NAME FILE    drops a file with this name: a simulated file, an asset or text
//	reload            a new session of the same lab continues from Saved
//	fresh - LINK      a new session opens a link
//	take              saves the model, and the data as csv and npz
//
// The clock stands still while Work computes. A training must therefore be run by pieces: with a
// budget of time, Work would never return. Helpers only simulate trajectories. The session shares
// training steps with helpers only if a step takes time. On this clock it takes none.
var scripts = map[string][]string{
	"demo": {
		"turns 1", "fetch", "turns 1", "press another", "set n 60", "set set 7",
		"set drift on", "turns 30", "set drift off", "add - 0.4", "remove - -0.2", "set drift banana", "set eps 7",
		"set eps 0.2", "pieces 12", "pause - -", "press step", "take", "reload", "fetch", "train - -", "pieces 9", "pause - -",
		"set zdim 3", "pieces 9", "press reset", "set runto 4", "press go", "turns 1", "reload", "fetch", "press newseed", "press step",
		"set zdim 2", "fetch", "press shipped", "missing", "pieces 5", "pause - -",
		"link - v=1&lab=demo&eps=0.1&zdim=8&n=100&seed=5&set=2&model=scratch&step=3", "turns 1",
		"drop own.csv 0.1,0.2,0.5,-0.4,0.3,0.7,0.8,-0.9,0.15,0.25,3.5", "drop m.safetensors models/demo-eps0.1-z8.safetensors", "take",
	},
	"particles": {
		"turns 2", "set n 40", "set steps 60", "turns 3", "fetch", "turns 10", "press play", "turns 2", "press step", "seek - 25", "settle", "seek - 12",
		"press restart", "set speed 4", "press play", "settle", "set speed 2",
		"press shuffle", "fetch", "settle", "set samples on", "set source prediction", "set density difference", "set colours off",
		"set all off", "press decode", "press encode", "press decode", "press rollout", "turns 60", "set all on",
		"press another", "turns 4", "drag - 3 0.5 0.25", "add - 0.1 0.2", "remove - 0 0", "press play", "settle", "take", "reload", "fetch", "settle",
		"set preset ring", "set a 8", "set n 3", "turns 2", "press clear", "draw - -0.5 0 0.5 0.1 0.3 0.4", "press play", "turns 4",
		"set eps 0.05", "settle",
		"drop own.npz {particles}", "settle", "set trajectory 3", "settle", "set observable gyration", "settle",
		"set size quick", "set zdim 2", "set tseed 4", "set name mine", "press train", "pieces 400", "press keep", "press train", "turns 2", "take", "reload", "fetch", "settle",
		"press train", "pieces 300", "pause - -", "set from model", "press train", "helped 30", "pieces 300", "pause - -", "press simulate", "settle",
		"link - v=1&lab=particles&n=300&steps=6&frame=4", "settle", "press shuffle", "fetch", "settle",
		"link - v=1&lab=particles&a=4&b=0.1&n=30&steps=40&seed=3&frame=20", "settle",
		"drop m.safetensors models/particles-laptop.safetensors", "set runB shipped", "settle", "take",
	},
	"polymer": {
		"pieces 3", "link - v=1&lab=polymer&n=20&frames=40&members=39&seed=2", "turns 1", "fetch", "turns 10", "press play", "press step", "seek - 8", "settle",
		"press shuffle", "settle", "set samples on", "set source prediction", "settle", "set all off", "press encode", "press decode", "press rollout", "turns 60", "set all on",
		"set start hairpin", "turns 4", "set bonds springs", "set repulsion 100", "press play", "seek - 3", "settle", "take", "reload", "fetch", "settle",
		"press another", "settle", "set preset strand", "settle", "set rate 1000", "settle",
	},
	"mixing": {
		"pieces 3", "link - v=1&lab=mixing&height=12&frames=20&members=39&seed=2", "turns 1", "fetch", "turns 10", "press play", "press step", "seek - 8", "settle",
		"seek - 3", "press shuffle", "settle", "set speed 2", "press play", "settle", "set all off", "press encode", "press decode", "press rollout", "turns 60", "set all on",
		"boundary - 10", "turns 4", "set boundary 31.9", "press play", "seek - 5", "settle", "set temperature 2", "settle", "press play", "turns 3", "take", "reload", "fetch", "settle",
		"press another", "settle", "set members 99", "settle",
		"press train", "fetch", "pieces 100", "press keep", "press train", "take", "reload", "fetch", "fetch", "settle", "press train", "pieces 40", "pause - -",
		"set law separate", "set tseed 9", "press train", "pieces 40", "pause - -", "set from model", "press train", "pieces 10", "pause - -",
		"link - v=1&lab=mixing&height=12&frames=20&members=39&model=scratch&step=2&frame=0", "turns 1", "fetch", "pieces 2",
		"fresh - v=1&lab=mixing&height=12&frames=20&members=39&model=scratch&step=2&frame=0", "fetch", "turns 1", "fetch", "pieces 60", "settle",
		"drop own.npz {mixing}", "settle", "set trajectory 2", "settle", "press simulate", "settle",
		"drop m.safetensors models/mixing-laptop.safetensors", "set runB shipped", "settle", "take",
	},
}

func TestSessions(t *testing.T) {
	t.Parallel()
	files := dropped(t)
	for _, lab := range slices.Sorted(maps.Keys(scripts)) {
		t.Run(lab, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newActor(t, lab, files)
				for _, line := range scripts[lab] {
					a.do(line)
				}
				golden(t, lab+".panel.txt", a.panel())
				golden(t, lab+".state.txt", a.state.text.String())
				golden(t, lab+".words.txt", a.words.text.String())
				golden(t, lab+".frames.txt", a.frames.text.String())
				golden(t, lab+".pictures.txt", a.pictures.String())
				golden(t, lab+".files.txt", a.files.String())
			})
		})
	}
}

// dropped returns a map from names in the scripts, such as {particles}, to the bytes of
// simulated files.
func dropped(t *testing.T) map[string][]byte {
	s := newShell(t)
	files := make(map[string][]byte)
	for name := range simulations {
		b, err := os.ReadFile(s.file(name))
		if err != nil {
			t.Fatal(err)
		}
		files["{"+name+"}"] = b
	}
	return files
}

// actor runs a script and records the results.
type actor struct {
	t       *testing.T
	lab     string
	session wire.Session
	drops   map[string][]byte
	canvas  *scene.Scene
	shown   wire.Frame

	state, words, frames journal
	pictures, files      strings.Builder
}

func newActor(t *testing.T, lab string, drops map[string][]byte) *actor {
	a := &actor{t: t, lab: lab, session: open(t, lab), drops: drops}
	a.canvas = scene.Open(lab, glyph.New(), func(kind, value string) {})
	a.canvas.SetTheme(brush.Light(), true)
	a.canvas.Resize(900, 560, 1)
	a.note("open", nil)
	return a
}

// The method `do` runs one line of a script.
func (a *actor) do(line string) {
	kind, rest, _ := strings.Cut(line, " ")
	name, value, _ := strings.Cut(rest, " ")
	count, _ := strconv.Atoi(name)
	var notices []*wire.Notice
	say := func(n *wire.Notice) { notices = append(notices, n) }
	turn := func(budget time.Duration) (busy bool) {
		time.Sleep(20 * time.Millisecond)
		busy, n := a.session.Work(budget)
		say(n)
		return busy
	}
	switch kind {
	case "fetch":
		if want := a.session.Wants(); want != "" {
			say(a.session.Fetched(want, asset(a.t, want), nil))
		}
	case "missing":
		say(a.session.Fetched(a.session.Wants(), nil, os.ErrNotExist))
	case "turns":
		for range count {
			turn(10 * time.Millisecond)
		}
	case "pieces":
		for range count {
			turn(0)
		}
	case "helped":
		c, ok := a.session.(wire.Pooled)
		if !ok {
			a.t.Fatalf("%s has no use for helpers", a.lab)
		}
		c.Cores(3)
		helpers := []wire.Helper{helper(a.t, a.lab), helper(a.t, a.lab)}
		jobs := 0
		for range count {
			turn(0)
			for k := range min(c.Helpers(), len(helpers)) {
				for job := c.Job(k); job != nil; job = c.Job(k) {
					jobs++
					result, err := helpers[k].Do(job, func() {})
					say(c.Done(k, slices.Clone(result), err))
				}
			}
		}
		for k := range helpers {
			c.Lost(k)
		}
		fmt.Fprintf(&a.files, "%s\n  %d jobs\n", line, jobs)
	case "settle":
		for left := 2000; turn(10 * time.Millisecond); left-- {
			if left == 0 {
				a.t.Fatalf("%s, %s: the session is never done", a.lab, line)
			}
		}
	case "drop":
		b, ok := a.drops[value]
		if !ok && strings.HasPrefix(value, "models/") {
			b = asset(a.t, value)
		} else if !ok {
			b = []byte(value)
		}
		n := a.session.Apply(wire.Command{Kind: wire.File, Name: name, Data: b})
		if n == nil && a.session.State().Ask.Accept != "" {
			n = a.session.Apply(wire.Command{Kind: wire.Press, Name: wire.Accept})
		}
		say(n)
	case "reload":
		parts, err := a.session.Saved()
		if err != nil {
			a.t.Fatal(err)
		}
		saved, fragment := wire.Whole(parts), a.session.Fragment()
		fmt.Fprintf(&a.files, "%s\n  %d bytes %s\n", line, len(saved), short(saved))
		a.session = open(a.t, a.lab)
		say(a.session.Apply(wire.Command{Kind: wire.Restore, Value: fragment, Data: saved}))
	case "fresh":
		a.session = open(a.t, a.lab)
		say(a.session.Apply(wire.Command{Kind: wire.Link, Value: value}))
	case "take":
		fmt.Fprintf(&a.files, "%s\n", line)
		for _, what := range []string{wire.Model, "csv", "npz"} {
			name, b, err := a.session.Save(what)
			fmt.Fprintf(&a.files, "  %s: %s, %d bytes %s, error %v\n", what, name, len(b), short(b), err)
		}
	default:
		if name == "-" {
			name = ""
		}
		if value == "-" {
			value = ""
		}
		say(a.session.Apply(wire.Command{Kind: kind, Name: name, Value: value}))
	}
	a.note(line, notices)
}

// note records the notices, the frame, the picture and the state after a line of a script.
func (a *actor) note(line string, notices []*wire.Notice) {
	a.state.begin(line)
	a.words.begin(line)
	a.frames.begin(line)
	for _, n := range notices {
		if n != nil {
			a.words.add(fmt.Sprintf("  notice (error %t): %s", n.Error, n.Text))
			a.state.add(fmt.Sprintf("  notice, error %t", n.Error))
		}
	}
	if b := a.session.AppendFrame(nil); len(b) == 0 {
		a.frames.add("  no frame")
	} else {
		a.frames.changes(a.rows(b))
		if err := a.canvas.Decode(b); err != nil {
			a.t.Fatal(err)
		}
		fmt.Fprintf(&a.pictures, "%s\n  %s\n", line, a.draw())
	}
	// The state is read after the frame is painted, because painting changes the state's
	// figures.
	state, words := make(map[string]string), make(map[string]string)
	flatten("", reflect.ValueOf(a.session.State()), state)
	state["session.status"], state["session.fragment"], state["session.wants"] = a.session.Status().String(), a.session.Fragment(), a.session.Wants()
	for path, text := range state {
		if top, _, _ := strings.Cut(path, "."); worded[top] || strings.HasSuffix(path, ".detail") {
			words[path] = text
			delete(state, path)
		}
		if strings.HasPrefix(path, "off.") {
			state[path] = "off"
		}
	}
	a.state.changes(state)
	a.words.changes(words)
}

// worded contains the fields of a state that consist of sentences.
var worded = map[string]bool{"summary": true, "labels": true, "off": true, "task": true, "warning": true, "model": true}

// draw returns a hash of the drawn picture.
func (a *actor) draw() string {
	a.canvas.Advance(1)
	var b plot.Batch
	a.canvas.Draw(&b)
	var bytes []byte
	for _, v := range b.Vertices {
		for _, x := range []float32{v.DstX, v.DstY, v.SrcX, v.SrcY, v.ColorR, v.ColorG, v.ColorB, v.ColorA, v.Custom0, v.Custom1, v.Custom2, v.Custom3} {
			bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(x))
		}
	}
	for _, i := range b.Indices {
		bytes = binary.LittleEndian.AppendUint32(bytes, i)
	}
	return fmt.Sprintf("%d vertices, %d indices %s", len(b.Vertices), len(b.Indices), short(bytes))
}

func (a *actor) panel() string {
	p := a.session.Panel()
	var j journal
	all := make(map[string]string)
	flatten("", reflect.ValueOf(*p), all)
	j.begin(a.lab)
	j.changes(all)
	return j.text.String()
}

// journal records which values each line of a script has changed.
type journal struct {
	text strings.Builder
	last map[string]string
}

func (j *journal) begin(line string) { j.text.WriteString(line + "\n") }
func (j *journal) add(line string)   { j.text.WriteString(line + "\n") }

func (j *journal) changes(now map[string]string) {
	for _, k := range slices.Sorted(maps.Keys(now)) {
		if old, ok := j.last[k]; !ok || old != now[k] {
			j.add("  " + k + ": " + now[k])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(j.last)) {
		if _, ok := now[k]; !ok {
			j.add("  " + k + ": gone")
		}
	}
	j.last = now
}

// flatten writes a message of package wire as one text per field. The fields have their JavaScript
// names.
func flatten(path string, v reflect.Value, into map[string]string) {
	under := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			flatten(under(v.Type().Field(i).Tag.Get("js")), v.Field(i), into)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			flatten(under(k.String()), v.MapIndex(k), into)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			into[path] = fmt.Sprintf("%v", v.Interface())
			return
		}
		for i := range v.Len() {
			name := fmt.Sprintf("%02d", i)
			if id := v.Index(i).FieldByName("ID"); id.IsValid() && v.Type() == reflect.TypeFor[[]wire.Figure]() {
				name = id.String()
			}
			flatten(under(name), v.Index(i), into)
		}
	default:
		text := fmt.Sprintf("%v", v.Interface())
		if v.Kind() == reflect.String {
			text = strconv.Quote(text)
			text = strings.ReplaceAll(text, os.TempDir(), "TMP")
		}
		if !v.IsZero() {
			into[path] = text
		}
	}
}

// rows decodes a frame and returns its rows as text, by name. Long rows are hashed.
func (a *actor) rows(b []byte) map[string]string {
	a.t.Helper()
	out := make(map[string]string)
	f := &a.shown
	if err := f.Decode(b); err != nil {
		a.t.Fatal(err)
	}
	for name := range f.Names() {
		if text := f.Text(name); text != nil {
			out[name] = strconv.Quote(string(text))
		} else {
			out[name] = numbers(f.Numbers(name))
		}
	}
	return out
}

// numbers returns short lists of numbers as text, and the hash of long ones.
func numbers(v []float32) string {
	if len(v) <= 4 {
		return fmt.Sprint(v)
	}
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return fmt.Sprintf("%d numbers %s", len(v), short(b))
}
