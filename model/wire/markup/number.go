package markup

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// typeset sets the numbers of a program's text as in print, as typeset in assets/shell/format.js does.
func typeset(text string) string {
	var b strings.Builder
	begin := 0 // of the text behind the last name in quotation marks
	for at := 0; at < len(text); at++ {
		before, rest := text[begin:at], text[at+1:]
		switch c := text[at]; {
		case c == '"':
			size := quoted(text[at:])
			b.WriteString(text[at : at+size])
			at += size - 1
			begin = at + 1
		case c == ' ' && endsWithDigit(before) && strings.HasPrefix(rest, "%"):
			b.WriteString("\u00a0")
		case c == 'e' && endsWithDigit(before) && len(rest) > 1 && (rest[0] == '+' || rest[0] == '-') && isDigit(rest[1]):
			size := 2
			for size < len(rest) && isDigit(rest[size]) {
				size++
			}
			b.WriteString("×" + power(rest[:size]))
			at += size
		case c == '-' && opens(before) && rest != "" && isDigit(rest[0]):
			b.WriteString("−")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func endsWithDigit(text string) bool { return text != "" && isDigit(text[len(text)-1]) }

// opens reports whether a number can begin behind a text.
func opens(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return text == "" || last == '(' || unicode.IsSpace(last)
}

// power writes a power of ten. exponent is in a program's notation, such as "-05".
func power(exponent string) string {
	n, _ := strconv.Atoi(exponent)
	return "10" + strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(strconv.Itoa(n))
}

// short writes x with three digits. It uses a power of ten below 10⁻⁴ and from 10⁵.
func short(x float64) string {
	if !plainly(x) {
		return scientific(x)
	}
	return typeset(plain(rounded(x)))
}

// labels returns the function that writes the values of one axis, as labels in assets/shell/format.js does.
func labels(values []float64) func(float64) string {
	if !slices.ContainsFunc(values, func(x float64) bool { return !plainly(x) }) {
		return short
	}
	return func(x float64) string {
		if a := math.Abs(x); a == 0 || a == 1 || a == 10 {
			return short(x)
		}
		return scientific(x)
	}
}

func plainly(x float64) bool { return x == 0 || math.Abs(x) >= 1e-4 && math.Abs(x) < 1e5 }

// rounded rounds x to three digits.
func rounded(x float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	return r
}

func scientific(x float64) string {
	return strings.TrimPrefix(typeset(strconv.FormatFloat(rounded(x), 'e', -1, 64)), "1×")
}

// plain writes x as HTML and JavaScript parse it.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
