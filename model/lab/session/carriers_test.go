package session_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macroscope/model/file/bundle"
	"macroscope/model/file/points"
	"macroscope/model/learn/model"
	"macroscope/model/wire"
)

// A document is a session that is to be carried: random valid settings, models on show, a frame or a playing run, and
// what its kind has.
type document struct {
	*attacker
	kind   string
	states []string // states after the changes, for the history
	save   []byte   // a save after the first changes, and the link of that time
	was    string
}

// The kinds of documents.
const (
	plain   = "settings"
	drawn   = "drawn"         // edited particles
	turned  = "turned"        // settings that are changed while the run plays
	brought = "a file"        // the user's trajectories
	playing = "a run playing" // and models that are kept
)

// TestCarriers makes random documents. Undo and redo, a link, the short form of the link, a saved session, the same as a
// file, a bundle, and a save with a later link must each bring back what they carry: adopt(read(write(d))) = d.
//
//	go test ./model/lab/session -run TestCarriers -documents 100
func TestCarriers(t *testing.T) {
	for _, lab := range labs {
		for seed := range uint64(*documents) {
			for _, kind := range []string{plain, drawn, turned, brought, playing} {
				if _, hand := edits[lab]; kind == drawn && !hand || kind == turned && mid[lab] == nil {
					continue
				}
				t.Run(fmt.Sprintf("%s %s %d", lab, kind, seed), func(t *testing.T) {
					if testing.Short() {
						t.Skip("sessions are tested with SIMD")
					}
					synctest.Test(t, func(t *testing.T) {
						d := &document{attacker: &attacker{visitor: visit(t, lab), r: rand.New(rand.NewPCG(seed, 2))}, kind: kind}
						d.make()
						if kind == plain || kind == drawn {
							d.viaHistory()
						}
						d.complete()
						d.viaLinksAndSaves()
						if kind != plain && kind != turned {
							d.viaFiles()
						}
						if kind == plain || kind == drawn || kind == turned {
							d.viaLaterLink()
						}
					})
				})
			}
		}
	}
}

// rest works until the session has all its files and its whole picture.
func (v *visitor) rest() {
	v.t.Helper()
	v.prepare()
	v.fetch()
	v.settle()
}

// free lists controls that say what the next button will do, which no carrier has. apart lists the others that do not change
// at random: a set that wanders never rests.
var (
	free  = strings.Fields("runto untilof untilat sweepeps sweepzdim sweepmore sweepsteps sweepseeds")
	apart = strings.Fields("at play name tool runA runB drift trajectory observable example")
)

// make changes random controls, the models on show, and particles.
func (d *document) make() {
	d.rest()
	all := slices.DeleteFunc(d.controls(), func(c wire.Control) bool { return !valued(c) || slices.Contains(append(free, apart...), c.ID) })
	d.states = []string{d.has()}
	do := func(c wire.Command) {
		time.Sleep(2 * time.Second) // so each command is a change of its own
		if n := d.Apply(c); n != nil && n.Error || d.State().Off["play"] != "" && d.State().Task == "" {
			return
		}
		d.rest()
		if is := d.has(); is != d.states[len(d.states)-1] {
			d.states = append(d.states, is)
		}
	}
	for k := range 5 {
		if k == 3 {
			d.save, d.was = d.Saved(), d.Fragment()
		}
		c := pick(d.attacker, all...)
		if d.kind == turned && !d.sampler() {
			d.seek(1 + d.r.IntN(8))
			d.settle()
		}
		value := d.value(c)
		if c.ID == "beside" && value == "many" {
			value = "none" // a hundred chains take long
		}
		do(wire.Command{Kind: wire.Set, Name: c.ID, Value: value})
	}
	if models := slices.DeleteFunc(d.State().Runs, func(r wire.Run) bool { return r.Shown != "" }); len(models) > 0 {
		do(wire.Command{Kind: wire.Set, Name: pick(d.attacker, "runA", "runB"), Value: pick(d.attacker, models...).Name})
	}
	if d.kind == drawn {
		for _, c := range edits[d.lab] {
			do(c)
		}
	}
}

// viaHistory undoes all changes and brings them back.
func (d *document) viaHistory() {
	is := func(k int, when string) {
		d.t.Helper()
		d.rest()
		if got := d.has(); got != d.states[k] {
			d.t.Errorf("%s, change %d:\n%s\nwant\n%s", when, k, got, d.states[k])
		}
	}
	last := len(d.states) - 1
	for k := last - 1; k >= 0; k-- {
		d.press("back")
		is(k, "undone")
	}
	for k := range last {
		d.press("forth")
		is(k+1, "brought back")
	}
	d.refuses("nothing to bring back", wire.Press, "forth", "")
}

// mid lists changes of settings that a run takes while it plays.
var mid = map[string][][2]string{"mixing": {{"temperature", "2"}, {"e12", "1.5"}}, "polymer": {{"temperature", "2"}, {"rate", "0.02"}}}

// complete adds what no history has, and begins the run anew, because no carrier has frames beyond the displayed one.
func (d *document) complete() {
	if hand := edits[d.lab]; d.kind == drawn && hand != nil {
		d.seek(0)
		d.apply(hand[len(hand)-1].Kind, "", hand[len(hand)-1].Value)
	} else if d.kind != drawn || d.lab != wire.Demo {
		d.press("another")
	}
	d.prepare()
	switch d.kind {
	case brought:
		own := ownFiles[d.lab]
		d.drop(own.name, own.b(d.t))
		d.try(wire.Set, "trajectory", "2")
		d.try(wire.Set, "observable", "extent")
		d.prepare()
		if d.sampler() {
			d.apply(wire.Add, "", "12.5")
		}
	case turned:
		for k, change := range mid[d.lab] {
			d.seek(2 + 3*k)
			d.settle()
			d.set(change[0], change[1])
		}
	case playing:
		d.try(wire.Set, "name", "mine")
		d.try(wire.Press, "keep", "")
		d.try(wire.Set, "runB", "mine")
		d.try(wire.Set, "name", "next")
		if !d.sampler() && !d.State().Playing {
			d.press("play")
		}
		return
	}
	if !d.sampler() {
		d.seek(min(9, int(d.number("horizon"))-1))
	}
	d.settle()
}

// opened returns a new session that has opened a link.
func (d *document) opened(link string) *visitor {
	d.t.Helper()
	other := newcomer(d.t, d.lab)
	other.apply(wire.Link, "", link)
	other.prepare()
	other.fetch()
	return other
}

// viaLinksAndSaves opens the link, its short form and the saved session, and what is saved of the result. A link lacks the
// user's models and file, and it rounds drawn particles.
func (d *document) viaLinksAndSaves() {
	d.try(wire.Set, "tool", "move")
	st := d.State()
	links := map[string]*visitor{"link": d.opened("#" + st.Fragment), "short link": d.opened(st.Short)}
	again := d.reload()
	all := map[string]*visitor{"save": again, "save of what was restored": again.reload()}
	if st.Leaves == nil && !strings.Contains(st.Fragment, "&points=") {
		maps.Copy(all, links)
	}
	for carrier, v := range all {
		if v.State().Playing != st.Playing && d.kind == playing {
			d.t.Errorf("%s: playing is %v", carrier, v.State().Playing)
		}
	}
	d.settle()
	st = d.State()
	for carrier, v := range links {
		v.settle()
		if got, want := withoutFrame(v.Fragment()), withoutFrame(st.Fragment); got != want {
			d.t.Errorf("%s: became\n%s and was\n%s", carrier, got, want)
		}
		if strings.Contains(st.Fragment, "&points=") {
			d.near(v)
		}
		v.set("tool", st.Values["tool"]) // of what follows, a link carries neither the tool nor the name of the next run
		v.set("name", st.Values["name"])
	}
	for carrier, v := range all {
		v.settle()
		b := v.State()
		for _, id := range slices.Sorted(maps.Keys(st.Values)) {
			if x, y := st.Values[id], b.Values[id]; x != y && !slices.Contains(free, id) && (id != "runB" || !strings.Contains(carrier, "link")) {
				d.t.Errorf("%s: %s %q became %q", carrier, id, x, y)
			}
		}
		d.like(v, carrier)
	}
	for i, p := range again.parts()[1:] {
		if was := d.parts()[1+i]; p.Key != was.Key || p.Key == "" {
			d.t.Errorf("part %q has become %q, which is kept once more", was.Key, p.Key)
		}
	}
}

// near compares drawn particles with those of a link, which rounds.
func (d *document) near(other *visitor) {
	d.t.Helper()
	dim := 2
	if d.sampler() {
		dim = 1
	}
	now := int(d.number("now"))
	for _, v := range []*visitor{d.visitor, other} {
		v.seek(0)
		v.settle()
	}
	a, b := d.row("x"), other.row("x")
	if len(a) != len(b) || len(a) == 0 {
		d.t.Fatalf("%d numbers became %d", len(a), len(b))
	}
	bound := float64(points.ErrorBound)
	if d.lab == "polymer" { // edits restore the length of every bond, which moves the beads behind the bond
		bound *= 2 * float64(len(a))
	}
	for k := range dim {
		low, high, worst := math.Inf(1), math.Inf(-1), 0.0
		for i := k; i < len(a); i += dim {
			x := float64(a[i])
			low, high, worst = min(low, x), max(high, x), max(worst, math.Abs(x-float64(b[i])))
		}
		if worst > bound*(high-low) {
			d.t.Errorf("a coordinate moved by %g of %g", worst, high-low)
		}
	}
	if st := other.State(); !strings.Contains(string(other.picture().Text("note"))+st.Summary, "link") {
		d.t.Errorf("nothing says where the particles are from: %q", st.Summary)
	}
	d.seek(now)
	d.settle()
}

// viaFiles opens a bundle and the file of a saved session in a session with a model of its own. It must ask first, and
// keep this model.
func (d *document) viaFiles() {
	name, file := bundleOf(d.t, d.visitor)
	b, err := bundle.Decode(file)
	if err != nil || !strings.HasSuffix(name, bundle.Ending) {
		d.t.Fatal(name, err)
	}
	if b.Model != nil {
		if _, err := model.Open(systemsOf(d.t, d.lab), decoded(d.t, b.Model)); err != nil || !strings.HasPrefix(string(b.Metrics), "run,figure,value\n") {
			d.t.Errorf("the bundle's model: %v, metrics %s", err, b.Metrics)
		}
	}
	for name, file := range map[string][]byte{name: file, "a.session": d.Saved()} {
		other := visit(d.t, d.lab)
		other.try(wire.Set, "name", "other")
		other.try(wire.Press, "keep", "")
		before := other.is()
		if n := other.Apply(wire.Command{Kind: wire.File, Name: name, Data: file}); n != nil || other.is() != before {
			d.t.Errorf("%s: taken unasked, notice %+v", name, n)
		}
		other.reach(func() bool { return other.State().Ask.Accept != "" })
		if says := preview(other.State().Ask); d.kind == playing && d.lab != "flock" && !strings.Contains(says, `"mine"`) {
			d.t.Errorf("%s: asks %q", name, says)
		}
		other.press(wire.Accept)
		other.prepare()
		other.fetch()
		other.settle()
		for _, want := range append(d.keptRuns(), "other") {
			if len(d.runs()) > 0 && !slices.Contains(runNames(other), want) {
				d.t.Errorf("%s: the runs are %q, without %s", name, runNames(other), want)
			}
		}
		if got, want := withoutFrame(other.Fragment()), withoutFrame(d.Fragment()); got != want {
			d.t.Errorf("%s: the link became\n%s and was\n%s", name, got, want)
		}
		other.seek(int(d.number("now")))
		other.settle()
		if edited := len(d.picture().Text("note")) > 0; !slices.Equal(d.row("x"), other.row("x")) || !edited && !slices.Equal(d.row("p"), other.row("p")) {
			d.t.Errorf("%s: other particles, or another density", name)
		}
		names := runNames(other) // opening it again must not add the runs again
		other.drop(name, file)
		if got := runNames(other); !slices.Equal(got, names) {
			d.t.Errorf("%s: opened again, the runs became %q and were %q", name, got, names)
		}
	}
}

func (d *document) keptRuns() (names []string) {
	for _, r := range d.runs() {
		if !r.Fixed {
			names = append(names, r.Name)
		}
	}
	return names
}

// viaLaterLink restores an early save with the link of now, as a page does whose last save is old.
func (d *document) viaLaterLink() {
	if d.save == nil {
		return
	}
	again := newcomer(d.t, d.lab)
	if n := again.Apply(wire.Command{Kind: wire.Restore, Data: d.save, Value: d.was, Name: d.Fragment()}); n != nil && n.Error {
		d.t.Fatal(n.Text)
	}
	again.rest()
	if got, want := again.Fragment(), d.Fragment(); got != want {
		d.t.Errorf("later link: the session is\n%s\nwant\n%s", got, want)
	}
}
