package data

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Table is the content of a text: numbers in columns.
type Table struct {
	Header  []string // names of the columns; nil if the text has none
	Columns int
	Values  []float64 // (rows, Columns), finite
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.Values) / t.Columns }

// ReadCSV reads at most maxValues numbers in columns. A line is split at its semicolons;
// without semicolons, at its commas; without either, at white space. A separator may end a
// line. A field may be in double quotes, '#' begins a comment, and blank lines are skipped. The
// first line is a header if all of its fields are names. A name begins with a letter or an
// underscore. Without such a line, a comment above the numbers is a header if it has a name for every
// column and one of the names is x or X: NumPy's savetxt writes such comments. The decimal sign is a
// point. A byte order mark and any line ending are accepted.
//
// It calls pause, which may be nil, every few thousand numbers.
//
// It returns an error if there are no numbers or too many, if rows differ in length, or if a
// field is not a finite number.
func ReadCSV(text string, maxValues int, pause Pause) (*Table, error) {
	if isUTF16([]byte(text[:min(len(text), 2)])) {
		return nil, errUTF16
	}
	if strings.IndexByte(text, 0) >= 0 {
		return nil, errors.New("the file is not text; save the numbers as CSV, NPY or NPZ")
	}
	text = strings.TrimPrefix(text, byteOrderMark)
	t := new(Table)
	var commented []string                // names in a comment above the numbers
	first, size, since := 0, len(text), 0 // line of the first row; characters in total; numbers since the last pause
	for line := 1; text != ""; line++ {
		var content string
		content, text = cutLine(text)
		fields := split(content, maxValues)
		if len(fields) == 0 {
			if comment, is := strings.CutPrefix(strings.TrimSpace(content), "#"); is && t.Columns == 0 {
				if names := split(comment, maxValues); slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(s, axisNames[0]) }) && isHeader(names) {
					commented = names
				}
			}
			continue
		}
		if t.Columns == 0 && t.Header == nil && isHeader(fields) {
			t.Header = fields
			continue
		}
		if t.Columns == 0 {
			t.Columns, first = len(fields), line
			if t.Header == nil && len(commented) == len(fields) {
				t.Header = commented
			}
		}
		if len(t.Values)+len(fields) > maxValues {
			return nil, fmt.Errorf("line %d: the file holds more than %d numbers; keep fewer", line, maxValues)
		}
		if len(fields) != t.Columns {
			return nil, fmt.Errorf("line %d has %s where line %d has %d; make all lines alike", line, count(len(fields), "value"), first, t.Columns)
		}
		for i, f := range fields {
			v, err := number(f)
			if err != nil {
				at := fmt.Sprintf("line %d", line)
				if len(fields) > 1 {
					at += fmt.Sprintf(", column %d", i+1)
				}
				return nil, fmt.Errorf("%s: %w", at, err)
			}
			t.Values = append(t.Values, v)
			if since++; since == pauseEvery {
				since = 0
				pause.at(1 - float64(len(text))/float64(size))
			}
		}
	}
	if t.Columns == 0 {
		return nil, errors.New("the file holds no numbers; write one on each line")
	}
	if t.Header != nil && len(t.Header) != t.Columns {
		return nil, fmt.Errorf("the header names %s and line %d has %s; make them alike", count(len(t.Header), "column"), first, count(t.Columns, "value"))
	}
	return t, nil
}

// cutLine returns the first line of text and the rest. A line ends with \n, \r\n or
// \r.
func cutLine(text string) (line, rest string) {
	i := strings.IndexAny(text, "\r\n")
	if i < 0 {
		return text, ""
	}
	line, rest = text[:i], text[i+1:]
	if text[i] == '\r' {
		rest = strings.TrimPrefix(rest, "\n")
	}
	return line, rest
}

// split returns the fields of a line, or the first limit+1 fields if the line has more. A
// comment ends the line. A blank line has no fields.
func split(line string, limit int) []string {
	line, _, _ = strings.Cut(line, "#")
	line = strings.TrimSpace(line)
	var found iter.Seq[string]
	switch {
	case line == "":
		return nil
	case strings.Contains(line, ";"):
		found = strings.SplitSeq(strings.TrimSuffix(line, ";"), ";")
	case strings.Contains(line, ","):
		found = strings.SplitSeq(strings.TrimSuffix(line, ","), ",")
	default:
		found = strings.FieldsSeq(line)
	}
	var fields []string
	for f := range found {
		f = strings.TrimSpace(f)
		if len(f) >= 2 && f[0] == '"' && f[len(f)-1] == '"' {
			f = strings.TrimSpace(f[1 : len(f)-1])
		}
		if fields = append(fields, f); len(fields) > limit {
			break
		}
	}
	return fields
}

// isHeader reports whether all fields are names. The first field may be empty, because pandas
// writes no name for its index.
func isHeader(fields []string) bool {
	for i, f := range fields {
		first, _ := utf8.DecodeRuneInString(f)
		if _, err := strconv.ParseFloat(f, 64); err == nil || !unicode.IsLetter(first) && first != '_' && !(f == "" && i == 0 && len(fields) > 1) {
			return false
		}
	}
	return true
}

func number(field string) (float64, error) {
	v, err := strconv.ParseFloat(field, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is too large for a number; leave it out", quote(field))
	case err == nil && v-v != 0:
		return 0, fmt.Errorf("%s is not a finite number; leave it out", quote(field))
	case err == nil:
		return v, nil
	case field == "":
		return 0, errors.New("a number is missing; fill the gap")
	case isDecimalComma(field):
		return 0, fmt.Errorf("%s is not a number; write decimals with a point", quote(field))
	case !utf8.ValidString(field):
		return 0, fmt.Errorf("%s is not a number; save the file as CSV in UTF-8", quote(field))
	}
	return 0, fmt.Errorf("%s is not a number", quote(field))
}

// isDecimalComma reports whether the field is a number with a decimal comma.
func isDecimalComma(field string) bool {
	v, err := strconv.ParseFloat(strings.Replace(field, ",", ".", 1), 64)
	return strings.Contains(field, ",") && err == nil && !math.IsNaN(v)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
