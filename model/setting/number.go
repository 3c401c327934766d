package setting

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Float parses a finite number in decimal digits. strconv.ParseFloat would also take 0x1p-3 and inf.
func Float(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0) || InDecimal(text) != "") {
		err = errors.New("it is not a number in decimal digits")
	}
	return v, err
}

// InDecimal returns a part of a sentence on the accepted numbers for a text in another notation, such as
// 0x10, 0b1 or 1_000, and "" for any other text. A zero in front of other digits has no meaning.
func InDecimal(text string) string {
	digits := strings.TrimLeft(text, "+-")
	if digits != "" && digits[0] >= '0' && digits[0] <= '9' && strings.ContainsAny(digits, "xXbBoO_") {
		return " in decimal digits"
	}
	return ""
}
