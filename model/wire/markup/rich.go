package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// inkOf returns the symbol that a colour stands for, or "".
func inkOf(colour string) string {
	switch colour {
	case "target":
		return "q_X"
	case "latent":
		return "ẑ"
	case "learned":
		return "p_θ"
	}
	return ""
}

// rich returns the HTML of a sentence with marks (see wire.Panel) and with typeset numbers. If
// reached is true, its symbols can be focused.
func rich(sentence string, reached bool) string {
	text := typeset(sentence)
	var b strings.Builder
	for size := 0; text != ""; text = text[size:] {
		m := markAt(text)
		size = m.size
		switch {
		case m.kind == "":
			b.WriteString(escape(text[:size]))
		case m.kind == strong:
			b.WriteString("<b>" + rich(m.text, reached) + "</b>")
		case m.kind == symbol:
			b.WriteString(`<i class="m"` + explained(m.symbol(), reached) + ">" + m.text + only(m.index != "", "<sub>"+m.index+"</sub>") + "</i>")
		case m.kind == "aside" || m.kind == "more" || m.kind == "intro": // left out where there is little space
			b.WriteString(`<span class="` + m.kind + `">` + rich(m.text, reached) + "</span>")
		case strings.HasPrefix(m.kind, "press "):
			b.WriteString(`<button type="button" class="link" data-press="` + m.kind[len("press "):] + `">` + rich(m.text, false) + "</button>")
		default:
			b.WriteString(`<b class="ink-` + m.kind + `"` + explained(inkOf(m.kind), reached) + ">" + rich(m.text, false) + "</b>")
		}
	}
	return b.String()
}

// escape writes a text in HTML. The function html.EscapeString would add a table of 70 kB to the worker.
func escape(text string) string { return escaper.Replace(text) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// symbolic formats a name as rich does; a single letter is a symbol.
func symbolic(name string) string {
	if utf8.RuneCountInString(name) == 1 {
		return `<i class="m">` + escape(name) + "</i>"
	}
	return rich(name, false)
}

// explained returns the attributes of a symbol: the page shows the symbol's explanation next to it.
func explained(sign string, reached bool) string {
	return only(sign != "", ` data-sign="`+entry+sign+`"`+only(reached, ` tabindex="0"`))
}

// entry begins the id of a symbol's explanation.
const entry = "symbol-"

// signs returns the symbols that a term of the help explains. If the term begins with two or more
// capitals, such as KL, these capitals are the first symbol.
func signs(term string) (list []string) {
	rest := strings.TrimLeftFunc(term, unicode.IsUpper)
	if capitals := term[:len(term)-len(rest)]; utf8.RuneCountInString(capitals) > 1 && !beginsWithLetter(rest) {
		list = append(list, capitals)
	}
	for size := 0; term != ""; term = term[size:] {
		m := markAt(term)
		size = m.size
		switch m.kind {
		case "", strong:
		case symbol:
			list = append(list, m.symbol())
		default:
			list = append(list, signs(m.text)...)
		}
	}
	return list
}

// mark is a mark at the beginning of a text, or the first letter of a text that begins with none.
type mark struct {
	size  int    // in bytes
	kind  string // "", strong, symbol, or the words behind the bar of […|…]
	text  string // the text inside the mark; the letter of a symbol
	index string // of a symbol
}

const (
	strong = "**"
	symbol = "_"
)

func (m mark) symbol() string {
	if m.index == "" {
		return m.text
	}
	return m.text + "_" + m.index
}

// markAt returns the mark at the beginning of a text that is not empty. A name in quotation marks,
// for example of a file, is skipped as a whole.
func markAt(text string) mark {
	first, size := utf8.DecodeRuneInString(text)
	switch {
	case first == '"':
		return mark{size: quoted(text)}
	case strings.HasPrefix(text, strong):
		if inner, _, ok := strings.Cut(text[len(strong):], strong); ok && inner != "" {
			return mark{len(inner) + 2*len(strong), strong, inner, ""}
		}
	case first == '[':
		inner, rest, _ := strings.Cut(text[1:], "|")
		kind, _, ok := strings.Cut(rest, "]")
		if ok && inner != "" && !strings.ContainsAny(inner, "[]") && strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz ") == "" {
			return mark{len(inner) + len(kind) + len("[|]"), kind, inner, ""}
		}
	case unicode.IsLetter(first):
		letter := text[:size]
		for _, accent := range [...]string{"\u0302", "\u0304"} {
			if strings.HasPrefix(text[size:], accent) {
				letter += accent
			}
		}
		rest := text[len(letter):]
		if below, ok := strings.CutPrefix(rest, "_"); ok && indexSize(below) > 0 {
			index := below[:indexSize(below)]
			return mark{len(letter) + 1 + len(index), symbol, letter, index}
		}
		if (isSymbol(first) || letter == "z\u0304") && !beginsWithLetter(rest) {
			return mark{len(letter), symbol, letter, ""}
		}
	}
	return mark{size: size}
}

// indexSize returns the size of a symbol's index at the beginning of a text: one letter or digit, or
// two or three capitals, and neither letter nor digit behind them.
func indexSize(text string) int {
	rest := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsLetter(r) || '0' <= r && r <= '9' })
	index := text[:len(text)-len(rest)]
	if n := utf8.RuneCountInString(index); n == 1 || n <= 3 && strings.TrimLeftFunc(index, unicode.IsUpper) == "" {
		return len(index)
	}
	return 0
}

// isSymbol reports whether a letter is a symbol by itself.
func isSymbol(r rune) bool {
	return 'Α' <= r && r <= 'Ω' || 'α' <= r && r <= 'ω' || r == 'ϕ' || r == 'ẑ'
}

func beginsWithLetter(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(first)
}

// quoted returns the size of the name in quotation marks at the beginning of a text, or 1 if the
// quotation mark has no second one.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return 1
}
