package system

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/setting"
	"macroscope/model/wire"
)

// Page holds the texts and controls of a system's page. A choice control that lists no options
// has the options of its setting.
type Page struct {
	Tagline string
	Picture string               // description of the canvas for users who cannot see it
	Hints   map[string]string    // hints of controls that all labs have: play, step, restart, at, speed, preset, tool, open
	Says    map[string]*Sentence // sentences by name
	Systems []Preset
	Groups  []wire.Group     // groups of the settings' controls
	Tools   []setting.Option // tools of the pointer; without any, the pointer changes nothing
	Tool    string           // tool that is active at first; "" means the first of Tools
	Figures []wire.Figure
	Help    []wire.Entry
	Try     []string
	Accepts string // endings of the names of files that can be opened
	Drop    string // description of the files that can be dropped
	Units   string // unit of the coordinates in a file, in words
	First   string // controls that the first group begins with, with blanks between
	Relaxes bool   // whether the run changes most at the beginning; plots against time then start with a logarithmic axis

	controls map[string]*wire.Control
}

// Preset is a named set of settings that shows a notable behaviour.
type Preset struct {
	Name, Label string
	Values      map[string]string
}

// Control returns the first control of this name in the page's texts, inside or outside of a
// group.
func (p *Page) Control(name string) wire.Control { return *p.controls[name] }

// kinds lists the kinds of control.
var kinds = []string{wire.Slider, wire.Range, wire.Number, wire.Field, wire.Choice, wire.Switch, wire.Button, wire.Open, wire.Export, wire.Image, wire.Sweep, wire.Curve, wire.Runs}

// ReadPage reads a page from its texts. The first line of an entry contains its kind, its name,
// quoted texts and properties. The entry continues in lines that begin with a tab:
//
//	group system "Atoms and box"
//		A sentence under the heading.
//	slider height "height of the box" min=12 max=40 step=1 ticks=12,20,26
//		An explanation of the control.
//	choice tool "Pointer"
//	option look "looks"
//	figure kl "KL" "nats" if=learns
//		An explanation of the number.
//	help "N" "number of particles"
//		An explanation of the symbol.
//	preset small "Smaller box" height=26
//	hint play
//		An explanation of a control that every lab has.
//	say length
//		The box is {width:%.1f} cm wide {contents}.
//	say contents
//	case if=known,count>0
//		and holds {count} {count|ball|balls}
//
// A sentence depends on facts, which are only known when it is said. Its text is that of the case whose
// conditions hold, or the text under "say" if there is none; the conditions of two cases exclude each
// other. A condition is the name of a fact, !name for its opposite, or a comparison of numbers. A number
// that is not known is NaN, and no comparison with it holds. In a sentence, {name} is a fact, of which a
// format may follow a colon, or another sentence; {count|one|many} is a word for one or for many things.
// Without a format a number has two digits, and more only before the point; the format "short" is
// setting.Short. A blank before an empty {name} is left out.
//
// The other entries are texts without a name: tagline, picture, drop, accepts, units, first, try and note.
// A note is the sentence under the last heading. Groups, notes, controls, figures, help and
// sentences can have conditions on the lab, as in if=a,b. An entry is left out unless the lab meets all its
// conditions. A group that is left out takes its note and controls with it. A control without a
// label is a copy of the first control of the same name in the file. After the entry "say unit",
// every {unit} in a text that is no sentence is replaced by the sentence of this entry. Lines that begin with # are comments.
//
// The texts are part of the program, so ReadPage panics on a mistake in them.
func ReadPage(texts string, is func(condition string) bool) *Page {
	p := &Page{Hints: map[string]string{}, Says: map[string]*Sentence{}, controls: map[string]*wire.Control{}}
	r := pageReader{page: p, is: is}
	var head, text string
	for line := range strings.Lines(texts + "\n\n") {
		switch rest, isText := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "\t"); {
		case isText && text == "":
			text = rest
		case isText:
			text += " " + rest
		case rest == "" || rest[0] == '#':
			r.entry(head, text)
			head, text = "", ""
		default:
			r.entry(head, text)
			head, text = rest, ""
		}
	}
	for _, g := range r.groups {
		for _, c := range g.controls {
			g.Controls = append(g.Controls, *c)
			if c.ID == "tool" {
				for _, o := range c.Options {
					p.Tools = append(p.Tools, setting.Option(o))
				}
			}
		}
		p.Groups = append(p.Groups, g.Group)
	}
	return p
}

// pageReader builds a page from its entries.
type pageReader struct {
	page    *Page
	is      func(condition string) bool
	groups  []*pageGroup
	skips   bool          // whether entries of the current group are left out
	says    *Sentence     // last sentence that was read
	control *wire.Control // last control that was read
}

type pageGroup struct {
	wire.Group
	controls []*wire.Control
}

// entry reads one entry, given its first line (head) and the text below it.
func (r *pageReader) entry(head, text string) {
	if head == "" && text == "" {
		return
	}
	e := pageEntry{head: head, properties: map[string]string{}}
	isSaid := strings.HasPrefix(head, "say ") || strings.HasPrefix(head, "case ")
	for name, say := range r.page.Says {
		if !isSaid {
			head, text = strings.ReplaceAll(head, "{"+name+"}", say.Text), strings.ReplaceAll(text, "{"+name+"}", say.Text)
		}
	}
	for i, part := range strings.Split(head, `"`) {
		if i%2 == 1 {
			e.quoted = append(e.quoted, part)
			continue
		}
		for _, word := range strings.Fields(part) {
			if name, value, ok := strings.Cut(word, "="); ok {
				e.properties[name] = value
			} else {
				e.words = append(e.words, word)
			}
		}
	}
	e.quoted, e.words = append(e.quoted, "", ""), append(e.words, "", "")
	if e.words[0] == "case" {
		r.says.Cases = append(r.says.Cases, Case{e.take("if"), text})
	} else {
		r.take(&e, text, r.holds(e.take("if")))
	}
	if unread := slices.DeleteFunc(e.words[2:], func(word string) bool { return word == "" }); len(unread) > 0 || len(e.properties) > 0 {
		e.fail(fmt.Sprint("nothing reads ", unread, e.properties))
	}
}

// The method `holds` reports whether all conditions of a list are true. Commas separate the
// conditions.
func (r *pageReader) holds(conditions string) bool {
	return conditions == "" || !slices.ContainsFunc(strings.Split(conditions, ","), func(c string) bool { return !r.is(c) })
}

// take adds an entry to the page. `wanted` says whether the entry's conditions are true.
func (r *pageReader) take(e *pageEntry, text string, wanted bool) {
	p, name, label := r.page, e.words[1], e.quoted[0]
	switch kind := e.words[0]; kind {
	case "tagline", "picture", "drop", "accepts", "units", "first":
		*map[string]*string{"tagline": &p.Tagline, "picture": &p.Picture, "drop": &p.Drop, "accepts": &p.Accepts, "units": &p.Units, "first": &p.First}[kind] = text
	case "try":
		p.Try = append(p.Try, text)
	case "hint":
		p.Hints[name] = text
	case "say":
		if r.says = (&Sentence{Text: text}); wanted {
			p.Says[name] = r.says
		}
	case "preset":
		p.Systems = append(p.Systems, Preset{name, label, e.properties})
		e.properties = nil
	case "group":
		g := wire.Group{ID: name, Title: label, Note: text, Peek: e.is("peek")}
		if r.skips = !wanted; wanted {
			r.groups = append(r.groups, &pageGroup{Group: g})
		}
	case "note":
		if wanted && !r.skips {
			r.groups[len(r.groups)-1].Note = text
		}
	case "figure":
		figure := wire.Figure{ID: name, Label: label, Unit: e.quoted[1], Hint: text, Fold: e.is("fold")}
		if wanted {
			p.Figures = append(p.Figures, figure)
		}
	case "help":
		if wanted {
			p.Help = append(p.Help, wire.Entry{Term: label, Name: e.quoted[1], Text: text})
		}
	case "option":
		r.control.Options = append(r.control.Options, wire.Option{Value: name, Label: label})
	default:
		if !slices.Contains(kinds, kind) {
			e.fail("there is no such entry")
		}
		c := p.controls[name]
		if label != "" {
			c = e.control(text)
			r.control = c
		}
		if p.controls[name] == nil {
			p.controls[name] = c
		}
		if wanted && !r.skips {
			g := r.groups[len(r.groups)-1]
			g.controls = append(g.controls, c)
		}
	}
}

// pageEntry is the first line of an entry.
type pageEntry struct {
	head          string
	words, quoted []string // words: kind, name and flags; quoted: texts in quotation marks
	properties    map[string]string
}

func (e *pageEntry) fail(why string) { panic(fmt.Sprintf("system: %q: %s", e.head, why)) }

// take returns the value of a property and removes the property; "" if there is none.
func (e *pageEntry) take(name string) string {
	value := e.properties[name]
	delete(e.properties, name)
	return value
}

// The method `is` reports whether a word is among the words after the entry's name. It also removes
// this word from the entry.
func (e *pageEntry) is(word string) bool {
	at := slices.Index(e.words, word)
	if at > 1 {
		e.words[at] = ""
	}
	return at > 1
}

// numbers reads a property that is a list of numbers, separated by commas.
func (e *pageEntry) numbers(name string) (list []float64) {
	text := e.take(name)
	if text == "" {
		return nil
	}
	for _, part := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			e.fail(err.Error())
		}
		list = append(list, v)
	}
	return list
}

// number reads a property that is one number. It returns 0 if the property is missing.
func (e *pageEntry) number(name string) float64 { return append(e.numbers(name), 0)[0] }

// control returns the control that the entry describes.
func (e *pageEntry) control(hint string) *wire.Control {
	return &wire.Control{
		Kind: e.words[0], ID: e.words[1], Label: e.quoted[0], Unit: e.quoted[1], Hint: hint,
		Key: strings.Replace(e.take("key"), "space", " ", 1), Icon: e.take("icon"), Value: e.take("value"),
		Min: e.number("min"), Max: e.number("max"), Step: e.number("step"), Stops: e.numbers("stops"), Ticks: e.numbers("ticks"),
		Log: e.is("log"), Primary: e.is("primary"), Beside: e.is("beside"), Moves: e.is("moves"),
	}
}
