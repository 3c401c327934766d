package ckpt

import (
	"errors"
	"fmt"
	"strconv"

	"macroscope/model/file/literal"
)

// entry is the header's description of one tensor.
type entry struct {
	name       string
	dtype      string
	shape      []int
	begin, end int // bytes, counted from the end of the header
}

const (
	metadataKey = "__metadata__"
	// Keys of checksums in the metadata.
	sumKey    = "crc32.all"
	oldSumKey = "crc32" // checksum of only the elements
)

// appendHeader appends the header's JSON, without padding. The metadata have the order of the
// slice `keys`.
func appendHeader(b []byte, entries []entry, keys []string, metadata map[string]string) []byte {
	b = append(b, '{')
	if len(keys) > 0 {
		b = append(appendText(b, metadataKey), ':', '{')
		for i, k := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, k), ':')
			b = appendText(b, metadata[k])
		}
		b = append(b, '}')
	}
	for i, e := range entries {
		if i > 0 || len(keys) > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, e.name), `:{"dtype":`...)
		b = append(appendText(b, e.dtype), `,"shape":`...)
		b = append(appendInts(b, e.shape...), `,"data_offsets":`...)
		b = append(appendInts(b, e.begin, e.end), '}')
	}
	return append(b, '}')
}

func appendInts(b []byte, v ...int) []byte {
	b = append(b, '[')
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	return append(b, ']')
}

func appendText(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// parseHeader reads what appendHeader writes, and any other JSON of this form. It does not
// check ranges and shapes, or whether a name occurs twice. An error is the end of a sentence that
// begins with the header.
func parseHeader(text string) (entries []entry, metadata map[string]string, err error) {
	s := literal.Scanner{Text: text}
	err = s.Object(func(name string) error {
		if name == metadataKey {
			if metadata != nil {
				return errors.New("has its metadata twice")
			}
			metadata, err = texts(&s)
			return err
		}
		e, err := parseEntry(&s, name)
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if len(metadata) == 0 {
		metadata = nil
	}
	return entries, metadata, s.End()
}

func texts(s *literal.Scanner) (map[string]string, error) {
	m := make(map[string]string)
	err := s.Object(func(key string) (err error) {
		if _, taken := m[key]; taken {
			return fmt.Errorf("has the metadata's key %.60q twice", key)
		}
		m[key], err = s.String()
		return err
	})
	return m, err
}

func parseEntry(s *literal.Scanner, name string) (entry, error) {
	e := entry{name: name}
	var haveType bool
	var offsets []int
	err := s.Object(func(key string) (err error) {
		switch {
		case key == "dtype" && !haveType:
			haveType = true
			e.dtype, err = s.String()
		case key == "shape" && e.shape == nil:
			e.shape, err = ints(s)
		case key == "data_offsets" && offsets == nil:
			offsets, err = ints(s)
		default:
			err = fmt.Errorf("has, for tensor %.60q, %.60q unknown or twice", name, key)
		}
		return err
	})
	if err != nil {
		return entry{}, err
	}
	if !haveType || e.shape == nil || len(offsets) != 2 {
		return entry{}, fmt.Errorf("lacks the type, the shape or the two offsets of tensor %.60q", name)
	}
	e.begin, e.end = offsets[0], offsets[1]
	return e, nil
}

// ints reads a list of integers; the result is never nil.
func ints(s *literal.Scanner) ([]int, error) {
	v := []int{}
	_, err := s.List('[', ']', func() error {
		x, err := s.Int()
		v = append(v, x)
		return err
	})
	return v, err
}
