// Package curves writes the cells of tables of values over time: text with a comma between two cells.
package curves

import (
	"math"
	"strconv"
)

// Column replaces the characters of a name that cannot be in the head of a column.
func Column(name string) string {
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
