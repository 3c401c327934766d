package sweep

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// File is the result of a sweep, in JSON.
type File struct {
	Experiment string   `json:"experiment"` // SYSTEM/METHOD@PRESET
	Measure    string   `json:"measure"`    // name of the measured quantity in words
	Fields     []Field  `json:"fields"`
	Points     []Point  `json:"points"`
	Command    string   `json:"command"`
	Programs   []string `json:"programs"` // names of the programs that made the results
}

// Field is a field of the configuration in a sweep.
type Field struct {
	Name  string `json:"name"`
	Label string `json:"label"` // label in words
}

// Point contains the results of one configuration on one set of trajectories.
type Point struct {
	At        map[string]float64 `json:"at"`            // values of the swept fields, by name
	Set       string             `json:"set,omitempty"` // the test set; "" if there is only one
	Values    []float64          `json:"values"`        // one per training
	Missing   int                `json:"missing,omitempty"`
	Published float64            `json:"published,omitempty"` // the paper's figure; 0 if there is none
}

// Fields lists the fields of points in reverse alphabetical order, which puts ε before ẑ dim.
func Fields(at map[string]float64) (list []Field) {
	for _, name := range slices.Sorted(maps.Keys(at)) {
		list = append(list, Field{name, Label(name)})
	}
	slices.Reverse(list)
	return list
}

// Encode returns the text that json.MarshalIndent would write with an indent of one space, and
// a final newline. Encode does not use encoding/json, which would add 360 kB, compressed, to
// the page's download.
func (f *File) Encode() []byte {
	w := writer{}
	w.open('{')
	w.key("experiment").text(f.Experiment)
	w.key("measure").text(f.Measure)
	w.key("fields").open('[')
	for _, field := range f.Fields {
		w.item().open('{')
		w.key("name").text(field.Name)
		w.key("label").text(field.Label)
		w.close('}')
	}
	w.close(']')
	w.key("points").open('[')
	for i := range f.Points {
		w.item().point(&f.Points[i])
	}
	w.close(']')
	w.key("command").text(f.Command)
	w.key("programs").open('[')
	for _, p := range f.Programs {
		w.item().text(p)
	}
	w.close(']')
	w.close('}')
	return append(w.b, '\n')
}

func (w *writer) point(p *Point) {
	w.open('{')
	w.key("at").open('{')
	for _, name := range slices.Sorted(maps.Keys(p.At)) {
		w.key(name).number(p.At[name])
	}
	w.close('}')
	if p.Set != "" {
		w.key("set").text(p.Set)
	}
	w.key("values").open('[')
	for _, v := range p.Values {
		w.item().number(v)
	}
	w.close(']')
	if p.Missing != 0 {
		w.key("missing").number(float64(p.Missing))
	}
	if p.Published != 0 {
		w.key("published").number(p.Published)
	}
	w.close('}')
}

// writer writes indented JSON.
type writer struct {
	b     []byte
	depth int
	empty bool // whether the present object or list has no items yet
}

func (w *writer) open(bracket byte) {
	w.b, w.depth, w.empty = append(w.b, bracket), w.depth+1, true
}

func (w *writer) close(bracket byte) {
	w.depth--
	if !w.empty {
		w.line()
	}
	w.b, w.empty = append(w.b, bracket), false
}

func (w *writer) line() { w.b = append(append(w.b, '\n'), strings.Repeat(" ", w.depth)...) }

// item begins the next item of a list.
func (w *writer) item() *writer {
	if !w.empty {
		w.b = append(w.b, ',')
	}
	w.empty = false
	w.line()
	return w
}

// The method `key` begins the next item of an object with its name.
func (w *writer) key(name string) *writer {
	w.item().text(name)
	w.b = append(w.b, ": "...)
	return w
}

// number writes a finite number.
func (w *writer) number(v float64) {
	form, a := byte('f'), math.Abs(v)
	if a != 0 && (a < 1e-6 || a >= 1e21) {
		form = 'e'
	}
	w.b = strconv.AppendFloat(w.b, v, form, -1, 64)
	if n := len(w.b); form == 'e' && n >= 4 && w.b[n-4] == 'e' && w.b[n-3] == '-' && w.b[n-2] == '0' { // e-09 becomes e-9
		w.b = append(w.b[:n-2], w.b[n-1])
	}
}

func (w *writer) text(s string) {
	const hex = "0123456789abcdef"
	w.b = append(w.b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.b = append(w.b, '\\', byte(r))
		case r < 0x20 || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029':
			w.b = append(w.b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			w.b = utf8.AppendRune(w.b, r)
		}
	}
	w.b = append(w.b, '"')
}
