package lab

import (
	"encoding"
	"fmt"
	"strconv"
	"strings"
)

// A field is one value that travels as text in a checkpoint's metadata, which
// is a table of strings. Written out so, a configuration can be read by eye
// and by any program, and the page is spared a JSON codec of 360 kB.
type field struct {
	name  string
	value any // *int, *uint64, *float64, *bool, *string, *[]int or a text marshaller
}

// writeFields adds prefix+name = value for every field.
func writeFields(to map[string]string, prefix string, fields []field) {
	for _, f := range fields {
		var text string
		switch v := f.value.(type) {
		case *int:
			text = strconv.Itoa(*v)
		case *uint64:
			text = strconv.FormatUint(*v, 10)
		case *float64:
			text = strconv.FormatFloat(*v, 'g', -1, 64)
		case *bool:
			text = strconv.FormatBool(*v)
		case *string:
			text = *v
		case *[]int:
			parts := make([]string, len(*v))
			for i, n := range *v {
				parts[i] = strconv.Itoa(n)
			}
			text = strings.Join(parts, " ")
		case encoding.TextMarshaler:
			b, err := v.MarshalText()
			if err != nil {
				panic("lab: " + err.Error())
			}
			text = string(b)
		default:
			panic(fmt.Sprintf("lab: field %s has type %T", f.name, f.value))
		}
		to[prefix+f.name] = text
	}
}

// readFields sets every field from prefix+name. The error names the first
// that is missing or cannot be read.
func readFields(from map[string]string, prefix string, fields []field) error {
	for _, f := range fields {
		text, ok := from[prefix+f.name]
		if !ok {
			return fmt.Errorf("the metadata has no %s", prefix+f.name)
		}
		if err := f.read(text); err != nil {
			return fmt.Errorf("the metadata's %s is %s, which cannot be read", prefix+f.name, quote(text))
		}
	}
	return nil
}

// readLaterFields is readFields for settings that older files do not have: those
// that are missing stay as they are.
func readLaterFields(from map[string]string, prefix string, fields []field) error {
	for _, f := range fields {
		if _, ok := from[prefix+f.name]; !ok {
			continue
		}
		if err := readFields(from, prefix, []field{f}); err != nil {
			return err
		}
	}
	return nil
}

// read sets the field's value from its text.
func (f field) read(text string) (err error) {
	switch v := f.value.(type) {
	case *int:
		*v, err = strconv.Atoi(text)
	case *uint64:
		*v, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		*v, err = strconv.ParseFloat(text, 64)
	case *bool:
		*v, err = strconv.ParseBool(text)
	case *string:
		*v = text
	case *[]int:
		*v = nil
		for _, part := range strings.Fields(text) {
			var n int
			if n, err = strconv.Atoi(part); err != nil {
				break
			}
			*v = append(*v, n)
		}
	case encoding.TextUnmarshaler:
		err = v.UnmarshalText([]byte(text))
	default:
		panic(fmt.Sprintf("lab: field %s has type %T", f.name, f.value))
	}
	return err
}
