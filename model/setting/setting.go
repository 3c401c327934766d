package setting

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Field is one setting.
type Field struct {
	Name string // name in links, flags, checkpoints and controls
	What string // name in sentences: "the time step Δt"
	// Value points to the setting: *int, *uint64, *float64, *bool, *string, *[]int, or a
	// pointer that implements encoding.TextMarshaler and TextUnmarshaler.
	Value any
	// Low and High are the smallest and the largest allowed number. In a list they bound every
	// element. If both are 0 there are no bounds.
	Low, High float64
	// Least and Most bound the number of elements of a list. If Most is 0 there is no upper
	// bound.
	Least, Most int
	// Options lists all allowed values of a string or a number. Without options, any value is
	// allowed.
	Options []Option
	// Table.Read sets the setting to the text Absent if a file does not contain the setting.
	// Table.Write leaves out a setting with this value. If Absent is "", files must contain the
	// setting.
	Absent string
	// Needs is set while the setting has no effect. It says which value of another setting would
	// give it an effect, as in "law.form=onsager".
	Needs string
	// Follows is set if the value is determined by the data and other settings. It is written
	// to files, but users cannot set it.
	Follows bool
	// Switch is set if a bool is written as on or off, the form in links. Otherwise it is
	// written as true or false, the form in checkpoints.
	Switch bool
	// Hidden is set if the setting is in no list for users: the page has no control for it, and messages
	// that list settings leave it out. Links and flags can set it.
	Hidden bool
}

// Tiny is the Low of settings that must be above 0.
const Tiny = 1e-12

// Option is one of a few values, with its label on the page.
type Option struct{ Value, Label string }

// Choices returns options labelled by their values.
func Choices(values ...string) []Option {
	options := make([]Option, len(values))
	for i, v := range values {
		options[i] = Option{v, v}
	}
	return options
}

// Text returns the value as text.
func (f *Field) Text() string {
	switch v := f.Value.(type) {
	case *int:
		return strconv.Itoa(*v)
	case *uint64:
		return strconv.FormatUint(*v, 10)
	case *float64:
		return strconv.FormatFloat(*v, 'g', -1, 64)
	case *bool:
		if !f.Switch {
			return strconv.FormatBool(*v)
		}
		if *v {
			return "on"
		}
		return "off"
	case *string:
		return *v
	case *[]int:
		parts := make([]string, len(*v))
		for i, n := range *v {
			parts[i] = strconv.Itoa(n)
		}
		return strings.Join(parts, " ")
	case encoding.TextMarshaler:
		b, err := v.MarshalText()
		if err != nil {
			panic("setting: " + err.Error())
		}
		return string(b)
	}
	panic(fmt.Sprintf("setting: %s has type %T", f.Name, f.Value))
}

// Set sets the value from text. If the text is not acceptable, the value is unchanged, and the
// error is a sentence that says what the setting accepts.
func (f *Field) Set(text string) error {
	text = strings.TrimSpace(text)
	if err := f.set(text); err != nil {
		what := f.What
		if what == "" {
			what = f.Name
		}
		return fmt.Errorf("%s cannot be %s: %w", what, Quote(text), err)
	}
	return nil
}

// Check returns an error if the present value is invalid. It sets the value again, so no other
// goroutine may use the setting meanwhile.
func (f *Field) Check() error { return f.Set(f.Text()) }

// The method set does the work of the method Set. The text has no surrounding spaces. The error
// says which values are valid.
func (f *Field) set(text string) error {
	if len(f.Options) > 0 && !slices.ContainsFunc(f.Options, func(o Option) bool { return o.Value == text }) {
		return errors.New("give one of " + f.choices())
	}
	switch v := f.Value.(type) {
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil || !f.within(float64(n)) {
			return errors.New("give a whole number" + InDecimal(text) + f.bounds())
		}
		*v = n
	case *uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || !f.within(float64(n)) {
			if f.bounded() {
				return errors.New("give a whole number" + InDecimal(text) + f.bounds())
			}
			return fmt.Errorf("give a whole number%s from 0 to %d", InDecimal(text), uint64(math.MaxUint64))
		}
		*v = n
	case *float64:
		n, err := Float(text)
		if err != nil || !f.within(n) {
			return errors.New("give a number" + InDecimal(text) + f.bounds())
		}
		*v = n
	case *bool:
		on, err := strconv.ParseBool(text)
		if f.Switch || text == "on" || text == "off" {
			on, err = text == "on", nil
			if text != "on" && text != "off" {
				return errors.New("give on or off")
			}
		}
		if err != nil {
			return errors.New("give true or false")
		}
		*v = on
	case *string:
		*v = text
	case *[]int:
		var list []int
		for _, part := range strings.Fields(text) {
			n, err := strconv.Atoi(part)
			if err != nil || !f.within(float64(n)) {
				return errors.New("give " + f.list())
			}
			list = append(list, n)
		}
		if f.Most > 0 && (len(list) < f.Least || len(list) > f.Most) {
			return errors.New("give " + f.list())
		}
		*v = list
	case encoding.TextUnmarshaler:
		return v.UnmarshalText([]byte(text))
	default:
		panic(fmt.Sprintf("setting: %s has type %T", f.Name, f.Value))
	}
	return nil
}

// list says in words which lists are accepted.
func (f *Field) list() string {
	if f.Most == 0 {
		return "whole numbers with spaces between" + f.bounds()
	}
	return fmt.Sprintf("%d to %d whole numbers%s, with spaces between", f.Least, f.Most, f.bounds())
}

func (f *Field) bounded() bool { return f.Low != 0 || f.High != 0 }

func (f *Field) within(v float64) bool {
	return !f.bounded() || v >= f.Low && v <= f.High
}

func (f *Field) bounds() string {
	if !f.bounded() {
		return ""
	}
	return " from " + plain(f.Low) + " to " + plain(f.High)
}

func (f *Field) choices() string {
	var values []string
	for _, o := range f.Options {
		values = append(values, o.Value)
	}
	return strings.Join(values, ", ")
}

// Quote returns text from a user or a file in quotation marks, shortened to a length that suits
// a sentence.
func Quote(s string) string {
	const most = 24
	if r := []rune(s[:min(len(s), utf8.UTFMax*(most+1))]); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

// Figure formats a measured number like fmt.Sprintf. If the number is not finite, it returns
// words such as "not a number".
func Figure(format string, v float64) string {
	switch {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 0):
		return "infinite"
	}
	return fmt.Sprintf(format, v)
}

// None is the text of a number that does not exist.
const None = "–"

// Short formats a number for display. If the number is not finite, it returns None.
func Short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return None
	case a >= 1e4 || a < 1e-3 && a > 0:
		return fmt.Sprintf("%.2e", v)
	}
	return fmt.Sprintf("%.4f", v)
}

// Count returns a number of things as text: "1 frame", "3 frames".
func Count(n int, one, many string) string {
	return strconv.Itoa(n) + " " + Plural(n, one, many)
}

// Plural returns the noun for n things.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// First joins the first texts, at most as many as `most`, and says how many more there are.
func First(most int, separator string, texts []string) string {
	more := len(texts) - most
	if more <= 0 {
		return strings.Join(texts, separator)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], separator), more)
}

// Capital returns the text with a capital first letter.
func Capital(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// The function `plain` formats a bound as people write it, for example 1000000 or 1e-8.
func plain(v float64) string {
	if a := math.Abs(v); a == 0 || a >= 1e-4 && a < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "e-0", "e-", 1)
}
