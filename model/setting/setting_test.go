package setting

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// colour is a value that marshals itself.
type colour int

var colours = []string{"red", "green", "blue"}

func (c colour) MarshalText() ([]byte, error) { return []byte(colours[c]), nil }

func (c *colour) UnmarshalText(b []byte) error {
	i := slices.Index(colours, string(b))
	if i < 0 {
		return errors.New("use red, green or blue")
	}
	*c = colour(i)
	return nil
}

// values contains a value of each type of setting.
type values struct {
	count   int
	seed    uint64
	rate    float64
	on, yes bool
	name    string
	form    string
	widths  []int
	colour  colour
}

func defaults() values {
	return values{count: 3, seed: 1, rate: 0.5, on: true, name: "a b", form: "mlp", widths: []int{64, 32}, colour: 1}
}

func (v *values) table() Table {
	return Table{
		{Name: "count", What: "the number of particles", Value: &v.count, Low: 1, High: 100},
		{Name: "seed", Value: &v.seed},
		{Name: "rate", What: "the learning rate", Value: &v.rate, Low: 1e-6, High: 1},
		{Name: "on", Value: &v.on, Switch: true},
		{Name: "yes", Value: &v.yes},
		{Name: "name", Value: &v.name},
		{Name: "form", What: "the form", Value: &v.form, Options: Choices("mlp", "onsager")},
		{Name: "widths", Value: &v.widths, Low: 1, High: 512},
		{Name: "colour", What: "the colour", Value: &v.colour},
	}
}

func TestSet(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       func(*values)
		reads      string // expected result of Text after Set, or "" if Text must return `text` unchanged
	}{
		{"count", "1", func(v *values) { v.count = 1 }, ""},
		{"count", "100", func(v *values) { v.count = 100 }, ""},
		{"count", " 7 ", func(v *values) { v.count = 7 }, "7"},
		{"count", "+8", func(v *values) { v.count = 8 }, "8"},
		{"seed", "0", func(v *values) { v.seed = 0 }, ""},
		{"seed", "18446744073709551615", func(v *values) { v.seed = math.MaxUint64 }, ""},
		{"rate", "1e-6", func(v *values) { v.rate = 1e-6 }, "1e-06"},
		{"rate", "1", func(v *values) { v.rate = 1 }, ""},
		{"rate", "0.25000", func(v *values) { v.rate = 0.25 }, "0.25"},
		{"rate", "0.1", func(v *values) { v.rate = 0.1 }, ""},
		{"on", "off", func(v *values) { v.on = false }, ""},
		{"yes", "true", func(v *values) { v.yes = true }, ""},
		{"yes", "on", func(v *values) { v.yes = true }, "true"},
		{"name", "", func(v *values) { v.name = "" }, ""},
		{"name", "für ẑ", func(v *values) { v.name = "für ẑ" }, ""},
		{"form", "onsager", func(v *values) { v.form = "onsager" }, ""},
		{"widths", "", func(v *values) { v.widths = nil }, ""},
		{"widths", "1  512", func(v *values) { v.widths = []int{1, 512} }, "1 512"},
		{"colour", "blue", func(v *values) { v.colour = 2 }, ""},
	} {
		got, want := defaults(), defaults()
		tc.want(&want)
		if err := got.table().Set(tc.name, tc.text); err != nil {
			t.Errorf("%s=%q: %v", tc.name, tc.text, err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s=%q: got %+v, want %+v", tc.name, tc.text, got, want)
		}
		reads := tc.reads
		if reads == "" {
			reads = tc.text
		}
		if text := got.table().Find(tc.name).Text(); text != reads {
			t.Errorf("%s=%q: reads %q, want %q", tc.name, tc.text, text, reads)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	long := strings.Repeat("ä", 100)
	for _, tc := range []struct{ name, text, says string }{
		{"count", "0", `the number of particles cannot be "0": give a whole number from 1 to 100`},
		{"count", "101", "from 1 to 100"},
		{"count", "8.5", `cannot be "8.5"`},
		{"count", "", `cannot be ""`},
		{"count", "99999999999999999999", "from 1 to 100"},
		{"seed", "-1", `seed cannot be "-1": give a whole number from 0 to 18446744073709551615`},
		{"seed", "18446744073709551616", "whole number"},
		{"rate", "0", `the learning rate cannot be "0": give a number from 1e-6 to 1`},
		{"rate", "1.0000001", "from 1e-6 to 1"},
		{"rate", "NaN", "give a number"},
		{"rate", "-Inf", "give a number"},
		{"rate", "1e999", "give a number"},
		{"on", "true", `on cannot be "true": give on or off`},
		{"on", "", "on or off"},
		{"yes", "maybe", `yes cannot be "maybe": give true or false`},
		{"form", "MLP", `the form cannot be "MLP": give one of mlp, onsager`},
		{"widths", "64 0", "whole numbers with spaces between from 1 to 512"},
		{"widths", "64,32", `cannot be "64,32"`},
		{"colour", "pink", `the colour cannot be "pink": use red, green or blue`},
		{"colour", long, `"ääääääääääääääääääääääää…"`},
		{"size", "1", `there is no setting called "size"`},
		{long, "1", "ä…"},
	} {
		got := defaults()
		err := got.table().Set(tc.name, tc.text)
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s=%q: error %v, want one that says %q", tc.name, tc.text, err, tc.says)
		}
		if fmt.Sprint(got) != fmt.Sprint(defaults()) {
			t.Errorf("%s=%q was refused and changed the values to %+v", tc.name, tc.text, got)
		}
	}
}

// TestUnbounded checks that a field without bounds accepts any number except NaN, and that a
// High of 0 is a bound if Low is below 0.
func TestUnbounded(t *testing.T) {
	n, x := 0, 0.0
	f := Field{Name: "n", Value: &n}
	if err := f.Set("-5"); err != nil || n != -5 {
		t.Errorf("%d, %v", n, err)
	}
	if err := f.Set("x"); err == nil || !strings.HasSuffix(err.Error(), "give a whole number") {
		t.Error(err)
	}
	f = Field{Name: "x", Value: &x}
	if err := f.Set("NaN"); err == nil || x != 0 {
		t.Errorf("%g, %v", x, err)
	}
	f.Low, f.High = -2, 0
	for text, ok := range map[string]bool{"-2": true, "0": true, "-2.1": false, "0.1": false} {
		if err := f.Set(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestBoundedSeed checks that the error of a seed with bounds names the bounds.
func TestBoundedSeed(t *testing.T) {
	var n uint64
	f := Field{Name: "set", Value: &n, Low: 0, High: 9}
	if err := f.Set("9"); err != nil || n != 9 {
		t.Errorf("%d, %v", n, err)
	}
	if err := f.Set("10"); err == nil || !strings.HasSuffix(err.Error(), "from 0 to 9") || n != 9 {
		t.Errorf("%d, %v", n, err)
	}
}

// TestOptionsOfNumbers checks that a number with options accepts only the options.
func TestOptionsOfNumbers(t *testing.T) {
	n := 2
	f := Field{Name: "dim", Value: &n, Options: []Option{{"2", "plane"}, {"3", "space"}}}
	if err := f.Set("3"); err != nil || n != 3 {
		t.Errorf("%d, %v", n, err)
	}
	for _, text := range []string{"1", "03", "space"} {
		if err := f.Set(text); err == nil || !strings.Contains(err.Error(), "one of 2, 3") || n != 3 {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
}

func TestUnknownTypePanics(t *testing.T) {
	for name, do := range map[string]func(*Field){
		"Text": func(f *Field) { f.Text() }, "Set": func(f *Field) { f.Set("1") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.Contains(s, "odd has type int") {
					t.Errorf("panic %q", s)
				}
			}()
			do(&Field{Name: "odd", Value: 3})
		})
	}
}

// TestReadWrite writes values to the metadata of a file and reads them back.
func TestReadWrite(t *testing.T) {
	from := values{count: 9, seed: math.MaxUint64, rate: 1. / 3, yes: true, name: "x=y&z", form: "onsager", widths: []int{7}, colour: 2}
	file := map[string]string{"other": "stays"}
	from.table().Write(file, "config.")
	if len(file) != 1+len(from.table()) || file["config.rate"] != "0.3333333333333333" || file["config.on"] != "off" || file["other"] != "stays" {
		t.Errorf("wrote %v", file)
	}
	var to values
	if err := to.table().Read(file, "config."); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(to) != fmt.Sprint(from) || !slices.Equal(to.table().Texts(), from.table().Texts()) {
		t.Errorf("got %+v, want %+v", to, from)
	}

	// Empty values are also written.
	bare := values{count: 1, rate: 1, form: "mlp"}
	empty := map[string]string{}
	bare.table().Write(empty, "")
	if err := to.table().Read(empty, ""); err != nil || len(empty) != len(bare.table()) || fmt.Sprint(to) != fmt.Sprint(bare) {
		t.Errorf("got %+v, want %+v: %v", to, bare, err)
	}

	for _, tc := range []struct {
		change func(map[string]string)
		says   string
	}{
		{func(m map[string]string) { delete(m, "config.rate") }, "the metadata has no config.rate"},
		{func(m map[string]string) { m["config.rate"] = "2" }, `the metadata's config.rate is "2", which cannot be read`},
		{func(m map[string]string) { m["config.widths"] = strings.Repeat("9 ", 99) + "x" }, "…"},
		{func(m map[string]string) { m["config.colour"] = "" }, `config.colour is ""`},
	} {
		m := maps.Clone(file)
		tc.change(m)
		if err := to.table().Read(m, "config."); err == nil || !strings.Contains(err.Error(), tc.says) || len(err.Error()) > 200 {
			t.Errorf("error %v, want one that says %q", err, tc.says)
		}
	}
}

// TestAbsent checks that Read overwrites a setting with its Absent value if a file does not contain
// the setting. Write must leave out settings with their Absent value.
func TestAbsent(t *testing.T) {
	n, on := 5, true
	table := Table{{Name: "n", Value: &n, Absent: "1"}, {Name: "on", Value: &on, Absent: "false"}}
	if err := table.Read(nil, ""); err != nil || n != 1 || on {
		t.Errorf("n %d, on %v, %v", n, on, err)
	}
	file := map[string]string{}
	if table.Write(file, ""); len(file) != 0 {
		t.Errorf("wrote %v", file)
	}
	n = 2
	if table.Write(file, ""); len(file) != 1 || file["n"] != "2" {
		t.Errorf("wrote %v", file)
	}
	on = true
	if err := table.Read(file, ""); err != nil || n != 2 || on {
		t.Errorf("n %d, on %v, %v", n, on, err)
	}
}

func TestFind(t *testing.T) {
	v := defaults()
	table := v.table()
	if f := table.Find("rate"); f != &table[2] {
		t.Error("the field that is found is not the table's")
	}
	if table.Find("Rate") != nil {
		t.Error("names are found in other letters")
	}
	if got := Choices("a", "b"); !slices.Equal(got, []Option{{"a", "a"}, {"b", "b"}}) {
		t.Errorf("choices %v", got)
	}
}

func TestParseLink(t *testing.T) {
	for _, fragment := range []string{"#v=1&lab=mixing&count=4&count=5&more=x", "count=4&count=5&more=x", "lab=mixing&count=4&count=5&more=x"} {
		got, err := ParseLink(fragment, "mixing")
		if want := (url.Values{"count": {"4", "5"}, "more": {"x"}}); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, %v", fragment, got, err)
		}
	}
	for _, tc := range []struct{ fragment, says string }{
		{"%zz", "cannot be read"},
		{"a;b", "cannot be read"},
		{"v=99", `version "99" and this lab reads version 1`},
		{"lab=cats", `called "cats", and this is mixing`},
		{"lab=" + strings.Repeat("c", 999), "…"},
		{strings.Repeat("a", maxLink+1), "longer"},
	} {
		if got, err := ParseLink(tc.fragment, "mixing"); err == nil || !strings.Contains(err.Error(), tc.says) || got != nil || len(err.Error()) > 300 {
			t.Errorf("%.20s: %v, error %v, want one that says %q", tc.fragment, got, err, tc.says)
		}
	}
	if _, err := ParseLink("#"+strings.Repeat("a", maxLink), "mixing"); err != nil {
		t.Errorf("a link of the largest length: %v", err)
	}
}

// TestTake checks that a link's valid settings are set in the table's order, that the last of
// two values counts, and that names outside the table stay in the link.
func TestTake(t *testing.T) {
	v := defaults()
	link := url.Values{"rate": {"7"}, "count": {"4", "5"}, "on": {"off"}, "model": {"a"}, "colour": {"pink"}}
	wrong := v.table().Take(link)
	if v.count != 5 || v.on || v.rate != 0.5 || v.colour != 1 {
		t.Errorf("took %+v", v)
	}
	if len(wrong) != 2 || !strings.Contains(wrong[0].Error(), "learning rate") || !strings.Contains(wrong[1].Error(), "colour") {
		t.Errorf("wrong: %v", wrong)
	}
	if len(link) != 1 || link.Get("model") != "a" {
		t.Errorf("left %v", link)
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"":                            `""`,
		`a"b`:                         `"a\"b"`,
		"\x00\xff":                    `"\x00\xff"`,
		strings.Repeat("x", 24):       `"` + strings.Repeat("x", 24) + `"`,
		strings.Repeat("ẑ", 24) + "x": `"` + strings.Repeat("ẑ", 24) + `…"`,
	} {
		if got := Quote(s); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

// FuzzLink reads any link. Values taken from a link must be within their bounds. A new link
// with these values must give the same values. Error messages must be short.
func FuzzLink(f *testing.F) {
	f.Add("#v=1&lab=x&count=4&seed=7&rate=0.1&on=off&name=a%20b&widths=1+2&colour=red")
	f.Add("count=&count=1e9&rate=-0&widths=+&on=on&yes=TRUE&form=mlp&seed=-0")
	f.Add("rate=0x1p-3&count=%31&rate=1_0&colour=%ff%00")
	f.Fuzz(func(t *testing.T, fragment string) {
		v := defaults()
		link, err := ParseLink(fragment, "x")
		if err != nil {
			if len(err.Error()) > 500 {
				t.Errorf("a sentence of %d bytes", len(err.Error()))
			}
			return
		}
		for _, err := range v.table().Take(link) {
			if len(err.Error()) > 500 {
				t.Errorf("a sentence of %d bytes", len(err.Error()))
			}
		}
		if v.count < 1 || v.count > 100 || !(v.rate >= 1e-6 && v.rate <= 1) || v.form != "mlp" && v.form != "onsager" || v.colour < 0 || v.colour > 2 {
			t.Errorf("took %+v", v)
		}
		next := url.Values{}
		for i, text := range v.table().Texts() {
			next.Set(v.table()[i].Name, text)
		}
		link, err = ParseLink(next.Encode(), "x")
		if err != nil {
			t.Skip("more text than a link holds")
		}
		again := defaults()
		if wrong := again.table().Take(link); len(wrong) > 0 || fmt.Sprint(again) != fmt.Sprint(v) {
			t.Errorf("%+v became %+v: %v", v, again, wrong)
		}
	})
}

// A table displays, writes and reads a setting.
func ExampleTable() {
	steps, eps := 3000, 0.1
	table := Table{
		{Name: "steps", What: "the number of steps", Value: &steps, Low: 1, High: 1e6},
		{Name: "eps", What: "ε", Value: &eps, Low: 1e-8, High: 1},
	}
	fmt.Println(table.Set("steps", "500"))
	fmt.Println(table.Set("eps", "7"))
	fmt.Println(table.Texts())
	// Output:
	// <nil>
	// ε cannot be "7": give a number from 1e-8 to 1
	// [500 0.1]
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{0: "0.0000", 0.5: "0.5000", 1e-4: "1.00e-04", -2e4: "-2.00e+04", math.Inf(1): "–"} {
		if got := Short(v); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
}

func TestFirst(t *testing.T) {
	texts := []string{"a", "b", "c", "d"}
	for most, want := range map[int]string{2: "a; b and 2 more", 3: "a; b; c and 1 more", 4: "a; b; c; d", 9: "a; b; c; d"} {
		if got := First(most, "; ", texts); got != want {
			t.Errorf("the first %d are %q, want %q", most, got, want)
		}
	}
}
