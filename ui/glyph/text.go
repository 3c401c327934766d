package glyph

import "unicode/utf8"

// next returns the rune at text[i:], whether it is a subscript, and how many
// bytes it and its mark take.
func next[T string | []byte](text T, i int) (r rune, subscript bool, n int) {
	if text[i] == '_' && i+1 < len(text) {
		r, n = decode(text, i+1)
		return r, true, n + 1
	}
	r, n = decode(text, i)
	return r, false, n
}

func decode[T string | []byte](text T, i int) (rune, int) {
	if c := text[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	var b [utf8.UTFMax]byte
	return utf8.DecodeRune(b[:copy(b[:], text[i:])])
}
