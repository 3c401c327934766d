package literal

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// list reads a list of integers and the end of the text.
func list(s Scanner) (v []int, comma bool, err error) {
	comma, err = s.List('[', ']', func() error {
		x, err := s.Int()
		v = append(v, x)
		return err
	})
	if err == nil {
		err = s.End()
	}
	return v, comma, err
}

func TestList(t *testing.T) {
	for _, tc := range []struct {
		text         string
		json, python bool // whether JSON allows the text, and whether Python does
	}{
		{"[1,-2]", true, true}, {" [ 1 ,\t-2 ]\n", true, true}, {"[1,-2,]", false, true}, {"[1,-2,,]", false, false}, {"[,1,-2]", false, false}, {"[1 -2]", false, false}, {"[1,-2", false, false},
		{"[1,-2]]", false, false}, {"[1,-02]", false, false}, {"[1,- 2]", false, false}, {"[+1,-2]", false, false}, {"[1,-2.0]", false, false}, {"[1,9223372036854775808]", false, false},
	} {
		for _, python := range []bool{false, true} {
			v, comma, err := list(Scanner{Text: tc.text, Python: python})
			want := python && tc.python || !python && tc.json
			if (err == nil) != want {
				t.Errorf("%q, Python %t: %v", tc.text, python, err)
			}
			if err == nil && (!slices.Equal(v, []int{1, -2}) || comma != strings.HasSuffix(tc.text, ",]")) {
				t.Errorf("%q, Python %t: got %v, comma %t", tc.text, python, v, comma)
			}
		}
	}
}

func TestQuotes(t *testing.T) {
	for _, tc := range []struct {
		text   string
		python bool
		want   string
	}{
		{`"it's"`, false, "it's"}, {`"it's"`, true, "it's"}, {`'a"b'`, true, `a"b`}, {`'a\\b'`, true, `a\b`},
		{`'a'`, false, ""}, {`'a"`, true, ""}, {`"a'`, true, ""},
	} {
		s := Scanner{Text: tc.text, Python: tc.python}
		if got, err := s.String(); got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: got %q, %v", tc.text, got, err)
		}
	}
}

// FuzzString compares strings with encoding/json, which accepts more: it replaces bytes that are not
// UTF-8, and halves of surrogate pairs, by U+FFFD.
func FuzzString(f *testing.F) {
	for _, text := range []string{`"a\"\\\/\b\f\n\r\t"`, `"ẑ\u1e91\uD83D\uDE00"`, `"\ud800"`, `"\ud800\u0041"`, `"\udc00\ud800"`, `"\ufffd"`, `"\u+123"`, `"\u000X0b"`, `"\x41"`, "\"\xff\"", "\"\x01\"", `"`, `"\`, `"\u12`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := Scanner{Text: text}
		got, err := s.String()
		if err == nil {
			err = s.End()
		}
		var want string
		other := json.Unmarshal([]byte(text), &want)
		switch {
		case err == nil && (other != nil || got != want):
			t.Errorf("%q: got %q, and encoding/json %q, %v", text, got, want, other)
		case err != nil && other == nil && strings.TrimSpace(text) != "null" && !strings.Contains(want, "\ufffd"):
			t.Errorf("%q: %v, and encoding/json reads %q", text, err, want)
		}
	})
}
