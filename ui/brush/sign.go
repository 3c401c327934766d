package brush

import (
	"bytes"
	"unicode/utf8"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Sign is a symbol in a written text, with its place in the picture.
type Sign struct {
	name [12]byte
	n    int
	At   plot.Rect // in device pixels
}

// Name returns the symbol in the page's notation, with one underscore before its index: ẑ,
// p_θ, R_AB, KL.
func (s *Sign) Name() string { return string(s.name[:s.n]) }

// The method `note` records the symbols of a text. The text begins at x and is centred on y.
func (b *Brush) note(text []byte, x, y float32) {
	for from, to := nextSign(text, 0); from < to; from, to = nextSign(text, to) {
		s := Sign{At: plot.Rect{
			X: x + glyph.Width(b.Atlas, text[:from], b.Size), Y: y - 0.7*b.Size,
			W: glyph.Width(b.Atlas, text[from:to], b.Size), H: 1.4 * b.Size,
		}}
		for _, c := range text[from:to] {
			if s.n < len(s.name) && (c != '_' || bytes.IndexByte(s.name[:s.n], c) < 0) {
				s.name[s.n] = c
				s.n++
			}
		}
		b.Signs = append(b.Signs, s)
	}
}

// nextSign returns the start and the end of the first symbol in text[i:]. A symbol is a letter
// with an accent or an index, a single Greek letter, or a word of capitals. If there is no
// symbol, it returns two equal indices.
func nextSign(text []byte, i int) (from, to int) {
	for i < len(text) {
		r, n := utf8.DecodeRune(text[i:])
		end := i + n
		if !letter(r) {
			i = end
			continue
		}
		sign := r >= utf8.RuneSelf
		if mark, n := utf8.DecodeRune(text[end:]); mark == '\u0302' || mark == '\u0304' {
			sign, end = true, end+n
		}
		for end+1 < len(text) && text[end] == '_' {
			_, n := utf8.DecodeRune(text[end+1:])
			sign, end = true, end+1+n
		}
		if !sign {
			for sign = true; end < len(text) && text[end] < utf8.RuneSelf && letter(rune(text[end])); end++ {
				sign = sign && text[end] < 'a'
			}
			sign = sign && r < 'a' && end-i > 1
		}
		if after, _ := utf8.DecodeRune(text[end:]); sign && !letter(after) {
			return i, end
		}
		i = end
	}
	return i, i
}

// letter reports whether r is a letter of the pictures' notation.
func letter(r rune) bool {
	return 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || 'Α' <= r && r <= 'ω' || r == 'ẑ' || r == 'ϕ'
}
