package doc_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/file/points"
	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/runs"
	"macroscope/model/wire"
)

// full returns a document of the particles' lab in which every choice differs from the usual.
func full(t *testing.T) (l lab.Lab, d, usual *doc.Sheet) {
	t.Helper()
	l = catalogue.Particles()
	live := l.System.Live()
	d, usual = doc.NewSheet(&l, live), doc.NewSheet(&l, l.System.Live())
	for _, r := range d.Table() {
		if r.Travel&doc.Link == 0 || r.Name == doc.Turned {
			continue
		}
		was, tried := r.Text(), []string{"3", "on", "off", "2", "4", "0.3", "0.02", "30", "250", "3*r"}
		for _, o := range r.Options {
			tried = append(tried, o.Value)
		}
		if !slices.ContainsFunc(tried, func(text string) bool {
			return text != was && r.Set(text) == nil && r.Text() != was && live.Check() == nil
		}) && r.Text() == was {
			t.Fatalf("no other value of %s than %s was found", r.Name, was)
		}
	}
	d.Model, d.Frame = lab.Trained, 7
	n := 2 * l.System.Dim
	d.Run = run.Work{Particles: make([]float32, n), Note: "edited", Turned: "1~2"}
	for i := range d.Run.Particles {
		d.Run.Particles[i] = float32(i) / 4
	}
	d.A, d.B, d.Tool, d.KeepAs = "a", "b", "draw", "mine"
	d.Trained = doc.Training{
		Origin: origin.Origin{Kind: origin.Scratch, Seed: 3, Data: "a b.csv"}, OnCodes: true, Status: wire.Training, To: doc.Place{Phase: 2, Step: 30, Of: "measure", Most: 1e-3},
		By: runs.Recipe{Method: "flow", Scope: "all", Size: "browser", Form: "joint", From: "scratch", Drift: "gradient", Params: "a", Force: "r", Eps: 0.1, ZDim: 4, Seed: 1 << 63},
	}
	d.File = doc.File{Name: "a b.csv", Observable: "array", Trajectory: 3}
	return l, d, usual
}

// differ lists the rows that travel with a carrier and differ in two documents.
func differ(with doc.Travel, a, b *doc.Sheet) (names []string) {
	other := b.Table()
	for i, r := range a.Table() {
		if r.Travel&with != 0 && r.Text() != other[i].Text() {
			names = append(names, r.Name)
		}
	}
	return names
}

// TestEveryChoiceTravels gives every choice another value than the usual, and carries the document by each carrier.
// Just the choices that travel with a carrier must come along.
func TestEveryChoiceTravels(t *testing.T) {
	l, d, usual := full(t)
	for _, r := range d.Table() {
		if r.Travel == 0 {
			t.Errorf("%s travels with nothing", r.Name)
		}
	}
	for _, part := range []any{d.Doc, d.Trained, d.Trained.By, d.File} {
		for v, i := reflect.ValueOf(part), 0; i < v.NumField(); i++ {
			if name := v.Type().Field(i).Name; v.Field(i).IsZero() && name != "Step" && name != "Phase" && v.Field(i).Kind() != reflect.Bool {
				t.Errorf("the choice %s is not tested", name)
			}
		}
	}

	var w points.Encoder
	text, err := w.Encode(d.Run.Particles, l.System.Dim, nil)
	if err != nil {
		t.Fatal(err)
	}
	linked, err := doc.Read(&l, "#"+d.Fragment(usual, text))
	if names := differ(doc.Link, d, linked); err != nil || len(names) > 0 || !d.Run.SameParticles(&linked.Run) {
		t.Errorf("a link does not carry %q; particles %v, error %v", names, linked.Run.Particles, err)
	}
	if linked.A != "" || linked.File.Name != "" {
		t.Error("a link carries models or a file")
	}

	b, err := d.Encode(usual, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	opened, _, err := doc.Decode(&l, f)
	if err != nil {
		t.Fatal(err)
	}
	if names := differ(doc.Link|doc.Tab, d, opened); len(names) > 0 || !d.Run.SameParticles(&opened.Run) {
		t.Errorf("a file does not carry %q; particles %v", names, opened.Run.Particles)
	}
	for name, text := range f.Metadata {
		if text == "" {
			t.Errorf("the file has an empty text %s", name)
		}
	}
	playing := d.Clone()
	playing.Frame = -1
	if b, err = playing.Encode(usual, nil); err == nil {
		f, err = ckpt.Decode(bytes.NewReader(b))
	}
	if err == nil {
		opened, _, err = doc.Decode(&l, f)
	}
	if err != nil || opened.Frame != -1 {
		t.Errorf("a run that plays begins at frame %d: %v", opened.Frame, err)
	}
	other := catalogue.Line()
	if _, _, err := doc.Decode(&other, f); err == nil || !strings.Contains(err.Error(), "it is of the lab") {
		t.Errorf("in another lab: %v", err)
	}
	delete(f.Metadata, "session.edited")
	if _, _, err := doc.Decode(&l, f); err == nil {
		t.Error("a file without a value is read")
	}

	before, after := usual.Past(), d.Past()
	back := d.Clone()
	changed, err := back.Return(&after, &before)
	if names := differ(doc.History, usual, back); err != nil || len(names) > 0 || back.Run.Particles != nil || len(changed) < 10 {
		t.Errorf("history leaves %q, particles %v, changed %q, error %v", names, back.Run.Particles, changed, err)
	}
	if back.Frame != d.Frame || back.Tool != d.Tool || back.File != d.File {
		t.Error("history brings back what does not travel with it")
	}
	if is := back.Past(); !is.Equal(&before) || is.Equal(&after) {
		t.Error("the past is not equal to itself")
	}
}

// TestFollow changes a saved document by the difference of two links.
func TestFollow(t *testing.T) {
	_, saved, usual := full(t)
	was, is := usual.Clone(), usual.Clone()
	is.Eps, is.Frame = 0.27, 5
	is.Run.Particles = []float32{1, 2, 3, 4}
	saved.Follow(was, is)
	if saved.Eps != 0.27 || saved.Frame != 5 || !saved.Run.SameParticles(&is.Run) {
		t.Errorf("ε %g, frame %d, particles %v", saved.Eps, saved.Frame, saved.Run.Particles)
	}
	_, other, _ := full(t)
	other.Eps, other.Frame = 0.27, 5
	if names := differ(doc.Link|doc.Tab, saved, other); len(names) > 0 {
		t.Errorf("%q changed too", names)
	}
}

// Example reads a link in which a setting is invalid.
func Example() {
	l := catalogue.Line()
	d, err := doc.Read(&l, "#lab="+l.Link()+"&eps=0.2&zdim=many&colour=red")
	fmt.Println(d.Eps, d.ZDim == lab.Defaults(&l).ZDim)
	fmt.Println(err)
	// Output:
	// 0.2 true
	// the link was read in part: the number of closure variables cannot be "many": give a whole number from 1 to 16; there is no setting called "colour"
}
