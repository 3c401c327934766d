package system

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"macroscope/model/setting"
)

// Sentence is a sentence of a page. Its words depend on facts, see ReadPage.
type Sentence struct {
	Text  string // what it says if no case applies
	Cases []Case // at most one of them applies, whatever the facts are
}

// Case is what a Sentence says if all conditions of a list hold. Commas separate the conditions.
type Case struct{ If, Text string }

// Say returns the sentence of this name. The facts are structs, and the names of their fields are the
// names in the sentence.
func (p *Page) Say(name string, facts ...any) string {
	s := saying{p, map[string]reflect.Value{}}
	for _, f := range facts {
		s.collect(reflect.Indirect(reflect.ValueOf(f)))
	}
	return s.say(name)
}

// saying fills sentences of a page with facts.
type saying struct {
	page  *Page
	facts map[string]reflect.Value // by their names in lower case
}

// collect adds the fields of a struct and of its embedded structs.
func (s *saying) collect(v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous {
			s.collect(v.Field(i))
		} else {
			s.facts[strings.ToLower(f.Name)] = v.Field(i)
		}
	}
}

func (s *saying) say(name string) string {
	of := s.page.Says[name]
	if of == nil {
		panic("system: there is no fact or sentence " + name)
	}
	text := of.Text
	for _, c := range of.Cases {
		if s.all(c.If) {
			text = c.Text
		}
	}
	return s.fill(text)
}

// fill replaces the fields of a text. It leaves out a blank before a field that is empty, and the blank after it at
// the beginning.
func (s *saying) fill(text string) (filled string) {
	for {
		before, rest, more := strings.Cut(text, "{")
		if filled += before; !more {
			return filled
		}
		field, after, _ := strings.Cut(rest, "}")
		of := s.field(field)
		if filled == "" && of == "" {
			after = strings.TrimPrefix(after, " ")
		} else if of == "" {
			filled = strings.TrimSuffix(filled, " ")
		}
		filled, text = filled+of, after
	}
}

// field returns the text of a field: a fact, a word for a number of things, or a sentence.
func (s *saying) field(field string) string {
	name, format, _ := strings.Cut(field, ":")
	name, words, counts := strings.Cut(name, "|")
	v, ok := s.facts[name]
	switch {
	case !ok:
		return s.say(name)
	case counts:
		one, many, _ := strings.Cut(words, "|")
		return setting.Plural(int(v.Int()), one, many)
	case format == "short":
		return setting.Short(v.Float())
	case format != "":
		return fmt.Sprintf(format, v)
	case v.CanFloat():
		return twoDigits(v.Float())
	}
	return fmt.Sprint(v)
}

// twoDigits formats a number with two digits, or with all digits before the point.
func twoDigits(v float64) string {
	if math.Abs(v) >= 99.5 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// all reports whether all conditions of a list hold.
func (s *saying) all(conditions string) bool {
	for c := range strings.SplitSeq(conditions, ",") {
		if !s.holds(c) {
			return false
		}
	}
	return true
}

// The method `holds` reports whether a condition is true.
func (s *saying) holds(condition string) bool {
	if at := strings.IndexAny(condition, "<>="); at > 0 {
		name, unequal := strings.CutSuffix(condition[:at], "!")
		limit, orEqual := strings.CutPrefix(condition[at+1:], "=")
		a, b := s.number(name), s.number(limit)
		switch sign := condition[at]; {
		case unequal:
			return a < b || a > b
		case a == b:
			return orEqual || sign == '='
		}
		return condition[at] == '<' && a < b || condition[at] == '>' && a > b
	}
	name, not := strings.CutPrefix(condition, "!")
	v, ok := s.facts[name]
	switch {
	case !ok:
		panic("system: there is no fact " + name)
	case v.Kind() == reflect.Bool:
		return v.Bool() != not
	case v.Kind() == reflect.String:
		return (v.Len() > 0) != not
	}
	return math.IsNaN(v.Float()) == not
}

// number returns a side of a comparison: a fact or a number.
func (s *saying) number(text string) float64 {
	switch v, ok := s.facts[text]; {
	case ok && v.CanInt():
		return float64(v.Int())
	case ok:
		return v.Float()
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("system: there is no fact " + text)
	}
	return v
}
