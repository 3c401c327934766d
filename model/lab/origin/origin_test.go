package origin

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

var (
	_ encoding.TextMarshaler   = Origin{}
	_ encoding.TextUnmarshaler = (*Origin)(nil)
)

// sentences has an origin of each kind, and the sentence that earlier versions saved for it.
var sentences = []struct {
	of       Origin
	sentence string
}{
	{Origin{}, ""},
	{Origin{Kind: Shipped}, "shipped with the lab"},
	{Origin{Kind: Untrained, Seed: 3}, "untrained, seed 3"},
	{Origin{Kind: Scratch, Seed: 1 << 63}, "trained here from scratch, seed 9223372036854775808"},
	{Origin{Kind: Scratch, Seed: 7, Data: "my runs, on tuesday.npz"}, "trained here from scratch, seed 7, on my runs, on tuesday.npz"},
	{Origin{Kind: Scratch, Retargeted: true}, "trained here from scratch, seed 0, with ε changed in between"},
	{Origin{Kind: OnShipped}, "trained on here from the shipped model"},
	{Origin{Kind: OnEarlier, Retargeted: true}, "trained on here from an earlier training, with ε changed in between"},
	{Origin{Kind: OnCheckpoint}, "trained on here from a checkpoint"},
	{Origin{Kind: OnRun, Name: `a "b", on c`, Data: "d&e=1.csv"}, `trained on here from "a \"b\", on c", on d&e=1.csv`},
	{Origin{Kind: OnRun, Name: "the shipped model"}, `trained on here from "the shipped model"`},
	{Origin{Kind: Opened, Name: "night.safetensors"}, `opened from "night.safetensors"`},
	{Origin{Kind: OfCommandLine, Name: "a.zip"}, `trained by the command line, from "a.zip"`},
	{Origin{Kind: Swept}, "trained here in a sweep"},
	{Origin{told: "from Göttingen"}, "from Göttingen"},
	{Origin{told: "trained here from scratch, seed ten"}, "trained here from scratch, seed ten"},
	{Origin{told: "opened from night.safetensors", Retargeted: true}, "opened from night.safetensors, with ε changed in between"},
}

// TestSentences checks the sentence of every kind, that an earlier version's sentence gives the facts,
// and that facts which were written are read again.
func TestSentences(t *testing.T) {
	seen := map[Kind]bool{}
	for _, tc := range sentences {
		seen[tc.of.Kind] = true
		if got := tc.of.String(); got != tc.sentence {
			t.Errorf("%+v: %q, want %q", tc.of, got, tc.sentence)
		}
		for _, from := range []string{tc.sentence, text(t, tc.of)} {
			got := Origin{Kind: Swept, Data: "old"}
			if err := got.UnmarshalText([]byte(from)); err != nil || got != tc.of {
				t.Errorf("%q: %+v, %v, want %+v", from, got, err, tc.of)
			}
		}
	}
	if len(seen) != len(kinds) {
		t.Errorf("%d of %d kinds are tested", len(seen), len(kinds))
	}
}

func text(t *testing.T, o Origin) string {
	t.Helper()
	b, err := o.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if o.Kind != Unknown && !strings.HasPrefix(string(b), facts) {
		t.Errorf("%+v is written as %q", o, b)
	}
	return string(b)
}

// TestLongNames checks that a file keeps its whole name, although the sentence shortens it.
func TestLongNames(t *testing.T) {
	o := Origin{Kind: Opened, Name: strings.Repeat("long", 20)}
	var got Origin
	if err := got.UnmarshalText([]byte(text(t, o))); err != nil || got != o || got.String() != `opened from "longlonglonglonglonglong…"` {
		t.Errorf("%+v, %v", got, err)
	}
	if old := Read(o.String()); old.Kind != Opened || old.String() != o.String() {
		t.Errorf("the earlier sentence gives %+v, %s", old, old)
	}
}

// TestIsNoText checks that an Origin and a Kind cannot be compared with a text.
func TestIsNoText(t *testing.T) {
	for _, v := range []any{Origin{}, Shipped} {
		if kind := reflect.ValueOf(v).Kind(); kind != reflect.Struct && kind != reflect.Uint8 {
			t.Errorf("%T is a %v", v, kind)
		}
	}
}

func TestBadFacts(t *testing.T) {
	for _, bad := range []string{"kind=", "kind=banana", "kind=scratch&seed=-1", "kind=scratch&retargeted=perhaps", "kind=%zz"} {
		o := Origin{Kind: Swept}
		if err := o.UnmarshalText([]byte(bad)); err == nil || o != (Origin{Kind: Swept}) {
			t.Errorf("%q: %+v, %v", bad, o, err)
		}
	}
}

// FuzzRead checks that every sentence stays as it is.
func FuzzRead(f *testing.F) {
	for _, tc := range sentences {
		f.Add(tc.sentence)
	}
	f.Fuzz(func(t *testing.T, sentence string) {
		o := Read(sentence)
		if o.String() != sentence {
			t.Fatalf("%q became %q", sentence, o)
		}
		var again Origin
		if err := again.UnmarshalText([]byte(text(t, o))); err != nil && !strings.HasPrefix(sentence, facts) {
			t.Fatalf("%+v is not read again: %v", o, err)
		}
	})
}

func ExampleOrigin() {
	o := Read("trained here from scratch, seed 7, with ε changed in between")
	fmt.Println(o.Kind == Scratch, o.Seed, o.Retargeted)
	b, _ := o.MarshalText()
	fmt.Println(string(b))
	// Output:
	// true 7 true
	// kind=scratch&seed=7&retargeted=on
}
