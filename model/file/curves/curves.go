// Package curves writes the cells of tables: text with a comma between two cells.
package curves

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// signs are the characters with which a formula of a spreadsheet begins. A program that opens the table
// would compute the formula, which can start other programs.
const signs = "=+-@\t\r\n＝＋－＠"

// Text returns a cell of text that no spreadsheet takes for a formula: an apostrophe precedes it. Numbers,
// also several or with a unit, stay as they are.
func Text(text string) string {
	if text == "" || !strings.ContainsRune(signs, []rune(text)[0]) {
		return text
	}
	fields := strings.Fields(text)
	for i, field := range fields {
		_, err := strconv.ParseFloat(field, 64)
		if err != nil && (i == 0 || strings.ContainsAny(field, signs+"(|!*/&")) {
			return "'" + text
		}
	}
	if len(fields) == 0 || strings.ContainsAny(text, "\t\r\n") {
		return "'" + text
	}
	return text
}

// Row returns a line of a table, with a quoted cell for each text.
func Row(cells ...string) string {
	cells = slices.Clone(cells)
	for i, c := range cells {
		cells[i] = `"` + strings.ReplaceAll(Text(c), `"`, `""`) + `"`
	}
	return strings.Join(cells, ",") + "\n"
}

// Column replaces the characters of a name that cannot be in the head of a column.
func Column(name string) string {
	if first := []rune(name + " ")[0]; strings.ContainsRune(signs, first) {
		name = "_" + name[len(string(first)):]
	}
	b := []byte(name)
	for i, c := range b {
		if c == ' ' || c == ',' || c == '"' || c < 32 {
			b[i] = '_'
		}
	}
	return string(b)
}

// Append adds a comma and the shortest text of a number of 32 or 64 bits to a line. The cell of a NaN is empty.
func Append(line []byte, v float64, bits int) []byte {
	line = append(line, ',')
	if math.IsNaN(v) {
		return line
	}
	return strconv.AppendFloat(line, v, 'g', -1, bits)
}

// Names of columns and arrays: the beginnings of those of a predicted variable, and those of ẑ.
const (
	Predicted = "predicted_"
	Low       = "low_"
	High      = "high_"
	Closures  = "z"
)
