package method

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"macroscope/model/setting"
)

import _ "embed"

//go:embed published.txt
var publishedText string

// PublishedTests lists the tests of the paper's tables of predictions, in the order of the columns.
var PublishedTests = [3]string{"in-dst", "diff-init", "diff-N"}

// PublishedRow is a row of a table of the paper.
type PublishedRow struct {
	Method string // our corresponding method
	Name   string
	Cells  [3]string // mean MRE or MMD in each of PublishedTests, as printed; "n/a" if there is none
}

// published contains the rows of published.txt for each system.
var published = sync.OnceValue(func() map[string][]PublishedRow {
	rows, err := parsePublished(publishedText)
	if err != nil {
		panic("method: " + err.Error()) // a test reads the file
	}
	return rows
})

// PublishedRows returns the rows of the paper's table for a system: table 1 for particles, table 2 for
// mixing. Other systems have none. Callers must not change them.
func PublishedRows(system string) []PublishedRow { return published()[system] }

// parsePublished reads the content of published.txt. An error names the file and the line, and quotes the
// wrong word.
func parsePublished(text string) (map[string][]PublishedRow, error) {
	all := make(map[string][]PublishedRow)
	read := func(_ int, line string) error {
		words := strings.Fields(line)
		if len(words) < 6 {
			return fmt.Errorf("the row %s has %d words; give it a system, a method, a figure for %s, and a name", setting.Quote(line), len(words), strings.Join(PublishedTests[:], ", "))
		}
		row := PublishedRow{Method: words[1], Name: strings.Join(words[5:], " "), Cells: [3]string(words[2:5])}
		if Presets(words[0], row.Method) == nil {
			return fmt.Errorf("there is no experiment %s; use a system and a method of methods.txt", setting.Quote(words[0]+"/"+row.Method))
		}
		for _, cell := range row.Cells {
			if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "n/a" {
				return fmt.Errorf("%s is no figure; use a number or n/a", setting.Quote(cell))
			}
		}
		all[words[0]] = append(all[words[0]], row)
		return nil
	}
	return all, parseLines("published.txt", text, func(text string) error {
		return fmt.Errorf("%s is no row; write a system, a method, figures and a name", setting.Quote("["+text+"]"))
	}, read)
}

// PublishedFigure returns the paper's mean MRE or MMD of a method in a test. ok is false if there is none.
func PublishedFigure(system, method, test string) (mean float64, ok bool) {
	for _, row := range PublishedRows(system) {
		for i, cell := range row.Cells {
			if row.Method == method && PublishedTests[i] == test {
				figure, err := strconv.ParseFloat(cell, 64) // the text is "n/a" if the paper has no figure
				return figure, err == nil
			}
		}
	}
	return 0, false
}
