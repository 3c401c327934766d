// Package literal scans literals: objects (dicts in Python), lists, strings and integers, as JSON and
// Python write them. It catches errors that encoding/json accepts, such as half of a surrogate pair. And
// encoding/json would add 360 kB, compressed, to a program that a browser downloads before it starts.
package literal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Scanner reads a text from left to right. Its errors end a sentence that begins with the name of the
// text: "has ',' at byte 3 where an integer should be".
type Scanner struct {
	Text string
	// Python is set if strings may be in single quotes, and a comma may follow the last item of a list.
	Python bool

	at int
}

// Next skips white space and returns the next byte without consuming it. It returns 0 at the end.
func (s *Scanner) Next() byte {
	for ; s.at < len(s.Text); s.at++ {
		switch c := s.Text[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// Accept skips white space and then the token, and reports whether the token is there.
func (s *Scanner) Accept(token string) bool {
	s.Next()
	there := strings.HasPrefix(s.Text[s.at:], token)
	if there {
		s.at += len(token)
	}
	return there
}

// Expect skips white space and then the character. It returns an error if the character is not there.
func (s *Scanner) Expect(c rune) error {
	if !s.Accept(string(c)) {
		return s.Unexpected(strconv.QuoteRune(c))
	}
	return nil
}

// Unexpected returns an error that says what should be at the present position.
func (s *Scanner) Unexpected(want string) error {
	if s.at >= len(s.Text) {
		return fmt.Errorf("ends where %s should be", want)
	}
	return fmt.Errorf("has %q at byte %d where %s should be", s.Text[s.at], s.at, want)
}

// End returns an error if more than white space follows.
func (s *Scanner) End() error {
	if s.Next(); s.at < len(s.Text) {
		return s.Unexpected("its end")
	}
	return nil
}

// List reads items between brackets. It reports whether a comma follows the last item.
func (s *Scanner) List(opening, closing rune, item func() error) (comma bool, err error) {
	if err := s.Expect(opening); err != nil {
		return false, err
	}
	for first := true; first || comma; first = false {
		if (first || s.Python) && s.Accept(string(closing)) {
			return comma, nil
		}
		if err := item(); err != nil {
			return false, err
		}
		comma = s.Accept(",")
	}
	if !s.Accept(string(closing)) {
		return false, s.Unexpected(fmt.Sprintf("',' or %q", closing))
	}
	return false, nil
}

// Object reads an object. It calls value after each key, to read the key's value.
func (s *Scanner) Object(value func(key string) error) error {
	_, err := s.List('{', '}', func() error {
		key, err := s.String()
		if err != nil {
			return err
		}
		if err := s.Expect(':'); err != nil {
			return err
		}
		return value(key)
	})
	return err
}

// Int reads an integer in decimal notation, without a plus sign and leading zeros.
func (s *Scanner) Int() (int, error) {
	s.Next()
	at := s.at
	s.Accept("-")
	digits := s.at
	for s.at < len(s.Text) && '0' <= s.Text[s.at] && s.Text[s.at] <= '9' {
		s.at++
	}
	if s.at == digits {
		return 0, s.Unexpected("an integer")
	}
	x, err := strconv.Atoi(s.Text[at:s.at])
	if err != nil || s.Text[digits] == '0' && s.at-digits > 1 {
		return 0, fmt.Errorf("has an integer that cannot be read at byte %d", at)
	}
	return x, nil
}

// String reads a string. It rejects strings that UTF-8 cannot represent, because two different
// names could otherwise become equal.
func (s *Scanner) String() (string, error) {
	quote := s.Next()
	if quote != '"' && !(s.Python && quote == '\'') {
		return "", s.Unexpected("a string")
	}
	s.at++
	at := s.at
	var out []byte
	for s.at < len(s.Text) {
		switch c := s.Text[s.at]; {
		case c == quote:
			s.at++
			if !utf8.Valid(out) {
				return "", fmt.Errorf("has a string at byte %d that is not UTF-8", at)
			}
			return string(out), nil
		case c < 0x20:
			return "", s.Unexpected("a printable character")
		case c != '\\':
			out = append(out, c)
			s.at++
		default:
			at := s.at
			r, ok := s.escape()
			if !ok {
				return "", fmt.Errorf("has an escape that cannot be read at byte %d", at)
			}
			out = utf8.AppendRune(out, r)
		}
	}
	return "", s.Unexpected(strconv.QuoteRune(rune(quote)))
}

// escape reads one escape sequence, or two that form a surrogate pair.
func (s *Scanner) escape() (r rune, ok bool) {
	if r, ok = s.hex4(); ok && utf16.IsSurrogate(r) {
		low, _ := s.hex4()
		r = utf16.DecodeRune(r, low)
		return r, r != utf8.RuneError
	}
	if ok || s.at+1 >= len(s.Text) {
		return r, ok
	}
	i := strings.IndexByte(`"\/bfnrt`, s.Text[s.at+1])
	if i < 0 {
		return 0, false
	}
	s.at += 2
	return rune("\"\\/\b\f\n\r\t"[i]), true
}

// hex4 reads a sequence such as \u00e9.
func (s *Scanner) hex4() (rune, bool) {
	if len(s.Text)-s.at < 6 || s.Text[s.at:s.at+2] != `\u` {
		return 0, false
	}
	r, err := strconv.ParseUint(s.Text[s.at+2:s.at+6], 16, 32)
	if err != nil {
		return 0, false
	}
	s.at += 6
	return rune(r), true
}
