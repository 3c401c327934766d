package ckpt

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
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
// check ranges and shapes, or whether a name occurs twice.
func parseHeader(b []byte) (entries []entry, metadata map[string]string, err error) {
	s := scanner{b: b}
	err = s.object(func(name string) error {
		if name == metadataKey {
			if metadata != nil {
				return errors.New("it has its metadata twice")
			}
			metadata, err = s.texts()
			return err
		}
		e, err := s.entry(name)
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if s.next(); s.i < len(b) {
		return nil, nil, s.unexpected("its end")
	}
	if len(metadata) == 0 {
		metadata = nil
	}
	return entries, metadata, nil
}

// scanner reads the kind of JSON that occurs in headers.
type scanner struct {
	b []byte
	i int
}

// next skips white space and returns the next byte without consuming it. It returns 0 at the
// end.
func (s *scanner) next() byte {
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) unexpected(want string) error {
	if s.i >= len(s.b) {
		return fmt.Errorf("it ends where %s should be", want)
	}
	return fmt.Errorf("it has %q at byte %d where %s should be", s.b[s.i], s.i, want)
}

func (s *scanner) expect(c byte) error {
	if s.next() != c {
		return s.unexpected(strconv.QuoteRune(rune(c)))
	}
	s.i++
	return nil
}

// list reads the items of an object or an array, and the closing bracket. The opening bracket has
// been read before.
func (s *scanner) list(closing byte, item func() error) error {
	if s.next() == closing {
		s.i++
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		switch s.next() {
		case ',':
			s.i++
		case closing:
			s.i++
			return nil
		default:
			return s.unexpected(fmt.Sprintf("',' or %q", closing))
		}
	}
}

// object reads an object. It calls value after each key, to read the key's value.
func (s *scanner) object(value func(key string) error) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	return s.list('}', func() error {
		key, err := s.text()
		if err != nil {
			return err
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		return value(key)
	})
}

func (s *scanner) texts() (map[string]string, error) {
	m := make(map[string]string)
	err := s.object(func(key string) error {
		if _, taken := m[key]; taken {
			return fmt.Errorf("its metadata has the key %.60q twice", key)
		}
		v, err := s.text()
		m[key] = v
		return err
	})
	return m, err
}

func (s *scanner) entry(name string) (entry, error) {
	e := entry{name: name}
	var haveType bool
	var offsets []int
	err := s.object(func(key string) (err error) {
		switch {
		case key == "dtype" && !haveType:
			haveType = true
			e.dtype, err = s.text()
		case key == "shape" && e.shape == nil:
			e.shape, err = s.ints()
		case key == "data_offsets" && offsets == nil:
			offsets, err = s.ints()
		default:
			err = fmt.Errorf("tensor %.60q has %.60q unknown or twice", name, key)
		}
		return err
	})
	if err != nil {
		return entry{}, err
	}
	if !haveType || e.shape == nil || len(offsets) != 2 {
		return entry{}, fmt.Errorf("tensor %.60q lacks its type, its shape or its two offsets", name)
	}
	e.begin, e.end = offsets[0], offsets[1]
	return e, nil
}

// ints reads an array of integers; the result is never nil.
func (s *scanner) ints() ([]int, error) {
	if err := s.expect('['); err != nil {
		return nil, err
	}
	v := []int{}
	err := s.list(']', func() error {
		x, err := s.integer()
		v = append(v, x)
		return err
	})
	return v, err
}

func (s *scanner) integer() (int, error) {
	s.next()
	at := s.i
	if s.i < len(s.b) && s.b[s.i] == '-' {
		s.i++
	}
	digits := s.i
	for s.i < len(s.b) && '0' <= s.b[s.i] && s.b[s.i] <= '9' {
		s.i++
	}
	if s.i == digits {
		return 0, s.unexpected("an integer")
	}
	const longest = len("9223372036854775807")
	if s.i-digits > longest || s.b[digits] == '0' && s.i-digits > 1 {
		return 0, fmt.Errorf("it has an integer that cannot be read at byte %d", at)
	}
	x, err := strconv.Atoi(string(s.b[at:s.i]))
	if err != nil {
		return 0, fmt.Errorf("it has an integer that cannot be read at byte %d", at)
	}
	return x, nil
}

// text reads a string. It rejects strings that UTF-8 cannot represent, because two different
// names could otherwise become equal.
func (s *scanner) text() (string, error) {
	if err := s.expect('"'); err != nil {
		return "", err
	}
	at := s.i
	var out []byte
	for s.i < len(s.b) {
		c := s.b[s.i]
		switch {
		case c == '"':
			s.i++
			if !utf8.Valid(out) {
				return "", fmt.Errorf("it has a string at byte %d that is not UTF-8", at)
			}
			return string(out), nil
		case c < 0x20:
			return "", s.unexpected("a printable character")
		case c != '\\':
			out = append(out, c)
			s.i++
		default:
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		}
	}
	return "", s.unexpected(`'"'`)
}

// escape reads one escape sequence, or two that form a surrogate pair.
func (s *scanner) escape() (rune, error) {
	at := s.i
	bad := fmt.Errorf("it has an escape that cannot be read at byte %d", at)
	if s.i+1 >= len(s.b) {
		return 0, bad
	}
	c := s.b[s.i+1]
	s.i += 2
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		r, ok := s.hex4()
		if ok && utf16.IsSurrogate(r) {
			ok = s.i+1 < len(s.b) && s.b[s.i] == '\\' && s.b[s.i+1] == 'u'
			if ok {
				s.i += 2
				var low rune
				low, ok = s.hex4()
				r = utf16.DecodeRune(r, low)
				ok = ok && r != utf8.RuneError
			}
		}
		if ok {
			return r, nil
		}
	}
	return 0, bad
}

func (s *scanner) hex4() (rune, bool) {
	if s.i+4 > len(s.b) {
		return 0, false
	}
	var r rune
	for _, c := range s.b[s.i : s.i+4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	s.i += 4
	return r, true
}
