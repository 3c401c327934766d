package session_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/learn/fit"
	"macroscope/model/wire"
)

// bundleOf saves a whole session as a bundle.
func bundleOf(t testing.TB, v *visitor) (string, []byte) {
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

func decoded(t testing.TB, file []byte) *ckpt.File {
	t.Helper()
	f, err := ckpt.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return f
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
		saved := v.Saved()
		v.refusesAll("was not opened", wire.Command{Kind: wire.File, Name: "a.session", Data: saved[:len(saved)/2]})
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
