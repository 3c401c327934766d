package setting

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Plain returns a text in which no name from a file controls a terminal or turns the direction of writing:
// control characters but the ends of lines and tabs, bidirectional marks, and bytes that are not UTF-8 become
// \u001b and the like.
func Plain(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, controls) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "\\x%02x", text[0])
		case controls(r):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

func controls(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return true
	}
	return r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
