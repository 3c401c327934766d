package setting

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
)

// Table lists settings in the order in which they are displayed and written. Names are unique.
type Table []Field

// Find returns the setting with this name, or nil if there is none.
func (t Table) Find(name string) *Field {
	for i := range t {
		if t[i].Name == name {
			return &t[i]
		}
	}
	return nil
}

// Names returns the names of all fields.
func (t Table) Names() []string {
	names := make([]string, len(t))
	for i, f := range t {
		names[i] = f.Name
	}
	return names
}

// Needing is for settings that need another setting to have a certain value. `set` reports whether
// the other setting has this value. `what` names the other setting and the value, in the form of
// Field.Needs. If `set` is false, Needing marks the settings of the table as having no effect. It
// returns the table.
func (t Table) Needing(set bool, what string) Table {
	for i := range t {
		if !set && t[i].Needs == "" {
			t[i].Needs = what
		}
	}
	return t
}

// Used returns an error if one of the named settings has no effect. The error says what the
// setting needs.
func (t Table) Used(names ...string) error {
	for _, name := range names {
		if f := t.Find(name); f != nil && f.Needs != "" {
			return fmt.Errorf("%s has no effect without %s; set both, or leave it out", name, f.Needs)
		}
	}
	return nil
}

// Set sets one setting from text. The error is a sentence for the user.
func (t Table) Set(name, text string) error {
	f := t.Find(name)
	if f == nil {
		return fmt.Errorf("there is no setting called %s", Quote(name))
	}
	return f.Set(text)
}

// Check returns an error for the first invalid value (see Field.Check).
func (t Table) Check() error {
	for i := range t {
		if err := t[i].Check(); err != nil {
			return err
		}
	}
	return nil
}

// Texts returns every value as text, in the table's order.
func (t Table) Texts() []string {
	texts := make([]string, len(t))
	for i := range t {
		texts[i] = t[i].Text()
	}
	return texts
}

// Write adds prefix+name = value to a map for every setting, except settings with their
// Absent value.
func (t Table) Write(to map[string]string, prefix string) {
	for i := range t {
		if text := t[i].Text(); t[i].Absent == "" || text != t[i].Absent {
			to[prefix+t[i].Name] = text
		}
	}
}

// Read sets every setting from the map's value for prefix+name. The error names the first
// setting that is required and missing, or that cannot be read.
func (t Table) Read(from map[string]string, prefix string) error {
	for i := range t {
		f := &t[i]
		text, ok := from[prefix+f.Name]
		if !ok {
			text, ok = f.Absent, f.Absent != ""
		}
		if !ok {
			return fmt.Errorf("the metadata has no %s", prefix+f.Name)
		}
		if err := f.set(strings.TrimSpace(text)); err != nil {
			return fmt.Errorf("the metadata's %s is %s, which cannot be read: %w", prefix+f.Name, Quote(text), err)
		}
	}
	return nil
}

// Clone returns a copy of the value that p points to. Changes of the copy do not affect p.
func Clone[T any](p T) T {
	from := reflect.ValueOf(p).Elem()
	to := reflect.New(from.Type())
	to.Elem().Set(from)
	return to.Interface().(T)
}

// Text is a setting's value that two functions get and set as text.
type Text struct {
	Get func() string
	Put func(text string) error // sets the value; on an error the value stays
}

// MarshalText implements encoding.TextMarshaler.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.Get()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t Text) UnmarshalText(text []byte) error { return t.Put(string(text)) }

// Derived returns a field with the value get(), which depends on other settings. The value is
// written to files, and a file that is read must contain the same value.
func Derived(name string, get func() string) Field {
	return Field{Name: name, Follows: true, Value: Text{get, func(text string) error {
		if want := get(); text != want {
			return fmt.Errorf("use %s, which other settings say", want)
		}
		return nil
	}}}
}

// LinkVersion is the version of the links that labs write. Later programs must still read links
// of this version.
const LinkVersion = "1"

// maxLink is the largest length of a link in bytes.
const maxLink = 64 << 10

// ParseLink parses a URL fragment and returns its values except for the lab and the version. If the
// fragment has a lab, it must be the given lab. If it has a version, it must be a known one.
func ParseLink(fragment, lab string) (url.Values, error) {
	fragment = strings.TrimPrefix(fragment, "#")
	if len(fragment) > maxLink {
		return nil, errors.New("the link is longer than any that this lab makes, so it was not read")
	}
	values, err := url.ParseQuery(fragment)
	if err != nil {
		return nil, fmt.Errorf("the link's settings %s cannot be read, so the lab opened with its own", Quote(fragment))
	}
	if v := values.Get("v"); v != "" && v != LinkVersion {
		return nil, fmt.Errorf("the link is of version %s and this lab reads version %s; reload the page to update it", Quote(v), LinkVersion)
	}
	if v := values.Get("lab"); v != "" && v != lab {
		return nil, fmt.Errorf("the link is for a lab called %s, and this is %s", Quote(v), lab)
	}
	delete(values, "v")
	delete(values, "lab")
	return values, nil
}

// Escape encodes a value for a link. It leaves commas as they are, because URLs may contain
// them.
func Escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "%2C", ",") }

// Take sets the settings named in `values`, in the table's order, and deletes their entries from
// the map. It returns the errors of settings that rejected their value.
func (t Table) Take(values url.Values) (wrong []error) {
	for i := range t {
		v, ok := values[t[i].Name]
		if !ok {
			continue
		}
		if err := t[i].Set(v[len(v)-1]); err != nil {
			wrong = append(wrong, err)
		}
		delete(values, t[i].Name)
	}
	return wrong
}
