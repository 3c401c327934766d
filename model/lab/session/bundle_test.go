package session_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/model"
	"macroscope/model/wire"
)

// bundleOf saves a whole session as a bundle.
func bundleOf(t *testing.T, v *visitor) (string, []byte) {
	t.Helper()
	name, b, err := v.Save(wire.Bundle)
	if err != nil {
		t.Fatal(err)
	}
	return name, b
}

// runNames returns the names of the runs that a session keeps.
func runNames(v *visitor) (names []string) {
	for _, r := range v.runs() {
		names = append(names, r.Name)
	}
	return names
}

// TestBundle saves a lab with models and edits. It opens the bundle in a fresh lab, and in a
// lab that has its own models, which must stay.
func TestBundle(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		for _, c := range edits[v.lab] {
			v.Apply(c)
		}
		v.prepare()
		v.set("name", "mine")
		v.press("keep")
		v.settle()
		name, file := bundleOf(t, v)
		if !strings.HasSuffix(name, bundle.Ending) || !bundle.Is(file) {
			t.Errorf("the file %s is no bundle", name)
		}
		b, err := bundle.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := model.Open(systemsOf(t, v.lab), decoded(t, b.Model)); err != nil || len(b.Runs) != 1 || !bytes.HasPrefix(b.Metrics, []byte("run,figure,value\n")) || bytes.Count(b.Metrics, []byte("\n")) < 2 {
			t.Errorf("the bundle's model: %v, runs %d, metrics %s", err, len(b.Runs), b.Metrics)
		}

		other := newcomer(t, v.lab)
		other.prepare()
		other.fetch()
		other.set("name", "other")
		other.press("keep")
		before := other.is()
		if n := other.Apply(wire.Command{Kind: wire.File, Name: name, Data: file}); n != nil {
			t.Fatal(n.Text)
		}
		ask := other.State().Ask
		if ask.Accept == "" || !strings.Contains(preview(ask), `"mine"`) {
			t.Errorf("asks %+v", ask)
		}
		if other.is() != before {
			t.Error("the bundle has been taken unasked")
		}
		if n := other.try(wire.Press, wire.Accept, ""); n == nil || n.Error {
			t.Fatalf("opened: %+v", n)
		}
		other.prepare()
		other.fetch()
		other.settle()
		if got, want := withoutFrame(other.Fragment()), withoutFrame(v.Fragment()); got != want {
			t.Errorf("the link became\n%s and was\n%s", got, want)
		}
		for _, want := range []string{"mine", "other"} {
			if !slices.Contains(runNames(other), want) {
				t.Errorf("the runs are %q, without %s", runNames(other), want)
			}
		}
		if v.sampler() && !slices.Equal(v.row("x"), other.row("x")) {
			t.Error("the particles differ")
		}
		// Opening the bundle again must not add the runs again.
		runs := runNames(other)
		other.drop(name, file)
		if got := runNames(other); !slices.Equal(got, runs) {
			t.Errorf("opened again, the runs became %q and were %q", got, runs)
		}
		other.whole()
	})
}

func decoded(t *testing.T, file []byte) *ckpt.File {
	t.Helper()
	f, err := ckpt.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestBundleOfData saves a session with a file of trajectories. Opening the bundle must display
// the trajectories again.
func TestBundleOfData(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		own := ownFiles[v.lab]
		v.drop(own.name, own.b(t))
		if v.lab == "particles" {
			v.set("trajectory", "2")
		}
		v.settle()
		name, file := bundleOf(t, v)
		other := newcomer(t, v.lab)
		other.prepare()
		other.fetch()
		other.drop(name, file)
		other.fetch()
		other.settle()
		st := other.State()
		if st.Values["trajectory"] != v.State().Values["trajectory"] || len(st.Hidden) == 0 {
			t.Errorf("trajectory %s, hidden %v", st.Values["trajectory"], st.Hidden)
		}
		if !slices.Equal(v.row("x"), other.row("x")) {
			t.Error("other particles are on show")
		}
	})
}

// TestBundleOfTraining saves a session during a training, and continues the training in another
// session. The other session's own models must stay.
func TestBundleOfTraining(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.press("reset")
		v.set("runto", "3")
		v.press("go")
		v.reach(func() bool { return v.Status() == wire.Paused })
		name, file := bundleOf(t, v)
		other := newcomer(t, v.lab)
		other.prepare()
		other.fetch()
		other.press("reset")
		other.set("runto", "2")
		other.press("go")
		other.reach(func() bool { return other.Status() == wire.Paused })
		other.drop(name, file)
		if other.Status() != wire.Paused || !slices.Equal(v.row("p"), other.row("p")) {
			t.Errorf("%v, or another model", other.Status())
		}
		if len(runNames(other)) < len(runNames(v))+1 {
			t.Errorf("what was trained here is not among %q", runNames(other))
		}
		for _, w := range []*visitor{v, other} {
			w.set("runto", "5")
			w.press("go")
			w.reach(func() bool { return w.Status() == wire.Paused })
		}
		if !slices.Equal(v.row("p"), other.row("p")) || !slices.Equal(v.row("loss"), other.row("loss")) {
			t.Error("the training went on in another way")
		}

		// Put a further model into the bundle, as the command line does when it trains.
		b, err := bundle.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		_, further, err := v.Save(wire.Model)
		if err != nil {
			t.Fatal(err)
		}
		if !fit.Holds(decoded(t, further)) {
			t.Fatal("there is no training")
		}
		b.Trained(further)
		var out bytes.Buffer
		if err := b.Encode(&out); err != nil {
			t.Fatal(err)
		}
		third := newcomer(t, v.lab)
		third.prepare()
		third.fetch()
		third.drop(name, out.Bytes())
		third.settle()
		v.settle()
		if third.Status() != wire.Paused || !slices.Equal(v.row("p"), third.row("p")) {
			t.Errorf("%v, or another model than the command line's", third.Status())
		}
	})
}

// TestSavedSessionAsAFile drops a file of a saved session into another session. The session
// must ask first, and keep its own models.
func TestSavedSessionAsAFile(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		v.settle()
		v.set("name", "old")
		v.press("keep")
		file := v.Saved()
		w := visit(t, v.lab)
		w.settle()
		w.set("name", "new")
		w.press("keep")
		before := w.is()
		if n := w.Apply(wire.Command{Kind: wire.File, Name: "a.session", Data: file}); n != nil || w.State().Ask.Accept == "" || w.is() != before {
			t.Fatalf("notice %+v, asks %+v, is\n%s, was\n%s", n, w.State().Ask, w.is(), before)
		}
		w.press(wire.Accept)
		if got := w.names(); !slices.Contains(got, "old") || !slices.Contains(got, "new") {
			t.Errorf("the runs are %q", got)
		}
		w.refusesAll("was not opened", wire.Command{Kind: wire.File, Name: "a.session", Data: file[:len(file)/2]})
	})
}

// TestBundleRefused checks that a damaged bundle is rejected with the reason. For a bundle of
// another lab, the session must offer to open that lab.
func TestBundleRefused(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		v.settle()
		name, file := bundleOf(t, v)
		b, err := bundle.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		damaged := slices.Clone(file)
		damaged[len(damaged)/2] ^= 1
		again := func(change func(b *bundle.Bundle)) []byte {
			c := *b
			change(&c)
			var out bytes.Buffer
			if err := c.Encode(&out); err != nil {
				t.Fatal(err)
			}
			return out.Bytes()
		}
		for what, tc := range map[string]struct {
			b    []byte
			says string
		}{
			"cut":      {file[:len(file)-9], "damaged or cut short"},
			"changed":  {damaged, ""},
			"nonsense": {[]byte("nonsense"), "damaged or cut short"},
			"session":  {again(func(b *bundle.Bundle) { b.Session = []byte("12345678{") }), ""},
			"training": {again(func(b *bundle.Bundle) { b.Training = []byte("x") }), ""},
			"runs":     {again(func(b *bundle.Bundle) { b.Runs = [][]byte{b.Model} }), ""},
			"data":     {again(func(b *bundle.Bundle) { b.Data, b.DataName = []byte("PK\x03\x04"), "mine.npz" }), "mine.npz"},
		} {
			t.Log(what)
			v.refusesAll(tc.says, wire.Command{Kind: wire.File, Name: name, Data: tc.b})
		}
		before := v.is()
		for _, lab := range names {
			if lab == v.lab {
				continue
			}
			other := newcomer(t, lab)
			other.prepare()
			other.fetch()
			name, file := bundleOf(t, other)
			if n := v.Apply(wire.Command{Kind: wire.File, Name: name, Data: file}); n != nil {
				t.Errorf("of %s: %+v", lab, n)
			}
			if ask := v.State().Ask; ask.Lab != lab {
				t.Errorf("of %s: asks %+v", lab, ask)
			}
			v.press(wire.Cancel)
		}
		if v.is() != before {
			t.Error("a bundle of another lab changed something")
		}
		alone := again(func(b *bundle.Bundle) { *b = bundle.Bundle{Model: b.Model} })
		if said := v.drop(name, alone); !strings.Contains(said, "Opened the model") {
			t.Errorf("a bundle of a model alone: %q", said)
		}
	})
}

// TestBundleOfEditedData reads a set from a file, adds points, saves a bundle and opens it. The
// session must display the added points, as after a reload.
func TestBundleOfEditedData(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.drop("own.npy", npy(t, 50))
		v.apply(wire.Add, "", "0.3")
		_, b, err := v.Save(wire.Bundle)
		if err != nil {
			t.Fatal(err)
		}
		again := visit(t, wire.Demo)
		again.drop("all.macroscope", b)
		v.like(again, "edited")
	})
}
