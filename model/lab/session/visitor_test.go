package session_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
	"macroscope/model/wire"
)

// small contains a link to a small system for each lab, by the lab's name in links.
var small = map[string]string{
	wire.Demo:   "v=1&lab=demo&n=60",
	"particles": "v=1&lab=particles&n=40&steps=40&seed=3",
	"mixing":    "v=1&lab=mixing&height=12&frames=12&members=39",
	"polymer":   "v=1&lab=polymer&n=20&frames=40&members=39&seed=3",
	"flock":     "v=1&lab=flock&n=20&steps=40&members=39&seed=3",
}

// labs contains the names in links of all labs with one system, and names those of the labs with several methods.
var labs, names = func() (labs, names []string) {
	for _, l := range catalogue.All() {
		if l.Describe != nil {
			continue
		}
		if labs = append(labs, l.Link()); len(l.Methods()) > 1 {
			names = append(names, l.Link())
		}
	}
	return labs, names
}()

// demand fails a test unless its table has a row for each of these labs. A lab without a row would not be tested.
func demand[T any](t testing.TB, table string, rows map[string]T, of []string) {
	t.Helper()
	for _, lab := range of {
		if _, there := rows[lab]; !there {
			t.Errorf("the table %s has no row for the lab %s; add one", table, lab)
		}
	}
}

// TestLabsHaveRows checks the tables of several tests.
func TestLabsHaveRows(t *testing.T) {
	demand(t, "small", small, labs)
	demand(t, "ownFiles", ownFiles, labs)
	demand(t, "rich", rich, names)
}

// each runs a test in every lab, with a clock that moves only when the test moves it.
func each(t *testing.T, test func(t *testing.T, v *visitor)) {
	for _, lab := range names {
		in(t, lab, func(t *testing.T, v *visitor) { test(t, v) })
	}
}

// A call of `in` runs a test in one lab.
func in(t *testing.T, lab string, test func(t *testing.T, v *visitor)) {
	t.Run(lab, func(t *testing.T) {
		if testing.Short() {
			t.Skip("sessions are tested with SIMD; what they compute with is tested on every kernel")
		}
		synctest.Test(t, func(t *testing.T) { test(t, visit(t, lab)) })
	})
}

// visitor drives a session like a page. Its canvas decodes every frame.
type visitor struct {
	t testing.TB
	wire.Pooled
	lab    string
	canvas wire.Frame
	sent   []byte // the last frame that was sent
	said   []string
}

// Saved returns the saved session as bytes.
func (v *visitor) Saved() []byte { return wire.Whole(v.parts()) }

// parts returns the parts of the saved session. Saving must succeed.
func (v *visitor) parts() []wire.Part {
	v.t.Helper()
	parts, err := v.Pooled.Saved()
	if err != nil {
		v.t.Fatal(err)
	}
	return parts
}

// visiting returns a visitor of a session, which ends with the test.
func visiting(t testing.TB, of wire.Session, lab string) *visitor {
	s := of.(*session.Session)
	t.Cleanup(s.Close)
	return &visitor{t: t, Pooled: s, lab: lab}
}

// newcomer opens a lab with its default settings.
func newcomer(t testing.TB, lab string) *visitor {
	t.Helper()
	return visiting(t, catalogue.All().Open(lab), lab)
}

// visit opens the small system of a lab and fetches its shipped model.
func visit(t testing.TB, lab string) *visitor {
	t.Helper()
	v := newcomer(t, lab)
	v.apply(wire.Link, "", small[lab])
	v.prepare()
	v.fetch()
	return v
}

// sampler reports whether the lab has single sets.
func (v *visitor) sampler() bool { return v.lab == wire.Demo }

func asset(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../../../assets/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fetch gives the session all files that it wants.
func (v *visitor) fetch() {
	v.t.Helper()
	for name := v.Wants(); name != ""; name = v.Wants() {
		if n := v.Fetched(name, asset(v.t, name), nil); n != nil && n.Error {
			v.t.Fatalf("%s: %s", name, n.Text)
		}
	}
}

// miss tells the session that the requested file is unavailable.
func (v *visitor) miss() *wire.Notice { return v.Fetched(v.Wants(), nil, errors.New("404")) }

func (v *visitor) try(kind, name, value string) *wire.Notice {
	return v.Apply(wire.Command{Kind: kind, Name: name, Value: value})
}

// apply carries out a command that must not be rejected.
func (v *visitor) apply(kind, name, value string) {
	v.t.Helper()
	if n := v.try(kind, name, value); n != nil && n.Error {
		v.t.Fatalf("%s %s %s: %s", kind, name, value, n.Text)
	}
}

func (v *visitor) set(name, value string) { v.t.Helper(); v.apply(wire.Set, name, value) }
func (v *visitor) press(name string)      { v.t.Helper(); v.apply(wire.Press, name, "") }
func (v *visitor) seek(k int)             { v.t.Helper(); v.apply("seek", "", strconv.Itoa(k)) }

// The method `refuses` checks that a command is rejected, and that the session does not change. The
// sentence of the rejection must contain the words in `says`.
func (v *visitor) refuses(says, kind, name, value string) {
	v.t.Helper()
	v.refusesAll(says, wire.Command{Kind: kind, Name: name, Value: value})
}

func (v *visitor) refusesAll(says string, c wire.Command) {
	v.t.Helper()
	before := v.is()
	n := v.Apply(c)
	if n == nil || !n.Error || !strings.Contains(n.Text, says) || !sentence(n.Text) {
		v.t.Errorf("%s %s %.40q: notice %+v, want a sentence with %q", c.Kind, c.Name, c.Value, n, says)
	}
	if after := v.is(); after != before {
		v.t.Errorf("%s %s %.40q was refused and changed\n%s\nto\n%s", c.Kind, c.Name, c.Value, before, after)
	}
}

func sentence(text string) bool {
	lower := text != "" && text[0] >= 'a' && text[0] <= 'z'
	return len(text) > 15 && strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "..") && !strings.Contains(text, "%!(") && !lower
}

// A rejected command must not change the text that `is` returns.
func (v *visitor) is() string {
	st := v.State()
	var runs []string
	for _, r := range st.Runs {
		runs = append(runs, r.Name+r.Shown)
	}
	return strings.Join(append(runs, st.Fragment, st.Status, st.Values["at"], st.Values["trajectory"], st.Values["observable"], st.Values["tool"], strconv.FormatBool(st.Playing), st.Model, v.Wants()), " ")
}

// sentenceOf returns the text of a notice.
func sentenceOf(n *wire.Notice) string {
	if n == nil {
		return ""
	}
	return n.Text
}

// work sleeps for 20 ms of the test's clock, then calls Work once. The clock stands still during
// Work, so a budget above 0 never runs out: Work returns only when the session is idle. A session
// in training is never idle. With the budget 0, Work does one piece of work.
func (v *visitor) work(budget time.Duration) (busy bool) {
	time.Sleep(20 * time.Millisecond)
	busy, n := v.Work(budget)
	if n != nil {
		v.said = append(v.said, n.Text)
	}
	return busy
}

// The method `turns` does n pieces of work.
func (v *visitor) turns(n int) {
	for range n {
		v.work(v.budget())
	}
}

func (v *visitor) budget() time.Duration {
	if v.Training() { // true also while a sweep is running
		return 0
	}
	return 10 * time.Millisecond
}

// prepare works until there is a run to display.
func (v *visitor) prepare() {
	v.t.Helper()
	for range 10_000 {
		if v.State().Off["play"] == "" {
			return
		}
		v.work(10 * time.Millisecond)
	}
	v.t.Fatal("the run is never prepared")
}

// settle works until nothing but training is left to do.
func (v *visitor) settle() {
	v.t.Helper()
	for range 5000 {
		switch busy := v.work(v.budget()); {
		case !busy && v.draw(): // every turn ends with a picture, perhaps a coarse one
		case !busy:
			v.rests()
			return
		case v.Status() == wire.Training && !v.State().Playing:
			return
		}
	}
	v.t.Fatal("the session is never done")
}

// The method `rests` checks that an idle session stays idle. Once the page has the picture and the
// state, nothing changes.
func (v *visitor) rests() {
	v.t.Helper()
	v.picture()
	v.State()
	busy, _ := v.Work(0)
	if b := v.AppendFrame(nil); busy || v.StateChanged() || len(b) > 0 {
		v.t.Errorf("it had nothing left to do, and has: busy %v, another state %v, %d bytes of another picture", busy, v.StateChanged(), len(b))
		v.Forget()
	}
}

// reach works until there() is true.
func (v *visitor) reach(there func() bool) {
	v.t.Helper()
	for range 200_000 {
		if there() {
			return
		}
		if !v.work(0) {
			v.rests()
		}
		if !v.Training() && !there() {
			v.t.Fatalf("training ended before: %v, %q", v.Status(), v.said)
		}
	}
	v.t.Fatal("training never gets there")
}

// losses returns the number of values of the displayed loss curve.
func (v *visitor) losses() int { return len(v.picture().Numbers("loss")) }

// train waits until the current training has done this number of further steps.
func (v *visitor) train(steps int) {
	v.t.Helper()
	until := v.losses() + steps
	v.reach(func() bool { return v.losses() >= until })
}

// drop opens a file, which must not be rejected, and returns the text of the notice.
func (v *visitor) drop(name string, b []byte) string {
	v.t.Helper()
	n := v.Apply(wire.Command{Kind: wire.File, Name: name, Data: b})
	if n == nil && v.State().Ask.Accept != "" {
		n = v.try(wire.Press, wire.Accept, "")
	}
	if n == nil || n.Error {
		v.t.Fatalf("%s: notice %+v", name, n)
	}
	return n.Text
}

// picture updates the canvas and returns its frame.
func (v *visitor) picture() *wire.Frame {
	v.t.Helper()
	v.draw()
	return &v.canvas
}

// draw passes the next frame to the canvas, and reports whether there was a frame.
func (v *visitor) draw() bool {
	v.t.Helper()
	b := v.AppendFrame(nil)
	if len(b) == 0 {
		return false
	}
	if err := v.canvas.Decode(b); err != nil {
		v.t.Fatal(err)
	}
	v.sent = b
	return true
}

// whole checks the canvas, which has received only changes. It must have the same frame as a new
// canvas that receives a whole frame.
func (v *visitor) whole() {
	v.t.Helper()
	v.try(wire.Set, "tool", v.State().Values["tool"]) // updates the picture, because a training updates it only at intervals
	v.picture()
	v.Forget()
	b := v.AppendFrame(nil)
	var again wire.Frame
	if err := again.Decode(b); err != nil {
		v.t.Fatal(err)
	}
	var one, other wire.Frame // frames without sequence numbers and history
	if x, y := copied(&one, &v.canvas), copied(&other, &again); !bytes.Equal(x, y) {
		v.t.Errorf("the frame in pieces (%d bytes) is not the whole frame (%d bytes)", len(x), len(y))
		for _, name := range rows {
			if a, b := v.canvas.Numbers(name), again.Numbers(name); !slices.Equal(a, b) && !(len(a) > 0 && a[0] != a[0]) {
				v.t.Errorf("row %s of %d numbers, and of %d", name, len(a), len(b))
			}
			if a, b := string(v.canvas.Text(name)), string(again.Text(name)); a != b {
				v.t.Errorf("row %s: %q, and %q", name, a, b)
			}
		}
	}
	v.canvas = again
}

// rows contains the names of all rows that a frame may have, to compare two frames.
var rows = strings.Fields(`tool active revealed horizon dt window now known playing note density colours label x kind unit mixture ownData macro units
	energy ratios temperature boundary relaxing status refitting eps fitEps step total trainStage lossStep loss klStep klVal mreStep mreVal coverStep cover rmseStep rmse
	nameA nameB sigma grid q qA qB source z zstride zpast names p pA pB kl klA klB samples mean low high paths coverage nominal zhat zfuture pred mre error left leftwhat leftsign
	pB klB meanB lowB highB zhatB predB mreB errorB shuffles dz orders dzOrdered ordered
	nameOwn nameTwin xTwin extensionTwin zTwin meanTwin lowTwin highTwin
	noDensity restores restored restoredA restoredB noDensityB restoresB
	variables depth free title0 title1 unit0 axis0 axis1 edge0 axes line turn box edges portrait portraitArrows portraitRun`)

func copied(to, from *wire.Frame) []byte {
	to.Begin(from.Lab)
	for i, name := range rows {
		if slices.Contains(rows[:i], name) {
			continue
		}
		if text := from.Text(name); len(text) > 0 {
			to.PutText(name, string(text))
		} else if v := from.Numbers(name); len(v) > 0 {
			to.Put(name, v...)
		}
	}
	return to.AppendChanges(nil)
}

func (v *visitor) number(row string) float64 { v.t.Helper(); return v.picture().Number(row) }

// row returns a copy of a row.
func (v *visitor) row(name string) []float32 {
	v.t.Helper()
	return slices.Clone(v.picture().Numbers(name))
}

func figure(st wire.State, id string) string {
	for _, f := range st.Figures {
		if f.ID == id {
			return f.Text
		}
	}
	return ""
}

// controls returns all controls of the panel.
func (v *visitor) controls() []wire.Control {
	p := v.Panel()
	all := slices.Clone(p.Transport)
	for _, g := range p.Groups {
		all = append(all, g.Controls...)
	}
	return all
}

// finite reports whether all numbers of a state are finite.
func finite(st wire.State) bool {
	ok := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	for _, x := range st.Max {
		if !ok(x) {
			return false
		}
	}
	for _, f := range st.Figures {
		if strings.Contains(f.Text, "NaN") || strings.Contains(f.Text, "Inf") {
			return false
		}
	}
	return ok(st.Progress) && ok(st.SecsLeft) && !strings.Contains(st.Summary, "NaN") && !strings.Contains(st.Summary, "%!(")
}

var _ wire.Pooled = (*session.Session)(nil)
