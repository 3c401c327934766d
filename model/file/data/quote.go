package data

import (
	"strconv"
	"strings"
)

// Quote returns s in quotation marks, shortened to fit a sentence, with unprintable
// characters escaped.
func Quote(s string) string {
	const longest = 24
	if r := []rune(s[:min(len(s), 8*longest)]); len(r) > longest {
		s = string(r[:longest]) + "…"
	}
	s = strconv.QuoteToGraphic(s)
	s = strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
	return "“" + s + "”"
}
