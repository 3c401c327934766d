package data

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"macroscope/model/setting"
	"macroscope/model/work"
)

// Table is the content of a text: numbers in columns.
type Table struct {
	Header  []string  // names of all columns of the text; nil if it has none
	Columns int       // number of columns that were read
	Values  []float64 // (rows, Columns), finite; for a column of names, indices of Names
	Names   []string
	Lines   []int // (rows) the numbers of their lines
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.Values) / t.Columns }

// Column selects a column of a text for ReadColumns.
type Column struct {
	Index int
	Names bool // whether the column contains names; otherwise it contains numbers
}

// ReadCSV reads at most maxValues numbers in columns, see ReadColumns.
func ReadCSV(text string, maxValues int) (*Table, error) {
	return ReadColumns(text, maxValues, func(_ []string, count int) (all []Column, err error) {
		for i := range count {
			all = append(all, Column{Index: i})
		}
		return all, nil
	}, nil)
}

// maxHeaderLines is the largest number of lines above the numbers: names, units, explanations.
const maxHeaderLines = 5

// ReadColumns reads a text in columns. The first line decides how lines are split: at semicolons;
// without these, at tabs; without these, at commas; without these, at white space. A line “sep=;”
// decides it too. A separator may end a line. A field may be in double quotes, and blank lines are
// skipped. A '#' begins a comment where it begins a line or follows a space, outside of quotes. The
// first line is a header if all of its fields are names. A name begins with a letter or an
// underscore. More lines without any number may follow it. Without a header, a comment above the
// numbers is a header if it has a name for every column and one of the names has the word x or X:
// NumPy's savetxt writes such comments. The decimal sign is a point. A byte order mark and any line
// ending are accepted.
//
// The function `choose` selects the columns to read. Its arguments are the header (nil: there is
// none) and the number of columns. At most maxValues values are read. ReadColumns calls pause, which
// may be nil, every few thousand values.
//
// It returns an error if there are no numbers or too many, if rows differ in length, if a chosen
// field is not a finite number, or if the last of several lines has no line break: its last number
// may be cut.
func ReadColumns(text string, maxValues int, choose func(header []string, count int) ([]Column, error), pause work.Pause) (*Table, error) {
	if err := CheckText([]byte(text)); err != nil {
		return nil, err
	}
	p := columnReader{Table: new(Table), choose: choose, pause: pause, most: maxValues, size: len(text)}
	text = strings.TrimPrefix(text, ByteOrderMark)
	ended := true
	for text != "" {
		var content string
		content, text, ended = cutLine(text)
		p.line++
		switch err := p.read(content, len(text)); {
		case p.stopped != nil:
			return nil, p.stopped
		case err != nil:
			return nil, fmt.Errorf("line %d%w", p.line, err)
		}
	}
	switch {
	case p.count == 0:
		return nil, errors.New("the file holds no numbers; write one on each line")
	case !ended && p.line > 1:
		return nil, fmt.Errorf("line %d, the last, has no line break, so its last number may be cut short; take another copy of the file, or add the line break if the number is whole", p.line)
	}
	return p.Table, nil
}

// columnReader is the state of ReadColumns. Its errors continue a sentence that begins with the
// number of the line.
type columnReader struct {
	*Table
	choose    func(header []string, count int) ([]Column, error)
	pause     work.Pause
	stopped   error // error of the pause
	most      int
	size      int // length of the text
	line      int
	separator string
	commented []string // names in a comment above the numbers
	headers   int      // number of header lines
	count     int      // number of columns in the text; 0 before the first row
	first     int      // line of the first row
	chosen    []Column
	since     int // values since the last pause
	codes     map[string]int
}

// read reads one line. `rest` is the length of the text behind it.
func (p *columnReader) read(content string, rest int) error {
	if p.line == 1 && len(content) == 5 && strings.HasPrefix(content, "sep=") {
		p.separator = content[4:]
		return nil
	}
	if p.separator == "" {
		p.separator = separatorOf(content)
	}
	fields := p.ended(split(content, p.separator, p.most))
	switch {
	case len(fields) == 0:
		p.comment(content)
		return nil
	case p.count > 0 && slices.Equal(fields, p.Header):
		return errors.New(" is the header again, as if several tables had been joined; give each a file of its own")
	case p.count == 0 && p.Header == nil && isHeader(fields), p.count == 0 && p.Header != nil && explains(fields):
		if p.headers++; p.headers > maxHeaderLines {
			return fmt.Errorf(" is the %dth line without a number; write the names in the first line and then the numbers", p.headers)
		}
		if p.Header == nil {
			p.Header = fields
		}
		return nil
	case p.count == 0:
		if err := p.begin(len(fields)); err != nil {
			return err
		}
	}
	if len(fields) != p.count {
		return fmt.Errorf(" has %s where line %d has %d; make all lines alike", count(len(fields), "value"), p.first, p.count)
	}
	if len(p.Values)+len(p.chosen) > p.most {
		return fmt.Errorf(": the file holds more than %d numbers; keep fewer", p.most)
	}
	p.Lines = append(p.Lines, p.line)
	for _, c := range p.chosen {
		v, err := p.value(fields[c.Index], c)
		if err != nil && p.count > 1 {
			return fmt.Errorf(", column %d: %w", c.Index+1, err)
		}
		if err != nil {
			return fmt.Errorf(": %w", err)
		}
		p.Values = append(p.Values, v)
		if p.since++; p.since == pauseEvery {
			p.since = 0
			if p.stopped = p.pause.At(1 - float64(rest)/float64(p.size)); p.stopped != nil {
				return p.stopped
			}
		}
	}
	return nil
}

// ended returns the fields of a line without an empty last field that only ends the line.
func (p *columnReader) ended(fields []string) []string {
	last := len(fields) - 1
	if last > 0 && fields[last] == "" && p.separator != " " && last >= max(p.count, len(p.Header)) {
		return fields[:last]
	}
	return fields
}

// comment stores the names in a comment above the numbers.
func (p *columnReader) comment(content string) {
	if text, is := strings.CutPrefix(strings.TrimSpace(content), "#"); is && p.count == 0 {
		names := split(text, separatorOf(text), p.most)
		if slices.ContainsFunc(names, hasX) && isHeader(names) {
			p.commented = names
		}
	}
}

// hasX reports whether one of the words of a name, such as pos_x, is x.
func hasX(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.Contains(words, "x")
}

// begin is called before the first row, which has `columns` fields.
func (p *columnReader) begin(columns int) (err error) {
	p.count, p.first = columns, p.line
	if p.Header == nil && len(p.commented) == columns {
		p.Header = p.commented
	}
	if p.Header != nil && len(p.Header) != columns {
		return fmt.Errorf(" has %s, and the header names %s; make them alike", count(columns, "value"), count(len(p.Header), "column"))
	}
	if p.chosen, err = p.choose(p.Header, columns); err != nil {
		return fmt.Errorf(": %w", err)
	}
	p.Columns = len(p.chosen)
	return nil
}

// value returns the value of a field: a number, or the index of a name in Table.Names.
func (p *columnReader) value(field string, c Column) (float64, error) {
	if !c.Names {
		return number(field)
	}
	if field == "" {
		return 0, errors.New("a name is missing; fill the gap")
	}
	code, known := p.codes[field]
	if !known {
		if p.codes == nil {
			p.codes = make(map[string]int)
		}
		code = len(p.Names)
		p.codes[strings.Clone(field)] = code
		p.Names = append(p.Names, field)
	}
	return float64(code), nil
}

// cutLine returns the first line of text and the rest. A line ends with \n, \r\n or \r. `ended`
// is false if the text ends without a line break.
func cutLine(text string) (line, rest string, ended bool) {
	i := strings.IndexAny(text, "\r\n")
	if i < 0 {
		return text, "", false
	}
	line, rest = text[:i], text[i+1:]
	if text[i] == '\r' {
		rest = strings.TrimPrefix(rest, "\n")
	}
	return line, rest, true
}

// separatorOf returns the separator of a line's fields: ";", a tab, ",", " " for white space, or
// "" if the line is blank or a comment.
func separatorOf(line string) string {
	line = strings.TrimSpace(uncommented(line))
	for _, s := range []string{";", "\t", ","} {
		if strings.Contains(line, s) {
			return s
		}
	}
	if line == "" {
		return ""
	}
	return " "
}

// uncommented returns a line without its comment. A '#' that ends a name (“Track #”), begins a field
// (“#ff0000”) or stands in quotes begins no comment.
func uncommented(line string) string {
	quoted := false
	for i := range len(line) {
		switch rest := line[i+1:]; {
		case line[i] == '"':
			quoted = !quoted
		case line[i] != '#' || quoted:
		case strings.TrimSpace(line[:i]) == "", line[i-1] == ' ' && rest != "" && strings.IndexAny(rest, ";,\t") != 0:
			return line[:i]
		}
	}
	return line
}

// split returns the fields of a line, or the first limit+1 fields if the line has more. A
// comment ends the line. A blank line has no fields.
func split(line, separator string, limit int) (fields []string) {
	line = uncommented(line)
	if separator == " " || strings.TrimSpace(line) == "" {
		for f := range strings.FieldsSeq(line) {
			if fields = append(fields, unquote(f)); len(fields) > limit {
				break
			}
		}
		return fields
	}
	line = strings.TrimRight(line, " ")
	for line != "" || len(fields) == 0 {
		var f string
		f, line = cutField(line, separator)
		if fields = append(fields, unquote(f)); len(fields) > limit {
			break
		}
	}
	return fields
}

// cutField returns the first field of a line and the rest. Separators between double quotes belong
// to the field.
func cutField(line, separator string) (field, rest string) {
	quoted := false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case !quoted && line[i] == separator[0]:
			if i+1 == len(line) {
				return line[:i], " " // an empty last field
			}
			return line[:i], line[i+1:]
		}
	}
	return line, ""
}

func unquote(f string) string {
	f = strings.TrimSpace(f)
	if len(f) >= 2 && f[0] == '"' && f[len(f)-1] == '"' {
		f = strings.TrimSpace(f[1 : len(f)-1])
	}
	return f
}

// explains reports whether a line below the header explains the columns: it has several fields, and
// none is a number or the sign of a missing one.
func explains(fields []string) bool {
	return len(fields) > 1 && !slices.ContainsFunc(fields, func(f string) bool {
		_, err := strconv.ParseFloat(f, 64)
		missing := slices.Contains([]string{"na", "n/a", "null", "none", "-"}, strings.ToLower(f))
		return err == nil || errors.Is(err, strconv.ErrRange) || isDecimalComma(f) || missing
	})
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
	if v, err := strconv.ParseFloat(field, 64); err == nil && v-v == 0 {
		return v, nil
	}
	return 0, NotNumber(field)
}

// NotNumber returns an error for a field that is not a finite number in single precision. The error
// gives the reason.
func NotNumber(field string) error {
	_, err := strconv.ParseFloat(field, 64)
	_, exponent := strconv.ParseFloat(strings.NewReplacer("D", "e", "d", "e").Replace(field), 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s is too large for a number; leave it out", setting.Quote(field))
	case err == nil:
		return fmt.Errorf("%s is not a finite number in single precision; leave it out", setting.Quote(field))
	case field == "":
		return errors.New("a number is missing; fill the gap")
	case isDecimalComma(field):
		return fmt.Errorf("%s is not a number; write decimals with a point", setting.Quote(field))
	case exponent == nil:
		return fmt.Errorf("%s is not a number; write exponents with e", setting.Quote(field))
	case !utf8.ValidString(field):
		return fmt.Errorf("%s is not a number; save the file as CSV in UTF-8", setting.Quote(field))
	}
	return fmt.Errorf("%s is not a number", setting.Quote(field))
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
